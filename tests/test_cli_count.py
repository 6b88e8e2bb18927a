"""What `tallystick count` writes adds up, and rows may represent several examples."""

import json
from pathlib import Path

import duckdb
import msgspec
import numpy as np
import pandas as pd
import pyarrow
import pyarrow.ipc
import pytest

import tallystick
from cases import cases
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.io.arrays import pack_arrays
from tallystick.model.facts import add_notes, count_differences, count_empty

USUAL = ["--gold-column", "y_true", "--systems", "one", "two"]
TEXTS = ["--gold-column", "reference", "--systems", "short"]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def invent(seed, size=300):
    random = np.random.default_rng(seed)
    words = np.array(["the", "a", "dog", "cat", "runs", "sleeps", "fast", "here", "and", "not"])
    rows = []
    for number in range(size):
        gold = int(random.integers(2))
        text = " ".join(random.choice(words, 8))
        rows.append(
            {
                "id": f"x{number}",
                "lang": str(random.choice(["en", "de", "tr"])),
                "doc": f"d{number // 4}",
                "y_true": gold,
                "one": int(random.random() < 0.3 + 0.4 * gold),
                "two": int(random.random() < 0.4 + 0.2 * gold),
                "sets": [str(name) for name in "abc" if random.random() < 0.4],
                "tags": [str(name) for name in "abc" if random.random() < 0.4],
                "p": round(float(random.random()), 3),
                "reference": text,
                "short": " ".join(text.split()[: int(random.integers(4, 9))]),
                "other": " ".join(random.permutation(text.split())),
            }
        )
    return rows


TASKS = {
    "labels": "--gold-column y_true --systems one two -m accuracy macro_f1 mcc --by lang",
    "clusters": "--gold-column y_true --systems one two -m f1 --by lang --clusters doc",
    "sets": "--gold-column sets --predicted-column tags --task multilabel -m macro_f1 hamming_loss",
    "probabilities": "--gold-column y_true --probability-column p -m roc_auc brier_score ece",
    "clustered": "--gold-column y_true --probability-column p -m roc_auc --clusters doc",
    "texts": "--gold-column reference --systems short other -m bleu chrf ter wer --by lang",
    "documents": "--gold-column reference --systems short other -m bleu --clusters doc",
}


def run(command, capsys):
    code = main(list(command))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def count_parts(folder, rows, options, seed):
    random = np.random.default_rng(seed)
    order = random.permutation(len(rows))
    cuts = np.sort(random.choice(np.arange(1, len(rows)), 1, replace=False))
    saved = []
    for number, part in enumerate(np.split(order, cuts)):
        here = folder / str(number)
        here.mkdir()
        saved.append(str(folder / f"{number}.tally"))
        source = write(here / "all.jsonl", [rows[at] for at in part])
        assert main(["count", source, *options, "-o", saved[-1]]) == 0
    return saved[::-1]


def test_the_tests_of_sacrebleu_need_the_order_of_examples(tmp_path, capsys):
    saved = count_parts(tmp_path, invent(3, 40), [*TEXTS, "other", "-m", "bleu"], 3)
    code, out, err = run(["compare", *saved, "--test", "sacrebleu-bs"], capsys)
    assert (2, "") == (code, out)
    assert "sacreBLEU's tests need every example in its order" in err


def test_other_metrics_of_the_same_counts_need_no_counting(tmp_path, capsys):
    saved = count_parts(tmp_path, invent(5), TASKS["labels"].split(), 5)
    kappa = run(["score", *saved, "-m", "cohen_kappa", "--no-intervals"], capsys)
    area = run(["score", *saved, "-m", "roc_auc"], capsys)
    assert kappa[0] == 0
    assert (2, "") == area[:2]
    assert "roc_auc needs counts that are not in the file; count again with -m roc_auc" in area[2]


def test_rouge_types_that_were_counted_together_are_scored_apart(tmp_path, capsys):
    saved = count_parts(tmp_path, invent(6), [*TEXTS, "-m", "rouge1", "rougeL"], 6)
    whole = write(tmp_path / "all.jsonl", invent(6))
    expected = run(["score", whole, *TEXTS, "-m", "rougeL", "--no-intervals"], capsys)
    assert expected[:2] == run(["score", *saved, "-m", "rougeL", "--no-intervals"], capsys)[:2]


def test_the_only_system_may_be_called_by_its_part(tmp_path, capsys):
    rows = invent(7)
    options = ["--gold-column", "y_true", "--predicted-column", "one", "-m", "accuracy"]
    for name, part in (("b", rows[:100]), ("a", rows[100:])):
        source = write(tmp_path / f"{name}.jsonl", part)
        assert main(["count", source, *options, "-o", str(tmp_path / f"{name}.tally")]) == 0
    code, out, err = run(
        ["score", str(tmp_path / "b.tally"), str(tmp_path / "a.tally"), "--format", "json"], capsys
    )
    (score,) = json.loads(out)["scores"]
    right = sum(row["y_true"] == row["one"] for row in rows)
    assert (0, "a", 300, right / 300) == (code, score["system"], score["n"], score["value"])
    assert "a, b are taken for one system, which is called a." in err


def count(folder, name, rows, *options):
    source = write(folder / f"{name}.jsonl", rows)
    saved = str(folder / f"{name}.tally")
    assert main(["count", source, *USUAL, "-m", "accuracy", *options, "-o", saved]) == 0
    return saved


@cases(
    "options message",
    (("--by", "lang"), "the groups of (lang) and (nothing)"),
    (("--clusters", "doc"), "clusters (yes) and (no)"),
    (("--positive", "0"), "the positive label (0) and (1)"),
    (("--labels", "0", "1"), "the labels that were named (0, 1) and (none)"),
    (("-m", "mcc"), "the metrics (Accuracy(), MCC()) and (Accuracy())"),
    (("--task", "multiclass"), "the kind of task (multiclass) and (binary)"),
)
def test_parts_that_were_counted_otherwise_do_not_add(tmp_path, capsys, options, message):
    one = count(tmp_path, "one", invent(8))
    code, out, err = run(["score", one, count(tmp_path, "other", invent(9), *options)], capsys)
    assert (2, "") == (code, out)
    assert f"cannot be added: {message}" in err


def test_the_same_examples_do_not_add_twice(tmp_path, capsys):
    one = count(tmp_path, "one", invent(8))
    copy = count(tmp_path, "copy", invent(8))
    code, out, err = run(["score", one, copy], capsys)
    assert (4, "") == (code, out)
    assert f"{copy} contains examples that {one} contains too" in err


@cases(
    "arguments code message",
    (["score", "PART", "gold.csv"], 2, "contains counts and gold.csv does not"),
    (["score", "PART", "--by", "lang"], 2, "--by can only be used with `tallystick count`"),
    (["score", "PART", "--segments"], 2, "--segments needs the examples"),
    (["compare", "PART", "--flips", "f.csv"], 2, "--flips needs the examples"),
    (["compare", "PART", "--systems", "one", "three"], 2, "there is no system 'three'"),
    (["score", "PART", "-m", "bleu"], 2, "bleu is a metric of texts"),
    (["score", "no.tally"], 4, "no.tally: cannot be read"),
)
def test_what_does_not_go_with_counts_is_told(
    tmp_path, monkeypatch, capsys, arguments, code, message
):
    monkeypatch.chdir(tmp_path)
    part = count(tmp_path, "part", invent(8))
    capsys.readouterr()
    found = run([part if one == "PART" else one for one in arguments], capsys)
    assert (code, "") == found[:2]
    assert message in found[2]


@pytest.mark.deep
@cases("first", *range(0, 205, 41))
def test_broken_files_are_rejected(tmp_path, capsys, first):
    part = Path(count(tmp_path, "part", invent(8), "--clusters", "doc", "--by", "lang"))
    whole = part.read_bytes()
    good = run(["score", str(part), "--format", "json", "--no-intervals"], capsys)
    random = np.random.default_rng(first)
    for place in range(first, len(whole), 205):
        cut, changed = whole[:place], bytearray(whole)
        changed[place] ^= int(random.integers(1, 256))
        for content in (cut, bytes(changed)):
            part.write_bytes(content)
            code, out, err = run(["score", str(part), "--format", "json", "--no-intervals"], capsys)
            assert (code, out) == good[:2] or (code == 4 and not out and "part.tally" in err)
    assert 0 == good[0]


def test_the_file_is_arrow_with_a_header(tmp_path):
    part = count(tmp_path, "part", [{"y_true": 1, "one": 1, "two": 0}] * 3)
    table = pyarrow.ipc.open_file(part).read_all()
    header = msgspec.msgpack.decode(table.schema.metadata[b"tallystick"])
    assert [3] == table.column("0.counts")[0].as_py()
    assert (7, ["one", "two"]) == (header["format"], header["systems"])
    assert [("part.jsonl", 3)] == [
        (one["name"], own["n"]) for own in header["parts"] for one in own["inputs"]
    ]


def test_counting_twice_gives_equal_bytes(tmp_path):
    part = Path(count(tmp_path, "part", invent(8)))
    first = part.read_bytes()
    count(tmp_path, "part", invent(8))
    assert first == part.read_bytes()


@cases(
    "options message",
    (["-m", "accuracy", "--min-cell", "200"], "cells of Confusion() have fewer than 200"),
    (["-m", "accuracy", "--min-cell", "0"], "a cell has at least 1 example, not 0"),
    (["-m", "accuracy", "--by", "p:4"], "--by NAME:4 makes bins of all examples"),
)
def test_what_must_not_be_counted_leaves_no_file(tmp_path, capsys, options, message):
    source = write(tmp_path / "all.jsonl", invent(8))
    target = tmp_path / "part.tally"
    code, _, err = run(["count", source, *USUAL, *options, "-o", str(target)], capsys)
    assert code in (2, 4)
    assert message in err
    assert not target.exists()


def test_counts_go_to_a_file_of_their_own_ending(tmp_path, capsys):
    source = write(tmp_path / "all.jsonl", invent(8))
    code, _, err = run(["count", source, "-o", str(tmp_path / "part.csv")], capsys)
    assert 2 == code
    assert "counts go to a file that ends with .tally" in err


def invent_counts(folder):
    random = np.random.default_rng(4)
    lines = ["lang,doc,y_true,a,b"]
    for number in range(600):
        gold = random.choice(["x", "y", "z"])
        one, two = (gold if random.random() < 0.7 else random.choice(["x", "y"]) for _ in "ab")
        lines.append(f"{random.choice(['de', 'en', 'tr'])},d{number // 6},{gold},{one},{two}")
    (folder / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(folder / "rows.csv")


def aggregate(rows, columns):
    counts = str(Path(rows).with_name("counts.csv"))
    table = duckdb.sql(
        f"SELECT {columns}, COUNT(*) AS n FROM read_csv('{rows}') GROUP BY {columns} ORDER BY n"
    )
    table.write_csv(counts)
    return counts


@cases(
    "command options",
    ("score", ["-m", "f1", "--by", "lang", "--clusters", "doc"]),
    ("compare", ["-m", "accuracy", "--clusters", "doc", "--test", "bootstrap"]),
)
def test_counts_from_a_database_score_as_the_rows(tmp_path, command, options):
    rows = invent_counts(tmp_path)
    grouped = "doc, lang, y_true, a, b" if "doc" in options else "lang, y_true, a, b"
    counts = aggregate(rows, grouped)
    outputs = [str(tmp_path / f"{name}.json") for name in ("rows", "counts")]
    usual = ["--systems", "a", "b", *options, "--resamples", "200"]
    assert main([command, rows, *usual, "-o", outputs[0]]) == 0
    assert main([command, counts, "--count-column", "n", *usual, "-o", outputs[1]]) == 0
    expected, found = (json.loads(Path(path).read_text(encoding="utf-8")) for path in outputs)
    assert expected == found


def test_label_sets_are_counted_too():
    gold = {"y_true": ["a|b", "c"], "y_pred": ["a", "c"], "n": [3, 1]}
    rows = {"y_true": ["a|b"] * 3 + ["c"], "y_pred": ["a"] * 3 + ["c"]}
    options = {"metrics": ["macro_f1", "hamming_loss"], "task": "multilabel"}
    expected = tallystick.score(
        pd.DataFrame(rows), columns=tallystick.Columns(delimiter="|"), **options
    )
    columns = tallystick.Columns(count="n", delimiter="|")
    found = tallystick.score(pd.DataFrame(gold), columns=columns, **options)
    assert [score.value for score in expected.scores] == [score.value for score in found.scores]
    assert 4 == found.scores[0].n


def test_weights_are_of_each_example():
    counts = {"y_true": [1, 0, 1], "y_pred": [1, 1, 0], "w": [2.0, 0.5, 1.0], "n": [3, 2, 1]}
    rows = {name: np.repeat(own, counts["n"]) for name, own in counts.items() if name != "n"}
    expected = tallystick.score(pd.DataFrame(rows), metrics="accuracy", weights="w")
    columns = tallystick.Columns(count="n")
    found = tallystick.score(pd.DataFrame(counts), metrics="accuracy", weights="w", columns=columns)
    assert expected.scores[0].value == found.scores[0].value == 6 / 8
    assert (expected.scores[0].low, expected.scores[0].high) == (
        found.scores[0].low,
        found.scores[0].high,
    )


@cases("count", "0", "-1", "1.5", "nan")
def test_a_count_is_a_whole_number(count):
    table = pd.DataFrame({"y_true": ["1", "0"], "y_pred": ["1", "0"], "n": ["1", count]})
    with pytest.raises(InputError, match=r"row 2.*is not a count; counts must be whole numbers"):
        tallystick.score(table, metrics="accuracy", columns=tallystick.Columns(count="n"))


def test_counts_do_not_go_with_probabilities():
    table = pd.DataFrame({"y_true": [1, 0], "y_prob": [0.9, 0.2], "n": [2, 3]})
    with pytest.raises(UsageError, match="metrics of probabilities need a row for each example"):
        tallystick.score(table, metrics="roc_auc", columns=tallystick.Columns(count="n"))


def test_counts_do_not_go_with_texts():
    table = pd.DataFrame({"reference": ["a b", "c"], "hypothesis": ["a", "c"], "n": [2, 3]})
    with pytest.raises(UsageError, match="`count=` can only be used with labels, not with texts"):
        tallystick.score(table, metrics="bleu", columns=tallystick.Columns(count="n"))


def test_flips_need_the_examples(tmp_path, capsys):
    counts = aggregate(invent_counts(tmp_path), "lang, y_true, a, b")
    flips = str(tmp_path / "flips.csv")
    usual = ["--systems", "a", "b", "--count-column", "n", "-m", "accuracy"]
    assert 2 == main(["compare", counts, *usual, "--flips", flips])
    assert "--flips needs a row for each example" in capsys.readouterr().err


def test_counts_of_the_same_rows_add_up_at_their_first_place():
    differing = [count_differences("a.csv", "lang", "gold.csv", count) for count in (2, 40)]
    empty = [count_empty(name, 3) for name in ("a", "b", "a")]
    assert (
        "a guess: 7.",
        "a.csv differs from gold.csv in column 'lang', where gold.csv counts; rows that "
        "differ: 42.",
        "missing outputs of a scored as empty strings: 6.",
        "missing outputs of b scored as empty strings: 3.",
    ) == add_notes(["a guess: 7.", differing[0], empty[0], "a guess: 7.", *empty[1:], differing[1]])


SAVED = Path(__file__).parent / "saved"

_LABELS = "--gold-column y_true --by lang"
_TEXTS = "--gold-column reference --systems short other"
_ROUGE = "{0} {0}_precision {0}_recall"
FILES = {
    "labels": (40, f"{_LABELS} --systems one two --clusters doc -m accuracy macro_f1"),
    "weights": (40, f"{_LABELS} --systems one two --weight-column p -m accuracy macro_f1"),
    "probabilities": (
        40,
        "--gold-column y_true --probability-column p --predicted-column one -m roc_auc",
    ),
    "rounded": (
        400,
        f"{_LABELS} --probability-column p --predicted-column one --round-scores 1 "
        "-m roc_auc log_loss",
    ),
    "texts": (40, f"{_TEXTS} -m bleu {_ROUGE.format('rouge1')}"),
    "documents": (40, f"{_TEXTS} --clusters doc -m ter {_ROUGE.format('rougeL')}"),
    "many-texts": (8200, f"{_TEXTS} --by lang -m bleu {_ROUGE.format('rougeL')}"),
}
"""How many rows each file counted, and how: `python tools/golden.py` writes them again."""


@pytest.mark.deep
@cases("name", *FILES)
def test_saved_counts_score_as_the_rows(tmp_path, name):
    size, asked = FILES[name]
    command = "compare" if "--systems short" in asked and size > 40 else "score"
    whole = write(tmp_path / "rows.jsonl", invent(1, size))
    outputs = [tmp_path / f"{which}.json" for which in ("rows", "saved")]
    assert main([command, whole, *asked.split(), "-o", str(outputs[0])]) == 0
    assert main([command, str(SAVED / f"{name}.tally"), "-o", str(outputs[1])]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


@cases("format cure", (8, "update Tallystick"), (6, "count again"))
def test_files_of_other_formats_are_rejected(tmp_path, capsys, format, cure):
    other = tmp_path / "other.tally"
    other.write_bytes(pack_arrays(msgspec.msgpack.encode({"format": format, "anything": []}), {}))
    assert main(["score", str(other)]) == 4
    assert capsys.readouterr().err == (
        f"tallystick: error: {other}: has format {format}, and Tallystick 0.1.0 reads format 7; "
        f"{cure}\n"
    )

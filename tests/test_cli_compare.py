"""The command `tallystick compare`."""

import csv
import json

import numpy as np
import pytest

import tallystick
from tallystick.cli import main

LABELS = ("no", "yes")
SYSTEMS = ("gold.csv", "a.csv", "b.csv")


def draw_rows(size=120, seed=4):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, size)
    columns = {
        "id": [f"x{place}" for place in range(size)],
        "label": [LABELS[code] for code in gold],
        "lang": ["de" if place % 3 else "en" for place in range(size)],
        "doc": [f"d{place // 4}" for place in range(size)],
    }
    systems = {}
    for name, noise in (("a", 0.6), ("b", 1.5)):
        scores = 1 / (1 + np.exp(-(2 * gold - 1 + noise * rng.normal(size=size))))
        systems[name] = {
            "id": columns["id"],
            "y_prob": [f"{score:.4f}" for score in scores],
            "y_pred": [LABELS[int(score >= 0.5)] for score in scores],
        }
    return columns, systems


def write_table(path, columns, order=None):
    rows = list(zip(*columns.values(), strict=True))
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [tuple(columns), *(rows[place] for place in order or range(len(rows)))]
        )


@pytest.fixture
def files(folder):
    gold, systems = draw_rows()
    write_table("gold.csv", gold)
    write_table("a.csv", systems["a"], list(reversed(range(len(gold["id"])))))
    write_table("b.csv", systems["b"])
    lines_of = {name: own["y_pred"] for name, own in systems.items()}
    for name, lines in (lines_of | {"gold": gold["label"]}).items():
        (folder / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def texts(folder):
    rng = np.random.default_rng(2)
    lines = [list(rng.choice(list("abcdefgh"), 9)) for _ in range(60)]
    for name, chance in (("ref", 0), ("a", 0.1), ("b", 0.4)):
        garbled = ([("x" if rng.random() < chance else word) for word in line] for line in lines)
        (folder / f"{name}.txt").write_text("".join(f"{' '.join(line)}\n" for line in garbled))
    (folder / "who.txt").write_text("".join(f"{place // 5}\n" for place in range(60)))
    return folder


def run_json(capsys, *arguments):
    assert main(["compare", *arguments, "--format", "json", "--all-pairs"]) == 0
    return json.loads(capsys.readouterr().out)["differences"]


def test_table_ends_with_a_sentence(files, capsys):
    assert main(["compare", *SYSTEMS, "-m", "f1", "--resamples", "500"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "f1, and its difference from a (system - a)" == lines[0]
    assert ["system", "f1", "difference", "p"] == lines[2].split()
    assert "a is significantly better than b on f1." in lines


def test_the_baseline_is_the_one_that_was_named(files, capsys):
    options = ("-m", "f1", "--resamples", "300", "--format", "json")
    main(["compare", *SYSTEMS, *options, "--baseline", "b"])
    named = json.loads(capsys.readouterr().out)
    main(["compare", *SYSTEMS, *options])
    first = json.loads(capsys.readouterr().out)

    assert ("b", "a") == (named["baseline"], first["baseline"])
    assert [("a", "b")] == [(one["a"], one["b"]) for one in named["differences"]]
    assert named["differences"][0]["difference"] == -first["differences"][0]["difference"]
    assert named["differences"][0]["p"] == pytest.approx(first["differences"][0]["p"])


def test_three_systems_are_compared_with_the_first_or_with_each_other(files, capsys):
    options = ("-m", "f1", "--resamples", "300")
    systems = ("a.csv", "b.csv", "c=gold.csv")
    main(["compare", "gold.csv", *systems, *options, "--verbose"])
    rows = capsys.readouterr()
    main(["compare", "gold.csv", *systems, *options, "--all-pairs", "--verbose"])
    matrix = capsys.readouterr()

    assert "a (baseline)" in rows.out
    assert "corrected by Holm for 2 tests" in rows.err
    assert "Differences in f1: the system of the row - that of the column" in matrix.out
    assert "corrected by Holm for 3 tests" in matrix.err


def test_groups_are_columns(files, capsys):
    main(["compare", *SYSTEMS, "-m", "f1", "--by", "lang"])
    heading = capsys.readouterr().out.split("\n")[2]
    assert ["system", "de", "en", "macro", "micro"] == heading.split()


def test_records_have_the_fields_of_a_difference(files, capsys):
    records = run_json(capsys, *SYSTEMS, "-m", "roc_auc", "mcc", "--by", "lang")
    assert list(tallystick.results.Difference.__struct_fields__) == list(records[0])
    assert ["de", "de", "en", "en", "macro", "macro", "micro", "micro"] == [
        record["group"] for record in records
    ]
    assert {"t"} == {record["test"] for record in records}


def test_rows_are_joined_by_id(files, capsys):
    options = ("-m", "accuracy", "--resamples", "300")
    tables = run_json(capsys, *SYSTEMS, *options)
    lines = run_json(capsys, "gold.txt", "a.txt", "b.txt", *options)
    for name in ("difference", "low", "high", "p"):
        assert tables[0][name] == lines[0][name]


@pytest.mark.parametrize("options", [[], ["--by", "lang"]], ids=str)
def test_clusters_are_drawn_together(files, capsys, options):
    plain = run_json(capsys, *SYSTEMS, "-m", "f1")
    clustered = run_json(capsys, *SYSTEMS, "--clusters", "doc", *options, "-m", "f1")
    assert "clusters:yes" in clustered[0]["signature"]
    assert plain[0]["low"] != clustered[-1]["low"]
    assert plain[0]["difference"] == clustered[-1]["difference"]


@pytest.mark.parametrize("path", ["flips.jsonl", "flips", "flips.md", "-"])
def test_flips_in_another_format_are_refused(files, capsys, path):
    assert 2 == main(["compare", *SYSTEMS, "-m", "accuracy", "--flips", path])
    assert f"--flips writes .csv or .json, not {path}\n" in capsys.readouterr().err


def test_flips_are_written(files, capsys):
    gold, systems = draw_rows()
    write_table("gold.csv", gold | {"comment": [f"text {name}" for name in gold["id"]]})
    options = ("--flips", "flips.csv", "--baseline", "b", "--text-column", "comment")
    main(["compare", *SYSTEMS, "-m", "accuracy", *options])
    rows = zip(gold["id"], gold["label"], *(own["y_pred"] for own in systems.values()), strict=True)
    expected = {
        name: (f"text {name}", label, left, right, "a" if left == label else "b")
        for name, label, left, right in rows
        if left != right
    }
    names = ("text", "gold", "output_a", "output_b", "better")
    with open("flips.csv", encoding="utf-8") as file:
        found = {row["example"]: tuple(map(row.get, names)) for row in csv.DictReader(file)}

    assert expected == found


def test_the_input_text_of_a_flip_is_found_by_its_usual_name(files, capsys):
    gold, _ = draw_rows()
    arguments = (*SYSTEMS, "-m", "accuracy", "--flips", "flips.json")
    main(["compare", *arguments])
    without = json.loads((files / "flips.json").read_text())
    write_table("gold.csv", gold | {"text": gold["id"]})
    main(["compare", *arguments])
    found = json.loads((files / "flips.json").read_text())

    assert {None} == {flip["text"] for flip in without}
    assert [flip["example"] for flip in found] == [flip["text"] for flip in found]


def test_texts_are_compared(texts, capsys):
    records = run_json(
        capsys,
        *("ref.txt", "a.txt", "b.txt", "-m", "bleu", "wer", "--clusters", "who.txt"),
        *("--flips", "flips.json", "--resamples", "500"),
    )
    flips = json.loads((texts / "flips.json").read_text(encoding="utf-8"))

    assert [("bleu", True), ("wer", False)] == [
        (record["name"], record["difference"] > 0) for record in records
    ]
    assert 0 < len(flips) <= 60
    assert (texts / "ref.txt").read_text().splitlines()[int(flips[0]["example"]) - 1] == (
        flips[0]["gold"]
    )
    assert {"a": True, "b": False}[flips[0]["better"]] == (
        flips[0]["score_a"] > flips[0]["score_b"]
    )


def test_tables_of_texts_are_compared(texts, capsys):
    for name in ("ref", "a", "b"):
        lines = (texts / f"{name}.txt").read_text().splitlines()
        column = "reference" if name == "ref" else "hypothesis"
        write_table(texts / f"{name}.csv", {"id": list(map(str, range(60))), column: lines})
    options = ("-m", "bleu", "--resamples", "300")

    assert (
        run_json(capsys, "ref.txt", "a.txt", "b.txt", *options)[0]
        == run_json(capsys, "ref.csv", "a.csv", "b.csv", *options)[0]
    )


@pytest.mark.parametrize("ending", ["csv", "json", "md", "tex", "txt"])
def test_output_is_written_by_its_ending(files, ending):
    path = files / f"out.{ending}"
    main(["compare", *SYSTEMS, "-m", "mcc", "-o", str(path)])
    text = path.read_text(encoding="utf-8")
    assert "mcc" in text
    assert "diff" in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["gold.csv", "a.csv", "-m", "f1"], 2, "two systems or more"),
        ([*SYSTEMS, "-m", "f1", "--test", "mcnemar"], 2, "accuracy only"),
        ([*SYSTEMS, "-m", "f1", "--flips", "x.txt"], 2, ".csv or .json"),
        ([*SYSTEMS, "-m", "f1", "--ref", "x"], 2, "can only be used with text files"),
        (["gold.csv", "-", "-", "-m", "f1"], 2, "only one file"),
        (["gold.csv", "a.csv", "a.csv", "-m", "f1"], 2, "is given twice"),
        ([*SYSTEMS, "-m", "f1", "--resamples", "10"], 2, "too few"),
        ([*SYSTEMS, "-m", "f1", "-o", "x.zzz"], 2, "unknown extension"),
        (
            [*SYSTEMS, "-m", "f1", "--clusters", "who"],
            4,
            "gold.csv: has no column 'who', only 'id', 'label', 'lang', 'doc'",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(files, capsys, arguments, code, message):
    assert main(["compare", *arguments]) == code
    shown = capsys.readouterr().err.splitlines()
    assert message in shown[-1]
    assert shown[-1].startswith("tallystick: error: ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (SYSTEMS, "roc_auc f1 precision recall accuracy"),
        (
            ("gold.txt", "a.txt", "b.txt", "--task", "multiclass"),
            "accuracy weighted_precision weighted_recall weighted_f1 "
            "macro_precision macro_recall macro_f1",
        ),
    ],
    ids=["binary", "multiclass"],
)
def test_the_usual_metrics_are_compared_where_none_is_named(files, capsys, arguments, expected):
    records = run_json(capsys, *arguments, "--resamples", "200")
    assert expected.split() == [one["name"] for one in records]


def test_systems_of_different_tasks_are_refused(files, capsys):
    path = files / "b.txt"
    path.write_text(path.read_text().replace("no", "perhaps", 1))
    assert main(["compare", "gold.txt", "a.txt", "b.txt", "-m", "accuracy"]) == 2
    said = capsys.readouterr().err
    assert "do not answer the same task" in said
    assert "name it with --task, or pass --fold-case where labels differ in case only" in said


def test_columns_of_probabilities_may_have_any_order(folder, capsys):
    rng = np.random.default_rng(6)
    gold = rng.choice(list("pqr"), 60)
    write_table("gold.csv", {"label": gold})
    for name, order in (("a", "pqr"), ("b", "rpq")):
        shares = {mark: rng.random(60) + (gold == mark) for mark in "pqr"}
        total = sum(shares.values())
        columns = {f"y_prob_{mark}": [f"{x:.6f}" for x in shares[mark] / total] for mark in order}
        write_table(f"{name}.csv", columns)
    main(["score", *SYSTEMS, "-m", "roc_auc", "--format", "json"])
    scored = [record["value"] for record in json.loads(capsys.readouterr().out)["scores"]]
    (one,) = run_json(capsys, *SYSTEMS, "-m", "roc_auc", "--resamples", "100")

    assert scored == pytest.approx([one["value_a"], one["value_b"]], abs=1e-12)
    assert "delong" != one["test"]

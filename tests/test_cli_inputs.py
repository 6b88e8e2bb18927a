"""The files, layouts and Python objects that gold and predictions come in."""

import csv
import gzip
import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick
from cases import cases
from tallystick.cli import main

ROWS = [("x", 1, 1), ("y", 0, 1), ("z", 1, 0), ("w", 0, 0), ("v", 1, 1)]
GOLD = [gold for _, gold, _ in ROWS]
GUESS = [guess for _, _, guess in ROWS]
EXPECTED = {"accuracy": 0.6, "f1": 2 / 3}
METRICS = ["-m", *EXPECTED]
CSV = "id,y_true,y_pred\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)
TEXT = "".join(f"{gold}\n" for gold in GOLD)


@pytest.fixture
def values(capsys):
    def run(*arguments):
        code = main(["score", *map(str, arguments), "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return {record["name"]: record["value"] for record in json.loads(captured.out)["scores"]}

    return run


@pytest.fixture
def feed(monkeypatch):
    def put(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def write_parquet():
    table = pa.table({"id": [row[0] for row in ROWS], "y_true": GOLD, "y_pred": GUESS})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def write_objects():
    objects = ({"id": a, "y_true": b, "y_pred": c} for a, b, c in ROWS)
    return "".join(f"{json.dumps(one)}\n" for one in objects).encode()


TABLES = {
    "csv": CSV.encode(),
    "tsv": CSV.replace(",", "\t").encode(),
    "jsonl": write_objects(),
    "parquet": write_parquet(),
}
VARIANTS = {
    "byte-order-mark": b"\xef\xbb\xbf" + CSV.encode(),
    "crlf": CSV.replace("\n", "\r\n").encode(),
    "byte-order-mark-and-crlf": b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode(),
    "no-final-newline": CSV.removesuffix("\n").encode(),
    "crlf-without-final-newline": CSV.replace("\n", "\r\n").removesuffix("\r\n").encode(),
    "blank-line-at-the-end": f"{CSV}\n".encode(),
    "all-quoted": "".join(
        ",".join(f'"{cell}"' for cell in line.split(",")) + "\n" for line in CSV.splitlines()
    ).encode(),
    "other-order-of-columns": "".join(
        ",".join(line.split(",")[::-1]) + "\n" for line in CSV.splitlines()
    ).encode(),
    "whole-numbers-as-floats": CSV.replace(",1", ",1.0").replace(",0", ",0.0").encode(),
    "long-fields": CSV.replace("x,", f"{'x' * 200_000},").encode(),
}


@cases("packed", False, True, ids=["plain", "gzip"])
@cases("kind", *TABLES)
def test_tables_of_every_kind_are_read(values, tmp_path, kind, packed):
    path = tmp_path / (f"t.{kind}.gz" if packed else f"t.{kind}")
    path.write_bytes(gzip.compress(TABLES[kind]) if packed else TABLES[kind])
    assert EXPECTED == pytest.approx(values(path, *METRICS))


@cases("packed", False, True, ids=["plain", "gzip"])
@cases("kind", *TABLES)
def test_tables_of_every_kind_come_through_standard_input(values, feed, kind, packed):
    feed(gzip.compress(TABLES[kind]) if packed else TABLES[kind])
    assert EXPECTED == pytest.approx(values("-", *METRICS))


@cases("kind", *TABLES)
def test_the_input_format_is_named(values, tmp_path, kind):
    (tmp_path / "predictions.dat.txt").write_bytes(TABLES[kind])
    path = tmp_path / "predictions.dat.txt"
    assert EXPECTED == pytest.approx(values(path, "--input-format", kind, *METRICS))


@cases("variant", *VARIANTS)
def test_ways_to_write_a_csv_do_not_matter(values, tmp_path, variant):
    (tmp_path / "t.csv").write_bytes(VARIANTS[variant])
    assert EXPECTED == pytest.approx(values(tmp_path / "t.csv", *METRICS))


@cases(
    "content",
    TEXT.encode(),
    TEXT.removesuffix("\n").encode(),
    TEXT.replace("\n", "\r\n").encode(),
    b"\xef\xbb\xbf" + TEXT.encode(),
    gzip.compress(TEXT.encode()),
    ids=["plain", "no-final-newline", "crlf", "byte-order-mark", "gzip"],
)
@cases("through_stdin", False, True, ids=["file", "standard-input"])
def test_label_files_are_read(values, feed, tmp_path, content, through_stdin):
    (tmp_path / "gold.txt").write_bytes(content)
    (tmp_path / "guess.txt").write_text("".join(f"{guess}\n" for guess in GUESS))
    feed(content)
    gold = "-" if through_stdin else tmp_path / "gold.txt"
    assert EXPECTED == pytest.approx(values(gold, tmp_path / "guess.txt", *METRICS))


@cases("kind", "csv", "jsonl", "parquet")
def test_gold_and_predictions_may_be_of_different_kinds(values, tmp_path, kind):
    (tmp_path / f"gold.{kind}").write_bytes(TABLES[kind])
    (tmp_path / "guess.tsv").write_text(
        "id\ty_pred\n" + "".join(f"{a}\t{c}\n" for a, _, c in ROWS[::-1])
    )
    assert EXPECTED == pytest.approx(
        values(tmp_path / f"gold.{kind}", tmp_path / "guess.tsv", *METRICS)
    )


@cases("label", "NA", "null", "nan", "None", "N/A", "#N/A", "-1", "01")
def test_labels_stay_as_written(values, tmp_path, label):
    (tmp_path / "t.csv").write_text(f"y_true,y_pred\n{label},{label}\nx,x\n")
    assert {"accuracy": 1.0} == values(tmp_path / "t.csv", "-m", "accuracy")


@cases(
    "cells options",
    (["a|b,a", "b,b"], []),
    (["a;b,a", "b,b"], []),
    (["a/b,a", "b,b"], ["--delimiter", "/"]),
    (['"[""a"", ""b""]","[""a""]"', '"[""b""]","[""b""]"'], []),
    (['"a, b",a', "b,b"], []),
    ids=["bar", "semicolon", "named", "json", "comma"],
)
def test_label_sets_stand_in_cells(values, tmp_path, cells, options):
    (tmp_path / "t.csv").write_text("\n".join(["y_true,y_pred", *cells]))
    actual = values(
        tmp_path / "t.csv",
        "--task",
        "multilabel",
        "-m",
        "hamming_loss",
        "exact_match_ratio",
        *options,
    )
    assert {"hamming_loss": 0.25, "exact_match_ratio": 0.5} == actual


COLUMNS = {
    "list": list,
    "tuple": tuple,
    "texts": lambda labels: [str(label) for label in labels],
    "numpy": np.array,
    "numpy-bool": lambda labels: np.array(labels, bool),
    "numpy-text": lambda labels: np.array(labels).astype(str),
    "numpy-object": lambda labels: np.array([str(label) for label in labels], object),
    "pandas": pd.Series,
    "pandas-index": lambda labels: pd.Series(labels, index=range(9, 9 + len(labels))),
    "pandas-categorical": lambda labels: pd.Series(labels, dtype="category"),
    "polars": pl.Series,
    "polars-categorical": lambda labels: pl.Series(map(str, labels), dtype=pl.Categorical),
    "arrow": pa.array,
    "arrow-chunks": lambda labels: pa.chunked_array([labels[:2], labels[2:]]),
    "arrow-dictionary": lambda labels: pa.array(map(str, labels)).dictionary_encode(),
}


@cases("make", *COLUMNS.values(), ids=COLUMNS)
def test_columns_of_every_library_are_scored(make):
    result = tallystick.score(make(GOLD), make(GUESS), list(EXPECTED), task="binary")
    assert EXPECTED == pytest.approx({name: result[name] for name in EXPECTED})


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "arrow-batch": pa.record_batch,
}


@cases("make", *FRAMES.values(), ids=FRAMES)
def test_tables_of_every_library_are_scored(make):
    result = tallystick.score(make({"y_true": GOLD, "y_pred": GUESS}), metrics=list(EXPECTED))
    assert EXPECTED == pytest.approx({name: result[name] for name in EXPECTED})


def test_results_of_duckdb_are_scored():
    duckdb = pytest.importorskip("duckdb")
    pairs = ", ".join(f"({gold}, {guess})" for gold, guess in zip(GOLD, GUESS, strict=True))
    relation = duckdb.sql(f"SELECT * FROM (VALUES {pairs}) AS t(y_true, y_pred)")
    result = tallystick.score(relation, metrics=list(EXPECTED))
    assert EXPECTED == pytest.approx({name: result[name] for name in EXPECTED})


def test_a_run_is_scored_from_python(tmp_path):
    (tmp_path / "tag_en.csv").write_bytes(TABLES["csv"])
    result = tallystick.score_run(str(tmp_path), "tag", languages=["en"])
    assert EXPECTED["accuracy"] == pytest.approx(result["accuracy", "en"])
    assert result.to_csv().startswith("language,n_samples,positive_rate,")


RNG = np.random.default_rng(8)
SIZE = 40
SYSTEMS = ("gpt", "llama")
LABELS = ["entail", "neutral", "contradict"]
WORDS = ["the", "a", "cat", "dog", "sat", "mat", "on", "under", "house", "tree", "barked", "ran"]


def _draw_labels():
    gold = RNG.choice(LABELS, SIZE)
    columns = {
        name: np.where(RNG.random(SIZE) < share, gold, RNG.choice(LABELS, SIZE))
        for name, share in zip(SYSTEMS, (0.9, 0.5), strict=True)
    }
    return [
        {"gold": str(gold[at]), **{name: str(own[at]) for name, own in columns.items()}}
        for at in range(SIZE)
    ]


def _draw_texts():
    rows = []
    for _ in range(SIZE):
        words = RNG.choice(WORDS, 9)
        row = {"gold": " ".join(words)}
        for name, share in zip(SYSTEMS, (0.9, 0.5), strict=True):
            kept = RNG.random(len(words)) < share
            row[name] = " ".join(np.where(kept, words, RNG.choice(WORDS, len(words))))
        rows.append(row)
    return rows


def _draw_numbers():
    means = {"gold": 0.5, "gpt": 0.8, "llama": 0.4}
    columns = {name: RNG.normal(mean, 0.1, SIZE).round(3) for name, mean in means.items()}
    return [{name: float(own[at]) for name, own in columns.items()} for at in range(SIZE)]


KINDS = {
    "labels": (_draw_labels(), "accuracy"),
    "texts": (_draw_texts(), "chrf"),
    "numbers": (_draw_numbers(), "mean"),
}
LAYOUTS = {
    "files": ["gold.jsonl", "gpt.jsonl", "llama.jsonl"],
    "named files": ["gold.jsonl", "gpt=runs/1.jsonl", "llama=runs/2.jsonl"],
    "a column each": ["wide.jsonl", "--systems", "gpt", "llama"],
    "a column of systems": ["long.jsonl", "--system-column", "model"],
    "a folder": ["gold.jsonl", "--submissions", "entries"],
    "an archive": ["gold.jsonl", "--submissions", "entries.zip"],
}
GATES = {
    **{name: [*layout[:-1], "--against", layout[-1]] for name, layout in LAYOUTS.items()},
    **{
        name: [*LAYOUTS[name], "--against", "llama"]
        for name in ("a column of systems", "a folder", "an archive")
    },
}


def _write(path, rows):
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(params=KINDS)
def metric(request, folder):
    rows, chosen = KINDS[request.param]
    ids = [f"x{at}" for at in range(SIZE)]
    _write("wide.jsonl", [{"id": name, **row} for name, row in zip(ids, rows, strict=True)])
    _write(
        "gold.jsonl",
        [{"id": name, "gold": row["gold"]} for name, row in zip(ids, rows, strict=True)],
    )
    long = []
    for number, system in enumerate(SYSTEMS, 1):
        own = [{"id": ids[at], "output": rows[at][system]} for at in RNG.permutation(SIZE)]
        for path in (f"{system}.jsonl", f"runs/{number}.jsonl", f"entries/{system}.jsonl"):
            _write(path, own)
        long += [
            {"model": system, "id": name, "gold": row["gold"], "output": row[system]}
            for name, row in zip(ids, rows, strict=True)
        ]
    _write("long.jsonl", long)
    with zipfile.ZipFile("entries.zip", "w") as archive:
        for path in sorted(Path("entries").iterdir()):
            archive.write(path, f"entries/{path.name}")
    return chosen


@pytest.fixture
def read(capsys):
    def run(*arguments):
        code = main([*arguments, "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return json.loads(captured.out)

    return run


@cases(
    "command shown",
    ("score", ("scores", [{"system": "gpt"}, {"system": "llama"}])),
    ("compare", ("differences", [{"a": "llama", "b": "gpt"}])),
    ("rank", ("places", [{"system": "gpt"}, {"system": "llama"}])),
    ids=["score", "compare", "rank"],
)
@cases("layout", *LAYOUTS)
def test_every_layout_is_read_alike(read, metric, layout, command, shown):
    options = ["-m", metric, *([] if command == "score" else ["--resamples", "200"])]
    first = read(command, *LAYOUTS["files"], *options)
    name, expected = shown
    assert expected == [{key: one[key] for key in expected[0]} for one in first[name]]
    assert first == read(command, *LAYOUTS[layout], *options)


@cases("layout", *GATES)
def test_every_layout_is_gated_alike(capsys, metric, layout):
    options = ("-m", metric, "--resamples", "200", "--max-drop", "0")
    shown = []
    for arguments in (GATES["files"], GATES[layout]):
        assert 0 == main(["gate", *arguments, *options])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert shown[0].startswith("gpt passes the gate: 1 of 1 check passed.\n")


@cases("where", "a column each", "a column of systems", "a folder")
def test_the_older_system_is_the_one_that_was_named(capsys, metric, where):
    arguments = [name.replace("gpt", "llama") for name in GATES[where][:-1]]
    options = ("-m", metric, "--resamples", "200", "--max-drop", "0")
    assert 1 == main(["gate", *arguments, "gpt", *options])
    assert capsys.readouterr().out.startswith(
        "llama fails the gate: 0 of 1 check passed, 1 failed."
    )


def test_a_system_that_is_nowhere_is_told(metric, capsys):
    arguments = ["gate", "gold.jsonl", "--submissions", "entries", "--against", "old"]
    assert 2 == main([*arguments, "-m", metric, "--max-drop", "0"])
    assert "there is no system 'old' in entries, only gpt, llama" in capsys.readouterr().err


def test_messages_name_the_archive(metric, capsys):
    with zipfile.ZipFile("entries.zip", "a") as archive:
        archive.writestr("entries/broken.jsonl", '{"id": "x0", "output": "neutral"}\n')
    message = "broken was rejected: entries.zip/broken.jsonl has no prediction for 39 ids"
    assert 0 == main(["rank", "gold.jsonl", "--submissions", "entries.zip", "-m", metric])
    assert message in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def runs(folder):
    for language in ("en", "es"):
        gold = RNG.integers(0, 2, SIZE)
        for tag, share in (("new", 0.95), ("old", 0.6)):
            own = np.where(RNG.random(SIZE) < share, gold, 1 - gold)
            with open(f"{tag}_{language}.csv", "w", encoding="utf-8", newline="") as file:
                rows = zip([f"{language}{at}" for at in range(SIZE)], gold, own, strict=True)
                csv.writer(file).writerows([("id", "y_true", "y_pred"), *rows])
    return folder


RUNS = ["--pred-dir", ".", "-m", "f1", "--run-tag", "new"]


def test_several_runs_are_several_systems(runs, read):
    scored = read("score", *RUNS, "old")["scores"]
    compared = read("compare", *RUNS, "old", "--resamples", "200")
    ranked = read("rank", *RUNS, "old", "--resamples", "200")
    rows = ["en", "es", "macro", "micro"]
    assert [(name, row) for name in ("new", "old") for row in rows] == [
        (record["system"], record["group"]) for record in scored
    ]
    assert rows == [one["group"] for one in compared["differences"]]
    assert [1, 2] * 4 == [place["rank"] for place in ranked["places"]]


def test_a_run_is_gated_against_another_one(runs, capsys):
    options = ["--max-drop", "0.5", "--resamples", "200"]
    assert 0 == main(["gate", *RUNS, "--against", "old", *options])
    first = capsys.readouterr().out
    assert 0 == main(["gate", *RUNS, "old", "--against", "old", *options])
    assert first == capsys.readouterr().out
    assert first.startswith("new passes the gate: 4 of 4 checks passed.\n")


def test_flips_of_runs_have_a_language(runs):
    main(["compare", *RUNS, "old", "--resamples", "200", "--flips", "flips.csv"])
    with open("flips.csv", encoding="utf-8") as file:
        found = [(row["group"], row["example"][:2]) for row in csv.DictReader(file)]
    assert {("en", "en"), ("es", "es")} == set(found)


def test_a_run_is_named_once(runs, capsys):
    assert 2 == main(["compare", *RUNS, "new"])
    assert "the run new is named twice" in capsys.readouterr().err


def test_a_column_each_may_hold_probabilities(tmp_path, read):
    rows = [{"label": at % 2, "a": (at % 5) / 10 + 0.3 * (at % 2), "b": 0.25} for at in range(20)]
    path = tmp_path / "wide.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = ["label,a,b", *(f"{row['label']},{row['a']},{row['b']}" for row in rows)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    options = ("--systems", "a", "b", "-m", "roc_auc", "accuracy")
    found = read("score", str(path), *options)
    assert [("a", "roc_auc"), ("a", "accuracy"), ("b", "roc_auc"), ("b", "accuracy")] == [
        (record["system"], record["name"]) for record in found["scores"]
    ]
    assert [0.5, 0.5] == [record["value"] for record in found["scores"][2:]]
    assert found == read("score", str(tmp_path / "wide.csv"), *options)


def test_names_of_columns_may_differ_in_case(tmp_path, read):
    path = tmp_path / "table.csv"
    path.write_text("ID,Gold Label,Predicted-Label\na,x,x\nb,y,x\n")
    records = read("score", str(path), "-m", "accuracy")["scores"]
    assert [0.5] == [record["value"] for record in records]


def test_nested_fields_have_dotted_names(tmp_path, read):
    path = tmp_path / "nested.jsonl"
    rows = [
        {"gold": {"label": "ab"[at % 2]}, "answer": {"text": "a"}, "meta": {"length": at}}
        for at in range(8)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--gold-column", "gold.label", "--predicted-column", "answer.text")
    records = read("score", str(path), *options, "--by", "meta.length:2", "-m", "accuracy")[
        "scores"
    ]
    assert ["0–3", "4–7", "macro", "micro"] == [record["group"] for record in records]


def test_many_lines_have_flips(folder):
    lines = "a b c d\n" * 19_999
    for name, last in (("ref", "a b c d\n"), ("one", "a b c d\n"), ("two", "x\n")):
        Path(f"{name}.txt").write_text(lines + last)
    files = ["ref.txt", "one.txt", "two.txt"]
    main(["compare", *files, "-m", "wer", "--resamples", "100", "--flips", "flips.csv"])
    with open("flips.csv", encoding="utf-8") as file:
        found = [(row["example"], row["difference"]) for row in csv.DictReader(file)]
    assert [("20000", "1.0")] == found

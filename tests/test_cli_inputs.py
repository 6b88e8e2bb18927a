"""The files and Python objects that gold and predictions come in."""

import gzip
import io
import json
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick
from tallystick.cli import main

ROWS = [("x", 1, 1), ("y", 0, 1), ("z", 1, 0), ("w", 0, 0), ("v", 1, 1)]
GOLD = [gold for _, gold, _ in ROWS]
GUESS = [guess for _, _, guess in ROWS]
EXPECTED = {"accuracy": 0.6, "f1": 2 / 3}
METRICS = ["-m", *EXPECTED]
CSV = "id,y_true,y_pred\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)
TEXT = "".join(f"{gold}\n" for gold in GOLD)

Values = Callable[..., dict[str, float]]


@pytest.fixture
def values(capsys: pytest.CaptureFixture[str]) -> Values:
    def run(*arguments: object) -> dict[str, float]:
        code = main(["score", *map(str, arguments), "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return {record["name"]: record["value"] for record in json.loads(captured.out)["scores"]}

    return run


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def put(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def write_parquet() -> bytes:
    table = pa.table({"id": [row[0] for row in ROWS], "y_true": GOLD, "y_pred": GUESS})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def write_objects() -> bytes:
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


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_every_kind_are_read(values, tmp_path, kind, packed):
    path = tmp_path / (f"t.{kind}.gz" if packed else f"t.{kind}")
    path.write_bytes(gzip.compress(TABLES[kind]) if packed else TABLES[kind])

    assert EXPECTED == pytest.approx(values(path, *METRICS))


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_every_kind_come_through_standard_input(values, feed, kind, packed):
    feed(gzip.compress(TABLES[kind]) if packed else TABLES[kind])

    assert EXPECTED == pytest.approx(values("-", *METRICS))


@pytest.mark.parametrize("kind", TABLES)
def test_the_input_format_is_named(values, tmp_path, kind):
    (tmp_path / "predictions.dat.txt").write_bytes(TABLES[kind])
    path = tmp_path / "predictions.dat.txt"

    assert EXPECTED == pytest.approx(values(path, "--input-format", kind, *METRICS))


@pytest.mark.parametrize("variant", VARIANTS)
def test_ways_to_write_a_csv_do_not_matter(values, tmp_path, variant):
    (tmp_path / "t.csv").write_bytes(VARIANTS[variant])

    assert EXPECTED == pytest.approx(values(tmp_path / "t.csv", *METRICS))


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        TEXT.removesuffix("\n").encode(),
        TEXT.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        gzip.compress(TEXT.encode()),
    ],
    ids=["plain", "no-final-newline", "crlf", "byte-order-mark", "gzip"],
)
@pytest.mark.parametrize("through_stdin", [False, True], ids=["file", "standard-input"])
def test_label_files_are_read(values, feed, tmp_path, content, through_stdin):
    (tmp_path / "gold.txt").write_bytes(content)
    (tmp_path / "guess.txt").write_text("".join(f"{guess}\n" for guess in GUESS))
    feed(content)

    gold = "-" if through_stdin else tmp_path / "gold.txt"

    assert EXPECTED == pytest.approx(values(gold, tmp_path / "guess.txt", *METRICS))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_gold_and_predictions_may_be_of_different_kinds(values, tmp_path, kind):
    (tmp_path / f"gold.{kind}").write_bytes(TABLES[kind])
    (tmp_path / "guess.tsv").write_text(
        "id\ty_pred\n" + "".join(f"{a}\t{c}\n" for a, _, c in ROWS[::-1])
    )

    assert EXPECTED == pytest.approx(
        values(tmp_path / f"gold.{kind}", tmp_path / "guess.tsv", *METRICS)
    )


@pytest.mark.parametrize("label", ["NA", "null", "nan", "None", "N/A", "#N/A", "-1", "01"])
def test_labels_stay_as_written(values, tmp_path, label):
    (tmp_path / "t.csv").write_text(f"y_true,y_pred\n{label},{label}\nx,x\n")

    assert {"accuracy": 1.0} == values(tmp_path / "t.csv", "-m", "accuracy")


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        (["a|b,a", "b,b"], []),
        (["a;b,a", "b,b"], []),
        (["a/b,a", "b,b"], ["--delimiter", "/"]),
        (['"[""a"", ""b""]","[""a""]"', '"[""b""]","[""b""]"'], []),
        (['"a, b",a', "b,b"], []),
    ],
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


COLUMNS: dict[str, Callable[[list[int]], object]] = {
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


@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_every_library_are_scored(make):
    result = tallystick.score(make(GOLD), make(GUESS), metrics=list(EXPECTED), task="binary")

    assert EXPECTED == pytest.approx({name: result[name] for name in EXPECTED})


FRAMES: dict[str, Callable[[dict[str, list[int]]], object]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "arrow-batch": pa.record_batch,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
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

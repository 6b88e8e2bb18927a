"""Rows that stand for several examples score as these examples do, one row each."""

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import InputError, UsageError


def invent(folder: Path) -> str:
    random = np.random.default_rng(4)
    lines = ["lang,doc,y_true,a,b"]
    for number in range(600):
        gold = random.choice(["x", "y", "z"])
        one, two = (gold if random.random() < 0.7 else random.choice(["x", "y"]) for _ in "ab")
        lines.append(f"{random.choice(['de', 'en', 'tr'])},d{number // 6},{gold},{one},{two}")
    (folder / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(folder / "rows.csv")


def aggregate(rows: str, columns: str) -> str:
    counts = str(Path(rows).with_name("counts.csv"))
    table = duckdb.sql(
        f"SELECT {columns}, COUNT(*) AS n FROM read_csv('{rows}') GROUP BY {columns} ORDER BY n"
    )
    table.write_csv(counts)
    return counts


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("score", ["-m", "f1", "--by", "lang", "--clusters", "doc"]),
        ("compare", ["-m", "accuracy", "--clusters", "doc", "--test", "bootstrap"]),
    ],
)
def test_counts_from_a_database_score_as_the_rows(tmp_path, command, options):
    rows = invent(tmp_path)
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


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "nan"])
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

    with pytest.raises(UsageError, match="`count=` goes with labels, not with texts"):
        tallystick.score(table, metrics="bleu", columns=tallystick.Columns(count="n"))


def test_flips_need_the_examples(tmp_path, capsys):
    counts = aggregate(invent(tmp_path), "lang, y_true, a, b")
    flips = str(tmp_path / "flips.csv")

    usual = ["--systems", "a", "b", "--count-column", "n", "-m", "accuracy"]
    code = main(["compare", counts, *usual, "--flips", flips])

    assert 2 == code
    assert "--flips needs a row for each example" in capsys.readouterr().err

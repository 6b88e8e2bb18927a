"""Facts about intervals on the command line."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tallystick.cli import main

Run = Callable[..., str]

ROWS = [(index % 2, (index % 2) ^ (index % 5 == 0), f"doc{index // 4}") for index in range(40)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    rows = [f"{gold},{guess:d},{document}" for gold, guess, document in ROWS]
    path.write_text("\n".join(["y_true,y_pred,document", *rows]) + "\n")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> str:
        code = main(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    return call


def read_records(text: str) -> dict[str, dict[str, object]]:
    return {record["name"]: record for record in json.loads(text)["scores"]}


def test_tables_show_intervals_and_name_their_methods(run, table):
    expected = (
        " n  accuracy                   f1\n"
        "----------------------------------------------\n"
        "40    0.8000 [.652, .895]  0.8000 [.637, .901]\n"
        "\n"
        "95% confidence intervals: Wilson.\n"
    )

    assert expected == run(table, "-m", "accuracy", "f1")


def test_a_count_has_whole_ends(run, table):
    options = ["-m", "true_positives", "--format", "markdown", "--intervals"]

    assert r"16 \[11, 22\] |" in run(table, *options)


def test_csv_has_the_columns_of_the_seed_unless_asked(run, table):
    plain, wide = (
        next(csv.reader(io.StringIO(run(table, "-m", "accuracy", "--format", "csv", *options))))
        for options in ([], ["--intervals"])
    )

    assert ["system", "n", "accuracy"] == plain
    assert ["system", "n", "accuracy", "accuracy_low", "accuracy_high"] == wide


def test_csv_has_the_ends_in_full(run, table):
    text = run(table, "-m", "mcc", "--format", "csv", "--intervals")
    row = next(csv.DictReader(io.StringIO(text)))
    record = read_records(run(table, "-m", "mcc", "--format", "json"))["mcc"]

    assert (record["low"], record["high"]) == (float(row["mcc_low"]), float(row["mcc_high"]))


def test_lines_have_intervals_when_asked(run, table):
    lines = run(table, "-m", "accuracy", "--format", "lines", "--intervals")

    assert "Accuracy: 0.8000 [.652, .895]\n" == lines


def test_json_has_intervals_without_being_asked(run, table):
    record = read_records(run(table, "-m", "accuracy", "--format", "json"))["accuracy"]
    ends = {name: record[name] for name in ("low", "high", "confidence", "method")}

    assert {"low": 0.652427, "high": 0.895, "confidence": 0.95, "method": "Wilson"} == {
        name: round(value, 6) if isinstance(value, float) else value for name, value in ends.items()
    }


def test_json_has_none_where_none_are_wanted(run, table):
    record = read_records(run(table, "-m", "mcc", "--format", "json", "--no-intervals"))["mcc"]

    assert [None] * 4 == [record[name] for name in ("low", "high", "confidence", "method")]


def test_latex_has_intervals_in_brackets(run, table):
    text = run(table, "-m", "accuracy", "--format", "latex")

    assert "40 & 0.8000 \\\\[-0.6ex]\n & {\\scriptsize {[}.652, .895]} \\\\" in text


def test_the_confidence_shapes_the_interval_and_the_seed_does_not(run, table):
    options = ["-m", "mcc", "--format", "json", "--confidence", "0.8"]
    one, other = (
        read_records(run(table, *options, "--random-seed", seed))["mcc"] for seed in ("1", "2")
    )

    assert (0.8, "Wilson at the effective size") == (one["confidence"], one["method"])
    assert one["low"] == other["low"]


def test_the_method_tells_of_clusters(run, table):
    options = ("-m", "f1", "mcc", "--format", "json", "--clusters", "document")
    records = read_records(run(table, *options))
    expected = {
        "f1": "Wilson on the Jaccard index at the effective size of clusters",
        "mcc": "Wilson at the effective size of clusters",
    }

    assert expected == {name: record["method"] for name, record in records.items()}


def test_clusters_of_text_files_are_a_file(run, tmp_path):
    for name, lines in (
        ("ref.txt", ["a b c d", "e f g h", "i j k l", "m n o p"]),
        ("hyp.txt", ["a b c d", "e f g x", "i y z l", "m n o p"]),
        ("documents.txt", ["one", "one", "two", "two"]),
        ("groups.txt", ["x", "y", "x", "y"]),
    ):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = [tmp_path / name for name in ("ref.txt", "hyp.txt")]
    options = ["--clusters", tmp_path / "documents.txt", "--by", tmp_path / "groups.txt"]
    records = json.loads(run(*files, "-m", "rouge1", "--format", "json", *options))["scores"]

    assert {"x", "y", "macro", "micro"} == {record["group"] for record in records}
    assert "Wilson at the effective size of clusters" == records[0]["method"]


@pytest.mark.parametrize(
    "option", ["--resamples=200", "--confidence=0.9", "--random-seed=3", "--clusters=document"]
)
def test_options_of_intervals_need_intervals(capsys, table, option):
    code = main(["score", str(table), "--no-intervals", option])
    name = option.partition("=")[0]
    expected = f"tallystick: error: {name} goes with intervals, so leave out --no-intervals\n"

    assert (2, expected) == (code, capsys.readouterr().err)


@pytest.mark.parametrize("format", ["csv", "lines"])
def test_options_of_intervals_ask_for_them_where_a_format_leaves_them_out(capsys, table, format):
    code = main(["score", str(table), "--format", format, "--confidence=0.9"])
    expected = f"--confidence goes with intervals, which {format} shows with --intervals\n"

    assert (2, f"tallystick: error: {expected}") == (code, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("option", "expected", "message"),
    [
        ("--confidence=2", 2, "the confidence level must be between 0 and 1, not 2.0"),
        ("--resamples=5", 2, "5 resamples are too few for an interval; use 100 or more"),
        ("--random-seed=-1", 2, "a random seed must be a whole number of 0 or more, not -1"),
        ("--clusters=author", 4, "author"),
    ],
)
def test_bad_settings_are_told(capsys, table, option, expected, message):
    code = main(["score", str(table), option])
    words = capsys.readouterr().err

    assert (expected, True) == (code, message in words)

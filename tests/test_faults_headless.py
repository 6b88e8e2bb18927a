"""Tables whose first row is data are read by number, or as pairs of an id and a value."""

import gzip
import json
from pathlib import Path

import pytest

import tallystick
from faults import call, write
from tallystick.errors import InputError, UsageError

GOLD = [("d1", "POS"), ("d2", "NEG"), ("d3", "POS"), ("d4", "NEG")]
OWN = [("d4", "NEG"), ("d3", "NEG"), ("d2", "NEG"), ("d1", "POS")]
TEXTS = [("d1", "the cat sat on"), ("d2", "a dog ran off here")]
PAIR = ["--id-column", "1", "--gold-column", "2", "--predicted-column", "2"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def join(rows, mark=","):
    return "".join(mark.join(row) + "\n" for row in rows)


def score(*arguments):
    outcome = call("score", *arguments, "--format", "json")
    assert 0 == outcome.code, outcome.err
    return [one["value"] for one in json.loads(outcome.out)["scores"]]


@pytest.mark.parametrize("more", [[], PAIR, ["--workers", "2"], ["--quote", "none"]])
@pytest.mark.parametrize(
    ("ending", "mark", "end", "encoding"),
    [
        (".csv", ",", "\n", "utf-8"),
        (".csv", ";", "\r\n", "utf-8-sig"),
        (".tsv", "\t", "\n", "utf-16"),
        (".txt", "\t", "\r\n", "utf-8-sig"),
        (".txt", ",", "\n", "utf-8"),
        (".txt", ";", "\n", "utf-8"),
        (".txt", " ", "\r\n", "utf-8"),
        ("", "\t", "\n", "utf-8"),
        (".csv.gz", ",", "\n", "utf-8"),
    ],
)
def test_pairs_without_a_header_are_joined_by_id(more, ending, mark, end, encoding):
    if mark == " " and "--quote" in more:
        more = []
    for name, rows in (("gold", GOLD), ("own", OWN)):
        content = join(rows, mark).replace("\n", end).encode(encoding)
        write({name + ending: gzip.compress(content) if ending.endswith("gz") else content})
    found = score(f"gold{ending}", f"own{ending}", "-m", "accuracy", "--no-header", *more)
    assert [0.75] == found


@pytest.mark.parametrize(
    ("rows", "metric"),
    [(TEXTS, "bleu"), ([("d1", "1.5"), ("d2", "2.5")], "mae"), ([("a b", "x"), ("c", "")], "f1")],
)
def test_pairs_of_other_kinds_score_as_with_a_header(rows, metric):
    own = [(name, value.replace("5", "25").replace("off", "of")) for name, value in rows]
    write({"g.csv": join([("id", "label"), *rows]), "s.csv": join([("id", "label"), *own])})
    write({"gold.csv": join(rows), "own.csv": join(own)})
    want, got = (
        call("score", *files, "-m", metric, "--format", "json")
        for files in (("g.csv", "own=s.csv"), ("gold.csv", "own.csv", "--no-header"))
    )
    assert (want.code, want.out) == (got.code, got.out)


WIDE = [("d1", "a", "a", "x"), ("d2", "b", "a", "y"), ("d3", "a", "a", "x"), ("d3", "a", "b", "y")]


@pytest.mark.parametrize("mark", [",", "\t", " "])
def test_columns_are_named_by_number(mark):
    write({"t.txt": join(WIDE, mark)})
    named = ["--gold-column", "2", "--predicted-column", "3", "--by", "4", "--no-header"]
    values = score("t.txt", "-m", "accuracy", *named)
    assert [1.0, 0.0] == values[:2]
    layout = {"gold": 2, "predicted": "3", "by": 4, "header": False}
    result = tallystick.score("t.txt", metrics="accuracy", **layout)
    assert values == [one.value for one in result.scores]


@pytest.mark.parametrize("command", ["compare", "rank", "gate"])
def test_other_commands_take_it(command):
    write({"g.csv": join(GOLD), "s.csv": join(OWN)})
    more = {"gate": ["--against", "old=s.csv", "--floor", "0"]}.get(command, ["old=s.csv"])
    outcome = call(command, "g.csv", "s.csv", *more, "-m", "accuracy", "--no-header")
    assert 0 == outcome.code, outcome.err


@pytest.mark.parametrize(
    ("files", "arguments", "told"),
    [
        ({"g.csv": join(GOLD)}, [], "g.csv: its first line 'd1,POS' is read as a header, but"),
        ({"g.txt": join(GOLD, "\t")}, [], "'d1\\tPOS'; pass --no-header, or"),
        ({"g.txt": join(TEXTS, "\t")}, [], "pass --no-header; if these are no ids"),
        ({"g.csv": "id,label\n1,a\n"}, ["--no-header"], "its first row id, label is a header; le"),
        ({"g.txt": "id label\n1 a\n"}, ["--no-header"], "its first row id, label is a header; le"),
        ({"g.csv": "1,a\n2\n"}, ["--no-header"], "row 2 has 1 field, but the first row has 2"),
        ({"g.txt": "1 a\n2\n"}, ["--no-header"], "1 field separated by blanks, but the first row"),
        ({"g.csv": "1,a\n2,\n"}, ["--no-header"], "g.csv, row 2, column 'label'"),
        ({"g.jsonl": '{"id": 1}\n'}, ["--no-header"], "only CSV, TSV and blanks can be without"),
        ({"g.txt": "a\nb\n"}, ["--no-header"], "only CSV, TSV and blanks can be without a header"),
        ({"g.csv": "1,a\n"}, ["--no-header", "--input-format", "lines"], "lines has no header"),
        ({"g.csv": "1,a\n"}, ["--no-header", "--rows", "a"], "JSON has no header; only CSV"),
        ({"x.tally": "1,a\n"}, ["--no-header"], "--no-header goes with `tallystick count`"),
        ({"q.qrels": "q 0 d 1\n"}, ["--no-header", "-m", "AP"], "--no-header goes with files of"),
    ],
)
def test_what_cannot_be_is_an_error(files, arguments, told):
    write(files)
    (name,) = files
    outcome = call("score", name, *([] if "tally" in name else [name]), *arguments)
    assert (True, "") == (outcome.code in (2, 4), outcome.out)
    assert told in outcome.err


def test_python_takes_it_for_files_alone():
    Path("g.csv").write_text(join(GOLD), encoding="utf-8")
    Path("s.csv").write_text(join(OWN), encoding="utf-8")
    assert 0.75 == tallystick.score("g.csv", "s.csv", "accuracy", header=False)["accuracy"]
    with pytest.raises(InputError, match="header=False"):
        tallystick.score("g.csv", "s.csv", "accuracy", header=True)
    with pytest.raises(UsageError, match="`header=` goes with files of tables"):
        tallystick.score(["a"], ["a"], "accuracy", header=False)

"""Tables in JSON objects, and tables whose columns are parted by blanks."""

import json
from pathlib import Path

import pytest

from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.table import read_table

ROWS = [{"id": 1, "gold": "a", "pred": "a"}, {"id": 2, "gold": "b", "pred": "a"}]


def write(folder: Path, name: str, content: object) -> str:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return str(path)


@pytest.mark.parametrize("key", ["outputs", "run.outputs"])
def test_rows_in_a_list_of_an_object_are_scored(tmp_path, capsys, key):
    path = write(tmp_path, "x.json", {"model": "m", "outputs": ROWS, "run": {"outputs": ROWS}})

    assert 0 == main(["score", path, "--rows", key, "-m", "accuracy", "--format", "json"])
    assert 0.5 == json.loads(capsys.readouterr().out)["scores"][0]["value"]


def test_objects_of_several_systems_are_joined(tmp_path, capsys):
    gold = write(tmp_path, "gold.json", {"outputs": ROWS})
    other = write(tmp_path, "other.json", {"outputs": ROWS[::-1]})

    assert 0 == main(
        ["compare", gold, f"a={gold}", f"b={other}", "--rows", "outputs", "-m", "accuracy"]
    )
    assert "No significant difference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "key", "message"),
    [
        ({"a": []}, "rows", "x.json: has no key 'rows', only a"),
        ({"a": {"b": 1}}, "a.c", "x.json: 'a': has no key 'c', only b"),
        ({"a": 3}, "a", "x.json: 'a' is not a list of rows"),
        ({"a": []}, "a", "x.json: contains no examples"),
        ({"a": [{"x": 1}, 3]}, "a", "x.json: element 2 of 'a' holds a number, but a JSON object"),
        ([1], "a", "x.json: holds a list, but a JSON object was expected"),
        ("{", "a", "x.json: is not JSON: "),
    ],
)
def test_an_object_without_such_rows_is_refused(tmp_path, content, key, message):
    with pytest.raises(InputError) as error:
        read_table(write(tmp_path, "x.json", content), format=f"rows:{key}")

    assert message in str(error.value)


def test_rows_go_with_json_alone(tmp_path, capsys):
    path = write(tmp_path, "x.csv", "gold,pred\na,a\n")

    assert 2 == main(["score", path, "--rows", "outputs", "--input-format", "csv"])
    assert "--rows names a list of a JSON object" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x.txt", "x.out", "x"])
def test_columns_parted_by_blanks_are_a_table(tmp_path, name):
    path = write(tmp_path, name, "id   gold\t pred \n\n1 \t a    a\n22   b    a\n")
    table = read_table(path)

    assert "blanks" == guess_format(path)
    assert ("id", "gold", "pred") == table.names()
    assert [["1", "22"], ["a", "b"]] == [table.column(one).to_pylist() for one in ("id", "gold")]
    assert "row 2" == table.locate(0)


@pytest.mark.parametrize(
    "text",
    [
        "the answer is\nthree words long\nin every line\n",
        "id gold pred\n1 a\n",
        "id gold pred\n",
        "gold\na\n",
        "gold answer, pred output,\nyes no, maybe so,\n",
    ],
)
def test_sentences_are_no_table(tmp_path, text):
    assert "lines" == guess_format(write(tmp_path, "x.txt", text))


def test_a_row_with_more_fields_than_the_header_is_refused(tmp_path):
    path = write(tmp_path, "x.txt", "id gold pred\n1 a a\n\n2 b a a\n")

    with pytest.raises(
        InputError, match="line 4 has 4 fields separated by blanks, but the header has 3"
    ):
        read_table(path, format="blanks")


def test_any_table_of_blanks_can_be_named(tmp_path, capsys):
    path = write(tmp_path, "x.csv", "truth said\na a\nb a\n")
    call = ["--input-format", "blanks", "--gold-column", "truth", "--predicted-column", "said"]

    assert 0 == main(["score", path, *call, "-m", "accuracy", "--format", "json"])
    assert 0.5 == json.loads(capsys.readouterr().out)["scores"][0]["value"]

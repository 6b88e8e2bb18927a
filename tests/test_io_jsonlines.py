"""JSON Lines files give typed columns, and every fault in them is located."""

import re
from collections.abc import Collection
from pathlib import Path

import pytest

from tallystick.errors import InputError
from tallystick.io.tables.table import Table, read_table


def read(folder: Path, content: bytes, *, only: Collection[str] | None = None) -> Table:
    """Write a JSON Lines file and read it as a table."""
    path = folder / "t.jsonl"
    path.write_bytes(content)
    return read_table(str(path), only=only)


def test_json_lines_keep_their_types(tmp_path):
    """Strings, numbers, booleans and lists of strings come as such, what is missing as null."""
    content = b"""\
{"id": 1, "gold": "A", "score": 1, "flag": true, "tags": ["x", "y"], "none": null}
{"id": 2, "gold": "\\u00e9", "score": 0.5, "tags": [null, "z"]}\r
{"id": 3, "score": null, "new": "n"}

"""
    table = read(tmp_path, content)

    assert table.columns.to_pydict() == {
        "id": [1, 2, 3],
        "gold": ["A", "é", None],
        "score": [1.0, 0.5, None],
        "flag": [True, None, None],
        "tags": [["x", "y"], [None, "z"], None],
        "none": [None, None, None],
        "new": [None, None, "n"],
    }


def test_json_lines_agree_beyond_a_chunk(tmp_path):
    """A column may show its values, or its first fraction, only after many lines."""
    head = b'{"a": 1, "b": null}\n' * 70_000
    table = read(tmp_path, head + b'{"a": 0.5, "b": "x", "c": ["y"]}\n')

    assert table.columns.slice(69_999).to_pydict() == {
        "a": [1.0, 0.5],
        "b": [None, "x"],
        "c": [None, ["y"]],
    }


def test_json_lines_without_the_wanted_key_are_counted(tmp_path):
    """A key may turn up only after many lines that lack it."""
    table = read(tmp_path, b'{"b": 1}\n' * 70_000 + b'{"a": "x"}\n', only={"a"})

    assert table.columns.slice(69_999).to_pydict() == {"a": [None, "x"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.jsonl: is empty"),
        (b"\n\n", "t.jsonl: is empty"),
        (b"{}\n", "t.jsonl: has no columns"),
        (b'{"a": 1}\n{"a": }\n', "t.jsonl: line 2 is not JSON: "),
        (b'{"a": NaN}\n', "t.jsonl: line 1 is not JSON: "),
        (b'{"a": "\\ud800"}\n', "t.jsonl: line 1 is not JSON: "),
        (b"[" * 99_999, "t.jsonl: is not JSON: it is nested too deeply"),
        (b'{"a":' * 99_999, "t.jsonl: line 1 is not JSON: it is nested too deeply"),
        (b'{"a": 1}\n["a"]\n', "t.jsonl: line 2 holds a list, but a JSON object was expected"),
        (b"null\n", "t.jsonl: line 1 holds null, but a JSON object was expected"),
        (b'{"a": 1}\n \n\n{"a": 2}\n', "t.jsonl: line 2 is blank; delete it"),
        (b'{"a": 1}\n{"a": "\xff"}\n', "t.jsonl: line 2 is not UTF-8 at byte offset 16"),
        (b'{"a": 1, "b": 2}\n{"a": 1, "b": 2, "a": 1}\n', "t.jsonl: line 2 has the key 'a' twice"),
        (b'{"a" : 1, "a": 2}\n', "t.jsonl: line 1 has the key 'a' twice"),
        (b'{"a": 1, "\\u0061": 2}\n', "t.jsonl: line 1 has the key 'a' twice"),
    ],
)
def test_a_bad_json_lines_file_is_located(tmp_path, content, message):
    """The message is one sentence with file, line and column."""
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(tmp_path, content)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b'{"a": "x"}\n{"a": 1}\n',
            "t.jsonl: line 2, column 'a' holds a number, but above a string (mixed types)",
        ),
        (
            b'{"a": 1}\n{"a": null}\n{"a": true}\n',
            "t.jsonl: line 3, column 'a' holds true or false, but above a number (mixed types)",
        ),
        (
            b'{"a": {}}\n',
            "t.jsonl: line 1, column 'a' holds an object, which cannot be the value of a column",
        ),
        (
            b'{"a": "x"}\n{"a": {"b": 1, "c": 2}}\n',
            "t.jsonl: line 2, column 'a' holds an object, which cannot be the value of a "
            "column; append the key of a value to the column's name: '.b', '.c'",
        ),
        (b'{"a": [[1]]}\n', "t.jsonl: line 1, column 'a' has a list in a list"),
        (
            b'{"a": 1}\n{"a": "x"}\n',
            "t.jsonl: line 2, column 'a' holds a string, but above a number (mixed types)",
        ),
        (b'{"a": ["x", 1]}\n', "t.jsonl: line 1, column 'a' has a number in a list"),
        (b'{"a": [null, []]}\n', "t.jsonl: line 1, column 'a' has a list in a list"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "t.jsonl: line 1, column 'a' holds a number that is"),
        (b'{"a": 9223372036854775808}\n', "t.jsonl: line 1, column 'a' holds a number beyond 64"),
        (
            b'{"a": 1152921504606846977}\n{"a": 0.5}\n',
            "t.jsonl: line 1, column 'a' holds 1152921504606846977, which cannot be kept exactly "
            "beside fractions; quote it as a string",
        ),
    ],
)
def test_a_bad_value_is_located_once_its_column_is_asked_for(tmp_path, content, message):
    """Columns that nobody asks for may hold anything."""
    table = read(tmp_path, content.replace(b"}\n", b', "b": 5}\n'))

    assert set(table.column("b").to_pylist()) == {5}
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        table.column("a")
    assert "\n" not in str(caught.value)

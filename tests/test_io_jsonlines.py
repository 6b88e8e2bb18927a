"""JSON Lines files give typed columns, and every fault in them is located."""

import json
import random
import re
import sys
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pytest

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked
from tallystick.io.tables.jsonlines import iterate_json
from tallystick.io.tables.table import Table, iterate_tables, read_table


def read(folder: Path, content: bytes, *, only: Collection[str] | None = None) -> Table:
    path = folder / "t.jsonl"
    path.write_bytes(content)
    return read_table(str(path), only=only)


def test_json_lines_keep_their_types(tmp_path):
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
    head = b'{"a": 1, "b": null}\n' * 70_000
    table = read(tmp_path, head + b'{"a": 0.5, "b": "x", "c": ["y"]}\n')

    assert table.columns.slice(69_999).to_pydict() == {
        "a": [1.0, 0.5],
        "b": [None, "x"],
        "c": [None, ["y"]],
    }


def test_json_lines_without_the_wanted_key_are_counted(tmp_path):
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
        (b'{"a": 1}{"a": 2}\n', "t.jsonl: line 1 is not JSON: "),
        (b'{"a": 1}\n{"a":\n2}\n', "t.jsonl: line 2 is not JSON: "),
        (b'\n{"a": 1}\n', "t.jsonl: line 1 is blank; delete it"),
    ],
)
def test_a_bad_json_lines_file_is_located(tmp_path, content, message):
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
    table = read(tmp_path, content.replace(b"}\n", b', "b": 5}\n'))

    assert set(table.column("b").to_pylist()) == {5}
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        table.column("a")
    assert "\n" not in str(caught.value)


PLAIN = [
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true}',
    b'{"gold": "b\xc3\xa9", "id": 2, "ok": false, "p": 1.5e3}',
    b'{"id": -0, "gold": "\xe2\x80\xa8", "p": 0.10, "ok": true}',
    b'{"id":4,"gold":"a","p":0.5,"ok":true}',
]
ODD = [
    b'{"id": 1, "gold": "a\\n\\"\\u00e9\\ud83d\\ude00", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "a", "p": null, "ok": {"id": [1, {"gold": "}"}], "x": "\\""}}',
    b'{"id": 1, "gold": "a", "ok": [], "p": [1, "]"]}',
    b'{"id": 1, "gold": "a"}',
    b'{"id": 1, "g\\u006fld": "a", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true, "id": 2, "g\\u006fld": "c"}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true, "new": 1, "q\\"": {"a": 1, "a": 2}}',
    b'{"id": 1, "gold": "a", "p": 1, "ok": true}',
    b'{"id": 1.0, "gold": null, "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": 7, "p": 0.5, "ok": true}',
    b'{"id": 99999999999999999999, "gold": "a", "p": 0.5, "ok": true}',
    b'{"id": 9007199254740993, "gold": ["a"], "p": 9007199254740993, "ok": true}',
    b" " + PLAIN[0] + b" ",
    b"{}",
    b'{"id": 1, "gold": "a", "p": {"a": 1,}, "ok": true}',
    b'{"id": 1, "gold": "a", "p": "\\ud800", "ok": true}',
    b'{"id": 1, "gold": "a\xff", "p": 0.5, "ok": true}',
    PLAIN[0] + PLAIN[1],
    *(b"", b"  ", b"[]", b"1", b"{"),
]
N_FAULTY = 9


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_rows_are_those_of_pythons_json_wherever_chunks_end(tmp_path, monkeypatch, size):
    monkeypatch.setattr("tallystick.io.tables.jsonlines._CHUNK", size)
    for seed in range(200):
        draw = random.Random(seed)
        lines = [draw.choice(PLAIN) for _ in range(draw.randrange(1, 12))]
        odd = ODD if seed % 3 else ODD[:-N_FAULTY]
        for _ in range(draw.randrange(3)):
            lines.insert(draw.randrange(len(lines) + 1), draw.choice(odd))
        while not lines[-1].strip():
            lines.pop()
        end = draw.choice([b"\n", b"\r\n"])
        path = tmp_path / f"{seed}.jsonl"
        mark = draw.choice([b"", b"\xef\xbb\xbf"])
        path.write_bytes(mark + end.join(lines) + draw.choice([b"", end, end * 2]))
        faulty = [at for at, line in enumerate(lines, start=1) if line in ODD[-N_FAULTY:]]
        for rows in (1 << 18, 4):
            if faulty:
                with pytest.raises(InputError, match=f"line {faulty[0]} "):
                    list(iterate_tables(str(path), rows=rows))
                continue
            expected = [json.loads(line) for line in lines]
            tables = list(iterate_tables(str(path), rows=rows))
            assert {*tables[0].names()} == set().union(*expected)
            for name in tables[0].names():
                found = [value for table in tables for value in table.values(name)]
                assert found == [row.get(name) for row in expected]


def count_calls(work):
    calls = [0]

    def note(_frame, event, _):
        calls[0] += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls[0]


def test_no_plain_line_takes_a_call_of_its_own(tmp_path):
    counts = []
    for rows in (100, 520, 1_000):
        path = tmp_path / f"{rows}.jsonl"
        path.write_bytes(b'{"gold": "a", "id": "%d"}\n' % rows * rows)
        counts.append(count_calls(lambda path=path: read_table(str(path))))
    assert counts[2] - counts[1] <= 4  # new codes


def test_strings_that_recur_are_codes_whole_and_in_blocks(tmp_path):
    texts = [f'{{"gold": "é {row % 7}", "id": "{row}", "n": {row % 3}}}' for row in range(9_000)]
    texts[7_000] = '{"n": null, "id": "none"}'
    texts[8_000] = '{"n": 5, "id": "last", "gold": "another"}'
    table = read(tmp_path, "\n".join(texts).encode())
    blocks = [own for _, own in iterate_json(Asked(str(tmp_path / "t.jsonl"), "jsonl"), 1_000)]

    assert pa.types.is_dictionary(table.columns.schema.field("gold").type)
    assert table.columns.schema.field("id").type == pa.string()
    assert table.columns.to_pylist() == pa.concat_tables(blocks).to_pylist()
    assert table.columns.to_pylist() == [{"gold": None} | json.loads(text) for text in texts]


@pytest.mark.parametrize("content", [b'{"a": 1, "b": 2, "a": 3}', b'[{"a": 1, "\\u0061": 3}]'])
def test_a_key_that_occurs_twice_counts_once_the_last_time(tmp_path, content):
    assert read(tmp_path, content).values("a") == [3]

"""Plain JSON Lines are decoded at once, and come out as when each line is looked at."""

import random
import sys

import pyarrow as pa
import pytest

from tallystick.errors import InputError
from tallystick.io.files import lines
from tallystick.io.files.pieces import Asked
from tallystick.io.tables import jsonlines
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.jsonlines import iterate_json, read_json
from tallystick.io.tables.table import read_table

_ROWS = [
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true}',
    b'{"gold": "b\xc3\xa9", "id": 2, "ok": false, "p": 1.5e3}',
    b'{"id": -0, "gold": "\xe2\x80\xa8", "p": 0.10, "ok": true}',
    b'{"id": 3, "gold": "c", "p": 0.5, "ok": true}',
    b'{"id":4,"gold":"a","p":0.5,"ok":true}',
]
_ODD = [
    b'{"id": 1, "gold": "a\\n\\"\\u00e9\\ud83d\\ude00", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "a", "p": null, "ok": {"id": [1, {"gold": "}"}], "x": "\\""}}',
    b'{"id": 1, "gold": "a", "ok": [], "p": [1, "]"]}',
    b'{"id": 1, "gold": "a"}',
    b'{"id": 1, "gold": "a", "p": {"a": 1,}, "ok": true}',
    b'{"id": 1, "gold": "a", "p": "\\ud800", "ok": true}',
    b'{"id": 1, "g\\u006fld": "a", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true, "id": 2}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true, "gold": "c"}',
    b'{"id": 1, "gold": "a", "p": 0.5}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true, "new": 1}',
    b'{"id": 1, "gold": "a", "p": 1, "ok": true}',
    b'{"id": 1.0, "gold": "a", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": null, "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": 7, "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "\\u0061\\"", "p": 0.5, "ok": true}',
    b'{"id": 99999999999999999999, "gold": "a", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": "a", "p": 1e400, "ok": true}',
    b'{"id": 1, "gold": "a", "p": 0.5, "ok": true,}',
    b'{"id": 1, "gold": "a\xff", "p": 0.5, "ok": true}',
    b'{"id": 1, "gold": ["a"], "p": 0.5, "ok": true}',
    b'{"id": 1,\n"gold": "a", "p": 0.5, "ok": true}',
    _ROWS[0] + _ROWS[1] + b"\n",
    _ROWS[0] + b" ",
    b" " + _ROWS[0],
    *(b"", b"  ", b"[]", b"{}", b"1", b"{"),
]


def _write(path, seed):
    draw = random.Random(seed)
    rows = [draw.choice(_ROWS) for _ in range(draw.randrange(1, 12))]
    for _ in range(draw.randrange(3)):
        rows.insert(draw.randrange(len(rows) + 1), draw.choice(_ODD))
    end = draw.choice([b"\n", b"\r\n"])
    text = end.join(rows) + draw.choice([b"", end, end * 2])
    path.write_bytes(draw.choice([b"", b"\xef\xbb\xbf"]) + text)


def _read(path, *, only):
    """Everything that reading tells, whole and in blocks."""
    found = []
    for read in (
        lambda: [read_table(path, only=only)],
        lambda: list(iterate_tables(path, only=only, rows=4)),
    ):
        try:
            tables = read()
        except InputError as error:
            found.append(str(error))
            continue
        found += [(one.names(), one.unread, one.first) for one in tables]
        found += [(one.columns.schema, one.columns.to_pydict()) for one in tables]
    return found


def _refuse(*_, **__):
    raise InputError("odd")
    yield


@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_odd_lines_are_read_as_one_by_one(tmp_path, monkeypatch, chunk):
    """Keys twice, escapes, mixed types and faults mean the same wherever chunks end."""
    monkeypatch.setattr(lines, "_CHUNK", chunk)
    for seed in range(80):
        path = tmp_path / f"{seed}.jsonl"
        _write(path, seed)
        only = None if seed % 2 else {"gold", "p"}
        plain = _read(str(path), only=only)
        with monkeypatch.context() as patch:
            patch.setattr(jsonlines, "_iterate_forms", _refuse)
            jsonlines._find_form.cache_clear()
            jsonlines._read_keys_once.cache_clear()
            assert plain == _read(str(path), only=only)


def _count_calls(work):
    calls = [0]

    def note(_frame, event, _):
        calls[0] += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls[0]


def test_no_plain_line_is_touched_one_at_a_time(tmp_path):
    """Twice the lines take as many calls of Python functions."""
    counts = []
    for rows in (100, 500, 1_000):
        path = tmp_path / f"{rows}.jsonl"
        path.write_bytes(b'{"gold": "a", "prediction": "b"}\n' * rows)
        counts.append(_count_calls(lambda path=path: read_table(str(path))))
    assert counts[1] == counts[2]


def test_strings_that_recur_are_codes_and_hold_what_others_do(tmp_path, monkeypatch):
    """Whole and in blocks, whatever the order of keys; strings that do not recur stay strings."""
    texts = [f'{{"gold": "é {row % 7}", "id": "{row}", "n": {row % 3}}}' for row in range(9_000)]
    texts[8_000] = '{"n": 5, "id": "last", "gold": "another"}'
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(texts) + "\n")
    _, coded = read_json(Asked(str(path), "jsonl"))
    blocks = [block for _, block in iterate_json(Asked(str(path), "jsonl"), 1_000)]
    monkeypatch.setattr("tallystick.io.tables.plain_json._LEAST", 1 << 30)
    _, plain = read_json(Asked(str(path), "jsonl"))

    assert pa.types.is_dictionary(coded.schema.field("gold").type)
    assert coded.schema.field("id").type == plain.schema.field("gold").type == pa.string()
    assert coded.to_pylist() == plain.to_pylist() == pa.concat_tables(blocks).to_pylist()

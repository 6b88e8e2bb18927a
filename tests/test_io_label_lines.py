"""Labels, one a line, are read many at a time and come out as when each line is looked at."""

import random
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tallystick.errors import InputError
from tallystick.io.files import lines
from tallystick.io.files.lines import read_lines
from tallystick.io.tables import text_tables
from tallystick.io.tables.table import iterate_tables, read_table
from tallystick.model.guessed import look
from tallystick.model.reading import Reading
from tallystick.model.task import Task
from tallystick.reading.layouts import are_lines

_PIECES = [
    *(b"\n", b"\r\n", b"\r", b"a", b"bc", b" ", b'"', b",", b"\0"),
    *("\u2028".encode(), "é".encode(), b"\xef\xbb\xbf", b"\x85", b"\xe2\x82", b"x" * 9),
]


def _write(path, seed):
    draw = random.Random(seed)
    pieces = _PIECES[: draw.choice([6, 12, 14])]
    content = b"".join(draw.choice([*pieces, b"\n"]) for _ in range(draw.randrange(1, 40)))
    path.write_bytes(draw.choice([b"", b"\xef\xbb\xbf"]) + content)


def _try(read):
    try:
        return read()
    except InputError as error:
        return str(error)


def _read_slowly(path):
    found = read_lines(path)
    while found and not found[-1]:
        found.pop()
    return found or f"{path}: has columns but no lines of data"


def _read_blocks(path):
    return [
        label
        for table in iterate_tables(path, format="lines", rows=3)
        for label in table.column("label").to_pylist()
    ]


@pytest.mark.parametrize("few", [0, 8])
@pytest.mark.parametrize("chunk", [1, 3, 16, 1 << 20])
def test_odd_files_are_read_as_line_by_line(tmp_path, monkeypatch, chunk, few):
    monkeypatch.setattr(text_tables, "_CHUNK", chunk)
    monkeypatch.setattr(text_tables, "_FEW", few)
    path = tmp_path / "gold.txt"
    for seed in range(150):
        _write(path, seed)
        expected = _try(lambda: _read_slowly(str(path)))
        whole = _try(lambda: read_table(str(path), format="lines").column("label").to_pylist())
        assert whole == expected
        assert _try(lambda: _read_blocks(str(path))) == expected


def test_a_line_that_is_too_long_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 100)
    monkeypatch.setattr(text_tables, "_CHUNK", 50)
    path = tmp_path / "gold.txt"
    path.write_text("yes\n" * 40 + "x" * 100 + "\n" + "y" * 101 + "\n")
    with pytest.raises(InputError, match=r"gold.txt: line 42 is longer"):
        read_table(str(path), format="lines")


def _count_calls(work):
    calls = [0]
    sys.setprofile(lambda *_: calls.__setitem__(0, calls[0] + 1))
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls[0]


def test_no_line_is_touched_one_at_a_time(tmp_path):
    path = tmp_path / "gold.txt"
    counts = []
    for rows in (2_000, 4_000):
        path.write_text("yes\nno\n" * rows)
        counts.append(_count_calls(lambda: read_table(str(path), format="lines")))
    assert counts[0] == counts[1]


def test_words_are_told_from_numbers_without_an_error_for_each(monkeypatch):
    words = pa.array(["yes", "no"] * 100_000)
    tried: list[int] = []

    def cast(own, *rest, **named):
        tried.append(len(own))
        return real(own, *rest, **named)

    real = pc.cast
    monkeypatch.setattr(pc, "cast", cast)
    assert look(words, ["yes", "no"], Task()).words
    assert tried == [1 << 12]


def test_whether_lines_are_labels_is_told_by_the_first_ones(tmp_path):
    path = tmp_path / "gold.txt"
    path.write_bytes(b"positive\nnegative\n" * (1 << 15) + b"\xff\n")

    assert not are_lines(str(path), Reading())

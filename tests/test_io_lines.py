"""Files of lines, of labels a line, and of the form of CoNLL keep every line."""

import io
import random
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked
from tallystick.io.files.lines import read_lines
from tallystick.io.tables.formats import FORMATS
from tallystick.io.tables.table import iterate_tables, read_table
from tallystick.io.tables.text_tables import iterate_conll
from tallystick.limits import LIMITS
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.model.type_inference import look
from tallystick.reading.layouts import are_lines


@pytest.mark.parametrize(("content", "lines"), [
    (b"a\nb\n", ["a", "b"]),
    (b"a\nb", ["a", "b"]),
    (b"a\r\nb\r\n", ["a", "b"]),
    (b"a\r\nb\n", ["a", "b"]),
    (b"a\n\nb\n\n", ["a", "", "b", ""]),
    (b"\n", [""]),
    (b"\xef\xbb\xbfa\n", ["a"]),
    (b"\xef\xbb\xbf\na\n", ["", "a"]),
    (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
    ("a\u2028b\x0bc\x85d\re\n".encode(), ["a\u2028b\x0bc\x85d\re"]),
    (b" a \n\tb\n", [" a ", "\tb"]),
])  # fmt: skip
def test_lines_are_split_at_newlines_alone(tmp_path, content, lines):
    path = tmp_path / "gold.txt"
    path.write_bytes(content)
    assert lines == read_lines(str(path))


def test_lines_come_from_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\nb")))
    assert read_lines("-") == ["a", "b"]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_an_empty_file_is_an_input_error(tmp_path, content):
    path = tmp_path / "gold.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"gold\.txt: is empty"):
        read_lines(str(path))


@pytest.mark.parametrize(("content", "place"), [
    (b"\xff\n", r"line 1 is not UTF-8 at byte offset 0 \(0xff\)"),
    (b"ab\nc\xe9d\n", r"line 2 is not UTF-8 at byte offset 4 \(0xe9\)"),
    (b"\xef\xbb\xbfab\r\nc\xe9", r"line 2 is not UTF-8 at byte offset 8 \(0xe9\)"),
    (b"\xef\xbb\xbfa\xe9\n", r"line 1 is not UTF-8 at byte offset 4 \(0xe9\)"),
])  # fmt: skip
def test_broken_utf8_is_located(tmp_path, content, place):
    path = tmp_path / "gold.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"gold\.txt: {place}$"):
        read_lines(str(path))


WORDS = ["w", "é", "#", "x" * 9, "don't", '"', "\x0b", "a\u00a0b"]


def write(seed):
    drawn = random.Random(seed)
    width, mark = drawn.choice([2, 3]), drawn.choice([" ", "  ", "\t"])
    text = drawn.choice(["", "\ufeff"])
    odd = drawn.random() < 0.5
    for _ in range(drawn.randrange(1, 30)):
        if odd and drawn.random() < 0.1:
            text += drawn.choice(["# id = 7\n", "-DOCSTART- -X- O\n\n"])
        for _ in range(drawn.randrange(1, 6)):
            word = drawn.choice([*WORDS, "a b"] if mark == "\t" else WORDS)
            tags = [drawn.choice(["O", "B-PER", f"B-{drawn.randrange(40)}"]) for _ in range(2)]
            cells = [word, *tags][: width - (odd and drawn.random() < 0.01)]
            text += mark.join(cells) + drawn.choice(["\n", "\n", "\r\n"])
        text += drawn.choice(["\n", "\n\n", " \n"])
    written = text.encode()
    if odd and drawn.random() < 0.1:
        written = written[:20] + b"\xff" + written[20:]
    return written.rstrip() if drawn.random() < 0.3 else written


(FORMAT,) = (one for one in FORMATS if one.name == "conll")


def read(path):
    try:
        _, whole = FORMAT.read(Asked(path, "conll"))
        pieces = pa.concat_tables(table for _, table in iterate_conll(Asked(path, "conll"), 0))
    except InputError as error:
        return [str(error)]
    return [whole.to_pydict(), pieces.combine_chunks().to_pydict(), whole.schema, pieces.schema]


@pytest.mark.parametrize("seed", range(150))
def test_sentences_are_the_same_wherever_pieces_end(tmp_path, monkeypatch, seed):
    path = tmp_path / "gold.conll"
    path.write_bytes(write(seed))
    found = read(str(path))
    monkeypatch.setattr(LIMITS, "text_piece", 50)
    assert found == read(str(path))


@pytest.mark.parametrize("seed", range(150))
def test_tokens_and_tags_are_the_fields_of_lines(tmp_path, seed):
    content = write(seed)
    path = tmp_path / "gold.conll"
    path.write_bytes(content)
    try:
        text = content.decode("utf-8-sig")
        _, whole = FORMAT.read(Asked(str(path), "conll"))
    except (InputError, UnicodeDecodeError):
        return
    part = (lambda line: line.split("\t")) if "\t" in text else lambda line: line.split(" ")
    lines = [list(filter(None, part(line.rstrip("\r")))) for line in text.split("\n")]
    rows = [line for line in lines if line and line[0] != "-DOCSTART-"]
    rows = [line for line in rows if line[:3] != ["#", "id", "="]]
    for place in range(len(rows[0])):
        found = [one for own in whole[str(place + 1)].to_pylist() for one in own]
        assert found == [line[place] for line in rows]


_PIECES = [
    *(b"\n", b"\r\n", b"\r", b"a", b"bc", b" ", b'"', b",", b"\0"),
    *("\u2028".encode(), "é".encode(), b"\xef\xbb\xbf", b"\x85", b"\xe2\x82", b"x" * 9),
]


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
    monkeypatch.setattr(LIMITS, "line_piece", chunk)
    monkeypatch.setattr(LIMITS, "coded_lines", few)
    path = tmp_path / "gold.txt"
    for seed in range(150):
        draw = random.Random(seed)
        pieces = _PIECES[: draw.choice([6, 12, 14])]
        content = b"".join(draw.choice([*pieces, b"\n"]) for _ in range(draw.randrange(1, 40)))
        path.write_bytes(draw.choice([b"", b"\xef\xbb\xbf"]) + content)
        expected = _try(lambda: _read_slowly(str(path)))
        whole = _try(lambda: read_table(str(path), format="lines").column("label").to_pylist())
        assert whole == expected
        assert _try(lambda: _read_blocks(str(path))) == expected


def test_a_line_that_is_too_long_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "line", 100)
    monkeypatch.setattr(LIMITS, "line_piece", 50)
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
    for rows in (1, 2_000, 4_000):
        path.write_text("yes\nno\n" * rows)
        counts.append(_count_calls(lambda: read_table(str(path), format="lines")))
    assert counts[2] - counts[1] < 100  # of 4,000 lines more


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

"""Files of one example a line keep every line, and nothing but lines."""

import io

import pytest

from tallystick.errors import InputError
from tallystick.io.files.lines import read_lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
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
    ],
)
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


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"\xff\n", r"line 1 is not UTF-8 at byte offset 0 \(0xff\)"),
        (b"ab\nc\xe9d\n", r"line 2 is not UTF-8 at byte offset 4 \(0xe9\)"),
        (b"\xef\xbb\xbfab\r\nc\xe9", r"line 2 is not UTF-8 at byte offset 8 \(0xe9\)"),
        (b"\xef\xbb\xbfa\xe9\n", r"line 1 is not UTF-8 at byte offset 4 \(0xe9\)"),
    ],
)
def test_broken_utf8_is_located(tmp_path, content, place):
    path = tmp_path / "gold.txt"
    path.write_bytes(content)

    with pytest.raises(InputError, match=rf"gold\.txt: {place}$"):
        read_lines(str(path))

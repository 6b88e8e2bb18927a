"""Pipes and standard input are read once and held as long as they are needed, and no longer."""

import io
import os
import threading

import pytest

from tallystick.errors import InputError
from tallystick.io.files.lines import count_lines, iterate_blocks, read_lines
from tallystick.io.files.opening import hold_pipes, open_binary
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.table import read_table

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are a POSIX matter")


def make_pipe(folder):
    path = folder / "pipe"
    os.mkfifo(path)
    return path


def feed(path, *contents):
    def write():
        for content in contents:
            path.write_bytes(content)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    return writer


def test_a_pipe_is_read_anew_by_each_table(tmp_path):
    path = make_pipe(tmp_path)
    found = []
    for content in (b"a,b\n1,2\n", b"a,b\n3,4\n"):
        writer = feed(path, content)
        found.append(read_table(str(path)).columns.to_pydict())
        writer.join()
    assert [{"a": ["1"], "b": ["2"]}, {"a": ["3"], "b": ["4"]}] == found


def test_another_pipe_holds_nothing_of_a_guess(tmp_path):
    path = make_pipe(tmp_path)
    writer = feed(path, b'{"a": 1}\n')
    guess_format(str(path))
    writer.join()
    path.unlink()
    writer = feed(make_pipe(tmp_path), b"x,y\n1,2\n")
    found = read_table(str(path)).columns.to_pydict()
    writer.join()

    assert {"x": ["1"], "y": ["2"]} == found


def test_a_guess_takes_nothing_from_a_pipe(tmp_path):
    path = make_pipe(tmp_path)
    writer = feed(path, b'{"a": 1}\n')
    kind = guess_format(str(path))
    table = read_table(str(path), format=kind)
    writer.join()
    feed(path, b"x\ty\n1\t2\n")
    with hold_pipes():
        other = guess_format(str(path))

    assert ["jsonl", (1,), "tsv"] == [kind, tuple(table.column("a").to_pylist()), other]


def test_lines_and_blocks_read_a_pipe_anew(tmp_path):
    path = make_pipe(tmp_path)
    found = []
    for content in (b"a\n", b"b\nc\n"):
        writer = feed(path, content)
        found.append(read_lines(str(path)))
        writer.join()
    writer = feed(path, b"d\ne\n")
    count = count_lines(str(path))
    blocks = list(iterate_blocks(str(path), 9))
    writer.join()

    assert [["a"], ["b", "c"]] == found
    assert [2, b"de"] == [count, bytes(blocks[0][0])]


def test_a_command_holds_a_pipe_until_its_end(tmp_path):
    path = make_pipe(tmp_path)
    writer = feed(path, b"a\n")
    with hold_pipes():
        inside = [read_lines(str(path)), read_lines(str(path))]
    writer.join()
    feed(path, b"b\n")

    assert [["a"], ["a"]] == inside
    assert ["b"] == read_lines(str(path))


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="there are no descriptors as files")
def test_a_pipe_of_a_shell_is_held_for_good():
    reader, writer = os.pipe()
    os.write(writer, b"a\n")
    os.close(writer)
    found = [read_lines(f"/dev/fd/{reader}") for _ in range(2)]
    os.close(reader)
    assert [["a"], ["a"]] == found


def test_a_broken_pipe_leaves_nothing_behind(tmp_path):
    path = make_pipe(tmp_path)
    feed(path, b"a,b\n1\n")
    with pytest.raises(InputError, match="row 2 has 1 field"):
        read_table(str(path), format="csv")
    feed(path, b"a,b\n1,2\n")
    assert ["1"] == read_table(str(path), format="csv").column("a").to_pylist()


def test_standard_input_is_there_for_every_reader(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    with hold_pipes():
        names = read_table("-").names()
    with open_binary("-") as file:
        content = file.read()
    assert [("a", "b"), b"a,b\n1,2\n"] == [names, content]

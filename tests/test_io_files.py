"""Files open plain, gzipped or piped; outputs come together, and spare what was there."""

import gzip
import io
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import name_source, open_binary, write_text
from tallystick.io.files.outputs import Outputs, end_on_sigterm
from tallystick.io.tables.table import read_table
from tallystick.limits import LIMITS


def read(path):
    with open_binary(str(path)) as file:
        return file.read()


@pytest.mark.parametrize(("path", "name"), [("-", "standard input"), ("a.csv", "a.csv")])
def test_a_source_is_named_as_the_user_knows_it(path, name):
    assert name == name_source(path)


@pytest.mark.parametrize("name", ["gold.csv", "gold.csv.gz"])
def test_gzip_is_known_by_its_first_bytes(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"toxic\n"))
    assert read(path) == b"toxic\n"


def test_joined_gzip_files_are_one_file(tmp_path):
    path = tmp_path / "gold.gz"
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert read(path) == b"a\nb\n"


@pytest.mark.parametrize("content", [b"a\n", gzip.compress(b"a\n")], ids=["plain", "gzip"])
def test_standard_input_can_be_opened_twice(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert [read("-"), read("-")] == [b"a\n", b"a\n"]


def test_a_new_standard_input_is_read_anew(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"old")))
    read("-")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"new")))
    assert read("-") == b"new"


def test_a_closed_standard_input_is_an_input_error(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match=r"^standard input: is closed"):
        read("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a POSIX matter")
def test_a_pipe_can_be_opened_twice(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[b"a\n"])
    writer.start()
    contents = [read(path), read(path)]
    writer.join()
    assert contents == [b"a\n", b"a\n"]


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: cannot be read: No such file"):
        read(tmp_path / "none.csv")


def test_a_directory_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="is a directory; give a file"):
        read(tmp_path)


def test_a_truncated_gzip_file_is_an_input_error(tmp_path):
    path = tmp_path / "gold.csv.gz"
    path.write_bytes(gzip.compress(b"toxic\n" * 99)[:-12])
    with pytest.raises(InputError, match=r"gold\.csv\.gz: cannot be unpacked as gzip: it is cut"):
        read(path)


def test_a_damaged_gzip_file_is_an_input_error(tmp_path):
    path = tmp_path / "gold.csv.gz"
    content = bytearray(gzip.compress(b"toxic\n" * 99))
    content[-8] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"gold\.csv\.gz: cannot be unpacked as gzip: CRC"):
        read(path)


def test_a_plain_file_named_gz_is_an_input_error(tmp_path):
    path = tmp_path / "gold.csv.gz"
    path.write_bytes(b"toxic\n")
    with pytest.raises(InputError, match=r"gold\.csv\.gz: is named \.gz but is not gzip"):
        read(path)


def test_text_is_written_as_it_is(tmp_path):
    path = tmp_path / "scores.csv"
    write_text(str(path), "f1\r\n½\n")
    assert path.read_bytes() == b"f1\r\n\xc2\xbd\n"


def test_an_old_file_is_replaced(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("a longer old text")
    write_text(str(path), "new")
    assert {"scores.csv": "new"} == {file.name: file.read_text() for file in tmp_path.iterdir()}


def test_a_link_is_written_through(tmp_path):
    target = tmp_path / "target.csv"
    target.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    write_text(str(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_failure_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InputError, match=r"scores\.csv: cannot be written: No space left"):
        write_text(str(path), "new")

    assert {"scores.csv": "old"} == {file.name: file.read_text() for file in tmp_path.iterdir()}


@pytest.mark.parametrize("name", ["missing/scores.csv", "."])
def test_an_unwritable_path_is_an_input_error(tmp_path, name):
    with pytest.raises(InputError, match="cannot be written: "):
        write_text(str(tmp_path / name), "new")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there is no such device")
def test_a_device_is_written_to_but_not_replaced():
    write_text("/dev/null", "new")
    assert not os.path.isfile("/dev/null")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz", "t.parquet.gz", "t.txt.gz"])
def test_a_small_file_that_unpacks_to_a_large_one_is_rejected(tmp_path, monkeypatch, name):
    monkeypatch.setattr(LIMITS, "unpacked", 1 << 20)
    path = tmp_path / name
    path.write_bytes(gzip.compress(b'{"a": "' + b"0" * 3_000_000))
    message = r"unpacks to more than .* MiB and 200 times its size, which is rejected; write it"
    with pytest.raises(InputError, match=message):
        read_table(str(path))


def test_a_large_file_that_unpacks_as_usual_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "unpacked", 1 << 20)
    path = tmp_path / "t.gz"
    content = os.urandom(2 << 20)
    path.write_bytes(gzip.compress(content) + gzip.compress(b"0" * 500_000))
    assert content == read(path)[: 2 << 20]


posix = pytest.mark.skipif(os.name != "posix", reason="links and modes are a POSIX matter")


def look(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def write_all(*paths, inputs=()):
    with Outputs(inputs=map(str, inputs)) as outputs:
        for path in paths:
            outputs.write_bytes(str(path), b"new")


def test_outputs_appear_at_the_end(tmp_path):
    (tmp_path / "a").write_text("old")
    with Outputs() as outputs:
        outputs.write_bytes(str(tmp_path / "a"), b"new a")
        outputs.write_bytes(str(tmp_path / "b"), b"new b")
        outputs.append_text(str(tmp_path / "log"), "line\n")
        before = {name: text for name, text in look(tmp_path).items() if name[0] != "."}

    assert {"a": "old"} == before
    assert {"a": "new a", "b": "new b", "log": "line\n"} == look(tmp_path)


def test_an_exception_leaves_everything_as_it_was(tmp_path):
    (tmp_path / "a").write_text("old")

    def fail():
        with Outputs() as outputs:
            outputs.write_bytes(str(tmp_path / "a"), b"new")
            outputs.write_bytes(str(tmp_path / "b"), b"new")
            outputs.append_text(str(tmp_path / "a.log"), "new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert {"a": "old"} == look(tmp_path)


@posix
def test_a_failure_at_the_end_is_taken_back(tmp_path, monkeypatch):
    for name in ("a", "linked"):
        (tmp_path / name).write_text("old")
    os.link(tmp_path / "linked", tmp_path / "other")
    replace = os.replace

    def fail(source, target):
        if target.endswith("c"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InputError, match="c: cannot be written: No space left on device"):
        write_all(*(tmp_path / name for name in ("a", "b", "linked", "c")))

    assert {"a": "old", "linked": "old", "other": "old"} == look(tmp_path)


@posix
@pytest.mark.parametrize("way", ["plain", "dotted", "symbolic", "hard", "folder"])
def test_an_input_is_never_written(tmp_path, monkeypatch, way):
    gold = tmp_path / "gold.csv"
    gold.write_text("gold")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "symbolic").symlink_to(gold)
    (tmp_path / "folder").symlink_to(tmp_path)
    os.link(gold, tmp_path / "hard")
    path = {"plain": str(gold), "dotted": "../" + tmp_path.name + "/./gold.csv"}.get(way, way)
    path = "folder/gold.csv" if way == "folder" else path
    with pytest.raises(UsageError, match=r"is read, .*and cannot be over|is read and cannot"):
        write_all(tmp_path / "a", Path(path), inputs=(gold, Path("-"), Path("missing")))

    assert "gold" == gold.read_text()
    assert not (tmp_path / "a").exists()


@posix
def test_an_input_is_not_appended_to(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(UsageError, match="is read"), Outputs([str(path)]) as outputs:
        outputs.append_text(str(path), "new")


@posix
@pytest.mark.parametrize("other", ["a", "./a", "link", "hard"])
def test_two_outputs_cannot_be_one_file(tmp_path, monkeypatch, other):
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("old")
    Path("link").symlink_to("a")
    os.link("a", "hard")
    with pytest.raises(UsageError, match="would be written twice"):
        write_all(Path("a"), Path(other))
    assert "old" == Path("a").read_text()


def test_two_new_outputs_cannot_be_one_file(tmp_path):
    with pytest.raises(UsageError, match=r"would be written twice, as .*a; name another file"):
        write_all(tmp_path / "a", tmp_path / "." / "x" / ".." / "a")
    assert {} == look(tmp_path)


@posix
def test_a_new_file_gets_the_usual_permissions(tmp_path):
    former = os.umask(0o027)
    try:
        write_text(str(tmp_path / "a"), "new")
    finally:
        os.umask(former)
    assert 0o640 == stat.S_IMODE((tmp_path / "a").stat().st_mode)


@posix
def test_a_pipe_is_written_to_at_the_end(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_all(pipe, tmp_path / "a")
    reader.join()

    assert [b"new"] == found
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
def test_a_device_that_takes_nothing_keeps_all_outputs_back(tmp_path):
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left"):
        write_all(tmp_path / "a", Path("/dev/full"))
    assert {} == look(tmp_path)


@posix
def test_sigterm_leaves_nothing_unfinished(tmp_path):
    code = """
import os, signal, sys
from tallystick.io.files.outputs import Outputs, end_on_sigterm
with end_on_sigterm(), Outputs() as outputs:
    outputs.write_bytes(sys.argv[1], b"new")
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
"""
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=False)

    assert 143 == run.returncode
    assert {} == look(tmp_path)


@posix
def test_the_former_handler_of_sigterm_comes_back():
    former = signal.getsignal(signal.SIGTERM)
    with end_on_sigterm():
        inside = signal.getsignal(signal.SIGTERM)
        thread = threading.Thread(target=end_on_sigterm().__enter__)
        thread.start()
        thread.join()
        assert inside == signal.getsignal(signal.SIGTERM)

    assert former == signal.getsignal(signal.SIGTERM) != inside

"""Files open plain, gzipped or piped, and are replaced whole."""

import gzip
import io
import os
import threading

import pytest

from tallystick.errors import InputError
from tallystick.io.files import opening
from tallystick.io.files.opening import name_source, open_binary, write_text
from tallystick.io.tables.table import read_table


def read(path: object) -> bytes:
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

    def fail(*_: object) -> None:
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
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr(opening, "_FREE", 1 << 20)
    path = tmp_path / name
    path.write_bytes(gzip.compress(b'{"a": "' + b"0" * 3_000_000))
    message = r"unpacks to more than .* MiB and 200 times its size, which is refused; write it"

    with pytest.raises(InputError, match=message):
        read_table(str(path))


def test_a_large_file_that_unpacks_as_usual_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_FREE", 1 << 20)
    path = tmp_path / "t.gz"
    content = os.urandom(2 << 20)
    path.write_bytes(gzip.compress(content) + gzip.compress(b"0" * 500_000))

    assert content == read(path)[: 2 << 20]

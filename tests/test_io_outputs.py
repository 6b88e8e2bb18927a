"""Outputs come together or not at all, keep permissions and links, and spare what is read."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import write_text
from tallystick.io.files.outputs import Outputs, end_on_sigterm

posix = pytest.mark.skipif(os.name != "posix", reason="links and modes are a POSIX matter")


def look(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def write_all(*paths: Path, inputs: tuple[Path, ...] = ()) -> None:
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

    def fail() -> None:
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

    def fail(source: str, target: str) -> None:
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

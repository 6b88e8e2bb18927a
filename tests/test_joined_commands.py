"""Commands on large tables that are joined by id print what they print of small ones."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import NoRoomError
from tallystick.io.files import spill
from tallystick.io.files.spill import Spill
from tallystick.reading import joined_files, long_files, table_files

ROWS = 600
PACKAGE = Path(tallystick.__file__).parents[1]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every table a large one, of many blocks, partitions and ranges, once it is called."""

    def shrink() -> None:
        monkeypatch.setattr(table_files, "_LARGE", 0)
        monkeypatch.setattr(table_files, "_ROWS", 50)
        monkeypatch.setattr(joined_files, "_PARTITIONS", (3, 3))
        monkeypatch.setattr(spill, "_BUFFER", 1 << 12)
        monkeypatch.setattr(long_files, "_BINS", 100)

    return shrink


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold, three submissions in other orders, one that is wrong near its end, and texts."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(1)
    gold = draw.integers(0, 2, ROWS)
    ids = [f"x{place}" for place in draw.permutation(ROWS)]
    rows = [f"{name},{label},{name[-1]}" for name, label in zip(ids, gold, strict=True)]
    _write("gold.csv", "id,label,lang", rows)
    Path("submitted").mkdir()
    for number, name in enumerate(("a", "b", "c", "wrong")):
        scores = np.clip(gold * 0.4 + 0.3 + draw.normal(0, 0.25, ROWS), 0, 1).round(2)
        rows = [f"{one},{score}" for one, score in zip(ids, scores, strict=True)]
        if name == "wrong":
            rows[ids.index("x7")] = "x7,high"
        order = draw.permutation(ROWS) if number else range(ROWS)
        _write(f"submitted/{name}.csv", "id,y_prob", [rows[place] for place in order])
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "saw", "dogs"])
    texts = [" ".join(draw.choice(words, 8)) for _ in range(ROWS)]
    _write("texts.csv", "id,reference", map(",".join, zip(ids, texts, strict=True)))
    for name in ("s", "t"):
        changed = [text.replace(*draw.choice(words, 2)) for text in texts]
        order = draw.permutation(ROWS)
        rows = [f"{ids[place]},{changed[place]}" for place in order]
        _write(f"{name}.csv", "id,hypothesis", rows)
    return tmp_path


def _write(path: str, header: str, rows: object) -> None:
    Path(path).write_text("\n".join([header, *rows]) + "\n")  # type: ignore[misc]


COMMANDS = (
    "score gold.csv submitted/a.csv submitted/b.csv --by lang -m accuracy roc_auc brier_score",
    "score gold.csv submitted/b.csv -m f1 mcc log_loss --threshold 0.4",
    "compare gold.csv submitted/a.csv submitted/b.csv --by lang -m f1 roc_auc",
    "compare gold.csv submitted/b.csv submitted/c.csv -m accuracy --flips flips.csv",
    "rank gold.csv --submissions submitted -m accuracy average_precision",
    "score texts.csv s.csv t.csv -m bleu chrf ter",
    "compare texts.csv s.csv t.csv -m bleu --test bootstrap",
    "gate gold.csv submitted/b.csv --against submitted/c.csv --max-drop accuracy=0.5",
)


@pytest.mark.deep
@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_the_same_to_the_last_byte(folder, command, small, capsys):
    """Scores, intervals, p-values, ranks, flips and notes do not tell that rows were joined."""
    outcomes = []
    for prepare in (lambda: None, small):
        prepare()
        code = main([*command.split(), "--format", "json"])
        flips = folder / "flips.csv"
        outcomes.append((code, capsys.readouterr(), flips.exists() and flips.read_bytes()))
    assert 0 == outcomes[0][0]
    assert outcomes[0] == outcomes[1]


def test_a_full_disk_is_told_with_what_to_do(monkeypatch):
    """Where no more rows can be kept, the message names the folder and TMPDIR."""
    import pyarrow as pa

    full = Path("/dev/full").open("r+b")  # noqa: SIM115 - the spill closes it
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda dir: full)
    monkeypatch.setenv("TMPDIR", "/scratch")
    with Spill() as rows:
        rows.add_all([pa.table({"id": list(range(100_000))})])
        with pytest.raises(NoRoomError) as told:
            rows.flush()
    assert (
        "/scratch: rows that are joined by id cannot be kept there: No space left on device; name "
        "a folder with room for them with TMPDIR"
    ) == str(told.value)


def test_a_folder_for_temporary_files_that_is_not_there_is_told(folder, small, monkeypatch, capsys):
    """No other folder than the one that TMPDIR names is filled instead."""
    monkeypatch.setenv("TMPDIR", str(folder / "nowhere"))
    small()
    assert 4 == main(["rank", "gold.csv", "--submissions", "submitted", "-m", "accuracy"])
    told = capsys.readouterr()
    assert "" == told.out
    assert "nowhere: rows that are joined by id cannot be kept there: No such file" in told.err


WAITING = """
import sys, time
from tallystick.cli import main
from tallystick.reading import table_files
from tallystick.errors import NoRoomError
from tallystick.io.files.spill import Spill

table_files._LARGE = 0
flush = Spill.flush
def wait(self):
    flush(self)
    print("kept", flush=True)
    time.sleep(60)
Spill.flush = wait
sys.exit(main(["score", "gold.csv", "submitted/b.csv", "-m", "accuracy"]))
"""


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_in_the_folder_for_temporary_files(folder, number):
    """However a command ends in the middle of a join, its rows are gone, and nothing is printed."""
    room = folder / "room"
    room.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        env=os.environ | {"TMPDIR": str(room), "PYTHONPATH": str(PACKAGE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "kept\n" == process.stdout.readline()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode
    assert ("", False) == (out, "Traceback" in err)
    assert [] == list(room.iterdir())

"""Faults of version 0.1.0 that lost data: outputs appear together, and never onto an input.

The numbers of the lines are those of the list of faults (L1 to L3).
"""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import tallystick
from cases import cases
from faults import call, refuse, write

ROWS = "id,y_true,y_pred\n1,1,1\n2,0,1\n3,1,0\n4,0,0\n"
SYSTEM = "id,y_pred\n1,1\n2,0\n3,0\n4,0\n"

WRITERS = {
    "score -o": "score o.csv -m accuracy -o {}",
    "score --confusion": "score o.csv --confusion {}",
    "score --segments": "score o.csv -m accuracy --format csv --output {}",
    "tune -o": "tune t.csv --cross-fit 2 -o {}",
    "compare -o": "compare o.csv p.csv q.csv -m accuracy -o {}",
    "compare --flips": "compare o.csv p.csv q.csv -m accuracy --flips {}",
    "rank -o": "rank o.csv p.csv q.csv -m accuracy -o {}",
    "gate --junit": "gate o.csv p.csv --against q.csv -m accuracy --floor 0 --junit {}",
    "gate --summary": "gate o.csv p.csv --against q.csv -m accuracy --floor 0 --summary {}",
    "baseline -o": "baseline majority l.txt l.txt -o {}",
}
"""Every option that names an output, and a command that goes well with it."""

READ = dict.fromkeys(WRITERS, "o.csv") | {"tune -o": "t.csv", "baseline -o": "l.txt"}
"""What each of them reads."""


@pytest.fixture(autouse=True)
def _folder(folder):
    scored = "".join(f"{row},{row % 2},{row / 10}\n" for row in range(8))
    write({"o.csv": ROWS, "p.csv": SYSTEM, "q.csv": SYSTEM, "l.txt": "a\nb\na\n"})
    write(dict.fromkeys(("t.csv", "r/t_de.csv"), f"id,y_true,y_prob\n{scored}"))


def list_files():
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@cases("writer", *WRITERS)
@cases("spelling", "same", "dotted", "absolute", "symbolic", "hard")
def test_l1_no_output_is_written_onto_an_input(writer, spelling):
    read = READ[writer]
    target = {
        "same": read,
        "dotted": f"./{read}",
        "absolute": str(Path(read).absolute()),
        "symbolic": f"symbolic{Path(read).suffix}",
        "hard": f"hard{Path(read).suffix}",
    }[spelling]
    if spelling == "symbolic":
        os.symlink(read, target)
    if spelling == "hard":
        os.link(read, target)
    before = list_files()
    outcome = call(*(part.format(target) for part in WRITERS[writer].split()))
    assert 2 == outcome.code, outcome.err
    assert "is read" in outcome.error
    assert "name another file" in outcome.error
    assert before == list_files()


@cases(
    "line",
    "score o.csv --confusion new.csv --digits -1",
    "score o.csv --confusion new.csv -o folder/new.csv",
    "compare o.csv p.csv q.csv -m accuracy --flips new.csv --digits -1",
    "score o.csv -o new.csv --confusion o.csv",
    "gate o.csv p.csv --against q.csv -m accuracy --floor 0 --junit new.xml --summary f/s.md",
    "score o.csv --confusion new.csv -o /dev/full --format json",
    "score --pred-dir r --run-tag t -m f1 --dump-errors --errors-dir e --digits -1",
    "score --pred-dir r --run-tag t -m f1 --dump-errors --errors-dir e -o folder/new.csv",
)
def test_l2_an_error_leaves_no_output(line):
    before = list_files()
    outcome = call(*line.split())
    assert outcome.code in (2, 4)
    assert "" != outcome.error
    assert before == list_files()


@cases(
    "line",
    "score o.csv -o x.csv --confusion x.csv",
    "score o.csv -o x.csv --confusion ./x.csv",
    "compare o.csv p.csv q.csv -m accuracy -o x.csv --flips x.csv",
    "gate o.csv p.csv --against q.csv -m accuracy --floor 0 --junit x.md --summary x.md",
)
def test_l3_two_outputs_are_two_files(line):
    before = list_files()
    refuse("would be written twice", *line.split(), code=2)
    assert before == list_files()


@cases("writer", *WRITERS)
@cases("mode", 0o600, 0o640, 0o664)
def test_l3_an_output_keeps_its_permissions(writer, mode):
    target = Path("old.csv")
    write({"old.csv": ""})
    target.chmod(mode)
    outcome = call(*(part.format(target) for part in WRITERS[writer].split()))
    assert 0 == outcome.code, outcome.err
    assert mode == stat.S_IMODE(target.stat().st_mode)
    assert b"" != target.read_bytes()


@cases("writer", *WRITERS)
def test_l3_a_file_that_nobody_may_write_stays(writer):
    write({"old.csv": "kept"})
    Path("old.csv").chmod(0o400)
    refuse("cannot be written", *(part.format("old.csv") for part in WRITERS[writer].split()))
    assert b"kept" == Path("old.csv").read_bytes()


@cases("writer", *WRITERS)
def test_l3_hard_links_are_kept(writer):
    write({"old.csv": ""})
    os.link("old.csv", "other.csv")
    assert 0 == call(*(part.format("old.csv") for part in WRITERS[writer].split())).code
    assert Path("old.csv").samefile("other.csv")
    assert b"" != Path("other.csv").read_bytes()


_HELD = """\
import os, signal, sys
from tallystick.io.files import outputs
publish = outputs.Outputs._publish
def wait(self):
    print("staged", flush=True)
    signal.pause()
    publish(self)
outputs.Outputs._publish = wait
from tallystick.cli import main
sys.exit(main(["score", "o.csv", "-o", "new.csv", "--confusion", "old.csv"]))
"""
"""Scores, and stops when the outputs lie next to their targets."""


@cases("number", signal.SIGTERM, signal.SIGINT)
def test_l3_a_signal_leaves_nothing_behind(number):
    write({"old.csv": "kept"})
    before = list_files()
    process = subprocess.Popen(
        [sys.executable, "-c", _HELD],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(tallystick.__file__).parents[1])},
    )
    assert process.stdout is not None
    with process.stdout:
        while process.stdout.readline().strip() != "staged":
            assert process.poll() is None
        process.send_signal(number)
        process.wait(30)
    assert 128 + number == process.returncode
    assert before == list_files()

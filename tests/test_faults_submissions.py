"""Submissions are read within the limits of the task by a process that alone can be harmed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cases import cases
from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.files.outputs import Outputs
from tallystick.tasks import submission_worker
from tallystick.tasks.opening import Checked
from tallystick.tasks.scoring import FailedError, count_submissions, score_submissions
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import read_task

GOLD = "id,label\n" + "".join(f"{at},{'AB'[at % 2]}\n" for at in range(100))
TRACK = "gold: gold.csv, metrics: [macro_f1], task: multiclass"
SPANS = "gold: gold.csv, metrics: [span_f1], task: spans, columns: {gold: label}"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory")


@pytest.fixture(autouse=True)
def _folder(folder):
    Path("gold.csv").write_text(GOLD)
    Path("entries").mkdir()
    Path("entries/good.csv").write_text(GOLD)


def plan(track=TRACK, limits=""):
    more = f"limits: {{{limits}}}\n" if limits else ""
    Path("task.yaml").write_text(f"tracks: {{t: {{{track}}}}}\n{more}")
    return read_task("task.yaml")


def tell(checked):
    return [str(one) for one in checked.findings]


@cases(
    "limits message",
    ("memory: 2", "limits.memory: expected `str`"),
    ("memory: much", "'much' is no amount such as 2 GB or 500 MB"),
    ("memory: 2 GiB", "'2 GiB' is no amount"),
    ("memory: 0 GB", "of at least 100 MB"),
    ("memory: -2 GB", "is no amount"),
    ("seconds: 0", "seconds: 0 is not between 0 and 86,400"),
    ("seconds: -1", "seconds: -1 is not"),
    ("seconds: .inf", "seconds: inf is not"),
    ("seconds: .nan", "seconds: nan is not"),
    ("seconds: long", "expected `float`"),
)
def test_limits_are_checked_where_the_task_is_read(limits, message):
    with pytest.raises(InputError) as caught:
        plan(limits=limits)
    assert f"task.yaml, line 2: limits.{limits.partition(':')[0]}" in str(caught.value)
    assert message in str(caught.value)


@cases(
    "limits bytes seconds",
    ("", 2 * 10**9, 60),
    ("memory: 500MB, seconds: 0.5", 5 * 10**8, 0.5),
    ("memory: 1.5 gb, seconds: 120", 15 * 10**8, 120),
)
def test_limits_have_units_and_defaults(limits, bytes, seconds):
    found = plan(limits=limits).limits
    assert (bytes, seconds) == (found.bytes, found.seconds)


@cases("labels", "", ", labels: [A, B], invalid: class")
def test_what_takes_too_long_is_rejected_and_the_process_replaced(labels):
    late = "takes more than 1e-05 seconds to read and count, which is the limit"
    task = plan(TRACK + labels, "seconds: 0.00001")
    assert [f"good.csv: {late}"] == tell(check_submission(task, "entries/good.csv"))
    with pytest.raises(FailedError, match=late):
        score_submissions(task, {"good": Checked({"t": "entries/good.csv"})})
    assert [] == tell(check_submission(plan(TRACK + labels), "entries/good.csv"))


@LINUX
@cases(
    "name make",
    ("bad.json", lambda: json.dumps([{"id": 1, "label": "A", "x": [0] * 14_000_000}])),
    ("bad.csv", lambda: GOLD + '1,"' + ('"",' * 10 + "\n") * 900_000),
)
def test_what_takes_too_much_memory_is_rejected_alone(name, make, capsys):
    plan(limits="memory: 100 MB")
    Path("entries", name).write_text(make())
    assert main(["task", "board", "entries", "-o", "site"]) == 0
    board = json.loads(Path("site/board.json").read_text())
    rejected = {one["team"]: one["rejected"] for one in board["submissions"]}
    assert ["good"] == [one["system"] for one in board["rankings"][0]["places"]]
    assert ([], 1) == (rejected["good"], len(rejected["bad"]))
    assert str(Path.cwd()) not in rejected["bad"][0]["words"]
    assert "Traceback" not in capsys.readouterr().err


def test_a_process_that_ends_rejects_one_submission(monkeypatch):
    task, read = plan(), submission_worker.read_message
    seen = []

    def end(stream):
        seen.append(stream)
        if len(seen) == 2:  # it has said that it has read the gold
            os.kill(submission_worker.WORKER.pid, signal.SIGKILL)
            raise EOFError  # which its answer may have come before
        return read(stream)

    with monkeypatch.context() as patch:
        patch.setattr(submission_worker, "read_message", end)
        (message,) = tell(check_submission(task, "entries/good.csv"))
    assert message.startswith("good.csv: cannot be read or counted: that ends the process")
    assert [] == tell(check_submission(task, "entries/good.csv"))


@cases("gold", "id,label\n1,\n2,B\n", "id,label\n", "")
def test_the_organisers_mistakes_reject_nobody(gold, capsys):
    plan()
    Path("gold.csv").write_text(gold)
    assert main(["task", "check", "entries/good.csv"]) == 4
    assert main(["task", "score", "entries/good.csv"]) == 4
    said = capsys.readouterr()
    assert "rejected: good" not in said.err
    assert "Traceback" not in said.err


@cases("count", 1_000, 1_001, 4_000)
@cases(
    "track row",
    (TRACK, "{},{}\n"),
    (TRACK.replace("multiclass", "multilabel") + ", columns: {delimiter: '|'}", "{},{}|C\n"),
    (SPANS, '{},"[[0, 1, ""{}""]]"\n'),
)
def test_more_than_1000_new_labels_are_rejected_with_their_number(track, row, count):
    rows = range(5_000)
    Path("gold.csv").write_text("id,label\n" + "".join(row.format(at, "AB"[at % 2]) for at in rows))
    text = "".join(row.format(at, f"new{at}" if at < count else "A") for at in rows)
    Path("entries/new.csv").write_text(f"id,label\n{text}")
    message = tell(check_submission(plan(track), "entries/new.csv"))
    many = f"t: new.csv: has {count:,} labels that the task does not know, and at most"
    assert [many] * (count > 1_000) == [one[: len(many)] for one in message]


@cases("path", "entries/good.csv", "gold.csv")
def test_no_output_overwrites_what_the_process_reads(path, capsys):
    plan()
    assert main(["task", "score", "entries/good.csv", "-o", path]) == 2
    assert GOLD == Path(path).read_text()
    assert "cannot be overwritten" in capsys.readouterr().err


def test_many_files_are_written_without_comparing_each_two(tmp_path, monkeypatch):
    calls = []
    realpath = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", lambda path: calls.append(path) or realpath(path))
    with Outputs() as outputs:
        for at in range(50):
            outputs.write_bytes(str(tmp_path / f"{at}.txt"), b"")
    assert len(calls) <= 150


WATCH = """\
import collections, os, sys
seen = collections.Counter()
def hook(event, args):
    if event == "open" and str(args[0]).endswith(sys.argv[2]):
        seen["gold"] += 1
sys.addaudithook(hook)
from tallystick.cli import main
from tallystick.tasks.masked_gold import count_track
from tallystick.tasks.task_file import read_task
from tallystick.tasks.checking import examine_submission, prepare
from tallystick.tasks.masked_gold import read_gold_table
if sys.argv[1] == "parent":
    assert main(["task", "board", "entries", "-o", "site"]) == 0
else:
    task = read_task("task.yaml")
    track = task.tracks["t"]
    prepare(track)
    files = {name: f"entries/{name}" for name in os.listdir("entries")}
    for name, path in files.items():
        assert not examine_submission(task, path).rejected
        count_track(track, {name: path}, read_gold_table(track))
    count_track(track, files, read_gold_table(track))
print(seen["gold"])
"""


@pytest.mark.deep
@cases("process", "parent", "child")
@cases("count", 1, 6)
@cases(
    "track ending",
    (TRACK, "csv"),
    ("gold: gold.txt, metrics: [bleu], task: text, format: lines", "txt"),
)
def test_gold_is_read_once_in_each_process(process, count, track, ending):
    plan(track)
    Path("entries/good.csv").unlink()
    Path("gold.txt").write_text("the cat sat on the mat\n" * 20)
    for at in range(count):
        Path(f"entries/team{at}.{ending}").write_bytes(Path(f"gold.{ending}").read_bytes())
    call = [sys.executable, "-c", WATCH, process, f"gold.{ending}"]
    ran = subprocess.run(call, capture_output=True, text=True, check=True)
    assert "1" == ran.stdout.split()[-1]


BUSY = """\
import threading, time
from tallystick.cli import main
from tallystick.tasks.submission_worker import WORKER
def tell():
    while WORKER.pid is None:
        time.sleep(0.01)
    print(WORKER.pid, flush=True)
threading.Thread(target=tell).start()
main()
"""


@pytest.mark.deep
@LINUX
@cases("sent", signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
def test_no_process_outlives_its_parent(sent):
    words = [" ".join(str(at * step % 997) for at in range(30_000)) for step in (7, 11)]
    Path("gold.csv").write_text(f"id,text\n1,{words[0]}\n")
    Path("entries/long.csv").write_text(f"id,text\n1,{words[1]}\n")
    plan("gold: gold.csv, metrics: [ter], task: text", "seconds: 600")
    Path("temporary").mkdir()
    call = [sys.executable, "-c", BUSY, "task", "score", "entries"]
    env = os.environ | {"TMPDIR": os.path.abspath("temporary")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(call, env=env, **pipes) as parent:
        child = int(parent.stdout.readline())
        time.sleep(2)
        parent.send_signal(sent)
    for _ in range(100):
        if not os.path.exists(f"/proc/{child}"):
            break
        time.sleep(0.1)
    assert not os.path.exists(f"/proc/{child}")
    assert [] == os.listdir("temporary")


def test_submissions_that_fail_together_and_not_alone_reject_nobody(monkeypatch):
    task, ask = plan(), submission_worker.Worker.ask

    def fail(self, task, track, files):
        if len(files) > 1:
            raise submission_worker.SubmissionFailedError("takes more than 60 seconds")
        return ask(self, task, track, files)

    monkeypatch.setattr(submission_worker.Worker, "ask", fail)
    with pytest.raises(InputError, match="2 submissions together take more than they may"):
        count_submissions(task, "t", dict.fromkeys("ab", "entries/good.csv"))

"""Parts that processes or a cluster count add up to what one process counts, whatever happens."""

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import dask
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import rich.console
from distributed.security import Security
from distributed.system import MEMORY_LIMIT
from rich.console import Console

from cases import cases
from sources import Rows
from tallystick.cli import main, output
from tallystick.distributed import cluster
from tallystick.distributed.cluster import Cluster, connect, start
from tallystick.distributed.count import count
from tallystick.distributed.jobs import Counting, Here, count_sources
from tallystick.distributed.local import LocalCluster
from tallystick.errors import InputError
from tallystick.io.files.opening import Progress
from tallystick.limits import LIMITS
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.scoring.tally_file import pack_counted
from test_cli_count import TASKS, invent

COUNTING = Counting(("accuracy", "f1"), Reading(task=Task(kind="binary")))


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(LIMITS, "least_part", 1 << 10)


def invent_parts(number, **fates):
    random = np.random.default_rng(number)
    parts = []
    for place in range(number):
        gold, predicted = random.integers(2, size=(2, 10)).tolist()
        own = fates if place == number // 2 else {}
        parts.append(Rows(f"part-{place}", tuple(gold), tuple(predicted), **own))
    return parts


def save(path, rows, size=20):
    table = pyarrow.Table.from_pylist(list(rows)).drop_columns(["id"])
    pyarrow.parquet.write_table(table, path, row_group_size=size)
    return str(path)


@pytest.mark.deep
@cases("task number", *((task, 2) for task in TASKS), ("labels", 1), ("texts", 1))
@pytest.mark.usefixtures("shared_workers", "small_parts")
def test_any_number_of_workers_writes_the_bytes_of_one_process(tmp_path, task, number):
    source = save(tmp_path / "all.parquet", invent(5))
    one, many = (str(tmp_path / f"{name}.tally") for name in ("one", "many"))
    assert main(["count", source, *TASKS[task].split(), "-o", one]) == 0
    usual = [source, *TASKS[task].split()]
    assert main(["count", *usual, "--workers", str(number), "-o", many]) == 0
    assert Path(one).read_bytes() == Path(many).read_bytes()
    assert ["all.parquet", "many.tally", "one.tally"] == sorted(os.listdir(tmp_path))


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(LIMITS, "large_input", 1)
    monkeypatch.setattr(LIMITS, "block_rows", 32)
    monkeypatch.setattr(LIMITS, "sent_rows", 20)


def write_beside(folder, rows):
    table = pyarrow.Table.from_pylist(list(rows))
    names = [str(folder / f"{name}.parquet") for name in ("gold", "one", "two")]
    kept = [["id", "lang", "doc", "y_true"], ["id", "one"], ["id", "two"]]
    for name, columns, step in zip(names, kept, (1, 7, 11), strict=True):
        order = np.arange(len(rows)) * step % len(rows)
        pyarrow.parquet.write_table(table.select(columns).take(order), name)
    return names


def write_long(folder, rows):
    path = folder / "long.csv"
    lines = [
        f"{row['id']},{name},{row['lang']},{row['y_true']},{row[name]}"
        for row in rows
        for name in ("one", "two")
    ]
    path.write_text("\n".join(["id,system,lang,y_true,y_pred", *lines]), encoding="utf-8")
    return [str(path), "--system-column", "system"]


@pytest.mark.deep
@cases("write", write_beside, write_long)
@cases("number", "1", "2")
@pytest.mark.usefixtures("shared_workers", "small_blocks")
def test_workers_count_rows_that_one_process_joins(tmp_path, write, number):
    usual = ["count", *write(tmp_path, invent(9)), "--by", "lang", "-m", "f1", "accuracy"]
    one, many = (tmp_path / f"{name}.tally" for name in ("one", "many"))
    assert main([*usual, "-o", str(one)]) == 0
    assert main([*usual, "--workers", number, "-o", str(many)]) == 0
    assert one.read_bytes() == many.read_bytes()


@pytest.mark.deep
@cases(
    "layout metrics",
    (["--system-column", "system"], ["pass@1", "pass^3", "maj@3"]),
    (["--annotators", "one", "two", "y_true"], ["gwet_ac1", "krippendorff_alpha"]),
    (["--annotators", "y_true", "one", "--systems", "two"], ["cohen_kappa", "accuracy"]),
)
@pytest.mark.usefixtures("shared_workers", "small_blocks")
def test_workers_count_tries_and_ratings(tmp_path, layout, metrics):
    path = tmp_path / "all.jsonl"
    rows = invent(10)
    if "--system-column" in layout:
        rows = [
            {"id": row["doc"], "system": name, "correct": row[name]}
            for row in rows
            for name in ("one", "two")
        ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    usual = ["count", str(path), *layout, "-m", *metrics]
    one, many = (tmp_path / f"{name}.tally" for name in ("one", "many"))
    assert main([*usual, "-o", str(one)]) == 0
    assert main([*usual, "--workers", "2", "-o", str(many)]) == 0
    assert one.read_bytes() == many.read_bytes()


@pytest.mark.usefixtures("shared_workers", "small_blocks")
def test_a_label_that_occurs_late_changes_the_task_of_rows_that_were_sent(tmp_path):
    gold, own = tmp_path / "gold.csv", tmp_path / "own.csv"
    rows = [*(f"{place},{place % 2}\n" for place in range(300)), "300,2\n"]
    gold.write_text("id,label\n" + "".join(rows), encoding="utf-8")
    own.write_text("id,label\n" + "".join(rows[::-1]), encoding="utf-8")
    usual = ["count", str(gold), str(own), "-m", "macro_f1"]
    one, many = (tmp_path / f"{name}.tally" for name in ("one", "many"))
    assert main([*usual, "-o", str(one)]) == 0
    assert main([*usual, "--workers", "2", "-o", str(many)]) == 0
    assert one.read_bytes() == many.read_bytes()


WHAT = ["--gold-column", "y_true", "--by", "lang", "-m", "f1", "accuracy", "--systems"]


@pytest.mark.deep
@cases("command", "score", "compare", "rank", "plan", "gate")
@pytest.mark.usefixtures("shared_workers", "small_parts")
def test_every_command_prints_the_same_of_parts(tmp_path, command, capsys):
    usual = [command, save(tmp_path / "all.parquet", invent(6)), *WHAT]
    usual += (
        ["one", "--against", "two", "--max-drop", "0.1"] if command == "gate" else ["one", "two"]
    )
    plain = main(usual), *capsys.readouterr()
    assert plain == (main([*usual, "--workers", "2"]), *capsys.readouterr())


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(tmp_path, workers):
    once = str(tmp_path / "once")
    parts = invent_parts(9, fate="killed", once=once)
    expected = pack_counted(count_sources(invent_parts(9), COUNTING, Here()))
    assert expected == pack_counted(count_sources(parts, COUNTING, workers))
    assert Path(once).exists()


@pytest.mark.deep
def test_a_part_that_always_kills_its_worker_is_named(workers):
    with pytest.raises(InputError) as caught:
        count_sources(invent_parts(5, fate="killed"), COUNTING, workers)
    assert (
        "the part part-2 cannot be counted: its worker process ended before it had finished, "
        "3 times in a row; if "
        "memory ran out, use fewer workers, or smaller files"
    ) == str(caught.value)


@pytest.mark.deep
@cases("fate", "stopped", "hungry")
def test_a_worker_that_stops_or_fills_the_memory_is_replaced(monkeypatch, tmp_path, fate):
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "1s")
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE", str(2e9 / MEMORY_LIMIT))
    expected = pack_counted(count_sources(invent_parts(9), COUNTING, Here()))
    engine = start(2)  # of which each has half of the memory
    found = count_sources(invent_parts(9, fate=fate, once=str(tmp_path / "once")), COUNTING, engine)
    engine.close()
    assert expected == pack_counted(found)
    assert (tmp_path / "once").exists()


SCRIPT = """
import tallystick
counted = tallystick.count(["a", "b"] * 9, {"s": ["a", "a"] * 9}, "accuracy", engine=2)
print(tallystick.score(counted).scores[0].value)
"""


@pytest.mark.deep
def test_a_script_needs_no_guard_around_its_own_code():
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert (0, "0.5\n", "") == (ended.returncode, ended.stdout, ended.stderr)


PARENT = """
import time
from tallystick.distributed.local import LocalCluster
cluster = LocalCluster(2)
cluster.open()
print("started", flush=True)
time.sleep(60)
"""


@pytest.mark.deep
def test_workers_end_with_the_process_that_started_them():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    parent.stdout.readline()
    children = list_children(parent.pid)
    started = children + [pid for child in children for pid in list_children(child)]
    parent.kill()
    parent.communicate()
    end = time.monotonic() + 30
    while time.monotonic() < end and any(map(is_running, started)):
        time.sleep(0.01)
    assert len(started) >= 3
    assert [] == list(filter(is_running, started))


def test_workers_listen_on_the_loopback_address_alone(workers):
    assert isinstance(workers, Cluster)
    wording = workers._client.scheduler_info()
    assert {"tls://127.0.0.1"} == {
        address.rpartition(":")[0] for address in [wording["address"], *wording["workers"]]
    }


@cases("make", lambda: None, Security.temporary)
def test_workers_let_nobody_in_without_their_key(monkeypatch, workers, make):
    assert isinstance(workers, Cluster)
    monkeypatch.setattr(LIMITS, "scheduler_seconds", 1)
    with pytest.raises(InputError, match=r"there is no Dask scheduler at tls://127\.0\.0\.1:"):
        ExitStack().enter_context(cluster._open_client(workers._address, make()))


def test_workers_that_cannot_be_started_are_an_error(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    local = LocalCluster(2)
    monkeypatch.undo()
    with pytest.raises(InputError) as caught:
        local.open()
    local.close()
    assert "the workers could not be started: ModuleNotFoundError: No module named" in str(
        caught.value
    )


@pytest.mark.usefixtures("shared_workers")
def test_dask_warns_nobody_of_large_parts(recwarn):
    labels = ["a", "b"] * 10
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1B"}):
        count(labels, {"s": labels}, "accuracy", engine=2)
    assert [] == recwarn.list


def test_a_wrong_row_is_named_with_its_part(workers):
    with pytest.raises(InputError) as caught:
        count_sources(invent_parts(5, fate="wrong"), COUNTING, workers)
    assert "part-2, row 7: is wrong (in the part part-2)" == str(caught.value)


def test_a_file_that_cannot_be_read_is_tried_again(tmp_path, workers):
    parts = invent_parts(5, fate="unreadable", once=str(tmp_path / "once"))
    expected = pack_counted(count_sources(invent_parts(5), COUNTING, Here()))
    assert expected == pack_counted(count_sources(parts, COUNTING, workers))


def test_a_fault_of_a_worker_is_told_in_a_sentence(workers):
    with pytest.raises(InputError) as caught:
        count_sources(invent_parts(5, fate="broken"), COUNTING, workers)
    assert "the part part-2 cannot be counted: ZeroDivisionError: part-2" == str(caught.value)


COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from tallystick.distributed import jobs
from tallystick.limits import LIMITS
LIMITS.least_part = 1 << 10
append = jobs.append_counted
def note(*part):
    append(*part)
    open("counted", "w").close()
jobs.append_counted = note
from tallystick.cli import main
sys.exit(main(sys.argv[1:]))
"""


def spawn(folder, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end and not (folder / "counted").exists():
        time.sleep(0.01)
    return process


@pytest.mark.deep
@cases("number code", (signal.SIGINT, 130), (signal.SIGTERM, 143))
def test_an_interrupted_count_ends_its_workers(tmp_path, number, code):
    source = save(tmp_path / "all.parquet", invent(7, 500) * 40, 100)
    output = tmp_path / "all.tally"
    usual = ["count", source, *TASKS["texts"].split()]
    process = spawn(tmp_path, *usual, "--workers", "2", "-o", str(output))
    children = list_children(process.pid)
    for pid in children:
        os.kill(pid, signal.SIGSTOP)  # so that they cannot be done before they are ended
    process.send_signal(number)
    assert code == process.wait(30)
    assert process.stderr is not None
    assert "" == process.stderr.read()
    process.stderr.close()
    assert children
    assert [] == [pid for pid in children if is_running(pid)]
    assert ["all.parquet", "counted"] == sorted(os.listdir(tmp_path))


def list_children(pid):
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(line) for line in listed.stdout.split()]


def is_running(pid):
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text(encoding="utf-8").split()[2] != "Z"


@pytest.mark.deep
@pytest.mark.usefixtures("shared_workers", "small_parts")
def test_a_label_that_occurs_late_changes_the_task_of_all_parts(tmp_path):
    rows = [{"id": "", "y_true": n % 2, "y_pred": n % 3 % 2} for n in range(140_000)]
    rows.append({"id": "", "y_true": 2, "y_pred": 2})
    usual = ["count", save(tmp_path / "all.parquet", rows, 1000), "-m", "macro_f1"]
    one, many = (tmp_path / f"{name}.tally" for name in ("one", "many"))
    assert main([*usual, "-o", str(one)]) == 0
    assert main([*usual, "--workers", "2", "-o", str(many)]) == 0
    assert one.read_bytes() == many.read_bytes()


@cases(
    "options message",
    (["--workers", "0"], "--workers must be 1 or more, not 0"),
    (["--workers", "2", "--segments"], "--segments needs all examples in one process"),
)
def test_what_does_not_go_with_workers_is_told(tmp_path, options, message, capsys):
    source = save(tmp_path / "all.parquet", invent(8))
    assert 2 == main(["score", source, "--task", "text", "--gold-column", "reference", *options])
    assert message in capsys.readouterr().err


@cases(
    "name number noted",
    ("all.csv", "2", True),
    ("all.jsonl", "2", True),
    ("all.parquet", "2", False),
    ("all", "2", False),
    ("all.csv", "1", False),
)
@pytest.mark.usefixtures("shared_workers", "small_parts")
def test_a_note_says_where_workers_gain_nothing(tmp_path, name, number, noted, capsys):
    rows = [{"y_true": n % 2, "y_pred": n % 3 % 2} for n in range(600)]
    text = "y_true,y_pred\n" + "".join(f"{row['y_true']},{row['y_pred']}\n" for row in rows)
    (tmp_path / "all").mkdir()
    for path in (tmp_path / "all.csv", tmp_path / "all" / "1.csv", tmp_path / "all" / "2.csv"):
        path.write_text(text)
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "all.parquet")
    path = tmp_path / name
    assert 0 == main(["score", str(path), "-m", "f1", "--workers", number])
    assert noted == (
        f"note: {path} is read by one process, so more workers gain nothing but for slow metrics; "
        "write Parquet or several files, which all of them read\n" in capsys.readouterr().err
    )


@pytest.mark.usefixtures("shared_workers", "small_parts")
def test_a_wrong_row_is_told_with_its_part(tmp_path, capsys):
    rows = [{"id": "", "y_true": n % 2, "y_pred": n % 3 % 2} for n in range(140_000)]
    rows[-1]["y_pred"] = None
    path, output = save(tmp_path / "all.parquet", rows, 1000), tmp_path / "all.tally"
    code = main(["count", path, "-m", "f1", "--workers", "2", "-o", str(output)])
    wording = capsys.readouterr().err
    assert 4 == code
    assert "all.parquet, row 140000, column 'y_pred'" in wording
    assert f"(in the part {path}, rows" in wording
    assert not output.exists()


def test_the_bar_tells_parts_rate_and_what_is_left(monkeypatch):
    ended, late = threading.Event(), threading.Event()

    class Shown(io.StringIO):
        def write(self, text):
            if "counted 16 of 64 parts" in text and "MB/s" in text:
                ended.set()
            return super().write(text)

    console = Console(file=Shown(), width=100, force_terminal=True)
    monkeypatch.setattr(rich.console, "Console", lambda **_: console)
    timer = threading.Timer(60, lambda: (late.set(), ended.set()))
    timer.start()
    output._draw(Progress(done_bytes=50_000_000, parts=64, done_parts=16), 200_000_000, ended)
    timer.cancel()
    assert not late.is_set()


@pytest.mark.usefixtures("shared_workers")
def test_a_cluster_that_lacks_the_module_of_a_metric_says_so(tmp_path, monkeypatch, capsys):
    (tmp_path / "only_here.py").write_text("def same(gold, output):\n    return gold == output\n")
    (tmp_path / "texts.txt").write_text("a b\nc d\n")
    monkeypatch.chdir(tmp_path)
    assert main(["score", "texts.txt", "texts.txt", "-m", "only_here:same", "--workers", "2"]) == 2
    assert "has no module 'only_here', which a metric is from" in capsys.readouterr().err


@dataclass
class Machines:
    """A scheduler and its workers, each a process of its own."""

    folder: Path
    address: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, workers: int) -> None:
        """Starts all of them."""
        message = self.folder / "scheduler.json"
        self._run(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(message)
        )
        self.address = _wait(message)
        for _ in range(workers):
            self._run(
                *("worker", self.address, "--no-nanny", "--nthreads", "1"),
                *("--local-directory", str(self.folder)),
            )

    def end(self) -> None:
        """Ends all of them."""
        for process in self.processes:
            process.kill()
            process.wait(30)

    def _run(self, what: str, *options: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *options]
        here = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        self.processes.append(subprocess.Popen(command, stderr=subprocess.DEVNULL, env=here))


def _wait(message):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if message.exists() and message.read_text(encoding="utf-8"):
            return str(json.loads(message.read_text(encoding="utf-8"))["address"])
        time.sleep(0.05)
    raise TimeoutError(message)


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    cluster = Machines(tmp_path_factory.mktemp("cluster"))
    cluster.start(2)
    yield cluster
    cluster.end()


@pytest.mark.deep
@cases("task", "labels", "probabilities", "texts")
@pytest.mark.usefixtures("small_parts")
def test_a_cluster_writes_the_bytes_of_one_process(tmp_path, machines, task):
    source = save(tmp_path / "all.parquet", invent(5))
    one, many = (str(tmp_path / f"{name}.tally") for name in ("one", "many"))
    usual = ["count", source, *TASKS[task].split()]
    assert main([*usual, "-o", one]) == 0
    assert main([*usual, "--workers", machines.address, "-o", many]) == 0
    assert Path(one).read_bytes() == Path(many).read_bytes()


def count_on(machines, parts):
    engine = connect(machines.address)
    try:
        return pack_counted(count_sources(parts, COUNTING, engine))
    finally:
        engine.close()


def test_workers_keep_the_memory_that_they_take(workers):
    assert isinstance(workers, Cluster)
    kept = workers._client.run(os.getenv, "MALLOC_TRIM_THRESHOLD_")
    assert len(kept) == 2
    assert all(int(value) > 1 << 26 for value in kept.values())


def test_a_worker_of_a_cluster_that_is_killed_changes_nothing(tmp_path, machines):
    once = str(tmp_path / "once")
    expected = pack_counted(count_sources(invent_parts(9), COUNTING, Here()))
    assert expected == count_on(machines, invent_parts(9, fate="killed", once=once))
    assert Path(once).exists()


def test_a_wrong_row_on_a_cluster_is_named_with_its_part(machines):
    with pytest.raises(InputError) as caught:
        count_on(machines, invent_parts(5, fate="wrong"))
    assert "part-2, row 7: is wrong (in the part part-2)" == str(caught.value)


def test_a_fault_on_a_cluster_is_told_in_a_sentence(machines):
    with pytest.raises(InputError) as caught:
        count_on(machines, invent_parts(5, fate="broken"))
    assert "the part part-2 cannot be counted: ZeroDivisionError: part-2" == str(caught.value)


@pytest.mark.deep
def test_a_scheduler_that_goes_away_leaves_no_output(tmp_path):
    own = Machines(tmp_path)
    own.start(1)
    source = save(tmp_path / "all.parquet", invent(7, 500) * 40, 100)
    output = tmp_path / "all.tally"
    usual = ["count", source, *TASKS["texts"].split(), "-o", str(output)]
    process = spawn(tmp_path, *usual, "--workers", own.address)
    own.processes[0].kill()
    _, message = process.communicate(timeout=60)
    own.end()
    assert 4 == process.returncode
    gone = f"tallystick: error: the Dask scheduler at {own.address} stopped before all parts"
    assert message.startswith(gone)
    assert 1 == message.count("\n")
    assert not output.exists()


def test_no_scheduler_at_an_address_is_told(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(LIMITS, "scheduler_seconds", 0.1)
    source = save(tmp_path / "all.parquet", invent(5))
    code = main(["score", source, *TASKS["labels"].split(), "--workers", "tcp://127.0.0.1:1"])
    assert 4 == code
    assert "there is no Dask scheduler at tcp://127.0.0.1:1" in capsys.readouterr().err


@cases(
    "package options",
    ("distributed", ["--workers", "tcp://127.0.0.1:1"]),
    ("distributed", ["--workers", "2"]),
    ("cryptography", ["--workers", "2"]),
)
def test_without_dask_a_sentence_says_what_to_install(
    monkeypatch, tmp_path, capsys, package, options
):
    monkeypatch.setitem(sys.modules, package, None)
    usual = ["score", save(tmp_path / "all.parquet", invent(5)), *TASKS["labels"].split()]
    alone = main([*usual, "--workers", "1"])
    capsys.readouterr()
    assert [0, 2] == [alone, main([*usual, *options])]
    assert "pip install 'tallystick[dask]'" in capsys.readouterr().err

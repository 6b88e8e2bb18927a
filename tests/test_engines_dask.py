"""A Dask cluster counts what one process counts, and its faults are told in words."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cases import cases
from tallystick.cli import main
from tallystick.distributed import cluster
from tallystick.distributed.cluster import Cluster, connect
from tallystick.distributed.jobs import Here, count_sources
from tallystick.errors import InputError
from tallystick.reading import table_files
from tallystick.scoring.tally_file import pack_counted
from test_cli_count import TASKS, invent
from test_engines import COUNTING, invent_parts, save, spawn


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


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(table_files, "_LEAST", 1 << 10)


@pytest.mark.deep
@cases("task", "labels", "probabilities", "texts")
@pytest.mark.usefixtures("small_parts")
def test_a_cluster_writes_the_bytes_of_one_process(tmp_path, machines, task):
    source = save(tmp_path / "all.parquet", invent(5))
    one, many = (str(tmp_path / f"{name}.tally") for name in ("one", "many"))
    usual = ["count", source, *TASKS[task].split()]
    assert main([*usual, "-o", one]) == 0
    assert main([*usual, "--scheduler", machines.address, "-o", many]) == 0
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
    process = spawn(tmp_path, *usual, "--scheduler", own.address)
    own.processes[0].kill()
    _, message = process.communicate(timeout=60)
    own.end()
    assert 4 == process.returncode
    gone = f"tallystick: error: the Dask scheduler at {own.address} stopped before all parts"
    assert message.startswith(gone)
    assert 1 == message.count("\n")
    assert not output.exists()


def test_no_scheduler_at_an_address_is_told(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cluster, "_SECONDS", 0.1)
    source = save(tmp_path / "all.parquet", invent(5))
    code = main(["score", source, *TASKS["labels"].split(), "--scheduler", "tcp://127.0.0.1:1"])
    assert 4 == code
    assert "there is no Dask scheduler at tcp://127.0.0.1:1" in capsys.readouterr().err


@cases(
    "package options",
    ("distributed", ["--scheduler", "tcp://127.0.0.1:1"]),
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

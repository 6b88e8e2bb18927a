"""The tools and benchmarks of the repository, and which tests run when."""

import csv
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

import tallystick
from conftest import pytest_collection_modifyitems, pytest_xdist_auto_num_workers
from tallystick import Task

sys.path.append(str(Path(__file__).parents[1] / "tools"))

from mutants import find_mutant, find_statement, list_mutants

SOURCE = b'''"""Says 1 + 1."""

__all__ = ["half"]


def half(number: "int", *, up: bool = True) -> int:
    """Returns number / 2."""
    if number < 0 and up:
        raise ValueError("below" + "0")
    return (
        number  # not *
        // 2
    )
'''


def test_operators_comparisons_and_constants_are_changed():
    assert [("True", "False"), ("<", "<="), ("0", "1"), ("and", "or"), ("//", "/"), ("2", "3")] == [
        (one.old, one.new) for one in list_mutants("half.py", SOURCE)
    ]


@pytest.mark.parametrize("place", range(6))
def test_a_mutant_is_found_again_in_a_file_that_has_changed(tmp_path, place):
    mutant = list_mutants("half.py", SOURCE)[place]
    (tmp_path / "halves.py").write_bytes(SOURCE.replace(b"\n\n\n", b"\n\n\nONE = 1\n\n\n", 1))
    found = find_mutant(mutant, tmp_path)
    assert found is not None
    assert ("halves.py", mutant.line + 3) == (found.file, found.line)


def test_a_line_belongs_to_its_statement():
    assert [range(8, 9), range(10, 14), range(0)] == [
        find_statement(SOURCE, line) for line in (8, 12, 6)
    ]


NAMES = {"plain": 7, "deep": 12, "peers": 3}


@dataclass(frozen=True)
class Case:
    """A case of a test, as pytest collects it."""

    name: str
    marker: str

    @property
    def nodeid(self):
        """Its file and its name."""
        return f"tests/test_x.py::{self.name}"

    def get_closest_marker(self, name):
        """Whether it is marked so."""
        return name == self.marker


def select(markers="", *arguments):
    items = [
        Case(f"{name}[{case}]", name) for name, count in NAMES.items() for case in range(count)
    ]
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    option = SimpleNamespace(markexpr=markers, capture="fd")
    pytest_collection_modifyitems(SimpleNamespace(option=option, args=arguments, hook=hook), items)
    return {name: {one.name for one in items if one.name.startswith(name)} for name in NAMES}


def test_the_names_of_deep_cases_decide_which_always_run():
    found = select()
    assert {"deep[0]", "deep[2]", "deep[3]"} == found["deep"]
    assert [7, 0] == [len(found["plain"]), len(found["peers"])]


def test_a_fifth_of_the_deep_tests_with_few_cases_always_runs():
    items = [Case(f"test_{number}", "deep") for number in range(1000)]
    config = SimpleNamespace(
        option=SimpleNamespace(markexpr="", capture="fd"),
        args=(),
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )
    pytest_collection_modifyitems(config, items)

    assert pytest.approx(200, abs=40) == len(items)


@pytest.mark.parametrize("asked", [("deep",), ("", "tests/test_x.py::deep")])
def test_what_is_asked_for_runs_as_a_whole(asked):
    assert list(NAMES.values()) == [len(cases) for cases in select(*asked).values()]


@pytest.mark.parametrize(
    ("capture", "argument", "alone"),
    [("fd", "tests/test_x.py", False), ("no", "", True), ("fd", "tests/test_x.py::deep", True)],
)
def test_single_tests_run_where_they_can_be_debugged(capture, argument, alone):
    config = SimpleNamespace(option=SimpleNamespace(capture=capture), args=[argument])
    assert alone == (0 == pytest_xdist_auto_num_workers(config))


@pytest.mark.deep
def test_promises_are_measured_by_one_command(tmp_path):
    call = ["promises.py", "99.5% right", "40% positive, areas", "100, 10% positive"]
    found = subprocess.run(
        [sys.executable, *call, "--samples", "5", "--write", str(tmp_path)],
        cwd=Path(__file__).parents[1] / "benchmarks",
        capture_output=True,
        text=True,
        check=True,
    )
    with (tmp_path / "promises.csv").open(encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    rows = [line.split(" | ")[1] for line in found.stdout.splitlines()[2:]]

    assert {"interval", "test", "gate"} == {one["promise"] for one in cells} == {*rows}
    assert ["99.5% right"] * 6 == [
        one["population"] for one in cells if one["promise"] == "interval"
    ]
    assert (tmp_path / "promises.svg").read_text().startswith("<svg")


CLUSTER = 20
BINARY = Task("binary", (0, 1), 1)

Columns = tuple[NDArray[np.int64], NDArray[np.int64] | NDArray[np.float64]]


def tabulate(*rows):
    gold, predicted = np.divmod(np.repeat(np.arange(len(rows) ** 2), np.ravel(rows)), len(rows))
    return gold, predicted


def rank():
    rng = np.random.default_rng(1)
    gold = (rng.random(20_000) < 0.2).astype(np.int64)
    return gold, 1 / (1 + np.exp(-1.5 * gold - rng.normal(size=len(gold))))


def hang_together():
    rng = np.random.default_rng(1)
    right = rng.random((2000, CLUSTER)) < rng.beta(6.75, 2.25, (2000, 1))
    gold = rng.integers(2, size=right.size)
    return gold, np.where(right.ravel(), gold, 1 - gold)


TWO = tabulate([51, 9], [8, 32])
FOUR = tabulate([90, 6, 3, 1], [12, 42, 5, 1], [5, 5, 18, 2], [2, 2, 1, 5])


@pytest.mark.deep
@pytest.mark.parametrize(("columns", "metric", "task", "size", "unit"), [
    pytest.param(TWO, "f1", BINARY, 50, 1, id="Jaccard"),
    pytest.param(TWO, "macro_f1", BINARY, 251, 1, id="labels combined"),
    pytest.param(rank(), "roc_auc", BINARY, 100, 1, id="Newcombe"),
    pytest.param(FOUR, "mcc", Task("multiclass"), 251, 1, id="effective size"),
    pytest.param(hang_together(), "accuracy", BINARY, 100, CLUSTER, id="five clusters"),
])  # fmt: skip
def test_intervals_hold_the_true_value(columns, metric, task, size, unit):
    rng = np.random.default_rng(2)
    (true,) = tallystick.score(*columns, metrics=metric, task=task, intervals=False).scores
    firsts = rng.integers(len(columns[0]) // unit, size=500 * size // unit) * unit
    rows = (firsts[:, None] + np.arange(unit)).ravel()
    found = tallystick.score(
        *(column[rows] for column in columns),
        metrics=metric,
        by=np.arange(len(rows)) // size,
        clusters=np.arange(len(rows)) // unit if unit > 1 else None,
        task=task,
    )
    samples = [one for one in found.scores if one.group not in ("macro", "micro")]
    assert 0.9 <= float(np.mean([one.low <= true.value <= one.high for one in samples])) <= 0.99

"""Facts about how often intervals hold the true value; benchmarks/coverage.py has the study."""

import numpy as np
import pytest
from numpy.typing import NDArray

import tallystick
from tallystick import Task

SAMPLES = 500
CLUSTER = 20
BINARY = Task("binary", (0, 1), 1)

Columns = tuple[NDArray[np.int64], NDArray[np.int64] | NDArray[np.float64]]


def tabulate(*rows: list[int]) -> Columns:
    cells = np.repeat(np.arange(len(rows) ** 2), np.ravel(rows))
    gold, predicted = np.divmod(cells, len(rows))
    return gold, predicted


def rank() -> Columns:
    rng = np.random.default_rng(1)
    gold = (rng.random(20_000) < 0.2).astype(np.int64)
    return gold, 1 / (1 + np.exp(-1.5 * gold - rng.normal(size=len(gold))))


def hang_together() -> Columns:
    rng = np.random.default_rng(1)
    right = rng.random((2000, CLUSTER)) < rng.beta(6.75, 2.25, (2000, 1))
    gold = rng.integers(2, size=right.size)
    return gold, np.where(right.ravel(), gold, 1 - gold)


def cover(columns: Columns, metric: str, task: Task, size: int, unit: int = 1) -> float:
    rng = np.random.default_rng(2)
    (true,) = tallystick.score(*columns, metrics=metric, task=task, intervals=False).scores
    firsts = rng.integers(len(columns[0]) // unit, size=SAMPLES * size // unit) * unit
    rows = (firsts[:, None] + np.arange(unit)).ravel()
    found = tallystick.score(
        *(column[rows] for column in columns),
        metrics=metric,
        by=np.arange(len(rows)) // size,
        clusters=np.arange(len(rows)) // unit if unit > 1 else None,
        task=task,
    )
    samples = [one for one in found.scores if one.group not in ("macro", "micro")]
    return float(np.mean([one.low <= true.value <= one.high for one in samples]))


TWO = tabulate([51, 9], [8, 32])
FOUR = tabulate([90, 6, 3, 1], [12, 42, 5, 1], [5, 5, 18, 2], [2, 2, 1, 5])


@pytest.mark.deep
@pytest.mark.parametrize(
    ("columns", "metric", "task", "size", "unit"),
    [
        pytest.param(TWO, "f1", BINARY, 50, 1, id="Jaccard"),
        pytest.param(TWO, "macro_f1", BINARY, 251, 1, id="labels combined"),
        pytest.param(rank(), "roc_auc", BINARY, 100, 1, id="Newcombe"),
        pytest.param(FOUR, "mcc", Task("multiclass"), 251, 1, id="effective size"),
        pytest.param(hang_together(), "accuracy", BINARY, 100, CLUSTER, id="five clusters"),
    ],
)
def test_intervals_hold_the_true_value(columns, metric, task, size, unit):
    assert 0.9 <= cover(columns, metric, task, size, unit) <= 0.99

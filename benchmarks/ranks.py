"""Rank correlations of 20,000 different numbers: scores, intervals and resamples, beside scipy.

Processor seconds, the median of three rounds. scipy's resamples are a loop over the rows that were
drawn, of which some are timed.
"""

from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from stopwatch import format_table

import tallystick
from tallystick.examples.systems import Systems
from tallystick.kinds.numbers.numbers import Numbers
from tallystick.metrics import KendallTauB, KendallTauC, Metric, Spearman

SIZE = 20_000
RESAMPLES = 1_000
LOOPS = 20
ROUNDS = 3

Column = NDArray[np.float64]

PEERS: dict[Metric, Callable[[Any, Any], Any]] = {
    Spearman(): stats.spearmanr,
    KendallTauB(): stats.kendalltau,
    KendallTauC(): lambda x, y: stats.kendalltau(x, y, variant="c"),
}


def main() -> None:
    """Draws the numbers, checks that all agree, and prints a table."""
    generator = np.random.default_rng(1)
    gold = generator.normal(size=SIZE)
    outputs = gold + generator.normal(size=SIZE)
    drawn = [generator.integers(SIZE, size=SIZE) for _ in range(LOOPS)]
    rows = [
        [metric.short, *(f"{seconds:.2f}" for seconds in _compare(metric, gold, outputs, drawn))]
        for metric in PEERS
    ]
    headings = (
        "20,000 rows",
        "score and interval",
        "1,000 resamples",
        "scipy, one score",
        "scipy, 1,000 resamples",
    )
    print(format_table(headings, rows))


def _compare(metric: Metric, gold: Column, outputs: Column, drawn: Sequence[Any]) -> list[float]:
    """The seconds of one score and of all resamples, by Tallystick and by scipy."""
    peer = PEERS[metric]
    systems = Systems(("a",), numbers=Numbers(gold, {None: outputs[None]}))
    tally = metric.counter.count(systems)
    assert abs(metric.score(tally)[0] - peer(gold, outputs).statistic) < 1e-12
    loop = _time(lambda: [peer(gold[rows], outputs[rows]) for rows in drawn])
    return [
        _time(lambda: tallystick.score(gold, outputs, metric)),
        _time(lambda: [metric.score(own) for own in tally.resample(RESAMPLES, 1)]),
        _time(lambda: peer(gold, outputs)),
        loop / LOOPS * RESAMPLES,
    ]


def _time(work: Callable[[], Any]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        start = process_time()
        work()
        seconds.append(process_time() - start)
    return median(seconds)


if __name__ == "__main__":
    main()

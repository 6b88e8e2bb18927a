"""What intervals cost: ten million rows in four groups, with and without them, by turns."""

from statistics import median
from time import perf_counter

import numpy as np
from stopwatch import format_table

from tallystick import Intervals, score

ROWS = 10_000_000
ROUNDS = 5
USUAL = ("positive_rate", "roc_auc", "f1", "precision", "recall", "accuracy")
RESAMPLED = ("mcc", "macro_f1", "weighted_f1", "balanced_accuracy", "cohen_kappa")
"""Metrics that no formula bounds, so that their counts are resampled 1,000 times."""


def main() -> None:
    """Measures both sets of metrics."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, ROWS).astype(np.int8)
    scores = np.clip(0.3 * gold + 0.7 * rng.random(ROWS), 0, 1)
    groups = rng.integers(0, 4, ROWS).astype(np.int8)
    rows = []
    for name, metrics in (
        ("the usual ones", USUAL),
        ("and five that are resampled", USUAL + RESAMPLED),
    ):
        seconds: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(ROUNDS):
            for intervals, own in seconds.items():
                start = perf_counter()
                score(
                    gold,
                    scores,
                    by=groups,
                    metrics=metrics,
                    intervals=Intervals() if intervals else False,
                )
                own.append(perf_counter() - start)
        without, extra = median(seconds[False]), median(seconds[True]) - median(seconds[False])
        rows.append([name, f"{without:.3f}", f"{1000 * extra:.0f}", f"{100 * extra / without:.1f}"])
    print(format_table(("metrics", "seconds without", "ms for intervals", "%"), rows))


if __name__ == "__main__":
    main()

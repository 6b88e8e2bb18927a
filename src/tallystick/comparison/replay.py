"""What sacreBLEU's own tests say of the same systems."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.settings import Test
from tallystick.errors import UsageError
from tallystick.scoring.counted import Counted
from tallystick.statistics.sacrebleu_tests import read_seed, replay_bootstrap, replay_randomisation
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Pair

Bounds = tuple[tuple[float, float], ...]
"""Of each system the mean of its resampled scores, and half the width of 95% of them."""


def replay(
    counted: Counted, metrics: Sequence[Metric], test: Test, pairs: Sequence[Pair], resamples: int
) -> tuple[Values, list[Bounds]]:
    """The p-values that sacreBLEU gives, and what it says of each system's score.

    p-values have shape (metrics, pairs, 1), and only the bootstrap has bounds. Groups, clusters and
    counts of examples alone are refused, since sacreBLEU does not know them.
    """
    tally = counted.tally(metrics[0])
    if counted.groups or counted.clustered:
        raise UsageError(f"{test} supports neither groups nor clusters; choose ar or bootstrap")
    rows, seed = _list_rows(counted, tally), read_seed()
    places = [(tally.systems.index(a), tally.systems.index(b)) for a, b in pairs]
    found, bounds = [], list[Bounds]()
    for metric in metrics:
        score = partial(_score_sums, metric, tally)
        if test == "sacrebleu-bs":
            resampled = replay_bootstrap(rows, score, resamples, seed)
            found.append([[resampled.p_value(*pair)] for pair in places])
            bounds.append(tuple(resampled.bound(system) for system in range(len(rows))))
        else:
            p_value = replay_randomisation(rows, score, resamples, seed)
            found.append([[p_value(*pair)] for pair in places])
    return np.array(found), bounds


def _list_rows(counted: Counted, tally: Sums) -> NDArray[Any]:
    """The row of each example as it was read, of shape (systems, examples, columns)."""
    if not counted.examples:
        raise UsageError(
            "sacreBLEU's tests need every example in its order, which counts do not have; choose "
            "ar or bootstrap"
        )
    if tally.rows is not None:
        return tally.rows.values.swapaxes(0, 1)
    # Imported here because most examples are no texts.
    from tallystick.kinds.texts.text_sums import sum_each

    blocks = [
        np.stack([sum_each(tally.counter, block.of(name)).sums[0] for name in block.names])
        for block in counted.examples
    ]
    return np.concatenate(blocks, axis=1)


def _score_sums(metric: Metric, tally: Sums, sums: NDArray[np.float64]) -> Values:
    """Sums of shape (resamples, columns) as scores."""
    one = replace(tally, systems=("",), sums=sums[None, :, None], scatter=None)
    return metric.score(one)[..., 0]

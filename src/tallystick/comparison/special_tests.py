"""Tests of their own: DeLong's of differences of ROC-AUC, and those of sacreBLEU."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.rows import find_places, list_rows
from tallystick.comparison.settings import Test, Testing
from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.score_rows import ScoreRows
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Pair
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import sum_each
from tallystick.statistics.areas import bound_area_difference, find_areas, find_p_value
from tallystick.statistics.influence import Scatter
from tallystick.statistics.paired import Tested
from tallystick.statistics.sacrebleu_tests import read_seed, replay_bootstrap, replay_randomisation


def compare_areas(
    counted: Counted, tally: ScoreRows, pairs: Sequence[Pair], testing: Testing
) -> tuple[Tested, Scatter]:
    """The bounds of the differences, the p-values and how they scatter, of shape (pairs, rows).

    Groups are independent, so the variances of a mean over groups add up.
    """
    areas, variances = _find_areas(counted, tally)
    left, right = ([tally.systems.index(pair[side]) for pair in pairs] for side in (0, 1))
    differences = areas[:, left] - areas[:, right]
    own = np.diagonal(variances, axis1=-2, axis2=-1)
    # Rounding may not go below 0.
    spread = np.maximum(0, own[:, left] + own[:, right] - 2 * variances[:, left, right])
    scarcer = np.broadcast_to(_count_scarcer(counted, tally)[:, None], differences.shape)
    p = np.vectorize(find_p_value, otypes=[float])(differences, spread, scarcer)
    ends = bound_area_difference(differences, spread, scarcer, testing.confidence)
    many, none = np.full(spread.T.shape, np.inf), np.zeros(spread.T.shape)
    scatter = Scatter(spread.T, many, scarcer.T, none, many, none)
    return (ends[0].T, ends[1].T, p.T), scatter


def _count_scarcer(counted: Counted, tally: ScoreRows) -> Values:
    """The number of positives or negatives of each row, whichever are fewer."""
    sizes = tally.count_gold()
    groups = sizes[find_places(tally.groups, counted.groups)].min(-1)
    return np.array(list_rows([*groups], groups.sum(), sizes.sum(0).min()), np.float64)


def _find_areas(counted: Counted, tally: ScoreRows) -> tuple[Values, Values]:
    stacked = np.stack(list(tally.scores)).astype(np.float64)
    positive = tally.gold.codes == 1
    chosen = [tally.owners.codes == at for at in find_places(tally.groups, counted.groups)]
    found = [
        find_areas(stacked[:, here & positive], stacked[:, here & ~positive])
        for here in (*chosen, np.ones(len(tally.gold), bool))
    ]
    areas, variances = map(np.array, zip(*found, strict=True))
    if counted.groups:
        known = ~np.isnan(areas[:-1, 0])
        mean = areas[:-1][known].mean(0) if known.any() else areas[0] * np.nan
        spread = variances[:-1][known].sum(0) / max(1, known.sum()) ** 2
        areas = np.insert(areas, -1, mean, axis=0)
        variances = np.insert(variances, -1, spread, axis=0)
    return areas, variances


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
    if counted.groups or counted.facts.clustered:
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
    blocks = [sum_each(tally.counter, block).sums for block in counted.examples]
    return np.concatenate(blocks, axis=1)


def _score_sums(metric: Metric, tally: Sums, sums: NDArray[np.float64]) -> Values:
    one = replace(tally, systems=("",), sums=sums[None, :, None], scatter=None)
    return metric.score(one)[..., 0]

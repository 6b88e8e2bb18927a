"""DeLong's test and interval of differences of ROC-AUC."""

from collections.abc import Sequence

import numpy as np

from tallystick.comparison.rows import find_places, list_rows
from tallystick.comparison.settings import Testing
from tallystick.scoring.counted import Counted
from tallystick.statistics.areas import bound_area_difference, find_areas, find_p_value
from tallystick.statistics.differences import agree
from tallystick.tallies.metric import Values
from tallystick.tallies.score_rows import ScoreRows
from tallystick.tallies.tally import Pair


def compare_areas(
    counted: Counted, tally: ScoreRows, pairs: Sequence[Pair], testing: Testing
) -> tuple[Values, Values, Values]:
    """The bounds of the differences and the p-values, each of shape (pairs, rows).

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
    bounds = bound_area_difference(differences, spread, scarcer, testing.confidence)
    low, high = agree(bounds, differences, p, testing.confidence)
    return low.T, high.T, p.T


def _count_scarcer(counted: Counted, tally: ScoreRows) -> Values:
    """The number of positives or negatives of each row, whichever are fewer."""
    sizes = tally.count_gold()
    groups = sizes[find_places(tally.groups, counted.groups)].min(-1)
    return np.array(list_rows([*groups], groups.sum(), sizes.sum(0).min()), np.float64)


def resample_areas(counted: Counted, tally: ScoreRows, testing: Testing) -> Values:
    """Areas of shape (systems, resamples, rows), from the normal distribution of DeLong's test."""
    areas, variances = _find_areas(counted, tally)
    stream = np.random.default_rng([testing.random_seed, len(areas)])
    count = testing.intervals.resamples
    rows = [
        np.full((count, len(own)), np.nan)
        if np.isnan(covariance).any()
        else stream.multivariate_normal(own, covariance, count, method="eigh")
        for own, covariance in zip(areas, variances, strict=True)
    ]
    return np.stack(rows).transpose(2, 1, 0)


def _find_areas(counted: Counted, tally: ScoreRows) -> tuple[Values, Values]:
    """The areas of all systems on each row, with their covariances."""
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

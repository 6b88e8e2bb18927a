"""How two systems differ by a judge that human labels correct, by Student's t."""

from collections.abc import Sequence

import numpy as np

from tallystick.comparison.pairwise_tests import Outcome
from tallystick.comparison.settings import Testing
from tallystick.errors import UsageError
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Pair
from tallystick.scoring.corrections.corrected import Corrected, Row
from tallystick.scoring.counted import Counted
from tallystick.statistics import student
from tallystick.statistics.influence import Scatter


def compare_corrected(
    counted: Counted, corrected: Corrected, testing: Testing, pairs: Sequence[Pair]
) -> dict[Metric, Outcome]:
    """What every metric says of pairs of systems, of which each has its corrected score."""
    if testing.test not in (None, "t"):
        raise UsageError(f"`corrected_by=` is tested by t, not by {testing.test}")
    found = {}
    for metric in counted.metrics:
        values = {
            name: np.array([corrected.estimate(metric, name, row).value for row in counted.rows])
            for name in counted.systems
        }
        tests = np.array(
            [
                [_test(corrected, metric, pair, row, testing.confidence) for row in counted.rows]
                for pair in pairs
            ]
        ).reshape(len(pairs), len(counted.rows), 4)
        low, high, p, freedom = np.moveaxis(tests, -1, 0)
        none = np.zeros(freedom.shape)
        scatter = Scatter(none, freedom, none, none, none, none)
        found[metric] = Outcome("t", pairs, low, high, p, values, scatter)
    return found


def _test(
    corrected: Corrected, metric: Metric, pair: Pair, row: Row, confidence: float
) -> tuple[float, float, float, float]:
    """The interval of a difference, its p-value, and the degrees of freedom."""
    one, other = (corrected.estimate(metric, name, row) for name in pair)
    influence = corrected.subtract(metric, *pair, row)
    variance, freedom = influence.variance, influence.freedom
    difference, reach = one.value - other.value, one.limits[1] - one.limits[0]
    if np.isnan(variance) or np.isnan(difference):
        return np.nan, np.nan, np.nan, np.nan
    # Where nothing scatters, as of equal outputs, a single example could still be another.
    least = (reach if np.isfinite(reach) else abs(difference)) / max(one.labels, 1)
    error = variance**0.5 if variance > 0 else least
    half = float(student.quantile(confidence, freedom)) * error
    p = float(student.p_value(difference / error if error > 0 else 0.0, freedom))
    return max(difference - half, -reach), min(difference + half, reach), p, freedom


def draw_corrected(
    counted: Counted, corrected: Corrected, metric: Metric, testing: Testing
) -> Values:
    """Scores of all systems as they vary together, normal: (systems, resamples, rows)."""
    stream = np.random.default_rng(testing.random_seed)
    size = testing.intervals.resamples
    rows = []
    for row in counted.rows:
        own = [corrected.estimate(metric, name, row) for name in counted.systems]
        values = np.array([one.value for one in own])
        moves = [one.influence.moves for one in own]
        # The mean over other groups is moved by other examples.
        if np.isnan(values).any() or len({len(one) for one in moves}) > 1:
            rows.append(np.full((len(own), size), np.nan))
        else:
            covariance = np.stack(moves) @ np.stack(moves).T
            rows.append(stream.multivariate_normal(values, covariance, size).T)
    return np.stack(rows, axis=-1)

"""Facts about shares over clusters: they are Wilson's with Student's t, and widen as they must."""

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from tallystick.intervals.clusters import bound_clustered_share
from tallystick.intervals.wilson import bound_share


def test_many_clusters_of_one_are_examples() -> None:
    """Ten thousand of them have the interval of as many trials, to a thousandth of its width."""
    hits = np.arange(10_000) < 7_000
    expected = np.stack(bound_share(np.array(7_000), np.array(10_000), 0.95))

    assert pytest.approx(expected, abs=2e-5) == np.stack(
        bound_clustered_share(hits * 1, np.ones(10_000), 0.95)
    )


def test_equal_clusters_scatter_as_their_shares() -> None:
    """Five clusters: the variance of a mean of five numbers, with four degrees of freedom."""
    hits, sizes = np.array([12, 15, 18, 9, 16]), np.full(5, 20)
    shares = hits / 20
    ratio = student.ppf(0.975, 4) / norm.ppf(0.975)
    trials = 0.7 * 0.3 / (shares.var(ddof=1) / 5 * ratio**2)

    assert pytest.approx(np.stack(bound_share(0.7 * trials, np.array(trials), 0.95))) == np.stack(
        bound_clustered_share(hits, sizes, 0.95)
    )


def test_a_giant_cluster_widens() -> None:
    """The same hits and examples, once in equal clusters, once nearly all in one."""
    equal = np.ptp(np.stack(bound_clustered_share(np.tile([14, 16], 10), np.full(20, 20), 0.95)))
    sizes = np.array([305, *[5] * 19])
    giant = np.ptp(np.stack(bound_clustered_share(np.array([229, *[3, 4] * 9, 3]), sizes, 0.95)))

    assert giant > 3 * equal


def test_clusters_that_do_not_differ_are_trials() -> None:
    """Where all is right there are four of them, whatever their size."""
    found = bound_clustered_share(np.full(4, 50), np.full(4, 50), 0.95)

    assert pytest.approx(np.stack(bound_share(np.array(4), np.array(4), 0.95))) == np.stack(found)


def test_a_single_cluster_has_no_interval() -> None:
    """It shows no scatter."""
    low, high = bound_clustered_share(np.array([[7], [9]]), np.array([10]), 0.95)

    assert np.isnan([low, high]).all()
    assert (2,) == low.shape

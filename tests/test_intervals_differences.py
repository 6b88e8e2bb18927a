"""Facts about intervals of differences that agree with their tests."""

import numpy as np
import pytest
from scipy import stats

from tallystick.statistics import tango
from tallystick.statistics.differences import agree, bound_labels, bound_sums, contain


def test_differences_of_shares_have_tangos_interval():
    """12 against 5 of 80: steps of an example, and the variance of a difference of nothing."""
    wins, losses, n = 12.0, 5.0, 80.0
    arrays = (np.array([one]) for one in ((wins - losses) / n, (wins + losses) / n**2, 1 / n, 1.0))
    expected = tango.bound_difference(np.array([wins]), np.array([losses]), np.array([n]), 0.95)

    assert np.array(expected) == pytest.approx(np.array(bound_labels(*arrays, 0.95)), abs=1e-12)


def test_scores_of_another_range_have_the_same_interval_in_its_units():
    """A score that reaches from -1 to 1 is twice as wide, and so is its interval."""
    one = bound_labels(*(np.array([own]) for own in (0.1, 4e-3, 0.01, 1.0)), 0.9)
    two = bound_labels(*(np.array([own]) for own in (0.2, 16e-3, 0.02, 2.0)), 0.9)

    assert 2 * np.array(one) == pytest.approx(np.array(two), abs=1e-12)


def test_sums_end_where_their_own_test_turns():
    """At the ends the difference lies z errors away, as examples scatter around these."""
    d, variance, n = np.array([0.3]), np.array([0.02]), np.array([25.0])
    low, high = bound_sums(d, variance, np.zeros(1), n, 0.95)
    spread = variance - d**2 / n

    for end in (low, high):
        ratio = (d - end) / np.sqrt(spread + (d - end) ** 2 / n)
        assert abs(ratio) == pytest.approx(stats.norm.ppf(0.975), abs=1e-12)


def test_sums_of_too_few_examples_are_unbounded():
    """Three examples cannot be significant by any difference; within reach that is all of it."""
    bounds = bound_sums(*(np.array([own]) for own in (0.3, 0.05, 0.0, 3.0)), 0.95)

    assert [-1, 1] == [float(end[0]) for end in contain(bounds, 1.0)]


def test_sums_without_scatter_are_as_wide_as_an_example_could_make_them():
    """A difference that all examples share exactly has an interval of its own."""
    d, n, step = 0.1, 30.0, 0.1 / 30
    low, high = bound_sums(*(np.array([own]) for own in (d, d**2 / n, step, n)), 0.95)

    assert low < d < high


@pytest.mark.parametrize(
    ("bounds", "difference", "p", "excludes"),
    [
        ((-0.01, 0.2), 0.1, 0.04, True),
        ((0.01, 0.2), 0.1, 0.06, False),
        ((-0.2, 0.01), -0.1, 0.04, True),
        ((-0.2, -0.01), -0.1, 0.05, False),
        ((0.01, 0.2), 0.1, np.nan, True),
        ((-0.1, 0.1), 0.0, 1.0, False),
    ],
)
def test_intervals_exclude_0_where_p_is_small(bounds, difference, p, excludes):
    """The end beside 0 moves to it, and no other one; without a p-value nothing does."""
    low, high = agree(
        (np.array(bounds[0]), np.array(bounds[1])), *map(np.array, (difference, p)), 0.95
    )

    assert excludes == bool(low > 0 or high < 0)
    assert low <= difference <= high
    assert bounds[int(difference > 0)] == (high if difference > 0 else low)

"""Facts about intervals of means over labels or groups, from how the mean varies."""

import math

import numpy as np
import pytest

import tallystick
from tallystick.statistics.means import Moments, bound_macro, bound_mean, is_scarce, sum_distances
from tallystick.statistics.wilson import bound_effectively, bound_plainly, bound_share

LIMITS = (0.0, 1.0)


def test_a_share_has_wilson_s_interval():
    """What deviates as 400 trials do, without a bias."""
    error = np.sqrt(0.7 * 0.3 / 400)
    found = _bound(0.7, 0.7, error, [10**9])
    expected = bound_share(np.array(280), np.array(400), 0.95)

    assert pytest.approx(np.stack(expected), abs=1e-9) == found


def test_a_bias_moves_the_centre_to_the_other_side():
    """Samples lie 0.05 below the value, so that the truth is expected 0.05 above it."""
    assert pytest.approx(_bound(0.6, 0.6, 0.02, [500])) == _bound(0.55, 0.5, 0.02, [500])


def test_few_examples_of_each_group_widen():
    """Samples drawn from ten examples deviate by nine tenths of what new samples do."""
    few, many = (_bound(0.5, 0.5, 0.01, sizes) for sizes in (np.full(50, 10), np.full(50, 10**6)))

    assert pytest.approx(np.sqrt(10 / 9), rel=1e-2) == np.ptp(few) / np.ptp(many)


def test_parts_without_examples_have_no_part():
    """As of labels that a group does not have."""
    assert pytest.approx(_bound(0.5, 0.5, 0.01, [10, 5])) == _bound(0.5, 0.5, 0.01, [10, 0, 5])


def test_the_wider_side_is_taken():
    """The interval of the parts reaches lower, and no higher."""
    alone = _bound(0.8, 0.8, 0.03, [100])
    found = _bound(0.8, 0.8, 0.03, [100], (np.array(0.5), np.array(0.81)))

    assert (0.5, float(alone[1])) == tuple(map(float, found))


@pytest.mark.parametrize(("value", "place"), [(1.0, 1), (0.0, 0)])
def test_a_perfect_mean_has_a_width(value, place):
    """Where nothing deviates there are as many trials as examples."""
    found = _bound(value, value, 0.0, [30, 20])
    expected = bound_share(np.array(50 * value), np.array(50), 0.95)

    assert value == float(found[place])
    assert pytest.approx(np.stack(expected)) == found


def test_other_limits_are_kept():
    """A correlation coefficient of -1 to 1 is a share of that range."""
    plain = _bound(0.975, 0.975, 0.025, [80])
    moments = Moments(np.array(0.95), np.array(0.05))
    found = bound_macro(np.array(0.95), moments, np.array([80]), (-1, 1), 0.95)

    assert pytest.approx(2 * plain - 1) == np.stack(found)
    assert found[1] <= 1


def test_several_means_are_bounded_at_once():
    """An undefined value has no interval."""
    moments = Moments(np.array([0.69, np.nan]), np.array([0.02, np.nan]))
    found = bound_macro(np.array([0.7, np.nan]), moments, np.array([100]), LIMITS, 0.95)

    assert pytest.approx(_bound(0.7, 0.69, 0.02, [100])) == np.stack(found)[:, 0]
    assert np.isnan(np.stack(found)[:, 1]).all()


def test_the_mean_over_independent_groups_adds_variances():
    """An undefined one has no part in it."""
    groups = Moments(np.array([0.5, 0.7, np.nan]), np.array([0.03, 0.04, np.nan]))
    found = groups.average()

    assert pytest.approx((0.6, 0.025)) == (float(found.expected), float(found.deviation))


def _bound(value, expected, deviation, sizes, parts=None):
    moments = Moments(np.array(expected), np.array(deviation))
    return np.stack(bound_macro(np.array(value), moments, np.array(sizes), LIMITS, 0.95, parts))


@pytest.mark.parametrize("metric", ["balanced_accuracy", "macro_f1"])
def test_even_labels_that_are_all_right_are_as_good_as_one(metric):
    """Ten labels of 40 examples prove as much as 400 examples of a share."""
    gold = np.repeat(np.arange(10), 40)
    (score,) = tallystick.score(gold, gold, metric, task="multiclass").scores
    low, _ = bound_share(np.array(400), np.array(400), 0.95)

    assert pytest.approx(float(low)) == score.low


@pytest.mark.parametrize("rare", range(8, 16))
def test_a_rare_label_that_is_all_right_may_be_worse(rare):
    """A third of the mean is the share of so few examples, whatever rounding leaves of it."""
    gold = np.repeat([0, 1, 2], [100, 100, rare])
    (score,) = tallystick.score(gold, gold, "balanced_accuracy", task="multiclass").scores
    low, _ = bound_share(np.array(rare), np.array(rare), 0.95)

    assert score.low < (2 + low) / 3 + 1e-9


def test_shares_that_go_together_entirely_reach_their_ends_together():
    """Independent ones do not, and one share reaches its own."""
    hits, trials = np.array([180.0, 300.0]), np.array([200.0, 400.0])
    values, ends = hits / trials, bound_effectively(hits / trials, trials, 0.95)

    def add(join, chosen=slice(None)):
        own = [side[chosen] for side in (values, *ends)]
        found = sum_distances(
            own[0], own[1:], lambda z: bound_plainly(hits[chosen], trials[chosen], z), join, 0.95
        )
        return np.stack(found)

    apart = np.abs(np.stack(ends) - values)
    together = add(lambda distances: distances.sum(-1))
    alone = add(lambda distances: distances.sum(-1), slice(1))
    independent = add(lambda distances: np.sqrt((distances**2).sum(-1)))

    assert pytest.approx(apart.sum(-1), rel=1e-4) == together
    assert pytest.approx(apart[:, 0], rel=1e-4) == alone
    assert pytest.approx(np.sqrt((apart**2).sum(-1)), rel=0.05) == independent


def test_scarce_labels_are_told():
    """Where four in ten labels have one or two examples, or two thirds have in groups."""
    assert is_scarce(np.array([[9, 8, 7, 6, 5, 4, 2, 2, 1, 1]]))
    assert not is_scarce(np.array([[9, 8, 7, 6, 5, 4, 3, 2, 1, 1]]))
    assert not is_scarce(np.array([[*[9] * 23, 2, 2, 1, 1]]))
    assert is_scarce(np.tile([9, 2, 1], (50, 1)))
    assert not is_scarce(np.tile([9, 8, 1], (50, 1)))
    assert not is_scarce(np.zeros((2, 3)))


def test_the_trials_of_spans_are_spans():
    """Two of three are found: thirty sentences, most without a span, do not make them certain."""
    gold, found = [[(0, 1, "A")]] * 3 + [[]] * 27, [[(0, 1, "A")]] * 2 + [[]] * 28
    (score,) = tallystick.score(gold, found, "span_recall", task="spans").scores
    few, many = (bound_effectively(np.array(2 / 3), np.array(n), 0.95) for n in (3, 30))

    assert (score.low, score.high) == pytest.approx(tuple(map(float, few)), abs=0.05)
    assert score.low < many[0] - 0.2


def test_ends_without_end_make_a_mean_without_end():
    """Their squares are too large, of which nobody is warned."""
    ends = bound_mean(np.array([1.0, 3.0]), np.array([0.0, 2.0]), np.array([1e200, 4.0]))

    assert (2 - math.sqrt(0.5), math.inf) == ends

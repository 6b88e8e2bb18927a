"""Facts about intervals of means over labels or groups, from resamples of the mean."""

import numpy as np
import pytest

import tallystick
from tallystick.statistics.means import bound_macro, is_scarce
from tallystick.statistics.wilson import bound_effectively, bound_share

LIMITS = (0.0, 1.0)


def test_a_share_has_wilson_s_interval():
    """Resamples that scatter as 400 trials do, without a bias."""
    value, error = 0.7, np.sqrt(0.7 * 0.3 / 400)
    scatter = np.tile([-1.0, 1.0], 5000) * error * np.sqrt(9999 / 10_000)
    found = bound_macro(np.array(value), value + scatter, np.array([10**9]), LIMITS, 0.95)
    expected = bound_share(np.array(280), np.array(400), 0.95)

    assert pytest.approx(np.stack(expected), abs=1e-9) == np.stack(found)


def test_a_bias_moves_the_centre_to_the_other_side():
    """Resamples lie 0.05 below the value, so that the truth is expected 0.05 above it."""
    scatter = np.random.default_rng(1).normal(0, 0.02, 2000)
    plain = bound_macro(np.array(0.6), 0.6 + scatter - scatter.mean(), np.array([500]), LIMITS, 0.9)
    biased = bound_macro(
        np.array(0.55), 0.5 + scatter - scatter.mean(), np.array([500]), LIMITS, 0.9
    )

    assert pytest.approx(np.stack(plain)) == np.stack(biased)


def test_few_examples_of_each_group_widen():
    """Resamples of ten examples scatter by nine tenths of what samples do."""
    resamples = np.random.default_rng(2).normal(0.5, 0.01, 1000)
    widths = [
        np.ptp(np.stack(bound_macro(np.array(0.5), resamples, sizes, LIMITS, 0.95)))
        for sizes in (np.full(50, 10), np.full(50, 10**6))
    ]

    assert pytest.approx(np.sqrt(10 / 9), rel=1e-2) == widths[0] / widths[1]


def test_the_wider_side_is_taken():
    """The interval of the parts reaches lower, and no higher."""
    resamples = np.random.default_rng(3).normal(0.8, 0.03, 500)
    alone = bound_macro(np.array(0.8), resamples, np.array([100]), LIMITS, 0.95)
    parts = np.array(0.5), np.array(0.81)
    found = bound_macro(np.array(0.8), resamples, np.array([100]), LIMITS, 0.95, parts)

    assert (0.5, float(alone[1])) == tuple(map(float, found))


@pytest.mark.parametrize(("value", "place"), [(1.0, 1), (0.0, 0)])
def test_a_perfect_mean_has_a_width(value, place):
    """Where nothing scatters there are as many trials as examples."""
    found = bound_macro(np.array(value), np.full(100, value), np.array([30, 20]), LIMITS, 0.95)
    expected = bound_share(np.array(50 * value), np.array(50), 0.95)

    assert value == float(found[place])
    assert pytest.approx(np.stack(expected)) == np.stack(found)


def test_other_limits_are_kept():
    """A correlation coefficient of -1 to 1 is a share of that range."""
    resamples = np.random.default_rng(4).normal(0.95, 0.05, 500)
    plain = bound_macro(np.array(0.975), (resamples + 1) / 2, np.array([80]), LIMITS, 0.95)
    found = bound_macro(np.array(0.95), resamples, np.array([80]), (-1, 1), 0.95)

    assert pytest.approx(2 * np.stack(plain) - 1) == np.stack(found)
    assert found[1] <= 1


def test_several_means_are_bounded_at_once():
    """Undefined resamples are left out, and an undefined value has no interval."""
    resamples = np.random.default_rng(5).normal(0.7, 0.02, (300, 2))
    resamples[:, 1] = np.nan
    resamples[:7, 0] = np.nan
    found = bound_macro(np.array([0.7, np.nan]), resamples, np.array([100]), LIMITS, 0.95)
    alone = bound_macro(np.array(0.7), resamples[7:, 0], np.array([100]), LIMITS, 0.95)

    assert pytest.approx(np.stack(alone)) == np.stack(found)[:, 0]
    assert np.isnan(np.stack(found)[:, 1]).all()


def test_scarce_labels_are_told():
    """Where a fifth of the labels has one or two examples, or two thirds have in groups."""
    assert is_scarce(np.array([[9, 8, 7, 6, 2]]))
    assert not is_scarce(np.array([[9, 8, 7, 6, 3]]))
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

"""Facts about intervals from counts, put to SciPy, scikit-learn and published examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, chi2, t

from tallystick.errors import UsageError
from tallystick.statistics.means import bound_mean
from tallystick.statistics.percentiles import bound_percentiles, bound_within, widen_few
from tallystick.statistics.settings import Intervals, settle
from tallystick.statistics.wilson import bound_share, quantile


@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_shares_are_bounded_as_scipy_has_it(hits, trials, level):
    hits = min(hits, trials)
    low, high = binomtest(hits, trials).proportion_ci(level, method="wilson")
    few = 2 if trials <= 50 else 3
    if 0 < hits <= few:
        low = min(low, chi2.ppf(1 - level, 2 * hits) / 2 / trials)
    if 0 < trials - hits <= few:
        high = max(high, 1 - chi2.ppf(1 - level, 2 * (trials - hits)) / 2 / trials)

    assert pytest.approx((low, high), abs=1e-12) == [
        float(end) for end in bound_share(np.array(hits), np.array(trials), level)
    ]


@pytest.mark.parametrize("trials", [10, 50, 200, 1000])
def test_shares_near_the_ends_of_the_scale_are_covered(trials):
    ends = np.transpose(bound_share(np.arange(trials + 1), np.full(trials + 1, trials), 0.95))
    shares = np.arange(1, 2000) / 2000
    inside = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
    chance = binom.pmf(np.arange(trials + 1)[:, None], trials, shares)

    assert (inside * chance).sum(axis=0).min() > 0.91


def test_a_share_of_nothing_has_no_interval():
    low, high = bound_share(np.array([0]), np.array([0]), 0.95)

    assert np.isnan([low, high]).all()


@pytest.mark.parametrize(("hits", "place", "expected"), [(0, 0, 0.0), (7, 1, 1.0)])
def test_the_ends_of_the_scale_are_exact(hits, place, expected):
    assert expected == bound_share(np.array(hits), np.array(7), 0.95)[place]


def test_undefined_draws_have_no_part():
    draws = np.concatenate([np.linspace(0, 1, 101), np.full(50, np.nan)])[:, None]
    low, high = bound_percentiles(draws, 0.9)

    assert pytest.approx([0.05, 0.95]) == [low[0], high[0]]


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1000, 1001])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_percentiles_are_those_of_numpy(n, level):
    draws = np.random.default_rng(n).normal(size=(n, 7))
    draws[draws > 2] = np.inf

    with np.errstate(invalid="ignore"):
        expected = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
        ends = bound_percentiles(draws, level)

    np.testing.assert_array_equal(expected, ends)


def test_draws_that_are_all_undefined_give_nothing():
    low, high = bound_percentiles(np.full((3, 1), np.nan), 0.9)

    assert np.isnan([low[0], high[0]]).all()


def test_a_score_that_scatters_as_a_share_is_bounded_as_one():
    share, trials = 0.3, 40
    error = np.sqrt(share * (1 - share) / trials)
    expected = bound_share(np.array(share * trials), np.array(trials), 0.95)
    actual = bound_within(np.array(share), np.array(error), np.array(7), (0, 1), 0.95)

    assert pytest.approx(np.array(expected)) == np.array(actual)


def test_a_score_that_does_not_scatter_is_still_uncertain():
    low, high = bound_within(np.array(1.0), np.array(0.0), np.array(20), (-1, 1), 0.95)
    share, _ = bound_share(np.array(20), np.array(20), 0.95)

    assert pytest.approx((2 * share - 1, 1.0)) == (float(low), float(high))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_few_units_widen_as_student_has_it(level):
    units = np.array([3, 4, 6, 11, 101, 10_001])
    student = t.ppf((1 + level) / 2, units - 1) / quantile(level)

    assert pytest.approx(student * np.sqrt(units / (units - 1)), rel=0.01) == widen_few(
        units, level
    )


def test_a_single_unit_shows_no_scatter():
    assert np.isnan(widen_few(np.array([1, 0]), 0.95)).all()


def test_the_mean_of_independent_values_adds_squares():
    value, low, high = np.array([0.5, 0.7]), np.array([0.2, 0.3]), np.array([0.56, 0.78])

    assert pytest.approx((0.6 - 0.25, 0.6 + 0.05)) == bound_mean(value, low, high)


def test_undefined_values_have_no_part_in_a_mean():
    value, low, high = (np.array([one, np.nan]) for one in (0.5, 0.4, 0.9))

    assert pytest.approx((0.4, 0.9)) == bound_mean(value, low, high)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 0}, "the confidence level must be between 0 and 1, not 0"),
        ({"confidence": 1}, "the confidence level must be between 0 and 1, not 1"),
        ({"resamples": 99}, "99 resamples are too few for an interval; use 100 or more"),
        ({"random_seed": -1}, "a random seed must be a whole number of 0 or more, not -1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(UsageError) as caught:
        Intervals(**options)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(True, Intervals()), (False, None), (Intervals(resamples=200), Intervals(resamples=200))],
)
def test_true_means_the_usual_intervals(asked, expected):
    assert expected == settle(asked)

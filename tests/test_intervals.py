"""Intervals from counts, put to SciPy, scikit-learn, published examples and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, chi2, t
from scipy.stats import t as peer

import tallystick
from systems import pair_scores
from tallystick import Intervals, Task
from tallystick.errors import UsageError
from tallystick.kinds.probabilities.areas import Curve
from tallystick.kinds.probabilities.calibration import bound_gaps
from tallystick.metrics import BrierScore
from tallystick.statistics.p_values import mcnemar
from tallystick.statistics.paired import agree, bound_area_difference, find_areas, find_p_value
from tallystick.statistics.percentiles import (
    bound_anytime,
    bound_percentiles,
    bound_within,
    find_capital,
    widen_few,
)
from tallystick.statistics.settings import settle
from tallystick.statistics.student import p_value
from tallystick.statistics.student import quantile as student_quantile
from tallystick.statistics.wilson import bound_difference, bound_mean, bound_share, quantile


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


@pytest.mark.parametrize(("options", "message"), [
    ({"confidence": 0}, "the confidence level must be between 0 and 1, not 0"),
    ({"confidence": 1}, "the confidence level must be between 0 and 1, not 1"),
    ({"resamples": 99}, "99 resamples are too few for an interval; use 100 or more"),
    ({"random_seed": -1}, "a random seed must be a whole number of 0 or more, not -1"),
])  # fmt: skip
def test_settings_that_make_no_sense_are_rejected(options, message):
    with pytest.raises(UsageError) as caught:
        Intervals(**options)
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(True, Intervals()), (False, None), (Intervals(resamples=200), Intervals(resamples=200))],
)
def test_true_means_the_usual_intervals(asked, expected):
    assert expected == settle(asked)


TERNARY = np.array([-1.0, 0.0, 1.0])


def _count(*counts):
    return bound_anytime(TERNARY, np.array(counts), (-1, 1), 0.95)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("lost", "won"), [(0.03, 0.01), (0.1, 0.1), (0.3, 0.28), (0.02, 0.0), (0.5, 0.4)]
)
def test_looking_after_every_example_gives_few_false_alarms(lost, won):
    rng = np.random.default_rng([int(1000 * lost), int(1000 * won)])
    drawn = rng.choice(3, (400, 1000), p=[lost, 1 - lost - won, won])
    counts = (drawn[..., None] == np.arange(3)).cumsum(1)
    capital = find_capital((TERNARY + 1) / 2, counts, (won - lost + 1) / 2)
    assert (capital > np.log(20)).any(1).mean() <= 0.07


def test_peeking_at_bounds_of_one_size_gives_many():
    gains = np.random.default_rng(8).choice([-1, 0, 1], (400, 1000), p=[0.1, 0.8, 0.1])[:, :, None]
    won, lost = ((gains == sign).cumsum(1)[:, 9::10, 0] for sign in (1, -1))
    low, _ = bound_difference(won, lost, np.arange(10, 1001, 10), 0.9)
    assert (low > 0).any(1).mean() > 0.15


@given(st.lists(st.integers(0, 200), min_size=3, max_size=3))
def test_the_bounds_hold_the_mean(counts):
    low, high = _count(*counts)
    mean = (counts[2] - counts[0]) / max(1, sum(counts))
    assert -1 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1


@given(st.lists(st.integers(0, 200), min_size=3, max_size=3))
def test_exchanged_systems_have_mirrored_bounds(counts):
    low, high = _count(*counts)
    assert pytest.approx((-high, -low), abs=1e-9) == _count(*counts[::-1])


def test_without_examples_nothing_is_known():
    assert (-1, 1) == _count(0, 0, 0)


def test_a_bound_is_where_the_capital_has_grown_twentyfold():
    counts = np.array([10, 80, 30])
    low, _ = _count(*counts)
    assert pytest.approx(np.log(20)) == float(
        find_capital((TERNARY + 1) / 2, counts, (low + 1) / 2)
    )


def test_examples_that_agree_give_narrower_bounds():
    calm, wild = _count(5, 190, 5), _count(50, 100, 50)
    assert wild[0] < calm[0] < 0 < calm[1] < wild[1]


def test_scores_between_two_limits_may_take_any_value():
    low, high = bound_anytime(np.array([0.8]), np.array([200]), (0, 1), 0.95)
    assert 0.7 < low < 0.8 < high < 0.9


@pytest.mark.parametrize("metric", ["macro_f1", "mcc", "kappa", "balanced_accuracy"])
def test_clusters_without_an_error_are_as_few_for_every_metric(metric):
    gold, clusters = np.tile([1, 0, 0, 0, 0, 0, 0, 0], 8), np.repeat(range(8), 8)
    metrics = ["accuracy", metric]
    plain, found = tallystick.score(gold, gold, metrics, task="binary", clusters=clusters).scores
    low = -1 if metric in ("mcc", "kappa") else 0
    assert found.low == pytest.approx(low + (1 - low) * plain.low)


@pytest.mark.parametrize("by", [None, ["x", "x"]])
def test_examples_of_one_cluster_have_no_interval_and_warn_nobody(by):
    result = tallystick.score(["c", "c"], ["a", "a"], "macro_f1", clusters=["2", "2"], by=by)
    assert all(math.isnan(score.low) for score in result.scores)


BINARY = Task("binary", (0, 1), 1)


def draw(labels, n=60, seed=1):
    rng = np.random.default_rng(seed)
    gold = rng.integers(labels, size=n)
    odds = np.round(rng.normal(size=(n, labels)), 1)
    odds[np.arange(n), gold] += 1
    chances = np.exp(odds)
    chances /= chances.sum(1, keepdims=True)
    return gold, chances[:, 1] if labels == 2 else chances, rng.integers(1, 4, n).astype(float)


def tally_of(gold, scores, weights=None, **beside):
    return Curve().count_one(pair_scores(gold, scores, weights=weights, **beside))


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    "metric", ["roc_auc", "average_precision", "brier_score", "log_loss", "ece"]
)
def test_neither_rows_nor_seeds_nor_resamples_matter(metric, labels):
    gold, scores, _ = draw(labels)
    task = BINARY if labels == 2 else Task("multiclass")
    found = [
        tallystick.score(gold[rows], scores[rows], metric, task=task, intervals=own).scores[0]
        for rows, own in (
            (slice(None), Intervals()),
            (slice(None, None, -1), Intervals(resamples=100, random_seed=7)),
        )
    ]

    assert pytest.approx([found[0].low, found[0].high], rel=1e-12) == [found[1].low, found[1].high]


def test_copies_in_one_cluster_leave_the_interval_as_it_is():
    gold, scores, _ = draw(2)
    names, by = np.arange(60), np.arange(60) % 3
    metrics = ["roc_auc", "average_precision", "brier_score", "log_loss", "ece"]
    once = tallystick.score(gold, scores, metrics, by=by, clusters=names, task=BINARY)
    rows = np.repeat(names, 3)
    copied = tallystick.score(
        gold[rows], scores[rows], metrics, by=by[rows], clusters=names[rows], task=BINARY
    )
    ends = [[(one.low, one.high) for one in result.scores] for result in (once, copied)]

    assert pytest.approx(np.array(ends[0])) == np.array(ends[1])


def test_a_thinned_tally_scatters_like_the_whole():
    gold, scores, _ = draw(2, 50_000)
    thin, sizes = tally_of(gold, scores).thin(1000)
    metric = BrierScore()
    assert (50_000, True) == (round(float(sizes.sum())), len(thin.scores) <= 2000)
    assert pytest.approx(metric.score(tally_of(gold, scores)), rel=0.01) == metric.score(thin)


def test_losses_of_one_example_have_no_interval():
    found = tallystick.score([1], [0.2], ["brier_score", "log_loss"], task=BINARY).scores
    assert all(math.isnan(one.low) and one.method is None for one in found)


def test_one_gap_among_noise_may_be_all_there_is():
    gaps = np.array([0.1, *[0.008, -0.008] * 5, 0.015])
    assert bound_gaps(gaps, np.full(12, 0.01), 1.96)[0] < 0.1


def test_unlike_gaps_may_be_alike():
    assert bound_gaps(np.array([0.02, 0.002] * 5), np.full(10, 0.015), 1.96)[1] > 0.14


def test_gaps_that_are_noise_may_be_none():
    low, high = bound_gaps(np.array([0.02, -0.02]), np.array([0.02, 0.02]), 1.96)
    assert (0.0, True) == (low, 0.04 < high < 0.12)


def test_one_gap_far_from_0_has_the_normal_interval():
    found = bound_gaps(np.array([0.5]), np.array([0.01]), 1.96)
    assert pytest.approx([0.4804, 0.5196]) == list(found)


def test_no_gap_tells_no_upper_end():
    assert math.isnan(bound_gaps(np.zeros(3), np.ones(3), 1.96)[1])


def average_gaps(gold, scores):
    bins = [(scores > edge / 10) & (scores <= (edge + 1) / 10) for edge in range(10)]
    return float(sum(abs((scores - gold)[one].sum()) for one in bins) / len(gold))


@pytest.mark.parametrize(("bounds", "difference", "p", "excludes"), [
    ((-0.01, 0.2), 0.1, 0.04, True),
    ((0.01, 0.2), 0.1, 0.06, False),
    ((-0.2, 0.01), -0.1, 0.04, True),
    ((-0.2, -0.01), -0.1, 0.05, False),
    ((0.01, 0.2), 0.1, np.nan, True),
    ((-0.1, 0.1), 0.0, 1.0, False),
])  # fmt: skip
def test_intervals_exclude_0_where_p_is_small(bounds, difference, p, excludes):
    low, high, _ = agree(tuple(map(np.array, (*bounds, p))), np.array(difference), 0.95)
    assert excludes == bool(low > 0 or high < 0)
    assert low <= difference <= high
    assert bounds[int(difference > 0)] == (high if difference > 0 else low)


@pytest.mark.parametrize("variant", ["exact", "mid-p"])
def test_mcnemar_is_never_zero(variant):
    p = mcnemar(0, 2000, variant)  # type: ignore[arg-type]
    assert 0 < p < 1e-300
    assert 1 == mcnemar(0, 0, variant)  # type: ignore[arg-type]


def test_delong_is_never_zero():
    assert 0 < find_p_value(0.5, 2.5e-7) < 1e-300


def test_delong_tells_a_perfect_system_from_a_constant():
    areas, covariances = find_areas(
        np.array([[1.0] * 20, [0.5] * 20]), np.array([[0.0] * 30, [0.5] * 30])
    )
    variance = covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1]
    low, high = bound_area_difference(
        areas[:1] - areas[1:], np.array([variance]), np.array([20]), 0.95
    )

    assert 0 < find_p_value(float(areas[0] - areas[1]), variance, 20) < 1e-6
    assert 0.3 < low[0] < 0.5 < high[0] < 0.7


def test_a_usual_variance_is_delong_s_own():
    assert find_p_value(0.1, 0.003) == find_p_value(0.1, 0.003, 20)


def test_two_perfect_areas_may_differ():
    low, high = bound_area_difference(np.array([0.0]), np.array([0.0]), np.array([20]), 0.95)
    assert low == -high
    assert 0.01 < high[0] < 0.1


def test_one_example_of_a_kind_has_no_p():
    assert math.isnan(find_p_value(0.1, math.nan, 1))


def test_ends_without_end_make_a_mean_without_end():
    ends = bound_mean(np.array([1.0, 3.0]), np.array([0.0, 2.0]), np.array([1e200, 4.0]))
    assert (2 - math.sqrt(0.5), math.inf) == ends


FREEDOM = np.array([0.3, 1, 1.5, 2, 3, 4.7, 10, 29, 59, 60, 61, 100, 1e3, 1e5, 1e6, 1e9, np.inf])


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.99999])
def test_quantiles_are_scipy_s(confidence):
    assert pytest.approx(peer.isf((1 - confidence) / 2, FREEDOM), rel=1e-10) == student_quantile(
        confidence, FREEDOM
    )


@pytest.mark.parametrize("t", [1e-3, 0.1, 1, 1.7, 1.74, 2, 5, 10])
def test_tails_are_scipy_s(t):
    expected = pytest.approx(2 * peer.sf(t, FREEDOM), rel=1e-10)
    assert expected == p_value(t, FREEDOM)
    assert expected == p_value(-t, FREEDOM)


def test_no_p_is_zero():
    p = p_value(np.array([np.inf, 1e9, 0.0]), np.array([3, 1e7, 5]))
    assert (p[:2] > 0).all()
    assert p[2] == 1


def test_no_freedom_leaves_nothing_known():
    assert np.isnan(student_quantile(0.95, np.array([0, -1, np.nan]))).all()
    assert np.isnan(p_value(np.array([2, np.nan]), np.array([0, 4]))).all()


@pytest.mark.parametrize("freedom", [1e-12, 1e-3, 0.004])
def test_the_quantile_of_hardly_any_freedom_is_a_number(freedom):
    found = float(student_quantile(0.95, freedom))
    assert 1e100 < found < found**2 < np.inf


def find(result, group=None):
    (score,) = (one for one in result.scores if one.group == group)
    return score


def test_a_label_that_no_example_has_is_told():
    gold = np.zeros((40, 4), np.int64)
    gold[:, 0], gold[::2, 1], gold[::3, 2] = 1, 1, 1
    result = tallystick.score(gold, gold, "macro_f1", task=Task("multilabel"))
    assert 0.75 == find(result).value
    assert any("no example of '3' in the gold" in note for note in result.notes)

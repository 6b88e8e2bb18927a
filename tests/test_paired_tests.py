"""The paired tests against packages, published examples, and slow definitions."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binomtest, norm

from reference import delong as slow_delong
from strategies import STEADY
from tallystick.statistics import permutations
from tallystick.statistics.p_values import adjust, count_extremes, mcnemar, p_value
from tallystick.statistics.paired import find_areas, find_p_value
from tallystick.statistics.wilson import bound_difference, restrict

FLIPS = st.integers(0, 400)

OVARIAN = """
3.0 5.8 10 0 3.2 6.3 5 1 3.9 6.8 3 1 2.8 4.8 6 0 3.2 5.8 3 1 0.9 4.0 5 0 2.5 5.7 8 0 1.6 5.6 5 1
3.8 5.7 5 1 3.7 6.7 6 1 3.2 5.4 4 1 3.8 6.6 6 1 4.1 6.6 5 1 3.6 5.7 5 1 4.3 7.0 4 1 3.6 6.7 4 0
2.3 4.4 6 1 4.2 7.6 4 0 4.0 6.6 6 0 3.5 5.8 6 1 3.8 6.8 7 1 3.0 4.7 8 0 4.5 7.4 5 1 3.7 7.4 5 1
3.1 6.6 6 1 4.1 8.2 6 1 4.3 7.0 5 1 4.3 6.5 4 1 3.2 5.1 5 1 2.6 4.7 6 1 3.3 6.8 6 0 1.7 4.0 7 0
3.7 6.1 5 1 3.3 6.3 7 1 4.2 7.7 6 1 3.5 6.2 5 1 2.9 5.7 9 0 2.1 4.8 7 1 2.8 6.2 8 0 4.0 7.0 7 1
3.3 5.7 6 1 3.7 6.9 5 1 3.6 6.6 5 1
"""
"""Albumin, total protein, 10 - K-G score, and whether surgery helped, of 43 patients.

The data of DeLong, DeLong and Clarke-Pearson 1988, as SAS/STAT 15.1 prints them in example 78.8.
"""


@STEADY
@given(FLIPS, FLIPS)
def test_exact_mcnemar_is_the_sign_test_of_scipy(only_a, only_b):
    flips = only_a + only_b
    expected = binomtest(only_a, flips).pvalue if flips else 1.0
    assert expected == pytest.approx(mcnemar(only_a, only_b, "exact"), rel=1e-11)


def test_exact_mcnemar_of_many_flips():
    expected = binomtest(499_000, 1_000_500).pvalue
    assert expected == pytest.approx(mcnemar(499_000, 501_500, "exact"), rel=1e-7)


@pytest.mark.parametrize(
    ("only_a", "only_b", "exact", "mid_p"), [(1, 7, 0.0703, 0.0391), (6, 16, 0.0525, 0.0347)]
)
def test_mid_p_is_that_of_the_published_examples(only_a, only_b, exact, mid_p):
    found = [round(mcnemar(only_a, only_b, kind), 4) for kind in ("exact", "mid-p")]
    assert [exact, mid_p] == found


def test_mid_p_of_a_tie_is_that_of_its_authors():
    assert 1 - math.comb(10, 5) / 2**10 / 2 == pytest.approx(mcnemar(5, 5, "mid-p"))


HOLM = [
    ([0.04], [0.04]),
    ([0.01, 0.04], [0.02, 0.04]),
    ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),
    ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
    ([0.0, 0.5, 1.0], [0.0, 1.0, 1.0]),
    ([0.001, 0.01, 0.011, 0.012, 0.2], [0.005, 0.04, 0.04, 0.04, 0.2]),
    ([0.9, 0.8, 0.7, 0.04], [1.0, 1.0, 1.0, 0.16]),
    ([1.0, 1.0], [1.0, 1.0]),
    (
        [0.3, 0.0, 0.3, 0.004, 0.005, 0.006, 0.1, 0.05, 0.025, 0.0125, 0.6, 0.45],
        [1.0, 0.0, 1.0, 0.044, 0.05, 0.054, 0.5, 0.3, 0.175, 0.1, 1.0, 1.0],
    ),
]
"""statsmodels 0.15.0: families of p-values, and `multipletests(family, method="holm")[1]`."""


@pytest.mark.parametrize(("family", "expected"), HOLM)
def test_holm_is_as_recorded(family, expected):
    assert expected == pytest.approx(adjust(np.array(family)), abs=1e-12)


@pytest.mark.peers
@STEADY
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(values):
    from statsmodels.stats.multitest import multipletests

    expected = multipletests(values, method="holm")[1]
    assert expected == pytest.approx(adjust(np.array(values)), abs=1e-15)


def test_undefined_p_is_no_part_of_the_family():
    assert [0.02, np.nan, 0.03] == pytest.approx(
        adjust(np.array([0.01, np.nan, 0.03])).tolist(), nan_ok=True
    )


SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.9, 1.0]), min_size=12, max_size=12)


@STEADY
@given(st.lists(SCORES, min_size=2, max_size=3), st.integers(2, 10))
def test_delong_is_its_definition(systems, positives):
    scores = np.array(systems)
    left, right = scores[:, :positives], scores[:, positives:]
    areas, covariances = slow_delong.find_areas(left.tolist(), right.tolist())
    found = find_areas(left, right)
    assert areas == pytest.approx(found[0], abs=1e-14)
    assert np.array(covariances) == pytest.approx(found[1], abs=1e-14)


@pytest.fixture(scope="module")
def ovarian():
    rows = np.array(OVARIAN.split(), float).reshape(-1, 4)
    scores = np.stack([rows[:, 0], rows[:, 1], 10 - rows[:, 2]])
    helped = rows[:, 3] == 1
    return find_areas(scores[:, helped], scores[:, ~helped])


def test_published_areas(ovarian):
    areas, covariances = ovarian
    errors = np.sqrt(np.diag(covariances))
    assert [(0.7366, 0.0927), (0.6478, 0.1000), (0.7258, 0.1028)] == [
        (round(area, 4), round(error, 4)) for area, error in zip(areas, errors, strict=True)
    ]


@pytest.mark.parametrize(
    ("system", "difference", "error", "p"),
    [(0, 0.0108, 0.0953, 0.9102), (1, -0.0780, 0.1046, 0.4561)],
)
def test_published_contrasts(ovarian, system, difference, error, p):
    areas, covariances = ovarian
    gap = areas[system] - areas[2]
    variance = covariances[system, system] + covariances[2, 2] - 2 * covariances[system, 2]
    assert [difference, error, p] == [
        round(float(number), 4)
        for number in (gap, math.sqrt(variance), find_p_value(gap, variance))
    ]


def test_no_variance_tells_nothing():
    assert np.isnan(find_p_value(0.5, 0.0))
    assert 1 == find_p_value(0.0, 0.0)


def test_ties_count_and_undefined_exchanges_do_not():
    drawn = np.array([[0.1 + 0.2, -0.3, 0.29, np.nan]])
    assert [2] == count_extremes(drawn, np.array([0.3]), np.array([1.0])).tolist()


def test_p_counts_what_was_observed_too():
    assert 1 / 101 == p_value(np.array(0), np.array(100))


def p_value_exchange(effects, counts):
    effects, counts = np.array(effects, float), np.array(counts)
    return permutations.p_value(float(effects @ counts), effects, counts)


def list_signs(effects):
    sums = np.array(
        [abs(np.dot(effects, signs)) for signs in product((-1, 1), repeat=len(effects))]
    )
    observed = abs(sum(effects))
    return float(((sums > observed + 1e-9) + (abs(sums - observed) < 1e-9) / 2).mean())


@STEADY
@given(st.lists(st.integers(-3, 3).filter(bool), min_size=1, max_size=9))
def test_few_exchanges_are_all_listed(effects):
    expected = 1.0 if sum(effects) == 0 else list_signs(effects)
    assert pytest.approx(expected, abs=1e-9) == p_value_exchange(effects, [1] * len(effects))


@pytest.mark.parametrize(("above", "below"), [(3, 9), (265, 363), (0, 40), (400, 600)])
def test_effects_of_one_size_are_those_of_mcnemar(above, below):
    expected = mcnemar(above, below, "mid-p")
    assert expected == p_value_exchange([1 / 7, -1 / 7, 0], [above, below, 9])


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(5))
def test_very_many_exchanges_are_as_if_drawn(seed):
    rng = np.random.default_rng(seed)
    effects, counts = rng.normal(0.15, 1, 40), rng.integers(1, 5, 40)
    single = np.repeat(effects, counts)
    drawn = rng.choice((-1.0, 1.0), (200_000, len(single))) @ single
    expected = (abs(drawn) >= abs(single.sum())).mean()

    assert pytest.approx(expected, abs=4 * math.sqrt(expected / len(drawn))) == p_value_exchange(
        effects, counts
    )


def test_tails_keep_their_size():
    # Two sizes that hardly differ are no longer one, and the saddlepoint finds them.
    p = p_value_exchange([1.0, 1.0 + 1e-6, -1.0], [400, 400, 200])
    assert pytest.approx(mcnemar(800, 200, "mid-p"), rel=0.35) == p


@pytest.mark.parametrize("size", [1, 4, 5, 3000])
def test_p_is_never_less_than_exchanges_can_show(size):
    effects = np.linspace(1, 2, size)
    assert max(2.0**-size, np.finfo(float).tiny) <= p_value_exchange(effects, np.ones(size, int))


def test_undefined_and_equal_scores_have_a_p_of_their_own():
    effects, counts = np.array([1.0, -1.0]), np.array([1, 1])
    assert np.isnan(permutations.p_value(math.nan, effects, counts))
    assert permutations.p_value(0.0, effects, counts) == 1


COUNTS = st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 200))


@pytest.mark.parametrize(
    ("only_a", "only_b", "n", "expected"),
    [(6, 16, 161, (-0.1240, -0.0054)), (1, 7, 21, (-0.517, -0.026))],
)
def test_published_intervals(only_a, only_b, n, expected):
    places = 4 if n == 161 else 3
    found = bound_difference(np.array(only_a), np.array(only_b), np.array(n), 0.95)
    assert expected == tuple(round(float(end), places) for end in found)


@STEADY
@given(COUNTS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_ends_solve_the_score_equation(counts, confidence):
    only_a, only_b, rest = counts
    n = only_a + only_b + rest
    if not n:
        return
    z = norm.ppf((1 + confidence) / 2)
    for end, side in zip(
        bound_difference(np.array(only_a), np.array(only_b), np.array(n), confidence),
        (-1, 1),
        strict=True,
    ):
        if abs(end) > 1 - 1e-9:
            continue
        share = float(restrict(*map(np.array, (only_a, only_b, n, end))))
        spread = n * (2 * share + end * (1 - end))

        assert abs(only_a - only_b - n * end + side * z * spread**0.5) < 1e-9 * n


@STEADY
@given(COUNTS, st.floats(-0.9, 0.9))
def test_the_restricted_share_is_the_most_likely(counts, difference):
    only_a, only_b, rest = (count + 1 for count in counts)
    n = only_a + only_b + rest

    def lose(share):
        cells = share + difference, share, 1 - 2 * share - difference
        return -sum(
            count * np.log(cell) for count, cell in zip((only_a, only_b, rest), cells, strict=True)
        )

    edges = max(0, -difference) + 1e-9, (1 - difference) / 2 - 1e-9
    share = float(restrict(*map(np.array, (only_a, only_b, n, difference))))
    best = minimize_scalar(lose, bounds=edges, method="bounded", options={"xatol": 1e-12})

    assert lose(float(np.clip(share, *edges))) <= best.fun + 1e-9


@pytest.mark.parametrize("n", [1, 20, 20_000])
def test_agreement_has_a_width(n):
    z = norm.ppf(0.975)
    found = bound_difference(np.array(0), np.array(0), np.array(n), 0.95)
    assert pytest.approx((-z * z / (n + z * z), z * z / (n + z * z)), abs=1e-15) == found


def test_the_ends_of_the_scale_are_exact():
    low, high = bound_difference(np.array([30, 0]), np.array([0, 30]), np.array([30, 30]), 0.95)
    assert (1.0, -1.0) == (high[0], low[1])
    assert pytest.approx(low[0]) == -high[1]
    assert 0.7 < low[0] < 1


def test_no_examples_have_no_interval():
    low, high = bound_difference(np.array([0]), np.array([0]), np.array([0]), 0.95)
    assert np.isnan([low, high]).all()


def test_one_example_proves_no_margin():
    assert bound_difference(np.array([0]), np.array([0]), np.array([1]), 0.9)[0][0] < -0.7


def test_large_counts_are_bounded_in_full_precision():
    n, only_a = 10_000_000, 3
    found = bound_difference(np.array(only_a), np.array(0), np.array(n), 0.95)[1]

    def miss(end):
        return (n * end - only_a) ** 2 - norm.ppf(0.975) ** 2 * n * end * (1 - end)

    assert pytest.approx(brentq(miss, only_a / n, 1, xtol=1e-18), rel=1e-10) == float(found)

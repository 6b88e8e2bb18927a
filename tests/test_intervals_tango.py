"""Facts about the difference of two shares of the same examples, put to published values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from strategies import STEADY
from tallystick.statistics.tango import bound_difference, restrict

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

    def lose(share: float) -> float:
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
    low = bound_difference(np.array([0]), np.array([0]), np.array([1]), 0.9)[0]

    assert low[0] < -0.7


def test_large_counts_are_bounded_in_full_precision():
    n, only_a = 10_000_000, 3
    found = bound_difference(np.array(only_a), np.array(0), np.array(n), 0.95)[1]

    def miss(end: float) -> float:
        return (n * end - only_a) ** 2 - norm.ppf(0.975) ** 2 * n * end * (1 - end)

    assert pytest.approx(brentq(miss, only_a / n, 1, xtol=1e-18), rel=1e-10) == float(found)

"""Facts about studentised exchanges: errors are those of influences, p-values as defined."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tallystick.intervals.exchange import (
    advance,
    differentiate,
    find_critical,
    find_mid_p,
    find_sequential_p,
    measure_errors,
    studentise,
)

Array = NDArray[np.float64]


def find_f1(sums: Array) -> Array:
    """F1 of true positives, false positives and false negatives."""
    with np.errstate(invalid="ignore"):
        return np.asarray(2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2]))


def test_slopes_are_those_of_the_formula() -> None:
    """The derivatives of F1, written out, for several sums at once."""
    sums = np.array([[30.0, 10, 20], [5, 0, 300]])
    hits, size = sums[:, 0], 2 * sums[:, 0] + sums[:, 1] + sums[:, 2]
    inner = 2 * (size - 2 * hits) / size**2
    expected = np.stack([inner, *[-2 * hits / size**2] * 2], -1)

    assert pytest.approx(expected, rel=1e-4) == differentiate(find_f1, sums)


def test_an_undefined_formula_has_no_slope() -> None:
    """F1 of nothing at all."""
    assert np.isnan(differentiate(find_f1, np.zeros((1, 3)))[0, 1])


def test_the_error_of_a_share_is_the_paired_one() -> None:
    """For accuracy it is that of a mean of differences of 1, 0 and -1."""
    counts = np.array([[50.0, 12, 5, 33]])
    rows = np.array([[1.0], [1], [0], [0]]), np.array([[1.0], [0], [1], [0]])
    slopes = np.full((1, 1), 0.01), np.full((1, 1), 0.01)
    expected = math.sqrt((17 / 100 - 0.07**2) / 100)

    assert pytest.approx([expected]) == measure_errors(counts, rows, slopes)


def test_the_error_of_f1_is_that_of_its_jackknife() -> None:
    """For 2,000 examples to half a percent."""
    generator = np.random.default_rng(4)
    cells = np.array([[g, a, b] for g in (0, 1) for a in (0, 1) for b in (0, 1)])
    rows = tuple(
        np.stack([cells[:, 0] * out, (1 - cells[:, 0]) * out, cells[:, 0] * (1 - out)], -1) * 1.0
        for out in (cells[:, 1], cells[:, 2])
    )
    counts = generator.multinomial(2000, [0.4, 0.05, 0.1, 0.05, 0.05, 0.1, 0.05, 0.2]) * 1.0
    sums = counts @ rows[0], counts @ rows[1]
    left_out = find_f1(sums[0] - rows[0]) - find_f1(sums[1] - rows[1])
    mean = (counts * left_out).sum() / 2000
    expected = math.sqrt((counts * (left_out - mean) ** 2).sum() * 1999 / 2000)
    slopes = tuple(differentiate(find_f1, own[None]) for own in sums)

    found = measure_errors(counts[None], (rows[0], rows[1]), (slopes[0], slopes[1]))

    assert pytest.approx([expected], rel=0.005) == found


def test_a_difference_is_counted_in_errors() -> None:
    """Without its sign; none at all is 0, one without an error infinite, and NaN stays NaN."""
    found = studentise(
        np.array([0.2, -0.3, 0.0, 0.1, np.nan, 0.1]), np.array([0.1, 0.1, 0.0, 0.0, 0.1, np.nan])
    )

    assert pytest.approx([2, 3, 0, math.inf, math.nan, math.nan], nan_ok=True) == found


def test_ties_count_half() -> None:
    """Two above, three as far, one below, and the observed one among those as far."""
    drawn = np.array([5.0, 4, 3, 3, 3 * (1 + 1e-12), 1, np.nan])

    assert pytest.approx((2 + (3 + 1) / 2) / 7) == float(find_mid_p(drawn, np.array(3.0)))


def test_interval_and_test_agree() -> None:
    """Statistics from the critical one on are significant, those below are not, with ties too."""
    generator = np.random.default_rng(7)
    for drawn in (generator.exponential(size=999), generator.integers(0, 40, 999) * (1 + 1e-13)):
        critical = float(find_critical(drawn, 0.95))
        significant = [find_mid_p(drawn, np.array(one)) < 0.05 for one in drawn]

        assert significant == (drawn > critical).tolist()
        assert any(significant)


def test_too_few_distinct_exchanges_leave_nothing_significant() -> None:
    """Only 0 and 1 occur, each in half of the exchanges; or nothing but 0, or nothing at all."""
    drawn = np.stack([np.tile([0.0, 1], 50), np.zeros(100), np.full(100, np.nan)])
    critical = find_critical(drawn, 0.95)

    assert 1 < critical[0] < 1 + 1e-5
    assert np.isinf(critical[1:]).all()


def test_identical_systems_have_a_p_of_one() -> None:
    """No exchange changes anything."""
    assert 1 == find_mid_p(np.zeros(99), np.array(0.0))


def test_a_statistic_beyond_all_has_a_p_above_zero() -> None:
    """Half of one among all, infinitely far ones too."""
    p = find_mid_p(np.ones((2, 99)), np.array([2.0, np.inf]))

    assert [0.005, 0.005] == p.tolist()


def test_an_undefined_statistic_has_no_p() -> None:
    """Neither has one of which no exchange is defined."""
    p = find_mid_p(np.array([[1.0, 2], [np.nan, np.nan]]), np.array([np.nan, 1]))

    assert np.isnan(p).all()


def test_tests_stop_at_enough_extremes() -> None:
    """Whether exchanges come at once or in parts."""
    exceeds = np.random.default_rng(5).random((40, 200)) < np.linspace(0, 1, 40)[:, None]
    none = np.zeros(40, np.int64)
    whole = advance(exceeds, 5, none, none)
    parts = advance(exceeds[:, 70:], 5, *advance(exceeds[:, :70], 5, none, none))
    places = [np.flatnonzero(row)[4] + 1 if row.sum() >= 5 else 200 for row in exceeds]

    assert [places, np.minimum(exceeds.sum(1), 5).tolist()] == [
        whole[1].tolist(),
        whole[0].tolist(),
    ]
    assert [one.tolist() for one in whole] == [one.tolist() for one in parts]


def test_sequential_p_values_are_besag_and_clifford_s() -> None:
    """Extremes over exchanges where a test stopped, else as for a fixed number."""
    p = find_sequential_p(np.array([20, 3, 0]), np.array([57, 999, 999]), 20)

    assert [20 / 57, 4 / 1000, 1 / 1000] == p.tolist()


def test_sequential_p_values_keep_their_promise() -> None:
    """Under a true null the chance of 5% or less is 5% at most, and no less than 4%."""
    generator = np.random.default_rng(6)
    ranks = generator.random((4000, 1))
    none = np.zeros(4000, np.int64)
    counted = advance(generator.random((4000, 999)) >= ranks, 20, none, none)
    rejected = (find_sequential_p(*counted, 20) <= 0.05).mean()

    assert 0.04 < rejected < 0.06
    assert counted[1].mean() < 150

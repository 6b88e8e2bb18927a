"""Facts about intervals that hold at any time: they equal plain integrals, and seldom miss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import beta

from strategies import STEADY
from tallystick.intervals.sequential import bound_anytime, bound_running_mean, find_anytime_p
from tallystick.intervals.tango import bound_difference

COUNTS = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 300))


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 1), (3, 3), (10, 2), (50, 20)])
def test_p_is_one_over_a_ratio_of_likelihoods(only_a: int, only_b: int) -> None:
    """A coin of unknown bias, under Jeffreys' prior, against a fair one."""
    mixed = beta(only_a + 0.5, only_b + 0.5) / beta(0.5, 0.5)
    expected = min(1, 0.5 ** (only_a + only_b) / mixed)

    assert pytest.approx(expected, rel=1e-10) == float(find_anytime_p(only_a, only_b))


def test_no_discordant_example_tells_nothing() -> None:
    """The p-value is 1, and without examples any difference is possible."""
    low, high = bound_anytime(np.array(0), np.array(0), np.array(0), 0.95)

    assert 1 == find_anytime_p(0, 0)
    assert (-1, 1) == (low, high)


def test_no_p_is_zero() -> None:
    """However many examples only one system has right."""
    assert find_anytime_p(0, 10_000) > 0


@STEADY
@given(COUNTS, st.sampled_from([0.9, 0.95, 0.99]))
def test_the_interval_agrees_with_p(counts: tuple[int, int, int], confidence: float) -> None:
    """It excludes 0 just where the p-value is small."""
    only_a, only_b, rest = counts
    p = float(find_anytime_p(only_a, only_b))
    low, high = bound_anytime(
        np.array(only_a), np.array(only_b), np.array(only_a + only_b + rest), confidence
    )
    if abs(p - (1 - confidence)) > 1e-9:
        assert (p < 1 - confidence) == (not low <= 0 <= high)


@STEADY
@given(COUNTS)
def test_looking_often_costs_width(counts: tuple[int, int, int]) -> None:
    """Each end is at least as far out as that of an interval for one look."""
    only_a, only_b, rest = map(np.array, counts)
    n = only_a + only_b + rest + 20
    any_time = bound_anytime(only_a, only_b, n, 0.95)
    once = bound_difference(only_a, only_b, n, 0.95)

    assert any_time[0] <= once[0] <= once[1] <= any_time[1]


@pytest.mark.parametrize("counts", [(7, 2, 40), (2, 7, 40), (0, 0, 30), (40, 10, 60)])
def test_an_end_is_where_the_capital_reaches_its_limit(counts: tuple[int, int, int]) -> None:
    """The mixture over stakes, integrated by SciPy under the arcsine law."""
    only_a, only_b, n = counts
    for end in map(float, bound_anytime(*map(np.array, counts), 0.95)):

        def bet(angle: float, end: float = end) -> float:
            stake = np.cos(angle)
            stake /= 1 + end if stake > 0 else 1 - end
            wins, losses = 1 + stake * (1 - end), 1 - stake * (1 + end)
            return float(wins**only_a * losses**only_b * (1 - stake * end) ** (n - only_a - only_b))

        capital = quad(bet, 0, np.pi, points=[np.pi / 2], limit=200)[0] / np.pi

        assert pytest.approx(20, rel=1e-2) == capital


def test_peeking_raises_few_false_alarms() -> None:
    """Of 400 runs without a difference at most 5% are ever significant, where McNemar has 30%."""
    flips = np.random.default_rng(1).random((400, 300)) < 0.5
    only_a, only_b = flips.cumsum(-1), (~flips).cumsum(-1)

    assert (find_anytime_p(only_a, only_b).min(-1) <= 0.05).mean() <= 0.05


def test_the_running_mean_is_held_at_all_times() -> None:
    """Of 400 runs of skewed values, at most 5% are ever missed, and intervals only shrink."""
    values = np.random.default_rng(2).beta(0.3, 2.7, (400, 500))
    low, high = bound_running_mean(values, (0, 1), 0.95)

    assert ((low > 0.1) | (high < 0.1)).any(-1).mean() <= 0.05
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert (high - low)[:, -1].max() < 0.2


def test_limits_are_those_of_the_values() -> None:
    """Values on another scale have the same interval there."""
    values = np.random.default_rng(3).random(50)
    plain = bound_running_mean(values, (0, 1), 0.9)
    moved = bound_running_mean(2 * values - 1, (-1, 1), 0.9)

    assert pytest.approx(2 * np.stack(plain) - 1) == np.stack(moved)

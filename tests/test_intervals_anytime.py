"""Bounds that hold however often one looks: by simulation, and by what they must do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.statistics.anytime import bound_anytime, find_capital
from tallystick.statistics.tango import bound_difference

TERNARY = np.array([-1.0, 0.0, 1.0])


def _count(*counts):
    return bound_anytime(TERNARY, np.array(counts), (-1, 1), 0.95)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("lost", "won"), [(0.03, 0.01), (0.1, 0.1), (0.3, 0.28), (0.02, 0.0), (0.5, 0.4)]
)
def test_looking_after_every_example_gives_few_false_alarms(lost, won):
    rng = np.random.default_rng([int(1000 * lost), int(1000 * won)])
    same = 1 - lost - won
    drawn = rng.choice(3, (400, 1000), p=[lost, same, won])
    counts = (drawn[..., None] == np.arange(3)).cumsum(1)
    capital = find_capital((TERNARY + 1) / 2, counts, (won - lost + 1) / 2)

    assert (capital > np.log(20)).any(1).mean() <= 0.07


def test_peeking_at_bounds_of_one_size_gives_many():
    rng = np.random.default_rng(8)
    gains = rng.choice([-1, 0, 1], (400, 1000), p=[0.1, 0.8, 0.1])[:, :, None]
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
    mirrored = _count(*counts[::-1])

    assert pytest.approx((-high, -low), abs=1e-9) == mirrored


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

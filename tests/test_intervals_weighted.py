"""Shares of weighted examples: Wilson's interval with equal weights, and narrow where due."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import tallystick
from strategies import STEADY
from tallystick.statistics.wilson import bound_share, bound_weighted_share, quantile

Array = NDArray[np.float64]


def bound(weights: Array, hits: Array, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of examples with these weights."""
    sums, hit = (
        (np.array(own.sum()), np.array(own @ weights)) for own in (weights, weights * hits)
    )
    low, high = bound_weighted_share(np.array(len(weights)), sums, hit, confidence)
    return float(low), float(high)


@STEADY
@given(st.integers(0, 300), st.integers(1, 300), st.floats(0.01, 100), st.sampled_from([0.8, 0.99]))
def test_equal_weights_have_wilson_s_interval(hits, trials, weight, confidence):
    """Whatever the weight is, an example is a trial."""
    hits = min(hits, trials)
    expected = bound_share(np.array(hits), np.array(trials), confidence)
    found = bound(np.full(trials, weight), np.arange(trials) < hits, confidence)

    assert pytest.approx(found, abs=1e-10) == [float(end) for end in expected]


def test_weight_that_goes_with_ease_makes_narrow():
    """The same weights, once on what is hit and once spread evenly."""
    weights = np.repeat([5.0, 1.0], [40, 60])
    easy = bound(weights, np.repeat([1.0, 0.5, 0.5], [40, 30, 30]))
    even = bound(weights, np.full(100, (40 * 5 + 30) / 260))

    assert easy[1] - easy[0] < 0.8 * (even[1] - even[0])


@STEADY
@given(st.integers(0, 10**6), st.floats(0.001, 1000))
def test_the_unit_of_weights_does_not_matter(random_seed, unit):
    """Weights count by their ratios alone."""
    generator = np.random.default_rng(random_seed)
    weights, hits = generator.exponential(size=30), generator.random(30) < 0.7

    assert pytest.approx(bound(weights, hits), abs=1e-9) == bound(unit * weights, hits)


@STEADY
@given(st.integers(0, 10**6))
def test_the_ends_lie_their_own_errors_away(random_seed):
    """The equation that the docstring names, with the mean weights spelled out."""
    generator = np.random.default_rng(random_seed)
    weights, hits = generator.exponential(size=40), (generator.random(40) < 0.6).astype(float)
    total = weights.sum()
    heavy = 2 * weights @ weights / total - total / 40
    means = []
    for own in (weights[hits == 1], weights[hits == 0]):
        drawn = np.append(own, heavy)
        means.append(drawn @ drawn / drawn.sum())
    share = weights @ hits / total

    for end in bound(weights, hits):
        spread = end * (1 - end) * ((1 - end) * means[0] + end * means[1]) / total
        assert pytest.approx(quantile(0.95)) == abs(share - end) / spread**0.5


def test_few_heavy_examples_that_are_all_right_may_go_wrong():
    """Of 8 examples of weight 30 that are right 80% may be: the lower end is not above that."""
    weights = np.repeat([30.0, 1.0], [8, 192])
    hits = np.repeat([1.0, 1.0, 0.0], [8, 154, 38])

    assert bound(weights, hits)[0] < 0.8


def test_light_misses_do_not_tell_that_heavy_examples_are_right():
    """Of 8 examples of weight 10 that are right 70% may be, which is 83% of all with the others."""
    weights = np.repeat([10.0, 1.0], [8, 72])
    hits = np.repeat([1.0, 1.0, 0.0], [8, 70, 2])

    assert bound(weights, hits)[0] < 0.83


def test_the_ends_of_the_scale_are_exact():
    """No hit leaves 0 possible, nothing but hits leaves 1 possible."""
    weights = np.array([1.0, 2, 3])

    assert 0 == bound(weights, np.zeros(3))[0]
    assert 1 == bound(weights, np.ones(3))[1]


def test_no_weight_has_no_interval():
    """Nothing is known of it."""
    assert np.isnan(bound(np.zeros(2), np.ones(2))).all()


def test_no_interval_of_heavy_examples_has_one_end_alone():
    """Where an end is not known at all it is the limit of the score."""
    weights = [0.37, 1e6, 1e-6]
    result = tallystick.score(["b", "c", "c"], ["b", "c", "b"], "macro_f1", weights=weights)
    (score,) = result.scores

    assert 0 <= score.low < score.value < score.high == 1

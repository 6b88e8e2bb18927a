"""The p-values of soft pairwise accuracy against enumeration, dynamic programming and the peer."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import tallystick
from rated_tables import as_table, draw_table
from tallystick.statistics.permutations import (
    approximate_tails,
    find_steps,
    find_tail,
    permute_tails,
)

DRAWN = {
    1: ([0.999, 0.999, 1.0, 0.935, 0.994, 0.858], [0.955, 0.955, 0.89, 0.535, 0.28, 0.295]),
    2: ([0.993, 0.999, 1.0, 0.779, 0.966, 0.877], [0.845, 0.885, 0.9, 0.56, 0.55, 0.49]),
}
"""pce.compute_pairwise_p_values of mt-metrics-eval 68a481a, the upper triangle of four systems:
of people with 1,000 permutations, and of the metric with 200."""


def enumerate_tail(terms):
    sums = np.array(list(product((1, -1), repeat=len(terms)))) @ np.array(terms)
    return (sums >= sum(terms)).mean()


def add_up(terms):
    ways = Counter({0: 1})
    for term in terms:
        step = Counter()
        for total, count in ways.items():
            step[total + term] += count
            step[total - term] += count
        ways = step
    seen = sum(terms)
    return float(Fraction(sum(n for one, n in ways.items() if one >= seen), 2 ** len(terms)))


@pytest.mark.parametrize("size", [1, 2, 5, 9, 12])
@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_tails_of_few_terms_are_those_of_all_signs(size, decimals):
    random = np.random.default_rng(size)
    for _ in range(10):
        terms = np.round(random.normal(0.3, 1.5, size), decimals)
        exact = [round(term * 10**decimals) for term in terms.tolist()]
        assert pytest.approx(enumerate_tail(exact), abs=1e-12) == find_tail(terms)


@pytest.mark.parametrize("size", [30, 120, 900])
@pytest.mark.parametrize("decimals", [0, 1])
def test_tails_of_ratings_are_exact(size, decimals):
    random = np.random.default_rng(size)
    for shift in (-0.3, 0.0, 0.1, 0.5):
        whole = np.rint(random.normal(shift, 2, size)).astype(int)
        expected = add_up([int(one) for one in whole if one])
        assert pytest.approx(expected, abs=1e-11) == find_tail(whole / 10.0**decimals)


@pytest.mark.parametrize("size", [30, 80])
def test_tails_of_reals_are_near(size):
    random = np.random.default_rng(size)
    for shift in (-0.2, 0.0, 0.1, 0.4):
        whole = np.rint(random.normal(shift, 1, size) * 300).astype(int)
        expected = add_up(whole.tolist())
        assert pytest.approx(expected, abs=1e-3) == find_tail(whole / 300)
        near = approximate_tails(np.ones((1, size)), whole[:, None] / 300.0)
        assert pytest.approx(expected, abs=2e-3) == float(near[0, 0])


def test_approximate_tails_of_ratings_count_ties():
    terms = np.rint(np.random.default_rng(4).normal(0.1, 1, (150, 3)))
    times = np.ones((1, 150))
    exact = [find_tail(own) for own in terms.T]

    assert pytest.approx(exact, abs=1e-3) == approximate_tails(times, terms)[0].tolist()
    doubled = [find_tail(np.concatenate([own, own])) for own in terms.T]
    assert pytest.approx(doubled, abs=1e-3) == approximate_tails(2 * times, terms)[0].tolist()


def test_level_systems_have_a_p_value_of_one():
    assert 1 == find_tail(np.zeros(8))
    assert 1 == approximate_tails(np.ones((1, 8)), np.zeros((8, 1)))[0, 0]


def test_steps_are_the_greatest_common_measures():
    sizes = np.array([[2, 0.25, 0.1, np.pi, 0], [6, 0.75, 0.3, 1, 0], [0, 1, 0, 0, 0]])

    assert pytest.approx([2, 0.25, 0.1, 0, 0], abs=1e-12) == find_steps(sizes).tolist()


@pytest.mark.parametrize("seed", DRAWN)
def test_random_permutations_are_those_that_were_published(seed):
    people, metric = draw_table(seed, "none")
    upper = np.triu_indices(4, 1)
    found = permute_tails(people[:4].T, 1000)[upper], permute_tails(metric[:4].T, 200)[upper]

    assert DRAWN[seed] == tuple(own.tolist() for own in found)


def test_the_metric_is_the_mean_distance_of_exact_p_values():
    people, metric = (own[:4, :10] for own in draw_table(2, "none"))
    pairs = [(one, other) for one in range(4) for other in range(one + 1, 4)]
    gaps = [
        abs(
            enumerate_tail((people[one] - people[other]).astype(int).tolist())
            - enumerate_tail(np.rint(10 * (metric[one] - metric[other])).astype(int).tolist())
        )
        for one, other in pairs
    ]
    found = tallystick.score(
        as_table(people, m=metric),
        gold="human",
        systems=["m"],
        rated="system",
        metrics=["soft_pairwise_accuracy"],
        intervals=None,
    )

    assert pytest.approx(1 - np.mean(gaps), abs=1e-12) == found.scores[0].value

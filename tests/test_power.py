"""The power of paired tests, held against sums over all outcomes and published formulas."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm, t

from tallystick.statistics.power import (
    find_detectable_share,
    find_multiplier,
    find_power,
    find_share_power,
    find_share_size,
)


@cache
def rejects(only_a: int, only_b: int, level: float) -> bool:
    n = only_a + only_b
    exact = binomtest(only_a, n).pvalue
    here = binom.pmf(only_a, n, 0.5)
    return bool(exact - (here / 2 if only_a == only_b else here) < level)


def sum_all(only_a: float, only_b: float, n: int, level: float = 0.05) -> float:
    both, found = only_a + only_b, 0.0
    for size in range(1, n + 1):
        hits = np.array([rejects(one, size - one, level) for one in range(size + 1)])
        found += (
            binom.pmf(size, n, both)
            * binom.pmf(np.arange(size + 1), size, only_a / both)[hits].sum()
        )
    return found


@pytest.mark.deep
@pytest.mark.parametrize(
    ("only_a", "only_b", "n"),
    [(0.12, 0.03, 60), (0.2, 0.1, 50), (0.05, 0.0, 60), (0.6, 0.4, 40), (0.02, 0.01, 30)],
)
def test_the_power_of_shares_sums_over_all_outcomes(only_a, only_b, n):
    assert pytest.approx(sum_all(only_a, only_b, n), abs=1e-9) == find_share_power(
        only_a, only_b, n, 0.95
    )


@pytest.mark.parametrize(
    ("only_a", "only_b", "n"), [(0.12, 0.06, 1000), (0.1, 0.08, 3000), (0.3, 0.25, 5000)]
)
def test_the_power_of_many_discordant_examples_is_connors(only_a, only_b, n):
    both, gap = only_a + only_b, only_a - only_b
    connor = norm.cdf(
        (gap * math.sqrt(n) - norm.ppf(0.975) * math.sqrt(both)) / math.sqrt(both - gap**2)
    )

    assert pytest.approx(connor, abs=1e-5) == find_share_power(only_a, only_b, n, 0.95)


@pytest.mark.parametrize(("both", "n"), [(0.15, 990), (0.4, 370)])
def test_the_exact_power_and_the_formula_meet(both, n):
    few = find_share_power(both * 0.6, both * 0.4, n, 0.95)
    many = find_share_power(both * 0.6, both * 0.4, n * 1.03, 0.95)

    assert 0 <= many - few < 0.02


def test_systems_that_never_differ_are_never_found_different():
    assert find_share_power(0.0, 0.0, 1000, 0.95) == 0


@pytest.mark.parametrize(("both", "n"), [(0.15, 300), (0.15, 5000), (0.02, 100), (0.0, 50)])
def test_a_detectable_difference_has_the_power_it_promises(both, n):
    found = find_detectable_share(both, n, 0.95)
    powers = [
        find_share_power((max(both, gap) + gap) / 2, (max(both, gap) - gap) / 2, n, 0.95)
        for gap in (found * 0.999, found)
    ]

    assert powers[0] < 0.8 <= powers[1] < 0.81


def test_five_examples_find_nothing():
    assert math.isnan(find_detectable_share(0.5, 4, 0.95))


def test_the_size_for_shares_is_that_of_connors_formula():
    both, gap = 0.16, 0.04
    z, other = norm.ppf(0.975), norm.ppf(0.8)
    connor = (z * math.sqrt(both) + other * math.sqrt(both - gap**2)) ** 2 / gap**2

    assert pytest.approx(connor, rel=0.01) == find_share_size(0.1, 0.06, 0.95)


def test_no_number_of_examples_finds_equal_shares():
    assert find_share_size(0.1, 0.1, 0.95) is None


@pytest.mark.parametrize("freedom", [3, 20.5, math.inf])
def test_the_multiplier_is_blooms(freedom):
    expected = t.ppf(0.975, freedom) + t.ppf(0.8, freedom)

    assert pytest.approx(expected, rel=1e-9) == find_multiplier(0.95, freedom)


@pytest.mark.parametrize(("difference", "freedom"), [(0.0, 5), (2.8016, math.inf), (-1.3, 12.5)])
def test_the_power_of_a_difference_counts_both_tails_of_t(difference, freedom):
    far = t.ppf(0.975, freedom)
    expected = t.cdf(abs(difference) - far, freedom) + t.cdf(-abs(difference) - far, freedom)

    assert pytest.approx(expected, abs=1e-9) == find_power(difference, 1.0, 0.95, freedom)

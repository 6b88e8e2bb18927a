"""Facts about the test by exchanges: every exchange listed, and the tails of very many."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from strategies import STEADY
from tallystick.statistics import mcnemar, permutations


def p_value(effects, counts, *, differ=None, normal=0.0) -> float:
    effects, counts = np.array(effects, float), np.array(counts)
    differ = np.ones(len(counts), bool) if differ is None else np.array(differ)
    observed = np.array([effects @ counts])
    return float(permutations.p_value(observed, effects[None], counts, differ, normal)[0])


def list_signs(effects) -> float:
    sums = np.array(
        [abs(np.dot(effects, signs)) for signs in product((-1, 1), repeat=len(effects))]
    )
    observed = abs(sum(effects))
    return float(((sums > observed + 1e-9) + (abs(sums - observed) < 1e-9) / 2).mean())


@STEADY
@given(st.lists(st.integers(-3, 3).filter(bool), min_size=1, max_size=9))
def test_few_exchanges_are_all_listed(effects):
    expected = 1.0 if sum(effects) == 0 else list_signs(effects)

    assert pytest.approx(expected, abs=1e-9) == p_value(effects, [1] * len(effects))


@pytest.mark.parametrize(("above", "below"), [(3, 9), (265, 363), (0, 40), (400, 600)])
def test_effects_of_one_size_are_those_of_mcnemar(above, below):
    expected = mcnemar.p_value(above, below, "mid-p")

    assert expected == p_value([1 / 7, -1 / 7, 0], [above, below, 9], differ=[1, 1, 0])


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(5))
def test_very_many_exchanges_are_as_if_drawn(seed):
    rng = np.random.default_rng(seed)
    effects, counts = rng.normal(0.15, 1, 40), rng.integers(1, 5, 40)
    single = np.repeat(effects, counts)
    drawn = rng.choice((-1.0, 1.0), (200_000, len(single))) @ single
    expected = (abs(drawn) >= abs(single.sum())).mean()

    assert pytest.approx(expected, abs=4 * math.sqrt(expected / len(drawn))) == p_value(
        effects, counts
    )


@pytest.mark.parametrize("size", [0.5, 2.0, 5.0, 20.0])
def test_normal_effects_have_a_normal_p(size):
    none = np.zeros((1, 0))
    (p,) = permutations.p_value(np.array([3 * size]), none, np.zeros(0), np.zeros(0, bool), 9.0)

    assert pytest.approx(2 * stats.norm.sf(size), rel=1e-9) == p


def test_tails_keep_their_size():
    # Two sizes that hardly differ are no longer one, and the saddlepoint finds them.
    p = p_value([1.0, 1.0 + 1e-6, -1.0], [400, 400, 200])

    assert pytest.approx(mcnemar.p_value(800, 200, "mid-p"), rel=0.35) == p


@pytest.mark.parametrize("size", [1, 4, 5, 3000])
def test_p_is_never_less_than_exchanges_can_show(size):
    effects = np.linspace(1, 2, size)

    assert max(2.0**-size, np.finfo(float).tiny) <= p_value(effects, np.ones(size, int))


def test_undefined_and_equal_scores_have_a_p_of_their_own():
    effects, counts, differ = np.array([[1.0, -1.0]] * 2), np.array([1, 1]), np.ones(2, bool)
    p = permutations.p_value(np.array([np.nan, 0.0]), effects, counts, differ)

    assert [True, False] == np.isnan(p).tolist()
    assert 1 == p[1]


def test_each_of_many_sums_is_tested_as_if_alone():
    rng = np.random.default_rng(5)
    many, alike = rng.normal(0.2, 1, (4, 30)), rng.choice((-0.5, 0.5), (3, 30))
    few = np.concatenate([rng.normal(0, 1, (2, 6)), np.zeros((2, 24))], axis=1)
    effects, counts = np.concatenate([many, alike, few]), rng.integers(1, 4, (9, 30))
    observed, differ = np.vecdot(effects, counts), np.ones(30, bool)
    alone = [
        permutations.p_value(observed[[at]], effects[[at]], counts[at], differ)[0]
        for at in range(9)
    ]

    assert alone == permutations.p_value(observed, effects, counts, differ).tolist()

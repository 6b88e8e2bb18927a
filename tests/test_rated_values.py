"""How metrics agree with people, against mt-metrics-eval, and p-values by enumeration."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow
import pytest

import tallystick
from rated_tables import as_table, draw_table
from tallystick.statistics.permutations import (
    approximate_tails,
    find_steps,
    find_tail,
    permute_tails,
)

DRAWN = "SoftPairwiseAccuracy(permutations=1000)"
RECORDED = {
    "pairwise_accuracy": {"none": (0.80952381, 0.95238095, 1.0),
        "items": (0.85714286, 0.9047619, 0.9047619), "some": (0.85714286, 0.9047619, 1.0)},
    DRAWN: {"none": (0.86314286, 0.92338095, 0.91457143),
        "items": (0.86419048, 0.89366667, 0.88114286)},
    "acc_eq": {"none": (0.6547619, 0.71626984, 0.71825397),
        "items": (0.65986395, 0.70588235, 0.73280423),
        "some": (0.61031746, 0.71547619, 0.72361111)},
    "pearson_by_item": {"none": (0.61705229, 0.74744906, 0.72445993),
        "items": (0.61665986, 0.73688207, 0.74509252),
        "some": (0.49249566, 0.75478829, 0.73945914)},
    "pearson_by_system": {"none": (0.53481469, 0.57594643, 0.63866446),
        "items": (0.55514174, 0.59990494, 0.74282125), "some": (0.52749331, 0.57725898, 0.6596499)},
    "pearson": {"none": (0.63234691, 0.71382073, 0.71723014),
        "items": (0.6308021, 0.70880482, 0.77241984), "some": (0.61849903, 0.68842166, 0.7314911)},
    "system_level_pearson": {"none": (0.92617953, 0.96871782, 0.97778307),
        "items": (0.93794825, 0.9347638, 0.95687676), "some": (0.91209757, 0.95329069, 0.96624427)},
    "spearman_by_item": {"none": (0.57197378, 0.69360671, 0.7328017),
        "items": (0.57634026, 0.69552936, 0.75760077),
        "some": (0.47111671, 0.70380817, 0.71833382)},
    "spearman_by_system": {"none": (0.51503408, 0.55298593, 0.63247557),
        "items": (0.53467877, 0.58333537, 0.71673514),
        "some": (0.53646841, 0.55559104, 0.65357436)},
    "spearman": {"none": (0.60449875, 0.70377822, 0.70683989),
        "items": (0.60082599, 0.70269535, 0.76858394),
        "some": (0.59165425, 0.67952154, 0.71993287)},
    "system_level_spearman": {"none": (0.84688121, 0.99103121, 1.0),
        "items": (0.85714286, 0.89285714, 0.92857143), "some": (0.85714286, 0.89285714, 1.0)},
    "kendall_by_item": {"none": (0.47847433, 0.57973993, 0.63254228),
        "items": (0.48005352, 0.58557132, 0.66386051),
        "some": (0.38557524, 0.60220214, 0.65062715)},
    "kendall_by_system": {"none": (0.39417215, 0.43005966, 0.50720576),
        "items": (0.4084963, 0.46741117, 0.58439628), "some": (0.41976697, 0.44199475, 0.52747742)},
    "kendall": {"none": (0.45348326, 0.54476674, 0.55111909),
        "items": (0.45051799, 0.54625601, 0.6082682), "some": (0.44498424, 0.52298075, 0.56360351)},
    "system_level_kendall": {"none": (0.68313005, 0.97590007, 1.0),
        "items": (0.71428571, 0.80952381, 0.80952381), "some": (0.71428571, 0.80952381, 1.0)},
}  # fmt: skip
CASES = [(metric, missing) for metric, own in RECORDED.items() for missing in own]


def score(table, *metrics, **layout):
    message = {"gold": "human", "systems": ["m"], "rated": "system"} | layout
    found = tallystick.score(table, metrics=list(metrics), intervals=None, **message)
    return [one.value for one in found.scores]


@pytest.mark.parametrize(("metric", "missing"), CASES)
def test_values_are_those_of_mt_metrics_eval(metric, missing):
    found = []
    for seed in (1, 2, 3):
        people, own = draw_table(seed, missing)
        found += score(as_table(people, m=own), metric)
    assert pytest.approx(RECORDED[metric][missing], abs=1e-8) == tuple(found)


def test_soft_pairwise_accuracy_is_near_the_published_permutations():
    for seed in (1, 2, 3):
        people, own = draw_table(seed, "none")
        exact, drawn = score(as_table(people, m=own), "soft_pairwise_accuracy", DRAWN)
        assert abs(exact - drawn) < 0.02


def test_random_permutations_need_every_score():
    people, own = draw_table(1, "some")
    exact, drawn = score(as_table(people, m=own), "soft_pairwise_accuracy", DRAWN)
    assert not math.isnan(exact)
    assert math.isnan(drawn)


def test_the_order_of_people_alone_counts():
    people, _ = draw_table(1, "some")
    metrics = ("pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq", "pearson_by_item")
    found = score(as_table(people, m=3 * np.nan_to_num(people) + 2), *metrics)
    assert pytest.approx([1, 1, 1, 1], abs=1e-12) == found


def test_thresholds_make_ties():
    people = np.array([[1.0, 1.0], [2.0, 1.0]])
    assert [1.0] == score(as_table(people, m=np.array([[0.0, 0.25], [0.5, 0.0]])), "acc_eq")


def test_pairs_of_language_pairs_are_pooled():
    first, second = (draw_table(seed, "none") for seed in (1, 2))
    tables = [as_table(people, m=own).to_pylist() for people, own in (first, second)]
    rows = [{**row, "lp": lp} for lp, rows in zip(("a", "b"), tables, strict=True) for row in rows]
    found = tallystick.score(
        pyarrow.Table.from_pylist(rows),
        gold="human",
        systems=["m"],
        rated="system",
        metrics=["pairwise_accuracy", "acc_eq", "soft_pairwise_accuracy"],
        by="lp",
        intervals=None,
    )
    values = {(one.name, one.group): one.value for one in found.scores}
    for metric in ("pairwise_accuracy", "acc_eq", "soft_pairwise_accuracy"):
        own = [values[metric, lp] for lp in ("a", "b")]
        assert pytest.approx(np.mean(own), abs=1e-9) == values[metric, "macro"]
    assert pytest.approx((17 + 20) / 42) == values["pairwise_accuracy", "micro"]


def test_nothing_to_compare_is_undefined():
    people = np.array([[1.0, 2.0, 3.0]])
    names = ("pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq", "pearson_by_item")
    assert all(map(math.isnan, score(as_table(people, m=people), *names)))
    level = score(as_table(np.ones((3, 4)), m=np.ones((3, 4))), "kendall_by_item", "acc_eq")
    assert math.isnan(level[0])
    assert 1 == level[1]


DRAWN_P = {
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


@pytest.mark.parametrize("seed", DRAWN_P)
def test_random_permutations_are_those_that_were_published(seed):
    people, metric = draw_table(seed, "none")
    upper = np.triu_indices(4, 1)
    found = permute_tails(people[:4].T, 1000)[upper], permute_tails(metric[:4].T, 200)[upper]
    assert DRAWN_P[seed] == tuple(own.tolist() for own in found)


def test_the_metric_is_the_mean_distance_of_exact_p_values():
    people, metric = (own[:4, :10] for own in draw_table(2, "none"))
    gaps = [
        abs(
            enumerate_tail((people[one] - people[other]).astype(int).tolist())
            - enumerate_tail(np.rint(10 * (metric[one] - metric[other])).astype(int).tolist())
        )
        for one, other in [(one, other) for one in range(4) for other in range(one + 1, 4)]
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

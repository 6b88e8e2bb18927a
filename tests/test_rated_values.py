"""How metrics agree with people, against the functions of mt-metrics-eval.

Recorded from mt-metrics-eval 68a481a (numpy 2.4.6, scipy 1.17.1) on the tables of `draw_table`, of
seeds 1 to 3: `stats.Correlation(systems, people, metric)` with its methods Pearson, Spearman and
Kendall (average_by "item", "sys" and "none"), KendallWithTiesOpt(average_by="item",
sample_rate=1.0) and PairwiseConfidenceError(); and `stats.Agreement` and the same three
correlations of systems' means, which were rounded to nine decimals, as their last digits would
decide of ties.
"""

import math

import numpy as np
import pyarrow
import pytest

import tallystick
from rated_tables import as_table, draw_table

DRAWN = "SoftPairwiseAccuracy(permutations=1000)"
RECORDED = {
    "pairwise_accuracy": {
        "none": (0.80952381, 0.95238095, 1.0),
        "items": (0.85714286, 0.9047619, 0.9047619),
        "some": (0.85714286, 0.9047619, 1.0),
    },
    DRAWN: {
        "none": (0.86314286, 0.92338095, 0.91457143),
        "items": (0.86419048, 0.89366667, 0.88114286),
    },
    "acc_eq": {
        "none": (0.6547619, 0.71626984, 0.71825397),
        "items": (0.65986395, 0.70588235, 0.73280423),
        "some": (0.61031746, 0.71547619, 0.72361111),
    },
    "pearson_by_item": {
        "none": (0.61705229, 0.74744906, 0.72445993),
        "items": (0.61665986, 0.73688207, 0.74509252),
        "some": (0.49249566, 0.75478829, 0.73945914),
    },
    "pearson_by_system": {
        "none": (0.53481469, 0.57594643, 0.63866446),
        "items": (0.55514174, 0.59990494, 0.74282125),
        "some": (0.52749331, 0.57725898, 0.6596499),
    },
    "pearson": {
        "none": (0.63234691, 0.71382073, 0.71723014),
        "items": (0.6308021, 0.70880482, 0.77241984),
        "some": (0.61849903, 0.68842166, 0.7314911),
    },
    "system_level_pearson": {
        "none": (0.92617953, 0.96871782, 0.97778307),
        "items": (0.93794825, 0.9347638, 0.95687676),
        "some": (0.91209757, 0.95329069, 0.96624427),
    },
    "spearman_by_item": {
        "none": (0.57197378, 0.69360671, 0.7328017),
        "items": (0.57634026, 0.69552936, 0.75760077),
        "some": (0.47111671, 0.70380817, 0.71833382),
    },
    "spearman_by_system": {
        "none": (0.51503408, 0.55298593, 0.63247557),
        "items": (0.53467877, 0.58333537, 0.71673514),
        "some": (0.53646841, 0.55559104, 0.65357436),
    },
    "spearman": {
        "none": (0.60449875, 0.70377822, 0.70683989),
        "items": (0.60082599, 0.70269535, 0.76858394),
        "some": (0.59165425, 0.67952154, 0.71993287),
    },
    "system_level_spearman": {
        "none": (0.84688121, 0.99103121, 1.0),
        "items": (0.85714286, 0.89285714, 0.92857143),
        "some": (0.85714286, 0.89285714, 1.0),
    },
    "kendall_by_item": {
        "none": (0.47847433, 0.57973993, 0.63254228),
        "items": (0.48005352, 0.58557132, 0.66386051),
        "some": (0.38557524, 0.60220214, 0.65062715),
    },
    "kendall_by_system": {
        "none": (0.39417215, 0.43005966, 0.50720576),
        "items": (0.4084963, 0.46741117, 0.58439628),
        "some": (0.41976697, 0.44199475, 0.52747742),
    },
    "kendall": {
        "none": (0.45348326, 0.54476674, 0.55111909),
        "items": (0.45051799, 0.54625601, 0.6082682),
        "some": (0.44498424, 0.52298075, 0.56360351),
    },
    "system_level_kendall": {
        "none": (0.68313005, 0.97590007, 1.0),
        "items": (0.71428571, 0.80952381, 0.80952381),
        "some": (0.71428571, 0.80952381, 1.0),
    },
}
CASES = [(metric, missing) for metric, own in RECORDED.items() for missing in own]


def score(table, *metrics, **layout):
    told = {"gold": "human", "systems": ["m"], "rated": "system"} | layout
    found = tallystick.score(table, metrics=list(metrics), intervals=None, **told)
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
    metric = np.array([[0.0, 0.25], [0.5, 0.0]])

    assert [1.0] == score(as_table(people, m=metric), "acc_eq")


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
    pooled = (17 + 20) / 42
    assert pytest.approx(pooled) == values["pairwise_accuracy", "micro"]


def test_nothing_to_compare_is_undefined():
    people = np.array([[1.0, 2.0, 3.0]])
    names = ("pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq", "pearson_by_item")
    found = score(as_table(people, m=people), *names)
    assert all(map(math.isnan, found))

    level = score(as_table(np.ones((3, 4)), m=np.ones((3, 4))), "kendall_by_item", "acc_eq")
    assert math.isnan(level[0])
    assert 1 == level[1]

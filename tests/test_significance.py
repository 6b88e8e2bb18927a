"""Facts about tests and intervals of differences together, as a comparison has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from nulls import p_value
from strategies import STEADY
from tallystick import Testing
from tallystick.statistics.p_values import mcnemar

METRICS = ["accuracy", "macro_f1", "mcc", "weighted_f1"]


def draw(size, seed, count=2):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, size)
    wrong = (gold + rng.integers(1, 3, (count, size))) % 3
    outputs = np.where(rng.random((count, size)) < 0.7, gold, wrong)
    return gold, {f"s{place}": own for place, own in enumerate(outputs)}


def compare(gold, systems, **options):
    options = {"metrics": METRICS, "task": "multiclass", "all_pairs": True, **options}
    return tallystick.compare(gold, systems, **options).differences


@STEADY
@given(st.integers(0, 2**31), st.integers(5, 60), st.sampled_from(["ar", "t", "bootstrap"]))
def test_intervals_and_p_values_agree(seed, size, test):
    for one in compare(*draw(size, seed), testing=Testing(test, 200)):
        if not np.isnan(one.p):
            assert (one.p < 0.05) == (one.low > 0 or one.high < 0)
            assert one.low <= one.difference <= one.high


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("options", [{}, {"clusters": np.arange(40) // 4}])
def test_intervals_have_a_width(seed, options):
    gold, systems = draw(40, seed)
    near = systems["s0"].copy()
    near[seed % 40] = (near[seed % 40] + 1) % 3
    for other in (near, systems["s0"].copy()):
        for one in compare(gold, {"a": systems["s0"], "b": other}, **options):
            assert one.low < one.difference < one.high


@pytest.mark.deep
@pytest.mark.parametrize(
    "options", [{}, {"clusters": np.arange(90) // 5}, {"by": np.arange(90) % 2}]
)
@pytest.mark.parametrize("test", [None, "bootstrap"])
def test_numbers_of_a_pair_do_not_move(options, test):
    gold, systems = draw(90, 3, count=4)
    testing = Testing(test, 200)
    alone = {name: systems[name] for name in ("s1", "s2")}
    pairs, among, mirrored = (
        [
            (one.group, one.name, one.low, one.high, one.p)
            for one in compare(gold, own, testing=testing, **options)
            if {one.a, one.b} == {"s1", "s2"}
        ]
        for own in (alone, systems, dict(reversed(systems.items())))
    )

    for one, same, other in zip(pairs, among, mirrored, strict=True):
        assert one[:2] == same[:2]
        assert one[2:] == pytest.approx(same[2:], rel=1e-9)
        assert one[2:4] == pytest.approx((-other[3], -other[2]), abs=1e-9)
        if test is None:
            assert one[4] == pytest.approx(other[4], rel=1e-6)


def test_accuracy_is_tested_as_by_mcnemars_mid_p():
    gold, systems = draw(120, 6)
    right = [own == gold for own in systems.values()]
    only = [int((one & ~other).sum()) for one, other in (right, right[::-1])]
    (one,) = compare(gold, systems, metrics="accuracy")
    assert mcnemar(*only, "mid-p") == one.p


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 1000, 200))
def test_a_metric_is_tested_and_not_interchangeability(first):
    values = []
    for seed in range(first, first + 200):
        rng = np.random.default_rng(seed)
        gold = (rng.random(1500) < 0.2).astype(int)
        chances = [np.where(gold == 1, recall, recall / 6) for recall in (0.15, 0.9)]
        systems = {
            name: (rng.random(1500) < own).astype(int)
            for name, own in zip("ab", chances, strict=True)
        }
        values.append(p_value(gold, systems, "precision", task="binary"))

    assert 0.01 < np.mean(np.array(values) < 0.05) < 0.1


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 1000, 200))
def test_few_clusters_reject_a_true_null_as_often_as_promised(first):
    values = []
    for seed in range(first, first + 200):
        rng = np.random.default_rng(seed)
        gold, clusters = rng.integers(0, 2, 120), np.repeat(np.arange(6), 20)
        chances = rng.beta(1.6, 0.7, (2, 6))[:, clusters]
        outputs = np.where(rng.random((2, 120)) < chances, gold, 1 - gold)
        systems = dict(zip("ab", outputs, strict=True))
        values.append(p_value(gold, systems, "accuracy", task="binary", clusters=clusters))
    (found,) = compare(gold, systems, metrics="accuracy", task="binary", clusters=clusters)

    assert ("t", values[-1]) == (found.test, found.p)
    assert np.mean(np.array(values) < 0.05) < 0.1


@pytest.mark.parametrize(("count", "message"), [(2, True), (4, True), (12, False)])
def test_too_few_clusters_are_told(count, message):
    gold, systems = draw(120, 7)
    compared = tallystick.compare(gold, systems, "accuracy", clusters=np.arange(120) % count)
    assert message == any("degrees of freedom" in note for note in compared.notes)


def test_a_single_cluster_proves_nothing():
    gold, systems = draw(60, 8)
    compared = tallystick.compare(gold, systems, "accuracy", clusters=["only"] * 60)
    (one,) = compared.differences
    assert (-1, 1, 1) == (one.low, one.high, one.p)
    assert any("degrees of freedom" in note for note in compared.notes)


def test_a_single_example_proves_nothing():
    systems = {"a": ["a b c d e"], "b": ["a x c d f"]}
    texts = tallystick.compare(["a b c d e"], systems, ["bleu", "chrf"]).differences
    (label,) = compare([1], {"a": [1], "b": [0]}, metrics="f1", task="binary")
    assert [(-100, 100)] * 2 == [(one.low, one.high) for one in texts]
    assert all(one.p >= 0.5 for one in (*texts, label))
    assert label.low < 0 < label.high


def test_systems_that_differ_alike_everywhere_have_intervals():
    gold = [1, 0] * 12
    areas = {"a": [0.9, 0.1] * 12, "b": [0.5] * 24}
    lines = ["a b c d e"] * 12
    texts = {"a": lines, "b": ["a b c d f"] * 12}
    for one in [
        *tallystick.compare(gold, areas, ["roc_auc", "average_precision", "brier"]).differences,
        *tallystick.compare(lines, texts, ["bleu", "wer"]).differences,
    ]:
        assert 0 < one.p < 0.2
        assert one.low < one.difference or one.difference == -100
        assert one.difference < one.high


def test_many_systems_can_be_told_apart_by_default():
    rng = np.random.default_rng(9)
    gold = rng.integers(0, 2, 800)
    systems = {
        f"s{place}": np.where(rng.random(800) < 0.5 + place / 100, gold, 1 - gold)
        for place in range(40)
    }
    ranking = tallystick.rank(gold, systems, "macro_f1", task="binary")

    assert 10 < ranking.places[-1].best_rank
    assert not any("no difference can be significant" in note for note in ranking.notes)


def test_a_cluster_of_each_text_is_the_text_alone():
    rng = np.random.default_rng(11)
    lines = np.array([f"w{place}" for place in range(30)])[rng.integers(30, size=(80, 9))]
    outputs = {
        name: [" ".join(own) for own in np.where(rng.random(lines.shape) < share, "x", lines)]
        for name, share in (("a", 0.2), ("b", 0.25))
    }
    gold = [" ".join(own) for own in lines]
    own, each = (
        tallystick.compare(gold, outputs, "bleu", clusters=clusters, testing=Testing("t"))
        for clusters in (None, np.arange(80))
    )

    assert own.differences[0].p == pytest.approx(each.differences[0].p, rel=0.05)


@pytest.mark.parametrize("swapped", [False, True])
def test_few_clusters_of_any_pair_are_told(swapped):
    clusters = np.repeat(np.arange(20), 10)
    gold = np.tile([1, 0], 100)
    rare = np.where(clusters < 2, np.tile([1, 1, 0, 1, 0, 0, 1, 0, 1, 0], 20), 0)
    often = np.where(np.arange(200) % 7, gold, 1 - gold)
    few = np.where(clusters < 2, gold, 0)
    others = {"few": few, "often": often} if swapped else {"often": often, "few": few}
    metrics = ["precision"]

    def compare_with_rare(others):
        compared = tallystick.compare(
            gold, {"rare": rare, **others}, metrics, clusters=clusters, task="binary"
        )
        return any("degrees of freedom" in note for note in compared.notes)

    assert compare_with_rare(others)
    assert not compare_with_rare({"often": often})

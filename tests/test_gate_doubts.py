"""Gates do not pass by bounds that promise too much; comparisons say where theirs do."""

import numpy as np
import pytest

import tallystick
from tallystick.metrics import Mean
from tallystick.output.tables.notes import Caution


def fail_rarely(losses: int, size: int = 200) -> tuple[np.ndarray, np.ndarray]:
    old = np.clip(np.round(np.random.default_rng(1).normal(4, 0.7, size)), 2, 5)
    new = old.copy()
    new[:losses] = 1
    return new, old


def gate(new: np.ndarray, old: np.ndarray, metric: object = "mean", **more: object) -> object:
    return tallystick.gate(old, new, old, [metric], max_drop=0.2, **more)


def cautions(result: object) -> list[str]:
    return [str(note) for note in result.notes if isinstance(note, Caution)]


def test_a_few_heavy_losses_are_no_proof():
    found = gate(*fail_rarely(3))
    (check,) = found.checks

    assert "inconclusive" == check.verdict
    assert check.low > -0.2
    assert "1 example makes 47% of its variance" in check.sentence
    assert "the bounds of mean may be too optimistic: 1 example makes" in cautions(found)[0]


def test_losses_in_all_examples_alike_are_a_proof():
    _, old = fail_rarely(0)
    new = old - 0.1 + np.random.default_rng(2).normal(0, 0.1, len(old))
    found = gate(new, old)

    assert "pass" == found.checks[0].verdict
    assert [] == cautions(found)


def test_no_difference_at_all_is_no_proof_without_a_worst_value():
    _, old = fail_rarely(0)
    (check,) = gate(old, old).checks
    (bounded,) = gate(old, old, Mean(bounds=(1, 5))).checks

    assert ("inconclusive", "pass") == (check.verdict, bounded.verdict)
    assert "no example shows a difference, and nothing limits" in check.sentence


def test_labels_allow_for_what_no_example_shows():
    gold = np.tile([0, 1], 500)
    new = gold.copy()
    new[0] = 1
    found = tallystick.gate(gold, new, gold, ["accuracy"], max_drop=0.02, task="binary", positive=1)

    assert "pass" == found.checks[0].verdict
    assert [] == cautions(found)


@pytest.mark.parametrize(("count", "told"), [(10, True), (40, False)])
def test_few_clusters_are_told(count, told):
    clusters = np.repeat(np.arange(count), 20)
    gold = np.tile([0, 1], 10 * count)
    old = np.where(np.random.default_rng(3).random(len(gold)) < 0.1, 1 - gold, gold)
    found = tallystick.gate(
        gold, old, old, ["accuracy"], max_drop=0.35, clusters=clusters, task="binary", positive=1
    )

    assert "pass" == found.checks[0].verdict
    assert told == any("10 clusters may contain none" in one for one in cautions(found))


def test_a_cluster_that_is_lost_as_a_whole_is_no_proof():
    clusters = np.repeat(np.arange(30), 10)
    gold = np.tile([0, 1], 150)
    new = np.where(clusters == 0, 1 - gold, gold)
    (check,) = tallystick.gate(
        gold, new, gold, ["accuracy"], max_drop=0.4, clusters=clusters, task="binary", positive=1
    ).checks

    assert "inconclusive" == check.verdict
    assert "1 cluster makes 97% of its variance" in check.sentence


@pytest.mark.deep
def test_gates_let_few_worse_systems_pass():
    passed = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        old = rng.lognormal(0, 1, 200)
        new = 0.9 * old * np.exp(0.3 * rng.normal(size=200) - 0.045)
        allowed = 0.1 * np.exp(0.5)
        found = tallystick.gate(old, new, old, ["mean"], max_drop=allowed)
        passed += found.passed

    assert passed <= 30


@pytest.mark.parametrize("ask", [tallystick.compare, tallystick.rank])
def test_differences_that_a_few_examples_make_are_told(ask):
    new, old = fail_rarely(8)
    even = old + np.random.default_rng(5).normal(0, 0.3, len(old))

    assert [] == cautions(ask(old, {"even": even, "old": old}, ["mean"]))
    found = ask(old, {"new": new, "old": old}, ["mean"])

    assert 1 == len(cautions(found))
    assert "the difference in mean of " in cautions(found)[0]

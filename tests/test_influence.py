"""Facts about how far examples move scores, and about the intervals that follow from that."""

import math

import numpy as np
import pytest
from scipy import stats

import tallystick
from tallystick.scoring.intervals.influence import _leave_out, find_slopes
from tallystick.statistics.influence import Influence, bound_score

LABELS = ["accuracy", "macro_f1", "weighted_f1", "micro_f1", "macro_fpr", "balanced_accuracy"]
LABELS += ["mcc", "cohen_kappa", "weighted_kappa", "f05_u", "c_at_1"]
NUMBERS = ["pearson", "spearman", "kendall_tau_b", "ccc", "r2", "mae", "rmse", "mean"]
TEXTS = ["bleu", "chrf", "ter", "wer", "rouge1"]


def draw(kind, n, seed=1):
    rng = np.random.default_rng(seed)
    if kind == "labels":
        gold = rng.choice([1, 2], n, p=[0.6, 0.4])
        return gold, np.where(rng.random(n) < 0.7, gold, 3 - gold)
    if kind == "numbers":
        gold = rng.normal(size=n)
        return gold, gold + rng.normal(size=n)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "slept", "there"])
    gold = [" ".join(rng.choice(words, rng.integers(4, 9))) for _ in range(n)]
    return gold, [" ".join(w if rng.random() < 0.8 else "x" for w in one.split()) for one in gold]


def list_kinds():
    named = (("labels", LABELS), ("numbers", NUMBERS), ("texts", TEXTS))
    return [pytest.param(kind, name, id=name) for kind, names in named for name in names]


def ends(kind, name, rows=slice(None), n=60, **layout):
    gold, outputs = (np.asarray(side)[rows] for side in draw(kind, n))
    task = {"task": "binary", "positive": 2} if kind == "labels" else {}
    (one,) = tallystick.score(gold, outputs, metrics=name, **task, **layout).scores
    return one.value, one.low, one.high


@pytest.mark.parametrize(("kind", "name"), list_kinds())
def test_the_variance_of_a_formula_is_that_of_leaving_examples_out(kind, name):
    gold, outputs = draw(kind, 200)
    counted = tallystick.count(gold, outputs, name)
    (metric,) = counted.metrics
    tally = counted.tally(metric)
    tally = tally.of(*tally.systems)
    found, expected = find_slopes(metric, tally), _leave_out(metric, tally, 1.0)
    counts = tally.counts if kind == "labels" or hasattr(tally, "counts") else 1
    sums = [(counts * one**2).sum() for one in (found, expected)]

    assert sums[0] == pytest.approx(sums[1], rel=0.05)


@pytest.mark.parametrize(("kind", "name"), list_kinds())
def test_an_interval_holds_its_score_whatever_the_order_of_rows(kind, name):
    value, low, high = ends(kind, name)
    shuffled = ends(kind, name, np.random.default_rng(2).permutation(60))

    assert low <= value <= high
    assert (value, low, high) == pytest.approx(shuffled, rel=1e-10)


@pytest.mark.parametrize(("kind", "name"), list_kinds())
def test_copies_in_clusters_have_the_interval_of_one_copy_in_them(kind, name):
    twice = np.repeat(np.arange(60), 2)
    once = ends(kind, name, clusters=np.arange(60).astype(str))
    found = ends(kind, name, twice, clusters=twice.astype(str))
    places = [at for at in (0, 1, 2) if name != "mean"]

    assert [once[at] for at in places] == pytest.approx([found[at] for at in places], rel=0.02)


WEIGHTED = [*LABELS, *(name for name in NUMBERS if name not in ("spearman", "kendall_tau_b"))]


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_may_have_any_unit(name):
    kind = "labels" if name in LABELS else "numbers"
    weights = np.random.default_rng(3).gamma(2, 1, 60)
    one, other = (ends(kind, name, weights=weights * unit) for unit in (1.0, 7.0))

    assert one == pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize("name", WEIGHTED[len(LABELS) :])
def test_rows_of_weight_0_are_no_rows(name):
    kind = "numbers"
    weights = np.tile([1.0, 1.0, 0.0], 20)
    found = ends(kind, name, weights=weights)
    kept = ends(kind, name, weights > 0, weights=weights[weights > 0])

    assert found == pytest.approx(kept, rel=1e-9)


def scatter(values, masses=1.0):
    values = np.asarray(values, np.float64)
    ones = np.ones(len(values))
    return Influence(values, masses * ones, ones, np.zeros(len(values), np.int64), 1).measure()


def test_equal_units_have_the_variance_and_freedom_of_the_jackknife():
    """The freedom is that of a variance of numbers of such a kurtosis (Satterthwaite 1946)."""
    moves = np.random.default_rng(4).standard_t(4, 50) / 50
    off = moves - moves.mean()
    kurtosis = stats.kurtosis(moves, fisher=False)

    assert scatter(moves).variance[0] == pytest.approx(50 / 49 * (off**2).sum())
    assert scatter(moves).freedom[0] == pytest.approx(min(49, 2 * 50 / (kurtosis - 1)))


def test_a_unit_that_is_nearly_all_leaves_little_freedom():
    found = scatter(np.random.default_rng(5).normal(size=20), np.r_[100.0, np.ones(19)])

    assert found.units[0] < 2
    assert found.freedom[0] < 2


def test_bounded_scores_have_wilsons_interval_with_students_t():
    moves = np.random.default_rng(6).normal(size=30) / 100
    found = scatter(moves)
    low, high = bound_score(np.array([0.8]), found, (0, 1), "counts", 0.95)
    t, variance = stats.t.ppf(0.975, 29), found.variance[0]
    n = 0.8 * 0.2 / variance
    centre, half = (0.8 + t**2 / 2 / n), t * math.sqrt(0.16 / n + t**2 / 4 / n**2)

    assert [low[0], high[0]] == pytest.approx(
        [(centre + side * half) / (1 + t**2 / n) for side in (-1, 1)]
    )


def test_scores_at_their_limit_are_as_sure_as_their_units():
    """Twenty of twenty."""
    low, high = bound_score(np.array([1.0]), scatter(np.zeros(20)), (0, 1), "score", 0.95)

    assert (low[0], high[0]) == (pytest.approx(20 / (20 + 1.959964**2)), 1)


@pytest.mark.parametrize("limits", [(0, math.inf), (-math.inf, 1), (-math.inf, math.inf)])
def test_open_scores_that_do_not_vary_have_no_interval(limits):
    assert np.isnan(bound_score(np.array([0.5]), scatter(np.zeros(9)), limits, "score", 0.95)).all()


@pytest.mark.parametrize("name", ["rmse", "r2", "mae"])
def test_no_interval_explodes(name):
    """One gross error among ten."""
    gold = np.arange(10.0)
    outputs = gold + 0.1
    outputs[3] = 1e6
    result = tallystick.score(gold, outputs, metrics=name)
    (one,) = result.scores
    apart = (lambda x: 1 - x) if name == "r2" else (lambda x: x)
    far = sorted(abs(apart(end)) for end in (one.low, one.high))

    assert far[1] / far[0] <= math.exp(4) * (1 + 1e-9)
    assert any("too narrow: 1 example makes" in note for note in result.notes)

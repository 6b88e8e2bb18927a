"""What reports show next to scores: which examples, how far they move scores, and doubts."""

import math
from collections import Counter

import numpy as np
import pyarrow
import pyarrow as pa
import pytest
from scipy import stats

import tallystick
from cases import cases
from reports import read_stance
from tallystick.metrics import F1, MCC, ROCAUC, AveragePrecision, MeanOf
from tallystick.scoring.influence import _leave_out, find_slopes, list_entries
from tallystick.statistics.influence import Influence, bound_score

GOLD, SYSTEMS = read_stance()


def gather(gold, outputs, metrics, most=None):
    result = tallystick.score(gold, outputs, metrics)
    assert result.gather is not None
    (found,) = result.gather(most)
    return found


def find(evidence, words):
    return [one for one in evidence.findings if words in one.what]


def test_examples_left_out_are_a_finding():
    gold = pa.table({"id": [1, 2, 3], "label": ["x", "y", "x"]})
    system = pa.table({"id": [1, 3], "prediction": ["x", "y"]})
    result = tallystick.score(gold, {"a": system}, "accuracy", missing="common")
    assert result.gather is not None
    (evidence,) = result.gather(None)
    (left_out,) = find(evidence, "examples left out, as a system has no output for them")
    assert (1, 3, False) == (left_out.count, left_out.of, left_out.good)
    assert not find(evidence, "none missing")


def test_all_examples_are_there_in_order():
    held = gather(GOLD, SYSTEMS, "accuracy").examples
    assert held is not None
    assert tuple(GOLD) == held.gold
    assert tuple(map(tuple, SYSTEMS.values())) == held.outputs
    assert [
        [int(one == gold) for one, gold in zip(own, GOLD, strict=True)] for own in SYSTEMS.values()
    ] == [list(own) for own in held.scores]


def test_some_examples_are_of_every_kind():
    evidence = gather(GOLD, SYSTEMS, "accuracy", 60)
    held = evidence.examples
    assert held is not None
    cells = {
        (system, gold, said)
        for system, own in zip(evidence.systems, held.outputs, strict=True)
        for gold, said in zip(held.gold, own, strict=True)
    }
    expected = {
        (system, gold, said)
        for system, own in SYSTEMS.items()
        for gold, said in zip(GOLD, own, strict=True)
    }
    assert expected == cells
    assert (60, 60) == (len(held.ids), len(set(held.ids)))


def test_the_same_examples_are_chosen_each_time():
    assert gather(GOLD, SYSTEMS, "f1_macro", 50) == gather(GOLD, SYSTEMS, "f1_macro", 50)


@cases("most", 1, 2, 199, 399, 400, 1000)
def test_no_more_examples_than_asked_for(most):
    held = gather(GOLD, SYSTEMS, "accuracy", most).examples
    assert held is not None
    assert min(most, 400) == len(held.ids)


def test_who_did_better_is_counted_over_all_examples():
    evidence = gather(GOLD, SYSTEMS, "accuracy", 10)
    meeting = next(one for one in evidence.meetings if (one.a, one.b) == ("birch", "cedar"))
    pairs = Counter(
        (a == gold) - (b == gold)
        for gold, a, b in zip(GOLD, SYSTEMS["birch"], SYSTEMS["cedar"], strict=True)
    )
    assert (pairs[1], pairs[-1]) == (meeting.a_better, meeting.b_better)


def test_a_lower_error_does_better():
    evidence = gather(["a b c", "d e f"], {"good": ["a b c", "d e f"], "bad": ["a", "d"]}, "wer")
    assert ("lower", 2, 0) == (
        evidence.better,
        evidence.meetings[0].a_better,
        evidence.meetings[0].b_better,
    )


def test_long_texts_are_cut_only_where_not_all_is_asked_for():
    texts = ["x " * 5000, "y"] * 2
    cut, whole = (gather(texts, texts, "chrf", most).examples for most in (4, None))
    assert cut is not None
    assert whole is not None
    assert (True, 5000) == (cut.cut, len(cut.gold[0]))
    assert (False, texts[0]) == (whole.cut, whole.gold[0])


def test_duplicates_but_for_case_and_punctuation_are_found():
    gold = ["The cat sat.", "A dog", "the CAT sat", "a bird"]
    (found,) = find(gather(gold, gold, "chrf"), "occurs again")
    assert (2, ("1 = 3",), False) == (found.count, found.examples, found.good)


def test_empty_and_equal_outputs_are_found():
    gold = ["a b", "c d", "e f"]
    evidence = gather(gold, {"one": ["a b", "", " "], "two": ["a b", "", " "]}, "chrf")
    assert [("one", 2), ("two", 2)] == [
        (one.system, one.count) for one in find(evidence, "empty outputs")
    ]
    assert ["one"] == [one.system for one in find(evidence, "all outputs are those of two")]


def test_labels_that_never_occur_are_found():
    evidence = gather(["a", "b", "a", "b"], {"s": ["a", "a", "a", "c"]}, "accuracy")
    assert [("c",)] == [one.examples for one in find(evidence, "never occur in the gold")]
    assert [("b",)] == [one.examples for one in find(evidence, "never predicted")]


def test_the_same_output_for_every_example_is_found():
    evidence = gather(["a", "b", "a"], {"s": ["a", "a", "a"]}, "accuracy")
    assert [("s", 3, False)] == [
        (one.system, one.count, one.good) for one in find(evidence, "the same output")
    ]


def test_outputs_that_are_no_label_are_shown_as_such():
    columns = tallystick.Columns(invalid="wrong")
    frame = {"gold": ["a", "b", "a"], "s": ["a", "", "b"]}
    result = tallystick.score(pa.table(frame), None, "accuracy", systems=["s"], columns=columns)
    assert result.gather is not None
    (evidence,) = result.gather(None)
    assert evidence.examples is not None
    assert (("a", "(invalid)", "b"),) == evidence.examples.outputs
    assert [1] == [one.count for one in find(evidence, "counted as wrong")]


def test_numbers_of_several_columns_are_shown_with_their_names():
    table = pa.table(
        {"model": ["a", "a"], "id": [1, 2], "cost": [1.25e-7, 3e-7], "correct": [1, 1]}
    )
    result = tallystick.score(table, metrics="ratio(cost, correct)", system_column="model")
    assert result.gather is not None
    ((held,),) = ((one.examples for one in result.gather(None)),)
    assert held is not None
    assert (("cost 1.25e-07, correct 1", "cost 3e-07, correct 1"),) == held.outputs
    assert ((1.25e-7, 3e-7),) == held.scores


LABELS = ["accuracy", "macro_f1", "weighted_f1", "micro_f1", "macro_fpr", "balanced_accuracy"]
LABELS += ["mcc", "cohen_kappa", "weighted_kappa", "f05_u", "c_at_1"]
NUMBERS = ["pearson", "spearman", "kendall_tau_b", "ccc", "r2", "mae", "rmse", "mean"]
TEXTS = ["bleu", "chrf", "ter", "wer", "rouge1"]
CURVES = ["roc_auc", "average_precision", "brier_score", "1-brier", "log_loss", "ece"]
KINDS = {"labels": LABELS, "numbers": NUMBERS, "texts": TEXTS, "curves": CURVES}
KINDS["three"] = [*CURVES, ROCAUC("ovo"), ROCAUC("ovr", "weighted"), AveragePrecision("weighted")]
KINDS["three"] += [ROCAUC("ovo", "weighted")]
KINDS["sets"] = ["samples_f1", "samples_recall", "hamming_loss"]
KINDS["joint"] = ["aurc", "e_aurc", MeanOf(F1("macro"), ROCAUC(), MCC())]
RATED = ["pearson_by_item", "kendall_by_item", "pearson_by_system", "spearman_by_system"]
RATED += ["system_level_pearson", "acc_eq"]
KINDS["rated"] = RATED


def draw(kind, n, seed=1):
    rng = np.random.default_rng(seed)
    if kind == "labels":
        gold = rng.choice([1, 2], n, p=[0.6, 0.4])
        return gold, np.where(rng.random(n) < 0.7, gold, 3 - gold)
    if kind == "numbers":
        gold = rng.normal(size=n)
        return gold, gold + rng.normal(size=n)
    if kind in ("curves", "joint"):
        gold = rng.choice([1, 2], n, p=[0.6, 0.4])
        return gold, (1 / (1 + np.exp(-rng.normal(gold * 1.5 - 2, 1)))).round(2 if n < 500 else 4)
    if kind == "three":
        gold = rng.integers(3, size=n)
        odds = np.exp(rng.normal(size=(n, 3)).round(1) + np.eye(3)[gold])
        return gold, odds / odds.sum(1, keepdims=True)
    if kind == "sets":
        gold = [["none", *np.flatnonzero(row).astype(str)] for row in rng.random((n, 6)) < 0.3]
        return gold, [[one for one in row if rng.random() < 0.8] for row in gold]
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "slept", "there"])
    gold = [" ".join(rng.choice(words, rng.integers(4, 9))) for _ in range(n)]
    return gold, [" ".join(w if rng.random() < 0.8 else "x" for w in one.split()) for one in gold]


def tally_of(kind, metric, n, seed=1, **layout):
    if kind == "rated":
        rng = np.random.default_rng(seed)
        table = {"item": np.repeat([f"{row:05}" for row in range(n)], 5)}
        human = rng.normal(size=(n, 5)) + np.arange(5) + rng.normal(size=(n, 1))
        table |= {"system": list("abcde") * n, "human": human.round(1).ravel()}
        table["metric"] = (human + rng.normal(size=(n, 5))).round(1).ravel()
        layout = {"systems": ["metric"], "gold": "human", "id": "item", "rated": "system"}
        counted = tallystick.count(pyarrow.table(table), metrics=metric, **layout)
    else:
        gold, outputs = draw(kind, n, seed)
        task = {"task": "binary", "positive": 2} if (kind in ("labels", "curves", "joint")) else {}
        counted = tallystick.count(gold, outputs, metric, **task, **layout)
    (metric,) = counted.metrics
    tally = counted.tally(metric)
    return metric, tally.of(*tally.systems)


def list_kinds(*kinds):
    named = ((kind, one) for kind in kinds or KINDS for one in KINDS[kind])
    return [pytest.param(kind, one, id=f"{kind}-{one}") for kind, one in named]


def leave_out(metric, tally, rows):
    n, whole = len(find_slopes(metric, tally)), metric.score(tally)[0]
    everything = tally.list_rows() if hasattr(tally, "list_units") else tally
    take = getattr(everything, "take", None) or everything._take
    rest = (take(np.delete(np.arange(n), row)) for row in rows)
    rest = (one.of(*tally.systems) if hasattr(tally, "list_units") else one for one in rest)
    return np.array([(whole - metric.score(one)[0]) * (n - 1) / n for one in rest])


@cases("n", 200, 20_000)
@cases("kind name", *list_kinds())
def test_the_variance_of_a_formula_is_that_of_leaving_examples_out(kind, name, n):
    n = min(n, 2000) if kind in ("texts", "numbers") else n
    metric, tally = tally_of(kind, name, n)
    found = find_slopes(metric, tally)
    if tally.keeps_examples:
        rows = np.arange(0, n, max(1, n // 12))
        expected, found, counts = leave_out(metric, tally, rows), found[rows], 1
    else:
        expected, counts = _leave_out(metric, tally, 1.0), getattr(tally, "counts", 1)
    sums = [(counts * one**2).sum() for one in (found, expected)]
    rough = 5 if name in ("average_precision", AveragePrecision("weighted")) else 1
    assert sums[0] == pytest.approx(sums[1], rel=rough * max(10 / n, 0.001))


UNWEIGHTED = ("joint", "rated", "texts")


@cases("kind name", *list_kinds())
def test_contributions_sum_to_zero_and_foretell_a_change_of_weight(kind, name):
    weights = np.random.default_rng(2).gamma(2, 1, 60)
    weighted = kind not in UNWEIGHTED and name not in ("spearman", "kendall_tau_b")
    names = {"clusters": [f"{row:02}" for row in range(60)]} if kind != "rated" else {}

    def count(weights):
        return tally_of(kind, name, 60, **names, **({"weights": weights} if weighted else {}))

    metric, tally = count(weights)
    found = list_entries(metric, tally)
    moves = np.bincount(found.clusters, found.own * found.counts, 60)
    if kind not in ("labels", "numbers", "texts") and metric.short != "mean_of":
        assert abs(moves.sum()) <= 1e-9 * np.abs(moves).sum()
    for row in range(0, 60 if weighted else 0, 13):
        step = np.where(np.arange(60) == row, 1e-4 * weights, 0)
        above, below = (metric.score(count(weights + side * step)[1])[0] for side in (1, -1))
        near = {"rel": 0.07, "abs": 3e-3} if kind in ("labels", "numbers") else {"rel": 0.01}
        assert moves[row] == pytest.approx((above - below) / 2e-4, **near)


def ends(kind, name, rows=slice(None), n=60, **layout):
    gold, outputs = (np.asarray(side)[rows] for side in draw(kind, n))
    task = {"task": "binary", "positive": 2} if kind == "labels" else {}
    (one,) = tallystick.score(gold, outputs, name, **task, **layout).scores
    return one.value, one.low, one.high


@cases("kind name", *list_kinds("labels", "numbers", "texts"))
def test_copies_in_clusters_have_the_interval_of_one_copy_in_them(kind, name):
    twice = np.repeat(np.arange(60), 2)
    once = ends(kind, name, clusters=np.arange(60).astype(str))
    found = ends(kind, name, twice, clusters=twice.astype(str))
    places = [at for at in (0, 1, 2) if name != "mean"]
    assert [once[at] for at in places] == pytest.approx([found[at] for at in places], rel=0.02)


def scatter(values, masses=1.0):
    values = np.asarray(values, np.float64)
    ones = np.ones(len(values))
    return Influence(values, masses * ones, ones, np.zeros(len(values), np.int64), 1).measure()


def test_equal_units_have_the_variance_and_freedom_of_the_jackknife():
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
    found = scatter(np.random.default_rng(6).normal(size=30) / 100)
    low, high = bound_score(np.array([0.8]), found, (0, 1), "counts", 0.95)
    t, variance = stats.t.ppf(0.975, 29), found.variance[0]
    n = 0.8 * 0.2 / variance
    centre, half = (0.8 + t**2 / 2 / n), t * math.sqrt(0.16 / n + t**2 / 4 / n**2)
    assert [low[0], high[0]] == pytest.approx(
        [(centre + side * half) / (1 + t**2 / n) for side in (-1, 1)]
    )


def test_scores_at_their_limit_are_as_sure_as_their_units():
    low, high = bound_score(np.array([1.0]), scatter(np.zeros(20)), (0, 1), "score", 0.95)
    assert (low[0], high[0]) == (pytest.approx(20 / (20 + 1.959964**2)), 1)


@cases("limits", (0, math.inf), (-math.inf, 1), (-math.inf, math.inf))
def test_open_scores_that_do_not_vary_have_no_interval(limits):
    assert np.isnan(bound_score(np.array([0.5]), scatter(np.zeros(9)), limits, "score", 0.95)).all()


@cases("name", "rmse", "r2", "mae")
def test_no_interval_explodes(name):
    gold = np.arange(10.0)
    outputs = gold + 0.1
    outputs[3] = 1e6
    result = tallystick.score(gold, outputs, name)
    (one,) = result.scores
    apart = (lambda x: 1 - x) if name == "r2" else (lambda x: x)
    far = sorted(abs(apart(end)) for end in (one.low, one.high))
    assert far[1] / far[0] <= math.exp(4) * (1 + 1e-9)
    assert any("too narrow: 1 example makes" in note for note in result.notes)

"""What averages are taken over, and that what is undefined stays so whatever the weights."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from oracle import ask, near
from strategies import STEADY
from systems import pair, pair_sets, tabulate
from tallystick.errors import UsageError
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.counters import Confusion, LabelSets
from tallystick.metrics import (
    F1,
    FPR,
    MCC,
    Accuracy,
    BalancedAccuracy,
    CohenKappa,
    FalsePositives,
    PositiveRate,
    Precision,
    Recall,
    Specificity,
    TrueNegatives,
)
from tallystick.model.codes import Labels
from tallystick.model.tallies.cells import Cells

NAMES = ("a", "b", "c", "d")
SET_NAMES = (*NAMES, "e", "f", "g")

ROUNDING = st.lists(st.sampled_from([0.1, 0.2, 0.3, 1e-3, 7.7, 1e9]), min_size=4, max_size=16)
"""Weights whose sum depends on the order in which they are added."""


def count(counts: Any) -> Cells:
    return tabulate(counts, NAMES[: len(counts)])


def count_sets(gold: list[list[str]], predicted: list[list[str]], **options: Any) -> Cells:
    return LabelSets().count(pair_sets(gold, predicted, labels=SET_NAMES, **options))


@STEADY
@given(ROUNDING, st.data())
@pytest.mark.parametrize(
    "metric", [FPR(positive="a"), Specificity(positive="a"), MCC(), Recall(positive="b")], ids=repr
)
def test_one_gold_label_is_undefined_whatever_the_weights(metric, weights, data):
    codes = data.draw(st.lists(st.integers(0, 3), min_size=len(weights), max_size=len(weights)))
    predicted = Labels(np.array(codes, np.uint8), NAMES)
    gold = Labels(np.zeros(len(weights), np.uint8), NAMES)
    tally = Confusion().count(pair(gold, predicted, weights=np.array(weights)))

    assert near([np.nan]) == metric.score(tally)


@STEADY
@given(ROUNDING, st.data())
def test_mcc_of_one_predicted_label_is_undefined_whatever_the_weights(weights, data):
    codes = data.draw(st.lists(st.integers(0, 3), min_size=len(weights), max_size=len(weights)))
    gold = Labels(np.array(codes, np.uint8), NAMES)
    predicted = Labels(np.full(len(weights), 2, np.uint8), NAMES)
    tally = Confusion().count(pair(gold, predicted, weights=np.array(weights)))

    assert near([np.nan]) == MCC().score(tally)


@STEADY
@given(ROUNDING)
def test_kappa_of_one_label_is_undefined_whatever_the_weights(weights):
    labels = Labels(np.full(len(weights), 1, np.uint8), NAMES)
    tally = Confusion().count(pair(labels, labels, weights=np.array(weights)))

    assert near([np.nan]) == CohenKappa().score(tally)


@STEADY
@given(ROUNDING)
@pytest.mark.parametrize("metric", [FPR("micro"), Specificity("micro"), FPR("macro")], ids=repr)
def test_sets_of_all_labels_have_no_negatives_whatever_the_weights(metric, weights):
    full = [list(SET_NAMES)] * len(weights)
    tally = count_sets(full, [["a"]] * len(weights), weights=np.array(weights))

    assert near([np.nan]) == metric.score(tally)


@STEADY
@given(ROUNDING, st.data())
@pytest.mark.parametrize("metric", [MCC(), CohenKappa(), BalancedAccuracy()], ids=repr)
def test_perfect_system_scores_one_whatever_the_weights(metric, weights, data):
    codes = [0, 1, *data.draw(st.lists(st.integers(0, 3), max_size=len(weights) - 2))]
    labels = Labels(np.array(codes, np.uint8), NAMES)
    tally = Confusion().count(pair(labels, labels, weights=np.array(weights[: len(codes)])))

    assert near([1]) == metric.score(tally)


@STEADY
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 3)), min_size=1))
@pytest.mark.parametrize(
    ("metric", "function"),
    [
        (MCC(), sk.matthews_corrcoef),
        (CohenKappa(), sk.cohen_kappa_score),
        (Accuracy(), sk.accuracy_score),
        (BalancedAccuracy(), sk.balanced_accuracy_score),
    ],
    ids=["mcc", "kappa", "accuracy", "balanced_accuracy"],
)
def test_outputs_that_are_no_label_are_one_that_the_gold_never_has(metric, function, rows):
    gold, predicted, weights = np.array(rows).T
    systems = pair(gold, np.minimum(predicted, 3), weights=weights.astype(float))
    own = LABELS.of(systems)
    (output,) = own.outputs
    wrong = replace(own, outputs=(replace(output, invalid=predicted == 4),))
    holes = systems.beside("labels", wrong)
    value = metric.score(Confusion().count(holes))
    expected = ask(function, gold, predicted, sample_weight=weights)

    assert near([expected]) == value or (np.isnan(value).all() and expected in (0, np.nan))


def test_mcc_of_billions_is_exact():
    tally = count([[10**10, 1], [0, 1]])

    assert pytest.approx(0.5**0.5, rel=1e-9) == MCC().score(tally)[0]


def test_kappa_of_billions_is_exact():
    tally = count([[10**10, 1], [0, 1]])

    assert pytest.approx(2 / 3, rel=1e-9) == CohenKappa().score(tally)[0]


def test_positive_label_is_the_second_of_two():
    tally = tabulate([[5, 1], [2, 7]], ("zzz", "aaa"))

    assert Recall(positive="aaa").score(tally).tolist() == Recall().score(tally).tolist() == [7 / 9]


@pytest.mark.parametrize("metric", [F1(), PositiveRate(), FalsePositives()], ids=repr)
def test_positive_label_among_three_must_be_named(metric):
    with pytest.raises(UsageError, match=r"one is meant of 'a', 'b', 'c'; name it, as in"):
        metric.score(count(np.eye(3, dtype=int)))


@pytest.mark.parametrize("option", [{"labels": (1, 2)}, {"average": "binary", "positive": 1}])
def test_number_is_no_label_where_labels_are_text(option):
    metric = F1(**{"average": "macro", "zero_division": 0, **option})

    with pytest.raises(UsageError, match="no label can be 1: the labels are text, such as '1'"):
        metric.score(tabulate([[1, 0], [0, 1]], ("1", "2")))


def test_text_is_no_label_where_labels_are_numbers():
    with pytest.raises(UsageError, match="no label can be '1': the labels are numbers, such as 0"):
        F1(positive="1").score(tabulate([[1, 0], [0, 1]], (0, 1)))


def test_samples_average_is_for_label_sets():
    with pytest.raises(UsageError, match="average='samples' is for multilabel tasks"):
        F1("samples").score(count([[1, 0], [0, 1]]))


def test_label_that_never_occurs_has_true_negatives_only():
    tally = count([[5, 1], [2, 7]])

    assert [15] == TrueNegatives(positive="nie").score(tally).tolist()
    assert [1] == Specificity(positive="nie").score(tally).tolist()


def test_label_that_never_occurs_is_a_decision_on_each_example():
    tally = count_sets([["a"], ["b"]], [["a", "b"], ["b"]])
    labels = ("a", "b", "nie")

    assert near([(1 / 2 + 1) / 2]) == Specificity("samples", labels=labels).score(tally)
    assert near([3 / 4]) == Specificity("micro", labels=labels).score(tally)


def test_macro_leaves_out_what_is_undefined():
    tally = count([[2, 0, 2], [0, 0, 1], [0, 0, 3]])

    assert near([(1 + 1 / 2) / 2]) == Precision("macro").score(tally)
    assert near([(1 + 0 + 1 / 2) / 3]) == Precision("macro", zero_division=0).score(tally)
    assert near([(1 + 1 + 1 / 2) / 3]) == Precision("macro", zero_division=1).score(tally)


def test_label_of_another_group_has_no_part():
    counts = np.array([[[2, 0], [0, 0]], [[1, 0], [1, 0]]])
    tally = tabulate(counts, ("a", "b"), ("x", "y"))

    assert near([1, 1 / 3]) == F1("macro", zero_division=0).score(tally)
    assert near([1 / 2, 1 / 3]) == F1("macro", labels=("a", "b"), zero_division=0).score(tally)

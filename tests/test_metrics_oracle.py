"""Metrics of labels equal scikit-learn to 1e-12, for every option that both have."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from oracle import answer, ask, near
from strategies import PAIRS as BINARY
from strategies import STEADY, Array, labelled
from tallystick import metrics as m
from tallystick.model.codes import Label

Build = Callable[..., m.Metric]

AVERAGES = st.sampled_from(["macro", "micro", "weighted"])
ZERO_DIVISIONS = st.sampled_from([0, 1, math.nan])
RATIOS: list[tuple[Build, Callable[..., Any]]] = [
    (m.Precision, sk.precision_score),
    (m.Recall, sk.recall_score),
    (m.F1, sk.f1_score),
    (lambda **options: m.FBeta(0.5, **options), lambda *a, **k: sk.fbeta_score(*a, beta=0.5, **k)),
    (lambda **options: m.FBeta(2, **options), lambda *a, **k: sk.fbeta_score(*a, beta=2, **k)),
]
RATIO_NAMES = ["precision", "recall", "f1", "f0.5", "f2"]
# Of a label's true negatives, false positives, false negatives and true positives: the numerator
# and the denominator.
RATES: list[tuple[Build, Callable[..., tuple[Array, Array]]]] = [
    (m.Specificity, lambda tn, fp, fn, tp: (tn, tn + fp)),
    (m.FPR, lambda tn, fp, fn, tp: (fp, tn + fp)),
    (m.FNR, lambda tn, fp, fn, tp: (fn, tp + fn)),
]


def choose_labels(data, labels):
    unseen: Label = "nie" if isinstance(labels[0], str) else 99
    return tuple(data.draw(st.lists(st.sampled_from([*labels, unseen]), min_size=1, unique=True)))


@pytest.mark.deep
@STEADY
@given(labelled(), AVERAGES, ZERO_DIVISIONS)
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_average_equals_scikit_learn(metric, function, sample, average, zero):
    actual = answer(metric(average=average, zero_division=zero), sample)
    options = {"average": average, "zero_division": zero, "sample_weight": sample.weights}
    assert near({None: ask(function, sample.gold, sample.predicted, **options)}) == actual


@pytest.mark.deep
@STEADY
@given(labelled(), AVERAGES, ZERO_DIVISIONS, st.data())
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_average_over_named_labels_equals_scikit_learn(
    metric, function, sample, average, zero, data
):
    labels = choose_labels(data, sample.labels)
    actual = answer(metric(average=average, labels=labels, zero_division=zero), sample)
    expected = ask(
        function,
        sample.gold,
        sample.predicted,
        labels=list(labels),
        average=average,
        zero_division=zero,
        sample_weight=sample.weights,
    )

    assert near({None: expected}) == actual


@STEADY
@given(labelled(), AVERAGES, ZERO_DIVISIONS)
def test_labels_that_the_task_names_count_in_full(sample, average, zero):
    actual = answer(m.F1(average, zero_division=zero), sample, labels=sample.labels)
    options = {"average": average, "zero_division": zero, "sample_weight": sample.weights}
    labels = list(sample.labels)
    expected = ask(sk.f1_score, sample.gold, sample.predicted, labels=labels, **options)
    assert near({None: expected}) == actual


@pytest.mark.deep
@STEADY
@given(labelled(), ZERO_DIVISIONS)
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_value_per_label_equals_scikit_learn(metric, function, sample, zero):
    actual = answer(metric(average=None, zero_division=zero), sample, labels=sample.labels)
    options = {"average": None, "zero_division": zero, "sample_weight": sample.weights}
    values = ask(function, sample.gold, sample.predicted, labels=list(sample.labels), **options)
    assert near(dict(zip(map(str, sample.labels), values, strict=True))) == actual


@pytest.mark.deep
@STEADY
@given(labelled(BINARY), st.sampled_from([0, 1]), ZERO_DIVISIONS)
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_binary_score_equals_scikit_learn(metric, function, sample, side, zero):
    positive = sample.labels[side]
    options = {"pos_label": positive, "zero_division": zero, "sample_weight": sample.weights}
    expected = ask(function, sample.gold, sample.predicted, **options)
    actual = answer(metric(positive=positive, zero_division=zero), sample, "binary")
    assert near({None: expected}) == actual


@pytest.mark.deep
@STEADY
@given(labelled(), ZERO_DIVISIONS, st.data())
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_positive_label_among_many_equals_scikit_learn(metric, function, sample, zero, data):
    positive = data.draw(st.sampled_from(sample.labels))
    options = {"average": None, "zero_division": zero, "sample_weight": sample.weights}
    expected = ask(function, sample.gold, sample.predicted, labels=[positive], **options)
    actual = answer(metric(positive=positive, zero_division=zero), sample)
    assert near({None: expected[0]}) == actual


def average_rate(matrices, rate, average, zero):
    cells = matrices.astype(float).reshape(-1, 4).T
    if average == "micro":
        cells = cells.sum(1, keepdims=True)
    above, below = rate(*cells)
    values = np.array([a / b if b else zero for a, b in zip(above, below, strict=True)])
    weights = cells[2] + cells[3] if average == "weighted" else np.ones(len(values))
    defined = ~np.isnan(values)
    if not defined.any():
        return math.nan
    weights = weights if weights[defined].sum() else np.ones(len(values))
    return float(np.average(values[defined], weights=weights[defined]))


@STEADY
@given(labelled(), AVERAGES, ZERO_DIVISIONS, st.data())
@pytest.mark.parametrize(("metric", "rate"), RATES, ids=["specificity", "fpr", "fnr"])
def test_average_rate_equals_scikit_learn(metric, rate, sample, average, zero, data):
    labels = choose_labels(data, sample.labels)
    matrices = sk.multilabel_confusion_matrix(
        sample.gold, sample.predicted, labels=list(labels), sample_weight=sample.weights
    )
    actual = answer(metric(average=average, labels=labels, zero_division=zero), sample)
    assert near({None: average_rate(matrices, rate, average, zero)}) == actual


@STEADY
@given(labelled(BINARY), ZERO_DIVISIONS)
def test_specificity_is_the_recall_of_the_negative_label(sample, zero):
    options = {"zero_division": zero, "sample_weight": sample.weights}
    negative = sample.labels[0]
    expected = ask(sk.recall_score, sample.gold, sample.predicted, pos_label=negative, **options)
    assert near({None: expected}) == answer(m.Specificity(zero_division=zero), sample, "binary")


@STEADY
@given(labelled(BINARY))
def test_complementary_rates_sum_to_one(sample):
    pairs = [(m.Specificity(), m.FPR()), (m.Recall(), m.FNR())]
    kept = [1 - answer(metric, sample, "binary")[None] for metric, _ in pairs]
    assert near(kept) == [answer(metric, sample, "binary")[None] for _, metric in pairs]


@STEADY
@given(labelled())
def test_accuracy_equals_scikit_learn(sample):
    expected = sk.accuracy_score(sample.gold, sample.predicted, sample_weight=sample.weights)
    assert near({None: expected}) == answer(m.Accuracy(), sample)


@STEADY
@given(labelled())
def test_balanced_accuracy_equals_scikit_learn(sample):
    some = sample.weighing()
    expected = ask(
        sk.balanced_accuracy_score, some.gold, some.predicted, sample_weight=some.weights
    )
    assert near({None: expected}) == answer(m.BalancedAccuracy(), sample)


@STEADY
@given(labelled(), ZERO_DIVISIONS)
def test_mcc_equals_scikit_learn(sample, zero):
    some = sample.weighing()
    undefined = min(len(set(some.gold)), len(set(some.predicted))) == 1
    options = {"sample_weight": sample.weights}
    expected = ask(sk.matthews_corrcoef, sample.gold, sample.predicted, **options)
    assert near({None: zero if undefined else expected}) == answer(m.MCC(zero), sample)


@STEADY
@given(labelled())
def test_cohen_kappa_equals_scikit_learn(sample):
    options = {"sample_weight": sample.weights}
    expected = ask(sk.cohen_kappa_score, sample.gold, sample.predicted, **options)
    assert near({None: expected}) == answer(m.CohenKappa(), sample)


@STEADY
@given(labelled(BINARY))
def test_counts_equal_scikit_learn(sample):
    labels = list(sample.labels)
    options = {"sample_weight": sample.weights}
    matrix = sk.confusion_matrix(sample.gold, sample.predicted, labels=labels, **options)
    (tn, fp), (fn, tp) = matrix.tolist()
    expected = [tn, fp, fn, tp, (fn + tp) / (tn + fp + fn + tp)]
    metrics = [
        m.TrueNegatives(), m.FalsePositives(), m.FalseNegatives(), m.TruePositives(),
        m.PositiveRate(),
    ]  # fmt: skip
    assert near(expected) == [answer(metric, sample, "binary")[None] for metric in metrics]


@STEADY
@given(
    labelled(),
    st.sampled_from([m.TrueNegatives, m.FalsePositives, m.FalseNegatives, m.TruePositives]),
)
def test_counts_per_label_equal_scikit_learn(sample, metric):
    place = [m.TrueNegatives, m.FalsePositives, m.FalseNegatives, m.TruePositives].index(metric)
    matrices = sk.multilabel_confusion_matrix(
        sample.gold, sample.predicted, labels=list(sample.labels), sample_weight=sample.weights
    )
    expected = dict(zip(map(str, sample.labels), matrices.reshape(-1, 4)[:, place], strict=True))
    assert near(expected) == answer(metric(average=None), sample, labels=sample.labels)


@STEADY
@given(labelled())
def test_support_equals_scikit_learn(sample):
    *_, support = ask(
        sk.precision_recall_fscore_support,
        sample.gold,
        sample.predicted,
        zero_division=0,
        **{"labels": list(sample.labels), "sample_weight": sample.weights},
    )
    expected = dict(zip(map(str, sample.labels), support, strict=True))

    assert near(expected) == answer(m.Support(), sample, labels=sample.labels)

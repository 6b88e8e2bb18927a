"""Multilabel metrics equal scikit-learn to 1e-12, for every option that both have."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

import tallystick
from oracle import ask, near
from strategies import STEADY, SetSample, label_sets
from tallystick import Task
from tallystick.metrics import (
    F1,
    FNR,
    FPR,
    ExactMatchRatio,
    FalseNegatives,
    FalsePositives,
    FBeta,
    HammingLoss,
    Metric,
    PositiveRate,
    Precision,
    Recall,
    Specificity,
    Support,
    TrueNegatives,
    TruePositives,
)

Build = Callable[..., Metric]

ZERO_DIVISIONS = st.sampled_from([0, 1, math.nan])
RATIOS: list[tuple[Build, Callable[..., Any]]] = [
    (Precision, sk.precision_score),
    (Recall, sk.recall_score),
    (F1, sk.f1_score),
    (lambda **options: FBeta(0.5, **options), lambda *a, **k: sk.fbeta_score(*a, beta=0.5, **k)),
]
RATIO_NAMES = ["precision", "recall", "f1", "f0.5"]


def answer_sets(metric: Metric, sample: SetSample, *, lists: bool = False) -> dict[Any, float]:
    sides = (sample.gold, sample.predicted)
    gold, predicted = map(sample.sets, sides) if lists else sides
    scores = tallystick.score(
        gold,
        predicted,
        metrics=metric,
        weights=sample.weights,
        task=Task("multilabel", sample.labels),
        intervals=False,
    ).scores
    return {score.label: score.value for score in scores}


@pytest.mark.deep
@STEADY
@given(
    label_sets(),
    st.sampled_from(["macro", "micro", "weighted", "samples"]),
    ZERO_DIVISIONS,
    st.booleans(),
)
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_average_over_sets_equals_scikit_learn(metric, function, sample, average, zero, lists):
    options = {"average": average, "zero_division": zero, "sample_weight": sample.weights}
    expected = ask(function, sample.gold, sample.predicted, **options)
    actual = answer_sets(metric(average=average, zero_division=zero), sample, lists=lists)

    assert near({None: expected}) == actual


@pytest.mark.deep
@STEADY
@given(
    label_sets(),
    st.sampled_from(["macro", "micro", "weighted", "samples"]),
    ZERO_DIVISIONS,
    st.data(),
)
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_average_over_some_labels_equals_scikit_learn(
    metric, function, sample, average, zero, data
):
    places = st.sampled_from(range(len(sample.labels)))
    some = data.draw(st.lists(places, min_size=1, max_size=12, unique=True))
    labels = tuple(sample.labels[place] for place in some)
    options = {"average": average, "zero_division": zero, "sample_weight": sample.weights}
    expected = ask(function, sample.gold, sample.predicted, labels=some, **options)
    actual = answer_sets(metric(average=average, labels=labels, zero_division=zero), sample)

    assert near({None: expected}) == actual


@pytest.mark.deep
@STEADY
@given(label_sets(), ZERO_DIVISIONS)
@pytest.mark.parametrize(("metric", "function"), RATIOS, ids=RATIO_NAMES)
def test_value_per_label_of_sets_equals_scikit_learn(metric, function, sample, zero):
    options = {"average": None, "zero_division": zero, "sample_weight": sample.weights}
    values = ask(function, sample.gold, sample.predicted, **options)
    expected = dict(zip(sample.labels, values, strict=True))

    assert near(expected) == answer_sets(metric(average=None, zero_division=zero), sample)


@STEADY
@given(label_sets(), st.sampled_from([None, "micro", "macro"]))
@pytest.mark.parametrize(
    ("metric", "above", "below"),
    [(Specificity, [0], [0, 1]), (FPR, [1], [0, 1]), (FNR, [2], [2, 3])],
    ids=["specificity", "fpr", "fnr"],
)
def test_rates_of_sets_equal_scikit_learn(metric, above, below, sample, average):
    matrices = sk.multilabel_confusion_matrix(
        sample.gold, sample.predicted, sample_weight=sample.weights
    )
    cells = matrices.astype(float).reshape(-1, 4)
    cells = cells.sum(0, keepdims=True) if average == "micro" else cells
    numerators, denominators = cells[:, above].sum(1), cells[:, below].sum(1)
    values = [a / b if b else 1 for a, b in zip(numerators, denominators, strict=True)]
    expected = {None: np.mean(values)} if average else dict(zip(sample.labels, values, strict=True))

    assert near(expected) == answer_sets(metric(average=average, zero_division=1), sample)


@STEADY
@given(label_sets(), st.booleans())
def test_hamming_loss_equals_scikit_learn(sample, lists):
    options = {"sample_weight": sample.weights}
    expected = sk.hamming_loss(sample.gold, sample.predicted, **options)

    assert near({None: expected}) == answer_sets(HammingLoss(), sample, lists=lists)


@STEADY
@given(label_sets(), st.data())
def test_exact_match_ratio_equals_scikit_learn(sample, data):
    right = data.draw(st.lists(st.booleans(), min_size=len(sample.gold), max_size=len(sample.gold)))
    predicted = np.where(np.array(right)[:, None], sample.gold, sample.predicted)
    mended = SetSample(sample.labels, sample.gold, predicted, sample.weights)
    expected = sk.accuracy_score(sample.gold, predicted, sample_weight=sample.weights)

    assert near({None: expected}) == answer_sets(ExactMatchRatio(), mended)


@STEADY
@given(label_sets())
def test_counts_of_sets_equal_scikit_learn(sample):
    matrices = sk.multilabel_confusion_matrix(
        sample.gold, sample.predicted, sample_weight=sample.weights
    )
    tn, fp, fn, tp = matrices.reshape(-1, 4).T
    expected = [dict(zip(sample.labels, cells, strict=True)) for cells in (tn, fp, fn, tp, fn + tp)]
    metrics = [
        build(None) for build in (TrueNegatives, FalsePositives, FalseNegatives, TruePositives)
    ]
    actual = [answer_sets(metric, sample) for metric in (*metrics, Support())]

    assert list(map(near, expected)) == actual


@STEADY
@given(label_sets())
def test_positive_label_of_sets_equals_scikit_learn(sample):
    label, gold, predicted = sample.labels[1], sample.gold[:, 1], sample.predicted[:, 1]
    options = {"sample_weight": sample.weights}
    expected = [
        ask(sk.f1_score, gold, predicted, zero_division=math.nan, **options),
        np.average(gold, weights=sample.weights),
    ]
    metrics = [F1(positive=label), PositiveRate(label)]

    assert near(expected) == [answer_sets(metric, sample)[None] for metric in metrics]


def test_empty_sets_on_both_sides_are_an_exact_match():
    gold, predicted = [["a"], [], []], [["a"], [], ["a"]]
    metrics = [ExactMatchRatio(), F1("samples"), F1("samples", zero_division=1), HammingLoss()]
    actual = tallystick.score(gold, predicted, metrics=metrics, task="multilabel")

    assert near([2 / 3, 1 / 2, 2 / 3, 1 / 3]) == [score.value for score in actual.scores]

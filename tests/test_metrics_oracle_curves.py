"""Metrics of probabilities and label sets equal scikit-learn to 1e-12."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn import metrics as sk

import tallystick
from oracle import answer, ask, near
from strategies import STEADY, Sample, SetSample, label_sets, scored, scored_by_label
from tallystick import Predictions, Task
from tallystick import metrics as m


def is_gold(sample, label):
    return np.array([int(gold == label) for gold in sample.gold])


def answer_scores(metric, sample):
    return answer(metric, sample, "binary", predictions=Predictions(None, sample.probabilities))


def answer_matrix(metric, sample, places):
    labels = tuple(sample.labels[place] for place in places)
    matrix = Predictions(None, sample.probabilities[:, places])
    return answer(metric, sample, predictions=matrix, labels=labels)


@st.composite
def shuffled(draw):
    sample = draw(scored_by_label())
    return sample, draw(st.permutations(range(len(sample.labels))))


def find_error(positive, scores, weights, bins):
    error = 0.0
    for place in range(bins):
        low, high = place / bins, (place + 1) / bins
        inside = (scores <= high) & ((scores > low) | (place == 0))
        if (mass := weights[inside].sum()) > 0:
            confidence = np.average(scores[inside], weights=weights[inside])
            frequency = np.average(positive[inside], weights=weights[inside])
            error += mass / weights.sum() * abs(confidence - frequency)
    return error


def weigh(sample):
    return np.ones(len(sample)) if sample.weights is None else np.array(sample.weights)


@STEADY
@given(scored())
def test_roc_auc_equals_scikit_learn(sample):
    some = sample.weighing()
    positive = is_gold(some, some.labels[1])
    options = {"sample_weight": some.weights}
    expected = ask(sk.roc_auc_score, positive, some.probabilities, **options)
    assert near({None: expected}) == answer_scores(m.ROCAUC(), sample)


@STEADY
@given(scored())
def test_average_precision_equals_scikit_learn(sample):
    some = sample.weighing()
    positive = is_gold(some, some.labels[1])
    options = {"sample_weight": some.weights}
    value = ask(sk.average_precision_score, positive, some.probabilities, **options)
    expected = value if positive.any() else math.nan
    assert near({None: expected}) == answer_scores(m.AveragePrecision(), sample)


@STEADY
@given(scored())
def test_brier_score_equals_scikit_learn(sample):
    scores = sample.probabilities.astype(float)
    positive = is_gold(sample, sample.labels[1])
    expected = sk.brier_score_loss(positive, scores, sample_weight=sample.weights, pos_label=1)
    assert near({None: expected}) == answer_scores(m.BrierScore(), sample)


@STEADY
@given(scored())
def test_log_loss_equals_scikit_learn(sample):
    step = np.finfo(sample.probabilities.dtype).eps
    scores = np.clip(sample.probabilities.astype(float), step, 1 - step)
    positive = is_gold(sample, sample.labels[1])
    expected = sk.log_loss(positive, scores, sample_weight=sample.weights, labels=[0, 1])
    assert near({None: expected}) == answer_scores(m.LogLoss(), sample)


@STEADY
@given(scored(), st.sampled_from([1, 2, 6, 10, 15]))
def test_ece_equals_a_walk_through_the_bins(sample, bins):
    scores, positive = sample.probabilities.astype(float), is_gold(sample, sample.labels[1])
    expected = find_error(positive, scores, weigh(sample), bins)
    assert near({None: expected}) == answer_scores(m.ECE(bins), sample)


@pytest.mark.parametrize("bins", [6, 7, 10, 12, 49])
def test_ece_puts_every_edge_into_the_bin_below(bins):
    edges = np.arange(1, bins + 1) / bins
    paired = replace(
        Sample((0, 1), [0] * bins, [0] * bins, edges, None),
        gold=[0, 1] * bins,
        predicted=[0, 0] * bins,
        probabilities=np.repeat(edges, 2) - np.tile([0, 0.5 / bins], bins),
    )
    expected = find_error(np.tile([0, 1], bins), paired.probabilities, np.ones(2 * bins), bins)

    assert near({None: expected}) == answer_scores(m.ECE(bins), paired)
    assert near(np.abs(0.5 - (edges - 0.25 / bins)).mean()) == expected


@STEADY
@given(scored(), st.sampled_from([0.0, 0.25, 0.3, 0.5, 1.0]))
def test_label_is_positive_from_the_threshold_on(sample, threshold):
    import tallystick

    scores = sample.probabilities.astype(float)
    task = tallystick.Task("binary", positive=sample.labels[1], threshold=threshold)
    actual = tallystick.score(
        sample.gold, scores, metrics=[m.Accuracy(), m.F1(zero_division=0)], task=task
    )
    positive, predicted = is_gold(sample, sample.labels[1]), (scores >= threshold).astype(int)
    expected = [
        sk.accuracy_score(positive, predicted),
        ask(sk.f1_score, positive, predicted, zero_division=0),
    ]

    assert near(expected) == [score.value for score in actual.scores]


@STEADY
@given(shuffled(), st.sampled_from(["macro", "weighted"]))
def test_roc_auc_of_each_label_equals_scikit_learn(drawn, weighting):
    sample, places = drawn
    some = sample.weighing()
    gold = np.array([[int(one == label) for label in some.labels] for one in some.gold])
    options = {"average": weighting, "sample_weight": some.weights}
    expected = ask(sk.roc_auc_score, gold, some.probabilities, **options)
    assert near({None: expected}) == answer_matrix(m.ROCAUC("ovr", weighting), sample, places)


@STEADY
@given(
    shuffled().filter(lambda drawn: len(drawn[0].labels) > 2),
    st.sampled_from(["macro", "weighted"]),
)
def test_roc_auc_of_pairs_equals_scikit_learn(drawn, weighting):
    sample, places = replace(drawn[0], weights=None), drawn[1]
    absent = set(sample.labels) - set(sample.gold)
    expected = math.nan
    if not absent:
        options = {"multi_class": "ovo", "average": weighting, "labels": list(sample.labels)}
        expected = ask(sk.roc_auc_score, sample.gold, sample.probabilities, **options)
    assert near({None: expected}) == answer_matrix(m.ROCAUC("ovo", weighting), sample, places)


@STEADY
@given(shuffled(), st.sampled_from(["macro", "weighted"]))
def test_weighted_roc_auc_of_pairs_equals_a_mean_over_pairs(drawn, weighting):
    sample, places = drawn
    some = sample.weighing()
    areas, masses = [], []
    for one, other in combinations(range(len(some.labels)), 2):
        pair = (some.labels[one], some.labels[other])
        few = some.take([row for row in range(len(some)) if some.gold[row] in pair])
        masses.append(weigh(few).sum())
        areas += [
            ask(
                sk.roc_auc_score,
                is_gold(few, some.labels[place]),
                few.probabilities[:, place],
                sample_weight=few.weights,
            )
            if len(set(few.gold)) == 2
            else math.nan
            for place in (one, other)
        ]
    shares = masses if weighting == "weighted" else np.ones(len(masses))
    expected = np.average(np.reshape(areas, (-1, 2)).mean(1), weights=shares)

    assert near({None: expected}) == answer_matrix(m.ROCAUC("ovo", weighting), sample, places)


@STEADY
@given(shuffled(), st.sampled_from(["macro", "weighted"]))
def test_average_precision_of_each_label_equals_scikit_learn(drawn, weighting):
    sample, places = drawn
    some = sample.weighing()
    gold = np.array([[int(one == label) for label in some.labels] for one in some.gold])
    options = {"average": weighting, "sample_weight": some.weights}
    value = ask(sk.average_precision_score, gold, some.probabilities, **options)
    expected = value if weighting == "weighted" or gold.any(0).all() else math.nan
    assert near({None: expected}) == answer_matrix(m.AveragePrecision(weighting), sample, places)


@STEADY
@given(shuffled())
def test_brier_score_of_all_labels_equals_scikit_learn(drawn):
    sample, places = drawn
    options = {"labels": list(sample.labels), "sample_weight": sample.weights}
    expected = ask(sk.brier_score_loss, sample.gold, sample.probabilities.astype(float), **options)
    assert near({None: expected}) == answer_matrix(m.BrierScore(), sample, places)


@STEADY
@given(shuffled())
def test_log_loss_of_all_labels_equals_scikit_learn(drawn):
    sample, places = drawn
    step = np.finfo(sample.probabilities.dtype).eps
    columns = [list(sample.labels).index(label) for label in sample.gold]
    own = sample.probabilities.astype(float)[np.arange(len(columns)), columns]
    expected = ask(np.average, -np.log(np.clip(own, step, 1 - step)), weights=sample.weights)
    options = {"labels": list(sample.labels), "sample_weight": sample.weights}
    rounded = ask(sk.log_loss, sample.gold, sample.probabilities, **options)

    found = answer_matrix(m.LogLoss(), sample, places)
    assert near({None: expected}) == found
    assert pytest.approx({None: rounded}, rel=1e-4, abs=1e-6, nan_ok=True) == found


@STEADY
@given(shuffled())
def test_ece_of_all_labels_is_their_mean(drawn):
    sample, places = drawn
    scores = sample.probabilities.astype(float)
    errors = [
        find_error(is_gold(sample, label), scores[:, place], weigh(sample), 10)
        for place, label in enumerate(sample.labels)
    ]
    assert near({None: np.mean(errors)}) == answer_matrix(m.ECE(), sample, places)


@STEADY
@given(shuffled())
def test_most_probable_label_is_predicted(drawn):
    sample, places = drawn
    best = sample.probabilities[:, places].argmax(1)
    predicted = [sample.labels[places[place]] for place in best]
    expected = sk.accuracy_score(sample.gold, predicted, sample_weight=sample.weights)
    assert near({None: expected}) == answer_matrix(m.Accuracy(), sample, places)


ZERO_DIVISIONS = st.sampled_from([0, 1, math.nan])
RATIOS: list[tuple[Callable[..., m.Metric], Callable[..., Any]]] = [
    (m.Precision, sk.precision_score),
    (m.Recall, sk.recall_score),
    (m.F1, sk.f1_score),
    (lambda **options: m.FBeta(0.5, **options), lambda *a, **k: sk.fbeta_score(*a, beta=0.5, **k)),
]
RATIO_NAMES = ["precision", "recall", "f1", "f0.5"]


def answer_sets(metric, sample, *, lists=False):
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
    [(m.Specificity, [0], [0, 1]), (m.FPR, [1], [0, 1]), (m.FNR, [2], [2, 3])],
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
    expected = sk.hamming_loss(sample.gold, sample.predicted, **{"sample_weight": sample.weights})
    assert near({None: expected}) == answer_sets(m.HammingLoss(), sample, lists=lists)


@STEADY
@given(label_sets(), st.data())
def test_exact_match_ratio_equals_scikit_learn(sample, data):
    right = data.draw(st.lists(st.booleans(), min_size=len(sample.gold), max_size=len(sample.gold)))
    predicted = np.where(np.array(right)[:, None], sample.gold, sample.predicted)
    mended = SetSample(sample.labels, sample.gold, predicted, sample.weights)
    expected = sk.accuracy_score(sample.gold, predicted, sample_weight=sample.weights)
    assert near({None: expected}) == answer_sets(m.ExactMatchRatio(), mended)


@STEADY
@given(label_sets())
def test_counts_of_sets_equal_scikit_learn(sample):
    matrices = sk.multilabel_confusion_matrix(
        sample.gold, sample.predicted, sample_weight=sample.weights
    )
    tn, fp, fn, tp = matrices.reshape(-1, 4).T
    expected = [dict(zip(sample.labels, cells, strict=True)) for cells in (tn, fp, fn, tp, fn + tp)]
    metrics = [
        build(None)
        for build in (m.TrueNegatives, m.FalsePositives, m.FalseNegatives, m.TruePositives)
    ]
    actual = [answer_sets(metric, sample) for metric in (*metrics, m.Support())]

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
    metrics = [m.F1(positive=label), m.PositiveRate(label)]

    assert near(expected) == [answer_sets(metric, sample)[None] for metric in metrics]


def test_empty_sets_on_both_sides_are_an_exact_match():
    gold, predicted = [["a"], [], []], [["a"], [], ["a"]]
    metrics = [
        m.ExactMatchRatio(),
        m.F1("samples"),
        m.F1("samples", zero_division=1),
        m.HammingLoss(),
    ]
    actual = tallystick.score(gold, predicted, metrics=metrics, task="multilabel")
    assert near([2 / 3, 1 / 2, 2 / 3, 1 / 3]) == [score.value for score in actual.scores]

"""Scores by group: each group alone, their mean, and all together equal scikit-learn."""

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

import tallystick
from oracle import ask, near
from strategies import PAIRS as BINARY
from strategies import STEADY, Sample, labelled, scored
from tallystick import Predictions, Task
from tallystick.metrics import F1, MCC, ROCAUC, Accuracy, Metric, TruePositives

GROUPS = ["10", "9", "中文", "z/y"]

Grouped = tuple[Sample, list[str]]


@st.composite
def grouped(draw: st.DrawFn, samples: st.SearchStrategy[Sample]) -> Grouped:
    """A sample whose examples all weigh something, and the group of each example."""
    sample = draw(samples).weighing()
    size = len(sample)
    return sample, draw(st.lists(st.sampled_from(GROUPS), min_size=size, max_size=size))


def split(sample: Sample, groups: list[str]) -> dict[str, Sample]:
    """The examples of each group."""
    return {
        group: sample.take([row for row, other in enumerate(groups) if other == group])
        for group in dict.fromkeys(groups)
    }


def answer_groups(metric: Metric, drawn: Grouped, task: Task, predictions: Any) -> dict[Any, float]:
    """Tallystick's value of each row."""
    sample, groups = drawn
    scores = tallystick.score(
        sample.gold,
        predictions,
        metrics=metric,
        by=groups,
        weights=sample.weights,
        task=task,
        intervals=False,
    ).scores
    return {score.group: score.value for score in scores}


def add_rows(values: dict[str, float], whole: float) -> dict[str, float]:
    """The values of groups with those of the rows below them."""
    defined = [value for value in values.values() if not math.isnan(value)]
    return {**values, "macro": np.mean(defined) if defined else math.nan, "micro": whole}


@STEADY
@given(grouped(labelled()))
def test_accuracy_of_groups_equals_scikit_learn(drawn):
    """Macro is the plain mean of the groups, micro the score of all examples."""

    def ask_accuracy(sample: Sample) -> float:
        weights = sample.weights
        return sk.accuracy_score(sample.gold, sample.predicted, sample_weight=weights)

    values = {group: ask_accuracy(part) for group, part in split(*drawn).items()}
    expected = add_rows(values, ask_accuracy(drawn[0]))

    assert near(expected) == answer_groups(
        Accuracy(), drawn, Task("multiclass"), drawn[0].predicted
    )


@STEADY
@given(grouped(labelled()), st.sampled_from(["macro", "weighted", "micro"]))
def test_average_of_groups_equals_scikit_learn(drawn, average):
    """A label that a group does not have takes no part in that group's average."""

    def ask_f1(sample: Sample) -> float:
        options = {"average": average, "zero_division": 0, "sample_weight": sample.weights}
        return ask(sk.f1_score, sample.gold, sample.predicted, **options)

    values = {group: ask_f1(part) for group, part in split(*drawn).items()}
    metric = F1(average, zero_division=0)

    assert near(add_rows(values, ask_f1(drawn[0]))) == answer_groups(
        metric, drawn, Task("multiclass"), drawn[0].predicted
    )


@STEADY
@given(grouped(labelled()))
def test_mcc_of_groups_equals_scikit_learn(drawn):
    """Groups in which a metric is undefined have no part in the mean."""

    def ask_mcc(sample: Sample) -> float:
        if min(len(set(sample.gold)), len(set(sample.predicted))) == 1:
            return math.nan
        return sk.matthews_corrcoef(sample.gold, sample.predicted, sample_weight=sample.weights)

    values = {group: ask_mcc(part) for group, part in split(*drawn).items()}
    expected = add_rows(values, ask_mcc(drawn[0]))

    assert near(expected) == answer_groups(MCC(), drawn, Task("multiclass"), drawn[0].predicted)


@STEADY
@given(grouped(scored()))
def test_roc_auc_of_groups_equals_scikit_learn(drawn):
    """Scores of one group are never compared with those of another, but all are in micro."""
    sample = drawn[0]
    positive = sample.labels[1]

    def ask_area(part: Sample) -> float:
        gold = [label == positive for label in part.gold]
        return ask(sk.roc_auc_score, gold, part.probabilities, sample_weight=part.weights)

    values = {group: ask_area(part) for group, part in split(*drawn).items()}
    actual = answer_groups(
        ROCAUC(), drawn, Task("binary", positive=positive), Predictions(None, sample.probabilities)
    )

    assert near(add_rows(values, ask_area(sample))) == actual


@STEADY
@given(grouped(labelled(BINARY)))
def test_counts_of_groups_add_up(drawn):
    """Counts have a sum over groups, and no mean."""
    sample, groups = drawn
    positive = sample.labels[1]
    task = Task("binary", positive=positive)
    actual = answer_groups(TruePositives(), drawn, task, sample.predicted)
    values = {
        group: sk.confusion_matrix(
            [label == positive for label in part.gold],
            [label == positive for label in part.predicted],
            labels=[False, True],
            sample_weight=part.weights,
        )[1, 1]
        for group, part in split(sample, groups).items()
    }

    assert near(values) == {group: actual[group] for group in values}
    assert near(sum(values.values())) == actual["micro"]

"""s_score and l_score equal sam_ml's values and their formulas, and refuse what sam_ml ignores."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import tallystick
from oracle import answer, near
from reference import products
from strategies import STEADY, labelled
from systems import tabulate
from tallystick.errors import UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import LScore, Metric, SScore
from tallystick.model.codes import order

BOTH = pytest.mark.parametrize("metric", [SScore, LScore])
EXAMPLES = 11
CURVES = {SScore: products.s, LScore: products.l}
# The eleventh example names its published label files; this matrix has their precision and recall.
VERDICTS = [[0, 0, 114, 0], [0, 0, 198, 10], [0, 1, 1465, 11], [0, 0, 437, 14]]
GOLD = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3]
PREDICTED = [0, 0, 1, 1, 1, 2, 2, 2, 2, 0, 3, 3]


def score(metric: Metric, gold: Any, predicted: Any) -> float:
    return tallystick.score(gold, predicted, metrics=metric, task="multiclass").scores[0].value


@pytest.mark.parametrize("number", range(EXAMPLES))
@pytest.mark.parametrize(
    ("metric", "value", "strength"),
    [
        (SScore, "s_score", "strength_s"),
        (LScore, "l_score_module", "strength_l_module_default"),
    ],
)
def test_value_is_that_of_sam_ml(metric, value, strength, number, shared):
    path = shared / "acceptance" / "sam_ml_values.json"
    example = json.loads(path.read_text(encoding="utf-8"))["examples"][number]
    index, secondary = example["pos_label"], example["secondary_scoring"]
    unheeded = isinstance(index, str)
    built = metric(
        None if unheeded else secondary,
        strength=example[strength],
        pos_index=None if unheeded else index,
    )
    if "y_true" in example:
        actual = score(built, example["y_true"], example["y_pred"])
    else:
        actual = built.score(tabulate(VERDICTS, tuple(example["labels"])))[0]

    assert near(example[value]) == actual


@STEADY
@given(labelled(), st.sampled_from([None, "precision", "recall"]), st.floats(1, 6), st.data())
@BOTH
def test_value_is_that_of_the_formula(metric, sample, secondary, strength, data):
    sample = replace(sample, weights=None)
    seen = sorted({*sample.gold, *sample.predicted})
    label = data.draw(st.none() | st.sampled_from(seen))
    preferred = [label] if label is not None else seen if secondary else []
    actual = answer(metric(secondary, label, strength), sample)
    strengths = dict.fromkeys(preferred, strength)
    expected = products.multiply(
        CURVES[metric], sample.gold, sample.predicted, secondary, strengths
    )

    assert near({None: expected}) == actual


@STEADY
@given(labelled(), st.sampled_from([None, "precision", "recall"]), st.data())
@BOTH
def test_index_counts_sorted_labels(metric, sample, secondary, data):
    wide = len(sample.labels)
    tally = tabulate(np.arange(wide**2).reshape(wide, wide), sample.labels)
    index = data.draw(st.integers(1, len(sample.labels) - 1))
    label = order(sample.labels)[index]
    by_index, by_label = metric(secondary, pos_index=index), metric(secondary, label)

    assert by_label.score(tally).tolist() == by_index.score(tally).tolist()


@BOTH
def test_groups_and_leading_axes_are_scored_at_once(metric):
    counts = np.random.default_rng(0).integers(0, 9, (2, 3, 2, 3, 3))
    counts[..., 0, 1, :] = counts[..., 0, :, 1] = 0
    tally = tabulate(counts, ("a", "b", "c"), ("x", "y"))
    values = metric("recall", "b", 5).score(tally)
    alone = [
        metric("recall", "b", 5).score(tabulate(one, tally.labels))[0]
        for one in counts.reshape(-1, 3, 3)
    ]

    assert near(np.reshape(alone, (2, 3, 2))) == values


@pytest.mark.parametrize(
    ("labels", "value"), [(2, 0.9950608675520054), (10, 0.9987629232422304**20)]
)
def test_perfect_s_score_is_below_one(labels, value):
    gold = list(range(labels))

    assert near(value) == score(SScore(), gold, gold)


@BOTH
def test_strength_has_no_effect_without_a_preference(metric):
    values = {score(metric(strength=strength), GOLD, PREDICTED) for strength in (1, 2.5, 100)}

    assert 1 == len(values)


@BOTH
def test_without_examples_there_is_no_value(metric):
    assert np.isnan(metric().score(tabulate(np.zeros((2, 2), int), (0, 1)))).all()


def test_default_strengths_are_those_of_sam_ml():
    assert (3, 2) == (SScore().strength, LScore().strength)
    assert ["SScore()", "LScore()"] == [repr(SScore()), repr(LScore())]


def test_full_name_parses_back():
    metric = SScore("precision", pos_label="toxic", strength=4)

    assert metric == parse(repr(metric))
    assert "SScore(secondary_scoring='precision', pos_label='toxic', strength=4)" == repr(metric)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"secondary_scoring": "f1"}, "secondary_scoring is one of None, 'precision', 'recall'"),
        ({"strength": 0.5}, "strength is a number from 1 on, not 0.5"),
        ({"strength": True}, "strength is a number from 1 on, not True"),
        ({"strength": float("nan")}, "strength is a number from 1 on, not nan"),
        ({"strength": float("inf")}, "strength is a number from 1 on, not inf"),
        ({"strength": "4"}, "strength is a number from 1 on, not '4'"),
        ({"pos_index": -2}, "pos_index is a whole number from -1 on, not -2"),
        ({"pos_index": True}, "pos_index is a whole number from -1 on, not True"),
        ({"pos_index": "a"}, "pos_index is a whole number from -1 on, not 'a'"),
        ({"pos_label": 1.5}, "a label is text or a whole number, not 1.5"),
        ({"pos_label": 1, "pos_index": 1}, "pos_label and pos_index both choose a class"),
    ],
)
@BOTH
def test_bad_option_is_told(metric, options, message):
    with pytest.raises(UsageError) as caught:
        metric(**options)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pos_label": 9}, "pos_label=9 does not exist: the labels are 0, 1, 2, 3"),
        ({"pos_label": "1"}, "pos_label='1' does not exist: the labels are 0, 1, 2, 3"),
        ({"pos_index": 4}, "pos_index=4 does not exist: the labels are 0, 1, 2, 3"),
    ],
)
@BOTH
def test_label_that_is_not_there_is_told(metric, options, message):
    with pytest.raises(UsageError) as caught:
        score(metric(**options), GOLD, PREDICTED)

    assert message == str(caught.value)

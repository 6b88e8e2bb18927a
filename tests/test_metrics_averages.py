"""Averages, metrics of ordered labels, and products, by hand and by other packages."""

import json

import numpy as np
import pandas
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import tallystick
from oracle import answer, ask, near
from reference import products
from strategies import STEADY, labelled
from systems import hold, pair, pair_sets, tabulate
from tallystick import Columns, Task
from tallystick.errors import UsageError
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_columns import Confusion, LabelSets, Output
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import (
    F1,
    FPR,
    MCC,
    Accuracy,
    AccuracyWithin,
    BalancedAccuracy,
    CohenKappa,
    FalsePositives,
    LScore,
    PositiveRate,
    Precision,
    Recall,
    Specificity,
    SScore,
    TrueNegatives,
    WeightedKappa,
)
from tallystick.model.codes import Labels, order
from tallystick.model.systems import Systems
from tallystick.model.tallies.tally import need_patterns

NAMES = ("a", "b", "c", "d")
SET_NAMES = (*NAMES, "e", "f", "g")

ROUNDING = st.lists(st.sampled_from([0.1, 0.2, 0.3, 1e-3, 7.7, 1e9]), min_size=4, max_size=16)
"""Weights whose sum depends on the order in which they are added."""


def count(counts):
    return tabulate(counts, NAMES[: len(counts)])


def count_sets(gold, predicted, **options):
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
@pytest.mark.parametrize(("metric", "function"), [
    (MCC(), sk.matthews_corrcoef),
    (CohenKappa(), sk.cohen_kappa_score),
    (Accuracy(), sk.accuracy_score),
    (BalancedAccuracy(), sk.balanced_accuracy_score),
], ids=["mcc", "kappa", "accuracy", "balanced_accuracy"])  # fmt: skip
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
    assert pytest.approx(0.5**0.5, rel=1e-9) == MCC().score(count([[10**10, 1], [0, 1]]))[0]


def test_kappa_of_billions_is_exact():
    assert pytest.approx(2 / 3, rel=1e-9) == CohenKappa().score(count([[10**10, 1], [0, 1]]))[0]


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
    tally = tabulate(np.array([[[2, 0], [0, 0]], [[1, 0], [1, 0]]]), ("a", "b"), ("x", "y"))
    assert near([1, 1 / 3]) == F1("macro", zero_division=0).score(tally)
    assert near([1 / 2, 1 / 3]) == F1("macro", labels=("a", "b"), zero_division=0).score(tally)


CASES = 150


def draw_ratings(cases, seed):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 9, cases)
    wide = np.repeat(random.integers(1, 6, cases), sizes)
    gold = (random.random(len(wide)) * wide).astype(np.int64)
    noise = random.integers(-2, 3, len(wide)) * (
        random.random(len(wide)) < np.repeat(random.random(cases), sizes)
    )
    predicted = np.clip(gold + noise, 0, 4)
    names = tuple(range(1, 6))
    owners = np.repeat(np.arange(cases), sizes)
    ends = sizes.cumsum()[:-1]
    groups = Labels(owners, tuple(range(cases)))
    outputs = (Output(Labels(predicted, names)),)
    systems = Systems(("a",), hold(Labels(gold, names), *outputs), groups=groups)
    return np.split(gold + 1, ends), np.split(predicted + 1, ends), systems


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_equals_scikit_learn(weights, seed):
    gold, predicted, systems = draw_ratings(CASES, seed)
    found = WeightedKappa(weights).score(Confusion().count(systems))
    expected = [
        ask(sk.cohen_kappa_score, one, other, weights=weights)
        for one, other in zip(gold, predicted, strict=True)
    ]

    assert np.isnan(found).any()
    assert np.allclose(expected, found, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_named_labels_count_whether_or_not_they_occur(weights):
    scale = ("low", "middle", "high", "top")
    gold, predicted = ["low", "high", "top", "low", "high"], ["high", "high", "low", "low", "top"]
    task = Task(labels=scale)
    found = tallystick.score(gold, predicted, WeightedKappa(weights), task=task, intervals=False)
    expected = ask(sk.cohen_kappa_score, gold, predicted, weights=weights, labels=list(scale))

    assert near(expected) == found.scores[0].value
    assert f"WeightedKappa({weights!r}, labels={scale!r})".replace("'quadratic', ", "") == (
        found.scores[0].signature.partition("|")[0].replace("weights=", "")
    )


def test_labels_without_an_order_are_rejected():
    with pytest.raises(UsageError, match="have an order, and 'high' is not a number"):
        tallystick.score(["low", "high", "top"], ["low", "high", "low"], "qwk")


def test_a_label_beside_the_scale_is_rejected():
    with pytest.raises(UsageError, match="weighted_kappa is over 1, 2, and an example has '3'"):
        tallystick.score(["1", "2", "3"], ["1", "2", "2"], WeightedKappa(labels=("1", "2")))


def test_an_output_that_is_no_label_is_as_far_as_can_be():
    gold = ["1", "3", "2", "1", "3"]
    metric, task = WeightedKappa(), Task("multiclass", ("1", "2", "3"))
    scores = {}
    for missed in ("1", "2", "3", "?"):
        found = tallystick.score(
            pandas.DataFrame({"y_true": gold, "y_pred": [missed, "3", "2", "1", "3"]}),
            metrics=metric,
            columns=Columns(invalid="wrong"),
            task=task,
            intervals=False,
        )
        scores[missed] = found.scores[0].value

    assert scores["?"] < scores["2"] < scores["1"] == 1.0


def test_accuracy_within_a_distance_counts_near_misses():
    gold, predicted = ["1", "2", "5", "10"], ["2", "4", "10", "10"]
    found = [
        tallystick.score(gold, predicted, AccuracyWithin(distance), intervals=False).scores[0].value
        for distance in (0, 1, 2, 5)
    ]
    assert [0.25, 0.5, 0.75, 1.0] == found


def test_accuracy_within_equals_its_definition():
    gold, predicted, systems = draw_ratings(CASES, 2)
    found = AccuracyWithin(1).score(Confusion().count(systems))
    expected = [
        float(np.mean(np.abs(one - other) <= 1)) for one, other in zip(gold, predicted, strict=True)
    ]
    assert np.allclose(expected, found, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_slopes_of_weighted_kappa_are_those_of_small_steps(weights):
    random = np.random.default_rng(5)
    gold, predicted = random.integers(0, 5, (2, 60)).astype(np.uint8)
    names = tuple(range(1, 6))
    output = Output(Labels(predicted, names), invalid=random.random(60) < 0.1)
    groups = Labels(np.arange(60, dtype=np.uint8) % 2, (0, 1))
    systems = Systems(("a",), hold(Labels(gold, names), output), groups=groups)
    tally = need_patterns(Confusion().count(systems))
    metric, steps = WeightedKappa(weights), 1e-5 * np.eye(len(tally.owners))
    ends = [metric.score(replace(tally, counts=tally.counts + side)) for side in (steps, -steps)]
    rise = (ends[0] - ends[1])[np.arange(len(steps)), tally.owners] / 2e-5
    slopes = metric.influence(tally)

    assert tally.invalid.sum() > 0
    assert slopes is not None
    assert np.allclose(rise, slopes, rtol=0, atol=1e-8)


BOTH = pytest.mark.parametrize("metric", [SScore, LScore])
EXAMPLES = 11
CURVES = {SScore: products.s, LScore: products.l}
# The eleventh example names its published label files; this matrix has their precision and recall.
VERDICTS = [[0, 0, 114, 0], [0, 0, 198, 10], [0, 1, 1465, 11], [0, 0, 437, 14]]
GOLD = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3]
PREDICTED = [0, 0, 1, 1, 1, 2, 2, 2, 2, 0, 3, 3]


def score(metric, gold, predicted):
    return tallystick.score(gold, predicted, metrics=metric, task="multiclass").scores[0].value


@pytest.mark.parametrize("number", range(EXAMPLES))
@pytest.mark.parametrize(
    ("metric", "value", "strength"),
    [(SScore, "s_score", "strength_s"), (LScore, "l_score_module", "strength_l_module_default")],
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
    expected = products.multiply(
        CURVES[metric], sample.gold, sample.predicted, secondary, dict.fromkeys(preferred, strength)
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


@pytest.mark.parametrize(("options", "message"), [
    ({"secondary_scoring": "f1"}, "secondary_scoring must be one of None, 'precision', 'recall'"),
    ({"strength": 0.5}, "strength must be a number of 1 or more, not 0.5"),
    ({"strength": True}, "strength must be a number of 1 or more, not True"),
    ({"strength": float("nan")}, "strength must be a number of 1 or more, not nan"),
    ({"strength": float("inf")}, "strength must be a number of 1 or more, not inf"),
    ({"strength": "4"}, "strength must be a number of 1 or more, not '4'"),
    ({"pos_index": -2}, "pos_index must be a whole number from -1 on, not -2"),
    ({"pos_index": True}, "pos_index must be a whole number from -1 on, not True"),
    ({"pos_index": "a"}, "pos_index must be a whole number from -1 on, not 'a'"),
    ({"pos_label": 1.5}, "a label is text or a whole number, not 1.5"),
    ({"pos_label": 1, "pos_index": 1}, "pos_label and pos_index both choose a class"),
])  # fmt: skip
@BOTH
def test_bad_option_is_told(metric, options, message):
    with pytest.raises(UsageError) as caught:
        metric(**options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("options", "message"), [
    ({"pos_label": 9}, "pos_label=9 does not exist: the labels are 0, 1, 2, 3"),
    ({"pos_label": "1"}, "pos_label='1' does not exist: the labels are 0, 1, 2, 3"),
    ({"pos_index": 4}, "pos_index=4 does not exist: the labels are 0, 1, 2, 3"),
])  # fmt: skip
@BOTH
def test_label_that_is_not_there_is_told(metric, options, message):
    with pytest.raises(UsageError) as caught:
        score(metric(**options), GOLD, PREDICTED)
    assert message == str(caught.value)

"""The tuned threshold is the best of all, whatever is skipped on the way to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn.metrics import f1_score, precision_recall_curve

import tallystick
from oracle import near
from strategies import STEADY, scored
from systems import pair_scores, tabulate
from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.kinds.probabilities.areas import Curve
from tallystick.kinds.probabilities.best_thresholds import Cut, find_best, find_best_of_grid
from tallystick.limits import LIMITS
from tallystick.metrics import F1, FPR, MCC, Accuracy, FBeta, Recall, SScore
from tallystick.model.codes import Labels
from tallystick.model.tallies.metric import is_per_label
from variants import LABELS, VARIANTS

TUNABLE = [
    metric
    for metric in VARIANTS
    if Confusion in metric.counters and not is_per_label(metric) and metric.better != "neither"
]


@pytest.fixture(params=[(1, 2), (3, 4), (2048, 16)], ids=str, scope="module")
def _strides(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "thresholds", request.param)
        yield


@st.composite
def columns(draw, most=40):
    size = draw(st.integers(2, most))
    codes = draw(st.lists(st.integers(0, 1), min_size=size - 2, max_size=size - 2))
    values = draw(
        st.sampled_from(
            [
                st.floats(0, 1),
                st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0]),
                st.sampled_from([0.0, 1.0]),
                st.just(0.5),
            ]
        )
    )
    scores = draw(st.lists(values, min_size=size, max_size=size))
    return np.array([0, 1, *codes], np.uint8), np.array(scores)


def score_at(gold, scores, metric, thresholds):
    predicted = scores >= np.reshape(thresholds, (-1, 1))
    counts = [[((gold == a) & (predicted == b)).sum(1) for b in (0, 1)] for a in (0, 1)]
    tallies = tabulate(np.moveaxis(counts, -1, 0)[:, None], LABELS[:2])
    found: list[float] = metric.score(tallies)[:, 0].tolist()
    return found


def force(gold, scores, metric):
    sign = -1 if metric.better == "lower" else 1
    tried = np.unique(scores)
    pairs = zip(tried, score_at(gold, scores, metric, tried), strict=True)
    defined = [(t, value) for t, value in pairs if not np.isnan(value)]
    return max(defined, key=lambda one: (sign * one[1], -one[0]))


def count(gold, scores):
    return Curve().count(pair_scores(Labels(gold, LABELS[:2]), scores))


@pytest.mark.deep
@pytest.mark.usefixtures("_strides")
@settings(STEADY, max_examples=15)
@given(columns())
@pytest.mark.parametrize("metric", TUNABLE, ids=repr)
def test_threshold_is_the_best_of_all_scores(metric, drawn):
    gold, scores = drawn
    try:
        expected = force(gold, scores, metric)
    except ValueError:
        with pytest.raises(UsageError, match="undefined at every threshold"):
            find_best(count(gold, scores), 0, metric)
        return
    cut = find_best(count(gold, scores), 0, metric)

    assert expected == (cut.threshold, cut.value)


@pytest.mark.usefixtures("_strides")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("metric", [F1(), FBeta(0.5), MCC(), FPR(), SScore(), Accuracy()], ids=repr)
def test_threshold_of_many_scores_is_the_best(metric, seed):
    random = np.random.default_rng(seed)
    scores = random.random(1000).round(int(random.integers(2, 9)))
    gold = (random.random(1000) < scores**2).astype(np.uint8)
    cut = find_best(count(gold, scores), 0, metric)
    assert force(gold, scores, metric) == (cut.threshold, cut.value)


@pytest.mark.usefixtures("_strides")
@STEADY
@given(columns(), st.sampled_from([F1(), MCC(0), Recall(), Accuracy()]))
def test_interval_holds_the_thresholds_that_are_as_good(drawn, metric):
    gold, scores = drawn
    cut = find_best(count(gold, scores), 0, metric)
    low = -1e-9 if cut.above is None else cut.above
    between = [t for t in np.unique([*scores, low, (low + cut.up_to) / 2]) if low < t <= cut.up_to]
    values = set(score_at(gold, scores, metric, between))
    beyond = np.unique(scores[scores > cut.up_to])[:1]

    assert {cut.value} == values
    assert [cut.value] not in [score_at(gold, scores, metric, t) for t in beyond]


@STEADY
@given(scored())
def test_f1_is_the_highest_of_scikit_learn(sample):
    gold = [int(label == sample.labels[1]) for label in sample.gold]
    if len(set(gold)) == 1:
        return
    precision, recall, _ = precision_recall_curve(gold, sample.probabilities)
    best = max(2 * p * r / (p + r) for p, r in zip(precision, recall, strict=True) if p + r)
    assert near(best) == tallystick.tune_threshold(gold, sample.probabilities).thresholds[0].value


@STEADY
@given(columns())
def test_grid_finds_what_the_seed_finds(drawn):
    gold, scores = drawn
    cut = find_best_of_grid(count(gold, scores), 0, F1())
    expected, best_score = 0.5, 0.0
    thresholds = np.linspace(0.1, 0.9, 81)
    predicted = scores[:, None] >= thresholds
    golden = np.repeat(gold[:, None] == 1, len(thresholds), 1)
    values = f1_score(golden, predicted, average=None, zero_division=0)
    for threshold, value in zip(thresholds, values, strict=True):
        if value > best_score:
            expected, best_score = float(threshold), value
    assert expected == cut.threshold
    assert score_at(gold, scores, F1(), expected) == [cut.value]
    assert (-1.0 if cut.above is None else cut.above) < cut.threshold <= cut.up_to


@pytest.mark.parametrize(("scores", "metric", "expected"), [
    ([0.2, 0.95], F1(), Cut(0.21, 1.0, 0.2, 0.95)),
    ([0.01, 0.05], F1(), Cut(0.5, 0.0, 0.05, 1.0)),
    ([0.95, 0.05], F1(), Cut(0.5, 0.0, 0.05, 0.95)),
    ([0.6, 0.3], FPR(), Cut(0.61, 0.0, 0.6, 1.0)),
])  # fmt: skip
def test_grid_starts_from_one_half_and_takes_the_lowest_of_what_is_better_low(
    scores, metric, expected
):
    cut = find_best_of_grid(count(np.array([0, 1], np.uint8), np.array(scores)), 0, metric)
    assert near(expected.threshold) == cut.threshold
    assert (expected.value, expected.above, expected.up_to) == (cut.value, cut.above, cut.up_to)


def test_groups_are_tuned_apart():
    random = np.random.default_rng(1)
    groups = np.array(["en", "es", "tr"])[random.integers(0, 3, 300)]
    scores, gold = random.random(300), random.integers(0, 2, 300)
    tuning = tallystick.tune_threshold(gold, scores, by=groups)
    alone = [
        tallystick.tune_threshold(gold[groups == name], scores[groups == name]).thresholds[0]
        for name in ("en", "es", "tr")
    ]

    assert [replace(one, group=None) for one in tuning.thresholds] == alone
    assert tuning["es"] == tuning.thresholds[1]


def test_weights_count_repetitions():
    random = np.random.default_rng(2)
    scores, gold = random.random(50), random.integers(0, 2, 50).astype(np.uint8)
    weights = random.integers(1, 4, 50)
    labels = Labels(gold, LABELS[:2])
    weighted = Curve().count(pair_scores(labels, scores, weights=weights.astype(float)))
    repeated = count(np.repeat(gold, weights), np.repeat(scores, weights))
    assert find_best(repeated, 0, F1()) == find_best(weighted, 0, F1())


def test_single_precision_predicts_as_it_was_tuned():
    scores = np.array([0.1, 0.2, 0.3, 0.7], np.float32)
    threshold = tallystick.tune_threshold([0, 0, 1, 1], scores).threshold
    assert [False, False, True, True] == (scores >= threshold).tolist()


def test_cross_fitted_value_does_not_flatter():
    random = np.random.default_rng(0)
    gold, scores = random.integers(0, 2, 400), random.random(400)
    (fitted,) = tallystick.cross_fit_threshold(gold, scores, MCC()).tuning.thresholds
    assert fitted.value > 0.08
    assert fitted.cross_fitted is not None
    assert fitted.cross_fitted < fitted.value / 2


def test_cross_fitting_tunes_each_example_without_it():
    random = np.random.default_rng(3)
    gold, scores = random.integers(0, 2, 20), random.random(20)
    fitted = tallystick.cross_fit_threshold(gold, scores, folds=2)
    first = fitted.thresholds == fitted.thresholds[0]
    halves = [
        tallystick.tune_threshold(gold[rows], scores[rows]).threshold for rows in (~first, first)
    ]

    assert halves == [fitted.thresholds[first][0], fitted.thresholds[~first][0]]
    assert abs(int(gold[first].sum()) - int(gold[~first].sum())) <= 1


def test_cross_fitting_is_the_same_every_time():
    random = np.random.default_rng(4)
    gold, scores = random.integers(0, 2, 60), random.random(60)
    twice = [
        tallystick.cross_fit_threshold(gold, scores, folds=3, by=gold * 0).thresholds.tolist()
        for _ in range(2)
    ]
    assert twice[0] == twice[1]


def test_tuning_prints_as_a_table():
    tuning = tallystick.tune_threshold([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
    lines = str(tuning).splitlines()
    rows = dict(line.split("  ", 1) for line in lines[2:8])
    assert ["4", "2", "0.4", "0.35", "0.4", "1.000"] == [value.strip() for value in rows.values()]
    assert "will be lower on others" in " ".join(lines)
    assert "<table" in tuning._repr_html_()


@pytest.mark.parametrize(("arguments", "options", "message"), [
    (([0, 0], [0.1, 0.2]), {}, "gold: all of the gold is '0', but a threshold is tuned on"),
    (([0, 1, 1], [0.1, 0.2, 0.3]), {"by": ["a", "b", "b"]}, "gold, group 'a': all of the gold"),
    (([0, 1], [0.1, float("nan")]), {}, "probabilities, row 2: nan is not a score; scores are"),
    (([0, 1, 2], [0.1, 0.2, 0.3]), {}, "gold, row 3: a binary task has two labels"),
    (([0, 1], [0.1]), {}, "there are 2 gold examples but 1 probabilities"),
    (([], []), {}, "there are no examples to score"),
])  # fmt: skip
def test_bad_data_is_told(arguments, options, message):
    with pytest.raises(InputError) as caught:
        tallystick.tune_threshold(*arguments, **options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("metric", "message"), [
    ("roc_auc", "roc_auc is not a metric of labels, so no threshold can improve it"),
    ("bleu", "bleu is not a metric of labels"),
    ("hamming_loss", "hamming_loss is not a metric of labels"),
    ("support", "Support() is not a single number by which thresholds can be compared"),
    ("F1(average=None)", "F1(average=None) is not a single number"),
    ("positive_rate", "PositiveRate() is not a single number"),
    ("SScore(pos_label=7)", "pos_label=7 does not exist: the labels are 0, 1"),
])  # fmt: skip
def test_metric_that_has_no_threshold_is_told(metric, message):
    with pytest.raises(UsageError) as caught:
        tallystick.tune_threshold([0, 1], [0.1, 0.2], metric)
    assert str(caught.value).startswith(message)


def test_metric_that_is_never_defined_is_told():
    with pytest.raises(UsageError, match="mcc is undefined at every threshold"):
        tallystick.tune_threshold([0, 1], [0.5, 0.5], "mcc")


@pytest.mark.parametrize(("gold", "folds", "message"), [
    ([0, 1, 0, 1], 1, "cross-fitting needs 2 folds or more, not 1"),
    ([0, 0, 0, 1], 2, "gold: there is a single example of a label, but cross-fitting needs"),
])  # fmt: skip
def test_bad_folds_are_told(gold, folds, message):
    with pytest.raises((InputError, UsageError)) as caught:
        tallystick.cross_fit_threshold(gold, [0.1, 0.2, 0.3, 0.4], folds=folds)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("ask", [lambda t: t.threshold, lambda t: t["xx"]])
def test_threshold_of_no_group_is_told(ask):
    by = ["en", "en", "es", "es"]
    tuning = tallystick.tune_threshold([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.7], by=by)
    with pytest.raises(UsageError, match="threshold for"):
        ask(tuning)

"""Gating in memory: against comparison, against resampled rows, and what closes a gate."""

import numpy as np
import pytest

import tallystick
from tallystick import Testing
from tallystick.errors import InputError, UsageError

RNG = np.random.default_rng(11)
SIZE = 400
GOLD = RNG.choice(list("abc"), SIZE)
GROUPS = RNG.choice(["en", "es"], SIZE)
OLD = np.where(RNG.random(SIZE) < 0.8, GOLD, RNG.choice(list("abc"), SIZE))
BETTER = np.where(RNG.random(SIZE) < 0.5, GOLD, OLD)
WORSE = np.where(RNG.random(SIZE) < 0.5, "a", OLD)


def _gate(new, **options):
    asked = {"metrics": "accuracy", "max_drop": 0.01, "testing": Testing(resamples=2000)} | options
    return tallystick.gate(GOLD, new, OLD, **asked)


@pytest.mark.parametrize(("new", "verdict"), [(BETTER, "pass"), (OLD, "pass"), (WORSE, "fail")])
def test_a_gate_lets_through_what_is_no_worse(new, verdict):
    """A better system passes, the same system passes, a worse one fails."""
    assert verdict == _gate(new).verdict


def test_what_the_examples_cannot_tell_is_inconclusive():
    """Six answers became wrong and four right, 0.005 in all, with a standard error of 0.008."""
    right = np.flatnonzero(OLD == GOLD)[:6]
    wrong = np.flatnonzero(OLD != GOLD)[:4]
    new = OLD.copy()
    new[right], new[wrong] = "x", GOLD[wrong]
    gate = _gate(new, max_drop=0.01)

    assert ["inconclusive", False] == [gate.verdict, gate.passed]
    assert _gate(new, max_drop=0.01, allow_inconclusive=True).passed


def test_bounds_are_the_ends_of_the_ninety_percent_interval():
    """A one-sided bound at 95% is an end of the two-sided interval at 90%."""
    (check,) = _gate(BETTER).checks
    systems = {"new": BETTER, "old": OLD}
    (difference,) = tallystick.compare(
        GOLD, systems, metrics="accuracy", testing=Testing(resamples=2000, confidence=0.9)
    ).differences

    assert (0.95, difference.low, difference.high) == (
        pytest.approx(check.confidence),
        check.low,
        check.high,
    )


def test_bounds_are_those_of_resampled_rows():
    """The 5th and the 95th percentile of the difference, within what the resamples leave open."""
    (check,) = _gate(BETTER).checks
    gains = (BETTER == GOLD).astype(float) - (OLD == GOLD)
    rows = np.random.default_rng(1).integers(SIZE, size=(2000, SIZE))
    low, high = np.quantile(gains[rows].mean(1), [0.05, 0.95])

    assert (pytest.approx(low, abs=0.006), pytest.approx(high, abs=0.006)) == (
        check.low,
        check.high,
    )


@pytest.mark.parametrize("clusters", [None, np.arange(SIZE) // 4])
def test_a_floor_is_held_against_the_interval_of_the_new_score(clusters):
    """One-sided at 95% is two-sided at 90%, in every row, by formula and by resampling."""
    asked = {"metrics": ["accuracy", "macro_f1", "mcc"], "by": GROUPS, "clusters": clusters}
    checks = _gate(BETTER, max_drop=None, floor=0.5, testing=Testing(resamples=500), **asked).checks
    settings = tallystick.Intervals(confidence=0.9, resamples=500)
    scored = tallystick.score(GOLD, BETTER, intervals=settings, **asked).scores

    assert [(one.group, one.metric, one.low, one.high) for one in scored] == [
        (one.group, one.metric, one.low, one.high) for one in checks
    ]


@pytest.mark.parametrize(("floor", "verdict"), [(0.5, "pass"), (0.86, "inconclusive")])
def test_a_perfect_score_of_few_examples_has_a_lower_bound(floor, verdict):
    """Wilson's of twelve out of twelve is n / (n + z²), 0.816 one-sided."""
    gate = tallystick.gate(GOLD[:12], GOLD[:12], OLD[:12], metrics="accuracy", floor=floor)
    (check,) = gate.checks

    assert pytest.approx(12 / (12 + 1.6448536**2)) == check.low
    assert (verdict, 1.0) == (check.verdict, check.high)
    assert "90% intervals: Wilson (accuracy)." == gate.notes[-1]


def test_texts_that_no_resample_changes_reach_no_floor():
    """Three perfect texts do not prove a BLEU of 90: the whole range is left open."""
    texts = ["the cat sat on the mat", "a dog barked at him", "it rains all day long"]
    (check,) = tallystick.gate(texts, texts, texts, metrics="bleu", floor=90).checks

    assert ("inconclusive", 0.0, 100.0) == (check.verdict, check.low, check.high)


def test_every_row_and_metric_is_checked():
    """Two metrics by two groups, their mean and their sum, each for drop and floor."""
    gate = _gate(BETTER, metrics=["accuracy", "macro_f1"], by=GROUPS, floor=0.1)

    assert 16 == len(gate.checks)
    assert ["en", "es", "macro", "micro"] == list(
        dict.fromkeys(check.group for check in gate.checks)
    )
    assert ["drop", "floor", "drop", "floor"] == [check.kind for check in gate.checks[:4]]


def test_one_bad_group_closes_the_gate():
    """What is better on the whole may be worse for a language."""
    new = np.where(GROUPS == "es", "a", GOLD)
    gate = _gate(new, by=GROUPS)

    assert [("en", "pass"), ("es", "fail")] == [
        (check.group, check.verdict) for check in gate.checks[:2]
    ]
    assert "fail" == gate.verdict


def test_a_rise_of_errors_is_a_drop():
    """Word error rates are better when lower."""
    references = ["the cat sat", "a dog barked", "it rains"] * 10
    worse = ["the cat", "dog barked loud", "it rains"] * 10
    gates = [
        tallystick.gate(
            references, *pair, metrics="wer", max_drop=0.01, testing=Testing(resamples=500)
        )
        for pair in ((worse, references), (references, worse))
    ]

    assert ["fail", "pass"] == [gate.verdict for gate in gates]


def test_an_undefined_score_closes_the_gate():
    """MCC of one and the same answer is 0/0."""
    gate = _gate(np.full(SIZE, "a"), metrics="mcc", floor=-1.0)

    assert ["fail", "fail"] == [check.verdict for check in gate.checks]
    assert "undefined" in gate.checks[0].sentence


def test_probabilities_are_gated():
    """ROC-AUC by DeLong."""
    gold = RNG.integers(0, 2, 200)
    old = gold * 0.1 + RNG.random(200) * 0.9
    new = np.clip(old + gold * 0.3, 0, 1)
    gate = tallystick.gate(gold, new, old, metrics="roc_auc", max_drop=0.0, floor=0.5)

    assert ["pass", "pass"] == [check.verdict for check in gate.checks]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_drop": None}, "the largest drop that is allowed, or a floor"),
        ({"max_drop": -0.1}, "from 0 on"),
        ({"metrics": []}, "no metric was named"),
        ({"metrics": "nope"}, "no metric 'nope'"),
        ({"metrics": "PositiveRate(positive='a')"}, "cannot be gated"),
        ({"testing": Testing(confidence=0.4)}, "between 0.5 and 1"),
        ({"testing": Testing(confidence=0.5)}, "between 0.5 and 1"),
    ],
)
def test_a_wrong_request_is_an_error(options, message):
    """In one sentence that names what is wrong."""
    with pytest.raises(UsageError, match=message):
        _gate(BETTER, **options)


def test_predictions_that_cannot_be_scored_are_an_error():
    """A gate has no place for a system that is set aside."""
    with pytest.raises(InputError, match="400 gold examples but 1 predictions"):
        _gate(["a"])


def test_no_examples_are_an_error():
    """Without rows nothing passes."""
    with pytest.raises(InputError, match="no examples"):
        tallystick.gate([], [], [], metrics="accuracy", max_drop=1.0)

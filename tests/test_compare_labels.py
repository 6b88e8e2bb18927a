"""Systems that predict labels, compared on the same examples, alone and among others."""

import csv
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from nulls import p_value
from strategies import STEADY
from tallystick import Testing, UsageError
from tallystick.comparison.significance import compare_pairs
from tallystick.metrics import F1, Accuracy
from tallystick.model.tallies import second_moments
from tallystick.output.results.comparison import Comparison
from tallystick.reading.input_plan import Source
from tallystick.results import Difference
from tallystick.scoring.counting import count_input

LETTERS = np.array(["x", "y", "z"])


def simulate(size=300, seed=1, *, skill=(0.7, 0.6, 0.65)):
    rng = np.random.default_rng(seed)
    gold = rng.choice(LETTERS, size)
    systems = {
        f"s{place}": np.where(rng.random(size) < chance, gold, rng.choice(LETTERS, size))
        for place, chance in enumerate(skill)
    }
    return gold, systems


@pytest.fixture(scope="module")
def xnli(shared):
    with open(shared / "data" / "pairs" / "xnli.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["lang"] == "en"]
    systems = {name: [row[f"pred_{name}"] for row in rows] for name in ("mlpp", "mt5base")}
    return [row["gold"] for row in rows], systems


def test_published_pair_differs_as_published(xnli):
    one = tallystick.compare(*xnli, metrics="macro_f1", task="multiclass").find(
        "mlpp", "mt5base", "macro_f1"
    )
    assert pytest.approx((0.0194, 0.0096, 0.0291), abs=3e-4) == (one.difference, one.low, one.high)


@pytest.mark.parametrize(("test", "low", "high"), [("ar", 9e-5, 5e-4), ("bootstrap", 9e-5, 6e-4)])
def test_published_pair_differs_significantly(xnli, test, low, high):
    (one,) = tallystick.compare(
        *xnli, metrics="macro_f1", task="multiclass", testing=Testing(test=test)
    ).differences
    assert low < one.p < high


def test_published_flips_are_counted(xnli):
    flips = tallystick.compare(
        *xnli, metrics="accuracy", task="multiclass", testing=Testing(test="mcnemar")
    ).flips("mlpp", "mt5base")
    gains = [flip.difference for flip in flips]
    assert (363, 265) == (gains.count(1), gains.count(-1))


def test_published_pair_by_mcnemar(xnli):
    (one,) = tallystick.compare(
        *xnli, metrics="accuracy", task="multiclass", testing=Testing(test="mcnemar")
    ).differences
    assert pytest.approx(1.05e-4, rel=5e-3) == one.p


@pytest.mark.parametrize("test", ["ar", "bootstrap", "mcnemar", "mcnemar-midp"])
def test_identical_systems_do_not_differ(test):
    gold, systems = simulate()
    same = {"a": systems["s0"], "b": systems["s0"].copy()}
    (one,) = tallystick.compare(
        gold, same, metrics=Accuracy(), testing=Testing(test=test)
    ).differences

    wide = 1.959964**2 / (300 + 1.959964**2)

    assert (0, 1, 1) == (one.difference, one.p, one.p_holm)
    assert pytest.approx((-wide, wide)) == (one.low, one.high)


def test_seed_fixes_all_numbers():
    gold, systems = simulate()
    first, again, other = (
        tallystick.compare(
            gold, systems, metrics="f1", testing=Testing("bootstrap", 500, seed)
        ).differences
        for seed in (7, 7, 8)
    )

    assert first == again
    assert first != other


@STEADY
@given(st.integers(0, 2**31), st.integers(2, 40))
def test_p_lies_between_0_and_1(seed, size):
    gold, systems = simulate(size, seed)
    compared = tallystick.compare(
        gold, systems, metrics=["accuracy", "mcc"], testing=Testing(resamples=100)
    )
    values = [p for one in compared.differences for p in (one.p, one.p_holm) if not np.isnan(p)]
    assert all(0 < p <= 1 for p in values)


def test_one_system_is_no_comparison():
    gold, systems = simulate(skill=(0.5,))
    with pytest.raises(UsageError, match="two systems or more"):
        tallystick.compare(gold, systems, metrics="f1")


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar-midp", "delong", "sacrebleu-ar"])
def test_test_that_does_not_fit_is_refused(test):
    with pytest.raises(UsageError, match=test):
        tallystick.compare(*simulate(), metrics="mcc", testing=Testing(test=test))


def test_value_per_label_is_refused():
    with pytest.raises(UsageError, match="per label"):
        tallystick.compare(*simulate(), metrics=F1(None))


def test_group_has_the_same_numbers_whatever_others_there_are():
    gold, systems = simulate()
    by = np.where(np.arange(300) < 100, "here", "there")
    alone = {name: own[:100] for name, own in systems.items()}
    part = tallystick.compare(
        gold[:100], alone, metrics="f1", by=by[:100], testing=Testing(resamples=300)
    )
    whole = tallystick.compare(gold, systems, metrics="f1", by=by, testing=Testing(resamples=300))

    own, other = (
        [(one.difference, one.low, one.high, one.p) for one in found if one.group == "here"]
        for found in (part.differences, whole.differences)
    )

    assert 2 == len(own)
    assert np.array(own) == pytest.approx(np.array(other), rel=1e-12)


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 1000, 200))
def test_true_null_is_rejected_as_often_as_promised(first):
    values = [
        p_value(
            *simulate(150, seed, skill=(0.6, 0.6)),
            "macro_f1",
            Testing(resamples=199, random_seed=seed),
        )
        for seed in range(first, first + 200)
    ]

    assert 0.01 < np.mean(np.array(values) <= 0.05) < 0.1


def test_too_few_resamples_for_so_many_tests_are_told():
    gold = [0, 1] * 20
    systems = dict.fromkeys("abcdefg", gold)
    message = tallystick.compare(
        gold, systems, metrics="accuracy", testing=Testing("bootstrap", 200), all_pairs=True
    ).notes
    enough = tallystick.compare(
        gold, systems, metrics="accuracy", testing=Testing("bootstrap", 500), all_pairs=True
    ).notes
    expected = (
        "with 200 resamples no difference can be significant after 21 tests; "
        "`resamples=420` would be enough."
    )

    assert expected in message
    assert not any("no difference can be" in note for note in enough)


MANY, SOME = 20_000, 1000
RESAMPLES = 2000
METRICS = ["bleu", "chrf"]

END = 2.67
"""The standard error of an end of a 95% interval, in those of the statistic, times the square root
of the number of resamples: that of a quantile of normal numbers."""


@cache
def draw(size: int) -> tuple[list[str], dict[str, list[str]]]:
    rng = np.random.default_rng(4)
    words = np.array([f"w{number}" for number in range(50)])
    gold = rng.integers(50, size=(size, 7))

    def garble(share: float) -> list[str]:
        other = np.where(rng.random(gold.shape) < share, rng.integers(50, size=gold.shape), gold)
        return [" ".join(line) for line in words[other].tolist()]

    return garble(0.0), {"A": garble(0.3), "B": garble(0.303)}


def compare(size: int, test: str, resamples: int | None = None) -> Comparison:
    references, systems = draw(size)
    return tallystick.compare(
        references, systems, metrics=METRICS, testing=Testing(test, resamples)
    )


def test_the_price_does_not_know_the_number_of_lines():
    compared = compare(MANY, "ar")
    assert METRICS == [one.name for one in compared.differences]
    assert all(one.low < one.difference < one.high for one in compared.differences)


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_moments_agree_with_rows(test, monkeypatch):
    monkeypatch.setattr(second_moments, "_MOST_ROWS", SOME // 2)
    found = compare(SOME, test, RESAMPLES).differences
    monkeypatch.setattr(second_moments, "_MOST_ROWS", SOME)
    expected = compare(SOME, test, RESAMPLES).differences
    wide = 4 * np.sqrt(2 / RESAMPLES)

    assert [one.difference for one in expected] == [one.difference for one in found]
    for one, other in zip(expected, found, strict=True):
        end = wide * END * (one.high - one.low) / 3.92
        assert pytest.approx(one.low, abs=end) == other.low
        assert pytest.approx(one.high, abs=end) == other.high
        assert pytest.approx(one.p, abs=wide * np.sqrt(one.p * (1 - one.p))) == other.p
        assert 0.01 < one.p < 0.99
        assert one.low != other.low


SIZE = 120
LABELS = np.array(list("xyz"))
WORDS = np.array(list("abcdefgh"))
GROUPS = ["en", "es"] * (SIZE // 2)
CLUSTERS = [row // 4 for row in range(SIZE)]
WEIGHTS = 1 + np.arange(SIZE) % 3 / 2


@dataclass
class Case:
    """Gold, the systems a, b and c, what they are compared by, and columns next to them."""

    gold: object
    systems: dict[str, object]
    metrics: list[str]
    beside: dict[str, Any] = field(default_factory=dict)
    task: str | None = None

    def compare(self, order: str, testing: Testing) -> dict[tuple[str, ...], Difference]:
        """The differences of the systems in that order."""
        systems = {name: self.systems[name] for name in order}
        compared = tallystick.compare(
            self.gold,
            systems,
            self.metrics,
            task=self.task,
            testing=testing,
            all_pairs=True,
            **self.beside,
        )
        return {(one.a, one.b, str(one.group), one.metric): one for one in compared.differences}

    def find_pair(self, order: str, testing: Testing) -> list[tuple[float, ...]]:
        """All numbers of the pair a and b next to the systems of that order."""
        return [
            (one.p, one.value_a, one.value_b, one.difference, one.low, one.high)
            for (a, b, *_), one in self.compare(order, testing).items()
            if (a, b) == ("a", "b")
        ]


def make_labels(**beside: object) -> Case:
    rng = np.random.default_rng(2)
    gold = rng.choice(LABELS, SIZE)
    a, b = (np.where(rng.random(SIZE) < 0.7, gold, rng.choice(LABELS, SIZE)) for _ in range(2))
    c = np.where(rng.random(SIZE) < 0.5, gold, rng.choice(list("xw"), SIZE))
    metrics = ["accuracy", "macro_f1", "mcc"]
    return Case(gold, {"a": a, "b": b, "c": c}, metrics, beside, "multiclass")


def make_sets() -> Case:
    rng = np.random.default_rng(3)
    gold, a, b, c = (
        [[label for label in names if rng.random() < 0.5] for _ in range(SIZE)]
        for names in ("xyz", "xyz", "xyz", "xyw")
    )
    return Case(gold, {"a": a, "b": b, "c": c}, ["macro_f1", "micro_f1", "exact_match"])


def make_texts(*metrics: str, **beside: object) -> Case:
    rng = np.random.default_rng(4)
    lines = [rng.choice(WORDS, 5) for _ in range(SIZE // 4)] * 4
    systems = {
        name: [" ".join(np.where(rng.random(5) < share, "x", line)) for line in lines]
        for name, share in [("a", 0.2), ("b", 0.25), ("c", 0.5)]
    }
    return Case([" ".join(line) for line in lines], systems, list(metrics), beside)


def make_tokens() -> Case:
    case = make_texts("bleu")
    case.systems = {name: [line.split() for line in own] for name, own in case.systems.items()}
    case.gold = [[line.split()] for line in case.gold]
    return case


def make_scores(metric: str, **beside: object) -> Case:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, SIZE)
    systems = {
        name: 0.3 * gold + 0.7 * rng.random(SIZE) ** power
        for name, power in [("a", 1), ("b", 2), ("c", 3)]
    }
    return Case(gold, systems, [metric], beside)


CASES = {
    "labels": make_labels(),
    "labels by group": make_labels(by=GROUPS),
    "labels in clusters": make_labels(clusters=CLUSTERS),
    "labels with weights": make_labels(weights=WEIGHTS),
    "labels with weights by group": make_labels(weights=WEIGHTS, by=GROUPS),
    "sets": make_sets(),
    "texts": make_texts("bleu", "ter"),
    "texts by group": make_texts("chrf", by=GROUPS),
    "texts in clusters": make_texts("bleu", clusters=CLUSTERS),
    "tokens": make_tokens(),
    "areas": make_scores("roc_auc"),
    "areas with weights": make_scores("roc_auc", weights=WEIGHTS),
    "probabilities in clusters": make_scores("average_precision", clusters=CLUSTERS),
}
EVERY_CASE = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


@pytest.mark.deep
@pytest.mark.parametrize("test", [None, "bootstrap"])
@EVERY_CASE
def test_numbers_of_a_pair_are_its_own(case, test):
    testing = Testing(test, 200)
    alone = case.find_pair("ab", testing)
    for order in ("abc", "cab", "acb"):
        found = case.find_pair(order, testing)
        assert np.ravel(alone) == pytest.approx(np.ravel(found), rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_numbers_of_a_pair_of_many_texts_are_its_own(test, monkeypatch):
    monkeypatch.setattr(second_moments, "_MOST_ROWS", SIZE // 2)
    case, testing = make_texts("bleu", "chrf"), Testing(test, 200)
    alone = case.find_pair("ab", testing)
    for order in ("abc", "cab", "acb"):
        found = case.find_pair(order, testing)
        assert np.ravel(alone) == pytest.approx(np.ravel(found), rel=1e-9)


@pytest.mark.deep
@EVERY_CASE
def test_rankings_have_the_p_values_of_comparisons(case):
    testing = Testing(resamples=200)
    layout = {name: case.beside.get(name) for name in ("by", "clusters", "weights")}
    layout["task"] = case.task
    counted = count_input(Source(case.gold, case.systems), layout, case.metrics, tolerant=True)
    outcomes = compare_pairs(counted, testing, bounds=False)

    assert {key: one.p for key, one in case.compare("abc", testing).items()} == pytest.approx(
        {
            (*pair, str(group), repr(metric)): outcome.p[place, row]
            for metric, outcome in outcomes.items()
            for place, pair in enumerate(outcome.pairs)
            for row, group in enumerate(counted.rows)
        },
        nan_ok=True,
    )


@pytest.mark.deep
@EVERY_CASE
def test_places_have_the_intervals_of_their_systems(case):
    testing = Testing(resamples=200)
    found = []
    for order in ("ab", "cab"):
        ranking = tallystick.rank(
            case.gold,
            {name: case.systems[name] for name in order},
            case.metrics,
            task=case.task,
            testing=testing,
            **case.beside,
        )
        found.append(
            {
                (one.system, one.group, one.metric, end): getattr(one, end)
                for one in ranking.places
                for end in ("value", "low", "high")
                if one.system != "c"
            }
        )

    assert found[0] == pytest.approx(found[1], rel=1e-9, nan_ok=True)

"""What is said of two systems does not move when a third one joins, wherever it stands."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import tallystick
from tallystick import Testing
from tallystick.comparison.significance import compare_pairs
from tallystick.model.tallies import second_moments
from tallystick.reading.input_plan import Source
from tallystick.results import Difference
from tallystick.scoring.counting import count_input

SIZE = 120
LABELS = np.array(list("xyz"))
WORDS = np.array(list("abcdefgh"))
GROUPS = ["en", "es"] * (SIZE // 2)
CLUSTERS = [row // 4 for row in range(SIZE)]
WEIGHTS = 1 + np.arange(SIZE) % 3 / 2


@dataclass
class Case:
    """Gold, the systems a, b and c, what they are compared by, and columns beside them."""

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
        """All numbers of the pair a and b beside the systems of that order."""
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
    expected = {key: one.p for key, one in case.compare("abc", testing).items()}

    assert expected == pytest.approx(
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

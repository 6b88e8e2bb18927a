"""Repeated tries: pass@k, pass^k, averages and majorities at k against their definitions."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas
import pytest

import tallystick
from oracle import near
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.tries.tries import Outcome
from tallystick.metrics import Accuracy, AvgAtK, MajAtK, PassAtK, PassHatK

CASES = 20_000

INSPECT = (
    (1, 0, 1, 0.0, 0.0),
    (1, 1, 1, 1.0, 1.0),
    (5, 2, 1, 0.3999999999999999, 0.4),
    (5, 2, 2, 0.7, 0.1),
    (5, 2, 5, 1.0, 0.0),
    (8, 3, 2, 0.6428571428571428, 0.10714285714285714),
    (8, 3, 5, 0.9821428571428572, 0.0),
    (10, 7, 2, 0.9333333333333333, 0.4666666666666667),
    (10, 7, 5, 1.0, 0.08333333333333333),
    (20, 1, 10, 0.5, 0.0),
    (200, 13, 5, 0.2879268142223602, 5.07562155540991e-07),
    (200, 13, 10, 0.4975511147306061, 1.2738851058221087e-14),
    (200, 13, 100, 0.9999194971988055, 0.0),
)
"""Tries n, right ones c, k, and what pass_at(k) and pass_k(k) of inspect_ai 0.3.285 give."""


def make_table(outcomes: list[tuple[int, int]]) -> pandas.DataFrame:
    sizes = [tries for tries, _ in outcomes]
    hits = [np.arange(tries) < right for tries, right in outcomes]
    return pandas.DataFrame(
        {"id": np.repeat(np.arange(len(sizes)), sizes), "correct": np.concatenate(hits)}
    ).assign(id=lambda table: "p" + table["id"].astype(str))


def value_of(table: Any, *metrics: Any, **options: Any) -> list[float]:
    result = tallystick.score(table, metrics=list(metrics), intervals=False, **options)
    return [one.value for one in result.scores]


@pytest.mark.parametrize(("n", "c", "k", "some", "every"), INSPECT)
def test_values_are_those_of_inspect(n, c, k, some, every):
    values = value_of(make_table([(n, c)]), PassAtK(k), PassHatK(k), AvgAtK(k))
    assert [near(some), near(every), near(c / n)] == values


def test_values_are_those_of_the_paper():
    rng = np.random.default_rng(21)
    outcomes = []
    for _ in range(CASES):
        n = int(rng.integers(10, 40))
        outcomes.append((n, int(rng.choice([0, n, rng.integers(0, n + 1)]))))
    known = Counter(outcomes)
    ks = (1, 3, 10)
    expected = [
        near(float(sum(many * formula(*one, k) for one, many in known.items()) / CASES))
        for formula in (_find_some, _find_every)
        for k in ks
    ]
    metrics = [kind(k) for kind in (PassAtK, PassHatK) for k in ks]
    assert expected == value_of(make_table(outcomes), *metrics)


def _find_some(n: int, c: int, k: int) -> Fraction:
    if n - c < k:
        return Fraction(1)
    return 1 - math.prod((1 - Fraction(k, i) for i in range(n - c + 1, n + 1)), start=Fraction(1))


def _find_every(n: int, c: int, k: int) -> Fraction:
    return math.prod((Fraction(max(c - i, 0), n - i) for i in range(k)), start=Fraction(1))


def test_majorities_are_those_of_all_choices():
    rng = np.random.default_rng(22)
    known: dict[tuple[Any, int], Fraction] = {}
    said, sizes = list[str](), list[int]()
    total = {k: Fraction() for k in (1, 2, 3, 4)}
    for _ in range(CASES):
        answers = sorted(rng.choice(["0", "1", "2", "3"], int(rng.integers(4, 8))).tolist())
        said += answers
        sizes.append(len(answers))
        for k in total:
            key = tuple(answers), k
            if key not in known:
                known[key] = _vote(answers, k)
            total[k] += known[key]
    problems = np.repeat(np.arange(CASES), sizes)
    table = pandas.DataFrame({"id": problems, "output": said, "gold": "0"})
    expected = [near(float(own / CASES)) for own in total.values()]
    assert expected == value_of(table, *(MajAtK(k) for k in total))


def _vote(answers: list[str], k: int) -> Fraction:
    parts = []
    for chosen in combinations(answers, k):
        votes = Counter(chosen)
        best = [name for name, own in votes.items() if own == max(votes.values())]
        parts.append(Fraction("0" in best, len(best)))
    return sum(parts, Fraction()) / len(parts)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_of_right_and_wrong_a_majority_is_more_than_half(k):
    n, c = 9, 5
    ways = sum(math.comb(c, i) * math.comb(n - c, k - i) for i in range(k // 2 + 1, k + 1))
    assert [near(ways / math.comb(n, k))] == value_of(make_table([(n, c)]), MajAtK(k))


def test_half_of_the_tries_are_half_a_majority():
    assert [0.5] == value_of(make_table([(4, 2)]), MajAtK(4))


def test_a_majority_of_very_many_tries_is_exact():
    assert [1.0] == value_of(make_table([(2000, 1001)]), MajAtK(2000))
    assert [near(0.5)] == value_of(make_table([(200, 100)]), MajAtK(75))


def test_pass_hat_k_is_not_the_power():
    outcomes = [(10, c) for c in (1, 2, 3, 4, 5, 6)]
    (value,) = value_of(make_table(outcomes), PassHatK(3))
    power = np.mean([(c / n) ** 3 for n, c in outcomes])
    assert [near((0 + 0 + 1 + 4 + 10 + 20) / 120 / 6)] == [value]
    assert value < power


def test_pass_hat_k_is_right_on_average():
    p, n, k = 0.4, 6, 3
    chances = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    values = [value_of(make_table([(n, c)]), PassHatK(k))[0] for c in range(n + 1)]
    assert near(p**k) == float(np.dot(chances, values))


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("pass@5", PassAtK(5)),
        ("Pass@1", PassAtK(1)),
        ("pass_at_5", PassAtK(5)),
        ("pass_at_k(5)", PassAtK(5)),
        ("PassAtK(k=5)", PassAtK(5)),
        ("pass^3", PassHatK(3)),
        ("pass_hat_3", PassHatK(3)),
        ("avg@8", AvgAtK(8)),
        ("mean@8", AvgAtK(8)),
        ("maj@8", MajAtK(8)),
        ("majority_at_8", MajAtK(8)),
    ],
)
def test_names_are_those_of_the_field(name, metric):
    assert metric == parse(name)


@pytest.mark.parametrize("name", ["pass@", "pass@x", "pass@0", "pass@k", "f1@5"])
def test_other_names_are_refused(name):
    with pytest.raises(UsageError):
        parse(name)


@pytest.mark.parametrize(
    "outcome", [Outcome(3, (5,)), Outcome(0, (1,)), Outcome(4, ()), Outcome(3, (4, 1))]
)
def test_an_outcome_is_read_as_it_is_written(outcome):
    assert outcome == Outcome.parse(str(outcome))


def test_answers_are_right_where_they_are_gold():
    rows = [("a", "42", 42), ("a", "41", 42), ("b", "Yes", "yes"), ("b", "yes", "yes")]
    table = pandas.DataFrame(rows, columns=["id", "output", "gold"]).astype(str)
    assert [0.5] == value_of(table, "pass@1")
    folded = tallystick.Columns(fold_case=True)
    assert [0.75] == value_of(table, "pass@1", columns=folded)


def test_gold_may_be_a_table_of_its_own():
    gold = pandas.DataFrame({"id": ["b", "a"], "gold": ["1", "2"]})
    runs = pandas.DataFrame({"id": ["a", "b"] * 2, "output": ["2", "2", "2", "1"]})
    result = tallystick.score(gold, {"one": runs}, ["pass@1", "pass@2"], intervals=False)
    assert [0.75, 1.0] == [one.value for one in result.scores]


def test_too_few_tries_are_refused():
    table = make_table([(5, 2), (3, 1), (2, 1)])
    with pytest.raises(InputError, match=r"p1 has 3 tries, and k = 4 needs 4 \(2 problems"):
        tallystick.score(table, metrics=["pass@1", "pass@4"])


def test_saved_counts_refuse_a_larger_k(tmp_path):
    path = tmp_path / "counts.tally"
    tallystick.count(make_table([(5, 2), (3, 1)]), metrics=["pass@1"]).save(path)
    counted = tallystick.load(path)
    assert [near((0.7 + 2 / 3) / 2)] == value_of(counted, "pass@2")
    with pytest.raises(UsageError, match=r"k is 4, and there are problems with 3 tries"):
        tallystick.score(counted, metrics=["pass@4"])


@pytest.mark.parametrize("stood", ["maybe", "0.5", "2"])
def test_what_is_neither_right_nor_wrong_is_refused(stood):
    table = pandas.DataFrame({"id": ["a", "a"], "correct": ["1", stood]})
    with pytest.raises(InputError, match=rf"row 2, column 'correct': '{stood}' stands where"):
        tallystick.score(table, metrics=["pass@1"])


def test_a_problem_that_one_system_has_not_tried_is_refused():
    table = pandas.DataFrame({"id": ["a", "b", "a"], "model": ["x", "x", "y"], "correct": 1})
    with pytest.raises(InputError, match="no prediction for the id b"):
        tallystick.score(table, metrics=["pass@1"], system_column="model")


def test_tries_have_no_weights():
    table = make_table([(2, 1)]).assign(weight=2)
    with pytest.raises(UsageError, match=r"goes with (metrics of )?labels"):
        tallystick.score(table, metrics=["pass@1"], weights="weight")


def test_other_metrics_do_not_read_several_rows():
    with pytest.raises(UsageError, match="score them separately"):
        tallystick.score(make_table([(2, 1)]), metrics=["pass@1", Accuracy()])

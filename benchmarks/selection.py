"""Choosing a threshold and a model: beside scikit-learn's curve, and beside its metrics."""

import warnings
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.metrics import precision_recall_curve, precision_score, recall_score
from sklearn.model_selection import cross_validate
from stopwatch import format_table

import tallystick
from tallystick.sklearn import scorer

SCORES = 10_000_000
ROUNDS = 7
FOLD_ROUNDS = 20
LABELS = np.array(["esh", "nah", "nta", "yta"])


def main() -> None:
    """Compares the results, measures by turns, and prints two tables."""
    print(format_table(("10 million scores", "seconds", "times faster"), _compare_thresholds()))
    print()
    headings = ("examples in a fold, labels", "scikit-learn, ms", "s_score, ms", "times faster")
    print(format_table(headings, [_compare_scorers(*case) for case in _list_cases()]))


def _compare_thresholds() -> list[Sequence[str]]:
    random = np.random.default_rng(0)
    distinct = (random.permutation(SCORES) + 0.5) / SCORES
    gold = (random.random(SCORES) < distinct**2).astype(np.int64)
    rows: list[Sequence[str]] = []
    for name, scores in (("all distinct", distinct), ("rounded to 1/1000", distinct.round(3))):
        _check(tallystick.tune_threshold(gold, scores).threshold, _tune_as_peer(gold, scores))
        ours, theirs = _take_turns(
            lambda scores=scores: tallystick.tune_threshold(gold, scores),
            lambda scores=scores: _tune_as_peer(gold, scores),
        )
        rows.append((f"{name}: scikit-learn", f"{theirs:.2f}", ""))
        rows.append((f"{name}: tune_threshold", f"{ours:.3f}", f"{theirs / ours:.1f}"))
    return rows


def _tune_as_peer(gold: Any, scores: Any) -> float:
    """The threshold of the best F1, as people look for it."""
    precision, recall, thresholds = precision_recall_curve(gold, scores)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision * recall / (precision + recall)
    return float(thresholds[np.nanargmax(f1[:-1])])


def _list_cases() -> list[tuple[int, bool]]:
    return [(size, text) for size in (200, 2_000, 20_000) for text in (False, True)]


def _compare_scorers(size: int, text: bool) -> Sequence[str]:
    codes = np.random.default_rng(0).integers(0, len(LABELS), 5 * size)
    gold = LABELS[codes] if text else codes
    data = np.zeros((len(gold), 1))
    model = DummyClassifier(strategy="stratified", random_state=0)
    kind = "text" if text else "numbers"

    # Both predict, so what predicting alone takes is measured too, and taken off.
    sides = (scorer("s_score"), _score_as_peer, _predict_only)
    seconds: list[list[float]] = [[] for _ in sides]

    def time_all(*fold: Any) -> float:
        for own, side in zip(seconds, sides, strict=True):
            own.append(_time(lambda side=side: side(*fold)))
        return 0.0

    for _ in range(FOLD_ROUNDS):
        cross_validate(model, data, gold, scoring=time_all, error_score="raise")
    ours, theirs, nothing = map(median, seconds)
    ours, theirs = ours - nothing, theirs - nothing
    return (
        f"{size:,}, {kind}",
        f"{1000 * theirs:.2f}",
        f"{1000 * ours:.2f}",
        f"{theirs / ours:.1f}",
    )


def _score_as_peer(model: Any, data: Any, gold: Any) -> float:
    """What an s_score needs of scikit-learn, and nothing of what it does with it."""
    predicted = model.predict(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision = precision_score(gold, predicted, average=None)
        recall = recall_score(gold, predicted, average=None)
    return float(precision[0] + recall[0])


def _predict_only(model: Any, data: Any, gold: Any) -> float:
    return float(len(model.predict(data)) == len(gold))


def _take_turns(*sides: Callable[[], Any]) -> list[float]:
    """The median seconds of each side, which take turns."""
    seconds: list[list[float]] = [[] for _ in sides]
    for _ in range(ROUNDS):
        for own, side in zip(seconds, sides, strict=True):
            own.append(_time(side))
    return [median(own) for own in seconds]


def _time(side: Callable[[], Any]) -> float:
    """The seconds of processor time; neither side uses more than one core."""
    start = process_time()
    side()
    return process_time() - start


def _check(ours: float, theirs: float) -> None:
    """Ends the benchmark unless both found the same threshold."""
    if ours != theirs:
        raise SystemExit(f"the threshold {ours!r} is not {theirs!r}")


if __name__ == "__main__":
    main()

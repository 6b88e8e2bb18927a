"""Places of systems by one metric: who is ranked, where baselines stand, what resamples tell."""

import math

import numpy as np

from tallystick.comparison.ranking.leaderboard import Leaderboard, list_places
from tallystick.metrics import WER, Accuracy, Metric
from tallystick.results import Score


def _rank(
    values: dict[str, float], *, metric: Metric | None = None, beats=(), resamples=None
) -> Leaderboard:
    metric = metric or Accuracy()
    names = list(values)
    scores = tuple(
        Score(
            name,
            "es",
            None,
            repr(metric),
            metric.name,
            metric.full_title,
            value,
            50,
            f"{metric!r}|v1",
            low=value - 0.1,
            high=value + 0.1,
            method="Wilson",
        )
        for name, value in values.items()
    )
    matrix = np.zeros((len(names), len(names)), bool)
    for one, other in beats:
        matrix[names.index(one), names.index(other)] = True
    column = np.array([*values.values()])
    resampled = np.tile(column, (4, 1)) if resamples is None else np.array(resamples)
    return Leaderboard(metric, scores, resampled, matrix, 0.9)


def test_a_place_tells_everything_of_a_system():
    board = _rank({"a": 0.5, "b": 0.9}, beats=[("b", "a")], resamples=[[0.5, 0.9], [0.7, 0.6]])
    first, second = list_places(board)

    assert ("b", 1, 1, 1, 1, "a", 0.5, 1.5) == (
        first.system,
        first.rank,
        first.best_rank,
        first.worst_rank,
        first.cluster,
        first.letters,
        first.best_share,
        first.mean_rank,
    )
    assert ("a", 2, 2, "b") == (second.system, second.rank, second.cluster, second.letters)
    assert ("es", "Accuracy()", "accuracy", 50, 0.9, "Accuracy()|v1") == (
        first.group,
        first.metric,
        first.name,
        first.n,
        first.confidence,
        first.signature,
    )
    assert (0.8, 1.0, "Wilson") == (first.low, first.high, first.method)


def test_the_lowest_error_is_the_best():
    places = list_places(_rank({"a": 0.5, "b": 0.2}, metric=WER()))

    assert [("b", 1, 1.0, 1.0), ("a", 2, 0.0, 2.0)] == [
        (one.system, one.rank, one.best_share, one.mean_rank) for one in places
    ]


def test_a_baseline_takes_no_rank():
    beats = [("a", "base"), ("a", "b"), ("base", "b")]
    board = _rank({"a": 0.9, "base": 0.7, "b": 0.5}, beats=beats)
    places = {place.system: place for place in list_places(board, ["base"])}

    assert ["a", "base", "b"] == list(places)
    assert (None, None, None, None, "") == (
        places["base"].rank,
        places["base"].best_rank,
        places["base"].worst_rank,
        places["base"].cluster,
        places["base"].letters,
    )
    assert (2, 2, 2, 2, "b") == (
        places["b"].rank,
        places["b"].best_rank,
        places["b"].worst_rank,
        places["b"].cluster,
        places["b"].letters,
    )
    assert math.isnan(places["base"].best_share)


def test_an_undefined_score_stands_last_without_a_rank():
    places = list_places(_rank({"x": math.nan, "a": 0.5, "b": 0.9}))

    assert [("b", 1, 2), ("a", 2, 2), ("x", None, None)] == [
        (one.system, one.rank, one.worst_rank) for one in places
    ]


def test_equal_scores_share_a_rank():
    places = list_places(_rank({"a": 0.5, "b": 0.9, "c": 0.9}))

    assert [("b", 1), ("c", 1), ("a", 3)] == [(one.system, one.rank) for one in places]


def test_only_baselines_leave_nothing_to_rank():
    (place,) = list_places(_rank({"base": 0.5}), ["base"])

    assert ("base", None, True) == (place.system, place.rank, place.baseline)

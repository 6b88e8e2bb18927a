"""Ranks, places, ranges, clusters and letters, by hand and by brute force."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from tallystick.comparison.ranking.leaderboard import Leaderboard, list_places
from tallystick.comparison.ranking.orders import (
    find_clusters,
    find_letters,
    find_ranges,
    mean_ranks,
    order,
    rank,
    share_best,
)
from tallystick.metrics import WER, Accuracy
from tallystick.results import Score

VALUES = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4, np.nan]), min_size=1, max_size=7).map(
    np.array
)


@st.composite
def fields(draw):
    values = np.array(draw(st.lists(st.integers(0, 5), min_size=1, max_size=6)), float)
    coins = draw(st.lists(st.booleans(), min_size=36, max_size=36))
    found = np.reshape(coins, (6, 6))[: len(values), : len(values)]
    return values, found & (values[:, None] > values[None, :])


def _beats(*pairs, systems):
    matrix = np.zeros((systems, systems), bool)
    for one, other in pairs:
        matrix[one, other] = True
    return matrix


def test_equal_values_share_the_best_rank():
    assert [2, 1, 2, 4] == rank(np.array([0.5, 0.9, 0.5, 0.1])).tolist()


def test_an_undefined_value_has_no_rank_and_stands_last():
    values = np.array([np.nan, 0.2, np.nan, 0.7])
    assert [None, 2, None, 1] == [None if np.isnan(one) else one for one in rank(values)]
    assert [3, 1, 0, 2] == order(values).tolist()


@given(VALUES)
def test_ranks_are_those_of_scipy(values):
    defined = ~np.isnan(values)
    assert np.array_equal(rankdata(-values[defined], "min"), rank(values)[defined])
    assert np.isnan(rank(values)[~defined]).all()


def test_a_range_is_losses_and_wins():
    beats = _beats((0, 2), (0, 3), (1, 3), systems=4)
    assert [[1, 2], [1, 3], [2, 4], [3, 4]] == find_ranges(beats).tolist()


@given(fields())
def test_a_range_holds_the_rank(field):
    values, beats = field
    ranges, ranks = find_ranges(beats), rank(values)
    assert (ranges[:, 0] <= ranks).all()
    assert (ranks <= ranges[:, 1]).all()


def test_without_a_significant_difference_every_rank_is_open():
    beats = np.zeros((3, 3), bool)
    assert [[1, 3]] * 3 == find_ranges(beats).tolist()
    assert [1, 1, 1] == find_clusters(np.array([0.3, 0.2, 0.1]), beats).tolist()
    assert ("a", "a", "a") == find_letters(np.array([0.3, 0.2, 0.1]), beats)


def test_a_cluster_ends_where_all_above_beat_all_below():
    beats = _beats((0, 2), (0, 3), (1, 3), (2, 3), systems=4)
    assert [1, 1, 1, 2] == find_clusters(np.array([0.9, 0.8, 0.7, 0.1]), beats).tolist()


def test_beating_only_the_next_is_no_boundary():
    beats = _beats((1, 2), (1, 3), (0, 3), systems=4)
    assert [1, 1, 1, 1] == find_clusters(np.array([0.9, 0.8, 0.7, 0.1]), beats).tolist()


@given(fields())
def test_clusters_are_the_finest_that_the_rule_allows(field):
    values, beats = field
    clusters = find_clusters(values, beats)
    places = order(values)
    assert [
        all(beats[above, below] for above in places[:cut] for below in places[cut:])
        for cut in range(1, len(values))
    ] == (np.diff(clusters[places]) == 1).tolist()
    assert clusters[places[0]] == 1


def test_letters_of_a_chain():
    assert ("a", "ab", "b") == find_letters(np.array([0.9, 0.8, 0.7]), _beats((0, 2), systems=3))


def test_letters_follow_the_values_and_not_the_order_of_the_systems():
    assert ("b", "b", "a") == find_letters(
        np.array([0.1, 0.2, 0.9]), _beats((2, 0), (2, 1), systems=3)
    )


@given(fields())
def test_letters_are_the_maximal_cliques_of_what_does_not_differ(field):
    values, beats = field
    same = ~(beats | beats.T)
    cliques = [
        set(group)
        for size in range(1, len(values) + 1)
        for group in combinations(range(len(values)), size)
        if all(same[one, other] for one, other in combinations(group, 2))
    ]
    maximal = {frozenset(one) for one in cliques if not any(one < other for other in cliques)}
    letters = find_letters(values, beats)
    assert maximal == {
        frozenset(system for system, own in enumerate(letters) if letter in own)
        for letter in set("".join(letters))
    }


def test_more_letters_than_the_alphabet_has():
    letters = find_letters(-np.arange(30.0), np.triu(np.ones((30, 30), bool), 1))
    assert ["a", "z", "aa", "ad"] == [letters[at] for at in (0, 25, 26, 29)]


def test_the_best_share_the_resamples():
    resamples = np.array([[3.0, 1.0], [3.0, 2.0], [2.0, 2.0], [1.0, 2.0]])
    assert [0.625, 0.375] == share_best(resamples).tolist()


def test_a_resample_with_an_undefined_value_is_left_out():
    resamples = np.array([[3.0, 1.0], [np.nan, 2.0]])
    assert [1.0, 0.0] == share_best(resamples).tolist()
    assert [1.0, 2.0] == mean_ranks(resamples).tolist()


def test_without_a_complete_resample_nothing_is_known():
    resamples = np.array([[np.nan, 2.0]])
    assert np.isnan([*share_best(resamples), *mean_ranks(resamples)]).all()


@given(st.integers(1, 5), st.integers(1, 6), st.randoms(use_true_random=False))
def test_mean_ranks_are_those_of_scipy(systems, count, random):
    resamples = np.array(
        [[random.randrange(3) for _ in range(systems)] for _ in range(count)], float
    )
    assert pytest.approx(rankdata(-resamples, "average", axis=1).mean(0)) == mean_ranks(resamples)
    assert pytest.approx(1) == share_best(resamples).sum()


def test_ranks_do_not_depend_on_the_order_of_systems():
    values = np.array([0.9, 0.7, 0.7, 0.2])
    beats = _beats((0, 1), (0, 2), (0, 3), (1, 3), systems=4)
    results = set()
    for places in permutations(range(4)):
        back = np.argsort(places)
        moved, wins = values[list(places)], beats[np.ix_(places, places)]
        found = (
            rank(moved)[back].tolist(),
            find_ranges(wins)[back].tolist(),
            find_clusters(moved, wins)[back].tolist(),
            sorted(find_letters(moved, wins)[place] for place in back[[0]]),
        )
        results.add(repr(found))

    assert 1 == len(results)


def _rank(values, *, metric=None, beats=(), resamples=None):
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

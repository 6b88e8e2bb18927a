"""Several metrics, groups or tracks together: standings, orders, and the notes on them."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from places import place
from tallystick.comparison.ranking.orders import (
    Scale,
    check_zero,
    count_borda,
    fill,
    find_counting,
    to_quality,
)
from tallystick.comparison.ranking.overall_ranking import (
    add_standings,
    choose_criteria,
    list_standings,
    rank_tracks,
)
from tallystick.errors import UsageError
from tallystick.metrics import BLEU, WER, Accuracy, HammingLoss, Support
from tallystick.output.results.ranking import Ranking
from tallystick.results import Refusal

METRICS = ["Accuracy()", "MCC()", "HammingLoss()"]


def _by_metrics(table, metrics=METRICS, baselines=()):
    return [
        place(system, values[at], metric=metric, baseline=system in baselines)
        for at, metric in enumerate(metrics)
        for system, values in table.items()
    ]


def _stand(table, missing="exclude", overall="mean", **options):
    places = _by_metrics(table, **options)
    standings, notes = list_standings(places, choose_criteria(places), overall, missing)
    return {one.system: one for one in standings}, notes


def test_a_loss_enters_the_mean_turned_around():
    found, notes = _stand({"a": (0.9, 0.5, 0.2), "b": (0.8, 0.4, 0.1)})
    assert [pytest.approx(2.2 / 3), pytest.approx(2.1 / 3)] == [one.mean for one in found.values()]
    assert (0.9, 0.5, 0.2) == found["a"].values
    assert "the mean takes 1 - hamming_loss, so that higher is better." in notes


def test_standings_are_sorted_by_the_mean():
    found, _ = _stand({"a": (0.1, 0.1, 0.9), "b": (0.8, 0.4, 0.1)})
    assert [("b", 1, 3.0, 1), ("a", 2, 0.0, 2)] == [
        (one.system, one.rank, one.borda, one.borda_rank) for one in found.values()
    ]


def test_equal_means_share_a_rank_in_any_order_of_addition():
    metrics = ["Accuracy()", "F1('macro')", "Recall('macro')"]
    found, _ = _stand(
        {"a": (0.1, 0.2, 0.3), "b": (0.3, 0.2, 0.1), "c": (0.0, 0.0, 0.0)}, metrics=metrics
    )
    assert [1, 1, 3] == [one.rank for one in found.values()]


def test_the_change_of_the_winner_is_told():
    metrics = ["Accuracy()", "F1('macro')", "Recall('macro')"]
    places = [
        place("a", 0.9, 1, metric=metrics[0]),
        place("b", 0.5, 2, metric=metrics[0]),
        place("b", 0.51, 1, metric=metrics[1]),
        place("a", 0.5, 2, metric=metrics[1]),
        place("b", 0.51, 1, metric=metrics[2]),
        place("a", 0.5, 2, metric=metrics[2]),
    ]
    for overall, message in (("mean", "by Borda's count b"), ("borda", "by the mean a")):
        _, notes = list_standings(places, choose_criteria(places), overall)

        assert f"the winner depends on how scores are put together: {message}." in notes


def test_where_all_agree_nothing_is_told():
    _, notes = _stand({"a": (0.9, 0.9), "b": (0.1, 0.2)}, metrics=["Accuracy()", "F1('macro')"])
    assert () == notes


def test_different_scales_are_told():
    _, notes = _stand({"a": (0.9, 0.5), "b": (0.8, 0.4)}, metrics=METRICS[:2])
    assert ("the mean is over different scales (accuracy, mcc); Borda's count is not.",) == notes


def test_a_baseline_has_a_mean_but_no_rank():
    found, _ = _stand(
        {"a": (0.9, 0.5, 0.2), "base": (0.8, 0.4, 0.3), "b": (0.1, 0.1, 0.9)}, baselines=["base"]
    )

    assert ["a", "base", "b"] == list(found)
    assert [1, None, 2] == [one.rank for one in found.values()]
    assert [3.0, 0.0] == [found["a"].borda, found["b"].borda]
    assert math.isnan(found["base"].borda)
    assert pytest.approx(1.9 / 3) == found["base"].mean


@pytest.mark.parametrize(("missing", "rank", "mean", "fate"), [
    ("exclude", None, None, "are left out of the overall order"),
    ("zero", 2, 0.45, "have 0 there"),
    ("worst", 1, 0.65, "have the worst value there"),
    ("common", 1, 0.9, "are ordered by what all systems have"),
])  # fmt: skip
def test_a_gap_follows_the_policy(missing, rank, mean, fate):
    table = {"a": (0.8, 0.4), "b": (0.9, math.nan)}
    found, notes = _stand(table, missing, metrics=["Accuracy()", "F1('macro')"])
    own = found["b"]
    assert (rank, 1) == (own.rank, own.covered)
    assert mean == (None if math.isnan(own.mean) else pytest.approx(own.mean))
    assert f"systems without a score {fate}: b." in notes


def test_what_nobody_has_is_told_once_and_leaves_nobody_out():
    table = {"a": (0.8, math.nan, 0.3), "b": (0.9, math.nan, 0.2)}
    found, notes = _stand(table, metrics=["Accuracy()", "MCC()", "F1('macro')"])
    assert {"a": 0.55, "b": 0.55} == pytest.approx({name: one.mean for name, one in found.items()})
    assert "no system has mcc, which the overall order omits." in notes
    assert not any("lack" in note for note in notes)


def test_a_baseline_that_lacks_a_metric_takes_it_from_nobody():
    table = {"a": (0.8, 0.4), "base": (0.9, math.nan)}
    found, _ = _stand(table, "common", metrics=["Accuracy()", "F1('macro')"], baselines=["base"])
    assert pytest.approx(0.6) == found["a"].mean
    assert math.isnan(found["base"].mean)


def test_zero_is_rejected_where_it_would_be_the_best():
    with pytest.raises(UsageError, match="wer is best at 0"):
        _stand({"a": (0.8, 0.4), "b": (0.9, math.nan)}, "zero", metrics=["Accuracy()", "WER()"])


def test_one_metric_with_groups_is_taken_together_by_groups():
    places = [place("a", 0.5, group=group) for group in ("en", "es", "macro", "micro")]
    assert ["en", "es"] == [group for _, group, _ in choose_criteria(places)]


def test_several_metrics_with_groups_are_taken_together_on_the_mean():
    places = [
        place("a", 0.5, group=group, metric=metric)
        for group in ("en", "es", "macro", "micro")
        for metric in METRICS
    ]
    assert [(None, "macro", metric) for metric in METRICS] == choose_criteria(places)


def test_one_score_has_no_overall_order():
    with pytest.raises(UsageError, match="there is one score of each system"):
        add_standings(Ranking((place("a", 0.5), place("b", 0.4))), "mean", "exclude")


def test_many_systems_that_lack_a_score_are_told_in_one_line():
    table = {f"s{at:02}": (0.5, math.nan) for at in range(30)} | {"a": (0.8, 0.4)}
    _, notes = _stand(table, metrics=["Accuracy()", "F1('macro')"])
    assert (
        "systems without a score are left out of the overall order: s00, s01, s02, s03, s04, "
        "s05, s06, s07, s08, s09 and 20 more.",
    ) == notes


def test_tracks_are_taken_together_by_their_first_metrics():
    one = Ranking(
        (place("a", 0.8, 1), place("b", 0.7, 2), place("a", 0.3, 1, metric="MCC()")),
        notes=("careful.",),
    )
    other = Ranking((place("a", 0.6, 1, metric="F1()"),), rejected=(Refusal("b", None, "broken"),))
    both = rank_tracks({"T1": one, "T2": other}, overall="mean")

    assert [("T1", None, "Accuracy()"), ("T2", None, "F1()")] == list(both.standings[0].criteria)
    assert [("a", 1, 2), ("b", None, 1)] == [
        (one.system, one.rank, one.covered) for one in both.standings
    ]
    assert (Refusal("b", "T2", "broken"),) == both.rejected
    assert (
        "systems without a score are left out of the overall order: b.",
        "not every system is in every track: T2 lacks b.",
        "T1: careful.",
    ) == both.notes


def test_tracks_have_no_overall_order_unless_asked():
    tracks = {
        name: Ranking((place("a", 0.8, 1),), notes=("careful.",), sentences=("a is alone.",))
        for name in ("T1", "T2")
    }
    both = rank_tracks(tracks)
    assert ((), ("careful.",), ("a is alone.",)) == (both.standings, both.notes, both.sentences)
    assert 2 == len(both.document().grids)


def test_no_track_is_an_error():
    with pytest.raises(UsageError, match="no track"):
        rank_tracks({})


def test_a_team_whose_best_runs_differ_between_tracks_stands_once():
    tracks = {
        "one": Ranking((place("a/x", 0.9, 1), place("b", 0.8, 2))),
        "two": Ranking((place("a/y", 0.7, 2), place("b", 0.9, 1))),
    }
    found = rank_tracks(tracks, overall="mean")

    assert {"a": (0.9, 0.7), "b": (0.8, 0.9)} == {one.system: one.values for one in found.standings}
    assert ["a/x", "b", "a/y", "b"] == [one.system for one in found.places]
    assert re.search(r" a +0\.800 +0\.900 +0\.700\n", str(found))
    assert [] == [note for note in found.notes if "not every system" in note]


def test_runs_of_a_team_that_are_all_ranked_stay_apart():
    tracks = {
        "one": Ranking((place("a/x", 0.9, 1), place("a/y", 0.8, 2))),
        "two": Ranking((place("a/x", 0.7, 1), place("a/y", 0.6, 2))),
    }
    assert ["a/x", "a/y"] == [one.system for one in rank_tracks(tracks, overall="mean").standings]


NAN = np.nan
GAPS = np.array([[0.9, 0.5, NAN], [0.8, NAN, 0.6], [0.3, 0.2, 0.1]])


def _scale(metric):
    return Scale(metric.name, metric.better, *metric.bounds)


def test_a_loss_with_a_bound_is_taken_from_it():
    assert pytest.approx([0.9, 0.6]) == to_quality(np.array([0.1, 0.4]), _scale(HammingLoss()))


def _complete(values, missing):
    return fill(values[find_counting(values, missing)], missing)


def test_a_loss_without_a_bound_is_negated():
    assert [-0.1, -1.4] == to_quality(np.array([0.1, 1.4]), _scale(WER())).tolist()


@pytest.mark.parametrize("metric", [Accuracy(), BLEU()], ids=repr)
def test_what_is_better_when_higher_stays(metric):
    assert [0.25, 0.5] == to_quality(np.array([0.25, 0.5]), _scale(metric)).tolist()


def test_a_metric_without_a_direction_ranks_nobody():
    with pytest.raises(UsageError, match="support cannot rank systems"):
        to_quality(np.array([1.0]), _scale(Support()))


def test_zero_is_no_poor_value_of_an_unbounded_loss():
    with pytest.raises(UsageError, match="wer is best at 0"):
        check_zero(_scale(WER()))


@pytest.mark.parametrize(("missing", "expected"), [
    ("exclude", [[0.9, NAN, NAN], [0.8, NAN, NAN], [0.3, NAN, NAN]]),
    ("zero", [[0.9, 0.5, 0.0], [0.8, 0.0, 0.6], [0.3, 0.2, 0.1]]),
    ("worst", [[0.9, 0.5, 0.5], [0.8, 0.6, 0.6], [0.3, 0.2, 0.1]]),
    ("common", [[0.3, 0.2, 0.1]]),
])  # fmt: skip
def test_what_is_missing_follows_the_policy(missing, expected):
    assert np.array_equal(np.array(expected), _complete(GAPS, missing), equal_nan=True)


@pytest.mark.parametrize("missing", ["exclude", "zero", "worst", "common"])
def test_a_system_without_anything_is_left_out(missing):
    values = np.array([[0.9, NAN, 0.3], [0.8, NAN, 0.6]])
    assert [0.85, None, 0.45] == [
        None if np.isnan(one) else pytest.approx(one) for one in _complete(values, missing).mean(0)
    ]


@pytest.mark.parametrize("missing", ["exclude", "zero", "worst", "common"])
def test_a_criterion_that_nobody_has_is_dropped(missing):
    assert [[0.9, 0.3]] == _complete(np.array([[0.9, 0.3], [NAN, NAN]]), missing).tolist()


def test_nothing_in_common_is_an_error():
    with pytest.raises(UsageError, match="common to all systems"):
        find_counting(np.array([[0.9, NAN], [NAN, 0.2]]), "common")


def test_an_unknown_policy_is_an_error():
    with pytest.raises(UsageError, match="exclude, zero, worst, common"):
        find_counting(GAPS, "ignore")


def test_borda_by_hand():
    values = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [1.0, 3.0, 2.0]])
    assert [4, 3, 2] == count_borda(values).tolist()


def test_equal_systems_halve_the_point():
    assert [1.5, 1.5, 0] == count_borda(np.array([[2.0, 2.0, 1.0]])).tolist()


def test_borda_and_mean_can_disagree():
    values = np.array([[0.9, 0.5], [0.5, 0.51], [0.5, 0.51]])
    assert 0 == values.mean(0).argmax()
    assert 1 == count_borda(values).argmax()


@given(st.integers(1, 5), st.integers(1, 5), st.randoms(use_true_random=False))
def test_borda_gives_out_every_point(criteria, systems, random):
    values = np.array(
        [[random.randrange(4) for _ in range(systems)] for _ in range(criteria)], float
    )
    assert criteria * systems * (systems - 1) / 2 == count_borda(values).sum()


def test_a_system_that_is_left_out_gives_no_points():
    points = count_borda(np.array([[3.0, NAN, 1.0]]))
    assert [1, 0] == points[[0, 2]].tolist()
    assert np.isnan(points[1])

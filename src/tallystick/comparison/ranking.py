"""Ranks systems: what the examples can tell apart, and what they cannot."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tallystick.comparison.aggregates import check_direction
from tallystick.comparison.meetings import Meeting
from tallystick.comparison.notes import TEST_NAMES
from tallystick.comparison.places import Race, list_places
from tallystick.comparison.races import list_races
from tallystick.comparison.ranks import POWER
from tallystick.comparison.settings import Testing
from tallystick.comparison.standings import choose_criteria, list_standings
from tallystick.comparison.verdicts import Outcome, choose_test, judge_all
from tallystick.errors import UsageError
from tallystick.metrics.metric import Metric
from tallystick.results import Missing, Place
from tallystick.results.methods import describe_intervals
from tallystick.results.ranking import RULE, Ranking

__all__ = ["rank_meeting"]

_MOST_NAMES = 10


def rank_meeting(
    meeting: Meeting,
    testing: Testing,
    *,
    baselines: Collection[str] = (),
    missing: Missing = "exclude",
) -> Ranking:
    """Ranks the systems of a meeting by every metric on every row.

    Raises:
        UsageError: There is no such baseline, or no direction of a metric is the better one.
    """
    for name in baselines:
        if name not in meeting.names:
            raise UsageError(
                f"there is no system {name!r} to be a baseline, only {_list(meeting.names)}"
            )
    for metric in meeting.metrics:
        check_direction(metric)
    outcomes = _judge(meeting, testing)
    races = list_races(meeting, outcomes, testing)
    places = tuple(place for race in races for place in list_places(race, baselines))
    standings, told = list_standings(places, choose_criteria(places), missing)
    notes = [
        *_note_tests(meeting, outcomes, testing),
        *describe_intervals([score for race in races for score in race.scores]),
        *_note_main(races, places, baselines),
    ]
    return Ranking(places, standings, meeting.refused, (*meeting.notes, *notes, *told))


def _judge(meeting: Meeting, testing: Testing) -> dict[Metric, Outcome]:
    """What every metric says of all pairs; of one system alone, only its scores."""
    if len(meeting.field.systems) > 1:
        return judge_all(meeting.contests, meeting.field, testing)
    none = np.empty((0, len(meeting.field.rows)))
    return {
        metric: Outcome(
            choose_test(metric, contest, testing), values, none, none, none, draws=none[None]
        )
        for contest in meeting.contests
        for metric, values in zip(contest.metrics, contest.observe(), strict=True)
    }


def _note_tests(
    meeting: Meeting, outcomes: Mapping[Metric, Outcome], testing: Testing
) -> list[str]:
    """How systems were told apart, and whether they could have been."""
    pairs = len(meeting.field.pairs)
    if not pairs:
        return ["there is one system alone, and nothing to compare it with."]
    used = dict.fromkeys(outcomes[metric].test for metric in meeting.metrics)
    drawn = f"{testing.count} draws from seed {testing.seed}"
    notes = [
        f"systems are told apart by {' and '.join(TEST_NAMES[test] for test in used)} ({drawn}), "
        f"corrected by Holm over {pairs} {'pairs' if pairs > 1 else 'pair'} of systems for each "
        f"metric, at level {testing.level:g}.",
        f"clusters follow the rule of {RULE}.",
    ]
    needed = math.ceil(pairs / (1 - testing.level))
    if set(used) != {"delong"} and testing.count < needed:
        notes.append(
            f"with {testing.count} draws no pair out of {pairs} can be told apart; name {needed} "
            "draws or more."
        )
    return notes


def _note_main(
    races: Sequence[Race], places: Sequence[Place], baselines: Collection[str]
) -> list[str]:
    """What the examples resolve, and who does not beat a baseline, on the row of all examples."""
    notes = []
    resolutions = {place.criterion: place.resolution for place in places}
    for race in races:
        score = race.scores[0]
        resolution = resolutions[None, score.group, score.metric]
        if score.group not in (None, "macro"):
            continue
        if not math.isnan(resolution):
            notes.append(
                f"differences of {score.name} below about {resolution:.4f} are not resolved by "
                f"these {score.n} examples (median pair, {POWER:.0%} power, level {race.level:g})."
            )
        notes += _note_baselines(race, baselines)
    return notes


def _note_baselines(race: Race, baselines: Collection[str]) -> list[str]:
    names = [score.system for score in race.scores]
    notes = []
    for baseline in (name for name in names if name in baselines):
        beaten_by = race.beats[:, names.index(baseline)]
        others = [
            name
            for name, better in zip(names, beaten_by, strict=True)
            if not better and name not in baselines
        ]
        if others:
            notes.append(
                f"not significantly better than the baseline {baseline} by {race.scores[0].name}: "
                f"{_list(others)}."
            )
    return notes


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    rest = len(names) - _MOST_NAMES
    return shown if rest <= 0 else f"{shown} and {rest} more"

"""Ranks systems: who is significantly better than whom, and who is not."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.areas import resample_areas
from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.notes import RESAMPLED, TEST_NAMES, note_few_resamples
from tallystick.comparison.orders import check_direction
from tallystick.comparison.places import Leaderboard, list_places
from tallystick.comparison.ranks import POWER
from tallystick.comparison.rows import score_resamples
from tallystick.comparison.settings import Testing
from tallystick.comparison.significance import (
    Outcome,
    choose_test,
    compare_pairs,
    list_differences,
)
from tallystick.comparison.standings import choose_criteria, list_standings
from tallystick.errors import UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.memory import Given, list_names
from tallystick.examples.task import Kind, Task
from tallystick.metrics.metric import Metric, Values
from tallystick.results import Difference, Missing, Place, Score
from tallystick.results.methods import describe_intervals
from tallystick.results.ranking import RULE, Ranking
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import Metrics
from tallystick.scoring.given import count_given
from tallystick.scoring.score import score_counted

__all__ = ["rank", "rank_counted"]

_MOST_NAMES = 10


def rank(
    gold: object,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    by: object = None,
    clusters: object = None,
    weights: object = None,
    systems: Sequence[str] = (),
    system_column: str | None = None,
    baselines: Sequence[str] = (),
    missing: Missing = "exclude",
    columns: Columns | None = None,
    task: Task | Kind | None = None,
    testing: Testing | None = None,
) -> Ranking:
    """Ranks systems by what the examples can show.

    A system whose outputs cannot be scored is set aside with the reason.

    Args:
        gold: As in `score`.
        outputs: The outputs of each system by name, as in `score`.
        metrics: What to rank by; several are ranked one by one, and then taken together.
        by: As in `score`.
        clusters: As in `compare`.
        weights: As in `score`.
        systems: As in `score`.
        system_column: As in `score`.
        baselines: The systems that are shown among the others, but have no rank.
        missing: What becomes of a system that lacks a metric or a group when several are taken
            together: `"exclude"`, `"zero"`, `"worst"`, or `"common"`, as in `rank_tracks`.
        columns: As in `score`.
        task: As in `score`.
        testing: As in `compare`.

    Raises:
        InputError: The gold is not what it should be, or no system can be scored.
        UsageError: A metric, a baseline or an option does not exist or does not fit.
    """
    given = Given(gold, outputs, by, clusters, weights, systems, system_column)
    counted = count_given(given, metrics, columns=columns, task=task, tolerant=True)
    marked = list_names(baselines, "baselines")
    return rank_counted(counted, Testing.settle(testing), baselines=marked, missing=missing)


def rank_counted(
    counted: Counted,
    testing: Testing,
    *,
    baselines: Collection[str] = (),
    missing: Missing = "exclude",
) -> Ranking:
    """Ranks systems that were counted, by every metric on every row.

    Raises:
        UsageError: There is no such baseline, or no direction of a metric is the better one.
    """
    for name in baselines:
        if name not in counted.names:
            raise UsageError(
                f"there is no system {name!r} to be a baseline, only {_list(counted.names)}"
            )
    counted = keep_comparable(counted, least=1)
    for metric in counted.metrics:
        check_direction(metric.name, metric.better)
    alone = len(counted.systems) == 1
    outcomes = {} if alone else compare_pairs(counted, testing, bounds=False)
    scored = score_counted(counted, testing.intervals)
    boards = _list_boards(counted, outcomes, scored.scores, testing)
    places = tuple(place for board in boards for place in list_places(board, baselines))
    standings, told = list_standings(places, choose_criteria(places), missing)
    notes = [
        *scored.notes,
        *_note_tests(counted, outcomes, testing),
        *describe_intervals([score for board in boards for score in board.scores]),
        *_note_main(boards, places, baselines),
    ]
    return Ranking(places, standings, counted.refused, tuple(dict.fromkeys((*notes, *told))))


def _list_boards(
    counted: Counted,
    outcomes: Mapping[Metric, Outcome],
    scores: Sequence[Score],
    testing: Testing,
) -> list[Leaderboard]:
    """All systems by every metric on every row, row by row.

    Differences are corrected by Holm over the pairs of each row, metric by metric.
    """
    found: dict[tuple[str | None, str], list[Score]] = {}
    for score in scores:
        found.setdefault((score.group, score.metric), []).append(score)
    differences = {
        metric: list_differences(counted, {metric: outcome}, testing)
        for metric, outcome in outcomes.items()
    }
    resampled = _resample(counted, outcomes, testing)
    return [
        Leaderboard(
            metric,
            tuple(found[group, repr(metric)]),
            resampled[metric][:, :, row].T,
            _find_beats(
                [one for one in differences.get(metric, ()) if one.group == group], counted
            ),
            testing.confidence,
        )
        for row, group in enumerate(counted.rows)
        for metric in counted.metrics
    ]


def _resample(
    counted: Counted, outcomes: Mapping[Metric, Outcome], testing: Testing
) -> dict[Metric, Values]:
    """The scores of all systems on the same resamples: (systems, resamples, rows).

    Areas that DeLong's test could compare come from the distribution that it takes them to have.
    """
    found: dict[Metric, Values] = {}
    rest: dict[int, list[Metric]] = {}
    for metric in counted.metrics:
        tally = counted.tally(metric)
        if outcomes and choose_test(metric, counted, Testing()) == "delong":
            found[metric] = resample_areas(counted, tally, testing)
        else:
            rest.setdefault(id(tally), []).append(metric)
    settings = testing.intervals
    for metrics in rest.values():
        tally, seed = counted.tally(metrics[0]), settings.random_seed
        scored = score_resamples(metrics, tally, counted.groups, settings.resamples, seed)
        for at, metric in enumerate(metrics):
            found[metric] = np.stack([scored[name][at] for name in counted.systems])
    return found


def _find_beats(differences: Sequence[Difference], counted: Counted) -> NDArray[np.bool_]:
    """Whether each system is significantly better than each other one."""
    places = {name: place for place, name in enumerate(counted.systems)}
    beats = np.zeros((len(places),) * 2, bool)
    for one in differences:
        if one.significant:
            a_wins = (one.difference > 0) == (one.better == "higher")
            a, b = places[one.a], places[one.b]
            beats[(a, b) if a_wins else (b, a)] = True
    return beats


def _note_tests(
    counted: Counted, outcomes: Mapping[Metric, Outcome], testing: Testing
) -> list[str]:
    """How systems were compared, and whether a difference could have been significant."""
    if not outcomes:
        return ["there is one system alone, and nothing to compare it with."]
    pairs = len(next(iter(outcomes.values())).pairs)
    used = dict.fromkeys(outcomes[metric].test for metric in counted.metrics)
    seeded = f" ({testing.count} resamples with random seed {testing.random_seed})"
    return [
        f"significance by {' and '.join(TEST_NAMES[test] for test in used)}"
        f"{seeded if RESAMPLED & {*used} else ''}, corrected by Holm over {pairs} "
        f"{'pairs' if pairs > 1 else 'pair'} of systems for each metric, at "
        f"{testing.confidence:.0%} confidence.",
        f"clusters follow the rule of {RULE}.",
        *note_few_resamples(outcomes, pairs, testing),
    ]


def _note_main(
    boards: Sequence[Leaderboard], places: Sequence[Place], baselines: Collection[str]
) -> list[str]:
    """What the examples resolve, and who does not beat a baseline, on the row of all examples."""
    notes = []
    resolutions = {place.criterion: place.resolution for place in places}
    for board in boards:
        score = board.scores[0]
        if score.group not in (None, "macro"):
            continue
        resolution = resolutions[None, score.group, score.metric]
        if not math.isnan(resolution):
            notes.append(
                f"the minimum detectable difference of {score.name} with these {score.n} examples "
                f"is about {resolution:.4f} (median pair, {POWER:.0%} power, "
                f"{board.confidence:.0%} confidence)."
            )
        notes += _note_baselines(board, baselines)
    return notes


def _note_baselines(board: Leaderboard, baselines: Collection[str]) -> list[str]:
    names = [score.system for score in board.scores]
    notes = []
    for baseline in (name for name in names if name in baselines):
        beaten_by = board.beats[:, names.index(baseline)]
        others = [
            name
            for name, better in zip(names, beaten_by, strict=True)
            if not better and name not in baselines
        ]
        if others:
            notes.append(
                f"not significantly better than the baseline {baseline} by {board.scores[0].name}: "
                f"{_list(others)}."
            )
    return notes


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    rest = len(names) - _MOST_NAMES
    return shown if rest <= 0 else f"{shown} and {rest} more"

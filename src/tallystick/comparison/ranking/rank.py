"""Ranks systems: who is significantly better than whom, and who is not."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Unpack

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.pairwise_tests import Outcome
from tallystick.comparison.plan import find_detectable
from tallystick.comparison.ranking.leaderboard import (
    Leaderboard,
    PerTeam,
    add_previous,
    keep_runs,
    list_places,
)
from tallystick.comparison.ranking.orders import check_direction
from tallystick.comparison.ranking.overall_ranking import add_standings
from tallystick.comparison.significance import (
    TEST_NAMES,
    compare_pairs,
    describe_tests,
    draw_scores,
    list_differences,
    list_doubts,
)
from tallystick.errors import Read, UsageError, short_traceback
from tallystick.kinds.metrics.names import Metrics
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.ranking import Overall, Ranking, find_main
from tallystick.output.results.records import MAIN, Difference, Missing, Place, Score
from tallystick.output.results.sections import find_gain, sum_up, turn
from tallystick.output.tables.cells import format_scores, list_some
from tallystick.reading.input_plan import Layout, Source, list_names
from tallystick.scoring import data_warnings as data_notes
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.scoring.error_analysis import gather
from tallystick.scoring.score import score_counted
from tallystick.statistics.power import POWER
from tallystick.statistics.settings import Testing


@short_traceback
def rank(
    gold: object = None,
    /,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    baselines: Sequence[str] = (),
    testing: Testing | None = None,
    per_team: PerTeam = "all",
    overall: Overall | None = None,
    missing_tracks: Missing = "exclude",
    previous: Ranking | str | None = None,
    details: bool = False,
    **layout: Unpack[Layout],
) -> Ranking:
    """Ranks systems by the first metric, as far as the examples can show who is better.

    A system whose outputs cannot be scored is set aside with the reason.

    Args:
        gold: As in `score`.
        outputs: The outputs of each system by name, as in `score`.
        metrics: What to compute; the first metric ranks, the others are shown next to it.
        baselines: The systems that are shown among the others, but have no rank.
        testing: As in `compare`.
        per_team: Of the systems that are called TEAM/RUN `"all"` are ranked, each team's `"best"`
            by the first metric, or its `"last"` by name.
        overall: As in `rank_tracks`, for several metrics; for the groups of a single one.
        missing_tracks: As in `rank_tracks`.
        previous: As in `rank_tracks`.
        details: As in `rank_tracks`.
        layout: How the data is laid out, as in `tallystick.read`.

    Raises:
        InputError: The gold is not what it should be, or no system can be scored.
        UsageError: A metric, a baseline or an option does not exist or does not fit.
    """
    counted = count_input(Source.of(gold, outputs), layout, metrics, tolerant=True)
    marked = list_names(baselines, "baselines")
    found = rank_counted(counted, Testing.settle(testing), baselines=marked, per_team=per_team)
    found = add_previous(add_standings(found, overall, missing_tracks), previous)
    return replace(found, details=details)


def rank_counted(
    counted: Counted,
    testing: Testing,
    *,
    baselines: Collection[str] = (),
    per_team: PerTeam = "all",
    shown: Callable[[str, float], float] | None = None,
) -> Ranking:
    """Ranks counted systems by every metric on every row; `shown` rounds scores before."""
    for name in baselines:
        if name not in counted.names:
            raise UsageError(
                f"there is no system {name!r} to be a baseline, only {list_some(counted.names)}"
            )
    counted = _keep_comparable(counted)
    for metric in counted.metrics:
        check_direction(metric.name, metric.better)
    counted, text = keep_runs(counted, per_team, baselines, shown)
    outcomes, differences = _compare(counted, testing)
    scored = score_counted(counted, testing.intervals)
    scores = [
        one if shown is None else replace(one, value=shown(one.name, one.value))
        for one in scored.scores
    ]
    boards = [*_list_boards(counted, scores, outcomes, differences, testing)]
    places = tuple(place for board in boards for place in list_places(board, baselines))
    notes = (
        *map(Read, text),
        *_tell_pairs(counted),
        *_note_winners(places),
        *data_notes.list_notes(counted),
        *_note_tests(counted, outcomes, testing),
        *_note_resolution(places, testing),
        *scored.notes,
    )
    return Ranking(
        places,
        rejected=counted.facts.rejected,
        notes=notes,
        sentences=describe_baselines(places, differences),
        differences=tuple(differences),
        gather=None if counted.apart else partial(gather, counted),
        tests=describe_tests(outcomes, math.comb(len(counted.systems), 2)),
        resampled={
            (None, score.group, score.metric, score.system): own
            for board in boards
            for score, own in zip(board.scores, board.resampled.T, strict=True)
        },
    )


def _keep_comparable(counted: Counted) -> Counted:
    if counted.apart is None:
        return keep_comparable(counted, least=1)
    parts = [keep_comparable(counted.apart.among(name), least=1) for name in counted.systems]
    kept = tuple(one for one in parts[0].metrics if all(one in part.metrics for part in parts))
    return replace(counted, metrics=kept)


def _compare(counted: Counted, testing: Testing) -> tuple[dict[Metric, Outcome], list[Difference]]:
    """What every metric says of all pairs, each on the examples that both systems have."""
    if len(counted.systems) == 1:
        return {}, []
    if counted.apart is None:
        outcomes = compare_pairs(counted, testing, bounds=False)
        return outcomes, [
            one
            for metric, outcome in outcomes.items()
            for one in list_differences(counted, {metric: outcome}, testing)
        ]
    from tallystick.comparison.pairwise_coverage import correct_anew

    outcomes, differences = {}, []
    for pair in combinations(counted.systems, 2):
        if counted.apart.overlap(*pair):
            own = replace(counted.apart.among(*pair), metrics=counted.metrics)
            outcomes = compare_pairs(own, testing, bounds=False)
            differences += list_differences(own, outcomes, testing)
    by_metric = ([one for one in differences if one.metric == repr(own)] for own in counted.metrics)
    return outcomes, [one for family in by_metric for one in correct_anew(family)]


def _tell_pairs(counted: Counted) -> Iterator[str]:
    if counted.apart is not None:
        from tallystick.comparison.pairwise_coverage import tell_apart

        yield from tell_apart(counted.apart, combinations(counted.systems, 2))


def _list_boards(
    counted: Counted,
    scores: Sequence[Score],
    outcomes: Mapping[Metric, Outcome],
    differences: Sequence[Difference],
    testing: Testing,
) -> Iterator[Leaderboard]:
    """All systems by every metric on every row, row by row."""
    found: dict[tuple[str | None, str], list[Score]] = {}
    for score in scores:
        found.setdefault((score.group, score.metric), []).append(score)
    compared: dict[tuple[str | None, str], list[Difference]] = {}
    for one in differences:
        compared.setdefault((one.group, one.metric), []).append(one)
    resampled = {} if counted.apart else draw_scores(counted, counted.metrics, testing)
    for row, group in enumerate(counted.rows):
        for metric in counted.metrics:
            own = found.get((group, repr(metric)), [])
            if not own or (counted.apart is None and not counted.size(group, metric)):
                continue
            systems = [one.system for one in own]
            beats = _find_beats(compared.get((group, repr(metric)), ()), systems)
            drawn, least = np.full((0, len(own)), np.nan), np.nan
            if counted.apart is None:  # else no resamples are of the same examples
                drawn = resampled[metric][:, :, row].T
                if metric in outcomes:
                    least = find_detectable(outcomes[metric], row, testing.confidence)
            yield Leaderboard(metric, tuple(own), drawn, beats, testing.confidence, least)


def _find_beats(differences: Sequence[Difference], systems: Sequence[str]) -> NDArray[np.bool_]:
    places = {name: place for place, name in enumerate(systems)}
    beats = np.zeros((len(places),) * 2, bool)
    for one in differences:
        if one.significant:
            a, b = places[one.a], places[one.b]
            beats[(a, b) if find_gain(one) > 0 else (b, a)] = True
    return beats


def describe_baselines(
    places: Sequence[Place], differences: Sequence[Difference]
) -> tuple[str, ...]:
    """Returns a sentence on how the systems compare with each baseline by the first metric."""
    _, group, metric = find_main(places)
    main = [one for one in differences if (one.group, one.metric) == (group, metric)]
    ranked = [place for place in places if (place.group, place.metric) == (group, metric)]
    baselines = [place.system for place in ranked if place.baseline]
    against = {
        name: [
            one if one.b == name else turn(one)
            for one in main
            if name in (one.a, one.b) and not {one.a, one.b} <= {*baselines}
        ]
        for name in baselines
    }
    return tuple(sum_up(own, name) for name, own in against.items() if own)


def _note_tests(
    counted: Counted, outcomes: Mapping[Metric, Outcome], testing: Testing
) -> Iterator[str]:
    """How systems were compared, and whether a difference could have been significant."""
    if not outcomes:
        yield "there is only one system, so there is nothing to compare it with."
        return
    pairs = math.comb(len(counted.systems), 2)
    used = dict.fromkeys(outcomes[metric].test for metric in counted.metrics)
    resamples = max(outcome.resamples for outcome in outcomes.values())
    seeded = f" ({resamples} resamples with random seed {testing.random_seed})"
    yield (
        f"significance by {' and '.join(TEST_NAMES[test] for test in used)}"
        f"{seeded if resamples else ''}, corrected by Holm over {pairs} "
        f"{'pairs' if pairs > 1 else 'pair'} of systems for each metric."
    )
    yield from list_doubts(outcomes, counted, pairs, testing)


def _note_resolution(places: Sequence[Place], testing: Testing) -> Iterator[str]:
    """How much systems must differ by the first metric to be found different."""
    main = find_main(places)
    place = next(place for place in places if place.criterion == main)
    if place.resolution > place.highest - place.lowest:
        yield (
            f"these {place.n} examples are too few for any difference of {place.name} to be found "
            f"with {POWER:.0%} power (for a typical pair of systems)."
        )
    elif not math.isnan(place.resolution):
        [least] = format_scores(place.name, place.resolution)
        yield (
            f"the minimum detectable difference of {place.name} with these {place.n} examples is "
            f"about {least} (for a typical pair of systems, {POWER:.0%} power, "
            f"{testing.confidence:.0%} confidence)."
        )


def _note_winners(places: Sequence[Place]) -> Iterator[str]:
    """By which of the metrics another system is the first."""
    winners: dict[tuple[str, ...], list[str]] = {}
    for criterion in dict.fromkeys(place.criterion for place in places if place.group in MAIN):
        own = [place for place in places if place.criterion == criterion]
        first = tuple(place.system for place in own if place.rank == 1)
        if first:
            winners.setdefault(first, []).append(own[0].name)
    text = [f"{' and '.join(who)} by {', '.join(what)}" for who, what in winners.items()]
    if len(text) > 1:
        yield f"the winner depends on the metric: {'; '.join(text)}."

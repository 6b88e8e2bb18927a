"""Places by several metrics, groups or tracks: standings, mean ranks, Friedman's test."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, groupby
from typing import Literal, get_args

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.comparison.ranking.leaderboard import add_previous
from tallystick.comparison.ranking.orders import CriteriaTable, average_ranks, find_letters, lay_out
from tallystick.errors import UsageError, lead_with
from tallystick.output.results.ranking import Overall, Ranking, Resampled, find_main, title_criteria
from tallystick.output.results.records import (
    UNKNOWN,
    Criterion,
    Evidence,
    Friedman,
    Gather,
    Interval,
    Missing,
    Place,
    Standing,
)
from tallystick.output.tables.cells import format_p, list_some
from tallystick.statistics.paired import compare_pairs, compare_ranks, find_critical_difference
from tallystick.statistics.percentiles import bound_percentiles, bound_within, widen_few
from tallystick.statistics.wilson import Values

Over = Literal["groups", "tracks"]
Intervals = Mapping[str, Interval]

_FEWEST_SYSTEMS = 3
_ENOUGH = 5
"""From this many groups on, tests at 0.05 err in 3% to 6% of the cases, not in up to 20%."""


def add_mean_ranks(ranking: Ranking, missing: Missing) -> Ranking:
    """Returns a ranking that has standings with intervals and tests of the mean ranks."""
    table = lay_out(ranking.places, ranking.standings[0].criteria)
    kept = table.keep(missing)
    present = ~table.baseline & ~np.isnan(kept).any(0)
    names = [name for name, here in zip(table.systems, present, strict=True) if here]
    if len(names) < 2:
        return ranking
    ranks = average_ranks(kept[:, None, present])
    drawn = average_ranks(table.keep_resampled(ranking.resampled, missing)[..., present])
    if any(one.n == 1 for one in ranking.places if one.criterion in table.criteria):
        drawn = drawn[:0]
    over = _find_units(table.criteria) if len(ranks) > 1 else None
    confidence = ranking.places[0].confidence
    examples = _name(names, _bound_over_examples(ranks.mean(0), drawn, confidence))
    groups = _name(names, _bound_over_groups(ranks, confidence)) if over else {}
    tested = over is not None and len(names) >= _FEWEST_SYSTEMS
    friedman = _test(names, ranks, over, confidence) if over and tested else None
    return replace(
        ranking,
        standings=tuple(
            _add_intervals(one, examples, groups, ranks.shape) for one in ranking.standings
        ),
        friedman=friedman,
        sentences=(*(_describe(friedman) if friedman else ()), *ranking.sentences),
        notes=(*_list_notes(over, ranks.shape, ranking.overall), *ranking.notes),
    )


def _find_units(criteria: Sequence[Criterion]) -> Over | None:
    """Whether ranks are of tracks or of groups, which represent others; metrics do not."""
    tracks, groups, metrics = (len({*part}) for part in zip(*criteria, strict=True))
    if tracks > 1:
        return "tracks"
    return "groups" if groups > 1 and metrics == 1 else None


def _name(names: Sequence[str], bounds: tuple[Values, Values]) -> Intervals:
    low, high = (ends.tolist() for ends in bounds)
    return dict(zip(names, zip(low, high, strict=True), strict=True))


def _bound_over_examples(mean: Values, drawn: Values, confidence: float) -> tuple[Values, Values]:
    """The percentiles of the mean ranks on resamples, widened to include the ranks themselves."""
    if not len(drawn):
        return np.full(mean.shape, np.nan), np.full(mean.shape, np.nan)
    low, high = bound_percentiles(drawn, confidence)
    return np.minimum(low, mean), np.maximum(high, mean)


def _bound_over_groups(ranks: Values, confidence: float) -> tuple[Values, Values]:
    """The intervals of mean ranks over other groups, by the bootstrap's variance."""
    count, systems = ranks.shape
    deviation = ranks.std(0) / math.sqrt(count) * widen_few(count, confidence)
    size = np.full(systems, float(count))
    return bound_within(ranks.mean(0), deviation, size, (1.0, float(systems)), confidence)


def _add_intervals(
    one: Standing, examples: Intervals, groups: Intervals, shape: tuple[int, ...]
) -> Standing:
    """The standing with the intervals of its mean rank, and of Borda's points, which follow."""
    count, systems = shape
    intervals = [own.get(one.system, UNKNOWN) for own in (examples, groups)]
    points = [(count * (systems - high), count * (systems - low)) for low, high in intervals]
    return replace(
        one,
        mean_rank_interval=intervals[0],
        mean_rank_interval_over_groups=intervals[1],
        borda_interval=points[0],
        borda_interval_over_groups=points[1],
    )


def _test(names: Sequence[str], ranks: Values, over: Over, confidence: float) -> Friedman:
    """Friedman's test and Nemenyi's, the best system first."""
    best = np.argsort(ranks.mean(0), kind="stable")
    mean, (count, systems) = ranks.mean(0)[best], ranks.shape
    pairs = compare_pairs(mean, count)
    ordered = [names[at] for at in best.tolist()]
    found = Friedman(
        over,
        count,
        tuple(ordered),
        tuple(mean.tolist()),
        (),
        *compare_ranks(ranks),
        find_critical_difference(count, systems, round(1 - confidence, 12)),
        confidence,
        tuple(
            (ordered[a], ordered[b], pairs[a, b].item()) for a, b in combinations(range(systems), 2)
        ),
    )
    beats = np.zeros((systems, systems), bool)
    for a, b in found.separated:
        beats[ordered.index(a), ordered.index(b)] = True
    return replace(found, letters=find_letters(-mean, beats))


def _describe(found: Friedman) -> tuple[str, ...]:
    """What the tests say, in two sentences."""
    systems, level = len(found.systems), f"{1 - found.confidence:.2g}"
    freedom = systems - 1, (systems - 1) * (found.count - 1)
    what = f"the {systems} systems over {found.count} {found.over}"
    if math.isnan(found.p):
        return (f"Friedman's test says nothing of {what}, which are level in all of them.",)
    agreed = f"all {found.over} put them into one order ({_write_p(found.f_p)}, exact)."
    davenport = (
        f"F({freedom[0]}, {freedom[1]}) = {found.f:.4g}, {_write_p(found.f_p)} "
        "(Iman and Davenport)."
    )
    first = (
        f"Friedman's test of {what}: chi-square({freedom[0]}) = {found.chi_square:.4g}, "
        f"{_write_p(found.p)}; {agreed if math.isinf(found.f) else davenport}"
    )
    apart = [f"{a} and {b}" for a, b in found.separated]
    text = f"{len(apart)} of {len(found.pairs)} pairs are" if apart else "no two systems are"
    second = (
        f"The critical difference of mean ranks is {found.critical_difference:.4g} by Nemenyi's "
        f"test at p < {level}: {text} as far apart{': ' * bool(apart)}{list_some(apart)}."
    )
    return first, second


def _write_p(p: float) -> str:
    shown = format_p(p, 4)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def _list_notes(over: Over | None, shape: tuple[int, ...], overall: Overall) -> Iterator[str]:
    """Why there is no test, or why its p-values are rough."""
    count, systems = shape
    if over is None and overall != "borda":
        yield "Friedman's test compares systems over groups or tracks, and not over metrics."
    elif over is not None and systems < _FEWEST_SYSTEMS:
        yield "Friedman's test needs three systems or more, and there are two."
    elif over is not None and count < _ENOUGH:
        yield (
            f"there are {count} {over} only: the p-values of Friedman's and Nemenyi's test are "
            f"approximations that are good from about {_ENOUGH} on."
        )


TOO_FEW = (
    "an overall order puts several metrics, groups or tracks together, and there is one score of "
    "each system"
)

_AVERAGES = ("macro", "micro")

_FATES: dict[Missing, str] = {
    "exclude": "are left out of the overall order",
    "zero": "have 0 there",
    "worst": "have the worst value there",
    "common": "are ordered by what all systems have",
}


def rank_tracks(
    rankings: Mapping[str, Ranking],
    *,
    overall: Overall | None = None,
    missing_tracks: Missing = "exclude",
    previous: Ranking | str | None = None,
    details: bool = False,
) -> Ranking:
    """Puts the rankings of several tracks together, each by the first metric of its own.

    Args:
        rankings: The ranking of each track by its name, as `rank` returns it.
        overall: What an overall order is made by, `"mean"`, `"mean_rank"` or `"borda"`; None makes
            none. The latter two come with intervals and Friedman's test.
        missing_tracks: What becomes there of a system that does not have a track: it is left out
            (`"exclude"`), has 0 there (`"zero"`) or the worst value of any system there
            (`"worst"`); or only the tracks that all systems have count (`"common"`).
        previous: An earlier ranking, or the path of its JSON, from which ranks gained and lost are
            told.
        details: Whether to show a table for each metric and group, with all that was computed.

    Raises:
        InputError: The file of the previous ranking cannot be read.
        UsageError: There is no ranking, or what is missing cannot be replaced as was asked for.
    """
    if not rankings:
        raise UsageError("there is no track to rank")
    own = {name: _name_track(name, ranking) for name, ranking in rankings.items()}
    places = tuple(place for ranking in own.values() for place in ranking.places)
    both = Ranking(
        places,
        rejected=tuple(refusal for ranking in own.values() for refusal in ranking.rejected),
        notes=(
            *_note_absences(places),
            *_merge({name: one.notes for name, one in own.items()}),
        ),
        sentences=_merge({name: one.sentences for name, one in own.items()}),
        differences=tuple(one for ranking in own.values() for one in ranking.differences),
        gather=partial(_gather, {name: ranking.gather for name, ranking in rankings.items()}),
        resampled=_mix_resamples(rankings),
    )
    found = _add_overall(both, overall, missing_tracks)
    return replace(add_previous(found, previous), details=details)


def _add_overall(ranking: Ranking, overall: Overall | None, missing: Missing) -> Ranking:
    """Returns the ranking with standings in which each team stands once, whatever its runs are."""
    teams = _merge_runs(ranking.places)

    def name(system: str) -> str:
        return teams.get(system, system)

    merged = replace(
        ranking,
        places=tuple(replace(place, system=name(place.system)) for place in ranking.places),
        resampled={
            (*rest, name(str(system))): values
            for (*rest, system), values in ranking.resampled.items()
        },
    )
    found = add_standings(merged, overall, missing)
    return replace(found, places=ranking.places, resampled=ranking.resampled)


def _merge_runs(places: Sequence[Place]) -> dict[str, str]:
    """The team of each TEAM/RUN where a team has one run in each track, but not always the same."""
    runs: dict[str, set[tuple[str | None, str]]] = {}
    for place in places:
        team, slash, _ = place.system.partition("/")
        if slash:
            runs.setdefault(team, set()).add((place.track, place.system))
    taken = {place.system for place in places}
    return {
        system: team
        for team, own in runs.items()
        if len({system for _, system in own}) > 1 and team not in taken
        if len({track for track, _ in own}) == len(own)
        for _, system in own
    }


def _mix_resamples(rankings: Mapping[str, Ranking]) -> Resampled:
    """The resamples of all tracks, each in an order of its own: all were drawn by one seed."""
    streams = zip(rankings.items(), np.random.default_rng(0).spawn(len(rankings)), strict=True)
    found: dict[tuple[str | None, ...], NDArray[np.float64]] = {}
    for (name, ranking), stream in streams:
        keys = stream.random(max(map(len, ranking.resampled.values()), default=0))
        for (_, *rest), values in ranking.resampled.items():
            found[name, *rest] = values[np.argsort(keys[: len(values)])]
    return found


def _gather(tracks: Mapping[str, Gather | None], most: int | None) -> tuple[Evidence, ...]:
    """The evidence of all tracks, which share the number of examples that are shown."""
    share = None if most is None else max(1, most // len(tracks))
    return tuple(
        replace(one, track=name)
        for name, gather in tracks.items()
        if gather is not None
        for one in gather(share)
    )


def add_standings(ranking: Ranking, overall: Overall | None, missing: Missing) -> Ranking:
    """Returns the ranking with an overall order of several metrics, groups or tracks."""
    if overall is None:
        return ranking
    if overall not in get_args(Overall):
        raise UsageError(f"overall must be one of {', '.join(get_args(Overall))}, not {overall!r}")
    criteria = choose_criteria(ranking.places, overall)
    if len(criteria) < 2:
        raise UsageError(TOO_FEW)
    standings, notes = list_standings(ranking.places, criteria, overall, missing)
    found = replace(ranking, standings=standings, overall=overall, notes=(*notes, *ranking.notes))
    if overall == "mean":
        return found

    return add_mean_ranks(found, missing)


def _merge(text: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What is told of several tracks, each sentence once, with the tracks that it is about."""
    tracks: dict[str, list[str]] = {}
    for name, sentences in text.items():
        for sentence in sentences:
            tracks.setdefault(sentence, []).append(name)
    return tuple(
        sentence if len(own) == len(text) else lead_with(", ".join(own), sentence)
        for sentence, own in tracks.items()
    )


def _note_absences(places: Sequence[Place]) -> Iterator[str]:
    """Which systems, or teams whose runs differ, have no place in a track, in one line."""
    teams = _merge_runs(places)
    present: dict[str | None, set[str]] = {}
    for place in places:
        present.setdefault(place.track, set()).add(teams.get(place.system, place.system))
    everyone = dict.fromkeys(
        teams.get(place.system, place.system) for place in places if not place.baseline
    )
    absent = {
        track: [system for system in everyone if system not in own]
        for track, own in present.items()
    }
    text = [f"{track} lacks {list_some(names)}" for track, names in absent.items() if names]
    if text:
        yield f"not every system is in every track: {'; '.join(text)}."


def _name_track(name: str, ranking: Ranking) -> Ranking:
    return replace(
        ranking,
        places=tuple(replace(place, track=name) for place in ranking.places),
        differences=tuple(replace(one, track=name) for one in ranking.differences),
        rejected=tuple(replace(refusal, track=name) for refusal in ranking.rejected),
    )


def choose_criteria(places: Sequence[Place], overall: Overall = "mean") -> list[Criterion]:
    """The first metric of each track, or all metrics, or else the groups."""
    tracks = [[*own] for _, own in groupby(places, lambda place: place.track)]
    if len(tracks) > 1:
        return [find_main(own) for own in tracks]
    main = find_main(places)
    criteria = list(dict.fromkeys(place.criterion for place in places))
    by_metric = [criterion for criterion in criteria if criterion[:2] == main[:2]]
    by_group = [one for one in criteria if one[2] == main[2] and one[1] not in _AVERAGES]
    grouped = overall == "mean_rank" and len(by_group) > 1
    return by_metric if len(by_metric) > 1 and not grouped else by_group


def list_standings(
    places: Sequence[Place],
    criteria: Sequence[Criterion],
    overall: Overall = "mean",
    missing: Missing = "exclude",
) -> tuple[tuple[Standing, ...], tuple[str, ...]]:
    """The standing of each system, best mean first, and what a reader of them must know."""
    table = lay_out(places, criteria)
    standings = table.rank(missing)
    titles = {one: " · ".join(parts) for one, parts in title_criteria(places).items()}
    return standings, (
        *_note_gaps(table, standings, titles, missing),
        *(_note_scales(table) if overall == "mean" else ()),
        *_note_orders(standings, overall),
    )


def _note_gaps(
    table: CriteriaTable,
    standings: Sequence[Standing],
    titles: Mapping[Criterion, str],
    missing: Missing,
) -> Iterator[str]:
    """Who does not have something, and what became of them; what nobody has does not count."""
    absent = [bool(np.isnan(row).all()) for row in table.values[:, ~table.baseline]]
    names = [titles.get(criterion, str(criterion[0])) for criterion in table.criteria]
    unknown = [name for name, gone in zip(names, absent, strict=True) if gone]
    if unknown:
        yield f"no system has {', '.join(unknown)}, which the overall order omits."
    fates: dict[str, list[str]] = {}
    for one in standings:
        gaps = (
            np.isnan(value) and not gone for value, gone in zip(one.values, absent, strict=True)
        )
        if any(gaps) and not one.baseline:
            fate = _FATES["exclude" if one.rank is None else missing]
            fates.setdefault(fate, []).append(one.system)
    for fate, who in fates.items():
        yield f"systems without a score {fate}: {list_some(who)}."


def _note_scales(table: CriteriaTable) -> Iterator[str]:
    scales = list(dict.fromkeys(table.scales))
    turned = [
        f"{scale.highest:g} - {scale.name}" if np.isfinite(scale.highest) else f"-{scale.name}"
        for scale in scales
        if scale.better == "lower"
    ]
    if turned:
        yield f"the mean takes {' and '.join(turned)}, so that higher is better."
    if len({(scale.lowest, scale.highest) for scale in scales}) > 1:
        names = ", ".join(scale.name for scale in scales)
        yield f"the mean is over different scales ({names}); Borda's count is not."


def _note_orders(standings: Sequence[Standing], overall: Overall) -> Iterator[str]:
    """Whether the other way of putting scores together has another winner."""
    by_mean = [one.system for one in standings if one.rank == 1]
    by_borda = [one.system for one in standings if one.borda_rank == 1]
    first, what = (by_borda, "Borda's count") if overall == "mean" else (by_mean, "the mean")
    if {*by_mean} != {*by_borda}:
        yield f"the winner depends on how scores are put together: by {what} {' and '.join(first)}."

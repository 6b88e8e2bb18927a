"""What participants may see of a result: scores, intervals and n, as pages show them.

Every record is made again from the fields that are named here, so that nothing else that scoring
finds in the gold, now or later, reaches a page, a file or a platform.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec
from msgspec.structs import asdict, replace

from tallystick.comparison.ranking.overall_ranking import rank_tracks
from tallystick.comparison.ranking.rank import describe_baselines
from tallystick.errors import UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.ranking import Overall, Ranking, find_main
from tallystick.output.results.records import MAIN, ConfusionMatrix, Place, Score, Standing
from tallystick.output.tables.cells import Ends, is_fraction
from tallystick.output.tables.document import Style
from tallystick.tasks.task_file import Details, SharedTask, Track
from tallystick.version import __version__


class ShownScore(msgspec.Struct, frozen=True):
    """A score that the site shows, by its metric's short name; None where it is undefined."""

    name: str
    value: float | None
    low: float | None
    high: float | None


class Rejection(msgspec.Struct, frozen=True):
    """Why a submission, or its file for a track, was rejected; in words that its team may read."""

    track: str | None
    words: str


class Submission(msgspec.Struct, frozen=True):
    """One submission, its time by ISO 8601; scores and pages of reports are by track."""

    team: str
    run: str
    phase: str | None
    submitted: str = ""
    about: dict[str, str] = {}
    scores: dict[str, tuple[ShownScore, ...]] = {}
    reports: dict[str, str] = {}
    rejected: tuple[Rejection, ...] = ()
    late: bool = False


class SitePlace(msgspec.Struct, frozen=True):
    """Where a system stands by one metric; the fields mean the same as those of `Place`."""

    group: str | None
    metric: str
    name: str
    system: str
    baseline: bool
    rank: int | None
    value: float | None
    low: float | None
    high: float | None
    n: int
    best_rank: int | None
    worst_rank: int | None
    cluster: int | None
    letters: str


class SiteRanking(msgspec.Struct, frozen=True):
    """The ranking of a track in a phase, with the run and scores from elsewhere of each system."""

    phase: str | None
    track: str
    places: tuple[SitePlace, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    runs: dict[str, str] = {}
    external: dict[str, dict[str, str]] = {}


class SiteStanding(msgspec.Struct, frozen=True):
    """Where a team stands over all tracks; the value is what the rank is by, if it has one."""

    team: str
    baseline: bool
    rank: int | None
    value: float | None
    ranks: dict[str, int]


class SiteOverall(msgspec.Struct, frozen=True):
    """The ranking over all tracks of one phase by `mean`, `mean_rank` or `borda`."""

    phase: str | None
    by: str
    tracks: tuple[str, ...]
    standings: tuple[SiteStanding, ...] = ()
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Site(msgspec.Struct, frozen=True):
    """All that the site of a shared task shows, which `board.json` holds too.

    Submissions are by phase and time, rankings by phase and track; `chosen` is `last` or `best`,
    `scores` are names of scores from elsewhere, `columns` what organisers tell of submissions.
    """

    tallystick: str
    title: str
    chosen: str
    submissions: tuple[Submission, ...]
    rankings: tuple[SiteRanking, ...]
    overall: tuple[SiteOverall, ...] = ()
    scores: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    show_rejected: bool = False
    notes: tuple[str, ...] = ()
    description: str = ""


_OF_SCORES = ("system", "group", "metric", "name", "title", "n", "confidence", "better")
_OF_PLACES = (
    *("group", "metric", "name", "system", "baseline", "n"),
    *("best_rank", "worst_rank", "cluster", "letters"),
)
"""The fields that are shown as they are."""


def publish_scores(
    found: Evaluation, track: Track, details: Details | None, style: Style
) -> Evaluation:
    """Returns the scores of a track without those per label, rounded as pages show them."""
    scores = tuple(
        _publish_score(one, style)
        for one in found.scores
        if one.label is None and _is_declared(one.group, track)
    )
    lead = tuple((heading, field) for heading, field in found.lead if field != "invalid")
    notes, matrices = [describe_intervals(scores)], list[ConfusionMatrix]()
    if details is not None:
        matrices += _coarsen(found.confusions, details.minimum)
        steps = f"counts in confusion matrices are rounded down to multiples of {details.minimum}."
        notes += [steps] if matrices else []
    return Evaluation(scores, lead, tuple(matrices), tuple(filter(None, notes)))


def publish_places(ranking: Ranking, track: Track, style: Style) -> tuple[SitePlace, ...]:
    """Returns the places of a track by rounded scores; those shown as equal share a rank."""
    kept = (one for one in ranking.places if _is_declared(one.group, track))
    boards = (list(own) for _, own in groupby(kept, lambda one: one.criterion))
    return tuple(place for board in boards for place in _rank(board, style))


def publish_sentences(ranking: Ranking, style: Style) -> tuple[str, ...]:
    """Returns which systems are significantly better than each baseline by the first metric."""
    rounded = [
        replace(one, difference=round_score(one.difference, one.name, style))
        for one in ranking.differences
    ]
    return describe_baselines(ranking.places, rounded)


def describe_intervals(scores: Iterable[Score | Place]) -> str:
    """Returns a sentence that gives the level of the intervals; empty where there are none."""
    levels = (one.confidence for one in scores if not math.isnan(one.low))
    level = next((one for one in levels if one is not None), None)
    return "" if level is None else f"{100 * level:g}% confidence intervals."


def round_score(value: float, name: str, style: Style) -> float:
    """Returns a number with as many decimals as pages show of a metric, whole ones as they are."""
    return value if isinstance(value, int) else _cut(value, _count_digits(name, style), name, style)


def _is_declared(group: str | None, track: Track) -> bool:
    return group in MAIN or bool(track.by)


def _publish_score(one: Score, style: Style) -> Score:
    low, high = _round_interval(one, style)
    return Score(
        **{field: getattr(one, field) for field in _OF_SCORES},
        label=None,
        value=round_score(one.value, one.name, style),
        signature=f"{one.metric}|version:{__version__}",
        low=low,
        high=high,
    )


def _round_interval(one: Score | Place, style: Style) -> tuple[float, float]:
    ends = Ends(one.low, one.high, isinstance(one.value, int))
    digits = 0 if ends.whole else _count_digits(one.name, style)
    digits -= digits > 3
    return _cut(one.low, digits, one.name, style), _cut(one.high, digits, one.name, style)


def _count_digits(name: str, style: Style) -> int:
    """The decimals that are published, of percentages where pages show these."""
    usual = 2 if style.percent and is_fraction(name) else 4
    return style.decimals.get(name, usual if style.digits is None else style.digits)


def _cut(value: float, digits: int, name: str, style: Style) -> float:
    """A number with as many decimals, which are those of percent where pages show percent."""
    return round(value, digits + 2 if style.percent and is_fraction(name) else digits) + 0.0


def _rank(places: Sequence[Place], style: Style) -> Iterator[SitePlace]:
    """The places by one metric on one row, best first and undefined ones last."""
    sign = 1 if places[0].better == "lower" else -1
    keys = {one.system: sign * round_score(one.value, one.name, style) for one in places}
    ranked = [keys[one.system] for one in places if one.rank is not None]

    def order(one: Place) -> tuple[bool, float, bool, int, str]:
        key = keys[one.system]
        place = 0 if math.isnan(key) else key
        return math.isnan(key), place, one.baseline, one.cluster or 0, one.system

    for one in sorted(places, key=order):
        shown = round_score(one.value, one.name, style), *_round_interval(one, style)
        value, low, high = map(from_float, shown)
        yield SitePlace(
            **{field: getattr(one, field) for field in _OF_PLACES},
            rank=None if one.rank is None else 1 + sum(key < keys[one.system] for key in ranked),
            value=value,
            low=low,
            high=high,
        )


def _coarsen(matrices: Iterable[ConfusionMatrix], minimum: int) -> Iterator[ConfusionMatrix]:
    """Confusion matrices in steps of the minimum count, without labels that fall below it."""
    for one in matrices:
        counts = [[int(count // minimum) * minimum for count in row] for row in one.counts]
        kept = [
            at for at in range(len(counts)) if any(counts[at]) or any(row[at] for row in counts)
        ]
        if kept:
            rows = tuple(tuple(counts[gold][own] for own in kept) for gold in kept)
            yield ConfusionMatrix(one.system, tuple(one.labels[at] for at in kept), rows)


def name_team(system: str) -> str:
    """Returns the team of a system, which is called TEAM or TEAM/RUN."""
    return system.partition("/")[0]


def revive_places(ranking: SiteRanking) -> tuple[Place, ...]:
    """Returns the places of a ranking; what a site does not show of them is unknown."""
    shown = ("value", "low", "high")
    unknown = ("confidence", "best_share", "mean_rank", "resolution", "lowest", "highest")
    return tuple(
        Place(
            **asdict(one)
            | {name: to_float(getattr(one, name)) for name in shown}
            | dict.fromkeys(unknown, math.nan),
            track=ranking.track,
            method=None,
            better="",
            signature="",
        )
        for one in ranking.places
    )


def from_float(value: float) -> float | None:
    """Returns a number, None where it is NaN, which JSON does not have."""
    return None if math.isnan(value) else value


def to_float(value: float | None) -> float:
    """Returns a number, NaN where it is unknown."""
    return math.nan if value is None else value


def rank_overall(
    task: SharedTask, rankings: Sequence[SiteRanking], confidence: float
) -> SiteOverall | None:
    """Returns the ranking of teams over the tracks of a phase by scores as they are shown."""
    if task.overall is None or len(rankings) < 2:
        return None
    tracks = {one.track: Ranking(_list_places(one, confidence)) for one in rankings}
    made = SiteOverall(rankings[0].phase, task.overall, tuple(tracks))
    missing = task.missing_tracks or "exclude"
    try:
        found = rank_tracks(tracks, overall=task.overall, missing_tracks=missing)
    except UsageError as error:
        return replace(made, notes=(f"there is no overall ranking: {error}.",))
    ranks: dict[str, dict[str, int]] = {}
    for place in found.places:
        if place.track is not None and place.rank is not None:
            ranks.setdefault(place.system, {})[place.track] = place.rank
    standings = [_stand(one, task.overall, ranks.get(one.system, {})) for one in found.standings]
    # Ranked teams come first; all others stay in the order of their means.
    standings.sort(key=lambda one: math.inf if one.rank is None else one.rank)
    return replace(made, standings=tuple(standings), sentences=found.sentences, notes=found.notes)


def _list_places(ranking: SiteRanking, confidence: float) -> tuple[Place, ...]:
    places = revive_places(ranking)
    main = find_main(places)
    metric = parse(main[-1])
    lowest, highest = metric.bounds
    return tuple(
        replace(
            one,
            system=name_team(one.system),
            confidence=confidence,
            better=metric.better,
            lowest=lowest,
            highest=highest,
        )
        for one in places
        if one.criterion == main
    )


def _stand(one: Standing, overall: Overall, ranks: dict[str, int]) -> SiteStanding:
    value = {"mean": one.mean, "mean_rank": one.mean_rank, "borda": one.borda}[overall]
    return SiteStanding(
        team=one.system,
        baseline=one.baseline,
        rank=one.rank if overall == "mean" else one.borda_rank,
        value=from_float(value),
        ranks=ranks,
    )

"""What participants may see of a result: scores, intervals and n, as pages show them.

Every record is made anew from the fields that are named here, so that nothing else that scoring
finds in the gold, now or later, reaches a page, a file or a platform.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tallystick.comparison.ranking.rank import describe_baselines
from tallystick.frozen import replace
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.records import MAIN, ConfusionMatrix, Place, Score
from tallystick.output.tables.cells import Ends, round_ends
from tallystick.output.tables.document import Style
from tallystick.output.tables.names import is_fraction
from tallystick.tasks.site_records import SitePlace
from tallystick.tasks.task_file import Details, Track
from tallystick.version import __version__

_OF_SCORES = ("system", "group", "metric", "name", "title", "n", "confidence", "better")
_OF_PLACES = (
    *("group", "metric", "name", "system", "baseline", "n"),
    *("best_rank", "worst_rank", "cluster", "letters"),
)
"""The fields that are shown as they are."""


def publish_scores(
    found: Evaluation, track: Track, details: Details | None, style: Style
) -> Evaluation:
    """Returns the scores of a track's metrics, rounded as pages show them, with nothing besides.

    Rows by group stay where the track declares `by`. Scores per label are left out.
    """
    scores = tuple(
        _publish_score(one, style)
        for one in found.scores
        if one.label is None and _is_declared(one.group, track)
    )
    matrices = () if details is None else tuple(_coarsen(found.confusions, details.minimum))
    steps = (
        f"counts in confusion matrices are rounded down to multiples of {details.minimum}."
        if details is not None and matrices
        else ""
    )
    return Evaluation(
        scores,
        tuple((heading, field) for heading, field in found.lead if field != "invalid"),
        matrices,
        tuple(filter(None, (describe_intervals(scores), steps))),
    )


def publish_places(ranking: Ranking, track: Track, style: Style) -> tuple[SitePlace, ...]:
    """Returns the places of a track by rounded scores; those that are shown as equal share a rank.

    Of the significance tests there are the ranks that they leave open, clusters and letters.
    """
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
    digits = round_ends(ends, _count_digits(one.name, style))
    return _cut(one.low, digits, one.name, style), _cut(one.high, digits, one.name, style)


def _count_digits(name: str, style: Style) -> int:
    return style.round(name, fraction=is_fraction(name))


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
        value, low, high = (
            None if math.isnan(number) else number
            for number in (round_score(one.value, one.name, style), *_round_interval(one, style))
        )
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

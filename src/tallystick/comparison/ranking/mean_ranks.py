"""Mean ranks over groups or tracks: their intervals, Friedman's test, and Nemenyi's of pairs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.comparison.ranking.orders import lay_out
from tallystick.comparison.ranking.ranks import average_ranks, find_letters
from tallystick.output.results.ranking import Overall, Ranking
from tallystick.output.results.records import (
    UNKNOWN,
    Criterion,
    Friedman,
    Interval,
    Missing,
    Standing,
)
from tallystick.output.tables.cells import format_p, list_some
from tallystick.statistics.percentiles import bound_percentiles, bound_within, widen_few
from tallystick.statistics.rank_tests import (
    compare_pairs,
    compare_ranks,
    find_critical_difference,
)

Values = NDArray[np.float64]
Over = Literal["groups", "tracks"]
Intervals = Mapping[str, Interval]

_FEWEST_SYSTEMS = 3
_ENOUGH = 5
"""From so many groups on, each test at 0.05 errs in 3% to 6% of the cases, and not in up to 20%."""


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
    """Whether ranks are of tracks or of groups, which stand for others; metrics do not."""
    tracks, groups, metrics = (len({*part}) for part in zip(*criteria, strict=True))
    if tracks > 1:
        return "tracks"
    return "groups" if groups > 1 and metrics == 1 else None


def _name(names: Sequence[str], bounds: tuple[Values, Values]) -> Intervals:
    low, high = (ends.tolist() for ends in bounds)
    return dict(zip(names, zip(low, high, strict=True), strict=True))


def _bound_over_examples(mean: Values, drawn: Values, confidence: float) -> tuple[Values, Values]:
    """The percentiles of the mean ranks on resamples, and the mean ranks themselves.

    Chance takes systems that are first everywhere further down in resamples, and never up.
    """
    if not len(drawn):
        return np.full(mean.shape, np.nan), np.full(mean.shape, np.nan)
    low, high = bound_percentiles(drawn, confidence)
    return np.minimum(low, mean), np.maximum(high, mean)


def _bound_over_groups(ranks: Values, confidence: float) -> tuple[Values, Values]:
    """What the mean ranks could be with other groups: from the bootstrap's variance over groups.

    All resamples of groups together have the variance of the ranks over the number of groups.
    """
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
    told = f"{len(apart)} of {len(found.pairs)} pairs are" if apart else "no two systems are"
    second = (
        f"The critical difference of mean ranks is {found.critical_difference:.4g} by Nemenyi's "
        f"test at p < {level}: {told} as far apart{': ' * bool(apart)}{list_some(apart)}."
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

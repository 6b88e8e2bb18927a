"""Gates a system: whether it is no worse than an older one, and good enough; also at many looks."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn, Unpack

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.comparison.comparable import keep_comparable, keep_systems
from tallystick.comparison.contributions import count_discordant, find_places, list_rows
from tallystick.comparison.gates.checks import (
    Limit,
    LimitKind,
    Limits,
    Terms,
    check_limit,
    collect_limits,
    refuse_proof,
)
from tallystick.comparison.pairwise_tests import Outcome
from tallystick.comparison.significance import compare_pairs
from tallystick.errors import UsageError, short_traceback
from tallystick.io.files.stores import is_remote
from tallystick.kinds.metrics.names import Metrics
from tallystick.model.tallies.metric import Metric, Share, Values, adds_up, is_per_label
from tallystick.model.tallies.tally import Tally
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.gate import Gate
from tallystick.output.results.records import Check, Flip, Score
from tallystick.output.results.scores import describe_intervals
from tallystick.reading.input_plan import Layout, Source, check_keywords
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.scoring.error_analysis import gather
from tallystick.scoring.influence import counts_plain_labels
from tallystick.scoring.interval_warnings import Doubt, Found, find_doubt, list_warnings
from tallystick.scoring.per_example import find_flips, sum_each
from tallystick.scoring.score import score_counted
from tallystick.statistics.percentiles import bound_anytime
from tallystick.statistics.settings import Testing

Margins = tuple[Values, Values]
"""The lower and the upper bounds of the differences new - old, one for each row."""

_ROUNDING = 1e-9


class _Means(Struct, frozen=True, eq=False):
    """What a mean is of: distinct values, how often each occurs, (groups, values), and limits."""

    values: Values
    counts: NDArray[Any]
    limits: tuple[float, float]


def bound_means(counted: Counted, confidence: float, *, changes: bool) -> dict[Metric, Margins]:
    """The bounds of the first system's scores on each row, or of its gains on the second's."""
    find = _find_changes if changes else _find_scores
    if counted.facts.clustered or counted.facts.weighted:
        raise UsageError(
            "`sequential=True` takes examples as independent, without weights or clusters"
        )
    return {
        metric: _bound_rows(counted, metric, find(counted, metric), confidence)
        for metric in counted.metrics
    }


def _bound_rows(counted: Counted, metric: Metric, means: _Means, confidence: float) -> Margins:
    """The bounds on each row; NaN for the mean over groups, which is no mean over examples."""
    rows = means.counts[find_places(counted.tally(metric).groups, counted.groups)]
    *groups, whole = (
        bound_anytime(means.values, own, means.limits, confidence)
        for own in (*rows, means.counts.sum(0))
    )
    low, high = np.array(list_rows(groups, (np.nan, np.nan), whole)).T
    return low, high


def _find_changes(counted: Counted, metric: Metric) -> _Means:
    formula, tally = counted.formula(metric)
    if tally.patterns is not None:
        own = tally.patterns.of(*counted.systems)
        found = count_discordant(formula, own, [*map(str, own.groups)], np.array([[0, 1]]))
        if found is None:
            _refuse(metric)
        sides = (found.wins, found.losses, found.trials)
        won, lost, trials = (side[0, : len(own.groups)] for side in sides)
        counts = np.stack([lost, trials - won - lost, won], axis=-1)
        return _Means(np.array([-1.0, 0.0, 1.0]), counts, (-1, 1))
    new, old = (_list_values(counted, metric, name) for name in counted.systems)
    low, high = metric.bounds
    return _gather(tally, new - old, _list_groups(counted), (low - high, high - low))


def _find_scores(counted: Counted, metric: Metric) -> _Means:
    name, (formula, tally) = counted.systems[0], counted.formula(metric)
    if tally.patterns is not None:
        share: Share | None = (
            None if is_per_label(metric) else formula.estimand(tally.patterns.of(name))
        )
        if share is None or share.method != "Wilson" or adds_up(metric):
            _refuse(metric)
        counts = np.stack([share.trials - share.hits, share.hits], axis=-1)
        return _Means(np.array([0.0, 1.0]), counts, (0, 1))
    values = _list_values(counted, metric, name)
    return _gather(tally, values, _list_groups(counted), metric.bounds)


def _list_values(counted: Counted, metric: Metric, name: str) -> Values:
    """The score of each example, whose mean is the score of all."""
    tally = counted.tally(metric)
    if tally.keeps_examples:
        _refuse(metric)
    if not counted.examples:
        raise UsageError(
            f"`sequential=True` reads the examples of {metric.name}, not counts in a file"
        )
    parts = [sum_each(tally.counter, block.of(name)) for block in counted.examples]
    values = np.concatenate([metric.score(part) for part in parts])
    whole = metric.score(tally.of(name).total())[0]
    if not abs(values.mean() - whole) <= _ROUNDING * max(1.0, abs(whole)):
        _refuse(metric)
    if not np.isfinite(metric.bounds).all():
        raise UsageError(
            f"`sequential=True` needs a metric with limits, and {metric.name} has none"
        )
    return np.asarray(values, np.float64)


def _list_groups(counted: Counted) -> NDArray[np.str_]:
    return np.concatenate(
        [
            np.full(len(block), "all")
            if block.groups is None
            else np.array(list(map(str, block.groups.names)))[block.groups.codes]
            for block in counted.examples
        ]
    )


def _gather(
    tally: Tally, values: Values, owners: NDArray[np.str_], limits: tuple[float, float]
) -> _Means:
    """Values of single examples, counted by group."""
    distinct, places = np.unique(values, return_inverse=True)
    counts = np.stack(
        [
            np.bincount(places[owners == str(group)], minlength=len(distinct))
            for group in tally.groups
        ]
    )
    return _Means(distinct, counts, limits)


def _refuse(metric: Metric) -> NoReturn:
    raise UsageError(
        f"`sequential=True` checks shares and means of the same examples, such as accuracy, recall "
        f"or rouge1, not {metric.name}"
    )


_MOST = 10
"""So many of the worst regressions are shown."""


@short_traceback
def gate(
    gold: object = None,
    /,
    new: object = None,
    old: object = None,
    metrics: Metrics = None,
    *,
    max_drop: Limit = None,
    floor: Limit = None,
    equivalent_within: Limit = None,
    testing: Testing | None = None,
    sequential: bool = False,
    allow_inconclusive: bool = False,
    **layout: Unpack[Layout],
) -> Gate:
    """Checks that a new system is no worse than an old one on the same examples.

    Every metric is checked on every row: for all examples, or for each group, their mean and their
    sum. What is undefined fails.

    A limit is one number for all metrics, or a dictionary with one for each by name:
    `{"f1": 0.01, "accuracy": 0.02}`; or by name and group, where None means all other groups:
    `{"f1": {None: 0.01, "es": 0.03}}`.

    Args:
        gold: As in `score`.
        new: The outputs that are put to the test, a file where gold is one; the name of a column
            where gold is a table that has them, or of a system that was counted.
        old: The outputs they are compared with, likewise; None where there is only a floor.
        metrics: What to check; None takes the metrics that limits name.
        max_drop: The largest drop of a score that is allowed; a rise where lower is better.
        floor: What a score must reach by itself; what it must not exceed where lower is better.
        equivalent_within: The largest difference that is allowed, better or worse.
        testing: As in `compare`; its confidence is that of each one-sided bound.
        sequential: Whether bounds are valid at every sample size while examples come in; for shares
            and means of independent examples.
        allow_inconclusive: Whether checks that do not decide let the system through.
        layout: How the data is laid out, as in `tallystick.read`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric or an option does not exist or does not fit.
    """
    check_keywords(layout)
    limits = collect_limits(
        {"max_drop": max_drop, "floor": floor, "equivalent_within": equivalent_within}
    )
    if metrics is None and limits.metrics:
        metrics = limits.metrics
    source, systems = _place_systems(gold, new, old)
    if not isinstance(source.gold, Counted):
        layout = {**layout, "systems": systems}
    return gate_counted(
        count_input(source, layout, metrics),
        Testing.settle(testing),
        limits,
        sequential=sequential,
        allow_inconclusive=allow_inconclusive,
    )


def _place_systems(gold: object, new: object, old: object) -> tuple[Source, tuple[str, ...]]:
    """The data, and the names of the systems where they are columns, or have been counted."""
    if new is None and not isinstance(gold, Counted):
        raise UsageError("name the new system with `new=`: its outputs, or their column")
    outputs = {"new": new} if old is None else {"new": new, "old": old}
    files = isinstance(gold, str | os.PathLike) and any(map(_is_file, outputs.values()))
    named = not files and all(isinstance(own, str) for own in outputs.values())
    systems = tuple(map(str, outputs.values())) if named else ()
    if isinstance(gold, Counted):
        return Source(keep_systems(gold, systems) if systems else gold), systems
    return Source.of(gold, None if named else outputs), systems


def _is_file(output: object) -> bool:
    if isinstance(output, str):
        return os.path.isfile(output) or is_remote(output)
    return isinstance(output, os.PathLike)


def gate_counted(
    counted: Counted,
    testing: Testing,
    limits: Limits,
    *,
    sequential: bool = False,
    allow_inconclusive: bool = False,
) -> Gate:
    """Gates the first of two systems that were counted against the second one; or one alone."""
    compared = set(limits.kinds) - {"floor"}
    if compared and len(counted.systems) < 2:
        raise UsageError(f"{min(compared)} needs an older system to compare with")
    text: list[str] = []
    if counted.apart is not None:
        from tallystick.comparison.pairwise_coverage import tell_part

        whole, counted = counted, counted.apart.among(*counted.systems)
        text = [*tell_part(whole, counted)]
    counted = keep_comparable(counted, least=1)
    asked = limits.settle(counted)
    limited = {metric for _, metric, _ in asked}
    counted = replace(
        counted, metrics=tuple(metric for metric in counted.metrics if metric in limited)
    )
    scored, floors, changes, doubts = _find_bounds(
        counted, testing.one_sided(), limits.kinds, sequential
    )
    scores: Scores = {}
    for score in scored.scores:
        scores.setdefault((score.group, score.metric), []).append(score)
    case = _Case(counted, scores, floors, changes, testing.confidence, doubts)
    checks = [
        case.check(kind, metric, row, asked[kind, metric, group])
        for row, group in enumerate(counted.rows)
        for metric in counted.metrics
        for kind in limits.kinds
        if (kind, metric, group) in asked and not (sequential and group == "macro")
        if counted.size(group, metric)
    ]
    text += list_warnings(counted, _list_doubts(counted, checks, doubts), "bound")
    shown = [score for score in scored.scores if score.system == counted.systems[0]]
    return Gate(
        counted.systems[0],
        tuple(checks),
        allow_inconclusive,
        (*text, *scored.notes, *describe_intervals(shown), *_tell_looks(counted, sequential)),
        against=counted.systems[1] if len(counted.systems) > 1 else None,
        regressions=_find_regressions(counted),
        gather=partial(gather, counted),
    )


Doubts = dict[tuple[Metric, int], Doubt]
"""What speaks against the bounds of changes, by metric and row."""

Scores = dict[tuple[str | None, str], list[Score]]
"""The scores of each system, by group and the repr of the metric."""


class _Case(Struct, frozen=True, eq=False):
    """All that checks are made of: scores, the bounds of scores and of changes, and doubts."""

    counted: Counted
    scores: Scores
    floors: dict[Metric, Margins]
    changes: dict[Metric, Margins]
    confidence: float
    doubts: Doubts

    def check(self, kind: LimitKind, metric: Metric, row: int, limit: float) -> Check:
        new, *others = self.scores[self.counted.rows[row], repr(metric)]
        corrected = self.counted.corrected is not None
        terms = Terms(metric, limit, self.confidence, corrected)
        if kind == "floor":
            own = _at(self.floors, metric, row) if self.floors else (new.low, new.high)
            return check_limit("floor", new, math.nan, own, terms)
        old, bounds = others[0].value, _at(self.changes, metric, row)
        found = check_limit("drop" if kind == "max_drop" else "equivalent", new, old, bounds, terms)
        doubt = self.doubts.get((metric, row))
        if doubt is None or not doubt.decides:
            return found
        return refuse_proof(found, str(doubt))


def _at(bounds: Mapping[Metric, Margins], metric: Metric, row: int) -> tuple[float, float]:
    low, high = bounds[metric]
    return low[row].item(), high[row].item()


def _find_bounds(
    counted: Counted, two_sided: Testing, kinds: Sequence[LimitKind], sequential: bool
) -> tuple[Evaluation, dict[Metric, Margins], dict[Metric, Margins], Doubts]:
    changes, floors = set(kinds) != {"floor"}, "floor" in kinds
    if not sequential:
        scored = score_counted(counted, two_sided.intervals if floors else None)
        pairs = [(counted.systems[0], counted.systems[-1])]
        outcomes = compare_pairs(counted, two_sided, pairs=pairs) if changes else {}
        bounds = {metric: (own.low[0], own.high[0]) for metric, own in outcomes.items()}
        return scored, {}, bounds, _find_doubts(counted, outcomes)
    counted.refuse_correction("`sequential=True`")
    confidence = (1 + two_sided.confidence) / 2
    own = bound_means(counted, confidence, changes=False) if floors else {}
    gained = bound_means(counted, confidence, changes=True) if changes else {}
    return score_counted(counted, None), own, gained, {}


def _find_doubts(counted: Counted, outcomes: Mapping[Metric, Outcome]) -> Doubts:
    """What speaks against the bounds of what the first of two systems has lost."""
    found = Doubts()
    unit = "cluster" if counted.facts.clustered else "example"
    for metric, outcome in outcomes.items() if counted.corrected is None else ():
        steady = counts_plain_labels(counted.formula(metric)[1])
        for row in range(len(counted.rows)):
            endless = bool(np.isinf(outcome.high[0, row] - outcome.low[0, row]))
            doubt = find_doubt(
                outcome.scatter, (0, row), unit, endless=endless, difference=True, steady=steady
            )
            if doubt is not None:
                found[metric, row] = doubt
    return found


def _list_doubts(counted: Counted, checks: Sequence[Check], doubts: Doubts) -> Iterator[Found]:
    """What speaks against bounds that let the system through, or would."""
    rows = {group: row for row, group in enumerate(counted.rows)}
    found = {(repr(metric), row): (metric, one) for (metric, row), one in doubts.items()}
    for one in checks:
        if one.kind != "floor" and (own := found.get((one.metric, rows[one.group]))):
            metric, doubt = own
            if one.verdict == "pass" or (doubt.decides and str(doubt) in one.sentence):
                yield metric, one.name, doubt


def _tell_looks(counted: Counted, sequential: bool) -> Iterator[str]:
    if sequential:
        yield (
            "bounds are anytime-valid: they hold however often the gate is run as examples arrive."
        )
        if counted.groups:
            yield "the mean over groups is not checked, because it has no anytime-valid bounds."


def _find_regressions(counted: Counted) -> tuple[Flip, ...]:
    """The examples on which the new system is worse than the old one, the worst first."""
    if len(counted.systems) < 2 or not counted.examples:
        return ()
    new, old = counted.systems
    lost = [flip for flip in find_flips(counted, new, old) if flip.better == old]
    return tuple(sorted(lost, key=lambda flip: -abs(flip.difference))[:_MOST])

"""Scores texts: hypotheses against references, in memory or streamed from files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import __version__
from tallystick.errors import InputError, UsageError
from tallystick.evaluate.notes import note_sizes
from tallystick.evaluate.observed import observe
from tallystick.evaluate.scoring import check_groups
from tallystick.evaluate.sheet import Lead, Sheet
from tallystick.evaluate.uncertainty import Source, measure_spreads
from tallystick.examples.labels import Label, Labels, encode, row_of
from tallystick.examples.pairs import read_pairs
from tallystick.examples.texts import TextExamples, count_references
from tallystick.examples.token_lists import TokenExamples
from tallystick.intervals.settings import Intervals, settle
from tallystick.metrics.metric import Metric
from tallystick.metrics.names import read_metrics
from tallystick.metrics.usual import TEXT
from tallystick.results import Score
from tallystick.results.evaluation import Evaluation
from tallystick.tallies.rouge import join_counters
from tallystick.tallies.scatter import Products, Rows
from tallystick.tallies.sums import SumsTally

__all__ = [
    "TextPart",
    "choose_texts",
    "describe_texts",
    "divide",
    "score_parts",
    "score_segments",
    "score_texts",
]

TextPart = TextExamples | TokenExamples


def score_texts(
    hypotheses: object,
    references: object,
    *,
    metrics: Sequence[Metric | str] | Metric | str | None = None,
    by: object = None,
    clusters: object = None,
    segments: bool = False,
    intervals: Intervals | bool = True,
) -> Evaluation:
    """Scores hypotheses against references.

    Args:
        hypotheses: One string per example, or a token list; or a dictionary of several systems.
        references: Per example a string, or a list of strings in which None is a missing one.
        metrics: What to compute, such as `"bleu"` or `ChrF(word_order=2)`; None takes BLEU, chrF
            and TER.
        by: A column of group values to break scores down by, such as domains.
        clusters: A column of what examples hang together with, such as their documents; intervals
            then come from draws of whole clusters.
        segments: Whether to score every example on its own instead.
        intervals: How intervals are made, an `Intervals`; False leaves them out.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric or an option does not exist or does not fit.
    """
    named = [metrics] if isinstance(metrics, Metric | str) else metrics
    systems = hypotheses if isinstance(hypotheses, Mapping) else {"hypotheses": hypotheses}
    chosen = choose_texts(named)
    if not systems:
        raise UsageError("there is no system to score")
    parts = {str(name): read_pairs(own, references, str(name)) for name, own in systems.items()}
    parts = {name: divide(part, by, clusters) for name, part in parts.items()}
    if segments:
        return score_segments({name: [part] for name, part in parts.items()}, chosen)
    lead = (("system", "system"), *((("group", "group"),) if by is not None else ()), ("n", "n"))
    return score_parts([parts], chosen, lead, settle(intervals))


def choose_texts(metrics: Sequence[Metric | str] | None) -> tuple[Metric, ...]:
    """The text metrics that were named, or the usual ones."""
    if metrics is None:
        return TEXT
    if not metrics:
        raise UsageError("no metric was named; leave metrics out for the usual ones")
    parsed = read_metrics(metrics)
    chosen = tuple(dict.fromkeys(shown for metric in parsed for shown in metric.shown))
    for metric in chosen:
        if metric.counter is None:
            raise UsageError(f"{metric.short} is a metric of labels, not of texts")
    return chosen


def score_parts(
    blocks: Iterable[Mapping[str, TextPart]],
    metrics: Sequence[Metric],
    lead: Lead,
    settings: Intervals | None,
) -> Evaluation:
    """Scores systems whose examples come block by block, keeping no more than their sums.

    Args:
        blocks: The next examples of every system, again and again.
        metrics: What to compute.
        lead: The heading of each leading column and the field of `Score` that fills it.
        settings: How intervals are made; None leaves them out.
    """
    counted: dict[str, _Counted] = {}
    for block in blocks:
        for name, part in block.items():
            counted.setdefault(name, _Counted()).add(part, metrics)
    sheets = [own.fill(name, metrics, lead) for name, own in counted.items()]
    for sheet in sheets:
        check_groups(sheet.system, sheet.groups, lead)
    if settings is not None:
        sheets = [_measure(sheet, settings) for sheet in sheets]
    scores = [sheet.score() for sheet in sheets]
    # How many examples there are is said once, and not of every system.
    notes = note_sizes(sheets[0], scores[0])
    return Evaluation(tuple(chain.from_iterable(scores)), lead, notes=tuple(notes))


def _measure(sheet: Sheet, settings: Intervals) -> Sheet:
    """The sheet with intervals."""
    scatters = [one.groups.tally.scatter for one in sheet.observed.values()]
    kinds = {Products: "normal draws of sums", Rows: "draws of examples"}
    clustered = [one for one in scatters if isinstance(one, Rows) and one.clusters is not None]
    source = Source(
        settings,
        "draws of clusters" if clustered else kinds[type(scatters[0])],
        lambda tally: tally.draw(settings.draws, settings.seed),
        clusters=_count_rows(clustered[0]) if clustered else None,
    )
    return replace(sheet, spreads=measure_spreads(sheet.observed, source), level=settings.level)


def _count_rows(scatter: Rows) -> Callable[[tuple[Label, ...]], NDArray[np.int64]]:
    """Counts the rows of groups, of which each cluster has one."""
    return lambda groups: np.bincount(scatter.groups.codes, minlength=len(groups))


def score_segments(
    systems: Mapping[str, Iterable[TextPart]], metrics: Sequence[Metric]
) -> Evaluation:
    """Scores every example on its own; its number, from 1 on, stands for the group."""
    scores: list[Score] = []
    shared = join_counters(metric.counter for metric in metrics)
    for name, parts in systems.items():
        first = 1
        for part in parts:
            if part.groups is not None:
                raise UsageError("segments are scored one by one: leave out by, or segments")
            tallies = {counter: _by_example(counter, part) for counter in set(shared.values())}
            values = {metric: metric.score(tallies[shared[metric.counter]]) for metric in metrics}
            references = count_references(part.spans)
            scores += (
                Score(
                    name,
                    str(first + index),
                    None,
                    repr(metric),
                    metric.name,
                    metric.full_title,
                    np.asarray(values[metric][index]).item(),
                    1,
                    f"{metric.signature}|{describe_texts(references, ())}",
                    metric.peer_signature(references),
                )
                for index in range(len(part))
                for metric in metrics
            )
            first += len(part)
    return Evaluation(tuple(scores), (("system", "system"), ("segment", "group")))


@dataclass(slots=True)
class _Counted:
    """What has been counted of one system so far."""

    tallies: dict[Any, SumsTally] = field(default_factory=dict)
    groups: dict[str, None] = field(default_factory=dict)
    references: set[int | None] = field(default_factory=set)

    def add(self, part: TextPart, metrics: Sequence[Metric]) -> None:
        """Counts further examples; metrics that name the same counter share its tally."""
        shared = join_counters(metric.counter for metric in metrics)
        for counter in dict.fromkeys(shared.values()):
            tally = counter.count(part)
            seen = self.tallies.get(counter)
            self.tallies[counter] = tally if seen is None else seen + tally
        self.references.add(count_references(part.spans))
        if part.groups is not None:
            self.groups.update(dict.fromkeys(map(str, part.groups.names)))

    def fill(self, name: str, metrics: Sequence[Metric], lead: Lead) -> Sheet:
        """The score sheet of what was counted."""
        some = next(iter(self.tallies.values()))
        sizes: dict[str | None, int] = dict(
            zip(map(str, some.groups), some.n.tolist(), strict=True)
        )
        total = int(some.n.sum())
        if not total:
            raise InputError(f"{name}: there is no example to score")
        references = self.references.pop() if len(self.references) == 1 else None
        shared = join_counters(metric.counter for metric in metrics)
        return Sheet(
            name,
            tuple(self.groups),
            sizes | dict.fromkeys((None, "macro", "micro"), total),
            observe({metric: self.tallies[shared[metric.counter]] for metric in metrics}),
            frozenset(),
            describe_texts(references, lead),
            references,
        )


def divide(part: TextPart, by: object, clusters: object) -> TextPart:
    """The same examples, with the group and the cluster of each where there are columns of them."""
    return replace(part, groups=_read(by, part, "by"), clusters=_read(clusters, part, "clusters"))


def _read(column: object, part: TextPart, name: str) -> Labels | None:
    """A column of names, one for each example."""
    if column is None:
        return None
    names = encode(column, row_of(name))
    if len(names) != len(part):
        raise InputError(f"there are {len(part)} hypotheses but {name} has {len(names)} values")
    return names


def _by_example(counter: Any, part: TextPart) -> SumsTally:
    rows = counter.rows(part)
    return SumsTally(tuple(range(len(rows))), counter.columns, rows, np.ones(len(rows), np.int64))


def describe_texts(references: int | None, lead: Lead) -> str:
    """What shaped the data, for signatures."""
    facts = [f"references:{references or 'var'}"]
    facts += [f"by:{heading}" for heading, field in lead if field == "group"]
    return "|".join([*facts, f"version:{__version__}"])

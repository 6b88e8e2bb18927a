"""Compares systems that write texts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.contest import Contest, JointContest
from tallystick.comparison.flips import TextFlips
from tallystick.comparison.joining import check_systems
from tallystick.comparison.meetings import Meeting
from tallystick.comparison.notes import list_notes
from tallystick.comparison.settings import Test, Testing
from tallystick.comparison.verdicts import Field, assess, judge_all
from tallystick.errors import InputError
from tallystick.evaluate.scoring import check_groups
from tallystick.evaluate.texts import (
    TextPart,
    choose_texts,
    describe_texts,
    divide,
    score_parts,
)
from tallystick.examples.labels import Labels
from tallystick.examples.pairs import read_pairs
from tallystick.examples.texts import count_references
from tallystick.metrics.metric import Metric
from tallystick.results.comparison import Comparison
from tallystick.tallies.joint import join_rows
from tallystick.tallies.rouge import join_counters

__all__ = ["compare_parts", "compare_texts", "count_parts", "meet_parts"]

Counted = Mapping[Any, Sequence[NDArray[Any]]]
"""The rows of each system's examples, by counter."""


def compare_texts(
    systems: Mapping[str, object],
    references: object,
    *,
    metrics: Sequence[Metric | str] | Metric | str,
    by: object = None,
    clusters: object = None,
    test: Test | None = None,
    draws: int | None = None,
    seed: int = 12345,
    level: float = 0.95,
) -> Comparison:
    """Compares every two of several systems that write texts.

    Args:
        systems: The hypotheses of each system by name, as in `score_texts`.
        references: As in `score_texts`.
        metrics: What to compare by, such as `"bleu"` or `ChrF(word_order=2)`.
        by: As in `score_texts`.
        clusters: What hangs together, such as documents: a column of names.
        test: `"ar"` (approximate randomisation, the usual one), `"bootstrap"`, or sacreBLEU's own
            `"sacrebleu-ar"` and `"sacrebleu-bs"`.
        draws: How many replicates are drawn; None takes 10,000, and 1,000 for `sacrebleu-bs`.
        seed: Where the draws begin; sacreBLEU's own tests take SACREBLEU_SEED as it does.
        level: The level of the intervals.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric, a test or an option does not exist or does not fit.
    """
    testing = Testing(test, draws, seed, level)
    named = [metrics] if isinstance(metrics, Metric | str) else metrics
    parts = {str(name): read_pairs(own, references, str(name)) for name, own in systems.items()}
    divided = {name: divide(part, by, clusters) for name, part in parts.items()}
    return compare_parts(divided, choose_texts(named), testing)


def compare_parts(
    parts: Mapping[str, TextPart],
    metrics: Sequence[Metric],
    testing: Testing,
    *,
    ids: Sequence[str] | None = None,
) -> Comparison:
    """Compares systems whose examples were read; their references are the same.

    Args:
        parts: The examples of each system.
        metrics: What to compare by.
        testing: How.
        ids: What flips call each example; None takes the numbers of the rows.
    """
    check_systems(tuple(parts))
    counted = count_parts(parts, metrics)
    meeting = meet_parts(parts, metrics, counted)
    outcomes = judge_all(meeting.contests, meeting.field, testing)
    ordered = {metric: outcomes[metric] for metric in metrics}
    # The first counter is the first metric's.
    finder = TextFlips(dict(parts), metrics[0], *next(iter(counted.items())), ids)
    notes = tuple(list_notes(ordered, meeting.field, testing))
    return Comparison(tuple(assess(ordered, meeting.field, testing)), notes, finder)


def count_parts(parts: Mapping[str, TextPart], metrics: Sequence[Metric]) -> Counted:
    """Counts every example of each system, once for each counter that the metrics share."""
    shared = join_counters(metric.counter for metric in metrics)
    return {
        counter: [counter.rows(part) for part in parts.values()]
        for counter in dict.fromkeys(shared.values())
    }


def meet_parts(
    parts: Mapping[str, TextPart],
    metrics: Sequence[Metric],
    counted: Counted,
) -> Meeting:
    """Brings systems together that write texts.

    Raises:
        InputError: There are no examples, or a group has the name of a row that is about several.
    """
    first = next(iter(parts.values()))
    if not len(first):
        raise InputError("there is no example to compare")
    groups = first.groups
    lead = () if groups is None else (("by", "group"),)
    check_groups("by", () if groups is None else tuple(map(str, groups.names)), lead)
    facts = describe_texts(count_references(first.spans), lead)
    facts += "|clusters:yes" if first.clusters else ""
    field = Field.of(tuple(parts), len(first), groups, facts)
    contests = tuple(_join(counted, metrics, first))
    evaluate = partial(score_parts, [parts], metrics, lead)
    return Meeting(contests, field, tuple(metrics), evaluate)


def _join(counted: Counted, metrics: Sequence[Metric], first: TextPart) -> list[Contest]:
    """One contest for the metrics of each counter."""
    groups = first.groups or Labels(np.zeros(len(first), np.uint8), ("all",))
    shared = join_counters(metric.counter for metric in metrics)
    return [
        JointContest(
            tuple(metric for metric in metrics if shared[metric.counter] == counter),
            first.groups is not None,
            join_rows(counter.columns, rows, groups, first.clusters),
        )
        for counter, rows in counted.items()
    ]

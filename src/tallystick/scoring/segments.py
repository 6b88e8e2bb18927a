"""Scores every example on its own; its number, from 1 on, stands for the group."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tallystick.errors import UsageError
from tallystick.examples.systems import Systems
from tallystick.kinds.texts import TEXTS
from tallystick.results import Score
from tallystick.results.evaluation import Evaluation
from tallystick.scoring.counted import Counted
from tallystick.scoring.notes.cautions import list_notes
from tallystick.scoring.per_example import name_example
from tallystick.tallies.sums import Sums


def score_segments(counted: Counted) -> Evaluation:
    """Scores every example of systems that were kept."""
    if counted.groups:
        raise UsageError("segments are not grouped: leave out by or segments")
    for metric in counted.metrics:
        kind = counted.counters[metric].kind
        if kind != TEXTS and not kind.single:
            raise UsageError(
                f"{metric.short} does not score single examples: segments are texts or queries, "
                f"not {kind.said}"
            )
    scores = tuple(
        score
        for place in range(len(counted.systems))
        for block in counted.examples
        for score in _score_block(counted, block, place)
    )
    lead = (("system", "system"), ("segment", "group"))
    return Evaluation(scores, lead, notes=tuple(list_notes(counted)))


def sum_each(counter: Any, block: Systems) -> Sums:
    """The tally of the only system of a block in which every example is a group."""
    if counter.kind != TEXTS:
        from tallystick.kinds.numbers.number_counters import sum_each_example

        return sum_each_example(counter, block)
    from tallystick.kinds.texts import text_sums

    return text_sums.sum_each(counter, block)


def _score_block(counted: Counted, block: Systems, place: int) -> Iterator[Score]:
    """Scores the examples of a block, of the system that stands at a place."""
    name = block.names[place]
    counters = set(counted.counters.values())
    tallies = {counter: sum_each(counter, block.of(name)) for counter in counters}
    values = {metric: metric.score(tallies[counted.counters[metric]]) for metric in counted.metrics}
    for index in range(len(block)):
        for metric in counted.metrics:
            yield Score(
                name,
                name_example(block, index),
                None,
                repr(metric),
                metric.name,
                metric.full_title,
                np.asarray(values[metric][index]).item(),
                1,
                f"{metric.signature}|{counted.describe(metric, name)}",
                counted.sign_as_peer(metric, None),
            )

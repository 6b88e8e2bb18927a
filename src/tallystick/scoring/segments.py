"""Scores every example on its own; its number, from 1 on, stands for the group."""

import numpy as np

from tallystick.errors import UsageError
from tallystick.results import Score
from tallystick.results.evaluation import Evaluation
from tallystick.scoring.counting import Counted
from tallystick.scoring.notes import list_notes
from tallystick.tallies.sums import sum_each

__all__ = ["score_segments"]


def score_segments(counted: Counted) -> Evaluation:
    """Scores every example of systems that came in one piece.

    Raises:
        UsageError: Scores are to be by group, or a metric is not one of texts.
    """
    examples = counted.examples
    if examples is None or counted.groups:
        raise UsageError("segments are scored one by one: leave out by, or segments")
    for metric in counted.metrics:
        if metric.counter is None:
            raise UsageError(f"{metric.short} does not score an example on its own")
    scores: list[Score] = []
    for name, part in zip(examples.names, examples.texts, strict=True):
        tallies = {counter: sum_each(counter, part) for counter in set(counted.counters.values())}
        values = {
            metric: metric.score(tallies[counted.counters[metric]]) for metric in counted.metrics
        }
        scores += (
            Score(
                name,
                str(index + 1),
                None,
                repr(metric),
                metric.name,
                metric.full_title,
                np.asarray(values[metric][index]).item(),
                1,
                f"{metric.signature}|{counted.describe(metric, name)}",
                metric.peer_signature(counted.references(metric)),
            )
            for index in range(len(part))
            for metric in counted.metrics
        )
    lead = (("system", "system"), ("segment", "group"))
    return Evaluation(tuple(scores), lead, notes=tuple(list_notes(counted)))

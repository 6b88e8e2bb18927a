"""From a meeting to places: the scores, draws and wins of every metric on every row."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.meetings import Meeting
from tallystick.comparison.places import Race
from tallystick.comparison.settings import Testing
from tallystick.comparison.verdicts import Field, Outcome, assess
from tallystick.metrics.metric import Metric
from tallystick.results import Difference

__all__ = ["list_races"]


def list_races(meeting: Meeting, outcomes: dict[Metric, Outcome], testing: Testing) -> list[Race]:
    """The race by every metric on every row, row by row.

    Differences are corrected by Holm over the pairs of each row, metric by metric.
    """
    field, scores = meeting.field, meeting.score(testing.intervals)
    differences = {
        metric: assess({metric: outcomes[metric]}, field, testing) for metric in meeting.metrics
    }
    return [
        Race(
            metric,
            scores[group, repr(metric)],
            outcomes[metric].draws[:, :, row].T,
            _find_beats([one for one in differences[metric] if one.group == group], field),
            testing.level,
        )
        for row, group in enumerate(field.rows)
        for metric in meeting.metrics
    ]


def _find_beats(differences: Sequence[Difference], field: Field) -> NDArray[np.bool_]:
    """Whether each system is significantly better than each other one."""
    beats = np.zeros((len(field.systems),) * 2, bool)
    for one, (a, b) in zip(differences, field.pairs, strict=True):
        if one.p_holm < 1 - one.confidence and one.difference:
            a_wins = (one.difference > 0) == (one.better == "higher")
            beats[(a, b) if a_wins else (b, a)] = True
    return beats

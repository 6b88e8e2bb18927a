"""The scores of every row: the groups, their mean, and their sum; or all examples alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallystick.metrics.metric import Metric, Values
from tallystick.scoring.bounds import average_groups

__all__ = ["score_rows"]


def score_rows(metrics: Sequence[Metric], tally: Any, groups: Sequence[str]) -> list[Values]:
    """The scores of one system by each metric on each row, of shape (..., rows).

    Args:
        metrics: The metrics.
        tally: The tally of the system.
        groups: The groups in the order of the rows; none where all examples are one row.
    """
    whole = tally.total()
    if not groups:
        return [metric.score(whole) for metric in metrics]
    return [_score_groups(metric, tally, whole, groups) for metric in metrics]


def _score_groups(metric: Metric, tally: Any, whole: Any, groups: Sequence[str]) -> Values:
    values = metric.score(tally)
    names = list(map(str, tally.groups))
    if names != list(groups):
        places = [names.index(name) if name in names else -1 for name in groups]
        values = np.where([place >= 0 for place in places], values[..., places], np.nan)
    mean = average_groups(metric, values)[..., None]
    return np.concatenate([values, mean, metric.score(whole)], axis=-1)

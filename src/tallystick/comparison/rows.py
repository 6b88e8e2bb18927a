"""The scores of every row: the groups, their mean, and their sum; or all examples alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallystick.metrics.metric import Metric, Values
from tallystick.scoring.bounds import average_groups

__all__ = ["score_rows"]


def score_rows(metric: Metric, tally: Any, groups: Sequence[str]) -> Values:
    """The score of one system on each row, of shape (..., rows).

    Args:
        metric: The metric.
        tally: The tally of the system.
        groups: The groups in the order of the rows; none where all examples are one row.
    """
    whole = metric.score(tally.total())
    if not groups:
        return whole
    values = metric.score(tally)
    names = list(map(str, tally.groups))
    if names != list(groups):
        places = [names.index(name) if name in names else -1 for name in groups]
        values = np.where([place >= 0 for place in places], values[..., places], np.nan)
    return np.concatenate([values, average_groups(metric, values)[..., None], whole], axis=-1)

"""The scores of every row, how they rise with the weight of each kind of example, and shares.

Rows are the groups, their mean, and their sum; or all examples alone. Of shares of the same
examples it matters how often only one of two systems is right.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Pair, Tally
from tallystick.scoring.counted import Counted
from tallystick.scoring.intervals.bounds import average_groups

_Own = TypeVar("_Own")


def score_rows(metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]) -> Values:
    """The scores of one system, of shape (metrics, resamples, rows); a tally itself is one.

    Without groups all examples are one row.
    """
    whole = tally.total()
    each = [metric.score(whole) for metric in metrics]
    if groups:
        each = [
            _add_groups(metric, tally, groups, own)
            for metric, own in zip(metrics, each, strict=True)
        ]
    scored = np.stack(each)
    return scored.reshape(len(metrics), -1, scored.shape[-1])


def score_pair(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], pair: Pair
) -> tuple[Values, Values]:
    """The scores of two systems, of shape (metrics, rows), as `compare` subtracts them."""
    both = tally.of(*pair).relative()
    one, other = (score_rows(metrics, both.of(name), groups)[:, 0] for name in pair)
    return one, other


def count_units(counted: Counted, tally: Tally) -> NDArray[np.int64]:
    """How many examples each row has, or clusters where they belong to some."""
    found = tally.list_clusters()
    if found is None:
        return np.array([counted.size(row) for row in counted.rows], np.int64)
    pairs = np.unique(np.stack(found), axis=1)
    own = np.bincount(pairs[0], minlength=len(tally.groups))
    whole = len(np.unique(pairs[1]))
    own = own[find_places(tally.groups, counted.groups)]
    return np.array(list_rows([*own], whole, whole), np.int64)


def _add_groups(metric: Metric, tally: Tally, groups: Sequence[str], whole: Values) -> Values:
    values = place_groups(metric.score(tally), tally.groups, groups)
    if metric.between:
        from tallystick.kinds.composite_metrics import Between

        assert isinstance(metric, Between)
        mean = metric.combine_groups(tally)
    else:
        mean = average_groups(metric, values)
    return np.concatenate([values, np.asarray(mean)[..., None], whole], axis=-1)


def find_places(names: Iterable[object], groups: Sequence[str]) -> list[int]:
    """The place of each group of the rows among the names of a tally's groups; -1 of others."""
    places = {str(name): place for place, name in enumerate(names)}
    return [places.get(group, -1) for group in groups]


def list_rows(groups: Sequence[_Own], mean: _Own, whole: _Own) -> list[_Own]:
    """What belongs to each row: to the groups, their mean, and their sum; or to all alone."""
    return [*groups, mean, whole] if groups else [whole]


def place_groups(values: Values, names: Iterable[object], groups: Sequence[str]) -> Values:
    """The values of named groups, of shape (..., names), for those of the rows; NaN for others."""
    places = find_places(names, groups)
    if places == list(range(values.shape[-1])):
        return values
    return np.where([place >= 0 for place in places], values[..., places], np.nan)

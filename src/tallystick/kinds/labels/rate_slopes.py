"""How fast averages of ratios of counts of labels rise with the weight of each cell.

An example less changes the ratio of a label by what it adds to the numerator less the ratio times
what it adds to the denominator, as a share of the rest of the denominator; so few examples of a
label vary as much as other samples of them do. Of examples of unlike weights that is one of the
mean weight.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tallystick.model.codes import Label
from tallystick.model.tallies.arrays.units import HALF
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Average, Values
from tallystick.model.tallies.per_label import PerLabel
from tallystick.model.tallies.ratios import Ratio

_LEAST = 1e-9
"""A smaller rest of a sum is rounding."""

_UNITS = PerLabel(
    ("both", "predicted", "gold", "neither"),
    hits=np.array([1, 0, 0, 0]),
    predicted=np.array([1, 1, 0, 0]),
    gold=np.array([1, 0, 1, 0]),
    negatives=np.array([0, 1, 0, 1]),
    total=np.array([1]),
    used=np.ones(4, bool),
)
"""An example that has a label on both sides, in the prediction only, in the gold only, on neither.

What such examples change has shape (4, groups, labels) below.
"""


def find_average_slopes(
    tally: Cells,
    ratio: Callable[[PerLabel], Ratio],
    average: Average,
    labels: tuple[Label, ...] | None,
    values: Values,
) -> Values:
    """The slopes, of shape (cells,), of an average of ratios of these labels; None are all.

    `values` are the ratios, of shape (groups, labels), NaN where they have no part in the average.
    """
    counts = tally.per_label()
    codes = np.arange(len(tally.labels))
    if labels is not None:
        counts = counts.pick(labels)
        known = {label: code for code, label in enumerate(tally.labels)}
        codes = np.array([known.get(label, -1) for label in labels])
    unit, whole = ratio(_UNITS), ratio(counts.pool() if average == "micro" else counts)
    parts = _move(unit, whole, tally)
    more: Values | float = 0.0
    if average == "micro":
        # All labels add to one ratio, of which each example has a part for each label.
        parts = np.broadcast_to(parts, (4, *counts.hits.shape))
    else:
        defined = ~np.isnan(values)
        sizes = np.where(defined, counts.gold if average == "weighted" else 1, 0)
        total = np.maximum(sizes.sum(-1, keepdims=True), np.finfo(float).tiny)
        parts = np.where(defined, parts, 0) * (sizes / total)
        if average == "weighted":
            # An example of a label also makes the label weigh more.
            mean = (np.nan_to_num(values) * sizes).sum(-1, keepdims=True) / total
            more = np.where(defined, values - mean, 0) / total
    both, predicted, gold, neither = parts
    changes = [both - neither + more, predicted - neither, gold - neither + more]
    find = _sum_pairs if tally.sets is None else _sum_sets
    own = find(tally, [_spread(one, codes, len(tally.labels)) for one in changes])
    return np.asarray(neither.sum(-1)[tally.owners] + own)


def _move(unit: Ratio, whole: Ratio, tally: Cells) -> Values:
    """What ratios lose without an example of each kind, by its weight.

    Without a half of it where nothing would be left, or where counts are no whole numbers.
    """
    up, down = (
        np.asarray(side, np.float64)[:, None, None] for side in (unit.numerator, unit.denominator)
    )
    above, below = (np.asarray(side, np.float64) for side in (whole.numerator, whole.denominator))
    total = tally.sum_groups(tally.mass).astype(np.float64)
    squares = total if tally.weights is None else tally.sum_groups(tally.weights[1])
    one = (squares / np.where(total > 0, total, 1))[:, None]
    if tally.counts.dtype.kind == "f":
        one = HALF * one
    some = np.where(below > 0, below, np.inf)
    left = some - one * down
    left = np.where(
        left > _LEAST * some, left, some - HALF * np.minimum(one, some / down.max()) * down
    )
    rest = 1 - one / np.maximum(total, np.finfo(float).tiny)[:, None]
    return np.asarray((up - above / some * down) / left * np.where(rest > 0, rest, 1))


def _spread(changes: Values, codes: NDArray[np.int64], size: int) -> Values:
    spread = np.zeros((len(changes), size + 1))
    np.add.at(spread.T, codes, changes.T)
    spread[:, -1] = 0
    return spread


def _sum_pairs(tally: Cells, changes: list[Values]) -> Values:
    """What each cell of single labels changes, beyond one with other labels."""
    both, of_predicted, of_gold = changes
    owners, gold = tally.owners, tally.gold
    predicted = np.minimum(tally.predicted, len(tally.labels))
    apart = of_gold[owners, gold] + of_predicted[owners, predicted]
    return np.asarray(np.where(gold == predicted, both[owners, gold], apart))


def _sum_sets(tally: Cells, changes: list[Values]) -> Values:
    assert tally.sets is not None
    both, of_predicted, of_gold = changes
    found = np.zeros(len(tally.owners))
    members = tally.sets.compare(tally.gold, tally.predicted)
    for (cells, codes), part in zip(members, (both, of_gold, of_predicted), strict=True):
        found += np.bincount(cells, part[tally.owners[cells], codes], len(found))
    return found

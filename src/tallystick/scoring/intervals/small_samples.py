"""How much wider intervals from resamples are where clusters, texts, units or weights are few."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.percentiles import widen_few
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Values
from tallystick.tallies.tally import Tally


def widen(tally: Tally, confidence: float) -> tuple[Values, Values]:
    """What deviations are multiplied by where clusters, texts or units are few.

    By group, and in all.
    """
    found = tally.count_clusters()
    if found is not None:
        groups, all_clusters = found
        return widen_few(groups, confidence), widen_few(np.array([all_clusters]), confidence)
    if tally.gold_masses() is None:
        return widen_few(tally.n, confidence), widen_few(tally.n.sum(keepdims=True), confidence)
    cells = tally.need_patterns()
    return _widen_weighted(cells, confidence), _widen_weighted(cells.total(), confidence)


def _widen_weighted(tally: Cells, confidence: float) -> Values:
    """How much wider intervals of weighted examples are than those of as many equal ones.

    They are as few, in all and of each label, as make the same variance (Kish 1965, Survey
    Sampling).
    """
    if tally.weights is None:
        return np.ones(len(tally.groups))
    plain, squared = replace(tally, weights=None), tally.squared()
    effective = tally.sum_groups(tally.mass) ** 2 / _avoid_zero(squared.sum_groups(squared.mass))
    ratio = widen_few(effective, confidence) / widen_few(tally.n, confidence)
    counts = plain.per_label().gold
    few = tally.per_label().gold ** 2 / _avoid_zero(squared.per_label().gold)
    lost = _average(_scale_few(few, counts)) / _average(_scale_few(counts, counts))
    factor: Values = np.nan_to_num(np.maximum(ratio, 1) * np.sqrt(np.maximum(lost, 1)), nan=1.0)
    return factor


def _scale_few(examples: Values, counts: NDArray[Any]) -> Values:
    """By how much resamples of so few examples of a label scatter less than samples do."""
    return np.where(counts > 0, examples / np.maximum(examples - 1, 0.5), np.nan)


def _avoid_zero(values: Values) -> Values:
    return np.maximum(values, np.finfo(float).tiny)


def _average(values: Values) -> Values:
    """The mean over the last axis, of what is known."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0).sum(-1) / np.maximum(known.sum(-1), 1))

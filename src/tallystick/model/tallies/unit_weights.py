"""A tally as a function of the weights of single units, which may be negative."""

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.model.tallies.clusters import slice_chunks
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Tally

_STEP = 1e-6
"""How far a sum is moved for a slope, as a share of the size of all that is summed."""


class UnitWeights(Struct, frozen=True, eq=False):
    """The sums of one system and one group, from the weights of the units that are summed.

    Attributes:
        size: How many sums there are.
        units: What each unit adds: the only sum that it counts in, of shape (units,), or its rows
            of numbers, of shape (units, sums).
        form: Makes the tally of sums, of shape (..., sums).
        share_like: Whether a bounded score varies as a share of this many examples does.
        verdicts: Whether numbers are averaged that all are 0, 1 or a half.
    """

    size: int
    units: NDArray[np.int64] | Values
    form: Callable[[Values], Tally]
    share_like: bool
    verdicts: bool = False

    def score(self, metric: Metric, weights: Values) -> float:
        """The score of the units with these weights.

        Where it is undefined because a sum is negative, that sum counts as 0.
        """
        sums = self._add_up(weights)
        value = float(metric.score(self.form(sums))[0])
        if np.isnan(value) and (sums < 0).any():
            value = float(metric.score(self.form(np.maximum(sums, 0)))[0])
        return value

    def find_trials(self, metric: Metric, weights: Values) -> float | None:
        """What the trials weigh of which the score is a share; None where it is no share."""
        if self.verdicts:
            return float(weights.sum())
        share = metric.estimand(self.form(np.maximum(self._add_up(weights), 0)))
        return None if share is None else float(share.trials[0])

    def find_slopes(self, metric: Metric, weights: Values) -> Values:
        """How fast the score rises with the weight of each unit, by central differences."""
        sums = self._add_up(weights)
        scale = np.full(self.size, np.abs(weights).sum())
        if self.units.ndim > 1:
            scale = np.abs(weights) @ np.abs(self.units)
        slopes, steps = np.zeros(self.size), _STEP * scale
        for chunk in slice_chunks(self.size, 2 * self.size):
            here = np.arange(chunk.start, chunk.stop)
            moved = np.zeros((len(here), self.size))
            moved[here - chunk.start, here] = steps[here]
            with np.errstate(all="ignore"):
                above, below = (metric.score(self.form(sums + side * moved)) for side in (1, -1))
            slopes[here] = (above - below)[:, 0] / np.where(steps[here] > 0, 2 * steps[here], 1)
        slopes = np.nan_to_num(slopes)
        return np.asarray(slopes[self.units] if self.units.ndim == 1 else self.units @ slopes)

    def _add_up(self, weights: Values) -> Values:
        if self.units.ndim == 1:
            return np.bincount(self.units, weights, self.size).astype(np.float64)
        return np.asarray(weights @ self.units)

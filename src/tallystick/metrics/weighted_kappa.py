"""Cohen's kappa of labels that have an order."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, check_labels, divide
from tallystick.metrics.metric import Direction, Metric, Values, fold_option
from tallystick.metrics.ordinal import find_place, sort_scale
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.per_label import PerLabel
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class WeightedKappa(Metric):
    """The agreement of ordered labels beyond chance, where far disagreements weigh more.

    Labels that are numbers are ordered by value; name others from the lowest to the highest. The
    distance of two labels is that of their places among the labels that gold and predictions have,
    as in scikit-learn: name all labels where one of them may not occur. An output that is no label
    is as far from the gold as labels can be.

    Formula: 1 - sum of w_ij n_ij / sum of w_ij t_i p_j / n, where w_ij is |i - j|, or its square
    Undefined: where gold and predictions hold one and the same label only.
    Source: Cohen 1968; values as scikit-learn's cohen_kappa_score with weights.
    """

    weights: Literal["linear", "quadratic"] = "quadratic"
    labels: tuple[Label, ...] | None = None

    short: ClassVar[str] = "weighted_kappa"
    title: ClassVar[str] = "Weighted Kappa"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (Confusion,)

    def __post_init__(self) -> None:
        fold_option(self, "weights", ("linear", "quadratic"))
        check_labels(self)

    def score(self, tally: Cells) -> Values:
        scale = sort_scale(tally.labels, self.short) if self.labels is None else self.labels
        counts = tally.per_label().pick(scale)
        used = counts.used if self.labels is None else np.ones_like(counts.used)
        places = used.cumsum(-1) - 1.0
        farthest = np.maximum(self._weigh(places[..., -1:]), 1)[..., 0]
        total = counts.total[..., 0].astype(float)
        expected = self._expect(counts, places, used) + farthest * tally.invalid * total
        found = self._observe(tally, scale, places, farthest)
        return divide(Ratio(expected - found * total, expected), np.nan)

    def _weigh(self, distance: NDArray[Any]) -> Values:
        weights: Values = np.square(distance) if self.weights == "quadratic" else np.abs(distance)
        return weights

    def _expect(self, counts: PerLabel, places: Values, used: NDArray[np.bool_]) -> Values:
        """The weights of all pairs of a gold label and a predicted one, whatever goes together."""
        gold, predicted = counts.gold.astype(float), counts.predicted.astype(float)
        if self.weights == "linear":
            # Two labels are as far from each other as there are steps between them.
            below = gold.cumsum(-1), predicted.cumsum(-1)
            above = below[0][..., -1:] - below[0], below[1][..., -1:] - below[1]
            steps: Values = (used * (below[0] * above[1] + above[0] * below[1])).sum(-1)
            return steps
        moments = [
            [(own * power).sum(-1) for power in (np.ones_like(places), places, places**2)]
            for own in (gold, predicted)
        ]
        (one, first, second), (other, first_other, second_other) = moments
        products: Values = second * other - 2 * first * first_other + one * second_other
        return products

    def _observe(
        self, tally: Cells, scale: tuple[Label, ...], places: Values, farthest: Values
    ) -> Values:
        """The weights of the gold labels and the labels that were predicted of them."""
        used = tally.per_label().used.reshape(-1, len(tally.labels))
        places_on_scale = [
            find_place(label, scale, self.short) if used[:, code].any() else 0
            for code, label in enumerate(tally.labels)
        ]
        where = np.array([*places_on_scale, 0], np.intp)
        gold, predicted = where[tally.gold], where[tally.predicted]
        valid = tally.predicted < len(tally.labels)
        owners = tally.owners
        apart = self._weigh(places[..., owners, gold] - places[..., owners, predicted])
        return tally.sum_groups(tally.mass * np.where(valid, apart, farthest[..., owners]))

"""Correlations of metrics with people by item, by rated system, and of rated systems' means."""

from typing import ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.kinds.numbers.correlations import Pearson
from tallystick.kinds.numbers.number_cells import NumberCells
from tallystick.kinds.numbers.rank_correlations import KendallTauB, Spearman
from tallystick.kinds.numbers.rated_items import Grid, RatedItems, RatedScores
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values, fold_option
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.tally import Tally

_COEFFICIENTS = {"pearson": Pearson(), "spearman": Spearman(), "kendall": KendallTauB()}
_NAMES = {"item": "{}_by_item", "system": "{}_by_system", "means": "system_level_{}"}


@final
@dataclass(frozen=True, slots=True, repr=False)
class RatedCorrelation(Metric):
    """The correlation of a metric with people about rated systems.

    It is that of the scores of all rated systems for an item, averaged over items; that of the
    scores of all items of a rated system, averaged over rated systems; or that of the mean scores
    of rated systems. The correlation of all scores pooled is plain `pearson`, `spearman` or
    `kendall_tau_b`. Kendall's is tau-b.

    Formula: mean of the correlations that are defined; with over="means" one correlation
    Undefined: where each correlation is, as of constant scores.
    Source: mt-metrics-eval's Pearson, Spearman and Kendall with average_by="item" and "sys", and
        of system-level scores.
    """

    coefficient: Literal["pearson", "spearman", "kendall"] = "pearson"
    over: Literal["item", "system", "means"] = "item"

    short = "rated_correlation"
    title = "Correlation about Rated Systems"
    bounds = (-1, 1)
    counters = (RatedScores,)
    explained: ClassVar = {
        "coefficient": "pearson, spearman, or kendall, which is tau-b",
        "over": "item or system: the mean of correlations within each; means: of systems' means",
    }

    def __post_init__(self) -> None:
        fold_option(self, "coefficient", (*_COEFFICIENTS,))
        fold_option(self, "over", (*_NAMES,))

    @property
    def name(self) -> str:
        return _NAMES[self.over].format(self.coefficient)

    def score(self, tally: RatedItems) -> Values:
        return tally.score_groups(self._measure)

    def explain_undefined(self, tally: Tally) -> str:
        del tally
        return "because no correlation is defined: the scores of people or the metric are constant"

    def _measure(self, grid: Grid) -> Values:
        if self.over == "item":
            items, places = np.nonzero(grid.known)
            sides = grid.gold[items, places], grid.output[items, places]
            own = self._correlate(items, len(grid.gold), sides, np.ones(len(items), np.int64))
            return _average(own, grid.weights)
        if self.over == "system":
            places, items = np.nonzero(grid.known.T)
            sides = grid.gold[items, places], grid.output[items, places]
            counts = grid.weights.astype(np.int64)[:, items]
            own = self._correlate(places, grid.gold.shape[1], sides, counts)
            return _average(own, np.ones_like(own))
        means = np.stack(grid.average_systems())
        resamples, places = np.nonzero(~np.isnan(means).any(0))
        return self._correlate(
            resamples,
            means.shape[1],
            (means[0, resamples, places], means[1, resamples, places]),
            np.ones(len(resamples), np.int64),
        )

    def _correlate(
        self,
        owners: NDArray[np.intp],
        size: int,
        sides: tuple[Values, Values],
        counts: NDArray[np.int64],
    ) -> Values:
        """The correlation of each owner of scores, which ascend: (..., owners)."""
        gold, output = sides
        n = np.bincount(owners, minlength=size)
        cells = Cells(
            NumberCells(),
            ("",),
            tuple(range(size)),
            (),
            (),
            owners.astype(np.int64),
            gold + 0.0,
            output[None] + 0.0,
            counts,
            n,
        )
        found: Values = _COEFFICIENTS[self.coefficient].score(cells)
        return found


def _average(values: Values, weights: Values) -> Values:
    """The weighted mean of the values that are defined, of each resample."""
    known = ~np.isnan(values)
    total = (np.nan_to_num(values) * weights).sum(-1)
    return divide(Ratio(total, (known * weights).sum(-1)), np.nan)

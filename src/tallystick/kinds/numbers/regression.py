"""Errors of numbers: their means, quantiles and shares, and how much of the gold they explain."""

import abc
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import Danger, UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.kinds.numbers.aggregates import OfSorted
from tallystick.kinds.numbers.correlations import ColumnMetric, Moments
from tallystick.kinds.numbers.number_counters import (
    ErrorValues,
    Loss,
    LossSums,
    NumberPatterns,
    NumbersWithin,
    check_power,
)
from tallystick.model.codes import Label
from tallystick.model.facts import Facts
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.groups import sum_by
from tallystick.model.tallies.metric import Share, Values, show
from tallystick.model.tallies.ratios import Proportion, Ratio, divide, measure_labels
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Tally, need_patterns


class _Distance(ColumnMetric, frozen=True):
    better = "lower"
    bounds = (0, float("inf"))


class MAE(_Distance, frozen=True):
    """Mean absolute error of the outputs.

    Formula: sum of |output - gold| / examples
    Undefined: without examples.
    Source: scikit-learn's mean_absolute_error.
    """

    short = "mae"
    title = "MAE"

    def score(self, tally: Sums) -> Values:
        return tally.average("absolute_error")


class MSE(_Distance, frozen=True):
    """Mean of the squared errors of the outputs.

    Formula: sum of (output - gold)^2 / examples
    Undefined: without examples.
    Source: scikit-learn's mean_squared_error.
    """

    short = "mse"
    title = "MSE"

    def score(self, tally: Sums) -> Values:
        return tally.average("squared_error")


_NO_SQUARE = 1e-140
"""Smaller errors have no squares."""


class RMSE(_Distance, frozen=True):
    """Root mean squared error.

    Divided by a scale, such as the range of the numbers, it is a normalised RMSE.

    Formula: square root of (sum of (output - gold)^2 / examples) / scale
    Undefined: without examples.
    Source: scikit-learn's root_mean_squared_error.
    """

    scale: float = 1

    short = "rmse"
    title = "RMSE"
    ranges: ClassVar = {"scale": (1e-300,)}

    def score(self, tally: Sums) -> Values:
        squares, reference = tally.average("squared_error"), tally.refer("squared_error")
        root = np.sqrt(np.maximum(squares + reference, 0))
        # The difference of two roots by that of their squares, which is known exactly.
        total = np.where(root > 0, root + np.sqrt(reference), 1)
        found = np.where(reference > 0, squares / total, root) / self.scale
        mean = tally["absolute_error"] / np.maximum(tally["examples"], 1)
        lost = (mean > 0) & (mean < _NO_SQUARE) | ~np.isfinite(found)
        return np.asarray(np.where(lost, np.nan, found))


class R2(ColumnMetric, frozen=True):
    """Coefficient of determination: share of the variance of the gold explained by outputs.

    It is negative if the mean of the gold is closer than the outputs.

    Formula: 1 - sum of squared errors / sum of squared distances of gold from its mean
    Undefined: if gold is constant; scikit-learn says 0 or 1 there.
    Source: scikit-learn's r2_score.
    """

    short = "r2"
    bounds = (float("-inf"), 1)
    zero = "it predicts as well as the mean of the gold does"

    def score(self, tally: Sums) -> Values:
        own = Moments.of(tally)
        with np.errstate(invalid="ignore"):
            return 1 - divide(Ratio(tally["squared_error"], own.xx), np.nan)


class AccuracyWithin(Proportion, frozen=True):
    """Proportion of examples whose rating differs from the gold by at most a given distance.

    With a distance of 1 essay scoring calls it adjacent agreement. Labels that are numbers are as
    far apart as their values, others as their ranks among the named labels, from the lowest to the
    highest.

    Formula: examples with |gold - predicted| <= distance / all
    Undefined: without examples.
    Source: Attali and Burstein 2006 (adjacent agreement); with a distance of 0 accuracy.
    """

    distance: float = 1
    labels: tuple[Label, ...] | None = None

    short = "accuracy_within"
    ranges: ClassVar = {"distance": (0,)}
    counters = (Confusion,)

    def estimand(self, tally: Cells) -> Share:
        values = np.array([*measure_labels(tally.labels, self.labels, self.short), np.inf])
        near = np.abs(values[tally.gold] - values[tally.predicted]) <= self.distance
        return Share(tally.sum_groups(tally.mass * near), tally.sum_groups(tally.mass))


class AccuracyWithinSD(Proportion, frozen=True):
    """Proportion of examples that are off by less than the annotators' standard deviation.

    A column of gold contains the standard deviation of each example, which `least` replaces if it
    is larger: SemEval-2026 task 5 accepts any error below 1.

    Formula: examples with |output - gold| < max(deviation, least) / all
    Undefined: without examples.
    Source: SemEval-2026 task 5, whose scorer has least=1.
    """

    deviation: str = "stdev"
    least: float = 0
    column: str | None = None

    short = "accuracy_within_sd"
    title = "Accuracy Within SD"
    ranges: ClassVar = {"least": (0,)}
    counters = (NumbersWithin,)

    def __post_init__(self) -> None:
        if not isinstance(self.deviation, str):
            raise UsageError(f"deviation must be the name of a column, not {show(self.deviation)}")
        super().__post_init__()

    @property
    def counter(self) -> NumbersWithin:
        return NumbersWithin(self.deviation, float(self.least), self.column)

    def estimand(self, tally: Sums) -> Share:
        return Share(tally["within"], tally["examples"])


class ExplainedVariance(ColumnMetric, frozen=True):
    """Share of the variance of the gold that outputs explain, whatever their mean error.

    Formula: 1 - variance of (gold - output) / variance of the gold
    Undefined: if gold is constant; scikit-learn says 0 or 1 there.
    Source: scikit-learn's explained_variance_score.
    """

    short = "explained_variance"
    bounds = (float("-inf"), 1)
    zero = "it predicts as well as any constant does"

    def score(self, tally: Sums) -> Values:
        own = Moments.of(tally)
        return divide(Ratio(2 * own.xy - own.yy, own.xx), np.nan)


class _MeanLoss(_Distance, frozen=True):
    loss: ClassVar[Loss]
    counters = (LossSums,)

    def score(self, tally: Sums) -> Values:
        return tally.average("loss")


_SENSELESS = 1e6
"""A larger relative error comes from dividing by almost 0."""


class MAPE(_MeanLoss, frozen=True):
    """Mean absolute error as a share of the gold numbers, 0.1 for 10%.

    Gold numbers of 0 are replaced by 2.2e-16, which makes it huge; a warning says so.

    Formula: mean of |output - gold| / max(|gold|, 2.2e-16)
    Undefined: without examples.
    Source: scikit-learn's mean_absolute_percentage_error.
    """

    short = "mape"
    title = "MAPE"
    loss = "percentage"

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        sums = (tally.of(name) for name in tally.systems)
        if any((self.score(one) > _SENSELESS).any() for one in sums if isinstance(one, Sums)):
            text = "{} divides by gold numbers of 0: use smape or mae, or leave these examples out."
            yield Danger(text), self.name


class SMAPE(_MeanLoss, frozen=True):
    """Mean absolute error as a share of the mean of gold and output, from 0 to 2.

    Formula: mean of 2 |output - gold| / (|output| + |gold|), which is 0 where both are 0
    Undefined: without examples.
    Source: Makridakis and Hibon 2000 (M3), without their factor 100.
    """

    short = "smape"
    title = "sMAPE"
    bounds = (0, 2)
    loss = "symmetric"


class MSLE(_MeanLoss, frozen=True):
    """Mean squared difference of the logarithms of 1 + output and 1 + gold, or its root.

    Formula: mean of (log(1 + output) - log(1 + gold))^2
    Undefined: without examples; numbers of -1 or less are errors.
    Source: scikit-learn's mean_squared_log_error and root_mean_squared_log_error.
    """

    root: bool = False

    short = "msle"
    title = "MSLE"
    loss = "log"

    @property
    def name(self) -> str:
        return f"{'r' * self.root}{super().name}"

    def score(self, tally: Sums) -> Values:
        mean = tally.average("loss") + self.root * tally.refer("loss")
        return np.sqrt(np.maximum(mean, 0)) if self.root else mean


class PinballLoss(_MeanLoss, frozen=True):
    """Mean loss of outputs that are quantiles: errors below the gold weigh alpha.

    Formula: mean of alpha (gold - output) where gold is larger, else (1 - alpha) (output - gold)
    Undefined: without examples.
    Source: scikit-learn's mean_pinball_loss.
    """

    alpha: float = 0.5

    short = "pinball_loss"
    ranges: ClassVar = {"alpha": (0, 1)}
    loss = "pinball"


class TweedieDeviance(_MeanLoss, frozen=True):
    """Mean deviance of a Tweedie distribution: normal (power 0), Poisson (1) or gamma (2).

    Formula: mean of 2 (max(gold, 0)^(2 - p) / ((1 - p) (2 - p)) - gold output^(1 - p) / (1 - p)
        + output^(2 - p) / (2 - p)), with its limits for p of 0, 1 and 2
    Undefined: without examples; numbers that the distribution does not have are errors.
    Source: scikit-learn's mean_tweedie_deviance, mean_poisson_deviance and mean_gamma_deviance.
    """

    power: float = 0

    short = "tweedie_deviance"
    loss = "tweedie"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_power(self.power)


class _D2(ColumnMetric, frozen=True):
    """One minus the loss of the outputs by that of the best constant, on the gold itself."""

    bounds = (float("-inf"), 1)
    zero = "it predicts as well as the best constant does"
    counters = (NumberPatterns,)

    @property
    @abc.abstractmethod
    def losses(self) -> LossSums:
        """What measures losses."""

    @abc.abstractmethod
    def find_constant(self, tally: Cells) -> Values:
        """The best constant of each group."""

    def score(self, tally: Cells) -> Values:
        own, base = (tally.sum_groups(tally.mass * one) for one in self._measure(tally))
        return 1 - divide(Ratio(own, base), np.nan)

    def influence(self, tally: Cells) -> Values:
        # The best constant does not move its loss, to first order.
        own, base = self._measure(tally)
        most = tally.sum_groups(tally.mass * base)[..., tally.owners]
        share = divide(Ratio(tally.sum_groups(tally.mass * own)[..., tally.owners], most), 0.0)
        return divide(Ratio(share * base - own, most), 0.0)

    def _measure(self, tally: Cells) -> tuple[Values, Values]:
        """The losses of the outputs and of the constant, of shape (..., cells)."""
        constant = self.find_constant(tally)[..., tally.owners]
        gold = np.broadcast_to(tally.gold, constant.shape)
        measure = self.losses.measure
        return measure(tally.gold, tally.predicted), measure(gold, constant)


class D2Pinball(_D2, frozen=True):
    """Share of the pinball loss of a constant quantile that outputs save; of alpha 0.5 of the MAE.

    Formula: 1 - pinball loss / pinball loss of the alpha quantile of the gold
    Undefined: if gold is constant; scikit-learn says 0 or 1 there.
    Source: scikit-learn's d2_pinball_score and d2_absolute_error_score.
    """

    alpha: float = 0.5

    short = "d2_pinball"
    title = "D2 Pinball"
    ranges: ClassVar = {"alpha": (0, 1)}

    @property
    def losses(self) -> LossSums:
        return LossSums(loss="pinball", alpha=self.alpha)

    def find_constant(self, tally: Cells) -> Values:
        order, owners = np.lexsort((tally.gold, tally.owners)), tally.owners
        mass, sizes = tally.mass[..., order] * 1.0, np.bincount(owners, minlength=len(tally.groups))
        total = tally.sum_groups(mass)
        reached = mass.cumsum(-1) - (total.cumsum(-1) - total)[..., owners]
        below = tally.sum_groups((reached < self.alpha * total[..., owners]) * 1)
        places = sizes.cumsum() - sizes + np.minimum(below, np.maximum(sizes - 1, 0))
        return np.asarray(tally.gold[order][np.minimum(places, len(order) - 1)])


class D2Tweedie(_D2, frozen=True):
    """Share of the Tweedie deviance of a constant mean that outputs save; of power 0 it is R2.

    Formula: 1 - Tweedie deviance / Tweedie deviance of the mean of the gold
    Undefined: if gold is constant; numbers that the distribution does not have are errors.
    Source: scikit-learn's d2_tweedie_score.
    """

    power: float = 0

    short = "d2_tweedie"
    title = "D2 Tweedie"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_power(self.power)

    @property
    def losses(self) -> LossSums:
        return LossSums(loss="tweedie", power=self.power)

    def find_constant(self, tally: Cells) -> Values:
        total = tally.sum_groups(tally.mass * 1.0)
        return divide(Ratio(tally.sum_groups(tally.mass * tally.gold), total), np.nan)


class MedianAbsoluteError(OfSorted, frozen=True):
    """Middle one of the absolute errors, which few large ones do not change.

    Its interval is that of `quantile` at 0.5.

    Formula: median of |output - gold|
    Undefined: without examples.
    Source: scikit-learn's median_absolute_error.
    """

    short = "median_absolute_error"
    title = "Median Absolute Error"
    better = "lower"
    bounds = (0, float("inf"))
    counters = (ErrorValues,)


class MaxError(MedianAbsoluteError, frozen=True):
    """Largest of the absolute errors. It has no interval: another sample may have any larger one.

    Formula: maximum of |output - gold|
    Undefined: without examples.
    Source: scikit-learn's max_error.
    """

    short = "max_error"
    title = "Max Error"
    q = 1.0

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str]:
        unknown = np.full(len(tally.groups), np.nan)
        return unknown, unknown, "none for the largest error"

    def influence(self, tally: Cells) -> None:  # type: ignore[override]
        """None, so that rows are left out one by one."""

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        yield Danger("{} is of these examples alone: do not test its differences."), self.name


class MacroMAE(_Distance, frozen=True):
    """Mean over gold numbers, or ordered labels, of the mean absolute error of their examples.

    Formula: mean over the gold numbers that occur of the mean of |output - gold|
    Undefined: without examples.
    Source: Baccianella, Esuli and Sebastiani 2009; as imbalanced-learn's
        macro_averaged_mean_absolute_error.
    """

    short = "macro_mae"
    title = "Macro MAE"
    counters = (NumberPatterns,)

    def score(self, tally: Cells) -> Values:
        means, sizes, _, owners = self._average(tally)
        sums, used = (sum_by(one, owners, len(tally.groups)) for one in (means, (sizes > 0) * 1.0))
        return divide(Ratio(sums, used), np.nan)

    def influence(self, tally: Cells) -> Values:
        means, sizes, kinds, owners = self._average(tally)
        used = sum_by((sizes > 0) * 1.0, owners, len(tally.groups))[..., tally.owners]
        excess = np.abs(tally.predicted - tally.gold) - means[..., kinds]
        return divide(Ratio(excess, sizes[..., kinds] * used), 0.0)

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        cells = need_patterns(tally)
        kinds = np.unique([cells.owners, cells.gold], axis=1, return_inverse=True)[1]
        if (np.bincount(kinds, cells.counts) == 1).any():
            text = "The interval of {} is too narrow: some gold numbers have a single example."
            yield Danger(text), self.name

    def _average(self, tally: Cells) -> tuple[Values, Values, NDArray[np.int64], NDArray[np.int64]]:
        """The mean error and the size of each gold number; the number of each cell, its group."""
        pairs, kinds = np.unique([tally.owners, tally.gold], axis=1, return_inverse=True)
        masses = (tally.mass * np.abs(tally.predicted - tally.gold), tally.mass * 1.0)
        errors, sizes = (sum_by(one, kinds, pairs.shape[1]) for one in masses)
        return divide(Ratio(errors, sizes), 0.0), sizes, kinds, pairs[0].astype(np.int64)

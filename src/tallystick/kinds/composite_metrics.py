"""Metrics of metrics: comparisons of the scores of groups, and the mean of several metrics."""

import abc
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.kinds.numbers.correlations import Pearson
from tallystick.kinds.numbers.number_counters import NumberCells
from tallystick.kinds.probabilities.joint import Joint, JointRows
from tallystick.model.tallies.metric import Metric, Values, adds_up, compares_groups, is_per_label
from tallystick.model.tallies.tally import Counter, Tally
from tallystick.settings import AbstractMeta
from tallystick.statistics.wilson import quantile

Ends = tuple[Values, Values]
"""The lower and the upper ends of intervals."""


class _Derived:
    """A class attribute that an instance derives from its parts."""

    def __init__(self, usual: object, make: Callable[["_OfParts"], object]) -> None:
        self.usual, self.make = usual, make

    def __get__(self, own: "_OfParts | None", kind: type) -> Any:
        return self.usual if own is None else self.make(own)


def _span(own: "_OfParts") -> float:
    """The largest possible difference of two values."""
    return max(part.bounds[1] - part.bounds[0] for part in own.parts)


class _PartsMeta(AbstractMeta):
    """Makes a metric of its parts, which are separate arguments."""

    def __call__(self, *parts: Metric) -> object:
        return super().__call__(parts)


class _OfParts(Metric, frozen=True, metaclass=_PartsMeta):
    parts: tuple[Metric, ...]

    def __reduce__(self) -> tuple[type[Self], tuple[Metric, ...]]:
        return type(self), self.parts

    @property
    def name(self) -> str:
        return f"{self.short}({', '.join(part.name for part in self.parts)})"

    @property
    def full_title(self) -> str:
        return f"{self.title} of {', '.join(part.full_title for part in self.parts)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts))})"


class Between(_OfParts, frozen=True):
    """A formula over the scores of all groups, which is in the row of their mean."""

    most: ClassVar[int] = 1
    compares_groups: ClassVar[bool] = True
    counters = (Confusion,)

    def __post_init__(self) -> None:
        for part in self.parts:
            if not isinstance(part, Metric) or is_per_label(part) or compares_groups(part):
                raise UsageError(f"{self.short} is of a metric with one value, not of {part!r}")
        if not 1 <= len(self.parts) <= self.most:
            few = "one metric" if self.most == 1 else "one metric, or two"
            raise UsageError(f"{self.short} takes {few}, such as {self.short}(f1)")

    @property
    def counter(self) -> Counter | None:
        counter: Counter | None = self.parts[0].counter
        return counter

    def score(self, tally: Tally) -> Values:
        """NaN, because a single group has none."""
        return self.parts[0].score(tally) * np.nan

    def combine_groups(self, tally: Tally) -> Values:
        """Scores all groups together."""
        return self.compare(np.stack([part.score(tally) for part in self.parts]))

    @abc.abstractmethod
    def compare(self, values: Values) -> Values:
        """Scores the values of groups, of shape (parts, ..., groups)."""

    def count_claims(self, groups: int) -> int:
        """How many intervals, of pairs of groups or of groups, must hold at once for one end."""
        return max(groups * (groups - 1) // 2 * len(self.parts), 1) if self.most == 2 else 1

    @abc.abstractmethod
    def find_ends(self, values: Values, usual: Ends, strict: Ends, level: float) -> Ends:
        """Returns the ends of its interval from the values of groups, of shape (parts, groups).

        The ends of the groups' intervals are `usual`, each at the level, and `strict`, where all
        intervals hold simultaneously at that level.
        """


def _find_range(values: Values) -> Ends:
    """The least and the largest value over the last axis; NaN where there is none."""
    none = np.nan
    return np.fmin.reduce(values, -1, initial=none), np.fmax.reduce(values, -1, initial=none)


def _pair(values: Values) -> Ends:
    """The values of the first and of the second group of each pair, either way."""
    first, second = np.nonzero(~np.eye(values.shape[-1], dtype=bool))
    return values[..., first], values[..., second]


def _bound_differences(values: Values, ends: Ends) -> Ends:
    """Bounds the difference of each two groups; Zou and Donner 2008, Statistics in Medicine 27."""
    (one, other), (low, low_other), (high, high_other) = map(_pair, (values, *ends))
    gap = one - other
    below = np.sqrt((one - low) ** 2 + (high_other - other) ** 2)
    above = np.sqrt((high - one) ** 2 + (other - low_other) ** 2)
    return gap - below, gap + above


def _bound_ratios(values: Values, ends: Ends) -> Ends:
    """Bounds the ratio of each two groups; Donner and Zou 2012, Stat. Methods Med. Research 21."""
    (one, other), (low, low_other), (high, high_other) = map(_pair, (values, *ends))

    def find_end(end: Values, far: Values, sign: int) -> Values:
        """The ratio where the first group is at one end, and the second at the other."""
        product, turned = one * other, far * (2 * other - far)
        root = np.maximum(product**2 - end * (2 * one - end) * turned, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (product + sign * np.sqrt(root)) / turned
        return np.where(turned > 0, found, np.inf if sign > 0 else 0.0)

    return find_end(low, high_other, -1), find_end(high, low_other, 1)


class Gap(Between, frozen=True):
    """Difference between the best and the worst group; of two metrics the larger difference.

    The upper end of its interval is the largest upper end of the difference of two groups; the
    lower end is the largest lower end, of intervals that hold for all pairs simultaneously.

    Formula: largest - least value of the groups, of the tally of the metric
    Undefined: if a metric is, in every group; groups without a value are left out.
    Source: fairlearn's MetricFrame.difference, demographic_parity_difference and, of recall and
        fpr, equalized_odds_difference.
    """

    short = "gap"
    better = "lower"
    bounds = _Derived((0, math.inf), lambda own: (0, _span(own)))
    most: ClassVar[int] = 2

    def compare(self, values: Values) -> Values:
        low, high = _find_range(values)
        return np.asarray(np.maximum.reduce(high - low, axis=0))

    def find_ends(self, values: Values, usual: Ends, strict: Ends, level: float) -> Ends:
        low, high = _bound_differences(values, strict)[0], _bound_differences(values, usual)[1]
        return np.maximum(_find_range(low.ravel())[1], 0), _find_range(high.ravel())[1]


class RatioBetween(Between, frozen=True):
    """Ratio of the worst to the best value of a group; of two metrics the smaller ratio.

    Its interval is made like that of `gap`, from ratios.

    Formula: least / largest value of the groups, of the tally of the metric
    Undefined: if the largest value of a metric is 0, or it is undefined in every group.
    Source: fairlearn's MetricFrame.ratio, demographic_parity_ratio and, of recall and fpr,
        equalized_odds_ratio.
    """

    short = "ratio_between"
    title = "Ratio between Groups"
    most: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(part.bounds[0] < 0 for part in self.parts):
            names = ", ".join(part.name for part in self.parts)
            raise UsageError(f"ratio_between takes metrics that are never below 0, not {names}")

    def compare(self, values: Values) -> Values:
        low, high = _find_range(values)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.minimum.reduce(np.where(high > 0, low / high, np.nan), axis=0))

    def find_ends(self, values: Values, usual: Ends, strict: Ends, level: float) -> Ends:
        low, high = _bound_ratios(values, usual)[0], _bound_ratios(values, strict)[1]
        return _find_range(low.ravel())[0], np.minimum(_find_range(high.ravel())[0], 1)


class Worst(Between, frozen=True):
    """Score of the worst group.

    The worse end of its interval comes from the groups' own intervals, the better end from
    intervals that hold for all groups simultaneously.

    Formula: least value of the groups, or the largest if lower is better, of the tally of the
        metric
    Undefined: if the metric is, in every group; groups without a value are left out.
    Source: fairlearn's MetricFrame.group_min and group_max; Sagawa et al. 2020, ICLR.
    """

    short = "worst"
    title = "Worst Group"
    better = _Derived("higher", lambda own: own.parts[0].better)
    bounds = _Derived((-math.inf, math.inf), lambda own: own.parts[0].bounds)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.better == "neither":
            name = self.parts[0].name
            raise UsageError(f"{name} has no worst group: neither higher nor lower is better")

    @property
    def _place(self) -> int:
        return 0 if self.better == "higher" else 1

    def compare(self, values: Values) -> Values:
        return _find_range(values[0])[self._place]

    def count_claims(self, groups: int) -> int:
        return groups

    def find_ends(self, values: Values, usual: Ends, strict: Ends, level: float) -> Ends:
        sides = (usual, strict) if self._place == 0 else (strict, usual)
        low, high = (_find_range(side[at][0])[self._place] for at, side in enumerate(sides))
        return low, high


class Std(Between, frozen=True):
    """Standard deviation of the scores of the groups, each with the same weight.

    The half-width of its interval is the root mean square of the errors of the groups, scaled by
    a quantile of the chi distribution.

    Formula: square root of (sum of (value - mean of the groups)^2 / groups), of the tally of the
        metric
    Undefined: if the metric is, in every group; groups without a value are left out.
    Source: numpy.std; pandas' std divides by the number of groups - 1.
    """

    short = "std"
    title = "Standard Deviation over Groups"
    better = "lower"
    bounds = _Derived((0, math.inf), lambda own: (0, _span(own) / 2))

    def compare(self, values: Values) -> Values:
        own, known = values[0], ~np.isnan(values[0])
        size = np.where(known.any(-1), known.sum(-1), np.nan)
        mean = np.where(known, own, 0).sum(-1) / size
        squares = np.where(known, own - mean[..., None], 0) ** 2
        return np.asarray(np.sqrt(squares.sum(-1) / size))

    def find_ends(self, values: Values, usual: Ends, strict: Ends, level: float) -> Ends:
        value = self.compare(values)
        wide = np.fmax(values - usual[0], usual[1] - values)[0]
        known = wide[~np.isnan(wide)]
        if len(known) < 2:  # a single group is equal to itself, whatever its score
            return value, value
        freedom = len(known) - 1
        part = 2 / (9 * freedom)  # Wilson and Hilferty 1931, PNAS 17
        chi = (1 - part + quantile(2 * level - 1) * math.sqrt(part)) ** 3
        scale = math.sqrt(chi) / quantile(level)
        half = math.sqrt((known**2).sum() / (freedom + 1)) * scale
        return np.maximum(value - half, 0), np.minimum(value + half, self.bounds[1])


def weigh_groups(metric: Between, values: Values) -> NDArray[np.float64]:
    """How fast the score rises with the value of each group, of shape (parts, groups)."""
    rises = np.zeros_like(values)
    known = ~np.isnan(values)
    step = 1e-6 * (np.abs(values[known]).max(initial=0) or 1.0)
    for part, group in np.argwhere(known):
        ends = []
        for side in (-1, 1):
            moved = values.copy()
            moved[part, group] += side * step
            ends.append(metric.compare(moved))
        rises[part, group] = (ends[1] - ends[0]) / (2 * step)
    return np.nan_to_num(rises)


class MeanOf(_OfParts, frozen=True):
    """Arithmetic mean of two or more metrics on the same examples, as an overall score.

    Higher must be better for all of them. They are metrics of labels or probabilities, Pearson's
    correlation and rank correlations, or others that read the same counts.

    Formula: sum of the metrics / number of metrics
    Undefined: if one of the metrics is.
    Source: the overall scores of PAN's verification tasks and of GLUE (Wang et al. 2019).
    """

    short = "mean_of"
    title = "Mean of Metrics"
    bounds = _Derived(
        (-np.inf, np.inf), lambda own: (*np.mean([one.bounds for one in own.parts], 0).tolist(),)
    )
    counters = (Joint,)

    def __post_init__(self) -> None:
        _check_parts(self.parts)

    @property
    def counter(self) -> Any:
        return _list_counters(self.parts).pop()

    @property
    def full_title(self) -> str:
        return f"Mean of {', '.join(part.full_title for part in self.parts)}"

    def score(self, tally: object) -> Values:
        return np.asarray(self.score_parts(tally).mean(0))

    def split(self, tally: object) -> list[tuple[Any, Any]]:
        if not isinstance(tally, JointRows):
            return [(tally, slice(None))] * len(self.parts)
        labels, curve = tally.split_labels(), (tally.sort_scores(), slice(None))
        return [curve if _reads_curve(part) else labels for part in self.parts]

    def undefined_parts(self, tally: object) -> tuple[Metric, ...]:
        """Returns the parts that are undefined in some group."""
        values = np.atleast_2d(np.isnan(self.score_parts(tally)))
        return tuple(part for part, own in zip(self.parts, values, strict=True) if own.any())

    def score_parts(self, tally: object) -> Values:
        """Returns the value of each part, of shape (parts, ..., groups)."""
        if not isinstance(tally, JointRows):
            return np.stack([part.score(tally) for part in self.parts])
        cells = tally.count_labels()
        by_part = {part: part.score(cells) for part in self.parts if not _reads_curve(part)}
        curved = [part for part in self.parts if _reads_curve(part)]
        drawn = [[part.score(curve) for part in curved] for curve in tally.count_curves()]
        for place, part in enumerate(curved):
            own = np.stack([values[place] for values in drawn])
            by_part[part] = own[0] if tally.times is None else own
        return np.stack([by_part[part] for part in self.parts])


def _reads_curve(part: Metric) -> bool:
    return Confusion not in part.counters


def _list_counters(parts: Sequence[Metric]) -> set[Any]:
    """The counters of all parts; counts of ranks are enough for Pearson's correlation."""
    ranked = any(isinstance(part.counter, NumberCells) for part in parts)
    return {
        NumberCells(part.column) if ranked and isinstance(part, Pearson) else part.counter
        for part in parts
    }


def _check_parts(parts: tuple[Any, ...]) -> None:
    for part in parts:
        if not isinstance(part, Metric) or isinstance(part, MeanOf):
            raise UsageError(f"MeanOf takes metrics, such as F1(), not {part!r}")
        if is_per_label(part):
            raise UsageError(f"MeanOf takes metrics with one value, and {part!r} has one per label")
        if part.better != "higher" or adds_up(part):
            hint = "; write 1-brier" if part.short == "brier_score" else ""
            raise UsageError(
                f"MeanOf takes metrics of which higher is better, unlike {part.name}{hint}"
            )
    if len(set(parts)) < 2 or len(set(parts)) < len(parts):
        raise UsageError("MeanOf takes two metrics or more, which differ")
    if len(_list_counters(parts)) > 1:
        raise UsageError(
            "MeanOf takes metrics of labels and probabilities, or of the same counts, not "
            f"{' with '.join(part.name for part in parts)}"
        )

"""What scoring gives back, as plain frozen records."""

import math
from dataclasses import dataclass

__all__ = ["ConfusionMatrix", "Score", "Threshold"]


@dataclass(frozen=True, slots=True)
class Score:
    """One number about one system.

    Attributes:
        system: Whose predictions were scored.
        group: A value of the grouping columns, `"macro"` (the mean over groups), `"micro"` (all
            groups together), or None when there are no groups.
        label: The class of a per-class score, else None.
        metric: The metric's repr, which parses back to the metric.
        name: The metric's short name, used as a column heading, such as `macro_f1`.
        value: The number; NaN where the metric is undefined.
        n: How many examples it was computed from.
        signature: Everything that shaped the number, as one line.
        peer_signature: The signature that sacreBLEU gives the same number, where it has one.
        low: The lower end of the interval; NaN where there is none.
        high: Its upper end.
        level: The share of samples whose interval is to hold the true value; None without one.
        method: What the interval comes from; None where there is none.
    """

    system: str
    group: str | None
    label: str | None
    metric: str
    name: str
    value: float
    n: int
    signature: str
    peer_signature: str | None = None
    low: float = math.nan
    high: float = math.nan
    level: float | None = None
    method: str | None = None


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often each gold label (rows) was predicted as each label (columns).

    Attributes:
        system: Whose predictions were counted.
        labels: The labels of the rows, which are also those of the columns.
        counts: One tuple of counts per gold label; sums of weights where examples are weighted.
    """

    system: str
    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Threshold:
    """From which probability on to predict the positive label, and what that gave.

    Attributes:
        group: The group that it is for, or None when there are no groups.
        threshold: Predict the positive label from this probability on.
        metric: The repr of the metric that it was tuned for.
        name: The metric's short name.
        value: The metric on the examples that the threshold was tuned on, which flatters.
        above: Every threshold above this one is as good, up to `up_to`; None is from 0 on.
        up_to: The highest threshold that is as good without a worse one in between.
        n: How many examples it was tuned on.
        positives: How many of them have the positive label in the gold.
        cross_fitted: The metric where each example was predicted with a threshold that was tuned
            without it; None where nobody asked.
    """

    group: str | None
    threshold: float
    metric: str
    name: str
    value: float
    above: float | None
    up_to: float
    n: int
    positives: int
    cross_fitted: float | None = None

"""Soft F1 of soft labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, check_labels, divide, weigh
from tallystick.metrics.metric import Direction, Metric, Values, check_option
from tallystick.tallies.distributions import LabelOverlap
from tallystick.tallies.sums import Sums

__all__ = ["SoftF1"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class SoftF1(Metric):
    """How much probability outputs share with annotators: F1 where labels are held in part.

    A label is in gold and in outputs as far as it is probable, and in both as far as the smaller
    probability goes. Of distributions the micro average is 1 less half the Manhattan distance.

    Formula: per label 2 sum of min(p, q) / (sum of p + sum of q), pooled over labels for micro
    Undefined: without examples; macro leaves out labels without any probability.
    Source: Kurniawan, Mistica, Baldwin and Lau 2026, Computational Linguistics 52.
    """

    average: Literal["micro", "macro"] = "micro"
    labels: tuple[Label, ...] | None = None

    short: ClassVar[str] = "soft_f1"
    title: ClassVar[str] = "Soft F1-Score"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (LabelOverlap,)
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "micro_soft_f1": {"average": "micro"},
        "macro_soft_f1": {"average": "macro"},
    }

    def __post_init__(self) -> None:
        check_option("average", self.average, ("micro", "macro"))
        check_labels(self)

    @property
    def counter(self) -> LabelOverlap:
        return LabelOverlap(self.labels or ())

    @property
    def each(self) -> Metric | None:
        return None

    def score(self, tally: Sums) -> Values:
        shared, sides = tally.series("shared"), tally.series("gold") + tally.series("output")
        if self.average == "micro":
            return divide(Ratio(2 * shared.sum(-1), sides.sum(-1)), np.nan)
        each = divide(Ratio(2 * shared, sides), np.nan)
        return weigh(each, np.ones_like(each))

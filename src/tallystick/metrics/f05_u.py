"""F0.5 in which unanswered examples count as misses."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.errors import UsageError
from tallystick.examples.labels import Label
from tallystick.metrics.averages import (
    Ratio,
    check_positive,
    check_zero_division,
    divide,
    positive_of,
)
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.unanswered import find_label, find_unanswered
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion

__all__ = ["F05U"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class F05U(Metric):
    """F0.5 of the positive label, in which every unanswered example counts as a miss.

    Formula: 1.25 tp / (1.25 tp + 0.25 (fn + unanswered) + fp)
    Undefined: where there is nothing positive and nothing unanswered.
    Source: Bevendorff et al. 2019, PAN's f_05_u_score.
    """

    positive: Label | None = None
    unanswered: Label | None = None
    zero_division: float = math.nan

    short: ClassVar[str] = "f05_u"
    title: ClassVar[str] = "F0.5u"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion,)

    def __post_init__(self) -> None:
        check_positive(self.positive)
        check_positive(self.unanswered)
        check_zero_division(self.zero_division)

    def score(self, tally: Cells) -> Values:
        code = find_label(tally, self._find_positive(tally))
        gold, predicted = tally.gold == code, tally.predicted == code
        open_ = find_unanswered(tally, self.unanswered)
        hits, false, missed = (
            tally.sum_groups(tally.mass * chosen).astype(float)
            for chosen in (gold & predicted, predicted & ~gold, (gold & ~predicted) | open_)
        )
        return divide(Ratio(1.25 * hits, 1.25 * hits + 0.25 * missed + false), self.zero_division)

    def _find_positive(self, tally: Cells) -> Label:
        if self.positive is None and len(tally.labels) != 2:
            raise UsageError(
                f"{self.short} needs the positive label, as one of "
                f"{', '.join(map(str, tally.labels))}: F05U(positive='...', unanswered='...')"
            )
        return positive_of(tally.labels, self.positive)

"""Metrics that give credit for leaving a question unanswered: c@1 and F0.5u."""

import math
from typing import final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.labels.rates import positive_of
from tallystick.model.codes import Label
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, check_positive, check_zero_division, divide
from tallystick.output.tables.names import list_some


def _find_unanswered(tally: Cells, unanswered: Label | None) -> NDArray[np.bool_]:
    code = len(tally.labels) if unanswered is None else _find_label(tally, unanswered)
    return np.asarray(tally.predicted == code)


def _find_label(tally: Cells, label: Label) -> int:
    return tally.labels.index(label) if label in tally.labels else -1


@final
@dataclass(frozen=True, slots=True, repr=False)
class CAt1(Metric):
    """Accuracy, with unanswered examples taken to be right as often as the answered ones.

    Formula: (right + unanswered * right / n) / n
    Undefined: without examples.
    Source: Penas and Rodrigo 2011. PAN's evaluators compare scores with 0.5 instead.
    """

    unanswered: Label | None = None

    short = "c_at_1"
    title = "C@1"
    counters = (Confusion,)

    def __post_init__(self) -> None:
        check_positive(self.unanswered)

    def score(self, tally: Cells) -> Values:
        open_ = _find_unanswered(tally, self.unanswered)
        right = tally.sum_groups(tally.mass * (tally.right & ~open_)).astype(float)
        total = tally.sum_groups(tally.mass).astype(float)
        share = divide(Ratio(right, total), np.nan)
        return share * (1 + divide(Ratio(tally.sum_groups(tally.mass * open_), total), np.nan))


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

    short = "f05_u"
    title = "F0.5u"
    counters = (Confusion,)

    def __post_init__(self) -> None:
        check_positive(self.positive)
        check_positive(self.unanswered)
        check_zero_division(self.zero_division)

    def score(self, tally: Cells) -> Values:
        code = _find_label(tally, self._find_positive(tally))
        gold, predicted = tally.gold == code, tally.predicted == code
        open_ = _find_unanswered(tally, self.unanswered)
        hits, false, missed = (
            tally.sum_groups(tally.mass * chosen).astype(float)
            for chosen in (gold & predicted, predicted & ~gold, (gold & ~predicted) | open_)
        )
        return divide(Ratio(1.25 * hits, 1.25 * hits + 0.25 * missed + false), self.zero_division)

    def _find_positive(self, tally: Cells) -> Label:
        if self.positive is None and len(tally.labels) != 2:
            raise UsageError(
                f"{self.short} needs the positive label, as one of "
                f"{list_some([*map(str, tally.labels)])}: F05U(positive='...', unanswered='...')"
            )
        return positive_of(tally.labels, self.positive)

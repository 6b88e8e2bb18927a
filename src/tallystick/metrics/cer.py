"""The character error rate."""

from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.metrics.error_rate import rate_errors
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.text import score_once
from tallystick.tallies.edits import EditCounts
from tallystick.tallies.sums import Sums

__all__ = ["CER"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class CER(Metric):
    """How many characters must be substituted, deleted or inserted per character of reference.

    White space counts as characters, but not at the two ends of a text.

    Formula: (S + D + I) / (H + S + D), over characters
    Undefined: never; without reference characters it is the number of insertions.
    Source: Morris, Maier and Green 2004; values as jiwer 4.
    """

    lowercase: bool = False

    short: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type, ...]] = (EditCounts,)

    @property
    def counter(self) -> EditCounts:
        return EditCounts("stripped", self.lowercase)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return rate_errors(tally)

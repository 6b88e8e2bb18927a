"""The word error rate."""

from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.metrics.error_rate import rate_errors
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.text import score_once
from tallystick.tallies.edits import EditCounts
from tallystick.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

__all__ = ["WER"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class WER(Metric):
    """How many words must be substituted, deleted or inserted per word of reference.

    Formula: (S + D + I) / (H + S + D)
    Undefined: never; without reference words it is the number of insertions, as jiwer has it.
    Source: Morris, Maier and Green 2004; values as jiwer 4.
    """

    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    short: ClassVar[str] = "wer"
    title: ClassVar[str] = "WER"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type, ...]] = (EditCounts,)

    def __post_init__(self) -> None:
        if self.tokenizer is not None:
            check_tokenizer(self.tokenizer)

    @property
    def counter(self) -> EditCounts:
        return EditCounts("words", self.lowercase, self.tokenizer)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return rate_errors(tally)

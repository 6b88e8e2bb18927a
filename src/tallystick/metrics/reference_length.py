"""The closest reference length."""

from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.text import score_once
from tallystick.tallies.ngrams import NgramCounts
from tallystick.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

__all__ = ["ReferenceLength"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class ReferenceLength(Metric):
    """The number of tokens in the references that are closest in length to their hypotheses.

    Formula: sum of the length of the closest reference; of two as close, the shorter
    Undefined: never.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    tokenizer: Tokenizer = "13a"
    lowercase: bool = False

    short: ClassVar[str] = "reference_length"
    title: ClassVar[str] = "Reference Length"
    better: ClassVar[Direction] = "neither"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type, ...]] = (NgramCounts,)
    adds_up: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenizer)

    @property
    def counter(self) -> NgramCounts:
        return NgramCounts(self.tokenizer, lowercase=self.lowercase)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return tally["reference_length"]

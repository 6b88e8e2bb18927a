"""Modified n-gram precision."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.text import check_order, score_once
from tallystick.tallies.ngrams import NgramCounts
from tallystick.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

__all__ = ["NgramPrecision"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class NgramPrecision(Metric):
    """The share of the hypotheses' n-grams that a reference has, clipped to its count there.

    Formula: sum of min(count, highest count in one reference) / sum of count, over n-grams
    Undefined: where no hypothesis has n tokens.
    Source: Papineni et al. 2002; values as NLTK's modified_precision.
    """

    n: int = 1
    tokenizer: Tokenizer = "13a"
    lowercase: bool = False

    short: ClassVar[str] = "ngram_precision"
    title: ClassVar[str] = "N-gram Precision"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (NgramCounts,)
    zero: ClassVar[str] = "no n-gram of this order in its outputs is in their references"

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenizer)
        check_order("n", self.n)

    @property
    def counter(self) -> NgramCounts:
        return NgramCounts(self.tokenizer, max(self.n, 4), self.lowercase)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        found, all_ngrams = tally[f"correct_{self.n}"], tally[f"total_{self.n}"]
        return np.asarray(divide(Ratio(found, all_ngrams), np.nan))

"""The brevity penalty."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.text import score_once
from tallystick.tallies.ngrams import NgramCounts
from tallystick.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

__all__ = ["BrevityPenalty", "penalise"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class BrevityPenalty(Metric):
    """What BLEU is multiplied by where hypotheses are shorter than their closest references.

    Formula: min(1, exp(1 - r / c)), r the references' length and c the hypotheses', in tokens
    Undefined: never; 0 for empty hypotheses of references that are not empty.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    tokenizer: Tokenizer = "13a"
    lowercase: bool = False

    short: ClassVar[str] = "brevity_penalty"
    title: ClassVar[str] = "Brevity Penalty"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (NgramCounts,)
    zero: ClassVar[str] = "all its outputs are empty"

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenizer)

    @property
    def counter(self) -> NgramCounts:
        return NgramCounts(self.tokenizer, lowercase=self.lowercase)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return penalise(tally)


@np.errstate(divide="ignore", invalid="ignore")
def penalise(tally: Sums) -> Values:
    """The brevity penalty; r / c is infinite or, where both are 0, NaN, which counts as 1."""
    ratio = tally["reference_length"] / tally["hypothesis_length"]
    return np.asarray(np.exp(np.fmin(1 - ratio, 0)))

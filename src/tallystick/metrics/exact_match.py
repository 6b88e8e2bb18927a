"""Exact match of texts."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.text import score_once
from tallystick.tallies.exact import MatchCounts
from tallystick.tallies.share import Share
from tallystick.tallies.sums import Sums

__all__ = ["ExactMatch"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class ExactMatch(Metric):
    """The share of hypotheses that equal one of their references.

    Every character counts, white space and punctuation too: nothing is stripped, as in Hugging
    Face's exact_match and in lm-evaluation-harness. SQuAD's own script first removes articles,
    punctuation and case.

    Formula: hypotheses that equal a reference / all
    Undefined: without examples.
    Source: Rajpurkar et al. 2016, section 6.1, without its normalisation of texts.
    """

    lowercase: bool = False

    short: ClassVar[str] = "exact_match"
    title: ClassVar[str] = "Exact Match"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (MatchCounts,)

    @property
    def counter(self) -> MatchCounts:
        return MatchCounts(self.lowercase)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["matches"], tally["examples"]), np.nan)

    def share(self, tally: Sums) -> Share:
        return Share(tally["matches"], tally["examples"])

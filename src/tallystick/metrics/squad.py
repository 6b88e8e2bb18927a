"""SQuAD's exact match and F1."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values, fold_option
from tallystick.metrics.text import score_once
from tallystick.tallies.answers import AnswerOverlap
from tallystick.tallies.share import Share
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class SQuADExactMatch(Metric):
    """The share of short answers that equal one of their gold answers, as SQuAD compares them.

    Case, ASCII punctuation, English articles and white space are ignored. A question without an
    answer has the empty text as gold; version 2.0 leaves out gold answers of which nothing is left
    beside others. The scripts print percentages.

    Formula: answers that equal a gold answer / all
    Undefined: without examples.
    Source: Rajpurkar et al. 2016 and 2018; values as evaluate-v1.1.py and evaluate-v2.0.py.
    """

    version: Literal["1.1", "2.0"] = "2.0"

    short: ClassVar[str] = "squad_exact_match"
    title: ClassVar[str] = "SQuAD Exact Match"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (AnswerOverlap,)

    def __post_init__(self) -> None:
        fold_option(self, "version", ("1.1", "2.0"))

    @property
    def counter(self) -> AnswerOverlap:
        return AnswerOverlap(self.version)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The score of answers against gold answers, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["matches"], tally["examples"]), np.nan)

    def share(self, tally: Sums) -> Share:
        return Share(tally["matches"], tally["examples"])


@final
@dataclass(frozen=True, slots=True, repr=False)
class SQuADF1(Metric):
    """How many words short answers share with the nearest of their gold answers.

    Case, ASCII punctuation, English articles and white space are ignored. A question without an
    answer has the empty text as gold; version 2.0 gives 1 where the output is empty too, and
    leaves out gold answers of which nothing is left beside others. The scripts print percentages.

    Formula: mean over examples of the largest 2 shared / (words of output + words of gold)
    Undefined: without examples.
    Source: Rajpurkar et al. 2016 and 2018; values as evaluate-v1.1.py and evaluate-v2.0.py.
    """

    version: Literal["1.1", "2.0"] = "2.0"

    short: ClassVar[str] = "squad_f1"
    title: ClassVar[str] = "SQuAD F1"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (AnswerOverlap,)
    zero: ClassVar[str] = "no word of its outputs is in their gold"

    def __post_init__(self) -> None:
        fold_option(self, "version", ("1.1", "2.0"))

    @property
    def counter(self) -> AnswerOverlap:
        return AnswerOverlap(self.version)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The score of answers against gold answers, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["f1"], tally["examples"]), np.nan)

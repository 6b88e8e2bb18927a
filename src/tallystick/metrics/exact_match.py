"""Exact match of texts."""

import re
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.errors import UsageError
from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values, check_option, fold_option, show
from tallystick.metrics.text import score_once
from tallystick.settings import freeze_lists
from tallystick.tallies.answers import AnswerMatches, Which
from tallystick.tallies.matches import MatchCounts
from tallystick.tallies.share import Share
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter
from tallystick.tokens.normalizing import IGNORABLE, Ignorable


@final
@dataclass(frozen=True, slots=True, repr=False)
class ExactMatch(Metric):
    """The share of hypotheses that equal one of their references.

    Every character counts, white space and punctuation too, unless it is ignored: nothing is
    stripped, as in Hugging Face's exact_match and in lm-evaluation-harness, which has `lowercase`
    and ignores punctuation and numbers likewise. A hypothesis in which `extract` finds nothing
    equals no reference.

    Formula: hypotheses that equal a reference / all
    Undefined: without examples.
    Source: Rajpurkar et al. 2016, section 6.1, without its normalisation of texts.
    """

    lowercase: bool = False
    ignore: tuple[Ignorable, ...] = ()
    extract: str | None = None
    which: Which = "first"

    short: ClassVar[str] = "exact_match"
    title: ClassVar[str] = "Exact Match"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (MatchCounts, AnswerMatches)

    def __post_init__(self) -> None:
        fold_option(self, "which", ("first", "last"))
        freeze_lists(self, "ignore")
        if not isinstance(self.ignore, tuple):
            raise UsageError(f"ignore is a list such as ['punctuation'], not {self.ignore!r}")
        ignore = tuple(one.lower() if isinstance(one, str) else one for one in self.ignore)
        for one in ignore:
            check_option("ignore", one, IGNORABLE)
        object.__setattr__(self, "ignore", ignore)
        if self.extract is not None:
            _check_pattern(self.extract)

    @property
    def counter(self) -> MatchCounts | AnswerMatches:
        if not self.ignore and self.extract is None:
            return MatchCounts(self.lowercase)
        return AnswerMatches(self.lowercase, self.ignore, self.extract, self.which)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["matches"], tally["examples"]), np.nan)

    def share(self, tally: Sums) -> Share:
        return Share(tally["matches"], tally["examples"])


def _check_pattern(pattern: object) -> None:
    """Raises a UsageError unless an option is a regular expression."""
    try:
        re.compile(pattern)  # type: ignore[call-overload]
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise UsageError(f"extract is a regular expression, not {show(pattern)}: {error}") from None

"""The Levenshtein distance."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values, check_option, fold_option
from tallystick.metrics.text import score_once
from tallystick.tallies.edits import EditDistances, Unit
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer


@final
@dataclass(frozen=True, slots=True, repr=False)
class Levenshtein(Metric):
    """The fewest insertions, deletions and replacements that turn one text into the other.

    `total` adds the distances of all examples, `mean` divides that by their number, and
    `normalised` by the lengths of the longer text of each.

    Formula: sum of d(hypothesis, reference)
    Undefined: `mean` without examples, `normalised` without characters.
    Source: Levenshtein 1966; values as rapidfuzz.
    """

    measure: Literal["total", "mean", "normalised"] = "total"
    unit: Unit = "characters"
    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    short: ClassVar[str] = "levenshtein"
    title: ClassVar[str] = "Levenshtein"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type[Counter], ...]] = (EditDistances,)

    def __post_init__(self) -> None:
        fold_option(self, "measure", ("total", "mean", "normalised"))
        fold_option(self, "unit", ("characters", "words"))
        if self.tokenizer is not None:
            check_tokenizer(self)
            check_option("unit, with a tokenizer,", self.unit, ("words",))

    @property
    def counter(self) -> EditDistances:
        return EditDistances(self.unit, self.lowercase, self.tokenizer)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        if self.measure == "total":
            return tally["distance"]
        size = tally["examples"] if self.measure == "mean" else tally["longer_length"]
        return np.asarray(divide(Ratio(tally["distance"], size), np.nan))

"""Word information lost."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values, check_option
from tallystick.metrics.text import score_once
from tallystick.tallies.edits import EditCounts, Unit
from tallystick.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

__all__ = ["WIL"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class WIL(Metric):
    """The share of word information that is lost, by hits per word of reference and hypothesis.

    Formula: 1 - (H / reference words) (H / hypothesis words)
    Undefined: never; of nothing against nothing it is 0, of nothing against something 1.
    Source: Morris, Maier and Green 2004; values as jiwer 4.
    """

    lowercase: bool = False
    tokenizer: Tokenizer | None = None
    unit: Literal["words", "characters"] = "words"

    short: ClassVar[str] = "wil"
    title: ClassVar[str] = "WIL"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (EditCounts,)

    def __post_init__(self) -> None:
        check_option("unit", self.unit, ("words", "characters"))
        if self.tokenizer is not None:
            check_tokenizer(self.tokenizer)
            check_option("unit, with a tokenizer,", self.unit, ("words",))

    @property
    def counter(self) -> EditCounts:
        unit: Unit = "words" if self.unit == "words" else "stripped"
        return EditCounts(unit, self.lowercase, self.tokenizer)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        hits = tally["hits"]
        reference = hits + tally["substitutions"] + tally["deletions"]
        hypothesis = hits + tally["substitutions"] + tally["insertions"]
        kept = divide(Ratio(hits, reference), 0.0) * divide(Ratio(hits, hypothesis), 0.0)
        return 1 - np.where((reference == 0) & (hypothesis == 0), 1.0, kept)

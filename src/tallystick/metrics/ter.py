"""TER."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.text import score_once
from tallystick.tallies.shifts import ShiftedEdits
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer


@final
@dataclass(frozen=True, slots=True, repr=False)
class TER(Metric):
    """How many edits, a shifted phrase counting one, a hypothesis needs per word of reference.

    Of several references the one that needs fewest edits counts, against their mean length.

    Formula: 100 (insertions + deletions + substitutions + shifts) / mean reference length
    Undefined: never; without reference words it is 100 if there are edits, else 0.
    Source: Snover et al. 2006; values as sacreBLEU 2.6, with its limits on the search for shifts.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    tokenizer: Tokenizer | None = None

    short: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type[Counter], ...]] = (ShiftedEdits,)
    tests: ClassVar[tuple[str, ...]] = ("sacrebleu-ar", "sacrebleu-bs")

    def __post_init__(self) -> None:
        if self.tokenizer is not None:
            check_tokenizer(self)

    @property
    def counter(self) -> ShiftedEdits:
        return ShiftedEdits(
            self.normalized, self.no_punct, self.asian_support, self.case_sensitive, self.tokenizer
        )

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: Sums) -> Values:
        edits, length = tally["edits"], tally["reference_length"]
        rate = divide(Ratio(edits, length), np.nan)
        return 100 * np.where(length > 0, rate, edits > 0)

    def peer_signature(self, references: int | None) -> str | None:
        if self.tokenizer is not None:
            return None
        return "|".join(
            [
                f"nrefs:{references or 'var'}",
                f"case:{'mixed' if self.case_sensitive else 'lc'}",
                "tok:tercom",
                f"norm:{'yes' if self.normalized else 'no'}",
                f"punct:{'no' if self.no_punct else 'yes'}",
                f"asian:{'yes' if self.asian_support else 'no'}",
                "version:2.6.0",
            ]
        )

"""TER: edits with shifts of words, by words of the reference."""

from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.text_columns import TextPart, score_once
from tallystick.kinds.texts.text_sums import (
    count_threads,
    join_tokens,
    need_texts,
    spread,
    sum_rows,
)
from tallystick.tallies.metric import Direction, Metric, Values
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer


@dataclass(frozen=True, slots=True)
class ShiftedEdits:
    """Counts the fewest edits and shifts that turn a hypothesis into one of its references.

    Attributes:
        normalized: Whether punctuation is split off, as tercom's normalisation does.
        no_punct: Whether punctuation is removed.
        asian_support: Whether both also know Asian characters.
        case_sensitive: Whether case counts.
        tokenizer: What splits texts into words first; None leaves that to the rest.
    """

    kind: ClassVar = TEXTS
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    tokenizer: Tokenizer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The edits, and the mean length of the references in words, which is real-valued."""
        return ("edits", "reference_length")

    def split_by(self, tokenizer: str) -> "ShiftedEdits":
        """The same with a tokenizer, where it names none."""
        return self if self.tokenizer is not None else replace(self, tokenizer=tokenizer)

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        """One row of columns per example."""
        texts = need_texts(examples)
        if not self.case_sensitive:
            texts = texts.lower()
        if self.tokenizer is not None:
            texts = join_tokens(texts, self.tokenizer)
        edits, lengths = _native.count_ter(
            *spread(texts), self.normalized, self.no_punct, self.asian_support, count_threads()
        )
        return np.stack([edits.astype(np.float64), lengths], axis=-1)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


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
        check_tokenizer(self)

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

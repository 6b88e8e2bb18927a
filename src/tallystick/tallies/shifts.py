"""Counts of edits with shifts of words, as TER needs them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.examples.kinds import TEXTS
from tallystick.examples.systems import Systems
from tallystick.examples.text_columns import TextPart
from tallystick.tallies.splitting import join_tokens
from tallystick.tallies.sums import Sums
from tallystick.tallies.text_sums import count_threads, need_texts, spread, sum_rows
from tallystick.tokens.tokenizers import Tokenizer


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

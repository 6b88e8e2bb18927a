"""Counts of matching n-grams of characters and words, as chrF needs them."""

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
class CharNgramCounts:
    """Counts character and word n-grams of hypotheses against the reference that fits best.

    Attributes:
        char_order: The longest n-gram of characters.
        word_order: The longest n-gram of words; 0 for none.
        beta: How many times as much recall weighs as precision when the reference is chosen.
        whitespace: Whether whitespace counts as characters.
        eps_smoothing: Whether the reference is chosen by the smoothed mean over all orders.
        lowercase: Whether texts are lower-cased first.
        tokenizer: What splits texts into words; None leaves them as they are.
    """

    kind: ClassVar = TEXTS
    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    whitespace: bool = False
    eps_smoothing: bool = False
    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Three counts per order, characters first: of the hypothesis, the reference, and both."""
        orders = range(1, self.char_order + self.word_order + 1)
        kinds = ("hypothesis", "reference", "match")
        return tuple(f"{kind}_{n}" for n in orders for kind in kinds)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example."""
        texts = need_texts(examples)
        if self.lowercase:
            texts = texts.lower()
        if self.tokenizer is not None:
            texts = join_tokens(texts, self.tokenizer)
        return _native.count_char_ngrams(
            *spread(texts),
            self.char_order,
            self.word_order,
            self.whitespace,
            self.beta,
            self.eps_smoothing,
            count_threads(),
        )

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)

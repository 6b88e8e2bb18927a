"""Counts of matching n-grams of tokens, as BLEU needs them."""

from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.text_columns import TextPart
from tallystick.kinds.texts.text_sums import count_threads, spread, sum_rows
from tallystick.kinds.texts.texts import TextExamples
from tallystick.kinds.texts.token_lists import TokenExamples, tokenize
from tallystick.tallies.metric import check_whole
from tallystick.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, is_native, load_tokenizer

USUAL: Tokenizer = "13a"
"""What splits texts where nothing else is named."""

_HIGHEST = 16
"""The longest n-gram that the kernels count."""


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """Counts the n-grams that hypotheses share with their references, clipped by the reference.

    Attributes:
        tokenizer: What splits texts, 13a where it is None; token lists are taken as they are.
        order: The longest n-gram, 1 to 16.
        lowercase: Whether texts are lower-cased first.
    """

    kind: ClassVar = TEXTS
    tokenizer: Tokenizer | None = None
    order: int = 4
    lowercase: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The length of the hypothesis and of the closest reference, then counts per order."""
        return _name_columns(self.order)

    def split_by(self, tokenizer: str) -> "NgramCounts":
        """The same with a tokenizer, where it names none."""
        return self if self.tokenizer is not None else replace(self, tokenizer=tokenizer)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example."""
        if isinstance(examples, TextExamples):
            texts = examples.lower() if self.lowercase else examples
            tokenizer = USUAL if self.tokenizer is None else self.tokenizer
            if is_native(tokenizer):
                return _native.count_ngrams(*spread(texts), tokenizer, self.order, count_threads())
            examples = tokenize(texts, load_tokenizer(tokenizer))
        return _native.count_id_ngrams(*spread(examples), self.order, count_threads())

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


@dataclass(frozen=True, slots=True)
class GleuCounts:
    """Counts n-grams of all orders together that each hypothesis shares with its best reference.

    Attributes:
        tokenizer: As in `NgramCounts`.
        order: The longest n-gram, 1 to 16.
        lowercase: Whether texts are lower-cased first.
    """

    kind: ClassVar = TEXTS
    tokenizer: Tokenizer | None = None
    order: int = 4
    lowercase: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The shared n-grams, and all of the side that has more."""
        return ("shared", "ngrams")

    def split_by(self, tokenizer: str) -> "GleuCounts":
        """The same with a tokenizer, where it names none."""
        return self if self.tokenizer is not None else replace(self, tokenizer=tokenizer)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        """One row of columns per example."""
        owners = np.repeat(np.arange(len(examples)), np.diff(examples.spans))
        spans = np.arange(len(owners) + 1)
        apart: TextPart
        if isinstance(examples, TextExamples):
            hypotheses = examples.hypotheses.pick(owners)
            apart = TextExamples(hypotheses, examples.references, spans)
        else:
            apart = TokenExamples(examples.hypotheses.pick(owners), examples.references, spans)
        counts = NgramCounts(self.tokenizer, self.order, self.lowercase).rows(apart)
        orders = np.arange(self.order)
        shared, own = counts[:, 2 : 2 + self.order].sum(-1), counts[:, 2 + self.order :].sum(-1)
        theirs = np.maximum(counts[:, [1]] - orders, 0).sum(-1)
        ngrams = np.maximum(own, theirs)
        worth = np.where(ngrams > 0, shared / np.maximum(ngrams, 1), -1.0)
        best = np.lexsort((np.arange(len(owners)), -worth, owners))[examples.spans[:-1]]
        return np.stack([shared[best], ngrams[best]], axis=-1)

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        return sum_rows(self, systems)


@cache
def _name_columns(order: int) -> tuple[str, ...]:
    orders = range(1, order + 1)
    return (
        "hypothesis_length",
        "reference_length",
        *(f"correct_{n}" for n in orders),
        *(f"total_{n}" for n in orders),
    )


def check_order(name: str, value: object, least: int = 1) -> None:
    """Raises a UsageError unless an option is an order of n-grams: a whole number up to 16."""
    check_whole(name, value, least, _HIGHEST)

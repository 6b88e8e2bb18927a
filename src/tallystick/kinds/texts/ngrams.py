"""Counts of matching n-grams of tokens, as BLEU needs them."""

from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.kinds.texts.text_columns import TextPart
from tallystick.kinds.texts.text_sums import Splitting, count_threads, spread
from tallystick.kinds.texts.texts import TextExamples
from tallystick.kinds.texts.token_lists import tokenize
from tallystick.model.tallies.metric import check_whole
from tallystick.tokens.tokenizers import Tokenizer, is_native

USUAL: Tokenizer = "13a"
"""What splits texts where nothing else is named."""

_HIGHEST = 16
"""The longest n-gram that the kernels count."""


class NgramCounts(Splitting, frozen=True):
    """Counts the n-grams that hypotheses share with their references, clipped by the reference.

    Texts are split by 13a where no tokenizer is named; token lists are taken as they are.
    """

    tokenizer: Tokenizer | None = None
    order: int = 4
    lowercase: bool = False
    at_most: ClassVar = tuple((f"correct_{n}", f"total_{n}") for n in range(1, 11))

    @property
    def columns(self) -> tuple[str, ...]:
        """The length of the hypothesis and of the closest reference, then counts per order."""
        return _name_columns(self.order)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        if isinstance(examples, TextExamples):
            texts = examples.lower() if self.lowercase else examples
            tokenizer = USUAL if self.tokenizer is None else self.tokenizer
            if is_native(tokenizer):
                return _native.count_ngrams(*spread(texts), tokenizer, self.order, count_threads())
            examples = tokenize(texts, tokenizer)
        return _native.count_id_ngrams(*spread(examples), self.order, count_threads())


class GleuCounts(Splitting, frozen=True):
    """Counts n-grams of all orders together that each hypothesis shares with its best reference."""

    columns = ("shared", "ngrams")
    at_most = (columns,)
    tokenizer: Tokenizer | None = None
    order: int = 4
    lowercase: bool = False

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        apart = examples.split_references()
        counts = NgramCounts(self.tokenizer, self.order, self.lowercase).rows(apart)
        orders = np.arange(self.order)
        shared, own = counts[:, 2 : 2 + self.order].sum(-1), counts[:, 2 + self.order :].sum(-1)
        theirs = np.maximum(counts[:, [1]] - orders, 0).sum(-1)
        ngrams = np.maximum(own, theirs)
        worth = np.where(ngrams > 0, shared / np.maximum(ngrams, 1), -1.0)
        best = np.lexsort((np.arange(len(apart)), -worth, examples.owners))[examples.spans[:-1]]
        return np.stack([shared[best], ngrams[best]], axis=-1)


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

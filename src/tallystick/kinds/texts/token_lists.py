"""Hypotheses and references as lists of tokens, each token a number."""

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.kinds.texts.texts import TextExamples, Texts, measure_offsets


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Token lists in one array: list i is ids[offsets[i] : offsets[i + 1]]."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: slice) -> "Tokens":
        """Some of the lists, which follow each other."""
        offsets = self.offsets[rows.start : rows.stop + 1]
        return Tokens(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def pick(self, rows: NDArray[np.int64]) -> "Tokens":
        """Any of the lists."""
        sizes = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        return Tokens(self.ids[places], offsets)


@dataclass(frozen=True, slots=True, eq=False)
class TokenExamples:
    """The token lists of hypotheses, with those of the references of each, as in `TextExamples`."""

    hypotheses: Tokens
    references: Tokens
    spans: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hypotheses)


def number_tokens(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> tuple[Tokens, Tokens]:
    """Numbers the tokens of both sides alike, in the order in which they first appear."""
    numbers: dict[str, int] = {}
    return _number(hypotheses, numbers), _number(references, numbers)


def tokenize(examples: TextExamples, split: Callable[[str], Sequence[str]]) -> TokenExamples:
    """Applies a Python tokenizer to every hypothesis and reference."""
    hypotheses, references = number_tokens(*split_sides(examples, split))
    return TokenExamples(hypotheses, references, examples.spans)


def split_sides(
    examples: TextExamples, split: Callable[[str], Sequence[str]]
) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    """The tokens of hypotheses and of references, of which those may be kept."""
    hypotheses = split_strings(examples.hypotheses, split)
    kept = {} if examples.references.kept is None else examples.references.kept
    if split not in kept:
        kept[split] = split_strings(examples.references, split)
    return hypotheses, kept[split]


def split_strings(texts: Texts, split: Callable[[str], Sequence[str]]) -> list[Sequence[str]]:
    """The tokens that a Python tokenizer makes of each text."""
    lists = [split(text) for text in texts.strings()]
    for tokens in lists:
        check_tokens(tokens, "what the tokenizer returned")
    return lists


def check_tokens(tokens: object, where: str) -> None:
    """Raises an InputError unless these are tokens: a list of strings."""
    if not isinstance(tokens, list | tuple):
        raise InputError(f"{where}: {tokens!r} is not a list of tokens but {type(tokens).__name__}")
    for token in tokens:
        if not isinstance(token, str):
            raise InputError(f"{where}: the token {token!r} is not a string")


def _number(lists: Sequence[Sequence[str]], numbers: dict[str, int]) -> Tokens:
    offsets = measure_offsets(lists)
    ids = (numbers.setdefault(token, len(numbers)) for token in chain.from_iterable(lists))
    return Tokens(np.fromiter(ids, np.int32, count=int(offsets[-1])), offsets)

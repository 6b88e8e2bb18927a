"""Texts as lists of numbered tokens, and texts whose tokens are joined by spaces."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.kinds.texts.texts import TextExamples, TokenExamples, encode_texts, measure_offsets
from tallystick.model.codes import row_of
from tallystick.model.ragged import Ragged
from tallystick.tokens.tokenizers import Tokenize, Tokenizer, is_native, load_tokenizer

_RETURNED = "what the tokenizer returned"


def number_tokens(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> tuple[Ragged, Ragged]:
    """Numbers the tokens of both sides alike, in the order in which they first appear."""
    numbers: dict[str, int] = {}
    return _number(hypotheses, numbers), _number(references, numbers)


def _number(lists: Sequence[Sequence[str]], numbers: dict[str, int]) -> Ragged:
    offsets = measure_offsets(lists)
    ids = (numbers.setdefault(token, len(numbers)) for token in chain.from_iterable(lists))
    return Ragged(np.fromiter(ids, np.int32, count=int(offsets[-1])), offsets)


def tokenize(examples: TextExamples, tokenizer: Tokenizer) -> TokenExamples:
    """Applies a tokenizer that is not native to every hypothesis and reference."""
    return TokenExamples(*number_tokens(*_split_sides(examples, tokenizer)), examples.spans)


def join_tokens(examples: TextExamples, tokenizer: Tokenizer) -> TextExamples:
    """The same examples with a single space between the tokens of each text."""
    if is_native(tokenizer):
        return examples.map(lambda texts: texts.split(tokenizer))
    hypotheses, references = (
        encode_texts([" ".join(tokens) for tokens in side], row_of(_RETURNED))
        for side in _split_sides(examples, tokenizer)
    )
    return replace(examples, hypotheses=hypotheses, references=references)


def _split_sides(
    examples: TextExamples, tokenizer: Tokenizer
) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    """The tokens of hypotheses and of references, of which those may be kept."""
    split, references = load_tokenizer(tokenizer), examples.references
    hypotheses = split_strings(examples.hypotheses.strings(), split)
    return hypotheses, references.keep(split, lambda: split_strings(references.strings(), split))


def split_strings(strings: Sequence[str], split: Tokenize) -> list[Sequence[str]]:
    """The tokens that a Python tokenizer makes of each string."""
    lists = [split(text) for text in strings]
    for tokens in lists:
        check_tokens(tokens, _RETURNED)
    return lists


def check_tokens(tokens: object, where: str) -> None:
    """Raises an InputError unless these are tokens: a list of strings."""
    if not isinstance(tokens, list | tuple):
        raise InputError(f"{where}: {tokens!r} is not a list of tokens but {type(tokens).__name__}")
    for token in tokens:
        if not isinstance(token, str):
            raise InputError(f"{where}: the token {token!r} is not a string")

"""Texts as the kernels read them: UTF-8 bytes or numbered tokens, one text after the other."""

from collections.abc import Callable, Iterator, Sequence, Sized
from itertools import chain, pairwise
from typing import Any, Generic, Self, TypeVar

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import InputError
from tallystick.model.codes import Locate, is_text, row_of
from tallystick.model.ragged_array import Ragged, pick_ranges
from tallystick.tokens.tokenizers import Tokenize, Tokenizer, is_native, load_tokenizer

_locate = row_of("texts")
Made = TypeVar("Made")


class Texts(Ragged, frozen=True, eq=False):
    """Strings in UTF-8, the bytes of each a row.

    Attributes:
        kept: Holds what was made of the strings, where others need the same; None holds nothing.
    """

    kept: dict[Any, Any] | None = None

    def strings(self) -> list[str]:
        """The strings, one by one."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        return [data[start:end].decode() for start, end in pairwise(ends)]

    def equals(self, other: "Texts") -> bool:
        """Whether both hold the same strings."""
        same = self.offsets is other.offsets or np.array_equal(self.offsets, other.offsets)
        return same and (self.data is other.data or np.array_equal(self.data, other.data))

    def keep(self, key: object, make: Callable[[], Made]) -> Made:
        """What is made of the strings, which is kept by its key."""
        if self.kept is None:
            return make()
        if key not in self.kept:
            self.kept[key] = make()
        made: Made = self.kept[key]
        return made

    def change(self, name: str, function: Callable[[str], str]) -> "Texts":
        """What a function makes of the strings, which is kept by its name."""

        def make() -> Texts:
            texts = encode_texts([*map(function, self.strings())])
            return texts if self.kept is None else replace(texts, kept={})

        return self.keep(name, make)

    def split(self, tokenizer: str) -> "Texts":
        """The tokens that a native tokenizer finds, with a single space between them."""
        return Texts(*_native.tokenize(self.data, self.offsets, tokenizer))


Side = TypeVar("Side", bound=Ragged)


class Paired(Struct, Generic[Side], frozen=True, eq=False):
    """Hypotheses with the references of each: example i has spans[i] to spans[i + 1] (int64)."""

    hypotheses: Side
    references: Side
    spans: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hypotheses)

    @property
    def owners(self) -> NDArray[np.intp]:
        """The example of each reference."""
        return np.repeat(np.arange(len(self)), np.diff(self.spans))

    def take(self, rows: slice) -> Self:
        """Some of the examples, which follow each other."""
        spans = self.spans[rows.start : rows.stop + 1]
        references = self.references.take(slice(int(spans[0]), int(spans[-1])))
        return type(self)(self.hypotheses.take(rows), references, spans - spans[0])

    def pick(self, rows: NDArray[np.int64]) -> Self:
        """Any of the examples."""
        places, spans = pick_ranges(self.spans, rows)
        return type(self)(self.hypotheses.pick(rows), self.references.pick(places), spans)

    def split_references(self) -> Self:
        """One example for each reference."""
        owners = self.owners
        if len(owners) == len(self):
            return self
        hypotheses = self.hypotheses.pick(owners)
        return type(self)(hypotheses, self.references, np.arange(len(owners) + 1))


class TextExamples(Paired[Texts], frozen=True, eq=False):
    """Hypotheses with their references, as strings."""

    def strings(self) -> Iterator[tuple[str, list[str]]]:
        """Each hypothesis with its references."""
        references, ends = self.references.strings(), pairwise(self.spans.tolist())
        for text, (start, stop) in zip(self.hypotheses.strings(), ends, strict=True):
            yield text, references[start:stop]

    def map(self, change: Callable[[Texts], Texts]) -> "TextExamples":
        """The examples with both sides changed."""
        return replace(self, hypotheses=change(self.hypotheses), references=change(self.references))

    def lower(self) -> "TextExamples":
        """The same examples in lower case, as Python's `str.lower` has it."""
        return self.map(lambda texts: texts.change("lower", str.lower))


class TokenExamples(Paired[Ragged], frozen=True, eq=False):
    """Hypotheses with their references, as lists of tokens, each token a number (int32)."""


def encode_texts(strings: Sequence[Any], locate: Locate = _locate) -> Texts:
    """Puts strings into one buffer; a lone surrogate is an InputError."""
    try:
        return Texts(*_native.pack(list(strings)))
    except (TypeError, UnicodeEncodeError):
        for index, text in enumerate(strings):
            _check_text(text, locate(index))
        raise


def take_texts(column: Any) -> Texts | None:
    """Returns an Arrow column of strings in one buffer; None if it has other values or nulls.

    No string of Python is made, which takes up to four bytes for each letter.
    """
    if not is_text(column.type):
        return None
    if column.null_count or not len(column):
        return None
    chunked = isinstance(column, pa.ChunkedArray)
    small = pa.types.is_string(column.type) and not (chunked and column.num_chunks > 1)
    array = column if small else column.cast(pa.large_string())
    array = array.combine_chunks() if chunked else array
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return None
    _, places, data = array.buffers()
    width = np.int32 if small else np.int64
    offsets = np.frombuffer(places, width)[array.offset : array.offset + len(array) + 1]
    held = np.frombuffer(b"" if data is None else data, np.uint8)
    return Texts(held[offsets[0] : offsets[-1]], offsets.astype(np.int64) - offsets[0])


def count_references(spans: NDArray[np.int64]) -> int | None:
    """How many references each example has; None where that varies."""
    counts = np.flatnonzero(np.bincount(np.diff(spans)))
    return int(counts[0]) if len(counts) == 1 else None


def measure_offsets(items: Sequence[Sized]) -> NDArray[np.int64]:
    """Where each item begins when all are laid one after another, and where the last one ends."""
    offsets = np.zeros(len(items) + 1, np.int64)
    np.cumsum(list(map(len, items)), out=offsets[1:])
    return offsets


def pair_texts(
    hypotheses: Sequence[str] | Texts,
    references: Sequence[object] | Texts,
    locate: tuple[Locate, Locate],
) -> TextExamples:
    """Pairs each hypothesis with its references: a string, or several of which None is missing.

    `locate` shows where an example stands among the hypotheses, and among the references.
    """
    check_layout(hypotheses, references)
    own = hypotheses if isinstance(hypotheses, Texts) else encode_texts(hypotheses, locate[0])
    if isinstance(references, Texts):
        return TextExamples(own, references, np.arange(len(references) + 1))
    if set(map(type, references)) <= {str}:
        spans = np.arange(len(references) + 1)
        return TextExamples(own, encode_texts(references, locate[1]), spans)
    several = [
        one if type(one) is list and None not in one else _several(one) for one in references
    ]
    flat, spans = lay_references(several, locate[1])

    def find(place: int) -> str:
        return locate[1](int(np.searchsorted(spans, place, "right")) - 1)

    return TextExamples(own, encode_texts(flat, find), spans)


def lay_references(
    several: Sequence[Sequence[Made]], locate: Locate
) -> tuple[list[Made], NDArray[np.int64]]:
    """The references of all examples in a row, and where those of each begin.

    Raises:
        InputError: An example has none.
    """
    for index, golden in enumerate(several):
        if not golden:
            raise InputError(f"{locate(index)}: there is no reference")
    return list(chain.from_iterable(several)), measure_offsets(several)


def _several(references: object) -> list[Any]:
    if references is None:
        return []
    if not isinstance(references, Sequence) or isinstance(references, str | bytes):
        return [references]
    return [one for one in references if one is not None]


def check_layout(hypotheses: Sized, references: Sequence[object] | Texts) -> None:
    """Raises an InputError unless references are given per example, and for every one.

    The layout of sacreBLEU, one list per reference stream, is told by its lengths.
    """
    if len(hypotheses) == len(references):
        return
    listed = [] if isinstance(references, Texts) else references
    streams = [one for one in listed if isinstance(one, list | tuple)]
    if len(streams) == len(references) and {len(one) for one in streams} == {len(hypotheses)}:
        raise InputError(
            f"the references are {len(references)} x {len(hypotheses)}, one list per reference "
            "stream, as sacreBLEU takes them, but are given per example here: pass "
            "list(zip(*references))"
        )
    raise InputError(
        f"there are {len(hypotheses)} hypotheses but references for {len(references)} examples"
    )


def _check_text(text: object, where: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"{where}: {text!r} is not a string but {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{where}: character {error.start} is the lone surrogate "
            f"U+{ord(text[error.start]):04X}, which no UTF-8 file can contain"
        ) from None


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

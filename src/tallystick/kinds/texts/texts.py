"""Hypotheses and references as the kernels read them: UTF-8 bytes with offsets."""

from collections.abc import Callable, Sequence, Sized
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.codes import Locate, row_of
from tallystick.errors import InputError
from tallystick.frozen import dataclass, replace

_locate = row_of("texts")


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Strings in one buffer: string i is data[offsets[i] : offsets[i + 1]], in UTF-8.

    Attributes:
        offsets: Where each string begins, and where the last one ends.
        kept: Holds what was made of the strings, where others need the same; None holds nothing.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    kept: dict[Any, Any] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: slice) -> "Texts":
        """Some of the strings, which follow each other."""
        offsets = self.offsets[rows.start : rows.stop + 1]
        return Texts(self.data[offsets[0] : offsets[-1]], offsets - offsets[0])

    def pick(self, rows: NDArray[np.int64]) -> "Texts":
        """Any of the strings."""
        sizes = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        return Texts(self.data[places], offsets)

    def strings(self) -> list[str]:
        """The strings, one by one."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        return [data[start:end].decode() for start, end in pairwise(ends)]

    def equals(self, other: "Texts") -> bool:
        """Whether both hold the same strings."""
        same = self.offsets is other.offsets or np.array_equal(self.offsets, other.offsets)
        return same and (self.data is other.data or np.array_equal(self.data, other.data))

    def change(self, name: str, function: Callable[[str], str]) -> "Texts":
        """What a function makes of the strings, which is kept by its name."""
        kept = {} if self.kept is None else self.kept
        if name not in kept:
            texts = encode_texts([*map(function, self.strings())])
            kept[name] = texts if self.kept is None else replace(texts, kept={})
        changed: Texts = kept[name]
        return changed


@dataclass(frozen=True, slots=True, eq=False)
class TextExamples:
    """Hypotheses with the references of each: example i has spans[i] to spans[i + 1] (int64)."""

    hypotheses: Texts
    references: Texts
    spans: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hypotheses)

    def pick(self, rows: NDArray[np.int64]) -> "TextExamples":
        """Any of the examples."""
        sizes = np.diff(self.spans)[rows]
        spans = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(spans[-1]) + np.repeat(self.spans[rows] - spans[:-1], sizes)
        return TextExamples(self.hypotheses.pick(rows), self.references.pick(places), spans)

    def change(self, name: str, function: Callable[[str], str]) -> "TextExamples":
        """What a function makes of the texts, which is kept by its name."""
        hypotheses, references = (
            own.change(name, function) for own in (self.hypotheses, self.references)
        )
        return replace(self, hypotheses=hypotheses, references=references)

    def lower(self) -> "TextExamples":
        """The same examples in lower case, as Python's `str.lower` has it."""
        return self.change("lower", str.lower)


def encode_texts(strings: Sequence[Any], locate: Locate = _locate) -> Texts:
    """Puts strings into one buffer; a lone surrogate is an InputError."""
    try:
        return Texts(*_native.pack(list(strings)))
    except (TypeError, UnicodeEncodeError):
        for index, text in enumerate(strings):
            _check_text(text, locate(index))
        raise


def take_texts(column: Any) -> Texts | None:
    """Returns an Arrow column of strings in one buffer; None if it holds anything else, or nulls.

    No string of Python is made, which takes up to four bytes for each letter.
    """
    import pyarrow as pa

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
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
    references: Sequence[Any] | Texts,
    locate: tuple[Locate, Locate],
) -> TextExamples:
    """Pairs each hypothesis with its references: a string, or several of which None is missing.

    `locate` tells where an example stands among the hypotheses, and among the references.
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
    for index, golden in enumerate(several):
        if not golden:
            raise InputError(f"{locate[1](index)}: there is no reference")
    spans = measure_offsets(several)
    flat = list(chain.from_iterable(several))
    return TextExamples(
        own,
        encode_texts(
            flat, lambda index: locate[1](int(np.searchsorted(spans, index, "right")) - 1)
        ),
        spans,
    )


def _several(references: Any) -> list[Any]:
    if references is None:
        return []
    if not isinstance(references, Sequence) or isinstance(references, str | bytes):
        return [references]
    return [one for one in references if one is not None]


def check_layout(hypotheses: Sized, references: Sequence[Any] | Texts) -> None:
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
            f"U+{ord(text[error.start]):04X}, which no UTF-8 file can hold"
        ) from None

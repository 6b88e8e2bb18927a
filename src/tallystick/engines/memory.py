"""Parts of what is in memory: rows of systems, and partitions of Dask collections."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Labels
from tallystick.examples.reading import Reading
from tallystick.examples.sets import LabelRows
from tallystick.examples.systems import Output, Systems, TextPart
from tallystick.examples.texts import TextExamples, Texts
from tallystick.examples.token_lists import TokenExamples, Tokens

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some rows of systems that have been read.

    Attributes:
        systems: The rows.
        inputs: A text that changes when what they were read from does; none where that is memory,
            which cannot change.
    """

    systems: Systems
    inputs: str = ""

    @property
    def name(self) -> str:
        """The rows, as messages count them."""
        first = self.systems.first
        return f"rows {first + 1:,} to {first + len(self.systems):,}"

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.systems)

    @property
    def identity(self) -> str:
        """What it was read from, and its rows."""
        return f"{self.inputs} {self.name}"

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The rows, which have been read."""
        del reading
        yield self.systems


def cut(systems: Systems, rows: int, *, inputs: str = "") -> list[Slice]:
    """Returns slices of so many rows each.

    Args:
        systems: All rows.
        rows: The number of rows of a slice.
        inputs: A text that changes when what they were read from does.
    """
    return [
        Slice(_slice(systems, slice(first, min(first + rows, len(systems)))), inputs)
        for first in range(0, len(systems), rows)
    ]


def _slice(systems: Systems, rows: slice) -> Systems:
    return replace(
        systems,
        gold=_take(systems.gold, rows),
        outputs=tuple(_slice_output(own, rows) for own in systems.outputs),
        texts=tuple(_slice_texts(own, rows) for own in systems.texts),
        numbers=None if systems.numbers is None else systems.numbers.cut(rows),
        spans=None if systems.spans is None else systems.spans.slice(rows),
        ratings=_take(systems.ratings, rows),
        tries=tuple(_take(own, rows) for own in systems.tries),
        groups=_take(systems.groups, rows),
        clusters=_take(systems.clusters, rows),
        weights=None if systems.weights is None else systems.weights[rows],
        counts=None if systems.counts is None else systems.counts[rows],
        ids=None,
        inputs=None,
        first=systems.first + rows.start,
    )


def _take(column: Any, rows: slice) -> Any:
    """The rows of labels or label sets, if there are any."""
    match column:
        case Labels():
            return Labels(column.codes[rows], column.names)
        case LabelRows():
            return LabelRows(column.bits[rows], column.names)
    return None


def _slice_output(own: Output, rows: slice) -> Output:
    return replace(
        own,
        labels=_take(own.labels, rows),
        probabilities=None if own.probabilities is None else own.probabilities[rows],
        invalid=None if own.invalid is None else own.invalid[rows],
    )


def _slice_texts(part: TextPart, rows: slice) -> TextPart:
    spans = part.spans[rows.start : rows.stop + 1]
    references = slice(int(spans[0]), int(spans[-1]))
    if isinstance(part, TokenExamples):
        return TokenExamples(
            _slice_tokens(part.hypotheses, rows),
            _slice_tokens(part.references, references),
            spans - spans[0],
        )
    return TextExamples(
        _slice_strings(part.hypotheses, rows),
        _slice_strings(part.references, references),
        spans - spans[0],
    )


def _slice_strings(texts: Texts, rows: slice) -> Texts:
    offsets = texts.offsets[rows.start : rows.stop + 1]
    return Texts(texts.data[offsets[0] : offsets[-1]], offsets - offsets[0])


def _slice_tokens(tokens: Tokens, rows: slice) -> Tokens:
    offsets = tokens.offsets[rows.start : rows.stop + 1]
    return Tokens(tokens.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

"""Decodes lines of JSON at once where all are objects of the same keys and of plain values."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

import msgspec
import numpy as np
import pyarrow

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.io.tables.building import build_booleans, build_numbers, build_strings

_BUILD: Mapping[type, Callable[..., pyarrow.Array]] = {
    str: build_strings,
    bool: build_booleans,
    int: build_numbers,
    float: build_numbers,
}


@dataclass(frozen=True, slots=True)
class PlainRows:
    """What all lines of a file look like.

    Attributes:
        types: The type of the values of each key, in the order of the first line.
        decoder: Decodes lines into objects whose values are their attributes, in that order.
    """

    types: Mapping[str, type]
    decoder: "msgspec.json.Decoder[msgspec.Struct]"

    def read(self, text: bytes, kept: Sequence[str]) -> pyarrow.Table:
        """Returns some columns of whole lines.

        Raises:
            InputError: A line holds anything but the same keys with values of the same types.
        """
        if not _starts_objects(text):
            raise InputError("a line is no object")
        try:
            rows = self.decoder.decode_lines(text)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise InputError("a line is of another form") from error
        strings = sum(kind is str for kind in self.types.values())
        # A key that stands twice has quotes that no value accounts for.
        quotes = 2 * len(rows) * (len(self.types) + strings)
        if b"\\" in text or text.count(b'"') != quotes or len(rows) != _count_lines(text):
            raise InputError("a line has escapes, a key twice or several objects")
        return pyarrow.table({name: self._build(name, rows) for name in kept})

    def _build(self, name: str, rows: Sequence[msgspec.Struct]) -> pyarrow.Array:
        """Returns the values of a key as a column."""
        kind, place = self.types[name], list(self.types).index(name)
        values = list(map(attrgetter(f"f{place}"), rows))
        if kind in (int, float) and set(map(type, values)) != {kind}:
            raise InputError("whole numbers and fractions are mixed")
        try:
            return _BUILD[kind](values)
        except OverflowError as error:
            raise InputError("a number is beyond 64 bits") from error


def read_form(text: bytes) -> PlainRows:
    """Returns the form of the first of some lines.

    Raises:
        InputError: It is no object of strings, numbers and booleans.
    """
    try:
        first = msgspec.json.decode(text.partition(b"\n")[0], type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError("the first line is no object") from error
    types = {name: type(value) for name, value in first.items()}
    if not types or not set(types.values()) <= _BUILD.keys():
        raise InputError("the first line has other values")
    places = {f"f{place}": name for place, name in enumerate(types)}
    fields = [
        (place, int | float if types[name] in (int, float) else types[name])
        for place, name in places.items()
    ]
    try:
        row = msgspec.defstruct("Row", fields, rename=places, forbid_unknown_fields=True, gc=False)
    except ValueError as error:
        raise InputError("a key has other characters") from error
    return PlainRows(types, msgspec.json.Decoder(row))


def _starts_objects(text: bytes) -> bool:
    """Returns whether a brace begins each line, as none within plain values does."""
    data = np.frombuffer(text, np.uint8)
    starts = np.flatnonzero(data[:-1] == ord("\n")) + 1
    return data[0] == ord("{") and bool((data[starts] == ord("{")).all())


def _count_lines(text: bytes) -> int:
    return text.count(b"\n") + (not text.endswith(b"\n"))

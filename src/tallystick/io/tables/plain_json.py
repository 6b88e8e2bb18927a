"""Decodes lines of JSON at once where all are objects of the keys that the first one has."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pyarrow
from numpy.typing import NDArray

from tallystick._native import _ext
from tallystick.errors import InputError
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.building import SEED, build_cells

KINDS: Mapping[type, pyarrow.DataType] = {
    str: pyarrow.string(),
    int: pyarrow.int64(),
    float: pyarrow.float64(),
    bool: pyarrow.bool_(),
}
"""The types of plain values, in the order in which the kernel numbers them, before any others."""

_LEAST, _FEW = 1 << 12, 8
"""Of the first lines, so many must there be, and so often must values recur, to be coded."""


@dataclass(frozen=True, slots=True)
class PlainRows:
    """What all lines of a file look like.

    Attributes:
        types: The type of the value of each key in the first line, in their order; `object` where
            all are kept as JSON text.
        coded: The keys whose values recur, and are read as codes into these.
    """

    types: Mapping[str, type]
    coded: frozenset[str] = frozenset()

    def read(self, text: bytes, kept: Sequence[str]) -> pyarrow.Table:
        """Returns some columns of whole lines: JSON text where the first line has no plain value.

        Raises:
            InputError: A line holds other keys, or a plain value is missing, or is of another type
                than in the first line.
        """
        wanted = [0 if name not in kept else 2 if name in self.coded else 1 for name in self.types]
        columns = dict(zip(self.types, self._read(text, kept, wanted), strict=True))
        cells = {name: build_cells(*columns[name]) for name in kept}
        kinds = {name: KINDS.get(self.types[name], pyarrow.large_binary()) for name in kept}
        return pyarrow.table(
            {
                name: own if name in self.coded else own.cast(kinds[name])
                for name, own in cells.items()
            }
        )

    def check(self, text: bytes, kept: Sequence[str]) -> None:
        """Raises the InputError that `read` raises."""
        self._read(text, kept, [0] * len(self.types))

    def _read(
        self, text: bytes, kept: Sequence[str], wanted: Sequence[int]
    ) -> list[tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]]]:
        known = list(KINDS)
        plain = {name for name in kept if self.types[name] in KINDS}
        kinds = [
            known.index(kind) if name in plain else len(known) for name, kind in self.types.items()
        ]
        numbers = np.array(kinds, np.uint8), np.array(wanted, np.uint8)
        found = _ext.read_json_rows(np.frombuffer(text, np.uint8), list(self.types), *numbers, SEED)
        if found is None:
            raise InputError("a line is of another form")
        return found

    def loosen(self) -> "PlainRows":
        """The same with JSON text in all columns."""
        return PlainRows(dict.fromkeys(self.types, object))

    def find_coded(self, text: bytes, kept: Sequence[str]) -> "PlainRows":
        """The same with the kept keys to code, as the first lines show them."""
        rows = text.count(b"\n")
        if rows < _LEAST:
            return self
        texts = [name for name in kept if self.types[name] is str]
        columns = self.read(text, texts)
        few = [name for name in texts if _FEW * len(columns[name].unique()) <= rows]
        return replace(self, coded=frozenset(few))


def read_form(text: bytes) -> PlainRows:
    """Returns the form of the first of some lines."""
    try:
        first = msgspec.json.decode(text.partition(b"\n")[0], type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError("the first line is no object") from error
    if not first:
        raise InputError("the first line has no keys")
    return PlainRows({name: type(value) for name, value in first.items()})

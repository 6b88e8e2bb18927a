"""Decodes lines of JSON at once where all are objects of the same keys and of plain values."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pyarrow

from tallystick._native import _ext
from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.io.tables.building import build_split

KINDS: Mapping[type, pyarrow.DataType] = {
    str: pyarrow.string(),
    int: pyarrow.int64(),
    float: pyarrow.float64(),
    bool: pyarrow.bool_(),
}
"""The types of values, in the order in which the kernel numbers them."""


@dataclass(frozen=True, slots=True)
class PlainRows:
    """What all lines of a file look like: the type of the values of each key, in their order."""

    types: Mapping[str, type]

    def read(self, text: bytes, kept: Sequence[str]) -> pyarrow.Table:
        """Returns some columns of whole lines.

        Raises:
            InputError: A line holds anything but the same keys with values of the same types.
        """
        kinds = np.array([list(KINDS).index(kind) for kind in self.types.values()], np.uint8)
        found = _ext.read_json_rows(np.frombuffer(text, np.uint8), list(self.types), kinds)
        if found is None:
            raise InputError("a line is of another form")
        columns = dict(zip(self.types, found, strict=True))
        return pyarrow.table(
            {name: build_split(*columns[name]).cast(KINDS[self.types[name]]) for name in kept}
        )


def read_form(text: bytes) -> PlainRows:
    """Returns the form of the first of some lines."""
    try:
        first = msgspec.json.decode(text.partition(b"\n")[0], type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError("the first line is no object") from error
    types = {name: type(value) for name, value in first.items()}
    if not types or not set(types.values()) <= KINDS.keys():
        raise InputError("the first line has other values")
    return PlainRows(types)

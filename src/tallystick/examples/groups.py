"""The groups of examples: values of columns, or ranges of numbers."""

import re
from collections.abc import Sequence

import numpy as np

from tallystick.codes import Labels, as_text, combine, encode
from tallystick.errors import InputError, UsageError
from tallystick.examples.sides import Side

_BINS = re.compile(r"(?P<name>.+):(?P<bins>[0-9]{1,4})")


def read_groups(sides: Sequence[Side], by: Sequence[str]) -> Labels | None:
    """The group of each example by some columns of the first table that has them; or None.

    `NAME:4` parts the numbers of a column into four ranges that hold about as many examples each.
    """
    columns = [_read_group(sides, name) for name in by]
    return combine(columns) if len(columns) > 1 else columns[0] if columns else None


def _read_group(sides: Sequence[Side], name: str) -> Labels:
    match = _BINS.fullmatch(name)
    if match is not None and not any(name in side.names for side in sides):
        found = next((side for side in sides if side.has(match["name"])), sides[0])
        return _bin(found, match["name"], int(match["bins"]))
    side = next((side for side in sides if side.has(name)), sides[0])
    return as_text(encode(side.values(name), side.locate(name)))


def _bin(side: Side, name: str, bins: int) -> Labels:
    if bins < 2:
        raise UsageError(f"{name}:{bins} makes a single group; use two or more")
    values = side.numbers(name)
    broken = np.flatnonzero(~np.isfinite(values))
    if len(broken):
        raise InputError(
            f"{side.locate(name)(int(broken[0]))}: {values[broken[0]]} falls into no range"
        )
    edges = np.unique(np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf"))
    places = np.searchsorted(edges, values, side="left")
    used, codes = np.unique(places, return_inverse=True)
    names = tuple(_name_range(values[places == place]) for place in used.tolist())
    return Labels(codes.astype(np.uint32), names)


def _name_range(values: np.ndarray) -> str:
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g}\N{EN DASH}{high:g}"

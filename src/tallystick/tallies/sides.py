"""The sides of patterns, gold and outputs: codes of labels, numbers, or sets as packed bits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label, Labels, place_names
from tallystick.examples.reading import Kind
from tallystick.examples.systems import Column
from tallystick.tallies.storage import Stored


def check_side(kind: Kind[Column], column: NDArray[Any], labels: int, *, gold: bool) -> None:
    """Raises a ValueError where the patterns of a kind cannot have such a side.

    Args:
        kind: What the counter reads.
        column: The side of each pattern.
        labels: How many labels there are.
        gold: Whether it is gold, which always has an answer.
    """
    name = "gold" if gold else "outputs"
    if kind.name == "label sets":
        width = labels // 8 + 1
        if column.dtype != np.uint8 or column.shape[1:] != (width,):
            raise ValueError(f"its {name} are not sets of its labels")
        bits = np.unpackbits(column, axis=1, bitorder="little")
        invalid = bits[:, labels].astype(bool)
        if bits[:, labels + 1 :].any() or (invalid & (gold | bits[:, :labels].any(1))).any():
            raise ValueError(f"its {name} are not sets of its labels")
    elif kind.side == "numbers":
        if column.ndim != 1 or column.dtype != np.float64 or not np.isfinite(column).all():
            raise ValueError(f"its {name} are not finite numbers")
    elif column.ndim != 1 or column.dtype != _code_type(labels):
        raise ValueError(f"its {name} are not codes of its labels")
    elif column.max(initial=0) >= max(labels, 1) + (not gold):
        raise ValueError(f"its {name} point beyond its labels")


def read_sides(
    kind: Kind[Column], stored: Stored, labels: int, size: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Gold and outputs of so many patterns; raises a ValueError where they mean nothing."""
    gold, outputs = stored.read("gold"), stored.read("outputs")
    if gold.shape[:1] != (size,) or outputs.shape[:2] != (len(stored.systems), size):
        raise ValueError("its gold and outputs are not one for each of its cells")
    check_side(kind, gold, labels, gold=True)
    for own in outputs:
        check_side(kind, own, labels, gold=False)
    return gold, outputs


def recode(
    column: NDArray[Any], names: tuple[Label, ...], wanted: tuple[Label, ...]
) -> NDArray[Any]:
    """A column of gold or outputs over other names, among which all of its own are."""
    if names == wanted:
        return column
    if column.ndim > 1:
        return select_labels(column, names, wanted)
    table = [*place_names(names, wanted), len(wanted)]
    return np.asarray(np.array(table, _code_type(len(wanted)))[column])


def _code_type(labels: int) -> type[np.unsignedinteger[Any]]:
    """The type of codes of labels, and of the one beyond them."""
    return np.uint8 if labels < np.iinfo(np.uint8).max else np.uint32


def select_labels(
    bits: NDArray[np.uint8], names: tuple[Label, ...], wanted: tuple[Label, ...]
) -> NDArray[np.uint8]:
    """Sets over other names; the bit behind the names, of what is no set, stays behind them."""
    own = np.unpackbits(bits, axis=1, count=len(names) + 1, bitorder="little").astype(bool)
    moved = np.zeros((len(bits), len(wanted) + 1), bool)
    places = {name: place for place, name in enumerate(wanted)}
    pairs = [(at, places[name]) for at, name in enumerate(names) if name in places]
    for old, new in (*pairs, (len(names), len(wanted))):
        moved[:, new] = own[:, old]
    return np.packbits(moved, axis=1, bitorder="little")


def encode_labels(
    gold: Labels, columns: Sequence[Labels], invalid: Sequence[NDArray[np.bool_] | None]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The codes of gold and outputs in one type; what is no label is coded beyond them."""
    wide = len(gold.names)
    kind = _code_type(wide)
    outputs = [
        own.codes.astype(kind, copy=False)
        if wrong is None
        else np.where(wrong, kind(wide), own.codes).astype(kind)
        for own, wrong in zip(columns, invalid, strict=True)
    ]
    return gold.codes.astype(kind, copy=False), np.stack(outputs)

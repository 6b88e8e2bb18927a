"""The sides of patterns, gold and outputs: codes of labels or of label sets, or numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.model.codes import Label, Labels, place_names
from tallystick.model.reading import Kind
from tallystick.model.systems import Column
from tallystick.model.tallies.code_sets import CodeSets
from tallystick.model.tallies.storage import LARGEST, Stored


def check_side(kind: Kind[Column], column: NDArray[Any], labels: int, *, gold: bool) -> None:
    """Raises a ValueError where the patterns of a kind cannot have such a side.

    Args:
        kind: What the counter reads.
        column: The side of each pattern.
        labels: How many labels there are.
        gold: Whether it is gold, which always has an answer.
    """
    name = "gold" if gold else "outputs"
    if kind.side == "numbers":
        if column.ndim != 1 or column.dtype != np.float64 or not (np.abs(column) <= LARGEST).all():
            raise ValueError(f"its {name} are not numbers that can be read")
    elif column.ndim != 1 or column.dtype != _code_type(labels):
        raise ValueError(f"its {name} are not codes of its labels")
    elif column.max(initial=0) >= max(labels, 1) + (not gold):
        raise ValueError(f"its {name} point beyond its labels")


def read_sides(
    kind: Kind[Column], stored: Stored, labels: int, size: int
) -> tuple[NDArray[Any], NDArray[Any], CodeSets | None]:
    """Gold and outputs of so many patterns; raises a ValueError where they mean nothing."""
    gold, outputs = stored.read("gold"), stored.read("outputs")
    if gold.shape[:1] != (size,) or outputs.shape[:2] != (len(stored.systems), size):
        raise ValueError("its gold and outputs are not one for each of its cells")
    if kind.name == "label sets":
        return _read_sets(stored, gold, outputs)
    check_side(kind, gold, labels, gold=True)
    for own in outputs:
        check_side(kind, own, labels, gold=False)
    return gold, outputs, None


def _read_sets(
    stored: Stored, gold: NDArray[Any], outputs: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], CodeSets]:
    labels, listed = len(stored.list_names("labels")), len(stored.list_names("listed"))
    offsets = stored.read_whole("sets.offsets", (None,))
    codes = stored.read_whole("sets.codes", (None,), most=labels)
    if offsets[:1] != 0 or offsets[-1:] != len(codes) or (np.diff(offsets) < 0).any():
        raise ValueError("its sets are not parts of its codes")
    sets = CodeSets(offsets, codes)
    ascending = np.diff(sets.recode(np.arange(labels + 1)).codes, prepend=-1) > 0
    starts = offsets[:-1][sets.sizes > 0]
    ascending[starts] = True
    distinct, ranks = sets.encode()
    owners, _ = sets.list_members()
    alone = sets.sizes[owners[codes == labels]] == 1
    ranked = np.array_equal(ranks, np.arange(len(distinct))) and len(distinct) == len(sets)
    if not (ascending.all() and alone.all() and ranked and np.array_equal(codes, distinct.codes)):
        raise ValueError("its sets are not different sets of its labels in their order")
    for own in (gold, *outputs):
        if own.ndim != 1 or own.dtype != np.uint32 or own.max(initial=0) >= max(len(sets), 1):
            raise ValueError("its gold and outputs are not codes of its sets")
    if (sets.take(gold).codes >= listed).any():
        raise ValueError("its gold has labels that it does not list")
    return gold, outputs, sets


def recode(
    column: NDArray[Any], names: tuple[Label, ...], wanted: tuple[Label, ...]
) -> NDArray[Any]:
    """A column of gold or outputs over other names, among which all of its own are."""
    if names == wanted:
        return column
    table = [*place_names(names, wanted), len(wanted)]
    return np.asarray(np.array(table, _code_type(len(wanted)))[column])


def _code_type(labels: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if labels < np.iinfo(np.uint8).max else np.uint32


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

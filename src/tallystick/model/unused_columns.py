"""Notes on columns beside gold and outputs that were not used, or that contradict the gold's."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tallystick.errors import InputError
from tallystick.model.block_notes import count_differences
from tallystick.model.codes import Labels, unify
from tallystick.model.columns import BOTH, CONFIDENCE, IDS, OUTPUTS, THRESHOLD, Columns, find
from tallystick.model.sides import Side, read_names

_ROLES = {"gold": BOTH, "predictions": OUTPUTS, "ids": IDS}


def note_taken(
    side: Side, role: str, taken: Sequence[str], used: Iterable[str | None], columns: Columns
) -> list[str]:
    """Returns a note on what was taken as gold or predictions where another column could have been.

    Nothing is told of columns that were named, and of such as a text or an author beside a column
    of a usual name.
    """
    if {*taken} & {*columns.named()}:
        return []
    apart = {*taken, *used, *columns.named(), THRESHOLD, *CONFIDENCE}
    rest = [name for name in side.names if name not in apart and not _is_usual(name, "ids")]
    strange = any(not _is_usual(name, role) for name in taken)
    if not rest or not (strange or any(_is_usual(name, role) for name in rest)):
        return []
    columns_of = "column" if len(taken) == 1 else "columns"
    return [
        f"{side.table.source}: the {role} {'was' if role == 'gold' else 'were'} taken from the "
        f"{columns_of} {_quote(taken)}; not used: {_quote(rest)}."
    ]


@lru_cache(maxsize=1 << 15)
def _is_usual(name: str, role: str) -> bool:
    return find((name,), _ROLES[role]) is not None


def note_differences(
    left: Side, right: Side, gold: str, taken: Sequence[str], columns: Columns
) -> list[str]:
    """That a system's table has the gold or groups too, and other ones; those of the gold count.

    This is about the gold, and so nothing for the eyes of participants.
    """
    if left.beside(right) or right.absent is not None:
        return []
    names = [name for name in (gold, *columns.by) if left.has(name) and right.has(name)]
    return [
        count_differences(right.table.source, name, left.table.source, count)
        for name in dict.fromkeys(names)
        if name not in taken and (count := _count_differences(left, right, name))
    ]


def check_order(left: Side, right: Side, columns: Columns) -> None:
    """Raises an InputError where tables without ids share a key that shows another order."""
    roles = (*BOTH, *OUTPUTS, THRESHOLD, *columns.named())
    for name in left.names:
        if name not in right.names or find((name,), roles) is not None:
            continue
        one, other = (_read(side, name) for side in (left, right))
        if one is None or other is None or len(one.names) < len(one):
            continue
        if len(one) > 1 and one.names == other.names and (one.codes != other.codes).any():
            raise InputError(
                f"{right.table.source} has the same values in its column {name!r} as "
                f"{left.table.source}, in another order; join them by it with --id-column {name}"
            )


def are_equal(left: Side, right: Side, names: tuple[str, str]) -> bool:
    """Whether a column of one table says the same as one of another, however it is written."""
    one, other = _read(left, names[0]), _read(right, names[1])
    if one is None or other is None:
        return bool(left.values(names[0]).equals(right.values(names[1])))
    return len(one) == len(other) and not _differ(one, other).any()


def _count_differences(left: Side, right: Side, name: str) -> int:
    one, other = _read(left, name), _read(right, name)
    return 0 if one is None or other is None else int(_differ(one, other).sum())


def _differ(one: Labels, other: Labels) -> Any:
    one, other = unify(one, other)
    return np.not_equal(one.codes, other.codes)


def _read(side: Side, name: str) -> Labels | None:
    """A column as labels; None where it holds none."""
    try:
        return read_names([side], name)
    except InputError:
        return None


def _quote(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"

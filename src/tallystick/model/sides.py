"""One table next to the gold: its values in the order of the gold rows, and unused columns."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.formats import COMMAS, list_parts, split_dotted
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_list, build_places, parse_number, plain, write_numbers
from tallystick.model.codes import (
    Labels,
    Locate,
    are_coded,
    as_text,
    combine,
    encode,
    is_text,
    unify,
)
from tallystick.model.columns import (
    BOTH,
    CONFIDENCE,
    EACH_SCORE,
    IDS,
    INPUT,
    NUMERIC,
    OUTPUT,
    OUTPUTS,
    PREDICTED,
    THRESHOLD,
    Columns,
    find,
    find_only,
    need,
)
from tallystick.model.facts import count_differences
from tallystick.model.number_values import check_each, read_numbers

_SHORT = re.compile(r"p_.+")
_NEAR = 0.02
"""So far from 1 probabilities add up that were rounded to two decimals."""


class Side(Struct, frozen=True, eq=False):
    """A table with its rows in the order of the gold.

    Attributes:
        rows: The row of each example, -1 if it has none; None if the order is the same.
        stood: The row in its file of each row of the table; None if unchanged.
        note: How its ids were matched with those of the gold, if unusual.
    """

    table: Table
    rows: NDArray[np.int64] | None = None
    stood: NDArray[np.int64] | None = None
    note: str = ""

    def __len__(self) -> int:
        return len(self.table) if self.rows is None else len(self.rows)

    def beside(self, other: "Side") -> bool:
        """Whether the other side is in the same table."""
        return self.table is other.table

    def keep(self, kept: NDArray[np.bool_]) -> "Side":
        """The same with some of the examples."""
        places = np.arange(len(self.table)) if self.rows is None else self.rows
        return replace(self, rows=places[kept].astype(np.int64))

    def lose(self, lost: NDArray[np.bool_]) -> "Side":
        """The same, with some of the examples taken for absent."""
        places = np.arange(len(self.table)) if self.rows is None else self.rows
        return replace(self, rows=np.where(lost, -1, places).astype(np.int64))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.table.names()

    def has(self, name: str) -> bool:
        """Whether there is a column of that name, or one that a dotted name reaches into."""
        names = self.names
        return all(
            any(head in names for head, _ in split_dotted(part)) for part in list_parts(name)
        )

    @property
    def absent(self) -> NDArray[np.bool_] | None:
        """Which examples the table does not have; None where it has all of them."""
        if self.rows is None:
            return None
        lacking = self.rows < 0
        return lacking if lacking.any() else None

    def values(self, name: str) -> Any:
        """A column as an Arrow array; null where the table does not have an example."""
        column = write_numbers(plain(self.table.column(name)))
        if self.rows is None or np.array_equal(self.rows, np.arange(len(column))):
            return column
        return column.take(build_places(self.rows))

    def list_distinct(self, name: str) -> pa.ChunkedArray:
        """The values of a column, of codes each once for a chunk."""
        column = self.table.column(name)
        if self.rows is not None or not are_coded(column):
            return self.values(name)
        return plain(pa.chunked_array([chunk.unique() for chunk in column.chunks], column.type))

    def column(self, name: str) -> pa.ChunkedArray:
        """A column as it was read, of the examples that are kept."""
        column = self.table.column(name)
        return column if self.rows is None else column.take(build_places(self.rows))

    def cells(self, name: str) -> list[Any]:
        """The values of a column as Python objects; None where an example is missing."""
        return as_list(self.values(name), f"{self.table.source}: column {name!r}")

    def locate_row(self, index: int) -> str:
        """Where an example stands."""
        row = index if self.rows is None else int(self.rows[index])
        if row < 0:
            return f"{self.table.source}, which has no example {index + 1}"
        row = row if self.stood is None else int(self.stood[row])
        return f"{self.table.source}, {self.table.locate(row)}"

    def locate(self, name: str) -> Locate:
        """Tells where an example is in a column."""
        return lambda index: f"{self.locate_row(index)}, column '{name}'"

    def labels(self, name: str, columns: Columns) -> Labels:
        """A column of labels."""
        if self.rows is None:
            labels = encode(self.table.column(name), self.locate(name))
        else:
            labels = self._take_labels(name) or encode(self.values(name), self.locate(name))
        return as_text(labels, fold_case=columns.fold_case)

    def _take_labels(self, name: str) -> Labels | None:
        """Labels in another order, without reordering texts; None if one is wrong or unused."""
        assert self.rows is not None
        if len(self.rows) != len(self.table) or (self.rows < 0).any():
            return None
        try:
            labels = encode(self.table.column(name), self.locate(name)).take(self.rows)
        except InputError:
            return None
        return labels if labels.count_each().all() else None

    def decimals(self, name: str) -> Any:
        """A column whose numbers have decimal points, also where the file has commas."""
        values = self.values(name)
        if COMMAS in (self.table.columns.schema.metadata or {}) and is_text(values.type):
            import pyarrow.compute as pc

            values = pc.replace_substring_regex(values, r"^(\s*[-+]?\d*),(\d+\s*)$", r"\1.\2")
        return values

    def numbers(self, name: str) -> NDArray[Any]:
        """A column of numbers; NaN where it may have gaps, and else none may be missing."""
        self.need_all(f"numeric column {name!r}")
        return read_numbers(self.decimals(name), self.locate(name), gaps=name in self.table.gaps)

    def objects(self, name: str) -> list[Any]:
        """A column of the objects and lists of JSON, without missing ones."""
        self.need_all(f"column {name!r}")
        found = self.table.values(name)
        return found if self.rows is None else [found[row] for row in self.rows.tolist()]

    def need_all(self, what: str, cure: str = "") -> None:
        """Raises an InputError where an example is missing; a cure comes before usual ones."""
        if self.absent is not None:
            raise InputError(
                f"{self.table.source}: {self.absent.sum()} of {len(self)} examples are missing, "
                f"which cannot count as wrong in the {what}; {cure}choose `missing='exclude'` or "
                "common"
            )


def list_probabilities(side: Side) -> list[str]:
    """The columns with the probability of one label each: y_prob_joy, or p_joy if shares."""
    names = side.names
    usual = next((one for one in EACH_SCORE if any(name.startswith(one) for name in names)), None)
    if usual is not None:
        return [name for name in names if name.startswith(usual)]
    short = [name for name in names if _SHORT.fullmatch(name)]
    if len(short) < 2:
        return []
    some = side.table.head()
    columns = [some.values(name) for name in short]
    matrix = np.array([[parse_number(str(cell)) for cell in own] for own in columns], np.float64)
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    shares = (known >= 0).all(axis=0) & (abs(known.sum(axis=0) - 1) < _NEAR)
    return short if 2 * int(shares.sum()) > len(shares) else []


def find_output_column(left: Side, right: Side, columns: Columns) -> str:
    """The column of a system's texts: named, of a usual name, or the only one that is left."""
    names = [name for name in right.names if not left.beside(right) or name != columns.gold]
    found = find(names, (*OUTPUT, *PREDICTED), columns.predicted)
    if found is not None:
        return found
    apart = (*IDS, *columns.by, columns.clusters, *columns.ids)
    if not left.beside(right):
        found = find_only(right.names, apart) or find_only(right.names, (*apart, *INPUT))
    return found or need(right.table, OUTPUT, None, "predicted")


def find_gold(left: Side, columns: Columns, *, alone: bool, usual: Sequence[str] = BOTH) -> str:
    """The column of gold: the one that was named, one of a usual name, or the only one there is."""
    names = [name for name in left.names if not alone or name != columns.predicted]
    name = find(names, usual, columns.gold)
    if name is None and not alone:
        name = _find_single(names, columns)
    return need(left.table, usual, None, "gold") if name is None else name


def find_output(
    left: Side,
    right: Side,
    columns: Columns,
    column: str | None = None,
    usual: tuple[Sequence[str], Sequence[str]] = (NUMERIC, BOTH),
) -> str:
    """The column asked for, or of the output: a `usual` one (not the gold's), or the only one."""
    asked = column or columns.predicted
    if asked is not None:
        return find(right.names, (), asked) or asked
    gold = find(left.names, usual[1], columns.gold)
    names = [name for name in right.names if not left.beside(right) or name != gold]
    names = [name for name in names if name != columns.rated]
    found = find(names, usual[0]) or _find_single(names, columns)
    return found or need(right.table, usual[0], None, "predicted")


def _find_single(names: Sequence[str], columns: Columns) -> str | None:
    """The only column but ids, groups, clusters, rated systems and texts."""
    apart = (*IDS, *INPUT, *columns.by, columns.clusters, *columns.ids, columns.rated)
    return find_only(names, apart)


def read_names(sides: Sequence[Side], name: str) -> Labels:
    """A column of names as text, of the first table that has it."""
    side = next((side for side in sides if side.has(name)), sides[0])
    values = side.values(name)
    if pa.types.is_temporal(values.type):
        values = values.cast(pa.string())
    if (pa.types.is_list(values.type) or pa.types.is_large_list(values.type)) and is_text(
        values.type.value_type
    ):
        values = pa.array(["/".join(map(str, one or ())) for one in values.to_pylist()])
    return as_text(encode(values, side.locate(name)))


_BINS = re.compile(r"(?P<name>.+):(?P<bins>[0-9]{1,4}|year|month|day)")
_UNITS = {"year": 4, "month": 7, "day": 10}
"""How many characters of a date, such as 2026-01-31, a unit has."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T].*)?")


def read_groups(sides: Sequence[Side], by: Sequence[str]) -> Labels | None:
    """The group of each example by some columns of the first table that has them; or None.

    `NAME:4` parts the numbers of a column into four ranges that hold about as many examples each,
    and `NAME:month` groups dates.
    """
    columns = list[Labels]()
    for name in by:
        match = _BINS.fullmatch(name)
        if match is not None and not any(name in side.names for side in sides):
            found = next((side for side in sides if side.has(match["name"])), sides[0])
            dates = match["bins"] in _UNITS
            columns.append((_cut_dates if dates else _bin)(found, match["name"], match["bins"]))
        else:
            columns.append(read_names(sides, name))
    return combine(columns) if columns else None


def _cut_dates(side: Side, name: str, unit: str) -> Labels:
    dates = read_names([side], name)
    wrong = next((one for one in dates.names if _DATE.fullmatch(str(one)) is None), None)
    if wrong is not None:
        raise InputError(
            f"{side.table.source}, column {name!r}: {wrong!r} is no date, such as 2026-01-31"
        )
    return dates.rename(lambda one: str(one)[: _UNITS[unit]])


def _bin(side: Side, name: str, count: str) -> Labels:
    bins = int(count)
    if bins < 2:
        raise UsageError(f"{name}:{bins} makes a single group; use two or more")
    values = side.numbers(name)
    check_each(np.isfinite(values), values, side.locate(name), "falls into no range")
    edges = np.unique(np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf"))
    used, codes = np.unique(np.searchsorted(edges, values, side="left"), return_inverse=True)
    parts = (values[codes == code] for code in range(len(used)))
    names = tuple(
        f"{low:g}" if low == high else f"{low:g}\N{EN DASH}{high:g}"
        for low, high in ((own.min(), own.max()) for own in parts)
    )
    return Labels(codes.astype(np.uint32), names)


_ROLES = {"gold": BOTH, "predictions": OUTPUTS, "ids": IDS}


def note_taken(
    side: Side, role: str, taken: Sequence[str], used: Iterable[str | None], columns: Columns
) -> list[str]:
    """Notes what was taken as gold or predictions if another column could have been."""
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
    """Notes gold or groups of a system's table that differ from the gold's, which counts."""
    if left.beside(right) or right.absent is not None:
        return []
    names = [name for name in (gold, *columns.by) if left.has(name) and right.has(name)]
    return [
        count_differences(right.table.source, name, left.table.source, count)
        for name in dict.fromkeys(names)
        if name not in taken and (count := count_differing(left, right, (name, name)))
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
                f"{left.table.source}, in another order; join them by it with `id={name!r}`"
            )


def are_equal(left: Side, right: Side, names: tuple[str, str]) -> bool:
    """Whether a column of one table says the same as one of another, however it is written."""
    one, other = _read(left, names[0]), _read(right, names[1])
    if one is None or other is None:
        return bool(left.values(names[0]).equals(right.values(names[1])))
    return len(one) == len(other) and not _differ(one, other).any()


def count_differing(left: Side, right: Side, names: tuple[str, str]) -> int:
    """How many examples have other names in a column of one table than in one of another."""
    one, other = _read(left, names[0]), _read(right, names[1])
    return 0 if one is None or other is None else int(_differ(one, other).sum())


def _differ(one: Labels, other: Labels) -> Any:
    one, other = unify(one, other)
    return np.not_equal(one.codes, other.codes)


def _read(side: Side, name: str) -> Labels | None:
    try:
        return read_names([side], name)
    except InputError:
        return None


def _quote(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"

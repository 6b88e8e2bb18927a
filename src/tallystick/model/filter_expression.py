"""Chooses examples by comparisons of their columns: `lang == "de" and length > 20`."""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_list, plain
from tallystick.model.codes import Locate, row_of
from tallystick.model.sides import Side

Mask = NDArray[np.bool_]
Value = str | int | float | bool | None

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_TOKENS = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?P<name>[^`]*)`|(?P<comment>#)""")
_WHOLE = re.compile(r"\s*([+-]?[0-9]+)(?:\.0*)?\s*")
_HELP = (
    'write comparisons of columns, such as lang == "de" and length > 20, or id in ["a", "b"]; '
    "put names of columns with other characters than letters, digits and _ in `backticks`"
)


class _Name(Struct, frozen=True):
    text: str


class Condition(Struct, frozen=True, dict=True):
    """A condition on the columns of examples; `names` are those in backticks, by placeholder."""

    text: str

    @cached_property
    def names(self) -> dict[str, str]:
        """The names in backticks, by the plain ones that replace them."""
        return {}

    def __post_init__(self) -> None:
        """Tries it on no examples, so that errors in it come before any file is read."""
        _Finder(self, lambda _: ([], np.zeros(0, np.int64), row_of("")), 0).find(self.parse())

    def parse(self) -> ast.expr:
        """Its syntax; raises a UsageError where it has none."""

        def keep(match: re.Match[str]) -> str:
            if match["comment"]:
                self.refuse("# is not part of a name or a text")
            if match["name"] is None:
                return match[0]
            name = f"_column_{match.start()}_"
            self.names[name] = match["name"]
            return name

        written = _TOKENS.sub(keep, self.text).strip()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # backslashes in texts
                found = ast.parse(written, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.refuse("it cannot be read")
        for node in ast.walk(found):  # ids such as 9007199254740993.0 are no floats
            if isinstance(node, ast.Constant) and isinstance(node.value, float):
                with suppress(ValueError):
                    node.value = _read_number(ast.get_source_segment(written, node))
        return found

    def refuse(self, why: str) -> NoReturn:
        """Raises a UsageError that shows how conditions are written."""
        raise UsageError(f"where {self.text!r}: {why}; {_HELP}")

    def find(self, sides: Sequence[Side]) -> Mask:
        """Which examples match; a column is that of the first side that has it."""

        def look(name: str) -> "_Cells":
            owners = [side for side in sides if side.has(name)]
            if not owners:
                known = list(dict.fromkeys(own for side in sides for own in side.names))
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
                raise UsageError(f"where {self.text!r}: there is no column {name!r}; {hint}")
            first, *others = owners
            cells, locate = first.column(name), first.locate(name)
            if first is not sides[0] and any(_differ(cells, own.column(name)) for own in others):
                raise UsageError(
                    f"where {self.text!r}: {first.table.source} and other systems differ in column "
                    f"{name!r}; name a column of the gold, or move this one there"
                )
            return *_encode(cells, locate), locate

        kept = _Finder(self, look, len(sides[0])).find(self.parse())
        if not kept.any():
            raise InputError(f"where {self.text!r} matches no example of {sides[0].table.source}")
        return kept


def _differ(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    return bool(plain(one).to_pylist() != plain(other).to_pylist())


def choose_rows(table: Table, where: str | None) -> Table:
    """Returns the rows of a table that match a condition; all if there is none."""
    return table if where is None else table.keep(Condition(where).find([Side(table)]))


_Cells = tuple[list[Any], NDArray[np.int64], Locate]
"""Distinct values, and the place of each row's among them, which is the next one if it is blank."""


class _Finder(Struct, frozen=True, eq=False):
    condition: Condition
    look: Callable[[str], _Cells]
    size: int

    def find(self, node: ast.expr) -> Mask:
        if isinstance(node, ast.BoolOp):
            joined = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            return np.asarray(joined.reduce([self.find(one) for one in node.values]))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.find(node.operand)
        if not isinstance(node, ast.Compare):
            return self._compare(ast.Eq, self._take(node), True)
        sides = pairwise([node.left, *node.comparators])
        found = [
            self._find_one(type(how), self._take(left), right)
            for how, (left, right) in zip(node.ops, sides, strict=True)
        ]
        return np.asarray(np.logical_and.reduce(found))

    def _find_one(self, how: type[ast.cmpop], left: Value | _Name, right: ast.expr) -> Mask:
        if how not in (ast.In, ast.NotIn):
            return self._compare(how, left, self._take(right))
        if not isinstance(right, ast.List | ast.Tuple | ast.Set):
            self.condition.refuse("a list of values is expected after in")
        some = [self._compare(ast.Eq, left, self._take(one)) for one in right.elts]
        held = np.any(some, axis=0) if some else np.zeros(self.size, bool)
        return ~held if how is ast.NotIn else held

    def _take(self, node: ast.expr) -> Value | _Name:
        if isinstance(node, ast.Name):
            return _Name(self.condition.names.get(node.id, node.id))
        if isinstance(node, ast.Attribute):
            inner = self._take(node.value)
            if isinstance(inner, _Name):
                return _Name(f"{inner.text}.{node.attr}")
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | None):
            return node.value
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        number = self._take(node.operand) if negative else None  # type: ignore[attr-defined]
        if isinstance(number, bool) or not isinstance(number, int | float):
            self.condition.refuse(f"{ast.unparse(node)!r} is neither a column nor a value")
        return -number

    def _compare(self, how: type[ast.cmpop], left: Value | _Name, right: Value | _Name) -> Mask:
        """Compares a column with a value, or with another column, example by example."""
        compare, blanks = _COMPARISONS.get(how), {None, ""} & {left, right}
        if compare is None:
            self.condition.refuse("`is` compares no values; write ==")
        if blanks and how not in (ast.Eq, ast.NotEq):
            self.condition.refuse(f"nothing is less or more than {blanks.pop()!r}; use == or !=")
        if not isinstance(left, _Name) and not isinstance(right, _Name):
            self.condition.refuse(f"{left!r} is compared with no column")
        (cells, codes, locate), (others, owners, other) = map(self._encode, (left, right))
        if not isinstance(left, _Name):
            locate = other
        pairs = codes * (len(others) + 1) + owners
        distinct, rows, places = np.unique(pairs, return_index=True, return_inverse=True)
        verdicts = np.zeros(len(distinct), bool)
        for at, row in enumerate(rows.tolist()):
            one, two = codes[row], owners[row]
            blank = (one == len(cells), two == len(others))
            if any(blank):  # a blank equals a blank where that is asked for
                verdicts[at] = all(blank) == (how is ast.Eq) if blanks else how is ast.NotEq
                continue
            try:
                verdicts[at] = compare(*_make_alike(cells[one], others[two]))
            except (TypeError, ValueError):
                raise InputError(
                    f"{locate(row)}: {cells[one]!r} cannot be compared with {others[two]!r} in "
                    f"where {self.condition.text!r}"
                ) from None
        return np.asarray(verdicts[places.ravel()])

    def _encode(self, side: Value | _Name) -> _Cells:
        if isinstance(side, _Name):
            return self.look(side.text)
        return [] if side in (None, "") else [side], np.zeros(self.size, np.int64), row_of("")


def _encode(column: pa.ChunkedArray, locate: Locate) -> tuple[list[Any], NDArray[np.int64]]:
    """The distinct values of a column, and the place of each row's; blanks come last."""
    import pyarrow.compute as pc

    column = plain(column)
    try:
        encoded = pc.dictionary_encode(column)
    except pa.ArrowException:  # of which no values are compared, but blanks may be looked for
        return [column.type], np.asarray(column.is_null(), np.int64)
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    values = as_list(encoded.dictionary, locate(0))
    codes = encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.int64)
    if "" in values:
        codes[codes == values.index("")] = len(values)
    return values, codes


def _make_alike(cell: object, other: object) -> tuple[Any, Any]:
    """Two values as values of one type; raises a ValueError where they have none."""
    if isinstance(cell, bool) or isinstance(other, bool):
        message = [_TRUTH.get(str(one).strip().casefold()) for one in (cell, other)]
        if None in message:
            raise ValueError
        return message[0], message[1]
    if isinstance(cell, str) and isinstance(other, str):
        return cell, other
    for one, two in ((cell, other), (other, cell)):
        if isinstance(one, date | time) and isinstance(two, str):
            kind = datetime if isinstance(one, datetime) else type(one)
            read = kind.fromisoformat(two)
            if isinstance(one, datetime) and isinstance(read, datetime) and not read.tzinfo:
                read = read.replace(tzinfo=one.tzinfo)
            return (one, read) if one is cell else (read, one)
    if isinstance(cell, date | time):
        return cell, other
    return _read_number(cell), _read_number(other)


def _read_number(value: object) -> int | float:
    if isinstance(value, int | float):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if not isinstance(value, str) or "_" in value:
        raise ValueError
    match = _WHOLE.fullmatch(value)
    return float(value) if match is None else int(match[1])

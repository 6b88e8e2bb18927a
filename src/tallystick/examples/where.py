"""Chooses examples by comparisons of their columns: `lang == "de" and length > 20`."""

import ast
import operator
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Locate, row_of
from tallystick.errors import InputError, UsageError
from tallystick.examples.sides import Side
from tallystick.frozen import dataclass, field

Mask = NDArray[np.bool_]
Value = str | float | bool | None
Cells = tuple[Sequence[object], Locate]

_COMPARISONS: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_HELP = (
    'write comparisons of columns, such as lang == "de" and length > 20, or id in ["a", "b"]; '
    "names of columns that hold more than letters, digits and _ stand in `backticks`"
)


@dataclass(frozen=True, slots=True)
class _Name:
    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the columns of examples, of which nothing is run as code.

    Attributes:
        names: The names in backticks, by the plain ones that stand for them.
    """

    quoted: ClassVar[re.Pattern[str]] = re.compile(r"`([^`]*)`")

    text: str
    names: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Tries it on no examples, so that what is wrong in it is told before any file is read."""
        _Finder(self, lambda _: ([], row_of("")), 0).find(self.parse())

    def parse(self) -> ast.expr:
        """Its syntax; raises a UsageError where it has none."""

        def keep(match: re.Match[str]) -> str:
            name = f"_column_{match.start()}"
            self.names[name] = match[1]
            return name

        plain = self.quoted.sub(keep, self.text).strip()
        try:
            found = ast.parse(plain, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.refuse("it cannot be read")
        return found

    def refuse(self, why: str) -> NoReturn:
        """Raises a UsageError that says how conditions are written."""
        raise UsageError(f"--where {self.text!r}: {why}; {_HELP}")

    def find(self, sides: Sequence[Side]) -> Mask:
        """Which examples it holds of; a column is that of the first side that has it."""

        def look(name: str) -> Cells:
            for side in sides:
                if side.has(name):
                    return side.cells(name), side.locate(name)
            known = list(dict.fromkeys(own for side in sides for own in side.names))
            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
            raise UsageError(f"--where {self.text!r}: there is no column {name!r}{hint}")

        return _Finder(self, look, len(sides[0])).find(self.parse())


@dataclass(frozen=True, slots=True, eq=False)
class _Finder:
    condition: Condition
    look: Callable[[str], Cells]
    size: int

    def find(self, node: ast.expr) -> Mask:
        if isinstance(node, ast.BoolOp):
            joined = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            return np.asarray(joined.reduce([self.find(one) for one in node.values]))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.find(node.operand)
        if not isinstance(node, ast.Compare):
            return self._compare(ast.Eq, self._take(node), True)
        found, sides = np.ones(self.size, bool), [node.left, *node.comparators]
        for own, left, right in zip(node.ops, sides[:-1], sides[1:], strict=True):
            found &= self._find_one(own, self._take(left), right)
        return found

    def _find_one(self, how: ast.cmpop, left: Value | _Name, right: ast.expr) -> Mask:
        if not isinstance(how, ast.In | ast.NotIn):
            return self._compare(type(how), left, self._take(right))
        if not isinstance(right, ast.List | ast.Tuple | ast.Set):
            self.condition.refuse("after in stands a list of values")
        some = [self._compare(ast.Eq, left, self._take(one)) for one in right.elts]
        held = np.any(some, axis=0) if some else np.zeros(self.size, bool)
        return ~held if isinstance(how, ast.NotIn) else held

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
        if not isinstance(number, int | float):
            self.condition.refuse(f"{ast.unparse(node)!r} is neither a column nor a value")
        return -number

    def _compare(self, how: type[ast.cmpop], left: Value | _Name, right: Value | _Name) -> Mask:
        """Compares a column with a value, or with another column, example by example."""
        if how not in _COMPARISONS:
            self.condition.refuse("`is` compares no values; write ==")
        if not isinstance(left, _Name):
            if not isinstance(right, _Name):
                self.condition.refuse(f"{left!r} is compared with no column")
            return self._compare(_TURNED.get(how, how), right, left)
        cells, locate = self.look(left.text)
        blank = np.array([one is None or one == "" for one in cells], bool)
        if right is None:
            return blank if how is ast.Eq else ~blank
        others = self.look(right.text)[0] if isinstance(right, _Name) else [right] * len(cells)
        found, compare = blank & (how is ast.NotEq), _COMPARISONS[how]
        for row in np.flatnonzero(~blank).tolist():
            if others[row] is None:
                continue
            both = _make_alike(cells[row], others[row])
            if both is None:
                raise InputError(
                    f"{locate(row)}: {cells[row]!r} cannot be compared with {others[row]!r} in "
                    f"--where {self.condition.text!r}"
                )
            found[row] = compare(*both)
        return found


def _make_alike(cell: object, other: object) -> tuple[object, object] | None:
    """A cell and what it is compared with, as values of one type; None where they have none."""
    if isinstance(other, bool):
        truth = _TRUTH.get(str(cell).strip().casefold())
        return None if truth is None else (truth, other)
    if isinstance(cell, str) and isinstance(other, str):
        return cell, other
    both = _read_number(cell), _read_number(other)
    return None if None in both else both


def _read_number(value: object) -> int | float | None:
    """The number that a value is or spells, whole ones exactly; None where it is none."""
    if isinstance(value, int | float):
        return value
    with suppress(TypeError, ValueError):
        return int(value)  # type: ignore[call-overload, no-any-return]
    with suppress(TypeError, ValueError):
        return float(value)  # type: ignore[arg-type]
    return None

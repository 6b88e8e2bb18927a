"""Small changes of Python code: where they can be made, and where the same line is elsewhere."""

import ast
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

_COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.MatMult: ("@", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Not: ("not ", ""),
    ast.USub: ("-", "+"),
    ast.Invert: ("~", ""),
}
_DECLARATIONS = ("TypeVar", "NewType", "ParamSpec")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one line.

    Attributes:
        file: The file, as a path in the package.
        text: The line as it was, without the spaces around it.
        occurrence: Which of the lines of the file with this text, counted from 0.
        place: Which of the changes that this line allows, counted from 0.
        old: What is replaced.
        new: What replaces it.
        line: The number of the line.
        start: Where the replaced text begins in the bytes of the file.
    """

    file: str
    text: str
    occurrence: int
    place: int
    old: str
    new: str
    line: int
    start: int

    def apply(self, source: bytes) -> bytes:
        """Returns the source of the file with the change."""
        end = self.start + len(self.old.encode())
        assert source[self.start : end] == self.old.encode()
        return source[: self.start] + self.new.encode() + source[end:]


def list_mutants(file: str, source: bytes) -> list[Mutant]:
    """Returns all changes of operators, comparisons and constants that a file allows.

    Nothing is changed in docstrings, annotations, decorators, `__all__`, f-strings and the texts of
    errors.
    """
    found = _Finder(source)
    found.visit(ast.parse(source))
    texts = [line.strip() for line in source.decode().splitlines()]
    seen: defaultdict[int, int] = defaultdict(int)
    mutants = []
    for start, old, new in sorted(set(found.changes)):
        line = source.count(b"\n", 0, start)
        occurrence = texts[:line].count(texts[line])
        mutants.append(Mutant(file, texts[line], occurrence, seen[line], old, new, line + 1, start))
        seen[line] += 1
    return mutants


def find_mutant(mutant: Mutant, package: Path) -> Mutant | None:
    """Returns the same change in a package that may have changed; None where the line is gone.

    A line that has left its file is looked for in all others, first in those of the same name.
    """
    path = package / mutant.file
    others = sorted(package.rglob("*.py"), key=lambda other: (other.name != path.name, other))
    files = [path, *others] if path.exists() else others
    for each in files:
        source = each.read_bytes()
        if mutant.text.encode() in source:
            for one in list_mutants(each.relative_to(package).as_posix(), source):
                if _identify(one) == _identify(mutant):
                    return one
    return None


def find_statement(source: bytes, line: int) -> range:
    """Returns the lines of the statement in a function that a line belongs to.

    They are none where the line is in no function, and runs when the module is imported.
    """
    found = range(0)
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            for node in (inner for one in function.body for inner in ast.walk(one)):
                if isinstance(node, ast.stmt) and line in (lines := _list_lines(node)):
                    found = lines
    return found


def _list_lines(node: ast.stmt) -> range:
    """Returns the lines of a statement, without those of the block below it."""
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    first = body[0] if body else None
    end = (node.end_lineno or 0) + 1
    if isinstance(first, ast.match_case):
        end = first.pattern.lineno
    elif first is not None:
        end = max(first.lineno, node.lineno + 1)
    return range(node.lineno, end)


def _identify(mutant: Mutant) -> tuple[str, int, int, str, str]:
    return mutant.text, mutant.occurrence, mutant.place, mutant.old, mutant.new


class _Finder(ast.NodeVisitor):
    """Collects changes as places in the source, with what stands there and what is to."""

    def __init__(self, source: bytes) -> None:
        """Begins without any."""
        self.changes: list[tuple[int, str, str]] = []
        self._source = source
        self._lines = [0, *(match.end() for match in re.finditer(b"\n", source))]

    def visit_Expr(self, node: ast.Expr) -> None:
        """Leaves out docstrings."""
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Leaves out decorators and annotations."""
        for one in (*node.args.defaults, *node.args.kw_defaults, *node.body):
            if one is not None:
                self.visit(one)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Leaves out decorators and type arguments."""
        for one in node.body:
            self.visit(one)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Leaves out the annotation."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Leaves out `__all__`, and types that are put together."""
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        types = ast.Subscript | ast.BinOp if node.col_offset == 0 else ()
        if "__all__" not in names and not (isinstance(node.value, types) and names[0].istitle()):
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        """Leaves out what is imported for annotations."""
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leaves out the texts of errors."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leaves out f-strings, in which places are not known."""

    def visit_Call(self, node: ast.Call) -> None:
        """Leaves out types, errors, and checks of equal lengths."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _DECLARATIONS or name.endswith("Error"):
            return
        self.visit(node.func)
        for one in node.args[name == "cast" : 1 if name == "isinstance" else None]:
            self.visit(one)
        for keyword in node.keywords:
            if keyword.arg != "strict":
                self.visit(keyword.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Adds each comparison of a chain."""
        for left, operator, right in zip(
            (node.left, *node.comparators), node.ops, node.comparators, strict=False
        ):
            self._replace(self._end(left), self._start(right), *_COMPARISONS[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Adds the operator between two values."""
        self._replace(self._end(node.left), self._start(node.right), *_OPERATORS[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Adds each `and` and `or`."""
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._replace(self._end(left), self._start(right), *_OPERATORS[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Adds a sign or `not`."""
        if type(node.op) in _OPERATORS:
            start = self._start(node)
            self._replace(start, self._start(node.operand), *_OPERATORS[type(node.op)])
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Adds the operator of `+=` and the like."""
        old, new = _OPERATORS[type(node.op)]
        self._replace(self._end(node.target), self._start(node.value), f"{old}=", f"{new}=")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Adds numbers, truth values and strings."""
        start, end = self._start(node), self._end(node)
        old = self._source[start:end].decode()
        match node.value:
            case bool():
                self.changes.append((start, old, str(not node.value)))
            case int():
                self.changes.append((start, old, str(node.value + 1)))
            case float():
                self.changes.append((start, old, repr(node.value * 2 or 1.0)))
            case str():
                self.changes.append((start, old, repr(f"{node.value}?")))

    def _replace(self, start: int, end: int, old: str, new: str) -> None:
        """Adds the change of an operator that stands in a piece of the source."""
        between = re.sub(rb"#[^\n]*", lambda match: b" " * len(match[0]), self._source[start:end])
        place = between.find(old.encode())
        if place >= 0:
            self.changes.append((start + place, old, new))

    def _start(self, node: ast.expr) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        return self._lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

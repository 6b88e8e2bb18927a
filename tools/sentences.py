"""Prints every sentence that the programme says, with its place, to be read in one go.

    python tools/sentences.py [WORD ...]

These are the messages of errors, notes, and the help of options; WORDs choose those that have one
of them. What is filled in stands in braces.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "tallystick"
NOTES = ("Caution", "Danger", "Hint", "Reason")
"""The classes of notes; errors are all classes whose names end in Error."""
HELP = ("help", "description", "epilog")


def main() -> None:
    """Prints the sentences in the order of files and lines."""
    for path in sorted(SOURCE.rglob("*.py")):
        for line, text in list_sentences(ast.parse(path.read_text(encoding="utf-8"))):
            if not sys.argv[1:] or any(word in text for word in sys.argv[1:]):
                print(f"{path.relative_to(SOURCE)}:{line}: {text}")


def list_sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The sentences of a module with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_said(node.func):
            for part in node.args[:1]:
                yield from _read(part)
        elif isinstance(node, ast.keyword) and node.arg in HELP:
            yield from _read(node.value)
        elif isinstance(node, ast.Yield | ast.Return) and node.value is not None:
            yield from (one for one in _read(node.value) if " " in one[1] and len(one[1]) > 40)


def _is_said(function: ast.expr) -> bool:
    name = function.id if isinstance(function, ast.Name) else ""
    return name.endswith("Error") or name in NOTES


def _read(node: ast.expr) -> Iterator[tuple[int, str]]:
    """The text of a string, of which parts may be filled in."""
    match node:
        case ast.Constant(value=str(text)):
            yield node.lineno, " ".join(text.split())
        case ast.JoinedStr(values=parts):
            told = (
                one.value if isinstance(one, ast.Constant) else f"{{{ast.unparse(one.value)}}}"  # type: ignore[attr-defined]
                for one in parts
            )
            yield node.lineno, " ".join("".join(map(str, told)).split())


if __name__ == "__main__":
    main()

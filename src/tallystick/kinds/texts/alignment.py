"""The edits that turn one text into another, step by step."""

import html
from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from tallystick import _native
from tallystick.kinds.texts.token_lists import number_tokens

Operation = Literal["equal", "replace", "delete", "insert"]
_OPERATIONS: tuple[Operation, ...] = ("equal", "replace", "delete", "insert")
_MARKS = {"equal": "", "replace": "S", "delete": "D", "insert": "I"}


class Edit(Struct, frozen=True):
    """One step: a token of the first text beside one of the second.

    Attributes:
        operation: What is done to the first text.
        before: The token that was there; None where one is inserted.
        after: The token that is there then; None where one is deleted.
    """

    operation: Operation
    before: str | None
    after: str | None


class Alignment(Struct, frozen=True):
    """A shortest path of edits; prints as the texts under one another with the edits marked.

    Attributes:
        steps: The steps from the first text to the second, those that change nothing included.
    """

    steps: tuple[Edit, ...]

    @property
    def distance(self) -> int:
        """How many steps change something: the Levenshtein distance."""
        return sum(step.operation != "equal" for step in self.steps)

    def __str__(self) -> str:
        rows: list[list[str]] = [[], [], []]
        for step in self.steps:
            cells = (step.before or "*", step.after or "*", _MARKS[step.operation])
            width = max(map(len, cells))
            for row, cell in zip(rows, cells, strict=True):
                row.append(cell.ljust(width))
        return "\n".join(" ".join(row).rstrip() for row in rows)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def edits(before: str | Sequence[str], after: str | Sequence[str]) -> Alignment:
    """The insertions, deletions and replacements that turn one text into another.

    Args:
        before: A string, whose characters are edited, or a list of tokens.
        after: Likewise.

    Raises:
        ValueError: The texts are too long for their path to be kept in memory.
    """
    left, right = list(before), list(after)
    one, other = number_tokens([left], [right])
    path = np.asarray(_native.align_ids(one.data, other.data)).tolist()
    steps = []
    for code, i, j in path:
        operation = _OPERATIONS[code]
        deleted = None if operation == "insert" else left[i]
        steps.append(Edit(operation, deleted, None if operation == "delete" else right[j]))
    return Alignment(tuple(steps))

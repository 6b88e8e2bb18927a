"""Decides whether a column of a system holds labels or probabilities of the positive label."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.io.tables.values import as_numpy
from tallystick.model.codes import FEW, Label, Labels, spell, spell_all
from tallystick.model.facts import Task

_ENDLESS = ("inf", "infinity", "nan")
_BITS = ("0", "1")
_BLOCK = 1 << 12
_START = re.compile(r"^[+\-.\d]", re.MULTILINE)
"""What a number begins with."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


class Seen(Struct, frozen=True):
    """What values of a column, next to labels of the gold, have shown so far.

    Blocks of a file are combined by `|`, so that the decision does not depend on their borders.

    Attributes:
        fractions: Whether a value is a fraction, which is no label.
        labels: Whether whole numbers are labels: a number other than 0 and 1, more than two labels,
            text, a named column, or booleans next to a gold of 0 and 1.
        words: Whether gold and values both have text, the gold has fractions as labels, or labels
            are ordered.
        looked: Whether values have been looked at.
    """

    fractions: bool = False
    labels: bool = False
    words: bool = False
    looked: bool = False

    def __or__(self, other: "Seen") -> "Seen":
        return Seen(
            self.fractions or other.fractions,
            self.labels or other.labels,
            self.words or other.words,
            self.looked or other.looked,
        )

    @property
    def are_scores(self) -> bool:
        """Whether the column contains probabilities."""
        return not self.words and (self.fractions or not self.labels)


class Former(Struct, frozen=True):
    """What earlier rows of a system's file show: their threshold, and labels or probabilities."""

    threshold: float | None = None
    seen: Seen = Seen()


def look(values: object, gold: Iterable[Label], task: Task, *, any_scale: bool = False) -> Seen:
    """Returns what values show; of any scale, whole numbers may be scores such as 12."""
    known = {*spell_all((*gold, *(task.labels or ())))} - {f"not {task.positive}"}
    if task.positive is not None:
        known.add(spell(task.positive))
    numbers, text = _read_numbers(values)
    golden = _parse(known)
    several = len(known) > 2 or task.kind == "multiclass"
    other = any(number is not None for name, number in golden.items() if name not in _BITS)
    flags = getattr(values, "type", None) == pa.bool_() and None not in golden.values()
    beyond = not any_scale and bool(((numbers < 0) | (numbers > 1)).any())
    return Seen(
        fractions=bool((np.floor(numbers) < numbers).any()),
        labels=text or several or other or flags or beyond,
        words=(text and None in golden.values())
        or task.ordered
        or any(map(_is_fraction, golden.values())),
        looked=True,
    )


def find_fraction(labels: Labels, gold: Iterable[Label]) -> Label | None:
    """Returns the first label that is a fraction, unless gold has fractions or text too."""
    known = _parse(spell_all(gold)).values()
    found = _parse(map(str, labels.names)).values()
    if any(map(_is_fraction, known)) or (None in known and None in found):
        return None
    pairs = zip(labels.names, found, strict=True)
    return next((name for name, number in pairs if _is_fraction(number)), None)


def note_guess(column: str, gold: Iterable[Label], task: Task, *, scores: bool) -> list[str]:
    """Returns a note on what whole numbers were taken for, where they could be something else."""
    if task.kind == "multiclass" or scores == (None not in _parse(spell_all(gold)).values()):
        return []
    if scores:
        return [f"{column} is read as probabilities of the positive label, not as labels."]
    return [f"{column} is read as labels, not as probabilities of the positive label."]


def _read_numbers(values: Any) -> tuple[NDArray[Any], bool]:
    if isinstance(values, np.ndarray):
        return values, False
    if pa.types.is_nested(values.type):
        return np.zeros(0), True
    if len(values) <= FEW and pa.types.is_string(values.type):
        distinct = dict.fromkeys(one for one in values.to_pylist() if one is not None)
        if not any(one.strip("+-").lower() in _ENDLESS for one in distinct):
            return _keep_numbers(distinct)
    import pyarrow.compute as pc

    values = values.drop_null()
    try:
        return _cast(values), False
    except pa.ArrowException:
        return _keep_numbers(map(str, pc.unique(values).to_pylist()))


def _keep_numbers(texts: Iterable[str]) -> tuple[NDArray[Any], bool]:
    parsed = _parse(texts).values()
    return np.array([one for one in parsed if one is not None], float), None in parsed


def _cast(values: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
    """Returns values as numbers, of text block by block: Arrow reports every word of a block."""
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return as_numpy(values.cast("float64"))
    numbers = np.empty(len(values))
    for start in range(0, len(values), _BLOCK):
        block = values.slice(start, _BLOCK).cast("float64")
        numbers[start : start + _BLOCK] = as_numpy(block)
    return numbers


def _is_fraction(number: float | None) -> bool:
    return number is not None and number % 1 != 0


def _parse(texts: Iterable[str]) -> dict[str, float | None]:
    parsed: dict[str, float | None] = dict.fromkeys(texts)
    if _START.search("\n".join(parsed)):
        for text in parsed:
            parsed[text] = float(text) if _NUMBER.fullmatch(text) else None
    return parsed

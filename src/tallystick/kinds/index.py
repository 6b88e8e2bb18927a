"""The kinds of examples, and which of them columns of gold hold."""

import math
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from tallystick.errors import UsageError
from tallystick.kinds.coreference import COREFERENCE
from tallystick.kinds.labels import LABELS
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.rankings import RANKINGS
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.trees import TREES
from tallystick.model.codes import is_text
from tallystick.model.facts import Task
from tallystick.model.reading import Kind, Kinds
from tallystick.model.systems import Column

LOOKED_AT = 1000
_LONG = 12
"""A value with this many characters, or with three words, is longer than labels are."""


READ: Kinds = (LABELS, TEXTS, NUMBERS, COREFERENCE, SPANS, RANKINGS, TREES)
"""What can be read of the same rows, in the order in which it is."""


def say_all(kinds: Iterable[Kind[Column]]) -> str:
    """What sentences call several kinds, each once."""
    return " and ".join(dict.fromkeys(kind.said for kind in kinds))


def find_layout(
    gold: object, kinds: Kinds | None = None, *, unsure: bool = False
) -> Kind[Column] | None:
    """Returns the kind that alone knows the layout of gold, such as qrels; None without one.

    A layout of another kind than the metrics' is a UsageError; if `unsure`, nothing else shows it.
    """
    message = {kind: None if unsure else kind in (kinds or ()) for kind in READ}
    found = next((kind for kind in READ if kind.holds(gold, asked=message[kind])), None)
    if found is TREES and kinds == (LABELS,):  # the tags of its tokens
        return None
    if found is not None and kinds is not None and found not in kinds:
        name = gold if isinstance(gold, str) else "gold"
        raise UsageError(
            f"{name} contains {found.said}, which metrics of {say_all(kinds)} do not score"
        )
    return found


def sort_kinds(kinds: Iterable[Kind[Column]]) -> Kinds:
    """The kinds as which columns are read that hold these, in the order in which they are read."""
    found = dict.fromkeys(kinds)
    sides = {kind.side for kind in found}
    known = tuple(kind for kind in READ if kind.side in sides)
    return (*known, *(kind for kind in found if kind.side not in {one.side for one in READ}))


def guess_kinds(values: Any) -> Kinds:
    """Guesses the kinds of gold, an Arrow array.

    Numbers if all values are and not all are whole; texts, or lists of references, if most are
    long and differ; else labels.
    """
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        if not is_text(values.type.value_type):
            return (LABELS,)
        rows = values.slice(0, LOOKED_AT).to_pylist()
        return _guess_texts([text for row in rows for text in row or () if text])
    if pa.types.is_floating(values.type):
        some = [value for value in values.slice(0, LOOKED_AT).to_pylist() if value is not None]
        return (NUMBERS,) if not all(map(float.is_integer, some)) else (LABELS,)
    if not is_text(values.type):
        return (LABELS,)
    some = [text for text in values.slice(0, LOOKED_AT).to_pylist() if text]
    return (NUMBERS,) if _are_numbers(some) else _guess_texts(some)


def _guess_texts(some: list[str]) -> Kinds:
    long = sum(len(text) >= _LONG or len(text.split()) > 2 for text in some)
    return (TEXTS,) if len(some) > 1 and 2 * min(long, len(set(some))) > len(some) else (LABELS,)


def guess_task(values: Any, task: Task) -> Kinds:
    """As `guess_kinds`, but a task that was named is one of labels, not numbers or references."""
    kinds = guess_kinds(values)
    named = task.kind is not None or task.labels is not None or task.positive is not None
    return (
        (LABELS,) if named and (kinds == (NUMBERS,) or pa.types.is_nested(values.type)) else kinds
    )


def _are_numbers(texts: list[str]) -> bool:
    try:
        values = [float(text) for text in texts]
    except ValueError:
        return False
    return all(map(math.isfinite, values)) and not all(map(float.is_integer, values))

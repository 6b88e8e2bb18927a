"""Decides whether columns of gold and outputs are read as labels or as texts."""

import math
from collections.abc import Iterable
from typing import Any, Literal, get_args

from tallystick.examples.task import Task

_LOOKED_AT = 1000
_LONG = 12
"""A value with this many characters, or with three words, is longer than labels are."""

Kind = Literal[
    "labels",
    "label sets",
    "probabilities",
    "texts",
    "numbers",
    "distributions",
    "votes",
    "spans",
    "tries",
    "ratings",
]
"""What one side of an example is."""

ALL: frozenset[Kind] = frozenset(get_args(Kind))

Kinds = tuple[Kind, ...]
"""Labels with their probabilities, texts, numbers, spans, or several of them; or repeated tries."""

LABELS: Kinds = ("labels",)
TEXTS: Kinds = ("texts",)
NUMBERS: Kinds = ("numbers",)
SPANS: Kinds = ("spans",)
TRIES: Kinds = ("tries",)


_READ_AS: dict[Kind, Kind] = {
    "label sets": "labels",
    "probabilities": "labels",
    "distributions": "numbers",
    "votes": "numbers",
}
_WORDS: dict[Kind, str] = {
    "distributions": "soft labels",
    "ratings": "ratings of annotators",
    "tries": "repeated tries",
    "votes": "labels of several annotators",
}


def read_as(kind: Kind) -> Kind:
    """The kind as which columns are read that hold a kind."""
    return _READ_AS.get(kind, kind)


def is_numeric(kind: Kind) -> bool:
    """Whether examples of a kind are worth numbers, which may be negative or cancel each other."""
    return read_as(kind) == "numbers"


def has_single_label(kind: Kind) -> bool:
    """Whether an example of a kind has one gold label."""
    return kind in ("labels", "probabilities")


def needs_probabilities(kind: Kind) -> bool:
    """Whether only systems with probabilities have what is counted."""
    return kind == "probabilities"


def say(kind: Kind) -> str:
    """What sentences call a kind."""
    return _WORDS.get(kind, kind)


def say_all(kinds: Iterable[Kind]) -> str:
    """What sentences call several kinds, each once."""
    return " and ".join(dict.fromkeys(map(say, kinds)))


def guess_kinds(values: Any) -> Kinds:
    """Numbers where all values are, and not all whole; texts where most are long and differ.

    Lists of such texts are the references of each example. Everything else is labels.

    Args:
        values: The gold as an Arrow array.
    """
    import pyarrow as pa

    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        if not _is_text(values.type.value_type):
            return LABELS
        rows = values.slice(0, _LOOKED_AT).to_pylist()
        return _guess_texts([text for row in rows for text in row or () if text])
    if pa.types.is_floating(values.type):
        some = [value for value in values.slice(0, _LOOKED_AT).to_pylist() if value is not None]
        return NUMBERS if not all(map(float.is_integer, some)) else LABELS
    if not _is_text(values.type):
        return LABELS
    some = [text for text in values.slice(0, _LOOKED_AT).to_pylist() if text]
    return NUMBERS if _are_numbers(some) else _guess_texts(some)


def _is_text(kind: Any) -> bool:
    """Whether an Arrow type is text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _guess_texts(some: list[str]) -> Kinds:
    long = sum(len(text) >= _LONG or len(text.split()) > 2 for text in some)
    return TEXTS if len(some) > 1 and 2 * min(long, len(set(some))) > len(some) else LABELS


def guess_task(values: Any, task: Task) -> Kinds:
    """As `guess_kinds`, but a task that was named is one of labels, not numbers or references."""
    import pyarrow as pa

    kinds = guess_kinds(values)
    named = task.kind is not None or task.labels is not None or task.positive is not None
    return LABELS if named and (kinds == NUMBERS or pa.types.is_nested(values.type)) else kinds


def _are_numbers(texts: list[str]) -> bool:
    """Whether texts are finite numbers, of which some are not whole."""
    try:
        values = [float(text) for text in texts]
    except ValueError:
        return False
    return all(map(math.isfinite, values)) and not all(map(float.is_integer, values))

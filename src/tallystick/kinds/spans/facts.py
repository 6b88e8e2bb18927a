"""Facts in place of spans: the slots of a JSON object, and tuples such as head, relation, tail."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from tallystick.kinds.spans.tags import UNTYPED

Fact = tuple[str, str]
"""The type of a fact, and what it says as JSON."""

_PAIR = 2
_TRIPLE = 3
_BYTES = 7
_RELATIONS = ("type", "relation", "label", "predicate")
_HEADS = (("head", "subject", "subj"), ("tail", "object", "obj"))


def are_slots(row: object) -> bool:
    """Whether a value is an object with texts in it; one of numbers alone is a distribution."""
    return isinstance(row, dict) and any(isinstance(value, str) for _, value in _walk(row))


def is_tuple(item: object) -> bool:
    """Whether an item of a list is a tuple of texts, or a relation of a head and a tail."""
    if isinstance(item, dict):
        return all(_pick(item, names) is not None for names in (*_HEADS, _RELATIONS))
    if not isinstance(item, list | tuple) or len(item) < _PAIR:
        return False
    if len(item) == _TRIPLE and all(isinstance(at, str) and at.isdecimal() for at in item[:2]):
        return False  # a span whose bounds are written as text
    return all(isinstance(part, str) for part in item)


def list_facts(row: object) -> list[Fact] | None:
    """Returns the facts of an example; None where the value holds something else.

    A slot is of the type of its key, `address.city` within others, and a list has a slot for each
    item. A triple is of the type in its middle, a relation of its `type`; other tuples have none.
    """
    if isinstance(row, dict):
        return [(key, _write(value)) for key, value in _walk(row) if value is not None]
    if isinstance(row, list | tuple) and row and all(map(is_tuple, row)):
        return [_name(item) for item in row]
    return None


def number_facts(facts: Sequence[Fact]) -> dict[tuple[int, int, str], str]:
    """Returns the facts of an example as spans that only equal ones share, each with its words.

    What is told twice is there twice, and matches as often as the other side shows it.
    """
    seen: Counter[Fact] = Counter()
    found = {}
    for kind, text in facts:
        seen[kind, text] += 1
        words = f"{text}\x00{seen[kind, text]}".encode("utf-8", "surrogatepass")
        start = int.from_bytes(blake2b(words, digest_size=_BYTES).digest())
        found[start, start + 1, kind] = text
    return found


def _walk(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _walk(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _walk(inner, path)
    else:
        yield path, value


def _pick(item: Mapping[str, object], names: Sequence[str]) -> object:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _name(item: dict[str, object] | Sequence[str]) -> Fact:
    if isinstance(item, dict):
        head, tail = (_pick(item, names) for names in _HEADS)
        return str(_pick(item, _RELATIONS)), _write([head, tail])
    if len(item) == _TRIPLE:
        return item[1], _write([item[0], item[2]])
    return UNTYPED, _write(item)


def _write(value: object) -> str:
    """JSON in which equal values are equal texts, such as 1 and 1.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)

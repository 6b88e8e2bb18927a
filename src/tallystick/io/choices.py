"""Values in files that are one of a few words, in any case."""

from collections.abc import MutableMapping
from typing import Literal, get_args, get_origin, get_type_hints

from tallystick.errors import InputError


def spell_choices(values: MutableMapping[object, object], record: type, place: str) -> None:
    """Spells values that a record allows only some words for as it does; any other is an error."""
    for key, hint in get_type_hints(record).items():
        words = [
            word
            for part in (hint, *get_args(hint))
            if get_origin(part) is Literal
            for word in get_args(part)
        ]
        given = values.get(key)
        if not words or not isinstance(given, str):
            continue
        if given.casefold() not in words:
            raise InputError(f"{place}{key} is one of {', '.join(words)}, not {given!r}")
        values[key] = given.casefold()

"""Normalises values of frozen settings: lists become tuples, and choices match in any case."""

import abc
from collections.abc import Iterator, Sequence

from msgspec import NODEFAULT, Struct, StructMeta
from msgspec.structs import force_setattr

from tallystick.errors import UsageError


class AbstractMeta(StructMeta, abc.ABCMeta):
    """The metaclass of records that have abstract methods."""


def list_defaults(record: type[Struct]) -> Iterator[tuple[str, object]]:
    """Yields the fields of a class of records with their defaults, or NODEFAULT."""
    names, defaults = record.__struct_fields__, record.__struct_defaults__
    missing = (NODEFAULT,) * (len(names) - len(defaults))
    return zip(names, (*missing, *defaults), strict=True)


def freeze_lists(settings: Struct, *names: str) -> None:
    """Turns lists and arrays in fields of frozen settings into tuples, nested lists included."""
    for name in names:
        force_setattr(settings, name, _freeze(getattr(settings, name)))


def fold_choice(
    settings: Struct, name: str, choices: Sequence[str | None], *, called: str | None = None
) -> None:
    """Normalises the case of a field of frozen settings, which must be one of some choices.

    Args:
        settings: The settings.
        name: The field.
        choices: What it may hold.
        called: What messages call it, where that is not its name.

    Raises:
        UsageError: It is none of the choices.
    """
    value = fold_case(settings, name, choices)
    if value not in choices:
        known = ", ".join(choice for choice in choices if choice is not None)
        raise UsageError(f"{called or name} must be one of {known}, not {value!r}")


def fold_case(settings: Struct, name: str, choices: Sequence[object]) -> object:
    """Replaces a field by the choice that equals it but for case, if any, and returns the field."""
    value = getattr(settings, name)
    if isinstance(value, str) and value not in choices:
        alike = (one for one in choices if isinstance(one, str) and one.lower() == value.lower())
        force_setattr(settings, name, next(alike, value))
    return getattr(settings, name)


def _freeze(value: object) -> object:
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, list | tuple):
        return value
    return tuple(value) if {*map(type, value)} <= {str} else tuple(map(_freeze, value))

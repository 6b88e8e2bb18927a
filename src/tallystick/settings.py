"""Values of frozen settings, as callers write them: lists for tuples, and choices in any case."""

from collections.abc import Sequence
from typing import Any

from tallystick.errors import UsageError


def freeze_lists(settings: object, *names: str) -> None:
    """Turns the lists in fields of frozen settings into tuples, also lists within lists."""
    for name in names:
        object.__setattr__(settings, name, _freeze(getattr(settings, name)))


def fold_choice(
    settings: object, name: str, choices: Sequence[str | None], *, called: str | None = None
) -> None:
    """Writes a field of frozen settings as its choices are written.

    Args:
        settings: The settings.
        name: The field.
        choices: What it may hold.
        called: What messages call it, where that is not its name.

    Raises:
        UsageError: It is none of the choices.
    """
    value = getattr(settings, name)
    folded = value.lower() if isinstance(value, str) else value
    if folded not in choices:
        known = ", ".join(choice for choice in choices if choice is not None)
        raise UsageError(f"{called or name} is one of {known}, not {value!r}")
    object.__setattr__(settings, name, folded)


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list | tuple) else value

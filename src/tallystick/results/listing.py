"""Lists of names that may be long."""

from collections.abc import Sequence

_MOST = 10


def list_some(names: Sequence[str]) -> str:
    """Returns the first ten names, and how many more there are."""
    shown = ", ".join(names[:_MOST])
    rest = len(names) - _MOST
    return shown if rest <= 0 else f"{shown} and {rest} more"

"""Selects the columns of a table by name, and explains which name is missing."""

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from tallystick.errors import InputError

_WIDEST = 100_000
NOTE = b"tallystick.note"
"""Under this key the schema of a table has a note on how its file was read."""
_SHOWN = 50


class KeyName(str):
    """The name of several columns, whose values are an id together."""

    parts: tuple[str, ...]

    def __new__(cls, parts: Iterable[str]) -> "KeyName":
        """Names the columns."""
        listed = tuple(parts)
        made = super().__new__(cls, " + ".join(listed))
        made.parts = listed
        return made

    def __reduce__(self) -> tuple[type["KeyName"], tuple[tuple[str, ...]]]:
        """Makes the same name in another process."""
        return KeyName, (self.parts,)


def list_parts(name: str) -> tuple[str, ...]:
    """Returns the columns that a name is of."""
    return name.parts if isinstance(name, KeyName) else (name,)


def select_names(source: str, names: Sequence[str], only: Collection[str] | None) -> list[str]:
    """Returns the names to keep, in the file's order; all of them if `only` is None."""
    check_width(source, len(names))
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise InputError(
                f"{source}: {count} columns are named {name!r}; give each its own name"
            )
    wanted = expand_names(only)
    kept = [name for name in names if wanted is None or name in wanted]
    if not kept:
        lacking = f"none of the columns {quote_names(sorted(only))}" if only else "no columns"
        raise InputError(f"{source}: has {lacking}, only {quote_names(names)}")
    return kept


def expand_names(only: Collection[str] | None) -> Collection[str] | None:
    """Returns names and all that a dotted name among them may be found in: for `a.b`, also `a`."""
    if only is None:
        return None
    parts = [name.split(".") for name in only]
    return {".".join(names[:end]) for names in parts for end in range(1, len(names) + 1)}


def check_width(source: str, columns: int) -> None:
    """Raises an error if a table has more columns than are read."""
    if columns > _WIDEST:
        raise InputError(f"{source}: has more than {_WIDEST:,} columns, which is the limit")


def explain_missing(source: str, name: str, names: Sequence[str]) -> str:
    """Returns the message about a column that is not there: what is there, and what is nearest."""
    nearest = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"{source}: has no column {name!r}, only {quote_names(names)}{hint}"


def quote_names(names: Sequence[str]) -> str:
    """Returns names as they stand in a message, quoted and with commas between."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(map(repr, names[:_SHOWN])) or "nothing") + more


def split_dotted(name: str) -> Iterator[tuple[str, str]]:
    """Yields a dotted name cut in two at every dot, the longest beginning first."""
    yield name, ""
    end = len(name)
    while (end := name.rfind(".", 0, end)) > 0:
        yield name[:end], name[end + 1 :]


def is_index(name: str) -> bool:
    """Returns whether a part of a dotted name is the place of an item in a list, from 0."""
    return name.isascii() and name.isdecimal() and len(name) < 10

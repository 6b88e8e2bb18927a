"""Notes that count rows: those on blocks, or on parts of the examples, add up to one on all."""

import re
from collections.abc import Iterable

_COUNTED = re.compile(
    r"(.*(?:; rows that differ|scored as (?:empty strings|texts)|count as wrong|; such tags|"
    r"are left out): )([0-9]+)\.",
    re.DOTALL,
)


def count_differences(source: str, column: str, gold: str, count: int) -> str:
    """Returns a note on rows in which a file tells a column otherwise than the gold's."""
    differing = f"{source} differs from {gold} in column {column!r}, where {gold} counts"
    return f"{differing}; rows that differ: {count}."


def count_common(count: int) -> str:
    """Returns a note on examples that are not scored, as not every system has an output for one."""
    return f"examples for which a system has no output are left out: {count}."


def count_empty(system: str, count: int) -> str:
    """Returns a note on the texts that a system lacks."""
    return f"missing outputs of {system} scored as empty strings: {count}."


def count_spelled(system: str, count: int) -> str:
    """Returns a note on outputs such as `nan`, which may be missing ones."""
    spelled = f"outputs of {system} that are only a word such as 'None' or 'nan'"
    return f"{spelled}, scored as texts: {count}."


def count_wrong(system: str, count: int) -> str:
    """Returns a note on the numbers, or the spans, that a system lacks."""
    return f"missing outputs of {system} count as wrong: {count}."


def count_strays(system: str, how: str, count: int) -> str:
    """Returns a note on tags without a span of their type before them, and how they count."""
    lone = f"I- and E- tags of {system} without a span of their type before them"
    return f"{lone} {how}; such tags: {count}."


def count_unknown(system: str, count: int) -> str:
    """Returns a note on tags that are of no scheme, and how these are read."""
    return (
        f"tags of {system} other than O and B-, I-, E-, S-, L- or U- with a type are read as in "
        "seqeval, where any other letter begins or ends a span only where the type changes; such "
        f"tags: {count}."
    )


def add_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Returns each note once, at its first place; those that count the same have the sum."""
    counts: dict[str, int | None] = {}
    for note in notes:
        match = _COUNTED.fullmatch(note)
        if match is None:
            counts[note] = None
        else:
            counts[match[1]] = (counts.get(match[1]) or 0) + int(match[2])
    return tuple(note if count is None else f"{note}{count}." for note, count in counts.items())

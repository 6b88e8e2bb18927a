"""Names of systems, groups and metrics in figures: on one line, and no longer than fits."""

from collections.abc import Iterable
from itertools import chain, count

from tallystick.output.tables.cells import measure, shorten
from tallystick.output.tables.controls import escape_controls
from tallystick.output.tables.names import name_column

AVERAGES = {"macro": "mean", "micro": "all"}
"""What rows of averages over groups are called."""

_LONGEST = 26
"""The most columns of a screen that a name takes up, as long as names stay different."""

_LONGEST_TITLE = 44
"""The most columns of a screen that one line of a title takes up."""


def label_names(names: Iterable[str | None], longest: int = _LONGEST) -> dict[str, str]:
    """Returns the label of each name: one that is too long loses its middle.

    No two names have the same label, and control characters and overrides of the direction of
    writing are written as escapes.
    """
    labels: dict[str, str] = {}
    for name in dict.fromkeys(one for one in names if one is not None):
        labels[name] = _label(escape_controls(name), set(labels.values()), longest)
    return labels


def _label(name: str, taken: set[str], longest: int) -> str:
    """The shortest form of a name, from some width on, that no other name has; else all of it."""
    widths = range(longest, measure(name))
    tried = (shorten(name, width) for width in widths)
    label = next((one for one in tried if one not in taken), name)
    numbered = (f"{label} ({at})" for at in count(2))
    return next(one for one in chain([label], numbered) if one not in taken)


def title_score(
    name: str, better: str, confidence: float | None, *, of: str = ""
) -> str | list[str]:
    """Returns the title of an axis: metric, better direction, and confidence of the intervals.

    A long title has two lines.
    """
    facts = []
    if better == "lower":
        facts.append("lower is better")
    if confidence is not None:
        facts.append(f"{100 * confidence:g}% confidence interval")
    what = escape_controls(f"{name_column(name)}{of}")
    details = f"({', '.join(facts)})" if facts else ""
    title = f"{what} {details}".rstrip()
    return [what, details] if details and measure(title) > _LONGEST_TITLE else title

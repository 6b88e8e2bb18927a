"""Detects what separates the fields of a table, from its header and the rows below it."""

import csv
import io

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def find_separator(text: str, usual: str, *, whole: bool) -> str:
    """Returns what separates the fields: what splits the header, and all rows as it splits that.

    The usual separator stands wherever it splits the header and the rows alike. Otherwise the one
    that gives the most columns does, and where none is consistent, one that splits the header.

    Args:
        text: The table or its beginning.
        usual: What the ending of the file promises.
        whole: Whether nothing follows the text, so that its last row is not cut off.
    """
    widths = {mark: _count_fields(text, mark, whole) for mark in _SEPARATORS}
    splitting = [mark for mark in _SEPARATORS if widths[mark][:1] > [1]]
    splitting.sort(key=lambda mark: (mark != usual, -widths[mark][0]))
    consistent = [mark for mark in splitting if len(set(widths[mark])) == 1]
    return next(iter(consistent or splitting), usual)


def name_separator(mark: str) -> str:
    """Returns the plural of a separator's name, such as `semicolons`."""
    return _SEPARATORS[mark]


def _count_fields(text: str, mark: str, whole: bool) -> list[int]:
    """Returns the number of fields of the header and of each row that is not blank."""
    try:
        lines = io.StringIO(text, newline="")
        widths = [len(row) for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []
    return widths if whole else [*widths[:1], *widths[1:-1]]

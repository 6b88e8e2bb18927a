"""Finds the files of a run: one prediction file per language, all with the same tag."""

import os
import re

from tallystick.errors import InputError

# Beside the predictions lie the scores and the errors that were written from them.
_LANGUAGE = r"(?P<language>(?!metrics[._]|errors_).+?)"


def find_predictions(folder: str, tag: str) -> dict[str, str]:
    """Returns the path of every `TAG_LANGUAGE.csv` or `.csv.gz` in a folder by its language.

    The scores and errors that are written beside them, `TAG_metrics.csv` and `TAG_errors_*.csv`,
    are left out. The languages are sorted.

    Raises:
        InputError: There is no such folder, no such file in it, or two of one language.
    """
    names = _list_files(folder)
    pattern = re.compile(rf"{re.escape(tag)}_{_LANGUAGE}\.csv(\.gz)?")
    found: dict[str, str] = {}
    for match in filter(None, map(pattern.fullmatch, names)):
        language = match["language"]
        if language in found:
            raise InputError(f"{folder}: holds language {language!r} twice, as .csv and .csv.gz")
        found[language] = os.path.join(folder, match.string)
    if not found:
        there = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise InputError(f"{folder}: no file is named {tag}_LANGUAGE.csv, only: {there or 'none'}")
    return dict(sorted(found.items()))


def _list_files(folder: str) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed: {error.strerror}") from error

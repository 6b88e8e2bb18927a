"""A folder of submissions is one prediction file per system, named as the system is."""

import os

from tallystick.errors import InputError

__all__ = ["find_submissions"]


def find_submissions(folder: str) -> dict[str, str]:
    """Return the path of every file in a folder by the name of its system, sorted.

    Hidden files and folders within are left out.

    Raises:
        InputError: There is no such folder, no file in it, or two of one name.
    """
    found: dict[str, str] = {}
    for name in _list_files(folder):
        system = _name_system(name)
        path = os.path.join(folder, name)
        if system in found:
            raise InputError(
                f"{folder}: {os.path.basename(found[system])} and {name} are both of the system "
                f"{system!r}; rename one or take it away"
            )
        found[system] = path
    if not found:
        raise InputError(
            f"{folder}: holds no file, but one prediction file per system was expected"
        )
    return found


def _name_system(name: str) -> str:
    plain = name.removesuffix(".gz")
    return os.path.splitext(plain)[0] or plain


def _list_files(folder: str) -> list[str]:
    try:
        files = [entry.name for entry in os.scandir(folder) if entry.is_file()]
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed: {error.strerror}") from error
    return sorted(name for name in files if not name.startswith("."))

"""Names systems after the files that hold their outputs."""

import os
import re
from collections.abc import Sequence

from tallystick.errors import UsageError
from tallystick.io.files.datasets import list_files
from tallystick.io.files.stores import cut_options, is_remote

_SEPARATOR = re.compile(r"[._\-/]")
_FOLDER = re.compile("/")
_SHORTEST = 3


def name_files(paths: Sequence[str]) -> list[str]:
    """Returns a name for each file: its own without the beginning and end that all share.

    Folders and endings are left out where the names differ without them. What names share at their
    beginning or end is cut off at a dot, an underscore, a dash or a slash, as long as each name
    keeps a letter and differs from the others, and at the beginning three characters, so that
    ONLINE-A and ONLINE-B keep their names. A path that occurs twice is a UsageError.
    """
    plain = [_plain(path) for path in paths]
    bases = [path.rpartition("/")[2] or path for path in plain]
    whole = [path.replace(os.sep, "/") for path in paths]
    plain, bases, whole = (list(map(write_name, some)) for some in (plain, bases, whole))
    for names, cut in (([cut_ending(base) for base in bases], True), (bases, False), (whole, True)):
        if len(set(names)) == len(names):
            if not cut or len(names) < 2:
                return names
            own = [name[::-1] for name in _cut_beginning(names, _FOLDER, 1)]
            own = [name[::-1] for name in _cut_beginning(own, _SEPARATOR, 1)]
            return _cut_beginning(own, _SEPARATOR, _SHORTEST)
    twice = next(path for path in paths if paths.count(path) > 1)
    raise UsageError(f"{twice} is given twice")


def split_name(argument: str) -> tuple[str | None, str]:
    """Returns the name and the path of `NAME=FILE`; None and the argument if that is a path."""
    name, sign, path = argument.partition("=")
    if not (name and sign and path) or is_remote(argument) or os.path.exists(argument):
        return None, argument
    if list_files(argument):
        return None, argument
    return name, path


def write_name(name: str) -> str:
    """Returns a name as text; bytes that are no UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode()


def _plain(path: str) -> str:
    name = cut_options(path).replace(os.sep, "/")
    return name.rstrip("/") or name


def is_page(path: str) -> bool:
    """Whether a path is that of a page, by its ending."""
    return path.lower().endswith((".html", ".htm"))


def cut_ending(name: str) -> str:
    """Returns the name of a file without its ending, and without `.gz` behind that."""
    plain = name.removesuffix(".gz")
    return os.path.splitext(plain)[0] or plain


def _cut_beginning(names: list[str], border: re.Pattern[str], shortest: int) -> list[str]:
    for separator in reversed([*border.finditer(names[0])]):
        start = names[0][: separator.end()]
        left = [name.removeprefix(start) for name in names if name.startswith(start)]
        kept = (any(map(str.isalpha, name)) and len(name) >= shortest for name in left)
        if len(left) == len(names) and all(kept):
            return left
    return names


def name_systems(arguments: Sequence[str]) -> dict[str, str | None]:
    """The path of each system by its name: `NAME=FILE`, else what its file is called."""
    found: dict[str, str | None] = {}
    for name, path in name_all(arguments):
        if name in found:
            raise UsageError(f"two systems are called {name!r}; name one as NAME={path}")
        found[name] = path
    return found


def name_all(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """The name of each system, and the path of one of its files, of which it may have several."""
    named = [split_name(argument) for argument in arguments]
    unnamed = iter(name_files([path for name, path in named if name is None]))
    return [(next(unnamed) if given is None else given, path) for given, path in named]

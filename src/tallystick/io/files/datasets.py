"""Finds the files of a path: a file, those of a pattern or a folder; and names systems by files.

In a partitioned data set, as Hive and Spark write it, folders such as `lang=de` are columns.
"""

import glob
import os
import re
import stat
from collections.abc import Collection, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import Struct

from tallystick.errors import InputError, UsageError
from tallystick.io.files.stores import Stamp, cut_options, is_remote, list_stored, measure

if TYPE_CHECKING:
    from tallystick.io.files.opening import Progress


class Span(Struct, frozen=True):
    """Some groups of rows of a Parquet file that follow each other, and their size in bytes."""

    first: int
    rows: int
    size: int


class Piece(Struct, frozen=True):
    """A file, or some of its rows, with further columns that have one value each."""

    path: str
    span: Span | None = None
    values: tuple[tuple[str, str | None], ...] = ()


class Asked(Struct, frozen=True):
    """A request to read a file of a known format: all columns and rows, or `only` some."""

    path: str
    format: str
    only: Collection[str] | None = None
    watch: "Progress | None" = None
    span: Span | None = None


_PATTERN = re.compile(r"[*?\[]")
_PARTITION = re.compile(r"(?P<name>[^=]+)=(?P<value>.*)")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".txt", ".ann")


def is_dataset(path: str) -> bool:
    """Returns whether a path is a pattern or a folder, and no file."""
    if path == "-":
        return False
    if is_remote(path):
        plain = cut_options(path)
        return plain.endswith("/") or measure(path) is None
    return os.path.isdir(path) or (_is_pattern(path) and not os.path.exists(path))


def find_pieces(path: str) -> tuple[Piece, ...]:
    """Returns the files of a path, a folder (without hidden ones) or a pattern, sorted by name."""
    if not is_dataset(path):
        return (Piece(path),)
    base, found = _list(path)
    if not found:
        raise InputError(_explain_nothing(path))
    pieces = list[Piece]()
    brat = [one for one in found if one.path.endswith(".ann")]  # next to their texts
    for one in brat or found:
        folders = one.path[len(base) :].replace(os.sep, "/").split("/")[:-1]
        values = tuple(
            (match["name"], None if match["value"] == _NOTHING else unquote(match["value"]))
            for match in filter(None, map(_PARTITION.fullmatch, folders))
        )
        if brat:
            values = ("id", cut_ending(one.path[len(base) :].strip("/\\"))), *values
        pieces.append(Piece(one.path, values=values))
        columns = [[name for name, _ in piece.values] for piece in (pieces[0], pieces[-1])]
        if columns[0] != columns[1]:
            text = [" and ".join(map(repr, own)) or "none" for own in columns]
            raise InputError(
                f"{one.path}: its folders are named after the columns {text[1]}, but those of "
                f"{pieces[0].path} for {text[0]}; put all files into folders of the same columns"
            )
    return tuple(pieces)


def list_files(path: str) -> tuple[Stamp, ...]:
    """Returns the files that a path represents, with their sizes; none where it is a pipe."""
    if is_dataset(path):
        return tuple(_list(path)[1])
    one = measure(path) if is_remote(path) else _measure(path)
    return () if one is None else (one,)


def _measure(path: str) -> Stamp | None:
    with suppress(OSError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):
            return Stamp(path, status.st_size, status.st_mtime_ns)
    return None


def _is_pattern(path: str) -> bool:
    return _PATTERN.search(path) is not None


def _list(path: str) -> tuple[str, list[Stamp]]:
    """Returns the folder in which a pattern begins, and all files that match it, sorted."""
    if is_remote(path):
        return _list_remote(path)
    base, matches = path, [path]
    if not os.path.isdir(path):
        base = os.path.dirname(_PATTERN.split(path, maxsplit=1)[0])
        matches = glob.glob(path, recursive=True)
    found = {one for one in matches if not os.path.isdir(one)}
    for folder in filter(os.path.isdir, matches):
        for place, _, names in os.walk(folder):
            found |= {os.path.join(place, name) for name in names if _is_table(name)}
    files = filter(None, map(_measure, sorted(found)))
    return base, [one for one in files if not _is_aside(one.path[len(base) :])]


def _is_table(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(_TABLES)


def _is_aside(name: str) -> bool:
    """Returns whether a file or a folder on the way to it is hidden, or a note of what wrote it."""
    parts = name.replace(os.sep, "/").strip("/").split("/")
    return any(part.startswith((".", "_")) and "=" not in part for part in parts)


def _list_remote(path: str) -> tuple[str, list[Stamp]]:
    """Returns what `_list` does, of a store, where folders are no more than parts of names."""
    plain = cut_options(path)
    pattern, head = _is_pattern(plain), _PATTERN.split(plain, maxsplit=1)[0]
    base = head[: head.rfind("/") + 1] if pattern else plain
    wanted = plain[len(base) :].split("/")
    found = []
    for one in list_stored(path, base):
        name = cut_options(one.path)[len(base) :]
        chosen = _matches(name.split("/"), wanted) if pattern else _is_table(name)
        if chosen and not _is_aside(name):
            found.append(one)
    return base, found


def _matches(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    """Returns whether the names of a path, or those of a folder that it lies in, match patterns."""
    if not patterns or not parts:
        return not patterns
    if patterns[0] == "**":
        return any(_matches(parts[start:], patterns[1:]) for start in range(len(parts)))
    return fnmatchcase(parts[0], patterns[0]) and _matches(parts[1:], patterns[1:])


def _explain_nothing(path: str) -> str:
    plain = cut_options(path)
    if _is_pattern(plain):
        return f"{path}: matches no file"
    if is_remote(path) and not plain.endswith("/"):
        return f"{path}: cannot be found; there is no such file or folder"
    return (
        f"{path}: is a directory without tables; give a file, a folder of files with the same "
        f"columns ({', '.join(_TABLES)}), or the submissions in it with --submissions"
    )


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

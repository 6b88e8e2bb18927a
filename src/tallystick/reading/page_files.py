"""Folders with a file for each example, such as pages and summaries, paired by their names."""

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby

import pyarrow as pa

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import cut_ending
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.files.recognition import name_foreign, name_page
from tallystick.io.tables.table import Table
from tallystick.model.reading import Reading
from tallystick.reading.tables import Outputs

_ROLE = re.compile(r"[._-](gt|gold|ref|reference|pred|prediction|ocr|hyp|decoded|dec)$")
"""The end of a stem that says which side a file is of, as in 0001.gt.txt."""
_ROUGE = re.compile(r"(?P<folder>(.*/)?)([^/]*[._])?[A-Z]\.(?P<id>\d+)")
"""The stems of references for ROUGE-1.5.5, as in model.A.001.txt for system.001.txt."""
_ROUGE_SYSTEM = re.compile(r"(?P<folder>(.*/)?)([^/]*[._])?(?P<id>\d+)")
_SHOWN = 5


def open_folders(
    gold: str, systems: Mapping[str, str | None], reading: Reading
) -> tuple[Table, dict[str, Outputs]]:
    """Returns tables with an example for each id, and a column of the folders where there are some.

    Ids are the names of files without their endings, or what patterns have at `{id}`.
    """
    ours, theirs = reading.per_file or ("", "")
    sides = [_list_files(folder, ours) for folder in (gold, *reading.references)]
    rouge = not (ours or theirs) and all(
        _ROUGE.fullmatch(cut_ending(name)) for names in sides for name in names
    )
    named = [_name(side, ours, _ROUGE if rouge else None) for side in sides]
    pages = dict[str, list[str]]()
    for own in named:
        for key, paths in own.items():
            if len(paths) > 1 and not (rouge or "*" in ours):
                raise InputError(
                    f"{paths[0]} and {paths[1]} have the same name; tell gold and outputs apart "
                    "with patterns, such as `gold_files='{id}.gt.txt'`"
                )
            pages.setdefault(key, []).extend(paths)
    taken = {path for paths in pages.values() for path in paths}
    several = all(kind.textual for kind in reading.kinds or ())
    texts = [[*map(_read_text, paths)] for paths in pages.values()]
    columns = {"id": [*pages], "reference": texts if several else [own[0] for own in texts]}
    folders = [os.path.dirname(key) for key in pages]
    columns |= {"folder": folders} if any(folders) else {}

    def open_system(name: str, folder: str) -> Table:
        files = {
            name: path for name, path in _list_files(folder, theirs).items() if path not in taken
        }
        found = _name(files, theirs, _ROUGE_SYSTEM if rouge else None)
        twice = next((paths for paths in found.values() if len(paths) > 1), None)
        if twice is not None:
            raise InputError(f"{twice[0]} and {twice[1]} are outputs of the same example")
        lost = [key for key in pages if key not in found]
        extra = [key for key in found if key not in pages]
        if extra or (lost and reading.columns.missing == "error"):
            raise InputError(_explain(gold, folder, lost, extra))
        outputs = {"id": [*found], "hypothesis": [_read_text(own[0]) for own in found.values()]}
        return Table(folder, pa.table(outputs), "file", 1)

    if any(path is None for path in systems.values()):
        raise UsageError("with `per_file=True` name the folder of gold, and one for each system")
    entries = {name: partial(open_system, name, str(path)) for name, path in systems.items()}
    return Table(gold, pa.table(columns), "file", 1), dict[str, Outputs](entries)


def _explain(gold: str, folder: str, lost: Sequence[str], extra: Sequence[str]) -> str:
    """The message about names that only one of two folders has."""
    sides = [(folder, lost), (gold, extra)]
    parts = [
        f"{name_source(side)} has no file for {', '.join(keys[:_SHOWN])}"
        + (f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else "")
        for side, keys in sides
        if keys
    ]
    cure = "" if extra else " (or pass `missing='wrong'`)"
    return f"{'; '.join(parts)}; rename files, or name patterns such as '{{id}}.gt.txt'{cure}"


def _list_files(folder: str, pattern: str) -> dict[str, str]:
    """The files of a folder by their names in it; without a pattern those called .txt, if any."""
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is no folder, and with `per_file=True` each side is one")
    found = dict[str, str]()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = [os.path.join(place, name) for name in sorted(names) if not name.startswith(".")]
        found |= {os.path.relpath(path, folder).replace(os.sep, "/"): path for path in paths}
    if not found:
        raise InputError(f"{name_source(folder)}: contains no files")
    texts = [name for name in found if name.lower().removesuffix(".gz").endswith(".txt")]
    return {name: found[name] for name in texts} if texts and not pattern else found


def _name(
    files: Mapping[str, str], pattern: str, stems: re.Pattern[str] | None
) -> dict[str, list[str]]:
    """The files of each id; with a pattern those that match it."""
    keys = list[tuple[str, str]]()
    for name in files:
        if pattern:
            folder, _, base = name.rpartition("/")
            match = _compile(pattern).fullmatch(base)
            key = match and "/".join(filter(None, (folder, match["id"])))
        else:
            match = stems and stems.fullmatch(cut_ending(name))
            key = match["folder"] + match["id"] if match else _ROLE.sub("", cut_ending(name))
        if key:
            keys.append((key, files[name]))
    if not keys:
        raise InputError(f"no file matches {pattern!r}, such as {next(iter(files))}")
    groups = groupby(sorted(keys), lambda one: one[0])
    return {key: [path for _, path in own] for key, own in groups}


def _compile(pattern: str) -> re.Pattern[str]:
    parts = pattern.replace("#ID#", "{id}").split("{id}")
    if len(parts) != 2:
        raise UsageError(f"a pattern of files has {{id}} once, as '{{id}}.gt.txt', not {pattern!r}")
    before, after = (re.escape(part).replace(r"\*", ".*?") for part in parts)
    return re.compile(f"{before}(?P<id>.+){after}", re.DOTALL)


def _read_text(path: str) -> str:
    """The text of a file; ends of lines are those of Unix, and there is none at its end."""
    with open_binary(path) as file:
        data = file.read()
    found = name_foreign(data, path) or name_page(data, path)
    if found is not None:
        raise InputError(f"{name_source(path)}: {found[0]}; write its plain text to a file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name_source(path)}: is not UTF-8 at byte offset {error.start}; save it as UTF-8"
        ) from None
    if "\0" in text:
        raise InputError(
            f"{name_source(path)}: is not a text, as it contains NUL; save it as UTF-8"
        )
    return text.replace("\r\n", "\n").rstrip("\r\n")

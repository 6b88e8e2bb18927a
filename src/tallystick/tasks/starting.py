"""Writes the task file that an organiser starts from, made from the gold."""

import os
from collections.abc import Iterator, Mapping, Sequence

from tallystick.errors import InputError
from tallystick.io.files.datasets import cut_ending
from tallystick.io.tables.table import read_table
from tallystick.kinds.recognition import Key, describe_gold, describe_layout, list_groups, recognise
from tallystick.model.columns import INPUT, KNOWN, OUTPUT, REFERENCE

_HEAD = """\
# yaml-language-server: $schema=task.schema.json
# (written by: tallystick task init --schema > task.schema.json)
title: %s
"""
_FOOT = """\
limits:
  per_day: 5      # submissions of a team
  total: 50
  megabytes: 50   # of a submission, packed and unpacked
# baselines: [majority]
# metrics of a track whose submissions have several rows (tries) for each id: [pass@1, maj@3]
# phases:
#   development:
#     gold: {%(track)s: development.csv}
#     start: 2026-03-01
#     end: 2026-03-31T23:59:00Z
"""
_PLAIN_NAMES = ("gold", "labels", "reference", "references", "test", "truth")
"""What gold files are called that tell nothing of their track."""


def name_tracks(golds: Sequence[str]) -> dict[str, str]:
    """Returns gold files by their tracks: what the files are called, or else their folders."""
    found: dict[str, str] = {}
    for path in golds:
        name = cut_ending(os.path.basename(path))
        if name.lower() in _PLAIN_NAMES:
            name = os.path.basename(os.path.dirname(os.path.abspath(path))) or name
        if name in found:
            raise InputError(
                f"{path}: its track would be called {name!r}, as that of {found[name]}; name the "
                f"tracks, such as track1={path}"
            )
        found[name] = path
    return found


def write_start(
    golds: Mapping[str, str],
    folder: str,
    title: str = "Shared task",
    description: str = "",
) -> str:
    """Returns a task file for the gold of each track, with what it contains as comments."""
    tracks = [
        line
        for name, path in golds.items()
        for line in _write_track(name, path, folder, alone=len(golds) == 1)
    ]
    about = f"description: {_quote(description)}\n" if description else ""
    return (
        _HEAD % _quote(title)
        + about
        + "tracks:\n"
        + "".join(tracks)
        + _FOOT % {"track": _quote(next(iter(golds)))}
    )


def _write_track(name: str, path: str, folder: str, *, alone: bool) -> Iterator[str]:
    own = describe_layout(path)
    if own is not None:
        yield f"  {_quote(name)}:\n"
        yield from _align([("gold", os.path.relpath(path, folder), ""), *own])
        return
    table = read_table(path)
    found = recognise(table)
    keys, taken = describe_gold(table, found)
    message = f"gold is {', '.join(map(_quote, found.others))} if not this" if found.others else ""
    ending = os.path.splitext(path.removesuffix(".gz"))[1]
    yield f"  {_quote(name)}:\n"
    yield from _align(
        [
            ("gold", os.path.relpath(path, folder), f"{len(table):,} examples"),
            *([] if alone else [("file", name + (ending or ".csv"), "in a submission")]),
            *([("columns", found.named, message)] if found.named else []),
            *keys,
        ]
    )
    taken |= {*KNOWN, *REFERENCE, *OUTPUT, *INPUT, (found.id or "").lower()}
    others = [column for column in list_groups(table) if column.lower() not in taken]
    if others:
        yield f"    # other columns: {', '.join(map(_quote, others))}\n"
        yield f"    # by: {_quote(others[:1])}\n"
        yield f"    # clusters: {_quote(others[0])}\n"


def _align(keys: Sequence[Key]) -> Iterator[str]:
    """The lines of keys, with their comments below each other where they are short."""
    lines = [(f"    {key}: {_quote(value)}", comment) for key, value, comment in keys]
    width = max((len(line) for line, _ in lines if len(line) < 48), default=0)
    for line, comment in lines:
        yield f"{line:<{width}}  # {comment}\n" if comment else f"{line}\n"


def _quote(value: object) -> str:
    """A value as YAML has it on one line, in quotes where it would be read as something else."""
    import yaml

    text: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1 << 30)
    return text.removesuffix("\n").removesuffix("\n...")

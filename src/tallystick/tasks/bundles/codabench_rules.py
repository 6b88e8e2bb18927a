"""Finds what Codabench would refuse in a bundle, or silently misread.

The rules are those of its own source: unpackers/v2.py, leaderboards/models.py and
compute_worker.py, as of March 2026.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from tallystick.errors import InputError
from tallystick.io.bounded_yaml import parse_yaml
from tallystick.tasks.bundles.reference import Files

_LONGEST_KEY = 36
_LONGEST_TITLE = 256
_RULES = (
    *("Add", "Add_And_Delete", "Add_And_Delete_Multiple"),
    *("Force_Last", "Force_Latest_Multiple", "Force_Best"),
)


def check_bundle(content: bytes) -> list[str]:
    """Returns what is wrong with a bundle, each as a sentence with the cure."""
    try:
        return find_faults(_open(content))
    except zipfile.BadZipFile:
        return ["it is no zip archive"]


def _open(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {one.filename: archive.read(one) for one in archive.infolist() if not one.is_dir()}


def find_faults(files: Files) -> list[str]:
    """Returns what is wrong with the files of a bundle, each as a sentence with the cure."""
    if "competition.yaml" not in files:
        return [_tell_depth("competition.yaml", files, "bundle")]
    try:
        found = parse_yaml(files["competition.yaml"], "competition.yaml").value
    except InputError as error:
        return [str(error)]
    if not isinstance(found, dict):
        return ["competition.yaml contains no keys"]
    return [
        *_check_head(found, files),
        *_check_pages(found, files),
        *_check_tasks(found, files),
        *_check_phases(found),
        *_check_boards(found),
        *(f"{name} is left over from a desktop; leave it out" for name in files if _is_junk(name)),
    ]


def _is_junk(name: str) -> bool:
    return "__MACOSX/" in name or ".DS_Store" in name


def _tell_depth(name: str, files: Files, what: str) -> str:
    deep = [path for path in files if path.endswith(f"/{name}") and not _is_junk(path)]
    if deep:
        return (
            f"{name} is at {deep[0]} not at the root of the {what}; zip the contents of the "
            "folder, not the folder itself"
        )
    return f"{name} is missing from the root of the {what}"


def _check_head(found: Mapping[str, object], files: Files) -> Iterator[str]:
    if str(found.get("version", "1")) != "2":
        yield "version is not 2, so the bundle is read as one of CodaLab 1.5; write version: 2"
    title = found.get("title")
    if not title or len(str(title)) > _LONGEST_TITLE:
        yield f"title is missing, or longer than {_LONGEST_TITLE} characters"
    image = found.get("image")
    if not files.get(str(image)):
        yield "image does not name a picture in the bundle; a logo is required"
    docker = str(found.get("docker_image", ""))
    old = re.search(r":(?:py3|3\.)([6-9]|10)\b", docker)
    if not docker or old:
        yield (
            "docker_image is missing or has a Python before 3.11 (the default is Python 3.7); "
            "write docker_image: python:3.12-slim, or your own image"
        )
    if len(docker) > 128:
        yield "docker_image is longer than 128 characters"


def _check_pages(found: Mapping[str, object], files: Files) -> Iterator[str]:
    pages = found.get("pages")
    if not isinstance(pages, list) or not pages:
        yield "pages is missing; at least one page is required"
        pages = []
    named = [(page.get("file"), f"the page {page.get('title')!r}") for page in pages]
    for path, what in (*named, (found.get("terms"), "terms")):
        if path not in files:
            yield f"{what} names the file {path!r}, which is not in the bundle"
        elif not files[path].strip():
            yield f"{what} is empty: write something into {path}"


def _check_tasks(found: Mapping[str, Any], files: Files) -> Iterator[str]:
    tasks = found.get("tasks") or []
    if not tasks:
        yield "tasks is missing; at least one task is required"
    if _repeats(tasks, "index"):
        yield "tasks must have an index each, and no index twice"
    for task in tasks:
        yield from _check_program(task, files)
        if not _list_inside(task.get("reference_data"), files):
            yield f"the task {task.get('name')!r} has no reference_data in the bundle"


def _repeats(rows: Sequence[Mapping[str, object]], key: str) -> bool:
    values = [row.get(key) for row in rows]
    return None in values or len({*values}) < len(values)


def _check_program(task: Mapping[str, object], files: Files) -> Iterator[str]:
    inside = _list_inside(task.get("scoring_program"), files)
    name = next((one for one in ("metadata.yaml", "metadata") if one in inside), None)
    if not inside:
        yield f"the task {task.get('name')!r} has no scoring_program in the bundle"
    elif name is None:
        yield _tell_depth("metadata.yaml", inside, "scoring program")
    else:
        called = f"{name} of the scoring program"
        try:
            metadata = parse_yaml(inside[name], called).value
            if not isinstance(metadata, dict) or not metadata.get("command"):
                yield f"{called} has no command"
        except InputError as error:
            yield str(error)


def _list_inside(path: object, files: Files) -> dict[str, bytes]:
    if not isinstance(path, str):
        return {}
    if path in files:
        try:
            return _open(files[path])
        except zipfile.BadZipFile:
            return {}
    folder = path.rstrip("/") + "/"
    return {
        name.removeprefix(folder): content
        for name, content in files.items()
        if name.startswith(folder)
    }


def _check_phases(found: Mapping[str, Any]) -> Iterator[str]:
    phases = found.get("phases") or []
    if not phases:
        yield "phases is missing; at least one phase is required"
    known = {task.get("index") for task in found.get("tasks") or []}
    for phase in phases:
        name = f"the phase {phase.get('name')!r}"
        if not phase.get("tasks") or not set(phase["tasks"]) <= known:
            yield f"{name} has no tasks, or one that is not among tasks"
        if not phase.get("start"):
            yield f"{name} has no start"
        for key in ("start", "end"):
            if type(phase.get(key)) is not date and isinstance(phase.get(key), date):
                yield f"{key} of {name} loses its time of day; put it in quotes"
    for one, other in pairwise(phases):
        if not one.get("end"):
            yield f"the phase {one.get('name')!r} needs an end, as another follows it"
        elif str(one["end"]) >= str(other.get("start")):
            yield f"the phase {other.get('name')!r} must start after the one before it has ended"


def _check_boards(found: Mapping[str, object]) -> Iterator[str]:
    boards = found.get("leaderboards")
    if not isinstance(boards, list) or not boards:
        yield "leaderboards is missing (not leaderboard); at least one is required"
        return
    for board in boards:
        for name, most in (("title", 64), ("key", _LONGEST_KEY)):
            if not board.get(name) or len(board[name]) > most:
                yield f"the {name} of a leaderboard is missing or longer than {most}"
        if board.get("submission_rule", "Add") not in _RULES:
            yield f"submission_rule must be one of {', '.join(_RULES)}"
        yield from _check_columns(board.get("columns") or [], board.get("primary_index", 0))


def _check_columns(columns: list[dict[str, object]], primary: int) -> Iterator[str]:
    if not columns:
        yield "a leaderboard has no columns; at least one is required"
        return
    for name in ("key", "index"):
        if _repeats(columns, name):
            yield f"columns must have {name} each, and none twice"
    if primary not in [column.get("index") for column in columns]:
        yield f"no column has the index {primary}, which is to rank"
    for column in columns:
        key = str(column.get("key"))
        for field in ("key", "title"):
            if not 0 < len(str(column.get(field) or "")) <= _LONGEST_KEY:
                yield f"the {field} of the column {key!r} must have 1 to {_LONGEST_KEY} characters"
        if column.get("sorting", "desc") not in ("asc", "desc"):
            yield f"sorting of the column {key!r} must be asc or desc"
        if not column.get("hidden") and (key == "n" or key.endswith(("_low", "_high", "_n"))):
            yield (
                f"the column {key!r} is not a score and would break ties; write hidden: True, "
                "which also keeps it out of the order"
            )

"""Finds logs among files by what they hold, and reads them."""

import glob
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext

from tallystick.errors import InputError
from tallystick.io.files.archives import is_zip, open_zip
from tallystick.io.files.opening import SNIFFED, open_binary, sniff
from tallystick.io.logs import agents, inspect_log, instances, lm_eval
from tallystick.io.logs.log import Log, Row, decode, read_whole
from tallystick.io.tables.formats import guess_by_ending

RESULTS = "results"
"""What files are called that lie next to samples, and hold none."""

_LOOKED_AT = 20
"""A folder is one of logs if one of its first files is a log."""

_ENDINGS = (".json", ".jsonl", ".ndjson", ".eval")
_LONGEST_LINE = 1 << 26
_MARKS = (
    (b'"status"', b'"eval"'),
    (b'"instance_id"', b'"train_trial_index"'),
    (b'"results"',),
    (b'"adapter_spec"',),
    (b'"name"', b'"sum_squared"'),
    (b'"evaluation_results"',),
    (b'"doc_id"', b'"doc"'),
    (b'"sample_id"', b'"evaluation_id"'),
    *((b'"eval"', b'"hash"'), (b'"total_instances"',), (b'"resolved_ids"',), (b'"resolved"',)),
    *((b'"info"', b'"tasks"'), (b'"simulations"',), (b'"testCases"',), (b'"test_cases"',)),
    *((b'"origin_prompt"',), (b'"details"',), (b'"question_id"',), (b'"task_id"',)),
    *((b'"model_patch"',), (b'"mt"', b'"src"')),
)
"""What the first bytes of a log in JSON contain; only such files are read as a whole."""


def find_format(path: str) -> str | None:
    """Returns the tool that wrote a log, `results` for files next to samples, or None."""
    if guess_by_ending(path) not in (None, "jsonl") or not os.path.isfile(path):
        return None
    try:
        if is_zip(path):
            return "inspect" if _holds_log(path) else None
        start = sniff(path).lstrip()
        return _find_json(path, start) if start.startswith((b"{", b"[")) else None
    except InputError:
        return None  # whoever reads it as something else tells what is wrong


def _holds_log(path: str) -> bool:
    try:
        with open_zip(path) as archive:
            return inspect_log.is_archive(archive.namelist())
    except InputError:
        return path.endswith(".eval")


def list_logs(path: str) -> list[tuple[str, str]]:
    """Returns the logs that a path, a folder or a pattern represents, each with its format."""
    found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    paths = [file for one in found for file in (_list_files(one) if os.path.isdir(one) else [one])]
    first = [find_format(one) for one in paths[:_LOOKED_AT]]
    if not any(first):
        return []
    formats = [*first, *map(find_format, paths[_LOOKED_AT:])]
    text = zip(paths, formats, strict=True)
    return [(one, format) for one, format in text if format is not None]


def _list_files(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().removesuffix(".gz").endswith(_ENDINGS) and not name.startswith("."):
                yield os.path.join(place, name)


def read_logs(paths: Sequence[tuple[str, str]]) -> list[list[Log]]:
    """Reads files of logs, each with its format; results next to samples are passed over."""
    folders = {os.path.dirname(path) for path, format in paths if format != RESULTS}
    for path, format in paths:
        if format == RESULTS and os.path.dirname(path) not in folders:
            raise InputError(_tell_results(path))
    return [_READERS[format](path) for path, format in paths]


def _read_inspect(path: str) -> list[Log]:
    return [(inspect_log.read_archive if is_zip(path) else inspect_log.read_document)(path)]


_READERS: dict[str, Callable[[str], list[Log]]] = {
    "agents": agents.read_results,
    "eee": instances.read_evaluations,
    "inspect": _read_inspect,
    "lm-eval": lambda path: [lm_eval.read_samples(path)],
    "helm": lambda path: [instances.read_instances(path)],
    RESULTS: lambda _: [],
}


def _find_json(path: str, start: bytes) -> str | None:
    row = _read_first_line(path)
    if row is not None and (format := _find_rows([row])):
        return format
    if not any(all(mark in start for mark in marks) for marks in _MARKS):
        return None
    found = read_whole(path)
    if format := _find_rows(found):
        return format
    if inspect_log.is_document(found):
        return "inspect"
    if isinstance(found, list) and found and instances.is_instance(found[0]):
        return "helm"
    text = (lm_eval.is_results, instances.is_beside, instances.is_results)
    return RESULTS if any(one(found) for one in text) else None


def _find_rows(found: object) -> str | None:
    row = found[0] if isinstance(found, list) and found else None
    if isinstance(row, dict) and lm_eval.is_sample(row):
        return "lm-eval"
    if isinstance(row, dict) and instances.is_evaluation(row):
        return "eee"
    return "agents" if agents.find_shape(found) else None


def _read_first_line(path: str) -> Row | None:
    start = sniff(path)
    whole = len(start) < SNIFFED or b"\n" in start.lstrip()
    with nullcontext(io.BytesIO(start)) if whole else open_binary(path) as file:
        line = b""
        while not line.strip():
            line = file.readline(_LONGEST_LINE).removeprefix(b"\xef\xbb\xbf")
            if not line:
                return None
    try:
        found = decode(line, path)
    except InputError:
        return None
    return found if isinstance(found, dict) else None


def _tell_results(path: str) -> str:
    found = read_whole(path)
    if lm_eval.is_results(found):
        return lm_eval.tell_results(path, found)
    if instances.is_results(found):
        return instances.tell_results(path, found)
    return instances.tell_beside(path)

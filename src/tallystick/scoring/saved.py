"""Counted systems in a file, `*.tally`, and read from it again."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from numpy.typing import NDArray

from tallystick import __version__
from tallystick.codes import Label
from tallystick.errors import InputError, UsageError
from tallystick.examples.task import Kind, Task
from tallystick.io.arrays import pack_arrays, read_arrays, unpack_arrays
from tallystick.io.files.datasets import list_files
from tallystick.io.files.opening import write_bytes
from tallystick.io.files.progress import Progress
from tallystick.io.files.stores import Stamp, cut_options, is_remote, read_tag
from tallystick.kinds.loading import restore
from tallystick.kinds.ratings.ratings import RatingPatterns
from tallystick.metrics.names import parse, read_metrics
from tallystick.scoring.choosing import Facts, find_counters, find_kind
from tallystick.scoring.counted import Counted, Input, Part, add_counted, check_new
from tallystick.tallies.metric import Metric
from tallystick.tallies.storage import Stored
from tallystick.tallies.tally import AT_ONCE, Tally

_FORMAT = 2
"""The version of the format; a higher one is of a newer Tallystick."""

Sizes = list[tuple[str | None, int]]
"""How many examples there are in each group, and in all (null)."""


class _Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind | None
    labels: tuple[Label, ...] | None
    positive: Label | None
    threshold: float | None


class _Tally(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tally: its counter, and what its codes point to; its arrays are columns beside it."""

    kind: str
    counter: str
    systems: tuple[str, ...]
    names: dict[str, tuple[Label, ...]]


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known of counted systems but the numbers of their tallies."""

    format: int
    version: str
    systems: tuple[str, ...]
    metrics: list[str]
    usual: bool
    task: _Task
    asked: _Task
    heading: str | None
    groups: tuple[str, ...]
    n: Sizes
    labels: tuple[Label, ...]
    scored: tuple[str, ...]
    thresholds: dict[str, float | None]
    invalid: dict[str, Sizes]
    notes: tuple[str, ...]
    has_lines: bool
    tokenizer: str | None
    weighted: bool
    clustered: bool
    tallies: list[_Tally]
    parts: list[Part]
    bins: int | None = None
    scheme: str | None = None


class _Format(msgspec.Struct):
    format: int


def measure_inputs(paths: Sequence[str]) -> list[Input]:
    """Returns the name, size and digest of each file; what is no file is left out.

    A pattern or a folder stands for its files. The digest of what lies in an object store is that
    of the tag which the store gives to its content.
    """
    files = {one.path: one for path in paths for one in list_files(path)}
    return [_measure(one) for one in files.values()]


def check_least(least: int | None) -> None:
    """Raises a UsageError where a number of examples is none."""
    if least is not None and least < 1:
        raise UsageError(f"a cell has at least 1 example, not {least}")


def check_cells(counted: Counted, least: int | None) -> None:
    """Checks that no cell has fewer examples than some number, from which single ones show.

    Raises:
        InputError: A cell has fewer, or a tally holds numbers of single examples.
        UsageError: The number is below 1.
    """
    if least is None:
        return
    check_least(least)
    for counter, tally in counted.tallies.items():
        counts = tally.cell_sizes()
        if counts is None:
            raise InputError(f"the tally of {counter!r} holds numbers of single examples")
        small = int((counts < least).sum())
        if small:
            raise InputError(
                f"{small} of {len(counts)} cells of {counter!r} have fewer than {least} examples; "
                "count fewer systems at a time, or fewer groups, or without clusters"
            )


def save_counted(path: str, counted: Counted, inputs: Sequence[Input] = ()) -> None:
    """Writes counted systems.

    Raises:
        InputError: The file cannot be written.
        UsageError: A metric would not be known when the file is read.
    """
    write_bytes(path, pack_counted(counted, inputs))


def pack_counted(counted: Counted, inputs: Sequence[Input] = ()) -> bytes:
    """Returns the bytes that `save_counted` writes."""
    _check_names(counted.metrics)
    tallies = {counter: tally.store() for counter, tally in counted.tallies.items()}
    header = _Header(
        _FORMAT,
        __version__,
        counted.systems,
        list(map(repr, counted.metrics)),
        counted.usual,
        _pack_task(counted.task),
        _pack_task(counted.asked),
        counted.heading,
        counted.groups,
        _list_sizes(counted, counted.n),
        counted.labels,
        counted.scored,
        {name: counted.thresholds.get(name) for name in counted.systems},
        {
            name: _list_sizes(counted, counted.invalid[name])
            for name in counted.systems
            if name in counted.invalid
        },
        counted.notes,
        counted.has_lines,
        counted.tokenizer,
        counted.weighted,
        counted.clustered,
        [
            _Tally(stored.kind, repr(counter), stored.systems, dict(stored.names))
            for counter, stored in tallies.items()
        ],
        _list_parts(counted, inputs),
        counted.bins,
        counted.scheme,
    )
    arrays: dict[str, NDArray[Any]] = {}
    for place, stored in enumerate(tallies.values()):
        arrays |= {f"{place}.{name}": array for name, array in stored.arrays.items()}
    return pack_arrays(msgspec.json.encode(header), arrays)


def _check_names(metrics: Sequence[Metric]) -> None:
    """Raises a UsageError for a metric that its name does not give back, so no file could."""
    for metric in metrics:
        try:
            same = _identify(parse(repr(metric))) == _identify(metric)
        except UsageError:
            same = False
        if not same:
            raise UsageError(
                f"{metric!r} cannot be saved, because its name does not say how to make it again: "
                "a class of one's own needs a name of its own, and options that are plain values"
            )


def _identify(metric: Metric) -> tuple[object, ...]:
    """The classes of a metric and its parts, and how they count."""
    return (*map(type, (metric, *metric.averaged)), repr(metric), repr(metric.counter))


def _list_parts(counted: Counted, inputs: Sequence[Input]) -> list[Part]:
    """What was counted at a time: these inputs, or those of the files that it was read from."""
    if inputs:
        return [Part(list(inputs), counted.n[None])]
    rest = counted.n[None] - sum(part.n for part in counted.parts)
    return [*counted.parts, *([Part([], rest)] if rest else [])]


def _list_sizes(counted: Counted, sizes: Mapping[str | None, int]) -> Sizes:
    """The numbers of examples in all, and in each group in turn."""
    return [(name, sizes.get(name, 0)) for name in (None, *counted.groups)]


def load_tallies(*paths: str | os.PathLike[str]) -> Counted:
    """Returns the sum of what `tallystick count` or `Counted.save` wrote.

    `score`, `compare`, `rank`, `plan` and `gate` take it in the place of gold.

    Raises:
        InputError: A file cannot be read, or holds examples that another one holds too.
        UsageError: The files were not counted alike, or none is named.
    """
    if not paths:
        raise UsageError("name one file of counts or more")
    return load_counted([os.fspath(path) for path in paths])


def load_counted(paths: Sequence[str], *, watch: Progress | None = None) -> Counted:
    """Returns the sum of what was saved in some files.

    Raises:
        InputError: A file cannot be read, or holds examples that another one holds too.
        UsageError: The files were not counted alike.
    """
    parts: list[tuple[str, Counted]] = []
    seen: dict[tuple[str, ...], str] = {}
    for path in paths:
        counted = _restore(path, *read_arrays(path, watch=watch))
        check_new(path, counted.parts, seen)
        parts.append((path, counted))
        if len(parts) == AT_ONCE and stay_small([part for _, part in parts]):
            parts = [(path, add_counted(parts))]
    return add_counted(parts)


def stay_small(parts: Sequence[Counted]) -> bool:
    """Whether the sum of parts is smaller than they are, and is called as they are."""
    tallies = chain.from_iterable(part.tallies.values() for part in parts)
    large = any(own.keeps_examples for own in tallies)
    return len({part.systems for part in parts}) == 1 and not large


def unpack_counted(content: bytes, name: str) -> Counted:
    """Returns the counted systems of the bytes of a file, which messages call by a name.

    Raises:
        InputError: They are not what `pack_counted` gives.
    """
    return _restore(name, *unpack_arrays(content, name))


def _restore(path: str, content: bytes, arrays: Mapping[str, NDArray[Any]]) -> Counted:
    header = _read_header(path, content)
    task = _unpack_task(header.task)
    try:
        metrics = tuple(read_metrics(header.metrics, task.kind or "binary"))
    except UsageError as error:
        raise InputError(
            f"{path}: {error}; a metric of one's own is read where its class has been defined"
        ) from error
    asked = _unpack_task(header.asked)
    rated = any(one.counter == repr(RatingPatterns()) for one in header.tallies)
    kinds = {*(find_kind(one).side for one in metrics), "ratings" if rated else "probabilities"}
    facts = Facts(task, asked, frozenset(kinds), header.bins)
    counters = find_counters(metrics, facts)
    known = {repr(counter): counter for counter in counters.values()}
    tallies = {}
    for place, tally in enumerate(header.tallies):
        if tally.counter not in known:
            raise InputError(
                f"{path}: was counted by {tally.counter} of Tallystick {header.version}, which "
                f"Tallystick {__version__} does not have; count again"
            )
        own = _pick(arrays, f"{place}.")
        stored = Stored(tally.kind, tally.systems, tally.names, own)
        try:
            counter = known[tally.counter]
            tallies[counter] = _check_sizes(restore(counter, stored, header.format), header)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    return Counted(
        header.systems,
        metrics,
        counters,
        tallies,
        header.groups,
        header.heading,
        dict(header.n),
        task,
        asked,
        header.labels,
        header.scored,
        header.thresholds,
        {name: dict(own) for name, own in header.invalid.items()},
        header.notes,
        has_lines=header.has_lines,
        tokenizer=header.tokenizer,
        weighted=header.weighted,
        clustered=header.clustered,
        usual=header.usual,
        scheme=header.scheme,
        parts=tuple(part for part in header.parts if part.inputs),
    )


def _check_sizes(tally: Tally, header: _Header) -> Tally:
    """The tally; raises an InputError where it is not of the examples that the header tells of."""
    told = dict(header.n)
    sizes = dict(zip(map(str, tally.groups), tally.n.tolist(), strict=True))
    known = {name: told.get(name if header.groups else None) for name in sizes}
    if known != sizes or sum(sizes.values()) != told.get(None):
        raise InputError(f"a tally of {tally.counter!r} is not of the examples that were counted")
    return tally


def _read_header(path: str, content: bytes) -> _Header:
    try:
        format = msgspec.json.decode(content, type=_Format).format
        if format > _FORMAT:
            raise InputError(
                f"{path}: has format {format}, which this Tallystick ({__version__}) is too old "
                "to read; update it"
            )
        return msgspec.json.decode(content, type=_Header)
    except msgspec.MsgspecError as error:
        raise InputError(f"{path}: its header is not that of saved tallies: {error}") from error


def _pick(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _measure(file: Stamp) -> Input:
    name = Path(cut_options(file.path)).name
    if is_remote(file.path):
        digest = hashlib.sha256(read_tag(file.path).encode())
    else:
        with open(file.path, "rb") as opened:
            digest = hashlib.file_digest(opened, "sha256")
    return Input(name, file.size, digest.hexdigest())


def _pack_task(task: Task) -> _Task:
    return _Task(task.kind, task.labels, task.positive, task.threshold)


def _unpack_task(task: _Task) -> Task:
    return Task(task.kind, task.labels, task.positive, task.threshold)

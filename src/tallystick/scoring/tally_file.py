"""Counted systems as the bytes of a file, `*.tally`."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.io.arrays import pack_arrays
from tallystick.io.files.datasets import list_files, write_name
from tallystick.io.files.opening import write_bytes
from tallystick.io.files.stores import Stamp, cut_options, is_remote, read_tag
from tallystick.kinds.metrics.names import parse
from tallystick.model.codes import Label
from tallystick.model.facts import Facts
from tallystick.model.tallies.metric import Metric, list_parts
from tallystick.version import __version__

if TYPE_CHECKING:
    from tallystick.scoring.counted import Counted


FORMAT = 7
"""The version of the format, the only one that is read."""


class Input(Struct, frozen=True):
    """A file that was counted: its name without folders, size in bytes, and SHA-256 digest."""

    name: str
    bytes: int
    sha256: str


class Part(Struct, frozen=True):
    """What was counted at a time: its files, and how many examples they hold."""

    inputs: list[Input]
    n: int


class TallyHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tally: its counter, and what its codes point to; its arrays are columns next to it."""

    kind: str
    counter: str
    systems: tuple[str, ...]
    names: dict[str, tuple[Label, ...]]


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known of counted systems but the numbers of their tallies."""

    format: int
    version: str
    systems: tuple[str, ...]
    metrics: list[str]
    usual: bool
    heading: str | None
    groups: tuple[str, ...]
    facts: Facts
    tallies: list[TallyHeader]
    parts: list[Part]
    own: dict[str, str]
    """Where the classes of metrics lie that do not come with Tallystick: `module:Class`."""


def measure_inputs(paths: Sequence[str]) -> list[Input]:
    """The name, size and digest of each file; folders and patterns represent their files."""
    files = {one.path: one for path in paths for one in list_files(path)}
    return [_measure(one) for one in files.values()]


def _measure(file: Stamp) -> Input:
    name = write_name(Path(cut_options(file.path)).name)
    if is_remote(file.path):
        digest = hashlib.sha256(read_tag(file.path).encode())
    else:
        with open(file.path, "rb") as opened:
            digest = hashlib.file_digest(opened, "sha256")
    return Input(name, file.size, digest.hexdigest())


def save_counted(path: str, counted: "Counted", inputs: Sequence[Input] = ()) -> None:
    """Writes counted systems."""
    write_bytes(path, pack_counted(counted, inputs))


def pack_counted(counted: "Counted", inputs: Sequence[Input] = ()) -> bytes:
    """Returns the bytes that `save_counted` writes."""
    counted.refuse_correction("saved counts, which hold no human labels")
    _check_names(counted.take_together().metrics)
    tallies = {counter: tally.store() for counter, tally in counted.tallies.items()}
    facts = counted.facts
    header = Header(
        format=FORMAT,
        version=__version__,
        metrics=list(map(repr, counted.metrics)),
        systems=counted.systems,
        usual=counted.usual,
        heading=counted.heading,
        groups=counted.groups,
        facts=msgspec.structs.replace(facts, notes=tuple(map(str, facts.notes))),
        tallies=[
            TallyHeader(stored.kind, repr(counter), stored.systems, dict(stored.names))
            for counter, stored in tallies.items()
        ],
        parts=_list_parts(counted, inputs),
        own={
            repr(metric): f"{type(metric).__module__}:{type(metric).__name__}"
            for metric in counted.metrics
            if not type(metric).__module__.startswith("tallystick.")
        },
    )
    arrays: dict[str, NDArray[Any]] = {}
    for place, stored in enumerate(tallies.values()):
        arrays |= {f"{place}.{name}": array for name, array in stored.arrays.items()}
    return pack_arrays(msgspec.msgpack.encode(header), arrays)


def _check_names(metrics: Sequence[Metric]) -> None:
    """Raises a UsageError for a metric that its name does not give back, so no file could."""
    for metric in metrics:
        try:
            same = _identify(parse(repr(metric))) == _identify(metric)
        except UsageError:
            same = False
        if not same:
            raise UsageError(
                f"{metric!r} cannot be saved, because its name is not enough to create it again: "
                "a class of one's own needs a name of its own, and options that are plain values"
            )


def _identify(metric: Metric) -> tuple[object, ...]:
    return (
        *map(type, (metric, *list_parts(metric))),
        repr(metric),
        repr(metric.counter),
    )


def _list_parts(counted: "Counted", inputs: Sequence[Input]) -> list[Part]:
    if inputs:
        return [Part(list(inputs), counted.facts.n[None])]
    rest = counted.facts.n[None] - sum(part.n for part in counted.parts)
    return [*counted.parts, *([Part([], rest)] if rest else [])]

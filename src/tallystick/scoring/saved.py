"""Counted systems in a file, `*.tally`, and read from it again."""

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, compress
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError, short_traceback
from tallystick.io.arrays import read_arrays, unpack_arrays
from tallystick.io.files.opening import Progress
from tallystick.kinds.labels import needs_probabilities
from tallystick.kinds.metrics.names import read_metrics
from tallystick.kinds.numbers.rated_items import RatedItems
from tallystick.kinds.probabilities.joint import JointRows
from tallystick.model.facts import Facts
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.curve import CurveTally, load_scores
from tallystick.model.tallies.storage import Stored
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import AT_ONCE, Tally
from tallystick.scoring.counted import Counted, add_counted, check_new
from tallystick.scoring.metric_selection import find_counters
from tallystick.scoring.tally_file import FORMAT, Header
from tallystick.version import __version__

_LOADERS: Mapping[str, Callable[[Any, Stored], Tally]] = {
    "cells": Cells.load,
    "curve": CurveTally.load,
    "joint": JointRows.load,
    "rated": RatedItems.load,
    "scores": load_scores,
    "sums": Sums.load,
}


def restore(counter: object, stored: Stored) -> Tally:
    """The tally that was stored; raises an InputError if parts are missing or contradictory."""
    try:
        if stored.kind not in _LOADERS:
            raise ValueError(f"unknown kind of tally: {stored.kind}")
        tally = _LOADERS[stored.kind](counter, stored)
        check = getattr(counter, "check", None)  # what is true of all tallies of this counter
        if check is not None:
            check(tally)
        # What a tally would not write so is of no tally: other orders, types or further parts.
        wrong = stored.find_difference(tally.store())
        if wrong is not None:
            raise ValueError(
                f"what it calls {wrong} contradicts its other parts, or is not in order"
            )
    except (IndexError, ValueError) as error:
        raise InputError(f"a tally of {counter!r} is damaged: {error}") from error
    return tally


class _Format(msgspec.Struct):
    format: int


def check_least(least: int | None) -> None:
    """Raises a UsageError where a number of examples is none."""
    if least is not None and least < 1:
        raise UsageError(f"a cell has at least 1 example, not {least}")


def check_cells(counted: Counted, least: int | None) -> None:
    """Checks that no cell has fewer examples than some number, from which single ones show."""
    if least is None:
        return
    check_least(least)
    for counter, tally in counted.tallies.items():
        if tally.patterns is None:
            raise InputError(f"the tally of {counter!r} contains numbers of single examples")
        counts = tally.patterns.cell_sizes()
        small = int((counts < least).sum())
        if small:
            raise InputError(
                f"{small} of {len(counts)} cells of {counter!r} have fewer than {least} examples; "
                "count fewer systems at a time, or fewer groups, or without clusters"
            )


@short_traceback
def load(*paths: str | os.PathLike[str]) -> Counted:
    """Returns the sum of what `tallystick count` or `Counted.save` wrote.

    `score`, `compare`, `rank`, `plan` and `gate` take it in the place of gold.

    Raises:
        InputError: A file cannot be read, or contains examples that another one holds too.
        UsageError: The files were not counted alike, or none is named.
    """
    if not paths:
        raise UsageError("name one file of counts or more")
    return load_counted([os.fspath(path) for path in paths])


def load_counted(paths: Sequence[str], *, watch: Progress | None = None) -> Counted:
    """Returns the sum of what was saved in some files."""
    parts: list[tuple[str, Counted]] = []
    seen: dict[tuple[str, ...], str] = {}
    for path in paths:
        counted = _restore(path, *read_arrays(path, watch=watch))
        check_new(path, counted.parts, seen)
        append_counted(parts, path, counted)
    return add_counted(parts)


def append_counted(parts: list[tuple[str, Counted]], name: str, counted: Counted) -> None:
    """Adds a part to a list, which becomes its sum once it is long and the sum is smaller."""
    parts.append((name, counted))
    tallies = chain.from_iterable(part.tallies.values() for _, part in parts)
    alike = len({part.systems for _, part in parts}) == 1
    if len(parts) == AT_ONCE and alike and not any(own.keeps_examples for own in tallies):
        parts[:] = [(name, add_counted(parts))]


def unpack_counted(content: bytes, name: str) -> Counted:
    """Returns the counted systems of the bytes of a file, which messages call by a name."""
    return _restore(name, *unpack_arrays(content, name))


def _restore(path: str, content: bytes, arrays: Mapping[str, NDArray[Any]]) -> Counted:
    header = _read_header(path, content)
    facts = header.facts
    try:
        metrics = tuple(read_metrics(header.metrics, facts.task.kind or "binary"))
    except UsageError as error:
        if not header.own:
            raise InputError(f"{path}: {error}") from error
        raise InputError(
            f"{path} was counted for {', '.join(header.own)}, which does not come with Tallystick: "
            f"install the package of {', '.join(header.own.values())}, and name it with -m"
        ) from error
    try:
        counters = find_counters(metrics, facts)
    except UsageError as error:
        raise InputError(f"{path}: its header is damaged: {error}") from error
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
            tallies[counter] = _check_sizes(restore(counter, stored), header)
            if needs_probabilities(counter.kind) and "scores" in stored.arrays:
                _check_scales(stored, facts)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    places = {*map(str, range(len(header.tallies)))}
    lost = [name for name in arrays if name.partition(".")[0] not in places]
    wrong = "arrays are of tallies" if lost else _find_wrong(header, tallies, {*counters.values()})
    if wrong is not None:
        raise InputError(f"{path}: its header is damaged: {wrong}")
    return Counted(
        header.systems,
        metrics,
        counters,
        tallies,
        header.groups,
        header.heading,
        facts,
        usual=header.usual,
        parts=tuple(part for part in header.parts if part.inputs),
    )


def _find_wrong(header: Header, tallies: Mapping[Any, Tally], counters: set[Any]) -> str | None:
    """Which rule a header breaks that all that are written keep; None where it breaks none."""
    facts, names, groups = header.facts, header.systems, header.groups or ("all",)
    n, total = facts.n, facts.n.get(None, -1)
    sizes = [*facts.invalid.values(), facts.left_out]
    shown = [size for name, size in n.items() if name is not None] or [total]
    rules = {
        "systems have names of their own": names and all(names) and len({*names}) == len(names),
        "tallies are of its systems": all(one.systems == names for one in tallies.values()),
        "tallies are those of its metrics": tallies and tallies.keys() == counters,
        "tallies are of its groups": all(
            tuple(map(str, one.groups)) == groups for one in tallies.values()
        ),
        "groups have a heading": (header.heading is None) == (not header.groups),
        "sizes are of its groups": {*n} == {None, *header.groups}
        and all({*own} <= {*n} for own in sizes),
        "sizes add up": sum(shown) == total == sum(one.n for one in header.parts),
        "sizes are not below 0": all(size >= 0 for own in (n, *sizes) for size in own.values()),
        "thresholds are those of its systems": {*facts.thresholds} <= {*names}
        and all(
            0 <= one <= 1
            for name, one in facts.thresholds.items()
            if one is not None and name not in facts.unscaled
        ),
        "scales are those of its systems": {*facts.unscaled} <= {*names},
        "invalid outputs are those of its systems": {*facts.invalid} <= {*names}
        and all(own.get(None, 0) <= total for own in facts.invalid.values()),
        "scores are rounded to digits": facts.round_scores is None or 0 < facts.round_scores < 18,
        "clusters are those of its tallies": facts.clustered
        == any("clusters" in one.names for one in header.tallies),
    }
    return next((rule for rule, kept in rules.items() if not kept), None)


def _check_scales(stored: Stored, facts: Facts) -> None:
    """Raises an InputError where scores are no probabilities though the header says so."""
    scores = stored.arrays["scores"].reshape(len(stored.systems), -1)
    odd = np.any((scores < 0) | (scores > 1), axis=1)
    if not {*compress(stored.systems, odd)} <= {*facts.unscaled}:
        raise InputError("a tally is damaged: its scores are not probabilities between 0 and 1")


def _check_sizes(tally: Tally, header: Header) -> Tally:
    text = header.facts.n
    sizes = dict(zip(map(str, tally.groups), tally.n.tolist(), strict=True))
    known = {name: text.get(name if header.groups else None) for name in sizes}
    total = sum(sizes.values())
    same = known == sizes and total == text.get(None)
    # A mean leaves out examples that have no number.
    fewer = tally.counter.kind.numeric and total <= (text.get(None) or 0)
    if not same and not (fewer and all(size <= (known[name] or 0) for name, size in sizes.items())):
        raise InputError(f"a tally of {tally.counter!r} is not of the examples that were counted")
    return tally


def _read_header(path: str, content: bytes) -> Header:
    try:
        format = msgspec.msgpack.decode(content, type=_Format).format
        if format != FORMAT:
            cure = "update Tallystick" if format > FORMAT else "count again"
            raise InputError(
                f"{path}: has format {format}, and Tallystick {__version__} reads format {FORMAT}; "
                f"{cure}"
            )
        return msgspec.msgpack.decode(content, type=Header)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: its header is not that of saved tallies: {error}") from error


def _pick(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }

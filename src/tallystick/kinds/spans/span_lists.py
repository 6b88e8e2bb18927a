"""Spans in memory: lists of the tags of each example, or lists of its spans."""

from collections.abc import Mapping

import numpy as np

from tallystick.codes import row_of
from tallystick.errors import InputError, UsageError
from tallystick.io.schemes import Scheme
from tallystick.io.tables.values import list_values
from tallystick.kinds.spans.spans import (
    Found,
    SpanPairs,
    check_tags,
    note_scheme,
    note_tags,
    read_spans,
)


def read_span_lists(
    gold: object, systems: Mapping[str, object], scheme: Scheme | None
) -> tuple[SpanPairs, tuple[str, ...]]:
    """Reads gold spans, and those of systems; and tells what must be noted of them."""
    golden = _read(gold, "gold", scheme)
    check_tags(golden, row_of("gold"))
    own = {name: _read(values, name, scheme) for name, values in systems.items()}
    for name, found in own.items():
        _check_alike(name, golden, found)
    notes = note_scheme(golden, strict=scheme is not None)
    for name, found in {"gold": golden, **own}.items():
        notes += note_tags(name, found, strict=scheme is not None)
    read = None if golden.tags is None else scheme or "seqeval"
    return SpanPairs.pair(golden.spans, [found.spans for found in own.values()], read), notes


def _read(values: object, name: str, scheme: Scheme | None) -> Found:
    if values is None:
        raise UsageError("outputs are missing; only a table can hold all")

    def tell(row: int, token: int) -> str:
        return f"{name}, row {row + 1}, tag {token + 1}"

    return read_spans(list_values(values, name), row_of(name), tell, scheme)


def _check_alike(name: str, gold: Found, own: Found) -> None:
    if len(own.spans) != len(gold.spans):
        raise InputError(f"{name} has {len(own.spans)} values for {len(gold.spans)} examples")
    if gold.tags is None or own.tags is None:
        return
    sizes = [np.diff(found.offsets) for found in (gold.tags, own.tags)]
    wrong = np.flatnonzero(sizes[0] != sizes[1])
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{name}, row {row + 1} has {sizes[1][row]} tags, but gold has {sizes[0][row]}"
        )

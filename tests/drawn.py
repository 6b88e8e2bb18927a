"""Systems drawn at random for laws of tallies: of any counter, split, shuffled and taken apart."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from msgspec.structs import replace

from strategies import Array
from systems import NAMES, hold
from tallystick.kinds.labels import find_scored
from tallystick.kinds.labels.label_columns import (
    Confusion,
    LabelColumn,
    LabelRows,
    LabelSets,
    Output,
    from_lists,
)
from tallystick.kinds.probabilities.areas import Curve, SetCurves
from tallystick.kinds.ratings.agreement import RatingPatterns
from tallystick.kinds.texts.text_columns import TextColumn, read_pairs
from tallystick.model.codes import Label, Labels, encode, row_of, unify
from tallystick.model.reading import Patterns
from tallystick.model.systems import Systems
from variants import LABELS

GROUPS = ("10", "9", "中文")
CLUSTERS = ("10", "9", "d", "e")
WORDS = ("a", "b", "c", "a b", "中")
WEIGHTS = (0.0, 0.1, 1 / 3, 3.0)
"""Weights whose sums as float64 depend on the order."""


def column(values: st.SearchStrategy[Any], size: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, min_size=size, max_size=size)


@st.composite
def systems_for(
    draw: st.DrawFn,
    counter: Any,
    systems: int = 1,
    *,
    weighted: bool | None = None,
    clustered: bool | None = False,
    listed: tuple[Label, ...] | None = None,
) -> Systems:
    size = draw(st.integers(1, 16))
    groups = encode(draw(column(st.sampled_from(GROUPS), size)), row_of("by"))
    clusters = weights = None
    if draw(st.booleans()) if clustered is None else clustered:
        clusters = encode(draw(column(st.sampled_from(CLUSTERS), size)), row_of("clusters"))
    labelled = isinstance(counter, Confusion | Curve | LabelSets | RatingPatterns)
    if labelled and (draw(st.booleans()) if weighted is None else weighted):
        weights = np.array(draw(column(st.sampled_from(WEIGHTS), size)))
    beside = {"groups": groups, "clusters": clusters, "weights": weights}
    names = NAMES[:systems]
    if not labelled:
        return Systems(names, {"texts": TextColumn(draw(texts_for(size, systems)))}, **beside)
    if isinstance(counter, RatingPatterns):
        return Systems(names, {"ratings": Patterns((draw(ratings_for(size)),))}, **beside)
    if isinstance(counter, LabelSets):
        gold, outputs = draw(sets_for(size, systems, listed))
    elif isinstance(counter, SetCurves):
        gold, outputs = draw(scored_sets_for(size, systems))
    else:
        build = labels_for if isinstance(counter, Confusion) else scores_for
        gold, outputs = draw(build(size, systems))
    return Systems(names, hold(gold, *outputs), **beside)


@st.composite
def labels_for(draw: st.DrawFn, size: int, systems: int) -> tuple[Labels, tuple[Output, ...]]:
    codes = column(st.integers(0, len(LABELS) - 1), size)
    gold, *others = (Labels(np.array(draw(codes), np.uint8), LABELS) for _ in range(systems + 1))
    return gold, tuple(Output(own, invalid=draw(holes_for(size))) for own in others)


@st.composite
def sets_for(
    draw: st.DrawFn, size: int, systems: int, listed: tuple[Label, ...] | None
) -> tuple[LabelRows, tuple[Output, ...]]:
    sets = column(st.lists(st.sampled_from(LABELS), unique=True), size)
    gold = from_lists(draw(sets), row_of("sets"), listed)
    others = [from_lists(draw(sets), row_of("sets")) for _ in range(systems)]
    return gold, tuple(Output(own, invalid=draw(holes_for(size))) for own in others)


def ratings_for(size: int) -> st.SearchStrategy[Labels]:
    pattern = st.lists(st.sampled_from(LABELS), min_size=1, max_size=4).map(sorted).map(json.dumps)
    return column(pattern, size).map(lambda patterns: encode(patterns, row_of("ratings")))


def holes_for(size: int) -> st.SearchStrategy[Array | None]:
    return st.none() | column(st.booleans(), size).map(np.array)


@st.composite
def scores_for(draw: st.DrawFn, size: int, systems: int) -> tuple[Labels, tuple[Output, ...]]:
    gold, _ = draw(labels_for(size, 0))
    single, kind = draw(st.booleans()), draw(st.sampled_from([np.float32, np.float64]))
    if single:
        gold = Labels(gold.codes % 2, LABELS[:2])
    outputs = []
    for _ in range(systems):
        rows = draw(column(st.lists(st.integers(0, 3), min_size=3, max_size=3), size))
        parts = np.array(rows, float)
        parts[parts.sum(1) == 0] = 1
        shares = (parts / parts.sum(1, keepdims=True)).astype(kind)
        outputs.append(Output(gold, shares[:, 0].copy() if single else shares))
    return gold, tuple(outputs)


@st.composite
def scored_sets_for(
    draw: st.DrawFn, size: int, systems: int
) -> tuple[LabelRows, tuple[Output, ...]]:
    gold, _ = draw(sets_for(size, 0, LABELS))
    kind = draw(st.sampled_from([np.float32, np.float64]))
    rows = column(st.lists(st.integers(0, 4), min_size=len(LABELS), max_size=len(LABELS)), size)
    shares = [(np.array(draw(rows), float) / 4).astype(kind) for _ in range(systems)]
    return gold, tuple(Output(gold, own) for own in shares)


@st.composite
def texts_for(draw: st.DrawFn, size: int, systems: int) -> tuple[Any, ...]:
    text = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
    references = draw(column(st.lists(text, min_size=1, max_size=2), size))
    return tuple(read_pairs(draw(column(text, size)), references) for _ in range(systems))


def take(systems: Systems, rows: Sequence[int]) -> Systems:
    places = np.array(rows, np.int64)

    def cut(values: Any) -> Any:
        if values is None or isinstance(values, np.ndarray):
            return None if values is None else values[places]
        return values.take(places)

    return replace(
        systems,
        columns={name: _cut(column, rows) for name, column in systems.columns.items()},
        groups=cut(systems.groups),
        clusters=cut(systems.clusters),
        weights=cut(systems.weights),
    )


def _cut(column: Any, rows: Sequence[int]) -> Any:
    places = np.array(rows, np.int64)
    if isinstance(column, TextColumn):
        return TextColumn(tuple(_cut_texts(part, rows) for part in column.parts))
    return column.take(places)


def _cut_texts(part: Any, rows: Sequence[int]) -> Any:
    hypotheses, references = part.hypotheses.strings(), part.references.strings()
    several = [references[part.spans[row] : part.spans[row + 1]] for row in rows]
    return read_pairs([hypotheses[row] for row in rows], several)


def forget(systems: Systems) -> Systems:
    columns, own = dict(systems.columns), systems.columns.get("labels")
    if isinstance(own, LabelColumn) and not find_scored(systems):
        gold, *labels = map(_reread, (own.gold, *(output.labels for output in own.outputs)))
        if isinstance(gold, Labels):
            gold, *labels = unify(gold, *labels)
        pairs = zip(own.outputs, labels, strict=True)
        columns |= hold(gold, *(replace(output, labels=new) for output, new in pairs))
    if isinstance(patterns := columns.get("ratings"), Patterns):
        columns["ratings"] = Patterns(tuple(map(_reread, patterns.outputs)))
    beside = {
        name: None if getattr(systems, name) is None else _reread(getattr(systems, name))
        for name in ("groups", "clusters")
    }
    return replace(systems, columns=columns, **beside)


def _reread(values: Any) -> Any:
    if isinstance(values, Labels):
        return encode([values.names[code] for code in values.codes], row_of("column"))
    return from_lists(list(map(values.list_names, range(len(values)))), row_of("sets"))

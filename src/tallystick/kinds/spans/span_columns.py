"""Columns of spans or of tags in tables, in files of the form of CoNLL, and in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.formats import LINE, Scheme
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import build_lists, build_strings, list_values
from tallystick.kinds.spans.spans import (
    FARTHEST,
    Found,
    Rules,
    SpanPairs,
    Spans,
    check_ends,
    check_forms,
    check_tags,
    look_like_spans,
    note_scheme,
    note_tags,
    read_spans,
)
from tallystick.model.codes import Locate, is_text, row_of
from tallystick.model.columns import (
    BOTH,
    IDS,
    INPUT,
    LABELS_TOO,
    OUTPUT,
    PREDICTED,
    TOKENS,
    Columns,
    find,
    find_only,
    need,
)
from tallystick.model.facts import count_wrong
from tallystick.model.reading import Drafted, MadeUp, Sample
from tallystick.model.sides import Side
from tallystick.model.systems import Systems

SPAN_COLUMNS = (
    *("spans", "entities", "tags", "ner_tags", "pos_tags", "upos", "labels", "gold_spans"),
    *("gold_tags", *BOTH),
)
"""What columns are called that hold gold spans."""
_OWN = ("predicted_spans", "predicted_tags", "predictions", *PREDICTED, *OUTPUT, *LABELS_TOO)


class Golden(Struct, frozen=True, eq=False):
    """The gold spans of a table, their column, and what was guessed.

    `sizes` are the characters of the texts, where there are texts and no tags.
    """

    found: Found
    column: str
    sizes: np.ndarray | None
    notes: tuple[str, ...]


def holds_spans(left: Side, columns: Columns, *, alone: bool) -> bool:
    """Whether the gold of a table looks like spans or tags."""
    name = find_gold_tags(left, columns, alone=alone)
    if name is None or not left.has(name):
        return False
    schema = left.table.columns.schema
    kind = str(schema.field(name).type) if name in schema.names else "list"
    if not ("list" in kind or "binary" in kind or "string" in kind):
        return False
    some = left.table.head().cut(0, len(left)).values(name)
    if any(isinstance(cell, str) and not cell.lstrip().startswith(("[", "{")) for cell in some):
        return False
    try:
        return look_like_spans(_load(some, left.locate(name)))
    except InputError:
        return False


def read_gold_spans(left: Side, columns: Columns, *, alone: bool) -> Golden:
    """Reads the gold spans; `alone` shows whether the only system is in the same table."""
    name = find_gold_tags(left, columns, alone=alone) or need(
        left.table, SPAN_COLUMNS, None, "gold"
    )
    found = _read(left, name, _rule(columns))
    check_tags(found, left.locate(name))
    placed = found.tags is None and found.spans.words is None
    sizes = _measure_texts(left, columns) if placed else None
    if sizes is not None:
        check_ends(found.spans, sizes, left.locate(name))
    strict = columns.scheme is not None
    notes = note_scheme(found, strict=strict)
    return Golden(found, name, sizes, (*notes, *note_tags("gold", found, strict=strict)))


def _pair(golden: Found, own: Sequence[Spans], scheme: Scheme | None) -> SpanPairs:
    read = None if golden.tags is None else scheme or "seqeval"
    return SpanPairs.pair(golden.spans, own, read)


def _rule(columns: Columns, golden: Found | None = None) -> Rules:
    """How the tags of the gold are read, or next to it those of a system."""
    return Rules(columns.scheme, columns.tag_names, bare=None if golden is None else golden.bare)


def _read(side: Side, name: str, rules: Rules) -> Found:
    def tell(row: int, token: int) -> str:
        return _tell_token(side, row, token)

    rules = replace(rules, tagged="tag" in name.casefold() or is_beside_tokens(side, name))
    return read_spans(_take_values(side, name), side.locate(name), tell, rules)


def is_beside_tokens(side: Side, name: str) -> bool:
    """Returns whether each list of a column is as long as that of the tokens in the first rows."""
    tokens = find(side.names, TOKENS)
    if tokens is None or side.table.unit == "sentence":
        return False
    some = side.table.head()
    sizes = [
        [len(cell) if isinstance(cell, list) else None for cell in list_cells(Side(some), own)]
        for own in (tokens, name)
    ]
    return sizes[0] == sizes[1] and any(sizes[0])


def list_cells(side: Side, name: str) -> list[Any]:
    """Returns the lists of a column; text in its cells, as CSV files have it, is JSON."""
    return _load(side.table.values(name), Side(side.table).locate(name))


def _load(cells: list[object], locate: Locate) -> list[Any]:
    found = list(cells)
    for index, cell in enumerate(cells):
        if isinstance(cell, str):
            try:
                found[index] = read_literal(cell)
            except (ValueError, RecursionError):
                raise InputError(
                    f"{locate(index)}: {cell[:60]!r} is not a JSON list of spans, such as "
                    '[[0, 5, "PER"]], [0, 1, 2] or ["B-PER", "O"], nor of facts'
                ) from None
    return found


def _take_values(side: Side, name: str) -> Any:
    """A column of lists of text as an Arrow array, any other as lists; nothing where absent."""
    held = side.table.columns.schema
    kind = held.field(name).type if name in held.names else pa.null()
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    item = kind.value_type if lists else kind
    if lists and is_text(item.value_type if pa.types.is_dictionary(item) else item):
        values = side.values(name)
        return values if side.absent is None else _fill(values.to_pylist(), side)
    values = list_cells(side, name)
    if side.rows is None:
        return values
    return _fill([values[row] if row >= 0 else None for row in side.rows.tolist()], side)


def _fill(values: list[object], side: Side) -> list[Any]:
    """The values with an empty list where the table does not have an example."""
    if side.absent is None:
        return values
    return [[] if lacking else own for own, lacking in zip(values, side.absent, strict=True)]


def find_gold_tags(left: Side, columns: Columns, *, alone: bool) -> str | None:
    """Returns the column of gold spans or tags; None if no name shows it."""
    names = [name for name in left.names if name != columns.predicted]
    if columns.gold is not None:
        return find(names, (), columns.gold)
    if left.table.unit == "sentence":
        fields = [name for name in names if name.isdigit()]
        beside = alone and columns.predicted is None and len(fields) > 2
        return fields[-2 if beside else -1]
    found = find(names, SPAN_COLUMNS)
    return _find_only(names, columns) if found is None and not alone else found


def find_tags(gold: str, left: Side, right: Side, columns: Columns) -> str:
    """Returns the column of a system's spans or tags."""
    names = [name for name in right.names if not left.beside(right) or name != gold]
    if columns.predicted is not None:
        return find(names, (), columns.predicted) or columns.predicted
    if right.table.unit == "sentence":
        fields = [name for name in names if name.isdigit()][1:]
        if not fields:
            raise InputError(
                f"{right.table.source}: has one column of tags; name the files of the systems, or "
                "put their tags into a column after those of the gold"
            )
        return fields[-1]
    found = find(names, (*_OWN, *(SPAN_COLUMNS if not left.beside(right) else ())))
    if found is None and not left.beside(right):
        found = _find_only(names, columns)
    return found or need(right.table, _OWN, None, "predicted")


def _find_only(names: Sequence[str], columns: Columns) -> str | None:
    """The only column besides ids, groups, clusters and texts; None where there are others."""
    apart = (*IDS, *INPUT, *TOKENS, *columns.by, *columns.ids, columns.clusters)
    return find_only(names, apart)


def _measure_texts(left: Side, columns: Columns) -> np.ndarray | None:
    import pyarrow.compute as pc

    name = find(left.names, INPUT, columns.text)
    if name is None or "string" not in str(left.values(name).type):
        return None
    sizes = pc.utf8_length(left.values(name)).cast(pa.int64())
    return np.asarray(sizes.fill_null(FARTHEST))


def _tell_token(side: Side, row: int, token: int) -> str:
    """Where a token stands: the line of its file, or its place in the list."""
    own = row if side.rows is None else int(side.rows[row])
    if side.table.unit == "sentence":
        return f"{side.table.source}, line {side.table.column(LINE)[own].as_py() + token}"
    return f"{side.locate_row(row)}, tag {token + 1}"


def check_lengths(sizes: Sequence[np.ndarray], left: Side, right: Side) -> None:
    """Raises an InputError where an example has not as many tags as in the gold."""
    held = np.ones(len(sizes[0]), bool) if right.absent is None else ~right.absent
    wrong = np.flatnonzero((sizes[0] != sizes[1]) & held)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{_tell_example(right, row)} has {sizes[1][row]} tags, but "
            f"{_tell_example(left, row)} has {sizes[0][row]}; both sides must have a tag for each "
            "token"
        )


def explain_sentences(gold: Table, own: Table) -> InputError:
    """Returns what is wrong with files of different numbers of sentences."""
    columns = [table.column("1").combine_chunks() for table in (gold, own)]
    sizes = [np.asarray(column.value_lengths()) for column in columns]
    shared = min(map(len, sizes))
    differ = np.flatnonzero(sizes[0][:shared] != sizes[1][:shared])
    row = int(differ[0]) if len(differ) else shared
    lines = [
        f"line {table.column(LINE)[row].as_py()}" if row < len(table) else "the end"
        for table in (gold, own)
    ]
    return InputError(
        f"{gold.source} has {len(gold)} sentences but {own.source} has {len(own)}; blank "
        f"lines separate them, and the first that differ begin at {lines[0]} of {gold.source} "
        "and at "
        f"{lines[1]} of {own.source}"
    )


def _tell_example(side: Side, row: int) -> str:
    if side.table.unit == "sentence":
        return f"the sentence from {_tell_token(side, row, 0)}"
    return side.locate_row(row)


def check_tokens(left: Side, right: Side) -> None:
    """Raises an InputError where the tokens of an output are not those of the gold."""
    names = [find(side.names, TOKENS) for side in (left, right)]
    if names[0] is None or names[1] is None or right.absent is not None:
        return
    sides = left.values(names[0]), right.values(names[1])
    if sides[0].equals(sides[1]):
        return
    for row, (gold, own) in enumerate(zip(*sides, strict=True)):
        one, other = gold.as_py() or [], own.as_py() or []
        if one == other:
            continue
        at = next(
            (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
            min(len(one), len(other)),
        )
        shown = [repr(tokens[at]) if at < len(tokens) else "no token" for tokens in (one, other)]
        raise InputError(
            f"{_tell_token(right, row, at)} has {shown[1]} where {_tell_token(left, row, at)} has "
            f"{shown[0]}; the tokens of both must be the same"
        )


class SpanReader(Struct, frozen=True, eq=False):
    """Reads spans, and tags that represent them; keeps those of each system with their notes."""

    golden: Golden
    left: Side
    columns: Columns
    found: dict[str, tuple[Spans, tuple[str, ...]]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        golden, left = self.golden, self.left
        column = find_tags(golden.column, left, side, columns)
        found = _read(side, column, _rule(columns, golden.found))
        check_forms(name, golden.found, found)
        if not left.beside(side):
            check_tokens(left, side)
        sizes = [np.diff(own.tags.offsets) for own in (golden.found, found) if own.tags is not None]
        if len(sizes) > 1:
            check_lengths(sizes, left, side)
        if golden.sizes is not None:
            check_ends(found.spans, golden.sizes, side.locate(column))
        notes = note_tags(name, found, strict=columns.scheme is not None)
        lost = 0 if side.absent is None else int(side.absent.sum())
        if lost and columns.missing == "wrong":
            notes += (count_wrong(name, lost),)
        self.found[name] = found.spans, notes

    def add(self, systems: Systems) -> Systems:
        spans = [self.found[name][0] for name in systems.names]
        pairs = _pair(self.golden.found, spans, self.columns.scheme)
        own = dict.fromkeys(note for name in systems.names for note in self.found[name][1])
        notes = (*self.golden.notes, *systems.facts.notes, *own)
        return systems.beside("spans", pairs).know(notes=notes)


def read_span_lists(
    gold: object, systems: Mapping[str, object], columns: Columns
) -> tuple[SpanPairs, tuple[str, ...]]:
    """Reads gold spans in memory, and those of systems; and shows what must be noted of them."""
    scheme = columns.scheme
    golden = _read_list(gold, "gold", _rule(columns))
    check_tags(golden, row_of("gold"))
    rules = _rule(columns, golden)
    own = {name: _read_list(values, name, rules) for name, values in systems.items()}
    for name, found in own.items():
        check_forms(name, golden, found)
        _check_alike(name, golden, found)
    notes = note_scheme(golden, strict=scheme is not None)
    for name, found in {"gold": golden, **own}.items():
        notes += note_tags(name, found, strict=scheme is not None)
    return _pair(golden, [found.spans for found in own.values()], scheme), notes


def _read_list(values: object, name: str, rules: Rules) -> Found:
    if values is None:
        raise UsageError("outputs are missing; only a table can contain both")

    def tell(row: int, token: int) -> str:
        return f"{name}, row {row + 1}, tag {token + 1}"

    return read_spans(list_values(values, name), row_of(name), tell, rules)


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


def make_spans(sample: Sample, name: str) -> MadeUp:
    """Makes a span in each example; of tags, as many as tokens, those of what is outside."""
    table, known = sample.table, sample.labels or ()
    made: dict[str, pa.Array] = {name: build_strings(['[[0, 1, "made up"]]'] * len(table))}
    if sample.golden:
        gold = read_gold_spans(Side(table), sample.reading.columns, alone=False).found
        known = (*known, *gold.spans.labels.names)
        if gold.tags is not None:
            tags = [["O"] * size for size in np.diff(gold.tags.offsets).tolist()]
            made = {name: build_lists(tags)}
    if table.unit == "sentence":
        sizes = [len(tokens) for tokens in table.column("1").to_pylist()]
        made = {"2": build_lists([["O"] * size for size in sizes])}
    return MadeUp(made, known=("made up", *known))


def draft_spans(sample: Sample, name: str) -> Drafted:
    """Returns spans, or tags and their tokens."""
    side = Side(sample.table)
    golden = read_gold_spans(side, sample.reading.columns, alone=False)
    cells = list_cells(side, golden.column)
    if golden.found.tags is None:
        return Drafted({name: cells}, sizes=golden.sizes)
    tokens = find(side.names, TOKENS)
    made = [[f"token{at}" for at in range(len(tags))] for tags in cells]
    own = None if tokens is None else list_cells(side, tokens)
    return Drafted({name: cells}, tokens=own or made, filler="O")

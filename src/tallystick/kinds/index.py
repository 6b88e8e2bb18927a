"""The kinds of examples, and which of them columns of gold hold."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, final

from tallystick.codes import row_of
from tallystick.examples.reading import Kind, Kinds, Lists, Opened
from tallystick.examples.systems import Column, Systems
from tallystick.examples.task import Task
from tallystick.kinds.labels.answers import Gold, read_gold_column
from tallystick.kinds.labels.label_columns import LabelColumn, Patterns
from tallystick.kinds.labels.label_lists import read_label_lists
from tallystick.kinds.labels.label_reader import LabelReader, NumberReader, SpanReader, TextReader
from tallystick.kinds.numbers.distributions import Cells, is_soft
from tallystick.kinds.numbers.judgements import add_numbers, judge, read_golden, read_number_lists
from tallystick.kinds.numbers.numbers import (
    GOLDEN,
    SOFT_GOLDEN,
    Numbers,
    read_gold_numbers,
    read_widths,
)
from tallystick.kinds.spans.span_columns import read_gold_spans
from tallystick.kinds.spans.span_lists import read_span_lists
from tallystick.kinds.spans.spans import SpanPairs
from tallystick.kinds.texts.pairs import read_pairs
from tallystick.kinds.texts.text_columns import TextColumn

_LOOKED_AT = 1000
_LONG = 12
"""A value with this many characters, or with three words, is longer than labels are."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class LabelKind(Kind[LabelColumn]):
    """Labels, label sets and probabilities, which share gold and are read together."""

    name: str = "labels"
    column = LabelColumn
    side = "labels"

    def read_lists(self, systems: Systems, given: Lists) -> Systems:
        """Returns the systems with columns in memory as labels."""
        return read_label_lists(systems, given)

    def open(self, gold: Opened) -> LabelReader:
        """Reads the gold labels of a table."""
        return LabelReader(read_gold_labels(gold), gold.left, gold.reading)


@final
@dataclass(frozen=True, slots=True, eq=False)
class TextKind(Kind[TextColumn]):
    """Texts beside their references."""

    name: str = "texts"
    column = TextColumn

    def read_lists(self, systems: Systems, given: Lists) -> Systems:
        """Returns the systems with columns in memory as texts, or as token lists."""
        parts = (read_pairs(own, given.gold, name) for name, own in given.outputs.items())
        return systems.beside(self.name, TextColumn(tuple(parts)))

    def open(self, gold: Opened) -> TextReader:
        """Leaves the references to each system: which column has them depends on its own."""
        return TextReader(gold.left)


@final
@dataclass(frozen=True, slots=True, eq=False)
class NumberKind(Kind[Numbers]):
    """Numbers, distributions over labels and the labels of several annotators."""

    name: str = "numbers"
    said: str = "numbers"
    column = Numbers
    side = "numbers"
    numeric = True

    def read_lists(self, systems: Systems, given: Lists) -> Systems:
        """Returns the systems with columns in memory as what the metrics need."""
        needed, columns = given.reading.numbers or GOLDEN, given.outputs.items()
        golden = judge(lambda: Cells.of(given.gold, row_of("gold")), given.reading.task, needed)
        cells = [Cells.of(own, row_of(name)) for name, own in columns if golden]
        judged = [{form: own.match(one) for form, own in golden.items()} for one in cells]
        return add_numbers(systems, read_number_lists(given, needed), golden, judged)

    def open(self, gold: Opened) -> NumberReader:
        """Reads the gold of a table, where there is some."""
        left, columns, alone = gold.left, gold.columns, gold.alone
        needed = gold.reading.numbers or (SOFT_GOLDEN if is_soft(left, columns) else GOLDEN)
        numbers = None
        if any(one.gold and one.form == "number" for one in needed):
            numbers = read_gold_numbers(left, columns, alone=alone)
        given = Numbers(numbers, widths=read_widths(left, needed))
        golden = read_golden(left, columns, gold.reading.task, needed, alone=alone)
        return NumberReader(left, needed, given, golden)


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpanKind(Kind[SpanPairs]):
    """Spans, and tags that stand for them."""

    name: str = "spans"
    column = SpanPairs

    def read_lists(self, systems: Systems, given: Lists) -> Systems:
        """Returns the systems with columns in memory as spans."""
        spans, notes = read_span_lists(given.gold, given.outputs, given.reading.columns.scheme)
        found = systems.beside(self.name, spans)
        return replace(found, notes=(*systems.notes, *notes))

    def open(self, gold: Opened) -> SpanReader:
        """Reads the gold spans of a table."""
        spans = read_gold_spans(gold.left, gold.columns, alone=gold.alone)
        return SpanReader(spans, gold.left, gold.columns)


@final
@dataclass(frozen=True, slots=True, eq=False)
class PatternKind(Kind[Patterns]):
    """What several rows tell of an example, which are read by layouts of their own."""

    name: str
    said: str
    column = Patterns


LABELS, LABEL_SETS, PROBABILITIES = map(LabelKind, ("labels", "label sets", "probabilities"))
TEXTS = TextKind()
NUMBERS = NumberKind()
DISTRIBUTIONS = NumberKind("distributions", "soft labels")
VOTES = NumberKind("votes", "labels of several annotators")
SPANS = SpanKind()
TRIES = PatternKind("tries", "repeated tries")
RATINGS = PatternKind("ratings", "ratings of annotators")

READ: Kinds = (LABELS, TEXTS, NUMBERS, SPANS)
"""What can be read of the same rows, in the order in which it is."""


def has_single_label(kind: Kind[Column]) -> bool:
    """Whether an example of a kind has one gold label."""
    return kind in (LABELS, PROBABILITIES)


def needs_probabilities(kind: Kind[Column]) -> bool:
    """Whether only systems with probabilities have what is counted."""
    return kind == PROBABILITIES


def say_all(kinds: Iterable[Kind[Column]]) -> str:
    """What sentences call several kinds, each once."""
    return " and ".join(dict.fromkeys(kind.said for kind in kinds))


def sort_kinds(kinds: Iterable[Kind[Column]]) -> Kinds:
    """The kinds as which columns are read that hold these, in the order in which they are read."""
    found = dict.fromkeys(kinds)
    sides = {kind.side for kind in found}
    known = tuple(kind for kind in READ if kind.side in sides)
    return (*known, *(kind for kind in found if kind.side not in {one.side for one in READ}))


def find_scored(systems: Systems) -> tuple[str, ...]:
    """The systems that have probabilities."""
    column = LABELS.find(systems)
    rows = zip(systems.names, () if column is None else column.outputs, strict=False)
    return tuple(name for name, own in rows if own.probabilities is not None)


def read_gold_labels(gold: Opened) -> Gold:
    """Reads the gold labels of a table.

    Raises:
        InputError: There is no gold column, or a value in it is no label.
    """
    reading = gold.reading
    found = read_gold_column(gold.left, gold.columns, reading.task, alone=gold.alone)
    found = replace(found, hidden=reading.hidden)
    return replace(found, labels=found.labels.recode(reading.golden)) if reading.golden else found


def guess_kinds(values: Any) -> Kinds:
    """Numbers where all values are, and not all whole; texts where most are long and differ.

    Lists of such texts are the references of each example. Everything else is labels.

    Args:
        values: The gold as an Arrow array.
    """
    import pyarrow as pa

    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        if not _is_text(values.type.value_type):
            return (LABELS,)
        rows = values.slice(0, _LOOKED_AT).to_pylist()
        return _guess_texts([text for row in rows for text in row or () if text])
    if pa.types.is_floating(values.type):
        some = [value for value in values.slice(0, _LOOKED_AT).to_pylist() if value is not None]
        return (NUMBERS,) if not all(map(float.is_integer, some)) else (LABELS,)
    if not _is_text(values.type):
        return (LABELS,)
    some = [text for text in values.slice(0, _LOOKED_AT).to_pylist() if text]
    return (NUMBERS,) if _are_numbers(some) else _guess_texts(some)


def _is_text(kind: Any) -> bool:
    """Whether an Arrow type is text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _guess_texts(some: list[str]) -> Kinds:
    long = sum(len(text) >= _LONG or len(text.split()) > 2 for text in some)
    return (TEXTS,) if len(some) > 1 and 2 * min(long, len(set(some))) > len(some) else (LABELS,)


def guess_task(values: Any, task: Task) -> Kinds:
    """As `guess_kinds`, but a task that was named is one of labels, not numbers or references."""
    import pyarrow as pa

    kinds = guess_kinds(values)
    named = task.kind is not None or task.labels is not None or task.positive is not None
    return (
        (LABELS,) if named and (kinds == (NUMBERS,) or pa.types.is_nested(values.type)) else kinds
    )


def _are_numbers(texts: list[str]) -> bool:
    """Whether texts are finite numbers, of which some are not whole."""
    try:
        values = [float(text) for text in texts]
    except ValueError:
        return False
    return all(map(math.isfinite, values)) and not all(map(float.is_integer, values))

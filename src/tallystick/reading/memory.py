"""What is in memory read as systems: lists, arrays, and anything with the Arrow interface."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from numbers import Integral
from typing import TypedDict

import numpy as np
import pyarrow as pa

from tallystick.codes import Label, combine, encode, row_of
from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import IDS, Columns, Invalid, Missing, find, spell_name
from tallystick.examples.number_values import check_weights, read_numbers
from tallystick.examples.reading import Kind, Kinds, Lists, Reading
from tallystick.examples.systems import Column, Systems
from tallystick.examples.task import KINDS, Task, TaskName
from tallystick.frozen import dataclass, field, fields, replace
from tallystick.io.schemes import Scheme
from tallystick.io.tables.table import Table, from_arrow
from tallystick.io.tables.values import as_column, find_index, follow_index
from tallystick.kinds.index import find_layout, guess_task
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.tries import TRIES
from tallystick.reading.layouts import read_long, read_wide
from tallystick.reading.tables import Entry, read_layout, read_systems
from tallystick.results import Refusal

_PLAIN = Reading()


class Layout(TypedDict, total=False):
    """How data is laid out: keywords of `tallystick.read`, and of the calls that read data too.

    Attributes:
        by: What to break scores down by: column names of the table, where `"length:4"` makes four
            groups of numbers, or a column of group values.
        clusters: The column name, or a column, of what examples belong to, such as documents or
            authors; intervals and tests then resample whole clusters.
        weights: The column name of the examples' weights, or a column of them.
        systems: The columns of the table that hold the outputs of one system each.
        system_column: The column of a table with one row for each example of each system.
        annotators: The columns of the table that hold the ratings of one annotator each: what is
            scored is their agreement, or that of `systems` with each of them.
        task: `"binary"`, `"multiclass"`, `"multilabel"`, `"spans"` or `"text"`, or a `Task`; None
            guesses it.
        labels: The labels that may occur; any other is an error.
        positive: The label that a binary task looks for.
        threshold: From this probability on, a binary example is predicted positive.
        kind: A kind of one's own, as which examples are read.
        columns: What the following say, as one `Columns`.
        gold: The column of the gold, of a table that is given first; else the gold itself.
        predicted: The column of the outputs; None finds it, and those below, by usual names.
        probability: The column of the positive label's probability.
        id: The column of ids; a list of several columns where these are an id together.
        system_id: The column of ids of the systems' tables, where it is called otherwise.
        text: The column of the input text, which is shown.
        count: The column of how many examples a row stands for.
        annotator: The column that names the annotator, where each rating has its own row.
        majority: Whether the gold is the rating that most annotators gave.
        delimiter: What separates the labels in a cell of a multilabel table.
        fold_case: Whether labels that differ only in case are the same.
        invalid: Whether an output that is no label is an `"error"`, counts as `"wrong"`, or is a
            `"class"` of its own.
        missing: Whether an example without an output is an `"error"`, counts as `"wrong"`, is left
            out of the scores of that system (`"exclude"`), or of those of all (`"common"`).
        where: A condition on columns of the table that chooses examples: `'lang == "de"'`.
        language: The target language of texts, such as `"en-zh"`, by which metrics split them.
        language_column: The column of the target language of each text.
        corrected_by: The column of human labels for some of the examples, by which the gold of a
            judge for all of them is corrected, or the numbers that `mean` averages; of several
            systems with a column of such numbers each, a column for each.
        label_probability: The column with the probability at which each example was chosen for a
            human label; None where all were equally likely.
        rated: The column of the names of rated systems, where people and metrics scored the outputs
            of several systems for the same items, whose ids `id` names.
        scheme: The scheme in which tags of spans are read strictly, such as `"iob2"`.
        tag_names: The tags of spans that whole numbers stand for, from 0 on.
        round_scores: To how many decimals probabilities are rounded; None keeps them as they are.
    """

    by: object
    clusters: object
    weights: object
    systems: Sequence[str]
    system_column: str | None
    annotators: Sequence[str]
    task: Task | TaskName | None
    labels: Sequence[Label] | None
    positive: Label | None
    threshold: float | None
    kind: Kind[Column] | None
    columns: Columns | None
    gold: object
    predicted: str | None
    probability: str | None
    id: str | Sequence[str] | None
    system_id: str | Sequence[str] | None
    text: str | None
    count: str | None
    annotator: str | None
    majority: bool
    delimiter: str | None
    fold_case: bool
    invalid: Invalid
    missing: Missing
    where: str | None
    language: str | None
    language_column: str | None
    corrected_by: str | Sequence[str] | None
    label_probability: str | None
    rated: str | None
    scheme: Scheme | None
    tag_names: Sequence[str]
    round_scores: int | None


_OF_TASK = ("labels", "positive", "threshold")
_OF_COLUMNS = tuple(
    one.name for one in fields(Columns) if one.name not in ("by", "clusters", "weight")
)


_SYNONYMS = {
    **dict.fromkeys(("group_by", "groupby", "groups"), ("by",)),
    **dict.fromkeys(("metric", "scores"), ("metrics",)),
    **dict.fromkeys(("weight", "sample_weight", "sample_weights"), ("weights",)),
}
"""What other tools call keywords."""
_SINGLE = ("predicted", "probability", "text", "count", "annotator", "rated")
"""Options that name one column."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What a caller gave of gold and systems; `Layout` says what the rest is.

    Attributes:
        gold: A column of gold, or a table.
        outputs: The outputs of one system, or of several by name; None where the gold table holds
            them.
        kept: What was read of it, by how.
        reordered: What stood in another order than the gold, and was paired by its pandas index.
        named_gold: Whether the gold was given by that name, so that it is no system.
    """

    gold: object
    outputs: object = None
    by: object = None
    clusters: object = None
    weights: object = None
    systems: Sequence[str] = ()
    system_column: str | None = None
    columns: Columns | None = None
    task: Task | TaskName | None = None
    kind: Kind[Column] | None = None
    kept: dict[Reading, Systems] = field(default_factory=dict)
    reordered: dict[str, None] = field(default_factory=dict)
    named_gold: bool = False

    @classmethod
    def of(cls, gold: object, outputs: object, layout: Layout) -> "Given":
        """What a caller gave by keywords.

        Raises:
            TypeError: There is no such keyword; the nearest one is told.
        """
        for name in layout:
            if name not in Layout.__annotations__:
                near = _SYNONYMS.get(name) or get_close_matches(name, Layout.__annotations__, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"there is no keyword {name!r}{hint}")
        own = dict(layout)
        named = own.pop("gold", None)
        by_name = gold is None and named is not None
        if gold is None:
            gold, named = named, None
        columns = {name: own.pop(name) for name in _OF_COLUMNS if name in own}
        columns["gold"] = named
        several = next((one for one in _SINGLE if isinstance(columns.get(one), list | tuple)), None)
        if several is not None:
            raise UsageError(
                f"{several} is the name of one column; join the values of several in a new column, "
                "such as df['doc'] + '/' + df['seg']"
            )
        if "annotators" in columns:
            columns["annotators"] = list_names(columns["annotators"], "annotators")
        if columns.get("corrected_by") is not None:
            columns["corrected_by"] = list_names(columns["corrected_by"], "corrected_by")
            if not is_table(gold):
                raise UsageError("corrected_by names a column of the gold, so pass that as a table")
        task = {name: own.pop(name) for name in _OF_TASK if name in own}
        given = cls(gold, outputs, named_gold=by_name, **own)  # type: ignore[arg-type]
        return given._settle(_drop_unsaid(columns), _drop_unsaid(task))

    def _settle(self, columns: Mapping[str, object], task: Mapping[str, object]) -> "Given":
        given = self
        if columns and isinstance(given.columns, Columns | None):
            given = replace(
                given,
                columns=replace(given.columns or Columns(), **columns),  # type: ignore[arg-type]
            )
        if not task:
            return given
        known = given.task
        if isinstance(known, str) and known.lower() not in KINDS:
            raise UsageError(f"a {known} task has no {next(iter(task))}")
        known = Task(known) if isinstance(known, str) else known  # type: ignore[arg-type]
        return replace(given, task=replace(known or Task(), **task))  # type: ignore[arg-type]

    @property
    def named(self) -> dict[str, object]:
        """The outputs of each system by its name."""
        outputs = self.outputs
        if isinstance(outputs, Mapping):
            named = {str(name): value for name, value in outputs.items()}
            if len(named) != len(outputs):
                raise UsageError("two systems have the same name; names must differ")
            if not named:
                raise UsageError("there are no systems to score")
            return named
        return {"predictions": outputs}

    def pair(self, values: object, name: str, columns: Columns | None = None) -> object:
        """Returns a column, or a tuple of columns, in the order of the first pandas index."""
        if isinstance(values, tuple):
            return tuple(self.pair(own, name) for own in values)
        if isinstance(values, Predictions):
            parts = (self.pair(own, name) for own in (values.labels, values.probabilities))
            return Predictions(*parts)
        if is_table(values) and is_table(self.gold):
            known = columns or Columns()
            keys = (known.id, known.system_id or known.id)
            names = (from_arrow(own, name).names() for own in (self.gold, values))
            if all(find(own, IDS, key) for own, key in zip(names, keys, strict=True)):
                return values  # rows are joined by id
        sides = {"gold": self.gold, **self.named, "by": self.by, "weights": self.weights}
        first = next((own for own in sides if find_index(sides[own]) is not None), "gold")
        paired = follow_index(values, find_index(sides[first]), (first, name))
        if paired is not values:
            self.reordered[name] = None
        return paired

    def pair_beside(self) -> dict[str, object]:
        """Returns the columns of groups, clusters and weights in the order of the examples."""
        beside = {"by": self.by, "clusters": self.clusters, "weights": self.weights}
        return {name: self.pair(values, name) for name, values in beside.items()}

    def without_gold(self, columns: Sequence[str | None]) -> "Given":
        """The same where no metric needs gold: every table is a system, and the first has the ids.

        Raises:
            UsageError: The table that stands in the place of the gold has the columns of a system.
        """
        outputs = self.gold if self.outputs is None else self.outputs
        tables = list(outputs.values()) if isinstance(outputs, Mapping) else [outputs]
        if not all(map(is_table, tables)) or not tables:
            return self
        if self.gold is None or self.gold is outputs:
            alone = None if outputs is tables[0] else outputs
            return replace(self, gold=tables[0], outputs=alone)
        if is_table(self.gold) and not self.named_gold:
            held = from_arrow(self.gold, "gold").names()
            shared = [name for name in columns if name is not None and find(held, (), name) in held]
            if shared:
                raise UsageError(
                    f"the first table has the column {shared[0]!r} too, and these metrics need no "
                    "gold: pass all systems as outputs={...}, or name the table gold=..."
                )
        return self


def read_memory(given: Given, reading: Reading) -> Systems:
    """Reads what a caller gave, where that was not read in the same way before."""
    strict = replace(reading, tolerant=False)  # of which no system is wrong
    known = given.kept.get(strict) or given.kept.get(reading)
    if known is None:
        known = _read(given, reading)
        if given.reordered:
            note = "paired with the gold by their pandas index, which is in another order: {}."
            known = replace(known, notes=(note.format(", ".join(given.reordered)), *known.notes))
        given.kept[reading] = known
    return known


def _drop_unsaid(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def list_columns(given: Given) -> tuple[str, ...]:
    """The columns of the tables that a caller gave."""
    named = [
        own.values() if isinstance(own, Mapping) else (own,) for own in (given.gold, given.outputs)
    ]
    tables = [one for own in named for one in own if is_table(one)]
    return tuple(name for one in tables for name in from_arrow(one, "gold").names())


def _read(given: Given, reading: Reading) -> Systems:
    layout = find_layout(given.gold, reading.kinds)
    if layout is not None:
        if given.systems or given.system_column:
            raise UsageError(f"systems and system_column name columns, and gold is {layout.said}")
        systems = read_layout(layout, Lists(given.gold, given.named, reading))
        return add_columns(systems, by=given.by, clusters=given.clusters, weights=given.weights)
    if is_table(given.gold):
        return _read_frame(given, reading)
    if reading.kinds == (TRIES,):
        raise UsageError("repeated tries are read from a table with a row for each, and its ids")
    if reading.of_rows is not None:
        raise UsageError(
            f"{reading.of_rows.said} are read from a table with named columns; "
            "pandas.read_csv(...) makes one of a file, and pandas.DataFrame(...) of lists and dicts"
        )
    if given.systems or given.system_column:
        raise UsageError(
            "systems and system_column name columns of a table, and gold is no table; "
            "pandas.DataFrame(...) makes one of lists and dicts"
        )
    kept = replace(
        reading.columns,
        round_scores=None,
        scheme=None,
        tag_names=(),
        missing="error",
        language=None,
    )
    if kept != Columns():
        raise UsageError("columns tells what a table holds, and gold is no table")
    if reading.columns.missing != "error":
        return _read_as_tables(given, reading)
    kinds = reading.kinds or _guess(given.gold, reading.task)
    own, refused = given.named, tuple[Refusal, ...]()

    def read(names: Iterable[str]) -> Systems:
        chosen = {name: given.pair(own[name], name) for name in names}
        try:
            return read_arrays(given.gold, chosen, reading, kinds)
        except InputError as error:
            from tallystick.reading.coverage import explain_blank

            raise error if reading.hidden else explain_blank(error, chosen) from None

    accepted: Iterable[str] = own
    if reading.tolerant:
        collected = reading.collect(own, lambda name: read([name]))
        accepted, refused = collected.accepted, collected.refused
    systems = add_columns(read(accepted), **given.pair_beside())
    columns = reading.columns
    if systems.groups is not None or columns.language is not None:
        # Imported here because most examples are labels without groups.
        from tallystick.examples.languages import find_tokenizers

        tokenizers = find_tokenizers(columns, None, systems.groups, len(systems))
        systems = replace(systems, tokenizers=tokenizers)
    return replace(systems, refused=refused, tolerant=reading.tolerant)


def _read_as_tables(given: Given, reading: Reading) -> Systems:
    """Reads columns in memory as tables, whose cells may lack an output."""
    kinds = reading.kinds or _guess(given.gold, reading.task)
    name = "reference" if TEXTS in kinds else "y_true"
    columns: dict[str, object] = {name: given.gold}
    beside = zip(("group", "cluster", "weight"), given.pair_beside().values(), strict=True)
    columns |= {key: own for key, own in beside if own is not None and not _is_empty(own)}
    named = replace(
        reading.columns,
        by=("group",) if "group" in columns else (),
        clusters="cluster" if "cluster" in columns else None,
        weight="weight" if "weight" in columns else None,
    )
    reading = replace(reading, columns=named, kinds=kinds)
    return read_systems(_join_columns(columns), _enter(given), reading)


def _is_empty(values: object) -> bool:
    return isinstance(values, tuple) and not values


def _join_columns(columns: Mapping[str, object]) -> Table:
    read = {name: _as_array(value, name) for name, value in columns.items()}
    sizes = {name: len(own) for name, own in read.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} has {size} values" for name, size in sizes.items())
        raise InputError(f"the columns differ in length: {told}")
    return from_arrow(pa.table(read), "gold")


def read_arrays(
    gold: object, systems: Mapping[str, object], reading: Reading = _PLAIN, kinds: Kinds = (LABELS,)
) -> Systems:
    """Reads gold once, and each system's outputs beside it; `score` says what they may be."""
    read = Systems(tuple(systems), task=reading.task, asked=reading.task)
    for kind in kinds:
        read = kind.read_lists(read, Lists(gold, systems, reading))
    if not len(read):
        raise InputError("there are no examples to score")
    return read


def _guess(gold: object, task: Task) -> Kinds:
    from tallystick.kinds.spans.spans import look_like_spans

    column = as_column(gold)
    if isinstance(column, list | tuple):
        some = column[:1000]
        if task.kind is None and look_like_spans(some):
            return (SPANS,)
        numbers = all(isinstance(one, int | float) for one in some)
        if not numbers and not all(isinstance(one, str) for one in some):
            return (LABELS,)
        try:
            column = pa.array(some, pa.float64() if numbers else pa.string())
        except (pa.ArrowException, OverflowError, UnicodeError):
            return (LABELS,)
    elif isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind == "f":
        column = pa.array(column.astype(np.float64))
    return guess_task(column, task) if isinstance(column, pa.Array | pa.ChunkedArray) else (LABELS,)


def name_columns(given: Given, reading: Reading) -> Reading:
    """Returns how to read a table, with the columns that a caller named beside it."""
    columns = replace(
        reading.columns,
        by=list_names(given.by, "by") or reading.columns.by,
        weight=_name(given.weights, "weights") or reading.columns.weight,
        clusters=_name(given.clusters, "clusters") or reading.columns.clusters,
    )
    return replace(reading, columns=columns)


def _read_frame(given: Given, reading: Reading) -> Systems:
    from tallystick.reading.annotators import read_annotated

    reading = name_columns(given, reading)
    gold = from_arrow(given.gold, "gold")
    if reading.columns.annotated:
        if given.outputs is not None or given.system_column is not None:
            raise UsageError("ratings of annotators are in one table, with a column per system")
        return read_annotated(gold, list_names(given.systems, "systems"), reading)
    if reading.kinds == (TRIES,):
        return _read_tries(gold, given, reading)
    if (kind := reading.of_rows) is not None:
        if given.outputs is not None or given.system_column is not None:
            raise UsageError(f"{kind.said} are in one table, which names the systems in its rows")
        found = kind.read_rows({"the table": gold}, reading)
        return found.choose(list_names(given.systems, "systems"), "the table")
    if given.systems:
        return read_wide(gold, list_names(given.systems, "systems"), reading)
    if given.system_column is not None:
        column = _name(given.system_column, "system_column")
        return read_long(gold, str(column), reading)
    return read_systems(gold, _enter(given, reading.columns), reading)


def _read_tries(table: Table, given: Given, reading: Reading) -> Systems:
    from tallystick.kinds.tries.tries import read_tries, split_systems

    if given.systems:
        raise UsageError("repeated tries of several systems have a system_column, or a table each")
    if given.system_column is not None:
        column = _name(given.system_column, "system_column")
        return read_tries(None, split_systems(table, str(column)), reading)
    if given.outputs is None:
        return read_tries(None, {"predictions": table}, reading)
    tables = {name: _to_table(data, name) for name, data in given.named.items()}
    return read_tries(table, tables, reading)


def _enter(given: Given, columns: Columns | None = None) -> dict[str, Entry]:
    """Where each system's outputs stand; None is the gold's own table."""

    def open_table(name: str, data: object) -> Table:
        return _to_table(given.pair(data, name, columns), name)

    return {
        name: Entry() if data is None else Entry(partial(open_table, name, data))
        for name, data in given.named.items()
    }


def _as_array(data: object, name: str) -> pa.Array | pa.ChunkedArray:
    column = as_column(data)
    try:
        if isinstance(column, pa.Array | pa.ChunkedArray):
            return column
        return pa.array(column, from_pandas=True)  # in which NaN beside text is a null
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise InputError(f"{name}: cannot be taken as a column: {error}") from None


def _to_table(data: object, name: str) -> Table:
    if is_table(data):
        return from_arrow(data, name)
    array = _as_array(data, name)
    kind = "prediction" if pa.types.is_floating(array.type) else "y_pred"
    return from_arrow(pa.table({kind: array}), name)


def is_table(data: object) -> bool:
    """Whether data has named columns."""
    return hasattr(data, "__arrow_c_stream__") and (
        hasattr(data, "columns") or hasattr(data, "schema")
    )


def list_names(value: object, option: str) -> tuple[str, ...]:
    """The columns that an option names: none, one, or several."""
    if value is None:
        return ()
    names = value if isinstance(value, list | tuple) else [value]
    if all(isinstance(name, str | Integral) for name in names):
        return tuple(filter(None, (spell_name(name, option) for name in names)))
    raise UsageError(f"{option} names columns of the table, so it is a text or a list of texts")


def _name(value: object, option: str) -> str | None:
    names = list_names(value, option)
    if len(names) > 1:
        raise UsageError(f"{option} is one column of the table, not {len(names)}")
    return names[0] if names else None


def add_columns(
    systems: Systems, *, by: object = None, clusters: object = None, weights: object = None
) -> Systems:
    """The same systems with the columns beside their examples, given in order or by id."""
    by, clusters, weights = (_align(own, systems) for own in (by, clusters, weights))
    groups = names = numbers = None
    if by is not None and not (isinstance(by, tuple) and not by):
        columns = by if isinstance(by, tuple) and all(map(_is_sequence, by)) else (by,)
        groups = combine([encode(column, row_of("by")) for column in columns])
        _check_length(len(groups), systems, "by")
    if clusters is not None:
        names = encode(clusters, row_of("clusters"))
        _check_length(len(names), systems, "clusters")
    if weights is not None:
        numbers = check_weights(read_numbers(weights, row_of("weights")), row_of("weights"))
        _check_length(len(numbers), systems, "weights")
    return replace(systems, groups=groups, clusters=names, weights=numbers)


def _align(values: object, systems: Systems) -> object:
    """The values of a mapping from ids in the order of the examples; others as they are."""
    if not isinstance(values, Mapping) or systems.ids is None:
        return values
    lacking = [name for name in systems.ids if name not in values]
    if lacking:
        raise InputError(f"no value is given for {len(lacking)} examples, such as {lacking[0]!r}")
    return [values[name] for name in systems.ids]


def _is_sequence(values: object) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str)


def _check_length(length: int, systems: Systems, name: str) -> None:
    if length != len(systems):
        raise InputError(f"{name} has {length} values for {len(systems)} examples")

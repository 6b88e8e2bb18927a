"""Columns in memory read as systems: lists, arrays, and anything with the Arrow interface."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from tallystick.errors import InputError, MissingValueError, UsageError
from tallystick.io.tables.table import Table, from_arrow
from tallystick.io.tables.values import as_column
from tallystick.kinds.index import READ, guess_task
from tallystick.kinds.labels import LABELS
from tallystick.model.codes import combine, encode, row_of
from tallystick.model.columns import Columns
from tallystick.model.facts import Facts, Task
from tallystick.model.number_values import check_weights, read_numbers
from tallystick.model.reading import Kinds, Reading
from tallystick.model.systems import Systems
from tallystick.output.results.records import Refusal
from tallystick.reading.coverage import explain_blank
from tallystick.reading.input_plan import InputPlan, is_table
from tallystick.reading.tables import Outputs, find_tokenizers, read_systems

_PLAIN = Reading()


def read_columns(plan: InputPlan) -> Systems:
    """Reads a column of gold, and a column of each system's outputs."""
    source, reading = plan.source, plan.reading
    if reading.repeated:
        raise UsageError("repeated tries are read from a table with a row for each, and its ids")
    if reading.of_rows is not None:
        raise UsageError(
            f"{reading.of_rows.said} are read from a table with named columns; "
            "pandas.read_csv(...) makes one of a file, and pandas.DataFrame(...) of lists and dicts"
        )
    if plan.systems or plan.system_column:
        raise UsageError(
            "systems and system_column name columns of a table, and gold is not a table; "
            "pandas.DataFrame(...) makes one of lists and dicts"
        )
    kept = replace(
        reading.columns,
        round_scores=None,
        scheme=None,
        tag_names=(),
        missing="error",
        language=None,
        unicode=None,
    )
    if kept != Columns():
        raise UsageError("columns describes a table, but gold is not a table")
    gold = source.gold
    nested = isinstance(gold, list | tuple) and isinstance(next(iter(gold), None), list | tuple)
    if reading.columns.missing != "error" or (
        nested and reading.labelled and _are_sequences(gold, reading.task)
    ):
        return _read_as_tables(plan)
    kinds = reading.kinds or _guess(source.gold, reading.task)
    own, rejected = source.named, tuple[Refusal, ...]()

    def read(names: Iterable[str]) -> Systems:
        chosen = {name: plan.pair(own[name], name) for name in names}
        try:
            return read_arrays(source.gold, chosen, reading, kinds)
        except MissingValueError as error:
            raise error if reading.hidden else explain_blank(error, chosen) from None

    accepted: Iterable[str] = own
    if reading.tolerant:
        collected = reading.collect(own, lambda name: read([name]))
        accepted, rejected = collected.accepted, collected.rejected
    systems = add_columns(read(accepted), **plan.pair_beside())
    columns = reading.columns
    tokenizers = find_tokenizers(columns, None, systems.groups, len(systems))
    systems = replace(systems, tokenizers=tokenizers, tolerant=reading.tolerant)
    return systems.tell(rejected=rejected)


def _read_as_tables(plan: InputPlan) -> Systems:
    """Reads columns in memory as tables, whose cells may lack an output."""
    gold, reading = plan.source.gold, plan.reading
    kinds = reading.kinds or _guess(gold, reading.task)
    name = "reference" if any(kind.textual for kind in kinds) else "y_true"
    beside = zip(("group", "cluster", "weight"), plan.pair_beside().values(), strict=True)
    known = [(key, own) for key, own in beside if own is not None]
    given = {key: own for key, own in known if not isinstance(own, tuple) or own}
    columns = {key: _as_array(own, key) for key, own in {name: gold, **given}.items()}
    if len({len(own) for own in columns.values()}) > 1:
        text = ", ".join(f"{key} has {len(own)} values" for key, own in columns.items())
        raise InputError(f"the columns differ in length: {text}")
    named = replace(
        reading.columns,
        by=("group",) if "group" in columns else (),
        clusters="cluster" if "cluster" in columns else None,
        weight="weight" if "weight" in columns else None,
    )
    reading = replace(reading, columns=named, kinds=kinds)
    return read_systems(from_arrow(pa.table(columns), "gold"), enter_arrays(plan), reading)


def read_arrays(
    gold: object, systems: Mapping[str, object], reading: Reading = _PLAIN, kinds: Kinds = (LABELS,)
) -> Systems:
    """Reads gold once, and each system's outputs next to it; `score` says what they may be."""
    read = Systems(tuple(systems), facts=Facts(reading.task, reading.task))
    for kind in kinds:
        read = kind.read_lists(read, gold, systems, reading)
    if not len(read):
        raise InputError("there are no examples to score")
    return read


def _are_sequences(gold: object, task: Task) -> bool:
    from tallystick.reading.token_rows import are_sequences  # since few columns have lists

    return are_sequences(gold, task)


def _guess(gold: object, task: Task) -> Kinds:
    column = as_column(gold)
    if isinstance(column, list | tuple):
        some = column[:1000]
        own = next((kind for kind in READ if kind.looks(some)), None)
        if task.kind is None and own is not None:
            return (own,)
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


def enter_arrays(plan: InputPlan, columns: Columns | None = None) -> dict[str, Outputs]:
    """Returns where each system's outputs stand; None is the gold's own table."""

    def open_table(name: str, data: object) -> Table:
        paired = plan.pair(data, name, columns)
        if is_table(paired):
            return from_arrow(paired, name)
        array = _as_array(paired, name)
        kind = "prediction" if pa.types.is_floating(array.type) else "y_pred"
        return from_arrow(pa.table({kind: array}), name)

    return {
        name: None if data is None else partial(open_table, name, data)
        for name, data in plan.source.named.items()
    }


def _as_array(data: object, name: str) -> pa.Array | pa.ChunkedArray:
    column = as_column(data)
    try:
        if isinstance(column, pa.Array | pa.ChunkedArray):
            return column
        return pa.array(column, from_pandas=True)  # in which NaN beside text is a null
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise InputError(f"{name}: cannot be taken as a column: {error}") from None


def add_columns(
    systems: Systems, *, by: object = None, clusters: object = None, weights: object = None
) -> Systems:
    """The same systems with the columns next to their examples, given in order or by id."""
    by, clusters, weights = (_align(own, systems) for own in (by, clusters, weights))
    several = isinstance(by, tuple) and all(
        hasattr(own, "__len__") and not isinstance(own, str) for own in by
    )
    columns: Any = by if several else () if by is None else (by,)
    groups = names = numbers = None
    if columns:
        groups = combine([encode(column, row_of("by")) for column in columns])
    if clusters is not None:
        names = encode(clusters, row_of("clusters"))
    if weights is not None:
        numbers = check_weights(read_numbers(weights, row_of("weights")), row_of("weights"))
    for name, own in (("by", groups), ("clusters", names), ("weights", numbers)):
        if own is not None and len(own) != len(systems):
            raise InputError(f"{name} has {len(own)} values for {len(systems)} examples")
    return replace(systems, groups=groups, clusters=names, weights=numbers)


def _align(values: object, systems: Systems) -> object:
    """The values of a mapping from ids in the order of the examples; others as they are."""
    if not isinstance(values, Mapping) or systems.ids is None:
        return values
    lacking = [name for name in systems.ids if name not in values]
    if lacking:
        raise InputError(f"no value is given for {len(lacking)} examples, such as {lacking[0]!r}")
    return [values[name] for name in systems.ids]

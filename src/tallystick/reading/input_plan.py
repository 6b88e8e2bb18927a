"""Plans how input is read: what it is, how it is laid out, and what metrics need of it."""

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError, explain_keyword
from tallystick.io.files.datasets import split_name
from tallystick.io.files.opening import name_source
from tallystick.io.submissions import Submissions
from tallystick.io.tables.formats import TOOLS, KeyName, Scheme, guess_by_ending, mark_headless
from tallystick.io.tables.table import Table, from_arrow, iterate_tables
from tallystick.io.tables.transcripts import find_transcripts
from tallystick.io.tables.values import as_column, find_index, follow_index
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.kinds.metrics.names import Metrics, name_metrics, take_columns
from tallystick.kinds.metrics.requirements import (
    TASKS,
    find_numbers,
    find_sessions,
    find_tries,
    find_usual,
    needs_gold,
    plan_kinds,
    read_order,
    read_unanswerable,
    suggest,
    take_language,
    translate,
)
from tallystick.kinds.texts import TEXTS
from tallystick.model.codes import Label
from tallystick.model.columns import IDS, Columns, Invalid, Missing, NormalForm, find, spell_name
from tallystick.model.facts import KINDS, Task, TaskName
from tallystick.model.reading import Kind, Reading
from tallystick.model.systems import Column, Systems
from tallystick.reading.coverage import check_correctable

if TYPE_CHECKING:
    from tallystick.reading.log_systems import LogSystem

LOOKED_AT = 1000
"""So many rows of a table tell what it holds."""


class Files(Struct, frozen=True):
    """The files of systems, as a command names them: `NAME=PATH`, or a path.

    Attributes:
        named: The files after the gold; for tries and battles the first file is among them.
        last: The system that the others are compared with, which comes last.
    """

    named: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    submissions: Submissions | None = None


def _are_files(paths: Sequence[object]) -> bool:
    known = (isinstance(one, str | os.PathLike) and os.path.exists(one) for one in paths[:100])
    return bool(paths) and all(known)


def _spell_path(path: object) -> str:
    if isinstance(path, str | os.PathLike):
        return str(os.fspath(path))
    raise UsageError("gold is a file, so pass the outputs as files too")


class Source(Struct, frozen=True, eq=False):
    """Gold and the outputs of systems, in files or in memory.

    Attributes:
        gold: The path of a file, a table with named columns, a column of gold, or counts.
        outputs: The files of systems; or the outputs of one system, or of several by name. None
            if they are in the gold's table.
        named_gold: Whether the gold was given by that name, so that it is no system.
        kept: What was read of it, by how.
    """

    gold: object
    outputs: object = None
    named_gold: bool = False
    kept: dict[Reading, Systems] = field(default_factory=dict)

    @classmethod
    def of(cls, gold: object, outputs: object = None) -> "Source":
        """What a caller of Python gave; paths may be `os.PathLike`, and several a list."""
        if isinstance(gold, list) and outputs is None and _are_files(gold):
            gold, *outputs = gold
        if not isinstance(gold, str | os.PathLike):
            if isinstance(outputs, Mapping):
                outputs = {name: as_table(own) for name, own in outputs.items()}
                if any(isinstance(own, Mapping) for own in outputs.values()):
                    return cls(gold, outputs)  # rankings are dictionaries of documents
            gold = as_table(gold, alone=outputs is None)
            if is_table(outputs) and not is_table(gold) and not hasattr(gold, "to_delayed"):
                outputs = {str(name): outputs[name] for name in outputs.columns}  # type: ignore[index, attr-defined]
            return cls(gold, outputs)
        if isinstance(outputs, str | os.PathLike):
            outputs = [outputs]
        if isinstance(outputs, Mapping):
            outputs = [f"{name}={_spell_path(own)}" for name, own in outputs.items()]
        if not isinstance(outputs, list | tuple | None):
            raise UsageError("gold is a file, so pass the outputs as files too")
        return cls(os.fspath(gold), Files(tuple(map(_spell_path, outputs or ()))))

    @property
    def files(self) -> Files | None:
        """The files of systems; None where something is in memory."""
        return self.outputs if isinstance(self.outputs, Files) else None

    @property
    def has_columns(self) -> bool:
        """Whether columns have names: in files, tables, and collections of Dask."""
        return self.files is not None or is_table(self.gold) or hasattr(self.gold, "to_delayed")

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

    def list_columns(self) -> tuple[str, ...]:
        """The columns of the tables in memory."""
        named = [
            own.values() if isinstance(own, Mapping) else (own,)
            for own in (self.gold, self.outputs)
        ]
        tables = [one for own in named for one in own if is_table(one)]
        return tuple(name for one in tables for name in from_arrow(one, "gold").names())

    def look(self, input_format: str | None) -> Table | None:
        """The first rows of the gold, if it is a table."""
        if self.files is not None:
            try:
                return next(iterate_tables(str(self.gold), format=input_format, rows=LOOKED_AT))
            except InputError:
                return None  # whoever reads it says what is wrong
        if not is_table(self.gold):
            return None
        head = getattr(self.gold, "head", None)
        return from_arrow(self.gold if head is None else head(LOOKED_AT), "gold")

    def without_gold(self, columns: Sequence[str | None]) -> "Source":
        """The same if no metric needs gold: every table is a system, and the first has the ids."""
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
        task: `"binary"`, `"multiclass"`, `"multilabel"`, `"tokens"` (a label for each token),
            `"spans"` or `"text"`, or a `Task`; None guesses it.
        labels: The labels that may occur; any other is an error.
        order: The same from the lowest to the highest label, for metrics that measure distances:
            words are worth their places, and outputs that are fractions are the nearest label.
        positive: The label that a binary task looks for.
        threshold: From this probability on, a binary example is predicted positive.
        kind: A kind of one's own, as which examples are read.
        columns: What the following say, as one `Columns`.
        gold: The column of the gold, of a table that is given first; else the gold itself. A list
            of columns has the references of texts.
        predicted: The column of the outputs; None finds it, and those below, by usual names.
        probability: The column of the positive label's probability.
        id: The column of ids; a list of several columns where these are an id together.
        system_id: The column of ids of the systems' tables, where it is called otherwise.
        text: The column of the input text, which is shown.
        count: The column of how many examples a row represents.
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
        sides: The columns of the two systems of each battle.
        outcomes: What words for outcomes of battles mean for the first system: `"A=win"`, loss,
            tie or none, of which the last leaves a battle out.
        unicode: The normal form of Unicode, such as `"NFC"`, that all texts are brought to.
        ignore_identical_ids: Whether documents with the id of their query are left out of runs, as
            BEIR does.
        scheme: The scheme in which tags of spans are read strictly, such as `"iob2"`.
        tag_names: The tags of spans that whole numbers represent, from 0 on.
        round_scores: To how many decimals probabilities are rounded; None keeps them as they are.
        input_format: What files are, where their endings do not tell.
        header: Whether the first row of tables in files names their columns, which are else named
            by number: `header=False, id=1, gold=2`. Two are an id and a label if none is named.
        per_file: Whether gold and systems are folders with a file for each example.
        gold_files: The pattern of the names of these files, such as `"{id}.gt.txt"`, in which `*`
            is anything; files of the same id are several references. Implies `per_file`.
        system_files: The same for the files of systems.
        references: Further files of references next to the gold.
        num_refs: How many references each line of the gold has, separated by tabs.
        blank_is_missing: Whether a blank line of a file of references is no reference at all.
        beside: A table with the groups, clusters and weights of examples by id, where the gold has
            a layout without them.
    """

    by: object
    clusters: object
    weights: object
    systems: Sequence[str]
    system_column: str | None
    annotators: Sequence[str]
    task: Task | TaskName | None
    labels: Sequence[Label] | None
    order: str | Sequence[Label] | None
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
    sides: Sequence[str]
    outcomes: Sequence[str]
    unicode: NormalForm | None
    ignore_identical_ids: bool
    scheme: Scheme | None
    tag_names: Sequence[str]
    round_scores: int | None
    input_format: str | None
    header: bool
    per_file: bool
    gold_files: str | None
    system_files: str | None
    references: Sequence[str]
    num_refs: int
    blank_is_missing: bool
    beside: str | None


_OF_TASK = ("labels", "positive", "threshold")
_OF_COLUMNS = tuple(
    name for name in Columns.__struct_fields__ if name not in ("by", "clusters", "weight")
)
_OTHER_KEYWORDS = (
    *("outputs", "metrics", "intervals", "segments", "prevalence", "testing", "baseline"),
    *("baselines", "details", "overall", "old", "new", "floor", "max_drop", "sizes"),
)
"""Keywords that say nothing of the layout."""
_TASKS = ", ".join((*KINDS, *TASKS))
_SINGLE = ("predicted", "probability", "text", "count", "annotator", "rated")
"""Options that name one column."""


class InputPlan(Struct, frozen=True, eq=False):
    """What is read, and how.

    Attributes:
        metrics: The metrics that were named, or follow from the gold; None takes the usual ones.
        heading: What the groups are called; None without groups.
        systems: The columns with the outputs of one system each; or the names of the systems that
            are meant, if a column names them.
        by: A column of groups in memory, and likewise clusters and weights.
        reordered: What was in another order than the gold, and was paired by its pandas index.
    """

    source: Source
    reading: Reading
    layout: Layout = field(default_factory=Layout)
    metrics: Metrics = None
    heading: str | None = None
    systems: tuple[str, ...] = ()
    system_column: str | None = None
    by: object = None
    clusters: object = None
    weights: object = None
    reordered: dict[str, None] = field(default_factory=dict)

    @property
    def single(self) -> bool:
        """Whether all outputs are in the table of the gold."""
        files = self.source.files
        if files is None:
            return self.source.outputs is None
        return not (files.named or files.last or files.submissions) or bool(self.systems)

    def pair(self, values: object, name: str, columns: Columns | None = None) -> object:
        """Returns a column, or a tuple of columns, in the order of the first pandas index."""
        if isinstance(values, tuple):
            return tuple(self.pair(own, name) for own in values)
        if isinstance(values, Predictions):
            parts = (self.pair(own, name) for own in (values.labels, values.probabilities))
            return Predictions(*parts)
        gold = self.source.gold
        if is_table(values) and is_table(gold):
            known = columns or Columns()
            keys = (known.id, known.system_id or known.id)
            names = (from_arrow(own, name).names() for own in (gold, values))
            if all(find(own, IDS, key) for own, key in zip(names, keys, strict=True)):
                return values  # rows are joined by id
        sides = {"gold": gold, **self.source.named, "by": self.by, "weights": self.weights}
        first = next((own for own in sides if find_index(sides[own]) is not None), "gold")
        paired = follow_index(values, find_index(sides[first]), (first, name))
        if paired is not values:
            self.reordered[name] = None
        return paired

    def pair_beside(self) -> dict[str, object]:
        """Returns the columns of groups, clusters and weights in the order of the examples."""
        beside = {"by": self.by, "clusters": self.clusters, "weights": self.weights}
        return {name: self.pair(values, name) for name, values in beside.items()}


def open_logs(
    paths: Sequence[str], format: str | None, last: int | None = None
) -> "list[LogSystem]":
    """Returns the systems of logs; none where files are something else."""
    named = [split_name(one) for one in paths]
    likely = any(
        os.path.isdir(path) or guess_by_ending(path) in (None, "jsonl") for _, path in named
    )
    if format not in (None, *TOOLS) or not (format or likely):
        return []
    # Imported here because most files are no logs.
    from tallystick.io.logs.finding import list_logs, read_logs
    from tallystick.reading.log_systems import group_logs

    found = [[(path, format)] if format else list_logs(path) for _, path in named]
    if not any(found):
        return []
    if not all(found):
        log = next(own[0][0] for own in found if own)
        other = next(path for (_, path), own in zip(named, found, strict=True) if not own)
        raise UsageError(
            f"{log} is a log, which contains its own gold and scores, and {other} is none; name "
            "logs alone: each is a system"
        )
    logs = iter(read_logs([one for own in found for one in own]))
    return group_logs(
        [
            (name, int(place == last), place, log)
            for place, ((name, _), own) in enumerate(zip(named, found, strict=True))
            for _ in own
            for log in next(logs)
        ]
    )


def plan_input(
    source: Source, layout: Layout, metrics: Metrics = None, *, tolerant: bool = False
) -> InputPlan:
    """Plans how to read a source by its first rows; without metrics, the usual ones of its gold.

    If it is `tolerant`, a system that is wrong is rejected and does not stop the others.
    """
    check_keywords(layout)
    by_name = source.gold is None and layout.get("gold") is not None
    if by_name:
        source = replace(source, gold=layout["gold"], named_gold=True)
        layout = {**layout, "gold": None}
    columns, task, kind = read_columns(source, layout), _read_task(layout), layout.get("kind")
    if layout.get("header") is False and source.files is not None:
        named = any((columns.id, columns.gold, columns.predicted, columns.probability))
        marked = mark_headless(layout.get("input_format"), named=named)
        layout = {**layout, "input_format": marked}
    systems = list_names(layout.get("systems"), "systems")
    metrics = _find_metrics(source, layout, columns, metrics)
    if source.files is None and not needs_gold(metrics):
        asked = [column for one in find_numbers(metrics) for column in one.columns]
        source = source.without_gold(asked)
    if columns.language is not None:
        # Imported here because few texts are in a language that is named.
        from tallystick.tokens.tokenizers import find_language

        metrics = take_language(metrics, find_language(columns.language))
    reading = plan_reading(columns, task, layout.get("task"), metrics, kind)
    reading = replace(
        reading,
        tolerant=tolerant,
        input_format=layout.get("input_format"),
        references=tuple(layout.get("references", ())),
        blank_is_missing=layout.get("blank_is_missing", False),
        num_refs=layout.get("num_refs", 1),
        beside=layout.get("beside"),
        per_file=_read_patterns(source, layout),
    )
    heading = "/".join(reading.columns.by)
    if heading and source.files is not None and os.path.isfile(heading):
        heading = name_source(heading)
    system_column = _name(layout.get("system_column"), "system_column")
    plan = InputPlan(source, reading, layout, metrics, heading or None, systems, system_column)
    if source.has_columns:
        return plan
    by, clusters, weights = (layout.get(name) for name in ("by", "clusters", "weights"))
    group = None if by is None else "group"
    return replace(plan, heading=group, by=by, clusters=clusters, weights=weights)


def _read_patterns(source: Source, layout: Layout) -> tuple[str, str] | None:
    patterns = layout.get("gold_files") or "", layout.get("system_files") or ""
    if not (layout.get("per_file") or any(patterns)):
        return None
    if source.files is None or layout.get("input_format") not in (None, "lines"):
        raise UsageError("`per_file=True` takes folders of text files, and no other format")
    if layout.get("systems") or layout.get("system_column"):
        raise UsageError("with `per_file=True` each system has a folder, and no column")
    return patterns


def plan_reading(
    columns: Columns,
    task: Task,
    named: object,
    metrics: Metrics,
    kind: Kind[Column] | None = None,
) -> Reading:
    """Returns how columns are read for metrics, of which `named` says the task by its name."""
    kinds = plan_kinds(named if isinstance(named, str) else None, metrics, kind)
    if isinstance(columns.gold, KeyName):
        kinds = kinds or (TEXTS,)
        if not all(one.textual for one in kinds):
            raise UsageError("several columns of gold are references, which only texts have")
    numbers = find_numbers(metrics)
    if columns.corrected_by:
        if columns.annotated or columns.count is not None or columns.round_scores is not None:
            raise UsageError(
                "`corrected_by=` cannot be used with annotators, counts of rows, or rounding"
            )
        if kinds is not None:
            check_correctable(kinds, numbers)
    return Reading(
        columns,
        task,
        kinds,
        numbers=numbers,
        tries=find_tries(metrics),
        unanswerable=read_unanswerable(metrics),
        sessions=find_sessions(metrics),
        ordered=read_order(metrics),
    )


def check_keywords(layout: Layout) -> None:
    """Raises a TypeError where there is no keyword of some name; the nearest one is named."""
    for name in layout:
        if name not in Layout.__annotations__:
            raise explain_keyword(name, (*Layout.__annotations__, *_OTHER_KEYWORDS))


def read_columns(source: Source, layout: Layout) -> Columns:
    """Returns the columns that were named, and how their values are read."""
    known = layout.get("columns")
    if not isinstance(known, Columns | None):
        raise UsageError(
            f"columns must be a Columns(...), such as Columns(gold='label'), not {known!r}"
        )
    named: dict[str, Any] = {
        name: value for name, value in layout.items() if name in _OF_COLUMNS and value is not None
    }
    several = next((one for one in _SINGLE if isinstance(named.get(one), list | tuple)), None)
    if several is not None:
        raise UsageError(
            f"{several} is the name of one column; join the values of several in a new column, "
            "such as df['doc'] + '/' + df['seg']"
        )
    for name in ("annotators", "corrected_by"):
        if name in named:
            named[name] = list_names(named[name], name)
    if named.get("corrected_by") and not source.has_columns:
        raise UsageError("corrected_by names a column of the gold, so pass that as a table")
    if source.has_columns:
        by = list_names(layout.get("by"), "by")
        single = {
            "weight": _name(layout.get("weights"), "weights"),
            "clusters": _name(layout.get("clusters"), "clusters"),
        }
        named |= {name: own for name, own in {"by": by, **single}.items() if own}
    columns = replace(known or Columns(), **named) if named else known or Columns()
    if columns.annotated:
        columns = columns.by_annotator(list_names(layout.get("systems"), "systems"))
    return columns


def _read_task(layout: Layout) -> Task:
    known = layout.get("task")
    own: dict[str, Any] = {
        name: value for name, value in layout.items() if name in _OF_TASK and value is not None
    }
    order = layout.get("order")
    if order:
        listed = [order] if isinstance(order, str) else [*order]
        listed = [*str(listed[0]).split(",")] if len(listed) == 1 else listed
        if own.get("labels", order) != order or len(listed) < 2:
            raise UsageError(
                "`order=` names all labels, two or more, from the lowest to the highest"
            )
        own |= {"labels": tuple(listed), "ordered": True}
    if isinstance(known, str):
        name = known.lower()
        if name not in KINDS and name not in TASKS:
            raise UsageError(f"task must be one of {_TASKS}, not {known!r}")
        name = "multiclass" if name == "tokens" else name
        if name not in KINDS and own:
            raise UsageError(f"a {known} task has no {next(iter(own))}")
        known = Task(name) if name in KINDS else Task()
    if not isinstance(known, Task | None):
        raise UsageError(f"task must be one of {_TASKS}, not {known!r}")
    return replace(known or Task(), **own) if own else known or Task()


def _find_metrics(source: Source, layout: Layout, columns: Columns, metrics: Metrics) -> Metrics:
    kind, task = layout.get("kind"), layout.get("task")
    named = translate(source.gold, name_metrics(metrics), kind or task)
    if named is not None:
        return named if source.files else take_columns(named, source.list_columns)
    if kind is not None:
        return find_usual(kind)
    message = (task, columns.gold, columns.annotated or None)
    if any(one is not None for one in message) or (source.outputs is not None and not source.files):
        return None
    if layout.get("per_file") or layout.get("gold_files") or layout.get("system_files"):
        return None
    if source.files and find_transcripts(str(source.gold), layout.get("input_format")) is not None:
        return ["wer"]
    first = source.look(layout.get("input_format"))
    return None if first is None else suggest(first)


def as_table(data: object, *, alone: bool = False) -> object:
    """Returns a dictionary of lists as a table, and anything else as it is.

    Without outputs beside it (`alone`), a list of dictionaries is a table too.
    """
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):  # a lazy frame of polars
        return data.collect()
    if alone and isinstance(data, list) and data and all(isinstance(one, dict) for one in data):
        names = dict.fromkeys(str(name) for row in data for name in row)
        data = {name: [row.get(name) for row in data] for name in names}
    columns: dict[Any, Any] = data if isinstance(data, dict) else {}
    if not columns or not all(map(_is_column, columns.values())):
        return data
    lengths = {str(name): len(own) for name, own in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} {length:,}" for name, length in list(lengths.items())[:5])
        raise InputError(f"the columns of a dictionary differ in length: {shown}")
    return from_arrow({str(name): as_column(own) for name, own in columns.items()}, "gold").columns


def _is_column(values: object) -> bool:
    return isinstance(values, list | tuple) or (
        hasattr(values, "__array__") and not is_table(values)
    )


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

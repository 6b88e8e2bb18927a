"""The examples of a track with made-up gold, and submissions made from the true one.

A submission is checked next to gold that was made up, so that nothing that is said of it can come
from the true one, and participants who have no gold are told the same as the server's.
"""

import hashlib
import io
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import TallystickError, UsageError
from tallystick.io.files.datasets import list_files
from tallystick.io.files.lines import count_lines
from tallystick.io.submissions import Submissions
from tallystick.io.tables.formats import (
    DELIMITERS,
    LINE,
    SUBMITTED,
    guess_by_ending,
    guess_format,
    list_parts,
)
from tallystick.io.tables.table import Table, read_table
from tallystick.io.tables.values import build_numbers, build_strings
from tallystick.kinds.index import find_layout
from tallystick.kinds.labels import needs_probabilities
from tallystick.kinds.labels.label_columns import LabelRows
from tallystick.kinds.metrics.names import read_metrics
from tallystick.kinds.spans.spans import keep_within
from tallystick.model.codes import Label, Labels
from tallystick.model.columns import Columns, find
from tallystick.model.facts import KINDS, Task
from tallystick.model.reading import Drafted, MadeUp, Reading, Sample
from tallystick.model.sides import Side
from tallystick.output.tables.formats import join_rows
from tallystick.reading.input_plan import plan_reading
from tallystick.reading.layouts import are_lines, read_submissions
from tallystick.reading.speech import SPEECH, find_speech
from tallystick.reading.tables import read_gold
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count, count_accepted
from tallystick.tasks.task_file import Track


def count_track(track: Track, files: Mapping[str, str], known: Table | None = None) -> Counted:
    """Reads gold and submissions of a track and counts them; those that are wrong are rejected."""
    if track.gold is None:
        raise UsageError("a track without gold cannot be scored; name its gold, or a phase")
    heading = "/".join(track.by) if track.by else None
    gold, reading = track.gold, plan_track(track)

    def count_some(names: Sequence[str]) -> Counted:
        submissions = Submissions({name: files[name] for name in names}, (), ())
        table = gold if known is None else known
        blocks = read_submissions(table, submissions, reading, recall_submission)
        return count(blocks, track.metrics, heading=heading)

    return count_accepted([*files], count_some)


_READ: dict[object, Table] = {}
"""The table that was read last: submissions are checked, and counted next."""


def recall_submission(path: str, kind: str | None) -> Table:
    """Returns the table of a submission, which is kept until another one is read."""
    status = os.stat(path)
    key = path, kind, os.getcwd(), status.st_ino, status.st_size, status.st_mtime_ns
    if key not in _READ:
        _READ.clear()
        _READ[key] = read_table(path, format=kind)
    return _READ[key]


def plan_track(track: Track) -> Reading:
    """Returns how gold and submissions of a track are read."""
    columns = Columns(
        **msgspec.structs.asdict(track.columns),
        by=track.by,
        clusters=track.clusters,
        invalid=track.invalid,
        missing=track.missing_outputs,
    )
    kind = next((kind for kind in KINDS if kind == track.task), None)
    task = Task(kind, track.labels, track.positive, ordered=bool(track.order))
    reading = plan_reading(columns, task, track.task, track.metrics)
    return replace(reading, tolerant=True, input_format=track.format, hidden=True)


Given = ParamSpec("Given")
Value = TypeVar("Value")


def remember(read: Callable[Given, Value]) -> Callable[Given, Value]:
    """Makes a function of tracks or paths keep what it returns or raises until a file changes."""
    known: dict[object, Value | TallystickError] = {}

    @wraps(read)
    def find(*args: Given.args, **kwargs: Given.kwargs) -> Value:
        tracks = [one for one in args if isinstance(one, Track)]
        paths = [one for one in args if isinstance(one, str)]
        paths += [path for one in tracks for path in (one.gold, one.ids) if path is not None]
        key = (args, os.getcwd(), *map(list_files, paths))
        if key not in known:
            if len(known) >= 256:
                known.clear()
            try:
                known[key] = read(*args, **kwargs)
            except TallystickError as error:
                known[key] = error
        value = known[key]
        if isinstance(value, TallystickError):
            raise value.with_traceback(None)
        return value

    return find


class Blind(Struct, frozen=True, eq=False):
    """The examples of a track with made-up gold: a table, or a file in another form, or neither.

    The ids are None where the order of examples counts. The labels are those that the task names,
    `known` all of the task or the gold; they are open-ended where the gold alone shows them.
    """

    reading: Reading
    count: int | None
    gold: Table | None = None
    file: str | None = None
    id: str | None = None
    ids: pa.ChunkedArray | None = None
    labels: tuple[Label, ...] | None = None
    open_ended: bool = False
    known: tuple[Label, ...] = ()


def list_track_files(track: Track) -> list[str]:
    """Returns the files of a track's gold, and of its ids where there is none."""
    paths = [path for path in (track.gold, track.ids) if path is not None and list_files(path)]
    return [file.path for path in paths[:1] for file in list_files(path)]


@remember
def read_blind(track: Track, named: tuple[Label, ...] | None = None) -> Blind | None:
    """Returns the examples of a track, those of its ids without gold, with made-up gold if any."""
    for path in (track.gold, track.ids):
        if path is not None and list_files(path):
            reading = plan_track(track)
            if find_drafter(path, reading) is None and are_lines(path, reading):
                count = count_lines(path)
                text = "".join(f"line {number}\n" for number in range(count))
                return Blind(reading, count, file=_write_scratch(f"lines-{count}.txt", text))
            sample = Sample(recall_table(path, track), reading, path == track.gold, track.labels)
            return _make_blind(replace(sample, dealt=named))
    return None


@remember
def read_gold_table(track: Track) -> Table | None:
    """Returns the table of a track's gold; None where it has another form, or is not there."""
    if track.gold is None or not list_files(track.gold):
        return None
    reading = plan_track(track)
    if are_lines(track.gold, reading) or find_drafter(track.gold, reading) is not None:
        return None
    return recall_table(track.gold, track)


@remember
def recall_table(path: str, track: Track) -> Table:
    """Returns the table of a file of the task, which is read once; a layout of its own as one."""
    drafter = find_drafter(path, plan_track(track))
    if drafter is not None:
        return drafter.tabulate(path, plan_track(track))
    return read_table(path, format=None if path == track.ids else track.format)


class Drafter(Protocol):
    """A kind with a layout of its own, or transcripts."""

    def tabulate(self, path: str, reading: Reading) -> Table:
        """Returns gold, or examples without it, with a row for each example."""

    def make_up(self, sample: Sample, name: str) -> MadeUp | None:
        """Returns made-up gold as a file."""

    def draft(self, sample: Sample, name: str) -> Drafted | None:
        """Returns the gold as a submission."""


def find_drafter(path: str, reading: Reading) -> Drafter | None:
    """Returns what makes submissions of gold in a layout of its own; None for other gold."""
    if not os.path.isfile(path):
        return None
    transcripts = find_speech(path, reading) if reading.input_format is None else None
    kinds = reading.kinds
    return SPEECH if transcripts else find_layout(path, kinds, unsure=kinds is None)


@cache
def _make_folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="tallystick-")


def _write_scratch(name: str, text: str) -> str:
    path = os.path.join(_make_folder().name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _make_blind(sample: Sample) -> Blind:
    table, reading = sample.table, sample.reading
    kinds, name = reading.kinds or (), reading.columns.gold or "made-up gold"
    rows = len(table)
    texts = MadeUp({name: build_strings([f"text {row}" for row in range(rows)])})
    makers = (SPEECH,) if table.unit == SPEECH.unit else kinds
    made = next(filter(None, (kind.make_up(sample, name) for kind in makers)), texts)
    if made.file is not None:
        ending, text = made.file
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return Blind(reading, None, file=_write_scratch(f"{digest}.{ending}", text))
    columns = reading.columns.spelled(table.names())
    ids = replace(reading, columns=columns).find_ids(table.names())
    ids = ids if ids is not None and Side(table).has(ids) else None
    by = tuple(name for name in columns.by if name in table.names())
    usual = (one for kind in kinds for one in kind.beside)
    beside = (*list_parts(ids or ""), *by, *(find(table.names(), one) for one in usual))
    beside = ("1", LINE) if table.unit == "sentence" else beside
    kept = {name: table.column(name) for name in beside if name}
    gold, called = None, None
    if made.columns is not None:
        widths = (one.width for one in reading.numbers if one.width is not None)
        kept |= made.columns | {width: build_numbers([0.0] * rows) for width in widths}
        gold = Table("the test data", pa.table(kept), table.unit, table.first)
        called = name if name in made.columns else None
    columns = replace(columns, gold=called, by=by, clusters=None, weight=None)
    task = reading.task if made.labels is None else replace(reading.task, labels=made.labels)
    return Blind(
        replace(reading, columns=columns, task=task),
        rows,
        gold,
        None,
        ids,
        None if ids is None else table.column(ids),
        sample.labels,
        made.open_ended,
        made.known,
    )


class Draft(Struct, frozen=True):
    """A submission to one track, before it is a file, whose form is an ending, `lines` or `conll`.

    Keys tell which example a row is of: ids, and groups if needed. The filler represents answers
    that have too few parts for the tokens or annotators of their row, sizes are those of texts.
    """

    file: str
    form: str
    columns: Mapping[str, Sequence[object]]
    keys: tuple[str, ...]
    tokens: str | None = None
    filler: str | None = None
    sizes: NDArray[np.int64] | None = None
    spell: Callable[..., str] | None = None
    alike: bool = True

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def id(self) -> str | None:
        """The name of the column of ids; None where there is none."""
        return self.keys[0] if self.keys else None

    @property
    def answers(self) -> tuple[str, ...]:
        """The names of the columns that hold answers."""
        return tuple(name for name in self.columns if name not in (*self.keys, self.tokens))

    @property
    def repeated(self) -> bool:
        """Whether an example has several rows, which are tries."""
        rows = [*zip(*(map(str, self.columns[name]) for name in self.keys), strict=True)]
        return len({*rows}) < len(rows)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> "Draft":
        """Returns the same with some of its rows, in their order."""
        columns = {name: [values[row] for row in rows] for name, values in self.columns.items()}
        sizes = None if self.sizes is None else self.sizes[np.asarray(rows, np.int64)]
        return replace(self, columns=columns, sizes=sizes)

    def answer(self, rows: NDArray[np.int64]) -> "Draft":
        """Returns the same with the answer of another row in each row, and its keys as they are."""
        drawn = self.take(rows).columns
        return self.fill({name: drawn[name] for name in self.answers})

    def fill(self, answers: Mapping[str, Sequence[object]]) -> "Draft":
        """Returns the same with other answers, which have the parts that their rows need."""
        if self.filler is not None:
            answers = {
                name: [
                    _shape(one, own, self.filler)
                    for one, own in zip(values, self.columns[name], strict=True)
                ]
                for name, values in answers.items()
            }
        if self.sizes is not None:
            sizes = self.sizes.tolist()
            answers = {
                name: [keep_within(one, size) for one, size in zip(values, sizes, strict=True)]
                for name, values in answers.items()
            }
        return replace(self, columns={**self.columns, **answers})

    def swap(self, one: str, other: str) -> "Draft":
        """Returns the same with two columns under each other's name."""
        names = {one: other, other: one}
        columns = {name: self.columns[names.get(name, name)] for name in self.columns}
        return replace(self, columns=columns)

    def write(self, folder: str) -> str:
        """Writes the file into a scratch folder, at once, and returns its path."""
        path = os.path.join(folder, self.file)
        with open(path, "wb") as file:
            file.write(self.encode())
        return path

    def encode(self) -> bytes:
        """Returns the content of the file."""
        if self.form == "parquet":
            import pyarrow.parquet as pq

            arrays = {}
            for name, values in self.columns.items():
                try:
                    arrays[name] = pa.array(values)
                except pa.ArrowException:  # lists of several kinds, such as [0, 5, "PER"]
                    arrays[name] = pa.array(map(spell_cell, values))
            file = io.BytesIO()
            pq.write_table(pa.table(arrays), file)
            return file.getvalue()
        names, rows = [*self.columns], zip(*self.columns.values(), strict=True)
        if self.spell is not None:
            return "".join(itertools.starmap(self.spell, rows)).encode()
        match self.form:
            case "jsonl":
                lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
            case "lines":
                lines = [spell_cell(row[0]) for row in rows]
            case "conll":
                lines = [
                    line for row in rows for line in (*map(" ".join, zip(*row, strict=True)), "")
                ]
            case _:
                spelled = (map(spell_cell, row) for row in (names, *rows))
                return join_rows(spelled, DELIMITERS[self.form]).encode()
        return "".join(f"{line}\n" for line in lines).encode()


def draft_gold(name: str, track: Track) -> Draft:
    """Returns the gold of a track as a submission, with probabilities where they are needed."""
    if track.gold is None:
        raise UsageError("the track has no gold here, so nothing can be made from it")
    table, reading = recall_table(track.gold, track), plan_track(track)
    counters = [one for metric in read_metrics(track.metrics) for one in metric.counters]
    scored = any(needs_probabilities(getattr(one, "kind", None)) for one in counters)
    sample = Sample(table, reading, scored=scored)
    own, rows = track.columns.predicted or "y_pred", len(table)
    numbers = (one.column for one in reading.numbers if one.column is not None)
    answers: dict[str, Sequence[object]] = {column: [0.0] * rows for column in numbers}
    makers = (SPEECH,) if table.unit == SPEECH.unit else reading.kinds or ()
    found = filter(None, (kind.draft(sample, own) for kind in makers))
    drafted = next(found, Drafted({} if answers else {own: [0.0] * rows}))
    form = drafted.ending or _find_form(track)
    keys = () if form in ("lines", "conll") else _find_keys(table, track)
    tokens = "tokens" if form == "conll" or (drafted.spell and not keys) else None
    columns = {name: table.column(name).to_pylist() for name in keys}
    if keys and (other := track.columns.system_id) is not None:
        keys = (other, *keys[1:])
        columns = dict(zip(keys, columns.values(), strict=True))
    if tokens is not None:
        if drafted.tokens is None:
            raise UsageError(
                "the gold contains spans, and CoNLL files contain tags; name another format"
            )
        columns = {tokens: drafted.tokens}
    draft = Draft(
        track.file or f"{name}.{'txt' if form == 'lines' else form}",
        form,
        {**columns, **answers, **drafted.columns},
        keys,
        tokens,
        drafted.filler,
        drafted.sizes,
        drafted.spell,
        drafted.alike,
    )
    return draft if drafted.rows == 1 else draft.take(np.repeat(np.arange(rows), drafted.rows))


def read_answers(path: str, track: Track) -> Labels | LabelRows:
    """Returns the labels, or label sets, of a file that is read as the gold of a track is."""
    reading = plan_track(track)
    return read_gold(recall_table(path, track), reading.columns, reading.task)


def _find_form(track: Track) -> str:
    if track.format is not None:
        return track.format
    named = None if track.file is None else guess_by_ending(track.file)
    form = named or guess_format(str(track.gold))
    return form if form in SUBMITTED else "jsonl"


def _find_keys(table: Table, track: Track) -> tuple[str, ...]:
    ids = plan_track(track).find_ids(table.names())
    if ids is None:
        return ()
    values = table.values(ids)
    return (*list_parts(ids), *(track.by if len({*values}) < len(values) else ()))


def _shape(answer: Any, own: Any, filler: str) -> Any:
    """As many parts of an answer as another one has: tags, or the votes of its annotators."""
    parts = [*answer.values()] if isinstance(answer, dict) else [*answer]
    parts = [*(part for part in parts if part is not None), *[filler] * len(own)]
    if not isinstance(own, dict):
        return parts[: len(own)]
    return {
        name: None if own[name] is None else part for name, part in zip(own, parts, strict=False)
    }


def spell_cell(value: object) -> str:
    """Returns a value as a cell of text has it: lists and objects as JSON, None as nothing."""
    if isinstance(value, list | dict):
        return json.dumps(value)
    return "" if value is None else str(value)

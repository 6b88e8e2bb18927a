"""Submissions made from the gold of a track: the gold itself, or other answers in its form."""

import io
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.columns import list_parts
from tallystick.io.tables.formats import DELIMITERS, SUBMITTED, guess_by_ending, guess_format
from tallystick.io.tables.table import Table
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.sets import LabelRows
from tallystick.kinds.metrics.names import read_metrics
from tallystick.kinds.numbers.soft_labels import read_gold_cells
from tallystick.kinds.probabilities.joint import Joint
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.kinds.spans import SPANS
from tallystick.kinds.spans.span_columns import list_cells, list_tokens, read_gold_spans
from tallystick.kinds.spans.spans import keep_within
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.text_columns import find_references, list_references
from tallystick.kinds.tries.submitted_tries import find_truth
from tallystick.model.codes import Label, Labels, spell
from tallystick.model.reading import Reading
from tallystick.model.sides import Side, find_gold
from tallystick.output.tables.data_formats import join_rows
from tallystick.reading.tables import read_gold
from tallystick.tasks.redacted import recall_table
from tallystick.tasks.task_file import Track
from tallystick.tasks.tracks import plan_track

_FEWEST_TRIES = 2


@dataclass(frozen=True, slots=True)
class Draft:
    """A submission to one track, before it is a file.

    The form is `lines`, `csv`, `tsv`, `jsonl`, `parquet` or `conll`. The keys are the columns
    that tell which example a row is of: the ids, and the groups where an id stands in several;
    none where the order of rows tells. Tokens is the column of what is tagged. The filler
    stands for an answer where answers have a part for each token or annotator of their row, and
    one of another row has fewer. Sizes are the characters of the texts that spans lie in.
    """

    file: str
    form: str
    columns: Mapping[str, Sequence[object]]
    keys: tuple[str, ...]
    tokens: str | None = None
    filler: str | None = None
    sizes: NDArray[np.int64] | None = None

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
            return _encode_parquet(self.columns)
        names, rows = [*self.columns], zip(*self.columns.values(), strict=True)
        match self.form:
            case "jsonl":
                lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
            case "lines":
                lines = [_spell(row[0]) for row in rows]
            case "conll":
                lines = [
                    line for row in rows for line in (*map(" ".join, zip(*row, strict=True)), "")
                ]
            case _:
                spelled = (map(_spell, row) for row in (names, *rows))
                return join_rows(spelled, DELIMITERS[self.form]).encode()
        return "".join(f"{line}\n" for line in lines).encode()


def draft_gold(name: str, track: Track) -> Draft:
    """Returns the gold of a track in the form of its submissions.

    Where probabilities are needed or named, there are those of a system that is sure of the gold.
    """
    table = recall_table(_name_gold(track), track.format)
    form, reading = _find_form(track), plan_track(track)
    file = track.file or f"{name}.{'txt' if form == 'lines' else form}"
    keys = () if form in ("lines", "conll") else _find_keys(table, track)
    columns = {name: _list(table, name) for name in keys}
    if reading.kinds == (SPANS,):
        return _draft_spans(Draft(file, form, columns, keys), table, reading)
    answers = _draft_answers(table, track, reading)
    if reading.repeated:
        size = max(reading.tries, _FEWEST_TRIES)
        rows = np.repeat(np.arange(len(table)), size)
        return Draft(file, form, {**columns, **answers}, keys).take(rows)
    voted = any(needed.form == "votes" for needed in reading.numbers)
    # The first label stands for a vote that another row lacks.
    votes = read_gold_cells(Side(table), reading.columns, alone=False) if voted else None
    filler = None if votes is None else votes.list_labels()[0]
    return Draft(file, form, {**columns, **answers}, keys, filler=filler)


def read_answers(path: str, track: Track) -> Labels | LabelRows:
    """Returns the labels, or label sets, of a file that is read as the gold of a track is."""
    reading = plan_track(track)
    return read_gold(recall_table(path, track.format), reading.columns, reading.task)


def count_labels(labels: Labels | LabelRows) -> dict[Label, int]:
    """Returns how many examples have each label."""
    return dict(zip(labels.names, labels.count_each().tolist(), strict=True))


def _name_gold(track: Track) -> str:
    if track.gold is None:
        raise UsageError("the track has no gold here, so that nothing can be made from it")
    return track.gold


def _find_form(track: Track) -> str:
    """The form of submissions: as the track says, or else that of the gold."""
    if track.format is not None:
        return track.format
    named = None if track.file is None else guess_by_ending(track.file)
    form = named or guess_format(_name_gold(track))
    return form if form in SUBMITTED else "jsonl"


def _find_keys(table: Table, track: Track) -> tuple[str, ...]:
    ids = plan_track(track).find_ids(table.names())
    if ids is None:
        return ()
    values = table.values(ids)
    return (*list_parts(ids), *(track.by if len({*values}) < len(values) else ()))


def _draft_spans(draft: Draft, table: Table, reading: Reading) -> Draft:
    """The spans, or the tags beside their tokens."""
    side, columns = Side(table), reading.columns
    golden = read_gold_spans(side, columns, alone=False)
    own = columns.predicted or "predicted_spans"
    cells = {own: list_cells(side, golden.column)}
    if golden.found.tags is None:
        if draft.form == "conll":
            raise UsageError("the gold holds spans, and CoNLL files hold tags; name another format")
        return replace(draft, columns={**draft.columns, **cells}, sizes=golden.sizes)
    sizes = map(len, cells[own])
    tokens = {"tokens": list_tokens(side) or [[f"token{at}" for at in range(n)] for n in sizes]}
    if draft.form != "conll":
        return replace(draft, columns={**draft.columns, **cells}, filler="O")
    return replace(draft, columns={**tokens, **cells}, tokens="tokens", filler="O")


def _draft_answers(table: Table, track: Track, reading: Reading) -> dict[str, Sequence[object]]:
    """The columns of answers, as the kinds of the track have them."""
    kinds, own = reading.kinds or (), track.columns.predicted or "y_pred"
    answers: dict[str, Sequence[object]] = {
        needed.column: [0.0] * len(table) for needed in reading.numbers if needed.column is not None
    }
    if reading.repeated:
        return {own: _list(table, find_truth(table, reading))}
    if LABELS in kinds:
        return answers | _draft_labels(table, track)
    if reading.soft:
        return answers | _draft_shares(table, own, reading)
    if TEXTS not in kinds and not any(needed.gold for needed in reading.numbers):
        return answers or {own: [0.0] * len(table)}
    side = Side(table)
    if TEXTS in kinds:
        references = list_references(side, find_references(side, reading.columns))
        return answers | {own: [_choose(one) for one in references]}
    return answers | {own: _list(table, find_gold(side, reading.columns, alone=False))}


def _draft_shares(table: Table, own: str, reading: Reading) -> dict[str, Sequence[object]]:
    """Soft labels: the cells of one column, or one column for each label."""
    cells = read_gold_cells(Side(table), reading.columns, alone=False)
    if cells.labels is None or not isinstance(cells.values, np.ndarray):
        return {own: [*cells.values]}
    head = "prob" if reading.columns.predicted is None else own
    shares = zip(cells.labels, cells.values.T.tolist(), strict=True)
    return {f"{head}_{label}": values for label, values in shares}


def _draft_labels(table: Table, track: Track) -> dict[str, Sequence[object]]:
    """The columns of answers: labels, label sets, one column for each label, or numbers."""
    gold = read_answers(_name_gold(track), track)
    if track.positive is not None:
        plan_track(track).task.spelled().settle(gold.names, scores=False)
    in_columns = {str(label) for label in gold.names} <= set(table.names())
    if not isinstance(gold, Labels) and in_columns:
        return {str(label): _list(table, str(label)) for label in gold.names}
    values = _list(table, find_gold(Side(table), plan_track(track).columns, alone=False))
    answers: dict[str, Sequence[object]] = {track.columns.predicted or "y_pred": values}
    counters = {one for metric in read_metrics(track.metrics) for one in metric.counters}
    if track.columns.probability is None and counters.isdisjoint({Curve, Joint}):
        return answers
    return answers | _draft_probabilities(values, gold, track)


def _draft_probabilities(
    values: Sequence[Any], gold: Labels | LabelRows, track: Track
) -> dict[str, Sequence[object]]:
    """The probability of the positive label, or of each label: 1 where it is the gold, else 0."""
    names, spelled = list(map(spell, gold.names)), list(map(spell, values))
    task = plan_track(track).task.spelled().settle(names, scores=len(names) < 3)
    if task.kind == "binary":
        name = track.columns.probability or "y_prob"
        return {name: [float(value == task.positive) for value in spelled]}
    return {
        f"prob_{label}": [float(value == label) for value in spelled]
        for label in task.labels or names
    }


def _list(table: Table, name: str) -> list[object]:
    values: list[object] = table.column(name).to_pylist()
    return values


def _shape(answer: Any, own: Any, filler: str) -> Any:
    """As many parts of an answer as another one has: tags, or the votes of its annotators."""
    parts = [*answer.values()] if isinstance(answer, dict) else [*answer]
    parts = [*(part for part in parts if part is not None), *[filler] * len(own)]
    if not isinstance(own, dict):
        return parts[: len(own)]
    return {
        name: None if own[name] is None else part for name, part in zip(own, parts, strict=False)
    }


def _choose(gold: object) -> str:
    """The first reference of an example."""
    return str(next((one for one in gold if one), "")) if isinstance(gold, list) else str(gold)


def _spell(value: object) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value)
    return "" if value is None else str(value)


def _encode_parquet(columns: Mapping[str, Sequence[object]]) -> bytes:
    import pyarrow.parquet as pq

    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pa.array(values)
        except pa.ArrowException:  # lists of several kinds, such as [0, 5, "PER"]
            arrays[name] = pa.array(map(_spell, values))
    file = io.BytesIO()
    pq.write_table(pa.table(arrays), file)
    return file.getvalue()

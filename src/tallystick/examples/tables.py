"""Tables read as examples: which column holds what, rows joined by id, every value checked."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.columns import (
    GOLD,
    IDS,
    LABELS_TOO,
    PREDICTED,
    PROBABILITY,
    THRESHOLD,
    Columns,
    find,
    need,
)
from tallystick.examples.examples import Examples, align
from tallystick.examples.ids import join_ids
from tallystick.examples.labels import Labels, Locate, as_text, combine, encode, plain, spell
from tallystick.examples.probabilities import check_probabilities, check_weights, read_numbers
from tallystick.examples.sets import LabelRows, from_lists, from_matrix, split_cells
from tallystick.examples.task import Task
from tallystick.io.tables import Table

__all__ = ["read_examples", "read_gold", "read_scores"]

_DELIMITERS = ("|", ";", ",")
_MANY = ("y_prob_", "prob_")


@dataclass(frozen=True, slots=True)
class _Side:
    """One table with its rows in the order of the gold."""

    table: Table
    rows: NDArray[np.int64] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names()

    def values(self, name: str) -> Any:
        column = plain(self.table.column(name))
        return column if self.rows is None else column.take(self.rows)

    def locate_row(self, index: int) -> str:
        row = index if self.rows is None else int(self.rows[index])
        return f"{self.table.source}, {self.table.locate(row)}"

    def locate(self, name: str) -> Locate:
        return lambda index: f"{self.locate_row(index)}, column '{name}'"

    def labels(self, name: str, columns: Columns) -> Labels:
        labels = encode(self.values(name), self.locate(name))
        return as_text(labels, fold_case=columns.fold_case)

    def numbers(self, name: str) -> NDArray[Any]:
        return read_numbers(self.values(name), self.locate(name))


def read_examples(
    gold: Table, predictions: Table | None, columns: Columns, task: Task
) -> tuple[Examples, Task]:
    """Reads gold and one system's predictions, from two tables or (predictions None) from one.

    Two tables that both have an id column are joined by it; otherwise their order counts.

    Raises:
        InputError: A column, a row or a value is not what it should be.
    """
    left = _Side(gold)
    right = left if predictions is None else _join(gold, predictions, columns)
    matrix = _matrix_columns(left, right, columns, task)
    if matrix:
        rows = [_read_matrix(side, matrix) for side in (left, right)]
        where = (left.locate(matrix[0]), right.locate(matrix[0]))
        examples, settled = align(rows[0], rows[1], None, task, where)
    else:
        examples, settled = _read_gold_column(left, right, columns, task)
    return _add_columns(examples, left, right, columns), settled


def read_gold(gold: Table, columns: Columns, task: Task) -> Labels | LabelRows:
    """Reads gold alone, by the rules that `read_examples` has for gold in a table of its own.

    Raises:
        InputError: There is no gold column, or a value in it is no label.
    """
    side, other = _Side(gold), _Side(gold)
    matrix = _matrix_columns(side, other, columns, task)
    if matrix:
        return _read_matrix(side, matrix)
    name = _gold_column(side, other, columns)
    if _holds_sets(side, name, columns, task):
        return _read_sets(side, name, columns, task)
    return side.labels(name, columns)


def read_scores(table: Table, columns: Columns) -> tuple[NDArray[Any], Labels | None]:
    """Reads the probabilities and the groups of a table, in which there may be no gold.

    Raises:
        InputError: A column is missing, or a value is not what it should be.
    """
    side = _Side(table)
    name = need(table, PROBABILITY, columns.probability, "probability")
    scores = check_probabilities(side.numbers(name), side.locate(name))
    return scores, _read_groups(side, side, columns)


def _join(gold: Table, predictions: Table, columns: Columns) -> _Side:
    left = find(gold.names(), IDS, columns.id)
    right = find(predictions.names(), IDS, columns.id)
    if left is not None and right is not None:
        sources = (gold.source, predictions.source)
        return _Side(predictions, join_ids(gold.column(left), predictions.column(right), sources))
    if (left is None) != (right is None) and len(predictions.names()) > 1 and len(gold.names()) > 1:
        lacking = predictions if right is None else gold
        raise InputError(
            f"{lacking.source}: has no column {(left or right)!r} to join {gold.source} and "
            f"{predictions.source} by; name what joins them with --id-column"
        )
    if len(gold) != len(predictions):
        raise InputError(
            f"{gold.source} has {len(gold)} examples but {predictions.source} has "
            f"{len(predictions)}; without an id column on both sides they must be as many"
        )
    return _Side(predictions)


def _matrix_columns(left: _Side, right: _Side, columns: Columns, task: Task) -> tuple[str, ...]:
    """The columns of a multilabel table in 0/1 form; empty when it has another form."""
    if task.kind not in (None, "multilabel") or left is right:
        return ()
    if find(left.names, GOLD, columns.gold) is not None:
        return ()
    if task.labels is not None:
        asked = tuple(str(name) for name in task.labels) if task.kind == "multilabel" else ()
        return asked if any(name in left.names for name in asked) else ()
    apart = {*columns.by, columns.weight, columns.clusters, find(left.names, IDS, columns.id)}
    found = tuple(
        name for name in left.names if name not in apart and _mostly_bits(left.values(name))
    )
    return found if len(found) > 1 or task.kind == "multilabel" else ()


def _mostly_bits(values: Any) -> bool:
    """Whether most values are 0 or 1, so that a stray one is an error in it, not another column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_nested(values.type):
        return False
    text = values.cast(pa.large_string())
    bits = pc.match_substring_regex(text, pattern="^(0|1|true|false)$")
    return 2 * (pc.sum(bits).as_py() or 0) > len(values)


def _read_matrix(side: _Side, names: tuple[str, ...]) -> LabelRows:
    bits = []
    for name in names:
        numbers = side.numbers(name)
        bits.append(from_matrix(numbers[:, None], (name,), side.locate_row).bits[:, 0])
    matrix = np.stack(bits, axis=1)
    return from_matrix(matrix, names, side.locate_row)


def _read_gold_column(
    left: _Side, right: _Side, columns: Columns, task: Task
) -> tuple[Examples, Task]:
    gold_name = _gold_column(left, right, columns)
    if _holds_sets(left, gold_name, columns, task):
        return _read_set_columns(left, gold_name, right, columns, task)
    gold = left.labels(gold_name, columns)
    task = _as_written(task, columns)
    many = [name for name in right.names if name.startswith(_MANY)]
    if many and columns.probability is None:
        return _read_many(gold, left.locate(gold_name), right, columns, task)
    predicted_name, probability_name = _prediction_columns(gold, left, right, columns)
    predicted = right.labels(predicted_name, columns) if predicted_name else None
    probabilities = right.numbers(probability_name) if probability_name else None
    if predicted is None and task.threshold is None and THRESHOLD in right.names:
        task = replace(task, threshold=_read_threshold(right))
    where = right.locate(probability_name or predicted_name or "")
    return align(gold, predicted, probabilities, task, (left.locate(gold_name), where))


def _read_set_columns(
    left: _Side, gold_name: str, right: _Side, columns: Columns, task: Task
) -> tuple[Examples, Task]:
    predicted_name = find(right.names, (*PREDICTED, *LABELS_TOO), columns.predicted)
    if predicted_name is None:
        predicted_name = _predicted_column(left, right, columns)
    gold = _read_sets(left, gold_name, columns, task)
    predicted = _read_sets(right, predicted_name, columns, task)
    where = (left.locate(gold_name), right.locate(predicted_name))
    return align(gold, predicted, None, task, where)


def _gold_column(left: _Side, right: _Side, columns: Columns) -> str:
    apart = {*columns.by, columns.weight, columns.clusters, find(left.names, IDS, columns.id)}
    rest = [name for name in left.names if name not in apart]
    if left is not right and len(rest) == 1 and columns.gold is None:
        return rest[0]
    return need(left.table, GOLD, columns.gold, "gold")


def _holds_sets(side: _Side, name: str, columns: Columns, task: Task) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    values = side.values(name)
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        return True
    if task.kind not in (None, "multilabel"):
        return False
    if task.kind == "multilabel" or columns.delimiter is not None:
        return True
    text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    return text and len(values) > 0 and bool(pc.all(pc.starts_with(values, pattern="[")).as_py())


def _read_sets(side: _Side, name: str, columns: Columns, task: Task) -> LabelRows:
    values = side.values(name).to_pylist()
    locate = side.locate(name)
    for index, value in enumerate(values):
        if value is None:
            raise InputError(f"{locate(index)}: the value is missing; no labels is [] or nothing")
    if values and not isinstance(values[0], list):
        values = split_cells(values, _delimiter(values, columns, locate), locate)
    if columns.fold_case:
        values = [[str(name).casefold() for name in names] for names in values]
        task = _as_written(task, columns)
    return from_lists(values, locate, task.labels)


def _delimiter(cells: list[str], columns: Columns, locate: Locate) -> str:
    if columns.delimiter is not None:
        return columns.delimiter
    plain = [cell for cell in cells if not cell.lstrip().startswith("[")]
    used = [mark for mark in _DELIMITERS if any(mark in cell for cell in plain)]
    if len(used) > 1:
        raise InputError(
            f"{locate(0)}: both {used[0]!r} and {used[1]!r} stand in the cells; "
            "say which one separates labels with --delimiter"
        )
    return used[0] if used else _DELIMITERS[0]


def _as_written(task: Task, columns: Columns) -> Task:
    """The task's labels as the labels of a file are: text, folded where that was asked for."""
    fold = columns.fold_case
    labels, positive = task.labels, task.positive
    return replace(
        task,
        labels=None if labels is None else tuple(spell(name, fold_case=fold) for name in labels),
        positive=None if positive is None else spell(positive, fold_case=fold),
    )


def _prediction_columns(
    gold: Labels, left: _Side, right: _Side, columns: Columns
) -> tuple[str | None, str | None]:
    """The names of the predicted label's and of the probability's column; one may be None."""
    predicted = find(right.names, PREDICTED, columns.predicted)
    probability = find(right.names, PROBABILITY, columns.probability)
    if probability and columns.probability is None and _holds_labels(gold, right, probability):
        predicted, probability = predicted or probability, None
    if predicted is None and probability is None:
        predicted = _predicted_column(left, right, columns)
    return predicted, probability


def _predicted_column(left: _Side, right: _Side, columns: Columns) -> str:
    """The column of a table of predictions that is called as the gold's are."""
    if left is right:
        need(right.table, (*PREDICTED, *PROBABILITY), None, "predicted")
    return _gold_column(right, left, columns)


def _read_threshold(side: _Side) -> float:
    """The one threshold of a file; a file with several is an error."""
    values = side.numbers(THRESHOLD)
    other = np.flatnonzero(values != values[0])
    if len(other):
        index = int(other[0])
        raise InputError(
            f"{side.locate(THRESHOLD)(index)}: {values[index]:g} stands where the rows above have "
            f"{values[0]:g}; a file has one threshold"
        )
    return float(values[0])


def _holds_labels(gold: Labels, side: _Side, name: str) -> bool:
    """Whether a column called prediction or pred holds labels and not probabilities."""
    import pyarrow as pa

    if name not in LABELS_TOO:
        return False
    if len(gold.names) > 2:
        return True
    try:
        side.values(name).cast(pa.float64())
    except pa.ArrowInvalid:
        return not all(str(label).replace(".", "", 1).isdigit() for label in gold.names)
    return False


def _read_many(
    gold: Labels, gold_at: Locate, right: _Side, columns: Columns, task: Task
) -> tuple[Examples, Task]:
    """Reads one probability column per label, such as y_prob_joy and y_prob_anger."""
    prefix = next(mark for mark in _MANY if any(name.startswith(mark) for name in right.names))
    found = [name for name in right.names if name.startswith(prefix)]
    labels = tuple(name.removeprefix(prefix) for name in found)
    matrix = np.stack([right.numbers(name) for name in found], axis=1)
    predicted_name = find(right.names, PREDICTED, columns.predicted)
    predicted = right.labels(predicted_name, columns) if predicted_name else None
    wanted = _as_written(replace(task, kind="multiclass", labels=labels), columns)
    return align(gold, predicted, matrix, wanted, (gold_at, right.locate(found[0])))


def _add_columns(examples: Examples, left: _Side, right: _Side, columns: Columns) -> Examples:
    weights = None
    if columns.weight is not None:
        weights = check_weights(left.numbers(columns.weight), left.locate(columns.weight))
    clusters = _read_group(columns.clusters, left, right) if columns.clusters else None
    groups = _read_groups(left, right, columns)
    return replace(examples, groups=groups, weights=weights, clusters=clusters)


def _read_groups(left: _Side, right: _Side, columns: Columns) -> Labels | None:
    groups = [_read_group(name, left, right) for name in columns.by]
    return combine(groups) if groups else None


def _read_group(name: str, left: _Side, right: _Side) -> Labels:
    side = left if name in left.names else right
    return as_text(encode(side.values(name), side.locate(name)))

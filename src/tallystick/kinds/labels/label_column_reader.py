"""Reads gold labels and one system's outputs from the columns of tables."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.values import parse_number
from tallystick.kinds.labels.label_cells import Known, read_labels, read_predicted_sets, read_sets
from tallystick.kinds.labels.label_columns import LabelRows, from_matrix
from tallystick.kinds.labels.label_encoding import Answer
from tallystick.model.codes import FEW, Label, Labels, is_text, order, spell
from tallystick.model.columns import (
    BOTH,
    CONFIDENCE,
    EACH_SCORE,
    GOLD,
    INPUT,
    LABELS_TOO,
    OUTPUT,
    PREDICTED,
    PROBABILITY,
    PROBABILITY_CELLS,
    RAW_SCORES,
    THRESHOLD,
    Columns,
    find,
    find_only,
    need,
)
from tallystick.model.facts import Task
from tallystick.model.sides import Side, are_equal, list_probabilities
from tallystick.model.type_inference import Former, Seen, look


def find_probabilities(side: Side, columns: Columns) -> tuple[str, ...]:
    """The columns of the probabilities of all labels: one per label, or one with all in a cell.

    The column named as the output of a system is not one of them.
    """
    names, candidates = side.names, [columns.probability]
    if columns.probability is None:
        several = list_probabilities(side)
        if several and columns.predicted not in several:
            return tuple(several)
        usual = (find(names, (name,)) for name in (*PROBABILITY_CELLS, *PROBABILITY))
        candidates = [columns.predicted, *usual]
    found = next((name for name in candidates if name in names and _holds_all(side, name)), None)
    return () if found is None else (found,)


def read_probabilities(
    side: Side, names: Sequence[str], columns: Columns, gold: Labels, task: Task
) -> tuple[NDArray[np.floating], tuple[str, ...]]:
    """Returns probabilities, of shape (examples, labels), and the labels of the columns."""
    if len(names) == 1:
        from tallystick.model.number_values import Cells, spell_label

        given = [_name_scores(_load(cell)) for cell in side.objects(names[0])]
        cells = Cells.of(given, side.locate(names[0]), fold_case=columns.fold_case)
        if task.labels is None and given and isinstance(given[0], Mapping):
            labels = cells.list_labels()
        else:
            known = task.labels or order(gold.names)
            labels = tuple(spell_label(label, columns.fold_case) for label in known)
        return cells.arrange(labels), labels
    prefix = next(one for one in (*EACH_SCORE, "p_") if names[0].startswith(one))
    labels = tuple(spell(name.removeprefix(prefix), fold_case=columns.fold_case) for name in names)
    twice = next((name for name in labels if labels.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{side.table.source}: two columns contain probabilities of {twice!r}")
    return np.stack([side.numbers(name) for name in names], axis=1), labels


def read_confidence(side: Side, taken: Sequence[str]) -> NDArray[np.float64] | None:
    """How sure a system is of each label, where a column says so; NaN where it is no number."""
    name = find([one for one in side.names if one not in taken], CONFIDENCE)
    if name is None or side.absent is not None:
        return None
    try:
        return np.asarray(side.numbers(name), np.float64)
    except InputError:
        found = [parse_number(str(cell)) for cell in side.values(name).to_pylist()]
        return np.array(found, np.float64)


def _holds_all(side: Side, name: str) -> bool:
    """Whether the first cell with something in it contains the probabilities of several labels."""
    only = replace(side.table, columns=side.table.columns.select([name]))
    try:
        values = only.head().values(name)
    except InputError:
        return False
    first = next((one for one in values if one is not None), None)
    shares = _name_scores(_load(first))
    numbers = list(shares.values()) if isinstance(shares, Mapping) else shares
    if not isinstance(numbers, list | tuple) or len(numbers) < 2:
        return False
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)


def _load(cell: object) -> object:
    """Parses text that looks like JSON; returns any other cell unchanged."""
    with suppress(ValueError, RecursionError):
        if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
            return read_literal(cell)
    return cell


def _name_scores(cell: object) -> object:
    """Turns the list of objects with label and score that pipelines write into one object."""
    if not isinstance(cell, list) or not cell:
        return cell
    named: dict[Label, object] = {}
    for one in cell:
        if not isinstance(one, Mapping) or {*one} != {"label", "score"} or one["label"] in named:
            return cell
        named[one["label"]] = one["score"]
    return named


class Gold(Struct, frozen=True, eq=False):
    """The gold of a table.

    `name` is the column, or the first one of `matrix`, the 0/1 columns of label sets. If `hidden`,
    messages must not reveal it. `by_order` says whether metrics read the order of scores only.
    """

    labels: Labels | LabelRows
    name: str
    matrix: tuple[str, ...]
    task: Task
    hidden: bool = False
    by_order: bool = False

    @property
    def may_be_binary(self) -> bool:
        """Whether one score an example may be that of the positive label."""
        return len(self.labels.names) <= 2 and self.task.kind != "multiclass"

    @property
    def known(self) -> Known:
        """The labels that outputs may have."""
        task = self.task
        return Known(task.labels or self.labels.names, task.labels is not None, task.ordered)


def read_gold_column(left: Side, columns: Columns, task: Task, *, alone: bool) -> Gold:
    """Reads the gold; `alone` says whether it shares its table with the answers."""
    matrix = _matrix_columns(left, columns, task, alone=alone)
    if matrix:
        return Gold(_read_matrix(left, matrix), matrix[0], matrix, task)
    name = _gold_column(left, columns, alone=alone)
    if _holds_sets(left, name, columns, task):
        return Gold(read_sets(left, name, columns, task), name, (), task)
    labels = left.labels(name, columns)
    return Gold(labels, name, (), task.spelled(fold_case=columns.fold_case))


def read_answer(gold: Gold, left: Side, right: Side, columns: Columns, former: Former) -> Answer:
    """Reads the answers of one system."""
    if isinstance(gold.labels, LabelRows):
        scores = _read_set_scores(gold, left, right, columns, former)
        if scores is not None:
            return scores
    if gold.matrix:
        strange = _find_bits(right, {*_set_apart(right, columns), *left.names})
        if strange:
            raise InputError(
                f"{right.table.source}: has the label columns {', '.join(map(repr, strange))}, "
                f"which the gold has not: its labels are {', '.join(map(repr, gold.matrix))}"
            )
        rows = _read_matrix(right, gold.matrix)
        where = right.locate(gold.matrix[0])
        seen = Seen(labels=True, looked=True)
        return Answer(rows, None, where, invalid=right.absent, taken=gold.matrix, seen=seen)
    if isinstance(gold.labels, LabelRows):
        names = _other_names(gold, left, right)
        usual = (*PREDICTED, *LABELS_TOO, *(OUTPUT if left.beside(right) else ()))
        named = find(names, usual, columns.predicted)
        name = named or _twin_column(gold, left, right, columns)
        _check_apart(gold, left, right, name)
        sets, invalid = read_predicted_sets(right, name, columns, gold.task, gold.labels.names)
        return Answer(sets, None, right.locate(name), invalid=invalid, taken=(name,))
    many = find_probabilities(right, columns)
    if many:
        return _read_many(many, gold, right, columns, former.seen)
    return _read_single(gold, left, right, columns, former)


_BEFORE, _AFTER = (*EACH_SCORE, "p_"), ("_prob", "_proba", "_probability", "_score", "_logit")
"""What the names of columns of scores have before or after each label of a set."""


def name_scores(names: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """The columns of scores of all labels of a set, which are called alike; none without them."""
    called = [[f"{head}{label}" for label in labels] for head in _BEFORE]
    called += [[f"{label}{tail}" for label in labels] for tail in _AFTER]
    return next((tuple(own) for own in called if {*own} <= {*names}), ())


def _has_scores(names: Sequence[str]) -> bool:
    return any(name.startswith(_BEFORE) or name.endswith(_AFTER) for name in names)


def _read_set_scores(
    gold: Gold, left: Side, right: Side, columns: Columns, former: Former
) -> Answer | None:
    """Reads a score of each label: from columns, cells, or where 0 and 1 would be; None without."""
    labels = tuple(map(str, gold.labels.names))
    names, seen = name_scores(right.names, labels), former.seen
    if not names and not left.beside(right) and {*labels} <= {*right.names}:
        for name in labels:
            seen |= look(right.list_distinct(name), ("0", "1"), Task())
        names = labels if seen.fractions else ()
    where = right.locate(names[0] if names else "")
    if names:
        scores = np.stack([right.numbers(name) for name in names], axis=1)
    else:
        usual = (columns.probability, *PROBABILITY_CELLS, *PROBABILITY)
        cells = (find(right.names, (name,)) for name in usual if name is not None)
        names = tuple(one for one in cells if one and _holds_all(right, one))[:1]
        if not names or (left.beside(right) and names[0] == gold.name):
            return None
        known = replace(Task(), labels=labels)
        none = Labels(np.zeros(0, np.uint8), labels)
        scores, _ = read_probabilities(right, names, columns, none, known)
        where = right.locate(names[0])
    threshold = _read_threshold(right, former.threshold) if gold.task.threshold is None else None
    seen |= Seen(fractions=True, looked=True)
    return Answer(None, scores, where, threshold, taken=names, seen=seen)


def _holds_sets(side: Side, name: str, columns: Columns, task: Task) -> bool:
    """Whether a column contains label sets: lists, or text where the task or the cells say so."""
    values = side.list_distinct(name)
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        return True
    if task.kind not in (None, "multilabel"):
        return False
    if task.kind == "multilabel" or columns.delimiter is not None:
        return True
    plain = not is_text(values.type) or not len(values)
    if plain or not (values[0].as_py() or "").startswith("["):
        return False
    import pyarrow.compute as pc

    return bool(pc.all(pc.starts_with(values, pattern="[")).as_py())


def _matrix_columns(left: Side, columns: Columns, task: Task, *, alone: bool) -> tuple[str, ...]:
    """The columns of a multilabel table in 0/1 form; empty when it has another form."""
    if task.kind not in (None, "multilabel") or columns.predicted is not None:
        return ()
    usual = find(left.names, GOLD, columns.gold)
    if usual not in (None, "toxic") or columns.gold is not None:
        return ()
    if task.labels is not None:
        asked = tuple(str(name) for name in task.labels) if task.kind == "multilabel" else ()
        found = asked if any(name in left.names for name in asked) else ()
        return found if not alone or name_scores(left.names, found) else ()
    excluded = _set_apart(left, columns)
    found = _find_bits(left, excluded) if not alone or _has_scores(left.names) else ()
    if alone:
        return found if len(found) > 1 and name_scores(left.names, found) else ()
    if usual is not None:  # one of several labels, or the gold beside other columns
        beside = {*left.names} - {*found} - excluded - {find(left.names, INPUT)}
        return found if len(found) > 1 and usual in found and not beside else ()
    return found if len(found) > 1 or task.kind == "multilabel" else ()


def _set_apart(side: Side, columns: Columns) -> set[str | None]:
    by = (name.rpartition(":")[0] or name for name in columns.by)
    beside = (columns.weight, columns.count, columns.clusters)
    return {*columns.by, *by, *beside, *columns.list_ids(side.names)}


_BITS = {"1": 1, "1.0": 1, "true": 1, "yes": 1, "0": 0, "0.0": 0, "false": 0, "no": 0, "": 0}
"""How 0 and 1 are written in columns of label sets; a blank cell is 0."""


def _find_bits(side: Side, excluded: set[str | None]) -> tuple[str, ...]:
    """The columns, except those excluded, in which most values are 0 or 1; others are errors."""
    found = []
    for name in (one for one in side.names if one not in excluded):
        values = side.values(name)
        spelled = [] if pa.types.is_nested(values.type) else _spell_bits(values)
        written = list(filter(None, spelled))
        if 2 * sum(text in _BITS for text in written) > len(written):
            found.append(name)
    return tuple(found)


def _spell_bits(values: Any) -> list[str]:
    """The values of a column as text in lower case; nothing where one is missing."""
    if len(values) <= FEW and pa.types.is_string(values.type):
        return [(own or "").strip().lower() for own in values.to_pylist()]
    import pyarrow.compute as pc

    text = pc.utf8_lower(pc.utf8_trim_whitespace(values.cast(pa.large_string())))
    return [own or "" for own in text.to_pylist()]


def _read_matrix(side: Side, names: tuple[str, ...]) -> LabelRows:
    matrix = np.zeros((len(side), len(names)), np.uint8)
    for place, name in enumerate(names):
        values = side.values(name)
        if pa.types.is_nested(values.type):
            raise InputError(f"{side.table.source}: column {name!r} contains lists, not 0 and 1")
        spelled = _spell_bits(values)
        broken = next((index for index, text in enumerate(spelled) if text not in _BITS), None)
        if broken is not None:
            raise InputError(
                f"{side.locate(name)(broken)}: expected 0 or 1, found {spelled[broken]}"
            )
        matrix[:, place] = [_BITS[text] for text in spelled]
    return from_matrix(matrix, names, side.locate_row)


def _gold_column(left: Side, columns: Columns, *, alone: bool) -> str:
    excluded = _set_apart(left, columns)
    only = find_only(left.names, excluded)
    if not alone and only is not None and columns.gold is None:
        return only
    if alone and columns.predicted is not None:
        excluded.add(columns.predicted)
        found = find([one for one in left.names if one not in excluded], BOTH, columns.gold)
        if found is not None:
            return found
    return need(left.table, GOLD, columns.gold, "gold")


def _twin_column(gold: Gold, left: Side, right: Side, columns: Columns) -> str:
    """The column of a table of answers that is called as the gold's are."""
    usual: tuple[str, ...] = (*PREDICTED, *LABELS_TOO)
    if isinstance(gold.labels, Labels):
        usual = (PREDICTED[0], PROBABILITY[0], *PREDICTED[1:], *PROBABILITY[1:])
    if left.beside(right):
        return need(right.table, usual, None, "predicted")
    excluded = _set_apart(right, columns)
    only = find_only(right.names, excluded)
    if only is not None:
        if not gold.task.ordered:
            _check_whole(right, only)
        return only
    name = find(right.names, (columns.gold or "", *GOLD, *OUTPUT))
    if name is None:
        return need(right.table, usual, None, "predicted")
    excluded |= {*left.names, name, THRESHOLD}
    others = [one for one in right.names if one not in excluded]
    if others and not gold.hidden and are_equal(left, right, (gold.name, name)):
        raise InputError(
            f"{right.table.source}: which column contains the predictions? {name!r} is the gold "
            f"itself, and {', '.join(map(repr, others))} {'is' if len(others) == 1 else 'are'} "
            "called by none of the usual names; name it with `predicted=` or `probability=`"
        )
    return name


def _check_whole(side: Side, name: str) -> None:
    """Raises an InputError where a column without a usual name contains fractions."""
    values, numbers = side.values(name), np.zeros(0)
    if not len(values) or parse_number(str(values[0].as_py())) is not None:
        with suppress(InputError):
            numbers = side.numbers(name)
    if (numbers % 1 != 0).any():
        raise InputError(
            f"{side.table.source}: column {name!r} contains fractions, which cannot be labels; if "
            f"they are probabilities, say so with `probability={name!r}`; `order=` rounds them"
        )


def _read_single(gold: Gold, left: Side, right: Side, columns: Columns, former: Former) -> Answer:
    found = _prediction_columns(gold, left, right, columns, former.seen)
    predicted_name, probability_name = found.predicted, found.probability
    labels = invalid = probabilities = None
    if predicted_name is not None:
        labels, invalid = read_labels(right, predicted_name, columns, gold.known)
    if probability_name is not None and (labels is None or right.absent is None):
        probabilities = right.numbers(probability_name)
    threshold = None
    if predicted_name is None and gold.task.threshold is None:
        threshold = _read_threshold(right, former.threshold)
    return Answer(
        labels,
        probabilities,
        right.locate(probability_name or predicted_name or ""),
        threshold,
        invalid=invalid,
        taken=tuple(name for name in (predicted_name, probability_name) if name is not None),
        seen=found.seen,
        guessed=found.guessed,
    )


class _FoundColumns(Struct, frozen=True):
    """The names of the predicted label's and of the probability's column; one may be None."""

    predicted: str | None
    probability: str | None
    seen: Seen = field(default_factory=Seen)
    guessed: str | None = None


def _prediction_columns(
    gold: Gold, left: Side, right: Side, columns: Columns, seen: Seen
) -> _FoundColumns:
    names = _other_names(gold, left, right)
    predicted = find(names, PREDICTED, columns.predicted)
    if columns.probability is not None:
        found = _FoundColumns(predicted, columns.probability)
    elif predicted is not None and columns.predicted not in (None, *PREDICTED):
        seen |= look(right.list_distinct(predicted), gold.labels.names, gold.task)
        seen |= Seen(labels=True)
        found = _FoundColumns(predicted, None, seen)
        if seen.are_scores:
            found = _FoundColumns(None, predicted, seen)
    else:
        found = _guess_columns(gold, right, predicted, find(names, PROBABILITY), seen)
    if found.predicted is None and found.probability is None:
        found = _FoundColumns(find(names, OUTPUT), None)
        scores = _find_scores(gold, left, right, columns)
        if found.predicted is None and scores is not None and gold.may_be_binary:
            values = right.list_distinct(scores)
            seen |= look(values, gold.labels.names, gold.task, any_scale=True)
            found = _FoundColumns(None, scores, seen)
            if not seen.are_scores:
                found = _FoundColumns(scores, None, seen)
        elif found.predicted is None:
            found = _FoundColumns(_twin_column(gold, left, right, columns), None)
    _check_apart(gold, left, right, found.predicted)
    return found


def _find_scores(gold: Gold, left: Side, right: Side, columns: Columns) -> str | None:
    """A column of scores of any scale; in a file of its own, where only scores can be meant."""
    if not left.beside(right):
        twin = find(right.names, (columns.gold or "", *GOLD))
        if twin is not None or not (gold.by_order or gold.task.threshold is not None):
            return None
    return find([name for name in right.names if name != gold.name], RAW_SCORES)


def _guess_columns(
    gold: Gold, right: Side, predicted: str | None, probability: str | None, seen: Seen
) -> _FoundColumns:
    """The columns where one called prediction or pred may hold labels or probabilities."""
    if probability is None or find((probability,), LABELS_TOO) is None:
        return _FoundColumns(predicted, probability)
    seen |= look(right.list_distinct(probability), gold.labels.names, gold.task)
    guessed = probability if predicted is None else None
    if seen.are_scores:
        return _FoundColumns(predicted, probability, seen, guessed)
    return _FoundColumns(predicted or probability, None, seen, guessed)


def _other_names(gold: Gold, left: Side, right: Side) -> tuple[str, ...]:
    """The columns of a system's table without that of the gold, if it is the same table."""
    return tuple(name for name in right.names if not left.beside(right) or name != gold.name)


def _check_apart(gold: Gold, left: Side, right: Side, predicted: str | None) -> None:
    if predicted == gold.name and left.beside(right):
        raise InputError(
            f"{right.table.source}: column {predicted!r} cannot be both gold and prediction; name "
            "them with `gold=` and `predicted=`"
        )


def _read_threshold(side: Side, former: float | None) -> float | None:
    """The one threshold of a file, if it has a column of it; a file with several is an error."""
    name = find(side.names, (THRESHOLD,))
    if name is None:
        return None
    values = side.numbers(name)
    first = values[0] if former is None else former
    other = np.flatnonzero(values != first)
    if len(other):
        index = int(other[0])
        raise InputError(
            f"{side.locate(name)(index)}: found {values[index]:g}, but the rows above have "
            f"{first:g}; a file may have only one threshold"
        )
    if not np.isfinite(values[0]):
        raise InputError(f"{side.locate(name)(0)}: {values[0]:g} is not a threshold")
    return float(values[0])


def _read_many(
    names: tuple[str, ...], gold: Gold, right: Side, columns: Columns, seen: Seen
) -> Answer:
    """Reads the probability of every label, and predicted labels where a column has them."""
    assert isinstance(gold.labels, Labels)
    where, named = right.locate(names[0]), columns.predicted
    rest = [name for name in right.names if name not in names]
    predicted = find(rest, PREDICTED, None if named in names else named)
    found = _guess_columns(gold, right, predicted, find(rest, LABELS_TOO), seen)
    predicted, given, invalid = found.predicted, None, None
    if predicted is not None:
        given, invalid = read_labels(right, predicted, columns, gold.known)
        if right.absent is not None:
            return Answer(given, None, where, invalid=invalid, taken=(predicted,), seen=found.seen)
    matrix, labels = read_probabilities(right, names, columns, gold.labels, gold.task)
    taken = names if predicted is None else (*names, predicted)
    return Answer(
        given, matrix, where, columns=labels, invalid=invalid, taken=taken, seen=found.seen
    )

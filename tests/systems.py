"""Systems and tallies as tests write them down: columns side by side, tables of counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallystick.kinds.labels.label_columns import (
    Confusion,
    LabelColumn,
    LabelRows,
    Output,
    from_lists,
)
from tallystick.kinds.texts.text_columns import TextColumn, read_pairs
from tallystick.model.codes import Label, Labels, encode, row_of, unify
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.score_rows import ScoreRows
from tallystick.model.tallies.sums import Sums

NAMES = ("a", "b", "c", "d")
"""What systems are called, in the order in which they are given."""


def label(values: Any) -> Labels:
    return encode(values, row_of("column"))


def hold(gold: Labels | LabelRows, *outputs: Output) -> dict[str, Column]:
    return {"labels": LabelColumn(gold, outputs)}


def pair(gold: Any, *outputs: Any, **beside: Any) -> Systems:
    columns = [one if isinstance(one, Labels) else label(one) for one in (gold, *outputs)]
    first, *others = unify(*columns)
    return Systems(NAMES[: len(others)], hold(first, *map(Output, others)), **beside)


def pair_sets(
    gold: Sequence[Any],
    *outputs: Sequence[Any],
    labels: Sequence[Label] | None = None,
    **beside: Any,
) -> Systems:
    first = from_lists(gold, row_of("column"), labels)
    others = [from_lists(one, row_of("column"), labels) for one in outputs]
    return Systems(NAMES[: len(others)], hold(first, *map(Output, others)), **beside)


def pair_scores(
    gold: Any, *scores: NDArray[Any], names: tuple[Label, ...] = (0, 1), **beside: Any
) -> Systems:
    column = gold if isinstance(gold, Labels) else unify(label(gold), names=names)[0]
    outputs = (Output(column, own) for own in scores)
    return Systems(NAMES[: len(scores)], hold(column, *outputs), **beside)


def pair_texts(references: Any, *hypotheses: Any, **beside: Any) -> Systems:
    texts = tuple(read_pairs(own, references) for own in hypotheses)
    return Systems(NAMES[: len(texts)], {"texts": TextColumn(texts)}, **beside)


def list_contents(tally: Any, *, rounding: bool = False) -> Any:
    """What a tally holds; `rounding` is of curves whose weights are summed in another order."""
    names = (tally.counter, tally.systems, tally.groups, tally.n.tolist())
    if isinstance(tally, Cells):
        known, arrays = tally.clusters, (tally.owners, tally.gold, tally.outputs, tally.counts)
        clusters = None
        if known is not None:
            inner = (known.owners, known.cells, known.counts, known.weights)
            clusters = (known.names, *map(_list, inner))
        return (*names, tally.labels, tally.listed, *map(_list, (*arrays, tally.weights)), clusters)
    if isinstance(tally, Sums):
        rows = tally.scatter.sort(tally.counter)
        clusters = rows.clusters and (rows.clusters.names, rows.clusters.codes.tolist())
        values = (_list(rows.values), _list(rows.pivots), _list(rows.keys))
        scatter = (*values, rows.groups.names, rows.groups.codes.tolist(), clusters)
        return (*names, tally.references, _list(tally.sums), *scatter)
    if isinstance(tally, ScoreRows):
        return (*names, tally.labels, _list_rows(tally))
    steps = [
        tally.steps(group, place)
        for group in range(len(tally.groups))
        for place in range(len(tally.columns))
    ]
    curves = [
        [scores.tolist(), _list(masses) if rounding else masses.tolist()]
        for scores, masses in steps
    ]
    rows = None if tally.rows is None else _list_rows(tally.rows)
    return (*names, tally.labels, tally.columns, curves, rows)


class Near:
    """Real numbers, which are equal to others but for rounding: to 1e-12 of the largest."""

    def __init__(self, numbers: Any) -> None:
        """Keeps the numbers."""
        self.numbers = numbers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Near) or self.numbers.shape != other.numbers.shape:
            return False
        most = np.abs(self.numbers).max(initial=0)
        return np.allclose(self.numbers, other.numbers, rtol=0, atol=1e-12 * most, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.numbers.tolist())


def _list(array: Any) -> Any:
    if array is None:
        return None
    return Near(array) if array.dtype == np.float64 else array.tolist()


def _list_rows(rows: ScoreRows) -> list[Any]:
    columns = [
        [column.names[code] for code in column.codes.tolist()]
        for column in (rows.gold, rows.owners, rows.clusters)
        if column is not None
    ]
    columns += [own.tolist() for own in rows.scores]
    if rows.weights is not None:
        columns.append(rows.weights.tolist())
    return sorted(map(list, zip(*columns, strict=True)))


def tabulate(
    counts: ArrayLike, labels: tuple[Label, ...], groups: tuple[Label, ...] = ("all",)
) -> Cells:
    table = np.asarray(counts)
    wide = len(labels)
    if table.ndim == 2:
        table = table[None]
    cells = np.arange(len(groups) * wide**2)
    owners, inner = np.divmod(cells, wide**2)
    gold, predicted = np.divmod(inner, wide)
    flat = table.reshape(*table.shape[:-3], len(cells))
    return Cells(
        Confusion(),
        NAMES[:1],
        groups,
        labels,
        labels,
        owners,
        gold,
        predicted[None],
        flat,
        table.sum((-1, -2)).reshape(-1, len(groups))[0],
    )

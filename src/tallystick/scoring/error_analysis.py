"""Gathers what a report shows beside the scores: single examples, and how sound the data is."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.counters import Confusion
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Values
from tallystick.output.results.records import (
    LARGEST_MATRIX,
    ConfusionMatrix,
    Evidence,
    Examples,
    Meeting,
)
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import (
    are_texts,
    find_shown,
    name_example,
    read_input,
    read_label,
    score_examples,
)

_LONGEST = 5_000
"""So many characters of a text are shown, where not all examples are asked for."""


def gather(counted: Counted, most: int | None) -> tuple[Evidence, ...]:
    """Returns what a report shows beside the scores of systems that were counted.

    At most so many examples are shown, with texts of 5,000 characters at most; 0 shows none, and
    None all of them as a whole.
    """
    # Imported here because most results are never shown as a report.
    from tallystick.scoring.health import list_findings

    texts, blocks = are_texts(counted), counted.examples
    metric = counted.metrics[0]
    higher = not texts or metric.better != "lower"
    parts = [np.zeros((len(counted.systems), 0)), *(score_examples(counted, one) for one in blocks)]
    scores = np.concatenate(parts, axis=1)
    rows = None
    if blocks and most != 0:
        rows = _choose(blocks, scores if higher else -scores, most)
    return (
        Evidence(
            None,
            "texts" if texts else "labels",
            counted.systems,
            metric.name if texts else "",
            "higher" if higher else "lower",
            counted.size(None),
            None if rows is None else _show(counted, scores, rows, whole=most is None),
            tuple(_meet(counted.systems, scores if higher else -scores)) if blocks else (),
            list_matrices(counted, LARGEST_MATRIX),
            tuple(list_findings(counted)),
        ),
    )


def list_matrices(counted: Counted, largest: int) -> tuple[ConfusionMatrix, ...]:
    """The confusion matrix of each system; nothing without single labels, or with too many."""
    tally = counted.tallies.get(Confusion())
    if tally is None or len(tally.labels) > largest:
        return ()
    matrices = []
    for system in counted.systems:
        own = tally.of(system).total()
        rows = tuple(map(tuple, own.tabulate()[0].tolist()))
        matrices.append(ConfusionMatrix(system, tuple(map(str, own.labels)), rows))
    return tuple(matrices)


def _meet(systems: Sequence[str], scores: Values) -> Iterator[Meeting]:
    for a, b in combinations(range(len(systems)), 2):
        better = int((scores[a] > scores[b]).sum())
        yield Meeting(systems[a], systems[b], better, int((scores[a] < scores[b]).sum()))


def _choose(blocks: Sequence[Systems], scores: Values, most: int | None) -> NDArray[np.int64]:
    """The rows to show: all, or some of every kind that a reader may ask for.

    Each cell of a confusion matrix, each side of a pair of systems and each system's worst examples
    have their turn, and then examples at random; a kind that is shown already is passed over.
    """
    n = scores.shape[1]
    if most is None or n <= most:
        return np.arange(n)
    shuffled = np.random.default_rng(0).permutation(n)
    kinds = [*_list_kinds(blocks, scores, shuffled, most), shuffled]
    chosen = np.zeros(n, bool)
    left, turn = most, 0
    while left:
        for kind in kinds:
            if left and turn < len(kind) and chosen[kind].sum() <= turn:
                row = kind[np.argmin(chosen[kind])]
                left -= not chosen[row]
                chosen[row] = True
        turn += 1
    return np.flatnonzero(chosen)


def _list_kinds(
    blocks: Sequence[Systems], scores: Values, shuffled: NDArray[np.int64], most: int
) -> Iterator[NDArray[np.int64]]:
    """The rows of each kind that a reader may ask for, those to show first in front."""
    for codes in _list_codes(blocks):
        own = codes[shuffled]
        order = shuffled[np.argsort(own, kind="stable")]
        yield from np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    mixed = np.nan_to_num(scores[:, shuffled])
    for own in mixed:
        yield shuffled[_find_lowest(own, most)]
    for a, b in combinations(mixed, 2):
        for gains in (b - a, a - b):
            lowest = _find_lowest(gains, most)
            yield shuffled[lowest[gains[lowest] < 0]]


def _find_lowest(values: Values, most: int) -> NDArray[np.int64]:
    """The places of the lowest values in their order, and of those that equal the last of them."""
    last = np.partition(values, most)[most]
    places = np.flatnonzero(values <= last)
    return places[np.argsort(values[places], kind="stable")]


def _list_codes(blocks: Sequence[Systems]) -> Iterator[NDArray[np.int64]]:
    """For each system, a number for the gold and the predicted label of every example."""
    columns = [column for block in blocks if (column := LABELS.find(block)) is not None]
    for place in range(len(blocks[0].names) if columns else 0):
        parts = []
        for column in columns:
            gold, predicted = column.gold, column.outputs[place].labels
            if not (isinstance(gold, Labels) and isinstance(predicted, Labels)):
                return
            parts.append(gold.codes.astype(np.int64) * (1 << 32) + predicted.codes)
        yield np.concatenate(parts)


def _show(counted: Counted, scores: Values, rows: NDArray[np.int64], *, whole: bool) -> Examples:
    places = [(block, row) for block, own in _split(counted.examples, rows) for row in own]
    groups = [read_label(block.groups, row) for block, row in places]
    clusters = [read_label(block.clusters, row) for block, row in places]
    inputs = [read_input(block, row) for block, row in places]
    shown = [(find_shown(counted, block), row) for block, row in places]
    gold = [column.tell_gold(row) for column, row in shown]
    outputs = [
        [column.tell_output(at, row) for column, row in shown] for at in range(len(counted.systems))
    ]
    most = None if whole else _LONGEST
    columns: tuple[Sequence[str | None], ...] = (inputs, gold, *outputs)
    longest = max(len(text or "") for column in columns for text in column)
    return Examples(
        tuple(name_example(block, row) for block, row in places),
        None if None in groups else tuple(group or "" for group in groups),
        tuple(text and text[:most] for text in inputs) if any(inputs) else None,
        tuple(text[:most] for text in gold),
        tuple(tuple(text[:most] for text in own) for own in outputs),
        tuple(tuple(map(_round, own[rows].tolist())) for own in scores),
        not whole and longest > _LONGEST,
        None if None in clusters else tuple(cluster or "" for cluster in clusters),
    )


def _round(score: float) -> float | None:
    """A score with the digits that a reader could want; None where it is undefined."""
    if math.isnan(score):
        return None
    if score in (0, 1):
        return int(score)
    return float(f"{score:.6g}") if abs(score) < 1 else round(score, 6)


def _split(
    blocks: Sequence[Systems], rows: NDArray[np.int64]
) -> Iterator[tuple[Systems, list[int]]]:
    start = 0
    for block in blocks:
        own = rows[(rows >= start) & (rows < start + len(block))]
        yield block, (own - start).tolist()
        start += len(block)

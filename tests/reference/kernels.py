"""The kernels in plain Python: same arguments, same results, no check of what comes in."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def count_confusion(
    gold: Array,
    predicted: Array,
    groups: Array | None,
    weights: Array | None,
    n_labels: int,
    n_groups: int,
) -> Array:
    weights = np.ones(len(gold), np.int64) if weights is None else weights
    counts = np.zeros((n_groups, n_labels, n_labels), weights.dtype)
    for i in range(len(gold)):
        group = 0 if groups is None else groups[i]
        counts[group, gold[i], predicted[i]] += weights[i]
    return counts


def split_runs(scores: Array, cells: Array, n_cells: int) -> tuple[Array, Array]:
    parts = [scores[cells == cell] + scores.dtype.type(0) for cell in range(n_cells)]
    offsets = np.cumsum([0, *(len(part) for part in parts)])
    return np.concatenate([scores[:0], *parts]), offsets


def merge_runs(
    scores: Array, weights: Array | None, offsets: Array, columns: Array, n_columns: int
) -> tuple[Array, Array]:
    distinct = np.unique(scores)
    dtype = np.int64 if weights is None else weights.dtype
    counts = np.zeros((len(distinct), n_columns), dtype)
    for run, score, weight in list_scores(scores, weights, offsets):
        counts[distinct == score, columns[run]] += weight
    return distinct, counts


def rank_area(scores: Array, weights: Array | None, offsets: Array, sides: Array) -> float:
    everything = list(list_scores(scores, weights, offsets))
    positives = [(score, weight) for run, score, weight in everything if sides[run] == 1]
    negatives = [(score, weight) for run, score, weight in everything if sides[run] == 0]
    return sum(
        weight * other_weight * (1.0 if score > other else 0.5 if score == other else 0.0)
        for score, weight in positives
        for other, other_weight in negatives
    )


def count_concordance(left: Array, right: Array, weights: Array, n_right: int) -> Array:
    counts = np.zeros_like(weights)
    for i in range(len(left)):
        for j in range(len(left)):
            if left[j] < left[i]:
                counts[i] += weights[j] * np.sign(right[i] - right[j])
    return counts


def list_scores(
    scores: Array, weights: Array | None, offsets: Array
) -> Iterator[tuple[int, float, float]]:
    for run in range(len(offsets) - 1):
        for i in range(offsets[run], offsets[run + 1]):
            yield run, scores[i], 1 if weights is None else weights[i]


def group_rows(rows: Array) -> tuple[Array, Array]:
    numbers: dict[bytes, int] = {}
    inverse = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    first = [inverse.index(number) for number in range(len(numbers))]
    return np.array(first, np.int64), np.array(inverse, np.int64)

"""Resamples and exchanges of probabilities, one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Labels
from tallystick.tallies.curve import CurveTally, sort_rows
from tallystick.tallies.resampling.units import (
    Pair,
    Units,
    find_units,
)
from tallystick.tallies.score_rows import ScoreRows


def _to_rows(tally: CurveTally | ScoreRows) -> ScoreRows:
    """The examples of a tally of probabilities; runs of one system without clusters tell them."""
    if isinstance(tally, ScoreRows):
        return tally
    if tally.rows is not None:
        return tally.rows
    sizes = np.diff(tally.offsets)
    groups, labels = (np.repeat(tally.runs[:, axis], sizes).astype(np.uint32) for axis in (0, 2))
    return ScoreRows(
        tally.counter,
        tally.systems,
        Labels(labels, tally.labels),
        Labels(groups, tally.groups),
        (tally.scores,),
        sort_rows,
        tally.weights,
    )


def resample_scores(tally: CurveTally | ScoreRows, resamples: int, seed: int) -> Iterator[Any]:
    """Resamples of probabilities, one by one."""
    rows = _to_rows(tally)
    ranks = _rank_rows(rows)
    units = _find_score_units(rows, ranks)
    for weights in units.draw(resamples, seed):
        for own in weights.astype(np.int64):
            yield _take(rows, np.repeat(ranks, own[units.of]))


def _take(rows: ScoreRows, chosen: NDArray[np.int64]) -> Any:
    taken = rows.take(chosen)
    return taken.of(*taken.systems) if len(taken.systems) == 1 else taken


def _rank_rows(rows: ScoreRows) -> NDArray[np.int64]:
    """The rows sorted by group, and by cluster where there are clusters."""
    if rows.clusters is None:
        return np.argsort(rows.owners.codes, kind="stable")
    return np.lexsort((rows.clusters.codes, rows.owners.codes))


def _find_score_units(rows: ScoreRows, ranks: NDArray[np.int64]) -> Units:
    clusters = None if rows.clusters is None else rows.clusters.codes[ranks].astype(np.int64)
    return find_units(rows.owners.codes[ranks].astype(np.int64), clusters, rows.groups)


def exchange(
    tally: CurveTally | ScoreRows, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Any, Any]]:
    """Tallies after the probabilities of two systems were exchanged for half of the examples.

    Which half is random; clusters are exchanged as a whole. Yields the number of a pair with the
    tallies of both of its systems, one exchange after the other.
    """
    rows = _to_rows(tally)
    ranks = _rank_rows(rows)
    units = _find_score_units(rows, ranks)
    everything = rows.take(ranks)
    for swaps in units.swap(resamples, seed):
        for own in swaps.astype(bool):
            swapped = own[units.of]
            for place, (a, b) in enumerate(pairs):
                yield place, *_swap_scores(everything, (a, b), swapped)


def _swap_scores(rows: ScoreRows, names: Pair, swapped: NDArray[np.bool_]) -> tuple[Any, Any]:
    one, other = (rows.scores[rows.systems.index(name)] for name in names)
    mask = swapped if one.ndim == 1 else swapped[:, None]
    mixed = replace(
        rows,
        systems=names,
        scores=(np.where(mask, other, one), np.where(mask, one, other)),
    )
    return mixed.of(names[0]), mixed.of(names[1])

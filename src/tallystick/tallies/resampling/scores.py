"""Resamples, samples and exchanges of probabilities, one by one."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Labels
from tallystick.tallies.curve import CurveTally, sort_rows
from tallystick.tallies.resampling.units import (
    DRAW,
    Pair,
    Units,
    find_units,
    open_streams,
)
from tallystick.tallies.score_rows import ScoreRows

__all__ = ["exchange_scores", "resample_scores", "sample_scores"]


def sample_scores(tally: CurveTally, samples: int, seed: int, most: int) -> Iterator[CurveTally]:
    """Samples of the examples, or clusters, of a tally of one system's probabilities.

    They are drawn with replacement within their group; each group gives the same share of its
    examples, so that there are about `most` in all, or as many as the tally has if those are fewer.
    """
    kept = min(1.0, most / max(int(tally.n.sum()), 1))
    if tally.rows is None:
        return _sample_runs(tally, kept, samples, seed)
    return _sample_rows(tally.rows, kept, samples, seed)


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


def _sample_rows(rows: ScoreRows, kept: float, samples: int, seed: int) -> Iterator[Any]:
    ranks = _rank_rows(rows)
    units = _find_score_units(rows, ranks)
    order = np.argsort(units.of, kind="stable")
    bounds = np.searchsorted(units.of[order], np.arange(len(units.strata) + 1))
    streams = units.streams(seed, DRAW)
    places = [np.flatnonzero(units.strata == at) for at in range(len(units.groups))]
    for _ in range(samples):
        picked = np.concatenate(
            [
                here[stream.integers(0, len(here), math.ceil(kept * len(here)))]
                for here, stream in zip(places, streams, strict=True)
                if len(here)
            ]
        )
        sizes = bounds[picked + 1] - bounds[picked]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        yield _take(rows, ranks[order[np.repeat(bounds[picked], sizes) + within]])


def _sample_runs(tally: CurveTally, kept: float, samples: int, seed: int) -> Iterator[CurveTally]:
    streams = open_streams(seed, tally.groups, DRAW)
    chosen = [np.flatnonzero(tally.runs[:, 0] == at) for at in range(len(tally.groups))]
    order = np.concatenate(chosen)
    for _ in range(samples):
        parts: list[NDArray[np.int64]] = []
        sizes: list[int] = []
        for runs, n, stream in zip(chosen, tally.n.tolist(), streams, strict=True):
            found = _pick_positions(tally, runs, math.ceil(kept * n), stream)
            parts += found
            sizes += map(len, found)
        places = np.concatenate([np.zeros(0, np.int64), *parts])
        yield replace(
            tally,
            scores=tally.scores[places],
            weights=None if tally.weights is None else tally.weights[places],
            offsets=np.cumsum([0, *sizes], dtype=np.int64),
            runs=tally.runs[order],
        )


def _pick_positions(
    tally: CurveTally, runs: NDArray[np.intp], size: int, stream: "np.random.Generator"
) -> list[NDArray[np.int64]]:
    """Where drawn scores stand, ascending, run by run."""
    sizes = (tally.offsets[runs + 1] - tally.offsets[runs]).astype(np.int64)
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    drawn = np.sort(stream.integers(0, total, size)) if total else np.zeros(0, np.int64)
    cuts = np.searchsorted(drawn, ends[:-1])
    shifts = tally.offsets[runs] - (ends - sizes)
    return [own + shift for own, shift in zip(np.split(drawn, cuts), shifts, strict=True)][
        : len(runs)
    ]


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


def exchange_scores(
    tally: CurveTally | ScoreRows, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Any, Any]]:
    """The number of each pair with the probabilities of both systems, exchange by exchange."""
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

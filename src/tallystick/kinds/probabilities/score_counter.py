"""The counter of probabilities, in bins or each by itself."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels
from tallystick.errors import UsageError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass
from tallystick.kinds.labels import PROBABILITIES, find_scored, find_scores
from tallystick.kinds.labels.label_columns import read_scores
from tallystick.tallies.bins import FRACTION, HALF, PARTS, Bins
from tallystick.tallies.curve import CurveTally, sort_rows
from tallystick.tallies.groups import count_groups, group_codes, need_examples
from tallystick.tallies.score_rows import ScoreRows

_POWERS = 3
_MOST = 1 << 20
_CHUNK = 1 << 18
_DENSE = 1 << 20


def check_bins(bins: object) -> None:
    """Raises a UsageError unless it is a number of bins, or None."""
    if bins is None:
        return
    if not isinstance(bins, int) or isinstance(bins, bool) or not 1 <= bins <= _MOST:
        raise UsageError(f"bins is a whole number from 1 to {_MOST:,}, not {bins!r}")


def count_bins(counter: Any, systems: Systems) -> Bins:
    """Counts the probabilities of all systems, each on its own.

    A probability of 0 given to the gold label costs the logarithm that it costs uncounted, which
    depends on whether probabilities are of single or of double precision.
    """
    systems, gold, outputs = find_scores(systems)
    if systems.weights is not None:
        raise UsageError(
            "bins count examples, and do not weigh them; leave out --bins or the weights"
        )
    names, codes = group_codes(systems)
    own = systems.clusters
    parts = [np.asarray(one.probabilities) for one in outputs]
    single = parts[0].ndim == 1
    columns = gold.names[1:] if single else gold.names
    wide = (
        len(systems.names),
        len(names),
        max(1, 0 if own is None else len(own.names)),
        len(columns),
        len(gold.names),
        2 * counter.bins + 1,
    )
    if np.prod(wide, dtype=np.float64) > np.iinfo(np.int64).max:
        raise UsageError(f"{counter.bins} bins are too many for so many groups and clusters")
    owners = (codes, np.zeros(len(gold), np.uint8) if own is None else own.codes, gold.codes)
    found = [
        _count_chunk(
            system,
            scores[start : start + _CHUNK],
            [one[start : start + _CHUNK] for one in owners],
            wide,
        )
        for system, scores in enumerate(parts)
        for start in range(0, len(gold), _CHUNK)
    ]
    empty = [np.zeros((0, *shape), np.int64) for shape in ((6,), (2,), (4,), (2, _POWERS, 2))]
    cells, counts, losers, losses = (
        np.concatenate([blank, *(one[at] for one in found)]) for at, blank in enumerate(empty)
    )
    return Bins(
        counter,
        systems.names,
        names,
        gold.names,
        columns,
        None if own is None else own.names,
        cells,
        counts[:, 0],
        counts[:, 1],
        losers,
        losses,
        count_groups(systems),
    ).merge()


def _count_chunk(
    system: int,
    scores: NDArray[Any],
    owners: Sequence[NDArray[Any]],
    wide: tuple[int, ...],
) -> tuple[NDArray[np.int64], ...]:
    """The cells of some scores with their counts and sums, and the owners with their losses."""
    groups, clusters, gold = (codes.astype(np.int64) for codes in owners)
    columns = np.atleast_2d(np.ascontiguousarray(scores.T)).astype(np.float64)
    codes, within = _find_bins(columns, (wide[-1] - 1) // 2)
    at = np.arange(len(columns))[:, None]
    keys = np.ravel_multi_index(
        tuple(np.broadcast_arrays(system, groups, clusters, at, gold, codes)), wide
    )
    cells, (counts, sums) = _sum_by_key(keys.ravel(), [within.ravel()], wide)
    kinds = (*wide[:3], wide[4])
    keys = np.ravel_multi_index(tuple(np.broadcast_arrays(system, groups, clusters, gold)), kinds)
    halves = _split(_measure_losses(columns, gold, scores.dtype))
    losers, (_, *losses) = _sum_by_key(keys, halves, kinds)
    return (
        cells,
        np.stack([counts, sums], -1),
        losers,
        np.stack(losses, -1).reshape(-1, 2, _POWERS, 2),
    )


def _find_bins(
    scores: NDArray[np.float64], bins: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The bin of each score, and how many parts of the bin's width lie below it."""
    edges = np.arange(bins + 1) / bins
    places = np.floor(scores * bins).astype(np.int64)
    # The product may be rounded over an edge.
    places -= scores < edges[places]
    places += scores >= np.append(edges, np.inf)[places + 1]
    within = ((scores - edges[places]) * bins * PARTS).astype(np.int64)
    return 2 * places + (scores > edges[places]), np.clip(within, 0, PARTS - 1)


def _measure_losses(
    columns: NDArray[np.float64], gold: NDArray[np.int64], kind: np.dtype[Any]
) -> NDArray[np.float64]:
    """Both losses of each example, their squares and cubes: (losses, powers, examples)."""
    step = float(np.finfo(kind).eps)
    if len(columns) == 1:
        right = np.where(gold == 1, columns[0], 1 - columns[0])
        squares = (1 - right) ** 2
        clipped = np.clip(columns[0], step, 1 - step)
        chances = np.where(gold == 1, clipped, 1 - clipped)
    else:
        truth = gold == np.arange(len(columns))[:, None]
        squares = ((columns - truth) ** 2).sum(0)
        chances = np.clip(columns[gold, np.arange(len(gold))], step, 1 - step)
    losses = np.stack([squares, -np.log(chances)])
    return np.stack([losses, losses * losses, losses * losses * losses], 1)


def _split(losses: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """The high and the low half of each loss, one array after the other."""
    whole = np.rint(losses * (1 << FRACTION)).astype(np.int64)
    halves = np.stack([whole >> HALF, whole & ((1 << HALF) - 1)], 2)
    return list(halves.reshape(-1, whole.shape[-1]))


def _sum_by_key(
    keys: NDArray[np.int64], values: Sequence[NDArray[np.int64]], wide: tuple[int, ...]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """What distinct keys stand for, how often each comes up, and the sums of its values.

    Of a chunk, these are whole numbers that float64 holds exactly.
    """
    size, distinct = int(np.prod(wide)), None
    if size > _DENSE:
        distinct, keys = np.unique(keys, return_inverse=True)
        size = len(distinct)
    counts = np.bincount(keys, minlength=size)
    filled = np.flatnonzero(counts)
    sums = [np.bincount(keys, own, size)[filled].astype(np.int64) for own in values]
    found = filled if distinct is None else distinct
    return np.stack(np.unravel_index(found, wide), -1), [counts[filled], *sums]


@dataclass(frozen=True, slots=True)
class Curve:
    """Sorts the scores of the examples by group, scored label and gold label.

    Attributes:
        bins: In how many bins of equal width scores are counted, so that the tally does not grow
            with the number of examples; None keeps every score.
    """

    kind = PROBABILITIES
    bins: int | None = None

    def __post_init__(self) -> None:
        check_bins(self.bins)

    def __repr__(self) -> str:
        return "Curve()" if self.bins is None else f"Curve(bins={self.bins})"

    def count(self, systems: Systems) -> CurveTally | ScoreRows | Bins:
        need_examples(systems, "metrics of probabilities")
        if self.bins is not None:
            return count_bins(self, systems)
        rows = self._list_rows(systems)
        return rows if len(rows.systems) > 1 else rows.of(*rows.systems)

    def count_one(self, systems: Systems) -> CurveTally:
        """Tallies the only system that has probabilities."""
        tally: CurveTally = self._list_rows(systems).of(*find_scored(systems))
        return tally

    def _list_rows(self, systems: Systems) -> ScoreRows:
        """The rows of all systems that have probabilities."""
        scored, gold, outputs = find_scores(systems)
        return keep_scores(self, scored, gold, map(read_scores, outputs))


def keep_scores(
    counter: Any, systems: Systems, gold: Labels, scores: Iterable[NDArray[Any]]
) -> ScoreRows:
    """The rows of the scores of all systems."""
    names, codes = group_codes(systems)
    return ScoreRows(
        counter,
        systems.names,
        gold,
        Labels(codes, names),
        tuple(scores),
        sort_rows,
        systems.weights,
        systems.clusters,
    )

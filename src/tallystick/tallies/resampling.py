"""Every resample of anything: examples drawn anew, and outputs exchanged between two systems.

Counts are resampled, not rows: drawing multinomial counts is drawing examples with replacement, at
a price that does not know their number. Random numbers come from NumPy's PCG64 with a stream for
each group and purpose, so that no other group, system or metric changes them.
"""

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.labels import Label, Labels
from tallystick.tallies.cells import Cells
from tallystick.tallies.clusters import Clusters
from tallystick.tallies.curve import CurveTally, sort_rows
from tallystick.tallies.distinct import sum_by
from tallystick.tallies.scatter import Products, Rows
from tallystick.tallies.score_rows import ScoreRows
from tallystick.tallies.sums import Sums

__all__ = [
    "Pair",
    "count_clusters",
    "crosses_groups",
    "exchange",
    "is_plain",
    "is_separable",
    "resample",
    "sample_scores",
    "split_clusters",
]

Pair = tuple[str, str]
Streams = Sequence["np.random.Generator"]

_MOST_NUMBERS = 1 << 22
"""How many numbers one chunk of resamples may hold: 32 MB."""

_CACHED = 1 << 16
"""So many numbers at a time are drawn and counted where the processor has them at hand."""

_DEAR = 8
"""Drawing a cell of a multinomial costs about as much as drawing so many single examples."""

_BITS = 64
"""How many random bits a word holds."""

_DRAW, _SWAP = 0, 1
"""The purposes that streams of one seed serve."""


def resample(tally: Any, resamples: int, seed: int) -> Iterator[Any]:
    """Bootstrap resamples of a tally: as many examples, or clusters, drawn with replacement.

    Examples are drawn within their group; where a cluster has examples in several groups, clusters
    are drawn from all groups together. The resamples of labels and of sums come in chunks with a
    leading axis; those of probabilities come one by one.
    """
    if isinstance(tally, Cells):
        return _resample_cells(tally, resamples, seed)
    if isinstance(tally, Sums):
        return _resample_sums(tally, resamples, seed)
    return _resample_scores(_to_rows(tally), resamples, seed)


def exchange(
    tally: Any, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Any, Any]]:
    """Tallies after the outputs of two systems were exchanged for half of the examples, at random.

    Clusters are exchanged as a whole. Yields the number of a pair with the tallies of both of its
    systems, each with a leading axis but for probabilities.
    """
    if isinstance(tally, Cells):
        return _exchange_cells(tally, pairs, resamples, seed)
    if isinstance(tally, Sums):
        return _exchange_sums(tally, pairs, resamples, seed)
    return _exchange_scores(_to_rows(tally), pairs, resamples, seed)


def sample_scores(tally: CurveTally, samples: int, seed: int, most: int) -> Iterator[CurveTally]:
    """Samples of the examples, or clusters, of a tally of one system's probabilities.

    They are drawn with replacement within their group; each group gives the same share of its
    examples, so that there are about `most` in all, or as many as the tally has if those are fewer.
    """
    kept = min(1.0, most / max(int(tally.n.sum()), 1))
    if tally.rows is None:
        return _sample_runs(tally, kept, samples, seed)
    return _sample_rows(tally.rows, kept, samples, seed)


def is_separable(tally: Any) -> bool:
    """Whether all systems can be resampled together, and each as if the others were not there."""
    if isinstance(tally, Cells):
        return False
    if isinstance(tally, Sums):
        rows = tally.scatter
        return isinstance(rows, Rows) and not len(rows.sort().find_ties())
    return True


def is_plain(tally: Any) -> bool:
    """Whether examples count alike and stand for themselves, as formulas of intervals need it."""
    return _find_clusters(tally) is None and getattr(tally, "weights", None) is None


def count_clusters(tally: Any) -> tuple[NDArray[np.int64], int] | None:
    """How many clusters each group has, and how many there are; None where examples have none."""
    found = _find_clusters(tally)
    if found is None:
        return None
    groups, owners = found
    pairs = np.unique(np.stack([groups, owners]), axis=1)
    counts = np.bincount(pairs[0], minlength=len(tally.groups)).astype(np.int64)
    return counts, len(np.unique(owners))


def crosses_groups(tally: Any) -> bool:
    """Whether a cluster has examples in several groups."""
    found = count_clusters(tally)
    return found is not None and int(found[0].sum()) > found[1]


def split_clusters(tally: Any, place: int | None) -> Any:
    """The tally of one system with each cluster as a group of its own.

    Args:
        tally: A tally of labels, label sets or sums whose examples have clusters.
        place: The group whose clusters are meant; None takes those of all groups.
    """
    if isinstance(tally, Sums):
        return _split_rows(tally, place)
    own = tally.clusters
    chosen = np.ones(len(own.owners), bool) if place is None else tally.owners[own.cells] == place
    cells = own.cells[chosen]
    names, owners = np.unique(own.owners[chosen], return_inverse=True)
    weights = None if own.weights is None else own.weights[:, chosen]
    return replace(
        tally,
        groups=tuple(names.tolist()),
        owners=owners,
        gold=tally.gold[cells],
        outputs=tally.outputs[:, cells],
        counts=own.counts[chosen],
        n=np.bincount(owners, own.counts[chosen], len(names)).astype(np.int64),
        weights=weights,
        clusters=None,
    )


def _split_rows(tally: Sums, place: int | None) -> Sums:
    rows = tally.scatter
    if not isinstance(rows, Rows) or rows.clusters is None:
        raise UsageError("this tally has no clusters")
    chosen = np.ones(len(rows.values), bool) if place is None else rows.groups.codes == place
    names, owners = np.unique(rows.clusters.codes[chosen], return_inverse=True)
    sums = np.zeros((len(names), *rows.values.shape[1:]), rows.values.dtype)
    np.add.at(sums, owners, rows.values[chosen])
    n = np.bincount(owners, minlength=len(names))
    return replace(tally, groups=tuple(names.tolist()), sums=sums.swapaxes(0, 1), n=n, scatter=None)


def _find_clusters(tally: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The group and the cluster of whatever belongs to clusters in a tally."""
    if isinstance(tally, Cells):
        own = tally.clusters
        return None if own is None else (tally.owners[own.cells], own.owners)
    if isinstance(tally, Sums):
        rows = tally.scatter
        if not isinstance(rows, Rows) or rows.clusters is None:
            return None
        return rows.groups.codes.astype(np.int64), rows.clusters.codes.astype(np.int64)
    kept = tally.rows if isinstance(tally, CurveTally) else tally
    if kept is None or kept.clusters is None:
        return None
    return kept.owners.codes.astype(np.int64), kept.clusters.codes.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """What is drawn as a whole, and exchanged as a whole.

    Attributes:
        of: int64; the unit of each row.
        strata: int64; a unit is drawn in the place of others of its stratum only.
        groups: The groups whose streams the strata have.
    """

    of: NDArray[np.int64]
    strata: NDArray[np.int64]
    groups: tuple[Label, ...]

    def streams(self, seed: int, purpose: int) -> Streams:
        return _open_streams(seed, self.groups, purpose)

    def draw(self, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """How often each unit comes up, of shape (resamples, units), in chunks."""
        if resamples * len(self.strata) <= _MOST_NUMBERS:
            yield _draw_once(self.strata.tobytes(), self.groups, resamples, seed)
        else:
            yield from _draw_chunks(self.strata, self.groups, resamples, seed)

    def swap(self, resamples: int, seed: int) -> Iterator[NDArray[np.uint8]]:
        """Whether each unit is exchanged, of shape (resamples, units), in chunks."""
        streams = self.streams(seed, _SWAP)
        places = [np.flatnonzero(self.strata == at) for at in range(len(self.groups))]
        for chunk in _split(resamples, len(self.strata)):
            swaps = np.zeros((chunk, len(self.strata)), np.uint8)
            for here, stream in zip(places, streams, strict=True):
                if len(here):
                    swaps[:, here] = _draw_bits(stream, chunk, len(here))
            yield swaps


def _find_units(
    groups: NDArray[np.int64], clusters: NDArray[np.int64] | None, names: tuple[Label, ...]
) -> _Units:
    """The units of rows that are sorted by group, and by cluster where there are clusters."""
    if clusters is None:
        return _Units(np.arange(len(groups)), groups, names)
    pairs = np.unique(np.stack([groups, clusters]), axis=1)
    distinct = np.unique(clusters)
    if pairs.shape[1] > len(distinct):
        return _Units(
            np.searchsorted(distinct, clusters), np.zeros(len(distinct), np.int64), names[:1]
        )
    width = int(clusters.max(initial=0)) + 1
    keys, own = groups * width + clusters, pairs[0] * width + pairs[1]
    return _Units(np.searchsorted(own, keys), pairs[0], names)


def _open_streams(seed: int, groups: Sequence[Label], purpose: int) -> Streams:
    """The random stream of each group, which is the same whatever other groups there are."""
    keys = ([seed, zlib.crc32(str(group).encode()), purpose] for group in groups)
    return [np.random.default_rng(key) for key in keys]


def _split(resamples: int, width: int) -> Iterator[int]:
    """The sizes of chunks of resamples of so many numbers each that bound the memory."""
    most = max(1, _MOST_NUMBERS // max(width, 1))
    for start in range(0, resamples, most):
        yield min(most, resamples - start)


@lru_cache(maxsize=1)
def _draw_once(
    strata: bytes, groups: tuple[Label, ...], resamples: int, seed: int
) -> NDArray[np.float64]:
    """One chunk of resamples, kept because each counter and system of the same rows asks for it."""
    (weights,) = _draw_chunks(np.frombuffer(strata, np.int64), groups, resamples, seed)
    weights.flags.writeable = False
    return weights


def _draw_chunks(
    strata: NDArray[np.int64], groups: Sequence[Label], resamples: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    streams = _open_streams(seed, groups, _DRAW)
    places = [np.flatnonzero(strata == at) for at in range(len(groups))]
    for chunk in _split(resamples, len(strata)):
        weights = np.zeros((chunk, len(strata)))
        for here, stream in zip(places, streams, strict=True):
            if len(here):
                weights[:, here] = _draw_units(len(here), chunk, stream)
        yield weights


def _draw_units(
    units: int,
    resamples: int,
    stream: "np.random.Generator",
    owners: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """How often each unit comes up when as many are drawn as there are, once per resample.

    Where units have owners, which ascend without a gap, it is how often one of each owner does.
    """
    size = units if owners is None else int(owners[-1]) + 1
    drawn = np.empty((resamples, size), np.int64)
    step = max(1, _CACHED // units)
    for start in range(0, resamples, step):
        part = drawn[start : start + step]
        picked = stream.integers(0, units, (len(part), units))
        picked = picked if owners is None else owners[picked]
        picked += np.arange(len(part))[:, None] * size
        part[:] = np.bincount(picked.ravel(), minlength=part.size).reshape(part.shape)
    return drawn


def _draw_bits(stream: "np.random.Generator", resamples: int, width: int) -> NDArray[np.uint8]:
    """Random bits of shape (resamples, width)."""
    words = stream.integers(1 << _BITS, size=(resamples, -(-width // _BITS)), dtype=np.uint64)
    bytes_ = words.astype("<u8").view(np.uint8)
    return np.unpackbits(bytes_, axis=1, count=width, bitorder="little")


# Labels and label sets


def _resample_cells(tally: Cells, resamples: int, seed: int) -> Iterator[Cells]:
    if tally.clusters is not None:
        yield from _resample_clusters(tally, tally.clusters, resamples, seed)
        return
    streams = _open_streams(seed, tally.groups, _DRAW)
    spans = _find_spans(tally.owners, len(tally.groups))
    for chunk in _split(resamples, len(tally.owners)):
        counts = _make_counts(chunk, len(tally.owners), tally.n.sum())
        for here, stream in zip(spans, streams, strict=True):
            if here.start < here.stop:
                counts[:, here] = _draw_counts(tally.counts[here], chunk, stream)
        weights = None if tally.weights is None else _draw_weights(tally, counts, streams, spans)
        yield replace(tally, counts=counts, weights=weights)


def _find_spans(owners: NDArray[np.int64], groups: int) -> list[slice]:
    """Where the cells of each group stand."""
    bounds = np.searchsorted(owners, np.arange(groups + 1)).tolist()
    return [slice(start, stop) for start, stop in pairwise(bounds)]


def _narrow(most: int) -> type[np.signedinteger[Any]]:
    """The narrowest type of counts that can rise to so many."""
    return np.int32 if most < 1 << 31 else np.int64


def _make_counts(resamples: int, cells: int, most: int) -> NDArray[Any]:
    """Counts of 0 that can rise to so many, with the resamples of each cell side by side."""
    return np.zeros((cells, resamples), _narrow(most)).T


def _stack(sums: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as `Cells` has them, with the resamples of each cell side by side."""
    return np.stack([sums.T, squares.T], axis=1).transpose(1, 2, 0)


def _draw_counts(
    counts: NDArray[np.integer[Any]], resamples: int, stream: "np.random.Generator"
) -> NDArray[np.int64]:
    """Multinomial counts: of single examples where they are few, which is faster, else of cells."""
    total = int(counts.sum())
    if total > _DEAR * len(counts):
        return stream.multinomial(total, counts / total, resamples)
    return _draw_units(total, resamples, stream, np.repeat(np.arange(len(counts)), counts))


def _draw_weights(
    tally: Cells, counts: NDArray[Any], streams: Streams, spans: Sequence[slice]
) -> NDArray[np.float64]:
    """What the drawn examples of each cell weigh together.

    Of the weights of a cell the mean and the variance are known; their sum is drawn from the gamma
    distribution that has both, so that how weights go with being right shows in every resample.
    """
    assert tally.weights is not None
    size = np.maximum(tally.counts, 1)
    mean, square = tally.weights / size
    spread = np.maximum(square - mean**2, 0)
    varies = (spread > 1e-12 * square) & (mean > 0)
    sums = counts * mean
    for here, stream in zip(spans, streams, strict=True):
        own = here.start + np.flatnonzero(varies[here])
        drawn = counts[:, own]
        shape, scale = mean[own] ** 2 / spread[own], spread[own] / mean[own]
        sums[:, own] = stream.standard_gamma(np.where(drawn > 0, drawn * shape, 0)) * scale
    return _stack(sums, counts * square)


def _resample_clusters(
    tally: Cells, clusters: Clusters, resamples: int, seed: int
) -> Iterator[Cells]:
    units = _find_units(tally.owners[clusters.cells], clusters.owners, tally.groups)
    for drawn in units.draw(resamples, seed):
        weights = None
        if clusters.weights is not None:
            weights = _stack(*(_sum_entries(drawn, units, own, tally) for own in clusters.weights))
        counts = _sum_entries(drawn, units, clusters.counts, tally)
        yield replace(tally, counts=counts, weights=weights, clusters=None)


def _sum_entries(
    drawn: NDArray[Any], units: _Units, sizes: NDArray[Any], tally: Cells
) -> NDArray[Any]:
    """Sums what the entries of clusters have by cell, where their units come up so often."""
    assert tally.clusters is not None
    most = len(units.strata) * int(tally.n.sum())
    kind = np.float64 if sizes.dtype == np.float64 else _narrow(most)
    own = np.ascontiguousarray(drawn.T, kind)[units.of] * sizes.astype(kind)[:, None]
    return sum_by(own.T, tally.clusters.cells, len(tally.owners))


def _exchange_cells(
    tally: Cells, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Cells, Cells]]:
    for place, names in enumerate(pairs):
        pair = tally.of(*names)
        torn = _find_torn(pair)
        turned = _turn(pair, torn)
        one, other = (turned.project(name) for name in names)
        for moved, masses in _draw_moved(pair, torn, resamples, seed):
            counts = _move(pair.counts, moved, torn)
            weights = None if masses is None else _move_weights(pair, moved, masses, torn)
            swapped = replace(turned, counts=counts, weights=weights)
            yield place, one.apply(swapped), other.apply(swapped)


def _find_torn(pair: Cells) -> NDArray[np.intp]:
    """The cells in which two systems differ; where they agree an exchange changes nothing."""
    differ = pair.outputs[0] != pair.outputs[1]
    return np.flatnonzero(differ if differ.ndim == 1 else differ.any(-1))


def _turn(pair: Cells, torn: NDArray[np.intp]) -> Cells:
    """The cells of two systems, and behind them the torn ones with both outputs exchanged."""
    return replace(
        pair,
        owners=np.concatenate([pair.owners, pair.owners[torn]]),
        gold=np.concatenate([pair.gold, pair.gold[torn]]),
        outputs=np.concatenate([pair.outputs, pair.outputs[::-1, torn]], axis=1),
        clusters=None,
    )


def _move(whole: NDArray[Any], moved: NDArray[Any], torn: NDArray[np.intp]) -> NDArray[Any]:
    """What stays in each cell, and behind it what has moved out of the torn ones."""
    parts = np.empty((len(whole) + len(torn), len(moved)), moved.dtype)
    parts[: len(whole)] = whole[:, None]
    parts[torn] -= moved.T
    parts[len(whole) :] = moved.T
    return parts.T


def _move_weights(
    pair: Cells, moved: NDArray[Any], masses: NDArray[np.float64], torn: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The weights then, for which their squares stand in too."""
    assert pair.weights is not None
    whole = pair.weights[0]
    # All of a cell weigh exactly what it weighs, so that nothing is left of it.
    exact = np.where(moved == pair.counts[torn], whole[torn], masses)
    own = _move(whole, exact, torn)
    return np.broadcast_to(own, (2, *own.shape))


def _draw_moved(
    pair: Cells, torn: NDArray[np.intp], resamples: int, seed: int
) -> Iterator[tuple[NDArray[Any], NDArray[np.float64] | None]]:
    """How many examples of each torn cell are exchanged, and what they weigh."""
    clusters = pair.clusters
    if clusters is not None:
        units = _find_units(pair.owners[clusters.cells], clusters.owners, pair.groups)
        for swaps in units.swap(resamples, seed):
            mass = None
            if clusters.weights is not None:
                mass = _sum_entries(swaps, units, clusters.weights[0], pair)[:, torn]
            yield _sum_entries(swaps, units, clusters.counts, pair)[:, torn], mass
        return
    streams = _open_streams(seed, pair.groups, _SWAP)
    spans = _find_spans(pair.owners[torn], len(pair.groups))
    for chunk in _split(resamples, len(pair.owners) + len(torn)):
        moved = _make_counts(chunk, len(torn), pair.n.sum())
        masses = None if pair.weights is None else np.zeros(moved.T.shape).T
        for here, stream in zip(spans, streams, strict=True):
            if here.start < here.stop:
                moved[:, here] = _swap_counts(pair.counts[torn[here]], chunk, stream)
                if masses is not None:
                    masses[:, here] = _weigh_moved(pair, torn[here], moved[:, here], stream)
        yield moved, masses


def _swap_counts(
    counts: NDArray[np.integer[Any]], resamples: int, stream: "np.random.Generator"
) -> NDArray[Any]:
    """Binomial numbers: of the bits that are set among as many random ones."""
    if counts.max() == 1:
        return _draw_bits(stream, resamples, len(counts))
    masks = ~np.uint64(0) >> (_BITS - np.minimum(counts, _BITS)).astype(np.uint64)
    words = stream.integers(1 << _BITS, size=(resamples, len(counts)), dtype=np.uint64)
    swaps: NDArray[Any] = np.bitwise_count(words & masks)
    many = np.flatnonzero(counts > _BITS)
    if len(many):
        swaps = swaps.astype(np.int64)
        swaps[:, many] = stream.binomial(counts[many], 0.5, size=(resamples, len(many)))
    return swaps


def _weigh_moved(
    pair: Cells, torn: NDArray[np.intp], moved: NDArray[Any], stream: "np.random.Generator"
) -> NDArray[np.float64]:
    """What the exchanged examples weigh: a part of their cell's weight, as it scatters.

    Of the sum of some examples drawn without replacement the mean and the variance are known; it
    is drawn from the beta distribution between 0 and the weight of the cell that has both.
    """
    assert pair.weights is not None
    size, (total, square) = pair.counts[torn], pair.weights[:, torn]
    mean = total / np.maximum(size, 1)
    spread = np.maximum(square / np.maximum(size, 1) - mean**2, 0)
    varies = (spread > 1e-12 * square) & (mean > 0)
    masses: NDArray[np.float64] = moved * mean
    shares = moved[:, varies] / size[varies]
    # How firmly the share of the weight holds to that of the examples: 0 where one weighs it all.
    firm = np.maximum((size - 1)[varies] * mean[varies] ** 2 / spread[varies] - 1, 1e-6)
    inner = (shares > 0) & (shares < 1)
    found = np.where(inner, shares, 0.5)
    drawn = stream.beta(found * firm, (1 - found) * firm)
    masses[:, varies] = total[varies] * np.where(inner, drawn, shares)
    return masses


# Sums


def _find_row_units(rows: Rows) -> _Units:
    clusters = None if rows.clusters is None else rows.clusters.codes.astype(np.int64)
    return _find_units(rows.groups.codes.astype(np.int64), clusters, rows.groups.names)


def _resample_sums(tally: Sums, resamples: int, seed: int) -> Iterator[Sums]:
    scatter = tally.scatter
    if scatter is None:
        raise UsageError("resamples cannot be resampled")
    if isinstance(scatter, Products):
        for sums in _draw_normal(scatter, resamples, seed):
            yield replace(tally, sums=np.maximum(sums, 0), scatter=None)
        return
    rows = scatter.sort()
    units = _find_row_units(rows)
    for weights in units.draw(resamples, seed):
        yield replace(tally, sums=_mix(weights[:, units.of], rows), scatter=None)


def _mix(weights: NDArray[Any], rows: Rows) -> NDArray[np.float64]:
    """Weighted sums of rows, of shape (systems, resamples, groups, columns)."""
    codes, groups = rows.groups.codes, len(rows.groups.names)
    flat = rows.values.reshape(len(rows.values), -1).astype(np.float64)
    mixed = np.zeros((len(weights), groups, flat.shape[1]))
    for group in range(groups):
        here = np.flatnonzero(codes == group)
        every = len(here) == len(codes)
        own = weights if every else weights[:, here]
        np.matmul(own.astype(np.float64, copy=False), flat[here], out=mixed[:, group])
    shaped = mixed.reshape(len(weights), groups, *rows.values.shape[1:])
    return np.asarray(np.moveaxis(shaped, 2, 0))


def _draw_normal(scatter: Products, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Normal resamples of sums, of shape (systems, resamples, groups, columns)."""
    groups, systems, columns = scatter.sums.shape
    flat = scatter.sums.reshape(groups, -1).astype(np.float64)
    products = scatter.products.reshape(groups, systems * columns, -1)
    roots = [
        _find_root(product - np.outer(own, own) / max(n, 1))
        for product, own, n in zip(products, flat, scatter.n.tolist(), strict=True)
    ]
    streams = _open_streams(seed, scatter.groups, _DRAW)
    for chunk in _split(resamples, flat.size):
        drawn = [
            own + stream.standard_normal((chunk, len(own))) @ root
            for own, root, stream in zip(flat, roots, streams, strict=True)
        ]
        shaped = np.stack(drawn, 1).reshape(chunk, groups, systems, columns)
        yield np.moveaxis(shaped, 2, 0)


def _find_root(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """The symmetric square root of a covariance."""
    values, vectors = np.linalg.eigh(spread)
    root: NDArray[np.float64] = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    return root


def _exchange_sums(
    tally: Sums, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Sums, Sums]]:
    scatter = tally.scatter
    if scatter is None:
        raise UsageError("resamples have nothing to exchange")
    places = [(tally.systems.index(a), tally.systems.index(b)) for a, b in pairs]
    if isinstance(scatter, Products):
        for number, (a, b) in enumerate(places):
            for change in _draw_changes(scatter, a, b, resamples, seed):
                yield number, *_apply(tally, (a, b), change)
        return
    rows = scatter.sort()
    units, ties = _find_row_units(rows), rows.find_ties()
    gains = [_reorder(rows, ties, pair) for pair in places]
    for swaps in units.swap(resamples, seed):
        moved, tied = _mix(swaps[:, units.of], rows), swaps[:, units.of[ties]]
        for number, (a, b) in enumerate(places):
            change = moved[b] - moved[a]
            more = gains[number]
            if more is not None:
                change += _mix(tied, more)[0]
            yield number, *_apply(tally, (a, b), change)


def _reorder(rows: Rows, ties: NDArray[np.intp], pair: tuple[int, int]) -> Rows | None:
    """What an exchange changes more where tied rows stand as the pair alone orders them.

    None where they stand so already. The order of rows with the same key would else depend on the
    other systems, and with it what is exchanged.
    """
    own = rows.take(ties).of(pair)
    change = own.sort().values - own.values
    gains = change[:, 1:] - change[:, :1]
    return replace(own, values=gains) if gains.any() else None


def _apply(tally: Sums, pair: tuple[int, int], change: NDArray[np.float64]) -> tuple[Sums, Sums]:
    """Both systems after an exchange that changes their sums by so much."""
    a, b = pair
    one, other = tally.sums[a] + change, tally.sums[b] - change
    names = tally.systems
    return (
        replace(tally, systems=names[a : a + 1], sums=one[None], scatter=None),
        replace(tally, systems=names[b : b + 1], sums=other[None], scatter=None),
    )


def _draw_changes(
    scatter: Products, a: int, b: int, resamples: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """Normal changes of sums with the mean and the covariance that random exchanges have."""
    products, sums = scatter.products, scatter.sums.astype(np.float64)
    means = (sums[:, b] - sums[:, a]) / 2
    spread = (
        products[:, b, :, b] - products[:, a, :, b] - products[:, b, :, a] + products[:, a, :, a]
    ) / 4
    roots = [_find_root(own) for own in spread]
    streams = _open_streams(seed, scatter.groups, _SWAP)
    for chunk in _split(resamples, means.size):
        drawn = [
            mean + stream.standard_normal((chunk, len(mean))) @ root
            for mean, root, stream in zip(means, roots, streams, strict=True)
        ]
        yield np.stack(drawn, 1)


# Probabilities


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


def _resample_scores(rows: ScoreRows, resamples: int, seed: int) -> Iterator[Any]:
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
    streams = units.streams(seed, _DRAW)
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
    streams = _open_streams(seed, tally.groups, _DRAW)
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


def _find_score_units(rows: ScoreRows, ranks: NDArray[np.int64]) -> _Units:
    clusters = None if rows.clusters is None else rows.clusters.codes[ranks].astype(np.int64)
    return _find_units(rows.owners.codes[ranks].astype(np.int64), clusters, rows.groups)


def _exchange_scores(
    rows: ScoreRows, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Any, Any]]:
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

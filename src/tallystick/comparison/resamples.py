"""The scores of systems on the same resamples of the examples, or of the clusters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.rows import find_places, find_slopes, place_groups, score_rows
from tallystick.scoring.intervals import influence
from tallystick.scoring.intervals.bounds import average_groups
from tallystick.scoring.intervals.influence import find_hits
from tallystick.tallies.arrays.units import find_units
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.score_rows import ScoreRows
from tallystick.tallies.tally import Tally

_MOST_NUMBERS = 1 << 13
"""Scores of so many distinct pairs of numbers are normal, as those of sums of as many rows."""

_LEAST_LABELS = 500
"""So many examples of the scarcer gold label must each group have for areas to be normal too."""


def score_resamples(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], resamples: int, seed: int
) -> dict[str, Values]:
    """The scores of each system on the same resamples, as `compare` subtracts them."""
    tally = tally.relative()
    shares = None if groups else _resample_shares(metrics, tally, resamples, seed)
    if shares is not None:
        return shares
    binned = [metric for metric in metrics if _averages_gaps(metric, tally)]
    if binned:
        return _part_metrics(metrics, binned, tally, groups, resamples, seed)
    if are_normal(metrics, tally):
        return _draw_normal(metrics, tally, groups, resamples, seed)
    parts: dict[str, list[Values]] = {name: [] for name in tally.systems}
    for resampled in tally.resample(resamples, seed):
        for name, own in parts.items():
            own.append(score_rows(metrics, resampled.of(name), groups))
    return {name: np.concatenate(own, axis=1) for name, own in parts.items()}


def are_normal(metrics: Sequence[Metric], tally: Tally) -> bool:
    """Whether scores rest on so many distinct numbers that those of resamples are drawn as normal.

    That takes the slopes of the scores, which rank correlations, areas and losses have, or how far
    each example moves them.
    """
    if tally.single_scores is not None:
        return _are_smooth(metrics, tally.single_scores)
    if tally.kept_owners is not None:
        one = tally.of(tally.systems[0])
        many = len(tally.kept_owners) > _MOST_NUMBERS
        known = (metric.split(one) or metric.slopes(one) is not None for metric in metrics)
        return many and all(known)
    cells = tally.patterns
    if cells is None or not cells.counter.kind.numeric or len(cells.owners) <= _MOST_NUMBERS:
        return False
    one = cells.of(cells.systems[0])
    return all(not metric.between and metric.slopes(one) is not None for metric in metrics)


def _are_smooth(metrics: Sequence[Any], rows: ScoreRows) -> bool:
    """Whether all metrics are mean losses, or areas under curves of many of both labels."""
    if len(rows.gold) <= _MOST_NUMBERS:
        return False
    one, many = rows.of(rows.systems[0]), rows.count_gold().min() >= _LEAST_LABELS
    return all(
        not (metric.between or hasattr(metric, "bins"))
        and metric.slopes(one) is not None
        and (many or not metric.rests_on_scarcest)
        for metric in metrics
    )


def _draw_normal(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], resamples: int, seed: int
) -> dict[str, Values]:
    """Scores with the covariance that resamples of examples, or clusters, give them, row by row.

    Source: Hampel 1974, JASA 69 (the infinitesimal jackknife).
    """
    own = [tally.of(name) for name in tally.systems]
    scores = np.stack([score_rows(metrics, one, groups)[:, 0] for one in own])
    if tally.kept_owners is not None:
        slopes = [_move_examples(metrics, tally, one, groups) for one in own]
        places: list[Any] = [slice(None)] * len(own)
    else:
        slopes = [find_slopes(metrics, one, groups) for one in own]
        places = [tally.need_patterns().project(name).places for name in tally.systems]
    stream = np.random.default_rng([seed, len(own)])
    drawn = np.empty((*scores.shape, resamples))
    for row in range(scores.shape[-1]):
        moves = [one[:, row, at] for one, at in zip(slopes, places, strict=True)]
        covariance = _find_covariance(tally, np.nan_to_num(np.concatenate(moves)))
        deviations = _draw(stream, np.zeros(len(covariance)), covariance, resamples)
        drawn[:, :, row] = deviations.reshape(*scores.shape[:2], resamples)
    low, high = np.array([metric.bounds for metric in metrics]).T[..., None, None]
    drawn = np.clip(drawn.swapaxes(2, 3) + scores[:, :, None], low, high)
    return dict(zip(tally.systems, drawn, strict=True))


def _draw(stream: np.random.Generator, means: Values, covariance: Values, count: int) -> Values:
    """Normal numbers, of shape (means, count)."""
    drawn = stream.multivariate_normal(
        means, covariance, count, check_valid="ignore", method="eigh"
    )
    return np.asarray(drawn.T)


def _move_examples(
    metrics: Sequence[Metric], tally: Tally, one: Tally, groups: Sequence[str]
) -> Values:
    """How much each example moves the scores of one system: (metrics, rows, examples)."""
    kept = tally.kept_owners
    assert kept is not None
    owners, places = kept.codes, find_places(kept.names, groups)
    rows = tally.single_scores
    found = []
    for metric in metrics:
        rises = [_move_group_scores(metric, rows, one.total(), whole=True)]
        if groups:
            own = _move_group_scores(metric, rows, one)
            by_group = [np.where(owners == place, own, 0) for place in places]
            mean = np.asarray(sum(by_group)) / sum(place >= 0 for place in places)
            rises[:0] = [*by_group, mean]
        found.append(rises)
    return np.array(found)


def _move_group_scores(
    metric: Metric, rows: ScoreRows | None, one: Tally, *, whole: bool = False
) -> Values:
    """How much each example moves the score of its group: (examples,)."""
    if rows is not None:
        one = rows.sort(rows.choose(*one.systems))
        one = one.total() if whole else one
    return influence.find_slopes(metric, one)


def _averages_gaps(metric: Metric, tally: Tally) -> bool:
    """Whether a metric is the mean gap of bins of many examples, whose sums are normal."""
    rows = tally.single_scores
    if rows is None or len(rows.gold) <= _MOST_NUMBERS or metric.between:
        return False
    from tallystick.kinds.probabilities.ece import ECE

    return isinstance(metric, ECE)


def _part_metrics(
    metrics: Sequence[Metric],
    binned: Sequence[Metric],
    tally: Tally,
    groups: Sequence[str],
    resamples: int,
    seed: int,
) -> dict[str, Values]:
    """The scores by metrics of which some average gaps."""
    rows = tally.need(ScoreRows)
    found = {one: _draw_gaps(one, rows, groups, resamples, seed) for one in binned}
    rest = [metric for metric in metrics if metric not in found]
    if rest:
        drawn = score_resamples(rest, tally, groups, resamples, seed)
        by_metric = np.stack(list(drawn.values()), axis=1)
        found |= dict(zip(rest, by_metric, strict=True))
    scored = np.stack([found[metric] for metric in metrics], axis=1)
    return dict(zip(tally.systems, scored, strict=True))


def _draw_gaps(
    metric: Metric, rows: ScoreRows, groups: Sequence[str], resamples: int, seed: int
) -> Values:
    """Mean gaps of bins whose sums are normal, of shape (systems, resamples, rows)."""
    from tallystick.kinds.probabilities.ece import ECE

    assert isinstance(metric, ECE)
    hits = (rows.gold.codes == 1).astype(np.float64)
    bins = np.stack([metric.find_bins(own) for own in rows.scores])
    off = np.stack([own - hits for own in rows.scores])
    stream = np.random.default_rng([seed, len(rows.systems)])
    sums = []
    for place in range(len(rows.groups)):
        here = rows.owners.codes == place
        sums.append(_draw_sums(off[:, here], bins[:, here], metric.bins, resamples, stream))
    whole = np.abs(sum(sums)).sum(1)[..., None] / len(hits)
    if not groups:
        return np.asarray(whole)
    found = [np.abs(own).sum(1) / size for own, size in zip(sums, rows.n.tolist(), strict=True)]
    values = place_groups(np.stack(found, axis=-1), rows.groups, groups)
    mean = average_groups(metric, values)[..., None]
    return np.concatenate([values, mean, whole], axis=-1)


def _draw_sums(
    values: Values,
    bins: NDArray[np.intp],
    count: int,
    resamples: int,
    stream: np.random.Generator,
) -> Values:
    """The sums, on resamples, of values by their bins: (systems, bins, resamples).

    Values, and the bin of each, have shape (systems, examples).
    """
    systems, n = values.shape
    sums = np.stack([np.bincount(*own, count) for own in zip(bins, values, strict=True)])
    squares = np.zeros((systems, count, systems, count))
    for one in range(systems):
        for other in range(one, systems):
            both, products = bins[one] * count + bins[other], values[one] * values[other]
            block = np.bincount(both, products, count**2).reshape(count, count)
            squares[one, :, other], squares[other, :, one] = block, block.T
    means = sums.ravel().astype(np.float64)
    covariance = squares.reshape(len(means), -1) - np.outer(means, means) / n
    return _draw(stream, means, covariance, resamples).reshape(systems, count, resamples)


def _find_covariance(tally: Tally, moves: Values) -> Values:
    """The covariance of the sums of what units add, drawn with replacement within each group.

    `moves`, of shape (sums, kinds of examples), is what an example of each kind adds.
    """
    counts, strata, moves = _find_units(tally, moves)
    sizes = np.maximum(np.bincount(strata, counts), 1)
    means = np.stack([np.bincount(strata, one * counts, len(sizes)) for one in moves]) / sizes
    off = (moves - means[:, strata]) * np.sqrt(counts)
    return np.asarray(off @ off.T)


def _find_units(tally: Tally, moves: Values) -> tuple[NDArray[Any], NDArray[Any], Values]:
    """How many units there are of each kind, its group, and what it adds."""
    owners = tally.kept_owners
    if owners is not None:
        return np.ones(len(owners), np.int64), owners.codes, moves
    cells = tally.need_patterns()
    clusters = cells.clusters
    if clusters is None:
        return cells.counts, cells.owners, moves
    units = find_units(cells.owners[clusters.cells], clusters.owners, cells.groups)
    entries = moves[:, clusters.cells] * clusters.counts
    moves = np.stack([np.bincount(units.of, one, len(units.strata)) for one in entries])
    return np.ones(len(units.strata), np.int64), units.strata, moves


def _resample_shares(
    metrics: Sequence[Metric], tally: Tally, resamples: int, seed: int
) -> dict[str, Values] | None:
    """The same of shares of all examples, whose hits a product of matrices counts.

    None where a metric is no such share.
    """
    cells = tally.patterns
    if cells is None or cells is not tally or not cells.plain:
        return None
    columns, scales = list[Values](), []
    for name in cells.systems:
        own, places = cells.of(name), cells.project(name).places
        for metric in metrics:
            found, share = find_hits(metric, own), metric.share(own)
            if found is None or share is None or (found[1] != 1).any():
                return None
            columns.append(found[0][places])
            scales.append(share.to_score)
    n = int(cells.n.sum())
    kind: Any = np.float32 if n < _EXACT else np.float64
    hits = np.stack(columns, axis=1).astype(kind)
    sums = [one.counts.astype(kind) @ hits for one in cells.resample(resamples, seed)]
    parts = (np.concatenate(sums).astype(np.float64) / n).T
    scored = [to_score(part) for to_score, part in zip(scales, parts, strict=True)]
    found_by = np.stack(scored).reshape(len(cells.systems), len(metrics), -1, 1)
    return dict(zip(cells.systems, found_by, strict=True))


_EXACT = 1 << 24
"""Whole numbers below this are exact in single precision."""

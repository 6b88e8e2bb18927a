"""The scores of every row: the groups, their mean, and their sum; or all examples alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.shares import find_hits
from tallystick.frozen import dataclass
from tallystick.scoring.counted import Counted
from tallystick.scoring.intervals.bounds import average_groups
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.tally import Pair, Tally


@dataclass(frozen=True, slots=True)
class _Error:
    """What binned probabilities leave open of a metric, in the place of its score."""

    metric: Any
    adds_up: bool = False
    between: tuple[Metric, ...] = ()

    def score(self, tally: Tally) -> Values:
        """The largest error of each group."""
        found = tally.find_error(self.metric)
        return np.zeros(len(tally.groups)) if found is None else found


def score_rows(metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]) -> Values:
    """The scores of one system, of shape (metrics, resamples, rows); a tally itself is one.

    Without groups all examples are one row.
    """
    whole = tally.total()
    each = [metric.score(whole) for metric in metrics]
    if groups:
        each = [
            _add_groups(metric, tally, groups, own)
            for metric, own in zip(metrics, each, strict=True)
        ]
    scored = np.stack(each)
    return scored.reshape(len(metrics), -1, scored.shape[-1])


def find_bin_errors(metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]) -> Values:
    """How far the scores of one system can be from those without bins, of shape (metrics, rows)."""
    if tally.find_error(metrics[0]) is None:
        return np.zeros((len(metrics), 1))
    errors: list[Any] = [_Error(metric) for metric in metrics]
    return np.asarray(score_rows(errors, tally, groups)[:, 0])


def score_pair(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], pair: Pair
) -> tuple[Values, Values]:
    """The scores of two systems, of shape (metrics, rows), as `compare` subtracts them."""
    both = tally.of(*pair).relative()
    one, other = (score_rows(metrics, both.of(name), groups)[:, 0] for name in pair)
    return one, other


def score_resamples(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], resamples: int, seed: int
) -> dict[str, Values]:
    """The scores of each system on the same resamples, as `compare` subtracts them."""
    tally = tally.relative()
    shares = None if groups else _resample_shares(metrics, tally, resamples, seed)
    if shares is not None:
        return shares
    parts: dict[str, list[Values]] = {name: [] for name in tally.systems}
    for resampled in tally.resample(resamples, seed):
        for name, own in parts.items():
            own.append(score_rows(metrics, resampled.of(name), groups))
    return {name: np.concatenate(own, axis=1) for name, own in parts.items()}


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


def count_units(counted: Counted, tally: Tally) -> NDArray[np.int64]:
    """How many examples each row has, or clusters where they belong to some."""
    found = tally.count_clusters()
    if found is None:
        return np.array([counted.size(row) for row in counted.rows], np.int64)
    sizes, whole = found
    places = {str(name): place for place, name in enumerate(tally.groups)}
    own = [sizes[places[group]] for group in counted.groups]
    return np.array([*own, whole, whole] if own else [whole], np.int64)


def _add_groups(metric: Metric, tally: Tally, groups: Sequence[str], whole: Values) -> Values:
    """The scores of each group, their mean, and the score of all."""
    values = metric.score(tally)
    names = list(map(str, tally.groups))
    if names != list(groups):
        places = [names.index(name) if name in names else -1 for name in groups]
        values = np.where([place >= 0 for place in places], values[..., places], np.nan)
    mean = metric.combine_groups(tally) if metric.between else average_groups(metric, values)
    return np.concatenate([values, np.asarray(mean)[..., None], whole], axis=-1)

"""Ranks of systems, and how sure they are: from values, significant differences and resamples.

Everywhere here a higher value is the better one. `beats[i, j]` says that system i is significantly
better than system j. Resamples are paired: one row holds the values of all systems in one resample.
"""

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Beats = NDArray[np.bool_]


def order(values: Values) -> NDArray[np.intp]:
    """The places of the systems, best first; equal ones as they came, undefined ones last."""
    return np.argsort(-values, kind="stable")


def rank(values: Values) -> Values:
    """The rank of each system: equal values share the best rank (1224), NaN has none."""
    above = (values[None, :] > values[:, None]).sum(1)
    return np.where(np.isnan(values), np.nan, 1.0 + above)


def count_borda(values: Values) -> Values:
    """The points of each system: in every criterion one for each system below, half for each equal.

    de Borda 1781. Values are of shape (..., criteria, systems). A system that is NaN takes no part,
    and its points are NaN.
    """
    present = ~np.isnan(values).any(-2)
    each = [values[..., [system]] for system in range(values.shape[-1])]  # bounds the memory
    below = np.stack([(own > values).sum((-2, -1)) for own in each], -1)
    equal = np.stack([(own == values).sum((-2, -1)) for own in each], -1) - values.shape[-2]
    return np.where(present, below + equal / 2, np.nan)


def average_ranks(values: Values) -> Values:
    """The mean over the criteria of the rank of each system, where equal ones share a mean rank.

    It is Borda's count turned around: the number of systems less the mean of their points.
    """
    present = (~np.isnan(values).any(-2)).sum(-1, keepdims=True)
    ranks: Values = present - count_borda(values) / max(values.shape[-2], 1)
    return ranks


def find_ranges(beats: Beats) -> NDArray[np.int64]:
    """The best and the worst rank of each system that agree with the tests.

    [1 + significant losses, N - significant wins], as WMT reports them.

    The ranks have shape (systems, 2).
    """
    losses, wins = beats.sum(0), beats.sum(1)
    return np.stack([1 + losses, len(beats) - wins], axis=1)


def find_clusters(values: Values, beats: Beats) -> NDArray[np.int64]:
    """The cluster of each system, from 1 on, by the rule of WMT.

    Below a system a new cluster begins only where every system at or above it significantly beats
    every system below it.
    """
    places = order(values)
    sorted_beats = beats[np.ix_(places, places)]
    clusters = np.ones(len(values), np.int64)
    for cut in range(1, len(values)):
        if sorted_beats[:cut, cut:].all():
            clusters[places[cut:]] += 1
    return clusters


def find_letters(values: Values, beats: Beats) -> tuple[str, ...]:
    """The compact letters of each system: two that share one are not significantly different.

    By insertion and absorption (Piepho 2004, Journal of Computational and Graphical Statistics
    13:456); the best system has the letter a. From the 27th on, letters are `aa`, `ab`, and so on,
    with commas between.
    """
    places = order(values).tolist()
    columns = [(1 << len(places)) - 1]
    for one, other in np.argwhere(np.triu(beats | beats.T)).tolist():
        columns = _split(columns, 1 << one, 1 << other)
    columns.sort(key=lambda column: [at for at, who in enumerate(places) if column >> who & 1])
    mark = "" if len(columns) <= len(ascii_lowercase) else ","
    return tuple(
        mark.join(_letter(at) for at, column in enumerate(columns) if column >> system & 1)
        for system in range(len(values))
    )


def _split(columns: Sequence[int], one: int, other: int) -> list[int]:
    """The columns, sets of bits, without either of two systems that may share none.

    A part of a column is left out where another column holds it; whole ones stay as they are.
    """
    both = one | other
    whole = [column for column in columns if column & both != both]
    cut = [column for column in columns if column & both == both]
    parts = list(dict.fromkeys(column & ~bit for column in cut for bit in (one, other)))
    return whole + [
        part
        for part in parts
        if not any(part & own == part for own in whole)
        and not any(part & own == part != own for own in parts)
    ]


def _letter(at: int) -> str:
    size = len(ascii_lowercase)
    return ascii_lowercase[at] if at < size else _letter(at // size - 1) + _letter(at % size)


def share_best(resamples: Values) -> Values:
    """The share of resamples in which each system is the best; equal ones divide a resample.

    It is no calibrated probability: resamples scatter around values of which the highest is partly
    luck. Of ten close systems those that come first in 81% of the resamples are the best in 69% of
    the cases (benchmarks/best.py).

    Resamples, of shape (resamples, systems), in which a system is undefined are left out.
    """
    complete = _complete(resamples)
    best = complete == complete.max(1, keepdims=True)
    shares = best / best.sum(1, keepdims=True)
    return shares.mean(0) if len(shares) else np.full(shares.shape[1], np.nan)


def mean_ranks(resamples: Values) -> Values:
    """The mean rank of each system over the resamples; equal ones share the mean of their ranks.

    Resamples, of shape (resamples, systems), in which a system is undefined are left out.
    """
    complete = _complete(resamples)
    return average_ranks(complete) if len(complete) else np.full(resamples.shape[1], np.nan)


def _complete(resamples: Values) -> Values:
    return resamples[~np.isnan(resamples).any(1)]

"""Scores by the length of the reference, from the rows that the tallies of texts keep."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import replace
from tallystick.results.curves import LengthScore
from tallystick.scoring.counted import Counted
from tallystick.tallies.metric import Metric
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Tally

_MOST_BINS = 8
_LEAST = 20
"""A bin holds so many examples at least."""

_LENGTHS = (
    (("reference_length",), "tokens"),
    (("hits", "substitutions", "deletions"), "words"),
    (("reference_1",), "characters"),
)
"""The columns of tallies that add up to the length of the reference, and what that counts."""


def list_lengths(counted: Counted) -> tuple[LengthScore, ...]:
    """Returns each system's score by each metric of texts, in bins of about equal size.

    There are none where no tally has kept its rows: above 8,192 examples, or with clusters; and
    where no metric counts the references' lengths, as ROUGE does not.
    """
    tallies = {
        id(tally): tally
        for metric in counted.metrics
        if (tally := counted.tally(metric)) is not None and not metric.adds_up
    }
    rows = {place: own for place, tally in tallies.items() if (own := _sort(tally)) is not None}
    measured = (_measure(tallies[place].counter, own) for place, own in rows.items())
    found = next((one for one in measured if one is not None), None)
    if found is None:
        return ()
    lengths, unit = found
    bins = np.searchsorted(_split(lengths), lengths, "right")
    return tuple(
        one
        for metric in counted.metrics
        if (place := id(counted.tally(metric))) in rows and not metric.adds_up
        for one in _score(metric, tallies[place], rows[place], bins, lengths, unit)
    )


def _sort(tally: Tally) -> NDArray[Any] | None:
    """The rows in the order of their references, which is the same in every tally."""
    rows = tally.example_rows()
    return None if rows is None or rows.clusters is not None else rows.sort().values


def _measure(counter: Any, rows: NDArray[Any]) -> tuple[NDArray[np.int64], str] | None:
    """The length of each example's reference as the first system's row has it, and its unit."""
    for names, unit in _LENGTHS:
        if all(name in counter.columns for name in names):
            places = [counter.columns.index(name) for name in names]
            words = getattr(counter, "unit", "words") == "words"
            return rows[:, 0, places].sum(1), unit if words else "characters"
    return None


def _score(
    metric: Metric,
    tally: Sums,
    rows: NDArray[Any],
    bins: NDArray[np.intp],
    lengths: NDArray[np.int64],
    unit: str,
) -> Iterator[LengthScore]:
    n = np.bincount(bins)
    for at, system in enumerate(tally.systems):
        sums = np.zeros((1, len(n), rows.shape[2]), rows.dtype)
        np.add.at(sums[0], bins, rows[:, at])
        groups = tuple(range(len(n)))
        own = replace(tally, systems=(system,), groups=groups, sums=sums, n=n, scatter=None)
        for place, value in enumerate(metric.score(own).tolist()):
            here = lengths[bins == place]
            yield LengthScore(
                system,
                repr(metric),
                metric.name,
                metric.better,
                int(here.min()),
                int(here.max()),
                unit,
                value,
                len(here),
            )


def _split(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where bins of about equal size begin, but for the first."""
    bins = min(_MOST_BINS, max(1, len(lengths) // _LEAST))
    quantiles = np.quantile(lengths, np.arange(1, bins) / bins, method="higher")
    return np.unique(quantiles[quantiles > lengths.min()])

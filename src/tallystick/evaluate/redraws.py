"""Draws of one system's labels and probabilities: of cells, of whole clusters, or of examples."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.evaluate.system import System
from tallystick.evaluate.uncertainty import Source
from tallystick.examples.examples import Examples
from tallystick.examples.labels import Label, Labels
from tallystick.intervals.settings import Intervals
from tallystick.tallies import Confusion, ConfusionTally, Curve, CurveTally, LabelSets
from tallystick.tallies.draws import draw_clusters, open_streams

__all__ = ["open_source"]

_REDRAWS = 200
_MOST_REDRAWN = 20_000
"""How many examples a redrawn sample has at most; its scores scatter more, by a known factor."""


def open_source(system: System, settings: Intervals) -> Source:
    """Where the intervals of a system come from."""
    clustered = any(part.clusters is not None for part in system.parts)
    weighted = any(part.weights is not None for part in system.parts)
    kept = min(1.0, _MOST_REDRAWN / sum(map(len, system.parts)))
    draws = _Draws(system, settings, kept)
    return Source(
        settings,
        "draws of clusters" if clustered else "multinomial draws",
        draws.draw_clusters if clustered else draws.draw_cells,
        draws.redraw,
        shrink=kept**0.5,
        plain=not (clustered or weighted),
        clusters=cache(draws.count_clusters) if clustered else None,
    )


@dataclass(frozen=True, slots=True)
class _Draws:
    """The draws of one system; `kept` is the share of examples that redrawn samples have."""

    system: System
    settings: Intervals
    kept: float

    def draw_cells(self, tally: Any) -> Iterator[Any]:
        """Multinomial draws; weighted examples are worth fewer plain ones than there are."""
        weighted = any(part.weights is not None for part in self.system.parts)
        sizes = [self._weigh(group) for group in tally.groups] if weighted else None
        replicates: Iterator[Any] = tally.draw(self.settings.draws, self.settings.seed, sizes)
        return replicates

    def _weigh(self, group: Label) -> float:
        """The effective number of a group's examples, by Kish 1965, Survey Sampling."""
        weights = [
            np.ones(len(rows)) if part.weights is None else part.weights[rows]
            for part, rows in self._find(group)
        ]
        own = np.concatenate(weights)
        return float(own.sum() ** 2 / (own**2).sum()) if own.any() else 0.0

    def _find(self, group: Label) -> Iterator[tuple[Examples, NDArray[np.int64]]]:
        """Each part, with the rows of its examples of the group."""
        for part in self.system.parts:
            if part.groups is None:
                yield part, np.arange(len(part))
            elif group in part.groups.names:
                place = part.groups.names.index(group)
                yield part, np.flatnonzero(part.groups.codes == place)

    def draw_clusters(self, tally: Any) -> Iterator[Any]:
        """Draws of whole clusters, each within its group."""
        counter = Confusion() if isinstance(tally, ConfusionTally) else LabelSets()
        units = reduce(
            add, (counter.count(_split(part, tally.groups)) for part in self.system.parts)
        )
        owners = np.array([int(str(name).partition("/")[0]) for name in units.groups])
        draws = draw_clusters(owners, tally.groups, self.settings.draws, self.settings.seed)
        return (units.mix(weights, owners, tally.groups) for weights in draws)

    def count_clusters(self, groups: tuple[Label, ...]) -> NDArray[np.int64]:
        """How many clusters each group has."""
        return np.array([self._count(group) for group in groups], np.int64)

    def _count(self, group: Label) -> int:
        names = {
            part.clusters.names[code]
            for part, rows in self._find(group)
            if part.clusters is not None
            for code in np.unique(part.clusters.codes[rows]).tolist()
        }
        return len(names)

    def redraw(self, tally: CurveTally) -> Iterator[CurveTally]:
        """The curves of samples of examples, or of clusters, drawn anew within each group."""
        streams = open_streams(self.settings.seed, tally.groups)
        strata = [
            [(part, _Stratum.of(part, rows)) for part, rows in self._find(group)]
            for group in tally.groups
        ]
        for _ in range(_REDRAWS):
            drawn = [
                Curve().count(_take(part, stratum.sample(self.kept, stream)))
                for own, stream in zip(strata, streams, strict=True)
                for part, stratum in own
                if part.probabilities is not None
            ]
            yield reduce(add, drawn)


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    """Rows that samples are drawn from; unit i is rows[bounds[i] : bounds[i + 1]]."""

    rows: NDArray[np.int64]
    bounds: NDArray[np.int64] | None

    @staticmethod
    def of(part: Examples, rows: NDArray[np.int64]) -> "_Stratum":
        """The examples of these rows, each on its own, or cluster by cluster."""
        if part.clusters is None:
            return _Stratum(rows, None)
        codes = part.clusters.codes[rows]
        ranks = np.argsort(codes, kind="stable")
        changes = np.flatnonzero(np.diff(codes[ranks])) + 1
        return _Stratum(rows[ranks], np.concatenate([[0], changes, [len(rows)]]))

    def sample(self, kept: float, stream: "np.random.Generator") -> NDArray[np.int64]:
        """A share of as many units as there are, with replacement."""
        units = len(self.rows) if self.bounds is None else len(self.bounds) - 1
        picked = stream.integers(0, units, math.ceil(kept * units))
        if self.bounds is None:
            return self.rows[picked]
        spans = zip(self.bounds[picked], self.bounds[picked + 1], strict=True)
        return np.concatenate([self.rows[start:stop] for start, stop in spans])


def _take(part: Examples, rows: NDArray[np.int64]) -> Examples:
    """The examples of these rows."""
    return Examples(
        part.gold.take(rows),
        part.predicted.take(rows),
        None if part.probabilities is None else part.probabilities[rows],
        None if part.groups is None else part.groups.take(rows),
        None if part.weights is None else part.weights[rows],
    )


def _split(part: Examples, groups: tuple[Label, ...]) -> Examples:
    """The part with a group of its own for each cluster of each group, called `PLACE/CLUSTER`."""
    if part.clusters is None:
        raise UsageError("some files have the column of clusters and others have not")
    names = part.groups.names if part.groups is not None else groups
    codes = part.groups.codes if part.groups is not None else np.zeros(len(part), np.uint8)
    pairs = codes.astype(np.int64) * len(part.clusters.names) + part.clusters.codes
    seen, places = np.unique(pairs, return_inverse=True)
    labels = tuple(
        f"{groups.index(names[group])}/{part.clusters.names[cluster]}"
        for group, cluster in zip(*np.divmod(seen, len(part.clusters.names)), strict=True)
    )
    return replace(part, groups=Labels(places.astype(np.uint32), labels))

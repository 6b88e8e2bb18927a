"""The score sheet of one system: each metric on every group, on their mean, and on their sum."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallystick.evaluate.observed import Observed
from tallystick.evaluate.uncertainty import Bounds, Spread
from tallystick.intervals.means import bound_mean
from tallystick.metrics.metric import Metric
from tallystick.results import Score

__all__ = ["Lead", "Sheet"]

Lead = tuple[tuple[str, str], ...]
"""The heading of each leading column with the field of `Score` that fills it."""


_NO_ENDS = (math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A value, the ends of its interval, and what that comes from."""

    value: Any
    ends: tuple[float, float] = _NO_ENDS
    method: str | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score sheet of one system.

    Attributes:
        system: What the system is called.
        groups: The groups in the order in which they are shown; none where nothing is grouped.
        sizes: How many examples each row is about: each group, `macro`, `micro`, and None.
        observed: The tally and the scores of each metric.
        partial: The metrics whose tallies lack some of the examples.
        facts: What shaped the data, for signatures.
        references: How many references each example has; None where that varies.
        spreads: The intervals of the metrics that have some.
        level: Their level.
    """

    system: str
    groups: tuple[str, ...]
    sizes: Mapping[str | None, int]
    observed: Mapping[Metric, Observed]
    partial: frozenset[Metric]
    facts: str
    references: int | None = 1
    spreads: Mapping[Metric, Spread] = field(default_factory=dict)
    level: float | None = None

    def score(self) -> list[Score]:
        """All scores, row by row: groups, macro, micro, and then one row per label."""
        rows: dict[str | None, list[Score]] = {}
        labelled: dict[str, list[Score]] = {}
        for metric, observed in self.observed.items():
            if metric.per_label:
                for label, one in self._by_label(metric, observed):
                    row = labelled.setdefault(label, [])
                    row.append(self._write(metric, self._whole, label, one))
                continue
            for group, one in self._by_row(metric, observed):
                rows.setdefault(group, []).append(self._write(metric, group, None, one))
        return [score for row in (*rows.values(), *labelled.values()) for score in row]

    @property
    def _whole(self) -> str | None:
        return "micro" if self.groups else None

    def _by_label(self, metric: Metric, observed: Observed) -> Iterator[tuple[str, _Cell]]:
        spread = self.spreads.get(metric)
        labels = getattr(metric, "labels", None) or observed.groups.tally.labels
        for place, (label, value) in enumerate(zip(labels, observed.whole.values[0], strict=True)):
            yield str(label), _bound(value, spread, spread.whole if spread else None, place)

    def _by_row(self, metric: Metric, observed: Observed) -> Iterator[tuple[str | None, _Cell]]:
        spread = self.spreads.get(metric)
        if self.groups:
            yield from self._by_group(metric, observed, spread)
        bounds = spread.whole if spread else None
        if metric in self.partial:
            yield self._whole, _Cell(np.nan)
        else:
            yield self._whole, _bound(observed.whole.values[0], spread, bounds, ())

    def _by_group(
        self, metric: Metric, observed: Observed, spread: Spread | None
    ) -> Iterator[tuple[str, _Cell]]:
        """Each group, and then the plain mean of those in which the metric is defined."""
        values, bounds = observed.groups.values, spread.groups if spread else None
        places = {str(group): place for place, group in enumerate(observed.groups.tally.groups)}
        for group in self.groups:
            if group in places:
                yield group, _bound(values[places[group]], spread, bounds, places[group])
            else:
                yield group, _Cell(np.nan)
        mean = np.nan if metric.adds_up or np.isnan(values).all() else float(np.nanmean(values))
        if spread is None or bounds is None or np.isnan(mean):
            yield "macro", _Cell(mean)
        else:
            ends = bound_mean(values, bounds.low, bounds.high)
            yield "macro", _Cell(mean, ends, f"{spread.method}, groups combined")

    def _write(self, metric: Metric, group: str | None, label: str | None, cell: _Cell) -> Score:
        has_ends = not math.isnan(cell.ends[0])
        return Score(
            self.system,
            group,
            label,
            repr(metric),
            metric.name,
            metric.full_title,
            np.asarray(cell.value).item(),
            self.sizes[group],
            f"{metric.signature}|{self.facts}",
            metric.peer_signature(self.references),
            *cell.ends,
            self.level if has_ends else None,
            cell.method if has_ends else None,
        )


def _bound(
    value: Any, spread: Spread | None, bounds: Bounds | None, place: int | tuple[()]
) -> _Cell:
    """A value with one of the intervals of its metric, where that has some."""
    if spread is None or bounds is None:
        return _Cell(value)
    return _Cell(value, bounds.at(place), spread.method)

"""The score sheet of one system: each metric on every group, on their mean, and on their sum."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallystick.evaluate.uncertainty import Spread
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
        tallies: The tally of each metric.
        partial: The metrics whose tallies lack some of the examples.
        facts: What shaped the data, for signatures.
        references: How many references each example has; None where that varies.
        spreads: The intervals of the metrics that have some.
        level: Their level.
    """

    system: str
    groups: tuple[str, ...]
    sizes: Mapping[str | None, int]
    tallies: Mapping[Metric, Any]
    partial: frozenset[Metric]
    facts: str
    references: int | None = 1
    spreads: Mapping[Metric, Spread] = field(default_factory=dict)
    level: float | None = None

    def score(self) -> list[Score]:
        """All scores, row by row: groups, macro, micro, and then one row per label."""
        rows: dict[str | None, list[Score]] = {}
        labelled: dict[str, list[Score]] = {}
        for metric, tally in self.tallies.items():
            if metric.per_label:
                for label, one in self._by_label(metric, tally):
                    row = labelled.setdefault(label, [])
                    row.append(self._write(metric, self._whole, label, one))
                continue
            for group, one in self._by_row(metric, tally):
                rows.setdefault(group, []).append(self._write(metric, group, None, one))
        return [score for row in (*rows.values(), *labelled.values()) for score in row]

    @property
    def _whole(self) -> str | None:
        return "micro" if self.groups else None

    def _by_label(self, metric: Metric, tally: Any) -> Iterator[tuple[str, _Cell]]:
        values = metric.score(tally.total())[..., 0, :]
        spread = self.spreads.get(metric)
        labels = getattr(metric, "labels", None) or tally.labels
        for place, (label, value) in enumerate(zip(labels, values, strict=True)):
            ends = spread.whole.at(place) if spread else _NO_ENDS
            yield str(label), _Cell(value, ends, spread.method if spread else None)

    def _by_row(self, metric: Metric, tally: Any) -> Iterator[tuple[str | None, _Cell]]:
        spread = None if metric in self.partial else self.spreads.get(metric)
        value = np.nan if metric in self.partial else metric.score(tally.total())[..., 0]
        whole = _Cell(value, spread.whole.at(()), spread.method) if spread else _Cell(value)
        if self.groups:
            yield from self._by_group(metric, tally, self.spreads.get(metric))
        yield self._whole, whole

    def _by_group(
        self, metric: Metric, tally: Any, spread: Spread | None
    ) -> Iterator[tuple[str, _Cell]]:
        """Each group, and then the plain mean of those in which the metric is defined."""
        values = metric.score(tally)
        places = {str(group): place for place, group in enumerate(tally.groups)}
        bounds = spread.groups if spread else None
        for group in self.groups:
            place = places.get(group)
            if place is None:
                yield group, _Cell(np.nan)
            elif bounds is None or spread is None:
                yield group, _Cell(values[place])
            else:
                yield group, _Cell(values[place], bounds.at(place), spread.method)
        mean = np.nan if metric.adds_up or np.isnan(values).all() else float(np.nanmean(values))
        if bounds is None or spread is None or np.isnan(mean):
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
            np.asarray(cell.value).item(),
            self.sizes[group],
            f"{metric.signature}|{self.facts}",
            metric.peer_signature(self.references),
            *cell.ends,
            self.level if has_ends else None,
            cell.method if has_ends else None,
        )

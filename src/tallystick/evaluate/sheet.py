"""The score sheet of one system: each metric on every group, on their mean, and on their sum."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.metrics.metric import Metric
from tallystick.results import Score

__all__ = ["Lead", "Sheet"]

Lead = tuple[tuple[str, str], ...]
"""The heading of each leading column with the field of `Score` that fills it."""


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
    """

    system: str
    groups: tuple[str, ...]
    sizes: Mapping[str | None, int]
    tallies: Mapping[Metric, Any]
    partial: frozenset[Metric]
    facts: str
    references: int | None = 1

    def score(self) -> list[Score]:
        """All scores, row by row: groups, macro, micro, and then one row per label."""
        rows: dict[str | None, list[Score]] = {}
        labelled: dict[str, list[Score]] = {}
        for metric, tally in self.tallies.items():
            if metric.per_label:
                values = metric.score(tally.total())[..., 0, :]
                labels = getattr(metric, "labels", None) or tally.labels
                for label, value in zip(labels, values, strict=True):
                    row = labelled.setdefault(str(label), [])
                    row.append(self._write(metric, self._whole, str(label), value))
                continue
            for group, value in self._by_row(metric, tally):
                rows.setdefault(group, []).append(self._write(metric, group, None, value))
        return [score for row in (*rows.values(), *labelled.values()) for score in row]

    @property
    def _whole(self) -> str | None:
        return "micro" if self.groups else None

    def _by_row(self, metric: Metric, tally: Any) -> list[tuple[str | None, Any]]:
        whole = np.nan if metric in self.partial else metric.score(tally.total())[..., 0]
        if not self.groups:
            return [(None, whole)]
        values = metric.score(tally)
        seen = [str(group) for group in tally.groups]
        found = {
            group: values[seen.index(group)] if group in seen else np.nan for group in self.groups
        }
        return [
            *found.items(),
            ("macro", np.nan if metric.adds_up else _mean(values)),
            ("micro", whole),
        ]

    def _write(self, metric: Metric, group: str | None, label: str | None, value: Any) -> Score:
        return Score(
            self.system,
            group,
            label,
            repr(metric),
            metric.name,
            np.asarray(value).item(),
            self.sizes[group],
            f"{metric!r}|{self.facts}",
            metric.peer_signature(self.references),
        )


def _mean(values: NDArray[Any]) -> float:
    """The plain mean of the groups in which the metric is defined."""
    return np.nan if np.isnan(values).all() else float(np.nanmean(values))

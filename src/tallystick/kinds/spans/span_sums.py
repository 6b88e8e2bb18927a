"""Sums of spans by their type: those found, those that a system gave out, and those of the gold."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass, replace
from tallystick.kinds.spans import SPANS
from tallystick.kinds.spans.span_matches import Match, credit_spans
from tallystick.kinds.spans.spans import SpanPairs, Spans
from tallystick.model.codes import Label
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.sums import Sums, sum_values

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SpanMatches:
    """Sums what the spans of each type are worth on either side.

    A character in spans of another type on the other side is worth `other_type`.
    """

    kind: ClassVar = SPANS
    columns = ("predicted_hits", "gold_hits", "predicted", "gold")
    at_most = (("predicted_hits", "predicted"), ("gold_hits", "gold"))
    """What spans of either side are worth, and their numbers; in characters where these match."""
    match: Match = "strict"
    other_type: float = 0

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of spans")
        pairs = SPANS.of(systems)
        if systems.weights is not None:
            raise UsageError("metrics of spans do not support weights")
        if pairs.gold.words is not None and self.match not in ("strict", "exact"):
            raise UsageError(
                f"facts have no place, and match strictly or exactly, not {self.match}"
            )
        whole = self.match not in ("partial", "overlap") and not self.other_type
        types, columns = len(pairs.gold.labels.names), len(self.columns)
        shape = (len(pairs), len(pairs.outputs), types, columns)
        rows = np.zeros(shape, np.int64 if whole else np.float64)
        for system, output in enumerate(pairs.outputs):
            self._count_rows(pairs, output, rows[:, system])
        tally = sum_values(self, systems, rows.reshape(*shape[:2], types * columns))
        return replace(tally, labels=pairs.gold.labels.names)

    def _count_rows(self, pairs: SpanPairs, output: Spans, rows: NDArray[Any]) -> None:
        """Fills the columns of each type, for each example: of shape (examples, types, columns)."""
        examples, types, _ = rows.shape
        gold, own = credit_spans(pairs.gold, output, self.match, self.other_type)
        for column, side in enumerate((own, gold)):
            cells = side.owners * types + side.codes
            for place, values in ((column, side.hits), (column + 2, side.sizes)):
                found = np.bincount(cells, values, examples * types)
                rows[..., place] = found.reshape(examples, types)


@dataclass(frozen=True, slots=True, eq=False)
class SpanCounts:
    """The sums of each type, of shape (..., groups, types): what spans are worth, and how many."""

    labels: tuple[Label, ...]
    predicted_hits: Counts
    gold_hits: Counts
    predicted: Counts
    gold: Counts

    @classmethod
    def of(cls, tally: Sums) -> "SpanCounts":
        """The sums of the only system of a tally."""
        return cls(tally.labels, *np.moveaxis(tally.by_label(), -1, 0))

    def pick(self, labels: tuple[Label, ...]) -> "SpanCounts":
        """The sums of these types in this order; those of a type never seen are 0."""
        places = [self.labels.index(label) if label in self.labels else -1 for label in labels]

        def at(counts: Counts) -> Counts:
            padded = np.concatenate(
                [counts, np.zeros_like(counts, shape=(*counts.shape[:-1], 1))], -1
            )
            return padded[..., places]

        return SpanCounts(labels, *map(at, self._columns))

    def pool(self) -> "SpanCounts":
        """All types taken together, as one."""
        return SpanCounts(("micro",), *(own.sum(-1, keepdims=True) for own in self._columns))

    def weigh(self, weights: NDArray[np.float64]) -> "SpanCounts":
        """The sums with each type weighed."""
        return SpanCounts(self.labels, *(own * weights for own in self._columns))

    @property
    def used(self) -> NDArray[np.bool_]:
        """Which types occur in gold or output."""
        return (self.predicted > 0) | (self.gold > 0)

    @property
    def _columns(self) -> tuple[Counts, ...]:
        return (self.predicted_hits, self.gold_hits, self.predicted, self.gold)

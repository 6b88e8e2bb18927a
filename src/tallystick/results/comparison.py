"""What a comparison hands to its caller: differences that print, with a sentence for each."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import ClassVar, final

from tallystick.errors import UsageError
from tallystick.render.cells import Cell, PValue, format_p
from tallystick.render.document import Deferred, Document, Grid
from tallystick.results.records import Difference, Flip
from tallystick.results.result import Result
from tallystick.results.scores import name_metrics

__all__ = ["Comparison", "say"]

_PLACES = {"macro": " on the mean over groups", "micro": " over all groups", None: ""}


@final
@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """All the differences of one call; prints as a table, with what it says in words.

    Attributes:
        differences: The differences, row by row.
        notes: Sentences that the reader must know.
        finder: Finds the examples on which two systems differ, by their names.
    """

    _kind: ClassVar[type] = Difference

    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()
    finder: Callable[[str, str], tuple[Flip, ...]] | None = None

    def __repr__(self) -> str:
        """Count what there is, on one line."""
        systems = {name for one in self.differences for name in (one.a, one.b)}
        metrics = {one.metric for one in self.differences}
        return (
            f"Comparison(differences={len(self.differences)}, metrics={len(metrics)}, "
            f"systems={len(systems)})"
        )

    @property
    def _records(self) -> tuple[Difference, ...]:
        return self.differences

    def document(self) -> Document:
        """Return a table with a row for each difference, what it says in words, and the notes."""
        single = all(one.p == one.p_holm or math.isnan(one.p) for one in self.differences)
        exact = self._pivot("p", "p_holm")
        return Document(
            grids=(self._pivot("p") if single else exact,),
            sentences=self.sentences(),
            notes=self.notes,
            records=Deferred(self.to_records),
            sheet=exact,
        )

    def _pivot(self, *tests: str) -> Grid:
        grouped = any(one.group is not None for one in self.differences)
        lead = ("group", "metric", "a", "b") if grouped else ("metric", "a", "b")
        headings = (*lead, "value_a", "value_b", "difference", "low", "high", *tests)
        names = name_metrics(self.differences)

        def write(one: Difference, field: str) -> Cell:
            if field == "metric":
                return names[one.metric]
            value: Cell = getattr(one, field)
            return PValue(value) if field in tests and isinstance(value, float) else value

        blocks = tuple(
            tuple(tuple(write(one, field) for field in headings) for one in own)
            for _, own in groupby(self.differences, lambda one: one.group)
        )
        return Grid("pairs", "", headings, len(lead), blocks)

    def find(self, a: str, b: str, metric: str, group: str | None = None) -> Difference:
        """Return the difference of two systems, in this order, on a metric.

        Raises:
            UsageError: There is none.
        """
        for one in self.differences:
            if metric in (one.name, one.metric) and one.group == group:
                if (one.a, one.b) == (a, b):
                    return one
                if (one.a, one.b) == (b, a):
                    return _turn(one)
        where = "" if group is None else f" in {group!r}"
        raise UsageError(f"there is no difference of {a!r} and {b!r} on {metric!r}{where}")

    def flips(self, a: str, b: str) -> tuple[Flip, ...]:
        """Return the examples on which two systems differ, those with the largest gap first.

        For labels these are all examples that one system got right and the other one wrong; for
        texts the 100 with the largest difference in the first metric's score of the example.

        Raises:
            UsageError: There is no such system.
        """
        known = dict.fromkeys(name for one in self.differences for name in (one.a, one.b))
        for name in (a, b):
            if name not in known:
                raise UsageError(f"there is no system {name!r}, only {', '.join(known)}")
        return self.finder(a, b) if self.finder else ()

    def sentences(self) -> tuple[str, ...]:
        """Say in words what each difference over all examples means."""
        return tuple(
            say(one) for one in self.differences if one.group in _PLACES and not math.isnan(one.p)
        )


def say(one: Difference, *, digits: int = 4) -> str:
    """Tell which of two systems is better, by how much and how surely, or that none is."""
    where = _PLACES.get(one.group, f" in {one.group}")
    sign = -1 if one.difference < 0 else 1
    bounds = sorted((sign * one.low, sign * one.high))
    amount = f"{abs(one.difference):.{digits}f} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"
    chance = _say_chance(one, digits)
    if not one.significant:
        low, high = (f"{bound:.{digits}f}" for bound in (one.low, one.high))
        gap = f"{one.difference:.{digits}f} [{low}, {high}]"
        return (
            f"No significant difference between {one.a} and {one.b} on {one.name}{where}: "
            f"{gap}, {chance}."
        )
    first, second = (one.a, one.b) if sign > 0 else (one.b, one.a)
    if one.better == "lower":
        first, second = second, first
    verb = "is higher" if one.better == "neither" else "is better"
    return f"{first} {verb} than {second} on {one.name}{where} by {amount}, {chance}."


def _say_chance(one: Difference, digits: int) -> str:
    shown, corrected = (format_p(p, digits) for p in (one.p, one.p_holm))
    text = f"p {shown}" if shown.startswith("<") else f"p = {shown}"
    return text if shown == corrected else f"{text} ({corrected} by Holm)"


def _turn(one: Difference) -> Difference:
    """The same difference seen from the other side."""
    return replace(
        one,
        a=one.b,
        b=one.a,
        value_a=one.value_b,
        value_b=one.value_a,
        difference=-one.difference,
        low=-one.high,
        high=-one.low,
    )

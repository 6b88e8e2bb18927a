"""The result of planning: the power of a comparison at other numbers of examples."""

import math
from itertools import groupby
from typing import ClassVar, final

from tallystick.errors import UsageError
from tallystick.output.results.records import Power
from tallystick.output.results.result import Result
from tallystick.output.results.scores import name_metrics
from tallystick.output.results.sections.differences import PLACES
from tallystick.output.tables.cells import Bounded, Ends
from tallystick.output.tables.document import Deferred, Document, Grid, Heading, Row
from tallystick.output.tables.names import format_scores, is_between


@final
class Plan(Result, frozen=True, eq=False):
    """The power of a comparison of two systems at several numbers of examples; prints as a table.

    Attributes:
        powers: One for each metric, row of scores and number of examples.
        notes: Sentences that the reader must know.
    """

    _kind: ClassVar[type] = Power
    _field: ClassVar[str] = "powers"

    powers: tuple[Power, ...]
    notes: tuple[str, ...] = ()

    def find(self, metric: str, n: int, group: str | None = None) -> Power:
        """Returns the power for a metric with `n` examples.

        Raises:
            UsageError: That number of examples, metric or group was not planned.
        """
        for one in self.powers:
            if metric in (one.name, one.metric) and one.n == n and one.group == group:
                return one
        where = "" if group is None else f" in {group!r}"
        raise UsageError(f"nothing is planned for {metric!r} with {n} examples{where}")

    def document(self) -> Document:
        """Returns a table with a row for each number of examples, and what it says in words."""
        return Document(
            grids=(_tabulate(self.powers),),
            sentences=self.sentences(),
            notes=self.notes,
            records=Deferred(self.to_records),
        )

    def sentences(self) -> tuple[str, ...]:
        """Says how many examples it takes to find each observed difference over all examples."""
        first = {(one.metric, one.group): one for one in self.powers if one.group in PLACES}
        return tuple(_say(one) for one in first.values())


def _tabulate(powers: tuple[Power, ...]) -> Grid:
    names = name_metrics(powers)
    grouped = any(one.group is not None for one in powers)
    clustered = any(one.clusters is not None for one in powers)
    lead = ("group",) * grouped + ("metric", "n") + ("clusters",) * clustered
    blocks = tuple(
        tuple(_list_cells(one, names[one.metric], lead) for one in own)
        for _, own in groupby(powers, lambda one: (one.metric, one.group))
    )
    power = Heading("power", "power", data=False)
    headings: tuple[str | Heading, ...] = (*lead, power, "minimum detectable difference")
    return Grid("overview", "", headings, len(lead), blocks)


def _list_cells(one: Power, name: str, lead: tuple[str, ...]) -> Row:
    words = {"group": one.group, "metric": name, "n": one.n, "clusters": one.clusters}
    power = Bounded(one.power, Ends(one.power_low, one.power_high))
    return (*(words[field] for field in lead), power, one.detectable)


def _say(one: Power) -> str:
    row = "" if is_between(one.name) else PLACES[one.group]
    gap = f"the observed difference between {one.a} and {one.b} on {one.name}{row}"
    if math.isnan(one.difference):
        return f"There is no difference between {one.a} and {one.b} on {one.name}: it is undefined."
    [size] = format_scores(one.name, one.difference)
    if one.needed is None:
        return f"{gap[0].upper()}{gap[1:]} is {size}: no number of examples finds it."
    return (
        f"About {_round(one.needed):,} examples find {gap}, {size}, with "
        f"{one.target:.0%} power; there are {one.examples:,}. {_say_range(one)}"
    )


def _say_range(one: Power) -> str:
    """Says how many examples the ends of the difference's interval take."""
    low = _round(one.needed_low or 1)
    if one.needed_high is None:
        found = (
            f"As the interval of that difference holds 0, it may take any number from {low:,} on"
        )
    else:
        found = (
            f"By the interval of that difference it takes {low:,} to {_round(one.needed_high):,}"
        )
    if one.assured is None:
        return f"{found}; no number is 80% sure to be enough."
    return f"{found}; {_round(one.assured):,} are 80% sure to be enough."


def _round(count: int) -> int:
    """Rounds to three significant digits."""
    return int(float(f"{count:.3g}"))

"""The results of tuning, planning, scoring seeds and testing a task: each prints as a table."""

import math
from collections import Counter
from functools import partial
from itertools import groupby
from typing import Literal

from msgspec import Struct

from tallystick.errors import UsageError
from tallystick.output.results.records import Difference, Power, SeedScore, Threshold
from tallystick.output.results.result import Result
from tallystick.output.results.scores import name_metrics
from tallystick.output.results.sections import PLACES, say
from tallystick.output.tables.cells import Bounded, Ends, Toned, format_scores, is_between
from tallystick.output.tables.document import Deferred, Document, Grid, Heading, Row


class Tuning(Result, frozen=True, eq=False):
    """The tuned threshold of each group, or one for all examples; prints as a table.

    Attributes:
        thresholds: One per group, in the order of the groups.
        notes: Sentences that the reader must know.
    """

    _kind = Threshold
    _field = "thresholds"

    thresholds: tuple[Threshold, ...]
    notes: tuple[str, ...] = ()

    @property
    def threshold(self) -> float:
        """The threshold, where there is one for all examples.

        Raises:
            UsageError: There is one for each group.
        """
        if self.thresholds[0].group is not None:
            raise UsageError("there is a threshold for each group; name the group: tuning['en']")
        return self.thresholds[0].threshold

    def __getitem__(self, group: str) -> Threshold:
        """The threshold of a group, with all that is known of it."""
        for one in self.thresholds:
            if one.group == group:
                return one
        known = ", ".join(repr(one.group) for one in self.thresholds if one.group is not None)
        raise UsageError(
            f"there is no threshold for {group!r}, only for: {known or 'all together'}"
        )

    def document(self) -> Document:
        """Returns a table with a row for each threshold, and the notes."""
        first = self.thresholds[0]
        lead = () if first.group is None else ("group",)
        crossed = () if first.cross_fitted is None else ("cross-fitted",)
        headings = (*lead, "n", "positives", "threshold", "above", "up to", first.name, *crossed)
        rows: tuple[Row, ...] = tuple(
            (
                *(one.group for _ in lead),
                one.n,
                one.positives,
                repr(one.threshold),
                "" if one.above is None else repr(one.above),
                repr(one.up_to),
                one.value,
                *(one.cross_fitted for _ in crossed),
            )
            for one in self.thresholds
        )
        grid = Grid("overview", "", headings, len(lead), (rows,))
        return Document((grid,), notes=self.notes, content=Deferred(self.to_records))


_MAIN = (None, "macro", "micro")


class Seeds(Result, frozen=True, eq=False):
    """The mean scores of several runs of each system; prints as a table.

    Attributes:
        scores: The means, in the order in which they are shown.
        differences: How each later system differs from the first one, where there are several.
        notes: Sentences that the reader must know.
    """

    _kind = SeedScore
    _field = "scores"

    scores: tuple[SeedScore, ...]
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()

    def find(self, metric: str, system: str | None = None, group: str | None = None) -> SeedScore:
        """Returns the mean of a metric; a system need not be named where there is only one.

        Raises:
            UsageError: There is none, or the systems are several.
        """
        found = [
            one
            for one in self.scores
            if metric in (one.name, one.metric)
            and system in (None, one.system)
            and one.group == group
        ]
        if len(found) == 1:
            return found[0]
        text = "several systems have" if found else "no system has"
        raise UsageError(f"{text} a mean of {metric!r}")

    def document(self) -> Document:
        """Returns a table with a row for each mean, and the differences in words."""
        return Document(
            grids=(_tabulate(self.scores),),
            sentences=tuple(say(one) for one in self.differences if one.group in _MAIN),
            notes=self.notes,
            methods=(
                f"{100 * self.scores[0].confidence:g}% confidence intervals: of the mean over "
                "other examples and seeds, and over other examples alone. SD: the standard "
                "deviation over runs. Seed share: the part of the variance of the mean that comes "
                "from the seeds."
            ),
            content=Deferred(self.to_records),
            sheet=partial(self._list_fields, "pairs"),
        )


def _tabulate(scores: tuple[SeedScore, ...]) -> Grid:
    names = name_metrics(scores)
    grouped = any(one.group is not None for one in scores)
    several = len({one.system for one in scores}) > 1
    lead = ("system",) * several + ("group",) * grouped + ("metric",)
    share = Heading("seed share", "seed share", data=False)
    numbers = ("n", "runs", "mean", "SD", "over examples")
    headings: tuple[str | Heading, ...] = (*lead, *numbers, share)

    def write(one: SeedScore) -> Row:
        words = {"system": one.system, "group": one.group, "metric": names[one.metric]}
        return (
            *(words[field] for field in lead),
            one.n,
            one.runs,
            Bounded(one.value, Ends(one.low, one.high)),
            one.deviation,
            Ends(one.examples_low, one.examples_high),
            one.seed_share,
        )

    blocks = tuple(
        tuple(map(write, own)) for _, own in groupby(scores, lambda one: (one.system, one.group))
    )
    return Grid("overview", "", headings, len(lead) + 2, blocks)


class Plan(Result, frozen=True, eq=False):
    """The power of a comparison of two systems at several numbers of examples; prints as a table.

    Attributes:
        powers: One for each metric, row of scores and number of examples.
        notes: Sentences that the reader must know.
    """

    _kind = Power
    _field = "powers"

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
            grids=(_tabulate_powers(self.powers),),
            sentences=self.sentences(),
            notes=self.notes,
            content=Deferred(self.to_records),
        )

    def sentences(self) -> tuple[str, ...]:
        """Says how many examples it takes to find each observed difference over all examples."""
        first = {(one.metric, one.group): one for one in self.powers if one.group in PLACES}
        return tuple(_say(one) for one in first.values())


def _tabulate_powers(powers: tuple[Power, ...]) -> Grid:
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
        return f"{gap[0].upper()}{gap[1:]} is {size}: no number of examples is enough to detect it."
    needed, low, high, sure = (
        f"{float(f'{count or 1:.3g}'):,.0f}"
        for count in (one.needed, one.needed_low, one.needed_high, one.assured)
    )
    found = f"By the interval of that difference it takes {low} to {high}"
    if one.needed_high is None:
        found = (
            f"As the interval of that difference contains 0, it may take any number from {low} on"
        )
    assured = "no number is" if one.assured is None else f"{sure} are"
    return (
        f"About {needed} examples find {gap}, {size}, with {one.target:.0%} power; there are "
        f"{one.examples:,}. {found}; {assured} 80% sure to be enough."
    )


TaskOutcome = Literal["passed", "failed", "info"]

_SHOWN: dict[TaskOutcome, Toned] = {
    "passed": Toned("passed", "good"),
    "failed": Toned("FAILED", "bad"),
    "info": Toned("info", "open"),
}


class TaskCheck(Struct, frozen=True):
    """One check of a shared task.

    `phase` is None where there are no phases, and `check` such as `gold against gold`. The outcome
    is `told` where there is nothing to pass, such as the scores of baselines; the sentence says
    what was found, and where it failed what to do.
    """

    phase: str | None
    track: str
    check: str
    outcome: TaskOutcome
    sentence: str


class SelfTest(Result, frozen=True, eq=False):
    """The checks of a shared task; prints as a table, with what failed in words."""

    _kind = TaskCheck
    _field = "checks"

    checks: tuple[TaskCheck, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(check.outcome != "failed" for check in self.checks)

    @property
    def summary(self) -> str:
        """The outcome of all checks, in one sentence."""
        counts = Counter(check.outcome for check in self.checks)
        verdict = "passed its self-test" if self.passed else "failed its self-test"
        failed = f", {counts['failed']} failed" if counts["failed"] else ""
        tried = counts["passed"] + counts["failed"]
        return f"The task {verdict}: {counts['passed']} of {tried} checks passed{failed}."

    def document(self) -> Document:
        """Returns the verdict, a table of the checks, and sentences on what failed and is told."""
        shown = [check for check in self.checks if check.outcome != "passed"]
        return Document(
            grids=(self._tabulate(),),
            heading=self.summary,
            sentences=tuple(
                f"{', '.join(filter(None, (check.phase, check.track, check.check)))}: "
                f"{check.sentence}"
                for check in sorted(shown, key=lambda check: check.outcome == "info")
            ),
            notes=self.notes,
            content={
                "passed": self.passed,
                "summary": self.summary,
                "notes": self.notes,
                "checks": self.to_records(),
            },
            sheet=partial(self._list_fields, "checks"),
        )

    def _tabulate(self) -> Grid:
        places = list(dict.fromkeys((one.phase, one.track) for one in self.checks))
        names = list(dict.fromkeys(one.check for one in self.checks))
        found = {(one.phase, one.track, one.check): _SHOWN[one.outcome] for one in self.checks}
        headings = (Heading(" · ".join(filter(None, place))) for place in places)
        rows = ((name, *(found.get((*place, name)) for place in places)) for name in names)
        return Grid("checks", "Checks of the task", ("check", *headings), 1, (tuple(rows),))

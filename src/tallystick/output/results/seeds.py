"""The result of scoring several runs of systems: means over runs, with intervals."""

from itertools import groupby
from typing import ClassVar, final

from msgspec.structs import astuple

from tallystick.errors import UsageError
from tallystick.output.results.records import Difference, SeedScore
from tallystick.output.results.result import Result
from tallystick.output.results.scores import name_metrics
from tallystick.output.results.sections.differences import say
from tallystick.output.tables.cells import Bounded, Ends
from tallystick.output.tables.document import Deferred, Document, Grid, Heading, Row

_MAIN = (None, "macro", "micro")
_FIELDS = tuple(SeedScore.__struct_fields__)


@final
class Seeds(Result, frozen=True, eq=False):
    """The mean scores of several runs of each system; prints as a table.

    Attributes:
        scores: The means, in the order in which they are shown.
        differences: How each later system differs from the first one, where there are several.
        notes: Sentences that the reader must know.
    """

    _kind: ClassVar[type] = SeedScore
    _field: ClassVar[str] = "scores"

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
        told = "several systems have" if found else "no system has"
        raise UsageError(f"{told} a mean of {metric!r}")

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
            records=Deferred(self.to_records),
            sheet=lambda: Grid("pairs", "", _FIELDS, 4, (tuple(map(astuple, self.scores)),)),
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

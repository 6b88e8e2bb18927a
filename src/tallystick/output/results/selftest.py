"""The result of a shared task's self-test: checks that passed or failed, and information."""

from collections import Counter
from typing import ClassVar, Literal, final

from msgspec import Struct
from msgspec.structs import astuple

from tallystick.output.results.result import Result
from tallystick.output.tables.cells import Toned
from tallystick.output.tables.document import Deferred, Document, Grid, Heading

TaskOutcome = Literal["passed", "failed", "told"]

_SHOWN: dict[TaskOutcome, Toned] = {
    "passed": Toned("passed", "good"),
    "failed": Toned("FAILED", "bad"),
    "told": Toned("told", "open"),
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


_FIELDS = tuple(TaskCheck.__struct_fields__)


@final
class SelfTest(Result, frozen=True, eq=False):
    """The checks of a shared task; prints as a table, with what failed in words."""

    _kind: ClassVar[type] = TaskCheck
    _field: ClassVar[str] = "checks"

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
        verdict = "is fit to run" if self.passed else "is not fit to run"
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
                for check in sorted(shown, key=lambda check: check.outcome == "told")
            ),
            notes=self.notes,
            records=Deferred(self.to_records),
            parts={
                "passed": self.passed,
                "summary": self.summary,
                "notes": self.notes,
                "checks": self.to_records(),
            },
            sheet=lambda: Grid("checks", "", _FIELDS, 4, (tuple(map(astuple, self.checks)),)),
        )

    def _tabulate(self) -> Grid:
        """A row for each check, a column for each track of each phase."""
        places = list(dict.fromkeys((one.phase, one.track) for one in self.checks))
        names = list(dict.fromkeys(one.check for one in self.checks))
        found = {(one.phase, one.track, one.check): _SHOWN[one.outcome] for one in self.checks}
        headings = (Heading(" · ".join(filter(None, place))) for place in places)
        rows = ((name, *(found.get((*place, name)) for place in places)) for name in names)
        return Grid("checks", "Checks of the task", ("check", *headings), 1, (tuple(rows),))

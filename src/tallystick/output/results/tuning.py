"""The result of tuning: thresholds that print as a table and can be looked up by group."""

from typing import ClassVar, final

from tallystick.errors import UsageError
from tallystick.output.results.records import Threshold
from tallystick.output.results.result import Result
from tallystick.output.tables.document import Deferred, Document, Grid, Row


@final
class Tuning(Result, frozen=True, eq=False):
    """The tuned threshold of each group, or one for all examples; prints as a table.

    Attributes:
        thresholds: One per group, in the order of the groups.
        notes: Sentences that the reader must know.
    """

    _kind: ClassVar[type] = Threshold
    _field: ClassVar[str] = "thresholds"

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
        return Document(
            (_pivot(self.thresholds),), notes=self.notes, records=Deferred(self.to_records)
        )


def _pivot(thresholds: tuple[Threshold, ...]) -> Grid:
    first = thresholds[0]
    lead = () if first.group is None else ("group",)
    crossed = () if first.cross_fitted is None else ("cross-fitted",)
    headings = (*lead, "n", "positives", "threshold", "above", "up to", first.name, *crossed)
    rows: list[Row] = [
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
        for one in thresholds
    ]
    return Grid("overview", "", headings, len(lead), (tuple(rows),))

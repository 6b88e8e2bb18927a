"""The scores of several tracks as one result."""

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import ClassVar, final

from msgspec import defstruct
from msgspec.structs import fields, replace

from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.methods import describe_intervals
from tallystick.output.results.records import Score
from tallystick.output.results.result import Result
from tallystick.output.results.scores import list_signatures
from tallystick.output.tables.document import Deferred, Document, Grid

_TrackScore = defstruct(
    "_TrackScore", [("track", str), *((one.name, one.type) for one in fields(Score))]
)
"""A score with the name of its track before it."""


@final
class Scored(Result, frozen=True, eq=False):
    """The scores of submissions to a shared task; prints as a table for each track.

    Tracks without a submission are left out.
    """

    _kind: ClassVar[type] = _TrackScore

    tracks: dict[str, Evaluation]
    notes: tuple[str, ...] = ()

    @property
    def _records(self) -> tuple[Score, ...]:
        return tuple(chain.from_iterable(one.scores for one in self.tracks.values()))

    def _title(self, track: str) -> str:
        """What stands above a table: the track, and its system where others have more than one."""
        own, every = (
            {one.system for one in some} for some in (self.tracks[track].scores, self._records)
        )
        return f"{track}, {min(own)} alone" if len(own) < 2 <= len(every) else track

    def to_records(self) -> list[dict[str, object]]:
        """Returns one dictionary per score, with its track and the fields of `Score` as keys."""
        return [
            {"track": name} | record
            for name, one in self.tracks.items()
            for record in one.to_records()
        ]

    def document(self) -> Document:
        """Returns the tables of all tracks, with the name of the track above each."""
        bare = {name: replace(one, confusions=()) for name, one in self.tracks.items()}
        documents = {name: one.document() for name, one in bare.items()}
        return Document(
            grids=tuple(
                replace(grid, caption=": ".join(filter(None, (self._title(name), grid.caption))))
                for name, one in documents.items()
                for grid in one.grids
            ),
            notes=self.notes,
            methods="".join(describe_intervals(self._records)),
            signatures=list_signatures(self._records),
            sheet=partial(_join_sheets, documents),
            parts={"scores": Deferred(self.to_records), "notes": self.notes},
        )


def _join_sheets(documents: Mapping[str, Document]) -> Grid | None:
    """One table of all tracks, with all columns that any of them has."""
    sheets = {name: one.sheet() for name, one in documents.items() if one.sheet}
    own = {name: sheet for name, sheet in sheets.items() if sheet is not None}
    if not own:
        return None
    leads = dict.fromkeys(head for one in own.values() for head in one.headings[: one.leads])
    rest = dict.fromkeys(head for one in own.values() for head in one.headings[one.leads :])
    headings = (*leads, *rest)
    rows = []
    for name, sheet in own.items():
        for row in sheet.rows:
            cells = dict(zip(sheet.headings, row, strict=True))
            rows.append((name, *(cells.get(heading) for heading in headings)))
    return Grid("overview", "", ("track", *headings), 1 + len(leads), (tuple(rows),))

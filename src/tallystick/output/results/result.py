"""What every result can do: print, show in a notebook, and go to other formats."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from msgspec import Struct, to_builtins
from msgspec.structs import asdict, astuple, force_setattr, replace

from tallystick.errors import shorten_tracebacks, sort_notes
from tallystick.output import MOST_EXAMPLES
from tallystick.output.results.records import Gather
from tallystick.output.tables.document import Document, Grid, Row, Sections, Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import WIDTH, write_text
from tallystick.output.tables.typeset import clean

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from tallystick.output.figures.figure import Figure
    from tallystick.output.report.page import Content, Origin


_TIDY = (
    *("track", "system", "a", "b", "kind", "group", "label", "metric", "rank", "threshold"),
    *("value", "old", "value_a", "value_b", "difference", "low", "high", "p", "p_holm"),
    *("limit", "verdict", "n", "examples", "power", "detectable", "needed", "runs", "deviation"),
)
"""The columns of data frames that people read, in their order."""


class Result(Struct, frozen=True, eq=False):
    """Frozen records of one kind, with all that the reader must know about them."""

    _kind: ClassVar[type[Struct]]
    """The type of its records."""
    _field: ClassVar[str]
    """The field that contains them."""
    _bounded: ClassVar[str | None] = None
    """The field of the scores whose intervals it explains."""

    _uncompared: ClassVar[tuple[str, ...]] = ("gather",)
    """Fields that may differ between equal results."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that the reader must know."""
        return ()

    @property
    def gather(self) -> Gather | None:
        """Gathers what a report shows besides."""
        return None

    def __init_subclass__(cls) -> None:
        shorten_tracebacks(cls)

    def __post_init__(self) -> None:
        force_setattr(self, "notes", sort_notes(self.notes))

    def document(self) -> Document:
        """Returns all that there is to show, for `render` to write in any format."""
        raise NotImplementedError

    def _list_compared(self) -> tuple[object, ...]:
        names = self.__struct_fields__
        return tuple(getattr(self, name) for name in names if name not in self._uncompared)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._list_compared() == other._list_compared()

    def __hash__(self) -> int:
        return hash(self._list_compared())

    def __str__(self) -> str:
        width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
        return write_text(clean(self.document()), Style(), width=width).removesuffix("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return render(self.document(), "notebook")

    @property
    def methods_in_full(self) -> tuple[str, ...]:
        """What the interval of each metric comes from."""
        from tallystick.output.results.scores import describe_intervals

        if self._bounded is None:
            return ()
        return describe_intervals(getattr(self, self._bounded), in_full=True)

    def to_records(self) -> list[dict[str, object]]:
        """Returns one dictionary per record, with the record's fields as keys."""
        return list(self._list_records())

    def _list_records(self) -> Iterator[dict[str, object]]:
        return map(asdict, getattr(self, self._field))

    def _list_fields(self, kind: Literal["pairs", "checks"]) -> Grid:
        """Every field of every record, for CSV; the first four say what a row is about."""
        rows: tuple[Row, ...] = tuple(map(astuple, getattr(self, self._field)))
        return Grid(kind, "", self._kind.__struct_fields__, 4, (rows,))

    def to_json(self) -> str:
        """Returns JSON with one record per line; an undefined value is null."""
        return render(self.document(), "json")

    def to_csv(self) -> str:
        """Returns one table as CSV in full precision; an undefined value is an empty cell."""
        return render(self.document(), "csv")

    def to_markdown(self, style: Style | None = None) -> str:
        """Returns tables in GitHub Markdown."""
        return render(self.document(), "markdown", style)

    def to_latex(self, style: Style | None = None) -> str:
        """Returns LaTeX tables, which need the packages booktabs and graphicx."""
        return render(self.document(), "latex", style)

    def to_html(
        self,
        path: str | PathLike[str],
        style: Style | None = None,
        *,
        examples: int | None = MOST_EXAMPLES,
    ) -> None:
        """Writes a report: one page of HTML that needs no server, no network and no JavaScript.

        Args:
            path: The file.
            style: How numbers are shown.
            examples: How many examples it contains at most, which show gold; None is all of them.

        Raises:
            UsageError: Jinja2 or vl-convert-python, of the extra `report`, is not installed.
        """
        from tallystick.io.files import opening as files
        from tallystick.output.figures.drawing import check_report, prepare_bundle
        from tallystick.output.report.page import write_page

        check_report()
        prepare_bundle()
        content = self.describe(style=style, examples=examples)
        files.write_text(os.fspath(path), write_page(content))

    def describe(
        self,
        origin: "Origin | None" = None,
        style: Style | None = None,
        *,
        examples: int | None = MOST_EXAMPLES,
    ) -> "Content":
        """Returns what the report of this result is made of."""
        from tallystick.output.report.page import Content, Origin
        from tallystick.output.tables.typeset import choose_columns

        found = json.loads(self.to_json())
        evidence = () if self.gather is None else self.gather(examples)
        style = style or Style()
        document = self.document()
        chosen = replace(choose_columns(document, style), sentences=document.sentences)
        return Content(
            document=document,
            sections=self._divide(chosen, style),
            result={"records": found} if isinstance(found, list) else found,
            evidence=tuple(map(to_builtins, evidence)),
            origin=origin or Origin(),
            style=style,
        )

    def _divide(self, document: Document, style: Style) -> Sections:
        """Makes the sections of a report, perhaps from the document, whose columns are chosen."""
        return Sections(document.sentences[:2], tuple(document.grids))

    def to_sentence(self, style: Style | None = None) -> str:
        """Returns sentences for a paper."""
        return " ".join(self.document().sentences)

    def figure(
        self,
        kind: str | None = None,
        *,
        metric: str | None = None,
        system: str | None = None,
        wide: bool = False,
    ) -> "Figure":
        """Returns a figure, which notebooks and Altair show, and which can be saved.

        Args:
            kind: What to show, such as `confusion`; None takes the usual figure.
            metric: The metric, by its short name or its repr; None takes the first.
            system: The system, where a figure is of one; None takes all, or the only one.
            wide: Whether it is for two columns of a paper, and not for one.

        Raises:
            UsageError: There is no such figure of this result; the message lists those there are.
        """
        from tallystick.output.figures.figure import make_figure

        result = json.loads(self.to_json())
        return make_figure(result, kind, metric=metric, system=system, wide=wide)

    @property
    def table(self) -> "pandas.DataFrame":
        """The values as a data frame with a column for each metric.

        A row is a system in a group, of comparisons a pair of systems, whose values are
        differences; of plans a number of examples, whose value is the power. Of metrics with a
        value per label alone, each label has a row.
        """
        frame = self.to_pandas()
        if "label" in frame and frame["label"].isna().any():
            frame = frame[frame["label"].isna()].dropna(axis="columns", how="all")
        value = "power" if "power" in frame else "difference" if "a" in frame else "value"
        leads = ["track", "system", "a", "b", "kind", "group", "label"]
        leads += ["n"] if value == "power" else []
        names = [name for name in leads if name in frame]
        wide = frame.set_index([*names, "metric"])[value].unstack(sort=False)
        return cast("pandas.DataFrame", wide.rename_axis(columns=None))

    def to_text(self, style: Style | None = None) -> str:
        """Returns tables as plain text, with notes below them."""
        return render(self.document(), "table", style)

    def to_arrow(self) -> "pyarrow.Table":
        """Returns a table with one row per record and the record's fields as columns."""
        from tallystick.output.tables.formats import build_arrow

        return build_arrow(self._kind, self.to_records())

    def to_pandas(self, *, full: bool = False) -> "pandas.DataFrame":
        """Returns a data frame with one row per record.

        Args:
            full: Whether every field of the record is a column, as in `to_records`. The usual
                columns are what tables show: `metric` is the short name, and columns without any
                value are left out.

        Raises:
            UsageError: pandas is not installed.
        """
        from tallystick.output.tables.formats import build_pandas

        frame = build_pandas(self._kind, self.to_records())
        if full:
            return frame
        if "name" in frame:
            shared = frame.groupby("name")["metric"].nunique() > 1
            frame["metric"] = frame["metric"].where(frame["name"].map(shared), frame["name"])
        return frame[[name for name in _TIDY if name in frame and frame[name].notna().any()]]


shorten_tracebacks(Result)

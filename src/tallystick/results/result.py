"""What every result can do: print, show in a notebook, and go to other formats."""

import abc
import shutil
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from tallystick.render.document import Document
from tallystick.render.formats import render
from tallystick.render.records import build_arrow, build_pandas
from tallystick.render.style import Style
from tallystick.render.text import WIDTH, write_text

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Result"]


class Result(abc.ABC):
    """Frozen records of one kind, with all that the reader must know about them."""

    __slots__ = ()

    notes: tuple[str, ...]
    """Sentences that the reader must know."""

    _kind: ClassVar[type]
    """The type of its records."""
    _printed: ClassVar[str] = "table"
    """The format that it prints in."""

    @property
    @abc.abstractmethod
    def _records(self) -> tuple[Any, ...]:
        """The records that it consists of."""

    @abc.abstractmethod
    def document(self) -> Document:
        """Returns all that there is to show, for `render` to write in any format."""

    def __str__(self) -> str:
        """Writes what print shows, without the last line end."""
        if self._printed != "table":
            return render(self.document(), self._printed).removesuffix("\n")
        width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
        return write_text(self.document(), Style(), width=width).removesuffix("\n")

    def __repr__(self) -> str:
        """Writes what print shows, so that a prompt shows it too."""
        return str(self)

    def _repr_html_(self) -> str:
        """Writes the tables that a notebook shows."""
        return render(self.document(), "notebook")

    def to_records(self) -> list[dict[str, object]]:
        """Returns one dictionary per record, with the record's fields as keys."""
        names = self._kind.__dataclass_fields__  # type: ignore[attr-defined]
        return [{name: getattr(one, name) for name in names} for one in self._records]

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

    def to_html(self, style: Style | None = None) -> str:
        """Returns a page of tables, which a word processor opens."""
        return render(self.document(), "html", style)

    def to_text(self, style: Style | None = None) -> str:
        """Returns tables as plain text, with notes below them."""
        return render(self.document(), "table", style)

    def to_arrow(self) -> "pyarrow.Table":
        """Returns a table with one row per record and the record's fields as columns."""
        return build_arrow(self._kind, self.to_records())

    def to_pandas(self) -> "pandas.DataFrame":
        """Returns a data frame with one row per record and the record's fields as columns.

        Raises:
            UsageError: pandas is not installed.
        """
        return build_pandas(self._kind, self.to_records())

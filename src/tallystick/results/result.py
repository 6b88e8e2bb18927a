"""What every result can do: print, show in a notebook, and go to other formats."""

import abc
from typing import TYPE_CHECKING, Any, ClassVar

from tallystick.render.document import Document
from tallystick.render.formats import render
from tallystick.render.records import build_arrow, build_pandas

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Result"]


class Result(abc.ABC):
    """Frozen records of one kind, with all that the reader must know about them."""

    __slots__ = ()

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
        """Return all that there is to show, for `render` to write in any format."""

    def __str__(self) -> str:
        """Write what print shows, without the last line end."""
        return render(self.document(), self._printed).removesuffix("\n")

    def _repr_html_(self) -> str:
        """Write the tables that a notebook shows."""
        return render(self.document(), "html")

    def to_records(self) -> list[dict[str, object]]:
        """Return one dictionary per record, with the record's fields as keys."""
        names = self._kind.__dataclass_fields__  # type: ignore[attr-defined]
        return [{name: getattr(one, name) for name in names} for one in self._records]

    def to_json(self) -> str:
        """Return JSON with one record per line; an undefined value is null."""
        return render(self.document(), "json")

    def to_csv(self) -> str:
        """Return one table as CSV in full precision; an undefined value is an empty cell."""
        return render(self.document(), "csv")

    def to_markdown(self) -> str:
        """Return tables in GitHub Markdown."""
        return render(self.document(), "markdown")

    def to_latex(self) -> str:
        """Return LaTeX tabulars, which need the package booktabs."""
        return render(self.document(), "latex")

    def to_arrow(self) -> "pyarrow.Table":
        """Return a table with one row per record and the record's fields as columns."""
        return build_arrow(self._kind, self.to_records())

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame with one row per record and the record's fields as columns.

        Raises:
            UsageError: pandas is not installed.
        """
        return build_pandas(self._kind, self.to_records())

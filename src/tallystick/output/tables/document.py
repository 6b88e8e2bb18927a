"""Documents of tables, in which every result reaches every writer, and the style of these."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import UsageError, short_traceback
from tallystick.output.tables.cells import Cell, Toned, choose_decimals, is_fraction

_Item = TypeVar("_Item")

Row: TypeAlias = tuple[Cell, ...]

Record: TypeAlias = Mapping[str, object]
"""The fields of a frozen record by their names."""


class Heading(Struct, frozen=True):
    """A heading that differs from the metric of its numbers; names of `data` stay unchanged."""

    name: str
    metric: str = ""
    data: bool = True

    def __str__(self) -> str:
        return f"{self.name} · {self.metric}" if self.data and self.metric else self.name


class Table(Struct, Generic[_Item], frozen=True):
    """A table of cells: numbers, words and intervals, or how these are shown.

    Attributes:
        kind: What the rows are; only pages have a board, differences or groups.
        caption: The line above the table; empty for the overview.
        headings: One per column; a string after the leading columns is the metric of its numbers
            unless `metric` names another.
        leads: How many columns, from the left, name a row.
        blocks: The rows, in blocks that are separated by lines.
        metric: The short name of the metric of all numbers, where headings do not name it.
        legend: Sentences on what its columns, lines or asterisks mean.
        names: Whether each column contains names, where the cells do not show it.
    """

    kind: (
        Literal["overview", "classes", "confusion", "pairs", "checks", "ranking"]
        | Literal["board", "differences", "groups"]
    )
    caption: str
    headings: tuple[str | Heading, ...]
    leads: int
    blocks: tuple[tuple[tuple[_Item, ...], ...], ...]
    metric: str = ""
    legend: tuple[str, ...] = ()
    names: tuple[bool, ...] = ()

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings as text."""
        return tuple(map(str, self.headings))

    @property
    def rows(self) -> tuple[tuple[_Item, ...], ...]:
        """The rows of all blocks."""
        return tuple(chain.from_iterable(self.blocks))

    @property
    def textual(self) -> tuple[bool, ...]:
        """Whether each column contains names, which align left, and not numbers."""
        return self.names or tuple(map(self._is_textual, range(len(self.headings))))

    def take(self, places: Sequence[int], leads: int) -> "Table[_Item]":
        """Returns the grid with some of its columns, in this order."""
        taken = self.change_rows(lambda row: tuple(row[place] for place in places))
        headings = tuple(self.headings[place] for place in places)
        names = tuple(self.names[place] for place in places) if self.names else ()
        return replace(taken, headings=headings, leads=leads, names=names)

    def change_rows(
        self, change: Callable[[tuple[_Item, ...]], tuple[_Item, ...]]
    ) -> "Table[_Item]":
        """Returns the grid with each of its rows changed."""
        return replace(self, blocks=tuple(tuple(map(change, block)) for block in self.blocks))

    def _is_textual(self, column: int) -> bool:
        cells = [row[column] for row in self.rows]
        if column < self.leads:
            return any(isinstance(cell, str | Toned) for cell in cells)
        named = isinstance(self.headings[column], Heading)
        return named and all(isinstance(cell, str) for cell in cells)


Grid: TypeAlias = Table[Cell]
"""A table whose cells are not yet text."""


class Deferred(Struct, Generic[_Item], frozen=True):
    """Builds its items lazily, each time a writer iterates over them."""

    make: Callable[[], Iterable[_Item]]

    def __iter__(self) -> Iterator[_Item]:
        return iter(self.make())


class LazyGrids(Sequence[Grid]):
    """Tables that are made when a writer first looks at them, which that of JSON never does."""

    def __init__(self, make: Callable[[], Iterable[Grid]]) -> None:
        """Takes what makes them, once."""
        self._make = cache(lambda: tuple(make()))

    def __len__(self) -> int:
        return len(self._make())

    def __getitem__(self, place: Any) -> Any:
        return self._make()[place]


class Document(Struct, frozen=True):
    """All that a result shows, before a writer turns it into text.

    Attributes:
        grids: The tables, in the order in which they are shown.
        heading: The line above everything; empty where there is none.
        sentences: What the tables show, in words.
        notes: Further sentences that the reader must know.
        methods: What the intervals are, in one line; empty where there are none.
        signatures: What shaped each metric of texts, by its short name, for the foot of a table.
        content: The list of records that JSON has, or an object: a list in it has a line for each
            item, a tuple is on one line.
        paper: The tables that LaTeX has in place of the others.
        sheet: Makes the table that CSV has, in place of the first of the tables.
        write_lines: Writes the format `lines`; None where there is no such format.
    """

    grids: Sequence[Grid] = ()
    heading: str = ""
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    methods: str = ""
    signatures: Mapping[str, str] = {}
    content: Iterable[Record] | Mapping[str, object] = ()
    paper: Sequence[Grid] = ()
    sheet: Callable[[], Grid | None] | None = None
    write_lines: "Callable[[Style], str] | None" = None

    @property
    def legends(self) -> tuple[str, ...]:
        """What the columns, lines and asterisks of the tables mean, without repetition."""
        return tuple(dict.fromkeys(chain.from_iterable(grid.legend for grid in self.grids)))


class Sections(Struct, frozen=True):
    """What a page shows of a result before its figures and examples.

    A verdict in one or two sentences a track; leaderboards, or other tables in their place; a
    matrix of differences for each track and metric; scores by group.
    """

    verdict: tuple[str, ...]
    tables: tuple[Grid, ...]
    pairs: tuple[tuple[str | None, Grid], ...] = ()
    groups: tuple[Grid, ...] = ()


class Style(Struct, frozen=True, kw_only=True):
    """How results are shown; CSV and JSON are always in full precision.

    Attributes:
        digits: The decimals of scores; None takes those with which the field prints a metric.
        decimals: The decimals of single metrics, by their short names.
        percent: Whether fractions, such as accuracy and F1, are multiplied by 100.
        columns: The columns to show, in this order, next to the names of the rows; none is all.
        intervals: Whether CSV, lines, and plain counts have their intervals too.
        notes: How many notes are shown at most; None is all.
        rename: What systems, groups and columns are called in tables, by their own names.
        caption: The caption of the first LaTeX table; None takes the usual one.
        label: The label of LaTeX tables, which further ones number; None takes the usual ones.

    Raises:
        UsageError: A number of decimals is below 0 or above 17.
    """

    digits: int | None = None
    decimals: Mapping[str, int] = {}
    percent: bool = False
    columns: tuple[str, ...] = ()
    intervals: bool = False
    notes: int | None = 3
    rename: Mapping[str, str] = {}
    caption: str | None = None
    label: str | None = None

    @short_traceback
    def __post_init__(self) -> None:
        asked = () if self.digits is None else (self.digits,)
        for digits in (*asked, *self.decimals.values()):
            if not 0 <= digits <= 17:  # as many as a float64 has
                raise UsageError(f"The number of digits is {digits}, expected 0 to 17.")

    def count_decimals(self, metric: str, largest: float = 0.0, spread: float = math.inf) -> int:
        """Returns the decimals of a metric: the style's, or those with which the field prints it.

        Args:
            metric: Its short name or its repr.
            largest: The largest of the numbers that are shown.
            spread: The width of the narrowest interval.
        """
        digits = self.decimals.get(metric, self.digits)
        if digits is not None:
            return digits
        percent = self.percent and is_fraction(metric)
        return choose_decimals(metric, largest, spread * (100 if percent else 1), percent=percent)

"""How columns are read: kinds, settings, and the submissions that could not be read."""

import abc
import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.io.files.opening import Progress
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import list_values
from tallystick.model.codes import Label, Labels, row_of
from tallystick.model.columns import IDS, Columns, find
from tallystick.model.facts import Facts, Task
from tallystick.model.number_values import Cells
from tallystick.model.sides import Side, find_gold, find_output
from tallystick.model.systems import Column, Systems
from tallystick.model.type_inference import Former
from tallystick.output.results.records import Refusal
from tallystick.settings import AbstractMeta

Form = Literal["number", "distribution", "votes"]
"""What an example is worth: a number, a distribution over labels, or a label of each annotator."""


class Needed(Struct, frozen=True):
    """The numbers that a counter reads.

    Attributes:
        column: The column of each system's numbers; None is its output.
        width: The column of gold with how far each example may be off.
        worst: The value of a missing output that counts as wrong; NaN if unknown.
        best: The value of a missing output if it were right; NaN if unknown.
        beside: A second column of each system's numbers.
    """

    column: str | None = None
    gold: bool = False
    form: Form = "number"
    width: str | None = None
    worst: float = math.nan
    best: float = math.nan
    beside: str | None = None

    @property
    def columns(self) -> tuple[str | None, ...]:
        """The columns of each system's numbers."""
        return (self.column,) if self.beside is None else (self.column, self.beside)


Found = TypeVar("Found")
Own_co = TypeVar("Own_co", bound=Column, covariant=True)


class ResettleError(Exception):
    """A later block shows another task than the first one: all is to be read by `reading`."""

    def __init__(self, reading: "Reading") -> None:
        """Keeps how all of it is to be read."""
        self.reading = reading


class NoneLeftError(InputError):
    """All systems are wrong, though some may be."""

    def __init__(self, rejected: Sequence[Refusal]) -> None:
        """Tells the reason of the first one."""
        count = len(rejected)
        message = "the only submission is" if count == 1 else f"all {count} submissions are"
        InputError.__init__(self, f"{message} rejected: {rejected[0].reason}")
        self.rejected = tuple(rejected)

    def __reduce__(self) -> "tuple[type[NoneLeftError], tuple[tuple[Refusal, ...]]]":
        return NoneLeftError, (self.rejected,)


@contextmanager
def renaming(explain: Callable[[str], str]) -> Iterator[None]:
    """Says in other words what is wrong with systems."""
    try:
        yield
    except NoneLeftError as error:
        rejected = [replace(one, reason=explain(one.reason)) for one in error.rejected]
        raise NoneLeftError(rejected) from error
    except InputError as error:
        raise InputError(explain(str(error))) from error


class UnforeseenError(InputError):
    """A system is wrong in a way that no reader and no counter foresaw."""


@contextmanager
def refusing() -> Iterator[None]:
    """Turns whatever a submission raises while it is read or counted into an InputError.

    This is the only place that does so: a submission can be rejected, and nothing else. What an
    unforeseen error says is not told, because it may quote the gold.
    """
    try:
        yield
    except TallystickError:
        raise
    except MemoryError as error:
        raise UnforeseenError("it needs more memory than there is") from error
    except RecursionError as error:
        raise UnforeseenError("it is nested too deeply") from error
    except Exception as error:
        reason = f"it cannot be read or counted ({type(error).__name__})"
        raise UnforeseenError(reason) from error


class Collected(Struct, Generic[Found], frozen=True):
    """What could be read of the systems, by their names, and the systems that are wrong."""

    accepted: dict[str, Found]
    rejected: tuple[Refusal, ...] = ()


class Reading(Struct, frozen=True):
    """How gold and outputs are read.

    Attributes:
        kinds: The kinds as which columns are read; None guesses them from the gold.
        tolerant: Whether a wrong system is rejected and does not stop the others.
        num_refs: How many references each line of the gold has, separated by tabs.
        blank_is_missing: Whether a blank line of a reference file is no reference at all.
        asked: The task before the first examples settled it; None if they have not.
        golden: The labels of all the gold, whose ids have been checked, for tables that are blocks
            of it; None if they have not been looked at.
        tries: How many tries of each example are needed, if these are read.
        former: What the first examples show of each system.
        hidden: Whether whoever made the outputs may not know the gold, so that nothing shows it.
        unanswerable: Whether an empty list of references is a question without an answer.
        sessions: Which metrics score sessions of several speakers.
        ordered: Whether metrics read nothing but the order of scores.
        beside: A table with groups, clusters and weights by id, for gold in a layout without them.
        per_file: The patterns of the names of gold and outputs, where a file is an example; "" is
            any name.
    """

    columns: Columns = field(default_factory=Columns)
    task: Task = field(default_factory=Task)
    kinds: "Kinds | None" = None
    tolerant: bool = False
    input_format: str | None = None
    references: tuple[str, ...] = ()
    blank_is_missing: bool = False
    num_refs: int = 1
    watch: Progress | None = None
    asked: Task | None = None
    golden: tuple[Label, ...] | None = None
    numbers: tuple[Needed, ...] = ()
    tries: int = 0
    former: tuple[tuple[str, Former], ...] = ()
    hidden: bool = False
    unanswerable: bool = False
    beside: str | None = None
    per_file: tuple[str, str] | None = None
    sessions: Literal["none", "some", "all"] = "none"
    ordered: bool = False

    @property
    def soft(self) -> bool:
        """Whether an example is worth a distribution over labels, or votes of annotators."""
        return any(one.form != "number" for one in self.numbers)

    @property
    def repeated(self) -> bool:
        """Whether an example has several rows, its tries."""
        return any(kind.repeated for kind in self.kinds or ())

    @property
    def labelled(self) -> bool:
        """Whether examples have labels, or label sets."""
        return any(kind.labelled for kind in self.kinds or ())

    def find_ids(self, names: Sequence[str]) -> str | None:
        """The column of ids: the one that is named, or one of a usual name; None without one."""
        own = (name for kind in self.kinds or () for name in kind.ids)
        return find(names, (*IDS, *own), self.columns.id)

    @property
    def of_rows(self) -> "Kind[Column] | None":
        """The kind whose rows name the systems; None where files or columns do."""
        return next((kind for kind in self.kinds or () if kind.in_rows), None)

    def collect(self, names: Iterable[str], read: Callable[[str], Found]) -> "Collected[Found]":
        """Reads something of each system."""
        accepted: dict[str, Found] = {}
        wrong: dict[str, TallystickError] = {}
        for name in names:
            try:
                with refusing() if self.tolerant else nullcontext():
                    accepted[name] = read(name)
            except TallystickError as error:
                if not self.tolerant:
                    raise
                wrong[name] = error
        rejected = tuple(Refusal(name, None, str(error)) for name, error in wrong.items())
        if wrong and not accepted:
            usage = [error for error in wrong.values() if isinstance(error, UsageError)]
            raise usage[0] if len(usage) == len(wrong) else NoneLeftError(rejected)
        return Collected(accepted, rejected)


class Sample(Struct, frozen=True, eq=False):
    """A table of gold by which submissions are checked, or of its ids if it is not `golden`.

    Attributes:
        labels: Those that the task names.
        dealt: Labels for made-up gold if the task names none; None takes those of gold.
        scored: Whether metrics read probabilities.
    """

    table: Table
    reading: Reading
    golden: bool = True
    labels: tuple[Label, ...] | None = None
    dealt: tuple[Label, ...] | None = None
    scored: bool = False


class MadeUp(Struct, frozen=True, eq=False):
    """Columns of gold in the form of the true one; None if no labels are known.

    Attributes:
        labels: Those of soft labels.
        open_ended: Whether only the gold shows which labels there are.
        known: All labels that the task or the gold has.
        file: The extension and the content of gold in a layout of its own, without columns.
    """

    columns: dict[str, pa.Array] | None
    labels: tuple[Label, ...] | None = None
    open_ended: bool = False
    known: tuple[Label, ...] = ()
    file: tuple[str, str] | None = None


class Drafted(Struct, frozen=True, eq=False):
    """Columns of a submission whose answers are the gold.

    Attributes:
        tokens: What else is in the file of each example, such as its tokens.
        filler: The answer for a part that is missing in an example.
        sizes: The number of characters of each text that has spans.
        rows: The number of rows of each example.
        ending: The extension of files in a layout of its own, which `spell` writes.
        spell: Writes an example, given its id or tokens, and its answer.
        alike: Whether gold and submissions have one form, and gold is the best submission.
    """

    columns: Mapping[str, Sequence[object]]
    tokens: Sequence[object] | None = None
    filler: str | None = None
    sizes: NDArray[np.int64] | None = None
    rows: int = 1
    ending: str = ""
    spell: Callable[..., str] | None = None
    alike: bool = True


class Reader(Protocol):
    """Reads columns of one kind, of tables whose gold it has read."""

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads and keeps the outputs of a system."""

    def add(self, systems: Systems) -> Systems:
        """Returns systems with what was read of them."""


class _Later:
    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = f"tallystick.kinds.{module}", name

    def __get__(self, own: object, kind: type) -> object:
        if own is None:
            return self
        return getattr(importlib.import_module(self.module), self.name)


def later(module: str, name: str) -> Any:
    """An attribute of a kind that a module has, such as `read_lists`, loaded when it is used."""
    return _Later(module, name)


class Kind(Struct, Generic[Own_co], metaclass=AbstractMeta, frozen=True):
    """What one side of an example is: how it is called, read, and found in what was read.

    A kind of one's own has a `name`, the class of its `column`, and `read`; the counters of its
    metrics name it, and nothing else has to know it.

    Attributes:
        numeric: Whether examples are worth numbers, which may be negative or cancel each other.
        single: Whether every metric scores single examples too.
        in_rows: Whether rows name the systems themselves, so that `read_rows` reads whole tables.
        repeated: Whether an example has several rows, its tries.
        labelled: Whether it has the labels of a task.
        textual: Whether examples are texts, which plain files have one a line.
        submitted: Whether shared tasks take it: it makes up gold, and drafts submissions.
        beside: The usual names of columns that are read next to gold.
        usual: The metrics by which examples are scored where none is named and no task tells.
        ids: What columns of ids are called in a table next to a layout of its own.
    """

    if TYPE_CHECKING:  # a field or an attribute of each subclass

        @property
        def name(self) -> str:
            """What it is called."""

    numeric: ClassVar[bool] = False
    single: ClassVar[bool] = False
    in_rows: ClassVar[bool] = False
    repeated: ClassVar[bool] = False
    labelled: ClassVar[bool] = False
    textual: ClassVar[bool] = False
    submitted: ClassVar[bool] = False
    beside: ClassVar[Sequence[Sequence[str]]] = ()
    usual: ClassVar[Sequence[object]] = ()
    ids: ClassVar[Sequence[str]] = ()

    @property
    @abc.abstractmethod
    def column(self) -> type[Own_co]:
        """The class of its columns."""

    @property
    def side(self) -> str:
        """The kind as which it is read, of several that share a column."""
        return self.name

    @property
    def said(self) -> str:
        """What sentences call it."""
        return self.name

    def find(self, systems: Systems) -> Own_co | None:
        """The column of it; None where it was not read."""
        found = systems.columns.get(self.side)
        return found if found is not None and isinstance(found, self.column) else None

    def of(self, systems: Systems) -> Own_co:
        """The column of it, which must have been read."""
        found = self.find(systems)
        if found is None:
            raise UsageError(f"{self.said} were expected, but these examples have none")
        return found

    def holds(self, gold: object, *, asked: bool | None) -> bool:
        """Whether gold has a layout of this kind alone; `asked` if metrics of it were named."""
        return False

    def read_layout(self, gold: object, outputs: Mapping[str, object], reading: Reading) -> Systems:
        """Reads gold that it holds, and each system's outputs: paths, or objects in memory."""
        raise NotImplementedError

    def fits(self, left: Side, columns: Columns, *, alone: bool) -> bool:
        """Whether the gold of a table is of this kind for sure; `alone` if next to outputs."""
        return False

    def looks(self, values: Sequence[object]) -> bool:
        """Whether values of gold in memory are of this kind for sure."""
        return False

    def tabulate(self, path: str, reading: Reading) -> Table:
        """Returns a file of gold that it holds, or of its examples, with a row for each of them."""
        raise InputError(f"{path}: contains {self.said}, which task files do not take")

    def read_name(self, text: str, *, asked: bool = False) -> str | None:
        """Returns the repr of a metric by its name in other tools; `asked` if gold is of it."""
        return None

    def read(self, gold: Cells, outputs: Sequence[Cells]) -> Own_co:
        """The column that gold and the outputs of some systems are; values are checked."""
        raise UsageError(f"{self.said} are not read from one row per example")

    def read_lists(
        self, systems: Systems, gold: object, outputs: Mapping[str, object], reading: Reading
    ) -> Systems:
        """Returns the systems with columns in memory as this kind."""
        found = [_list_cells(own, name) for name, own in outputs.items()]
        return systems.beside(self.side, self.read(_list_cells(gold, "gold"), found))

    def read_rows(self, tables: dict[str, Table], reading: Reading) -> Systems:
        """Reads tables whose rows name the systems, by the names of their files."""
        raise UsageError(f"{self.said} are not read from rows that name the systems")

    def suggest(self, table: Table) -> Sequence[str]:
        """The metrics by which a table is ranked that contains this kind for sure; else none."""
        return ()

    def make_up(self, sample: Sample, name: str) -> MadeUp | None:
        """Made-up gold, a column of this name where it is one; None where another kind makes it."""
        return None

    def draft(self, sample: Sample, name: str) -> Drafted | None:
        """A submission whose answers, in a column of this name, are the gold; None without one."""
        return None

    def repeat(self, values: Sequence[object], reading: Reading) -> Sequence[object] | None:
        """The same answer for each row of a column; None where another kind or a label shows it."""
        return None

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        """What shaped the data of a metric; `split` are the tokenizers that languages chose."""
        return ()

    def open(self, left: Side, reading: Reading, *, alone: bool) -> Reader:
        """Reads the gold of a table, and returns a reader of systems; `alone` if in that table."""
        name = find_gold(left, reading.columns, alone=alone)
        return CellReader(self, left, reading, Cells(left.objects(name), left.locate(name)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


Kinds = tuple[Kind[Column], ...]
"""Labels with their probabilities, texts, numbers, spans, or several of them; or repeated tries."""


class CellReader(Struct, frozen=True, eq=False):
    """Reads a kind that takes its values one by one."""

    kind: Kind[Column]
    left: Side
    reading: Reading
    gold: Cells
    found: dict[str, Cells] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the outputs of a system, alone where others go on without it."""
        side.need_all(self.kind.said)
        column = find_output(self.left, side, columns)
        self.found[name] = Cells(side.objects(column), side.locate(column))
        if self.reading.tolerant:
            self.kind.read(self.gold, [self.found[name]])

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with their outputs."""
        column = self.kind.read(self.gold, [self.found[name] for name in systems.names])
        return systems.beside(self.kind.side, column)


def _list_cells(values: object, name: str) -> Cells:
    if values is None:
        raise UsageError("outputs are missing; only a table can contain both")
    return Cells(list_values(values, name), row_of(name))


class Patterns(Column, frozen=True, eq=False):
    """What was observed of each example, by system, written as a label that is made of `parts`."""

    outputs: tuple[Labels, ...]
    parts: tuple[Label, ...] = ()

    def __len__(self) -> int:
        return len(self.outputs[0])

    @property
    def label_names(self) -> tuple[Label, ...]:
        """The labels that patterns are made of."""
        return self.parts

    def of(self, places: Sequence[int]) -> "Patterns":
        """The patterns of some of the systems."""
        return replace(self, outputs=tuple(self.outputs[place] for place in places))

    def take(self, rows: slice) -> "Patterns":
        """The patterns of some of the examples."""
        return replace(self, outputs=tuple(own.take(rows) for own in self.outputs))

    def tell_output(self, place: int, row: int) -> str:
        """The pattern of the system that is at a place."""
        own = self.outputs[place]
        return str(own.names[int(own.codes[row])])


class PatternKind(Kind[Patterns], frozen=True, eq=False):
    """What several rows tell of an example, which are read by layouts of their own."""

    name: str
    said: str
    column = Patterns

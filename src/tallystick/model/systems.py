"""The examples read once: gold, and every system's outputs next to it."""

import abc
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.codes import Label, Labels
from tallystick.model.facts import Facts
from tallystick.model.type_inference import Former
from tallystick.output.results.records import Refusal
from tallystick.settings import AbstractMeta

if TYPE_CHECKING:
    from tallystick.reading.coverage import Coverage


class Column(Struct, metaclass=AbstractMeta, frozen=True, eq=False):
    """Gold and what every system said of it, one row per example, whatever kind it is."""

    @abc.abstractmethod
    def __len__(self) -> int:
        """The number of examples."""

    @abc.abstractmethod
    def of(self, places: Sequence[int]) -> Self:
        """The same with the systems that are at some places."""

    @abc.abstractmethod
    def take(self, rows: slice) -> Self:
        """Some of the examples, which follow each other."""

    @property
    def label_names(self) -> tuple[Label, ...]:
        """The labels that gold and outputs share; none where they are no labels."""
        return ()

    def find_right(self) -> NDArray[np.bool_] | None:
        """Which examples each system got right, of shape (systems, examples).

        None where outputs are not right or wrong.
        """
        return None

    def tell_gold(self, row: int) -> str:
        """The gold of an example in words; nothing where there is none."""
        return ""

    def tell_output(self, place: int, row: int) -> str:
        """What the system that is at a place said of an example."""
        return ""


class People(Struct, frozen=True, eq=False):
    """Which rows have human labels; the first rows have those of a judge, one for each example.

    Attributes:
        owners: int64 of shape (rows,); the example of each row.
        known: Which rows have a human label about each system, of shape (rows,), by its name.
        chances: The probability that the example of each row was chosen for a human label,
            likewise; None if all were equally likely.
    """

    owners: NDArray[np.int64]
    known: Mapping[str, NDArray[np.bool_]]
    chances: Mapping[str, NDArray[np.float64]] | None = None

    @property
    def examples(self) -> int:
        """The number of examples."""
        return int(self.owners.max()) + 1


class Systems(Struct, frozen=True, eq=False):
    """Gold once, and every system's outputs, in columns of equal length: one row per example.

    Attributes:
        columns: Gold and outputs, by the kind as which they were read.
        clusters: The cluster of each example, such as its document.
        counts: int64; the number of examples that each row represents; None if it is one.
        ids: The id of each example; None if its position identifies it.
        inputs: The input text of each example, an Arrow column.
        first: The number of the first example, if these are a part of more.
        tolerant: Whether further systems may be rejected.
        matrix: The columns of the gold that are its labels, for label sets in that form.
        tokenizers: The tokenizer of each example's texts, if their language determines it; empty
            if every metric has its own.
        former: What these examples show of how further ones of each system are read.
        coverage: Which examples each system has no output for, if each is to be read on its own
            examples; then nothing else has been read.
        people: Which rows have human labels, and repeat examples.
    """

    names: tuple[str, ...]
    columns: Mapping[str, Column] = field(default_factory=dict)
    groups: Labels | None = None
    clusters: Labels | None = None
    weights: NDArray[np.float64] | None = None
    counts: NDArray[np.int64] | None = None
    ids: Sequence[str] | None = None
    inputs: Any = None
    first: int = 0
    facts: Facts = Facts()
    tolerant: bool = False
    matrix: tuple[str, ...] = ()
    tokenizers: Labels | None = None
    former: tuple[tuple[str, Former], ...] = ()
    coverage: "Coverage | None" = None
    people: People | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that gold and outputs share, or ratings; none where nothing has any."""
        return next((own.label_names for own in self.columns.values() if own.label_names), ())

    def beside(self, name: str, column: Column) -> "Systems":
        """The same examples with a further column."""
        return replace(self, columns={**self.columns, name: column})

    def know(self, **facts: Any) -> "Systems":
        """The same examples with other values of some facts."""
        return replace(self, facts=msgspec.structs.replace(self.facts, **facts))

    def tell(self, *notes: str, rejected: Iterable[Refusal] = ()) -> "Systems":
        """The same examples with further notes, and systems that were rejected."""
        return replace(self, facts=self.facts.add(*notes, rejected=rejected))

    def of(self, *names: str) -> "Systems":
        """The same examples with some of the systems."""
        places = [self.names.index(name) for name in names]
        columns = {name: own.of(places) for name, own in self.columns.items()}
        return replace(self, names=names, columns=columns)

    def choose(self, names: Sequence[str], where: str) -> "Systems":
        """The same examples with the systems of these names; with all where none are given."""
        unknown = next((name for name in names if name not in self.names), None)
        if unknown is not None:
            raise UsageError(
                f"there is no system {unknown!r} in {where}, only {', '.join(self.names)}"
            )
        return self.of(*names) if names else self

    def take(self, rows: slice) -> "Systems":
        """Some successive examples without ids; inputs stay for metrics that count them."""
        beside = (self.groups, self.clusters)
        groups, clusters = (None if one is None else one.take(rows) for one in beside)
        inputs = self.inputs if "texts" in self.columns else None
        inputs = None if inputs is None else inputs.slice(rows.start, rows.stop - rows.start)
        return replace(
            self,
            columns={name: own.take(rows) for name, own in self.columns.items()},
            groups=groups,
            clusters=clusters,
            tokenizers=None if self.tokenizers is None else self.tokenizers.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            counts=None if self.counts is None else self.counts[rows],
            ids=None,
            inputs=inputs,
            first=self.first + rows.start,
        )

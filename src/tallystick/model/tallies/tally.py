"""What carries the rule: counters turn systems into tallies, and tallies add."""

import abc
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.codes import Label
from tallystick.model.reading import Kind
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.storage import Stored
from tallystick.settings import AbstractMeta

Found = TypeVar("Found", bound="Tally")
AT_ONCE = 64
"""How many tallies are joined at a time: what they hold is gone through a few times in all."""

Pair = tuple[str, str]
Owners = tuple[NDArray[np.int64], NDArray[np.int64]]
Lighter = tuple[Any, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
"""Tallies with less of some kinds, the kinds, what is missing, and the share of one unit."""

if TYPE_CHECKING:
    from tallystick.model.tallies.cells import Cells


class Counter(Protocol):
    """A frozen configuration of how examples are counted; equal counters count alike."""

    @property
    def kind(self) -> Kind[Column]:
        """What it reads of examples."""

    def count(self, systems: Systems) -> Any:
        """The tally of all systems."""


class Tally(Struct, metaclass=AbstractMeta, frozen=True, eq=False):
    """Additive counts of one or more systems on the same examples, by group; never changed.

    Attributes:
        keeps_examples: Whether it contains single examples, so that a sum is as large as its parts
            and is best made once.
    """

    keeps_examples: ClassVar[bool] = False

    if TYPE_CHECKING:  # a dataclass would take an inherited property for a field's default

        @property
        def counter(self) -> Counter:
            """What counted."""

        @property
        def systems(self) -> tuple[str, ...]:
            """The names of the systems; a metric is a formula on the tally of one of them."""

        @property
        def groups(self) -> tuple[Label, ...]:
            """The groups, in the order of labels."""

        @property
        def labels(self) -> tuple[Label, ...]:
            """The labels, of tallies that are of labels."""

        @property
        def n(self) -> NDArray[np.int64]:
            """The number of examples of each group that have a weight above 0."""

    def __add__(self, other: Self) -> Self:
        """The tally of the examples of both; refuses what another counter counted."""
        return self.join([self, other])

    @classmethod
    @abc.abstractmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The sum of one tally or more, the same to the last bit whatever their order."""

    @classmethod
    def add_up(cls, tallies: list[Self]) -> Self:
        """The sum of one tally or more; it empties the list, so that memory is given back."""
        for other in tallies[1:]:
            check_addable(tallies[0], other)
        while len(tallies) > 1:
            starts = range(0, len(tallies), AT_ONCE)
            tallies[:] = [cls.join(tallies[at : at + AT_ONCE]) for at in starts]
        return tallies.pop()

    @abc.abstractmethod
    def total(self) -> Self:
        """The sum over groups, as a tally of one group."""

    @abc.abstractmethod
    def of(self, *names: str) -> Self:
        """The tally of some of the systems, as if they alone had been counted."""

    def rename_systems(self, *names: str) -> Self:
        """The same tally of systems by other names."""
        return replace(self, systems=names)

    def gold_masses(self) -> NDArray[Any] | None:
        """What the examples of each gold label weigh together, of shape (..., groups, labels).

        None where they are not told by gold label.
        """
        return None

    def weight_sums(self) -> NDArray[np.float64] | None:
        """The sums of weights, and of their squares, of each group: of shape (2, groups).

        None where they are not known.
        """
        return None

    @property
    def patterns(self) -> "Cells | None":
        """It as patterns of gold and outputs with their counts; None where it is of no patterns."""
        return None

    @abc.abstractmethod
    def store(self) -> Stored:
        """What it is made of."""

    @classmethod
    @abc.abstractmethod
    def load(cls, counter: Any, stored: Stored) -> "Tally":
        """The tally that is made of this; raises ValueError if an array is malformed."""

    @abc.abstractmethod
    def list_clusters(self) -> Owners | None:
        """The group and the cluster of whatever belongs to clusters; None where nothing does."""

    @property
    def plain(self) -> bool:
        """Whether examples count alike and count by themselves, as formulas of intervals need."""
        return self.list_clusters() is None

    @abc.abstractmethod
    def resample(self, resamples: int, seed: int) -> Iterator[Self]:
        """Bootstrap resamples: as many examples, or clusters, drawn with replacement.

        Examples are drawn within their group; where a cluster has examples in several groups,
        clusters are drawn from all groups together. The resamples of labels and of sums come in
        chunks with a leading axis; those of probabilities come one by one.
        """

    def list_kept(self) -> "Kept":
        """The examples that are kept, in the order of their contributions to scores."""
        raise UsageError("no example of this tally can be left out")


class Kept(Struct, frozen=True, eq=False):
    """The examples of one system by which intervals are made; one may represent several.

    Attributes:
        tally: The tally of these examples.
        owners: The group of each.
        masses: What each weighs.
        counts: How many examples each represents.
        gold: The gold label of each; None without labels.
    """

    tally: Any
    owners: NDArray[np.int64]
    masses: NDArray[np.float64]
    counts: NDArray[Any]
    gold: NDArray[np.int64] | None = None


def need(tally: Tally, kind: type[Found]) -> Found:
    """A tally of that class."""
    if not isinstance(tally, kind):
        raise UsageError(f"what {tally.counter!r} counts is not what is read here")
    return tally


def relative(tally: Found) -> Found:
    """The same with means of numbers as distances from one near them, for exact differences."""
    find = getattr(tally, "relative", None)
    return tally if find is None else find()


def need_patterns(tally: Tally) -> "Cells":
    """A tally as patterns of gold and outputs."""
    found = tally.patterns
    if found is None:
        raise UsageError(f"what {tally.counter!r} counts has no patterns of gold and outputs")
    return found


def check_addable(one: Tally, other: Tally) -> None:
    """Raises a UsageError where two tallies are not of one counter and the same systems."""
    if one.counter != other.counter:
        raise UsageError(
            f"tallies of different counters cannot be added: {one.counter!r} and {other.counter!r}"
        )
    if one.systems != other.systems:
        raise UsageError(
            "tallies of different systems cannot be added: "
            f"{', '.join(one.systems)} and {', '.join(other.systems)}"
        )

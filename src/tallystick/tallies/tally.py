"""What carries the rule: counters turn systems into tallies, and tallies add."""

import abc
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.kinds import Kind
from tallystick.examples.labels import Label
from tallystick.examples.systems import Systems

if TYPE_CHECKING:
    from tallystick.tallies.per_label import PerLabel
    from tallystick.tallies.second_moments import Rows


class Counter(Protocol):
    """A frozen configuration of how examples are counted; equal counters count alike.

    Attributes:
        kind: What it reads of examples.
    """

    kind: ClassVar[Kind]

    def count(self, systems: Systems) -> Any:
        """The tally of all systems."""
        ...


class Tally(abc.ABC):
    """Additive counts of one or more systems on the same examples, by group; never changed."""

    __slots__ = ()

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
        def n(self) -> NDArray[np.int64]:
            """The number of examples of each group, whatever they weigh."""

    @abc.abstractmethod
    def __add__(self, other: Self) -> Self:
        """The tally of the examples of both; refuses what another counter counted."""

    @abc.abstractmethod
    def total(self) -> Self:
        """The sum over groups, as a tally of one group."""

    @abc.abstractmethod
    def of(self, *names: str) -> Self:
        """The tally of some of the systems, as if they alone had been counted."""

    @property
    def references(self) -> frozenset[int]:
        """How many references examples have: each number that occurs."""
        return frozenset({1})

    @property
    def share_like(self) -> bool:
        """Whether a bounded score of resamples scatters as a share of so many examples does."""
        return True

    @property
    def resampled(self) -> str:
        """What its resamples are called."""
        return "bootstrap resamples"

    @abc.abstractmethod
    def rename_systems(self, *names: str) -> Self:
        """The same tally of systems by other names."""

    def per_label(self) -> "PerLabel | None":
        """Each label against all others; None where outputs are not told by label."""
        return None

    def gold_masses(self) -> NDArray[Any] | None:
        """What the examples of each gold label weigh together, of shape (..., groups, labels).

        None where they are not told by gold label.
        """
        return None

    def reweigh(self, factors: NDArray[np.float64]) -> Self:
        """The same with each weight multiplied by the factor of its group and its gold label."""
        raise UsageError(f"what {self.counter!r} counts cannot be weighted by gold label")

    def example_rows(self) -> "Rows | None":
        """The columns of each example that are summed; None where they are not kept."""
        return None

    def scored_labels(self) -> tuple[Label, ...]:
        """The labels that have probabilities, as curves of one system tell them."""
        return ()

    def bin_count(self) -> int | None:
        """In how many bins probabilities are counted; None where no bins are."""
        return None

    def cell_sizes(self) -> NDArray[np.integer[Any]] | None:
        """How many examples there are in each cell, the smallest part that a tally shows.

        None where it shows single examples.
        """
        return None


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

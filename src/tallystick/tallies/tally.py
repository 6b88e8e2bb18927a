"""What carries the rule: counters turn systems into tallies, and tallies add."""

import abc
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.labels import Label
from tallystick.examples.reading import Kind
from tallystick.examples.systems import Column, Systems


class Counter(Protocol):
    """A frozen configuration of how examples are counted; equal counters count alike."""

    @property
    def kind(self) -> Kind[Column]:
        """What it reads of examples."""
        ...

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

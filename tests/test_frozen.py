"""Dataclasses whose methods are made late behave as those of the standard library."""

import copy
import dataclasses
import inspect
import pickle

import pytest

from tallystick.frozen import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A point."""

    x: int
    y: int = 0
    names: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x")


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """The same by the standard library."""

    x: int
    y: int = 0
    names: tuple[str, ...] = dataclasses.field(default=(), compare=False, repr=False)


@dataclass(slots=True)
class Changing:
    """One that changes."""

    values: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One whose fields are named, and called as what makes them could be."""

    missing: str
    set: list[int] = field(default_factory=list)
    hidden: int = field(default=3, init=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plain:
    """One that is only itself."""

    x: int

    def __repr__(self) -> str:
        return "plain"


def test_instances_are_shown_as_by_the_standard_library():
    assert repr(Standard(1, names=("a",))).replace("Standard", "Point") == repr(Point(1))


def test_instances_are_compared_by_their_fields():
    assert Point(1, 2, ("a",)) == Point(1, 2, ("b",))
    assert Point(1) != Point(2)
    assert hash(Point(1, 2)) == hash(Standard(1, 2))
    assert Point(1) != Standard(1)


def test_signature_is_that_of_the_fields():
    own, standard = (inspect.signature(cls) for cls in (Point, Standard))

    assert str(standard) == str(own)


@pytest.mark.parametrize("change", [lambda p: setattr(p, "x", 3), lambda p: delattr(p, "x")])
def test_frozen_instances_do_not_change(change):
    with pytest.raises(dataclasses.FrozenInstanceError):
        change(Point(1))


def test_instances_are_checked_when_they_are_made():
    with pytest.raises(ValueError, match="x"):
        replace(Point(1), x=-1)


@pytest.mark.parametrize("transfer", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_instances_are_copied(transfer):
    assert ("a",) == transfer(Point(1, 2, ("a",))).names
    assert Point(1, 2) == transfer(Point(1, 2))


def test_wrong_arguments_are_errors():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)


def test_fields_may_be_named_only():
    assert "Named(missing='a', set=[], hidden=3)" == repr(Named(missing="a"))
    assert ([1], 3) == (Named(missing="a", set=[1]).set, Named(missing="a").hidden)
    with pytest.raises(TypeError, match="positional"):
        Named("a")


def test_changing_instances_have_no_hash():
    one, other = Changing(), Changing()
    one.values.append(1)

    assert [] == other.values
    assert Changing.__hash__ is None


def test_methods_of_the_class_are_kept():
    assert "plain" == repr(Plain(1))
    assert Plain(1) != Plain(1)

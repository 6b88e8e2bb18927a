"""Dataclasses whose methods are made when they are first used.

The standard library writes and compiles the methods of each class when its module is loaded, which
for a hundred classes takes longer than to score a small file.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, asdict, field, fields
from operator import attrgetter
from types import FunctionType, MemberDescriptorType

TYPE_CHECKING = False

if TYPE_CHECKING:
    from dataclasses import dataclass, replace

__all__ = ["MISSING", "Field", "asdict", "dataclass", "field", "fields", "replace"]

if not TYPE_CHECKING:

    def replace(one, /, **changes):
        """As `dataclasses.replace`, of records of msgspec too."""
        if hasattr(one, "__struct_fields__"):
            import msgspec

            return msgspec.structs.replace(one, **changes)
        return dataclasses.replace(one, **changes)

    def dataclass(cls=None, /, *, init=True, repr=True, eq=True, frozen=False, **rest):
        """As `dataclasses.dataclass`; the rest is `slots` and `kw_only`."""

        def make(cls: type) -> type:
            own = {"__init__": init, "__repr__": repr, "__eq__": eq, "__hash__": eq and frozen}
            late = [name for name, wanted in own.items() if wanted and name not in vars(cls)]
            stored = rest.get("slots") and "__setstate__" not in vars(cls)
            made = dataclasses.dataclass(cls, init=False, repr=False, eq=False, **rest)
            for name in late:
                setattr(made, name, _Late(made, name))
            if eq and not frozen:
                made.__hash__ = None
            if frozen:
                made.__setattr__, made.__delattr__ = _refuse, _refuse
                if stored:
                    made.__getstate__, made.__setstate__ = _list_values, _set_values
            return made

        return make if cls is None else make(cls)


class _Late:
    """A method of a class, which is made when it is needed."""

    def __init__(self, cls: type, name: str) -> None:
        self.cls, self.name = cls, name

    def __get__(self, instance: object, owner: type) -> Callable[..., object]:
        known: tuple[Field[object], ...] = fields(self.cls)
        made: Callable[..., object]
        if self.name == "__init__":
            made = _make_init(self.cls, known)
        elif self.name == "__repr__":
            made = _make_repr([one.name for one in known if one.repr])
        else:
            list_values = _make_getter([one.name for one in known if one.compare])
            made = (_make_hash if self.name == "__hash__" else _make_equal)(list_values)
        setattr(self.cls, self.name, made)
        found: Callable[..., object] = getattr(owner if instance is None else instance, self.name)
        return found


def _make_init(cls: type, known: Sequence[Field[object]]) -> Callable[..., None]:
    """Compiles what sets the fields; written out, because a loop over them is much slower."""
    needed, named, lines = ["self"], ["*"], []
    space: dict[str, object] = {"_set": object.__setattr__, "_missing": MISSING}
    for one in known:
        name = value = one.name
        space[f"_default_{name}"], space[f"_make_{name}"] = one.default, one.default_factory
        made = one.default_factory is not MISSING
        optional = made or one.default is not MISSING
        if one.init:
            (named if one.kw_only else needed).append(
                f"{name}=_default_{name}" if optional else name
            )
            value = f"_make_{name}() if {name} is _missing else {name}" if made else name
        elif optional:
            value = f"_make_{name}()" if made else f"_default_{name}"
        else:
            continue
        if isinstance(slot := getattr(cls, name, None), MemberDescriptorType):
            space[f"_set_{name}"] = slot.__set__  # twice as fast as by name
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    arguments = ", ".join([*needed, *(named if len(named) > 1 else ())])
    exec(f"def __init__({arguments}):\n " + "\n ".join(lines or ["pass"]), space)
    found = space["__init__"]
    assert isinstance(found, FunctionType)
    found.__qualname__, found.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    found.__annotations__ = {one.name: one.type for one in known if one.init} | {"return": None}
    return found


def _make_repr(names: Sequence[str]) -> Callable[[object], str]:
    def write(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return write


def _make_getter(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """What lists the values of fields, as fast as Python can where there are several."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _make_hash(list_values: Callable[[object], tuple[object, ...]]) -> Callable[[object], int]:
    return lambda self: hash(list_values(self))


def _make_equal(list_values: Callable[[object], tuple[object, ...]]) -> Callable[..., object]:
    def equal(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return list_values(self) == list_values(other)

    return equal


def _refuse(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _list_values(self: object) -> list[object]:
    return [getattr(self, one.name) for one in fields(self)]  # type: ignore[arg-type]


def _set_values(self: object, values: list[object]) -> None:
    for one, value in zip(fields(self), values, strict=True):  # type: ignore[arg-type]
        object.__setattr__(self, one.name, value)

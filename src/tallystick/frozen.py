"""Dataclasses whose methods are made when they are first used.

The standard library writes and compiles the methods of each class when its module is loaded, which
for a hundred classes takes longer than to score a small file.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, asdict, field, fields, replace

TYPE_CHECKING = False

if TYPE_CHECKING:
    from dataclasses import dataclass

__all__ = ["MISSING", "Field", "asdict", "dataclass", "field", "fields", "replace"]

_KEPT = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")

if not TYPE_CHECKING:

    def dataclass(cls=None, /, *, init=True, repr=True, eq=True, frozen=False, **rest):
        """As `dataclasses.dataclass`; the rest is `slots` and `kw_only`."""

        def make(cls: type) -> type:
            own = {"__init__": init, "__repr__": repr, "__eq__": eq, "__hash__": eq and frozen}
            late = [name for name, wanted in own.items() if wanted and name not in vars(cls)]
            stored = rest.get("slots") and "__setstate__" not in vars(cls)
            made = dataclasses.dataclass(cls, init=False, repr=False, eq=False, **rest)
            for name in late:
                setattr(made, name, _Late(made, name, (init, repr, eq, frozen)))
            if eq and not frozen:
                made.__hash__ = None
            if frozen:
                made.__setattr__, made.__delattr__ = _refuse, _refuse
                if stored:
                    made.__getstate__, made.__setstate__ = _list_values, _set_values
            return made

        return make if cls is None else make(cls)


class _Late:
    """A method of a class, which is made with all others that are still to be made when needed."""

    def __init__(self, cls: type, name: str, options: tuple[bool, ...]) -> None:
        self.cls, self.name, self.options = cls, name, options

    def __get__(self, instance: object, owner: type) -> Callable[..., object]:
        made = _make_methods(self.cls, self.options)
        for name, value in list(vars(self.cls).items()):
            if isinstance(value, _Late):
                setattr(self.cls, name, getattr(made, name))
        found: Callable[..., object] = getattr(owner if instance is None else instance, self.name)
        return found


def _make_methods(cls: type, options: tuple[bool, ...]) -> type:
    """A class of the same fields, with the methods that the standard library writes."""
    init, repr, eq, frozen = options
    known: tuple[Field[object], ...] = fields(cls)
    members: dict[str, object] = {
        one.name: field(**{name: getattr(one, name) for name in _KEPT}) for one in known
    }
    if hasattr(cls, "__post_init__"):
        members["__post_init__"] = cls.__post_init__
    members |= {"__annotations__": {one.name: one.type for one in known}, "__doc__": cls.__doc__}
    members |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    plain = type(cls.__name__, (), members)
    return dataclasses.dataclass(plain, init=init, repr=repr, eq=eq, frozen=frozen)


def _refuse(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _list_values(self: object) -> list[object]:
    return [getattr(self, one.name) for one in fields(self)]  # type: ignore[arg-type]


def _set_values(self: object, values: list[object]) -> None:
    for one, value in zip(fields(self), values, strict=True):  # type: ignore[arg-type]
        object.__setattr__(self, one.name, value)

"""The names of systems on the command line: `NAME=FILE`, or what a file is called."""

from collections.abc import Sequence

from tallystick.errors import UsageError
from tallystick.io.names import name_files, split_name


def name_systems(arguments: Sequence[str]) -> dict[str, str | None]:
    """The path of each system by its name: `NAME=FILE`, else what its file is called."""
    found: dict[str, str | None] = {}
    for name, path in name_all(arguments):
        if name in found:
            raise UsageError(f"two systems are called {name!r}; name one as NAME={path}")
        found[name] = path
    return found


def name_all(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """The name of each system, and the path of one of its files, of which it may have several."""
    named = [split_name(argument) for argument in arguments]
    unnamed = iter(name_files([path for name, path in named if name is None]))
    return [(next(unnamed) if given is None else given, path) for given, path in named]


def name_system(argument: str) -> str:
    """The name of the only system."""
    return next(iter(name_systems([argument])))

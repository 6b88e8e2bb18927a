"""Code that a caller named, or that a package installed under a name.

Nothing that a file says is ever loaded from here.
"""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from tallystick.errors import UsageError

FOLDERS: list[str] = []
"""The folders in which modules were looked for; who counts elsewhere looks there too."""


def load_attribute(module: str, name: str) -> Any:
    """What a module holds, which may lie in the working directory."""
    with _explain(module), _look_in(os.getcwd()):
        loaded = importlib.import_module(module)
    if name not in vars(loaded):
        near = get_close_matches(name, vars(loaded), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"the module {module} has no {name}{hint}")
    return vars(loaded)[name]


def load_installed(group: str, name: str) -> Any:
    """What a package installed under a name, in any case, as an entry point; None without one."""
    from importlib.metadata import entry_points

    folded = name.strip().casefold()
    found = next((one for one in entry_points(group=group) if one.name.casefold() == folded), None)
    if found is None:
        return None
    with _explain(found.module):
        return found.load()


@contextmanager
def _look_in(folder: str) -> Iterator[None]:
    """Looks for modules in a folder, after all other places."""
    if folder not in FOLDERS:
        FOLDERS.append(folder)
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


@contextmanager
def _explain(module: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise UsageError(
                f"there is no module {error.name!r}: none is installed, and none lies in "
                f"{os.getcwd()}"
            ) from error
        raise UsageError(f"{module} needs {error.name}, which is not installed") from error
    except Exception as error:
        raise UsageError(f"{module} cannot be loaded: {type(error).__name__}: {error}") from error

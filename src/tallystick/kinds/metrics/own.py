"""Code that a caller named as `module:NAME`, or that a package installed under a name.

Nothing that a file says is ever loaded from here.
"""

import importlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from tallystick.errors import UsageError
from tallystick.kinds.index import READ
from tallystick.model.reading import Kind
from tallystick.model.systems import Column

FOLDERS: list[str] = []
"""The folders in which modules were looked for; who counts elsewhere looks there too."""

NAMED = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)\s*(\(.*\))?", re.DOTALL)


def load_kind(text: str) -> Kind[Column]:
    """The kind of a name: one that comes with Tallystick, `module:NAME`, or an installed one."""
    known = {kind.name: kind for kind in READ}
    if text.lower() in known:
        return known[text.lower()]
    match = NAMED.fullmatch(text.strip())
    if match is not None:
        found = load_attribute(match[1], match[2])
    else:
        found = load_installed("tallystick.kinds", text)
        if found is None:
            raise UsageError(
                f"there is no kind {text!r}, only {', '.join(known)}; one of your own is named as "
                "module:NAME"
            )
    if isinstance(found, type) and issubclass(found, Kind):
        found = found()
    if not isinstance(found, Kind):
        raise UsageError(f"{text} is not a tallystick.Kind")
    return found


def load_attribute(module: str, name: str) -> Any:
    """What a module holds, which may lie in the working directory, after all other places."""
    folder = os.getcwd()
    if folder not in FOLDERS:
        FOLDERS.append(folder)
    sys.path.append(folder)
    try:
        with _explain(module):
            loaded = importlib.import_module(module)
    finally:
        sys.path.remove(folder)
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

"""Gathers the installed package and what it needs to score, for platforms without a network."""

import importlib.util
import marshal
import os
import platform
import sys
from fnmatch import fnmatch
from importlib import metadata

import tallystick
from tallystick.errors import UsageError

_NEEDED = ("msgspec", "numpy", "pyarrow", "PyYAML")
"""The distributions that scoring imports."""

_UNUSED = (
    *("*/tests/*", "*/include/*", "*/src/*", "*.pyc", "*.a", "*.h", "*.pxd", "*.pxi", "*.pyx"),
    *("../*", "numpy/distutils/*", "numpy/f2py/*", "pyarrow/*flight*", "pyarrow/*s3*"),
    *("pyarrow/libarrow_python.so", "pyarrow/libarrow_python.so.*.*", "pyarrow/libarrow_python_*"),
)
"""What is left out: tests, sources of extensions, clients of networks, and copies."""

_UNCHECKED = 1
"""The flag of byte code that is taken as it is, since unpacking changes the times of files."""


def vendor() -> dict[str, bytes]:
    """Returns the files of the installed package and of what scoring imports, with byte code."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise UsageError(
            "--vendor copies the packages that are installed here, and platforms run Linux on "
            f"x86-64, not {sys.platform} on {platform.machine()}; run it in a container"
        )
    needed = (one for name in _NEEDED for one in metadata.files(name) or ())
    paths = {one.as_posix(): str(one.locate()) for one in needed} | _list_package()
    files = {name: _read(path) for name, path in paths.items() if _is_used(name)}
    compiled = {
        importlib.util.cache_from_source(name): _compile(name, content)
        for name, content in files.items()
        if name.endswith(".py")
    }
    return {**files, **compiled}


def _list_package() -> dict[str, str]:
    """The files of the package itself, wherever it lies: installed, or in a checkout."""
    kernels = importlib.util.find_spec("tallystick._native._ext")
    assert kernels is not None, "the package does not work without its kernels"
    (folder,) = tallystick.__path__
    paths = [os.path.join(inside, name) for inside, _, names in os.walk(folder) for name in names]
    kept = {f"tallystick/{os.path.relpath(path, folder)}": path for path in paths}
    origin = str(kernels.origin)
    kept[f"tallystick/_native/{os.path.basename(origin)}"] = origin
    return kept


def _is_used(name: str) -> bool:
    return not any(fnmatch(name, pattern) for pattern in _UNUSED)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _compile(name: str, source: bytes) -> bytes:
    code = compile(source, name, "exec", dont_inherit=True)
    flags = _UNCHECKED.to_bytes(4, "little")
    head = importlib.util.MAGIC_NUMBER + flags + importlib.util.source_hash(source)
    return head + marshal.dumps(code)

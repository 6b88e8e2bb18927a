"""Writes the program that a platform starts, and gathers the packages that it needs.

The program calls the installed package, or the one that comes with the bundle for platforms
without a network.
"""

import importlib.util
import marshal
import os
import platform
import sys
from fnmatch import fnmatch
from importlib import metadata

import tallystick
from tallystick.errors import UsageError
from tallystick.tasks.bundles.archive import Files, nest
from tallystick.version import __version__

IMAGE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
"""The image with the Python that makes the bundle, which vendored packages need."""

_PROGRAM = '''\
"""Scores a submission; written by tallystick {version}."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "vendor"))
try:
    if sys.version_info < (3, 11):
        raise ImportError("Python 3.11 or newer is needed")
    from tallystick.cli import main

    code = main(["task", "run", "{platform}", *sys.argv[1:]])
except ImportError as error:
    reason = error.__cause__ or error
    sys.exit(
        "The scoring program cannot start, which is no fault of the submission. "
        f"It needs tallystick {version} in the image of the competition, {needs}; "
        f"this is Python {{sys.version.split()[0]}}, and says: {{reason}}"
    )
sys.exit(code)
'''

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


def make_program(name: str, command: str, packages: Files | None) -> Files:
    """Returns the files of the program that scores on a platform of `tallystick task run`.

    The packages lie beside the program, in the folder `vendor`.
    """
    needs = (
        "which a bundle made with --vendor brings along"
        if packages is None
        else f"or the image {IMAGE}, whose packages come with the program"
    )
    program = _PROGRAM.format(version=__version__, platform=name, needs=needs)
    return {
        "metadata.yaml": f"command: {command}\n".encode(),
        "score.py": program.encode(),
        **nest("vendor", packages or {}),
    }


def vendor() -> dict[str, bytes]:
    """Returns the files of the installed package and of what scoring imports, with byte code."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise UsageError(
            "--vendor copies the packages that are installed here, and platforms run Linux on "
            f"x86-64, not {sys.platform} on {platform.machine()}; run it in a container"
        )
    needed = (one for name in _NEEDED for one in metadata.files(name) or ())
    paths = {one.as_posix(): str(one.locate()) for one in needed} | _list_package()
    files = {}
    for name, path in paths.items():
        if not any(fnmatch(name, pattern) for pattern in _UNUSED):
            with open(path, "rb") as file:
                files[name] = file.read()
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


def _compile(name: str, source: bytes) -> bytes:
    code = compile(source, name, "exec", dont_inherit=True)
    flags = _UNCHECKED.to_bytes(4, "little")
    head = importlib.util.MAGIC_NUMBER + flags + importlib.util.source_hash(source)
    return head + marshal.dumps(code)

"""The program that platforms run for each submission, and the bundle for TIRA."""

import importlib.util
import marshal
import os
import platform
import sys
from fnmatch import fnmatch
from importlib import metadata

import tallystick
from tallystick.errors import UsageError
from tallystick.io.files.opening import write_text
from tallystick.tasks.bundles.judging import judge, open_reference
from tallystick.tasks.bundles.kit import make_example, make_kit, rehearse
from tallystick.tasks.bundles.reference import (
    Files,
    dump_yaml,
    list_phases,
    make_reference,
    nest,
    pack,
    spell,
)
from tallystick.tasks.task_file import SharedTask
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


_COMMAND = "tallystick task run tira ${inputDataset} ${inputRun} ${outputDir}"
_REFERENCE = "reference.zip"
"""An archive, because the platform's client leaves out files that are no data to it."""
_BASELINE = "https://github.com/ORGANISATION/REPOSITORY/tree/main/baseline"
"""Where the client looks for a baseline's Dockerfile; for organisers to fill in."""
_DOCKER = """\
# As long as there is no release, a wheel built from a checkout lies beside this file:
#   pip wheel --no-deps --wheel-dir . CHECKOUT
FROM python:3.12-slim
COPY tallystick-*.whl /tmp/
RUN pip install --no-cache-dir /tmp/tallystick-*.whl
"""
_ABOUT = """\
# {title}: {phase}

`inputs` has the examples, which systems read, and the starting kit; `truths` has the gold, which
only the evaluator sees. The evaluator runs in an image that has tallystick, such as that of
`Dockerfile`.
Name your baseline above before `tira-cli dataset-submission`, or skip it with `--skip-baseline`.
"""


def bundle_tira(task: SharedTask, *, image: str | None = None) -> bytes:
    """Returns a zip archive with a data set for each phase, as TIRA's client uploads it.

    The image is the evaluator's; None calls the one that the bundle's Dockerfile builds.
    """
    files = {"Dockerfile": _DOCKER.encode()}
    image = image or f"tallystick:{__version__}"
    for name, own in list_phases(task):
        rehearse(own, tuple(task.tracks))
        kit = make_kit(own)
        ids = {path: content for path, content in kit.items() if path.startswith("ids/")}
        about = _ABOUT.format(title=task.title, phase=name).encode()
        data = {
            "README.md": b"---\n" + dump_yaml(_describe(own, image)) + b"---\n\n" + about,
            **nest("inputs", {**ids, "kit.zip": pack(kit)}),
            f"truths/{_REFERENCE}": pack(make_reference(task, name, own)),
        }
        files |= nest(spell(name) or "data", data)
    return pack(files)


def run_tira(truth: str, run: str, output: str) -> list[str]:
    """Evaluates a run as TIRA calls an evaluator: writes evaluation.prototext; returns messages."""
    found = judge(open_reference(os.path.join(truth, _REFERENCE)), run)
    # A colon or a quote would end a key; keys are called as the platform itself writes them.
    measures = (
        f'measure{{\n  key: "{one.key.replace("_", " ").title()}"\n  value: "{one.value}"\n}}\n'
        for one in found.columns
        if one.value == one.value
    )
    write_text(os.path.join(output, "evaluation.prototext"), "".join(measures))
    return [*found.messages]


def _describe(task: SharedTask, image: str) -> dict[str, object]:
    """The configuration of a data set; files of any form go, as the evaluator checks them."""
    first = next(iter(make_example(task)))
    return {
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/**"}]}
            for name in ("inputs", "truths")
        ],
        "tira_configs": {
            "default_upload_name": first,
            "resolve_inputs_to": "inputs",
            "resolve_truths_to": "truths",
            "baseline": {"link": _BASELINE, "command": "predict", "format": {"name": "arbitrary"}},
            "input_format": {"name": "arbitrary"},
            "truth_format": {"name": "arbitrary"},
            "evaluator": {"image": image, "command": _COMMAND},
        },
    }

"""What the tests of faults share: files written in an empty folder, and commands run in it."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tallystick
from tallystick.cli import main

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "score": ("score", "g.csv", "p.csv", "-m", "accuracy", "--no-intervals"),
    "compare": ("compare", "g.csv", "p.csv", "other=p.csv", "-m", "accuracy"),
    "rank": ("rank", "g.csv", "p.csv", "-m", "accuracy"),
    "gate": ("gate", "g.csv", "p.csv", "--against", "old=p.csv", "-m", "accuracy", "--floor", "0"),
}
"""Every command that takes gold and systems as files."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended: its exit code, and what it wrote to both streams."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The error message; nothing where there is none."""
        lines = [line for line in self.err.splitlines() if line.startswith("tallystick: error: ")]
        return lines[-1].removeprefix("tallystick: error: ") if lines else ""


def call(*arguments: object) -> Outcome:
    """Calls a command, given as words or as one string."""
    if len(arguments) == 1:
        arguments = (*str(arguments[0]).split(),)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


def refuse(message: str, *arguments: object, code: int = 4) -> Outcome:
    outcome = call(*arguments)
    assert (code, True) == (outcome.code, message in outcome.error), outcome.err
    return outcome


def spawn(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    source = Path(tallystick.__file__).parents[1]  # the package that is tested, installed or not
    return subprocess.run(
        ["bash", "-c", f't() {{ "{sys.executable}" -m tallystick "$@"; }}\n{line}'],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(source), **environment},
    )


def write(files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

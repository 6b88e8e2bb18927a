"""Measures work inside a process, and whole processes by turns, in seconds and bytes."""

import ctypes
import os
import resource
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

__all__ = ["Run", "find_medians", "find_peak", "forget_peak", "format_table", "run", "take_turns"]


_ADOPT = 36
"""Linux's PR_SET_CHILD_SUBREAPER: workers that outlive the command are waited for here."""
_ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""With that variable each start would compile both packages, and compilers would be compared."""


@dataclass(frozen=True, slots=True)
class Run:
    """One process from its start to its end.

    Attributes:
        output: What it wrote to standard output.
        seconds: How long it took.
        peak: The most memory it held, in bytes.
        work: How many seconds of a processor it took, with all processes that it started.
    """

    output: str
    seconds: float
    peak: int
    work: float


def run(command: Sequence[str]) -> Run:
    """Runs a command in a process of its own.

    Linux counts the memory of the caller into the peak of what it starts, so callers stay small:
    they import no NumPy and make no data themselves.
    """
    ctypes.CDLL(None).prctl(_ADOPT, 1)
    with tempfile.TemporaryFile("w+") as output:
        before = _measure_work()
        start = perf_counter()
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.DEVNULL, env=_ENVIRONMENT
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        output.seek(0)
        with suppress(ChildProcessError):  # no process is left
            while True:
                os.wait()
        work = _measure_work() - before
        return Run(output.read(), seconds, usage.ru_maxrss * 1024, work)


def _measure_work() -> float:
    """The processor seconds of all processes that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def take_turns(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[Run]]:
    """Runs all commands once, then all once more, and so on, so that a slow hour slows all."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run(command))
    return runs


def find_medians(
    runs: Mapping[str, Sequence[Run]], measure: Callable[[Run], float]
) -> dict[str, float]:
    """The median of a measure over the runs of each command."""
    return {name: median(map(measure, several)) for name, several in runs.items()}


def forget_peak() -> None:
    """Makes `find_peak` start over from the memory held now; only Linux can."""
    Path("/proc/self/clear_refs").write_text("5")


def find_peak() -> int:
    """The most memory that this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def format_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, with the first column to the left and all others to the right."""
    rule = [":--", *["--:"] * (len(headings) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, rule, *rows))

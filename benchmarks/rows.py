"""Ten million rows in four languages: thirteen scores for each language, macro and micro.

Compares Tallystick with scikit-learn and pandas on a table in memory, then scores the same rows
from files on the command line.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from math import isclose
from pathlib import Path
from statistics import median

from stopwatch import Run, find_medians, format_table, run, take_turns

ROWS = 10_000_000
ROUNDS = 5
HERE = Path(__file__).parent
TALLYSTICK, TALLYSTICK_ARROW = "Tallystick, pandas frame", "Tallystick, Arrow table"
PEER, PEER_TEXT = (
    "scikit-learn, labels as 0 and 1",
    "scikit-learn, labels as text, from one row in 100",
)


def main() -> None:
    """Makes the data, compares the scores, and prints two tables."""
    with tempfile.TemporaryDirectory() as folder:
        print(_compare_memory(folder))
        print()
        print(_measure_files(folder))


def _compare_memory(folder: str) -> str:
    table, sample = f"{folder}/rows.arrow", f"{folder}/sample.arrow"
    _make(ROWS, table)
    _make(ROWS // 100, sample)
    commands = {
        TALLYSTICK: _command("rows_tallystick.py", table, "pandas", "1"),
        PEER: _command("rows_peer.py", table, "numbers"),
        TALLYSTICK_ARROW: _command("rows_tallystick.py", table, "arrow", "1"),
    }
    _check([run(command) for command in commands.values()])
    runs = take_turns(commands, ROUNDS)
    # With text scikit-learn takes minutes, so it gets a sample, whose time is scaled up.
    text = {
        TALLYSTICK: _command("rows_tallystick.py", sample, "pandas", "1"),
        PEER_TEXT: _command("rows_peer.py", sample, "text"),
    }
    _check([run(command) for command in text.values()])
    runs |= take_turns({PEER_TEXT: text[PEER_TEXT]}, ROUNDS)
    seconds = find_medians(runs, _seconds)
    seconds[PEER_TEXT] *= 100
    return format_table(
        ("in memory", "seconds", "times Tallystick's", "peak / input"),
        [
            (
                name,
                f"{seconds[name]:.2f}",
                f"{seconds[name] / seconds[TALLYSTICK]:.1f}",
                f"{median(map(_peak, several)):.2f}",
            )
            for name, several in runs.items()
        ],
    )


def _measure_files(folder: str) -> str:
    files = [f"{folder}/rows.parquet", f"{folder}/rows.csv"]
    _make(ROWS, *files)
    options = ("--by", "lang", "--positive", "toxic")
    commands = {
        name: [sys.executable, "-m", "tallystick", "score", name, *options] for name in files
    }
    runs = take_turns(commands, ROUNDS)
    seconds = find_medians(runs, lambda one: one.seconds)
    peaks = find_medians(runs, lambda one: one.peak)
    sizes = {name: Path(name).stat().st_size for name in files}
    return format_table(
        ("from a file", "megabytes", "seconds", "peak megabytes", "peak / file"),
        [
            (
                Path(name).suffix,
                f"{sizes[name] / 1e6:.0f}",
                f"{seconds[name]:.2f}",
                f"{peaks[name] / 1e6:.0f}",
                f"{peaks[name] / sizes[name]:.2f}",
            )
            for name in files
        ],
    )


def _make(rows: int, *paths: str) -> None:
    run(_command("synthetic.py", str(rows), *paths))


def _command(script: str, *arguments: str) -> list[str]:
    return [sys.executable, str(HERE / script), *arguments]


def _check(runs: Sequence[Run]) -> None:
    """Ends the benchmark unless all runs gave the same scores, to 1e-12."""
    first, *others = (json.loads(one.output)[3] for one in runs)
    for other in others:
        if first.keys() != other.keys():
            raise SystemExit(f"scores of one side only: {first.keys() ^ other.keys()}")
        for name, value in first.items():
            if not isclose(value, other[name], rel_tol=0, abs_tol=1e-12):
                raise SystemExit(f"{name}: {value!r} is not {other[name]!r}")


def _seconds(one: Run) -> float:
    return float(json.loads(one.output)[0][0])


def _peak(one: Run) -> float:
    """The peak of memory in multiples of the input, which is part of it."""
    _, added, size, _ = json.loads(one.output)
    return float((size + added) / size)


if __name__ == "__main__":
    main()

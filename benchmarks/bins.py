"""Probabilities with and without bins: seconds, memory, the bytes of a tally, and the error."""

import json
import sys
import tempfile
from pathlib import Path

from stopwatch import find_medians, format_table, run, take_turns

SIZES = (1_000_000, 10_000_000)
BINS = (None, 100, 1000, 10_000)
ROUNDS = 3
METRICS = ("roc_auc", "average_precision", "brier_score", "log_loss", "ece")
HERE = Path(__file__).parent
COMMAND = (sys.executable, "-m", "tallystick")


def main() -> None:
    """Makes the files, scores and counts them, and prints a table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = f"{folder}/rows.parquet"
            run([sys.executable, str(HERE / "synthetic.py"), str(size), path])
            rows += _measure(folder, path, size)
    headings = ("rows", "bins", "seconds", "peak megabytes", "tally, kilobytes", *METRICS[:2])
    print(format_table(headings, rows))


def _measure(folder: str, path: str, size: int) -> list[tuple[str, ...]]:
    """A line for each number of bins: medians, and how far scores may be from the exact ones."""
    options = (path, "--by", "lang", "--positive", "toxic", "-m", *METRICS)
    commands = {
        bins: [*COMMAND, "score", *options, "--format", "json", *_name(bins)] for bins in BINS
    }
    runs = take_turns(commands, ROUNDS)
    seconds = find_medians(runs, lambda one: one.seconds)
    peaks = find_medians(runs, lambda one: one.peak)
    lines = []
    for bins in BINS:
        tally = f"{folder}/{bins}.tally"
        run([*COMMAND, "count", *options, *_name(bins), "-o", tally])
        lines.append(
            (
                f"{size:,}",
                "-" if bins is None else f"{bins:,}",
                f"{seconds[bins]:.2f}",
                f"{peaks[bins] / 1e6:.0f}",
                f"{Path(tally).stat().st_size / 1e3:.1f}",
                *_tell_scores(runs[bins][0].output),
            )
        )
    return lines


def _name(bins: int | None) -> list[str]:
    return [] if bins is None else ["--bins", str(bins)]


def _tell_scores(output: str) -> list[str]:
    """The scores of all groups together, with their error."""
    found = json.loads(output)["scores"]
    whole = [one for one in found if one["group"] == "micro" and one["name"] in METRICS[:2]]
    return [
        f"{one['value']:.6f}" + (f" ± {one['bin_error']:.2g}" if one["bin_error"] else "")
        for one in whole
    ]


if __name__ == "__main__":
    main()

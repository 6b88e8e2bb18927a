"""Whole processes: a run of four prediction files, and the smallest thing the command can do.

Compares `tallystick score --pred-dir` with a script that has pandas and scikit-learn do the same,
and `tallystick --version` with a Python that does nothing.
"""

import csv
import random
import sys
import tempfile
from math import isclose
from pathlib import Path

from stopwatch import find_medians, format_table, run, take_turns

SIZES = {
    "four files, 23,000 rows": {"en": 22_355, "de": 251, "es": 251, "tr": 300},
    "four files, 1,000 rows": {"en": 251, "de": 251, "es": 251, "tr": 251},
}
ROUNDS = 15
HERE = Path(__file__).parent
COMMAND = str(Path(sys.executable).with_name("tallystick"))


def main() -> None:
    """Makes the files, compares the scores, and prints a table."""
    rows = []
    for name, sizes in SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            for language, size in sizes.items():
                _write(f"{folder}/run_{language}.csv", language, size)
            score = [COMMAND, "score", "--pred-dir", folder, "--run-tag", "run", "--format", "csv"]
            peer = [sys.executable, str(HERE / "peer_run.py"), folder, "run"]
            _check(run(score).output, run(peer).output)
            rows += _compare(f"`tallystick score`, {name}", score, "pandas and scikit-learn", peer)
    nothing = [sys.executable, "-c", "pass"]
    package = [sys.executable, "-c", "import tallystick"]
    rows += _compare("`python -c pass`", nothing, "`import tallystick`", package)
    for option in ("--version", "--help", "completion bash"):
        command = [COMMAND, *option.split()]
        rows += _compare("`python -c pass`", nothing, f"`tallystick {option}`", command)
    print(format_table(("process", "milliseconds", "times the one above", "peak megabytes"), rows))


def _write(path: str, language: str, size: int) -> None:
    """A prediction file that is the same in every run."""
    seeded = random.Random(language)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "y_true", "y_prob", "y_pred", "best_threshold"))
        for number in range(size):
            probability = seeded.random()
            gold = int(seeded.random() < probability**2)
            predicted = int(probability >= 0.5)
            writer.writerow((f"{language}-{number}", gold, probability, predicted, 0.5))


def _check(ours: str, theirs: str) -> None:
    """Ends the benchmark unless both tables hold the same, numbers to 1e-12."""
    for row, other in zip(csv.reader(ours.split()), csv.reader(theirs.split()), strict=True):
        for cell, expected in zip(row, other, strict=True):
            if cell != expected and not isclose(float(cell), float(expected), abs_tol=1e-12):
                raise SystemExit(f"{row[0]}: {cell!r} is not {expected!r}")


def _compare(name: str, command: list[str], other_name: str, other: list[str]) -> list[list[str]]:
    runs = take_turns({name: command, other_name: other}, ROUNDS)
    seconds = find_medians(runs, lambda one: one.seconds)
    peaks = find_medians(runs, lambda one: one.peak)
    ratios = {name: "", other_name: f"{seconds[other_name] / seconds[name]:.2f}"}
    return [
        [key, f"{1000 * seconds[key]:.1f}", ratios[key], f"{peaks[key] / 1e6:.0f}"] for key in runs
    ]


if __name__ == "__main__":
    main()

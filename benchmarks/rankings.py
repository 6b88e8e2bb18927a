"""Rankings of documents beside pytrec_eval and ranx: whole processes, from TREC files to the table.

    python benchmarks/rankings.py [--rounds N]

The peers give values alone; Tallystick gives intervals too, and tests of all pairs of ten runs.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from stopwatch import find_medians, format_table, take_turns

_HERE = Path(__file__).parent
_METRICS = ("-m", "nDCG@10", "RR@10", "R@1000")
_SIZES = {"6,980 x 1,000, one run": (6980, 1, 1), "1,000 x 1,000, ten runs": (1000, 50, 10)}
"""Queries, judged documents of each, and runs."""


def main() -> None:
    """Prints a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    for name, (queries, judged, runs) in _SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            sizes = map(str, (queries, judged, runs))
            made = [sys.executable, str(_HERE / "rankings_data.py"), folder, *sizes]
            subprocess.run(made, check=True)
            print(f"\n{_compare(name, folder, runs, rounds)}")


def _compare(name: str, folder: str, count: int, rounds: int) -> str:
    files = [f"{folder}/qrels.txt", *(f"{folder}/run{run}.txt" for run in range(count))]
    # Without its folder in the path, where coverage.py is one of ours.
    peer = [sys.executable, "-P", str(_HERE / "rankings_peer.py")]
    command = "score" if count == 1 else "rank"
    sides = {
        f"Tallystick, `{command}`": [
            sys.executable,
            "-m",
            "tallystick",
            command,
            *files,
            *_METRICS,
        ],
        "pytrec_eval, values alone": [*peer, "pytrec_eval", *files],
        "ranx, values alone": [*peer, "ranx", *files],
    }
    runs = take_turns(sides, rounds)
    work = find_medians(runs, lambda run: run.work)
    peak = find_medians(runs, lambda run: run.peak)
    ours = next(iter(work.values()))
    return format_table(
        [name, "processor seconds", "times Tallystick's", "MB"],
        [
            [side, f"{own:.1f}", f"{own / ours:.1f}", f"{peak[side] / 1e6:.0f}"]
            for side, own in work.items()
        ],
    )


if __name__ == "__main__":
    main()

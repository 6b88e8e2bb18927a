"""Gold and outputs joined by id, millions of rows each in another order, beside DuckDB.

Both read two Parquet files and count how often each label was predicted for each gold label.
Tallystick also checks every id, as it always does.
"""

import csv
import io
import sys
import tempfile
from pathlib import Path

from stopwatch import Run, format_table, run

ROWS = {"numbers": 50_000_000, "text": 10_000_000}
HERE = Path(__file__).parent


def main() -> None:
    """Makes the data, compares the counts, and prints a table."""
    headings = ("ids", "rows", "", "files, MB", "seconds", "of a processor", "peak, MB")
    print(format_table(headings, _measure()))


def _measure() -> list[list[str]]:
    found = []
    for kind, rows in ROWS.items():
        with tempfile.TemporaryDirectory() as folder:
            run([sys.executable, str(HERE / "joins_data.py"), str(rows), kind, folder])
            files = [f"{folder}/gold.parquet", f"{folder}/system.parquet"]
            size = sum(Path(name).stat().st_size for name in files)
            counts = f"{folder}/counts.csv"
            command = ["-m", "tallystick", "score", *files, "-m", "accuracy"]
            own = run([sys.executable, *command, "--confusion", counts])
            peer = run([sys.executable, str(HERE / "joins_peer.py"), *files])
            _check(Path(counts).read_text(), peer.output)
            for name, one in (("Tallystick", own), ("DuckDB", peer)):
                found.append([kind, f"{rows:,}", name, f"{size / 1e6:.0f}", *_tell(one)])
    return found


def _tell(one: Run) -> list[str]:
    return [f"{one.seconds:.0f}", f"{one.work:.0f}", f"{one.peak / 1e6:.0f}"]


def _check(own: str, peer: str) -> None:
    """Ends the benchmark unless both counted the same."""
    header, *rows = csv.reader(io.StringIO(own))
    counts = {
        (row[0], label): int(count)
        for row in rows
        for label, count in zip(header[1:], row[1:], strict=True)
    }
    other = {(gold, said): int(count) for gold, said, count in csv.reader(io.StringIO(peer))}
    if counts != other:
        raise SystemExit(f"{counts} is not {other}")


if __name__ == "__main__":
    main()

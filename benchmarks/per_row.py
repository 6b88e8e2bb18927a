"""What a row costs, from ten thousand rows to ten million: the price should not depend on it."""

import json
import sys
import tempfile
from pathlib import Path
from statistics import median

from stopwatch import format_table, run

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
REPEATS = 8
HERE = Path(__file__).parent


def main() -> None:
    """Scores tables of growing size, each several times in one process, and prints a table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = f"{folder}/rows.arrow"
            run([sys.executable, str(HERE / "synthetic.py"), str(size), path])
            command = [sys.executable, str(HERE / "rows_tallystick.py"), path, "arrow"]
            # The first call also pays for what is imported when it is first needed.
            first, *seconds = json.loads(run([*command, str(REPEATS)]).output)[0]
            middle = median(seconds)
            rows.append(
                (
                    f"{size:,}",
                    f"{1000 * first:.1f}",
                    f"{1000 * middle:.2f}",
                    f"{1e9 * middle / size:.0f}",
                )
            )
    print(format_table(("rows", "first call, ms", "later calls, ms", "ns a row"), rows))


if __name__ == "__main__":
    main()

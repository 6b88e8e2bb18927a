"""A hundred million rows of labels with probabilities, in Parquet: seconds and memory.

Beside Tallystick, exact and rounded, in one process and on two workers: scikit-learn row group by
row group, in one process and on two workers of Dask, whose mean of areas is not the area; and
DuckDB, which counts the confusion matrix alone. Each side runs once.
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from stopwatch import format_table, run

ROWS, GROUPS = 1_000_000, 100
LANGUAGES = ("de", "en", "es", "tr")
COUNTS = "SELECT lang, y_true, y_pred, count(*) FROM '{}' GROUP BY ALL"


def main() -> None:
    """Makes the file, and prints a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.parquet"
        run(_call("make", path))
        score = [sys.executable, "-m", "tallystick", "score", path, "-m", "roc_auc", "f1"]
        score += ["--by", "lang", "--format", "json"]
        sides = {
            "Tallystick": score,
            "Tallystick, --round-scores 3": [*score, "--round-scores", "3"],
            "Tallystick, --round-scores 3 --workers 2": [
                *(*score, "--round-scores", "3", "--workers", "2"),
            ],
            "scikit-learn, by row group": _call("learn", path),
            "scikit-learn, by row group, on two workers of Dask": _call("spread", path),
            "DuckDB, confusion matrix alone": _call("query", path),
        }
        rows = []
        for name, command in sides.items():
            one = run(command)
            rows.append((name, f"{one.seconds:.1f}", f"{one.work:.1f}", f"{one.peak / 1e6:.0f}"))
    print(format_table(("10^8 rows", "seconds", "processor seconds", "peak megabytes"), rows))


def _call(what: str, path: str) -> list[str]:
    return [sys.executable, str(Path(__file__)), what, path]


def make(path: str) -> None:
    """Writes the rows, a row group at a time."""
    import numpy as np
    import pyarrow
    import pyarrow.parquet

    random, writer = np.random.default_rng(7), None
    for _ in range(GROUPS):
        gold = random.random(ROWS) < 0.3
        scores = 1 / (1 + np.exp(-random.normal(np.where(gold, 1.0, -1.3), 1.0)))
        table = pyarrow.table(
            {
                "lang": pyarrow.array(LANGUAGES).take(random.integers(0, 4, ROWS)),
                "y_true": gold.astype(np.int8),
                "y_pred": (scores >= 0.5).astype(np.int8),
                "y_prob": scores,
            }
        )
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def learn(path: str) -> None:
    """Scores every language of every row group, and averages."""
    import numpy as np

    scores = [score_group(path, group) for group in range(GROUPS)]
    print(np.mean(np.concatenate(scores), axis=0))


def spread(path: str) -> None:
    """As `learn`, on two worker processes."""
    import numpy as np
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        futures = client.map(partial(score_group, path), range(GROUPS), pure=False)
        print(np.mean(np.concatenate(client.gather(futures)), axis=0))


def score_group(path: str, group: int) -> list[tuple[float, float]]:
    """The area and F1 of each language of a row group."""
    import pyarrow.parquet
    from sklearn.metrics import f1_score, roc_auc_score

    rows = pyarrow.parquet.ParquetFile(path).read_row_group(group).to_pandas()
    return [
        (roc_auc_score(own["y_true"], own["y_prob"]), f1_score(own["y_true"], own["y_pred"]))
        for _, own in rows.groupby("lang")
    ]


def query(path: str) -> None:
    """Counts gold and predicted labels by language."""
    import duckdb

    print(duckdb.sql(COUNTS.format(path)).fetchall())


SIDES: dict[str, Callable[[str], None]] = {
    "make": make,
    "learn": learn,
    "spread": spread,
    "query": query,
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        SIDES[sys.argv[1]](sys.argv[2])
    else:
        main()

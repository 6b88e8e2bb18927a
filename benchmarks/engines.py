"""What workers cost and save: the plain command beside `--workers 1` and `--workers 2`.

Ten million rows of labels with probabilities in partitioned Parquet, and text pairs where counting
takes longer than reading. Every run is a fresh process; the sides take turns, and medians are told:
seconds from start to end, and the processor seconds of all processes together.
`python benchmarks/engines.py ROWS` takes another number of rows.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from stopwatch import Run, run

ROWS = 10_000_000
FILES = 16
TURNS = 5
TEXTS = 200_000
SIDES: tuple[tuple[str, ...], ...] = ((), ("--workers", "1"), ("--workers", "2"))


def main() -> None:
    """Prints a table of medians in Markdown."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    folder = Path(tempfile.mkdtemp(prefix="engines-"))
    try:
        labels, texts = folder / "labels", folder / "texts.parquet"
        write_labels(labels, rows)
        write_texts(texts, TEXTS)
        print("| counted | plain, s | 1 worker | 2 workers | 1 / plain | plain / 2 | work, s |")
        print("| :-- | --: | --: | --: | --: | --: | --: |")
        for name, command in (
            ("labels", [str(labels), "-m", "f1", "accuracy"]),
            ("probabilities", [str(labels), "-m", "f1", "roc_auc", "brier_score"]),
            (
                "probabilities in 1,000 bins",
                [str(labels), "-m", "f1", "roc_auc", "brier_score", "--bins", "1000"],
            ),
            ("texts", [str(texts), "-m", "bleu", "chrf", "ter"]),
        ):
            print(measure(name, command, folder), flush=True)
    finally:
        shutil.rmtree(folder)


def measure(name: str, command: list[str], folder: Path) -> str:
    """A row of the table: the medians of all sides, which must write the same bytes."""
    output = str(folder / "counts.tally")
    contents = set()
    runs: list[list[Run]] = [[] for _ in SIDES]
    for _ in range(TURNS):
        for side, own in zip(SIDES, runs, strict=True):
            count = [sys.executable, "-m", "tallystick", "count", *command, *side, "-o", output]
            own.append(run(count))
            contents.add(Path(output).read_bytes())
    if len(contents) > 1:
        raise AssertionError(f"{name}: the sides wrote different bytes")
    plain, one, two = (median(each.seconds for each in own) for own in runs)
    works = " / ".join(f"{median(each.work for each in own):.2f}" for own in runs)
    return (
        f"| {name} | {plain:.2f} | {one:.2f} | {two:.2f} | {one / plain:.2f} | {plain / two:.2f} "
        f"| {works} |"
    )


def write_labels(folder: Path, rows: int) -> None:
    """Writes gold labels, probabilities and languages into files of equal size."""
    folder.mkdir()
    for number in range(FILES):
        random = np.random.default_rng(number)
        size = rows // FILES
        gold = random.random(size) < 0.3
        scores = np.where(gold, random.beta(4, 2, size), random.beta(2, 4, size))
        table = pa.table({"y_true": gold.astype(np.int8), "y_prob": scores})
        pq.write_table(table, folder / f"part-{number:03}.parquet", row_group_size=1 << 18)


def write_texts(path: Path, rows: int) -> None:
    """Writes references, and hypotheses that lack some of their words."""
    random = np.random.default_rng(1)
    words = np.array([f"word{number}" for number in range(5000)])
    drawn = words[random.zipf(1.4, (rows, 24)) % len(words)]
    references = [" ".join(row) for row in drawn]
    hypotheses = [" ".join(row[random.random(24) < 0.8]) for row in drawn]
    table = pa.table({"reference": references, "hypothesis": hypotheses})
    pq.write_table(table, path, row_group_size=1 << 12)


if __name__ == "__main__":
    main()

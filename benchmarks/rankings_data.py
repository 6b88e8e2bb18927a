"""Writes qrels and runs of random documents.

python benchmarks/rankings_data.py FOLDER QUERIES JUDGED RUNS
"""

import sys
from pathlib import Path

import numpy as np

_DOCUMENTS = 8_841_823
_RETURNED = 1_000


def main() -> None:
    """Writes `qrels.txt`, and `run0.txt` and so on beside it."""
    folder, (queries, judged, runs) = Path(sys.argv[1]), map(int, sys.argv[2:])
    random = np.random.default_rng(1)
    relevant = random.integers(0, _DOCUMENTS, (queries, judged))
    with open(folder / "qrels.txt", "w") as file:
        for query, own in enumerate(relevant):
            grades = random.integers(1, 4, judged)
            file.writelines(
                f"{query} 0 {name} {grade}\n"
                for name, grade in zip(set(own.tolist()), grades, strict=False)
            )
    for run in range(runs):
        with open(folder / f"run{run}.txt", "w") as file:
            for query, own in enumerate(relevant):
                file.writelines(_rank(random, query, own, run))


def _rank(random: np.random.Generator, query: int, relevant: np.ndarray, run: int) -> list[str]:
    """A thousand documents by falling scores, with many of the relevant ones near the top."""
    names = random.integers(0, _DOCUMENTS, _RETURNED)
    found = relevant[random.random(len(relevant)) < 0.7]
    found = found[~np.isin(found, names)]
    places = np.minimum(random.exponential(30, len(found)).astype(int), _RETURNED - 1)
    names[places] = found
    names = names[np.sort(np.unique(names, return_index=True)[1])]
    scores = -np.sort(-random.normal(20, 5, len(names)))
    return [
        f"{query} Q0 {name} {rank} {score:.4f} run{run}\n"
        for rank, (name, score) in enumerate(zip(names, scores, strict=True), 1)
    ]


if __name__ == "__main__":
    main()

"""Scores a table in memory with Tallystick: `python rows_tallystick.py FILE pandas|arrow REPEATS`.

Prints as JSON how many seconds each repeat took, how many bytes the first added to those of the
input, the input's own bytes, and the scores.
"""

import json
import math
import sys
from time import perf_counter

import pyarrow
import pyarrow.feather
from stopwatch import find_peak, forget_peak

from tallystick import Task, score
from tallystick.metrics.usual import list_usual
from tallystick.results import Evaluation


def main(path: str, kind: str, repeats: int) -> None:
    """Loads the file, scores it and prints the measures."""
    table = pyarrow.feather.read_table(path, memory_map=False)
    size = table.nbytes
    if kind == "pandas":
        table = table.to_pandas(split_blocks=True, self_destruct=True)
        size = int(table.memory_usage(deep=True).sum())
    pyarrow.default_memory_pool().release_unused()
    forget_peak()
    before = find_peak()
    seconds, usual = [], list_usual("run")
    for repeat in range(repeats):
        start = perf_counter()
        scored = score(table, metrics=usual, by="lang", task=Task("binary", positive="toxic"))
        seconds.append(perf_counter() - start)
        if repeat == 0:
            added = find_peak() - before
    print(json.dumps([seconds, added, size, list_scores(scored)]))


def list_scores(scored: Evaluation) -> dict[str, float]:
    """Each defined score under its group and name."""
    return {
        f"{one.group} {one.name}": one.value for one in scored.scores if not math.isnan(one.value)
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

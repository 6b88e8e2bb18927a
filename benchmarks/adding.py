"""How many bytes a tally takes, and how long adding 10,000 of them takes.

    python benchmarks/adding.py [--parts N] [--examples N]

The first table has the bytes of a file of counts of many examples, by kind and number of groups;
the second the processor seconds that 10,000 parts of 100 examples each take, a thousand different
ones ten times: to read each from its bytes, and to add them up in a tree, 16 at a time.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import process_time

import numpy as np
from numpy.typing import NDArray
from stopwatch import format_table

from tallystick.codes import Labels
from tallystick.examples.systems import Output, Systems
from tallystick.examples.task import Task
from tallystick.kinds.labels.sets import LabelRows
from tallystick.kinds.texts.text_columns import read_pairs
from tallystick.scoring.counted import Counted, add_counted
from tallystick.scoring.counting import count
from tallystick.scoring.packing import pack_counted
from tallystick.scoring.saved import unpack_counted

Random = np.random.Generator

GROUPS = (1, 100, 1000)
SMALL = 100
DIFFERENT = 1000
FAN = 16
NAMES = ("one", "two")
WORDS = np.array(["the", "a", "dog", "cat", "runs", "sleeps", "fast", "here", "and", "not"])


@dataclass(frozen=True, slots=True)
class Kind:
    """What is counted.

    Attributes:
        name: What the table calls it.
        invent: Makes examples.
        metrics: Short names.
        systems: How many systems there are.
        beside: Columns that are used beside gold and outputs: `cluster` or `weight`.
        bins: In how many bins probabilities are counted.
    """

    name: str
    invent: Callable[[Random, int, int], Systems]
    metrics: tuple[str, ...]
    systems: int = 2
    beside: tuple[str, ...] = ()
    bins: int | None = None


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=int, default=10_000)
    parser.add_argument("--examples", type=int, default=100_000)
    options = parser.parse_args()
    rows = [
        [kind.name, *(f"{weigh(kind, options.examples, groups):,}" for groups in GROUPS)]
        for kind in KINDS
    ]
    headings = [
        f"bytes of {options.examples:,} examples",
        "1 group",
        *(f"{n:,} groups" for n in GROUPS[1:]),
    ]
    print(format_table(headings, rows), end="\n\n", flush=True)
    rows = [[kind.name, *time_adding(kind, options.parts)] for kind in KINDS]
    headings = [f"{options.parts:,} parts", "bytes of a part", "reading", "adding"]
    print(format_table(headings, rows))


def weigh(kind: Kind, examples: int, groups: int) -> int:
    """The bytes of a file of counts."""
    return len(pack_counted(count_part(kind, examples, groups, 0)))


def time_adding(kind: Kind, parts: int) -> list[str]:
    """The bytes of a part, and the seconds to read all parts and to add them."""
    files = [pack_counted(count_part(kind, SMALL, 10, seed)) for seed in range(DIFFERENT)]
    start = process_time()
    read = [unpack_counted(files[at % DIFFERENT], "part") for at in range(parts)]
    between = process_time()
    add_all(read)
    end = process_time()
    size = np.mean([len(file) for file in files])
    return [f"{size:,.0f}", f"{between - start:.1f}", f"{end - between:.1f}"]


def add_all(parts: Sequence[Counted]) -> Counted:
    """The sum of parts, as a tree."""
    level = list(parts)
    while len(level) > 1:
        rows = [level[at : at + FAN] for at in range(0, len(level), FAN)]
        level = [add_counted([("part", one) for one in row]) for row in rows]
    return level[0]


def count_part(kind: Kind, examples: int, groups: int, seed: int) -> Counted:
    """Counts invented examples."""
    random = np.random.default_rng(seed)
    systems = kind.invent(random, examples, kind.systems)
    systems = replace(systems, groups=label(random.permutation(examples) % groups, groups))
    if "cluster" in kind.beside:
        size = -(-examples // 10)
        names = tuple(f"{seed:05d}-{at:05d}" for at in range(size))
        systems = replace(
            systems, clusters=Labels(label(np.arange(examples) // 10, size).codes, names)
        )
    if "weight" in kind.beside:
        systems = replace(systems, weights=random.random(examples))
    return count([systems], list(kind.metrics), heading="group", bins=kind.bins)


def label(codes: NDArray[np.int64], size: int) -> Labels:
    """Codes as labels that are numbers."""
    return Labels(codes.astype(np.min_scalar_type(size)), tuple(range(size)))


def invent_labels(random: Random, examples: int, systems: int, *, labels: int) -> Systems:
    """Labels, three quarters of which are right."""
    gold = random.integers(0, labels, examples)
    outputs = [
        np.where(random.random(examples) < 0.75, gold, random.integers(0, labels, examples))
        for _ in range(systems)
    ]
    task = Task("binary", (0, 1), 1) if labels == 2 else Task("multiclass", tuple(range(labels)))
    own = tuple(Output(label(one, labels)) for one in outputs)
    return Systems(NAMES[:systems], label(gold, labels), own, task=task, asked=task)


def invent_sets(random: Random, examples: int, systems: int) -> Systems:
    """Sets of ten labels, each of which holds three on the average."""
    names = tuple("abcdefghij")
    gold, *outputs = (
        LabelRows(
            np.packbits(random.random((examples, 10)) < 0.3, axis=1, bitorder="little"), names
        )
        for _ in range(systems + 1)
    )
    task = Task("multilabel", names)
    return Systems(NAMES[:systems], gold, tuple(map(Output, outputs)), task=task, asked=task)


def invent_scores(random: Random, examples: int, systems: int) -> Systems:
    """Probabilities that all differ."""
    gold = label(random.integers(0, 2, examples), 2)
    outputs = tuple(Output(gold, random.random(examples)) for _ in range(systems))
    task = Task("binary", (0, 1), 1)
    return Systems(NAMES[:systems], gold, outputs, task=task, asked=task)


def invent_texts(random: Random, examples: int, systems: int) -> Systems:
    """Texts of eight words."""
    columns = [
        list(map(" ".join, WORDS[random.integers(0, len(WORDS), (examples, 8))].tolist()))
        for _ in range(systems + 1)
    ]
    texts = tuple(read_pairs(own, columns[0]) for own in columns[1:])
    return Systems(NAMES[:systems], texts=texts)


KINDS = (
    Kind("two labels", partial(invent_labels, labels=2), ("f1",)),
    Kind("two labels, weights", partial(invent_labels, labels=2), ("f1",), beside=("weight",)),
    Kind("two labels, clusters", partial(invent_labels, labels=2), ("f1",), beside=("cluster",)),
    Kind("20 labels", partial(invent_labels, labels=20), ("macro_f1",)),
    Kind("sets of 10 labels", invent_sets, ("micro_f1",)),
    Kind("probabilities, one system", invent_scores, ("roc_auc",), systems=1),
    Kind("probabilities", invent_scores, ("roc_auc",)),
    Kind("probabilities, 1,000 bins", invent_scores, ("roc_auc",), bins=1000),
    Kind("BLEU", invent_texts, ("bleu",)),
    Kind("BLEU, clusters", invent_texts, ("bleu",), beside=("cluster",)),
    Kind("ROUGE-1, ROUGE-L", invent_texts, ("rouge1", "rougeL")),
)

if __name__ == "__main__":
    main()

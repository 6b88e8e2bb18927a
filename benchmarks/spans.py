"""F1 of spans: how fast beside seqeval, and whether intervals and tests keep their promise.

    python benchmarks/spans.py speed
    python benchmarks/spans.py promise [WORDS ...] [--samples N]

`speed` scores two CoNLL files of 100,000 tokens, from files to F1 without intervals; seqeval's user
reads them with a loop over lines. `promise` takes samples from populations of sentences and of two
systems that are equally good, and prints the percentage of samples whose interval holds the true
value, which lies below and above it, and in which the two systems' p-value is below 0.05.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from stopwatch import format_table

import tallystick
from tallystick.kinds.spans import SPANS
from tallystick.model.reading import Reading
from tallystick.reading.layouts import read_files
from tallystick.scoring.counting import count
from tallystick.scoring.score import score_counted

TOKENS = 100_000
ROUNDS = 9
TYPES = ("PER", "LOC", "ORG", "MISC")
SIZES = (50, 251, 2000)
SAMPLES = 1000
MANY = 50_000
PARTS = 4
SIGNIFICANT = 0.05

Generator = np.random.Generator
Sample = dict[str, Any]
"""What `tallystick.compare` takes."""


@dataclass(frozen=True, slots=True)
class Case:
    """A population of sentences.

    Attributes:
        name: What they are.
        spans: How many places for spans a sentence has.
        filled: The share of these that hold one.
        types: How often each type is meant.
        good: How often a system is right, and how often it errs in the bounds, or in the type.
        metrics: What is measured.
    """

    name: str
    spans: int
    filled: float
    types: tuple[float, ...]
    good: tuple[float, float, float]
    metrics: tuple[str, ...]


CASES = (
    Case(
        "named entities of 4 types",
        4,
        0.4,
        (0.3, 0.3, 0.25, 0.15),
        (0.8, 0.07, 0.06),
        ("span_precision", "span_recall", "span_f1", "macro_span_f1", "weighted_span_f1"),
    ),
    Case("nearly perfect", 4, 0.4, (0.5, 0.5), (0.97, 0.01, 0.01), ("span_f1", "macro_span_f1")),
    Case("few spans", 2, 0.1, (0.7, 0.3), (0.6, 0.1, 0.1), ("span_f1", "macro_span_f1")),
    Case(
        "long spans",
        3,
        0.6,
        (0.5, 0.5),
        (0.4, 0.4, 0.1),
        ("partial_span_f1", "type_span_f1", "overlap_span_f1", "character_span_f1"),
    ),
)


def main() -> None:
    """Measures what is asked for, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("speed", "promise"))
    parser.add_argument("words", nargs="*", help="what the names of populations have in them")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    options = parser.parse_args()
    if options.what == "speed":
        _print_speed()
        return
    rows = []
    for case in CASES:
        if all(word in case.name for word in options.words):
            truth = _find_truth(case)
            for size in SIZES:
                for row in _measure(case, truth, size, options.samples):
                    rows.append(row)
                    print(row, file=sys.stderr, flush=True)
    headings = ("sentences", "n", "score", "% held", "% below", "% above", "% p < 0.05")
    print(format_table(headings, rows))


def _print_speed() -> None:
    from seqeval.metrics import f1_score
    from seqeval.scheme import IOB2

    with tempfile.TemporaryDirectory() as folder:
        gold, own = _write_files(Path(folder))
        sides: dict[str, Callable[[], float]] = {
            "Tallystick": lambda: _score_files(gold, own),
            "seqeval, default mode": lambda: f1_score(_read(gold), _read(own)),
            "seqeval, strict mode": lambda: f1_score(
                _read(gold), _read(own), mode="strict", scheme=IOB2
            ),
        }
        ours, theirs, _ = (side() for side in sides.values())
        assert abs(ours - theirs) < 1e-12
        times: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, side in sides.items():
                start = time.process_time()
                side()
                times[name].append(time.process_time() - start)
    least = median(times["Tallystick"])
    rows = [
        (name, f"{1000 * median(own):.0f}", f"{median(own) / least:.1f}")
        for name, own in times.items()
    ]
    headings = (f"{TOKENS:,} tokens", "processor milliseconds", "times Tallystick's")
    print(format_table(headings, rows))


def _write_files(folder: Path) -> tuple[str, str]:
    """Gold, and the output of a system that errs in one tag of twenty."""
    source = random.Random(1)
    lines: tuple[list[str], list[str]] = ([], [])
    tokens = 0
    while tokens < TOKENS:
        size = source.randint(5, 30)
        tags: list[str] = []
        while len(tags) < size:
            kind = source.choice(TYPES)
            inside = [f"I-{kind}"] * source.choice((0, 0, 1, 2))
            tags += [f"B-{kind}", *inside] if source.random() < 0.12 else ["O"]
        for tag in tags:
            word = f"word{source.randint(0, 20_000)}"
            other = source.choice(("O", "B-PER", "I-LOC")) if source.random() < 0.05 else tag
            lines[0].append(f"{word} {tag}")
            lines[1].append(f"{word} {other}")
        for own in lines:
            own.append("")
        tokens += len(tags)
    paths = [folder / "gold.conll", folder / "system.conll"]
    for path, own in zip(paths, lines, strict=True):
        path.write_text("\n".join(own), encoding="utf-8")
    return str(paths[0]), str(paths[1])


def _score_files(gold: str, own: str) -> float:
    """The F1 of files without its interval."""
    counted = count(read_files(gold, {"system": own}, Reading(kinds=(SPANS,))), "span_f1")
    return float(score_counted(counted, None).scores[0].value)


def _read(path: str) -> list[list[str]]:
    """The tags of a file, as scripts read them."""
    sentences: list[list[str]] = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip():
                sentences[-1].append(line.split()[-1])
            else:
                sentences.append([])
    return [tags for tags in sentences if tags]


def _draw(case: Case, generator: Generator, size: int) -> Sample:
    """Sentences whose spans are of unlike difficulty, and what two systems make of them."""
    shape = (size, case.spans)
    held = generator.random(shape) < case.filled
    kinds = generator.choice(len(case.types), shape, p=case.types)
    lengths = generator.integers(2, 6, shape)
    ease = generator.normal(0, 0.15, (size, 1))
    gold = _list_spans(held, kinds, np.zeros(shape, int), lengths)
    outputs = {}
    for name in "AB":
        chance = generator.random(shape) - ease
        right, moved, other = np.cumsum(case.good)
        shift = np.where((chance >= right) & (chance < moved), 1, 0)
        mixed = np.where((chance >= moved) & (chance < other), 1, 0)
        found = (held & (chance < other)) | (~held & (generator.random(shape) < 0.03))
        outputs[name] = _list_spans(found, (kinds + mixed) % len(case.types), shift, lengths)
    return {"gold": gold, "outputs": outputs}


def _list_spans(held: Any, kinds: Any, shift: Any, lengths: Any) -> list[list[Any]]:
    """Spans at places that are ten tokens apart."""
    rows: list[list[Any]] = [[] for _ in held]
    for row, place in zip(*np.nonzero(held), strict=True):
        start = int(10 * place + shift[row, place])
        end = int(10 * place + lengths[row, place])
        rows[row].append((start, end, TYPES[kinds[row, place]]))
    return rows


def _find_truth(case: Case) -> dict[str, float]:
    """The score of very many sentences by the name of the metric."""
    found: dict[str, list[float]] = {}
    for part in range(PARTS):
        sample = _draw(case, np.random.default_rng([7, part]), MANY)
        for one in tallystick.score(**sample, metrics=case.metrics, intervals=False).scores:
            found.setdefault(one.name, []).append(one.value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def _measure(case: Case, truth: dict[str, float], size: int, samples: int) -> list[list[str]]:
    found: dict[str, list[tuple[bool, bool, bool]]] = {name: [] for name in truth}
    for seed in range(samples):
        sample = _draw(case, np.random.default_rng([seed, size]), size)
        compared = tallystick.compare(**sample, metrics=case.metrics)
        p = {one.name: one.p for one in compared.differences}
        for one in compared.scores:
            if one.system == "A":
                true = truth[one.name]
                held = (true < one.low, true > one.high, p[one.name] < SIGNIFICANT)
                found[one.name].append(held)
    return [
        [case.name, f"{size:,}", name, *(f"{share:.1f}" for share in (100 - below - above, *own))]
        for name, outcomes in found.items()
        for own in [100 * np.mean(outcomes, axis=0)]
        for below, above, _ in [own]
    ]


if __name__ == "__main__":
    main()

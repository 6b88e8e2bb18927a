"""How often intervals hold the true value: 95% of the samples is what they promise.

A population is a finite set of examples, and samples are taken from it with replacement, so that
its own score is exactly the true value. Prints, for each score, the share of samples whose interval
holds it; where some samples have no score or no interval, these are left out, and their share
follows in brackets.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from null import FREQUENCIES, VOCABULARY, garble
from numpy.typing import NDArray
from stopwatch import format_table

import tallystick
from tallystick import Score

SIZES = (50, 251, 2000)
LARGE = 10_000
"""Above 8,192 examples, sums of texts are resampled as normal numbers."""

REPETITIONS = 2000
FEW = 600
"""Repetitions of what takes long: curves that are resampled, and texts."""

CLUSTER = 20

Generator = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """All examples that there are.

    Attributes:
        sides: Gold and predictions, or references and hypotheses.
        task: The kind of task; None for texts.
        by: The group of each example; a sample has as many of each.
        clustered: Whether each `CLUSTER` examples are a cluster; a sample has whole ones.
    """

    sides: tuple[NDArray[Any], NDArray[Any]]
    task: Any = None
    by: NDArray[np.int64] | None = None
    clustered: bool = False

    def score(self, rows: NDArray[np.int64], metrics: Sequence[str], *, sure: bool) -> list[Score]:
        """Scores these examples, with intervals where they have to be sure."""
        left, right = (side[rows] for side in self.sides)
        by = None if self.by is None else self.by[rows]
        if self.task is None:
            found = tallystick.score(left.tolist(), right.tolist(), metrics, intervals=sure)
        else:
            # A cluster that was taken twice is two clusters of the sample.
            clusters = np.arange(len(rows)) // CLUSTER if self.clustered else None
            found = tallystick.score(
                left,
                right,
                metrics,
                by=by,
                clusters=clusters,
                task=self.task,
                intervals=sure,
            )
        wanted = "macro" if self.by is not None else None
        return [one for one in found.scores if one.group == wanted and one.name in metrics]

    def sample(self, size: int, generator: Generator) -> NDArray[np.int64]:
        """The rows of a sample, of `size` examples in each group."""
        total = len(self.sides[0])
        if self.clustered:
            firsts = generator.integers(total // CLUSTER, size=math.ceil(size / CLUSTER)) * CLUSTER
            return (firsts[:, None] + np.arange(CLUSTER)).ravel()
        if self.by is None:
            return generator.integers(total, size=size)
        places = [np.flatnonzero(self.by == group) for group in np.unique(self.by)]
        return np.concatenate([generator.choice(own, size) for own in places])


@dataclass(frozen=True, slots=True)
class Case:
    """Scores of one population.

    Attributes:
        name: What the examples are.
        make: Makes the population.
        metrics: Short names.
        repetitions: How many samples of each size are scored.
        sizes: How many examples a sample has.
    """

    name: str
    make: Callable[[Generator], Population]
    metrics: tuple[str, ...]
    repetitions: int = REPETITIONS
    sizes: tuple[int, ...] = SIZES


def main() -> None:
    """Repeats every case as often as it says, or that times the first argument."""
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    rows = []
    for case in _CASES:
        population = case.make(np.random.default_rng(1))
        cells = {
            size: _cover(population, case.metrics, size, math.ceil(share * case.repetitions))
            for size in case.sizes
        }
        for metric in case.metrics:
            shown = [cells[size][metric] if size in cells else "" for size in (*SIZES, LARGE)]
            rows.append([case.name, metric, *shown])
            print(rows[-1], file=sys.stderr, flush=True)
    print(format_table(("examples", "score", *(f"{size:,}" for size in (*SIZES, LARGE))), rows))


def _cover(
    population: Population, metrics: Sequence[str], size: int, repetitions: int
) -> dict[str, str]:
    """The share of samples, in percent, whose intervals hold the true values."""
    everything = np.arange(len(population.sides[0]))
    truth = {one.name: one.value for one in population.score(everything, metrics, sure=False)}
    held: dict[str, list[float]] = {metric: [] for metric in metrics}
    for seed in range(repetitions):
        rows = population.sample(size, np.random.default_rng([seed, size]))
        for one in population.score(rows, metrics, sure=True):
            holds = one.low <= truth[one.name] <= one.high
            held[one.name].append(math.nan if math.isnan(one.low) else holds)
    return {metric: _write(np.array(own, np.float64)) for metric, own in held.items()}


def _write(held: NDArray[np.float64]) -> str:
    lost = np.isnan(held).mean()
    return f"{100 * np.nanmean(held):.1f}" + (f" ({100 * lost:.1f})" if lost else "")


def _tabulate(*rows: Sequence[int]) -> Population:
    """As many examples of each gold label (rows) and predicted label (columns)."""
    counts = np.array(rows)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    task = tallystick.Task("binary", (0, 1), 1) if len(rows) == 2 else "multiclass"
    return Population(np.divmod(cells, len(rows)), task)


def _score_examples(generator: Generator, shares: Sequence[float], gap: float) -> Population:
    """Calibrated probabilities in as many groups as shares of positives, `gap` errors apart."""
    each = 50_000
    by = np.repeat(np.arange(len(shares)), each)
    share = np.array(shares)[by]
    gold = (generator.random(len(by)) < share).astype(np.int64)
    signal = gap * gold + generator.normal(size=len(by))
    odds = np.log(share / (1 - share)) + gap * (signal - gap / 2)
    task = tallystick.Task("binary", (0, 1), 1)
    return Population((gold, 1 / (1 + np.exp(-odds))), task, by if len(shares) > 1 else None)


def _label_sets(generator: Generator) -> Population:
    """Four labels of 40, 20, 10 and 5%, of which a hard example has more wrong."""
    size = 50_000
    gold = generator.random((size, 4)) < (0.4, 0.2, 0.1, 0.05)
    right = generator.random((size, 4)) < generator.beta(9, 1, size)[:, None]
    predicted = np.where(right, gold, generator.random((size, 4)) < (0.4, 0.2, 0.1, 0.05))
    return Population((gold.astype(np.int64), predicted.astype(np.int64)), "multilabel")


def _cluster(generator: Generator) -> Population:
    """Documents of 20 sentences, of which three quarters are right, correlated by 0.1."""
    size = 5000 * CLUSTER
    chances = np.repeat(generator.beta(6.75, 2.25, 5000), CLUSTER)
    gold = generator.integers(2, size=size)
    predicted = np.where(generator.random(size) < chances, gold, 1 - gold)
    return Population((gold, predicted), tallystick.Task("binary", (0, 1), 1), clustered=True)


def _write_texts(generator: Generator) -> Population:
    """Segments of 5 to 30 words, some of which are replaced by others."""
    lines = [
        generator.choice(VOCABULARY, length, p=FREQUENCIES)
        for length in generator.integers(5, 31, 20_000)
    ]
    chances = generator.beta(2, 4, len(lines))
    hypotheses = [
        garble(line, chance, generator) for line, chance in zip(lines, chances, strict=True)
    ]
    references = [" ".join(line) for line in lines]
    return Population((np.array(references, object), np.array(hypotheses, object)))


def _plain(*rows: Sequence[int]) -> Callable[[Generator], Population]:
    return lambda generator: _tabulate(*rows)


def _curves(*shares: float) -> Callable[[Generator], Population]:
    return lambda generator: _score_examples(generator, shares, 1.5)


_TWO = ("accuracy", "precision", "recall", "f1", "macro_f1", "balanced_accuracy", "mcc")
_FOUR = ("accuracy", "macro_f1", "balanced_accuracy", "weighted_f1", "mcc")
_SETS = ("exact_match_ratio", "macro_f1", "micro_f1", "hamming_loss")
_RESAMPLED = ("average_precision", "brier_score", "log_loss")
_EVEN = _plain([20, 2, 2, 1], [3, 18, 2, 2], [3, 3, 16, 3], [4, 4, 3, 14])
_UNEVEN = _plain([90, 6, 3, 1], [12, 42, 5, 1], [5, 5, 18, 2], [2, 2, 1, 5])

_CASES = (
    Case("40% positive", _plain([51, 9], [8, 32]), _TWO),
    Case("5% positive", _plain([185, 5], [3, 7]), _TWO),
    Case("four labels, 25% each", _EVEN, _FOUR),
    Case("four labels, 50, 30, 15, 5%", _UNEVEN, _FOUR),
    Case("label sets of 40, 20, 10, 5%", _label_sets, _SETS),
    Case("40% positive", _curves(0.4), ("roc_auc",)),
    Case("5% positive", _curves(0.05), ("roc_auc",)),
    Case("40% positive", _curves(0.4), _RESAMPLED, FEW),
    Case("5% positive", _curves(0.05), _RESAMPLED, FEW),
    Case("four groups, 50, 40, 30, 20% positive", _curves(0.5, 0.4, 0.3, 0.2), ("f1", "roc_auc")),
    Case("four groups, 5% positive", _curves(*[0.05] * 4), ("f1", "roc_auc")),
    Case("clusters of 20", _cluster, ("accuracy", "f1")),
    Case("texts", _write_texts, ("bleu", "wer", "rouge1"), FEW, (*SIZES, LARGE)),
)


if __name__ == "__main__":
    main()

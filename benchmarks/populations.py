"""Populations whose true scores are known, from which benchmarks/coverage.py takes samples.

Easy ones and hard ones: rare labels, many labels, groups of few examples, clusters of unlike sizes,
weights that go with ease, scores that no normal distribution describes, and rare catastrophes.
Four of them are real outputs in the folder that TALLYSTICK_SHARED names, or in `shared` beside
the checkout.
"""

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from null import FREQUENCIES, VOCABULARY, garble
from numpy.typing import NDArray

from tallystick import Task

__all__ = [
    "Population",
    "beta",
    "cells",
    "cluster",
    "confuse",
    "curve",
    "equal",
    "giant",
    "in_groups",
    "labels",
    "mix",
    "normal",
    "parallel",
    "read_summaries",
    "read_toxicity",
    "read_translations",
    "sets",
    "sides",
    "speak",
    "three",
    "unlike",
    "weigh",
    "write",
    "zipf",
]

SHARED = Path(os.environ.get("TALLYSTICK_SHARED", Path(__file__).parents[1].parent / "shared"))
MANY = 100_000
"""How many examples a made-up population has."""

BINARY = Task("binary", (0, 1), 1)
MULTICLASS = Task("multiclass")

Generator = np.random.Generator
Values = NDArray[Any]
Draw = Callable[[Generator, int], Values]
"""So many scores of examples of one kind."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """All examples that there are.

    Attributes:
        gold: The gold side of each example.
        outputs: The other side.
        task: What kind of examples they are; None for texts.
        by: The group of each example.
        weights: Their weights.
        units: Where each unit that is drawn as a whole starts, and the end; None draws examples.
        strata: The stratum of each unit: so many of each are drawn. None draws from all.
        clustered: Whether the units are told as clusters.
    """

    gold: Values
    outputs: Values
    task: Task | None
    by: Values | None = None
    weights: Values | None = None
    units: NDArray[np.int64] | None = None
    strata: Values | None = None
    clustered: bool = False

    def columns(self, rows: Values, clusters: Values | None) -> dict[str, Any]:
        """These rows as arguments of `tallystick.score`."""
        pick = {"by": self.by, "weights": self.weights}
        given = {name: own[rows] for name, own in pick.items() if own is not None}
        if self.clustered and clusters is not None:
            given["clusters"] = clusters
        sides = self.gold[rows], self.outputs[rows]
        if self.task is None:
            sides = sides[0].tolist(), sides[1].tolist()
        return {"gold": sides[0], "outputs": sides[1], "task": self.task, **given}

    def everything(self) -> dict[str, Any]:
        """The whole population."""
        return self.columns(np.arange(len(self.gold)), None)

    def sample(self, sizes: int | Sequence[int], generator: Generator) -> dict[str, Any]:
        """A sample with replacement: of so many units, or of so many of each stratum.

        A unit that is drawn twice is two clusters of the sample.
        """
        count = len(self.gold) if self.units is None else len(self.units) - 1
        if isinstance(sizes, int):
            drawn = generator.integers(count, size=sizes)
        else:
            assert self.strata is not None
            places = [np.flatnonzero(self.strata == own) for own in range(len(sizes))]
            drawn = np.concatenate(
                [generator.choice(*pair) for pair in zip(places, sizes, strict=True)]
            )
        if self.units is None:
            return self.columns(drawn, None)
        starts, lengths = self.units[drawn], np.diff(self.units)[drawn]
        rows = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        return self.columns(rows + np.arange(len(rows)), np.repeat(np.arange(len(drawn)), lengths))


def _tabulate(shares: Values, generator: Generator) -> Population:
    """Examples of each gold label (rows) and predicted label (columns)."""
    counts = np.round(shares / shares.sum() * MANY).astype(np.int64)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    gold, predicted = np.divmod(cells, len(shares))
    return Population(gold, predicted, BINARY if len(shares) == 2 else MULTICLASS)


def confuse(shares: Sequence[float] | Values, right: float) -> Values:
    """The chances of all cells, where errors go to labels by their shares."""
    share = np.array(shares) / np.sum(shares)
    cells = np.outer(share * (1 - right) / (1 - share), share)
    np.fill_diagonal(cells, share * right)
    return np.asarray(cells)


def labels(shares: Sequence[float] | Values, right: float) -> Callable[[Generator], Population]:
    """Labels by their shares, of which so many are right."""
    return partial(_tabulate, confuse(shares, right))


def named(shares: Sequence[float] | Values, right: float) -> Callable[[Generator], Population]:
    """The same, of which samples know all labels that there are."""
    task = Task("multiclass", labels=tuple(range(len(shares))))
    return lambda generator: replace(labels(shares, right)(generator), task=task)


def cells(*rows: Sequence[int]) -> Callable[[Generator], Population]:
    """Examples of each gold label (rows) and predicted label (columns)."""
    return partial(_tabulate, np.array(rows))


def zipf(labels: int) -> Values:
    """Shares that fall with the rank."""
    return 1 / np.arange(1, labels + 1)


def in_groups(tables: Sequence[Values]) -> Callable[[Generator], Population]:
    """A table for each group."""

    def make(generator: Generator) -> Population:
        parts = [_tabulate(table, generator) for table in tables]
        by = np.repeat(np.arange(len(parts)), [len(part.gold) for part in parts])
        gold, outputs = (
            np.concatenate([getattr(part, side) for part in parts]) for side in ("gold", "outputs")
        )
        return Population(gold, outputs, parts[0].task, by, strata=by)

    return make


def parallel(told: bool) -> Callable[[Generator], Population]:
    """Items in twelve languages, which are right together: correlated by 0.6."""

    def make(generator: Generator) -> Population:
        items, languages = MANY // 10, 12
        shared = generator.normal(size=(items, 1))
        noise = 0.6**0.5 * shared + 0.4**0.5 * generator.normal(size=(items, languages))
        right = noise < np.linspace(0.5, 1.2, languages)
        gold = np.repeat(generator.random((items, 1)) < 0.3, languages, axis=1)
        by = np.tile(np.arange(languages), items)
        units = np.arange(items + 1) * languages
        outputs = np.where(right, gold, ~gold)
        flat = (side.ravel().astype(np.int64) for side in (gold, outputs))
        return Population(*flat, BINARY, by, units=units, clustered=told)

    return make


def cluster(
    sizes: Callable[[Generator, int], Values], icc: float, right: float
) -> Callable[[Generator], Population]:
    """Clusters of such sizes; the examples of a cluster are right together."""

    def make(generator: Generator) -> Population:
        each = sizes(generator, 5000)
        firm = 1 / icc - 1
        chances = np.repeat(generator.beta(firm * right, firm * (1 - right), len(each)), each)
        gold = (generator.random(len(chances)) < 0.4).astype(np.int64)
        outputs = np.where(generator.random(len(gold)) < chances, gold, 1 - gold)
        units = np.concatenate([[0], np.cumsum(each)])
        large = (each > 1000).astype(np.int64) if each.max() > 1000 else None
        return Population(gold, outputs, BINARY, units=units, strata=large, clustered=True)

    return make


def equal(generator: Generator, count: int) -> Values:
    """Clusters of 20."""
    del generator
    return np.full(count, 20)


def unlike(generator: Generator, count: int) -> Values:
    """Lognormal sizes."""
    return np.maximum(1, np.round(np.exp(generator.normal(2.5, 1, count)))).astype(np.int64)


def giant(generator: Generator, count: int) -> Values:
    """One in twenty has five of six examples."""
    del generator
    return np.where(np.arange(count // 10) % 20, 20, 2000)


def weigh(
    ease: Callable[[Values], Values], heavy: tuple[float, float] | None = None
) -> Callable[[Generator], Population]:
    """Weights, and the chance of being right that goes with each.

    They are lognormal, or a share of the examples weighs so much and all others 1.
    """

    def make(generator: Generator) -> Population:
        weights = np.exp(generator.normal(size=MANY))
        if heavy is not None:
            weights = np.where(generator.random(MANY) < heavy[0], heavy[1], 1.0)
        gold = (generator.random(MANY) < 0.4).astype(np.int64)
        outputs = np.where(generator.random(MANY) < ease(weights), gold, 1 - gold)
        return Population(gold, outputs, BINARY, weights=weights)

    return make


def curve(
    *shares: float, gap: float = 1.5, sharpness: float = 1
) -> Callable[[Generator], Population]:
    """Probabilities in as many groups as shares of positives; calibrated where not sharpened."""

    def make(generator: Generator) -> Population:
        by = np.repeat(np.arange(len(shares)), MANY // 2)
        share = np.array(shares)[by]
        gold = (generator.random(len(by)) < share).astype(np.int64)
        signal = gap * gold + generator.normal(size=len(by))
        odds = sharpness * (np.log(share / (1 - share)) + gap * (signal - gap / 2))
        groups = {"by": by, "strata": by} if len(shares) > 1 else {}
        return Population(gold, 1 / (1 + np.exp(-odds)), BINARY, **groups)

    return make


def three(generator: Generator) -> Population:
    """Calibrated probabilities of three labels."""
    gold = generator.choice(3, MANY, p=(0.6, 0.3, 0.1))
    odds = generator.normal(size=(MANY, 3)) * 1.2 + np.log((0.6, 0.3, 0.1))
    odds[np.arange(MANY), gold] += 1.44
    chances = np.exp(odds)
    return Population(gold, chances / chances.sum(1, keepdims=True), MULTICLASS)


def sides(positive: Draw, negative: Draw) -> Callable[[Generator], Population]:
    """Scores of negatives and positives, each with a distribution of its own."""

    def make(generator: Generator) -> Population:
        gold = np.repeat((0, 1), MANY // 2)
        signal = np.concatenate([side(generator, MANY // 2) for side in (negative, positive)])
        return Population(gold, 1 / (1 + np.exp(-signal)), BINARY, strata=gold)

    return make


def normal(mean: float, deviation: float = 1) -> Draw:
    """Normal scores."""
    return lambda generator, n: generator.normal(mean, deviation, n)


def beta(a: float, b: float) -> Draw:
    """Scores by a beta distribution."""
    return lambda generator, n: generator.beta(a, b, n)


def mix(share: float, usual: Draw, other: Draw) -> Draw:
    """A share of scores of another kind."""

    def draw(generator: Generator, n: int) -> Values:
        odd = generator.random(n) < share
        return np.where(odd, other(generator, n), usual(generator, n))

    return draw


def sets(shares: Sequence[float]) -> Callable[[Generator], Population]:
    """Label sets, of which a hard example has more wrong."""

    def make(generator: Generator) -> Population:
        size, labels = MANY // 2, len(shares)
        gold = generator.random((size, labels)) < shares
        right = generator.random((size, labels)) < generator.beta(9, 1, size)[:, None]
        predicted = np.where(right, gold, generator.random((size, labels)) < shares)
        both = (side.astype(np.int64) for side in (gold, predicted))
        return Population(*both, Task("multilabel"))

    return make


def _text(pairs: Sequence[tuple[str, str]]) -> Population:
    sides = (np.array(side, object) for side in zip(*pairs, strict=True))
    return Population(*sides, None)


def write(generator: Generator) -> Population:
    """Segments of 5 to 30 words, some of which are replaced by others."""
    lengths = generator.integers(5, 31, MANY // 5)
    lines = [generator.choice(VOCABULARY, length, p=FREQUENCIES) for length in lengths]
    chances = generator.beta(2, 4, len(lines))
    pairs = zip(lines, chances, strict=True)
    return _text([(" ".join(line), garble(line, chance, generator)) for line, chance in pairs])


def speak(share: float, chance: float) -> Callable[[Generator], Population]:
    """Utterances of lognormal lengths with such a chance of an error in a word.

    That share of them ends in a loop of up to 200 words, as recognisers fall into.
    """

    def lines(generator: Generator) -> Iterator[tuple[str, str]]:
        lengths = np.maximum(1, np.exp(generator.normal(2.2, 0.8, MANY // 5)).astype(np.int64))
        hard = np.minimum(chance * np.exp(generator.normal(-0.7, 1.2, len(lengths))), 0.9)
        for length, own in zip(lengths, hard, strict=True):
            words = generator.choice(VOCABULARY, length, p=FREQUENCIES)
            loop = generator.random() < share
            tail = " pardon" * int(generator.integers(50, 201)) if loop else ""
            yield " ".join(words), garble(words, own, generator) + tail

    return lambda generator: _text(list(lines(generator)))


def read_summaries(generator: Generator) -> Population:
    """Real summaries of news."""
    folder = SHARED / "data" / "cnndm"
    return _text(_read(folder / "reference.txt", folder / "system.txt"))


def read_translations(pair: str, system: str, generator: Generator) -> Population:
    """Real translations of a shared task."""
    target, folder = pair.split("-")[1], SHARED / "data" / "wmt23"
    start = f"generaltest2023.{pair}"
    references = folder / "references" / f"{start}.ref.refA.{target}"
    return _text(_read(references, folder / "systems" / f"{start}.hyp.{system}.{target}"))


def _read(*paths: Path) -> list[tuple[str, str]]:
    sides = [path.read_text(encoding="utf-8").split("\n")[:-1] for path in paths]
    return list(zip(sides[0], sides[1], strict=True))


def read_toxicity(generator: Generator) -> Population:
    """Real probabilities of toxicity."""
    path = SHARED / "data" / "toxicity" / "predictions" / "baseline_tr.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = [(int(row["y_true"]), float(row["y_prob"])) for row in csv.DictReader(file)]
    gold, scores = np.array(rows).T
    return Population(gold.astype(np.int64), scores, BINARY, strata=gold.astype(np.int64))

"""How often paired tests find two systems different that are equally good: 5% are promised.

A null is strong where the systems are interchangeable, and weak where only the metric is equal, as
for systems of one precision of which one finds far more. Prints for each population, metric and
test the share of samples with p below 0.05, and of those whose interval of the difference holds 0.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stopwatch import format_table

import tallystick
from tallystick import Testing
from tallystick.errors import Caution
from tallystick.statistics.settings import Test

SAMPLES = 1000
RESAMPLES = 1000
SIGNIFICANT = 0.05

Generator = np.random.Generator
Words = NDArray[np.str_]
Sample = dict[str, Any]
"""What `tallystick.compare` takes."""

VOCABULARY: Words = np.array([f"{first}{last}e" for first in "bdfglmnprst" for last in "aeiou"])
FREQUENCIES = (1 / np.arange(1, len(VOCABULARY) + 1)) / (
    1 / np.arange(1, len(VOCABULARY) + 1)
).sum()


@dataclass(frozen=True, slots=True)
class Null:
    """A population of which both systems are equally good.

    Attributes:
        name: What it is.
        draw: Draws a sample of it.
        metrics: What is compared.
        tests: The tests beside the usual one.
    """

    name: str
    draw: Callable[[Generator], Sample]
    metrics: tuple[str, ...]
    tests: tuple[Test, ...] = ()


def main() -> None:
    """Draws as many samples as the first argument says of the populations the others name."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    rows = []
    for null in NULLS:
        if not sys.argv[2:] or any(word in null.name for word in sys.argv[2:]):
            for row in _measure(null, samples):
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    print(format_table(("null", "metric", "test", "% below 0.05", "% of intervals with 0"), rows))


def _measure(null: Null, samples: int) -> Iterator[list[str]]:
    """A row for each metric, test and group: all tests see the same samples."""
    for test in (None, *null.tests):
        for (metric, used), cases in take_samples(null, samples, test).items():
            rejected, held, _ = 100 * np.mean(cases, axis=0)
            yield [null.name, metric, used, f"{rejected:.1f}", f"{held:.1f}"]


def take_samples(
    null: Null, samples: int, test: Test | None = None
) -> dict[tuple[str, str], list[tuple[bool, bool, bool]]]:
    """Of each metric and test: whether p is below 0.05, the interval holds 0, and a note tells."""
    found: dict[tuple[str, str], list[tuple[bool, bool, bool]]] = {}
    for seed in range(samples):
        sample = null.draw(np.random.default_rng([seed, len(null.name)]))
        testing = Testing(test, None if test is None else RESAMPLES, seed)
        metrics = null.metrics[:1] if "mcnemar" in str(test) else null.metrics
        compared = tallystick.compare(metrics=list(metrics), testing=testing, **sample)
        for one in compared.differences:
            if not np.isnan(one.p):
                name = one.name if one.group is None else f"{one.name}@{one.group}"
                held = one.low <= 0 <= one.high
                told = tells(compared.notes, one.name)
                own = one.p < SIGNIFICANT, held, told
                found.setdefault((name, one.test), []).append(own)
    return found


def tells(notes: Sequence[str], name: str) -> bool:
    """Whether a caution names a metric; macro_f1 is not f1."""
    named = rf"\b{re.escape(name)}\b"
    return any(isinstance(note, Caution) and re.search(named, note) for note in notes)


def _share_luck(generator: Generator, size: int, rho: float) -> NDArray[np.float64]:
    """Uniform numbers for two systems, of which a share are the same for both."""
    one, other = generator.random((2, size))
    return np.stack([one, np.where(generator.random(size) < rho, one, other)])


def _labels(
    size: int, shares: Sequence[float], accuracy: float, rho: float
) -> Callable[[Generator], Sample]:
    """Labels of these shares, which both systems find at the same chance, or else any other."""

    def draw(generator: Generator) -> Sample:
        gold = generator.choice(len(shares), size, p=np.array(shares) / np.sum(shares))
        wrong = (gold + generator.integers(1, len(shares), (2, size))) % len(shares)
        outputs = np.where(_share_luck(generator, size, rho) < accuracy, gold, wrong)
        return _sample(gold, outputs, "multiclass" if len(shares) > 2 else "binary")

    return draw


def _sample(gold: NDArray[Any], outputs: NDArray[Any], task: str, **more: Any) -> Sample:
    return {"gold": gold, "outputs": dict(zip("AB", outputs, strict=True)), "task": task, **more}


def _rates(
    size: int, positive: float, recall: tuple[float, float], false: tuple[float, float]
) -> Callable[[Generator], Sample]:
    """A binary task, of which the systems find so much, and take so many others for it."""

    def draw(generator: Generator) -> Sample:
        gold = (generator.random(size) < positive).astype(int)
        luck = _share_luck(generator, size, 0.3)
        chances = np.where(gold, np.array(recall)[:, None], np.array(false)[:, None])
        return _sample(gold, (luck < chances).astype(int), "binary")

    return draw


def _precise(size: int, recall: tuple[float, float]) -> Callable[[Generator], Sample]:
    """20% positive, and systems of precision 0.6 whatever they find."""
    false = [0.2 * own * (1 / 0.6 - 1) / 0.8 for own in recall]
    return _rates(size, 0.2, recall, (false[0], false[1]))


def _even(size: int, positive: float, recall: tuple[float, float]) -> Callable[[Generator], Sample]:
    """Systems of an F1 of 0.5 whatever they find."""
    false = [positive * (2 * own / 0.5 - own - 1) / (1 - positive) for own in recall]
    return _rates(size, positive, recall, (false[0], false[1]))


def _clusters(sizes: Callable[[Generator], NDArray[np.int64]]) -> Callable[[Generator], Sample]:
    """Clusters in which both systems do well or badly, with an intraclass correlation of 0.3."""

    def draw(generator: Generator) -> Sample:
        own = sizes(generator)
        clusters = np.repeat(np.arange(len(own)), own)
        # Beta(a, b) chances have the intraclass correlation 1 / (a + b + 1).
        scale = 1 / 0.3 - 1
        chances = generator.beta(0.7 * scale, 0.3 * scale, (2, len(own)))[:, clusters]
        gold = generator.integers(0, 3, len(clusters))
        wrong = (gold + generator.integers(1, 3, (2, len(gold)))) % 3
        outputs = np.where(generator.random((2, len(gold))) < chances, gold, wrong)
        return _sample(gold, outputs, "multiclass", clusters=clusters)

    return draw


def _lognormal(generator: Generator) -> NDArray[np.int64]:
    return np.maximum(1, generator.lognormal(2.5, 1, 20)).astype(np.int64)


def _groups(generator: Generator) -> Sample:
    """Four groups of 20 to 400 examples."""
    sample = _labels(500, (1, 1, 1), 0.75, 0.5)(generator)
    return sample | {"by": np.repeat(["l0", "l1", "l2", "l3"], [20, 30, 50, 400])}


def _weights(generator: Generator) -> Sample:
    """Heavy examples are harder."""
    size = 200
    weights = generator.lognormal(0, 1, size)
    gold = generator.integers(0, 2, size)
    chances = 1 / (1 + 0.3 * weights)
    outputs = np.where(_share_luck(generator, size, 0.5) < chances, gold, 1 - gold)
    return _sample(gold, outputs, "binary", weights=weights)


def _scores(
    sizes: tuple[int, int], distance: float, errors: tuple[float, float], per_cluster: int = 0
) -> Callable[[Generator], Sample]:
    """Positives and negatives, scored with errors of which the systems share a half.

    Each system scores clusters of so many examples too high or too low.
    """

    def draw(generator: Generator) -> Sample:
        gold = generator.permutation(np.repeat([1, 0], sizes))
        shared = distance * gold + generator.normal(size=len(gold))
        scores = shared + np.array(errors)[:, None] * generator.normal(size=(2, len(gold)))
        more = {}
        if per_cluster:
            clusters = np.arange(len(gold)) // per_cluster
            scores += 0.5 * generator.normal(size=(2, clusters[-1] + 1))[:, clusters]
            more = {"clusters": clusters}
        chances = 1 / (1 + np.exp(distance / 2 - scores))
        return _sample(gold, chances, "binary", **more)

    return draw


def _numbers(
    size: int, *, freedom: float = np.inf, rated: bool = False, per_cluster: int = 0
) -> Callable[[Generator], Sample]:
    """Normal gold, and errors of which the systems share a half: t-distributed ones, if told.

    Ratings are rounded to whole numbers from 1 to 5; clusters are of so many examples.
    """

    def draw(generator: Generator) -> Sample:
        gold, shared, *own = generator.normal(size=(4, size))
        tails = np.sqrt(freedom / generator.chisquare(freedom, (2, size))) if freedom < 30 else 1
        outputs = gold + 0.5 * (shared + np.stack(own)) * tails
        more = {}
        if per_cluster:
            clusters = np.arange(size) // per_cluster
            outputs += 0.5 * generator.normal(size=(2, clusters[-1] + 1))[:, clusters]
            more = {"clusters": clusters}
        if rated:
            gold, outputs = (np.clip(np.round(3 + 1.2 * side), 1, 5) for side in (gold, outputs))
        return {"gold": gold, "outputs": dict(zip("AB", outputs, strict=True)), **more}

    return draw


def _texts(size: int, loops: float = 0.0) -> Callable[[Generator], Sample]:
    """Segments of 5 to 30 words, some of which a system replaces; some outputs never end."""

    def draw(generator: Generator) -> Sample:
        lengths = generator.integers(5, 31, size)
        lines = [generator.choice(VOCABULARY, length, p=FREQUENCIES) for length in lengths]
        chances = generator.beta(2, 4, size)
        outputs = {
            name: [
                garble(line, chance, generator) + " da" * 100 * (generator.random() < loops)
                for line, chance in zip(lines, chances, strict=True)
            ]
            for name in "AB"
        }
        return {"gold": [" ".join(line) for line in lines], "outputs": outputs}

    return draw


def garble(line: Words, chance: float, generator: Generator) -> str:
    """The line as text, with each word replaced by any other one at that chance."""
    other = generator.choice(VOCABULARY, len(line), p=FREQUENCIES)
    return " ".join(np.where(generator.random(len(line)) < chance, other, line))


ZIPF = tuple(1 / rank for rank in range(1, 8))
LABELS = ("accuracy", "macro_f1", "weighted_f1", "mcc")
PROBABILITIES = ("roc_auc", "average_precision", "log_loss", "brier")
NUMBERS = ("pearson", "spearman", "kendall_tau_b", "ccc", "r2", "mae", "rmse", "mean")
BINARY = ("accuracy", "f1", "precision", "recall", "mcc", "balanced_accuracy")

NULLS = (
    Null(
        "100, 5 labels of which the rarest has 3%",
        _labels(100, (40, 30, 15, 12, 3), 0.75, 0.5),
        LABELS,
    ),
    Null("weak: precision .6, recall .15 and .9, 500", _precise(500, (0.15, 0.9)), ("precision",)),
    Null("weak: precision .6, recall .4 and .8, 500", _precise(500, (0.4, 0.8)), ("precision",)),
    Null(
        "weak: precision .6, recall .15 and .9, 5000", _precise(5000, (0.15, 0.9)), ("precision",)
    ),
    Null(
        "weak: F1 .5, recall .9 and .36, 2000", _even(2000, 0.02, (0.9, 0.36)), ("f1", "macro_f1")
    ),
    Null("weak: F1 .5, recall .8 and .4, 200", _even(200, 0.2, (0.8, 0.4)), ("f1",)),
    Null(
        "50, 4 labels",
        _labels(50, (1,) * 4, 0.8, 0.6),
        LABELS,
        ("bootstrap", "mcnemar", "mcnemar-midp"),
    ),
    Null(
        "100, 7 labels by Zipf",
        _labels(100, ZIPF, 0.75, 0.5),
        LABELS,
        ("bootstrap", "mcnemar-midp"),
    ),
    Null(
        "50, mostly right and alike",
        _labels(50, (1, 1), 0.95, 0.8),
        LABELS,
        ("bootstrap", "mcnemar-midp"),
    ),
    Null("100, 10% positive", _labels(100, (0.9, 0.1), 0.9, 0.5), BINARY, ("bootstrap",)),
    Null("500, 5% positive", _labels(500, (0.95, 0.05), 0.95, 0.5), BINARY, ("bootstrap",)),
    Null("500, 4 labels", _labels(500, (0.5, 0.3, 0.15, 0.05), 0.7, 0.3), LABELS, ("bootstrap",)),
    Null("200 weighted, heavy ones harder", _weights, ("accuracy", "f1", "mcc")),
    Null("4 groups of 20 to 400", _groups, ("accuracy", "macro_f1")),
    *(
        Null(
            f"{count} clusters of 20",
            _clusters(lambda _, count=count: np.full(count, 20)),  # type: ignore[misc]
            ("accuracy", "macro_f1"),
            ("bootstrap",),
        )
        for count in (4, 6, 10, 20)
    ),
    Null(
        "20 clusters unlike in size",
        _clusters(_lognormal),
        ("accuracy", "macro_f1"),
        ("bootstrap",),
    ),
    Null("areas, 20 of 100 positive, apart by 3", _scores((20, 80), 3, (1, 1)), ("roc_auc",)),
    Null("areas, 60 of 200 positive", _scores((60, 140), 1, (1, 1)), ("roc_auc",)),
    Null(
        "scores, 60 of 200 positive",
        _scores((60, 140), 1, (1, 1)),
        PROBABILITIES[1:],
    ),
    Null("scores, 40 of 400 positive", _scores((40, 360), 1.5, (1, 1)), PROBABILITIES[1:]),
    *(
        Null(
            f"scores in {count} clusters of 20",
            _scores((6 * count, 14 * count), 1, (1, 1), 20),
            PROBABILITIES,
        )
        for count in (10, 30)
    ),
    Null("50 numbers", _numbers(50), NUMBERS, ("t", "bootstrap")),
    Null("251 numbers", _numbers(251), NUMBERS, ("t",)),
    Null("100 ratings from 1 to 5", _numbers(100, rated=True), NUMBERS, ("t",)),
    Null("100 numbers, heavy-tailed errors", _numbers(100, freedom=3), NUMBERS, ("t",)),
    Null("numbers in 20 clusters of 10", _numbers(200, per_cluster=10), NUMBERS),
    Null("50 texts", _texts(50), ("bleu", "chrf", "rouge1"), ("bootstrap",)),
    Null("200 texts", _texts(200), ("bleu", "chrf", "rougeL"), ("bootstrap",)),
    Null("100 texts of which 1% never end", _texts(100, 0.01), ("wer",), ("bootstrap",)),
)


if __name__ == "__main__":
    main()

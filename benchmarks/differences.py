"""How often intervals of a difference hold one that is not 0: 95% of the samples is promised.

    python benchmarks/differences.py [SAMPLES [WORDS ...]]

The true difference is that of a sample of 200,000 examples (20,000 texts). Prints the percentage
of samples whose interval holds it, those in which it lies below and above, and how often p < 0.05.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from null import FREQUENCIES, VOCABULARY, garble
from numpy.typing import NDArray
from stopwatch import format_table

import tallystick

SAMPLES = 300
MANY = 200_000

Generator = np.random.Generator
Sample = dict[str, Any]
Draw = Callable[[Generator, int], Sample]
"""A sample of so many examples."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two systems of which one is better.

    Attributes:
        name: What they are.
        draw: Draws a sample of examples.
        metrics: What is compared.
        sizes: How many examples samples have.
        many: How many examples tell the true difference.
    """

    name: str
    draw: Draw
    metrics: tuple[str, ...]
    sizes: tuple[int, ...]
    many: int = MANY


def main() -> None:
    """Draws as many samples as the first argument says of the cases the others name."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    rows = []
    for case in CASES:
        if sys.argv[2:] and not any(word in case.name for word in sys.argv[2:]):
            continue
        for row in _measure(case, samples):
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    headings = ("systems", "n", "metric", "difference", "% held", "% below", "% above")
    print(format_table((*headings, "% p < 0.05"), rows))


def _measure(case: Case, samples: int) -> list[list[str]]:
    """A row for each size and metric."""
    whole = case.draw(np.random.default_rng(1), case.many)
    whole.pop("clusters", None)
    truth = _score_difference(case, whole)
    rows = []
    for size in case.sizes:
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in truth}
        for seed in range(samples):
            sample = case.draw(np.random.default_rng([seed, size]), size)
            for one in tallystick.compare(metrics=list(case.metrics), **sample).differences:
                # Systems are compared with the first one.
                found[one.name].append((one.low, one.high, one.p))
        for name, own in found.items():
            low, high, p = np.array(own).T
            below, above = 100 * np.mean(truth[name] < low), 100 * np.mean(truth[name] > high)
            told = (f"{one:.1f}" for one in (100 - below - above, below, above))
            rejected = f"{100 * np.mean(p < 0.05):.0f}"
            rows.append([case.name, f"{size:,}", name, f"{truth[name]:.4f}", *told, rejected])
    return rows


def _score_difference(case: Case, sample: Sample) -> dict[str, float]:
    """The difference of the second system from the first, by metric."""
    names, values = list(sample["outputs"]), {}
    scored = tallystick.score(metrics=list(case.metrics), intervals=False, **sample).scores
    for one in scored:
        values.setdefault(one.name, {})[one.system] = one.value
    return {name: own[names[1]] - own[names[0]] for name, own in values.items()}


def _share_luck(generator: Generator, size: int) -> NDArray[np.float64]:
    """Uniform numbers for two systems, half of which are the same for both."""
    one, other = generator.random((2, size))
    return np.stack([one, np.where(generator.random(size) < 0.5, one, other)])


def _sample(gold: NDArray[Any], outputs: NDArray[Any], task: str, **more: Any) -> Sample:
    return {"gold": gold, "outputs": dict(zip("AB", outputs, strict=True)), "task": task, **more}


def _labels(shares: Sequence[float], right: tuple[float, float]) -> Draw:
    """Labels of these shares, which the systems find with different chances."""

    def draw(generator: Generator, size: int) -> Sample:
        gold = generator.choice(len(shares), size, p=np.array(shares) / np.sum(shares))
        wrong = (gold + generator.integers(1, len(shares), (2, size))) % len(shares)
        hits = _share_luck(generator, size) < np.array(right)[:, None]
        return _sample(gold, np.where(hits, gold, wrong), "multiclass" if shares[2:] else "binary")

    return draw


def _clusters(right: tuple[float, float]) -> Draw:
    """Clusters of 20 in which systems do well or badly, with an intraclass correlation of 0.3."""

    def draw(generator: Generator, size: int) -> Sample:
        clusters = np.arange(size) // 20
        scale = 1 / 0.3 - 1
        chances = [generator.beta(own * scale, (1 - own) * scale, size // 20 + 1) for own in right]
        gold = generator.integers(0, 3, size)
        wrong = (gold + generator.integers(1, 3, (2, size))) % 3
        hits = generator.random((2, size)) < np.array(chances)[:, clusters]
        return _sample(gold, np.where(hits, gold, wrong), "multiclass", clusters=clusters)

    return draw


def _scores(errors: tuple[float, float]) -> Draw:
    """Scores of 30% positives, with errors of which the systems share a half."""

    def draw(generator: Generator, size: int) -> Sample:
        gold = (generator.random(size) < 0.3).astype(np.int64)
        shared = 1.5 * gold + 0.7 * generator.normal(size=size)
        scores = shared + np.array(errors)[:, None] * generator.normal(size=(2, size))
        return _sample(gold, 1 / (1 + np.exp(1.2 - 1.5 * scores)), "binary")

    return draw


def _texts(chances: tuple[float, float]) -> Draw:
    """Segments of 5 to 30 words, more of which one of the systems replaces."""

    def draw(generator: Generator, size: int) -> Sample:
        lengths = generator.integers(5, 31, size)
        lines = [generator.choice(VOCABULARY, length, p=FREQUENCIES) for length in lengths]
        hard = generator.gamma(4, 0.25, size)
        outputs = {
            name: [
                garble(line, min(own * factor, 1), generator)
                for line, factor in zip(lines, hard, strict=True)
            ]
            for name, own in zip("AB", chances, strict=True)
        }
        return {"gold": [" ".join(line) for line in lines], "outputs": outputs}

    return draw


LABELS = ("accuracy", "macro_f1", "mcc")
BINARY = ("accuracy", "precision", "recall", "f1", "mcc")
CURVES = ("roc_auc", "average_precision", "brier_score", "log_loss")
SIZES = (50, 200, 1000)

CASES = (
    Case("40% positive, .75 and .8 right", _labels((0.6, 0.4), (0.75, 0.8)), BINARY, SIZES),
    Case("40% positive, .7 and .9 right", _labels((0.6, 0.4), (0.7, 0.9)), BINARY, SIZES),
    Case("10% positive, .9 and .95 right", _labels((0.9, 0.1), (0.9, 0.95)), BINARY, (200, 1000)),
    Case("4 labels, .75 and .8 right", _labels((4, 3, 2, 1), (0.75, 0.8)), LABELS, SIZES),
    Case("4 labels, .7 and .9 right", _labels((4, 3, 2, 1), (0.7, 0.9)), LABELS, SIZES),
    Case("clusters, .7 and .9 right", _clusters((0.7, 0.9)), ("accuracy", "macro_f1"), (200, 600)),
    Case("scores, a little better", _scores((1.2, 0.9)), CURVES, (200,)),
    Case("scores, much better", _scores((2.5, 0.6)), CURVES, (200,)),
    Case("texts, 20 and 25% replaced", _texts((0.25, 0.2)), ("bleu", "wer"), (50, 200), 20_000),
    Case("texts, 15 and 35% replaced", _texts((0.35, 0.15)), ("bleu", "wer"), (50, 200), 20_000),
)


if __name__ == "__main__":
    main()

"""How often paired tests find two equally good systems different: it should be as promised.

Each repetition makes new gold, and two systems that err by the same chances, which some examples
raise for both. Prints, for each metric and test, the share of repetitions with p below 0.05.
"""

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from stopwatch import format_table

import tallystick
from tallystick import Comparison, Testing
from tallystick.comparison.settings import Test

REPETITIONS = 2000
RESAMPLES = 1000
SIGNIFICANT = 0.05

TESTS: dict[str, tuple[Test, ...]] = {
    "accuracy": ("ar", "bootstrap", "mcnemar", "mcnemar-midp"),
    "macro_f1": ("ar", "bootstrap"),
    "roc_auc": ("delong",),
    "bleu": ("ar", "bootstrap", "sacrebleu-ar", "sacrebleu-bs"),
    "chrf": ("ar", "bootstrap", "sacrebleu-ar", "sacrebleu-bs"),
    "ROUGE('L')": ("ar", "bootstrap"),
}
"""The tests of each metric, the usual one first."""

Generator = np.random.Generator
Words = NDArray[np.str_]

VOCABULARY: Words = np.array([f"{first}{last}e" for first in "bdfglmnprst" for last in "aeiou"])
FREQUENCIES = (1 / np.arange(1, len(VOCABULARY) + 1)) / (
    1 / np.arange(1, len(VOCABULARY) + 1)
).sum()


def main() -> None:
    """Repeats every comparison as often as the first argument says."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    rows = []
    for metric, tests in TESTS.items():
        for test in tests:
            rejected = sum(_run(metric, test, seed) < SIGNIFICANT for seed in range(repetitions))
            rows.append([metric, test, f"{100 * rejected / repetitions:.2f}"])
            print(rows[-1], file=sys.stderr, flush=True)
    print(format_table(("metric", "test", "% below 0.05"), rows))


def _run(metric: str, test: Test, seed: int) -> float:
    """The p-value of one repetition; all tests of a metric see the same systems."""
    generator = np.random.default_rng([seed, len(metric)])
    compared = _SIMULATIONS[metric](generator, metric, test, seed)
    return compared.differences[0].p


def _compare_labels(generator: Generator, metric: str, test: Test, seed: int) -> Comparison:
    """500 examples of four labels, of which some are rare."""
    size, shares = 500, (0.5, 0.3, 0.15, 0.05)
    gold = generator.choice(4, size, p=shares)
    chances = generator.beta(4, 2, size)
    systems = {
        name: np.where(generator.random(size) < chances, gold, generator.choice(4, size, p=shares))
        for name in "AB"
    }
    testing = Testing(test, RESAMPLES, seed)
    return tallystick.compare(gold, systems, metric, testing=testing, task="multiclass")


def _compare_scores(generator: Generator, metric: str, test: Test, seed: int) -> Comparison:
    """200 examples with 60 positives, scored with errors of which the systems share a half."""
    gold = np.repeat([1, 0], [60, 140])
    shared = gold + generator.normal(size=200)
    systems = {name: 1 / (1 + np.exp(-shared - generator.normal(size=200))) for name in "AB"}
    return tallystick.compare(gold, systems, metric, testing=Testing(test, RESAMPLES, seed))


def _compare_texts(generator: Generator, metric: str, test: Test, seed: int) -> Comparison:
    """200 segments of 5 to 30 words, some of which a system replaces by others."""
    lengths = generator.integers(5, 31, 200)
    lines = [generator.choice(VOCABULARY, length, p=FREQUENCIES) for length in lengths]
    chances = generator.beta(2, 4, len(lines))
    systems = {
        name: [garble(line, chance, generator) for line, chance in zip(lines, chances, strict=True)]
        for name in "AB"
    }
    references = [" ".join(line) for line in lines]
    return tallystick.compare(references, systems, metric, testing=Testing(test, RESAMPLES, seed))


def garble(line: Words, chance: float, generator: Generator) -> str:
    """The line as text, with each word replaced by any other one at that chance."""
    other = generator.choice(VOCABULARY, len(line), p=FREQUENCIES)
    return " ".join(np.where(generator.random(len(line)) < chance, other, line))


_SIMULATIONS: dict[str, Callable[[Generator, str, Test, int], Comparison]] = {
    "accuracy": _compare_labels,
    "macro_f1": _compare_labels,
    "roc_auc": _compare_scores,
    "bleu": _compare_texts,
    "chrf": _compare_texts,
    "ROUGE('L')": _compare_texts,
}


if __name__ == "__main__":
    main()

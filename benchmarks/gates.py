"""How often gates let a system through that is worse by exactly what is allowed: at most 5%.

Each population is a joint distribution of gold and of what both systems say, so that the true
difference of the systems is known; the largest allowed drop is set to it. Prints, for each
population, metric and number of examples, the share of samples that pass, and of those that fail.
`python benchmarks/gates.py [REPETITIONS] [POPULATION ...]` takes the populations whose names begin
so; `python benchmarks/gates.py [REPETITIONS] looks` looks after every tenth of 2,000 examples, and
prints how often a system passes at any of them, with the bounds of one look and of `--sequential`.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from stopwatch import format_table

import tallystick
from tallystick import Task, Testing
from tallystick.metrics import Mean
from tallystick.output.results.gate import Gate
from tallystick.statistics.percentiles import find_capital
from tallystick.statistics.wilson import bound_difference

REPETITIONS = 1000
RESAMPLES = 1000
SIZES = (20, 50, 100, 200, 1000)

Generator = np.random.Generator
Cell = tuple[int, int, int, float]
"""Gold, the new system's answer, the old one's, and how often that happens."""

Flips = tuple[float, float, float]
"""How often only the new system is right, only the old one, and neither."""

Trial = Callable[[Generator, int], Gate | None]
"""One sample of so many examples, gated with the true drop as the allowed one."""


def make_binary(positives: float, found: Flips, kept: Flips) -> list[Cell]:
    """Two labels: what happens to positives, and to negatives."""
    cells = []
    for gold, share, (new, old, neither) in ((1, positives, found), (0, 1 - positives, kept)):
        both = 1 - new - old - neither
        answers = ((0, 1, new), (1, 0, old), (1, 1, neither), (0, 0, both))
        cells += [(gold, gold ^ a, gold ^ b, share * chance) for a, b, chance in answers]
    return cells


def make_many(shares: NDArray[np.float64], flips: Flips) -> list[Cell]:
    """Several labels: wrong answers come as often as the labels do."""
    cells = []
    for gold, share in enumerate(shares):
        wrong = np.where(np.arange(len(shares)) == gold, 0, shares)
        wrong /= wrong.sum()
        new, old, neither = flips
        cells.append((gold, gold, gold, share * (1 - sum(flips))))
        for label, chance in enumerate(wrong):
            cells += [(gold, gold, label, share * new * chance)]
            cells += [(gold, label, gold, share * old * chance)]
            cells += [
                (gold, label, other, share * neither * chance * own)
                for other, own in enumerate(wrong)
            ]
    return [cell for cell in cells if cell[3] > 0]


def zipf(labels: int) -> NDArray[np.float64]:
    """Shares that fall as 1, 1/2, 1/3 and so on."""
    ranks = 1 / np.arange(1, labels + 1)
    return np.asarray(ranks / ranks.sum())


USUAL = ("accuracy", "precision", "recall", "f1", "macro_f1")
AVERAGED = ("accuracy", "macro_f1")

LABELS: dict[str, tuple[list[Cell], tuple[str, ...]]] = {
    "40% positive, 1 v 3% discordant": (make_binary(0.4, *[(0.01, 0.03, 0.1)] * 2), USUAL),
    "40% positive, 0 v 3% discordant": (make_binary(0.4, *[(0.0, 0.03, 0.1)] * 2), USUAL),
    "40% positive, 10 v 14% discordant": (make_binary(0.4, *[(0.1, 0.14, 0.1)] * 2), USUAL),
    "10% positive, few discordant": (
        make_binary(0.1, (0.02, 0.06, 0.2), (0.005, 0.01, 0.02)),
        USUAL,
    ),
    "5% positive, recall lost": (make_binary(0.05, (0.05, 0.15, 0.3), (0.01, 0.01, 0.02)), USUAL),
    "4 labels, even": (make_many(np.full(4, 0.25), (0.05, 0.08, 0.1)), AVERAGED),
    "7 labels, Zipf": (make_many(zipf(7), (0.02, 0.04, 0.15)), AVERAGED),
    "20 labels, Zipf": (make_many(zipf(20), (0.05, 0.08, 0.15)), AVERAGED),
}

AREAS = {"20% positive, areas": 0.2, "40% positive, areas": 0.4}

NEAR = 0.6
"""The new system's scores are the old one's, this share of the noise made anew."""


def main() -> None:
    """Repeats every gate as often as the first argument says."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    wanted = tuple(sys.argv[2:]) or ("",)
    if wanted == ("looks",):
        print(
            format_table(("only new right / only old right", "one look", "any"), look(repetitions))
        )
        return
    rows = []
    for name, trial in list_populations():
        if name.startswith(wanted):
            for row in measure(name, trial, repetitions):
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    print(format_table(("population", "metric", *(f"{n:,}" for n in SIZES)), rows))


def list_populations() -> Iterator[tuple[str, Trial]]:
    """The populations with what gates a sample of them."""
    for name, (cells, metrics) in LABELS.items():
        yield name, lambda rng, n, own=cells, asked=metrics: gate_labels(own, asked, rng, n)
    for name, share in AREAS.items():
        yield name, lambda rng, n, own=share: gate_areas(own, rng, n)
    yield "ten clusters", gate_clusters
    for name, (draw, metrics) in NUMBERS.items():
        yield name, lambda rng, n, own=draw, asked=metrics: gate_numbers(own, asked, rng, n)
    yield "numbers, 3% drop to 1, bounded", gate_ratings
    yield "clusters of ten, of which 10% are lost", gate_lost
    yield "texts, every second one changed", lambda rng, n: gate_texts(0.5, rng, n)
    yield "texts, 5% changed", lambda rng, n: gate_texts(0.05, rng, n)


def measure(name: str, trial: Trial, repetitions: int) -> list[list[str]]:
    """For each metric the percentages of samples that pass and fail, by number of examples."""
    found: dict[str, list[str]] = {}
    for size in SIZES:
        verdicts: dict[str, list[str]] = {}
        for seed in range(repetitions):
            gate = trial(np.random.default_rng([seed, size]), size)
            for check in () if gate is None else gate.checks:
                if not np.isnan(check.value + check.old):
                    verdicts.setdefault(check.name, []).append(check.verdict)
        for metric, own in verdicts.items():
            told = (f"{100 * own.count(word) / len(own):.1f}" for word in ("pass", "fail"))
            found.setdefault(metric, []).append(" / ".join(told))
    return [[name, metric, *own] for metric, own in found.items()]


def gate_labels(
    cells: Sequence[Cell], metrics: Sequence[str], rng: Generator, n: int
) -> Gate | None:
    """A sample of labels; nothing where a label does not occur."""
    table, chances = np.array([cell[:3] for cell in cells]), np.array([cell[3] for cell in cells])
    gold, new, old = table[rng.choice(len(table), n, p=chances / chances.sum())].T
    labels = int(table.max()) + 1
    kind = Task("binary", positive=1) if labels == 2 else Task("multiclass")
    if len(np.unique(gold)) < min(labels, 2):
        return None
    known = find_drops(cells, labels)
    drops = {metric: known[metric] for metric in metrics}
    return tallystick.gate(gold, new, old, max_drop=drops, task=kind, testing=TESTING)


TESTING = Testing(resamples=RESAMPLES)


def find_drops(cells: Sequence[Cell], labels: int) -> dict[str, float]:
    """By how much the new system is truly worse."""
    new, old = np.zeros((2, labels, labels))
    for gold, a, b, chance in cells:
        new[gold, a] += chance
        old[gold, b] += chance
    ours, theirs = score_matrix(new), score_matrix(old)
    return {metric: theirs[metric] - ours[metric] for metric in ours}


def score_matrix(matrix: NDArray[np.float64]) -> dict[str, float]:
    """The scores of a confusion matrix of shares, gold by answer."""
    hits, gold, given = np.diag(matrix), matrix.sum(1), matrix.sum(0)
    f1 = 2 * hits / (gold + given)
    return {
        "accuracy": float(hits.sum()),
        "precision": float(hits[1] / given[1]),
        "recall": float(hits[1] / gold[1]),
        "f1": float(f1[1]),
        "macro_f1": float(f1.mean()),
    }


def gate_areas(share: float, rng: Generator, n: int) -> Gate | None:
    """A sample of scores with normal noise, which the new system's have more of."""
    positives = max(1, round(share * n))
    gold = np.repeat([1, 0], [positives, n - positives])
    noise, more = rng.normal(size=(2, n))
    old, new = 2 * gold + noise, 2 * gold + noise + NEAR * more
    drop = find_area(1.0) - find_area(1 + NEAR**2)
    squeezed = [1 / (1 + np.exp(-scores)) for scores in (new, old)]
    return tallystick.gate(gold, *squeezed, "roc_auc", max_drop=drop, testing=TESTING)


def find_area(variance: float) -> float:
    """The area where positives lie 2 above negatives and noise has a variance."""
    from statistics import NormalDist

    return NormalDist().cdf(2 / np.sqrt(2 * variance))


def gate_clusters(rng: Generator, n: int) -> Gate | None:
    """A sample of ten clusters, each of which is easier for one of two equally good systems."""
    clusters = np.arange(n) * 10 // n
    gold = rng.integers(0, 2, n)
    chances = rng.beta(2, 8, (2, 10))[:, clusters] / 2
    drawn, neither = rng.random((2, n))
    lost = drawn < chances[0], drawn > 1 - chances[1]
    new, old = (np.where(own | (neither < 0.1), 1 - gold, gold) for own in lost)
    asked = {"accuracy": 0.0, "macro_f1": 0.0}
    kind = Task("binary", positive=1)
    return tallystick.gate(
        gold, new, old, max_drop=asked, clusters=clusters, task=kind, testing=TESTING
    )


def lose_clusters(rng: Generator, n: int) -> tuple[NDArray[np.int64], ...]:
    """Gold, new, old and clusters: in one of ten clusters the new system guesses."""
    clusters = np.arange(n) // 10
    gold = rng.integers(0, 2, n)
    old = np.where(rng.random(n) < 0.1, 1 - gold, gold)
    lost = (rng.random(n // 10 + 1) < 0.1)[clusters]
    return gold, np.where(lost, rng.integers(0, 2, n), old), old, clusters


def gate_lost(rng: Generator, n: int) -> Gate | None:
    """A sample of such clusters: a tenth falls from 90% right to a half."""
    gold, new, old, clusters = lose_clusters(rng, n)
    kind = Task("binary", positive=1)
    return tallystick.gate(
        gold, new, old, "accuracy", max_drop=0.04, clusters=clusters, task=kind, testing=TESTING
    )


Columns = tuple[NDArray[np.float64], ...]
"""Gold numbers, new ones and old ones."""


def fail_grossly(rng: Generator, n: int) -> Columns:
    """Small errors, and gross ones in 2% of what is new."""
    gold, one, other, gross = rng.normal(size=(4, n))
    new = np.where(rng.random(n) < 0.02, 5 * gross, 0.3 * one)
    return gold, gold + new, gold + 0.3 * other


def err_heavily(rng: Generator, n: int) -> Columns:
    """Errors by the t-distribution of 3 degrees of freedom, a tenth larger in what is new."""
    gold = rng.normal(size=n)
    return gold, gold + 1.1 * rng.standard_t(3, n), gold + rng.standard_t(3, n)


def shrink(rng: Generator, n: int) -> Columns:
    """Lognormal numbers, which are a tenth smaller in what is new."""
    old = rng.lognormal(0, 1, n)
    return old, 0.9 * old * np.exp(0.3 * rng.normal(size=n) - 0.045), old


def drop_ratings(rng: Generator, n: int) -> Columns:
    """A judge's scores from 1 to 5, of which 3% drop to 1."""
    old = np.clip(np.round(rng.normal(4, 0.7, n)), 1, 5)
    return old, np.where(rng.random(n) < 0.03, 1, old), old


def worsen(rng: Generator, n: int) -> Columns:
    """Normal errors, a fifth larger in what is new."""
    gold, one, other = rng.normal(size=(3, n))
    return gold, gold + 0.6 * one, gold + 0.5 * other


NUMBERS: dict[str, tuple[Callable[[Generator, int], Columns], tuple[str, ...]]] = {
    "numbers, 2% gross failures": (fail_grossly, ("rmse", "mae", "pearson")),
    "numbers, heavy-tailed errors": (err_heavily, ("rmse", "mae")),
    "numbers, lognormal": (shrink, ("mean",)),
    "numbers, 3% drop to 1": (drop_ratings, ("mean",)),
    "numbers, normal errors": (worsen, ("rmse", "mae", "pearson", "mean")),
}


def gate_numbers(
    draw: Callable[[Generator, int], Columns], metrics: tuple[str, ...], rng: Generator, n: int
) -> Gate | None:
    """A sample of numbers."""
    drops = find_number_drops(draw, metrics)
    return tallystick.gate(*draw(rng, n), list(metrics), max_drop=drops, testing=TESTING)


def gate_ratings(rng: Generator, n: int) -> Gate | None:
    """A sample of ratings whose ends are named."""
    drop = find_number_drops(drop_ratings, ("mean",))["mean"]
    asked = [Mean(bounds=(1, 5))]
    return tallystick.gate(*drop_ratings(rng, n), asked, max_drop=drop, testing=TESTING)


@cache
def find_number_drops(
    draw: Callable[[Generator, int], Columns], metrics: tuple[str, ...]
) -> dict[str, float]:
    """The true differences, from a sample that is many times as large as any that is gated."""
    gold, *sides = draw(np.random.default_rng(0), 1_000_000)
    new, old = (tallystick.score(gold, own, list(metrics), intervals=False) for own in sides)
    return {metric: abs(new[metric] - old[metric]) for metric in metrics}


WORDS = np.array([f"{first}{last}" for first in "bdfgklmnprst" for last in "aeiou"])


def gate_texts(changed: float, rng: Generator, n: int) -> Gate | None:
    """A sample of texts of which the new system has worsened some."""
    gold, old, new = make_texts(changed, rng, n)
    drops = find_text_drops(changed, ("bleu", "wer"))
    return tallystick.gate(gold, new, old, max_drop=drops, testing=TESTING)


def make_texts(changed: float, rng: Generator, n: int) -> tuple[list[str], list[str], list[str]]:
    """References of 6 to 30 words; the old system errs in a fifth, the new one at times in more."""
    texts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for size in rng.integers(6, 31, n):
        words = rng.choice(WORDS, size)
        old = np.where(rng.random(size) < 0.2, rng.choice(WORDS, size), words)
        new = old
        if rng.random() < changed:
            new = np.where(rng.random(size) < 0.15, rng.choice(WORDS, size), old)
        for side, own in zip(texts, (words, old, new), strict=True):
            side.append(" ".join(own))
    return texts


@cache
def find_text_drops(changed: float, metrics: tuple[str, ...]) -> dict[str, float]:
    """The true differences, from a sample that is many times as large as any that is gated."""
    gold, old, new = make_texts(changed, np.random.default_rng(0), 100_000)
    scored = [
        {
            score.name: score.value
            for score in tallystick.score(gold, own, list(metrics), intervals=False).scores
        }
        for own in (new, old)
    ]
    return {metric: abs(scored[0][metric] - scored[1][metric]) for metric in metrics}


LOOKS = np.arange(10, 2001, 10)
PEEKED = ((0.01, 0.03), (0.0, 0.02), (0.1, 0.1), (0.1, 0.14), (0.3, 0.3))


def look(repetitions: int) -> list[list[str]]:
    """How often accuracy passes at the limit after any tenth example, by both kinds of bounds."""
    rows = []
    for new, old in PEEKED:
        rng = np.random.default_rng(int(1000 * (new + 2 * old)))
        chances = (old, 1 - new - old, new)
        drawn = rng.multinomial(10, chances, (repetitions, len(LOOKS))).cumsum(1)
        low, _ = bound_difference(drawn[..., 2], drawn[..., 0], LOOKS, 0.9)
        capital = find_capital(np.array([0, 0.5, 1]), drawn, (1 + new - old) / 2)
        once, always = (low >= new - old).any(1), (capital > np.log(20)).any(1)
        told = (f"{100 * passed.mean():.1f}" for passed in (once, always))
        rows.append([f"{100 * new:g}% / {100 * old:g}%", *told])
    return rows


if __name__ == "__main__":
    main()

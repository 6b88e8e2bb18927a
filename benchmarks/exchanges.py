"""How often tests reject what is true: exchanges, gates with a margin, and looks at any time.

Two systems are right or wrong on a binary task with known chances, so that the cells of all
examples can be drawn at once. A null is strong where the systems are interchangeable, and weak
where only the metric is equal. Prints the share of samples that each test rejects; 5% are promised.
"""

import sys
from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray
from stopwatch import format_table

from tallystick.intervals import exchange, mcnemar
from tallystick.intervals.sequential import bound_running_mean, find_anytime_p
from tallystick.intervals.tango import bound_one_side

ALPHA = 0.05
REPETITIONS = 1000
EXCHANGES = 499

Generator = np.random.Generator
Array = NDArray[np.float64]
Formula = Callable[[Array], Array]

CELLS = np.array(list(product((0, 1), (0, 1), (0, 1))))
"""Gold, and the outputs of A and B."""


def main() -> None:
    """Draws as many samples of each population as the first argument says."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    rows = []
    for name, chances, n, metrics in NULLS:
        for metric in metrics:
            for test, share in _exchange(chances, n, METRICS[metric], repetitions).items():
                rows.append([name, f"{metric}, {test}", f"{100 * share:.1f}"])
                print(rows[-1], file=sys.stderr, flush=True)
    for gains, n, margin in GATES:
        share = _gate(gains, n, margin, repetitions)
        rows.append([f"drop of {margin} of {n}, {gains} discordant", "gate", f"{100 * share:.1f}"])
    for chance, n in LOOKS:
        for test, share in _look(chance, n, repetitions).items():
            name = f"looks up to {n}, {100 * chance:g}% discordant each"
            rows.append([name, test, f"{100 * share:.1f}"])
    print(format_table(("null", "test", "% rejected"), rows))


def _exchange(chances: Array, n: int, score: Formula, repetitions: int) -> Mapping[str, float]:
    """The shares of samples with p below 5%: plain exchanges, studentised ones, their error."""
    generator = np.random.default_rng(1)
    found: dict[str, list[float]] = {"exchanges": [], "studentised": []}
    for counts in generator.multinomial(n, chances, repetitions):
        exchanged = np.concatenate([counts[None], _swap(counts, generator)]).astype(np.float64)
        sums = exchanged @ ROWS[0], exchanged @ ROWS[1]
        differences = score(sums[0]) - score(sums[1])
        if np.isnan(differences[0]):
            continue
        slopes = tuple(exchange.differentiate(score, own) for own in sums)
        errors = exchange.measure_errors(exchanged, ROWS, (slopes[0], slopes[1]))
        ratios = exchange.studentise(differences, errors)
        for test, statistics in (("exchanges", np.abs(differences)), ("studentised", ratios)):
            found[test].append(float(exchange.find_mid_p(statistics[1:], statistics[0])))
    return {test: float(np.mean(np.array(p) < ALPHA)) for test, p in found.items()}


def _swap(counts: NDArray[np.int64], generator: Generator) -> NDArray[np.int64]:
    """Exchanges: of the examples of a gold label on which the systems differ, any go either way."""
    swapped = np.tile(counts, (EXCHANGES, 1))
    for gold in (0, 4):
        differ = int(counts[gold + 1] + counts[gold + 2])
        swapped[:, gold + 1] = generator.binomial(differ, 0.5, EXCHANGES)
        swapped[:, gold + 2] = differ - swapped[:, gold + 1]
    return swapped


def _gate(gains: tuple[float, float], n: int, margin: float, repetitions: int) -> float:
    """The share of samples that pass, where the new system is worse by just the margin."""
    chances = (*gains, 1 - sum(gains))
    counts = np.random.default_rng(2).multinomial(n, chances, 10 * repetitions)
    low = bound_one_side(counts[:, 0], counts[:, 1], np.full(len(counts), n), 1 - ALPHA)
    return float((low > -margin).mean())


def _look(chance: float, n: int, repetitions: int) -> Mapping[str, float]:
    """The shares of runs in which a look after some example ever rejects."""
    uniform = np.random.default_rng(3).random((repetitions, n))
    wins, losses = uniform < chance, uniform > 1 - chance
    only_a, only_b = wins.cumsum(-1), losses.cumsum(-1)
    low, high = bound_running_mean(wins * 1.0 - losses, (-1, 1), 1 - ALPHA)
    pairs = {(a, b) for a, b in zip(only_a.ravel().tolist(), only_b.ravel().tolist(), strict=True)}
    small = np.zeros((only_a.max() + 1, only_b.max() + 1), bool)
    for a, b in pairs:
        small[a, b] = mcnemar.find_p(a, b, "exact") <= ALPHA
    return {
        "McNemar at every look": float(small[only_a, only_b].any(-1).mean()),
        "anytime": float((find_anytime_p(only_a, only_b) <= ALPHA).any(-1).mean()),
        "running mean": float(((low > 0) | (high < 0)).any(-1).mean()),
    }


def _count(system: int) -> Array:
    """What an example of each cell adds to TP, FP, FN and TN."""
    gold, output = CELLS[:, 0], CELLS[:, system]
    both = [gold & output, (1 - gold) & output, gold & (1 - output), (1 - gold) & (1 - output)]
    return np.stack(both, -1).astype(np.float64)


def _divide(above: Array, below: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(above / below)


def _f1(sums: Array) -> Array:
    hits, false, missed, _ = np.moveaxis(sums, -1, 0)
    return _divide(2 * hits, 2 * hits + false + missed)


def _mcc(sums: Array) -> Array:
    tp, fp, fn, tn = np.moveaxis(sums, -1, 0)
    return _divide(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def _pair(positive: float, recall: tuple[float, float], false: tuple[float, float]) -> Array:
    """The chances of all cells, of systems that share a third of their luck."""
    chances = np.zeros(8)
    for gold, share, (a, b) in ((1, positive, recall), (0, 1 - positive, false)):
        both = 0.3 * min(a, b) + 0.7 * a * b
        chances[4 * gold : 4 * gold + 4] = share * np.array(
            [1 - a - b + both, b - both, a - both, both]
        )
    return chances


def _precise(positive: float, recall: tuple[float, float], precision: float) -> Array:
    """Systems of that precision, whatever they find."""
    a, b = (positive * own * (1 / precision - 1) / (1 - positive) for own in recall)
    return _pair(positive, recall, (a, b))


def _even(positive: float, recall: tuple[float, float], f1: float) -> Array:
    """Systems of that F1, whatever they find."""
    a, b = (positive * (2 * own / f1 - own - 1) / (1 - positive) for own in recall)
    return _pair(positive, recall, (a, b))


ROWS = _count(1), _count(2)

METRICS: Mapping[str, Formula] = {
    "accuracy": lambda sums: _divide(sums[..., 0] + sums[..., 3], sums.sum(-1)),
    "precision": lambda sums: _divide(sums[..., 0], sums[..., 0] + sums[..., 1]),
    "recall": lambda sums: _divide(sums[..., 0], sums[..., 0] + sums[..., 2]),
    "f1": _f1,
    "mcc": _mcc,
}

NULLS = (
    ("weak: recall .15 and .9 of 500", _precise(0.2, (0.15, 0.9), 0.6), 500, ("precision",)),
    ("weak: recall .4 and .8 of 500", _precise(0.2, (0.4, 0.8), 0.6), 500, ("precision",)),
    ("weak: recall .15 and .9 of 5000", _precise(0.2, (0.15, 0.9), 0.6), 5000, ("precision",)),
    ("weak: recall .9 and .36 of 2000, 2% positive", _even(0.02, (0.9, 0.36), 0.5), 2000, ("f1",)),
    ("strong: 100, 10% positive", _pair(0.1, (0.9, 0.9), (0.1, 0.1)), 100, tuple(METRICS)),
    ("strong: 200, 40% positive", _pair(0.4, (0.8, 0.8), (0.2, 0.2)), 200, tuple(METRICS)),
    ("strong: 1000, 30% positive", _pair(0.3, (0.85, 0.85), (0.15, 0.15)), 1000, tuple(METRICS)),
)

GATES = (
    ((0.01, 0.03), 100, 0.02),
    ((0.0, 0.03), 50, 0.03),
    ((0.01, 0.03), 1000, 0.02),
    ((0.05, 0.07), 200, 0.02),
)

LOOKS = ((0.02, 2000), (0.2, 1000))


if __name__ == "__main__":
    main()

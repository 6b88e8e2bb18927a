"""How often intervals hold the true value: 95% of the samples is what they promise.

    python benchmarks/coverage.py [WORDS ...] [--samples N]

Takes samples from populations whose own score is the true value; WORDS choose those whose name has
all of them. Prints for each score the percentage of samples whose interval holds the true value,
the percentages in which that lies below and above it, the mean width in terms of the width that
the samples' own scatter asks for (3.92 standard deviations), and the percentage in which a note
says that the interval is too narrow, or why it is no good. Samples without a score or an interval
are left out, and their percentage follows in brackets.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pairs
import populations as made
from null import tells
from numpy.typing import NDArray
from stopwatch import format_table

import tallystick

SAMPLES = 1000
FEW = 300
"""Samples of what takes long."""

Sizes = int | tuple[int, ...]
Key = tuple[str, str]
"""A metric, and the row it is looked at in."""


@dataclass(frozen=True, slots=True)
class Case:
    """Scores of one population.

    Attributes:
        name: What the examples are.
        make: Makes the population.
        metrics: Short names.
        sizes: How large samples are: how many units each has, or how many of each stratum.
        rows: Which rows are looked at where there are groups.
        dear: Whether a sample takes long, so that there are fewer.
        grouped: Whether samples are groups of few calls, which is faster; none is told of then.
    """

    name: str
    make: Callable[[np.random.Generator], made.Population]
    metrics: tuple[str, ...]
    sizes: tuple[Sizes, ...]
    rows: tuple[str, ...] = ("",)
    dear: bool = False
    grouped: bool = False


def main() -> None:
    """Takes the samples of every case that is meant."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="what the names of populations have in them")
    parser.add_argument("--samples", type=int, help=f"default: {SAMPLES}, {FEW} of what is slow")
    options = parser.parse_args()
    rows = []
    for case in CASES:
        if not all(word in case.name for word in options.words):
            continue
        population = case.make(np.random.default_rng(1))
        for sizes in case.sizes:
            count = options.samples or (FEW if case.dear else SAMPLES)
            for own in _cover(case, population, sizes, count):
                rows.append(own)
                print(own, file=sys.stderr, flush=True)
    headings = (
        "examples",
        "n",
        "score",
        "samples",
        "% held",
        "% below",
        "% above",
        "width",
        "% told",
    )
    print(format_table(headings, rows))


def _cover(case: Case, population: made.Population, sizes: Sizes, samples: int) -> list[list[str]]:
    """One row for each score of samples of one size."""
    truth, found = take_samples(case, population, sizes, samples)
    size = f"{sizes:,}" if isinstance(sizes, int) else _write_sizes(sizes)
    return [
        [case.name, size, f"{metric} {row}".strip(), *_tell(own, truth[metric, row])]
        for (metric, row), own in found.items()
    ]


def take_samples(
    case: Case, population: made.Population, sizes: Sizes, samples: int
) -> tuple[dict[Key, float], dict[Key, NDArray[np.float64]]]:
    """The true scores, and of each sample the score, both ends, and whether a note tells."""
    whole = tallystick.score(**population.everything(), metrics=case.metrics, intervals=False)
    truth = {key: one.value for key, one in _pick(case, whole).items()}
    found: dict[Key, list[tuple[float, ...]]] = {key: [] for key in truth}
    if case.grouped:
        assert isinstance(sizes, int)
        for one in _score_groups(case, population, sizes, samples):
            found[one.name, ""].append((one.value, one.low, one.high, math.nan))
        samples = 0
    for seed in range(samples):
        sample = population.sample(sizes, np.random.default_rng([seed, np.sum(sizes)]))
        scored = tallystick.score(**sample, metrics=case.metrics)
        for key, one in _pick(case, scored).items():
            told = tells(scored.notes, key[0])
            found[key].append((one.value, one.low, one.high, told))
    return truth, {key: np.array(own) for key, own in found.items() if own}


def _score_groups(
    case: Case, population: made.Population, size: int, samples: int
) -> Iterator[Any]:
    """The scores of samples, as many of which are scored at a time as have 8,192 examples."""
    generator, most = np.random.default_rng(size), max(1, 8192 // size)
    for start in range(0, samples, most):
        count = min(most, samples - start)
        sample = population.sample(size * count, generator)
        by = np.repeat(np.arange(count), size)
        for one in tallystick.score(**sample, by=by, metrics=case.metrics).scores:
            if one.group not in ("macro", "micro"):
                yield one


def _pick(case: Case, scored: Any) -> dict[Key, Any]:
    rows = {row or None: row for row in case.rows}
    return {
        (one.name, rows[one.group]): one
        for one in scored.scores
        if one.group in rows and one.name in case.metrics
    }


def _write_sizes(sizes: tuple[int, ...]) -> str:
    if len(set(sizes)) == 1:
        return f"{len(sizes)} x {sizes[0]}"
    return " + ".join(map(str, sizes)) if len(sizes) < 4 else f"{sizes[0]} to {sizes[-1]}"


def _tell(found: NDArray[np.float64], truth: float) -> list[str]:
    """Coverage, misses on both sides, width and notes, as they are shown."""
    values, low, high, told = found.T
    known = ~np.isnan(low)
    lost = 100 * (1 - known.mean())
    below, above = (100 * side[known].mean() for side in (truth < low, truth > high))
    needed = 3.92 * values[known].std(ddof=1)
    width = (high - low)[known].mean() / needed if needed > 0 else math.nan
    held = f"{100 - below - above:.1f}" + (f" ({lost:.1f})" if lost else "")
    return [
        str(len(found)),
        held,
        f"{below:.1f}",
        f"{above:.1f}",
        f"{width:.2f}",
        "-" if np.isnan(told).all() else f"{100 * told[known].mean():.0f}",
    ]


_TWO = ("accuracy", "precision", "recall", "f1", "macro_f1", "balanced_accuracy", "mcc")
_FOUR = ("accuracy", "macro_f1", "balanced_accuracy", "weighted_f1", "mcc")
_MEANS = ("macro_f1", "balanced_accuracy")
_SETS = ("exact_match_ratio", "macro_f1", "micro_f1", "hamming_loss")
_CURVES = ("roc_auc", "average_precision", "brier_score", "log_loss", "ece")
_ABSTAINING = ("aurc", "e_aurc", "accuracy_at_coverage")
_GROUPED = ("accuracy", "f1", "macro_f1")
_CLUSTERED = (*_GROUPED, "mcc", "balanced_accuracy")
_NUMBERS = (
    *("pearson", "spearman", "kendall_tau_b", "kendall_tau_c"),
    *("ccc", "r2", "mae", "rmse", "mean"),
)
_SIZES = (50, 251, 2000)
_TWELVE = (20, 30, 45, 70, 105, 160, 240, 370, 560, 850, 1300, 2000)

_NONE = made.normal(0)
_FAR = made.normal(4)


def _improve(groups: int, low: float, high: float, shares: Sequence[float] = (7, 3)) -> Any:
    """Groups of examples that get easier from one to the next."""
    return made.in_groups([made.confuse(shares, right) for right in np.linspace(low, high, groups)])


CASES = (
    Case("40% positive", made.cells([51, 9], [8, 32]), _TWO, (20, *_SIZES)),
    Case("5% positive", made.cells([185, 5], [3, 7]), _TWO, _SIZES),
    Case("1% positive", made.cells([985, 5], [4, 6]), _TWO, (100, 500)),
    Case("F1 of 0.95, 40% positive", made.cells([58, 2], [2, 38]), _TWO, (20, 50)),
    Case("no better than chance", made.cells([49, 21], [21, 9]), _TWO, (20, 100)),
    Case(
        "four labels, 25% each",
        made.cells([20, 2, 2, 1], [3, 18, 2, 2], [3, 3, 16, 3], [4, 4, 3, 14]),
        _FOUR,
        _SIZES,
    ),
    Case(
        "four labels, 50, 30, 15, 5%",
        made.cells([90, 6, 3, 1], [12, 42, 5, 1], [5, 5, 18, 2], [2, 2, 1, 5]),
        _FOUR,
        _SIZES,
    ),
    Case(
        "5 labels, 30 to 5%", made.labels((0.3, 0.3, 0.2, 0.15, 0.05), 0.75), _MEANS, (50, 100, 300)
    ),
    Case("3 named labels, one of 1%", made.named((0.5, 0.49, 0.01), 0.8), _MEANS, (100, 300)),
    Case("7 labels by Zipf, 75% right", made.labels(made.zipf(7), 0.75), _FOUR, (50, 100, 300)),
    Case("20 even labels, 70% right", made.labels(np.ones(20), 0.7), _FOUR, (100, 300)),
    Case("20 labels by Zipf, 80% right", made.labels(made.zipf(20), 0.8), _FOUR, (200, 1000)),
    Case("28 labels by Zipf, 55% right", made.labels(made.zipf(28), 0.55), _FOUR, (500, 2000)),
    Case("100 labels by Zipf, 70% right", made.labels(made.zipf(100), 0.7), _MEANS, (1000,)),
    Case("label sets of 40, 20, 10, 5%", made.sets((0.4, 0.2, 0.1, 0.05)), _SETS, _SIZES),
    Case("label sets of 12 labels by Zipf", made.sets(0.4 * made.zipf(12)), _SETS, (100, 500)),
    Case("scores, 40% positive", made.curve(0.4), _CURVES, (50, 251, 2000), dear=True),
    Case("scores, 5% positive", made.curve(0.05), _CURVES, (50, 251, 2000), dear=True),
    Case("scores three times too sure", made.curve(0.4, sharpness=3), _CURVES, (100,), dear=True),
    Case("scores half as sure", made.curve(0.4, sharpness=0.5), _CURVES, (100, 400), dear=True),
    Case("scores that err in 1%", made.curve(0.3, gap=4.65), _CURVES, (300,), dear=True),
    Case("scores of three labels", made.three, _CURVES, (100, 500), dear=True),
    Case("abstention, 40% positive", made.curve(0.4), _ABSTAINING, (50, 251, 1000)),
    Case("abstention, errs in 1%", made.curve(0.3, gap=4.65), _ABSTAINING, (300,)),
    Case("abstention, three labels", made.three, _ABSTAINING, (100, 500)),
    Case(
        "scores by beta(5, 1) and beta(1, 8)",
        made.sides(made.beta(5, 1), made.beta(1, 8)),
        ("roc_auc",),
        ((90, 10),),
    ),
    Case(
        "30% of positives undetectable",
        made.sides(made.mix(0.3, _FAR, _NONE), _NONE),
        ("roc_auc",),
        ((480, 20), (450, 50), (1800, 200)),
    ),
    Case(
        "10% of positives undetectable",
        made.sides(made.mix(0.1, _FAR, _NONE), _NONE),
        ("roc_auc",),
        ((480, 20), (900, 100)),
    ),
    Case(
        "20% of negatives look positive",
        made.sides(made.normal(3), made.mix(0.2, _NONE, made.normal(3))),
        ("roc_auc",),
        ((50, 450),),
    ),
    Case(
        "positives scatter twice as much",
        made.sides(made.normal(1.5, 2), _NONE),
        ("roc_auc",),
        ((450, 50),),
    ),
    Case(
        "positives scatter half as much",
        made.sides(made.normal(1.5, 0.5), _NONE),
        ("roc_auc",),
        ((450, 50), (30, 5)),
    ),
    Case("real, toxicity in Turkish", made.read_toxicity, ("roc_auc",), ((268, 32), (2144, 256))),
    *(
        Case(f"clusters {name}", made.cluster(sizes, icc, right), _CLUSTERED, counts)
        for name, sizes, icc, right, counts in (
            ("of 20", made.equal, 0.1, 0.75, (3, 13, 100)),
            ("of 20, correlated by 0.3", made.equal, 0.3, 0.75, (5, 10)),
            ("unlike in size", made.unlike, 0.2, 0.75, (3, 10, 30)),
            ("unlike in size, 95% right", made.unlike, 0.2, 0.95, (10, 30, 100)),
            ("unlike in size, 95% right, correlated by 0.5", made.unlike, 0.5, 0.95, (8, 20)),
            ("unlike in size, 97% right, correlated by 0.4", made.unlike, 0.4, 0.97, (15, 60)),
            ("of 20, 98% right", made.equal, 0.1, 0.98, (15, 40)),
            ("of which one has 5 of 6 examples", made.giant, 0.2, 0.75, ((19, 1),)),
        )
    ),
    *(
        Case(f"weights, {name}", made.weigh(ease), _GROUPED, (30, 100, 500))
        for name, ease in (
            ("heavy ones hard", lambda w: 0.96 / (1 + 0.3 * w)),
            ("heavy ones easy", lambda w: 1 - np.exp(-w) / 2),
            ("nothing to do with ease", lambda w: np.full(w.shape, 0.8)),
        )
    ),
    Case(
        "weights, one in twenty weighs 30",
        made.weigh(lambda w: np.full(w.shape, 0.8), (0.05, 30.0)),
        _GROUPED,
        (100, 500),
    ),
    Case("99.5% right", made.cells([398, 2], [2, 598]), ("accuracy", "f1"), (30, 100, 400)),
    Case("12 groups of 20 to 2,000", _improve(12, 0.75, 0.92), _GROUPED, (_TWELVE,), ("macro",)),
    Case("12 groups", _improve(12, 0.75, 0.92), _GROUPED, ((20,) * 12, (100,) * 12), ("macro",)),
    Case("12 groups, 97% right", _improve(12, 0.97, 0.97), _GROUPED, ((50,) * 12,), ("macro",)),
    Case("50 groups", _improve(50, 0.55, 0.9), _GROUPED, ((10,) * 50, (40,) * 50), ("macro",)),
    Case(
        "12 groups of 4 labels",
        _improve(12, 0.7, 0.9, (4, 3, 2, 1)),
        ("macro_f1",),
        ((20,) * 12, (100,) * 12),
        ("macro",),
    ),
    *(
        Case(
            f"12 parallel languages{name}",
            made.parallel(told),
            ("accuracy", "f1"),
            (50, 200),
            ("macro", "micro"),
        )
        for name, told in (("", False), (", items as clusters", True))
    ),
    Case(
        "four groups, 50, 40, 30, 20% positive",
        made.curve(0.5, 0.4, 0.3, 0.2),
        ("f1", "roc_auc"),
        ((50,) * 4, (251,) * 4),
        ("macro",),
    ),
    Case(
        "four groups, 5% positive",
        made.curve(0.05, 0.05, 0.05, 0.05),
        ("f1", "roc_auc", "brier_score"),
        ((50,) * 4, (251,) * 4),
        ("macro",),
    ),
    *(
        Case(f"numbers, {name}", pairs.numbers(draw), _NUMBERS, _SIZES, grouped=True)
        for name, draw in (
            ("normal, correlated by 0.6", pairs.correlate(0.6)),
            ("normal, correlated by 0.95", pairs.correlate(0.95)),
            ("normal, not correlated", pairs.correlate(0)),
            ("ratings from 1 to 5", pairs.rate),
            ("both heavy-tailed (t, 5)", pairs.scatter_heavily(5)),
            ("both heavy-tailed (t, 4)", pairs.scatter_heavily(4)),
            ("both heavy-tailed (t, 3)", pairs.scatter_heavily(3)),
            ("heavy-tailed errors (t, 3)", pairs.err_heavily),
            ("errors grow with gold", pairs.err_more_above),
            ("gross errors in 3%", pairs.fail_grossly),
            ("correlated by 0.995", pairs.follow_closely),
            ("lognormal", pairs.grow),
        )
    ),
    Case("texts", made.write, ("bleu", "wer", "rouge1"), (20, 50, 251, 2000), dear=True),
    Case("texts", made.write, ("bleu", "wer", "rouge1"), (10_000,), dear=True),
    Case("summaries, CNN/DM", made.read_summaries, ("rouge2", "rougeL"), (20, 50), dear=True),
    Case(
        "translations, WMT23 he-en",
        partial(made.read_translations, "he-en", "ONLINE-B"),
        ("bleu", "chrf", "ter"),
        (20, 50),
        dear=True,
    ),
    Case(
        "paragraphs, WMT23 en-de",
        partial(made.read_translations, "en-de", "ONLINE-W"),
        ("bleu", "chrf"),
        (50, 200),
        dear=True,
    ),
    Case("speech", made.speak(0, 0.15), ("wer", "cer"), (50, 200), dear=True),
    Case("speech, 1% in loops", made.speak(0.01, 0.15), ("wer", "cer"), (50, 200, 1000), dear=True),
    Case("speech, nearly all right", made.speak(0, 0.01), ("wer", "cer"), (100,), dear=True),
)


if __name__ == "__main__":
    main()

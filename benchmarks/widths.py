"""How wide intervals are beside others that keep their promise on the same samples.

    python benchmarks/widths.py [SAMPLES [WORDS ...]]

Takes samples of the populations of benchmarks/coverage.py; WORDS choose those whose name has one of
them. Prints for each score what the default and every other interval hold of the true values, in
per cent, with the mean width in terms of the default's; and how much wider the default is than the
narrowest other one that holds 93% or more. Others are the percentiles of bootstrap resamples, the
basic and the BCa bootstrap, their standard deviation with Student's t, the same on the scale of
log odds (or of logarithms, for losses), and for ROC-AUC DeLong's error plain and on log odds,
and Newcombe's method 5.
"""

import sys
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from coverage import CASES, Case, Sizes
from numpy.typing import NDArray
from populations import Population
from stopwatch import format_table

import tallystick
from tallystick.kinds.metrics.names import parse
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric
from tallystick.model.tallies.sums import Sums
from tallystick.reading.input_plan import Source
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.scoring.influence import find_slopes
from tallystick.scoring.score import score_counted
from tallystick.statistics import student
from tallystick.statistics.settings import Intervals
from tallystick.statistics.wilson import quantile

SAMPLES = 300
RESAMPLES = 1000
FEW = 300
"""Resamples of probabilities, which take long."""

PROMISED = 93
CONFIDENCE = 0.95
Z = quantile(CONFIDENCE)

Values = NDArray[np.float64]
Ends = dict[str, tuple[float, float]]
"""The intervals of one score by what they come from."""


def main() -> None:
    """Takes as many samples as the first argument says of the cases the others name."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    rows = []
    for case in CASES:
        if case.rows != ("",) or (sys.argv[2:] and not any(w in case.name for w in sys.argv[2:])):
            continue
        population = case.make(np.random.default_rng(1))
        if population.weights is not None or population.clustered:
            continue
        for sizes in case.sizes:
            for row in _compare(case, population, sizes, samples):
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    headings = ("examples", "n", "score", "% held", "others: % held (width)", "wider by %")
    print(format_table(headings, rows))


def _compare(case: Case, population: Population, sizes: Sizes, samples: int) -> list[list[str]]:
    """One row for each metric."""
    whole = tallystick.score(**population.everything(), metrics=case.metrics, intervals=False)
    truth = {one.name: one.value for one in whole.scores if one.name in case.metrics}
    limits = {name: parse(name).bounds for name in truth}
    found: dict[str, list[Ends]] = {name: [] for name in truth}
    for seed in range(samples):
        sample = population.sample(sizes, np.random.default_rng([seed, np.sum(sizes)]))
        for name, ends in _bound(sample, case.metrics).items():
            found[name].append(ends)
    size = np.sum(sizes)
    return [
        [case.name, f"{size:,}", name, *_tell(own, truth[name], limits[name])]
        for name, own in found.items()
        if own
    ]


def _bound(sample: dict[str, object], metrics: Sequence[str]) -> dict[str, Ends]:
    """All intervals of all metrics on one sample, as far as they are defined."""
    task = sample.pop("task")
    gold, outputs = sample.pop("gold"), sample.pop("outputs")
    counted = count_input(Source(gold, outputs), {"task": task, **sample}, list(metrics))  # type: ignore[arg-type]
    scored = score_counted(counted, Intervals())
    found = {}
    for metric in counted.metrics:
        (one,) = (score for score in scored.scores if score.metric == repr(metric))
        if not np.isnan([one.value, one.low]).any():
            found[one.name] = {"default": (one.low, one.high), **_bound_others(metric, counted)}
    return found


def _bound_others(metric: Metric, counted: Counted) -> Ends:
    tally = counted.tally(metric).of(counted.systems[0])
    value = float(metric.score(tally)[0])
    count = RESAMPLES if isinstance(tally, Cells | Sums) else FEW
    chunks = [metric.score(chunk)[..., 0].ravel() for chunk in tally.resample(count, 1)]
    drawn = np.concatenate(chunks)
    drawn = drawn[~np.isnan(drawn)]
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    n = int(tally.n.sum())
    error = drawn.std(ddof=1) * np.sqrt(n / (n - 1))
    times = float(student.quantile(CONFIDENCE, n - 1))
    ends = {
        "percentiles": (low, high),
        "basic": (2 * value - high, 2 * value - low),
        "t": (value - times * error, value + times * error),
        "scaled": _scale(metric, value, times * error),
    }
    if isinstance(tally, Cells | Sums):
        ends["BCa"] = _bound_bca(metric, tally, value, drawn)
    return ends


def _scale(metric: Metric, value: float, half: float) -> tuple[float, float]:
    """The ends on the scale of log odds, or of logarithms where there is no largest value."""
    bottom, top = metric.bounds
    if not np.isfinite(top):
        ratio = np.exp(half / value) if value > 0 else 1
        return value / ratio, value * ratio
    share = (value - bottom) / (top - bottom)
    if not 0 < share < 1:
        return value, value
    shift = half / (top - bottom) / (share * (1 - share))
    odds = np.log(share / (1 - share)) + np.array([-shift, shift])
    low, high = bottom + (top - bottom) / (1 + np.exp(-odds))
    return float(low), float(high)


def _bound_bca(
    metric: Metric, tally: Cells | Sums, value: float, drawn: Values
) -> tuple[float, float]:
    """Efron's interval, corrected for bias and acceleration (Efron 1987, JASA 82)."""
    slopes = np.nan_to_num(find_slopes(metric, tally))
    counts = tally.counts if isinstance(tally, Cells) else np.ones(len(slopes))
    slopes = slopes - (slopes @ counts) / counts.sum()
    squares = slopes**2 @ counts
    if not squares > 0:
        return value, value
    acceleration = (slopes**3 @ counts) / (6 * squares**1.5)
    normal = NormalDist()
    below = ((drawn < value).mean() + (drawn <= value).mean()) / 2
    bias = normal.inv_cdf(min(max(float(below), 1e-4), 1 - 1e-4))
    places = []
    for side in (-Z, Z):
        moved = bias + side
        places.append(normal.cdf(bias + moved / (1 - acceleration * moved)))
    low, high = np.quantile(drawn, places)
    return float(low), float(high)


def _tell(found: Sequence[Ends], truth: float, bounds: tuple[float, float]) -> list[str]:
    """What all intervals hold, and how wide they are."""
    shown, narrowest, width, held = [], np.inf, np.nan, np.nan
    for name in found[0]:
        low, high = np.clip(np.array([one[name] for one in found]).T, *bounds)
        own = 100 * float(np.mean((low <= truth) & (truth <= high)))
        wide = float(np.mean(high - low))
        if name == "default":
            width, held = wide, own
            continue
        shown.append(f"{name} {own:.1f} ({wide / width:.2f})")
        if own >= PROMISED:
            narrowest = min(narrowest, wide)
    more = f"{100 * (width / narrowest - 1):.0f}" if np.isfinite(narrowest) else "none holds"
    return [f"{held:.1f}", ", ".join(shown), more]


if __name__ == "__main__":
    main()

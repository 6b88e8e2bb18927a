"""Scores several runs of systems: the mean over runs, with what examples and seeds add to doubt."""

import math
from collections.abc import Iterator, Sequence
from typing import Unpack

import numpy as np
from msgspec import Struct

from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.contributions import count_units, draw_normal_scores, score_rows
from tallystick.comparison.pairwise_coverage import correct_anew
from tallystick.errors import UsageError
from tallystick.kinds.metrics.names import Metrics
from tallystick.kinds.ratings import RATINGS
from tallystick.model.tallies.metric import Metric, compares_groups
from tallystick.model.tallies.tally import Tally
from tallystick.output.results.other_results import Seeds
from tallystick.output.results.records import Difference, SeedScore
from tallystick.reading.input_plan import Layout, Source
from tallystick.scoring import data_warnings as data_notes
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.scoring.interval_warnings import list_zeros
from tallystick.statistics import student
from tallystick.statistics.percentiles import bound_within
from tallystick.statistics.settings import Intervals
from tallystick.statistics.wilson import Values, quantile


class Variance(Struct, frozen=True):
    """The variance of a mean over the runs of one system, or of a difference of such means.

    `examples` is what it would be with other examples and the same runs, `seeds` what other seeds
    add, 0 where runs differ no more than examples explain, and `freedom` Satterthwaite's degrees of
    freedom of both. `terms` are the variances between and within runs, each with its own.
    """

    examples: float
    seeds: float
    freedom: float
    terms: tuple[tuple[float, float], ...]

    @property
    def total(self) -> float:
        """The variance with other examples and other seeds."""
        return self.examples + self.seeds

    @property
    def share(self) -> float:
        """The share that comes from the seeds."""
        return self.seeds / self.total if self.total > 0 else 0.0


def measure(values: Values, resampled: Values, units: float) -> Variance:
    """Returns the variance of the mean over runs.

    V = (MS_item + MS_run - MS_err) / (n R) of examples and runs crossed, where the mean squares
    of a metric that is no mean of examples are those of its resamples.

    Resampled scores are on the same resamples, of shape (resamples, runs), and `units` is how many
    examples or clusters are resampled. NaN where a score is undefined.

    Source: the two-way random model as in Searle, Casella and McCulloch 1992, Variance
        Components, chapter 4; Satterthwaite 1946, Biometrics 2, for the degrees of freedom.
    """
    runs, known = len(values), resampled[~np.isnan(resampled).any(1)]
    if np.isnan(values).any() or len(known) < 2 or units < 2:
        return Variance(np.nan, np.nan, np.nan, ())
    few = units / (units - 1)  # resamples of few scatter too little
    means = known.mean(1)
    examples = few * float(means.var(ddof=1))
    between = float(values.var(ddof=1)) / runs
    spread = (known - means[:, None]).var(0, ddof=1).sum() / (runs - 1)
    within = few * float(spread) / runs
    terms = ((between, runs - 1), (within, (units - 1) * (runs - 1)))
    return _combine(examples, max(0.0, between - within), terms, units)


def add_up(gains: Values, sides: Sequence[Variance], units: float) -> Variance:
    """The variance of the difference of two means over runs; `gains` are on the same resamples."""
    known = gains[~np.isnan(gains)]
    if len(known) < 2 or units < 2:
        return Variance(np.nan, np.nan, np.nan, ())
    examples = units / (units - 1) * float(known.var(ddof=1))
    terms = tuple(term for side in sides if side.seeds > 0 for term in side.terms)
    return _combine(examples, sum(side.seeds for side in sides), terms, units)


def _combine(
    examples: float, seeds: float, terms: Sequence[tuple[float, float]], units: float
) -> Variance:
    counted = terms if seeds > 0 else ()
    parts = [(examples, units - 1), *counted]
    doubt = sum(size**2 / freedom for size, freedom in parts)
    freedom = (examples + seeds) ** 2 / doubt if doubt > 0 else units - 1
    return Variance(examples, seeds, freedom, tuple(terms))


_ALONE = "all runs"
"""What a system is called whose runs alone are named."""

Runs = dict[str, list[int]]
"""The places of the runs of each system."""


def score_seeds(
    gold: object = None,
    /,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    intervals: Intervals | None = None,
    **layout: Unpack[Layout],
) -> Seeds:
    """Scores several runs of one or more systems, such as with several random seeds.

    Runs that are called `TEAM/RUN` are runs of `TEAM`; without a slash all are runs of one system.

    Args:
        gold: As in `score`.
        outputs: The outputs of each run by name, as in `score`.
        metrics: What to compute; metrics with a value per label have no mean here.
        intervals: The confidence level, the number of resamples and the random seed.
        layout: How the data is laid out, as in `tallystick.read`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A system has only one run, or a metric or an option does not exist or fit.
    """
    counted = count_input(Source.of(gold, outputs), layout, metrics)
    settings = intervals or Intervals()
    if any(counter.kind == RATINGS for counter in counted.counters.values()):
        raise UsageError("runs are of systems, and ratings of annotators have none")
    counted.refuse_correction("runs with several seeds")
    runs = _find_runs(counted.systems)
    counted = keep_comparable(counted)
    scores: list[SeedScore] = []
    differences: list[Difference] = []
    drawn: dict[Metric, tuple[Values, Values]] = {}
    for tally, formulas in counted.list_formulas():
        both = _resample(counted, tally, [*formulas.values()], settings)
        drawn |= zip(formulas, both, strict=True)
    for metric in counted.metrics:
        values, resampled = drawn[metric]
        for place, row in enumerate(counted.rows):
            if compares_groups(metric) and not counted.size(row, metric):
                continue
            board = _Board(counted, metric, row, settings.confidence)
            found = {
                system: _Mean(values[own, place], resampled[:, own, place], board.units)
                for system, own in runs.items()
            }
            scores += [board.write(system, mean) for system, mean in found.items()]
            (first, base), *others = found.items()
            differences += [board.compare((name, own), (first, base)) for name, own in others]
    order = {name: at for at, name in enumerate(runs)}
    rows = {row: at for at, row in enumerate(counted.rows)}
    scores.sort(key=lambda one: (order[one.system], rows[one.group]))
    notes = [*data_notes.list_notes(counted), *list_zeros(counted)]
    return Seeds(tuple(scores), correct_anew(differences), tuple(notes))


def _find_runs(names: Sequence[str]) -> Runs:
    """Returns the runs of each system, which its name before the last slash tells."""
    teams = [name.rpartition("/")[0] for name in names]
    if not any(teams):
        teams = [_ALONE] * len(names)
    runs: Runs = {}
    for place, team in enumerate(teams):
        runs.setdefault(team or names[place], []).append(place)
    alone = next((team for team, own in runs.items() if len(own) < 2), None)
    if alone is not None:
        text = "there is one" if alone == _ALONE else f"{alone} has one"
        raise UsageError(
            f"`seeds=` needs two runs or more of each system, and {text}; runs of several systems "
            "are called SYSTEM/RUN, as in a/1=run1.csv a/2=run2.csv"
        )
    return runs


def _resample(
    counted: Counted, tally: Tally, metrics: Sequence[Metric], settings: Intervals
) -> Iterator[tuple[Values, Values]]:
    """Yields the scores of all runs: (runs, rows), and on resamples: (resamples, runs, rows)."""
    names = counted.systems
    values = np.stack([score_rows(metrics, tally.of(name), counted.groups)[:, 0] for name in names])
    options = counted.groups, settings.resamples, settings.random_seed
    resampled = draw_normal_scores(metrics, tally.of(*names), *options).swapaxes(1, 2)
    yield from zip(values.swapaxes(0, 1), resampled, strict=True)


class _Mean(Struct, frozen=True, eq=False):
    """The runs of one system by one metric on one row, with scores of (resamples, runs)."""

    values: Values
    resampled: Values
    units: float

    @property
    def value(self) -> float:
        return float(self.values.mean())

    def vary(self) -> Variance:
        return measure(self.values, self.resampled, self.units)


class _Board(Struct, frozen=True, eq=False):
    """One metric on one row of scores."""

    counted: Counted
    metric: Metric
    row: str | None
    confidence: float

    @property
    def units(self) -> float:
        """How many examples the row has, or clusters where they belong to some."""
        units = count_units(self.counted, self.counted.tally(self.metric))
        return float(units[self.counted.rows.index(self.row)])

    def write(self, system: str, mean: _Mean) -> SeedScore:
        variance, value = mean.vary(), mean.value
        examples = self._bound(value, variance.examples, mean.units - 1)
        both = self._bound(value, variance.total, variance.freedom)
        return SeedScore(
            system=system,
            group=self.row,
            metric=repr(self.metric),
            name=self.metric.name,
            value=value,
            deviation=float(mean.values.std(ddof=1)),
            runs=len(mean.values),
            n=self.counted.size(self.row),
            low=both[0],
            high=both[1],
            examples_low=examples[0],
            examples_high=examples[1],
            seed_share=variance.share,
            confidence=self.confidence,
            signature=f"{self.metric.signature}|runs:{len(mean.values)}"
            f"|{self.counted.describe(self.metric)}",
        )

    def _bound(self, value: float, variance: float, freedom: float) -> tuple[float, float]:
        """Returns the interval of a mean with Student's t, within the limits of the score."""
        if math.isnan(value) or math.isnan(variance):
            return math.nan, math.nan
        limits, half = self.counted.formula(self.metric)[0].bounds, math.sqrt(variance)
        t = float(student.quantile(self.confidence, freedom))
        if not math.isfinite(limits[1] - limits[0]):
            return max(limits[0], value - t * half), min(limits[1], value + t * half)
        size, wide = np.array(self.counted.size(self.row)), t / quantile(self.confidence)
        ends = (np.array(value), np.array(wide * half), size, limits, self.confidence)
        low, high = bound_within(*ends)
        return float(low), float(high)

    def compare(self, one: tuple[str, _Mean], other: tuple[str, _Mean]) -> Difference:
        (a, mine), (b, theirs) = one, other
        gains = mine.resampled.mean(1) - theirs.resampled.mean(1)
        variance = add_up(gains, (mine.vary(), theirs.vary()), mine.units)
        gap = mine.value - theirs.value
        error = math.sqrt(variance.total)
        half = float(student.quantile(self.confidence, variance.freedom)) * error
        statistic = gap / error if error > 0 else math.nan
        p = float(student.p_value(statistic, variance.freedom)) if gap else 1.0
        return Difference(
            a=a,
            b=b,
            group=self.row,
            metric=repr(self.metric),
            name=self.metric.name,
            value_a=mine.value,
            value_b=theirs.value,
            difference=gap,
            low=gap - half,
            high=gap + half,
            confidence=self.confidence,
            p=p,
            p_holm=p,
            test="t",
            n=self.counted.size(self.row),
            better=self.metric.better,
            signature=f"{self.metric!r}|test:t|{self.counted.describe(self.metric)}",
        )

"""The variance of a mean over runs: what comes from the examples, and what from the seeds."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tallystick.statistics.wilson import Values


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
    """Returns the variance of the difference of two means over independent runs.

    `gains` are the differences on the same resamples of so many examples or clusters.
    """
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

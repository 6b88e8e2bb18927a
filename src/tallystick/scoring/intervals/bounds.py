"""The intervals of scores: what was observed of a metric, bounds by formulas, and heavy tails."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, replace
from tallystick.statistics.clusters import bound_clustered_share
from tallystick.statistics.wilson import (
    bound_effectively,
    bound_share,
    bound_weighted_share,
    count_trials,
)
from tallystick.tallies.arrays.units import slice_chunks
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Share, Values
from tallystick.tallies.tally import Tally

_MOST_SKEWED = 0.35
"""Above this skewness of a mean its intervals held less than 93% in the simulations of
benchmarks/coverage.py."""

_FEW_CLUSTERS = 0.25
"""The same of clusters without a model of how skewed they are: a sample shows less of it."""

_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Tail:
    """The examples that move a score most.

    They are one in a hundred, one at least, and `share` is how much of the score's variance they
    make.
    """

    count: int
    share: float
    unit: str = "example"


def weigh_tail(moves: NDArray[np.float64], unit: str) -> Tail | None:
    """The tail of what single examples move a score by; None where it is not heavy."""
    n = len(moves)
    off = moves - moves.mean() if n else moves
    scale = np.abs(off).max(initial=0)
    if n < 2 or not scale > 0:
        return None
    off = off / scale  # so that no power is too large or too small
    squares = off**2
    skewness = abs((off**3).mean()) / squares.mean() ** 1.5
    limit = _MOST_SKEWED if unit == "example" else _FEW_CLUSTERS
    if skewness / n**0.5 <= limit:
        return None
    squares, count = np.sort(squares), max(1, round(_SHARE * n))
    return Tail(count, float(squares[-count:].sum() / squares.sum()), unit)


def find_tail(metric: Metric, tally: Tally) -> Tail | None:
    """The tail of a score of texts, from leaving out each example, or cluster, in turn."""
    rows = tally.example_rows()
    if rows is None or len(rows.values) < 2:
        return None
    from tallystick.tallies.sums import Sums

    whole = tally.total().need(Sums)
    values = rows.sort(tally.counter).values.swapaxes(0, 1)[:, :, None]
    rest = [
        metric.score(replace(whole, sums=whole.sums[:, None] - values[:, here]))[:, 0]
        for here in slice_chunks(values.shape[1], whole.sums.size)
    ]
    unit = "example" if rows.clusters is None else "cluster"
    return weigh_tail(np.concatenate(rest) - metric.score(whole)[0], unit)


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """The intervals of scores, of the shape of their values."""

    low: Values
    high: Values

    @classmethod
    def around(cls, values: Values, low: Values, high: Values) -> "Bounds":
        """Intervals that include the values themselves."""
        return cls(np.minimum(low, values), np.maximum(high, values))

    @property
    def only(self) -> "Bounds":
        """Those of the only group."""
        return Bounds(self.low[0], self.high[0])

    def at(self, place: int | tuple[()]) -> tuple[float, float]:
        """One of the intervals."""
        return float(self.low[place]), float(self.high[place])


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The intervals of one metric.

    `groups` is None for a metric per label, which is shown for all groups together: `whole` is of
    each label. `lost` is the share of resamples that could not be scored. `mean` is the interval of
    the mean over groups, and what it comes from, where it was resampled. It is too narrow where
    groups have so `scarce` examples of their labels, and all intervals are where so many labels are
    `rare`, or where the few examples of the `tail` make most of the variance.
    """

    groups: Bounds | None
    whole: Bounds
    method: str
    lost: float = 0
    mean: tuple[float, float, str] | None = None
    scarce: bool = False
    rare: bool = False
    tail: Tail | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A tally and its scores, of shape (groups,), or (groups, labels) if per label."""

    tally: Tally
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What was observed by one metric: in each group, and in all together as one group."""

    groups: Side
    whole: Side

    def sides(self) -> tuple[Side, Side]:
        """Both, one after the other."""
        return self.groups, self.whole


def observe(tallies: Mapping[Metric, Any]) -> dict[Metric, Observed | None]:
    """Scores the tally of each metric, as far as there is one."""
    totals = {id(tally): tally.total() for tally in tallies.values() if tally is not None}
    found: dict[Metric, Observed | None] = dict.fromkeys(tallies)
    for metric, tally in tallies.items():
        if tally is not None:
            groups, total = Side(tally, metric.score(tally)), totals[id(tally)]
            whole = groups if total is tally else Side(total, metric.score(total))
            found[metric] = Observed(groups, whole)
    return found


def average_groups(metric: Metric, values: Values) -> Values:
    """The plain mean over the last axis of the groups in which a metric is defined.

    NaN where it is defined in none, and for counts, which have no mean.
    """
    defined = ~np.isnan(values) & (not metric.adds_up)
    size = defined.sum(-1)
    with np.errstate(invalid="ignore"):  # of infinite ratings of either sign there is no mean
        total = np.where(defined, values, 0).sum(-1)
    return np.where(size > 0, total / np.maximum(size, 1), np.nan)


def bound_formula(metric: Metric, observed: Observed, confidence: float) -> Spread | None:
    """The intervals that a formula gives; None where there is none for the metric."""
    tally = observed.groups.tally
    share = metric.share(tally)
    if share is None:
        return None
    by_group = None
    if not metric.per_label:
        own = bound_shares(metric, tally, confidence)
        by_group = Bounds.around(observed.groups.values, own.low, own.high)
    pooled = bound_shares(metric, tally, confidence, whole=observed.whole.tally)
    whole = Bounds.around(observed.whole.values, pooled.low, pooled.high)
    method = share.method
    if tally.list_clusters() is not None:
        method = f"{method} at the effective size of clusters"
    elif not tally.plain:
        method = f"{method} with weights"
    return Spread(by_group, whole.only, method)


def bound_shares(
    metric: Metric, tally: Tally, confidence: float, *, whole: Tally | None = None
) -> Bounds:
    """The intervals of a metric that is a share of the examples: of groups, or of `whole`."""
    share = _need_share(metric, tally if whole is None else whole)
    if tally.list_clusters() is not None:
        ends = _bound_clusters(metric, tally, confidence, pooled=whole is not None)
    elif tally.plain:
        ends = bound_share(share.hits, share.trials, confidence)
    else:
        own = (tally if whole is None else whole).need_patterns()
        squares, plain = (
            _need_share(metric, one) for one in (own.squared(), replace(own, weights=None))
        )
        weights, hit = (share.trials, squares.trials), (share.hits, squares.hits)
        ends = bound_weighted_share(plain.trials, weights, hit, confidence)
    return Bounds(*(share.to_score(end) for end in ends))


def _need_share(metric: Metric, tally: Tally) -> Share:
    share = metric.share(tally)
    assert share is not None, metric
    return share


def _bound_clusters(
    metric: Metric, tally: Tally, confidence: float, *, pooled: bool
) -> tuple[Values, Values]:
    parts = _split_share(metric, tally, pooled=pooled)
    ends = [bound_clustered_share(*part, confidence) for part in parts]
    low, high = (np.stack([pair[side] for pair in ends]) for side in (0, 1))
    return low, high


def count_effectively(tally: Tally, confidence: float) -> Values:
    """As how many plain examples those of clusters, or of weights, count by accuracy.

    Of shape (2, groups): for the lower end of an interval, and for the upper one. At an accuracy of
    0 or 1 there is one end alone, which stands for both.
    """
    # Imported here because few examples are in clusters or have weights.
    from tallystick.kinds.labels.accuracy import Accuracy

    metric = Accuracy()
    ends = bound_shares(metric, tally, confidence)
    values = metric.score(tally.need_patterns())
    trials = count_trials(values, (ends.low, ends.high), confidence)
    return np.where(np.isinf(trials), trials.min(0), trials)


def counts_for_fewer(tally: Tally) -> bool:
    """Whether examples of single labels count for fewer, in clusters or with weights."""
    cells = tally.patterns
    if cells is None or tally.gold_masses() is None or cells.sets is not None:
        return False
    return tally.list_clusters() is not None or cells.weights is not None


def _split_share(metric: Metric, tally: Tally, *, pooled: bool) -> Iterator[tuple[Values, Values]]:
    """The hits and trials of each cluster of each group, or of all, of shape (..., clusters).

    With weights they are those of as many examples of weight 1 as there effectively are.
    """
    split, sizes = tally.need_patterns().split_clusters(pooled=pooled)
    share = _need_share(metric, split)
    squared = None if split.plain else _need_share(metric, split.squared()).trials
    last = np.cumsum(sizes).tolist()
    for own in map(slice, [0, *last], last):
        hits, trials = (np.moveaxis(side[own], 0, -1) for side in (share.hits, share.trials))
        unit: Values = np.ones(1)
        if squared is not None:
            found = squared[own].sum(0) / np.maximum(share.trials[own].sum(0), np.finfo(float).tiny)
            unit = np.where(found > 0, found, 1)[..., None]
        yield hits / unit, trials / unit


_ADDED = 0.5
"""So much of a problem that is always solved, and of one that never is, adds to the scatter."""


def bound_tries(metric: Metric, observed: Observed, confidence: float) -> Spread:
    """The intervals of a mean over problems that are neither weighted nor in clusters.

    They are Wilson's at the number of problems at which a share would scatter as much. Half a
    problem of each kind is added to the scatter alone: where hardly any problem is solved, those
    that are do not show how much the others could add.
    """
    groups, whole = (_bound_problems(metric, side, confidence) for side in observed.sides())
    return Spread(groups, whole.only, "Wilson at the effective size of the problems")


def _bound_problems(metric: Metric, side: Side, confidence: float) -> Bounds:
    tally = side.tally.need_patterns()
    worths = metric.score(part_cells(tally))
    size = tally.n + 2 * _ADDED
    mean = (tally.sum_groups(tally.counts * worths) + _ADDED) / size
    squares = (tally.sum_groups(tally.counts * worths**2) + _ADDED) / size
    trials = np.where(tally.n > 0, tally.n * mean * (1 - mean) / (squares - mean**2), 0)
    return Bounds.around(side.values, *bound_effectively(side.values, trials, confidence))


def part_cells(tally: Cells) -> Cells:
    """One example of each cell, each as a group of its own."""
    cells = np.arange(len(tally.owners))
    return replace(
        tally,
        groups=tuple(cells.tolist()),
        owners=cells,
        counts=np.ones_like(tally.counts),
        n=np.ones_like(cells),
        weights=None,
        clusters=None,
    )

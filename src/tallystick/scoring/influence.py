"""How far each example, or cluster, moves the scores of one system, whatever the metric.

A metric tells by a formula how fast its score rises with the weight of each kind of example
(`Metric.influence`); where it does not, a half of an example of each kind is left out in turn.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.clusters import HALF, find_units
from tallystick.model.tallies.metric import (
    Metric,
    Values,
    adds_up,
    is_per_label,
    list_named,
    list_parts,
)
from tallystick.model.tallies.resampling import smooth_labels
from tallystick.model.tallies.tally import Tally, need, relative
from tallystick.scoring.score_table import average_groups
from tallystick.statistics.influence import (
    FEWEST,
    FEWEST_OF_CLUSTERS,
    Covariances,
    Influence,
    Scale,
    Scatter,
    gather,
    sum_at,
)

if TYPE_CHECKING:
    from tallystick.model.tallies.second_moments import Products
    from tallystick.model.tallies.sums import Sums

Scatters = tuple[Scatter, Scatter, Scatter]
"""How the scores of groups scatter, the score of all together, and the mean over groups."""

_STILL = 1e-18
"""A smaller variance of a score is rounding."""

FEW = 5
"""With fewer examples of a label than that, other samples may have twice as many, or none."""

_CLUSTER = 0.125
"""So much of one more cluster is added to what clusters show."""

_CLEAR = 3
"""So many units away from a limit show how often others are."""

_STEP = 1e-4
"""How far sums are moved for a slope, as a share of themselves."""


def find_slopes(metric: Metric, tally: Tally) -> Values:
    """How fast scores rise with the weight of each kind: (kinds,), or (kinds, labels) per label."""
    if list_parts(metric):
        from tallystick.kinds.composite_metrics import MeanOf

        assert isinstance(metric, MeanOf)
        parts = zip(metric.parts, metric.split(tally), strict=True)
        return np.asarray(
            np.mean([find_slopes(part, one)[at] for part, (one, at) in parts], axis=0)
        )
    found = metric.influence(tally)
    if found is None and tally.patterns is not None:
        found = _find_share_slopes(metric, tally.patterns)
    if found is not None:
        return found
    units = _need_units(tally)
    slopes = _leave_out(metric, units, 1.0)
    if slopes.size and np.isnan(slopes).any():
        slopes = np.where(np.isnan(slopes), _leave_out(metric, units, HALF), slopes)
    return slopes


def _leave_out(metric: Metric, tally: "Cells | Sums", part: float) -> Values:
    """How much scores lose without a part of an example of each kind, by its weight."""
    base = relative(tally)
    score = metric.score(base)
    slopes = np.zeros((0, *score.shape[1:]))
    for light, places, missing, shares in base.leave_one_out(part):
        slopes = slopes if len(slopes) else np.zeros((len(missing), *score.shape[1:]))
        lost = np.broadcast_to(score - metric.score(light), (*places.shape, *score.shape[1:]))
        known = places >= 0
        kinds = places[known]
        rest = 1 - part * shares * (not adds_up(metric))
        weight = np.where(missing > 0, missing, np.inf) / np.where(rest > 0, rest, 1)
        slopes[kinds] = lost[known] / weight[kinds].reshape(-1, *(1,) * (score.ndim - 1))
    return slopes


def find_hits(metric: Metric, tally: Cells) -> tuple[Values, Values] | None:
    """Whether one example of each cell is a hit, and a trial; None unless the metric is a share."""
    if is_per_label(metric) or adds_up(metric):
        return None
    share = metric.estimand(tally)
    if share is None or share.method != "Wilson":
        return None
    cells = np.arange(len(tally.owners))
    alone = replace(
        tally,
        groups=tuple(cells.tolist()),
        owners=cells,
        counts=np.ones_like(tally.counts),
        n=np.ones_like(cells),
        weights=None,
        clusters=None,
    )
    share = metric.estimand(alone)
    return None if share is None else (share.hits.astype(float), share.trials.astype(float))


def _find_share_slopes(metric: Metric, tally: Cells) -> Values | None:
    found, share = find_hits(metric, tally), metric.estimand(tally)
    if found is None or share is None:
        return None
    trials = np.where(share.trials > 0, share.trials, np.inf)
    return np.asarray(
        (found[0] - (share.hits / trials)[tally.owners] * found[1]) / trials[tally.owners]
    )


class Entries(Struct, frozen=True, eq=False):
    """What examples of each kind, or of each kind and cluster, add to scores.

    Attributes:
        groups: The group of each entry.
        clusters: Its cluster; None where examples count by themselves.
        own: What one unit of it adds to the score of its group.
        whole: What it adds to the score of all together.
        masses: What it weighs.
        counts: How many units there are of each entry; 1 where there are clusters.
        gold: The gold label of each, where it has one and units are examples.
        added: How many of the last entries nobody observed.
        smooth: The tally with these.
    """

    groups: NDArray[np.int64]
    clusters: NDArray[np.int64] | None
    own: Values
    whole: Values
    masses: Values
    counts: NDArray[Any]
    gold: NDArray[Any] | None = None
    added: int = 0
    smooth: Cells | None = None

    @property
    def rare(self) -> NDArray[np.int64] | None:
        """The gold label of each entry if it has few examples, else -1; None without labels."""
        if self.gold is None:
            return None
        seen = np.where(np.arange(len(self.gold)) < len(self.gold) - self.added, self.counts, 0)
        gold = self.gold.astype(np.int64)
        return np.where(np.bincount(gold, seen)[gold] < FEW, gold, -1)

    def gather(self, values: Values, owners: NDArray[np.int64], size: int) -> Influence:
        """The influence of units on this many scores; clusters add up what is of one score."""
        return gather(values, self.masses, owners, self.clusters, size, self.counts)

    def average(self, scores: Values) -> Influence:
        """The influence on the mean over the groups that have a score."""
        defined = ~np.isnan(scores)
        shares = np.where(defined, 1 / max(int(defined.sum()), 1), 0)
        return self.unite(np.nan_to_num(self.own) * shares[self.groups], defined)

    def unite(self, values: Values, defined: NDArray[np.bool_]) -> Influence:
        """The influence on what rests on the groups that are defined, to which entries add this."""
        masses = self.masses * defined[self.groups]
        names = tuple(range(len(defined)))
        units = find_units(self.groups, self.clusters, names)
        size, counts = len(units.strata), self.counts
        if self.clusters is not None:
            values, masses = (sum_at(one, units.of, size) for one in (values, masses))
            counts = np.ones(size)
        return Influence(values, masses, counts, np.zeros(size, np.int64), 1, units.strata)


def counts_plain_labels(tally: Tally) -> bool:
    """Whether a tally counts labels of examples that count by themselves."""
    found = tally.patterns
    return found is not None and found.labelled and tally.list_clusters() is None


def list_entries(metric: Metric, tally: Tally) -> Entries:
    """What examples add to the scores of groups and of all; kept examples to groups alone."""
    if tally.keeps_examples:
        kept = tally.list_kept()
        known, slopes = kept.tally.list_clusters(), find_slopes(metric, kept.tally)
        clusters, own = None if known is None else known[1], np.nan_to_num(slopes) * kept.masses
        gold = kept.gold if clusters is None else None
        return Entries(kept.owners, clusters, own, own, kept.masses, kept.counts, gold)
    own, pooled = _list_slopes(metric, _need_units(tally))
    cells = tally.patterns
    if cells is not None:
        found = _list_cells(cells, own, pooled)
        plain = cells.labelled and cells.plain
        return _add_labels(metric, cells, found) if plain else found
    sums = _need_sums(tally)
    rows = sums.list_rows()
    groups = rows.groups.codes.astype(np.int64)
    clusters = None if rows.clusters is None else rows.clusters.codes.astype(np.int64)
    masses = sums.weigh_rows()
    return Entries(groups, clusters, own, pooled, masses, np.ones(len(groups)))


def list_shared(metric: Metric, tally: Tally) -> Entries:
    """What the same examples add to the scores of several systems: (systems, entries)."""
    if tally.keeps_examples:
        keep_order = getattr(tally, "keep_order", tally.of)
        kept = [list_entries(metric, keep_order(name)) for name in tally.systems]
        own = np.stack([one.own for one in kept])
        return replace(kept[0], own=own, whole=own)
    cells = tally.patterns
    if cells is not None:
        found = [_list_slopes(metric, cells.of(name)) for name in cells.systems]
        places = [cells.project(name).places for name in cells.systems]
        own, whole = (
            np.stack([one[..., at] for one, at in zip(side, places, strict=True)])
            for side in zip(*found, strict=True)
        )
        return _list_cells(cells, own, whole, alone=False)
    sums = _need_sums(tally)
    rows = sums.list_rows()
    each = list(sums.part_rows(rows))
    own, whole = map(np.stack, zip(*(_list_slopes(metric, one) for one in each), strict=True))
    masses = np.stack([one.weigh_rows() for one in each])
    masses = masses[0] if (masses == masses[0]).all() else masses
    clusters = None if rows.clusters is None else rows.clusters.codes.astype(np.int64)
    groups = rows.groups.codes.astype(np.int64)
    return Entries(groups, clusters, own, whole, masses, np.ones(len(groups)))


def _need_sums(tally: Tally) -> "Sums":
    from tallystick.model.tallies.sums import Sums  # which labels do without

    return need(tally, Sums)


def _need_units(tally: Tally) -> "Cells | Sums":
    return _need_sums(tally) if tally.patterns is None else tally.patterns


def find_unlisted(tally: Tally) -> "Sums | None":
    """The sums of examples that are too many to be listed; None of any other tally."""
    if tally.keeps_examples or tally.patterns is not None:
        return None
    sums = _need_sums(tally)
    return sums if sums.rows is None else None


def _list_slopes(metric: Metric, tally: "Cells | Sums") -> tuple[Values, Values]:
    """The slopes of the scores of groups, and of the score of all: (..., kinds)."""
    own = np.moveaxis(find_slopes(metric, tally), 0, -1)
    if len(tally.groups) == 1:
        return own, own
    return own, np.moveaxis(find_slopes(metric, tally.merge_groups()), 0, -1)


def _add_labels(metric: Metric, tally: Cells, found: Entries) -> Entries:
    """The same with a part of an example that is right, and that is wrong, for each label."""
    smooth, added = smooth_labels(tally)
    here = np.flatnonzero(added)
    own, whole = (one[..., here] for one in _list_slopes(metric, smooth))
    return replace(
        found,
        groups=np.concatenate([found.groups, smooth.owners[here]]),
        own=np.concatenate([found.own, own], axis=-1),
        whole=np.concatenate([found.whole, whole], axis=-1),
        masses=np.append(found.masses, np.ones(len(here))),
        counts=np.append(found.counts, added[here]),
        gold=None if found.gold is None else np.append(found.gold, smooth.gold[here]),
        added=len(here),
        smooth=smooth,
    )


def _list_cells(tally: Cells, own: Values, whole: Values, *, alone: bool = True) -> Entries:
    """Entries of cells by effective counts; labels of a system `alone` are smoothed."""
    clusters = tally.clusters
    if clusters is None:
        typical, counts = np.ones(len(tally.counts)), tally.counts
        if tally.weights is not None:
            if alone:
                own, whole = own * _find_scales(tally), whole * _find_scales(tally.merge_groups())
            typical = tally.unit_masses
            counts = tally.weights[0] / np.where(typical > 0, typical, np.inf)
        gold = tally.gold if tally.labelled and not tally.sets else None
        own, whole = own * typical, whole * typical
        return Entries(tally.owners, None, own, whole, typical, counts, gold)
    at = clusters.cells
    sizes = clusters.counts if clusters.weights is None else clusters.weights[0]
    masses, groups = sizes.astype(np.float64), tally.owners[at]
    ones = np.ones(len(at))
    return Entries(
        groups, clusters.owners, own[..., at] * masses, whole[..., at] * masses, masses, ones
    )


def measure_scatters(metric: Metric, tally: Tally, scores: Values, *, strata: bool) -> Scatters:
    """How scores vary; with `strata`, samples keep how many examples each gold label has."""
    if tally.keeps_examples:
        return _measure_examples(metric, tally, scores)
    cells, unlisted = tally.patterns, find_unlisted(tally)
    if unlisted is not None:
        spread = list_covariances(metric, unlisted, scores[None])
        return tuple(one.measure() for one in spread)  # type: ignore[return-value]
    found = list_entries(metric, tally)
    size, zero = len(tally.groups), np.zeros(len(found.groups), np.int64)
    groups = found.gather(np.nan_to_num(found.own), found.groups, size)
    whole = replace(found.gather(np.nan_to_num(found.whole), zero, 1), rare=found.rare)
    if is_per_label(metric):
        by_label = whole.measure().change(_turn)
        if cells is None and tally.labels:
            few = _need_sums(tally).weigh_rows(list_named(metric)).sum(-1)
            by_label = replace(by_label, units=np.minimum(by_label.units, few))
        return by_label, by_label, by_label
    mean = found.average(scores)
    if strata and cells is not None:
        layers = cells.owners * (len(cells.labels) + 1) + cells.gold
        groups, whole, mean = (replace(one, strata=layers) for one in (groups, whole, mean))
    grouped = cells is not None and cells.labelled and cells.clusters is not None
    fewest = FEWEST_OF_CLUSTERS if grouped else FEWEST
    scatters = groups.measure(fewest), whole.measure(fewest), mean.measure(fewest)
    if cells is None or (found.smooth is None and cells.clusters is None):
        return scatters
    values = _list_scores(metric, cells, scores)
    if cells.clusters is not None:
        return tuple(  # type: ignore[return-value]
            _add_cluster(scatter, value, metric.bounds) if cells.labelled else scatter
            for scatter, value in zip(scatters, values, strict=True)
        )
    assert found.smooth is not None
    levels = _list_scores(metric, found.smooth, metric.score(found.smooth))
    sides = zip(scatters, (groups, whole, mean), values, levels, strict=True)
    return tuple(  # type: ignore[return-value]
        _settle(metric, scatter, own, (value, level), found.added)
        for scatter, own, value, level in sides
    )


def _measure_examples(metric: Metric, tally: Tally, scores: Values) -> Scatters:
    own = list_entries(metric, tally)
    groups = own.gather(own.own, own.groups, len(tally.groups)).measure()
    every = own if len(tally.groups) == 1 else list_entries(metric, tally.total())
    whole = replace(every.gather(every.own, every.groups, 1), rare=every.rare).measure()
    mean = own.average(scores).measure()
    each, gold = getattr(metric, "rests_on_scarcest", 0), tally.total().gold_masses()
    if gold is not None and gold.shape[1] == 2:
        scarce = gold[0].min() / max(gold[0].sum(), 1e-300) * whole.units
        whole = replace(whole, rare=np.where(scarce < (FEW if each else 1), 1, whole.rare))
    if each:
        parts = tally.gold_masses()
        assert parts is not None
        assert gold is not None
        groups, whole = limit_units(groups, parts, each), limit_units(whole, gold, each)
    total = scores if len(tally.groups) == 1 else metric.score(tally.total())
    seen, known = groups.variance, ~np.isnan(scores)
    groups, whole = (
        _add_misplaced(scatter, value, metric.bounds)
        for scatter, value in ((groups, scores), (whole, total))
    )
    more = np.nan_to_num(groups.variance - seen)[known].sum() / max(int(known.sum()), 1) ** 2
    return groups, whole, replace(mean, variance=mean.variance + more)


def limit_units(scatter: Scatter, gold: Values, each: float = 1) -> Scatter:
    """The same with as many units as the examples of the scarcest gold label represent."""
    share = np.where(gold > 0, gold, np.inf).min(1) / np.maximum(gold.sum(1), 1e-300)
    return replace(scatter, units=scatter.units * np.minimum(each * share, 1))


def _list_scores(metric: Metric, tally: Cells, groups: Values) -> tuple[Values, Values, Values]:
    whole = groups if len(tally.groups) == 1 else metric.score(tally.merge_groups())
    return groups, whole, np.atleast_1d(average_groups(metric, groups))


def _turn(values: Values) -> Values:
    """The same with the last axis first."""
    return np.moveaxis(values, -1, 0)


def _add_cluster(scatter: Scatter, value: Values, limits: tuple[float, float]) -> Scatter:
    """The same with a part of one more cluster, as heavy as the heaviest, half of it right."""
    far = value - sum(limits) / 2
    return replace(scatter, variance=scatter.variance + _CLUSTER * (far / scatter.units) ** 2)


def _add_misplaced(scatter: Scatter, value: Values, limits: tuple[float, float]) -> Scatter:
    """The same of a score near a limit, where few units vary as a share of as many."""
    if not np.isfinite(limits).all():
        return scatter
    share = (value - limits[0]) / (limits[1] - limits[0])
    near = np.clip(1 - scatter.units * np.minimum(share, 1 - share) / _CLEAR, 0, 1)
    rough = (share * scatter.units + 0.5) / (scatter.units + 1)
    more = near * rough * (1 - rough) / scatter.units * (limits[1] - limits[0]) ** 2
    return replace(scatter, variance=scatter.variance + more)


def find_scale(metric: Metric, tally: Tally) -> Scale:
    """Which recipe makes the interval of a metric."""
    if counts_plain_labels(tally) and tally.plain:
        return "counts"
    return "correlation" if metric.bounds == (-1, 1) and tally.counter.kind.numeric else "score"


def _settle(
    metric: Metric,
    scatter: Scatter,
    influence: Influence,
    scores: tuple[Values, Values],
    added: int,
) -> Scatter:
    """The same with the bias of a score of labels, and with as few units as are effective.

    Of a score at its limit these are as many as make the variance where labels could have come out
    otherwise. Where all examples count alike within the limits, what was added shows no more.

    Args:
        metric: The metric.
        scatter: How its scores scatter.
        influence: What that is from, with this many kinds added at the end.
        scores: The scores, and what they would be with these.
        added: How many these are.
    """
    (value, level), seen = scores, slice(None, -added)
    parts = (influence.values[seen], influence.masses[seen], influence.counts[seen])
    owners, strata = influence.owners[seen], influence.strata
    own = Influence(*parts, owners, influence.size, None if strata is None else strata[seen])
    least, most = metric.bounds
    share = (level - least) / (most - least)
    known = scatter.variance > 0
    few = share * (1 - share) * (most - least) ** 2 / np.where(known, scatter.variance, 1)
    alike = (own.measure().variance <= _STILL) & (least < value) & (value < most)
    units = np.where(known & ~alike, np.fmin(few, scatter.units), scatter.units)
    return replace(
        scatter,
        variance=np.where(alike, 0, scatter.variance),
        units=units,
        bias=-sum_at(own.values * own.counts, owners, own.size),
    )


def list_covariances(
    metric: Metric, tally: "Sums", scores: Values
) -> tuple[Covariances, Covariances, Covariances]:
    """How scores of groups, all together, and their mean vary, from products of very many rows."""
    products = tally.list_products()
    groups = whole = _covary_gradients(metric, tally, products)
    if len(tally.groups) > 1:
        pooled = tally.total()
        if pooled.pivots is not None:
            pivots = np.repeat(pooled.pivots.swapaxes(0, 1), len(tally.groups), axis=0)
            products = products.move(tally.counter, pivots)
        merged = replace(
            products,
            groups=("all",),
            n=products.n.sum(keepdims=True),
            sums=products.sums.sum(0, keepdims=True),
            products=products.products.sum(0, keepdims=True),
            pivots=None if pooled.pivots is None else pooled.pivots.swapaxes(0, 1),
        )
        whole = _covary_gradients(metric, pooled, merged)
    defined = ~np.isnan(scores)
    shares = defined / np.maximum(defined.sum(1, keepdims=True), 1)
    spread = np.einsum("sg,gst,tg->st", shares, groups.matrix, shares)
    some = defined.any(0)
    n = groups.n[:, some].sum(1, keepdims=True)
    freedom = groups.freedom[some].sum(keepdims=True)
    return groups, whole, Covariances(spread[None], n, freedom)


def _covary_gradients(metric: Metric, tally: "Sums", products: "Products") -> Covariances:
    sums = products.sums.astype(np.float64)
    spread = products.products
    n, scale = products.n.astype(np.float64), np.abs(tally.sums.astype(np.float64))
    if tally.numeric:  # of numbers, which may cancel each other, how large they could be
        scale = np.einsum("gscsc->sgc", spread) * n[:, None]
        scale = np.sqrt(np.maximum(scale, 0))
    rises = np.stack(
        [
            _differentiate(metric, tally.of(name), own)
            for name, own in zip(tally.systems, scale, strict=True)
        ]
    )
    spread = (
        spread
        - sums[..., None, None] * sums[:, None, None] / np.maximum(n, 1)[:, None, None, None, None]
    )
    matrix = np.einsum("sgi,gsitj,tgj->gst", rises, spread, rises)
    known = np.where(n > 1, n, np.nan)
    each = np.broadcast_to(n, (len(tally.systems), len(n)))
    if not tally.numeric:  # of counts, rows of nothing but 0 have no part, such as games of others
        each = np.minimum(each, tally.sums.max(-1, initial=0))
    return Covariances(matrix * (known / (known - 1))[:, None, None], each, known - 1)


def _differentiate(metric: Metric, tally: "Sums", scale: Values) -> Values:
    """How fast the score of each group of one system rises with each sum: (groups, columns)."""
    base, sums, steps = tally.relative(), tally.sums[0].astype(np.float64), _STEP * scale
    moved = np.eye(sums.shape[-1])[:, None] * steps
    ends = [
        metric.score(replace(base, sums=(sums + sign * moved)[None], scatter=None))
        for sign in (1, -1)
    ]
    rise = (ends[0] - ends[1]).T / np.where(steps > 0, 2 * steps, np.inf)
    return np.nan_to_num(rise)


def measure_share(metric: Metric, side: Tally) -> Scatter:
    """How shares of examples with weights, or in clusters, scatter; also by label."""
    if side.patterns is None:
        return measure_scatters(metric, side, metric.score(side), strata=False)[0]
    tally = side.patterns
    share = metric.estimand(tally)
    assert share is not None, metric
    trials = np.asarray(share.trials, np.float64)
    rate = np.where(trials > 0, share.hits / np.where(trials > 0, trials, 1), np.nan)
    if tally.clusters is not None:
        split, sizes = tally.split_clusters()
        parted = metric.estimand(split)
        assert parted is not None
        owners = np.repeat(np.arange(len(sizes)), sizes)
        hits, own = (
            np.moveaxis(np.asarray(one, float), 0, -1) for one in (parted.hits, parted.trials)
        )
        each, all_trials = (np.moveaxis(one, 0, -1)[..., owners] for one in (rate, trials))
        moves = np.nan_to_num(hits - each * own) / np.maximum(all_trials, np.finfo(float).tiny)
        ones = np.ones(len(owners))
        moving = Influence(moves, own, ones, owners, len(sizes))
        scatter = moving.measure(FEWEST_OF_CLUSTERS).change(_turn)
        return _add_cluster(scatter, rate, (0, 1))
    plain, squared = metric.estimand(replace(tally, weights=None)), metric.estimand(tally.squared())
    assert plain is not None
    assert squared is not None
    counts, squares = (
        np.stack([one.hits, one.trials - one.hits]).astype(np.float64) for one in (plain, squared)
    )
    sums = np.stack([share.hits, trials - share.hits])
    squares = sums * _weigh_more(sums, squares, counts)
    typical = np.sqrt(np.maximum(squares, 0) / np.maximum(counts, 1))
    moves = np.stack([1 - rate, -rate]) * typical / np.maximum(trials, np.finfo(float).tiny)
    owners = np.tile(np.arange(rate.size), 2)
    one = np.nan_to_num(moves).ravel(), typical.ravel(), counts.ravel()
    found = Influence(*one, owners, rate.size).measure()
    return found.change(lambda values: values.reshape(rate.shape))


def _find_scales(tally: Cells) -> Values:
    """By how much examples of each cell move scores farther if one more was right, or wrong."""
    if not tally.labelled or tally.weights is None:
        return np.ones(len(tally.owners))
    sides = np.stack([tally.right, ~tally.right])
    counts, sums, squares = (
        tally.sum_groups(one * sides) for one in (tally.counts, *tally.weights[:2])
    )
    known = squares > 0
    grown = _weigh_more(sums, squares, counts) * sums / np.where(known, squares, 1)
    scales = np.sqrt(np.where(known, grown, 1))
    return np.asarray(np.where(tally.right, *scales[:, tally.owners]))


def _weigh_more(sums: Values, squares: Values, counts: Values) -> Values:
    """The mean weight of hits, and of misses, by weight, if there was one more of either.

    A sample may hold only right ones of the few that are heavy. The one more is as heavy as one
    that is chosen by the square of its weight, if weights have a gamma distribution.
    """
    total = np.maximum(sums.sum(0), np.finfo(float).tiny)
    mean = total / np.maximum(counts.sum(0), 1)
    heaviest = np.maximum(2 * squares.sum(0) / total - mean, mean)
    return np.asarray((squares + heaviest**2) / (np.maximum(sums, 0) + heaviest))

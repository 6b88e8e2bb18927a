"""The agreement of annotators beyond chance: their ratings as patterns, and coefficients."""

import abc
import json
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelColumn, Output
from tallystick.kinds.ratings import RATERS, RATINGS, RatingKind
from tallystick.model.codes import Label, Labels, order
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.groups import sum_by
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide, find_place, measure_labels
from tallystick.model.tallies.tally import Tally, need_patterns

_FEW_RATED = 10
"""With fewer units that are not all of one rating, intervals miss the true value too often."""

_UNRATED = "[]"
"""The label that represents gold, which units have none of but their ratings."""


class RatingPatterns(Struct, frozen=True):
    """Counts units by their ratings, whoever gave them; labels are sorted JSON lists of ratings."""

    kind = RATINGS
    side: ClassVar[RatingKind] = RATINGS

    def check(self, tally: Cells) -> None:
        """Raises a ValueError unless labels are lists of ratings, and gold is none."""
        if len(tally.systems) != 1 or {tally.labels[code] for code in tally.gold} - {_UNRATED}:
            raise ValueError("its gold is not that of units")
        for label in tally.labels:
            ratings = json.loads(str(label))
            texts = isinstance(ratings, list) and all(isinstance(one, str) for one in ratings)
            if not texts or json.dumps(ratings, ensure_ascii=False) != label:
                raise ValueError(f"its label {label!r} is not a list of ratings")
        tally.check_outputs(0)
        unrated = (tally.labels[code] == _UNRATED for code in np.unique(tally.outputs))
        if self.side == RATINGS and any(unrated):
            raise ValueError("it has units without ratings")

    def count(self, systems: Systems) -> Cells:
        (ratings,) = self.side.of(systems).outputs
        nothing = Labels(np.zeros(len(systems), np.uint8), (_UNRATED,))
        nothing = nothing.recode(order((_UNRATED, *ratings.names)))  # as sums of tallies have them
        units = systems.beside("labels", LabelColumn(nothing, (Output(ratings),)))
        return replace(Confusion().count(units), counter=self)


class RaterPatterns(RatingPatterns, frozen=True):
    """Counts units that all annotators rated by their ratings, in the order of the annotators."""

    side = RATERS


class Panel(Struct, frozen=True, eq=False):
    """The ratings of each cell of a tally.

    Attributes:
        names: The ratings that occur in the tally.
        codes: The ratings of each cell, of shape (cells, most ratings of a cell); the number of
            names marks a missing one.
    """

    tally: Cells
    names: tuple[Label, ...]
    codes: NDArray[np.intp]

    @property
    def rated(self) -> NDArray[np.bool_]:
        return self.codes < len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of ratings of each cell."""
        return np.asarray(self.rated.sum(1))

    def recode(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Replaces the code of each name; missing ratings get the highest code + 1."""
        table = np.append(places, places.max(initial=-1) + 1)
        return np.asarray(table[self.codes])

    def sum_ratings(self, mass: NDArray[Any], codes: NDArray[np.intp], wide: int) -> Values:
        """Sums the masses of cells, of shape (..., cells), to (..., groups, ratings)."""
        cells, columns = np.nonzero(codes < wide)
        places = self.tally.owners[cells] * wide + codes[cells, columns]
        groups = len(self.tally.groups)
        sums = sum_by(mass, places, groups * wide, cells)
        return sums.astype(np.float64).reshape(*sums.shape[:-1], groups, wide)

    def find_used(self, codes: NDArray[np.intp], wide: int) -> NDArray[np.bool_]:
        """Which ratings occur in each group, of shape (groups, ratings)."""
        return self.sum_ratings(np.ones(len(codes)), codes, wide) > 0

    def share_unequal(self) -> Values:
        """The share of each cell's pairs of ratings that differ; 0 without pairs."""
        same = sum((self.codes == column[:, None]) & self.rated for column in self.codes.T)
        sizes = self.sizes
        equal = (same * self.rated).sum(1) - sizes
        pairs = sizes * (sizes - 1)
        return np.where(pairs > 0, 1 - equal / np.maximum(pairs, 1), 0.0)


def find_panel(tally: Cells) -> Panel:
    """The ratings of annotators; of gold and predictions, those of two."""
    if not isinstance(tally.counter, RatingPatterns):
        codes = np.stack([tally.gold, tally.predicted], axis=1).astype(np.intp)
        return Panel(tally, tally.labels, codes)
    patterns = json.loads(f"[{','.join(map(str, tally.labels))}]")
    names = order({rating for pattern in patterns for rating in pattern})
    places = {name: place for place, name in enumerate(names)}
    wide = max(map(len, patterns), default=0)
    rows = [[places[one] for one in own] + [len(names)] * (wide - len(own)) for own in patterns]
    table = np.array(rows, np.intp).reshape(len(patterns), wide)
    return Panel(tally, names, table[tally.predicted])


class _Chance(Metric, frozen=True):
    """Agreement beyond chance, which units with another rating than the others decide."""

    def doubt(self, tally: Tally, high: float) -> str | None:
        if not isinstance(tally.counter, RatingPatterns):
            return None
        panel = find_panel(need_patterns(tally))
        counts = panel.sum_ratings(panel.tally.counts, panel.codes, len(panel.names))[0]
        commonest = int(np.argmax(counts))
        others = int(panel.tally.counts[((panel.codes != commonest) & panel.rated).any(1)].sum())
        if not 0 < others < _FEW_RATED:
            return None
        units = "1 unit has" if others == 1 else f"{others} units have"
        return f"{units} another rating than {str(panel.names[commonest])!r}"


_POWERS = {"quadratic": 2, "radical": 0.5}
"""The power of a difference that weights take; of others 1."""


class _Averaged(Metric, frozen=True):
    """Chance-corrected agreement by the mean disagreement of the pairs of a unit's ratings."""

    labels: tuple[Label, ...] | None = None
    weights: Literal["linear", "quadratic", "ordinal", "radical", "ratio"] | None = None

    bounds = (-1, 1)
    counters = (Confusion, RatingPatterns)

    @abc.abstractmethod
    def expect(self, unequal: Values, hard: Values, total: Values, size: Values) -> Values:
        """The disagreement by chance of each group.

        Args:
            unequal: The mean distance of two ratings that are drawn by their shares.
            hard: The sum of p (1 - p) over the shares p of the ratings.
            total: The sum of the weights of all pairs of categories, of shape (groups,).
            size: The number of categories, of shape (groups,).
        """

    def score(self, tally: Cells) -> Values:
        panel = find_panel(tally)
        names, codes = panel.names, panel.codes
        if self.labels is not None:
            names = self.labels
            places = [find_place(name, names, self.short) for name in panel.names]
            codes = np.array([*places, len(names)], np.intp)[codes]
        sizes, mass = panel.sizes, tally.mass
        used = panel.find_used(codes, len(names)) | (self.labels is not None)
        paired, pairs = mass * (sizes > 1), tally.sum_groups(mass * (sizes > 1))
        counts = panel.sum_ratings(mass / np.maximum(sizes, 1), codes, len(names))
        shares = divide(Ratio(counts, counts.sum(-1, keepdims=True)), np.nan)
        hard, size = (shares * (1 - shares)).sum(-1), used.sum(-1).astype(float)
        if self.weights is None:
            unequal, expected = panel.share_unequal(), self.expect(hard, hard, size, size)
        else:
            distances = self._measure(names, used)
            rated = np.stack([(codes == code).sum(1) for code in range(len(names))], -1) * 1.0
            parts = np.split(rated, np.searchsorted(tally.owners, np.arange(1, len(distances))))
            away = [part @ own for part, own in zip(parts, distances, strict=True)]
            unequal = (rated * np.concatenate(away)).sum(1) / np.maximum(sizes * (sizes - 1), 1)
            mean = np.einsum("...gi,gij,...gj->...g", shares, distances, shares)
            expected = self.expect(mean, hard, size**2 - distances.sum((1, 2)), size)
        observed = divide(Ratio(tally.sum_groups(paired * unequal), pairs), np.nan)
        return 1 - divide(Ratio(observed, expected), np.nan)

    def _measure(self, names: tuple[Label, ...], used: NDArray[np.bool_]) -> Values:
        """The distance of each two ratings, 0 to 1 in each group."""
        values = np.array(measure_labels(names, self.labels, self.short))
        ranks = used[:, np.argsort(values)].cumsum(-1)[:, np.argsort(np.argsort(values))]
        places = ranks if self.weights == "ordinal" else np.broadcast_to(values, used.shape)
        gaps = np.abs(places[:, :, None] - places[:, None]).astype(float)
        if self.weights == "ordinal":
            gaps *= gaps + 1
        elif self.weights == "ratio":
            total = np.abs(places[:, :, None] + places[:, None])
            gaps = np.square(gaps / np.where(total > 0, total, 1))
        else:
            gaps **= _POWERS.get(str(self.weights), 1)
        gaps *= used[:, :, None] & used[:, None]
        top = gaps.max((1, 2), keepdims=True, initial=0)
        return np.asarray(gaps / np.where(top > 0, top, 1))


class FleissKappa(_Averaged, _Chance, frozen=True):
    """Chance-corrected agreement of annotators, which weights make one of ordered ratings.

    Chance is the frequency of each rating over all annotators. Ratings may be missing; units with
    one rating count for the frequencies, so that a few units may give less than -1. Of gold and
    predictions it is Scott's pi; an invalid output is a missing rating.

    Formula: 1 - d_o / d_e, where d_o is the mean distance of a unit's pairs of ratings, and d_e
        that of two ratings drawn by their mean shares of units; 0 and 1 without weights
    Undefined: if no unit has two ratings, and where all ratings are the same.
    Source: Fleiss 1971, Psychological Bulletin 76; values as statsmodels' fleiss_kappa and, with
        missing ratings and weights, irrCAC's CAC.fleiss.
    """

    short = "fleiss_kappa"
    title = "Fleiss' Kappa"

    def expect(self, unequal: Values, hard: Values, total: Values, size: Values) -> Values:
        return unequal


class GwetAC1(_Averaged, frozen=True):
    """Chance-corrected agreement that stays high if one rating is common; AC2 with weights.

    Ratings may be missing; units with one rating count for the frequencies. The categories are the
    ratings that occur in a group; name all if one may be missing. Of gold and predictions it is the
    agreement of these two; an invalid output is a missing rating.

    Formula: (p_o - p_e) / (1 - p_e), where p_o is the mean weight of a unit's pairs of ratings, 1
        if equal, and p_e the sum of p (1 - p) over the q ratings times the mean weight of all
        pairs, times q / (q - 1)
    Undefined: if no unit has two ratings, or there is one category; irrCAC gives 1 there.
    Source: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61; values as
        irrCAC's CAC.gwet, with ratings that are words by their places.
    """

    short = "gwet_ac1"
    title = "Gwet's AC1"

    @property
    def name(self) -> str:
        return self.short if self.weights is None else "gwet_ac2"

    @property
    def full_title(self) -> str:
        return self.title if self.weights is None else "Gwet's AC2"

    def expect(self, unequal: Values, hard: Values, total: Values, size: Values) -> Values:
        return 1 - divide(Ratio(total * hard, size * (size - 1) + 0 * hard), np.nan)


class ICC(Metric, frozen=True):
    """Intraclass correlation: how far annotators' numbers agree, one of them or their mean.

    Model 1 has other annotators for each unit, model 2 a sample of annotators who rated all units,
    and model 3 these annotators alone, whose levels do not count. Units that not all annotators
    rated are left out. Of gold and predictions it is the agreement of these two. That of means may
    be below -1.

    Formula: (MSR - MSW) / (MSR + (k - 1) MSW) for model 1, (MSR - MSE) / (MSR + (k - 1) MSE) for
        model 3, with k (MSC - MSE) / n more in the denominator for model 2; of means of k
        annotators (MSR - MSW) / MSR, (MSR - MSE) / (MSR + (MSC - MSE) / n), (MSR - MSE) / MSR
    Undefined: with fewer than two units or annotators, or if all ratings are the same.
    Source: Shrout and Fleiss 1979, Psychological Bulletin 86; values as pingouin's
        intraclass_corr with nan_policy="omit".
    """

    model: Literal[1, 2, 3] = 2
    of: Literal[1, "k"] = 1
    labels: tuple[Label, ...] | None = None

    short = "icc"
    title = "ICC"
    bounds = (-1, 1)
    zero = "the ratings of a unit differ as much as those of different units"
    counters = (Confusion, RaterPatterns)

    @property
    def name(self) -> str:
        return f"{self.short}({self.model},{self.of})"

    @property
    def full_title(self) -> str:
        return f"{self.title}({self.model},{self.of})"

    def score(self, tally: Cells) -> Values:
        panel, at = find_panel(tally), tally.owners
        k = panel.codes.shape[1]
        if k < 2:
            return np.full((*tally.counts.shape[:-1], len(tally.groups)), np.nan)
        known = np.array(measure_labels(panel.names, self.labels, self.short))
        values = np.append(known - known.mean(), 0)[panel.codes]
        whole = panel.rated.all(1)
        mass, means = tally.mass * whole, values.mean(1)
        n, total = (tally.sum_groups(one) for one in (tally.counts * whole, mass))
        n = np.where(n > 1, n, np.nan)
        share = n / np.where(total > 0, total, np.nan)

        def add(numbers: Values) -> Values:
            return np.asarray(share * tally.sum_groups(mass * numbers))

        grand = add(means) / n
        levels = [add(column) / n - grand for column in values.T]
        rows = k * add(np.square(means - grand[..., at])) / (n - 1)
        columns = n * sum(np.square(own) for own in levels)
        within = add(np.square(values - means[:, None]).sum(1))
        error = np.maximum(within - columns, 0) / ((n - 1) * (k - 1))
        noise = within / (n * (k - 1)) if self.model == 1 else error
        bias = (columns / (k - 1) - error) / n if self.model == 2 else 0.0
        spread = rows + (bias if self.of == "k" else (k - 1) * noise + k * bias)
        return divide(Ratio(rows - noise, spread), np.nan)


Measure = Callable[[Values, Values], Values]

_BLOCK = 1 << 10
"""Distances of this many values at a time are held to those of all."""


class KrippendorffAlpha(_Chance, frozen=True):
    """Chance-corrected agreement of annotators at a level of measurement.

    Ratings may be missing; units with fewer than two do not count. Ratings that are numbers are
    ordered by value; name others from the lowest to the highest. Of gold and predictions it is the
    agreement of these two; an invalid output is a missing rating.

    Formula: 1 - observed / expected disagreement, the mean squared distance of the pairs of ratings
        of a unit, and of all pairs of ratings
    Undefined: if fewer than two different ratings occur in units with two ratings or more.
    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; values as krippendorff's
        alpha.
    """

    level: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal"
    labels: tuple[Label, ...] | None = None

    short = "krippendorff_alpha"
    title = "Krippendorff's Alpha"
    bounds = (-1, 1)
    counters = (Confusion, RatingPatterns)

    @property
    def name(self) -> str:
        return self.short if self.level == "nominal" else f"{self.short}({self.level})"

    def score(self, tally: Cells) -> Values:
        panel = find_panel(tally)
        values, places = np.unique(self._measure(panel.names), return_inverse=True)
        codes = panel.recode(places)
        paired = tally.mass * (panel.sizes > 1)
        counts = panel.sum_ratings(paired, codes, len(values))
        if self.level in ("nominal", "ratio"):
            expected = _expect(counts, values, self._measure_distances)
            unequal = _average_pairs(panel, codes, values, self._measure_distances)
        else:
            middle = counts.cumsum(-1) - counts / 2
            scale = middle if self.level == "ordinal" else _centre(panel, codes, values)
            expected = _spread(counts, scale)
            unequal = _spread_units(panel, codes, scale)
        observed = tally.sum_groups(paired * unequal)
        varied = (counts > 0).sum(-1) > 1
        ratings = tally.sum_groups(tally.counts * (paired > 0) * panel.sizes)
        scaled = counts.sum(-1) * (1 - 1 / np.maximum(ratings, 1)) * observed
        return 1 - divide(Ratio(scaled, expected * varied), np.nan)

    def _measure(self, names: tuple[Label, ...]) -> Values:
        """Where ratings lie: at their values, at their places on the named scale, or anywhere."""
        if self.level == "nominal":
            return np.arange(len(names), dtype=float)
        scale = self.labels if self.level == "ordinal" else None
        what = f"the {self.level} level of {self.short}"
        try:
            values = np.array(measure_labels(names, scale, what))
        except UsageError:
            if self.level == "ordinal":
                raise
            raise UsageError(
                f"{what} is for ratings that are numbers; words have at most an order: take the "
                "ordinal level, and name them from the lowest to the highest with `labels=`"
            ) from None
        if self.level == "ratio" and (values < 0).any():
            raise UsageError(f"{what} is for numbers from 0 on, and {values.min():g} is lower")
        return values

    def _measure_distances(self, left: Values, right: Values) -> Values:
        if self.level == "nominal":
            return np.asarray(left != right, np.float64)
        total = left + right
        return np.asarray(np.square((left - right) / np.where(total == 0, 1, total)))


def _expect(counts: Values, values: Values, measure: Measure) -> Values:
    """The distances of all pairs of ratings that groups have, of shape (..., groups)."""
    expected = np.zeros(counts.shape[:-1])
    for start in range(0, len(values), _BLOCK):
        some = slice(start, start + _BLOCK)
        distances = measure(values[:, None], values[some])
        expected += (counts[..., some] * (counts @ distances)).sum(-1)
    return expected


def _average_pairs(
    panel: Panel, codes: NDArray[np.intp], values: Values, measure: Measure
) -> Values:
    """The distances from each rating of a cell to the mean of the others', added up."""
    rated = panel.rated
    own = np.append(values, 0)[codes]
    total = np.zeros(len(codes))
    for column, known in zip(own.T, rated.T, strict=True):
        total += (measure(own, column[:, None]) * (rated & known[:, None])).sum(1)
    return total / np.maximum(panel.sizes - 1, 1)


def _centre(panel: Panel, codes: NDArray[np.intp], values: Values) -> Values:
    """The values less the mean of those that a group has, so that their squares are exact."""
    used = panel.find_used(codes, len(values))
    size = np.maximum(used.sum(-1, keepdims=True), 1)
    return np.asarray(values - (used * values).sum(-1, keepdims=True) / size)


def _spread(counts: Values, scale: Values) -> Values:
    """The squared distances of all pairs of ratings on a scale, of shape (..., groups)."""
    total = counts.sum(-1, keepdims=True)
    mean = (counts * scale).sum(-1, keepdims=True) / np.maximum(total, 1)
    return np.asarray(2 * total[..., 0] * (counts * np.square(scale - mean)).sum(-1))


def _spread_units(panel: Panel, codes: NDArray[np.intp], scale: Values) -> Values:
    """As `_average_pairs`, on the scale of each group, of shape (..., cells)."""
    padded = np.concatenate([scale, np.zeros_like(scale[..., :1])], axis=-1)  # missing ones are 0
    flat = padded.reshape(*padded.shape[:-2], -1)
    starts = panel.tally.owners * padded.shape[-1]
    total = square = np.zeros(len(codes))
    for column in codes.T:
        own = flat[..., starts + column]
        total, square = total + own, square + own * own
    sizes = panel.sizes
    spread = np.maximum(sizes * square - total * total, 0)
    return np.asarray(2 * spread / np.maximum(sizes - 1, 1))

"""The agreement of annotators beyond chance: their ratings as patterns, and three coefficients."""

import json
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelColumn, Output
from tallystick.kinds.ratings import RATINGS
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
        if any(tally.labels[code] == _UNRATED for code in np.unique(tally.outputs)):
            raise ValueError("it has units without ratings")

    def count(self, systems: Systems) -> Cells:
        (ratings,) = RATINGS.of(systems).outputs
        nothing = Labels(np.zeros(len(systems), np.uint8), (_UNRATED,))
        nothing = nothing.recode(order((_UNRATED, *ratings.names)))  # as sums of tallies have them
        units = systems.beside("labels", LabelColumn(nothing, (Output(ratings),)))
        return replace(Confusion().count(units), counter=self)


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

    def are_even(self) -> NDArray[np.bool_]:
        """Whether all units of a group have equally many ratings, of shape (..., groups)."""
        sizes, tally = self.sizes, self.tally
        held = [tally.sum_groups(tally.mass * (sizes == size)) > 0 for size in np.unique(sizes)]
        return np.asarray(np.sum(held, axis=0) == 1)

    def share_unequal(self) -> Values:
        """The share of each cell's pairs of ratings that differ; 0 without pairs."""
        same = sum((self.codes == column[:, None]) & self.rated for column in self.codes.T)
        sizes = self.sizes
        equal = (same * self.rated).sum(1) - sizes
        pairs = sizes * (sizes - 1)
        return np.where(pairs > 0, 1 - equal / np.maximum(pairs, 1), 0.0)


def find_panel(tally: Cells) -> Panel:
    """The ratings of annotators; of gold and predictions, those of two."""
    if tally.counter != RatingPatterns():
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
        if tally.counter != RatingPatterns():
            return None
        panel = find_panel(need_patterns(tally))
        counts = panel.sum_ratings(panel.tally.counts, panel.codes, len(panel.names))[0]
        commonest = int(np.argmax(counts))
        others = int(panel.tally.counts[((panel.codes != commonest) & panel.rated).any(1)].sum())
        if not 0 < others < _FEW_RATED:
            return None
        units = "1 unit has" if others == 1 else f"{others} units have"
        return f"{units} another rating than {str(panel.names[commonest])!r}"


class FleissKappa(_Chance, frozen=True):
    """Chance-corrected agreement of annotators who give every unit equally many ratings.

    Chance is the frequency of each rating over all annotators. Unrated units are left out. Of gold
    and predictions it is Scott's pi; an invalid output is a missing rating.

    Formula: (p_o - p_e) / (1 - p_e), where p_o is the mean share of a unit's pairs of ratings that
        are equal, and p_e the sum of the squared shares of the ratings
    Undefined: if rated units have different numbers of ratings, as when one is missing, or only
        one each, and where all ratings are the same.
    Source: Fleiss 1971, Psychological Bulletin 76; values as statsmodels' fleiss_kappa.
    """

    short = "fleiss_kappa"
    title = "Fleiss' Kappa"
    bounds = (-1, 1)
    counters = (Confusion, RatingPatterns)

    def score(self, tally: Cells) -> Values:
        panel = find_panel(tally)
        total = tally.sum_groups(tally.mass)
        apart = tally.sum_groups(tally.mass * panel.share_unequal())
        counts = panel.sum_ratings(tally.mass, panel.codes, len(panel.names))
        size = counts.sum(-1)
        chance = (counts * (size[..., None] - counts)).sum(-1)
        paired = panel.are_even() & (size > total)
        return 1 - divide(Ratio(apart * size * size, total * chance * paired), np.nan)


class GwetAC1(Metric, frozen=True):
    """Chance-corrected agreement of annotators that stays high if one rating is common.

    Ratings may be missing; units with one rating count for the frequencies. The categories are the
    ratings that occur in a group; name all if one may be missing. Of gold and predictions it is the
    agreement of these two; an invalid output is a missing rating.

    Formula: (p_o - p_e) / (1 - p_e), where p_o is the mean share of a unit's pairs of ratings that
        are equal, and p_e the sum of p (1 - p) over the ratings, by the number of categories - 1
    Undefined: if no unit has two ratings, or there is one category; irrCAC gives 1 there.
    Source: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61; values as
        irrCAC's CAC.gwet.
    """

    labels: tuple[Label, ...] | None = None

    short = "gwet_ac1"
    title = "Gwet's AC1"
    bounds = (-1, 1)
    counters = (Confusion, RatingPatterns)

    def score(self, tally: Cells) -> Values:
        panel = find_panel(tally)
        sizes, mass = panel.sizes, tally.mass
        paired = mass * (sizes > 1)
        pairs = tally.sum_groups(paired)
        equal = 1 - divide(Ratio(tally.sum_groups(paired * panel.share_unequal()), pairs), np.nan)
        counts = panel.sum_ratings(mass / np.maximum(sizes, 1), panel.codes, len(panel.names))
        shares = divide(Ratio(counts, counts.sum(-1, keepdims=True)), np.nan)
        hard = (shares * (1 - shares)).sum(-1)
        size: Any = panel.find_used(panel.codes, len(panel.names)).sum(-1)
        if self.labels is not None:
            for name in panel.names:
                find_place(name, self.labels, self.short)
            size = len(self.labels)
        chance = divide(Ratio(hard, size - 1.0 + 0 * hard), np.nan)
        return (equal - chance) / (1 - chance)


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
            apart = _average_pairs(panel, codes, values, self._measure_distances)
        else:
            middle = counts.cumsum(-1) - counts / 2
            scale = middle if self.level == "ordinal" else _centre(panel, codes, values)
            expected = _spread(counts, scale)
            apart = _spread_units(panel, codes, scale)
        observed = tally.sum_groups(paired * apart)
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

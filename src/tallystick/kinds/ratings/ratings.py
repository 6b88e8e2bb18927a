"""The counter of annotators' ratings, and the ratings of units whatever they were counted by."""

import json
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label, Labels, order
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.labels.label_columns import LabelColumn, Output
from tallystick.kinds.ratings import RATINGS
from tallystick.tallies.arrays.distinct import sum_by
from tallystick.tallies.cells import Cells

Values = NDArray[np.float64]

_UNRATED = "[]"
"""The label that stands for gold, which units have none of but their ratings."""


@dataclass(frozen=True, slots=True)
class RatingPatterns:
    """Counts units by the ratings that they have, whichever annotators gave them.

    The labels of the tally are patterns of ratings, JSON lists in order.
    """

    kind = RATINGS

    def count(self, systems: Systems) -> Cells:
        (ratings,) = RATINGS.of(systems).outputs
        nothing = Labels(np.zeros(len(systems), np.uint8), (_UNRATED,))
        units = systems.beside("labels", LabelColumn(nothing, (Output(ratings),)))
        return replace(Confusion().count(units), counter=self)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """The ratings of each cell of a tally.

    Attributes:
        tally: The tally.
        names: The ratings that occur in it.
        codes: The ratings of each cell, of shape (cells, most ratings of a cell); as many as there
            are names where one is missing.
    """

    tally: Cells
    names: tuple[Label, ...]
    codes: NDArray[np.intp]

    @property
    def rated(self) -> NDArray[np.bool_]:
        """Which ratings are not missing."""
        return self.codes < len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of ratings of each cell."""
        return np.asarray(self.rated.sum(1))

    def recode(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """The codes with every name's code replaced; missing ratings come after the highest."""
        table = np.append(places, places.max(initial=-1) + 1)
        return np.asarray(table[self.codes])

    def sum_ratings(self, mass: NDArray[Any], codes: NDArray[np.intp], wide: int) -> Values:
        """Sums what cells weigh by rating, of shape (..., cells), to (..., groups, ratings)."""
        cells, columns = np.nonzero(codes < wide)
        places = self.tally.owners[cells] * wide + codes[cells, columns]
        groups = len(self.tally.groups)
        sums = sum_by(mass, places, groups * wide, cells)
        return sums.astype(np.float64).reshape(*sums.shape[:-1], groups, wide)

    def find_used(self, codes: NDArray[np.intp], wide: int) -> NDArray[np.bool_]:
        """Which ratings each group has, whatever they weigh, of shape (groups, ratings)."""
        return self.sum_ratings(np.ones(len(codes)), codes, wide) > 0

    def are_even(self) -> NDArray[np.bool_]:
        """Whether all units of each group have as many ratings, of shape (..., groups)."""
        sizes, tally = self.sizes, self.tally
        held = [tally.sum_groups(tally.mass * (sizes == size)) > 0 for size in np.unique(sizes)]
        return np.asarray(np.sum(held, axis=0) == 1)

    def share_unequal(self) -> Values:
        """The share of each cell's pairs of ratings that differ; 0 where there is no pair."""
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
    patterns = [json.loads(str(name)) for name in tally.labels]
    names = order({rating for pattern in patterns for rating in pattern})
    places = {name: place for place, name in enumerate(names)}
    wide = max(map(len, patterns), default=0)
    rows = [[*(places[one] for one in own), *[len(names)] * (wide - len(own))] for own in patterns]
    table = np.array(rows, np.intp).reshape(len(patterns), wide)
    return Panel(tally, names, table[tally.predicted])

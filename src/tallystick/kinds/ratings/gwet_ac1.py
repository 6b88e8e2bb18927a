"""Gwet's AC1."""

from typing import final

import numpy as np

from tallystick.codes import Label
from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.ratings.ratings import Panel, RatingPatterns, find_panel
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.ordinal import find_place
from tallystick.tallies.ratios import Ratio, check_labels, divide


@final
@dataclass(frozen=True, slots=True, repr=False)
class GwetAC1(Metric):
    """The agreement of annotators beyond chance, which stays high where one rating is common.

    Ratings may be missing: units with one tell how common ratings are. The categories are the
    ratings that a group has; name all where one may not occur. Of gold and predictions it is the
    agreement of these two; an output that is no label is a missing rating.

    Formula: (p_o - p_e) / (1 - p_e), where p_o is the mean share of a unit's pairs of ratings that
        are equal, and p_e the sum of p (1 - p) over the ratings, by the number of categories - 1
    Undefined: where no unit has two ratings, or there is one category; irrCAC gives 1 there.
    Source: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61; values as
        irrCAC's CAC.gwet.
    """

    labels: tuple[Label, ...] | None = None

    short = "gwet_ac1"
    title = "Gwet's AC1"
    bounds = (-1, 1)
    counters = (Confusion, RatingPatterns)

    def __post_init__(self) -> None:
        check_labels(self)

    def score(self, tally: Cells) -> Values:
        panel = find_panel(tally)
        sizes, mass = panel.sizes, tally.mass
        paired = mass * (sizes > 1)
        pairs = tally.sum_groups(paired)
        equal = 1 - divide(Ratio(tally.sum_groups(paired * panel.share_unequal()), pairs), np.nan)
        counts = panel.sum_ratings(mass / np.maximum(sizes, 1), panel.codes, len(panel.names))
        shares = divide(Ratio(counts, counts.sum(-1, keepdims=True)), np.nan)
        hard = (shares * (1 - shares)).sum(-1)
        chance = divide(Ratio(hard, self._count_categories(panel) - 1 + 0 * hard), np.nan)
        return (equal - chance) / (1 - chance)

    def _count_categories(self, panel: Panel) -> Values:
        """How many categories each group has."""
        if self.labels is None:
            used = panel.find_used(panel.codes, len(panel.names))
            return np.asarray(used.sum(-1), np.float64)
        for name in panel.names:
            find_place(name, self.labels, self.short)
        return np.full(len(panel.tally.groups), float(len(self.labels)))

"""Fleiss' kappa."""

from typing import final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.ratings.ratings import RatingPatterns, find_panel
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.ratios import Ratio, divide


@final
@dataclass(frozen=True, slots=True, repr=False)
class FleissKappa(Metric):
    """The agreement of annotators beyond chance, where every unit has as many ratings.

    Chance is how often each rating occurs, whoever gives it. Units that nobody rated are left out.
    Of gold and predictions it is Scott's pi; an output that is no label is a missing rating.

    Formula: (p_o - p_e) / (1 - p_e), where p_o is the mean share of a unit's pairs of ratings that
        are equal, and p_e the sum of the squared shares of the ratings
    Undefined: where rated units have different numbers of ratings, as when one is missing, or only
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

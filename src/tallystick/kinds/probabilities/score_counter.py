"""The counter of probabilities, in bins or each by itself."""

import numpy as np

from tallystick.codes import Labels
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass
from tallystick.kinds.labels import PROBABILITIES, find_scored, find_scores
from tallystick.kinds.labels.label_columns import read_scores
from tallystick.kinds.probabilities.binning import check_bins, count_bins
from tallystick.tallies.bins import Bins
from tallystick.tallies.curve import CurveTally, sort_rows
from tallystick.tallies.groups import count_groups, group_codes, need_examples
from tallystick.tallies.score_rows import ScoreRows, sort_column


@dataclass(frozen=True, slots=True)
class Curve:
    """Sorts the scores of the examples by group, scored label and gold label.

    Attributes:
        bins: In how many bins of equal width scores are counted, so that the tally does not grow
            with the number of examples; None keeps every score.
    """

    kind = PROBABILITIES
    bins: int | None = None

    def __post_init__(self) -> None:
        check_bins(self.bins)

    def __repr__(self) -> str:
        return "Curve()" if self.bins is None else f"Curve(bins={self.bins})"

    def count(self, systems: Systems) -> "CurveTally | ScoreRows | Bins":
        """Tallies the systems that have probabilities."""
        need_examples(systems, "metrics of probabilities")
        if self.bins is not None:
            return count_bins(self, systems)
        if len(find_scored(systems)) > 1:
            return list_scores(self, systems)
        return self.count_one(systems)

    def count_one(self, systems: Systems) -> CurveTally:
        """Tallies the only system that has probabilities."""
        one, gold, (output,) = find_scores(systems)
        scores = read_scores(output)
        if scores.ndim > 1 or one.clusters is not None:
            return sort_rows(list_scores(self, one))
        names, codes = group_codes(systems)
        groups = Labels(codes, names)
        ordered, weights, sizes, cells = sort_column(scores, gold, groups, systems.weights)
        runs = np.stack([cells[:, 0], np.zeros(len(cells), np.int64), cells[:, 1]], -1)
        return CurveTally(
            self,
            one.names,
            groups.names,
            gold.names,
            gold.names[1:],
            ordered,
            weights,
            np.concatenate([[0], np.cumsum(sizes)]),
            runs,
            count_groups(systems),
        )


def list_scores(counter: Curve, systems: Systems) -> ScoreRows:
    """The rows of systems that all have probabilities."""
    systems, gold, outputs = find_scores(systems)
    names, codes = group_codes(systems)
    return ScoreRows(
        counter,
        systems.names,
        gold,
        Labels(codes, names),
        tuple(map(read_scores, outputs)),
        sort_rows,
        systems.weights,
        systems.clusters,
    )

"""The counter of probabilities: each score, or each rounded one."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.labels import PROBABILITIES, find_scored, find_scores
from tallystick.kinds.labels.label_columns import read_scores
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.model.tallies.curve import CurveTally, sort_rows
from tallystick.model.tallies.groups import group_codes, need_examples
from tallystick.model.tallies.score_rows import ScoreRows

_MOST = 15


def check_digits(digits: object) -> None:
    """Raises a UsageError unless it is a number of decimals, or None."""
    if digits is None:
        return
    if not isinstance(digits, int) or isinstance(digits, bool) or not 1 <= digits <= _MOST:
        raise UsageError(f"scores are rounded to 1 to {_MOST} decimals, not to {digits!r}")


@dataclass(frozen=True, slots=True)
class Curve:
    """Sorts the scores of the examples by group, scored label and gold label.

    Attributes:
        digits: To how many decimals scores are rounded, so that the tally of one system does not
            grow with the number of examples; None keeps every score.
    """

    kind = PROBABILITIES
    digits: int | None = None

    def __post_init__(self) -> None:
        check_digits(self.digits)

    def __repr__(self) -> str:
        return "Curve()" if self.digits is None else f"Curve(digits={self.digits})"

    def count(self, systems: Systems) -> CurveTally | ScoreRows:
        need_examples(systems, "metrics of probabilities")
        rows = self._list_rows(systems)
        return rows if len(rows.systems) > 1 else rows.of(*rows.systems)

    def count_one(self, systems: Systems) -> CurveTally:
        """Tallies the only system that has probabilities."""
        tally: CurveTally = self._list_rows(systems).of(*find_scored(systems))
        return tally

    def _list_rows(self, systems: Systems) -> ScoreRows:
        scored, gold, outputs = find_scores(systems)
        scores = [read_scores(own) for own in outputs]
        if self.digits is not None:
            scores = [np.round(own, self.digits) for own in scores]
        return keep_scores(self, scored, gold, scores)


def keep_scores(
    counter: object, systems: Systems, gold: Labels, scores: Iterable[NDArray[Any]]
) -> ScoreRows:
    """The rows of the scores of all systems, but for those of weight 0."""
    names, codes = group_codes(systems)
    rows = ScoreRows(
        counter,
        systems.names,
        gold,
        Labels(codes, names),
        tuple(scores),
        sort_rows,
        systems.weights,
        systems.clusters,
    )
    return rows if systems.weights is None else rows.take(np.flatnonzero(systems.weights))

"""Sums what queries are worth by a measure."""

from typing import Literal, final

import numpy as np

from tallystick.examples.reading import Needed
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass
from tallystick.kinds.rankings import NEEDED, RANKINGS
from tallystick.kinds.rankings.measures import Options, measure
from tallystick.kinds.rankings.ties import expect, measure_range
from tallystick.tallies.groups import need_examples
from tallystick.tallies.metric import Values
from tallystick.tallies.sums import Sums, sum_values

Ties = Literal["docno", "expected"]
"""How tied documents are ordered: by their names, as trec_eval does, or in every way."""


@final
@dataclass(frozen=True, slots=True)
class QueryValues:
    """Sums the value of each query.

    Attributes:
        measure: The name of a measure.
        k: The depth at which rankings are cut; None takes all of them.
        rel: The lowest relevant grade; None for what goes by grades.
        number: As `Options` says.
        ties: How tied documents are ordered.
    """

    kind = RANKINGS
    columns = ("value", "range", "queries", "examples")
    """Values, what ties decide of them, queries that count, and all queries."""
    measure: str
    k: int | None = None
    rel: int | None = 1
    number: float = 0
    ties: Ties = "docno"

    @property
    def needs(self) -> Needed:
        return NEEDED

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of rankings")
        return sum_values(self, systems, self.list_rows(systems))

    def list_rows(self, systems: Systems) -> Values:
        """The columns of each query, of shape (queries, systems, columns)."""
        rankings, options = RANKINGS.of(systems), Options(self.k, self.rel, self.number)
        rows = np.zeros((len(rankings), len(rankings.runs), len(self.columns)))
        for place, run in enumerate(rankings.runs):
            value = expect if self.ties == "expected" else measure
            rows[:, place, 0] = value(self.measure, rankings, run, options) * run.answered
            rows[:, place, 1] = measure_range(self.measure, rankings, run, options)
            rows[:, place, 2] = run.answered
        rows[..., 3] = 1
        return rows

"""Sums what queries are worth by a measure, and what tied scores decide of it."""

from collections.abc import Callable, Mapping
from typing import Literal, final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tallystick.kinds.rankings import RANKINGS
from tallystick.kinds.rankings.measures import (
    Block,
    Options,
    discount,
    gain_ideal,
    iterate_blocks,
    measure,
    share,
)
from tallystick.kinds.rankings.rankings import Rankings, Run
from tallystick.model.ragged import Array, Ragged
from tallystick.model.reading import Needed
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Values
from tallystick.model.tallies.sums import Sums, sum_rows


class Groups(Struct, frozen=True, eq=False):
    """The documents of equal score around each document, of shape (queries, depth).

    Attributes:
        size: How many they are.
        hits: How many of them are relevant.
        gain: Their mean grade.
        place: The place of the document among them, from 1 on.
    """

    size: Values
    hits: Values
    gain: Values
    place: Values

    @property
    def chance(self) -> Values:
        """The probability that the document at a rank is relevant."""
        return self.hits / self.size


def _find_first(groups: Groups) -> Values:
    """The probability that the first relevant document stands at each rank."""
    hazard = np.minimum(groups.hits / (groups.size - groups.place + 1), 1)
    left = np.cumprod(1 - hazard, axis=1)
    before = np.concatenate([np.ones((len(left), 1)), left], axis=1)[:, : left.shape[1]]
    return np.asarray(before * hazard)


def _expect_ap(block: Block, groups: Groups) -> Values:
    chance = groups.chance
    before = chance.cumsum(1) - chance * groups.place
    others = (groups.place - 1) * (groups.hits - 1) / np.maximum(groups.size - 1, 1)
    return share((chance * (before + 1 + others) / block.ranks).sum(1), block.relevant)


_EXPECTED: Mapping[str, Callable[[Block, Groups], Values]] = {
    "ndcg": lambda block, groups: share(discount(groups.gain), gain_ideal(block)),
    "rr": lambda block, groups: (_find_first(groups) / block.ranks).sum(1),
    "map": _expect_ap,
    "precision_at_k": lambda block, groups: groups.chance.sum(1) / block.depth,
    "recall_at_k": lambda block, groups: share(groups.chance.sum(1), block.relevant),
    "success_at_k": lambda _, groups: _find_first(groups).sum(1),
}


def expect(rankings: Rankings, run: Run, options: Options) -> Values:
    """The expected value of each query over all orders of tied documents.

    Source: McSherry and Najork 2008, Computing Information Retrieval Performance Measures
        Efficiently in the Presence of Tied Scores.
    """
    values = np.zeros(len(rankings))
    ragged = _gather(run, options.rel or 0)
    for rows, block in iterate_blocks(rankings, run, options):
        depth = block.grades.shape[1]
        own = [
            one.take(rows).pad(depth, fill) for one, fill in zip(ragged, (1, 0, 0, 1), strict=True)
        ]
        values[rows] = _EXPECTED[options.measure](block, Groups(*own))
    return values


def _gather(run: Run, rel: float) -> tuple[Ragged, ...]:
    """The attributes of `Groups`, document by document."""
    grades, starts = run.grades.data, np.flatnonzero(~run.tied.data)
    sizes = np.diff(starts, append=len(grades))

    def spread(values: Array) -> Ragged:
        return replace(run.grades, data=np.repeat(values.astype(np.float64), sizes))

    def add(values: Array) -> Array:
        return np.add.reduceat(values, starts) if len(starts) else values

    hits = add((grades >= rel).astype(np.int64))
    gains = add(np.maximum(grades, 0).astype(np.float64)) / sizes
    places = np.arange(len(grades)) - np.repeat(starts, sizes) + 1.0
    return spread(sizes), spread(hits), spread(gains), replace(run.grades, data=places)


def measure_range(rankings: Rankings, run: Run, options: Options) -> Values:
    """How much the best order of tied documents is worth above the worst, for each query."""
    if not run.tied.data.any():
        return np.zeros(len(rankings))
    best, worst = (measure(rankings, _sort(run, sign), options) for sign in (-1, 1))
    return best - worst


def _sort(run: Run, sign: int) -> Run:
    """The same run with tied documents by grade: the highest first, or the lowest."""
    tied = run.tied.data
    rows = np.flatnonzero(tied | np.append(tied[1:], False))
    groups = np.cumsum(~tied[rows])
    values = run.grades.data.copy()
    own = values[rows]
    values[rows] = own[np.lexsort((sign * own, groups))]
    return replace(run, grades=replace(run.grades, data=values))


Ties = Literal["docno", "expected"]
"""How tied documents are ordered: by their names, as trec_eval does, or in every way."""


@final
class QueryValues(Options, frozen=True):
    """Sums the value of each query.

    Attributes:
        ties: How tied documents are ordered.
    """

    kind = RANKINGS
    needs = Needed()
    columns = ("value", "range", "queries", "examples", "answered")
    at_most = (("queries", "examples"), ("answered", "examples"))
    """Values, what ties decide of them, queries that count, all queries, and how many count."""
    ties: Ties = "docno"

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of rankings")
        rows = self.list_rows(systems)
        if systems.weights is not None:
            rows[..., :-1] *= systems.weights[:, None, None]
        return sum_rows(self, systems, lambda part: (rows[part], None))

    def list_rows(self, systems: Systems) -> Values:
        """The columns of each query, of shape (queries, systems, columns)."""
        rankings = RANKINGS.of(systems)
        rows = np.zeros((len(rankings), len(rankings.runs), len(self.columns)))
        for place, run in enumerate(rankings.runs):
            value = expect if self.ties == "expected" else measure
            rows[:, place, 0] = value(rankings, run, self) * run.answered
            rows[:, place, 1] = measure_range(rankings, run, self)
            rows[:, place, 2] = rows[:, place, 4] = run.answered
        rows[..., 3] = 1
        return rows

"""Values of queries by each measure, as trec_eval defines it, and their sums."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.kinds.rankings import RANKINGS
from tallystick.kinds.rankings.rankings import UNPOOLED, Rankings, Run
from tallystick.model.ragged_array import Array, Ragged
from tallystick.model.reading import Needed
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Values
from tallystick.model.tallies.sums import Sums, sum_rows

_CELLS = 1 << 21
"""So many cells of padded rankings are looked at a time."""

_EPSILON = 0.00001
"""What trec_eval adds to the counts of infAP."""

_HIGHEST = 4
"""The highest grade of ERR, as gdeval has it; higher ones count as that."""


class Block(Struct, frozen=True, eq=False):
    """Rankings of some queries as matrices.

    Attributes:
        grades: Of shape (queries, depth), below 0 where unjudged and behind the end.
        inside: Which cells hold a document.
        ideal: The grades of the judged documents, the highest first, -1 behind the end.
        retrieved: How many documents each query has, however deep these go.
    """

    grades: NDArray[np.float64]
    inside: NDArray[np.bool_]
    ideal: NDArray[np.float64]
    retrieved: NDArray[np.int64]
    options: "QueryValues"

    @property
    def ranks(self) -> Values:
        """The rank of each column, from 1 on."""
        return np.arange(1.0, self.grades.shape[1] + 1)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Which documents are relevant."""
        return self.judged & (self.grades >= (self.options.rel or 0))

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Which documents are judged."""
        return self.inside & (self.grades >= 0)

    @property
    def relevant(self) -> NDArray[np.int64]:
        """How many documents are relevant for each query."""
        return np.asarray((self.ideal >= (self.options.rel or 0)).sum(1))

    @property
    def depth(self) -> int:
        """Where rankings are cut."""
        return self.options.k or self.grades.shape[1]


def share(part: Values | NDArray[np.int64], whole: Values | NDArray[np.int64]) -> Values:
    """The one over the other; 0 where the other is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def discount(gains: Values) -> Values:
    """The sum of gains by rank, of shape (queries, depth), as DCG discounts them."""
    return np.asarray(gains @ (1 / np.log2(np.arange(2.0, gains.shape[1] + 2))))


def gain_ideal(block: Block) -> Values:
    """The DCG of the best possible ranking."""
    return discount(np.maximum(block.ideal, 0)[:, : block.options.k])


def _rr(block: Block) -> Values:
    return np.asarray((block.hits / block.ranks).max(1, initial=0))


def _ap(block: Block) -> Values:
    hits = block.hits
    precision = hits.cumsum(1) / block.ranks
    return share((hits * precision).sum(1), block.relevant)


def _recall(block: Block) -> Values:
    return share(block.hits.sum(1), block.relevant)


def _rprec(block: Block) -> Values:
    within = block.ranks <= block.relevant[:, None]
    return share((block.hits & within).sum(1), block.relevant)


def _judged(block: Block) -> Values:
    listed = block.inside & (block.grades > UNPOOLED)
    return share(listed.sum(1), np.minimum(block.retrieved, block.depth))


def _bpref(block: Block) -> Values:
    relevant = block.relevant
    others = (block.ideal >= 0).sum(1) - relevant
    hits = block.hits
    above = np.minimum((block.judged & ~hits).cumsum(1), relevant[:, None])
    most = np.maximum(np.minimum(relevant, others), 1)[:, None]
    return share((hits * (1 - above / most)).sum(1), relevant)


def _infap(block: Block) -> Values:
    hits, ranks = block.hits, block.ranks
    pooled = block.inside & (block.grades > UNPOOLED)
    before = (pooled.cumsum(1) - pooled).astype(np.float64)
    relevant = hits.cumsum(1) - hits
    others = (block.judged & ~hits).cumsum(1)
    inferred = (relevant + _EPSILON) / (relevant + others + 2 * _EPSILON)
    expected = 1 / ranks + before / ranks * inferred
    expected[:, :1] = 1
    return share((hits * expected).sum(1), block.relevant)


def _rbp(block: Block) -> Values:
    """Hits count in full; where no lowest grade is told, by grade over the query's highest."""
    p = block.options.number
    gains = block.hits.astype(np.float64)
    if block.options.rel is None:
        best = block.ideal.max(1, initial=0)[:, None]
        gains = np.maximum(block.grades, 0) / np.where(best > 0, best, 1)
    return np.asarray(gains @ (p ** (block.ranks - 1)) * (1 - p))


def _err(block: Block) -> Values:
    satisfied = (2.0 ** np.clip(block.grades, 0, _HIGHEST) - 1) / 2.0**_HIGHEST
    left = np.cumprod(1 - satisfied, axis=1)
    going = np.concatenate([np.ones((len(left), 1)), left[:, :-1]], axis=1)[:, : left.shape[1]]
    return np.asarray((going * satisfied / block.ranks).sum(1))


def _set_precision(block: Block) -> Values:
    return share(block.hits.sum(1), block.retrieved)


def _set_f(block: Block) -> Values:
    """F with precision and recall weighed as trec_eval's set_F."""
    precision, recall = _set_precision(block), _recall(block)
    weight = block.options.number
    return share((weight + 1) * precision * recall, recall + weight * precision)


def _iprec(block: Block) -> Values:
    """The highest precision at any rank from which on the recall is reached."""
    found, relevant = block.hits.cumsum(1), block.relevant
    wanted = np.maximum(np.floor(block.options.number * relevant + 0.5), 1)
    best = np.where(found >= wanted[:, None], found / block.ranks, 0).max(1, initial=0)
    return np.asarray(np.where(relevant > 0, best, 0))


MEASURES: Mapping[str, Callable[[Block], Values]] = {
    "ndcg": lambda block: share(discount(np.maximum(block.grades, 0)), gain_ideal(block)),
    "rr": _rr,
    "map": _ap,
    "precision_at_k": lambda block: block.hits.sum(1) / block.depth,
    "recall_at_k": _recall,
    "success_at_k": lambda block: np.asarray(block.hits.any(1), np.float64),
    "rprec": _rprec,
    "bpref": _bpref,
    "infap": _infap,
    "rank_biased_precision": _rbp,
    "err": _err,
    "judged_at_k": _judged,
    "iprec": _iprec,
    "set_p": _set_precision,
    "set_r": _recall,
    "set_f": _set_f,
    "num_q": lambda block: np.ones(len(block.grades)),
    "num_ret": lambda block: block.retrieved.astype(np.float64),
    "num_rel": lambda block: block.relevant.astype(np.float64),
    "num_rel_ret": lambda block: block.hits.sum(1).astype(np.float64),
}
"""The value of each query by the short name of the metric."""


def iterate_blocks(
    rankings: Rankings, run: Run, options: "QueryValues"
) -> Iterator[tuple[slice, Block]]:
    """Yields the rankings of a run as padded matrices, some queries at a time."""
    sizes, judged = run.grades.sizes, rankings.judged.sizes
    deep = sizes if options.k is None else np.minimum(sizes, options.k)
    count = max(1, _CELLS // max(int(max(deep.max(initial=0), judged.max(initial=0))), 1))
    for first in range(0, len(sizes), count):
        rows = slice(first, min(first + count, len(sizes)))
        own, best = run.grades.take(rows), rankings.judged.take(rows)
        depth = int(deep[rows].max(initial=0))
        ideal = best.pad(int(judged[rows].max(initial=0)), -1)
        inside = np.arange(depth) < deep[rows, None]
        yield rows, Block(own.pad(depth, UNPOOLED), inside, ideal, sizes[rows], options)


def measure(rankings: Rankings, run: Run, options: "QueryValues") -> Values:
    """What a run is worth on each query."""
    values = np.zeros(len(rankings))
    for rows, block in iterate_blocks(rankings, run, options):
        values[rows] = MEASURES[options.measure](block)
    return values


class Groups(Struct, frozen=True, eq=False):
    """The documents of equal score around each document, of shape (queries, depth).

    Their number, how many are relevant, their mean grade, and the document's place, from 1 on.
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
    """The probability that the first relevant document is at each rank."""
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


def expect(rankings: Rankings, run: Run, options: "QueryValues") -> Values:
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


def measure_range(rankings: Rankings, run: Run, options: "QueryValues") -> Values:
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


class QueryValues(Struct, frozen=True):
    """Sums the value of each query.

    Attributes:
        measure: The name of a measure.
        k: The depth at which a ranking is cut; None takes all of it.
        rel: The lowest relevant grade; None for measures of grades.
        number: The persistence of RBP, the weight of precision in SetF, or a level of recall.
        ties: How tied documents are ordered.
    """

    kind = RANKINGS
    needs = Needed()
    columns = ("value", "range", "queries", "examples", "answered")
    at_most = (("queries", "examples"), ("answered", "examples"))
    """Values, what ties decide of them, queries that count, all queries, and how many count."""
    measure: str
    k: int | None = None
    rel: float | None = 1
    number: float = 0
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

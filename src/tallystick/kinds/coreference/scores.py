"""MUC, B3, CEAF, LEA, BLANC, CoNLL F1 and mention detection."""

import heapq
import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.coreference import COREFERENCE, Measure, Type
from tallystick.kinds.coreference.clusters import Clusters
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums, sum_values

_OF_CONLL = ("muc", "b3", "ceafe")
_SUMS = {
    "muc": ("muc", "gold_muc", "muc", "system_muc"),
    "b3": ("b3_recall", "gold_mentions", "b3_precision", "system_mentions"),
    "ceafe": ("ceafe", "gold_clusters", "ceafe", "system_clusters"),
    "ceafm": ("ceafm", "gold_mentions", "ceafm", "system_mentions"),
    "lea": ("lea_recall", "gold_mentions", "lea_precision", "system_mentions"),
    "mention": ("mentions", "gold_mentions", "mentions", "system_mentions"),
    "links": ("links", "gold_links", "links", "system_links"),
    "breaks": ("breaks", "gold_breaks", "breaks", "system_breaks"),
}
"""The numerator and the denominator of recall, and those of precision; BLANC's are of pairs of
mentions in one cluster (links) and in two (breaks)."""
_COLUMNS = tuple(dict.fromkeys(name for own in _SUMS.values() for name in own))


class ClusterCounts(Struct, frozen=True):
    """Sums what the scores of documents are made of."""

    kind = COREFERENCE
    columns: ClassVar[tuple[str, ...]] = _COLUMNS
    at_most: ClassVar[tuple[tuple[str, str], ...]] = tuple(
        pair for one in _SUMS.values() for pair in (one[:2], one[2:])
    )

    singletons: bool = True

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of coreference")
        if systems.weights is not None:
            raise UsageError("metrics of coreference do not support weights")
        column = COREFERENCE.of(systems)
        rows = [
            [count_document(gold, own, self.singletons) for own in outputs]
            for gold, *outputs in zip(column.gold, *column.outputs, strict=True)
        ]
        return sum_values(self, systems, np.array(rows, np.float64))


def count_document(gold: Clusters, output: Clusters, singletons: bool = True) -> list[float]:
    """Returns the columns of a document; clusters of one mention may be left out."""
    if not singletons:
        gold, output = (tuple(own for own in side if len(own) > 1) for side in (gold, output))
    owners = {mention: place for place, own in enumerate(gold) for mention in own}
    known = [
        owners[mention] * len(output) + place
        for place, own in enumerate(output)
        for mention in own
        if mention in owners
    ]
    pairs, shared = np.unique(np.array(known, np.int64), return_counts=True)
    ours, theirs = np.divmod(pairs, max(len(output), 1))
    sizes, others = (np.array([*map(len, side)], np.int64) for side in (gold, output))
    one, other = sizes[ours], others[theirs]
    counts = {
        "mentions": len(known),
        "muc": len(known) - len(pairs),
        "b3_recall": (shared**2 / one).sum(),
        "b3_precision": (shared**2 / other).sum(),
        "ceafe": match_best(ours, theirs, 2 * shared / (one + other)),
        "ceafm": match_best(ours, theirs, shared),
        "lea_recall": _resolve(one, other, shared),
        "lea_precision": _resolve(other, one, shared),
        "links": _pair(shared).sum(),
        "breaks": _pair(np.array(len(known)))
        - _pair(np.bincount(ours, shared)).sum()
        - _pair(np.bincount(theirs, shared)).sum()
        + _pair(shared).sum(),
    }
    for side, own in (("gold", sizes), ("system", others)):
        whole = own.sum()
        links = _pair(own).sum()
        counts |= {
            f"{side}_mentions": whole,
            f"{side}_clusters": len(own),
            f"{side}_muc": whole - len(own),
            f"{side}_links": links,
            f"{side}_breaks": _pair(whole) - links,
        }
    return [float(counts[name]) for name in _COLUMNS]


def _pair(count: NDArray[np.generic]) -> NDArray[np.float64]:
    """The number of pairs of some items."""
    number = np.asarray(count, np.float64)
    return np.asarray(number * (number - 1) / 2)


def _resolve(
    sizes: NDArray[np.int64], others: NDArray[np.int64], shared: NDArray[np.int64]
) -> float:
    """The links of clusters that are found, weighted by size; a singleton is linked to itself."""
    alone = sizes == 1
    links = np.where(alone, 1, _pair(sizes))
    found = np.where(alone, others == 1, _pair(shared))
    return float((sizes * found / links).sum())


def match_best(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.generic]
) -> float:
    """Returns the largest sum of the weights of pairs that share no row and no column.

    Adds row by row along the shortest augmenting path (Jonker and Volgenant 1987). A row without a
    partner has a column of its own, of the weight 0.
    """
    edges = dict[int, list[tuple[int, float]]]()
    for row, column, weight in zip(rows.tolist(), columns.tolist(), weights.tolist(), strict=True):
        edges.setdefault(row, [(~row, 0.0)]).append((column, float(weight)))
    owners, partners = dict[int, int](), dict[int, int]()
    prices, levels = dict.fromkeys([~row for row in edges], 0.0), dict.fromkeys(edges, 0.0)
    prices |= dict.fromkeys(columns.tolist(), 0.0)
    for start in edges:
        found, came = dict[int, float](), dict[int, int]()
        heap, near, row, length = list[tuple[float, int]](), dict[int, float](), start, 0.0
        while True:
            for column, weight in edges[row]:
                far = length - weight - levels[row] - prices[column]
                if column not in found and far < near.get(column, math.inf):
                    near[column], came[column] = far, row
                    heapq.heappush(heap, (far, column))
            length, end = heapq.heappop(heap)
            while end in found:
                length, end = heapq.heappop(heap)
            found[end] = length
            if end not in owners:
                break
            row = owners[end]
        levels[start] += length
        for column, far in found.items():
            if column != end:
                prices[column] -= length - far
                levels[owners[column]] += length - far
        while True:
            row = came[end]
            before = partners.get(row, end)
            owners[end], partners[row] = row, end
            if row == start:
                break
            end = before
    return math.fsum(
        weight for row, own in edges.items() for column, weight in own if partners[row] == column
    )


class CoreferenceScore(Metric, frozen=True):
    """How well a system's clusters of mentions are those of the gold.

    Types are MUC (Vilain et al. 1995), B3 (Bagga and Baldwin 1998), CEAF by entities and by
    mentions (Luo 2005), LEA (Moosavi and Strube 2016), BLANC (Luo et al. 2014), the detection of
    mentions, and CoNLL, the mean of the F1 of MUC, B3 and CEAFe. Names are `conll_f1`,
    `muc_recall`, `mention_precision` and so on. Mentions match if they have the same
    first and last token.

    Formula: 2 precision recall / (precision + recall), each a ratio of sums over documents
    Undefined: never; a ratio whose denominator is 0 counts as 0.
    Source: Pradhan et al. 2014; values as version 8 of the reference scorer.
    """

    short = "coreference_score"
    counters = (ClusterCounts,)
    zero = "it finds nothing of the gold"
    explained: ClassVar = {
        "type": "what is scored",
        "measure": "F1, precision or recall; of CoNLL there is only F1",
        "singletons": "whether clusters of one mention count, on either side",
    }

    type: Type = "conll"
    measure: Measure = "f1"
    singletons: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.type == "conll" and self.measure != "f1":
            raise UsageError("CoNLL is the mean of three F1; it has no precision and no recall")

    @property
    def name(self) -> str:
        """The name in papers, with the measure: `muc_recall`."""
        return f"{self.type}_{self.measure}"

    @property
    def full_title(self) -> str:
        titles = {"conll": "CoNLL", "b3": "B³", "ceafe": "CEAFe", "ceafm": "CEAFm"}
        title = titles.get(self.type, self.type.upper() if self.type != "mention" else "Mention")
        return f"{title} {self.measure.title()}"

    def score(self, tally: Sums) -> Values:
        if self.type == "conll":
            return np.asarray(np.mean([_rate(tally, one, "f1") for one in _OF_CONLL], axis=0))
        if self.type != "blanc":
            return _rate(tally, self.type, self.measure)
        links, breaks = (_rate(tally, one, self.measure) for one in ("links", "breaks"))
        without = np.where(tally["gold_breaks"] == 0, links, (links + breaks) / 2)
        return np.where(tally["gold_links"] == 0, breaks, without)


def _rate(tally: Sums, type: str, measure: Measure) -> Values:
    sums: Sequence[Values] = [tally[name] for name in _SUMS[type]]
    recall, precision = divide(Ratio(*sums[:2]), 0), divide(Ratio(*sums[2:]), 0)
    if measure != "f1":
        return recall if measure == "recall" else precision
    return divide(Ratio(2 * precision * recall, precision + recall), 0)

"""Which spans match, what each match counts, and precision, recall and F1 of spans."""

import abc
import math
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.spans import SPANS
from tallystick.kinds.spans.spans import SpanPairs, Spans
from tallystick.model.codes import Label
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Metric, Values, check_number, show
from tallystick.model.tallies.ratios import Ratio, divide, weigh
from tallystick.model.tallies.sums import Sums, sum_values
from tallystick.settings import freeze_lists

Match = Literal["strict", "exact", "partial", "type", "overlap", "character"]
MATCHES: tuple[Match, ...] = ("strict", "exact", "partial", "type", "overlap", "character")

Places = NDArray[np.int64]
Reals = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]
_Some = int | NDArray[np.intp]
_Ranks = tuple[tuple[Places, Places], tuple[Places, Places]]
"""The ranks of starts and of ends, of the gold and of a system."""

_LARGEST = 1 << 62


class Credits(Struct, frozen=True, eq=False):
    """What the spans of one side are worth.

    Attributes:
        owners: The example of each span, or of each run of characters.
        codes: The type of each.
        hits: What is found of each on the other side, from 0 to its size.
        sizes: The characters of each, where these match; None of spans, which have the size 1.
    """

    owners: Places
    codes: Codes
    hits: Reals
    sizes: Places | None = None


def _match_strictly(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """The same bounds and the same type."""
    keys = _pack(gold, output, (gold.labels.codes, output.labels.codes))
    return _credit_keys(gold, output, keys)


def _match_bounds(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """The same bounds; of several with the same bounds on a side each matches one on the other."""
    ranks = []
    for own in _pack(gold, output):
        order = np.argsort(own, kind="stable")
        places = np.empty(len(own), np.int64)
        places[order] = np.arange(len(own)) - np.searchsorted(own, own[order], sorter=order)
        ranks.append(places)
    keys = _pack(gold, output, (ranks[0], ranks[1]))
    return _credit_keys(gold, output, keys)


def _credit_keys(
    gold: Spans, output: Spans, keys: tuple[Places, Places]
) -> tuple[Credits, Credits]:
    golden, own = keys
    order = np.argsort(golden, kind="stable")  # which takes little, as most keys ascend
    places = np.append(order, -1)[np.searchsorted(golden, own, sorter=order)]
    hits = np.append(golden, -1)[places] == own
    found = np.zeros(len(golden), bool)
    found[places[hits]] = True
    return _credit(gold, found), _credit(output, hits)


def _credit(spans: Spans, hits: NDArray[np.generic]) -> Credits:
    return Credits(spans.owners, spans.labels.codes, hits.astype(np.float64))


def _pack(
    gold: Spans, output: Spans, last: tuple[Codes, Codes] | None = None
) -> tuple[Places, Places]:
    """A number for each span of both sides, that ascends with example, start, end and more."""
    sides = [(own.owners, own.starts, own.ends) for own in (gold, output)]
    columns = [np.concatenate(pair) for pair in zip(*sides, strict=True)]
    if gold.shapes is not None and output.shapes is not None:
        columns.append(np.concatenate([gold.shapes.codes, output.shapes.codes]).astype(np.int64))
    if last is not None:
        columns.append(np.concatenate(last).astype(np.int64))
    keys, size = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if size > _LARGEST // width:
            seen, keys = np.unique(keys, return_inverse=True)
            size = len(seen)
        keys, size = keys * width + column, size * width
    return keys[: len(gold.starts)], keys[len(gold.starts) :]


def _rank_ends(gold: Spans, output: Spans, keys: tuple[Places, Places]) -> tuple[_Ranks, Places]:
    """Ranks the starts and ends of gold and output spans by key and place.

    Also returns the place of each rank.
    """
    parts = [gold.starts, gold.ends, output.starts, output.ends]
    places, owners = np.concatenate(parts), np.concatenate([keys[0]] * 2 + [keys[1]] * 2)
    order = np.lexsort((places, owners))
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(owners[order]) != 0) | (np.diff(places[order]) != 0)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(new) - 1
    starts, ends, own_starts, own_ends = np.split(ranks, np.cumsum(list(map(len, parts[:-1]))))
    return ((starts, ends), (own_starts, own_ends)), places[order][new]


def _key_types(gold: Spans, output: Spans) -> tuple[Places, Places]:
    kinds = len(gold.labels.names)
    golden, own = (side.owners * kinds + side.labels.codes for side in (gold, output))
    return golden, own


def _cover(side: tuple[Places, Places], size: int) -> NDArray[np.bool_]:
    """Whether spans cover what is between each rank and the next one."""
    starts, ends = (np.bincount(own, minlength=size) for own in side)
    return np.asarray(np.cumsum(starts - ends) > 0)


def _sum_covered(side: tuple[Places, Places], places: Places) -> Places:
    """How many characters spans cover before each rank; differences are right if it overflows."""
    lengths = np.where(_cover(side, len(places)), np.diff(places, append=0), 0)
    return np.append(0, np.cumsum(lengths))


def _match_partially(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """Any overlap whatever the type: 1 for the same bounds, else one half."""

    def weigh(own: int, golden: _Some) -> tuple[NDArray[Any], Reals]:
        far = _measure_distance(gold, output, own, golden) > 0
        return far, np.where(far, 0.5, 1)

    return _credit_overlapping(gold, output, weigh)


def _match_types(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """Any overlap with the same type; the nearest bounds are taken first."""

    def weigh(own: int, golden: _Some) -> tuple[NDArray[Any], Reals]:
        same = gold.labels.codes[golden] == output.labels.codes[own]
        distance = _measure_distance(gold, output, own, golden)
        return np.where(same, distance, _LARGEST), same.astype(np.float64)

    return _credit_overlapping(gold, output, weigh)


def _measure_distance(gold: Spans, output: Spans, own: _Some, golden: _Some) -> Places:
    starts, ends = gold.starts[golden] - output.starts[own], gold.ends[golden] - output.ends[own]
    return np.asarray(abs(starts) + abs(ends))


def _credit_overlapping(
    gold: Spans, output: Spans, weigh: Callable[[Any, Any], tuple[NDArray[Any], Reals]]
) -> tuple[Credits, Credits]:
    """What spans are worth if each matches one, taken in turn from the system's first on.

    `weigh` returns the order in which a span of the system takes spans of the gold, and what each
    is worth. A span has the first of the lowest order that is left.
    """
    ((starts, ends), (own_starts, own_ends)), _ = _rank_ends(
        gold, output, (gold.owners, output.owners)
    )
    # The gold spans that can overlap stand side by side: ends are made to ascend as starts do.
    first = np.searchsorted(np.maximum.accumulate(ends), own_starts, side="right")
    last = np.searchsorted(starts, own_ends, side="left")
    many = last - np.searchsorted(np.sort(ends), own_starts, side="right")
    rivals = np.searchsorted(own_starts, ends, side="left")
    rivals -= np.searchsorted(np.sort(own_ends), starts, side="right")
    hits = np.zeros(len(starts)), np.zeros(len(own_starts))
    alone = (many == 1) & (last - first == 1)
    alone[alone] = rivals[first[alone]] == 1
    hits[0][first[alone]] = hits[1][alone] = weigh(np.flatnonzero(alone), first[alone])[1]
    left = np.ones(len(starts), bool)
    for own in np.flatnonzero((many > 0) & ~alone).tolist():
        here = slice(first[own], last[own])
        golden = np.flatnonzero(left[here] & (ends[here] > own_starts[own])) + here.start
        if len(golden):
            order, worth = weigh(own, golden)
            best = order.argmin()
            hits[0][golden[best]] = hits[1][own] = worth[best]
            left[golden[best]] = False
    return _credit(gold, hits[0]), _credit(output, hits[1])


def _match_overlap(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """The share of each span that spans of the same type cover on the other side."""
    sides, places = _rank_ends(gold, output, _key_types(gold, output))
    shares = []
    for spans, (starts, ends), others in zip((gold, output), sides, sides[::-1], strict=True):
        covered = _sum_covered(others, places)
        shares.append((covered[ends] - covered[starts]) / np.maximum(spans.ends - spans.starts, 1))
    return _credit(gold, shares[0]), _credit(output, shares[1])


def _match_characters(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    gold, output = gold.spread(), output.spread()
    keys = _key_types(gold, output)
    sides, places = _rank_ends(gold, output, keys)
    whole, far = _rank_ends(gold, output, (gold.owners, output.owners))
    ranks = np.concatenate([*sides[0], *sides[1]])
    untyped, owners = np.empty((2, len(places)), np.int64)
    untyped[ranks] = np.concatenate([*whole[0], *whole[1]])
    owners[ranks] = np.concatenate([keys[0]] * 2 + [keys[1]] * 2)
    covers = [_cover(side, len(places)) for side in sides]
    credits = []
    for at in (0, 1):
        own = np.flatnonzero(covers[at])
        sizes = places[own + 1] - places[own]
        covered = _sum_covered(whole[1 - at], far)
        near = covered[untyped[own + 1]] - covered[untyped[own]]
        found = np.where(covers[1 - at][own], sizes, other * near)
        examples, codes = np.divmod(owners[own], max(len(gold.labels.names), 1))
        credits.append(Credits(examples, codes, found, sizes))
    return credits[0], credits[1]


_Matcher = Callable[[Spans, Spans, float], tuple[Credits, Credits]]
_MATCHERS: dict[Match, _Matcher] = {
    "strict": _match_strictly,
    "exact": _match_bounds,
    "partial": _match_partially,
    "type": _match_types,
    "overlap": _match_overlap,
    "character": _match_characters,
}


class SpanMatches(Struct, frozen=True):
    """Sums what the spans of each type are worth on either side.

    A character in spans of another type on the other side is worth `other_type`.
    """

    kind: ClassVar = SPANS
    columns = ("predicted_hits", "gold_hits", "predicted", "gold")
    at_most = (("predicted_hits", "predicted"), ("gold_hits", "gold"))
    """What spans of either side are worth, and their numbers; in characters where these match."""
    match: Match = "strict"
    other_type: float = 0

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of spans")
        pairs = SPANS.of(systems)
        if systems.weights is not None:
            raise UsageError("metrics of spans do not support weights")
        if pairs.gold.words is not None and self.match not in ("strict", "exact"):
            raise UsageError(
                f"facts have no place, and match strictly or exactly, not {self.match}"
            )
        if pairs.gold.shapes is not None and self.match in ("partial", "type", "overlap"):
            raise UsageError(
                "spans in several pieces match strictly, exactly or by character, not "
                f"{self.match}; score one of these, or write each piece as a span"
            )
        whole = self.match not in ("partial", "overlap") and not self.other_type
        types, columns = len(pairs.gold.labels.names), len(self.columns)
        shape = (len(pairs), len(pairs.outputs), types, columns)
        rows = np.zeros(shape, np.int64 if whole else np.float64)
        for system, output in enumerate(pairs.outputs):
            self._count_rows(pairs, output, rows[:, system])
        tally = sum_values(self, systems, rows.reshape(*shape[:2], types * columns))
        return replace(tally, labels=pairs.gold.labels.names)

    def _count_rows(self, pairs: SpanPairs, output: Spans, rows: NDArray[Any]) -> None:
        """Fills the columns of each type, for each example: of shape (examples, types, columns)."""
        examples, types, _ = rows.shape
        gold, own = _MATCHERS[self.match](pairs.gold, output, self.other_type)
        for column, side in enumerate((own, gold)):
            cells = side.owners * types + side.codes
            for place, values in ((column, side.hits), (column + 2, side.sizes)):
                found = np.bincount(cells, values, examples * types)
                rows[..., place] = found.reshape(examples, types)


class SpanCounts(Struct, frozen=True, eq=False):
    """The sums of each type, of shape (..., groups, types): what spans are worth, and how many."""

    predicted_hits: Reals
    gold_hits: Reals
    predicted: Reals
    gold: Reals


Severities = tuple[tuple[str, float], ...]


class _SpanRatio(Metric, frozen=True):
    """A ratio of counts of spans of each type, brought to one number."""

    counters = (SpanMatches,)
    zero = "no span of its outputs matches one of the gold"
    ranges: ClassVar = {"other_type": (0, 1)}

    average: Literal["micro", "macro", "weighted", None] = "micro"
    match: Match = "strict"
    labels: tuple[Label, ...] | None = None
    other_type: float = 0
    severities: Severities | None = None
    zero_division: float = math.nan

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.other_type and self.match != "character":
            raise UsageError(
                "other_type is what a character is worth: it can only be used with "
                "match='character'"
            )
        freeze_lists(self, "severities")
        _check_severities(self.severities)

    @abc.abstractmethod
    def ratio(self, counts: SpanCounts) -> Ratio:
        """The numerator and the denominator of each type."""

    @property
    def name(self) -> str:
        """The name with the average and the match: `micro_partial_span_f1`."""
        match = () if self.match == "strict" else (self.match,)
        average = () if self.average is None else (self.average,)
        return "_".join([*average, *match, self.short])

    def score(self, tally: Sums) -> Values:
        """Types that a group has neither in gold nor in outputs are left out, as in seqeval.

        With `labels` they count.
        """
        names, sums = tally.labels, tally.by_label()
        if self.labels is not None:
            places = [names.index(label) if label in names else -1 for label in self.labels]
            unseen = np.zeros_like(sums[..., :1, :], shape=(*sums.shape[:-2], 1, sums.shape[-1]))
            names, sums = self.labels, np.concatenate([sums, unseen], -2)[..., places, :]
        if self.severities is not None:
            sums = sums * _list_weights(names, dict(self.severities))[:, None]
        if self.average == "micro":
            sums = sums.sum(-2, keepdims=True)
        counts = SpanCounts(*np.moveaxis(sums, -1, 0))
        values = divide(self.ratio(counts), self.zero_division)
        if self.average == "micro":
            return values[..., 0]
        if self.labels is None:
            values = np.where((counts.predicted > 0) | (counts.gold > 0), values, np.nan)
        if self.average is None:
            return values
        return weigh(values, counts.gold if self.average == "weighted" else np.ones_like(values))


class SpanPrecision(_SpanRatio, frozen=True):
    """The share of predicted spans that are correct; with partial credit, their mean credit.

    Formula: credit of predicted spans / predicted spans
    Undefined: if no span of the type is predicted; seqeval and conlleval print 0.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's precision_score,
        and for exact, partial and type as nervaluate.
    """

    short = "span_precision"

    def ratio(self, counts: SpanCounts) -> Ratio:
        return Ratio(counts.predicted_hits, counts.predicted)


class SpanRecall(_SpanRatio, frozen=True):
    """The share of gold spans that are found; with partial credit, their mean credit.

    Formula: credit of gold spans / gold spans
    Undefined: if the gold has no span of the type; seqeval and conlleval print 0.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's recall_score,
        and for exact, partial and type as nervaluate.
    """

    short = "span_recall"

    def ratio(self, counts: SpanCounts) -> Ratio:
        return Ratio(counts.gold_hits, counts.gold)


class SpanF1(_SpanRatio, frozen=True):
    """The harmonic mean of precision and recall of spans, such as named entities.

    Formula: 2 P R / (P + R), with P = credit of predicted spans / predicted spans and R = credit
        of gold spans / gold spans; with a strict match 2 TP / (2 TP + FP + FN)
    Undefined: if neither side has spans of the type; seqeval and conlleval print 0.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's f1_score, and for
        exact, partial and type as nervaluate; overlap is Da San Martino et al. 2019.
    """

    short = "span_f1"

    def ratio(self, counts: SpanCounts) -> Ratio:
        crossed = counts.predicted_hits * counts.gold + counts.gold_hits * counts.predicted
        none = crossed == 0
        total = counts.predicted + counts.gold
        return Ratio(2 * counts.predicted_hits * counts.gold_hits, np.where(none, total, crossed))


def _check_severities(severities: object) -> None:
    if severities is None:
        return
    pairs = severities if isinstance(severities, tuple) and severities else (None,)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise UsageError(
                "severities must be a tuple of types and what they weigh, such as "
                f"(('minor', 1), ('major', 5)), not {show(severities)}"
            )
        check_number(f"the weight of {pair[0]}", pair[1], 0)


def _list_weights(labels: tuple[Label, ...], weights: dict[Label, float]) -> Values:
    unknown = next((label for label in labels if label not in weights), None)
    if unknown is not None:
        raise UsageError(
            f"severities has no weight for {unknown!r}: it names {', '.join(map(str, weights))}"
        )
    return np.array([weights[label] for label in labels], np.float64)

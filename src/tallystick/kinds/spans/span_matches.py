"""Which spans of a system match those of the gold, and how much each match is worth."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.kinds.spans.spans import Spans

Match = Literal["strict", "exact", "partial", "type", "overlap", "character"]
MATCHES: tuple[Match, ...] = ("strict", "exact", "partial", "type", "overlap", "character")

Places = NDArray[np.int64]
Codes = NDArray[np.integer[Any]]
Values = NDArray[np.float64]

_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class Credits:
    """What the spans of one side are worth.

    Attributes:
        owners: The example of each span, or of each of its characters.
        codes: The type of each.
        hits: What is found of each on the other side, from 0 to 1.
    """

    owners: Places
    codes: Codes
    hits: Values


def credit_spans(gold: Spans, output: Spans, match: Match, other: float) -> tuple[Credits, Credits]:
    """Returns what spans of the gold and of a system, of types that share their names, are worth.

    A character in spans of another type on the other side is worth `other`.
    """
    return _MATCHERS[match](gold, output, other)


def _match_strictly(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """The same bounds and the same type."""
    keys = _pack(gold, output, (gold.labels.codes, output.labels.codes))
    return _credit_keys(gold, output, keys)


def _match_bounds(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """The same bounds; of several with the same bounds on a side each matches one on the other."""
    bounds = _pack(gold, output)
    ranks = [np.arange(len(own)) - np.searchsorted(own, own) for own in bounds]
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


def _find(keys: Places, others: Places) -> NDArray[np.bool_]:
    """Which keys are among others."""
    others = np.sort(others)
    places = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    found: NDArray[np.bool_] = others[places] == keys if len(others) else np.zeros(len(keys), bool)
    return found


def _credit(spans: Spans, hits: NDArray[np.generic]) -> Credits:
    return Credits(spans.owners, spans.labels.codes, hits.astype(np.float64))


def _pack(
    gold: Spans, output: Spans, last: tuple[Codes, Codes] | None = None
) -> tuple[Places, Places]:
    """A number for each span of both sides, that ascends with example, start, end and more."""
    sides = [(own.owners, own.starts, own.ends) for own in (gold, output)]
    columns = [np.concatenate(pair) for pair in zip(*sides, strict=True)]
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


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Spans of a system and spans of the gold that share a token or a character.

    Attributes:
        output: The system's span of each pair, ascending.
        distance: How far their starts, and their ends, are from each other together.
    """

    output: Places
    gold: Places
    same: NDArray[np.bool_]
    distance: Places


def _find_pairs(gold: Spans, output: Spans) -> _Pairs:
    """All pairs that overlap."""
    width = int(max(gold.ends.max(initial=0), output.ends.max(initial=0))) + 1
    golden, own = gold.owners * width, output.owners * width
    starts, ends = golden + gold.starts, golden + gold.ends
    # The gold spans that can overlap stand side by side: ends are made to ascend as starts do.
    first = np.searchsorted(np.maximum.accumulate(ends), own + output.starts, side="right")
    last = np.searchsorted(starts, own + output.ends, side="left")
    sizes = np.maximum(last - first, 0)
    left = np.repeat(np.arange(len(sizes)), sizes)
    right = np.arange(len(left)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + first[left]
    shared = ends[right] > (own + output.starts)[left]
    left, right = left[shared], right[shared]
    distance = abs(gold.starts[right] - output.starts[left]) + abs(
        gold.ends[right] - output.ends[left]
    )
    same = gold.labels.codes[right] == output.labels.codes[left]
    return _Pairs(left, right, same, distance)


def _match_partially(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """Any overlap whatever the type: 1 for the same bounds, else one half."""
    pairs = _find_pairs(gold, output)
    exact = pairs.distance == 0
    return _credit_chosen(gold, output, pairs, (~exact).astype(np.int64), np.where(exact, 1, 0.5))


def _match_types(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """Any overlap with the same type; the nearest bounds are taken first."""
    pairs = _find_pairs(gold, output)
    last = int(pairs.distance.max(initial=0)) + 1
    order = np.where(pairs.same, pairs.distance, last)
    return _credit_chosen(gold, output, pairs, order, pairs.same.astype(np.float64))


def _credit_chosen(
    gold: Spans, output: Spans, pairs: _Pairs, order: Places, worth: Values
) -> tuple[Credits, Credits]:
    """What spans are worth if each matches one, taken in turn from the system's first on."""
    chosen = _choose(pairs, order)
    hits = np.zeros(len(gold.starts)), np.zeros(len(output.starts))
    hits[0][pairs.gold[chosen]] = worth[chosen]
    hits[1][pairs.output[chosen]] = worth[chosen]
    return _credit(gold, hits[0]), _credit(output, hits[1])


def _choose(pairs: _Pairs, order: Places) -> NDArray[np.intp]:
    """The pairs in which each span of the system has the first gold span that is left to it.

    That is the one of the lowest order, and of these the first.
    """
    alone = (np.bincount(pairs.output)[pairs.output] == 1) & (
        np.bincount(pairs.gold)[pairs.gold] == 1
    )
    rest = np.flatnonzero(~alone)
    rest = rest[np.lexsort((pairs.gold[rest], order[rest], pairs.output[rest]))]
    used: set[int] = set()
    done: set[int] = set()
    chosen = []
    outputs, golds = pairs.output[rest].tolist(), pairs.gold[rest].tolist()
    for pair, left, right in zip(rest.tolist(), outputs, golds, strict=True):
        if left not in done and right not in used:
            done.add(left)
            used.add(right)
            chosen.append(pair)
    return np.concatenate([np.flatnonzero(alone), np.array(chosen, np.intp)])


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """The characters of spans: the span, the example, the place in it and the type of each."""

    spans: Places
    owners: Places
    places: Places
    codes: Codes

    @classmethod
    def of(cls, spans: Spans) -> "_Units":
        """All characters of all spans; those of several are there for each."""
        sizes = spans.ends - spans.starts
        each = np.repeat(np.arange(len(sizes)), sizes)
        places = np.arange(len(each)) - np.repeat(np.cumsum(sizes) - sizes - spans.starts, sizes)
        return cls(each, spans.owners[each], places, spans.labels.codes[each])

    def take(self, kept: NDArray[np.intp]) -> "_Units":
        """Some of them."""
        return _Units(self.spans[kept], self.owners[kept], self.places[kept], self.codes[kept])


def _number(gold: _Units, output: _Units, *, types: bool) -> tuple[Places, Places]:
    """A number for each character of both sides, the same for one in spans of the same type."""
    width = int(max(gold.places.max(initial=0), output.places.max(initial=0))) + 1
    kinds = int(max(gold.codes.max(initial=0), output.codes.max(initial=0))) + 1
    found = [own.owners * width + own.places for own in (gold, output)]
    if types:
        found = [keys * kinds + own.codes for keys, own in zip(found, (gold, output), strict=True)]
    return found[0], found[1]


def _match_overlap(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """The share of each span that spans of the same type cover on the other side."""
    golden, own = _Units.of(gold), _Units.of(output)
    keys = _number(golden, own, types=True)
    shares = []
    for spans, units, (mine, others) in zip(
        (gold, output), (golden, own), (keys, keys[::-1]), strict=True
    ):
        covered = np.bincount(units.spans, _find(mine, others), len(spans.starts))
        shares.append(covered / np.maximum(spans.ends - spans.starts, 1))
    return _credit(gold, shares[0]), _credit(output, shares[1])


def _match_characters(gold: Spans, output: Spans, other: float) -> tuple[Credits, Credits]:
    """Each character of the spans of a type, which counts once."""
    golden, own = _Units.of(gold), _Units.of(output)
    keys = _number(golden, own, types=True)
    firsts = [np.unique(side, return_index=True)[1] for side in keys]
    golden, own = golden.take(firsts[0]), own.take(firsts[1])
    keys = keys[0][firsts[0]], keys[1][firsts[1]]
    places = _number(golden, own, types=False)
    credits = []
    for units, at in ((golden, 0), (own, 1)):
        hits = _find(keys[at], keys[1 - at])
        near = _find(places[at], places[1 - at]) if other else hits
        credits.append(
            Credits(units.owners, units.codes, np.where(hits, 1, np.where(near, other, 0)))
        )
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

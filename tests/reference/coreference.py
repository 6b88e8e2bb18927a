"""Scores of coreference of one document in plain Python, as the papers define them."""

from collections.abc import Callable, Collection, Sequence
from itertools import combinations, permutations

Side = Sequence[Collection[object]]
Ratio = tuple[float, float]
"""The numerator and the denominator of recall; precision is recall with the sides exchanged."""


def find(side: Side, mention: object) -> Collection[object]:
    return next((own for own in side if mention in own), ())


def muc(gold: Side, output: Side) -> Ratio:
    parts = [
        len({str(find(output, one)) if find(output, one) else one for one in own}) for own in gold
    ]
    sizes = [*map(len, gold)]
    return sum(sizes) - sum(parts), sum(sizes) - len(sizes)


def b3(gold: Side, output: Side) -> Ratio:
    shares = [len({*own} & {*find(output, mention)}) / len(own) for own in gold for mention in own]
    return sum(shares), len(shares)


def match(gold: Side, output: Side, alike: Callable[[set[object], set[object]], float]) -> float:
    few, many = sorted((gold, output), key=len)
    return max(
        sum(alike({*one}, {*other}) for one, other in zip(few, own, strict=True))
        for own in permutations(many, len(few))
    )


def ceafe(gold: Side, output: Side) -> Ratio:
    best = match(gold, output, lambda one, other: 2 * len(one & other) / (len(one) + len(other)))
    return best, len(gold)


def ceafm(gold: Side, output: Side) -> Ratio:
    return match(gold, output, lambda one, other: len(one & other)), sum(map(len, gold))


def lea(gold: Side, output: Side) -> Ratio:
    found = 0.0
    for own in gold:
        links = [*combinations(own, 2)] or [(*own, *own)]
        known = [
            pair
            for pair in links
            if find(output, pair[0]) and find(output, pair[0]) is find(output, pair[1])
            if len(own) > 1 or len(find(output, pair[0])) == 1
        ]
        found += len(own) * len(known) / len(links)
    return found, sum(map(len, gold))


def mention(gold: Side, output: Side) -> Ratio:
    mentions = [one for own in gold for one in own]
    return sum(bool(find(output, one)) for one in mentions), len(mentions)


def _list_pairs(side: Side, *, same: bool) -> set[frozenset[object]]:
    mentions = [one for own in side for one in own]
    pairs = combinations(mentions, 2)
    return {
        frozenset(pair) for pair in pairs if (find(side, pair[0]) is find(side, pair[1])) == same
    }


def links(gold: Side, output: Side) -> Ratio:
    ours, theirs = (_list_pairs(side, same=True) for side in (gold, output))
    return len(ours & theirs), len(ours)


def breaks(gold: Side, output: Side) -> Ratio:
    ours, theirs = (_list_pairs(side, same=False) for side in (gold, output))
    return len(ours & theirs), len(ours)


RATIOS = {one.__name__: one for one in (muc, b3, ceafe, ceafm, lea, mention, links, breaks)}

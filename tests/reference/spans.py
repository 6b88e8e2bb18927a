"""Slow and obvious twins of how spans are matched."""

from collections.abc import Sequence

Span = tuple[int, int, str]
Worth = tuple[list[float], list[float]]
"""What each gold span is worth, and each predicted span."""


def match_spans(gold: Sequence[Span], output: Sequence[Span], match: str) -> Worth:
    if match == "overlap":
        return [cover(one, output) for one in gold], [cover(one, gold) for one in output]
    taken: dict[int, float] = {}
    found: dict[int, float] = {}
    for place, own in enumerate(output):
        best = None
        for other, one in enumerate(gold):
            if other in taken:
                continue
            order = rank(one, own, match)
            if order is not None and (best is None or order < best[0]):
                best = order, other
        if best is not None:
            worth = value(gold[best[1]], own, match)
            taken[best[1]], found[place] = worth, worth
    return (
        [taken.get(other, 0.0) for other in range(len(gold))],
        [found.get(place, 0.0) for place in range(len(output))],
    )


def overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def rank(gold: Span, own: Span, match: str) -> int | None:
    if match in ("strict", "exact"):
        same = gold == own if match == "strict" else gold[:2] == own[:2]
        return 0 if same else None
    if not overlap(gold, own):
        return None
    if match == "partial":
        return 0 if gold[:2] == own[:2] else 1
    distance = abs(gold[0] - own[0]) + abs(gold[1] - own[1])
    return distance if gold[2] == own[2] else 1_000_000


def value(gold: Span, own: Span, match: str) -> float:
    if match == "partial":
        return 1.0 if gold[:2] == own[:2] else 0.5
    if match == "type":
        return float(gold[2] == own[2])
    return 1.0


def cover(one: Span, others: Sequence[Span]) -> float:
    places = range(one[0], one[1])
    held = [any(place in range(o[0], o[1]) and o[2] == one[2] for o in others) for place in places]
    return sum(held) / len(held)


def match_characters(
    gold: Sequence[Span], output: Sequence[Span], other: float
) -> dict[str, Worth]:
    sides = [
        {(label, at) for start, end, label in own for at in range(start, end)}
        for own in (gold, output)
    ]
    places = [{at for _, at in own} for own in sides]
    found: dict[str, Worth] = {}
    for side in (0, 1):
        for label, at in sides[side]:
            worth = 1.0 if (label, at) in sides[1 - side] else other * (at in places[1 - side])
            found.setdefault(label, ([], []))[side].append(worth)
    return found

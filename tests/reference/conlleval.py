"""A slow twin of conlleval, written from the description of its rules.

A chunk begins at a tag and ends before one by the letters and types of neighbouring tags:
B always begins one after B, I or O, I and E begin one after O or E, and so does any tag inside
whose type differs from the one before; a bracket is a chunk of its own. E ends before E, I and O,
but not before B, and S is no letter of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

Tag = tuple[str, str]
_STARTS = {"BB", "IB", "OB", "OI", "EE", "EI", "OE"}
_ENDS = {"BB", "BO", "IB", "IO", "EE", "EI", "EO"}
_OUTSIDE = ("O", ".")
_BRACKETS = ("[", "]")


def split_tag(tag: str) -> Tag:
    letter, _, kind = tag.partition("-")
    return letter, kind


def starts(before: Tag, tag: Tag) -> bool:
    changed = tag[0] not in _OUTSIDE and before[1] != tag[1]
    return before[0] + tag[0] in _STARTS or changed or tag[0] in _BRACKETS


def ends(before: Tag, tag: Tag) -> bool:
    changed = before[0] not in _OUTSIDE and before[1] != tag[1]
    return before[0] + tag[0] in _ENDS or changed or before[0] in _BRACKETS


def join(sentences: Iterable[Sequence[str]]) -> Iterator[Tag]:
    yield "O", ""
    for sentence in sentences:
        yield from map(split_tag, sentence)
        yield "O", ""


def count_chunks(
    gold: Sequence[Sequence[str]], output: Sequence[Sequence[str]]
) -> tuple[int, int, int]:
    right = found = golden = 0
    open_ = False
    for (one, two), (three, four) in zip(pairwise(join(gold)), pairwise(join(output)), strict=True):
        closed = ends(one, two), ends(three, four)
        if open_ and all(closed) and one[1] == three[1]:
            right, open_ = right + 1, False
        elif open_ and (closed[0] != closed[1] or two[1] != four[1]):
            open_ = False
        begun = starts(one, two), starts(three, four)
        open_ = (all(begun) and two[1] == four[1]) or open_
        golden, found = golden + begun[0], found + begun[1]
    return right, found, golden

"""Counts what a parser says beside the gold: the alignment of both texts, and columns of sums."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.kinds.trees.conllu import Treebank, Word

Words = Sequence[Word]
Pair = tuple[int, int]


def align_words(gold: Words, system: Words) -> list[Pair]:
    """The places of words that are aligned, in order.

    A word that is a token is aligned with one of the same span. Where a token of several words
    stands on either side, words are aligned by their forms within the shortest stretch of text
    that holds all such tokens whole.
    """
    pairs, at, own = list[Pair](), 0, 0
    while at < len(gold) and own < len(system):
        one, other = gold[at], system[own]
        if one.shared or other.shared:
            ends = _find_stretch(gold, system, at, own)
            (at, own), (last, own_last) = ends
            pairs += _align_forms(gold[at:last], system[own:own_last], at, own)
            at, own = last, own_last
        elif one.span == other.span:
            pairs.append((at, own))
            at, own = at + 1, own + 1
        elif one.span[0] <= other.span[0]:
            at += 1
        else:
            own += 1
    return pairs


def _find_stretch(gold: Words, system: Words, at: int, own: int) -> tuple[Pair, Pair]:
    """Where a stretch with tokens of several words begins and ends on both sides.

    A word before the token that opens it is passed by.
    """
    one, other = gold[at], system[own]
    end = one.span[1] if one.shared else other.span[1]
    if one.shared != other.shared:
        own += one.shared and other.span[0] < one.span[0]
        at += other.shared and one.span[0] < other.span[0]
    begin = at, own
    while _goes_on(gold, at, end) or _goes_on(system, own, end):
        ahead = own >= len(system) or (at < len(gold) and gold[at].span[0] <= system[own].span[0])
        word = gold[at] if ahead else system[own]
        end = max(end, word.span[1]) if word.shared else end
        at, own = at + ahead, own + (not ahead)
    return begin, (at, own)


def _goes_on(words: Words, at: int, end: int) -> bool:
    """Whether the next word lies before an end, whole or with the token that it shares."""
    if at >= len(words):
        return False
    word = words[at]
    return word.span[0] < end if word.shared else word.span[1] <= end


def _align_forms(gold: Words, system: Words, at: int, own: int) -> Iterator[Pair]:
    """A longest common subsequence of forms in lower case."""
    names = {word.form.lower(): place for place, word in enumerate((*gold, *system))}
    forms, others = (
        np.array([names[word.form.lower()] for word in words]) for words in (gold, system)
    )
    # Some rows of the table are kept, and those between them are found again: n ** 1.5 numbers.
    step = max(math.isqrt(len(forms)), _FEWEST_ROWS)
    starts = range(0, len(forms), step)
    kept, row = list[NDArray[np.int32]](), np.zeros(len(others) + 1, np.int32)
    for start in reversed(starts):
        kept.append(row)
        for one in reversed(range(start, start + step if start else 0)):
            row = _measure(row, others == forms[one]) if one < len(forms) else row
    other = 0
    for start in starts:
        rows = [kept.pop()]
        for form in forms[start : start + step][::-1]:
            rows.append(_measure(rows[-1], others == form))
        one = start
        while len(rows) > 1 and other < len(others):
            if forms[one] == others[other]:
                yield at + one, own + other
                other += 1
            elif rows[-1][other] != rows[-2][other]:
                other += 1
                continue
            one += 1
            rows.pop()


def _measure(below: NDArray[np.int32], same: NDArray[np.bool_]) -> NDArray[np.int32]:
    """How many forms can be aligned of those from a form on, and from each place on among others.

    Args:
        below: The same of the forms from the next one on.
        same: At which places the form is.
    """
    found = np.maximum(below[:-1], np.where(same, below[1:] + 1, 0))
    return np.append(np.maximum.accumulate(found[::-1])[::-1], below[-1:])


Counts = NDArray[np.int64]
Places = NDArray[np.intp]
_OF_CONTENT = (
    "acl advcl advmod amod appos ccomp compound conj csubj dep discourse dislocated expl fixed "
    "flat goeswith iobj list nmod nsubj nummod obj obl orphan parataxis reparandum root vocative "
    "xcomp"
)
_CONTENT = frozenset(_OF_CONTENT.split())
"""The relations of content words, which CLAS, MLAS and BLEX are about."""
_FUNCTIONS = frozenset(("aux", "case", "cc", "clf", "cop", "det", "mark"))
"""The relations of function words, which MLAS asks for beside the content word they go with."""
_UNALIGNED = -2
_FEWEST_ROWS = 64
"""So many rows of a table of alignments are kept at least."""
UNITS = ("words", "content", "tokens", "sentences")
"""What is counted of gold, of a system, and of what both have."""
COLUMNS = (
    *(f"{side}_{unit}" for unit in UNITS for side in ("gold", "system", "aligned")),
    *("upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las", "clas", "mlas", "blex"),
)


def place_spans(bank: Treebank, spans: Sequence[tuple[int, int]]) -> Places:
    """The sentence in which each span begins."""
    begins = [begin for begin, _ in bank.sentences]
    return np.searchsorted(begins, [begin for begin, _ in spans], side="right") - 1


def count_sentences(gold: Treebank, system: Treebank) -> Counts:
    """The columns of each sentence of the gold, of shape (sentences, columns).

    What a system has belongs to the sentence of the gold in which it begins; a word to that of the
    word with which it is aligned, where there is one.
    """
    found = dict[str, Places]()
    for unit in ("tokens", "sentences"):
        ours, theirs = getattr(gold, unit), getattr(system, unit)
        known = set(ours)
        found[f"gold_{unit}"] = place_spans(gold, ours)
        found[f"system_{unit}"] = place_spans(gold, theirs)
        found[f"aligned_{unit}"] = place_spans(gold, [span for span in theirs if span in known])
    found |= _place_words(gold, system)
    size = len(gold.sentences)
    return np.stack([np.bincount(found[name], minlength=size) for name in COLUMNS], axis=1)


def _place_words(gold: Treebank, system: Treebank) -> dict[str, Places]:
    pairs = align_words(gold.words, system.words)
    one, other = np.array(pairs, np.intp).reshape(-1, 2).T
    homes = place_spans(gold, [word.span for word in gold.words])
    guests = place_spans(gold, [word.span for word in system.words])
    guests[other] = homes[one]
    content = _find_content(gold.words)
    right = _compare(gold.words, system.words, pairs)
    return {
        "gold_words": homes,
        "system_words": guests,
        "aligned_words": homes[one],
        "gold_content": homes[content],
        "system_content": guests[_find_content(system.words)],
        "aligned_content": homes[one][content[one]],
        **{name: homes[one][own] for name, own in right.items()},
    }


def _find_content(words: Words) -> NDArray[np.bool_]:
    return np.array([word.relation in _CONTENT for word in words], np.bool_)


def _compare(gold: Words, system: Words, pairs: Sequence[Pair]) -> dict[str, NDArray[np.bool_]]:
    both = [(gold[at], system[own]) for at, own in pairs]
    partners = {-1: -1, **{own: at for at, own in pairs}}  # of roots, no word is the head

    def agree(name: str) -> NDArray[np.bool_]:
        return np.array([getattr(a, name) == getattr(b, name) for a, b in both], np.bool_)

    upos, xpos, feats = map(agree, ("upos", "xpos", "feats"))
    lemmas = np.array([a.lemma in ("_", b.lemma) for a, b in both], np.bool_)
    heads = np.array([a.head == partners.get(b.head, _UNALIGNED) for a, b in both], np.bool_)
    labeled = heads & agree("relation")
    clas = labeled & _find_content([a for a, _ in both])
    mlas = clas & upos & feats
    functions = _list_functions(gold, {at: at for at in range(len(gold))})
    found = _list_functions(system, partners)
    mlas &= np.array([functions.get(at) == found.get(own) for at, own in pairs], np.bool_)
    return {
        "upos": upos,
        "xpos": xpos,
        "ufeats": feats,
        "alltags": upos & xpos & feats,
        "lemmas": lemmas,
        "uas": heads,
        "las": labeled,
        "clas": clas,
        "mlas": mlas,
        "blex": clas & lemmas,
    }


def _list_functions(
    words: Words, partners: Mapping[int, int]
) -> dict[int, list[tuple[int, str, str, str]]]:
    found = dict[int, list[tuple[int, str, str, str]]]()
    for place, word in enumerate(words):
        if word.relation in _FUNCTIONS:
            own = partners.get(place, _UNALIGNED), word.relation, word.upos, word.feats
            found.setdefault(word.head, []).append(own)
    return found

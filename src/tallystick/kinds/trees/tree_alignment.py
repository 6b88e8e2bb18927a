"""Aligns the words of two treebanks of the same text, as the CoNLL 2018 shared task defines it."""

from collections.abc import Iterator, Sequence

from tallystick.kinds.trees.conllu import Word

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
    forms = [word.form.lower() for word in gold]
    others = [word.form.lower() for word in system]
    longest = _measure(forms, others)
    one = other = 0
    while one < len(forms) and other < len(others):
        if forms[one] == others[other]:
            yield at + one, own + other
            one, other = one + 1, other + 1
        elif longest[one][other] == longest[one + 1][other]:
            one += 1
        else:
            other += 1


def _measure(forms: Sequence[str], others: Sequence[str]) -> list[list[int]]:
    """How many forms can be aligned of those from each place on, on both sides."""
    longest = [[0] * (len(others) + 1) for _ in range(len(forms) + 1)]
    for one in reversed(range(len(forms))):
        below, row = longest[one + 1], longest[one]
        for other in reversed(range(len(others))):
            same = 1 + below[other + 1] if forms[one] == others[other] else 0
            row[other] = max(same, below[other], row[other + 1])
    return longest

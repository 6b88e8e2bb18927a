"""ROUGE in plain Python: every type, variant and rule of references, slow and obvious."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

Sentence = Sequence[str]
Text = Sequence[Sentence]
Triple = tuple[float, float, float]
"""Precision, recall and F."""


class Rule(Struct, frozen=True):
    """Which ROUGE: named as the options of the metric are.

    Attributes:
        type: "1" to "9", "L", "Lsum", "W", "S" or "SU"; in 1.5.5 L is Lsum.
        gap: The most tokens between the two of a skip-bigram; None is no limit.
    """

    type: str = "1"
    variant: str = "google"
    references: str = "best"
    criterion: str = "f1"
    weight: float = 1.2
    gap: int | None = 4
    beta: float = 1.0


class Counts(Struct, frozen=True):
    """What matched, of how much in the hypothesis and in the reference."""

    hits: float
    hypothesis: float
    reference: float


def tokenize(text: str, stem: Callable[[str], str] | None = None) -> list[str]:
    tokens = re.findall("[a-z0-9]+", text.lower())
    return tokens if stem is None else [stem(one) if len(one) > 3 else one for one in tokens]


def split(text: str, tokenizer: Callable[[str], list[str]] = tokenize) -> list[list[str]]:
    return [tokenizer(line) for line in text.split("\n")]


def score_texts(hypothesis: str, references: Sequence[str], rule: Rule) -> Triple:
    return score(split(hypothesis), [split(one) for one in references], rule)


def score(hypothesis: Text, references: Sequence[Text], rule: Rule) -> Triple:
    counts = [count(hypothesis, reference, rule) for reference in references]
    if rule.references == "sum":
        return _evaluate(_add(counts), rule)
    scores = [_evaluate(one, rule) for one in counts]
    if rule.references == "mean":
        return _average(scores)
    if rule.references == "jackknife" and len(scores) > 1:
        places = range(len(scores))
        if rule.criterion == "sum":
            kept = [[counts[place] for place in places if place != left] for left in places]
            return _average([_evaluate(_add(some), rule) for some in kept])
        chosen = [[scores[place] for place in places if place != left] for left in places]
        return _average([_choose(some, rule.criterion) for some in chosen])
    return _choose(scores, "recall" if rule.references == "best_recall" else "f1")


def count(hypothesis: Text, reference: Text, rule: Rule) -> Counts:
    left, right = _join(hypothesis), _join(reference)
    if rule.type.isdigit():
        return _count_grams(*(_list_ngrams(side, int(rule.type)) for side in (left, right)))
    if rule.type in ("S", "SU"):
        return _count_grams(*(_list_skips(side, rule) for side in (left, right)))
    if rule.type == "L" and rule.variant != "1.5.5":
        return Counts(_fill_table(right, left)[-1][-1], len(left), len(right))
    if rule.type in ("L", "Lsum"):
        return Counts(_count_union(hypothesis, reference), len(left), len(right))
    if rule.variant == "1.5.5":
        return _count_runs(hypothesis, reference, rule.weight)
    weighted = _fill_weighted(right, left, rule.weight)[-1][-1]
    return Counts(weighted, len(left) ** rule.weight, len(right) ** rule.weight)


def _evaluate(counts: Counts, rule: Rule) -> Triple:
    precision = _divide(counts.hits, counts.hypothesis)
    recall = _divide(counts.hits, counts.reference)
    if rule.type == "W":
        precision, recall = precision ** (1 / rule.weight), recall ** (1 / rule.weight)
    if rule.variant == "1.5.5":
        precision, recall = round(precision, 5), round(recall, 5)
        return precision, recall, round(_weigh(precision, recall, rule.beta), 5)
    return precision, recall, _weigh(precision, recall, rule.beta)


def _weigh(precision: float, recall: float, beta: float) -> float:
    if precision + recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _divide(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _add(counts: Sequence[Counts]) -> Counts:
    return Counts(
        sum(one.hits for one in counts),
        sum(one.hypothesis for one in counts),
        sum(one.reference for one in counts),
    )


def _average(scores: Sequence[Triple]) -> Triple:
    precision, recall, f = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    return precision, recall, f


def _choose(scores: Sequence[Triple], criterion: str) -> Triple:
    return max(scores, key=lambda one: one[2 if criterion == "f1" else 1])


def _join(text: Text) -> list[str]:
    return [token for sentence in text for token in sentence]


def _count_grams(hypothesis: list[Any], reference: list[Any]) -> Counts:
    common = Counter(hypothesis) & Counter(reference)
    return Counts(common.total(), len(hypothesis), len(reference))


def _list_ngrams(tokens: Sentence, n: int) -> list[Any]:
    return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]


def _list_skips(tokens: Sentence, rule: Rule) -> list[Any]:
    places = range(len(tokens))
    pairs: list[Any] = [
        (tokens[first], tokens[second])
        for first in places
        for second in places
        if first < second and (rule.gap is None or second - first - 1 <= rule.gap)
    ]
    if rule.type == "S":
        return pairs
    return pairs + list(tokens[:-1] if rule.variant == "1.5.5" else tokens)


def _fill_table(rows: Sentence, columns: Sentence) -> list[list[float]]:
    return _fill_weighted(rows, columns, 1)


def _fill_weighted(rows: Sentence, columns: Sentence, weight: float) -> list[list[float]]:
    table: list[list[float]] = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    runs = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if row == column:
                run = runs[i][j]
                table[i + 1][j + 1] = table[i][j] + (run + 1) ** weight - run**weight
                runs[i + 1][j + 1] = run + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table


def _mark_union(reference: Sentence, hypothesis: Text, weight: float) -> list[int]:
    union: set[int] = set()
    for sentence in hypothesis:
        table = _fill_weighted(reference, sentence, weight)
        i, j = len(reference), len(sentence)
        while i and j:
            if reference[i - 1] == sentence[j - 1]:
                i, j = i - 1, j - 1
                union.add(i)
            elif table[i - 1][j] >= table[i][j - 1]:
                i -= 1
            else:
                j -= 1
    return sorted(union)


def _count_union(hypothesis: Text, reference: Text) -> int:
    left = Counter(_join(hypothesis))
    hits = 0
    for sentence in reference:
        for place in _mark_union(sentence, hypothesis, 1):
            hits += left[sentence[place]] > 0
            left[sentence[place]] -= 1
    return hits


def _count_runs(hypothesis: Text, reference: Text, weight: float) -> Counts:
    left = Counter(_join(hypothesis))
    hits = 0.0
    for sentence in reference:
        marked, run = _mark_union(sentence, hypothesis, weight), 0
        for place in marked:
            if not left[sentence[place]]:
                continue
            left[sentence[place]] -= 1
            run += 1
            if place + 1 not in marked:
                hits, run = hits + run**weight, 0
    base = sum(len(sentence) ** weight for sentence in reference)
    return Counts(hits, len(_join(hypothesis)) ** weight, base**weight)

"""Measures of one ranking in plain Python, as trec_eval's manual and the papers define them."""

import math
from itertools import chain, permutations, product

Grades = dict[str, int]
Scores = dict[str, float]


def rank(scores: Scores) -> list[str]:
    return sorted(scores, key=lambda name: (scores[name], name.encode()), reverse=True)


def list_orders(scores: Scores) -> list[list[str]]:
    groups = [
        [name for name in scores if scores[name] == score]
        for score in sorted({*scores.values()}, reverse=True)
    ]
    return [[*chain.from_iterable(parts)] for parts in product(*map(permutations, groups))]


def ndcg(ranking: list[str], grades: Grades, k: int | None = None) -> float:
    def add(gains: list[int]) -> float:
        return sum(max(gain, 0) / math.log2(at + 2) for at, gain in enumerate(gains[:k]))

    best = add(sorted(grades.values(), reverse=True))
    return add([grades.get(name, 0) for name in ranking]) / best if best else 0.0


def rr(ranking: list[str], grades: Grades, k: int | None = None, rel: int = 1) -> float:
    hits = [at for at, name in enumerate(ranking[:k], 1) if grades.get(name, -1) >= rel]
    return 1 / hits[0] if hits else 0.0


def ap(ranking: list[str], grades: Grades, k: int | None = None, rel: int = 1) -> float:
    hits = [at for at, name in enumerate(ranking[:k], 1) if grades.get(name, -1) >= rel]
    many = _count(grades, rel)
    return sum(place / at for place, at in enumerate(hits, 1)) / many if many else 0.0


def precision(ranking: list[str], grades: Grades, k: int, rel: int = 1) -> float:
    return sum(grades.get(name, -1) >= rel for name in ranking[:k]) / k


def recall(ranking: list[str], grades: Grades, k: int | None = None, rel: int = 1) -> float:
    many = _count(grades, rel)
    found = sum(grades.get(name, -1) >= rel for name in ranking[:k])
    return found / many if many else 0.0


def success(ranking: list[str], grades: Grades, k: int, rel: int = 1) -> float:
    return float(any(grades.get(name, -1) >= rel for name in ranking[:k]))


def bpref(ranking: list[str], grades: Grades, rel: int = 1) -> float:
    many = _count(grades, rel)
    others = sum(0 <= grade < rel for grade in grades.values())
    above, total = 0, 0.0
    for name in ranking:
        grade = grades.get(name, -1)
        if grade >= rel:
            total += 1 - min(above, many) / min(many, others) if above else 1
        above += 0 <= grade < rel
    return total / many if many else 0.0


def err(ranking: list[str], grades: Grades, k: int | None = None) -> float:
    left, total = 1.0, 0.0
    for at, name in enumerate(ranking[:k], 1):
        chance = (2 ** min(max(grades.get(name, 0), 0), 4) - 1) / 16
        total += left * chance / at
        left *= 1 - chance
    return total


def _count(grades: Grades, rel: int) -> int:
    return sum(grade >= rel for grade in grades.values())

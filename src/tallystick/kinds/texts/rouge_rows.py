"""The tally of ROUGE: precision, recall and F of each example, one set of them for each rule."""

from collections.abc import Iterable
from functools import cache
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.kinds.texts.rouge_reading import Measure, Reading
from tallystick.kinds.texts.text_columns import TextPart
from tallystick.kinds.texts.text_sums import Splitting

Variant = Literal["google", "1.5.5", "paper"]
MultiReference = Literal["best", "best_recall", "sum", "jackknife", "mean"]
Criterion = Literal["f1", "recall", "sum"]
Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

_PARTS = ("precision", "recall", "f1")
_DECIMALS = 5
"""The decimals that ROUGE-1.5.5 prints, from which it computes F."""


class RougeRule(Struct, frozen=True):
    """What is counted, and how the counts of an example become its scores.

    Attributes:
        type: "1" to "9", "L", "Lsum", "W", "S" or "SU".
        references: How several references make one score.
        criterion: How a set that leaves one reference out is scored, for `jackknife`.
        weight: The power that the length of a run is raised to, for "W".
        gap: The most tokens between two, for "S" and "SU"; None is no limit.
        beta: How many times as much recall weighs as precision.
    """

    type: str
    variant: Variant
    references: MultiReference
    criterion: Criterion
    weight: float
    gap: int | None
    beta: float

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of precision, recall and F by this rule."""
        return _name_columns(self)

    @property
    def measure(self) -> Measure:
        """What the kernel is to count."""
        older = self.variant == "1.5.5"
        if self.type == "W":
            return "union_weighted_lcs" if older else "weighted_lcs", self.weight
        if self.type in ("S", "SU"):
            gap = np.inf if self.gap is None else float(self.gap)
            words = "skips_and_first_words" if older else "skips_and_words"
            return words if self.type == "SU" else "skips", gap
        if self.type == "L":
            return "union_lcs" if older else "lcs", 0.0
        return ("union_lcs", 0.0) if self.type == "Lsum" else ("ngrams", float(self.type))

    def score(self, counts: Reals, spans: Integers) -> Reals:
        """Precision, recall and F of each example, from the counts of each reference."""
        terms = self._weigh(counts)
        if len(terms) == len(spans) - 1:  # one reference each, between which nothing chooses
            return self._rate(terms)
        if self.references == "sum":
            return self._rate(np.add.reduceat(terms, spans[:-1]))
        leaves_out = self.references == "jackknife"
        if leaves_out and self.criterion == "sum":
            return _average(self._rate(_leave_out(terms, spans)), spans)
        scores = self._rate(terms)
        if self.references == "mean":
            return _average(scores, spans)
        by_recall = (self.criterion if leaves_out else self.references) in ("recall", "best_recall")
        ranks = scores[:, 1 if by_recall else 2]
        return _jackknife(scores, ranks, spans) if leaves_out else scores[_find_best(ranks, spans)]

    def _weigh(self, counts: Reals) -> Reals:
        """What matches, and what it is divided by; the reference of 1.5.5 is weighted twice."""
        if self.type != "W":
            return counts
        return np.concatenate([counts[:, :1], counts[:, 1:] ** self.weight], axis=1)

    def _rate(self, terms: Reals) -> Reals:
        rates = terms[:, :1] / np.maximum(terms[:, 1:], 1)
        if self.type == "W":
            # The steps of a run may add up to a little more than the weight of the run.
            rates = np.minimum(rates, 1) ** (1 / self.weight)
        if self.variant == "1.5.5":
            rates = _round(rates)
        precision, recall = rates.T
        square = self.beta**2
        total = square * precision + recall
        f = (1 + square) * precision * recall / np.where(total > 0, total, 1)
        return np.stack([precision, recall, _round(f) if self.variant == "1.5.5" else f], axis=-1)


class RougeScores(Splitting, frozen=True):
    """Scores examples by one or several rules that read texts alike."""

    reading: Reading
    rules: tuple[RougeRule, ...]

    @classmethod
    def merge(cls, counters: Iterable[object]) -> "dict[object, RougeScores]":
        """Those of some counters that read alike, each with the one that counts for all of them."""
        rules: dict[Reading, dict[RougeRule, None]] = {}
        own = [counter for counter in counters if isinstance(counter, RougeScores)]
        for counter in own:
            rules.setdefault(counter.reading, {}).update(dict.fromkeys(counter.rules))
        return {one: RougeScores(one.reading, tuple(rules[one.reading])) for one in own}

    def tells(self, wanted: object) -> bool:
        """Whether what it counted tells all that another counter would count."""
        if not isinstance(wanted, RougeScores):
            return False
        return self.reading == wanted.reading and {*wanted.rules} <= {*self.rules}

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of each rule, and the number of examples."""
        return _list_columns(self.rules)

    def split_by(self, tokenizer: str) -> "RougeScores":
        named = self.reading.tokenizer is not None
        return self if named else replace(self, reading=replace(self.reading, tokenizer=tokenizer))

    def rows(self, examples: TextPart) -> Reals:
        measures = tuple(dict.fromkeys(rule.measure for rule in self.rules))
        counts = self.reading.count(examples, measures)
        scores = [
            rule.score(counts[:, measures.index(rule.measure)], examples.spans)
            for rule in self.rules
        ]
        return np.concatenate([*scores, np.ones((len(examples), 1))], axis=1)


@cache
def _name_columns(rule: RougeRule) -> tuple[str, ...]:
    written = repr(rule)
    return tuple(f"{part} {written}" for part in _PARTS)


@cache
def _list_columns(rules: tuple[RougeRule, ...]) -> tuple[str, ...]:
    return (*(column for rule in rules for column in rule.columns), "examples")


def _average(scores: Reals, spans: Integers) -> Reals:
    return np.asarray(np.add.reduceat(scores, spans[:-1]) / np.diff(spans)[:, None])


def _find_best(ranks: Reals, spans: Integers) -> Integers:
    best = np.repeat(np.maximum.reduceat(ranks, spans[:-1]), np.diff(spans))
    places = np.where(ranks == best, np.arange(len(ranks)), len(ranks))
    return np.minimum.reduceat(places, spans[:-1])


def _jackknife(scores: Reals, ranks: Reals, spans: Integers) -> Reals:
    """The mean over the sets without one reference of their best: without the best, the second."""
    best = _find_best(ranks, spans)
    others = ranks.copy()
    others[best] = -1
    sizes = np.diff(spans)[:, None]
    return np.asarray(((sizes - 1) * scores[best] + scores[_find_best(others, spans)]) / sizes)


def _leave_out(terms: Reals, spans: Integers) -> Reals:
    """For each reference the sum of the others of its example; of a single one its own terms."""
    sizes = np.diff(spans)
    others = np.repeat(np.add.reduceat(terms, spans[:-1]), sizes, axis=0) - terms
    return np.where(np.repeat(sizes > 1, sizes)[:, None], others, terms)


def _round(values: Reals) -> Reals:
    """Rounds to five decimals as printf does, which NumPy does not always."""
    rounded = [round(value, _DECIMALS) for value in values.ravel().tolist()]
    return np.array(rounded).reshape(values.shape)

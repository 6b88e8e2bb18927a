"""Tally of ROUGE: how texts are split and stemmed, and precision, recall and F of each example."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import chain
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.io.files.lines import read_lines
from tallystick.kinds.texts.text_columns import Splitting, TextPart, count_threads, spread
from tallystick.kinds.texts.texts import (
    TextExamples,
    Texts,
    TokenExamples,
    encode_texts,
    measure_offsets,
    number_tokens,
    split_strings,
)
from tallystick.model.codes import row_of
from tallystick.tokens.normalizing import PORTER, Sentences, load_stemmer, split_sentences
from tallystick.tokens.tokenizers import Tokenizer, is_native, load_tokenizer

Measure = tuple[str, float]
"""What the kernel counts: the name of an overlap, and its amount."""

StopWords = str | tuple[str, ...] | None
"""Words, or the path of a file with one a line."""

USUAL: Tokenizer = "rouge"
"""What splits texts where nothing else is named."""

_OF_SENTENCES = ("union_lcs", "union_weighted_lcs")
_STEMMED = 4
"""Tokens of at least this many characters are stemmed, as in rouge_score and ROUGE-1.5.5."""


class Reading(Struct, frozen=True):
    """How a text becomes sentences of tokens; the options are those of `ROUGE`.

    Token lists are taken as they are, each as one sentence. Stop words are dropped before others
    are stemmed; line ends are not among the bytes that count.
    """

    tokenizer: Tokenizer | None = None
    stemmer: str | None = None
    stop_words: StopWords = None
    max_words: int | None = None
    max_bytes: int | None = None
    sentences: Sentences = "newline"

    @property
    def _tokenizer(self) -> Tokenizer:
        return USUAL if self.tokenizer is None else self.tokenizer

    def count(self, examples: TextPart, measures: Sequence[Measure]) -> NDArray[np.float64]:
        """Matches, and sizes of hypothesis and reference: of shape (references, measures, 3)."""
        if isinstance(examples, TokenExamples):
            changes = (self.stemmer, self.stop_words, self.max_words, self.max_bytes)
            if any(change is not None for change in changes):
                raise UsageError(
                    "token lists are used as given: leave out stemmer, stop_words, max_words "
                    "and max_bytes, or pass strings"
                )
            own, gold = (
                (tokens.data, tokens.offsets, np.arange(len(tokens) + 1))
                for tokens in (examples.hypotheses, examples.references)
            )
            return _native.count_id_overlaps(
                *own, *gold, examples.spans, list(measures), count_threads()
            )
        if isinstance(mark := self.sentences, str) and mark not in ("newline", "regex"):
            lines = _rewrite(examples, lambda text: text.replace(mark, "\n"))
            return replace(self, sentences="newline").count(lines, measures)
        texts = self._cut(examples)
        if self._tokenizer == "rouge" and self.stemmer in (None, PORTER):
            return self._count_texts(texts, measures)
        counts = np.zeros((len(texts.references), len(measures), 3))
        for by_sentence in (False, True):
            places = [
                place
                for place, (name, _) in enumerate(measures)
                if (name in _OF_SENTENCES) == by_sentence
            ]
            if places:
                chosen = [measures[place] for place in places]
                counts[:, places] = self._count_lists(texts, chosen, by_sentence)
        return counts

    def _count_texts(self, texts: TextExamples, measures: Sequence[Measure]) -> NDArray[np.float64]:
        """In the kernel: to the tokenizer a line end is what any space is."""
        if self.sentences != "newline" and any(name in _OF_SENTENCES for name, _ in measures):
            texts = _rewrite(texts, lambda text: "\n".join(self._split(text)))
        stop_words = encode_texts(sorted(self._load_stop_words()), row_of("stop_words"))
        return _native.count_overlaps(
            *spread(texts),
            stop_words.data,
            stop_words.offsets,
            self.stemmer is not None,
            list(measures),
            count_threads(),
        )

    def _count_lists(
        self, texts: TextExamples, measures: list[Measure], by_sentence: bool
    ) -> NDArray[np.float64]:
        sides = [
            [self._split(text) if by_sentence else [text] for text in side.strings()]
            for side in (texts.hypotheses, texts.references)
        ]
        tokens = number_tokens(*self._prepare([list(chain.from_iterable(side)) for side in sides]))
        left, right = (
            (side.data, side.offsets, measure_offsets(parts))
            for side, parts in zip(tokens, sides, strict=True)
        )
        return _native.count_id_overlaps(*left, *right, texts.spans, measures, count_threads())

    def _split(self, text: str) -> list[str]:
        """The sentences that are not empty, none of which has more than one line."""
        return [one.replace("\n", " ") for one in split_sentences(text, self.sentences) if one]

    def _prepare(self, sides: list[list[str]]) -> list[list[list[str]]]:
        split = [self._tokenize(strings) for strings in sides]
        dropped = self._load_stop_words()
        if not dropped and self.stemmer is None:
            return split
        words = list(set(chain.from_iterable(chain.from_iterable(split))) - dropped)
        stems = dict(zip(words, words, strict=True))
        if self.stemmer is not None:
            long = [word for word in words if len(word) >= _STEMMED]
            stems.update(zip(long, self._stem(long), strict=True))
        return [
            [[stems[token] for token in tokens if token in stems] for tokens in side]
            for side in split
        ]

    def _tokenize(self, strings: list[str]) -> list[list[str]]:
        if not is_native(self._tokenizer):
            return [*map(list, split_strings(strings, load_tokenizer(self._tokenizer)))]
        if self._tokenizer == "words":
            strings = [text.lower() for text in strings]
        joined = encode_texts(strings).split(self._tokenizer).strings()
        return [text.split(" ") if text else [] for text in joined]

    def _stem(self, words: list[str]) -> Sequence[str]:
        if self.stemmer != PORTER:
            return load_stemmer(str(self.stemmer))(words)
        texts = encode_texts([word.lower() for word in words])
        return Texts(*_native.stem_words(texts.data, texts.offsets)).strings()

    def _load_stop_words(self) -> frozenset[str]:
        if isinstance(self.stop_words, str):
            return frozenset(line.strip() for line in read_lines(self.stop_words)) - {""}
        return frozenset(self.stop_words or ())

    def _cut(self, texts: TextExamples) -> TextExamples:
        if self.max_words is not None:
            return _rewrite(texts, partial(_cut_words, self.max_words))
        if self.max_bytes is not None:
            return _rewrite(texts, partial(_cut_bytes, self.max_bytes))
        return texts


def _rewrite(texts: TextExamples, change: Callable[[str], str]) -> TextExamples:
    locate = row_of("the sentences")
    return texts.map(lambda side: encode_texts([*map(change, side.strings())], locate))


def _cut_words(most: int, text: str) -> str:
    """The first words; as in ROUGE-1.5.5 white space that begins a line counts as one."""
    lines = []
    for line in text.split("\n"):
        words = re.split(r"\s+", line.rstrip())[:most]
        lines.append(" ".join(words))
        most -= len(words) if line.strip() else 0
    return "\n".join(lines)


def _cut_bytes(most: int, text: str) -> str:
    """The first bytes; a character that would be cut in two is left out."""
    lines = []
    for line in text.encode().split(b"\n"):
        lines.append(line[:most].decode(errors="ignore"))
        most -= min(len(line), most)
    return "\n".join(lines)


Variant = Literal["google", "1.5.5", "paper"]
MultiReference = Literal["best", "best_recall", "sum", "jackknife", "mean"]
Criterion = Literal["f1", "recall", "sum"]
Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

_PARTS = ("precision", "recall", "f1")
_DECIMALS = 5
"""The decimals that ROUGE-1.5.5 prints, from which it computes F."""


class RougeRule(Struct, frozen=True):
    """What is counted, and how the counts become scores; the options are those of `ROUGE`."""

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
        """Whether what it counted shows all that another counter would count."""
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

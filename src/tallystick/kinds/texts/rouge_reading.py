"""How texts are read for ROUGE: cut, split into sentences and tokens, and stemmed."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.io.files.lines import read_lines
from tallystick.kinds.texts.text_columns import TextPart
from tallystick.kinds.texts.text_sums import count_threads, spread
from tallystick.kinds.texts.texts import (
    TextExamples,
    Texts,
    TokenExamples,
    encode_texts,
    measure_offsets,
)
from tallystick.kinds.texts.token_lists import number_tokens, split_strings
from tallystick.model.codes import row_of
from tallystick.tokens.normalizing import PORTER, load_stemmer
from tallystick.tokens.sentences import Sentences, split_sentences
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
    """How a text becomes sentences of tokens.

    Attributes:
        tokenizer: What splits texts, as rouge_score does where it is None; token lists are taken as
            they are, each as one sentence.
        stemmer: `porter`, a language of Snowball, or None.
        stop_words: Tokens that are dropped before others are stemmed.
        max_words: How many words count, from the start; white space parts them.
        max_bytes: How many bytes count, from the start; line ends are not among them.
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
            return self._count_tokens(examples, measures)
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

    def _count_tokens(
        self, examples: TokenExamples, measures: Sequence[Measure]
    ) -> NDArray[np.float64]:
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

"""ROUGE."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Literal, TypeVar

import numpy as np
from msgspec.structs import asdict, force_setattr

from tallystick.errors import Hint, UsageError
from tallystick.kinds.texts.rouge_rows import (
    USUAL,
    Criterion,
    MultiReference,
    Reading,
    RougeRule,
    RougeScores,
    StopWords,
    Variant,
)
from tallystick.kinds.texts.text_columns import TextMetric
from tallystick.model.facts import Facts
from tallystick.model.tallies.metric import (
    Values,
    check_beta,
    check_number,
    check_whole,
    fold_option,
    show,
)
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.settings import fold_case
from tallystick.tokens.normalizing import Sentences, check_sentences, check_stemmer
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

_NGRAMS = tuple("123456789")
_TYPES: Mapping[str, tuple[str, ...]] = {
    "google": (*_NGRAMS, "L", "Lsum"),
    "1.5.5": (*_NGRAMS, "L", "Lsum", "W", "S", "SU"),
    "paper": ("W", "S", "SU"),
}
"""The types that each variant defines."""

_REFERENCES = ("best", "best_recall", "sum", "jackknife", "mean")
_MEASURES = ("f1", "precision", "recall")
_LOST = 0.1
"""With a larger share of letters ignored, scores are not of these texts."""

Made = TypeVar("Made", Reading, RougeRule)


@cache
def _take_options(metric: "ROUGE", made: type[Made]) -> Made:
    return made(**{name: getattr(metric, name) for name in made.__struct_fields__})


class ROUGE(TextMetric, frozen=True):
    """The overlap of texts and their references: F-score of n-grams, subsequences or word pairs.

    Types are n-grams ("1" to "9"), the longest common subsequence of whole texts ("L") or of
    sentences ("Lsum", which papers call ROUGE-L), a subsequence that prefers runs ("W"), and
    skip-bigrams without and with single words ("S", "SU"). The score of a corpus is the mean over
    examples, of F unless `measure` asks for precision or recall (as `rouge1_recall` does).

    Formula: F = (1 + beta^2) P R / (beta^2 P + R), P and R being matches / size of the text, and
        matches / size of the reference
    Undefined: never; 0 without a match, even between empty texts.
    Source: Lin 2004; variant `google` as rouge_score 0.1.2 to the last bit, `1.5.5` as
        ROUGE-1.5.5.pl without its dictionary, `paper` as Lin 2004 defines W, S and SU.
    """

    counters = (RougeScores,)
    zero = "of what the tokenizer keeps, no part of its outputs is in their references"
    short = "rouge"
    title = "ROUGE"
    type: str = "1"
    variant: Variant | None = None
    references: MultiReference = "best"
    criterion: Criterion = "f1"
    tokenizer: Tokenizer | None = None
    stemmer: str | None = None
    stop_words: StopWords = None
    max_words: int | None = None
    max_bytes: int | None = None
    sentences: Sentences = "newline"
    weight: float = 1.2
    gap: int | None = 4
    beta: float = 1.0
    measure: Literal["f1", "precision", "recall"] = "f1"

    def __post_init__(self) -> None:
        fold_option(self, "type", _TYPES["1.5.5"])
        if self.variant is None:
            usual = "google" if self.type in _TYPES["google"] else "paper"
            force_setattr(self, "variant", usual)
        fold_option(self, "variant", tuple(_TYPES))
        variant = str(self.variant)
        if self.type not in _TYPES[variant]:
            others = " and ".join(name for name, types in _TYPES.items() if self.type in types)
            raise UsageError(
                f"variant {variant} has no ROUGE-{self.type}: take variant {others}, or one of "
                f"the types {', '.join(_TYPES[variant])}"
            )
        fold_option(self, "references", _REFERENCES)
        fold_option(self, "criterion", ("f1", "recall", "sum"))
        fold_option(self, "measure", _MEASURES)
        check_tokenizer(self)
        fold_case(self, "stemmer", ("porter",))
        check_stemmer(self.stemmer)
        fold_case(self, "sentences", ("newline", "regex"))
        check_sentences(self.sentences)
        self._sort_stop_words()
        self._check_numbers()

    @property
    def counter(self) -> RougeScores:
        return RougeScores(_take_options(self, Reading), (self._rule,))

    def score(self, tally: Sums) -> Values:
        column = dict(zip(("precision", "recall", "f1"), self._rule.columns, strict=True))
        return divide(Ratio(tally[column[self.measure]], tally["examples"]), np.nan)

    @property
    def name(self) -> str:
        """The name that papers use, such as `rougeLsum` or `rougeSU4`, with the measure."""
        measure = "" if self.measure == "f1" else f"_{self.measure}"
        return f"rouge{self._variety}{measure}"

    @property
    def full_title(self) -> str:
        """The title of papers, such as `ROUGE-Lsum` or `ROUGE-SU4`, and the measure."""
        measure = "" if self.measure == "f1" else f" {self.measure.title()}"
        return f"{self.title}-{self._variety}{measure}"

    def remark_texts(self, sample: str) -> str | None:
        if self.tokenizer not in (None, USUAL) or sample.isascii():
            return None
        letters = [letter for letter in sample if letter.isalpha()]
        lost = sum(not letter.lower().isascii() for letter in letters) / max(len(letters), 1)
        if lost <= _LOST:
            return None
        return (
            f"{lost:.0%} of the letters of these texts are ignored by {{}}: the usual tokenizer of "
            "ROUGE keeps only a to z; name another one, as in \"ROUGE('1', tokenizer='words')\"."
        )

    def notes(self, tally: object, facts: Facts) -> Iterator[tuple[str, str]]:
        if self.type == "Lsum" and self.sentences == "newline" and not facts.has_lines:
            message = (
                f"{self.name} takes every line as a sentence, and no text has more than one line, "
                "so it is the same as rougeL; \"ROUGE('Lsum', sentences='regex')\" finds sentences "
                "by their punctuation."
            )
            yield Hint(message), ""

    @property
    def _variety(self) -> str:
        gap = ("*" if self.gap is None else self.gap) if self.type in ("S", "SU") else ""
        return f"{self.type}{gap}"

    @property
    def signature(self) -> str:
        """Every option, the usual ones too, and alpha, which ROUGE-1.5.5 has in place of beta."""
        usual = {"tokenizer": USUAL} if self.tokenizer is None else {}
        own = asdict(self) | usual
        options = (f"{name}={show(value)}" for name, value in own.items())
        return f"ROUGE({', '.join(options)})|alpha:{1 / (1 + self.beta**2):g}"

    @property
    def _rule(self) -> RougeRule:
        rule: RougeRule = _take_options(self, RougeRule)
        return rule

    def _sort_stop_words(self) -> None:
        words = self.stop_words
        if words is None or isinstance(words, str):
            return
        if not (isinstance(words, Collection) and all(isinstance(word, str) for word in words)):
            raise UsageError(f"stop_words must be words or the path of a file, not {words!r}")
        force_setattr(self, "stop_words", tuple(sorted(set(words))))

    def _check_numbers(self) -> None:
        if self.max_words is not None and self.max_bytes is not None:
            raise UsageError("max_words and max_bytes exclude each other: give only one")
        for name in ("max_words", "max_bytes"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)
        # Beyond that the doubly weighted length of a million tokens is no float.
        check_number("weight", self.weight, 1, 7)
        if self.beta != 0:
            check_beta(self.beta)
        if self.gap is None:
            return
        if isinstance(self.gap, bool) or not isinstance(self.gap, int):
            raise UsageError(f"gap must be None or a whole number, not {self.gap!r}")
        if self.gap < 0:
            force_setattr(self, "gap", None)

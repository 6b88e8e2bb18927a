"""chrF: matching n-grams of characters and words, and their F."""

from typing import ClassVar

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from tallystick import _native
from tallystick.kinds.texts.bleu import HIGHEST
from tallystick.kinds.texts.text_columns import (
    SegmentScores,
    TextCounter,
    TextMetric,
    TextPart,
    count_threads,
    prepare_texts,
    sign_as_peer,
    spread,
    yes_or_no,
)
from tallystick.model.tallies.metric import Values, check_whole
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer


class CharNgramCounts(TextCounter, frozen=True):
    """Counts character and word n-grams of hypotheses against the reference that fits best.

    `eps_smoothing` chooses it by the smoothed mean over all orders. Without a tokenizer texts stay
    as they are.
    """

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    whitespace: bool = False
    eps_smoothing: bool = False
    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Three counts per order, characters first: of the hypothesis, the reference, and both."""
        orders = range(1, self.char_order + self.word_order + 1)
        kinds = ("hypothesis", "reference", "match")
        return tuple(f"{kind}_{n}" for n in orders for kind in kinds)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        texts = prepare_texts(examples, lowercase=self.lowercase, tokenizer=self.tokenizer)
        return _native.count_char_ngrams(
            *spread(texts),
            self.char_order,
            self.word_order,
            self.whitespace,
            self.beta,
            self.eps_smoothing,
            count_threads(),
        )


_TINY = 1e-16


class ChrF(TextMetric, frozen=True):
    """The F-score of character n-grams, and with `word_order=2` also of word n-grams (chrF++).

    F is computed from the mean precision and the mean recall of the orders for which both sides
    are long enough. With `eps_smoothing` it is the mean of the F of every order, where precision
    or recall without n-grams is 1e-16.

    Formula: 100 (1 + b^2) P R / (b^2 P + R), b the `beta`
    Undefined: never; 0 without a match.
    Source: Popovic 2015 and 2017; values as sacreBLEU 2.6.
    """

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    whitespace: bool = False
    eps_smoothing: bool = False
    lowercase: bool = False
    tokenizer: Tokenizer | None = None

    short = "chrf"
    title = "chrF"
    bounds = (0, 100)
    counters: ClassVar[tuple[type[TextCounter], ...]] = (CharNgramCounts,)
    unit = "characters"
    tests: ClassVar[tuple[str, ...]] = ("sacrebleu-ar", "sacrebleu-bs")
    zero = "no character n-gram of its outputs is in their references"

    ranges: ClassVar = {"char_order": (0, HIGHEST)}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("word_order", self.word_order, 0 if self.char_order else 1, HIGHEST)

    def score(self, tally: Sums) -> Values:
        hypothesis, reference = tally.series("hypothesis"), tally.series("reference")
        match = tally.series("match")
        empty = _TINY if self.eps_smoothing else 0.0
        precision = divide(Ratio(match, hypothesis), empty)
        recall = divide(Ratio(match, reference), empty)
        if self.eps_smoothing:
            by_order = self._combine(precision, recall, _TINY)
            return np.asarray(100 * _add_up(by_order) / by_order.shape[-1])
        both = (hypothesis > 0) & (reference > 0)
        orders = both.sum(-1)
        mean_precision = divide(Ratio(_add_up(precision * both), orders), 0.0)
        mean_recall = divide(Ratio(_add_up(recall * both), orders), 0.0)
        return 100 * self._combine(mean_precision, mean_recall, 0.0)

    def peer_signature(self, references: int | None) -> str | None:
        """The signature of sacreBLEU, given how many references an example has."""
        if self.tokenizer is not None:
            return None
        return sign_as_peer(
            references,
            self.lowercase,
            eff=yes_or_no(not self.eps_smoothing),
            nc=self.char_order,
            nw=self.word_order,
            space=yes_or_no(self.whitespace),
        )

    def _combine(self, precision: Values, recall: Values, empty: float) -> Values:
        square = self.beta**2
        ratio = Ratio((1 + square) * precision * recall, square * precision + recall)
        return np.asarray(divide(ratio, empty))


class SentenceChrF(ChrF, frozen=True):
    """The mean chrF of single segments, which count alike however long they are.

    Formula: mean over examples of chrF
    Undefined: without examples.
    Source: the mean of sacreBLEU's sentence_chrf.
    """

    short = "sentence_chrf"
    title = "Sentence chrF"
    counters = (SegmentScores,)
    tests = ()

    @property
    def counter(self) -> SegmentScores:
        return SegmentScores(ChrF(*astuple(self)))

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["score"], tally["examples"]), np.nan)

    def peer_signature(self, references: int | None) -> str | None:
        return None


def _add_up(values: Values) -> Values:
    """The sum over orders, the lowest first: NumPy's own order would round otherwise."""
    return np.asarray(values.cumsum(-1)[..., -1])

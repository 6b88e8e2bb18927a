"""Counts of matching n-grams of tokens, and the metrics made of them: BLEU, its parts, and GLEU."""

from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.kinds.texts.text_columns import (
    SegmentScores,
    Splitting,
    TextCounter,
    TextMetric,
    TextPart,
    count_threads,
    sign_as_peer,
    spread,
    yes_or_no,
)
from tallystick.kinds.texts.texts import TextExamples, tokenize
from tallystick.model.tallies.metric import Values, check_number
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.settings import freeze_lists
from tallystick.tokens.tokenizers import Tokenizer, is_native

USUAL: Tokenizer = "13a"
"""What splits texts where nothing else is named."""

HIGHEST = 16
"""The longest n-gram that the kernels count."""


class NgramCounts(Splitting, frozen=True):
    """Counts the n-grams that hypotheses share with their references, clipped by the reference.

    Texts are split by 13a where no tokenizer is named; token lists are taken as they are.
    """

    tokenizer: Tokenizer | None = None
    order: int = 4
    lowercase: bool = False
    at_most: ClassVar = tuple((f"correct_{n}", f"total_{n}") for n in range(1, 11))

    @property
    def columns(self) -> tuple[str, ...]:
        """The length of the hypothesis and of the closest reference, then counts per order."""
        return _name_columns(self.order)

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        if isinstance(examples, TextExamples):
            texts = examples.lower() if self.lowercase else examples
            tokenizer = USUAL if self.tokenizer is None else self.tokenizer
            if is_native(tokenizer):
                return _native.count_ngrams(*spread(texts), tokenizer, self.order, count_threads())
            examples = tokenize(texts, tokenizer)
        return _native.count_id_ngrams(*spread(examples), self.order, count_threads())


class GleuCounts(Splitting, frozen=True):
    """Counts n-grams of all orders together that each hypothesis shares with its best reference."""

    columns = ("shared", "ngrams")
    at_most = (columns,)
    tokenizer: Tokenizer | None = None
    order: int = 4
    lowercase: bool = False

    def rows(self, examples: TextPart) -> NDArray[np.int64]:
        apart = examples.split_references()
        counts = NgramCounts(self.tokenizer, self.order, self.lowercase).rows(apart)
        orders = np.arange(self.order)
        shared, own = counts[:, 2 : 2 + self.order].sum(-1), counts[:, 2 + self.order :].sum(-1)
        theirs = np.maximum(counts[:, [1]] - orders, 0).sum(-1)
        ngrams = np.maximum(own, theirs)
        worth = np.where(ngrams > 0, shared / np.maximum(ngrams, 1), -1.0)
        best = np.lexsort((np.arange(len(apart)), -worth, examples.owners))[examples.spans[:-1]]
        return np.stack([shared[best], ngrams[best]], axis=-1)


@cache
def _name_columns(order: int) -> tuple[str, ...]:
    orders = range(1, order + 1)
    return (
        "hypothesis_length",
        "reference_length",
        *(f"correct_{n}" for n in orders),
        *(f"total_{n}" for n in orders),
    )


Precisions = tuple[Values, NDArray[Any], NDArray[Any]]

_USUAL_VALUES = {"floor": 0.1, "add-k": 1.0}
_PEER_TOKENIZERS: dict[Tokenizer, str] = {
    **{name: name for name in ("13a", "char", "intl", "none", "zh")},
    "ja-mecab": "ja-mecab-0.996-IPA",
    "ko-mecab": "ko-mecab-0.996/ko-0.9.2-KO",
}
"""What sacreBLEU's signatures call the tokenizers that it has too."""


class BLEU(TextMetric, frozen=True):
    """The geometric mean of the n-gram precisions, times a penalty for short outputs.

    The reference length is that of the closest reference, and of two the shorter. Smoothing: `exp`
    counts 1/2^k matches for the k-th order without a match, `floor` counts `smooth_value`, and
    `add-k` adds `smooth_value` to the matches and n-grams of every order above 1. The score is 0
    if no output is long enough for an order, unless `effective_order` leaves such orders out;
    scores of single segments always leave them out. `weights` are relative weights of the orders.
    The default tokenizer is 13a, or that of the target language if one is given, as in sacreBLEU.

    Formula: 100 min(1, exp(1 - r / c)) exp(sum of w_n log p_n / sum of w_n)
    Undefined: never; without a match it is 0.
    Source: Papineni et al. 2002; Post 2018; Chen and Cherry 2014 for smoothing; values as sacreBLEU
        2.6.
    """

    tokenizer: Tokenizer | None = None
    smoothing: Literal["exp", "floor", "add-k", "none"] = "exp"
    smooth_value: float | None = None
    effective_order: bool = False
    lowercase: bool = False
    order: int = 4
    weights: tuple[float, ...] | None = None

    short = "bleu"
    title = "BLEU"
    bounds = (0, 100)
    counters: ClassVar[tuple[type[TextCounter], ...]] = (NgramCounts,)
    tests: ClassVar[tuple[str, ...]] = ("sacrebleu-ar", "sacrebleu-bs")
    ranges: ClassVar = {"order": (1, HIGHEST), "smooth_value": (0,)}

    def __post_init__(self) -> None:
        super().__post_init__()
        freeze_lists(self, "weights")
        weights = self.weights
        if weights is None:
            return
        if len(weights) != self.order:
            raise UsageError(f"there are {len(weights)} weights for {self.order} orders")
        for weight in weights:
            check_number("each of weights", weight, 0)
        if not any(weights):
            raise UsageError(f"weights are not all 0, but {weights}")

    def score(self, tally: Sums) -> Values:
        return self.combine(self.precisions(tally), penalise(tally))

    @np.errstate(divide="ignore", invalid="ignore")
    def combine(self, precisions: Precisions, penalty: Values) -> Values:
        """The score of what `precisions` returns and of the brevity penalty."""
        percent, _, total = precisions
        weights = np.ones(self.order) if self.weights is None else np.array(self.weights)
        if self.effective_order:
            weights = weights * (total > 0)
        logs = np.log(np.where(weights > 0, percent, 1.0))
        mean = np.add.reduce(weights * logs, -1) / np.add.reduce(weights, -1)
        # Without a match of single tokens there is none of any order.
        return np.where(percent[..., 0] > 0, penalty * np.exp(mean), 0.0)

    def precisions(self, tally: Sums) -> Precisions:
        """The smoothed precision of each order in percent, its matches, and its n-grams.

        Matches and n-grams hold what `add-k` adds; without any match at all nothing is smoothed.
        """
        correct, total = tally.series("correct"), tally.series("total")
        matched = correct[..., :1] > 0
        if self.smoothing == "add-k":
            added = self._value * matched * (np.arange(self.order) > 0)
            correct, total = correct + added, total + added
        found = correct
        if self.smoothing in ("exp", "floor"):
            missed = (correct == 0) & (total > 0)
            small = self._value if self.smoothing == "floor" else 0.5 ** missed.cumsum(-1)
            found = np.where(missed, small, correct)
        return 100.0 * found / np.where(total > 0, total, 1) * matched, correct, total

    def explain_zero(self, tally: Sums, place: int) -> str:
        correct, total = tally.series("correct")[place], tally.series("total")[place]
        if not total[0]:
            return "all its outputs are empty"
        if not correct[0]:
            return "no word of its outputs is in their references"
        if not total.all():
            words = int(np.argmin(total > 0)) + 1
            return (
                f"no output has {words} words, so there are no {words}-grams "
                "(BLEU(effective_order=True) leaves such orders out)"
            )
        order = int(np.argmin(correct > 0)) + 1
        return f"no {order}-gram of its outputs is in their references"

    def peer_signature(self, references: int | None) -> str | None:
        """The signature of sacreBLEU, given how many references an example has."""
        tokenizer = _PEER_TOKENIZERS.get(USUAL if self.tokenizer is None else self.tokenizer)
        if tokenizer is None or self.weights is not None:
            return None
        value = f"[{self._value:.2f}]" if self.smoothing in _USUAL_VALUES else ""
        smooth = f"{self.smoothing}{value}"
        eff = yes_or_no(self.effective_order)
        return sign_as_peer(references, self.lowercase, eff=eff, tok=tokenizer, smooth=smooth)

    @property
    def _value(self) -> float:
        usual = _USUAL_VALUES.get(self.smoothing, 0.0)
        return usual if self.smooth_value is None else self.smooth_value


class SentenceBLEU(BLEU, frozen=True):
    """The mean BLEU of single segments, each over the orders that its output is long enough for.

    Formula: mean over examples of BLEU with `effective_order`
    Undefined: without examples.
    Source: Chen and Cherry 2014; the mean of sacreBLEU's sentence_bleu.
    """

    effective_order: bool = True

    short = "sentence_bleu"
    title = "Sentence BLEU"
    counters = (SegmentScores,)
    tests = ()

    @property
    def counter(self) -> SegmentScores:
        return SegmentScores(BLEU(*astuple(self)))

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["score"], tally["examples"]), np.nan)

    def explain_zero(self, tally: Sums, place: int) -> str:
        return "no word of its outputs is in their references"

    def peer_signature(self, references: int | None) -> str | None:
        return None


class _Part(TextMetric, frozen=True):
    """A part of BLEU that follows from the lengths of texts."""

    tokenizer: Tokenizer | None = None
    lowercase: bool = False

    counters = (NgramCounts,)


class BrevityPenalty(_Part, frozen=True):
    """The factor by which BLEU lowers the score of outputs shorter than their references.

    Formula: min(1, exp(1 - r / c)), r the references' length and c the hypotheses', in tokens
    Undefined: never; 0 if all outputs are empty and some reference is not.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    short = "brevity_penalty"
    zero = "all its outputs are empty"

    def score(self, tally: Sums) -> Values:
        return penalise(tally)


@np.errstate(divide="ignore", invalid="ignore")
def penalise(tally: Sums) -> Values:
    """The brevity penalty; r / c is infinite or, where both are 0, NaN, which counts as 1."""
    ratio = tally["reference_length"] / tally["hypothesis_length"]
    return np.asarray(np.exp(np.fmin(1 - ratio, 0)))


class NgramPrecision(TextMetric, frozen=True):
    """The share of n-grams of the outputs that occur in a reference, counted at most as often.

    Formula: sum of min(count, highest count in one reference) / sum of count, over n-grams
    Undefined: where no hypothesis has n tokens.
    Source: Papineni et al. 2002; values as NLTK's modified_precision.
    """

    n: int = 1
    tokenizer: Tokenizer | None = None
    lowercase: bool = False

    short = "ngram_precision"
    title = "N-gram Precision"
    counters = (NgramCounts,)
    zero = "no n-gram of this order in its outputs is in their references"
    ranges: ClassVar = {"n": (1, HIGHEST)}

    @property
    def counter(self) -> NgramCounts:
        return NgramCounts(self.tokenizer, max(self.n, 4), self.lowercase)

    def score(self, tally: Sums) -> Values:
        found, all_ngrams = tally[f"correct_{self.n}"], tally[f"total_{self.n}"]
        return np.asarray(divide(Ratio(found, all_ngrams), np.nan))


class HypothesisLength(_Part, frozen=True):
    """The number of tokens in the outputs.

    Formula: sum of the lengths of the hypotheses
    Undefined: never.
    Source: Papineni et al. 2002; values as sacreBLEU's sys_len.
    """

    short = "hypothesis_length"
    better = "neither"
    bounds = (0, float("inf"))
    adds_up = True

    def score(self, tally: Sums) -> Values:
        return tally["hypothesis_length"]


class ReferenceLength(_Part, frozen=True):
    """The number of tokens in the references closest in length to their outputs.

    Formula: sum of the lengths of the closest references; of two equally close, the shorter
    Undefined: never.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    short = "reference_length"
    better = "neither"
    bounds = (0, float("inf"))
    adds_up = True

    def score(self, tally: Sums) -> Values:
        return tally["reference_length"]


class GLEU(TextMetric, frozen=True):
    """The lower of precision and recall of n-grams, all orders counted together.

    Of several references, the one with the highest score counts.

    Formula: sum of shared n-grams / sum of max(n-grams of hypothesis, n-grams of reference), of
        the tally `GleuCounts`
    Undefined: never; 0 if neither side has an n-gram.
    Source: Wu et al. 2016, arXiv 1609.08144; values as NLTK's corpus_gleu, and with 13a, the usual
        tokenizer, as google_bleu of Hugging Face's evaluate.
    """

    tokenizer: Tokenizer | None = None
    order: int = 4
    lowercase: bool = False

    short = "gleu"
    title = "GLEU"
    counters = (GleuCounts,)
    zero = "no token of its outputs is in their references"
    ranges: ClassVar = {"order": (1, HIGHEST)}

    def score(self, tally: Sums) -> Values:
        return np.asarray(divide(Ratio(tally["shared"], tally["ngrams"]), 0.0))

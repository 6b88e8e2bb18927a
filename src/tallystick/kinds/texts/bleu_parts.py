"""The parts of BLEU: brevity penalty, n-gram precision and lengths; and GLEU beside them."""

from typing import final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.texts.ngrams import GleuCounts, NgramCounts, check_order
from tallystick.kinds.texts.text_columns import TextMetric
from tallystick.tallies.metric import Values
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.sums import Sums
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer


@dataclass(frozen=True, slots=True, repr=False)
class _Part(TextMetric):
    """A part of BLEU that follows from the lengths of texts."""

    tokenizer: Tokenizer | None = None
    lowercase: bool = False

    counters = (NgramCounts,)

    def __post_init__(self) -> None:
        check_tokenizer(self)


@final
@dataclass(frozen=True, slots=True, repr=False)
class BrevityPenalty(_Part):
    """What BLEU is multiplied by where hypotheses are shorter than their closest references.

    Formula: min(1, exp(1 - r / c)), r the references' length and c the hypotheses', in tokens
    Undefined: never; 0 for empty hypotheses of references that are not empty.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    short = "brevity_penalty"
    title = "Brevity Penalty"
    zero = "all its outputs are empty"

    def score(self, tally: Sums) -> Values:
        return penalise(tally)


@np.errstate(divide="ignore", invalid="ignore")
def penalise(tally: Sums) -> Values:
    """The brevity penalty; r / c is infinite or, where both are 0, NaN, which counts as 1."""
    ratio = tally["reference_length"] / tally["hypothesis_length"]
    return np.asarray(np.exp(np.fmin(1 - ratio, 0)))


@final
@dataclass(frozen=True, slots=True, repr=False)
class NgramPrecision(TextMetric):
    """The share of the hypotheses' n-grams that a reference has, clipped to its count there.

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

    def __post_init__(self) -> None:
        check_tokenizer(self)
        check_order("n", self.n)

    @property
    def counter(self) -> NgramCounts:
        return NgramCounts(self.tokenizer, max(self.n, 4), self.lowercase)

    def score(self, tally: Sums) -> Values:
        found, all_ngrams = tally[f"correct_{self.n}"], tally[f"total_{self.n}"]
        return np.asarray(divide(Ratio(found, all_ngrams), np.nan))


@final
@dataclass(frozen=True, slots=True, repr=False)
class HypothesisLength(_Part):
    """The number of tokens in the hypotheses.

    Formula: sum of the lengths of the hypotheses
    Undefined: never.
    Source: Papineni et al. 2002; values as sacreBLEU's sys_len.
    """

    short = "hypothesis_length"
    title = "Hypothesis Length"
    better = "neither"
    bounds = (0, float("inf"))
    adds_up = True

    def score(self, tally: Sums) -> Values:
        return tally["hypothesis_length"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class ReferenceLength(_Part):
    """The number of tokens in the references that are closest in length to their hypotheses.

    Formula: sum of the length of the closest reference; of two as close, the shorter
    Undefined: never.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    short = "reference_length"
    title = "Reference Length"
    better = "neither"
    bounds = (0, float("inf"))
    adds_up = True

    def score(self, tally: Sums) -> Values:
        return tally["reference_length"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class GLEU(TextMetric):
    """How many n-grams of all orders are shared, of those of the side that has more of them.

    That is the lower of precision and recall. Of several references the one counts that scores an
    example highest.

    Formula: sum of shared n-grams / sum of max(n-grams of hypothesis, n-grams of reference), of
        the tally `GleuCounts`
    Undefined: never; 0 where there is no n-gram at all.
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

    def __post_init__(self) -> None:
        check_tokenizer(self)
        check_order("order", self.order)

    def score(self, tally: Sums) -> Values:
        return np.asarray(divide(Ratio(tally["shared"], tally["ngrams"]), 0.0))

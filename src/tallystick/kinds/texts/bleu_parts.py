"""The parts of BLEU: brevity penalty, n-gram precision and lengths; and GLEU beside them."""

from typing import ClassVar, final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.texts.ngrams import GleuCounts, NgramCounts, check_order
from tallystick.kinds.texts.text_columns import TextMetric
from tallystick.tallies.metric import Direction, Values
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer


@final
@dataclass(frozen=True, slots=True, repr=False)
class BrevityPenalty(TextMetric):
    """What BLEU is multiplied by where hypotheses are shorter than their closest references.

    Formula: min(1, exp(1 - r / c)), r the references' length and c the hypotheses', in tokens
    Undefined: never; 0 for empty hypotheses of references that are not empty.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    tokenizer: Tokenizer | None = None
    lowercase: bool = False

    short: ClassVar[str] = "brevity_penalty"
    title: ClassVar[str] = "Brevity Penalty"
    counters: ClassVar[tuple[type[Counter], ...]] = (NgramCounts,)
    zero: ClassVar[str] = "all its outputs are empty"

    def __post_init__(self) -> None:
        check_tokenizer(self)

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

    short: ClassVar[str] = "ngram_precision"
    title: ClassVar[str] = "N-gram Precision"
    counters: ClassVar[tuple[type[Counter], ...]] = (NgramCounts,)
    zero: ClassVar[str] = "no n-gram of this order in its outputs is in their references"

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
class HypothesisLength(TextMetric):
    """The number of tokens in the hypotheses.

    Formula: sum of the lengths of the hypotheses
    Undefined: never.
    Source: Papineni et al. 2002; values as sacreBLEU's sys_len.
    """

    tokenizer: Tokenizer | None = None
    lowercase: bool = False

    short: ClassVar[str] = "hypothesis_length"
    title: ClassVar[str] = "Hypothesis Length"
    better: ClassVar[Direction] = "neither"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type[Counter], ...]] = (NgramCounts,)
    adds_up: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tokenizer(self)

    def score(self, tally: Sums) -> Values:
        return tally["hypothesis_length"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class ReferenceLength(TextMetric):
    """The number of tokens in the references that are closest in length to their hypotheses.

    Formula: sum of the length of the closest reference; of two as close, the shorter
    Undefined: never.
    Source: Papineni et al. 2002; values as sacreBLEU 2.6.
    """

    tokenizer: Tokenizer | None = None
    lowercase: bool = False

    short: ClassVar[str] = "reference_length"
    title: ClassVar[str] = "Reference Length"
    better: ClassVar[Direction] = "neither"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type[Counter], ...]] = (NgramCounts,)
    adds_up: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_tokenizer(self)

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

    short: ClassVar[str] = "gleu"
    title: ClassVar[str] = "GLEU"
    counters: ClassVar[tuple[type[Counter], ...]] = (GleuCounts,)
    zero: ClassVar[str] = "no token of its outputs is in their references"

    def __post_init__(self) -> None:
        check_tokenizer(self)
        check_order("order", self.order)

    def score(self, tally: Sums) -> Values:
        return np.asarray(divide(Ratio(tally["shared"], tally["ngrams"]), 0.0))

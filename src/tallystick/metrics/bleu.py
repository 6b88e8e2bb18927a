"""BLEU."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.brevity_penalty import BrevityPenalty
from tallystick.metrics.metric import Direction, Metric, Values, check_option
from tallystick.metrics.text import check_order, score_once
from tallystick.tallies.ngrams import NgramCounts
from tallystick.tallies.sums import SumsTally
from tallystick.tokens.tokenizers import Tokenizer, check_tokenizer

__all__ = ["BLEU"]

_SMOOTHINGS = ("exp", "floor", "add-k", "none")
_USUAL_VALUES = {"floor": 0.1, "add-k": 1.0}
_PEER_TOKENIZERS: dict[Tokenizer, str] = {
    **{name: name for name in ("13a", "char", "intl", "none", "zh")},
    "ja-mecab": "ja-mecab-0.996-IPA",
    "ko-mecab": "ko-mecab-0.996/ko-0.9.2-KO",
}
"""What sacreBLEU's signatures call the tokenizers that it has too."""


@final
@dataclass(frozen=True, slots=True, repr=False)
class BLEU(Metric):
    """The geometric mean of n-gram precisions, with a penalty for being short.

    With `exp` smoothing the k-th order without a match counts 1/2^k matches, `floor` gives each
    such order `smooth_value` matches, and `add-k` adds `smooth_value` to matches and n-grams of
    every order above 1. An order that no hypothesis is long enough for makes the score 0, unless
    `effective_order` leaves it out. The closest reference length is taken, of two the shorter.
    `weights` weigh the orders against each other, whatever their sum.

    Formula: 100 min(1, exp(1 - r / c)) exp(sum of w_n log p_n / sum of w_n)
    Undefined: never; without a match it is 0.
    Source: Papineni et al. 2002; Post 2018; Chen and Cherry 2014 for smoothing; values as sacreBLEU
        2.6.
    """

    tokenizer: Tokenizer = "13a"
    smoothing: Literal["exp", "floor", "add-k", "none"] = "exp"
    smooth_value: float | None = None
    effective_order: bool = False
    lowercase: bool = False
    order: int = 4
    weights: tuple[float, ...] | None = None

    short: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 100)
    counters: ClassVar[tuple[type, ...]] = (NgramCounts,)

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenizer)
        check_option("smoothing", self.smoothing, _SMOOTHINGS)
        check_order("order", self.order)
        if self.smooth_value is not None and not self.smooth_value >= 0:
            raise UsageError(f"smooth_value is a number from 0 on, not {self.smooth_value}")
        self._check_weights()

    @property
    def counter(self) -> NgramCounts:
        return NgramCounts(self.tokenizer, self.order, self.lowercase)

    def __call__(self, hypotheses: object, references: object) -> float:
        """The corpus score of hypotheses against references, as one number."""
        return score_once(self, hypotheses, references)

    def score(self, tally: SumsTally) -> Values:
        percent, _, total = self.precisions(tally)
        kept = _long_enough(total) if self.effective_order else np.ones_like(total, np.bool_)
        weights = kept * (1.0 if self.weights is None else np.array(self.weights))
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(weights > 0, percent, 1.0))
        mean = divide(Ratio((weights * logs).sum(-1), weights.sum(-1)), -np.inf)
        score = BrevityPenalty().score(tally) * np.exp(mean)
        return np.asarray(np.where(tally.series("correct").any(-1), score, 0.0))

    def precisions(self, tally: SumsTally) -> tuple[Values, NDArray[Any], NDArray[Any]]:
        """The smoothed precision of each order in percent, its matches, and its n-grams.

        Matches and n-grams hold what `add-k` adds; without any match at all nothing is smoothed.
        """
        correct, total = tally.series("correct"), tally.series("total")
        matched = correct.any(-1, keepdims=True)
        if self.smoothing == "add-k":
            added = self._value * matched * (np.arange(self.order) > 0)
            correct, total = correct + added, total + added
        long_enough = _long_enough(total)
        missed = long_enough & (correct == 0)
        found = correct.astype(np.float64)
        if self.smoothing == "exp":
            found = np.where(missed, 0.5 ** np.cumsum(missed, -1), found)
        elif self.smoothing == "floor":
            found = np.where(missed, self._value, found)
        percent = 100.0 * found / np.where(long_enough, total, 1)
        return np.asarray(np.where(long_enough & matched, percent, 0.0)), correct, total

    def peer_signature(self, references: int | None) -> str | None:
        if self.tokenizer not in _PEER_TOKENIZERS or self.weights is not None:
            return None
        value = f"[{self._value:.2f}]" if self.smoothing in _USUAL_VALUES else ""
        return "|".join(
            [
                f"nrefs:{references or 'var'}",
                f"case:{'lc' if self.lowercase else 'mixed'}",
                f"eff:{'yes' if self.effective_order else 'no'}",
                f"tok:{_PEER_TOKENIZERS[self.tokenizer]}",
                f"smooth:{self.smoothing}{value}",
                "version:2.6.0",
            ]
        )

    @property
    def _value(self) -> float:
        usual = _USUAL_VALUES.get(self.smoothing, 0.0)
        return usual if self.smooth_value is None else self.smooth_value

    def _check_weights(self) -> None:
        weights = self.weights
        if weights is None:
            return
        if len(weights) != self.order:
            raise UsageError(f"there are {len(weights)} weights for {self.order} orders")
        if not (all(weight >= 0 for weight in weights) and any(weights)):
            raise UsageError(f"weights are numbers from 0 on, not all 0, but {weights}")


def _long_enough(total: NDArray[Any]) -> NDArray[np.bool_]:
    """The orders that some hypothesis is long enough for, up to the first that none is."""
    return np.logical_and.accumulate(total > 0, axis=-1)

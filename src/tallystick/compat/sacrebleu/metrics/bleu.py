"""BLEU with sacreBLEU's arguments."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from tallystick.compat.sacrebleu.metrics.base import Metric, Score, Streams
from tallystick.kinds.texts import bleu
from tallystick.kinds.texts.bleu import penalise
from tallystick.model.tallies.sums import Sums

__all__ = ["BLEU", "BLEUScore", "Smoothing"]

Smoothing = Literal["exp", "floor", "add-k", "none"]

BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The usual tokenizer of each language that has one of its own."""


class BLEUScore(Score, frozen=True):
    """A BLEU score and what it was computed from; lists hold one number for each order."""

    counts: list[int]
    totals: list[int]
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int

    name: ClassVar[str] = "BLEU"

    @property
    def ratio(self) -> float:
        """The length of the hypotheses by that of the references."""
        return self.sys_len / self.ref_len if self.ref_len else 0

    @property
    def prec_str(self) -> str:
        """The precisions with one decimal."""
        return "/".join(f"{precision:.1f}" for precision in self.precisions)

    @property
    def _verbose(self) -> str:
        return (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )


class BLEU(Metric[BLEUScore]):
    """BLEU with sacreBLEU's arguments."""

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = {
        "none": None,
        "floor": 0.1,
        "add-k": 1,
        "exp": None,
    }
    TOKENIZERS: ClassVar[Sequence[str]] = [
        "none",
        "zh",
        "13a",
        "intl",
        "char",
        "ja-mecab",
        "ko-mecab",
    ]
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: Smoothing = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
    ) -> None:
        del force  # sacreBLEU's warning about tokenised input is not given here
        metric = bleu.BLEU(
            tokenizer=tokenize or BY_LANGUAGE.get(trg_lang, self.TOKENIZER_DEFAULT),
            smoothing=smooth_method,
            smooth_value=smooth_value,
            effective_order=effective_order,
            lowercase=lowercase,
            order=max_ngram_order,
        )
        Metric.__init__(self, metric, references)

    @staticmethod
    def compute_bleu(
        correct: Sequence[float],
        total: Sequence[float],
        sys_len: int,
        ref_len: int,
        smooth_method: Smoothing = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = 4,
    ) -> BLEUScore:
        """The score of what a corpus counts: n-grams by order, those that match, and lengths."""
        metric = BLEU(
            smooth_method=smooth_method,
            smooth_value=smooth_value,
            effective_order=effective_order,
            max_ngram_order=max_ngram_order,
        )
        counts = [sys_len, ref_len, *correct[:max_ngram_order], *total[:max_ngram_order]]
        return metric._compute_score_from_stats(counts)

    def _present(self, tally: Sums) -> BLEUScore:
        precisions, correct, total = parts = self._metric.precisions(tally)
        penalty = penalise(tally)
        return BLEUScore(
            float(self._metric.combine(parts, penalty)[0]),
            correct[0].tolist(),
            total[0].tolist(),
            precisions[0].tolist(),
            float(penalty[0]),
            int(tally["hypothesis_length"][0]),
            int(tally["reference_length"][0]),
        )

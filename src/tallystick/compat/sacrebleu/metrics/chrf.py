"""The chrF metric with sacreBLEU's arguments."""

from typing import ClassVar

from tallystick.compat.sacrebleu.metrics.base import Metric, Score, Streams
from tallystick.kinds.texts import chrf
from tallystick.model.tallies.sums import Sums

__all__ = ["CHRF", "CHRFScore"]


class CHRFScore(Score, frozen=True):
    """A chrF score and the options in its name."""

    char_order: int
    word_order: int
    beta: float

    @property
    def name(self) -> str:
        """The metric's name, such as chrF2++."""
        return f"chrF{self.beta}{'+' * self.word_order}"


class CHRF(Metric[CHRFScore]):
    """The chrF metric with sacreBLEU's arguments."""

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: float = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        metric = chrf.ChrF(char_order, word_order, beta, whitespace, eps_smoothing, lowercase)
        Metric.__init__(self, metric, references)

    def _present(self, tally: Sums) -> CHRFScore:
        metric = self._metric
        score = float(metric.score(tally)[0])
        return CHRFScore(score, metric.char_order, metric.word_order, metric.beta)

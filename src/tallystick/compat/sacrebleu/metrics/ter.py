"""TER with sacreBLEU's arguments."""

from collections.abc import Mapping
from typing import ClassVar

from tallystick.compat.sacrebleu.metrics.base import Metric, Score, Streams
from tallystick.kinds.texts import edit_rates
from tallystick.model.tallies.sums import Sums

__all__ = ["TER", "TERScore"]


class TERScore(Score, frozen=True):
    """A TER score and what it was computed from."""

    num_edits: int
    ref_length: float

    name: ClassVar[str] = "TER"


class TER(Metric[TERScore]):
    """TER with sacreBLEU's arguments."""

    _short: ClassVar[Mapping[str, str]] = {**Metric._short, "tok": "t"}

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
    ) -> None:
        metric = edit_rates.TER(normalized, no_punct, asian_support, case_sensitive)
        Metric.__init__(self, metric, references)

    def _present(self, tally: Sums) -> TERScore:
        score = float(self._metric.score(tally)[0])
        return TERScore(score, int(tally["edits"][0]), float(tally["reference_length"][0]))

"""Kendall's tau-b and tau-c."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.moments import check_column
from tallystick.tallies.cells import Cells
from tallystick.tallies.number_cells import NumberCells
from tallystick.tallies.ranks import Pairs, find_rises
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class KendallTauB(Metric):
    """How often numbers order two examples as gold does, where ties count on both sides.

    Formula: (concordant - discordant pairs) / square root of (pairs of different gold *
        pairs of different outputs)
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Kendall 1945, Biometrika 33; values as scipy.stats.kendalltau.
    """

    column: str | None = None

    short: ClassVar[str] = "kendall_tau_b"
    title: ClassVar[str] = "Kendall's Tau-b"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberCells,)

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def counter(self) -> NumberCells:
        return NumberCells(self.column)

    def score(self, tally: Cells) -> Values:
        own = Pairs.of(tally)
        ratio = Ratio(own.excess, np.sqrt(own.gold) * np.sqrt(own.output))
        return np.clip(divide(ratio, np.nan), -1, 1)

    def slopes(self, tally: Cells) -> Values:
        own, at = Pairs.of(tally), tally.owners
        scales = np.sqrt(own.gold) * np.sqrt(own.output), own.gold, own.output
        ratios = [
            divide(Ratio(rise, value[..., at]), 0.0)
            for rise, value in zip(find_rises(tally), scales, strict=True)
        ]
        return ratios[0] - self.score(tally)[..., at] * (ratios[1] + ratios[2]) / 2


@final
@dataclass(frozen=True, slots=True, repr=False)
class KendallTauC(Metric):
    """How often numbers order two examples as gold does, for scales of unlike length.

    It can reach 1 where gold has more distinct numbers than outputs, or fewer, as tau-b cannot.

    Formula: 2 m (concordant - discordant pairs) / (n^2 (m - 1)), where m is how many distinct
        numbers the side with fewer of them has
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Stuart 1953, Biometrika 40; values as scipy.stats.kendalltau with variant="c".
    """

    column: str | None = None

    short: ClassVar[str] = "kendall_tau_c"
    title: ClassVar[str] = "Kendall's Tau-c"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberCells,)

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def counter(self) -> NumberCells:
        return NumberCells(self.column)

    def score(self, tally: Cells) -> Values:
        own = Pairs.of(tally)
        ratio = Ratio(2 * own.excess * own.distinct, own.examples**2 * (own.distinct - 1))
        return np.clip(divide(ratio, np.nan), -1, 1)

    def slopes(self, tally: Cells) -> Values:
        own, at = Pairs.of(tally), tally.owners
        rise, _, _ = find_rises(tally)
        share = divide(Ratio(2 * own.distinct, own.examples**2 * (own.distinct - 1)), 0.0)
        return share[..., at] * (rise - 2 * (own.excess / np.maximum(own.examples, 1))[..., at])

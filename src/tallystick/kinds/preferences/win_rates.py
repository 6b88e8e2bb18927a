"""Win rates, and how far the order of both answers decides them."""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import Danger, UsageError
from tallystick.kinds.preferences import PREFERENCES
from tallystick.kinds.preferences.battles import Battles
from tallystick.model.codes import Label
from tallystick.model.facts import Facts
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Metric, Values, check_option, show
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums, sum_values
from tallystick.model.tallies.tally import Tally, need

_ROW = ("points", "games")
_ORDERS = ("first_points", "first_games", "second_points", "second_games")


class BattlePoints(Struct, frozen=True):
    """Sums what each system has of its games.

    Attributes:
        baseline: The only opponent that counts; None takes all. Against itself it always ties.
        by_order: Whether games are summed by the place of the answer.
    """

    kind = PREFERENCES
    baseline: str | None = None
    by_order: bool = False
    at_most: ClassVar = (_ROW, _ORDERS[:2], _ORDERS[2:])

    @property
    def columns(self) -> tuple[str, ...]:
        """The points and the games, in all or with the answer first and second."""
        return _ORDERS if self.by_order else _ROW

    def count(self, systems: Systems) -> Sums:
        battles = PREFERENCES.of(systems)
        opponent = find_baseline(self.baseline, battles.known)
        rows = [self._count_rows(battles, place, opponent) for place in battles.places]
        return sum_values(self, systems, np.stack(rows, axis=1))

    def _count_rows(
        self, battles: Battles, place: int, opponent: int | None
    ) -> NDArray[np.float64]:
        counted = []
        for at, points in enumerate((battles.points, 1 - battles.points)):
            own = battles.sides[at] == place
            if place == opponent:
                points = np.full(len(points), 0.5)  # noqa: PLW2901
            elif opponent is not None:
                own &= battles.sides[1 - at] == opponent
            games = own * battles.games * (battles.ordered if self.by_order else 1)
            counted.append(np.stack([points * games, games], axis=1))
        return np.concatenate(counted, axis=1) if self.by_order else counted[0] + counted[1]


def check_baseline(baseline: object) -> None:
    """Raises a UsageError unless it is None or can be the name of a system."""
    if not isinstance(baseline, str | None):
        raise UsageError(f"baseline must be the name of a system, in quotes, not {show(baseline)}")


def find_baseline(baseline: str | None, known: Sequence[Label]) -> int | None:
    """Which of the known systems the baseline is; None without one."""
    if baseline is not None and baseline not in known:
        raise UsageError(
            f"there is no system {baseline!r} to take as the baseline, only "
            f"{', '.join(map(str, known))}"
        )
    return None if baseline is None else known.index(baseline)


class WinRate(Metric, frozen=True):
    """The share of games that a system wins; ties count half.

    With a baseline, only games against it count, and its own rate is one half. Balanced, it is the
    mean of the rates with the system's answer first and second.

    Formula: (wins + ties / 2) / games
    Undefined: without games; if balanced, also without games in one of the orders.
    Source: Li et al. 2023 (AlpacaEval), whose win_rate is 100 times as large; arena-hard counts a
        strong verdict such as A>>B for three games.
    """

    baseline: str | None = None
    balanced: bool = False

    short = "win_rate"
    counters = (BattlePoints,)
    zero = "it wins no game and ties none"

    def __post_init__(self) -> None:
        check_baseline(self.baseline)
        check_option("balanced", self.balanced, (False, True))

    @property
    def counter(self) -> BattlePoints:
        return BattlePoints(self.baseline, self.balanced)

    @property
    def name(self) -> str:
        return f"balanced_{self.short}" if self.balanced else self.short

    def explain_undefined(self, tally: Tally) -> str:
        text = "because none of its games counts"
        text += "" if self.baseline is None else f": it played none against {self.baseline}"
        return f"{text} with its answer first, or second" if self.balanced else text

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        if self.baseline is not None:
            yield Danger("{} alone."), f"{self.name} counts games against {self.baseline}"

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str] | None:
        """What the baseline scores is fixed by definition."""
        if tally.systems != (self.baseline,):
            return None
        scores = self.score(need(tally, Sums))
        return scores, scores, "fixed"

    def score(self, tally: Sums) -> Values:
        if not self.balanced:
            return divide(Ratio(tally["points"], tally["games"]), math.nan)
        rates = [
            divide(Ratio(tally[f"{order}_points"], tally[f"{order}_games"]), math.nan)
            for order in ("first", "second")
        ]
        return np.asarray((rates[0] + rates[1]) / 2)


class SwappedVerdicts(Struct, frozen=True):
    """Sums pairs of verdicts on the same two answers in both orders, and those that turn.

    Verdicts are paired by prompt, both systems and judge; a verdict is who has more of the games.
    """

    kind = PREFERENCES
    columns = ("turned", "pairs")
    at_most = (("turned", "pairs"),)
    """The pairs that turn, and all pairs."""

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's pairs by group, each with the first of its battles."""
        battles = PREFERENCES.of(systems)
        own = (battles.sides[:, :, None] == np.array(battles.places)).any(0)
        paired = ~np.isnan(battles.turned)[:, None] & own
        turned = paired & (battles.turned[:, None] == 1)
        return sum_values(self, systems, np.stack([turned, paired], -1).astype(np.float64))


class PositionFlips(Metric, frozen=True):
    """The share of verdicts on a system that change if both answers are shown in reverse order.

    Formula: pairs of games in both orders whose verdicts differ / such pairs
    Undefined: if no two answers were judged in both orders by the same judge; AlpacaEval's files
        do not say which answer came first.
    Source: 1 minus the position consistency of Shi et al. 2024, arXiv 2406.07791.
    """

    short = "position_flips"
    better = "lower"
    counters = (SwappedVerdicts,)

    def explain_undefined(self, tally: Tally) -> str:
        return "because no two answers were judged in both orders by the same judge"

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["turned"], tally["pairs"]), math.nan)

"""How intervals are made: their level, and how many draws from which seed."""

from dataclasses import dataclass

from tallystick.errors import UsageError

__all__ = ["Intervals", "settle"]


@dataclass(frozen=True, slots=True)
class Intervals:
    """How intervals are made.

    Attributes:
        level: The share of samples whose interval is to hold the true value, between 0 and 1.
        draws: How many replicates are drawn where no formula gives the interval; at least 100.
        seed: Where the draws begin; the same seed gives the same intervals.
    """

    level: float = 0.95
    draws: int = 1000
    seed: int = 12345

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise UsageError(f"the level of an interval lies between 0 and 1, not at {self.level}")
        if self.draws < 100:
            raise UsageError(f"{self.draws} draws are too few for an interval; name 100 or more")
        if self.seed < 0:
            raise UsageError(f"a seed is a whole number from 0 on, not {self.seed}")


def settle(intervals: Intervals | bool) -> Intervals | None:
    """The settings that are meant: True stands for the usual ones, False for no intervals."""
    if isinstance(intervals, Intervals):
        return intervals
    return Intervals() if intervals else None

"""How intervals are made: their confidence level, and how many resamples from which seed."""

from dataclasses import dataclass

from tallystick.errors import UsageError

__all__ = ["Intervals", "check_settings", "settle"]


@dataclass(frozen=True, slots=True)
class Intervals:
    """How intervals are made.

    Attributes:
        confidence: The share of samples whose interval is to hold the true value: between 0 and 1.
        resamples: How many bootstrap resamples are drawn where no formula gives the interval; at
            least 100.
        random_seed: Where the random numbers begin; the same seed gives the same intervals.
    """

    confidence: float = 0.95
    resamples: int = 1000
    random_seed: int = 12345

    def __post_init__(self) -> None:
        """Checks the options."""
        check_settings(self.confidence, self.resamples, self.random_seed)


def check_settings(confidence: object, resamples: object, random_seed: object) -> None:
    """Raises a UsageError unless these are settings that intervals can be made with."""
    if not (isinstance(confidence, int | float) and 0 < confidence < 1):
        raise UsageError(f"a confidence level lies between 0 and 1, not at {confidence!r}")
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 100:
        raise UsageError(f"{resamples!r} resamples are too few for an interval; name 100 or more")
    if isinstance(random_seed, bool) or not isinstance(random_seed, int) or random_seed < 0:
        raise UsageError(f"a random seed is a whole number from 0 on, not {random_seed!r}")


def settle(intervals: Intervals | bool) -> Intervals | None:
    """The settings that are meant: True stands for the usual ones, False for no intervals."""
    if isinstance(intervals, Intervals):
        return intervals
    if not isinstance(intervals, bool | None):
        raise UsageError(f"intervals is an Intervals(), or False for none, not {intervals!r}")
    return Intervals() if intervals else None

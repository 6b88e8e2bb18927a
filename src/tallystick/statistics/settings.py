"""The settings of confidence intervals: level, number of bootstrap resamples, and random seed."""

from msgspec import Struct

from tallystick.errors import UsageError


class Intervals(Struct, frozen=True):
    """The settings of confidence intervals.

    Attributes:
        confidence: The confidence level, between 0 and 1: how often intervals should cover the true
            value.
        resamples: The number of bootstrap resamples where no formula gives the interval; at least
            100.
        random_seed: The seed of the random numbers; the same seed gives the same intervals.
    """

    confidence: float = 0.95
    resamples: int = 1000
    random_seed: int = 12345

    def __post_init__(self) -> None:
        """Checks the options."""
        check_settings(self.confidence, self.resamples, self.random_seed)


def check_settings(confidence: object, resamples: object, random_seed: object) -> None:
    """Raises a UsageError unless the settings are valid."""
    if not (isinstance(confidence, int | float) and 0 < confidence < 1):
        raise UsageError(f"the confidence level must be between 0 and 1, not {confidence!r}")
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 100:
        raise UsageError(f"{resamples!r} resamples are too few for an interval; use 100 or more")
    if isinstance(random_seed, bool) or not isinstance(random_seed, int) or random_seed < 0:
        raise UsageError(f"a random seed must be a whole number of 0 or more, not {random_seed!r}")


def settle(intervals: Intervals | bool) -> Intervals | None:
    """Returns the settings: True stands for the defaults, False for no intervals."""
    if isinstance(intervals, Intervals):
        return intervals
    if not isinstance(intervals, bool | None):
        raise UsageError(f"intervals must be Intervals(), or False for none, not {intervals!r}")
    return Intervals() if intervals else None

"""The settings of intervals and of comparisons."""

from typing import ClassVar, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import UsageError, short_traceback
from tallystick.settings import fold_choice


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

    @short_traceback
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
    """Returns the settings: True represents the defaults, False for no intervals."""
    if isinstance(intervals, Intervals):
        return intervals
    if not isinstance(intervals, bool | None):
        raise UsageError(f"intervals must be Intervals(), or False for none, not {intervals!r}")
    return Intervals() if intervals else None


Test = Literal[
    "ar", "t", "bootstrap", "mcnemar", "mcnemar-midp", "delong", "sacrebleu-bs", "sacrebleu-ar"
]
TESTS: tuple[Test, ...] = get_args(Test)

_USUAL_RESAMPLES = 10_000


class Testing(Struct, frozen=True):
    """How systems are compared.

    Attributes:
        test: The test of every metric; None takes `mcnemar-midp` for shares of independent
            examples, such as accuracy, and `t` for all other metrics.
        resamples: How many resamples are drawn where a test needs any, at least 100; None takes
            10,000, and 1,000 for `sacrebleu-bs`, as sacreBLEU does.
        random_seed: Where the random numbers begin; the same seed gives the same numbers.
        confidence: The confidence level of intervals, between 0 and 1; two systems are
            significantly different where a corrected p-value is below 1 - confidence.
    """

    test: Test | None = None
    resamples: int | None = None
    random_seed: int = 12345
    confidence: float = 0.95

    __test__: ClassVar[bool] = False
    """Says to pytest that this is no class of tests, whatever its name begins with."""

    @short_traceback
    def __post_init__(self) -> None:
        """Checks the options that can be wrong on their own."""
        fold_choice(self, "test", (None, *TESTS))
        check_settings(self.confidence, self.count, self.random_seed)

    @classmethod
    def settle(cls, testing: "Testing | None") -> "Testing":
        """The settings that are meant; None means the usual ones."""
        if not isinstance(testing, Testing | None):
            raise UsageError(f"testing must be a Testing(), not {testing!r}")
        return testing or cls()

    @property
    def count(self) -> int:
        """How many resamples are drawn."""
        if self.resamples is not None:
            return self.resamples
        return 1000 if self.test == "sacrebleu-bs" else _USUAL_RESAMPLES

    @property
    def intervals(self) -> Intervals:
        """How the intervals of single scores are made: as in `score`, with the same options."""
        usual = Intervals(self.confidence, random_seed=self.random_seed)
        return usual if self.resamples is None else replace(usual, resamples=self.resamples)

    def one_sided(self) -> "Testing":
        """The settings under which each end of an interval is a bound at the confidence.

        Raises:
            UsageError: The confidence is 0.5 or less.
        """
        if self.confidence <= 0.5:
            raise UsageError(
                f"the confidence of a bound must be between 0.5 and 1, not {self.confidence:g}"
            )
        # 0.9 for 0.95, and not a little less.
        return replace(self, test=None, confidence=round(2 * self.confidence - 1, 12))

    def describe(self, test: Test, resamples: int) -> str:
        """What shaped a difference that is tested so from this many resamples, for signatures."""
        facts = [f"test:{test}", f"confidence:{self.confidence:g}"]
        if resamples:
            facts += [f"resamples:{resamples}", f"random_seed:{self.random_seed}"]
        if test in ("sacrebleu-ar", "sacrebleu-bs"):
            # Imported here because the options of the command are read without NumPy.
            from tallystick.statistics.sacrebleu_tests import read_seed

            facts.append(f"sacrebleu_seed:{read_seed() or 'none'}")
        return "|".join(facts)

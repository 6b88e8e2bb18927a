"""How systems are compared: by which test, with how many draws from which seed."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from tallystick.errors import UsageError
from tallystick.intervals.sacrebleu_tests import read_seed
from tallystick.intervals.settings import Intervals

__all__ = ["TESTS", "Test", "Testing"]

Test = Literal[
    "ar", "bootstrap", "mcnemar", "mcnemar-midp", "delong", "sacrebleu-bs", "sacrebleu-ar"
]
TESTS: tuple[Test, ...] = get_args(Test)

_USUAL_DRAWS = 10_000
_FEWEST_DRAWS = 100


@dataclass(frozen=True, slots=True)
class Testing:
    """How systems are compared.

    Draws come from NumPy's PCG64, with a stream for each group and purpose: one draws examples, as
    for the intervals of scores, another exchanges outputs for approximate randomisation. One thread
    draws, so that a seed gives the same numbers on every machine, and a group has the same numbers
    whatever other groups there are.

    Attributes:
        test: The test of every metric; None takes `delong` for a binary task's ROC-AUC and `ar`
            for all others.
        draws: How many replicates are drawn, at least 100; None takes 10,000, and 1,000 for
            `sacrebleu-bs`, as sacreBLEU does.
        seed: Where the draws begin.
        level: The level of the intervals, between 0 and 1; a corrected p-value below 1 - level
            tells two systems apart.
    """

    test: Test | None = None
    draws: int | None = None
    seed: int = 12345
    level: float = 0.95

    def __post_init__(self) -> None:
        """Checks the options that can be wrong on their own."""
        if self.test is not None and self.test not in TESTS:
            raise UsageError(f"test is one of {', '.join(TESTS)}, not {self.test!r}")
        if self.draws is not None and self.draws < _FEWEST_DRAWS:
            raise UsageError(f"{self.draws} draws are too few; name {_FEWEST_DRAWS} or more")
        if self.seed < 0:
            raise UsageError(f"a seed is a whole number from 0 on, not {self.seed}")
        if not 0 < self.level < 1:
            raise UsageError(f"the level of an interval lies between 0 and 1, not at {self.level}")

    @property
    def count(self) -> int:
        """How many replicates are drawn."""
        if self.draws is not None:
            return self.draws
        return 1000 if self.test == "sacrebleu-bs" else _USUAL_DRAWS

    @property
    def intervals(self) -> Intervals:
        """How the intervals of single scores are made: as in `score`, with the same options."""
        usual = Intervals(self.level, seed=self.seed)
        return usual if self.draws is None else replace(usual, draws=self.draws)

    def describe(self, test: Test) -> str:
        """What shaped a difference that is tested so, for signatures."""
        facts = [f"test:{test}", f"level:{self.level:g}"]
        if test != "delong":
            facts += [f"draws:{self.count}", f"seed:{self.seed}"]
        if test in ("sacrebleu-ar", "sacrebleu-bs"):
            facts.append(f"sacrebleu_seed:{read_seed() or 'none'}")
        return "|".join(facts)

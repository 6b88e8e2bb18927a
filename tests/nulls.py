"""Tests of two systems for simulations, which need thousands of p-values and nothing else."""

from typing import Any

from tallystick import Testing
from tallystick.comparison.significance import compare_pairs
from tallystick.reading.memory import Given
from tallystick.scoring.given import count_given


def p_value(
    gold: Any, systems: dict[str, Any], metric: str, testing: Testing | None = None, **options: Any
) -> float:
    """The p-value that `tallystick.compare` gives, without scores, notes and intervals."""
    given = Given(gold, systems, **options)
    counted = count_given(given, [metric])
    (outcome,) = compare_pairs(counted, testing or Testing(), bounds=False).values()
    return float(outcome.p[0, 0])

"""Tests of two systems for simulations, which need thousands of p-values and nothing else."""

from typing import Any

from tallystick import Testing
from tallystick.comparison.significance import compare_pairs
from tallystick.reading.input_plan import Source
from tallystick.scoring.counting import count_input


def p_value(
    gold: Any, systems: dict[str, Any], metric: str, testing: Testing | None = None, **options: Any
) -> float:
    counted = count_input(Source(gold, systems), options, [metric])  # type: ignore[arg-type]
    (outcome,) = compare_pairs(counted, testing or Testing(), bounds=False).values()
    return float(outcome.p[0, 0])

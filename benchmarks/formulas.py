"""How often intervals by formula hold the true value, on populations that are hard for them.

The formulas are called on sums that are drawn at once, so that a thousand samples of a population
take a second or two. Prints for each population and formula the share of samples whose interval
holds the true value, the shares that miss it on either side, and the mean width. 95% are promised.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stopwatch import format_table

from tallystick.statistics.paired import bound_area_difference, find_areas
from tallystick.statistics.wilson import bound_difference

CONFIDENCE = 0.95
REPETITIONS = 1000
RESAMPLES = 400

Generator = np.random.Generator
Values = NDArray[Any]
Bounds = tuple[Values, Values]


@dataclass(frozen=True, slots=True)
class Case:
    """Samples of one population, and the intervals that formulas give them.

    Attributes:
        name: What the examples are.
        run: Takes a generator and a number of samples; returns the true value, and by formula the
            intervals of all samples.
    """

    name: str
    run: Callable[[Generator, int], tuple[float, Mapping[str, Bounds]]]


def main() -> None:
    """Draws as many samples of each population as the first argument says."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    rows = []
    for case in CASES:
        truth, found = case.run(np.random.default_rng(1), repetitions)
        for formula, (low, high) in found.items():
            shares = (low <= truth) & (truth <= high), truth < low, truth > high
            shown = [f"{100 * share.mean():.1f}" for share in shares]
            rows.append([case.name, formula, *shown, f"{np.nanmean(high - low):.4f}"])
            print(rows[-1], file=sys.stderr, flush=True)
    print(format_table(("examples", "formula", "% held", "% below", "% above", "width"), rows))


def _compare_shares(only_a: float, only_b: float, n: int) -> Case:
    """So many examples that only A, and only B, gets right with these chances."""

    def run(generator: Generator, repetitions: int) -> tuple[float, dict[str, Bounds]]:
        counts = generator.multinomial(n, (only_a, only_b, 1 - only_a - only_b), repetitions)
        size = np.full(repetitions, n)
        bounds = bound_difference(counts[:, 0], counts[:, 1], size, CONFIDENCE)
        return only_a - only_b, {"Tango": bounds}

    return Case(f"{n} examples, {100 * only_a:g} v {100 * only_b:g}% discordant", run)


def _rank_twice(gaps: tuple[float, float], shared: float, counts: tuple[int, int]) -> Case:
    """Two systems whose normal scores have that share of their variance in common."""

    def place(gap: tuple[float, float], size: int, generator: Generator) -> Values:
        common = np.sqrt(shared) * generator.normal(size=size)
        own = np.sqrt(1 - shared) * generator.normal(size=(2, size))
        return np.array(gap)[:, None] + common + own

    def run(generator: Generator, repetitions: int) -> tuple[float, dict[str, Bounds]]:
        areas, _ = find_areas(place(gaps, 400_000, generator), place((0, 0), 400_000, generator))
        truth = float(areas[0] - areas[1]) if gaps[0] != gaps[1] else 0.0
        found = [
            find_areas(place(gaps, counts[0], generator), place((0, 0), counts[1], generator))
            for _ in range(repetitions)
        ]
        differences = np.array([area[0] - area[1] for area, _ in found])
        variances = np.array([own[0, 0] + own[1, 1] - 2 * own[0, 1] for _, own in found])
        scarcer = np.full(repetitions, min(counts))
        bounds = bound_area_difference(differences, variances, scarcer, CONFIDENCE)
        return truth, {"Tango on DeLong": bounds}

    return Case(f"two areas, gaps {gaps[0]} and {gaps[1]}, {counts[0]}+/{counts[1]}-", run)


CASES = (
    _compare_shares(0.02, 0.02, 20),
    _compare_shares(0.05, 0.01, 20),
    _compare_shares(0.1, 0.1, 20),
    _compare_shares(0.05, 0.01, 50),
    _compare_shares(0.05, 0.01, 100),
    _compare_shares(0.0, 0.02, 100),
    _compare_shares(0.002, 0.002, 2000),
    _rank_twice((3, 3), 0.5, (20, 80)),
    _rank_twice((1, 1), 0.5, (60, 140)),
    _rank_twice((3, 2.5), 0.5, (20, 80)),
    _rank_twice((2.5, 2), 0.5, (50, 450)),
)


if __name__ == "__main__":
    main()

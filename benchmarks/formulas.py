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

from tallystick.statistics.areas import bound_area, bound_area_difference, bound_delong, find_areas
from tallystick.statistics.tango import bound_difference

CONFIDENCE = 0.95
REPETITIONS = 1000
RESAMPLES = 400

Generator = np.random.Generator
Values = NDArray[Any]
Bounds = tuple[Values, Values]
Draw = Callable[[Generator, int], Values]
"""So many scores of examples of one kind."""


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


def _rank_scores(name: str, sides: tuple[Draw, Draw], positives: int, negatives: int) -> Case:
    """Scores of positives and of negatives, each drawn from a distribution of its own."""

    def run(generator: Generator, repetitions: int) -> tuple[float, dict[str, Bounds]]:
        many = [side(generator, 400_000)[None] for side in sides]
        truth = float(find_areas(*many)[0][0])
        found = [
            find_areas(sides[0](generator, positives)[None], sides[1](generator, negatives)[None])
            for _ in range(repetitions)
        ]
        areas = np.array([area[0] for area, _ in found])
        variances = np.array([covariance[0, 0] for _, covariance in found])
        counts = np.full(repetitions, positives), np.full(repetitions, negatives)
        return truth, {
            "Newcombe's method 5": bound_area(areas, *counts, CONFIDENCE),
            "DeLong": bound_delong(areas, variances, *counts, CONFIDENCE),
        }

    return Case(f"areas: {name}, {positives}+/{negatives}-", run)


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


def _normal(mean: float, deviation: float = 1) -> Draw:
    return lambda generator, n: generator.normal(mean, deviation, n)


def _mix(share: float, usual: Draw, other: Draw) -> Draw:
    def draw(generator: Generator, n: int) -> Values:
        odd = generator.random(n) < share
        return np.where(odd, other(generator, n), usual(generator, n))

    return draw


def _beta(a: float, b: float) -> Draw:
    return lambda generator, n: generator.beta(a, b, n)


_NONE = _normal(0)
_THIRD = _mix(0.3, _normal(4), _NONE)

CASES = (
    _compare_shares(0.02, 0.02, 20),
    _compare_shares(0.05, 0.01, 20),
    _compare_shares(0.1, 0.1, 20),
    _compare_shares(0.05, 0.01, 50),
    _compare_shares(0.05, 0.01, 100),
    _compare_shares(0.0, 0.02, 100),
    _compare_shares(0.002, 0.002, 2000),
    _rank_scores("beta(5, 1) v beta(1, 8)", (_beta(5, 1), _beta(1, 8)), 10, 90),
    _rank_scores("30% of positives undetectable", (_THIRD, _NONE), 20, 480),
    _rank_scores("30% of positives undetectable", (_THIRD, _NONE), 200, 1800),
    _rank_scores("10% undetectable", (_mix(0.1, _normal(4), _NONE), _NONE), 20, 480),
    _rank_scores("10% undetectable", (_mix(0.1, _normal(4), _NONE), _NONE), 100, 900),
    _rank_scores("20% of negatives odd", (_normal(3), _mix(0.2, _NONE, _normal(3))), 450, 50),
    _rank_scores("gap 1.5, deviation 2", (_normal(1.5, 2), _NONE), 50, 450),
    _rank_scores("gap 1.5, deviation 0.5", (_normal(1.5, 0.5), _NONE), 50, 450),
    _rank_scores("gap 1", (_normal(1), _NONE), 10, 40),
    _rank_scores("gap 2.5", (_normal(2.5), _NONE), 20, 80),
    _rank_scores("gap 3", (_normal(3), _NONE), 100, 400),
    _rank_scores("no gap", (_NONE, _NONE), 15, 15),
    _rank_twice((3, 3), 0.5, (20, 80)),
    _rank_twice((1, 1), 0.5, (60, 140)),
    _rank_twice((3, 2.5), 0.5, (20, 80)),
    _rank_twice((2.5, 2), 0.5, (50, 450)),
)


if __name__ == "__main__":
    main()

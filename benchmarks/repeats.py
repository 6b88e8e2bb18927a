"""Repeated tries: how fast they are scored, and whether intervals and tests keep their promise.

    python benchmarks/repeats.py [speed] [coverage] [null] [--samples N]

`speed` times pass@1, pass@2, pass@5 and pass^5: with the intervals that need no resamples, and on
10,000 resamples of the counts, which clusters, means over groups and bootstrap tests need.
`coverage` takes samples of problems whose chances of being solved have a known distribution, so
that the true scores are known, and prints the percentage of samples whose interval holds them.
`null` compares two systems that solve each problem with the same chance, and prints how often they
are told to be significantly different, of which 5% is what is promised.
"""

import argparse
from collections.abc import Iterator
from time import perf_counter

import numpy as np
import pandas
from numpy.typing import NDArray
from stopwatch import format_table

import tallystick

METRICS = ("pass@1", "pass@5", "pass^5", "maj@5")
TRIES = 10
SIZES = (50, 251, 2000)
POPULATIONS = {"any difficulty": (1.0, 1.0), "easy or hard": (0.3, 0.3), "mostly hard": (0.3, 2.0)}
"""The two numbers of the beta distribution of the chances of problems."""

Chances = NDArray[np.float64]


def main() -> None:
    """Prints the tables that were named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", default=["speed", "coverage", "null"])
    parser.add_argument("--samples", type=int, default=1000)
    options = parser.parse_args()
    for part in options.parts:
        rows = {
            "speed": time_scores,
            "coverage": lambda: measure_coverage(options.samples),
            "null": lambda: measure_null(options.samples),
        }[part]()
        head, *body = rows
        print(format_table(head, body), flush=True)


def time_scores() -> Iterator[list[str]]:
    """How long four metrics take: to count, to score with intervals, and on 10,000 resamples."""
    yield ["problems", "tries", "read and counted, s", "scored, s", "10,000 resamples, s"]
    rng = np.random.default_rng(1)
    for problems, tries in ((164, 10), (164, 200), (10_000, 10), (10_000, 200)):
        table = draw_table(rng, rng.beta(1, 1, problems), tries)
        names = ["pass@1", "pass@2", "pass@5", "pass^5"]
        best = np.full(3, np.inf)
        for _ in range(5):
            times = [perf_counter()]
            counted = tallystick.count(table, metrics=names)
            times.append(perf_counter())
            tallystick.score(counted)
            times.append(perf_counter())
            tally = counted.tally(counted.metrics[0])
            for drawn in tally.resample(10_000, 1):
                for metric in counted.metrics:
                    metric.score(drawn)
            times.append(perf_counter())
            best = np.minimum(best, np.diff(times))
        yield [f"{problems:,}", str(tries), *(f"{seconds:.3f}" for seconds in best)]


def measure_coverage(samples: int) -> Iterator[list[str]]:
    """How often intervals hold the true score."""
    yield ["population", "problems", *METRICS]
    rng = np.random.default_rng(2)
    for name, shape in POPULATIONS.items():
        truth = find_truth(rng.beta(*shape, 2_000_000))
        for size in SIZES:
            held = np.zeros(len(METRICS))
            for _ in range(samples):
                table = draw_table(rng, rng.beta(*shape, size), TRIES)
                scores = tallystick.score(table, metrics=list(METRICS)).scores
                ends = np.array([(one.low, one.high) for one in scores])
                held += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
            yield [name, f"{size:,}", *(f"{share:.1%}" for share in held / samples)]


def measure_null(samples: int) -> Iterator[list[str]]:
    """How often equal systems are told to be significantly different."""
    yield ["population", "problems", *METRICS]
    rng = np.random.default_rng(3)
    for name, shape in POPULATIONS.items():
        for size in SIZES:
            found = np.zeros(len(METRICS))
            for _ in range(samples):
                chances = rng.beta(*shape, size)
                parts = [draw_table(rng, chances, TRIES).assign(model=model) for model in "ab"]
                compared = tallystick.compare(
                    pandas.concat(parts), metrics=list(METRICS), system_column="model"
                )
                found += [one.p < 0.05 for one in compared.differences]
            yield [name, f"{size:,}", *(f"{share:.1%}" for share in found / samples)]


def draw_table(rng: np.random.Generator, chances: Chances, tries: int) -> pandas.DataFrame:
    """A row for each try."""
    right = rng.random((len(chances), tries)) < chances[:, None]
    return pandas.DataFrame(
        {"id": np.repeat(np.arange(len(chances)), tries), "correct": right.ravel()}
    )


def find_truth(chances: Chances) -> Chances:
    """The scores of problems with known chances, in the order of the metrics."""
    q = chances
    majority = q**3 * (10 - 15 * q + 6 * q**2)  # three, four or five of five
    return np.array([q.mean(), (1 - (1 - q) ** 5).mean(), (q**5).mean(), majority.mean()])


if __name__ == "__main__":
    main()

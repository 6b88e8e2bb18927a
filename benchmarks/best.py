"""How often systems that come first in so many bootstrap resamples are the best: `best_share`.

    python benchmarks/best.py [SAMPLES]

True accuracies scatter around 0.8, and answers of systems are correlated by 0.5. Prints for each
range of the shares that are told their mean and the percentage of systems that are the best.
"""

import sys
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from stopwatch import format_table

from tallystick.comparison.ranking.orders import share_best

SAMPLES = 800
RESAMPLES = 600
EXAMPLES = 300
CASES = ((2, 0.02), (5, 0.02), (10, 0.02), (10, 0.05))
"""How many systems there are, and the standard deviation of their true accuracies."""

RANGES = ((0.4, 0.6), (0.6, 0.75), (0.75, 0.9), (0.9, 0.97), (0.97, 1.01))


def main() -> None:
    """Draws as many rankings of each case as the argument says."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    rows = []
    for count, scatter in CASES:
        found = [
            _draw(np.random.default_rng([seed, count]), count, scatter) for seed in range(samples)
        ]
        told, best = np.concatenate(found, axis=1)
        for low, high in RANGES:
            own = (told >= low) & (told < high)
            cells = (
                (f"{100 * side[own].mean():.0f}" for side in (told, best))
                if own.any()
                else ("", "")
            )
            rows.append([str(count), f"{scatter:g}", str(int(own.sum())), *cells])
    print(format_table(("systems", "scatter", "cases", "% told", "% best"), rows))


def _draw(generator: np.random.Generator, count: int, scatter: float) -> NDArray[np.float64]:
    """What is told of each system, and whether it is the best."""
    true = np.clip(0.8 + scatter * generator.normal(size=count), 0, 1)
    limits = [NormalDist().inv_cdf(one) for one in true]
    shared, own = generator.normal(size=(EXAMPLES, 1)), generator.normal(size=(EXAMPLES, count))
    right = (np.sqrt(0.5) * (shared + own) < limits).astype(np.float64)
    drawn = generator.multinomial(EXAMPLES, np.full(EXAMPLES, 1 / EXAMPLES), RESAMPLES)
    return np.stack([share_best(drawn @ right / EXAMPLES), true == true.max()])


if __name__ == "__main__":
    main()

"""The paired tests of sacreBLEU 2.6, with its own stream of random numbers."""

import os
from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.statistics.wilson import Values

Formula = Callable[[NDArray[np.float64]], Values]
"""Sums of shape (draws, columns) as scores of shape (draws)."""
Seed = int | np.random.Generator | None

_NUMBERS = 1 << 21
_BITS = 32
"""NumPy generates this many random booleans at once, and drops what a call leaves over."""


class Replay(Struct, frozen=True, eq=False):
    """The scores of systems by sacreBLEU, and those on resamples, of shape (systems, draws)."""

    scores: Values
    drawn: Values

    def p_value(self, a: int, b: int) -> float:
        """The p-value of two systems.

        Absolute differences are centred, where Koehn's bootstrap of a null would centre them
        before their sign is dropped: true nulls are rejected too often.
        """
        differences = np.abs(self.drawn[b] - self.drawn[a])
        return _share(differences - differences.mean(), abs(self.scores[a] - self.scores[b]))

    def bound(self, system: int) -> tuple[float, float]:
        """The mean of a system's drawn scores, and half the width of 95% of them."""
        ordered = np.sort(self.drawn[system])
        cut = len(ordered) // 40
        return float(ordered.mean()), float(ordered[-1 - cut] - ordered[cut]) / 2


def read_seed() -> int | None:
    """The seed of sacreBLEU: SACREBLEU_SEED, else 12345; None, also for 0, is a fresh one."""
    text = os.environ.get("SACREBLEU_SEED", "12345")
    return None if text.lower() == "none" else int(text) or None


def replay_bootstrap(rows: NDArray[np.float64], score: Formula, draws: int, seed: Seed) -> Replay:
    """The paired bootstrap; sums are added up in float32, as sacreBLEU does.

    Rows have shape (systems, examples, columns); sacreBLEU draws 1,000 resamples by default. The
    seed is as `read_seed` gives it, or a generator to draw on from.
    """
    generator, single = np.random.default_rng(seed), rows.astype(np.float32)
    size = rows.shape[1]
    sums = np.empty((draws, len(rows), rows.shape[2]), np.float32)
    for start, stop in _split(draws, size, 1):
        for draw, chosen in enumerate(generator.choice(size, (stop - start, size)), start):
            sums[draw] = single[:, chosen].sum(1)
    drawn = np.stack([score(own) for own in sums.astype(np.float64).swapaxes(0, 1)])
    return Replay(score(rows.sum(1)), drawn)


def replay_randomisation(
    rows: NDArray[np.float64], score: Formula, draws: int, seed: Seed
) -> Callable[[int, int], float]:
    """Approximate randomisation: a function from two systems to their p-value."""
    generator = np.random.default_rng(seed)
    whole, scores = rows.sum(1), score(rows.sum(1))
    parts = [
        generator.integers(2, size=(stop - start, rows.shape[1]), dtype=bool).astype(np.float64)
        @ rows.astype(np.float64)
        for start, stop in _split(draws, rows.shape[1], _BITS)
    ]
    taken = np.concatenate(parts, axis=1)

    def p_value(a: int, b: int) -> float:
        one = score(taken[a] + (whole[b] - taken[b]))
        other = score((whole[a] - taken[a]) + taken[b])
        return _share(np.abs(one - other), abs(scores[a] - scores[b]))

    return p_value


def _share(statistics: Values, observed: float) -> float:
    """Ties do not count: identical systems get the smallest p-value that there is."""
    return float((statistics > observed).sum() + 1) / (len(statistics) + 1)


def _split(draws: int, width: int, unit: int) -> Iterator[tuple[int, int]]:
    """Chunks of draws, from one to the next, of a multiple of this many."""
    size = max(1, _NUMBERS // (width * unit)) * unit
    return ((start, min(start + size, draws)) for start in range(0, draws, size))

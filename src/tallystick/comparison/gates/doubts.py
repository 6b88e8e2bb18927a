"""Why the bounds of a difference promise too much: a few examples make it, or none shows any."""

import numpy as np

from tallystick.comparison.effects import Effects, open_source
from tallystick.comparison.paired import Paired
from tallystick.comparison.rows import score_pair
from tallystick.frozen import dataclass
from tallystick.scoring.counted import Counted
from tallystick.tallies.metric import Metric

_FEW_CLUSTERS = 20
"""Fewer may show none of a kind that is one in ten, in more than one sample of ten."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause against the bounds of a difference, and whether no system is to pass by these."""

    reason: str
    decides: bool = True


def find_doubts(counted: Counted, metrics: tuple[Metric, ...]) -> dict[tuple[Metric, int], Doubt]:
    """What speaks against the bounds of what the first of two systems has lost.

    Where examples are labels without clusters, bounds allow for what none of them shows, so that
    nothing speaks against them.

    The metrics are of the same counts; a metric and row without a doubt is left out.
    """
    tally = counted.tally(metrics[0])
    if not tally.tells_influence or tally.plain_labels:
        return {}
    new, old = counted.systems
    first, second = score_pair(metrics, tally, counted.groups, (new, old))
    differences = (first - second)[None]
    effects = open_source(metrics, tally, counted.groups).compare([(new, old)], differences)
    if not effects.values.shape[-1]:
        return {}  # the examples are so many that none is kept
    (skewed,) = Paired(metrics, differences, effects, labels=False).is_skewed()
    found = {}
    for at, metric in enumerate(metrics):
        for row in range(len(counted.rows)):
            doubt = _find_doubt(metric, effects, (at, row), skewed=bool(skewed[at, row]))
            if doubt is not None and not np.isnan(differences[0, at, row]):
                found[metric, row] = doubt
    return found


def _find_doubt(
    metric: Metric, effects: Effects, at: tuple[int, int], *, skewed: bool
) -> Doubt | None:
    unit = "cluster" if effects.clustered else "example"
    own, n = effects.values[0][at], float(effects.n[0][at])
    worst = metric.bounds[0] if metric.better == "higher" else metric.bounds[1]
    if not own.any() and not np.isfinite(worst):
        return Doubt(
            f"no {unit} shows a difference, and how large one may be is not known, as "
            f"{metric.name} has no worst value"
        )
    if skewed:
        squares = own**2 * effects.counts
        return Doubt(
            f"a few {unit}s make most of the difference, one of them "
            f"{squares.max() / squares.sum():.0%} of its variance, and other samples may have more "
            "of that kind, or fewer"
        )
    if effects.clustered and n < _FEW_CLUSTERS:
        return Doubt(f"{n:.0f} clusters may hold none of a kind that is lost", decides=False)
    return None

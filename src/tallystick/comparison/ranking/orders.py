"""One order out of several: values of several metrics or tracks by their mean and by Borda's count.

Values are of shape (criteria, systems), where a criterion is a metric or a track. They are
qualities: higher is better, and NaN is what a system lacks.
"""

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.results import Missing

Values = NDArray[np.float64]

_POLICIES: tuple[Missing, ...] = get_args(Missing)


@dataclass(frozen=True, slots=True)
class Scale:
    """What the values of a metric mean: its name, the better direction, and its bounds."""

    name: str
    better: str
    lowest: float
    highest: float


def check_direction(name: str, better: str) -> None:
    """Raises a UsageError where neither direction of a metric is the better one."""
    if better == "neither":
        raise UsageError(f"{name} cannot rank systems: neither higher nor lower is better")


def to_quality(values: Values, scale: Scale) -> Values:
    """The values turned so that higher is better.

    A metric whose lower values are better is taken from its largest value, as in 1 - hamming_loss,
    and negated where it has none.
    """
    check_direction(scale.name, scale.better)
    if scale.better == "higher":
        return values
    return scale.highest - values if np.isfinite(scale.highest) else -values


def check_zero(scale: Scale) -> None:
    """Raises a UsageError where 0 would not be a poor value of a metric."""
    if scale.better == "lower" and not np.isfinite(scale.highest):
        raise UsageError(
            f"{scale.name} is best at 0 and has no worst value, so what is missing cannot count "
            "as zero; choose 'worst', 'exclude' or 'common'"
        )


def find_counting(values: Values, missing: Missing) -> NDArray[np.bool_]:
    """Which criteria count: those that any system has, or with `common` all that have anything."""
    if missing not in _POLICIES:
        raise UsageError(f"what is missing is one of {', '.join(_POLICIES)}, not {missing!r}")
    absent = np.isnan(values)
    known: NDArray[np.bool_] = np.logical_not(absent.all(1))
    if missing != "common":
        return known
    common: NDArray[np.bool_] = known & ~absent[:, ~absent.all(0)].any(1)
    if known.any() and not common.any():
        raise UsageError(
            "no metric or track is common to all systems; choose another policy than 'common' for "
            "what is missing"
        )
    return common


def fill(values: Values, missing: Missing) -> Values:
    """The values of criteria that count with nothing missing; systems left out are NaN throughout.

    `exclude` leaves out every system that lacks a criterion; `zero` and `worst` give it 0 or the
    worst value of any system there. A system that lacks everything is left out in any case. Leading
    axes are resamples.
    """
    absent = np.isnan(values)
    if missing in ("exclude", "common"):
        return np.where(absent.any(-2, keepdims=True), np.nan, values)
    lowest = np.where(absent, np.inf, values).min(-1, keepdims=True)
    filled = np.where(absent, 0.0 if missing == "zero" else lowest, values)
    return np.where(absent.all(-2, keepdims=True), np.nan, filled)


def count_borda(values: Values) -> Values:
    """The points of each system: in every criterion one for each system below, half for each equal.

    de Borda 1781. A system that is NaN takes no part, and its points are NaN. Leading axes are
    resamples.
    """
    present = ~np.isnan(values).any(-2)
    each = [values[..., [system]] for system in range(values.shape[-1])]  # bounds the memory
    below = np.stack([(own > values).sum((-2, -1)) for own in each], -1)
    equal = np.stack([(own == values).sum((-2, -1)) for own in each], -1) - values.shape[-2]
    return np.where(present, below + equal / 2, np.nan)


def average_ranks(values: Values) -> Values:
    """The mean over the criteria of the rank of each system, where equal ones share a mean rank.

    It is Borda's count turned around: the number of systems less the mean of their points.
    """
    present = (~np.isnan(values).any(-2)).sum(-1, keepdims=True)
    ranks: Values = present - count_borda(values) / values.shape[-2]
    return ranks

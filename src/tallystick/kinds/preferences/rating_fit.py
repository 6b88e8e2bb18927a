"""The ratings of greatest likelihood, from how often each system won against each other."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

_STEPS = 100
_LONGEST = 2.0
"""No step of Newton's method moves a rating, as a logit, farther."""
_STILL = 1e-13
_MOST_NAMED = 5
_FEWEST = 2
"""So few systems can be rated."""
_MOST_KEPT = 1 << 22
_FAR, _CLOSE = 40.0, 1e-9
"""So far beyond all others a rating is looked for, and so closely found."""


class Fit(Struct, frozen=True, eq=False):
    """Ratings as logits.

    Attributes:
        ratings: Of shape (..., systems), the finite ones with a mean of 0; infinite of systems that
            never lost against those, or never won; NaN of those that nothing connects with them.
        inverse: The inverse of the information matrix, of shape (..., systems, systems).
        wins: How many games each system won of each other, likewise.
        reach: From which system a chain of games that were won or tied leads to which, likewise.
    """

    ratings: NDArray[np.float64]
    inverse: NDArray[np.float64]
    wins: NDArray[np.float64]
    reach: NDArray[np.bool_]


def _pick_comparable(reach: NDArray[np.bool_], anchored: int | None) -> NDArray[np.bool_]:
    """The systems that have finite ratings together: (..., systems).

    Between any two of them a chain of games leads that were won or tied, and another one back
    (Ford 1957). They are those of the anchored system, or the most numerous ones; of as many, those
    that games connect with the most systems.
    """
    mutual = reach & reach.swapaxes(-1, -2)
    if anchored is not None:
        return np.asarray(mutual[..., anchored, :])
    connected = reach | reach.swapaxes(-1, -2)
    largest = (mutual.sum(-1) * reach.shape[-1] + connected.sum(-1)).argmax(-1)
    return np.take_along_axis(mutual, largest[..., None, None], -2)[..., 0, :]


def explain_apart(
    reach: NDArray[np.bool_], anchored: int | None, own: int, names: Sequence[str]
) -> str:
    """Says why a system has no rating beside those that have one, in a clause."""
    rated = _pick_comparable(reach, anchored)
    others = [at for at in np.flatnonzero(rated).tolist() if at != own]
    told = ", ".join(names[at] for at in others[:_MOST_NAMED])
    told += f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    if rated.sum() < _FEWEST:
        return "no two systems have both won, or tied, games that connect them"
    if reach[own, others].any():
        return f"it never lost to {told}, even by way of others: no rating is too high"
    if reach[others, own].any():
        return f"it never won against {told}, even by way of others: no rating is too low"
    return f"no games connect it with {told}, so that they cannot be compared"


def _find_reach(wins: NDArray[np.float64]) -> NDArray[np.bool_]:
    """From which system a chain of games that were won or tied leads to which other."""
    size = wins.shape[-1]
    reach = np.asarray((wins > 0) | np.eye(size, dtype=bool))
    for _ in range(max(size - 1, 1).bit_length()):
        before, links = reach, reach.astype(np.float32)
        reach = links @ links > 0
        if np.array_equal(reach, before):
            break
    return reach


def fit_ratings(wins: NDArray[np.float64], anchored: int | None) -> Fit:
    """Fits ratings by Newton's method; each system of a tally asks for the same ones.

    Args:
        wins: How many games each system won of each other, ties half, of shape (..., winner,
            loser).
        anchored: A system that must have a rating; None takes the most that have one together.
    """
    if wins.nbytes > _MOST_KEPT:
        return _fit(wins, anchored)
    return _fit_again(wins.tobytes(), wins.shape, anchored)


@lru_cache(maxsize=8)
def _fit_again(wins: bytes, shape: tuple[int, ...], anchored: int | None) -> Fit:
    return _fit(np.frombuffer(wins).reshape(shape), anchored)


def _fit(given: NDArray[np.float64], anchored: int | None) -> Fit:
    reach = _find_reach(given)
    used = _pick_comparable(reach, anchored)
    above, below = ((side & used[..., None, :]).any(-1) for side in (reach, reach.swapaxes(-1, -2)))
    wins = given * (used[..., None] & used[..., None, :])
    games = wins + wins.swapaxes(-1, -2)
    both = (used[..., None] & used[..., None, :]).astype(np.float64)
    ratings = np.zeros(used.shape)
    for _ in range(_STEPS):
        expected = _expect(ratings)
        gradient = (wins - games * expected).sum(-1)
        step = np.linalg.solve(_inform(games, expected, both), gradient[..., None])[..., 0]
        longest = np.abs(step).max(-1, keepdims=True)
        ratings = ratings + step * np.minimum(1, _LONGEST / np.maximum(longest, _LONGEST))
        if longest.max() < _STILL:
            break
    inverse = np.linalg.inv(_inform(games, _expect(ratings), both))
    alone = used.sum(-1, keepdims=True) < _FEWEST
    ends = np.where(above, np.inf, np.where(below, -np.inf, np.nan))
    ratings = np.where(alone, np.nan, np.where(used, ratings, ends))
    return Fit(ratings, np.where(both > 0, inverse, 0), given, reach)


def find_chance(
    rating: float, wins: NDArray[np.float64], others: NDArray[np.float64]
) -> np.float64:
    """The logarithm of the chance that a system of that rating wins all of its games.

    Args:
        rating: The rating, as a logit.
        wins: How many games it won of each other system, of shape (systems,); it lost none.
        others: The ratings of the others; games with those that have no finite one do not count.
    """
    known = np.isfinite(others)
    return np.float64(-(wins[known] * np.logaddexp(0, others[known] - rating)).sum())


def bound_rating(wins: NDArray[np.float64], others: NDArray[np.float64], logarithm: float) -> float:
    """The rating at which that chance has this logarithm; minus infinity where no game counts."""
    counted = np.isfinite(others) & (wins > 0)
    if not counted.any():
        return -np.inf
    low, high = others[counted].min() - _FAR, others[counted].max() + _FAR
    while high - low > _CLOSE:
        middle = (low + high) / 2
        high, low = (
            (high, middle) if find_chance(middle, wins, others) < logarithm else (middle, low)
        )
    return float(high)


def _expect(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance that each system wins against each other."""
    apart = ratings[..., :, None] - ratings[..., None, :]
    return np.asarray(1 / (1 + np.exp(-np.clip(apart, -500, 500))))


def _inform(
    games: NDArray[np.float64], expected: NDArray[np.float64], both: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The information matrix, made regular: the mean of the ratings stays as it is."""
    weights = games * expected * (1 - expected)
    size = weights.shape[-1]
    own = weights.sum(-1)
    scale = np.maximum(own.max(-1, keepdims=True), 1e-300)[..., None]
    unused = 1 - np.einsum("...ii->...i", both)
    diagonal = np.eye(size) * (own + unused)[..., None]
    return np.asarray(diagonal - weights + both * scale / size)

"""Bradley-Terry ratings: the fit of greatest likelihood, and the metric."""

import json
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.preferences import PREFERENCES
from tallystick.kinds.preferences.win_rates import check_baseline, find_baseline
from tallystick.model.codes import Label, Labels, order, place_names
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells, count_patterns
from tallystick.model.tallies.groups import sum_by
from tallystick.model.tallies.metric import Metric, Values, check_number
from tallystick.model.tallies.per_label import encode_labels
from tallystick.model.tallies.tally import Tally, need_patterns

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
    """Says why a system has no rating next to those that have one, in a clause."""
    rated = _pick_comparable(reach, anchored)
    others = [at for at in np.flatnonzero(rated).tolist() if at != own]
    message = ", ".join(names[at] for at in others[:_MOST_NAMED])
    message += f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    if rated.sum() < _FEWEST:
        return "no two systems have both won, or tied, games that connect them"
    if reach[own, others].any():
        return f"it never lost to {message}, even by way of others: no rating is too high"
    if reach[others, own].any():
        return f"it never won against {message}, even by way of others: no rating is too low"
    return f"no games connect it with {message}, so that they cannot be compared"


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
    """Fits ratings by Newton's method to wins, ties half, of shape (..., winner, loser).

    The anchored system must have a rating; None takes the most that have one together.
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
    """The logarithm of the chance that a system of that rating, a logit, wins all of its games.

    Games with others that have no finite rating do not count.
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


ELO = 400 / math.log(10)
"""What a unit of the logit is on Elo's scale, where 400 are odds of 10 to 1."""

MOST_SYSTEMS = 2000
"""So many systems can be rated; the time that takes grows with their number to the power of 3."""


class BattleOutcomes(Struct, frozen=True):
    """Counts the outcomes of each two systems; the output of a system is its own name."""

    kind = PREFERENCES

    def check(self, tally: Cells) -> None:
        """Raises a ValueError unless gold is outcomes of battles of the systems that are listed."""
        known = len(tally.listed)
        first, second, points, games = _read_labels(tally.labels, tally.listed)[:, known:]
        if not ((first != second) & (games > 0) & (points >= 0) & (points <= games)).all():
            raise ValueError("its labels are not outcomes of battles")
        if (tally.gold < known).any():
            raise ValueError("its gold is not the outcome of a battle")
        places = [tally.listed.index(name) for name in tally.systems]
        if (tally.outputs != np.array(places)[:, None]).any():
            raise ValueError("its outputs are not the systems themselves")

    def count(self, systems: Systems) -> Cells:
        """Tallies battles; the labels of the cells are the systems, then the outcomes."""
        battles = PREFERENCES.of(systems)
        if len(battles.known) > MOST_SYSTEMS:
            raise UsageError(
                f"Bradley-Terry ratings are of at most {MOST_SYSTEMS:,} systems, and there are "
                f"{len(battles.known):,}; choose -m win_rate"
            )
        swap = battles.sides[0] > battles.sides[1]
        points = np.where(swap, 1 - battles.points, battles.points)
        rows = np.stack([*np.sort(battles.sides, axis=0), points, battles.games], axis=1)
        found, codes = np.unique(rows, axis=0, return_inverse=True)
        known = battles.known
        texts = [
            json.dumps([known[int(one)], known[int(other)], *rest], ensure_ascii=False)
            for one, other, *rest in found.tolist()
        ]
        labels = (*known, *order(texts))
        places = np.array(place_names(texts, labels), np.uint32)
        gold = Labels(places[codes.ravel()], labels)
        coded, _ = encode_labels(gold, [gold], [None])
        own = np.array(battles.places, coded.dtype)[:, None]
        outputs = np.broadcast_to(own, (len(own), len(battles)))
        return count_patterns(self, systems, labels, known, coded, outputs)


@lru_cache(maxsize=16)
def _read_labels(labels: tuple[Label, ...], listed: tuple[Label, ...]) -> NDArray[np.float64]:
    """What labels mean, of shape (4, labels); 0 for those that are systems.

    That is the first and the second system, what the first one has times the games, and the games.
    """
    places = {name: place for place, name in enumerate(listed)}
    try:
        read = [json.loads(str(text)) for text in labels[len(listed) :]]
        rows = [(places[one], places[other], won * games, games) for one, other, won, games in read]
    except (ValueError, KeyError, TypeError):
        raise InputError("the labels of this tally are not outcomes of battles") from None
    return np.array([(0.0, 0.0, 0.0, 0.0)] * len(listed) + rows, np.float64).T


def _read_outcomes(
    tally: Cells,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    first, second, points, games = _read_labels(tally.labels, tally.listed)[:, tally.gold]
    return first.astype(np.int64), second.astype(np.int64), points, games


def count_wins(tally: Cells) -> NDArray[np.float64]:
    """How many games each system won of each other, of shape (..., groups, winner, loser)."""
    first, second, points, games = _read_outcomes(tally)
    size = len(tally.listed)
    shape = (len(tally.groups), size, size)
    sums = [
        sum_by(tally.mass * won, (tally.owners * size + one) * size + other, math.prod(shape))
        for one, other, won in ((first, second, points), (second, first, games - points))
    ]
    both = np.asarray(sums[0] + sums[1], np.float64)
    return both.reshape(*both.shape[:-1], *shape)


class BradleyTerry(Metric, frozen=True):
    """The maximum-likelihood rating of a system on Elo's scale, from pairwise wins.

    A system 400 points above another wins ten of eleven games; ties count half. The anchor is the
    mean rating of all systems, or the rating of the baseline.

    Formula: P(a wins against b) = 1 / (1 + 10^((b - a) / 400))
    Undefined: for a system that no games connect with the anchored ones; infinite for one that
        wins or loses all games against them.
    Source: Bradley and Terry 1952; values as arena-rank's BradleyTerry.
    """

    baseline: str | None = None
    anchor: float = 1000

    short = "bradley_terry"
    title = "Bradley-Terry Rating"
    bounds = (-math.inf, math.inf)
    counters = (BattleOutcomes,)

    def __post_init__(self) -> None:
        check_baseline(self.baseline)
        check_number("anchor", self.anchor, -1e6, 1e6)

    def score(self, tally: Cells) -> Values:
        own = int(tally.predicted[0])
        fit = self._fit(tally)
        return np.asarray(self.anchor + ELO * (fit.ratings[..., own] - self._refer(tally, fit)))

    def influence(self, tally: Cells) -> Values | None:
        fit, own = self._fit(tally), int(tally.predicted[0])
        moved = fit.inverse[:, own]
        if self.baseline is not None:
            moved = moved - fit.inverse[:, tally.listed.index(self.baseline)]
        groups, (first, second, points, games) = tally.owners, _read_outcomes(tally)
        with np.errstate(invalid="ignore"):  # infinite ratings have no slopes, whatever comes out
            apart = fit.ratings[groups, first] - fit.ratings[groups, second]
            surprise = points - games / (1 + np.exp(-apart))
            slopes = ELO * (moved[groups, first] - moved[groups, second]) * surprise
        return np.where(np.isfinite(fit.ratings[groups, own]), np.nan_to_num(slopes), np.nan)

    def bound_infinite(self, tally: Tally, confidence: float) -> Values:
        """The rating at which a system would win, or lose, all of its games by chance.

        The others' ratings are taken as they are; games of one cluster count as one.
        """
        cells, logarithm = need_patterns(tally), math.log((1 - confidence) / 2)
        found = np.full(len(cells.groups), np.nan)
        for group, refer, sign, wins, others in self._list_infinite(cells):
            end = sign * bound_rating(wins, others, logarithm)
            found[group] = self.anchor + ELO * (end - refer)
        return found

    def test_infinite(self, tally: Tally, scores: Values) -> Values:
        """The p-value of an infinite score of each group next to another; NaN of finite ones."""
        cells = need_patterns(tally)
        found = np.full(len(cells.groups), np.nan)
        for group, refer, sign, wins, others in self._list_infinite(cells):
            rating = (scores[group] - self.anchor) / ELO + refer
            found[group] = min(1.0, 2 * math.exp(find_chance(sign * rating, wins, others)))
        return found

    def _list_infinite(self, tally: Cells) -> Iterator[tuple[int, float, int, Values, Values]]:
        """Groups in which a system wins, or loses, all games, with the rating of their anchor.

        And with the sign of its rating, what it won of whom, and their ratings, with the sign
        changed if it lost all.
        """
        fit, own = self._fit(tally), int(tally.predicted[0])
        wins, ratings, refer = fit.wins, fit.ratings, self._refer(tally, fit)
        for group in np.flatnonzero(np.isinf(ratings[:, own])).tolist():
            sign = 1 if ratings[group, own] > 0 else -1
            games = wins[group, own] if sign > 0 else wins[group, :, own]
            games = games * self._share_clusters(tally, group, own)
            yield group, refer[group], sign, games, sign * ratings[group]

    def _share_clusters(self, tally: Cells, group: int, own: int) -> float:
        (first, second, _, _), clusters = _read_outcomes(tally), tally.clusters
        held = (tally.owners == group) & ((first == own) | (second == own))
        if clusters is None:
            return 1.0
        inside = held[clusters.cells]
        return float(len(np.unique(clusters.owners[inside])) / clusters.counts[inside].sum())

    def explain_undefined(self, tally: Tally) -> str:
        cells = need_patterns(tally)
        reach, own = self._fit(cells).reach[0], int(cells.predicted[0])
        anchored, names = find_baseline(self.baseline, cells.listed), tuple(map(str, cells.listed))
        return f"because {explain_apart(reach, anchored, own, names)}"

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str] | None:
        """What the baseline scores is fixed by definition."""
        if tally.systems != (self.baseline,):
            return None
        scores = self.score(need_patterns(tally))
        return scores, scores, "fixed"

    def _fit(self, tally: Cells) -> Fit:
        anchored = find_baseline(self.baseline, tally.listed)
        if tally.mass.ndim > 1:
            return fit_ratings(count_wins(tally), anchored)
        return _fit_once(_Battles(replace(tally, outputs=tally.outputs[:0])), anchored)

    def _refer(self, tally: Cells, fit: Fit) -> Values:
        anchored = find_baseline(self.baseline, tally.listed)
        return np.zeros(fit.ratings.shape[:-1]) if anchored is None else fit.ratings[..., anchored]


class _Battles(Struct, frozen=True, eq=False):
    """A tally that is equal to one of the same battles, whichever system it is of."""

    tally: Cells

    def _list_parts(self) -> tuple[object, ...]:
        own = self.tally
        arrays = (own.owners, own.gold, own.mass)
        return (own.labels, own.listed, len(own.groups), *(array.tobytes() for array in arrays))

    def __hash__(self) -> int:
        return hash(self._list_parts())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Battles) and self._list_parts() == other._list_parts()


@lru_cache(maxsize=2)
def _fit_once(battles: _Battles, anchored: int | None) -> Fit:
    """The ratings of all systems, which each system of a tally asks for."""
    return fit_ratings(count_wins(battles.tally), anchored)

"""Bradley-Terry ratings, from how often each outcome of two systems occurs."""

import json
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.preferences import PREFERENCES
from tallystick.kinds.preferences.rating_fit import (
    Fit,
    bound_rating,
    explain_apart,
    find_chance,
    fit_ratings,
)
from tallystick.kinds.preferences.win_rates import check_baseline, find_baseline
from tallystick.model.codes import Label, Labels, order, place_names
from tallystick.model.systems import Systems
from tallystick.model.tallies.arrays.distinct import sum_by
from tallystick.model.tallies.cells import Cells, count_patterns
from tallystick.model.tallies.code_sets import encode_labels
from tallystick.model.tallies.metric import Metric, Values, check_number
from tallystick.model.tallies.tally import Tally

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
            raise ValueError("its labels are no outcomes of battles")
        if (tally.gold < known).any():
            raise ValueError("its gold is no outcome of a battle")
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
        raise InputError("the labels of this tally are no outcomes of battles") from None
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


@final
class BradleyTerry(Metric, frozen=True):
    """The rating of a system on Elo's scale, by which it wins against any other.

    A system that is 400 points above another wins ten of eleven games; ties count half. Ratings are
    those of greatest likelihood. Their mean over all systems is the anchor, or the baseline's is.

    Formula: P(a wins against b) = 1 / (1 + 10^((b - a) / 400))
    Undefined: for a system that no games connect with those that the anchor is about; infinite for
        one that wins or loses all games with them.
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
        cells, logarithm = tally.need_patterns(), math.log((1 - confidence) / 2)
        found = np.full(len(cells.groups), np.nan)
        for group, refer, sign, wins, others in self._list_infinite(cells):
            end = sign * bound_rating(wins, others, logarithm)
            found[group] = self.anchor + ELO * (end - refer)
        return found

    def test_infinite(self, tally: Tally, scores: Values) -> Values:
        """The p-value of an infinite score of each group beside another; NaN of finite ones."""
        cells = tally.need_patterns()
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
        cells = tally.need_patterns()
        reach, own = self._fit(cells).reach[0], int(cells.predicted[0])
        anchored, names = find_baseline(self.baseline, cells.listed), tuple(map(str, cells.listed))
        return f"because {explain_apart(reach, anchored, own, names)}"

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str] | None:
        """What the baseline scores is fixed by definition."""
        if tally.systems != (self.baseline,):
            return None
        scores = self.score(tally.need_patterns())
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

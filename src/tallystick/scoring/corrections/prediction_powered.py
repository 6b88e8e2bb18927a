"""A mean of a judge's values for all examples, corrected by people's values for some of them.

Everything here is linear: of a score that is no mean, the values are its slopes in the weights of
the examples. The estimate is the sum of the judge's values, times a weight, plus that of people's
values less the judge's, times the same weight, over the examples that have both.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tallystick.model.codes import Labels
from tallystick.statistics.wilson import Values

_PRIOR = 2
"""How many examples are added on which people and judge agree by chance alone."""

_FEWEST = 2
"""Fewer degrees of freedom make intervals far too wide, and hold no better."""

_STILL = 1e-9
"""A smaller difference, as a share of the largest one, is rounding."""


class Paired(Struct, frozen=True, eq=False):
    """What examples add to a score by the judge, and by people.

    `judge` and `people` are for a unit of weight, of shape (examples,), and equal where there is no
    human label. `labelled` is what each example with a human label weighs, 0 for all others:
    divided by the probability of its label, so that both weights have the same sum. Each cluster is
    drawn as a whole.
    """

    judge: Values
    people: Values
    weights: Values
    labelled: Values
    clusters: Labels | None = None

    @property
    def size(self) -> float:
        """How many examples, or clusters, with human labels of equal weight would tell as much."""
        return _count(_gather(self.labelled, self.clusters))

    def tune(self) -> float:
        """The weight of the judge with which the estimate varies least.

        Source: Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient Prediction-Powered Inference
            (arXiv 2311.01453), example 6.1, there as a multiple of the unlabelled examples alone.
        """
        examples = _count(_gather(self.weights, self.clusters))
        rest = 1 - self.size / examples
        variance = self.vary() * examples / max(examples - 1, 1)
        share = self.labelled / self.labelled.sum()
        own, other = self.people - share @ self.people, self.judge - share @ self.judge
        if rest <= _STILL or not variance > 0:
            return 0.0
        return float(np.clip(share @ (own * other) / variance, 0, 1 / rest))

    def spread(self, weight: float) -> "Influence":
        """What each example moves the estimate with a weight of the judge."""
        share = self.labelled / self.labelled.sum()
        judge = weight * (self.judge - self.weights @ self.judge / self.weights.sum())
        rest = max(self.size - 1, _STILL)
        moves = (self.weights * judge + self._gap(weight)) * (self.size / rest) ** 0.5
        extra = _PRIOR * self._agree(share) * 2 * self.vary() * self.weights.sum() ** 2
        moves = _gather(moves, self.clusters)
        labelled = _gather(self.labelled, self.clusters)
        return Influence(moves, labelled, extra / (self.size * rest))

    def vary_by_labels(self, weight: float) -> float:
        """The part of the variance that would vanish if all examples had human labels."""
        gap = _gather(self._gap(weight), self.clusters)
        return float(gap @ gap) * self.size / max(self.size - 1, _STILL)

    def _gap(self, weight: float) -> Values:
        """How far people are from the judge, by what that moves the estimate."""
        gap = self.people - weight * self.judge
        return np.asarray(self.labelled * (gap - self.labelled @ gap / self.labelled.sum()))

    def vary(self) -> float:
        """The variance of what the judge says; 0 where only rounding makes it vary."""
        share = self.weights / self.weights.sum()
        off = self.judge - share @ self.judge
        still = np.abs(off).max(initial=0) <= _STILL * np.abs(self.judge).max(initial=0)
        return 0.0 if still else float(share @ off**2)

    def _agree(self, share: Values) -> float:
        """The part of the human labels that say what the judge says."""
        sides = self.people, self.judge
        largest = max(float(np.abs(own).max(initial=0)) for own in sides)
        return float(share @ np.isclose(*sides, rtol=0, atol=_STILL * largest))

    def subtract(self, other: "Paired") -> "Paired":
        """What they add to the difference of two systems with the same human labels."""
        judge, people = self.judge - other.judge, self.people - other.people
        return Paired(judge, people, self.weights, self.labelled, self.clusters)


class Influence(Struct, frozen=True, eq=False):
    """What each example moves an estimate, and what too few labels cannot show of it.

    Human labels that hardly ever differ from the judge's show no scatter. As with Agresti and
    Coull's two successes and two failures, examples are added on which they differ: as often as
    they would if the judge's verdict were that of another example.

    `moves` is of each example, or cluster, `labelled` its weight, 0 without human labels, and
    `extra` what the added examples add to the variance.
    """

    moves: Values
    labelled: Values
    extra: float = 0.0

    @property
    def variance(self) -> float:
        """The variance of the estimate; NaN where only one example, or cluster, has labels."""
        return self.seen + self.extra

    @property
    def seen(self) -> float:
        """The same without what the added examples add."""
        return float(self.moves @ self.moves) if self.freedom > _STILL else np.nan

    @property
    def freedom(self) -> float:
        """The degrees of freedom of as many labels as there are."""
        return _count(self.labelled) - 1

    @property
    def steadiness(self) -> float:
        """The same where few examples may make most of the variance, which then is known poorly.

        Source: Satterthwaite 1946, Biometrics Bulletin 2, from the variance of a variance.
        """
        squares = self.moves**2
        total = float(squares.sum())
        uncertainty = float(squares @ squares) - total**2 / _count(self.labelled)
        known = 2 * total**2 / uncertainty - 1 if uncertainty > 0 else np.inf
        return min(self.freedom, max(known, _FEWEST))

    def subtract(self, other: "Influence") -> "Influence":
        """That of the difference of two estimates."""
        labelled = (self.labelled + other.labelled) / 2
        return Influence(self.moves - other.moves, labelled, self.extra + other.extra)


def average(parts: Sequence[Influence], *, clustered: bool) -> Influence:
    """The influence on the mean of estimates of different examples, perhaps of some clusters."""
    moves, labelled = ([getattr(one, name) for one in parts] for name in ("moves", "labelled"))
    extra = sum(one.extra for one in parts) / len(parts) ** 2
    if clustered:
        return Influence(np.mean(moves, axis=0), np.sum(labelled, axis=0), extra)
    return Influence(np.concatenate(moves) / len(parts), np.concatenate(labelled), extra)


def _gather(values: Values, clusters: Labels | None) -> Values:
    if clusters is None:
        return values
    return np.asarray(np.bincount(clusters.codes, values, len(clusters.names)), np.float64)


def _count(weights: Values) -> float:
    """How many equal weights would vary as these do (Kish 1965, Survey Sampling)."""
    total = float(weights.sum())
    return total**2 / max(float(weights @ weights), 1e-300)

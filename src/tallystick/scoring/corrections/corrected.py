"""Scores against a judge's labels, corrected by human labels of some examples (PPI++)."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels import needs_probabilities
from tallystick.model.codes import Labels
from tallystick.model.systems import People, Systems
from tallystick.model.tallies.metric import Metric, adds_up, compares_groups, is_per_label
from tallystick.model.tallies.tally import Counter
from tallystick.model.tallies.unit_weights import UnitWeights
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


Row = str | None
"""A group, the mean over groups (`macro`), all groups together (`micro`), or all there is."""


class Estimate(Struct, frozen=True, eq=False):
    """A score by people and judge together, on one row.

    `judge` is the score by the judge's labels of all examples, `people` that by human labels alone.
    `weight` is how much the judge counts, from 0 to 1, and `share` the same as a multiple of all
    examples, and not of those without human labels. `influence` is what each example moves the
    corrected score, `alone` what each one with a human label moves the score by these alone.
    `trials` are the fewest that the effective size can be: `is_share` is whether the score is a
    share of them, and `share_like` whether it varies as one. `paired` is None of a mean over
    groups.
    """

    value: float
    judge: float
    people: float
    labels: int
    weight: float
    share: float
    influence: Influence
    alone: Influence
    trials: float
    is_share: bool
    limits: tuple[float, float]
    share_like: bool
    paired: Paired | None = None

    @property
    def freedom(self) -> float:
        """The degrees of freedom: of a share those of its trials, else as people scatter."""
        return max(1.0, self.trials - 1) if self.is_share else self.alone.steadiness


class Corrected(Struct, frozen=True, eq=False):
    """Examples with a judge's labels; rows with human labels repeat some of them below."""

    systems: Systems
    people: People
    weights: Values
    groups: Labels | None
    clusters: Labels | None
    counters: Mapping[Metric, Counter]
    _tallies: dict[tuple[Counter, str], UnitWeights | None] = field(default_factory=dict)
    _found: dict[tuple[Metric, str, Row], Estimate] = field(default_factory=dict)

    @classmethod
    def of(cls, systems: Systems, counters: Mapping[Metric, Counter]) -> "Corrected":
        """Takes apart what was read."""
        people = systems.people
        if people is None or systems.counts is not None:
            raise UsageError("`corrected_by=` needs a row for each example, not counts of them")
        size = people.examples
        units = Labels(np.arange(len(systems), dtype=np.uint32), tuple(range(len(systems))))
        plain = replace(systems, groups=None, weights=None, clusters=units, people=None)
        weights = np.ones(size) if systems.weights is None else systems.weights[:size]
        groups, clusters = systems.groups, systems.clusters
        return cls(
            plain,
            people,
            weights,
            None if groups is None else Labels(groups.codes[:size], groups.names),
            None if clusters is None else clusters.take(np.arange(size)),
            counters,
        )

    def estimate(self, metric: Metric, system: str, row: Row) -> Estimate:
        """The corrected score of a system on a row."""
        key = metric, system, row
        if key not in self._found:
            self._found[key] = self._estimate(metric, system, row)
        return self._found[key]

    def subtract(self, metric: Metric, a: str, b: str, row: Row) -> Influence:
        """What each example moves the difference of the corrected scores of two systems."""
        if row == "macro" and self.groups is not None:
            groups = self._list_defined(metric, a, b)
            parts = [self.subtract(metric, a, b, name) for name in groups]
            return average(parts, clustered=self.clusters is not None)
        one, other = (self.estimate(metric, name, row) for name in (a, b))
        found = one.influence.subtract(other.influence)
        if one.paired is None or other.paired is None:
            return found
        if not np.array_equal(one.paired.labelled, other.paired.labelled):
            return found
        return replace(found, extra=one.paired.subtract(other.paired).spread(0.0).extra)

    def choose(self, metrics: Sequence[Metric], *, named: bool) -> tuple[Metric, ...]:
        """The metrics that can be corrected."""
        fits = [(metric, self._explain(metric)) for metric in metrics]
        wrong = [reason for _, reason in fits if reason is not None]
        if wrong and (named or len(wrong) == len(fits)):
            raise UsageError(wrong[0])
        return tuple(metric for metric, reason in fits if reason is None)

    def _explain(self, metric: Metric) -> str | None:
        if is_per_label(metric):
            return f"{metric!r} has a value per label; correct an average, or one label at a time"
        if compares_groups(metric):
            return f"{metric.name} is between groups, and `corrected_by=` corrects their own scores"
        if adds_up(metric):
            return f"{metric.name} counts examples, and `corrected_by=` corrects scores"
        scored = needs_probabilities(self.counters[metric].kind)
        if not scored and self._weigh(metric, self.systems.names[0]) is not None:
            return None
        return (
            f"{metric.name} is neither a mean of numbers nor a formula over label counts, which "
            "`corrected_by=` needs"
        )

    def describe(self) -> str:
        """What corrects the judge, in a sentence."""
        counts = {int(known.sum()) for known in self.people.known.values()}
        labels = " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))
        chances = self.people.chances is not None
        drawn = "drawn with the probabilities given" if chances else "drawn at random"
        return (
            f"scores are a judge's over {len(self.weights):,} examples, corrected by {labels} "
            f"human labels (prediction-powered inference) that are taken to be {drawn}."
        )

    def _estimate(self, metric: Metric, system: str, row: Row) -> Estimate:
        groups = self.groups
        if groups is None or row in (None, "micro"):
            return self._solve(metric, system, np.arange(len(self.weights)))
        if row != "macro":
            here = groups.codes == list(map(str, groups.names)).index(str(row))
            return self._solve(metric, system, np.flatnonzero(here))
        each = [self.estimate(metric, system, name) for name in self._list_defined(metric, system)]
        return _average(each, clustered=self.clusters is not None)

    def _list_defined(self, metric: Metric, *systems: str) -> list[str]:
        names = list(map(str, () if self.groups is None else self.groups.names))
        values = {
            name: [self.estimate(metric, system, name).value for system in systems]
            for name in names
        }
        return [name for name in names if not np.isnan(values[name]).any()] or names

    def _solve(self, metric: Metric, system: str, here: NDArray[np.int64]) -> Estimate:
        """The corrected score of some examples: two steps, as its slopes depend on its weight."""
        case = self._open(metric, system, here)
        judge = case.score(np.nan)
        if not case.labelled.any():
            return _leave_open(judge, case)
        people, first = case.score(0.0), case.pair(0.0)
        weight = first.tune()
        weight = case.pair(weight).tune()
        paired, value = case.pair(weight), case.score(weight)
        alone, trials = first.spread(0.0), case.count_trials(weight)
        low, high = metric.bounds
        return Estimate(
            float(np.clip(value, low, high)),
            judge,
            people,
            int((case.labelled > 0).sum()),
            weight * max(0.0, 1 - paired.size / max(len(here), 1)),
            weight,
            paired.spread(weight),
            alone,
            alone.steadiness + 1 if trials is None else trials * paired.size,
            trials is not None,
            case.limits,
            case.units.share_like or trials is not None,
            paired,
        )

    def _open(self, metric: Metric, system: str, here: NDArray[np.int64]) -> "_Case":
        known, owners = np.flatnonzero(self.people.known[system]), self.people.owners
        places = np.arange(len(self.weights))
        places[owners[known]] = known
        places, weights, clusters = places[here], self.weights[here], self.clusters
        labelled = np.where(places != here, weights, 0.0)
        if self.people.chances is not None:
            labelled /= self.people.chances[system][places]
        total = labelled.sum()
        labelled *= weights.sum() / total if total > 0 else 0
        units = self._weigh(metric, system)
        assert units is not None
        own = None if clusters is None else clusters.take(here)
        return _Case(metric, units, weights, labelled, (here, places), len(owners), own)

    def _weigh(self, metric: Metric, system: str) -> UnitWeights | None:
        key = self.counters[metric], system
        if key not in self._tallies:
            tally = key[0].count(self.systems.of(system))
            weigh = getattr(tally, "weigh_units", None)
            self._tallies[key] = weigh and weigh(len(self.systems))
        return self._tallies[key]


class _Case(Struct, frozen=True, eq=False):
    """One metric of a system; `labelled` weighs human labels, `places` are the rows of both."""

    metric: Metric
    units: UnitWeights
    weights: Values
    labelled: Values
    places: tuple[NDArray[np.int64], NDArray[np.int64]]
    rows: int
    clusters: Labels | None

    @property
    def limits(self) -> tuple[float, float]:
        """What the score can reach: of a mean of verdicts a share."""
        bounds = self.metric.bounds
        return (0.0, 1.0) if self.units.verdicts and not np.isfinite(bounds).all() else bounds

    def score(self, weight: float) -> float:
        """The score with a weight of the judge; by the judge alone where it is NaN."""
        return self.units.score(self.metric, self._weigh(weight))

    def pair(self, weight: float) -> Paired:
        """What judge and people say of each example, from slopes at a weight of the judge."""
        slopes = self.units.find_slopes(self.metric, self._weigh(weight))
        judge, people = (slopes[own] for own in self.places)
        return Paired(judge, people, self.weights, self.labelled, self.clusters)

    def count_trials(self, weight: float) -> float | None:
        """How many trials of a share one human label counts as; None if the score is no share."""
        trials = self.units.find_trials(self.metric, self._weigh(weight))
        return None if trials is None else float(np.clip(trials / self.weights.sum(), 0, 1))

    def _weigh(self, weight: float) -> Values:
        found, (judge, people) = np.zeros(self.rows), self.places
        found[judge] = self.weights
        if not np.isnan(weight):
            found[judge] = weight * (self.weights - self.labelled)
            some = self.labelled > 0
            found[people[some]] = self.labelled[some]
        return found


def _average(parts: Sequence[Estimate], *, clustered: bool) -> Estimate:
    def mean(name: str) -> float:
        return float(np.mean([getattr(one, name) for one in parts]))

    return Estimate(
        mean("value"),
        mean("judge"),
        mean("people"),
        sum(one.labels for one in parts),
        mean("weight"),
        mean("share"),
        average([one.influence for one in parts], clustered=clustered),
        average([one.alone for one in parts], clustered=clustered),
        sum(one.trials for one in parts),
        False,
        parts[0].limits,
        parts[0].share_like,
    )


def _leave_open(judge: float, case: _Case) -> Estimate:
    """What is known of examples without a human label: nothing but what the judge says."""
    size = len(case.weights if case.clusters is None else case.clusters.names)
    unknown = Influence(np.full(size, np.nan), np.zeros(size))
    nan = float("nan")
    return Estimate(nan, judge, nan, 0, nan, nan, unknown, unknown, nan, False, case.limits, False)

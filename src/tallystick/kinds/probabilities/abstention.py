"""Abstention: how right a system is on the examples that it is surest of."""

import abc
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_columns import LabelColumn, Output, read_scores
from tallystick.kinds.probabilities.joint import Joint, JointRows, keep_examples
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Tally, need
from tallystick.statistics.wilson import bound_share

_ROUNDING = 1e-9
"""A product of two numbers that is no farther above a whole number is that number."""


class Confidence(Joint, frozen=True):
    """Keeps labels with confidences: of a column, or the probability of the predicted label."""

    kind = LABELS
    selective: ClassVar[bool] = True

    def count(self, systems: Systems) -> JointRows:
        column = LABELS.of(systems)
        rows = zip(systems.names, column.outputs, strict=True)
        sure = tuple(
            replace(own, probabilities=_find(name, own), confidence=None) for name, own in rows
        )
        labels = LabelColumn(column.gold, (*sure,))
        return keep_examples(self, systems, labels, "metrics of confidence")


def _find(name: str, output: Output) -> Values:
    """Returns the confidence of a system in each predicted label."""
    if output.confidence is not None:
        unknown = np.flatnonzero(np.isnan(output.confidence))
        if len(unknown):
            raise InputError(
                f"{name} does not say how confident it is of {len(unknown)} of "
                f"{len(output.confidence)} examples, of which the first is number {unknown[0] + 1}"
            )
        return output.confidence
    if output.probabilities is None or not isinstance(output.labels, Labels):
        raise UsageError(
            f"{name} does not say how confident it is: this needs a column called confidence, or "
            "the probabilities of labels"
        )
    if output.misfit is not None:
        raise InputError(
            f"{output.misfit}; confidences are probabilities, or a column called confidence"
        )
    scores, codes = read_scores(output), output.labels.codes
    if scores.ndim == 1:
        return np.asarray(np.where(codes == 1, scores, 1 - scores), np.float64)
    return np.asarray(scores[np.arange(len(codes)), codes], np.float64)


class Ranked(Struct, frozen=True, eq=False):
    """The examples of one group by descending confidence, in steps of equal confidence.

    `masses`, of shape (resamples, steps), are the examples, `errors` the wrong ones.
    """

    masses: Values
    errors: Values

    @classmethod
    def of(cls, sure: Values, wrong: NDArray[np.bool_], times: NDArray[np.int64]) -> "Ranked":
        order = np.argsort(-sure, kind="stable")
        ranked = sure[order]
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        drawn = times[:, order].astype(np.float64)
        masses = np.add.reduceat(drawn, starts, axis=1)
        return cls(masses, np.add.reduceat(drawn * wrong[order], starts, axis=1))

    @property
    def covered(self) -> Values:
        """How many examples are as sure as a step, or surer."""
        return np.cumsum(self.masses, axis=1)

    @property
    def wrong(self) -> Values:
        """How many of the covered examples are wrong."""
        return np.cumsum(self.errors, axis=1)

    @property
    def rates(self) -> Values:
        """The share of each step that is wrong."""
        return np.divide(
            self.errors, self.masses, out=np.zeros_like(self.errors), where=self.masses > 0
        )


def _add_powers(most: int, power: int) -> Values:
    return np.concatenate([[0.0], np.cumsum(np.arange(1.0, most + 1) ** -power)])


ByGroup = Callable[[Values, NDArray[np.bool_], NDArray[np.int64]], Values]
"""A function of the confidences of a group, which outputs are wrong, and how often each is in each
resample, of shape (resamples, examples)."""


def map_groups(tally: JointRows, find: ByGroup, size: int | None = None) -> Values:
    """Applies a function that returns one score per resample, or `size` numbers, to each group.

    The shape is (groups,) or (resamples, groups), or (size, groups); NaN without examples.
    """
    sure, wrong = tally.read_confidences()
    owners = tally.rows.owners
    times = np.ones((1, len(sure)), np.int64) if tally.times is None else tally.times
    places = (np.flatnonzero(owners.codes == place) for place in range(len(owners.names)))
    nothing = np.full(size or len(times), np.nan)
    found = (find(sure[own], wrong[own], times[:, own]) if len(own) else nothing for own in places)
    values = np.stack([*found], axis=-1)
    return np.asarray(values[0] if size is None and tally.times is None else values)


def find_risks(tally: JointRows) -> tuple[Values, Values]:
    """Returns the coverages of a tally of one group, and the share of errors at each."""
    steps = rank_by(lambda own: np.concatenate([own.covered, own.wrong]))
    covered, wrong = np.split(map_groups(tally, steps, 2)[..., 0], 2)
    return covered[0] / covered[0, -1], wrong[0] / covered[0]


def rank_by(formula: Callable[[Ranked], Values]) -> ByGroup:
    """Ranks the examples of a group by confidence before a formula is applied."""
    return lambda sure, wrong, times: formula(Ranked.of(sure, wrong, times))


class _Selective(Metric, frozen=True):
    """A score of which a formula shows how far each example moves it, so that none is drawn."""

    counters = (Confidence,)

    @abc.abstractmethod
    def find(self, ranked: Ranked) -> Values:
        """The score of each resample."""

    @abc.abstractmethod
    def move(self, ranked: Ranked) -> Values:
        """How far a right example, and a wrong one, of each step moves it: (2, steps)."""

    def score(self, tally: JointRows) -> Values:
        return map_groups(tally, rank_by(self.find))

    def influence(self, tally: JointRows) -> Values:
        """How fast the score of its group rises with the weight of each example."""
        sure, wrong = tally.read_confidences()
        moves, codes = np.zeros(len(sure)), tally.rows.owners.codes
        for place in np.unique(codes):
            own = codes == place
            ranked = Ranked.of(sure[own], wrong[own], np.ones((1, own.sum()), np.int64))
            steps = np.unique(-sure[own], return_inverse=True)[1]
            moves[own] = self.move(ranked)[wrong[own].astype(np.intp), steps]
            moves[own] -= moves[own].mean()
        return moves


class AURC(_Selective, frozen=True):
    """Area under the risk-coverage curve: mean error rate over all coverages.

    At a coverage of i/n the system answers the i examples of which it is most confident. Examples
    of equal confidence count as in random order.

    Formula: 1/n sum over i from 1 to n of (errors among the i surest examples) / i
    Undefined: without examples.
    Source: Geifman, Uziel and El-Yaniv 2019, ICLR.
    """

    short = "aurc"
    title = "AURC"
    better = "lower"

    def find(self, ranked: Ranked) -> Values:
        covered, masses = ranked.covered, ranked.masses
        harmonic, left = _add_powers(int(covered[:, -1].max()), 1), covered.astype(np.int64)
        spans = harmonic[left] - harmonic[left - masses.astype(np.int64)]
        rest = ranked.wrong - ranked.errors - (covered - masses) * ranked.rates
        return np.asarray((rest * spans + ranked.errors).sum(1) / covered[:, -1])

    def move(self, ranked: Ranked) -> Values:
        """How far a right example, and a wrong one, of each step moves the risk: (2, steps).

        An example adds the rate at its own coverage, and pulls those of all larger coverages to 0
        or to 1. Of a step it is the mean over its coverages.
        """
        covered, masses, rates = ranked.covered[0], ranked.masses[0], ranked.rates[0]
        n, before = covered[-1], covered - masses
        ends, starts = covered.astype(np.int64), before.astype(np.int64)
        sums = (_add_powers(int(n), power) for power in (1, 2))
        spans, squares = (own[ends] - own[starts] for own in sums)
        # At the coverage i of a step the rate is that of its examples, plus `rest` / i.
        rest = ranked.wrong[0] - ranked.errors[0] - before * rates
        own, pulled = masses * rates + rest * spans, rates * spans + rest * squares
        later, later_pulled = (one.sum() - np.cumsum(one) for one in (spans, pulled))
        weight = (masses - before * spans) / masses + later
        right = own / masses - (own - before * pulled) / masses - later_pulled - own.sum() / n
        return np.asarray(np.stack([right, right + weight]) / n)


class EAURC(_Selective, frozen=True):
    """AURC minus the AURC of a system that is more confident of every right than wrong example.

    Formula: AURC - (1/n sum over i from n - errors + 1 to n of (i - (n - errors)) / i)
    Undefined: without examples.
    Source: Geifman, Uziel and El-Yaniv 2019, ICLR (E-AURC), with the sum itself and not its limit.
    """

    short = "e_aurc"
    title = "E-AURC"
    better = "lower"

    def find(self, ranked: Ranked) -> Values:
        n, errors = (own[:, -1].astype(np.int64) for own in (ranked.covered, ranked.wrong))
        harmonic, right = _add_powers(int(n.max()), 1), n - errors
        least = (errors - right * (harmonic[n] - harmonic[right])) / n
        return np.asarray(AURC().find(ranked) - least)

    def move(self, ranked: Ranked) -> Values:
        n, errors = ranked.covered[0, -1], ranked.wrong[0, -1]
        rise = np.log(n / max(n - errors, 1)) / n
        least = [[-rise * errors / n], [rise * (1 - errors / n)]]
        return np.asarray(AURC().move(ranked) - least)


class AccuracyAtCoverage(_Selective, frozen=True):
    """Accuracy on a given share of the examples, those with the highest confidence.

    Formula: right among the ceil(coverage * n) surest examples / ceil(coverage * n)
    Undefined: without examples.
    Source: Geifman and El-Yaniv 2017, NeurIPS (1 - selective risk).
    """

    coverage: float = 0.8

    short = "accuracy_at_coverage"
    title = "Accuracy at Coverage"
    ranges: ClassVar = {"coverage": (0, 1)}
    zero = "none of the outputs that it is surest of matches its gold"

    def find(self, ranked: Ranked) -> Values:
        covered = ranked.covered
        wanted = np.maximum(np.ceil(self.coverage * covered[:, -1:] - _ROUNDING), 1)
        step = (covered >= wanted).argmax(1)[:, None]
        before, own, rate = (
            np.take_along_axis(one, step, 1)
            for one in (covered - ranked.masses, ranked.wrong - ranked.errors, ranked.rates)
        )
        return np.asarray(1 - (own + (wanted - before) * rate) / wanted)[:, 0]

    def move(self, ranked: Ranked) -> Values:
        """How far a right example, and a wrong one, of each step moves it: (2, steps).

        One more of the surest displaces the least sure of them, whose rate is that of as many
        ranks around it as the square root of all examples.
        """
        covered, wrong = (np.append(0.0, one[0]) for one in (ranked.covered, ranked.wrong))
        n = covered[-1]
        wanted = max(np.ceil(self.coverage * n - _ROUNDING), 1)
        around = np.clip([wanted - np.sqrt(n), wanted + np.sqrt(n)], 0, n)
        least = 1 - np.diff(np.interp(around, covered, wrong)).item() / np.diff(around).item()
        inside = np.clip((wanted - covered[:-1]) / ranked.masses[0], 0, 1)
        moves = np.array([[1 - least], [-least]]) * inside
        counts = np.stack([ranked.masses[0] - ranked.errors[0], ranked.errors[0]])
        return np.asarray((moves - (moves * counts).sum() / n) / wanted)


class CoverageAtAccuracy(Metric, frozen=True):
    """Largest share of the examples, by confidence, on which a given accuracy is reached.

    Examples of equal confidence are covered together; the score is 0 if no share reaches it.

    Formula: max i/n with (right among the i surest examples) / i >= accuracy
    Undefined: without examples.
    Source: Geifman and El-Yaniv 2017, NeurIPS (coverage at a selective risk).
    """

    accuracy: float = 0.95

    short = "coverage_at_accuracy"
    title = "Coverage at Accuracy"
    ranges: ClassVar = {"accuracy": (0, 1)}
    zero = "the outputs that it is surest of are less accurate, however few they are"
    counters = (Confidence,)

    def score(self, tally: JointRows) -> Values:
        return map_groups(tally, rank_by(self._find))

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str]:
        joint = need(tally, JointRows)
        clusters, size = joint.rows.clusters, len(joint.rows.gold)
        share = 1.0 if clusters is None else len(np.unique(clusters.codes)) / size
        find = rank_by(lambda own: self._bound(own, share, confidence))
        low, high = map_groups(joint, find, 2)
        return low, high, "Wilson's interval of the accuracy, where it reaches the aim"

    def _find(self, ranked: Ranked) -> Values:
        covered = ranked.covered
        reached = covered - ranked.wrong >= self.accuracy * covered - _ROUNDING
        return np.asarray(np.where(reached, covered, 0).max(1) / covered[:, -1])

    def _bound(self, ranked: Ranked, share: float, confidence: float) -> Values:
        """The ends of the interval, of shape (2,), where each example counts as `share` of one.

        They are the ends of the intervals of the coverages up to which either end of the accuracy's
        interval reaches the aim.
        """
        covered, wrong = ranked.covered[0] * share, ranked.wrong[0] * share
        low, high = bound_share(covered - wrong, covered, confidence)
        reached = [np.where(end >= self.accuracy, covered, 0).max() for end in (low, high)]
        ends = bound_share(np.array(reached), np.full(2, covered[-1]), confidence)
        return np.array([ends[0][0], ends[1][1]])

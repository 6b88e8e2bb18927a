"""Distances between predicted and gold label distributions."""

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.numbers import DISTRIBUTIONS, NUMBERS, VOTES
from tallystick.kinds.numbers.numbers import Distributions, Votes
from tallystick.model.codes import Label, list_labels
from tallystick.model.reading import Form, Needed
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide, weigh
from tallystick.model.tallies.sums import Sums, sum_values

Measure = Literal["manhattan", "wasserstein", "cross_entropy", "js_divergence", "js_distance"]
Shares = NDArray[np.float64]

_SMALLEST = float(np.finfo(np.float64).eps)
"""Smaller probabilities count as this in logarithms, as in scikit-learn's log_loss."""


class LabelDistances(Struct, frozen=True):
    """Sums the distances between predicted and gold distributions over labels, in nats if any.

    `smoothing` replaces probabilities of 0 on both sides, before they are normalised.
    """

    kind = DISTRIBUTIONS
    needs = Needed(gold=True, form="distribution")
    columns = ("distance", "examples")
    measure: Measure
    smoothing: float = 0.0

    def count(self, systems: Systems) -> Sums:
        soft = _find(systems, Distributions, "distribution")
        if self.measure == "wasserstein" and not soft.ordered:
            raise UsageError(
                f"wasserstein needs the order of the labels {list_labels(soft.labels)}; name them "
                "from the lowest to the highest with `labels=`"
            )
        gold, outputs = soft.gold, soft.outputs
        if self.smoothing:
            raised = (np.where(own <= 0, self.smoothing, own) for own in (gold, outputs))
            gold, outputs = (own / own.sum(-1, keepdims=True) for own in raised)
        distances = _MEASURES[self.measure](gold, outputs).T
        rows = np.stack([distances, np.ones_like(distances)], axis=-1)
        return sum_values(self, systems, rows)


class LabelOverlap(Struct, frozen=True):
    """Sums for each label its probabilities, and how much of them gold and outputs share."""

    kind = DISTRIBUTIONS
    needs = Needed(gold=True, form="distribution")
    labels: tuple[Label, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The sums of gold, outputs, and the smaller one of both; they are numbered by label."""
        places = range(1, len(self.labels) + 1)
        names = ("gold", "output", "shared")
        return ("examples", *(f"{name}_{place}" for place in places for name in names))

    def count(self, systems: Systems) -> Sums:
        soft = _find(systems, Distributions, "distribution")
        gold, outputs = np.broadcast_arrays(soft.gold, soft.outputs)
        each = np.stack([gold, outputs, np.minimum(gold, outputs)], axis=-1)
        flat = np.moveaxis(each.reshape(*each.shape[:2], -1), 0, 1)
        ones = np.ones((*flat.shape[:2], 1))
        return sum_values(self, systems, np.concatenate([ones, flat], axis=-1))


class VoteErrors(Struct, frozen=True):
    """Sums the error on annotators' labels by example: wrong ones, or distances if `ordinal`."""

    kind = VOTES
    needs = Needed(gold=True, form="votes")
    columns = ("error", "examples")
    ordinal: bool = False

    def count(self, systems: Systems) -> Sums:
        votes = _find(systems, Votes, "votes")
        gold, outputs = votes.gold, votes.outputs
        if self.ordinal:
            wrong = np.abs(_as_numbers(outputs) - _as_numbers(gold))
        else:
            wrong = (outputs != gold).astype(np.float64)
        starts = np.concatenate([[0], votes.sizes.cumsum()[:-1]]).astype(np.int64)
        errors = (np.add.reduceat(wrong, starts, axis=1) / votes.sizes).T
        rows = np.stack([errors, np.ones_like(errors)], axis=-1)
        return sum_values(self, systems, rows)


def _find(systems: Systems, kind: type[Any], form: Form) -> Any:
    need_examples(systems, "metrics of soft labels")
    numbers = NUMBERS.find(systems)
    found = None if numbers is None else numbers.judgements.get(form)
    if not isinstance(found, kind):
        raise UsageError("soft labels were expected, but these examples have none")
    return found


def _as_numbers(labels: NDArray[np.str_]) -> Shares:
    try:
        return labels.astype(np.float64)
    except ValueError:
        names = list_labels(np.unique(labels).tolist())
        raise UsageError(f"with a scale labels are numbers, and these are {names}") from None


def _js_divergence(gold: Shares, outputs: Shares) -> Shares:
    between = (gold + outputs) / 2
    halves = (_relative_entropy(own, between) for own in (gold, outputs))
    return np.asarray(np.maximum(sum(halves) / 2, 0))


def _relative_entropy(shares: Shares, others: Shares) -> Shares:
    used = shares > 0
    ratio = np.where(used, shares, 1) / np.where(used, others, 1)
    return np.asarray((shares * np.log(ratio)).sum(-1))


_MEASURES: Mapping[Measure, Callable[[Shares, Shares], Shares]] = {
    "manhattan": lambda gold, outputs: np.abs(gold - outputs).sum(-1),
    "wasserstein": lambda gold, outputs: np.abs((gold - outputs).cumsum(-1)[..., :-1]).sum(-1),
    "cross_entropy": lambda gold, outputs: -(gold * np.log(outputs.clip(_SMALLEST, 1))).sum(-1),
    "js_divergence": _js_divergence,
    "js_distance": lambda gold, outputs: np.sqrt(_js_divergence(gold, outputs)),
}


class _Distance(Metric, frozen=True):
    """The mean distance of distributions over labels from those of annotators."""

    better = "lower"
    bounds = (0, math.inf)
    counters = (LabelDistances,)
    measure: ClassVar[str]
    unit: ClassVar[float] = 1.0

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["distance"], tally["examples"] * self.unit), np.nan)


class Manhattan(_Distance, frozen=True):
    """Mean Manhattan distance between predicted and gold distributions over labels.

    It is twice the total variation distance.

    Formula: mean over examples of the sum over labels of |p(output) - p(gold)|
    Undefined: without examples.
    Source: LeWiDi 2025; values as its starter kit's average_MD, but for its rounding.
    """

    short = "manhattan"
    title = "Manhattan Distance"
    bounds = (0, 2)
    measure = "manhattan"


class Wasserstein(_Distance, frozen=True):
    """Mean Wasserstein distance between predicted and gold distributions over ordered labels.

    Neighbouring labels are 1 apart. Labels that are not whole numbers have the order in which
    --labels names them.

    Formula: mean over examples of the sum over labels of |P(output) - P(gold)|, cumulative
    Undefined: without examples.
    Source: LeWiDi 2025; values as its starter kit's average_WS, but for its rounding, and as
        scipy.stats.wasserstein_distance of the places of labels.
    """

    short = "wasserstein"
    title = "Wasserstein Distance"
    measure = "wasserstein"


class JSDistance(_Distance, frozen=True):
    """Mean Jensen-Shannon distance between predicted and gold distributions over labels.

    It is the square root of js_divergence, example by example.

    Formula: mean over examples of the square root of KL(p, m)/2 + KL(q, m)/2, m = (p + q)/2, KL in
        bits
    Undefined: without examples.
    Source: Endres and Schindelin 2003, IEEE Transactions on Information Theory 49; values as
        scipy.spatial.distance.jensenshannon with base=2.
    """

    short = "js_distance"
    title = "Jensen-Shannon Distance"
    bounds = (0, 1)
    measure = "js_distance"
    unit = math.sqrt(math.log(2))  # logarithms were natural ones, and bits are wanted


class JSDivergence(_Distance, frozen=True):
    """Mean Jensen-Shannon divergence of predicted from gold distributions, in bits.

    Its square root, example by example, is js_distance.

    Formula: mean over examples of KL(p, m)/2 + KL(q, m)/2, m = (p + q)/2, KL in bits
    Undefined: without examples.
    Source: Lin 1991, IEEE Transactions on Information Theory 37; values as the squares of
        scipy.spatial.distance.jensenshannon with base=2.
    """

    short = "js_divergence"
    title = "Jensen-Shannon Divergence"
    bounds = (0, 1)
    measure = "js_divergence"
    unit = math.log(2)  # logarithms were natural ones, and bits are wanted


class SoftCrossEntropy(_Distance, frozen=True):
    """Mean cross-entropy of predicted distributions relative to gold distributions.

    Its minimum is the entropy of the gold, not 0. Probabilities below 2^-52 count as that, so that
    one of 0 costs 36 nats; PyEvALL replaces 0 by 0.001 on both sides and counts bits, which is
    SoftCrossEntropy(base=2, smoothing=0.001).

    Formula: mean over examples of the sum over labels of -p(gold) log p(output)
    Undefined: without examples.
    Source: LeWiDi 2023; values as scipy's entropy and relative entropy together, and as PyEvALL's.
    """

    base: float = math.e
    smoothing: float = 0.0

    short = "soft_cross_entropy"
    title = "Soft Cross-Entropy"
    ranges: ClassVar = {"base": (1 + 1e-9,), "smoothing": (0, 1)}
    measure = "cross_entropy"

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["distance"], tally["examples"] * math.log(self.base)), np.nan)


class SoftF1(Metric, frozen=True):
    """F1 of distributions over labels, in which labels count by their probability.

    The overlap of gold and output is the smaller of both probabilities. The micro average of
    distributions is 1 minus half the Manhattan distance.

    Formula: per label 2 sum of min(p, q) / (sum of p + sum of q), pooled over labels for micro
    Undefined: without examples; macro leaves out labels without any probability.
    Source: Kurniawan, Mistica, Baldwin and Lau 2026, Computational Linguistics 52.
    """

    average: Literal["micro", "macro"] = "micro"
    labels: tuple[Label, ...] | None = None

    short = "soft_f1"
    title = "Soft F1-Score"
    counters = (LabelOverlap,)
    averages_labels = False

    @property
    def counter(self) -> LabelOverlap:
        return LabelOverlap(self.labels or ())

    def score(self, tally: Sums) -> Values:
        shared, sides = tally.series("shared"), tally.series("gold") + tally.series("output")
        if self.average == "micro":
            return divide(Ratio(2 * shared.sum(-1), sides.sum(-1)), np.nan)
        each = divide(Ratio(2 * shared, sides), np.nan)
        return weigh(each, np.ones_like(each))


class AnnotatorError(Metric, frozen=True):
    """Mean error on the label that each annotator gives, as 0 or 1 or as a distance.

    Without a scale labels are names, right or wrong. With one they are numbers whose distance is
    divided by it: LeWiDi 2025 divides by the number of possible ratings, 11 for its paraphrases and
    6 for its sarcasm.

    Formula: mean over examples of the mean over annotators of 0 or 1, or of |output - gold| / scale
    Undefined: without examples.
    Source: LeWiDi 2025, perspectivist track; values as its starter kit's error_rate and
        mean_absolute_distance, but for their rounding.
    """

    scale: float | None = None

    short = "annotator_error"
    title = "Error per Annotator"
    ranges: ClassVar = {"scale": (1e-9,)}
    better = "lower"
    bounds = (0, float("inf"))
    counters = (VoteErrors,)

    @property
    def counter(self) -> VoteErrors:
        return VoteErrors(ordinal=self.scale is not None)

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["error"], tally["examples"] * (self.scale or 1)), np.nan)

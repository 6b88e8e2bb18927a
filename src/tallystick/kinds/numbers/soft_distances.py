"""Sums of distances between distributions over labels, of their overlap, and of wrong votes."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.numbers import DISTRIBUTIONS, NUMBERS, VOTES
from tallystick.kinds.numbers.soft_labels import Distributions, Votes
from tallystick.model.codes import Label, list_labels
from tallystick.model.reading import Form, Needed
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.sums import Sums, sum_values

Measure = Literal["manhattan", "wasserstein", "cross_entropy", "js_divergence", "js_distance"]
Shares = NDArray[np.float64]

_SMALLEST = float(np.finfo(np.float64).eps)
"""Smaller probabilities count as this in logarithms, as in scikit-learn's log_loss."""


@dataclass(frozen=True, slots=True)
class LabelDistances:
    """Sums how far distributions over labels are from gold ones.

    Attributes:
        measure: The distance; with natural logarithms where it has any.
        smoothing: What probabilities of 0 become on both sides, before they sum to 1 again.
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
        gold, outputs = (_smooth(own, self.smoothing) for own in (soft.gold, soft.outputs))
        distances = _MEASURES[self.measure](gold, outputs).T
        rows = np.stack([distances, np.ones_like(distances)], axis=-1)
        return sum_values(self, systems, rows)


@dataclass(frozen=True, slots=True)
class LabelOverlap:
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


@dataclass(frozen=True, slots=True)
class VoteErrors:
    """Sums what share of each example's annotators is mistaken, or by how much on average.

    Attributes:
        ordinal: Whether labels are numbers, whose distance counts.
    """

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
        raise UsageError("soft labels were expected, and these examples hold none")
    return found


def _as_numbers(labels: NDArray[np.str_]) -> Shares:
    try:
        return labels.astype(np.float64)
    except ValueError:
        names = list_labels(np.unique(labels).tolist())
        raise UsageError(f"with a scale labels are numbers, and these are {names}") from None


def _smooth(shares: Shares, smoothing: float) -> Shares:
    if not smoothing:
        return shares
    raised = np.where(shares <= 0, smoothing, shares)
    return np.asarray(raised / raised.sum(-1, keepdims=True))


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

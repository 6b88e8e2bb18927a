"""The s_score and the l_score for model selection."""

import abc
from collections.abc import Sequence
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.model.codes import Label, list_labels, order
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Values, check_number, check_option
from tallystick.model.tallies.ratios import Ratio, check_positive, divide
from tallystick.settings import fold_case

_SECONDARY = (None, "precision", "recall")


def check_secondary(secondary_scoring: object) -> None:
    """Raises a UsageError unless the value can be a secondary_scoring."""
    check_option("secondary_scoring", secondary_scoring, _SECONDARY)


def check_strength(strength: object) -> None:
    """Raises a UsageError unless the value is a number from 1 on."""
    check_number("strength", strength, 1)


@dataclass(frozen=True, slots=True, repr=False)
class _Product(Metric):
    """A product over labels and over precision and recall, each to the power that it has."""

    secondary_scoring: Literal["precision", "recall"] | None = None
    pos_label: Label | None = None
    strength: float = 3
    pos_index: int | None = None

    counters = (Confusion,)

    def __post_init__(self) -> None:
        check_secondary(fold_case(self, "secondary_scoring", _SECONDARY))
        check_positive(self.pos_label)
        check_strength(self.strength)
        index = self.pos_index
        if index is None:
            return
        if isinstance(index, bool) or not isinstance(index, int | np.integer) or index < -1:
            raise UsageError(f"pos_index is a whole number from -1 on, not {index!r}")
        if self.pos_label is not None:
            raise UsageError("pos_label and pos_index both choose a class; give only one")

    @abc.abstractmethod
    def rescale(self, share: Values) -> Values:
        """What a precision or a recall counts for."""

    def score(self, tally: Cells) -> Values:
        """The product of each group.

        Labels that a group has neither in gold nor in predictions have no part in its product, and
        what is undefined of the others counts as 0; without any label the product is NaN.
        """
        counts = tally.per_label()
        favoured = self._find_favoured(counts.labels)
        product = np.where(counts.used.any(-1), 1.0, np.nan)
        for name, whole in (("precision", counts.predicted), ("recall", counts.gold)):
            wanted = self.secondary_scoring in (None, name)
            powers = np.where(favoured & wanted, self.strength, 1)
            factors = self.rescale(divide(Ratio(counts.hits, whole), 0)) ** powers
            product = product * np.where(counts.used, factors, 1).prod(-1)
        return product

    def _find_favoured(self, labels: Sequence[Label]) -> NDArray[np.bool_]:
        chosen, index = self.pos_label, -1 if self.pos_index is None else self.pos_index
        if chosen is not None and chosen not in labels:
            raise UsageError(
                f"pos_label={chosen!r} does not exist: the labels are {list_labels(labels)}"
            )
        if chosen is None:
            if index >= len(labels):
                raise UsageError(
                    f"pos_index={index} does not exist: the labels are {list_labels(labels)}"
                )
            # With a preferred score, sam_ml takes index 0 for "all classes", as every negative.
            if index < 0 or (index == 0 and self.secondary_scoring is not None):
                return np.full(len(labels), self.secondary_scoring is not None)
            chosen = order(labels)[index]
        return np.array([label == chosen for label in labels])


@final
@dataclass(frozen=True, slots=True, repr=False)
class SScore(_Product):
    """A product over all labels' precision and recall that one very low value makes very low.

    It is for choosing among models, not for reports. Perfect predictions score 0.998763 to the
    power of twice the number of labels: below 1 (0.9951 with 2 labels, 0.9755 with 10), so that
    scores of tasks with different numbers of labels are not comparable. Without `pos_label`,
    `pos_index` and `secondary_scoring` nothing is preferred, and `strength` has no effect.

    Formula: product over labels i of s(precision_i)^a_i s(recall_i)^b_i, where
        s(x) = sqrt(1 / (1 + exp(12 (0.5 - x)))), and a_i, b_i are the `strength` for what is
        preferred, else 1
    Undefined: without examples; an undefined precision or recall counts as 0.
    Source: sam_ml, models/scorer.py; values as its s_scoring, whose pos_label is `pos_index`.
    """

    short = "s_score"
    title = "S-Score"

    def rescale(self, share: Values) -> Values:
        return np.asarray(np.sqrt(1 / (1 + np.exp(12 * (0.5 - share)))))


@final
@dataclass(frozen=True, slots=True, repr=False)
class LScore(_Product):
    """A product over all labels' precision and recall in which only low values matter.

    It is for choosing among models, not for reports. Values from 0.5 on are almost 1, and a label
    that is never predicted, or never right, makes the whole 0. Without `pos_label`, `pos_index`
    and `secondary_scoring` nothing is preferred, and `strength` has no effect.

    Formula: product over labels i of l(precision_i)^a_i l(recall_i)^b_i, where
        l(x) = 1 - (0.5 - 0.5 cos((x - 1) pi))^4, and a_i, b_i are the `strength` for what is
        preferred, else 1
    Undefined: without examples; an undefined precision or recall counts as 0.
    Source: sam_ml, models/scorer.py; values as its l_scoring, whose pos_label is `pos_index`.
    """

    strength: float = 2

    short = "l_score"
    title = "L-Score"
    zero = "a label is never predicted right"

    def rescale(self, share: Values) -> Values:
        return np.asarray(1 - (0.5 - 0.5 * np.cos((share - 1) * np.pi)) ** 4)

"""One number for a whole confusion matrix: kappas, MCC, and products for model selection."""

import abc
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.model.codes import Label, list_labels, order
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.clusters import HALF
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.per_label import sum_others
from tallystick.model.tallies.ratios import Ratio, divide, find_place, sort_scale


class CohenKappa(Metric, frozen=True):
    """Agreement of gold and predictions, corrected for agreement by chance.

    Formula: (p_o - p_e) / (1 - p_e), p_o the accuracy, p_e = sum over labels of p_k t_k / n^2
    Undefined: if gold and predictions hold one and the same label only.
    Source: Cohen 1960; values as scikit-learn's cohen_kappa_score without weights.
    """

    short = "cohen_kappa"
    title = "Cohen's Kappa"
    bounds = (-1, 1)
    counters = (Confusion,)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        # This is n^2 (1 - p_e), which as a difference might not come out as 0 where it is 0.
        beyond = (counts.predicted.astype(float) * counts.negatives).sum(-1)
        # Outputs that are no label agree with the gold as rarely by chance as they do: never.
        beyond = beyond + tally.invalid.astype(float) * counts.total[..., 0]
        return divide(Ratio(counts.covariance, beyond), np.nan)

    def influence(self, tally: Cells) -> Values:
        return _leave_out(tally, lambda own: own.covariance / (own.total**2 - own.expected))


class WeightedKappa(Metric, frozen=True):
    """Chance-corrected agreement of ordinal labels, in which large disagreements weigh more.

    Labels that are numbers are ordered by value; name others from the lowest to the highest. As in
    scikit-learn, the distance of two labels is that of their ranks among the labels that occur, so
    name all labels if one may be missing. An invalid output is as far from the gold as a label can
    be.

    Formula: 1 - sum of w_ij n_ij / sum of w_ij t_i p_j / n, where w_ij is |i - j|, or its square
    Undefined: if gold and predictions hold one and the same label only.
    Source: Cohen 1968; values as scikit-learn's cohen_kappa_score with weights.
    """

    weights: Literal["linear", "quadratic"] = "quadratic"
    labels: tuple[Label, ...] | None = None

    short = "weighted_kappa"
    bounds = (-1, 1)
    counters = (Confusion,)

    @property
    def name(self) -> str:
        return self.short if self.weights == "quadratic" else f"linear_{self.short}"

    def score(self, tally: Cells) -> Values:
        expected, total, apart, _ = self._read(tally)
        observed = tally.sum_groups(tally.mass * apart)
        return divide(Ratio(expected - observed * total, expected), np.nan)

    def influence(self, tally: Cells) -> Values:
        (expected, total, apart, rises), at = self._read(tally), tally.owners
        observed = tally.sum_groups(tally.mass * apart)[..., at]
        total, expected = total[..., at], expected[..., at]
        moved = divide(Ratio(total * observed * rises, expected**2), 0.0)
        return moved - divide(Ratio(observed + total * apart, expected), 0.0)

    def _read(self, tally: Cells) -> tuple[Values, Values, Values, Values]:
        """Returns distances as expected and in each cell.

        The distances of all gold labels from all outputs, and the number of examples, of shape
        (..., groups); the distance of each cell, and how fast the expected distance rises with its
        weight, of shape (..., cells).
        """
        scale = sort_scale(tally.labels, self.short) if self.labels is None else self.labels
        counts, at = tally.per_label().pick(scale), tally.owners
        used = counts.used if self.labels is None else np.ones_like(counts.used)
        places = used.cumsum(-1) - 1.0
        farthest = np.maximum(self._weigh(places[..., -1:]), 1)[..., 0]
        total = counts.total[..., 0].astype(float)
        invalid = farthest * tally.invalid
        gold, predicted, valid = self._place(tally, scale)
        apart = self._weigh(places[..., at, gold] - places[..., at, predicted])
        by_gold = self._spread(counts.predicted, places)
        by_output = self._spread(counts.gold, places)
        lost = (farthest * total)[..., at]
        return (
            (counts.gold * by_gold).sum(-1) + invalid * total,
            total,
            np.where(valid, apart, farthest[..., at]),
            by_gold[..., at, gold]
            + np.where(valid, by_output[..., at, predicted], lost)
            + invalid[..., at],
        )

    def _weigh(self, distance: NDArray[Any]) -> Values:
        weights: Values = np.square(distance) if self.weights == "quadratic" else np.abs(distance)
        return weights

    def _spread(self, sizes: NDArray[Any], places: Values) -> Values:
        """How far each label lies from all examples of labels of such sizes together."""
        sizes = sizes.astype(float)
        if self.weights == "quadratic":
            zeroth, first, second = (
                (sizes * places**power).sum(-1, keepdims=True) for power in range(3)
            )
            return np.asarray(places**2 * zeroth - 2 * places * first + second)
        below, moments = sizes.cumsum(-1), (sizes * places).cumsum(-1)
        turned = places * (2 * below - below[..., -1:]) - (2 * moments - moments[..., -1:])
        return np.asarray(turned)

    def _place(
        self, tally: Cells, scale: tuple[Label, ...]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """Where gold and output of each cell are on the scale; and which outputs are labels."""
        used = tally.per_label().used.reshape(-1, len(tally.labels))
        where = [
            find_place(label, scale, self.short) if used[:, code].any() else 0
            for code, label in enumerate(tally.labels)
        ]
        found = np.array([*where, 0], np.intp)
        return found[tally.gold], found[tally.predicted], tally.predicted < len(tally.labels)


class MCC(Metric, frozen=True):
    """Correlation between gold and predicted labels; 0 for guessing.

    Formula: (s c - sum p_k t_k) / sqrt((s^2 - sum p_k^2) (s^2 - sum t_k^2)), with s examples, c of
        them right, and label k predicted p_k and gold t_k times
    Undefined: if gold or predictions hold one label only; scikit-learn says 0 there.
    Source: Matthews 1975; Gorodkin 2004 for several labels; values as scikit-learn's
        matthews_corrcoef.
    """

    zero_division: float = math.nan

    short = "mcc"
    title = "MCC"
    bounds = (-1, 1)
    counters = (Confusion,)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        gold = counts.gold.astype(float)
        # Outputs that are no label are one more label, which the gold never has.
        predicted = np.concatenate([counts.predicted, tally.invalid[..., None]], -1).astype(float)
        # Differences of squares would round: with weights, a spread of 0 might not come out as 0.
        spread = (predicted * sum_others(predicted)).sum(-1) * (gold * counts.negatives).sum(-1)
        return divide(Ratio(counts.covariance, np.sqrt(spread)), self.zero_division)

    def influence(self, tally: Cells) -> Values:
        def score(own: _Sums) -> Values:
            sides = (own.total**2 - own.gold) * (own.total**2 - own.predicted)
            return np.asarray(own.covariance / np.sqrt(sides))

        return _leave_out(tally, score)


class _Sums(Struct, frozen=True, eq=False):
    """Examples, right ones, and sums over labels of products and squares of gold and predicted."""

    total: Values
    right: Values
    expected: Values
    gold: Values
    predicted: Values

    @property
    def covariance(self) -> Values:
        return self.right * self.total - self.expected


def _leave_out(tally: Cells, score: Callable[[_Sums], Values]) -> Values:
    """The loss of a score without an example of each cell, or without half of it, by its weight."""
    counts, at, wide = tally.per_label(), tally.owners, len(tally.labels)
    gold = counts.gold.astype(float)
    predicted = np.concatenate([counts.predicted, tally.invalid[..., None]], -1).astype(float)
    codes = np.minimum(tally.predicted, wide).astype(np.int64)
    by_gold = predicted[at, tally.gold]
    by_output = np.concatenate([gold, np.zeros((len(gold), 1))], -1)[at, codes]
    whole = _Sums(
        counts.total[..., 0].astype(float),
        counts.hits.sum(-1).astype(float),
        (gold * predicted[..., :-1]).sum(-1),
        (gold**2).sum(-1),
        (predicted**2).sum(-1),
    )
    one, right = tally.unit_masses, tally.gold == codes
    total = whole.total[at]

    def lose(part: float) -> Values:
        less = part * one
        lighter = _Sums(
            total - less,
            whole.right[at] - less * right,
            whole.expected[at] - less * (by_gold + by_output) + less**2 * right,
            whole.gold[at] - 2 * less * gold[at, tally.gold] + less**2,
            whole.predicted[at] - 2 * less * predicted[at, codes] + less**2,
        )
        with np.errstate(all="ignore"):
            lost = score(whole)[at] - score(lighter)
            return np.asarray(lost / less * (1 - less / total))

    lost = lose(1.0)
    return np.where(np.isfinite(lost), lost, np.nan_to_num(lose(HALF), posinf=0, neginf=0))


class _Product(Metric, frozen=True):
    """A product over labels and over precision and recall, each to the power that it has."""

    secondary_scoring: Literal[None, "precision", "recall"] = None
    pos_label: Label | None = None
    strength: float = 3
    pos_index: int | None = None

    counters = (Confusion,)
    ranges: ClassVar = {"strength": (1,)}

    def __post_init__(self) -> None:
        super().__post_init__()
        index = self.pos_index
        if index is None:
            return
        if isinstance(index, bool) or not isinstance(index, int | np.integer) or index < -1:
            raise UsageError(f"pos_index must be a whole number from -1 on, not {index!r}")
        if self.pos_label is not None:
            raise UsageError("pos_label and pos_index both choose a class; give only one")

    @abc.abstractmethod
    def rescale(self, share: Values) -> Values:
        """What a precision or a recall counts for."""

    def score(self, tally: Cells) -> Values:
        """The product of each group, over the labels that occur in it; NaN without labels.

        An undefined precision or recall counts as 0.
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


class SScore(_Product, frozen=True):
    """Product over labels of precision and recall on a scale where very low values dominate.

    It is for choosing among models, not for reports. Perfect predictions score 0.998763 to the
    power of twice the number of labels (0.9951 with 2 labels, 0.9755 with 10), so scores of tasks
    with different numbers of labels are not comparable. `strength` has no effect without
    `pos_label`, `pos_index` or `secondary_scoring`.

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


class LScore(_Product, frozen=True):
    """Product over labels of precision and recall on a scale where only low values matter.

    It is for choosing among models, not for reports. Values from 0.5 on are almost 1, and a label
    that is never predicted, or never right, makes the score 0. `strength` has no effect without
    `pos_label`, `pos_index` or `secondary_scoring`.

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

"""Metrics as scikit-learn's scorers: called with a fitted estimator, data and gold labels."""

from types import EllipsisType
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelColumn, LabelSets, Output
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.kinds.metrics.scoring import Scoring
from tallystick.kinds.probabilities.areas import Curve, SetCurves
from tallystick.kinds.probabilities.label_ranks import LabelRanks
from tallystick.model.codes import Label, encode, row_of, unify
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Metric, is_per_label
from tallystick.reading.arrays import add_columns, read_arrays


class Scorer(Struct, frozen=True):
    """A metric as scikit-learn's model selection takes it: a higher value is always better.

    Attributes:
        metric: The metric; the value of one that is better low, such as log loss, is negated.
    """

    metric: Metric

    def __post_init__(self) -> None:
        """Checks that the metric can tell a better model from a worse one."""
        if not {*self.metric.counters} & {Confusion, Curve, LabelRanks, LabelSets}:
            raise UsageError(f"{self.metric.short} is not for classifiers")
        if is_per_label(self.metric) or self.metric.better == "neither":
            raise UsageError(f"{self.metric!r} is not one number that is better or worse")

    @property
    def sign(self) -> int:
        """1, or -1 for a metric that is better low."""
        return -1 if self.metric.better == "lower" else 1

    def __call__(
        self,
        estimator: object,
        X: object,  # noqa: N803
        y: object,
        sample_weight: object = None,
    ) -> float:
        """Predicts X with a fitted classifier and scores the predictions against y.

        Labels are those that the classifier has learned, and any others in y. Metrics of
        probabilities call `predict_proba`; of two labels the second is the positive one. ROC-AUC
        and average precision take `decision_function` where there is no `predict_proba`.

        Raises:
            UsageError: The metric does not fit the labels, or the classifier gives no
                probabilities.
        """
        systems, counter = self._predict(estimator, X, y)
        if sample_weight is not None:
            systems = add_columns(systems, weights=sample_weight)
        return self.sign * float(self.metric.score(counter().count(systems))[0])

    def _predict(self, estimator: Any, data: Any, y: Any) -> tuple[Systems, type[Any]]:
        counters = self.metric.counters
        if np.ndim(y) == 2:
            if {SetCurves, LabelRanks} & {*counters}:
                scores = self._find_scores(estimator, data)
                if scores.ndim == 3:  # of each label those of its absence and its presence
                    scores = scores[..., 1].T
                outputs = {"predictions": Predictions(probabilities=scores)}
                usual = next(one for one in (SetCurves, LabelRanks) if one in counters)
                made = self.metric.counter
                kind = usual if made is None else type(made)
                return read_arrays(np.asarray(y), outputs, Reading(task=Task("multilabel"))), kind
            if LabelSets not in counters:
                raise UsageError(f"{self.metric.short} is not for several labels an example")
            task = Task("multilabel")
            given = np.asarray(estimator.predict(data))
            return read_arrays(np.asarray(y), {"predictions": given}, Reading(task=task)), LabelSets
        if Confusion in counters:
            sides = (y, "y"), (estimator.predict(data), "predictions")
            read = [encode(column, row_of(name)) for column, name in sides]
            gold, predicted = unify(*read, names=_list_classes(estimator))
            column = LabelColumn(gold, (Output(predicted),))
            return Systems(("predictions",), {"labels": column}), Confusion
        if Curve not in counters:
            raise UsageError(f"{self.metric.short} is for several labels an example")
        return self._predict_probabilities(estimator, data, y), Curve

    def _find_scores(self, estimator: object, data: object) -> NDArray[Any]:
        ordered = getattr(self.metric, "reads", None) == "order"
        for name in ("predict_proba", *(["decision_function"] if ordered else [])):
            if hasattr(estimator, name):
                return np.asarray(getattr(estimator, name)(data))
        raise UsageError(
            f"{self.metric.short} needs probabilities, and {type(estimator).__name__} has no "
            "predict_proba; wrap it in sklearn.calibration.CalibratedClassifierCV"
        )

    def _predict_probabilities(self, estimator: object, data: object, y: object) -> Systems:
        scores, classes = self._find_scores(estimator, data), _list_classes(estimator)
        task = Task("multiclass", classes)
        if len(classes) == 2:
            task = Task("binary", classes, classes[1])
            scores = scores if scores.ndim == 1 else scores[:, 1]
        elif scores.ndim == 1:  # of a detector of outliers, which learns no labels
            task = Task("binary")
        given = Predictions(probabilities=scores)
        return read_arrays(y, {"predictions": given}, Reading(task=task))


def scorer(
    scoring: Metric | str | EllipsisType = ...,
    *,
    avg: str | EllipsisType = ...,
    pos_label: Label | EllipsisType | None = ...,
    secondary_scoring: str | EllipsisType | None = ...,
    strength: float | EllipsisType = ...,
) -> Scorer:
    """A scorer for `cross_validate`, `GridSearchCV` and whatever else takes scikit-learn's scorers.

    Args:
        scoring: A metric, its full name, or a short name that the other parameters complete.
        avg: These four are the parameters of `tallystick.Scoring`, which says what they are and
            where they come from when they are not given.
        pos_label: See `avg`.
        secondary_scoring: See `avg`.
        strength: See `avg`.

    Raises:
        UsageError: A parameter is wrong, or the metric is not for choosing classifiers.
    """
    if isinstance(scoring, Metric):
        return Scorer(scoring)
    given: dict[str, Any] = {name: value for name, value in locals().items() if value is not ...}
    return Scorer(replace(Scoring(), **given).metric())


def _list_classes(estimator: object) -> tuple[Label, ...]:
    """The labels that a classifier has learned, in its order; none where it does not tell."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or np.ndim(classes) != 1:
        return ()
    column = encode(classes, row_of("classes_"))
    return tuple(column.names[code] for code in column.codes)

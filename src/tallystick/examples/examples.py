"""Examples ready to be counted: validated columns of equal length, gold beside predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.examples.labels import Label, Labels, Locate, list_labels, order, unify
from tallystick.examples.probabilities import check_probabilities
from tallystick.examples.sets import LabelRows, unify_rows
from tallystick.examples.task import Task

__all__ = ["Examples", "align"]


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Validated columns of equal length, one row per example.

    Attributes:
        gold: What should have come out: labels, or label sets for a multilabel task.
        predicted: What did, over the same names. For a binary task the names are
            (negative, positive).
        probabilities: The positive label's, of shape (examples,); or every label's, of shape
            (examples, labels) in the order of the names; or None.
        groups: The group of each example, or None.
        weights: The weight of each example, or None where all count the same.
        clusters: What each example hangs together with, such as its document; or None.
    """

    gold: Labels | LabelRows
    predicted: Labels | LabelRows
    probabilities: NDArray[Any] | None = None
    groups: Labels | None = None
    weights: NDArray[np.float64] | None = None
    clusters: Labels | None = None

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def names(self) -> tuple[Label, ...]:
        """The labels that gold and predictions share."""
        return self.gold.names


def align(
    gold: Labels | LabelRows,
    predicted: Labels | LabelRows | None,
    probabilities: NDArray[Any] | None,
    task: Task,
    locate: tuple[Locate, Locate],
) -> tuple[Examples, Task]:
    """Puts gold and predictions over one set of labels and settles what the task is.

    Args:
        gold: The gold labels or label sets.
        predicted: The predicted ones; None derives them from the probabilities.
        probabilities: Of shape (examples,) or (examples, labels), or None.
        task: What is known about the task.
        locate: Tells where an example stands in the gold, and where in the predictions.
    """
    if probabilities is not None:
        check_probabilities(probabilities, locate[1])
    _check_lengths(gold, predicted, probabilities)
    if isinstance(gold, LabelRows) or isinstance(predicted, LabelRows):
        return _align_rows(gold, predicted, task)
    settled = _settle(gold, predicted, probabilities, task, locate)
    names = settled.labels or ()
    if predicted is None or (settled.threshold is not None and probabilities is not None):
        settled = replace(settled, threshold=_threshold(settled))
        predicted = _decide(probabilities, settled, names)
    elif settled.threshold is not None:
        raise UsageError("a threshold needs probabilities, and here are only predicted labels")
    gold, predicted = unify(gold, predicted, names=names)
    return Examples(gold, predicted, probabilities), settled


def _check_lengths(
    gold: Labels | LabelRows,
    predicted: Labels | LabelRows | None,
    probabilities: NDArray[Any] | None,
) -> None:
    for what, column in (("predictions", predicted), ("probabilities", probabilities)):
        if column is not None and len(column) != len(gold):
            raise InputError(f"there are {len(gold)} gold examples but {len(column)} {what}")
    if len(gold) == 0:
        raise InputError("there are no examples to score")


def _align_rows(
    gold: Labels | LabelRows, predicted: Labels | LabelRows | None, task: Task
) -> tuple[Examples, Task]:
    if not (isinstance(gold, LabelRows) and isinstance(predicted, LabelRows)):
        raise InputError(
            "gold holds label sets but the predictions hold single labels, or the reverse"
        )
    if task.kind not in (None, "multilabel"):
        raise UsageError(f"these examples hold label sets, which is not a {task.kind} task")
    gold, predicted = unify_rows(gold, predicted)
    return Examples(gold, predicted), replace(task, kind="multilabel", labels=gold.names)


def _settle(
    gold: Labels,
    predicted: Labels | None,
    probabilities: NDArray[Any] | None,
    task: Task,
    locate: tuple[Locate, Locate],
) -> Task:
    if task.kind == "multilabel":
        raise InputError(
            "a multilabel task needs label sets: 0/1 columns, lists, or delimited cells"
        )
    columns = (gold,) if predicted is None else (gold, predicted)
    kinds = {type(name) for column in columns for name in column.names}
    if len(kinds) > 1:
        raise InputError(
            "mixed types: gold and predicted labels are text on one side, numbers on the other"
        )
    if task.labels is not None:
        for column, where in zip(columns, locate, strict=False):
            _check_known(column, task.labels, where)
    if task.kind == "binary":
        _check_two(columns, locate)
    seen = [name for column in columns for name in column.names]
    settled = task.settle(seen, scores=probabilities is not None and probabilities.ndim == 1)
    _check_width(probabilities, settled)
    return settled


def _check_two(columns: Sequence[Labels], locate: Sequence[Locate]) -> None:
    seen = order({name for column in columns for name in column.names})
    if len(seen) <= 2:
        return
    for column, where in zip(columns, locate, strict=False):
        if seen[2] in column.names:
            raise InputError(
                f"{where(column.first(seen[2]))}: a binary task has two labels, but these occur: "
                f"{list_labels(seen)}"
            )


def _check_known(column: Labels, known: tuple[Label, ...], locate: Locate) -> None:
    for name in column.names:
        if name not in known:
            where = locate(column.first(name))
            raise InputError(f"{where}: label {name!r} is not one of {list_labels(known)}")


def _check_width(probabilities: NDArray[Any] | None, task: Task) -> None:
    if probabilities is None:
        return
    labels = task.labels or ()
    if probabilities.ndim == 1 and task.kind != "binary":
        raise InputError("one probability per example is for binary tasks; give one per label")
    if probabilities.ndim == 2 and (
        task.kind != "multiclass" or probabilities.shape[1] != len(labels)
    ):
        raise InputError(
            f"there are {probabilities.shape[1]} probabilities per example but the {task.kind} "
            f"task has the labels {', '.join(map(str, labels))}; name all labels in the order of "
            "the columns"
        )


def _threshold(task: Task) -> float | None:
    """The threshold in force: only binary tasks have one."""
    if task.kind != "binary":
        return None
    return 0.5 if task.threshold is None else task.threshold


def _decide(probabilities: NDArray[Any] | None, task: Task, names: tuple[Label, ...]) -> Labels:
    """The predicted labels that probabilities stand for: threshold, or the most probable."""
    if probabilities is None:
        raise InputError("there are neither predicted labels nor probabilities")
    if probabilities.ndim == 1:
        return Labels((probabilities >= task.threshold).astype(np.uint8), names)
    kind = np.uint8 if len(names) <= 256 else np.uint32
    return Labels(probabilities.argmax(axis=1).astype(kind), names)

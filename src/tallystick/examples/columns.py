"""Finds what a table's columns are for, by the names that prediction files use."""

from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.errors import InputError
from tallystick.io.tables import Table

__all__ = [
    "GOLD",
    "HYPOTHESIS",
    "IDS",
    "KNOWN",
    "LABELS_TOO",
    "PREDICTED",
    "PROBABILITY",
    "REFERENCE",
    "THRESHOLD",
    "Columns",
    "find",
    "need",
]

GOLD = ("y_true", "label", "target", "toxic")
PROBABILITY = ("y_prob", "prob", "prediction", "pred_score", "pred")
PREDICTED = ("y_pred", "pred_label", "prediction_binary")
LABELS_TOO = ("prediction", "pred")
"""Of these names, the ones that columns of labels have too."""
THRESHOLD = "best_threshold"
IDS = ("id", "sub_id")
HYPOTHESIS = ("hypothesis", "prediction", "output", "mt", "system")
REFERENCE = ("reference", "references", "ref", "gold", "target")
KNOWN = (*GOLD, *PROBABILITY, *PREDICTED, THRESHOLD, *IDS)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that the user named; None is found by its usual name.

    Attributes:
        gold: The gold label.
        predicted: The predicted label.
        probability: The probability of the positive label.
        id: What joins gold and predictions.
        weight: The weight of an example; examples count the same where it is None.
        clusters: What examples hang together with, such as their document.
        by: The columns that scores are broken down by.
        delimiter: What separates the labels in a cell of a multilabel table.
        fold_case: Whether labels that differ only in case are the same.
    """

    gold: str | None = None
    predicted: str | None = None
    probability: str | None = None
    id: str | None = None
    weight: str | None = None
    clusters: str | None = None
    by: tuple[str, ...] = ()
    delimiter: str | None = None
    fold_case: bool = False

    def named(self) -> tuple[str, ...]:
        """All columns that were named."""
        single = (self.gold, self.predicted, self.probability, self.id, self.weight, self.clusters)
        return (*(name for name in single if name is not None), *self.by)


def find(names: Sequence[str], usual: Sequence[str], named: str | None = None) -> str | None:
    """The column that was named, else the first usual one that is there, else None."""
    if named is not None:
        return named
    return next((name for name in usual if name in names), None)


def need(table: Table, usual: Sequence[str], named: str | None, what: str) -> str:
    """As `find`, but a column that is not there is an error that tells how to name it."""
    names = table.names()
    found = find(names, usual, named)
    if found is None:
        raise InputError(
            f"{table.source}: has no {what} column: none is called {', '.join(usual)}; the columns "
            f"are {', '.join(names)}; name yours with --{what}-column"
        )
    return found

"""The tally of several systems' probabilities: their rows, because ranks cannot be summed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.examples.labels import Label, Labels, unify
from tallystick.examples.systems import Systems
from tallystick.tallies.groups import group_codes, union
from tallystick.tallies.tally import check_addable

__all__ = ["ScoreRows"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScoreRows:
    """The gold label of each example and the scores that each system gave it.

    Attributes:
        counter: What counted.
        systems: The names of the systems.
        gold: The gold label of each example.
        owners: Its group.
        scores: Each system's scores, of shape (examples,) or (examples, labels).
        sort: Turns the rows of one system into the curves that metrics read.
        weights: The weight of each example, or None.
        clusters: The cluster of each example, or None.
    """

    counter: Any
    systems: tuple[str, ...]
    gold: Labels
    owners: Labels
    scores: tuple[NDArray[Any], ...]
    sort: Callable[["ScoreRows"], Any]
    weights: NDArray[np.float64] | None = None
    clusters: Labels | None = None

    @classmethod
    def of_systems(
        cls, counter: Any, systems: Systems, sort: Callable[["ScoreRows"], Any]
    ) -> "ScoreRows":
        """The rows of systems that all have probabilities."""
        gold = systems.gold
        if not isinstance(gold, Labels):
            raise TypeError("rows of scores are of single labels")
        names, codes = group_codes(systems)
        return cls(
            counter,
            systems.names,
            gold,
            Labels(codes, names),
            tuple(np.asarray(own.probabilities) for own in systems.outputs),
            sort,
            systems.weights,
            systems.clusters,
        )

    @property
    def groups(self) -> tuple[Label, ...]:
        """The groups, in the order of labels."""
        return self.owners.names

    @property
    def labels(self) -> tuple[Label, ...]:
        """The gold labels; for a binary task (negative, positive)."""
        return self.gold.names

    @property
    def columns(self) -> tuple[Label, ...]:
        """The labels that scores are for: only the positive one for a binary task, else all."""
        return self.labels[1:] if self.single else self.labels

    @property
    def single(self) -> bool:
        """Whether there is one score per example, as in a binary task."""
        return self.scores[0].ndim == 1

    @property
    def n(self) -> NDArray[np.int64]:
        """The number of examples of each group."""
        return np.bincount(self.owners.codes, minlength=len(self.groups))

    def __add__(self, other: "ScoreRows") -> "ScoreRows":
        check_addable(self, other)
        groups, labels = union(self.groups, other.groups), union(self.labels, other.labels)
        if self.labels != other.labels and not self.single:
            raise InputError("tallies of probabilities of different labels cannot be added")
        return replace(
            self,
            gold=_append(self.gold.recode(labels), other.gold.recode(labels)),
            owners=_append(self.owners.recode(groups), other.owners.recode(groups)),
            scores=tuple(map(_concatenate, self.scores, other.scores)),
            weights=_join_weights(self, other),
            clusters=_join_clusters(self.clusters, other.clusters),
        )

    def total(self) -> "ScoreRows":
        """The sum over groups, as a tally of one group."""
        return replace(self, owners=Labels(np.zeros(len(self.gold), np.uint8), ("all",)))

    def of(self, *names: str) -> Any:
        """The tally of some of the systems; of a single one its curves."""
        scores = tuple(self.scores[self.systems.index(name)] for name in names)
        chosen = replace(self, systems=names, scores=scores)
        if len(names) > 1:
            return chosen
        curve = self.sort(chosen)
        # Its runs tell the examples themselves, as they do where it is counted alone.
        return replace(curve, rows=None) if self.single and self.clusters is None else curve

    def take(self, rows: NDArray[Any]) -> "ScoreRows":
        """Some of the examples, each as often as it is named."""
        return replace(
            self,
            gold=self.gold.take(rows),
            owners=self.owners.take(rows),
            scores=tuple(own[rows] for own in self.scores),
            weights=None if self.weights is None else self.weights[rows],
            clusters=None if self.clusters is None else self.clusters.take(rows),
        )


def _append(one: Labels, other: Labels) -> Labels:
    return Labels(np.concatenate([one.codes, other.codes]), one.names)


def _concatenate(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([one, other])


def _join_clusters(one: Labels | None, other: Labels | None) -> Labels | None:
    if one is None and other is None:
        return None
    if one is None or other is None:
        raise UsageError("a tally with clusters cannot be added to one without")
    return _append(*unify(one, other))


def _join_weights(one: ScoreRows, other: ScoreRows) -> NDArray[np.float64] | None:
    if one.weights is None and other.weights is None:
        return None
    parts = (np.ones(len(own.gold)) if own.weights is None else own.weights for own in (one, other))
    return np.concatenate(list(parts))

"""The tally of several systems' probabilities: their rows, because ranks cannot be summed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.examples.kinds import LABELS, find_scored
from tallystick.examples.label_columns import Output
from tallystick.examples.labels import Label, Labels, unify
from tallystick.examples.systems import Systems
from tallystick.tallies.groups import group_codes, union
from tallystick.tallies.tally import Tally, check_addable

_AXES = ("groups", "labels")


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScoreRows(Tally):
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
        systems, gold, outputs = find_scores(systems)
        names, codes = group_codes(systems)
        return cls(
            counter,
            systems.names,
            gold,
            Labels(codes, names),
            tuple(map(read_scores, outputs)),
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
        return self.join([self, other])

    @classmethod
    def join(cls, parts: Sequence["ScoreRows"]) -> "ScoreRows":
        """The examples of one tally or more, one after the other."""
        first = parts[0]
        for other in parts[1:]:
            check_addable(first, other)
            if other.labels != first.labels and not first.single:
                raise InputError("tallies of probabilities of different labels cannot be added")
        groups, labels = (union(*(getattr(one, axis) for one in parts)) for axis in _AXES)
        return replace(
            first,
            gold=_append([one.gold.recode(labels) for one in parts]),
            owners=_append([one.owners.recode(groups) for one in parts]),
            scores=tuple(map(np.concatenate, zip(*(one.scores for one in parts), strict=True))),
            weights=_join_weights(parts),
            clusters=_join_clusters([one.clusters for one in parts]),
        )

    def arrange(self) -> "ScoreRows":
        """The same examples in an order that their content alone tells, and no order of systems."""
        named = sorted(zip(self.systems, self.scores, strict=True), key=lambda pair: pair[0])
        keys = [column for _, own in named for column in (own.T if own.ndim > 1 else [own])]
        labels = (self.gold, self.owners, self.clusters)
        keys += [own.codes for own in labels if own is not None]
        keys += [] if self.weights is None else [self.weights]
        return self.take(_rank(keys))

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


def find_scores(systems: Systems) -> tuple[Systems, Labels, tuple[Output, ...]]:
    """The systems that have probabilities, with gold and outputs.

    Raises:
        UsageError: None has.
    """
    systems = systems.of(*find_scored(systems))
    column = LABELS.of(systems)
    if not column.outputs or not isinstance(column.gold, Labels):
        raise UsageError("curves need probabilities, and these examples have none")
    return systems, column.gold, column.outputs


def read_scores(output: Output) -> NDArray[Any]:
    """The probabilities of a system, in which there is one zero only."""
    scores = np.asarray(output.probabilities)
    return scores + 0 if np.signbit(scores).any() else scores


def _rank(keys: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """The places of rows sorted by keys, of which the first one parts most of them."""
    ranks = np.argsort(keys[0])
    ranked = keys[0][ranks]
    same = ranked[1:] == ranked[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    own = ranks[tied]
    ranks[tied] = own[np.lexsort([key[own] for key in reversed(keys)])]
    return ranks


def _append(parts: Sequence[Labels]) -> Labels:
    return Labels(np.concatenate([one.codes for one in parts]), parts[0].names)


def _join_clusters(parts: Sequence[Labels | None]) -> Labels | None:
    known = [one for one in parts if one is not None]
    if not known:
        return None
    if len(known) < len(parts):
        raise UsageError("a tally with clusters cannot be added to one without")
    return _append(unify(*known))


def _join_weights(parts: Sequence[ScoreRows]) -> NDArray[np.float64] | None:
    if all(one.weights is None for one in parts):
        return None
    return np.concatenate(
        [np.ones(len(one.gold)) if one.weights is None else one.weights for one in parts]
    )

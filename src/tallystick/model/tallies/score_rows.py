"""The tally of several systems' probabilities: their rows, because ranks cannot be summed."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.model.codes import Label, Labels, append, unify, union
from tallystick.model.tallies.clusters import Units, find_units
from tallystick.model.tallies.groups import list_known
from tallystick.model.tallies.storage import Stored, drop_missing
from tallystick.model.tallies.tally import Owners, Tally, check_addable

REST: tuple[Label, ...] = ("no label", "a label")
"""What the gold of one of several labels is called."""


def sort_run(scores: NDArray[Any], weights: NDArray[np.float64] | None) -> None:
    """Sorts scores in place, and their weights with them."""
    if weights is None:
        scores.sort()
        return
    ranks = np.lexsort((weights, scores))
    scores[:], weights[:] = scores[ranks], weights[ranks]


def sort_column(
    scores: NDArray[Any], gold: Labels, groups: Labels, weights: NDArray[np.float64] | None
) -> tuple[NDArray[Any], NDArray[np.float64] | None, NDArray[np.int64], NDArray[np.int64]]:
    """Sorts one column: scores, weights, the sizes of its runs, and their (group, gold label)."""
    wide = len(gold.names)
    count = wide * len(groups.names)
    kind = np.uint8 if count < 256 else np.uint32
    cells: NDArray[np.unsignedinteger[Any]] = groups.codes.astype(kind)
    np.multiply(cells, kind(wide), out=cells)
    np.add(cells, gold.codes, out=cells, casting="unsafe")
    sizes = np.bincount(cells, minlength=count)
    if weights is None:
        ordered = scores[np.argsort(cells, kind="stable")]
        ordered += scores.dtype.type(0)  # which makes 0.0 of -0.0
        for start, stop in pairwise([0, *sizes.cumsum().tolist()]):
            ordered[start:stop].sort()
    else:
        ranks = np.lexsort((weights, scores, cells))
        ordered, weights = scores[ranks], weights[ranks]
    filled = np.flatnonzero(sizes)
    return ordered, weights, sizes[filled], np.stack(np.divmod(filled, wide), -1)


class ScoreUnits(Struct, frozen=True, eq=False):
    """Examples of one system as metrics of probabilities see them.

    Attributes:
        groups: The place of the group of each.
        gold: That of its gold label, or of having each scored label, of the shape of scores.
        scores: Of shape (scored labels, examples).
        masses: What each weighs.
    """

    groups: NDArray[np.int64]
    gold: NDArray[np.int64]
    scores: NDArray[Any]
    masses: NDArray[np.float64]


class ScoreRows(Tally, frozen=True, eq=False):
    """The gold label of each example and the scores that each system gave it.

    Attributes:
        gold: The gold label of each example.
        scores: Each system's scores, of shape (examples,) or (examples, labels).
        sort: Turns the rows of one system into the curves that metrics read.
        several: The scored labels where an example has a set of them; its gold label is then such a
            set, written as a 0 or 1 for each.
    """

    keeps_examples: ClassVar[bool] = True
    counter: Any
    systems: tuple[str, ...]
    gold: Labels
    owners: Labels
    scores: tuple[NDArray[Any], ...]
    sort: Callable[["ScoreRows"], Any]
    weights: NDArray[np.float64] | None = None
    clusters: Labels | None = None
    several: tuple[Label, ...] = ()

    @property
    def groups(self) -> tuple[Label, ...]:
        return self.owners.names

    @property
    def labels(self) -> tuple[Label, ...]:
        """The gold labels; for a binary task (negative, positive)."""
        return self.gold.names

    @property
    def columns(self) -> tuple[Label, ...]:
        """The labels that scores are for: only the positive one for a binary task, else all."""
        return self.several or (self.labels[1:] if self.single else self.labels)

    @property
    def members(self) -> NDArray[np.bool_]:
        """Which labels each gold set has, of shape (sets, labels), where there are several."""
        bits = np.frombuffer("".join(map(str, self.labels)).encode(), np.uint8)
        return np.equal(bits.reshape(len(self.labels), len(self.several)), ord("1"))

    def split(self, column: int) -> Labels:
        """The gold of a scored label: the gold labels, or whether an example has it."""
        if not self.several:
            return self.gold
        return Labels(self.members[:, column].astype(np.uint8)[self.gold.codes], REST)

    def split_scarcest(self) -> Labels:
        """The gold of the label that the fewest examples have, or do not have."""
        sizes = np.bincount(self.gold.codes, self.weights, len(self.labels)) @ self.members
        return self.split(int(np.minimum(sizes, self.weigh() - sizes).argmin()))

    def weigh(self) -> float:
        """What all examples weigh."""
        return float(len(self.gold) if self.weights is None else self.weights.sum())

    @property
    def single(self) -> bool:
        """Whether there is one score per example, as in a binary task."""
        return self.scores[0].ndim == 1

    @property
    def n(self) -> NDArray[np.int64]:
        return np.bincount(self.owners.codes, minlength=len(self.groups))

    @classmethod
    def join(cls, parts: Sequence["ScoreRows"]) -> "ScoreRows":
        """The examples of one tally or more, in an order that no order of tallies changes."""
        return cls.append(parts).arrange()

    @classmethod
    def append(cls, parts: Sequence["ScoreRows"]) -> "ScoreRows":
        """The examples of one tally or more, one after the other."""
        first = parts[0]
        for other in parts[1:]:
            check_addable(first, other)
            alike = other.several == first.several
            if not alike or not (other.labels == first.labels or first.single or first.several):
                raise InputError("tallies of probabilities of different labels cannot be added")
        groups, labels = (
            union(*(getattr(one, axis) for one in parts)) for axis in ("groups", "labels")
        )
        clusters = list_known([one.clusters for one in parts])
        return replace(
            first,
            gold=append([one.gold.recode(labels) for one in parts]),
            owners=append([one.owners.recode(groups) for one in parts]),
            scores=tuple(map(np.concatenate, zip(*(one.scores for one in parts), strict=True))),
            weights=_join_weights(parts),
            clusters=append(unify(*clusters)) if clusters else None,
        )

    @classmethod
    def add_up(cls, tallies: list["ScoreRows"]) -> "ScoreRows":
        joined = cls.join(tallies)
        tallies.clear()
        return joined

    def arrange(self) -> "ScoreRows":
        """The same examples in an order that their content alone tells, and no order of systems."""
        named = sorted(zip(self.systems, self.scores, strict=True), key=lambda pair: pair[0])
        keys = [column for _, own in named for column in (own.T if own.ndim > 1 else [own])]
        labels = (self.gold, self.owners, self.clusters)
        keys += [own.codes for own in labels if own is not None]
        keys += [] if self.weights is None else [self.weights]
        return self.take(_rank(keys))

    def total(self) -> "ScoreRows":
        return replace(self, owners=Labels(np.zeros(len(self.gold), np.uint8), ("all",)))

    def of(self, *names: str) -> Any:
        """The tally of some of the systems; of a single one its curves."""
        chosen = self.choose(*names)
        if len(names) > 1:
            return chosen
        curve = self.sort(chosen)
        # Its runs tell the examples themselves, as they do where it is counted alone.
        alone = self.single and self.clusters is None
        return replace(curve, rows=None).condense() if alone else curve

    def keep_order(self, name: str) -> Any:
        return self.sort(self.choose(name))

    def choose(self, *names: str) -> "ScoreRows":
        """The rows of some of the systems."""
        scores = tuple(self.scores[self.systems.index(name)] for name in names)
        return replace(self, systems=names, scores=scores)

    def gold_masses(self) -> NDArray[Any]:
        gold = self.split_scarcest() if self.several else self.gold
        size, wide = len(self.groups), len(gold.names)
        places = self.owners.codes.astype(np.int64) * wide + gold.codes
        return np.bincount(places, self.weights, size * wide).reshape(size, wide)

    def weight_sums(self) -> NDArray[np.float64] | None:
        if self.weights is None:
            return None
        powers = self.weights, self.weights**2
        return np.stack([np.bincount(self.owners.codes, own, len(self.groups)) for own in powers])

    def reweigh(self, factors: NDArray[np.float64]) -> "ScoreRows":
        each = factors[self.owners.codes, self.gold.codes]
        return replace(self, weights=each if self.weights is None else self.weights * each)

    def list_units(self) -> ScoreUnits:
        """The examples of the only system."""
        groups, scores = self.owners.codes.astype(np.int64), np.atleast_2d(self.scores[0].T)
        gold = np.broadcast_to(self.gold.codes.astype(np.int64), scores.shape)
        if self.several:
            gold = self.members.T.astype(np.int64)[:, self.gold.codes]
        masses = np.ones(len(groups)) if self.weights is None else self.weights
        return ScoreUnits(groups, gold, scores, masses)

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

    def store(self) -> Stored:
        names = {"groups": self.groups, "labels": self.labels}
        arrays = {
            "gold": self.gold.codes,
            "owners": self.owners.codes,
            "weights": self.weights,
            "scores": np.stack(self.scores),
        }
        if self.several:
            names["several"] = self.several
        if self.clusters is not None:
            names["clusters"], arrays["clusters"] = self.clusters.names, self.clusters.codes
        return Stored("scores", self.systems, names, drop_missing(arrays))

    @classmethod
    def load(
        cls, counter: Any, stored: Stored, sort: Callable[["ScoreRows"], Any] | None = None
    ) -> "ScoreRows":
        assert sort is not None
        arrays, names = stored.arrays, stored.names
        size = len(stored.read("gold", (None,)))
        gold = stored.read_labels("gold", "labels", size)
        several = tuple(stored.list_names("several")) if "several" in names else ()
        if several and any(
            {*str(one)} - {*"01"} or len(str(one)) != len(several) for one in gold.names
        ):
            raise ValueError("its label sets are not of its labels")
        wide = () if stored.read("scores").ndim == 2 else (len(several or gold.names),)
        scores = tuple(stored.read_scores((len(stored.systems), size, *wide)))
        return cls(
            counter,
            stored.systems,
            gold,
            stored.read_labels("owners", "groups", size),
            scores,
            sort,
            stored.read_reals("weights", (size,), least=0) if "weights" in arrays else None,
            stored.read_labels("clusters", "clusters", size) if "clusters" in names else None,
            several,
        )

    @property
    def plain(self) -> bool:
        return self.weights is None and self.clusters is None

    def list_clusters(self) -> Owners | None:
        if self.clusters is None:
            return None
        return self.owners.codes.astype(np.int64), self.clusters.codes.astype(np.int64)

    def resample(self, resamples: int, seed: int) -> Iterator[Any]:
        """Bootstrap resamples, one by one; those of a single system as its curves."""
        ranks, units = self._find_units()
        for weights in units.draw(resamples, seed):
            for own in weights.astype(np.int64):
                taken = self.take(np.repeat(ranks, own[units.of]))
                yield taken.of(*taken.systems) if len(taken.systems) == 1 else taken

    def _find_units(self) -> tuple[NDArray[np.int64], Units]:
        """The examples sorted by group and cluster, and what is drawn of them as a whole."""
        clusters = None if self.clusters is None else self.clusters.codes
        keys = [own for own in (clusters, self.owners.codes) if own is not None]
        ranks = np.lexsort(keys)
        own = None if clusters is None else clusters[ranks].astype(np.int64)
        owners = self.owners.codes[ranks].astype(np.int64)
        return ranks, find_units(owners, own, self.groups)


def _rank(keys: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """The places of rows sorted by keys, of which the first one parts most of them."""
    ranks = np.argsort(keys[0])
    ranked = keys[0][ranks]
    same = ranked[1:] == ranked[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    own = ranks[tied]
    ranks[tied] = own[np.lexsort([key[own] for key in reversed(keys)])]
    return ranks


def _join_weights(parts: Sequence[ScoreRows]) -> NDArray[np.float64] | None:
    if all(one.weights is None for one in parts):
        return None
    return np.concatenate(
        [np.ones(len(one.gold)) if one.weights is None else one.weights for one in parts]
    )

"""The tally of labels and probabilities of the same examples, which are resampled together."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label, Labels, append, unify
from tallystick.errors import InputError, UsageError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.kinds.labels import LABELS, PROBABILITIES, find_scored
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.labels.label_columns import LabelColumn, Output
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.tallies.arrays.distinct import sum_by
from tallystick.tallies.arrays.units import find_units
from tallystick.tallies.cells import Cells
from tallystick.tallies.curve import CurveTally
from tallystick.tallies.groups import count_groups, group_codes, need_examples
from tallystick.tallies.storage import Stored
from tallystick.tallies.tally import Owners, Tally, check_addable


@dataclass(frozen=True, slots=True)
class Joint:
    """Keeps labels and probabilities side by side, so that both can be counted of any examples."""

    kind = PROBABILITIES
    selective: ClassVar[bool] = False

    def count(self, systems: Systems) -> "JointRows":
        """Keeps the examples, in an order that their content alone tells."""
        return keep_examples(self, systems, LABELS.of(systems), "a mean of metrics")


def keep_examples(counter: Joint, systems: Systems, column: LabelColumn, what: str) -> "JointRows":
    """The tally that keeps a column of labels with scores; `what` needs them, in messages."""
    need_examples(systems, what)
    if systems.weights is not None:
        raise UsageError(f"{what} with probabilities has no weights")
    kept = Systems(
        systems.names,
        {LABELS.side: column},
        groups=systems.groups,
        clusters=systems.clusters,
        task=systems.task,
    )
    return JointRows(counter, _arrange(kept))


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointRows(Tally):
    """The examples themselves, which are counted anew for each resample.

    Attributes:
        examples: Gold and outputs, sorted by group and cluster.
        times: int64 of shape (resamples, examples): how often each example is in each resample;
            None for the examples as they are.
    """

    keeps_examples: ClassVar[bool] = True
    counter: Joint
    examples: Systems
    times: NDArray[np.int64] | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.examples.names

    @property
    def selective(self) -> bool:
        """Whether what counted keeps the confidence of each label, and no other probabilities."""
        return bool(self.counter.selective)

    @property
    def owners(self) -> Labels:
        """The group of each example."""
        names, codes = group_codes(self.examples)
        return Labels(codes, names)

    @property
    def kept_owners(self) -> Labels | None:
        return self.owners if self.times is None and self.clusters is None else None

    @property
    def groups(self) -> tuple[Label, ...]:
        return self.owners.names

    @property
    def clusters(self) -> Labels | None:
        """The cluster of each example, or None."""
        return self.examples.clusters

    @property
    def n(self) -> NDArray[np.int64]:
        return count_groups(self.examples)

    @classmethod
    def join(cls, parts: Sequence["JointRows"]) -> "JointRows":
        first = parts[0]
        for other in parts[1:]:
            check_addable(first, other)
        return replace(first, examples=_arrange(_append([one.examples for one in parts])))

    def total(self) -> "JointRows":
        return replace(self, examples=replace(self.examples, groups=None))

    def of(self, *names: str) -> "JointRows":
        return replace(self, examples=self.examples.of(*names))

    def rename_systems(self, *names: str) -> "JointRows":
        return replace(self, examples=replace(self.examples, names=names))

    def store(self) -> Stored:
        gold, outputs = _list_columns(self.examples)
        names = {"labels": gold.names}
        arrays: dict[str, NDArray[Any]] = {
            "gold": gold.codes,
            "outputs": np.stack([own.labels.codes for own in outputs]),  # type: ignore[union-attr]
            "scores": np.stack([np.asarray(own.probabilities) for own in outputs]),
            "invalid": np.stack([_find_invalid(own) for own in outputs]).astype(np.uint8),
        }
        for name, column in (("groups", self.examples.groups), ("clusters", self.clusters)):
            if column is not None:
                names[name], arrays[name] = column.names, column.codes
        return Stored("joint", self.systems, names, arrays)

    @classmethod
    def load(cls, counter: Any, stored: Stored) -> "JointRows":
        count, size = len(stored.systems), len(stored.read("gold", (None,)))
        gold = stored.read_labels("gold", "labels", size)
        wide = stored.read("scores").ndim > 2
        scores = stored.read_scores((count, size, *((len(gold.names),) if wide else ())))
        invalid = stored.read("invalid", (count, size))
        codes = stored.read("outputs", (count, size))
        if invalid.dtype != np.uint8 or invalid.max(initial=0) > 1:
            raise ValueError("its invalid outputs are not given as 0 and 1")
        if codes.dtype.kind != "u" or codes.max(initial=0) >= max(len(gold.names), 1):
            raise ValueError("its outputs point beyond its labels")
        outputs = tuple(
            Output(Labels(own, gold.names), score, wrong.astype(bool))
            for own, score, wrong in zip(codes, scores, invalid, strict=True)
        )
        groups, clusters = (
            stored.read_labels(name, name, size) if name in stored.names else None
            for name in ("groups", "clusters")
        )
        examples = Systems(
            stored.systems,
            {LABELS.side: LabelColumn(gold, outputs)},
            groups=groups,
            clusters=clusters,
        )
        return cls(counter, _arrange(examples))

    def list_clusters(self) -> Owners | None:
        if self.clusters is None:
            return None
        return self.owners.codes.astype(np.int64), self.clusters.codes.astype(np.int64)

    def resample(self, resamples: int, seed: int) -> Iterator["JointRows"]:
        """Bootstrap resamples of examples, or of clusters, in chunks with a leading axis."""
        if self.times is not None:
            raise UsageError("resamples cannot be resampled")
        found = self.list_clusters()
        owners, clusters = found or (self.owners.codes.astype(np.int64), None)
        units = find_units(owners, clusters, self.groups)
        for drawn in units.draw(resamples, seed):
            yield replace(self, times=drawn.astype(np.int64)[:, units.of])

    def count_labels(self) -> Cells:
        """The labels, of all resamples together where there are some."""
        if self.times is None:
            return Confusion().count(replace(self.examples, clusters=None))
        size = len(self.examples)
        alone = Labels(np.arange(size, dtype=np.uint32), tuple(range(size)))
        cells = Confusion().count(replace(self.examples, clusters=alone))
        assert cells.clusters is not None
        places = np.empty(size, np.int64)
        places[cells.clusters.owners] = cells.clusters.cells
        counts = sum_by(self.times, places, len(cells.owners))
        return replace(cells, counts=counts, clusters=None)

    def count_curves(self) -> Iterator[CurveTally]:
        """The probabilities of every resample, or of the examples alone."""
        plain = replace(self.examples, clusters=None)
        whole = np.arange(len(plain))
        for own in [None] if self.times is None else self.times:
            yield Curve().count_one(
                plain if own is None else take_examples(plain, np.repeat(whole, own))
            )


def take_examples(examples: Systems, rows: NDArray[np.int64]) -> Systems:
    """Some of the examples, each as often as it is named."""
    return replace(
        examples.beside("labels", LABELS.of(examples).take(rows)),
        groups=None if examples.groups is None else examples.groups.take(rows),
        clusters=None if examples.clusters is None else examples.clusters.take(rows),
    )


def _arrange(examples: Systems) -> Systems:
    """The examples sorted by group, cluster and content, in which no order of systems shows."""
    gold, outputs = _list_columns(examples)
    keys: list[NDArray[Any]] = [
        own.codes for own in (examples.groups, examples.clusters, gold) if own is not None
    ]
    for _, own in sorted(zip(examples.names, outputs, strict=True), key=lambda pair: pair[0]):
        assert isinstance(own.labels, Labels)
        keys.append(np.where(_find_invalid(own), -1, own.labels.codes.astype(np.int64)))
        keys += list(np.atleast_2d(np.asarray(own.probabilities).T))
    return take_examples(examples, np.lexsort(keys[::-1]))


def _list_columns(examples: Systems) -> tuple[Labels, tuple[Output, ...]]:
    """Gold and outputs, of single labels with probabilities."""
    column = LABELS.of(examples)
    gold, outputs = column.gold, column.outputs
    if not isinstance(gold, Labels) or len(find_scored(examples)) < len(outputs):
        raise UsageError("labels with probabilities were expected, and these examples hold none")
    return gold, outputs


def _append(parts: Sequence[Systems]) -> Systems:
    """The examples of all parts, one after the other."""
    sides = [_list_columns(one) for one in parts]
    golds = _join_labels([gold for gold, _ in sides])
    for one, (_, own) in zip(parts, sides, strict=True):
        wide = any(np.asarray(output.probabilities).ndim > 1 for output in own)
        if wide and one.labels != golds.names:
            raise InputError("tallies of probabilities of different labels cannot be added")
    columns = zip(*(own for _, own in sides), strict=True)
    outputs = tuple(_join_outputs(own, golds) for own in columns)
    return replace(
        parts[0].beside("labels", LabelColumn(golds, outputs)),
        groups=_join_some([one.groups for one in parts]),
        clusters=_join_some([one.clusters for one in parts]),
    )


def _join_outputs(parts: Sequence[Output], gold: Labels) -> Output:
    labels = _join_labels([one.labels for one in parts], gold)  # type: ignore[misc]
    return replace(
        parts[0],
        labels=labels,
        probabilities=np.concatenate([np.asarray(one.probabilities) for one in parts]),
        invalid=np.concatenate(list(map(_find_invalid, parts))),
    )


def _find_invalid(output: Output) -> NDArray[np.bool_]:
    """Which outputs are no label."""
    return np.zeros(len(output.labels), bool) if output.invalid is None else output.invalid


def _join_labels(parts: Sequence[Labels], like: Labels | None = None) -> Labels:
    alike = unify(*parts, names=() if like is None else like.names)
    if all(one.names == parts[0].names for one in parts):
        alike = tuple(parts)  # in their own order, as of negative and positive labels
    return append(alike)


def _join_some(parts: Sequence[Labels | None]) -> Labels | None:
    known = [one for one in parts if one is not None]
    if known and len(known) < len(parts):
        raise UsageError("a tally with groups or clusters cannot be added to one without")
    return _join_labels(known) if known else None

"""The tally of labels and probabilities of the same examples, which are resampled together."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels import LABELS, PROBABILITIES
from tallystick.kinds.labels.label_columns import Confusion, LabelColumn, Output
from tallystick.kinds.probabilities.areas import Curve, keep_scores
from tallystick.model.codes import Label, Labels
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.clusters import find_units
from tallystick.model.tallies.curve import CurveTally, sort_rows
from tallystick.model.tallies.groups import need_examples, sum_by
from tallystick.model.tallies.score_rows import ScoreRows
from tallystick.model.tallies.storage import Stored
from tallystick.model.tallies.tally import Kept, Owners, Tally


class Joint(Struct, frozen=True):
    """Keeps labels and probabilities side by side, so that both can be counted of any examples."""

    kind = PROBABILITIES
    selective: ClassVar[bool] = False

    def count(self, systems: Systems) -> "JointRows":
        what = "a mean of metrics with probabilities"
        return keep_examples(self, systems, LABELS.of(systems), what)


def keep_examples(counter: Joint, systems: Systems, column: LabelColumn, what: str) -> "JointRows":
    """Returns a tally of labels with scores, which `what` needs, as messages say."""
    need_examples(systems, what)
    if systems.weights is not None:
        raise UsageError(f"{what} cannot be weighted; leave out the weights")
    gold, outputs = column.gold, column.outputs
    if not isinstance(gold, Labels) or any(own.probabilities is None for own in outputs):
        raise UsageError("labels with probabilities were expected, but these examples have none")
    rows = keep_scores(counter, systems, gold, (np.asarray(own.probabilities) for own in outputs))
    answers = np.stack([own.labels.codes for own in outputs])  # type: ignore[union-attr]
    lacking = np.zeros(len(gold), bool)
    invalid = np.stack([lacking if own.invalid is None else own.invalid for own in outputs])
    return JointRows(rows, answers, invalid).arrange()


class JointRows(Tally, frozen=True, eq=False):
    """The examples themselves, which are counted again for each resample.

    Attributes:
        rows: Gold and probabilities, sorted by group and cluster.
        answers: The predicted labels as codes of the gold's names, of shape (systems, examples);
            `invalid` are those that are no label.
        times: int64 of shape (resamples, examples), how often each example is drawn; or None.
    """

    keeps_examples: ClassVar[bool] = True
    rows: ScoreRows
    answers: NDArray[Any]
    invalid: NDArray[np.bool_]
    times: NDArray[np.int64] | None = None

    @property
    def counter(self) -> Joint:
        counter: Joint = self.rows.counter
        return counter

    @property
    def systems(self) -> tuple[str, ...]:
        return self.rows.systems

    @property
    def groups(self) -> tuple[Label, ...]:
        return self.rows.groups

    @property
    def n(self) -> NDArray[np.int64]:
        return self.rows.n

    @classmethod
    def join(cls, parts: Sequence["JointRows"]) -> "JointRows":
        rows = ScoreRows.append([one.rows for one in parts])
        answers = [Labels(one.answers, one.rows.labels).recode(rows.labels).codes for one in parts]
        invalid = np.concatenate([one.invalid for one in parts], axis=1)
        return cls(rows, np.concatenate(answers, axis=1), invalid).arrange()

    def arrange(self) -> "JointRows":
        """The same, sorted by group, cluster and content, whatever the order of the systems."""
        rows = self.rows
        keys: list[NDArray[Any]] = [
            own.codes for own in (rows.owners, rows.clusters, rows.gold) if own is not None
        ]
        sides = zip(self.systems, self.answers, self.invalid, rows.scores, strict=True)
        for _, answers, invalid, scores in sorted(sides, key=lambda side: side[0]):
            keys.append(np.where(invalid, -1, answers.astype(np.int64)))
            keys += list(np.atleast_2d(scores.T))
        return self.take(np.lexsort(keys[::-1]))

    def take(self, rows: NDArray[np.int64]) -> "JointRows":
        return replace(
            self,
            rows=self.rows.take(rows),
            answers=self.answers[:, rows],
            invalid=self.invalid[:, rows],
        )

    def total(self) -> "JointRows":
        return replace(self, rows=self.rows.total())

    def of(self, *names: str) -> "JointRows":
        places = [self.systems.index(name) for name in names]
        rows, answers, invalid = self.rows.choose(*names), self.answers, self.invalid
        return replace(self, rows=rows, answers=answers[places], invalid=invalid[places])

    def rename_systems(self, *names: str) -> "JointRows":
        return replace(self, rows=self.rows.rename_systems(*names))

    def store(self) -> Stored:
        rows = self.rows
        names = {"labels": rows.labels}
        arrays: dict[str, NDArray[Any]] = {
            "gold": rows.gold.codes,
            "outputs": self.answers,
            "scores": np.stack(rows.scores),
            "invalid": self.invalid.astype(np.uint8),
        }
        groups = None if self.groups == ("all",) else rows.owners
        for name, column in (("groups", groups), ("clusters", rows.clusters)):
            if column is not None:
                names[name], arrays[name] = column.names, column.codes
        return Stored("joint", self.systems, names, arrays)

    @classmethod
    def load(cls, counter: object, stored: Stored) -> "JointRows":
        count, size = len(stored.systems), len(stored.read("gold", (None,)))
        gold = stored.read_labels("gold", "labels", size)
        wide = stored.read("scores").ndim > 2
        scores = stored.read_scores((count, size, *((len(gold.names),) if wide else ())))
        invalid = stored.read("invalid", (count, size))
        answers = stored.read("outputs", (count, size))
        if invalid.dtype != np.uint8 or invalid.max(initial=0) > 1:
            raise ValueError("its invalid outputs are not given as 0 and 1")
        if answers.dtype.kind != "u" or answers.max(initial=0) >= max(len(gold.names), 1):
            raise ValueError("its outputs point beyond its labels")
        groups, clusters = (
            stored.read_labels(name, name, size) if name in stored.names else None
            for name in ("groups", "clusters")
        )
        if any(one is not None and one.codes.dtype.kind != "u" for one in (gold, groups, clusters)):
            raise ValueError("its gold, groups or clusters are not of codes")
        owners = Labels(np.zeros(size, np.uint8), ("all",)) if groups is None else groups
        rows = ScoreRows(
            counter, stored.systems, gold, owners, tuple(scores), sort_rows, clusters=clusters
        )
        return cls(rows, answers, invalid.astype(bool)).arrange()

    def list_clusters(self) -> Owners | None:
        return self.rows.list_clusters()

    def list_kept(self) -> Kept:
        owners, gold = (own.codes.astype(np.int64) for own in (self.rows.owners, self.rows.gold))
        return Kept(self, owners, np.ones(len(gold)), np.ones(len(gold), np.int64), gold)

    def resample(self, resamples: int, seed: int) -> Iterator["JointRows"]:
        """Bootstrap resamples of examples, or of clusters, in chunks with a leading axis."""
        if self.times is not None:
            raise UsageError("resamples cannot be resampled")
        owners, clusters = self.list_clusters() or (self.rows.owners.codes.astype(np.int64), None)
        units = find_units(owners, clusters, self.groups)
        for drawn in units.draw(resamples, seed):
            yield replace(self, times=drawn.astype(np.int64)[:, units.of])

    def read_confidences(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """How sure the only system is of each example, and which of its answers are wrong."""
        wrong = (self.answers[0] != self.rows.gold.codes) | self.invalid[0]
        return np.asarray(self.rows.scores[0], np.float64), wrong

    def count_labels(self) -> Cells:
        """The labels, of all resamples together where there are some."""
        if self.times is None:
            return self._count(None)
        cells, places = self.split_labels()
        return replace(cells, counts=sum_by(self.times, places, len(cells.owners)))

    def split_labels(self) -> tuple[Cells, NDArray[np.int64]]:
        """The labels of the examples, and which cell each of them is in."""
        size = len(self.rows.gold)
        cells = self._count(Labels(np.arange(size, dtype=np.uint32), tuple(range(size))))
        assert cells.clusters is not None
        places = np.empty(size, np.int64)
        places[cells.clusters.owners] = cells.clusters.cells
        return replace(cells, clusters=None), places

    def sort_scores(self) -> CurveTally:
        """The probabilities of the only system, with its examples in their order."""
        scores = tuple(own + 0 for own in self.rows.scores)  # in which there is one zero only
        return sort_rows(replace(self.rows, counter=Curve(), scores=scores))

    def _count(self, clusters: Labels | None) -> Cells:
        gold = self.rows.gold
        sides = zip(self.answers, self.invalid, strict=True)
        outputs = tuple(Output(Labels(own, gold.names), invalid=wrong) for own, wrong in sides)
        columns = {LABELS.side: LabelColumn(gold, outputs)}
        systems = Systems(self.systems, columns, groups=self.rows.owners, clusters=clusters)
        return Confusion().count(systems)

    def count_curves(self) -> Iterator[CurveTally]:
        """The probabilities of every resample, or of the examples alone."""
        scores = tuple(own + 0 for own in self.rows.scores)  # in which there is one zero only
        rows = replace(self.rows, counter=Curve(), scores=scores, clusters=None)
        whole = np.arange(len(rows.gold))
        for own in [None] if self.times is None else self.times:
            taken = rows if own is None else rows.take(np.repeat(whole, own))
            yield taken.of(*self.systems)

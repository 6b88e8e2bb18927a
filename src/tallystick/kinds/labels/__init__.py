"""Labels, label sets and probabilities, which share gold and are read together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from tallystick.errors import UsageError
from tallystick.model.codes import Labels
from tallystick.model.facts import Facts
from tallystick.model.reading import Kind, later
from tallystick.model.systems import Column, Systems

if TYPE_CHECKING:
    from tallystick.kinds.labels.label_columns import LabelColumn, Output


class LabelKind(Kind["LabelColumn"], frozen=True, eq=False):
    """Labels, label sets and probabilities."""

    name: str
    side = "labels"
    labelled = True
    submitted = True

    column: "ClassVar[type[LabelColumn]]" = later("labels.label_columns", "LabelColumn")
    read_lists = later("labels.label_reader", "read_label_lists")
    open = later("labels.label_reader", "open_labels")
    make_up = later("labels.label_reader", "make_labels")
    draft = later("labels.label_reader", "draft_labels")

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        return sign_task(facts)


def sign_task(facts: Facts) -> list[str]:
    """Returns the task and its labels; of many labels their number and a checksum of the list."""
    labels = facts.task.labels or ()
    listed = ",".join(map(str, labels))
    if len(labels) > 1000:  # a longer list in each score would make large files of scores
        from hashlib import sha256

        listed = f"{len(labels)}(sha256:{sha256(listed.encode()).hexdigest()[:16]})"
    return [f"task:{facts.task.kind}", f"labels:{listed}"]


LABELS = LabelKind("labels")
LABEL_SETS = LabelKind("label sets")
PROBABILITIES = LabelKind("probabilities")
SET_PROBABILITIES = LabelKind("probabilities of label sets")


def find_scored(systems: Systems) -> tuple[str, ...]:
    """The systems that have probabilities."""
    column = LABELS.find(systems)
    rows = zip(systems.names, () if column is None else column.outputs, strict=False)
    return tuple(name for name, own in rows if own.probabilities is not None)


def find_scores(systems: Systems) -> tuple[Systems, Labels, "tuple[Output, ...]"]:
    """The systems that have probabilities, with gold and outputs."""
    systems = systems.of(*find_scored(systems))
    column = LABELS.of(systems)
    if not column.outputs or not isinstance(column.gold, Labels):
        raise UsageError("curves need probabilities, and these examples have none")
    return systems, column.gold, column.outputs


def has_single_label(kind: Kind[Column]) -> bool:
    """Whether an example of a kind has one gold label."""
    return kind in (LABELS, PROBABILITIES)


def needs_probabilities(kind: Kind[Column] | None) -> bool:
    """Whether only systems with probabilities have what is counted."""
    return kind in (PROBABILITIES, SET_PROBABILITIES)

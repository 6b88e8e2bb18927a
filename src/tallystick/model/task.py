"""The task: binary, multiclass or multilabel, with its labels."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, PositiveError, UsageError
from tallystick.model.codes import Label, list_labels, order, spell, spell_all
from tallystick.settings import fold_choice, freeze_lists

Kind = Literal["binary", "multiclass", "multilabel"]
KINDS: tuple[Kind, ...] = ("binary", "multiclass", "multilabel")
TaskName = Literal["binary", "multiclass", "multilabel", "spans", "text", "texts"]
"""What a task may be called; spans and texts have no labels."""

_PAIRS = (("0", "1"), ("false", "true"), ("no", "yes"), ("neg", "pos"), ("negative", "positive"))


class Task(Struct, frozen=True):
    """The task: binary, multiclass or multilabel, with its labels.

    Attributes:
        kind: `"binary"`, `"multiclass"` or `"multilabel"`; None is guessed from the labels.
        labels: The labels that may occur; any other is an error. None takes those that occur.
        positive: The label that a binary task looks for; None is guessed (1, true, yes).
        threshold: From this probability on, a binary example is predicted positive. None takes
            the predicted labels where there are any, else 0.5.
    """

    kind: Kind | None = None
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        """Checks the options that can be wrong on their own."""
        freeze_lists(self, "labels")
        fold_choice(self, "kind", (None, *KINDS), called="task")
        if self.threshold is not None and not (
            isinstance(self.threshold, int | float) and 0 <= self.threshold <= 1
        ):
            raise UsageError(f"the threshold must be between 0 and 1, not {self.threshold!r}")
        if self.positive is not None:
            _check_label(self.positive)
        if self.labels is not None:
            _check_labels(self.labels)
            if self.positive is not None:
                known = {spell(label, fold_case=True) for label in self.labels}
                if spell(self.positive, fold_case=True) not in known:
                    raise UsageError(
                        f"the positive label {self.positive!r} is not one of "
                        f"{list_labels(self.labels)}"
                    )

    def settle(self, seen: Iterable[Label], *, scores: bool) -> "Task":
        """The same task with its kind, labels and positive label decided.

        Args:
            seen: The labels that occur in gold or predictions.
            scores: Whether there is one probability per example, which only binary tasks have.
        """
        # Labels that come in their order are sorted faster than those of a set.
        occurring = order(dict.fromkeys([*seen, *(self.labels or ())]))
        pair = _binary_pair(occurring, self.positive)
        hints = scores or pair is not None or self.positive is not None
        if self.kind == "binary" or (self.kind is None and hints):
            return self._settle_binary(occurring, pair)
        if self.threshold is not None:
            raise UsageError("a threshold is for binary tasks, and this one is multiclass")
        return replace(self, kind="multiclass", labels=self.labels or occurring, positive=None)

    def spelled(self, *, fold_case: bool = False) -> "Task":
        """The same task with its labels as those of a file are: text, folded if that is wanted."""
        labels, positive = self.labels, self.positive
        return replace(
            self,
            labels=labels and tuple(spell_all(labels, fold_case=fold_case)),
            positive=None if positive is None else spell(positive, fold_case=fold_case),
        )

    def _settle_binary(self, seen: tuple[Label, ...], pair: tuple[Label, Label] | None) -> "Task":
        if len(seen) > 2:
            raise InputError(f"a binary task has two labels, but these occur: {list_labels(seen)}")
        if self.positive is not None and pair is None:
            raise PositiveError(
                f"the positive label {self.positive!r} is not one of {list_labels(seen)}"
            )
        if pair is None:
            raise PositiveError(
                f"which label is the positive one? Name it: `positive={seen[-1]!r}`"
            )
        return replace(self, kind="binary", labels=pair, positive=pair[1])


def join_tasks(tasks: Sequence[Task]) -> Task:
    """Returns the task of some parts with the labels of all of them."""
    first = tasks[0]
    if len({task.labels for task in tasks}) == 1:
        return first
    return replace(first, labels=order({label for task in tasks for label in task.labels or ()}))


def _check_labels(labels: object) -> None:
    if not isinstance(labels, tuple):
        raise UsageError(f"labels must be a list or a tuple such as ('a', 'b'), not {labels!r}")
    if not {*map(type, labels)} <= {str, int}:
        for label in labels:
            _check_label(label)
    if len(set(labels)) != len(labels):
        raise UsageError("labels contains a label twice")


def _check_label(label: object) -> None:
    # Whatever whole numbers are, those of NumPy too, have an index.
    if not isinstance(label, str) and not hasattr(label, "__index__"):
        raise UsageError(f"a label is text or a whole number, not {label!r}")


def _binary_pair(seen: tuple[Label, ...], positive: Label | None) -> tuple[Label, Label] | None:
    if positive is not None:
        others = [name for name in seen if name != positive]
        if len(others) > 1:
            return None
        return (others[0] if others else f"not {positive}", positive)
    if len(seen) > 2:
        return None
    folded = {str(name).casefold(): name for name in seen}
    for negative, usual in _PAIRS:
        if len(folded) == len(seen) > 0 and set(folded) <= {negative, usual}:
            kind = int if isinstance(seen[0], int) else str
            return (folded.get(negative, kind(negative)), folded.get(usual, kind(usual)))
    return None

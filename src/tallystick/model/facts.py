"""The task of examples, and facts and notes about them, which add up over parts."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, PositiveError, UsageError, short_traceback
from tallystick.model.codes import Label, list_labels, order, spell, spell_all, union
from tallystick.output.results.records import Refusal
from tallystick.settings import fold_choice, freeze_lists

Kind = Literal["binary", "multiclass", "multilabel"]
KINDS: tuple[Kind, ...] = ("binary", "multiclass", "multilabel")
TaskName = Literal["binary", "multiclass", "multilabel", "tokens", "spans", "text", "texts"]
"""What a task may be called; tokens have a label each, and spans and texts have none."""

_PAIRS = (("0", "1"), ("false", "true"), ("no", "yes"), ("neg", "pos"), ("negative", "positive"))


class Task(Struct, frozen=True):
    """The task: binary, multiclass or multilabel, with its labels.

    Attributes:
        kind: `"binary"`, `"multiclass"` or `"multilabel"`; None is guessed from the labels.
        labels: The labels that may occur; any other is an error. None takes those that occur.
        positive: The label that a binary task looks for; None is guessed (1, true, yes).
        threshold: From this score on, a binary example is predicted positive. None takes
            the predicted labels where there are any, else 0.5.
        ordered: Whether the labels are named from the lowest to the highest, so that outputs that
            are fractions become the nearest one.
    """

    kind: Kind | None = None
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    threshold: float | None = None
    ordered: bool = False

    @short_traceback
    def __post_init__(self) -> None:
        freeze_lists(self, "labels")
        fold_choice(self, "kind", (None, *KINDS), called="task")
        if self.threshold is not None and not (
            isinstance(self.threshold, int | float) and math.isfinite(self.threshold)
        ):
            raise UsageError(f"the threshold must be a finite number, not {self.threshold!r}")
        if self.positive is not None:
            _check_label(self.positive)
        if self.labels is None:
            return
        _check_labels(self.labels)
        known = {spell(label, fold_case=True) for label in self.labels}
        if self.positive is not None and spell(self.positive, fold_case=True) not in known:
            raise UsageError(
                f"the positive label {self.positive!r} is not one of {list_labels(self.labels)}"
            )

    def settle(self, seen: Iterable[Label], *, scores: bool) -> "Task":
        """Decides kind, labels and positive label; `scores` are one probability per example."""
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


Sizes = dict[str | None, int]
"""The number of examples in all (None), and in each group."""


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of examples besides their columns.

    Attributes:
        task: The task, settled.
        asked: The task as it was asked for.
        kinds: The kinds that were read, and `probabilities` if a system has some.
        labels: The labels that gold and outputs share.
        n: The number of examples that have a weight above 0.
        left_out: The number of further examples that a system has no output for.
        invalid: The number of outputs that are no label, of systems that have some.
        scored: The systems that have probabilities for every example.
        thresholds: The score from which each system predicts the positive label.
        unscaled: Why the scores of a system are not probabilities, for each where they are not.
        tokenizers: The tokenizers that languages chose for all texts (None) and for each group,
            "" where each metric has its own.
        script: The tokenizer for references whose words are not separated by spaces.
        has_lines: Whether a text has more than one line.
        shaped: What else shaped the data, such as the condition that chose the examples.
        notes: What was guessed about the data, in words.
    """

    task: Task = msgspec.field(default_factory=Task)
    asked: Task = msgspec.field(default_factory=Task)
    kinds: tuple[str, ...] = ()
    round_scores: int | None = None
    labels: tuple[Label, ...] = ()
    n: Sizes = {}
    left_out: Sizes = {}
    invalid: dict[str, Sizes] = {}
    scored: tuple[str, ...] = ()
    thresholds: dict[str, float | None] = {}
    unscaled: dict[str, str] = {}
    tokenizers: dict[str | None, tuple[str, ...]] = {}
    script: str | None = None
    scheme: str | None = None
    has_lines: bool = False
    weighted: bool = False
    clustered: bool = False
    shaped: str = ""
    notes: tuple[str, ...] = ()
    rejected: tuple[Refusal, ...] = ()

    def __add__(self, other: "Facts") -> "Facts":
        return self.join([self, other])

    @classmethod
    def join(cls, parts: Sequence["Facts"]) -> "Facts":
        """Returns the facts of the examples of all parts, which are of the same systems."""
        first = parts[0]
        return msgspec.structs.replace(
            first,
            task=join_tasks([one.task for one in parts]),
            kinds=tuple(sorted({kind for one in parts for kind in one.kinds})),
            labels=union(*(one.labels for one in parts)),
            n=add_sizes(one.n for one in parts),
            left_out=add_sizes(one.left_out for one in parts),
            invalid={
                name: add_sizes(one.invalid.get(name, {}) for one in parts)
                for name in dict.fromkeys(chain.from_iterable(one.invalid for one in parts))
            },
            scored=tuple(name for name in first.scored if all(name in one.scored for one in parts)),
            thresholds={
                name: None if len({one.thresholds.get(name) for one in parts}) > 1 else own
                for name, own in first.thresholds.items()
            },
            unscaled=dict(chain.from_iterable(one.unscaled.items() for one in reversed(parts))),
            tokenizers=_join_tokenizers(parts),
            script=min((one.script for one in parts if one.script), default=None),
            has_lines=any(one.has_lines for one in parts),
            weighted=any(one.weighted for one in parts),
            clustered=any(one.clustered for one in parts),
            notes=add_notes(chain.from_iterable(one.notes for one in parts)),
            rejected=tuple(dict.fromkeys(chain.from_iterable(one.rejected for one in parts))),
        )

    def add(self, *notes: str, rejected: Iterable[Refusal] = ()) -> "Facts":
        """Returns the same facts with further notes, and systems that were rejected."""
        return msgspec.structs.replace(
            self,
            notes=tuple(dict.fromkeys((*self.notes, *notes))),
            rejected=tuple(dict.fromkeys((*self.rejected, *rejected))),
        )

    def of(self, names: Mapping[str, str]) -> "Facts":
        """Returns the facts of some of the systems, which get new names."""
        return msgspec.structs.replace(
            self,
            scored=tuple(new for old, new in names.items() if old in self.scored),
            thresholds={names[old]: own for old, own in self.thresholds.items() if old in names},
            unscaled={names[old]: own for old, own in self.unscaled.items() if old in names},
            invalid={names[old]: own for old, own in self.invalid.items() if old in names},
        )


def add_sizes(sizes: Iterable[Sizes]) -> Sizes:
    """Returns the sums of numbers of examples by group."""
    sums: Sizes = {}
    for own in sizes:
        for name, size in own.items():
            sums[name] = sums.get(name, 0) + size
    return sums


def _join_tokenizers(parts: Sequence[Facts]) -> dict[str | None, tuple[str, ...]]:
    if not any(one.tokenizers for one in parts):
        return {}
    found: dict[str | None, set[str]] = {}
    for one in parts:
        for group in one.n:
            found.setdefault(group, set()).update(one.tokenizers.get(group, ("",)))
    return {group: tuple(sorted(names)) for group, names in found.items()}


_COUNTED = re.compile(
    r"(.*(?:; rows that differ|scored as (?:empty strings|texts)|count as wrong|; such tags|"
    r"are left out): )([0-9]+)\.",
    re.DOTALL,
)


def count_differences(source: str, column: str, gold: str, count: int) -> str:
    """Reports how many rows disagree with the gold table in a column."""
    differing = f"{source} differs from {gold} in column {column!r}, where {gold} counts"
    return f"{differing}; rows that differ: {count}."


def count_common(count: int) -> str:
    """Returns a note on examples that are not scored, as not every system has an output for one."""
    return f"examples for which a system has no output are left out: {count}."


def count_empty(system: str, count: int) -> str:
    """Returns a note on the texts that a system does not have."""
    return f"missing outputs of {system} scored as empty strings: {count}."


def count_spelled(system: str, count: int) -> str:
    """Returns a note on outputs such as `nan`, which may be missing ones."""
    spelled = f"outputs of {system} that are only a word such as 'None' or 'nan'"
    return f"{spelled}, scored as texts: {count}."


def count_wrong(system: str, count: int) -> str:
    """Returns a note on the numbers, or the spans, that a system does not have."""
    return f"missing outputs of {system} count as wrong: {count}."


def count_strays(system: str, how: str, count: int) -> str:
    """Returns a note on tags without a span of their type before them, and how they count."""
    lone = f"I- and E- tags of {system} without a span of their type before them"
    return f"{lone} {how}; such tags: {count}."


def count_unknown(system: str, count: int) -> str:
    """Returns a note on tags that are of no scheme, and how these are read."""
    return (
        f"tags of {system} other than O and B-, I-, E-, S-, L- or U- with a type are read as in "
        "seqeval, where any other letter begins or ends a span only where the type changes; such "
        f"tags: {count}."
    )


def add_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Returns each note once, at its first place; those that count the same have the sum."""
    counts: dict[str, int | None] = {}
    for note in notes:
        match = _COUNTED.fullmatch(note)
        if match is None:
            counts[note] = None
        else:
            counts[match[1]] = (counts.get(match[1]) or 0) + int(match[2])
    return tuple(note if count is None else f"{note}{count}." for note, count in counts.items())

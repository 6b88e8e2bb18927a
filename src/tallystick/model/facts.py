"""What is known of examples besides their columns: facts and notes of parts add up."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import msgspec

from tallystick.model.codes import Label, union
from tallystick.model.task import Task, join_tasks
from tallystick.output.results.records import Refusal

Sizes = dict[str | None, int]
"""The number of examples in all (None), and in each group."""


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of examples besides their columns.

    Attributes:
        task: The task, settled.
        asked: The task as it was asked for.
        kinds: The kinds that were read, and `probabilities` where a system has some.
        round_scores: To how many decimals probabilities are rounded; None keeps them all.
        labels: The labels that gold and outputs share.
        n: The number of examples that have a weight above 0.
        left_out: The number of further examples that a system has no output for.
        invalid: The number of outputs of each system that are no label; none of those without any.
        scored: The systems that have probabilities for every example.
        thresholds: From which probability on each system predicts the positive label.
        tokenizers: The tokenizers that languages chose for all texts (None) and for each group, an
            empty name where each metric has its own; nothing where no language chose any.
        script: The tokenizer that suits the references, where spaces do not separate their words.
        scheme: How tags of spans were read; None where there were none.
        has_lines: Whether a text has more than one line.
        weighted: Whether examples are weighted.
        clustered: Whether examples belong to clusters.
        shaped: What else shaped the data, such as the condition that chose the examples.
        notes: What was guessed about the data, in words.
        refused: The systems that could not be read, each with the reason.
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
    tokenizers: dict[str | None, tuple[str, ...]] = {}
    script: str | None = None
    scheme: str | None = None
    has_lines: bool = False
    weighted: bool = False
    clustered: bool = False
    shaped: str = ""
    notes: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()

    def __add__(self, other: "Facts") -> "Facts":
        """Returns the facts of the examples of both."""
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
            tokenizers=_join_tokenizers(parts),
            script=min((one.script for one in parts if one.script), default=None),
            has_lines=any(one.has_lines for one in parts),
            weighted=any(one.weighted for one in parts),
            clustered=any(one.clustered for one in parts),
            notes=add_notes(chain.from_iterable(one.notes for one in parts)),
            refused=tuple(dict.fromkeys(chain.from_iterable(one.refused for one in parts))),
        )

    def add(self, *notes: str, refused: Iterable[Refusal] = ()) -> "Facts":
        """Returns the same facts with further notes, and systems that were refused."""
        return msgspec.structs.replace(
            self,
            notes=tuple(dict.fromkeys((*self.notes, *notes))),
            refused=tuple(dict.fromkeys((*self.refused, *refused))),
        )

    def of(self, names: Mapping[str, str]) -> "Facts":
        """Returns the facts of some of the systems, which get new names."""
        return msgspec.structs.replace(
            self,
            scored=tuple(new for old, new in names.items() if old in self.scored),
            thresholds={names[old]: own for old, own in self.thresholds.items() if old in names},
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
    """Returns a note on rows in which a file tells a column otherwise than the gold's."""
    differing = f"{source} differs from {gold} in column {column!r}, where {gold} counts"
    return f"{differing}; rows that differ: {count}."


def count_common(count: int) -> str:
    """Returns a note on examples that are not scored, as not every system has an output for one."""
    return f"examples for which a system has no output are left out: {count}."


def count_empty(system: str, count: int) -> str:
    """Returns a note on the texts that a system lacks."""
    return f"missing outputs of {system} scored as empty strings: {count}."


def count_spelled(system: str, count: int) -> str:
    """Returns a note on outputs such as `nan`, which may be missing ones."""
    spelled = f"outputs of {system} that are only a word such as 'None' or 'nan'"
    return f"{spelled}, scored as texts: {count}."


def count_wrong(system: str, count: int) -> str:
    """Returns a note on the numbers, or the spans, that a system lacks."""
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

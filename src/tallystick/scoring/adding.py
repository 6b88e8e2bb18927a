"""Adds systems that were counted in parts: the sum is what counting all parts at once gives."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from tallystick.errors import InputError, UsageError
from tallystick.examples.block_notes import add_notes
from tallystick.examples.task import join_tasks
from tallystick.kinds.texts.rouge_rows import find_joined
from tallystick.scoring.choosing import Facts, bind, check_names, choose, counter_of
from tallystick.scoring.counted import Counted, Part
from tallystick.tallies.groups import union
from tallystick.tallies.metric import Metric

_SAME: tuple[tuple[str, Callable[[Counted], Any]], ...] = (
    ("the systems", lambda counted: ", ".join(counted.systems)),
    ("the metrics", lambda counted: ", ".join(map(repr, counted.metrics))),
    ("the groups of", lambda counted: counted.heading or "nothing"),
    ("the kind of task", lambda counted: counted.task.kind or "text"),
    ("the positive label", lambda counted: counted.task.positive),
    ("the labels that were named", lambda counted: _list(counted.asked.labels)),
    ("clusters", lambda counted: "yes" if counted.clustered else "no"),
    ("how tags are read", lambda counted: counted.scheme),
    ("the bins of probabilities", lambda counted: str(counted.bins or "none")),
)
"""What all parts must have in common, with its name in messages."""


def add_counted(parts: Sequence[tuple[str, Counted]]) -> Counted:
    """Returns the sum of parts, each of which has a name for messages.

    Raises:
        InputError: Two parts hold the same files.
        UsageError: The parts were not counted alike.
    """
    seen: dict[tuple[str, ...], str] = {}
    for name, part in parts:
        check_new(name, part.parts, seen)
    parts = _call_alike(parts)
    first_name, first = parts[0]
    for name, part in parts[1:]:
        _check_alike(first_name, first, name, part)
    counted = [part for _, part in parts]
    tallies = {
        counter: _add_up([part.tallies[counter] for part in counted if counter in part.tallies])
        for counter in dict.fromkeys(first.counters.values())
        if any(counter in part.tallies for part in counted)
    }
    labels = union(*(part.labels for part in counted))
    return replace(
        first,
        tallies=tallies,
        groups=_join_groups(tallies.values(), counted),
        n=_add_sizes(part.n for part in counted),
        task=join_tasks([part.task for part in counted]),
        labels=labels,
        scored=tuple(
            name for name in first.systems if all(name in part.scored for part in counted)
        ),
        thresholds={
            name: _agree([part.thresholds.get(name) for part in counted]) for name in first.systems
        },
        invalid={
            name: _add_sizes(part.invalid.get(name, {}) for part in counted)
            for name in first.systems
            if any(name in part.invalid for part in counted)
        },
        notes=add_notes(chain.from_iterable(part.notes for part in counted)),
        examples=(),
        has_lines=any(part.has_lines for part in counted),
        tokenizer=min((part.tokenizer for part in counted if part.tokenizer), default=None),
        weighted=any(part.weighted for part in counted),
        parts=tuple(chain.from_iterable(part.parts for part in counted)),
    )


def check_new(name: str, parts: Iterable[Part], seen: dict[tuple[str, ...], str]) -> None:
    """Notes the files of parts under a name.

    Raises:
        InputError: They have been noted already.
    """
    for part in parts:
        key = tuple(one.sha256 for one in part.inputs)
        if key and key in seen:
            names = ", ".join(one.name for one in part.inputs)
            raise InputError(
                f"{name} holds examples that {seen[key]} holds too: both counted {names}; name "
                "each part once"
            )
        seen[key] = name


def name_anew(counted: Counted, named: Sequence[Metric | str] | None) -> Counted:
    """Returns the same counts for other metrics, which read what was counted.

    Raises:
        UsageError: A metric needs what was not counted.
    """
    if named is None:
        return counted
    scored = frozenset(["probabilities"] if counted.scored else [])
    kinds = scored.union(counter.kind.side for counter in counted.tallies)
    facts = Facts(counted.task, counted.asked, kinds, counted.bins)
    metrics = bind(choose(named, facts), facts)
    check_names(metrics)
    counters = {}
    for metric in metrics:
        found = find_joined(counter_of(metric, facts), counted.tallies)
        if found is None:
            raise UsageError(
                f"{metric.short} needs what was not counted; count again with -m {metric.short}"
            )
        counters[metric] = found
    return replace(counted, metrics=metrics, counters=counters, usual=False)


def _call_alike(parts: Sequence[tuple[str, Counted]]) -> list[tuple[str, Counted]]:
    """Gives the only system of each part one name, as it is often called by the file of a part."""
    names = {part.systems for _, part in parts}
    if len(names) == 1 or any(len(systems) > 1 for systems in names):
        return list(parts)
    (name,) = min(names)
    listed = ", ".join(sorted(own for (own,) in names))
    note = f"{listed} are taken for one system, which is called {name}."
    return [(path, _rename(part, name, note)) for path, part in parts]


def _rename(counted: Counted, name: str, note: str) -> Counted:
    """The only system by another name."""
    (old,) = counted.systems
    return replace(
        counted,
        systems=(name,),
        tallies={counter: own.rename_systems(name) for counter, own in counted.tallies.items()},
        scored=tuple(name for _ in counted.scored),
        thresholds={name: counted.thresholds.get(old)},
        invalid={name: counted.invalid[old]} if counted.invalid else {},
        notes=(*counted.notes, note),
    )


def _check_alike(first_name: str, first: Counted, name: str, part: Counted) -> None:
    for what, tell in _SAME:
        if tell(part) != tell(first):
            raise UsageError(
                f"{name} and {first_name} do not add: {what} {_say(tell(part))} and "
                f"{_say(tell(first))}; count all parts with the same options (-m, --labels, "
                "--positive ...), and call systems alike with NAME=FILE"
            )


def _say(value: object) -> str:
    return "(none)" if value is None else f"({value})"


def _list(labels: Sequence[object] | None) -> str | None:
    return None if labels is None else ", ".join(map(str, labels))


def _add_up(tallies: list[Any]) -> Any:
    return tallies[0].add_up(tallies)


def _join_groups(tallies: Iterable[Any], parts: Sequence[Counted]) -> tuple[str, ...]:
    """The groups as counting all at once would name them: in the order of labels."""
    if not any(part.groups for part in parts):
        return ()
    tally = next(iter(tallies), None)
    if tally is None:
        return tuple(dict.fromkeys(chain.from_iterable(part.groups for part in parts)))
    return tuple(map(str, tally.groups))


def _add_sizes(sizes: Iterable[Any]) -> dict[str | None, int]:
    sums: dict[str | None, int] = {}
    for own in sizes:
        for name, size in own.items():
            sums[name] = sums.get(name, 0) + size
    return sums


def _agree(values: Sequence[float | None]) -> float | None:
    """The value that all have; None where they differ."""
    return values[0] if len(set(values)) == 1 else None

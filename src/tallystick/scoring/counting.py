"""Turns systems into tallies: chooses metrics, and runs every counter that they share once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.examples.block_notes import add_notes
from tallystick.examples.reading import (
    NoneLeftError,
    Reading,
    UnforeseenError,
    refusing,
)
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task, join_tasks
from tallystick.frozen import dataclass, field, replace
from tallystick.kinds.labels import LABELS, find_scored, needs_probabilities
from tallystick.kinds.ratings import RATINGS
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.results import Refusal
from tallystick.scoring.choosing import (
    Facts,
    bind,
    check_groups,
    check_names,
    choose,
    counter_of,
    find_counters,
    name_usual,
)
from tallystick.scoring.counted import AVERAGES, Counted, add_sizes, settle_split
from tallystick.tallies.groups import union
from tallystick.tallies.metric import Metric
from tallystick.tallies.tally import Counter

if TYPE_CHECKING:
    from tallystick.kinds.texts.text_columns import TextColumn


_LOOKED_AT = 1 << 16
"""So many bytes of the references tell their script."""

Metrics = Sequence[Metric | str] | Metric | str | None
"""What callers may say of metrics; None takes the task's usual ones."""


def name_metrics(metrics: Metrics) -> list[Metric | str] | None:
    """The metrics that a caller named, as a list; None where none were."""
    if metrics is None:
        return None
    if isinstance(metrics, Metric | str):
        return [metrics]
    # What is no metric at all is told when it is read.
    named: list[Metric | str] = list(metrics) if isinstance(metrics, Iterable) else [metrics]
    if not named:
        raise UsageError("no metric was named; leave metrics out for the usual ones")
    return named


@dataclass(slots=True)
class _Parts:
    """What has been counted so far, block after block."""

    tallies: dict[Counter, list[Any]] = field(default_factory=dict)
    n: dict[str | None, int] = field(default_factory=dict)
    groups: dict[tuple[Label, ...], None] = field(default_factory=dict)
    thresholds: dict[str, set[float | None]] = field(default_factory=dict)
    invalid: dict[str, dict[str | None, int]] = field(default_factory=dict)
    left_out: dict[str | None, int] = field(default_factory=dict)
    split: dict[str | None, set[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unscored: set[str] = field(default_factory=set)
    tasks: dict[Task, None] = field(default_factory=dict)
    has_lines: bool = False
    blocks: int = 0
    continued: bool = False

    def add(self, systems: Systems, counters: Iterable[Counter]) -> None:
        """Counts further examples; metrics that name the same counter share its tally."""
        self.blocks += 1
        self.continued = self.continued or systems.first > 0
        for counter in counters:
            if needs_probabilities(counter.kind) and not find_scored(systems):
                continue
            tally = counter.count(systems)
            seen = self.tallies.setdefault(counter, [])
            seen.append(tally)
            if seen[0].is_due(seen[1:]):
                seen[:] = [seen[0].add_up(seen)]
        _count_groups(self.n, systems, np.ones(len(systems), bool))
        if systems.groups is not None:
            self.groups[systems.groups.names] = None
        self.tasks[systems.task] = None
        self.notes += systems.notes
        self.left_out = add_sizes([self.left_out, systems.left_out])
        labels, texts = LABELS.find(systems), TEXTS.find(systems)
        for name, own in zip(systems.names, () if labels is None else labels.outputs, strict=False):
            self.thresholds.setdefault(name, set()).add(own.threshold)
            if own.invalid is not None and own.invalid.any():
                _count_groups(self.invalid.setdefault(name, {}), systems, own.invalid)
            if own.probabilities is None:
                self.unscored.add(name)
        if texts is not None:
            self._add_tokenizers(systems)
            self.notes += texts.count_words(systems.names)
        self.has_lines = self.has_lines or (texts is not None and texts.has_lines)

    def add_up(self) -> dict[Counter, Any]:
        return {counter: parts[0].add_up(parts) for counter, parts in self.tallies.items()}

    def list_groups(self) -> tuple[str, ...]:
        """The groups: as the blocks name them, or in the order of labels for blocks of one input.

        Where blocks of one input end must not show.
        """
        names = union(*self.groups) if self.continued else chain.from_iterable(self.groups)
        return tuple(dict.fromkeys(map(str, names)))

    def _add_tokenizers(self, systems: Systems) -> None:
        """Keeps what the texts of each group, and all of them, were split with."""
        own, groups = systems.tokenizers, systems.groups
        names = ("",) if own is None else tuple(map(str, own.names))
        self.split.setdefault(None, set()).update(names)
        if groups is None:
            return
        codes = np.zeros(len(systems), np.int64) if own is None else own.codes
        for group, code in {*zip(groups.codes.tolist(), codes.tolist(), strict=True)}:
            self.split.setdefault(str(groups.names[group]), set()).add(names[code])


def _count_groups(
    sizes: dict[str | None, int], systems: Systems, chosen: NDArray[np.bool_]
) -> None:
    """Adds how many of the chosen examples are in each group, and how many in all."""
    counts = None if systems.counts is None else systems.counts[chosen]
    sizes[None] = sizes.get(None, 0) + int((chosen if counts is None else counts).sum())
    if systems.groups is not None:
        names = systems.groups.names
        found = np.bincount(systems.groups.codes[chosen], counts, len(names))
        for name, size in zip(map(str, names), found.astype(np.int64).tolist(), strict=True):
            sizes[name] = sizes.get(name, 0) + size


def count(
    blocks: Iterable[Systems],
    metrics: Metrics,
    *,
    heading: str | None = None,
    usual: Sequence[Metric] | None = None,
    keep: bool = False,
    round_scores: int | None = None,
) -> Counted:
    """Counts systems once for all metrics.

    Blocks are dropped when they are counted, but where what looks at single examples is to `keep`
    them. `usual` are the usual metrics, where they are not those of the task. Probabilities are
    rounded to so many decimals; None keeps them all.
    """
    rest = iter(blocks)
    first = next(rest, None)
    if first is None:
        raise InputError("there are no examples to score")
    if first.coverage is not None:
        from tallystick.scoring.apart import count_apart

        def again(blocks: Iterable[Systems]) -> Counted:
            return count(
                blocks, metrics, heading=heading, usual=usual, keep=keep, round_scores=round_scores
            )

        return count_apart((first, *rest), again)
    named = name_metrics(metrics)
    if named is None and usual is not None:
        chosen: tuple[Metric, ...] = tuple(usual)
    else:
        chosen = choose(named, Facts.of(first))
        first = _refuse_unscored(first, chosen, strict=named is not None)
    facts = Facts.of(first, round_scores)
    bound = bind(chosen, facts)
    check_names(bound)
    counters, corrected = find_counters(bound, facts), None
    if first.people is not None:
        from tallystick.scoring.corrections.corrected import Corrected

        corrected = Corrected.of(first, counters)
        bound = corrected.choose(bound, named=named is not None)
        first = replace(first.take(slice(0, first.people.examples)), people=None)
    parts, kept = _Parts(), list[Systems]()
    for block in chain([first], rest):
        own = block.of(*first.names)
        _check_labels(first, own)
        parts.add(own, dict.fromkeys(counters.values()))
        kept = [*kept, own] if keep or parts.blocks == 1 else []
        del block, own  # before the next one is read
    if not parts.n[None]:
        raise InputError("there are no examples to score")
    tallies = parts.add_up()
    groups = parts.list_groups()
    _check_groups(groups, heading)
    check_groups(bound, groups)
    texts, spans = TEXTS.find(first), SPANS.find(first)
    return Counted(
        first.names,
        bound,
        counters,
        tallies,
        groups,
        heading if groups else None,
        parts.n,
        join_tasks(list(parts.tasks)),
        first.asked,
        kept[0].labels if parts.blocks == 1 else _list_labels(tallies, first),
        tuple(name for name in first.names if name not in parts.unscored),
        {name: own.pop() if len(own) == 1 else None for name, own in parts.thresholds.items()},
        parts.invalid,
        (
            *add_notes(parts.notes),
            *_note_guess(named, first),
            *(() if texts is None else texts.remark(bound, first.tokenizers)),
            *(() if corrected is None else (corrected.describe(),)),
        ),
        first.refused,
        # Annotators alone are neither right nor wrong, so that there is no example to show.
        tuple(kept) if RATINGS.find(first) is None else (),
        parts.has_lines,
        None if texts is None else _find_tokenizer(texts),
        first.weights is not None,
        first.clusters is not None,
        named is None,
        scheme=None if spans is None else spans.scheme,
        shaped=first.shaped,
        left_out=parts.left_out,
        split=settle_split(parts.split),
        corrected=corrected,
    )


def count_accepted(names: Sequence[str], count: Callable[[Sequence[str]], Counted]) -> Counted:
    """Counts systems together; where that fails, those that can be counted alone."""
    try:
        with refusing():
            return count(names)
    except NoneLeftError:
        raise
    except TallystickError as error:
        failure = error
    try:
        alone = Reading(tolerant=True).collect(names, lambda name: bool(count([name]).n))
    except TallystickError as none:
        raise none if isinstance(failure, UnforeseenError) else failure from None
    counted = count([*alone.accepted])
    return replace(counted, refused=(*counted.refused, *alone.refused))


def _check_labels(first: Systems, block: Systems) -> None:
    """Raises an InputError where the parts of a binary task have other labels."""
    if first.task.kind != "binary" or block.labels == first.labels:
        return
    names = [
        "" if part.groups is None else f" of {part.groups.names[0]}" for part in (block, first)
    ]
    labels = [" and ".join(repr(str(name)) for name in part.labels) for part in (block, first)]
    raise InputError(
        f"the labels{names[0]} are {labels[0]}, but those{names[1]} are {labels[1]}; write them "
        "alike in all files"
    )


def _note_guess(named: Sequence[Metric | str] | None, systems: Systems) -> Iterator[str]:
    """Notes that texts or numbers were recognised, where no metric was named."""
    if named is None and not LABELS.find(systems) and not RATINGS.find(systems):
        from tallystick.metrics.usual import list_usual

        what = name_usual(Facts.of(systems))
        names = ", ".join(dict.fromkeys(metric.name for metric in list_usual(what)))
        yield f"these look like {what}; scored with {names}: name others with -m."


def _find_tokenizer(texts: "TextColumn") -> str | None:
    from tallystick.kinds.texts.texts import TokenExamples
    from tallystick.tokens.scripts import find_tokenizer

    part = texts.parts[0]
    if isinstance(part, TokenExamples):
        return None
    data = part.references.data[:_LOOKED_AT].tobytes()
    return find_tokenizer(data.decode(errors="ignore"))


def _list_labels(tallies: Mapping[Counter, Any], first: Systems) -> tuple[Label, ...]:
    if LABELS.find(first) is None:
        return first.labels
    patterns = (one.patterns for one in tallies.values())
    known = (one.labels for one in patterns if one is not None and one.labels)
    return next(known, first.labels)


def _refuse_unscored(systems: Systems, metrics: Sequence[Metric], *, strict: bool) -> Systems:
    """Leaves out systems without probabilities that a named metric needs, if that is allowed."""
    facts = Facts.of(systems)
    counters = ((metric, counter_of(metric, facts)) for metric in metrics)
    asking = [metric for metric, counter in counters if needs_probabilities(counter.kind)]
    scored = find_scored(systems)
    lacking = [name for name in systems.names if name not in scored]
    if not (strict and asking and lacking):
        return systems
    reasons = {
        name: f"{asking[0].short} needs probabilities, and {name} has none for every example; 0 "
        "and 1 are taken for probabilities where their column has a name such as y_prob"
        for name in lacking
    }
    kept = [name for name in systems.names if name not in reasons]
    if not systems.tolerant or not kept:
        raise UsageError(reasons[lacking[0]])
    refused = tuple(Refusal(name, None, reason) for name, reason in reasons.items())
    return replace(systems.of(*kept), refused=(*systems.refused, *refused))


def _check_groups(groups: Sequence[str], heading: str | None) -> None:
    """Raises an InputError where a group has the name of a row that is about several."""
    for name, meaning in AVERAGES.items():
        if name in groups:
            raise InputError(
                f"a group in {heading!r} is called {name!r}, which is the name of the {meaning}; "
                "rename it"
            )

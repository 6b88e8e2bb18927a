"""Counts inputs and systems: chooses metrics, and runs every counter that they share once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.kinds.labels import LABELS, find_scored, needs_probabilities
from tallystick.kinds.metrics.names import Metrics, name_metrics, read_metrics
from tallystick.kinds.ratings import RATINGS
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.limits import LIMITS
from tallystick.model.codes import Label, union
from tallystick.model.facts import Facts, Sizes
from tallystick.model.reading import NoneLeftError, Reading, UnforeseenError, refusing
from tallystick.model.systems import People, Systems
from tallystick.model.tallies.metric import Metric
from tallystick.model.tallies.tally import AT_ONCE, Counter, Tally, need_patterns
from tallystick.output.results.records import Refusal
from tallystick.reading.input_plan import InputPlan, Layout, Source, open_logs, plan_input
from tallystick.reading.layouts import iterate_blocks
from tallystick.reading.used_options import LOGS, check_used
from tallystick.scoring.counted import AVERAGES, Counted
from tallystick.scoring.metric_selection import (
    bind,
    check_groups,
    check_names,
    choose,
    choose_scaled,
    counter_of,
    find_counters,
    name_anew,
    name_usual,
)

if TYPE_CHECKING:
    from tallystick.kinds.texts.text_columns import TextColumn
    from tallystick.reading.log_systems import LogSystem
    from tallystick.scoring.corrections.corrected import Corrected


_LOOKED_AT = 1 << 16
"""So many bytes of the references tell their script."""


def find_facts(systems: Systems, round_scores: int | None = None) -> Facts:
    """Returns what is known of a block of examples besides its columns."""
    labels, texts, spans = LABELS.find(systems), TEXTS.find(systems), SPANS.find(systems)
    outputs = dict(zip(systems.names, () if labels is None else labels.outputs, strict=False))
    invalid = {name: own.invalid for name, own in outputs.items() if own.invalid is not None}
    scored = find_scored(systems)
    notes = () if texts is None else texts.count_words(systems.names)
    return msgspec.structs.replace(
        systems.facts.add(*notes),
        kinds=tuple(sorted([*systems.columns, *(["probabilities"] if scored else [])])),
        round_scores=round_scores,
        labels=systems.labels,
        n=_count_groups(systems, np.ones(len(systems), bool)),
        invalid={name: _count_groups(systems, own) for name, own in invalid.items() if own.any()},
        scored=systems.names if labels is None else scored,
        thresholds={name: own.threshold for name, own in outputs.items()},
        unscaled={name: own.misfit for name, own in outputs.items() if own.misfit is not None},
        tokenizers=_list_tokenizers(systems),
        script=None if texts is None or systems.first else _find_script(texts),
        scheme=None if spans is None else spans.scheme,
        has_lines=texts is not None and texts.has_lines,
        weighted=systems.weights is not None,
        clustered=systems.clusters is not None,
    )


def _list_tokenizers(systems: Systems) -> dict[str | None, tuple[str, ...]]:
    """What the texts of each group, and all of them, were split with, where a language chose it."""
    own, groups = systems.tokenizers, systems.groups
    if own is None or not any(own.names):
        return {}
    names = tuple(map(str, own.names))
    found: dict[str | None, tuple[str, ...]] = {None: tuple(sorted(names))}
    if groups is not None:
        for group, code in {*zip(groups.codes.tolist(), own.codes.tolist(), strict=True)}:
            key = str(groups.names[group])
            found[key] = tuple(sorted((*found.get(key, ()), names[code])))
    return found


def _count_groups(systems: Systems, chosen: NDArray[np.bool_]) -> Sizes:
    """Returns how many of the chosen examples, without those of weight 0, each group has."""
    if systems.weights is not None:
        chosen = chosen & (systems.weights > 0)
    counts = None if systems.counts is None else systems.counts[chosen]
    sizes: Sizes = {None: int((chosen if counts is None else counts).sum())}
    if systems.groups is not None:
        names = map(str, systems.groups.names)
        found = np.bincount(systems.groups.codes[chosen], counts, len(systems.groups.names))
        sizes |= zip(names, found.astype(np.int64).tolist(), strict=True)
    return sizes


def count(
    blocks: Iterable[Systems],
    metrics: Metrics,
    *,
    heading: str | None = None,
    usual: Sequence[Metric] | None = None,
    keep: bool = False,
    round_scores: int | None = None,
) -> Counted:
    """Counts systems once for all metrics; blocks are dropped unless `keep` is set."""
    rest = iter(blocks)
    first = next(rest, None)
    if first is None:
        raise InputError("there are no examples to score")
    if first.coverage is not None:
        from tallystick.scoring.per_system_coverage import count_apart

        def again(blocks: Iterable[Systems]) -> Counted:
            return count(
                blocks, metrics, heading=heading, usual=usual, keep=keep, round_scores=round_scores
            )

        return count_apart((first, *rest), again)
    named = name_metrics(metrics)
    if named is None and usual is not None:
        chosen: tuple[Metric, ...] = tuple(usual)
    else:
        chosen = choose(named, find_facts(first))
        first = _refuse_unscored(first, chosen, strict=named is not None)
    facts = find_facts(first, round_scores)
    bound = bind(chosen, facts)
    check_names(bound)
    counters, corrected = find_counters(bound, facts), None
    if first.people is not None:
        corrected, first = _correct(first, first.people, counters)
        bound = corrected.choose(bound, named=named is not None)
    rounded = any(getattr(counter, "digits", None) is not None for counter in counters.values())
    digits = round_scores if rounded else None
    tallies, known, facts, kept = _count_blocks(first, rest, counters.values(), digits, keep=keep)
    if not facts.n[None]:
        raise InputError("there are no examples to score")
    bound, facts = choose_scaled(bound, facts, strict=named is not None)
    counters = {metric: counters[metric] for metric in bound}
    tallies = {one: tally for one, tally in tallies.items() if one in counters.values()}
    _check_groups(known, heading)
    check_groups(bound, known)
    notes = [*_note_guess(named, first, facts), *_remark_texts(first, bound)]
    notes += [] if corrected is None else [corrected.describe()]
    return Counted(
        first.names,
        bound,
        counters,
        tallies,
        known,
        heading if known else None,
        facts.add(*notes),
        # Annotators alone are neither right nor wrong, so that there is no example to show.
        kept if RATINGS.find(first) is None else (),
        named is None,
        corrected=corrected,
    )


def _correct(
    systems: Systems, people: People, counters: Mapping[Metric, Counter]
) -> tuple["Corrected", Systems]:
    """What human labels correct, and the examples without those that repeat for these labels."""
    from tallystick.scoring.corrections.corrected import Corrected

    own = replace(systems.take(slice(0, people.examples)), people=None)
    return Corrected.of(systems, counters), own


def _remark_texts(systems: Systems, metrics: Sequence[Metric]) -> Iterable[str]:
    texts = TEXTS.find(systems)
    return () if texts is None else texts.remark(metrics, systems.tokenizers)


def _count_blocks(
    first: Systems,
    rest: Iterator[Systems],
    counters: Iterable[Counter],
    digits: int | None,
    *,
    keep: bool,
) -> tuple[dict[Counter, Any], tuple[str, ...], Facts, tuple[Systems, ...]]:
    """Counts the blocks: their tallies, groups and facts, and the blocks that are kept."""
    parts, tallies = list[Facts](), dict[Counter, list[Any]]()
    groups, kept, continued = list[tuple[Label, ...]](), list[Systems](), False
    for block in chain([first], rest):
        own = block.of(*first.names)
        _check_labels(first, own)
        _add(tallies, own, counters)
        parts.append(find_facts(own, digits))
        groups += [] if own.groups is None else [own.groups.names]
        continued = continued or own.first > 0
        kept = [*kept, own] if keep or len(parts) == 1 else []
        del block, own  # before the next one is read
    # Where blocks of one input end must not show; those of several are shown in their order.
    listed = union(*groups) if continued else chain.from_iterable(groups)
    known = tuple(dict.fromkeys(map(str, listed)))
    added = {counter: own[0].add_up(own) for counter, own in tallies.items()}
    return added, known, Facts.join(parts), tuple(kept)


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
        alone = Reading(tolerant=True).collect(names, lambda name: bool(count([name]).facts.n))
    except TallystickError as none:
        raise none if isinstance(failure, UnforeseenError) else failure from None
    counted = count([*alone.accepted])
    return counted.add_facts(rejected=alone.rejected)


def _add(tallies: dict[Counter, list[Any]], systems: Systems, counters: Iterable[Counter]) -> None:
    """Counts further examples; metrics that name the same counter share its tally."""
    for counter in dict.fromkeys(counters):
        if needs_probabilities(counter.kind) and not find_scored(systems):
            continue
        seen = tallies.setdefault(counter, [])
        seen.append(counter.count(systems))
        if _is_due(*seen):
            seen[:] = [seen[0].add_up(seen)]


def _is_due(first: Tally, *waiting: Tally) -> bool:
    """Whether others are to be added before more come: many tallies, or not too few cells."""
    if first.patterns is not None:
        own, *others = (len(need_patterns(one).cell_sizes()) for one in (first, *waiting))
        if sum(others) > max(own // 4, LIMITS.waiting_cells):
            return True
    return len(waiting) == AT_ONCE - 1 and not first.keeps_examples


def _check_labels(first: Systems, block: Systems) -> None:
    """Raises an InputError where the parts of a binary task have other labels."""
    if first.facts.task.kind != "binary" or block.labels == first.labels:
        return
    names = [
        "" if part.groups is None else f" of {part.groups.names[0]}" for part in (block, first)
    ]
    labels = [" and ".join(repr(str(name)) for name in part.labels) for part in (block, first)]
    raise InputError(
        f"the labels{names[0]} are {labels[0]}, but those{names[1]} are {labels[1]}; write them "
        "alike in all files"
    )


def _note_guess(
    named: Sequence[Metric | str] | None, systems: Systems, facts: Facts
) -> Iterator[str]:
    """Notes that texts or numbers were recognised, where no metric was named."""
    if named is None and not LABELS.find(systems) and not RATINGS.find(systems):
        from tallystick.kinds.metrics.requirements import list_usual

        what = name_usual(facts)
        names = ", ".join(dict.fromkeys(metric.name for metric in list_usual(what)))
        yield f"these look like {what}; scored with {names}: name others with -m."


def _find_script(texts: "TextColumn") -> str | None:
    from tallystick.kinds.texts.texts import TokenExamples
    from tallystick.tokens.tokenizers import find_tokenizer

    part = texts.parts[0]
    if isinstance(part, TokenExamples):
        return None
    data = part.references.data[:_LOOKED_AT].tobytes()
    return find_tokenizer(data.decode(errors="ignore"))


def _refuse_unscored(systems: Systems, metrics: Sequence[Metric], *, strict: bool) -> Systems:
    """Leaves out systems without probabilities that a named metric needs, if that is allowed."""
    facts = find_facts(systems)
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
    rejected = tuple(Refusal(name, None, reason) for name, reason in reasons.items())
    return systems.of(*kept).tell(rejected=rejected)


def _check_groups(groups: Sequence[str], heading: str | None) -> None:
    """Raises an InputError where a group has the name of a row that is about several."""
    for name, meaning in AVERAGES.items():
        if name in groups:
            raise InputError(
                f"a group in {heading!r} is called {name!r}, which is the name of the {meaning}; "
                "rename it"
            )


def count_input(
    source: Source, layout: Layout, metrics: Metrics = None, *, tolerant: bool = False
) -> Counted:
    """Reads and counts a source; saved counts are taken as they are."""
    files = source.files
    if files is not None and files.submissions is None:
        given = layout.get("input_format")
        if logs := open_logs([str(source.gold), *files.named, *files.last], given):
            from tallystick.reading.log_systems import resolve_metrics  # since few files are logs

            named = resolve_metrics(name_metrics(metrics), logs)
            plan = plan_input(source, layout, named, tolerant=tolerant)
            check_used(plan, (), layout=LOGS)
            return count_logs(logs, plan)
    if not isinstance(source.gold, Counted):
        return count_plan(plan_input(source, layout, metrics, tolerant=tolerant))
    if source.outputs is not None or any(one not in (None, ()) for one in layout.values()):
        raise UsageError("saved counts take metrics only; give the other options when counting")
    return name_anew(source.gold, name_metrics(metrics))


def count_logs(logs: "Sequence[LogSystem]", plan: InputPlan, *, keep: bool = False) -> Counted:
    """Counts the systems of logs on the samples that all of them have."""
    from tallystick.reading.log_files import read_log_systems  # since few files are logs

    found, by = read_log_systems(logs, read_metrics(plan.metrics), plan.reading)
    digits = plan.reading.columns.round_scores
    heading = "/".join(by) or None
    counted = count([found], plan.metrics, heading=heading, keep=keep, round_scores=digits)
    tasks = {log.task for system in logs for log in system.logs}
    return replace(counted, title=tasks.pop() if len(tasks) == 1 else "")


def checking_use(plan: InputPlan, count: Callable[[], Counted]) -> Counted:
    """Counts what was planned; raises an UnusedError for keywords without any use."""
    check_used(plan, [kind.side for kind in plan.reading.kinds or ()])
    counted = count()
    check_used(plan, counted.facts.kinds, counted.facts.task.kind)
    return counted


def count_plan(plan: InputPlan, *, keep: bool = False) -> Counted:
    """Counts what was planned; `keep` keeps the examples for what looks at single ones."""

    def count_blocks(own: InputPlan) -> Counted:
        round_scores = own.reading.columns.round_scores
        return count(
            iterate_blocks(own),
            own.metrics,
            heading=own.heading,
            keep=keep,
            round_scores=round_scores,
        )

    return checking_use(plan, lambda: _count_accepted(plan, count_blocks))


def _count_accepted(plan: InputPlan, count_blocks: Callable[[InputPlan], Counted]) -> Counted:
    """Counts systems together; of a folder's those that can be counted."""
    files = plan.source.files
    if files is None or files.submissions is None or not plan.reading.tolerant:
        return count_blocks(plan)
    found = files.submissions

    def count_some(names: Sequence[str]) -> Counted:
        own = replace(files, submissions=found.keep(names))
        return count_blocks(replace(plan, source=replace(plan.source, outputs=own)))

    return count_accepted([*found.found], count_some)

"""Chooses metrics and their counters from the task and the columns."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from tallystick.errors import InputError, UsageError
from tallystick.kinds.index import say_all
from tallystick.kinds.labels import (
    LABEL_SETS,
    LABELS,
    PROBABILITIES,
    SET_PROBABILITIES,
    needs_probabilities,
)
from tallystick.kinds.labels.label_encoding import USUAL_THRESHOLD
from tallystick.kinds.metrics.names import read_metrics
from tallystick.kinds.ratings import RATINGS
from tallystick.model.facts import Facts
from tallystick.model.reading import Kind
from tallystick.model.systems import Column
from tallystick.model.tallies.metric import Metric, compares_groups, list_parts
from tallystick.model.tallies.tally import Counter

if TYPE_CHECKING:
    from tallystick.scoring.counted import Counted


def choose(named: Sequence[Metric | str] | None, facts: Facts) -> tuple[Metric, ...]:
    """Returns the metrics that were named, or the usual ones of what was read."""
    kind = facts.task.kind or "binary"
    if named is not None:
        return tuple(dict.fromkeys(read_metrics(named, kind)))
    from tallystick.kinds.metrics.requirements import list_usual

    usual = list_usual(name_usual(facts))
    if "probabilities" in facts.kinds:
        return usual
    return tuple(metric for metric in usual if not _find_counters(metric, (PROBABILITIES,)))


def name_usual(facts: Facts) -> str:
    """Returns the key under which the default metrics are looked up."""
    if "ratings" in facts.kinds:
        return "ratings"
    if "labels" in facts.kinds:
        return facts.task.kind or "binary"
    if "numbers" in facts.kinds:
        return "numbers" if facts.task.labels is None else "soft labels"
    return next(iter(facts.kinds), "texts")


def bind(metrics: Sequence[Metric], facts: Facts) -> tuple[Metric, ...]:
    """Writes the task's positive label, and labels that were named, into metrics."""
    labels = facts.task.labels or ()
    each = (
        [replace(one, label=label, weighting="macro") for label in labels]
        if getattr(one, "weighting", "macro") is None
        else [one]
        for one in metrics
    )
    return tuple(dict.fromkeys(_bind(metric, facts) for metric in chain.from_iterable(each)))


def find_counters(metrics: Sequence[Metric], facts: Facts) -> dict[Metric, Counter]:
    """Returns what counts for each metric; counters that read alike become one."""
    found = {metric: counter_of(metric, facts) for metric in metrics}
    if facts.round_scores is not None and "labels" not in facts.kinds:
        what = say_all(counter.kind for counter in found.values())
        raise UsageError(
            f"rounding scores can only be used with probabilities of labels, not with {what}"
        )
    joined = dict[Counter, Counter]()
    for kind in {type(counter) for counter in found.values()}:
        if merge := getattr(kind, "merge", None):
            joined |= merge(found.values())
    return {metric: joined.get(counter, counter) for metric, counter in found.items()}


def counter_of(metric: Metric, facts: Facts) -> Counter:
    """Returns the first of a metric's counters that fits what was read."""
    if compares_groups(metric):
        counters = {counter_of(part, facts) for part in list_parts(metric)}
        if len(counters) > 1:
            raise UsageError(f"{metric.name} takes metrics of the same counts")
        return counters.pop()
    if metric.counter is not None:
        counter: Counter = metric.counter
        if counter.kind.side not in facts.kinds:
            own = counter.kind
            what = own.said if own.side == own.name else own.side
            raise UsageError(f"{metric.short} is a metric of {what}, not of labels")
        return counter
    if "ratings" in facts.kinds:
        of_ratings = _find_counters(metric, (RATINGS,))
        if not of_ratings:
            raise UsageError(
                f"{metric.short} compares outputs with gold, and these are ratings of annotators "
                "alone; name the columns of outputs with `systems=`"
            )
        rated: Counter = of_ratings[0]()
        return rated
    if "labels" not in facts.kinds:
        raise UsageError(f"{metric.short} is a metric of labels, not of texts")
    if list_parts(metric):
        return _join_parts(metric, facts)
    kind = facts.task.kind
    fitting = (LABELS, PROBABILITIES)
    if kind == "multilabel":
        fitting = (LABEL_SETS, SET_PROBABILITIES)
    found = _find_counters(metric, fitting)
    if not found:
        tokens = "; `task='tokens'` scores a label for each token" if kind == "multilabel" else ""
        raise UsageError(f"{metric.short} is not for a {kind} task{tokens}")
    made: Counter = (
        found[0](facts.round_scores) if needs_probabilities(found[0].kind) else found[0]()
    )
    return made


def choose_scaled(
    metrics: Sequence[Metric], facts: Facts, *, strict: bool
) -> tuple[tuple[Metric, ...], Facts]:
    """Returns the metrics that the scales of scores allow, and notes; an InputError if `strict`.

    Scores are read by their order only where that is asked for, by a metric or a threshold.
    """
    asked = facts.asked.threshold
    for name, threshold in facts.thresholds.items():
        if threshold is not None and name not in facts.unscaled and not 0 <= threshold <= 1:
            raise (InputError if asked is None else UsageError)(
                f"{name}: {threshold:g} is not a threshold of probabilities, between 0 and 1"
            )
    left_out = dict[Metric, str]()
    for name, reason in facts.unscaled.items():
        usual = asked is None and facts.thresholds.get(name) == USUAL_THRESHOLD
        for metric in metrics:
            why = _find_misfit(metric, usual=usual)
            if why is not None and strict:
                raise InputError(f"{reason}{why}")
            if why is not None and usual:
                raise InputError(
                    f"{reason}; of other scores, name metrics of their order, such as roc_auc, or "
                    "pass `threshold=`, 0 for logits"
                )
            left_out |= {} if why is None else {metric: why}
    if not facts.unscaled:
        return (*metrics,), facts
    reason = next(iter(facts.unscaled.values()))
    text = f"scores that are not probabilities count by their order ({reason})"
    names = ", ".join(metric.name for metric in left_out)
    text += f"; left out: {names}" if names else ""
    return tuple(one for one in metrics if one not in left_out), facts.add(f"{text}.")


def _find_misfit(metric: Metric, *, usual: bool) -> str | None:
    """Returns why a metric cannot read scores of any scale, and the cure; None where it can."""
    reads = {getattr(one, "reads", "labels") for one in list_parts(metric) or (metric,)}
    if "probabilities" in reads:
        return (
            f"; {metric.name} needs probabilities: apply a sigmoid or softmax, or use roc_auc or "
            "average_precision"
        )
    if usual and "labels" in reads:
        return (
            f"; {metric.name} needs a threshold for such scores: pass `threshold=`, 0 for logits, "
            "or the best one as `tallystick tune` finds it"
        )
    return None


def _find_counters(metric: Metric, kinds: Sequence[Kind[Column]]) -> list[type[Any]]:
    counters: Sequence[type[Any]] = metric.counters
    return [counter for counter in counters if counter.kind in kinds]


def _join_parts(metric: Metric, facts: Facts) -> Counter:
    """Returns what counts for all parts of a mean: their own counter, or labels with scores."""
    counters = {counter_of(part, facts) for part in list_parts(metric)}
    if not any(needs_probabilities(one.kind) for one in counters):
        (counter,) = counters
        return counter
    if facts.round_scores is not None:
        raise UsageError(f"{metric.name} needs each probability as it is; do not round them")
    from tallystick.kinds.probabilities.joint import Joint

    return Joint()


def check_groups(metrics: Sequence[Metric], groups: Sequence[str]) -> None:
    """Raises a UsageError where a metric compares groups with each other, and there are none."""
    for metric in metrics:
        if compares_groups(metric) and not groups:
            raise UsageError(f"{metric.name} is between groups; name their column with `by=`")


def check_names(metrics: Sequence[Metric]) -> None:
    """Raises a UsageError where two metrics cannot be told from each other by what they print."""
    names = list(map(repr, metrics))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two metrics are both called {twice}; give their functions names")


def _bind(metric: Metric, facts: Facts) -> Metric:
    if parts := list_parts(metric):
        return type(metric)(*(_bind(part, facts) for part in parts))
    if metric.counter is not None:
        if facts.task.labels is not None and _list_options(metric).get("labels", ()) is None:
            return replace(metric, labels=facts.task.labels)
        return metric
    options = _list_options(metric)
    binary = options.get("average", "binary") == "binary"
    if facts.task.kind == "binary" and binary and options.get("positive", "") is None:
        return replace(metric, positive=facts.task.positive)
    several = facts.task.kind == "multiclass" or facts.asked.ordered
    named = facts.asked.labels is not None and several
    all_labels = "average" not in options or not binary
    if named and all_labels and options.get("labels", ()) is None:
        return replace(metric, labels=facts.task.labels)
    return metric


def _list_options(metric: Metric) -> dict[str, Any]:
    return asdict(metric)


def name_anew(counted: "Counted", named: Sequence[Metric | str] | None) -> "Counted":
    """Returns the same counts for other metrics, which read what was counted."""
    if named is None:
        return counted
    facts = counted.facts
    metrics, _ = choose_scaled(bind(choose(named, facts), facts), facts, strict=True)
    check_names(metrics)
    counters = {}
    for metric in metrics:
        counter = counter_of(metric, facts)
        found = next((own for own in counted.tallies if _tells(own, counter)), None)
        if found is None:
            raise UsageError(
                f"{metric.short} needs counts that are not in the file; count again with -m "
                f"{metric.short}"
            )
        counters[metric] = found
    check_groups(metrics, counted.groups)
    return replace(counted, metrics=metrics, counters=counters, usual=False)


def _tells(counted: Counter, wanted: Counter) -> bool:
    tells = getattr(counted, "tells", None)
    return bool(counted == wanted or (tells and tells(wanted)))

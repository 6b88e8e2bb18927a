"""Chooses metrics and their counters from the task and the columns."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from tallystick.errors import UsageError
from tallystick.examples.numbers import NumberCounter
from tallystick.examples.spans import SpanCounter
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task
from tallystick.metrics.mean_of import MeanOf
from tallystick.metrics.metric import Metric
from tallystick.metrics.names import read_metrics
from tallystick.metrics.usual import Usual, list_usual
from tallystick.tallies import Confusion, Curve, LabelSets
from tallystick.tallies.joint import Joint
from tallystick.tallies.ratings import RatingPatterns
from tallystick.tallies.rouge import join_counters
from tallystick.tallies.tally import Counter
from tallystick.tallies.tries import Tries


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of examples, whatever they hold.

    Attributes:
        task: The task, settled.
        asked: The task as it was asked for.
        labelled: Whether the gold was read as labels or label sets.
        textual: Whether both sides were read as texts.
        scored: Whether a system has probabilities.
        bins: In how many bins probabilities are counted; None keeps them all.
        numeric: Whether numbers were read.
        repeated: Whether repeated tries were read.
        rated: Whether ratings of annotators were read, and no systems beside them.
        spanned: Whether spans were read.
    """

    task: Task
    asked: Task
    labelled: bool
    textual: bool
    scored: bool
    bins: int | None = None
    numeric: bool = False
    repeated: bool = False
    rated: bool = False
    spanned: bool = False

    @classmethod
    def of(cls, systems: Systems, bins: int | None = None) -> "Facts":
        """What is known of these examples."""
        return cls(
            systems.task,
            systems.asked,
            systems.gold is not None,
            bool(systems.texts),
            bool(systems.scored),
            bins,
            systems.numbers is not None,
            bool(systems.tries),
            systems.ratings is not None,
            systems.spans is not None,
        )


def choose(named: Sequence[Metric | str] | None, facts: Facts) -> tuple[Metric, ...]:
    """Returns the metrics that were named, or the usual ones of what was read."""
    kind = facts.task.kind or "binary"
    if named is not None:
        parsed = read_metrics(named, kind)
        return tuple(dict.fromkeys(shown for metric in parsed for shown in metric.shown))
    usual = list_usual(name_usual(facts))
    return tuple(metric for metric in usual if Curve not in metric.counters or facts.scored)


def name_usual(facts: Facts) -> Usual:
    """Returns by what the usual metrics are found; of numbers soft labels have some labels."""
    if facts.rated:
        return "ratings"
    if facts.labelled:
        return facts.task.kind or "binary"
    if facts.spanned:
        return "spans"
    if facts.numeric:
        return "numbers" if facts.task.labels is None else "soft labels"
    return "texts"


def bind(metrics: Sequence[Metric], facts: Facts) -> tuple[Metric, ...]:
    """Writes the task's positive label, and labels that were named, into metrics."""
    return tuple(dict.fromkeys(_bind(metric, facts) for metric in metrics))


def find_counters(metrics: Sequence[Metric], facts: Facts) -> dict[Metric, Counter]:
    """Returns what counts for each metric; counters that read alike become one."""
    found = {metric: counter_of(metric, facts) for metric in metrics}
    joined = join_counters(found.values())
    return {metric: joined[counter] for metric, counter in found.items()}


def counter_of(metric: Metric, facts: Facts) -> Counter:
    """Returns the first of a metric's counters that fits what was read."""
    if metric.counter is not None:
        what, read = _find_needed(metric.counter, facts)
        if not read:
            raise UsageError(f"{metric.short} is a metric of {what}, not of labels")
        counter: Counter = metric.counter
        return counter
    if facts.rated:
        if RatingPatterns not in metric.counters:
            raise UsageError(
                f"{metric.short} compares outputs with gold, and these are ratings of annotators "
                "alone; name the columns of outputs with --systems"
            )
        return RatingPatterns()
    if not facts.labelled:
        raise UsageError(f"{metric.short} is a metric of labels, not of texts")
    if isinstance(metric, MeanOf):
        return _join_parts(metric, facts)
    kind = facts.task.kind
    fitting: tuple[type[Any], ...] = (LabelSets,) if kind == "multilabel" else (Confusion, Curve)
    found = next((counter for counter in metric.counters if counter in fitting), None)
    if found is None:
        raise UsageError(f"{metric.short} is not for a {kind} task")
    made: Counter = Curve(facts.bins) if found is Curve else found()
    return made


def _join_parts(metric: MeanOf, facts: Facts) -> Counter:
    """Returns what counts for all parts of a mean: their own counter, or labels with scores."""
    counters = {counter_of(part, facts) for part in metric.parts}
    if not any(isinstance(one, Curve) for one in counters):
        (counter,) = counters
        return counter
    if facts.bins is not None:
        raise UsageError(f"{metric.name} needs every probability; leave out --bins")
    return Joint()


def _find_needed(counter: Any, facts: Facts) -> tuple[str, bool]:
    """What a counter of other things than labels reads, and whether that was read."""
    if isinstance(counter, Tries):
        return "repeated tries", facts.repeated
    if isinstance(counter, NumberCounter):
        return "numbers", facts.numeric
    if isinstance(counter, SpanCounter):
        return "spans", facts.spanned
    return "texts", facts.textual


def name_data(counter: Any) -> str:
    """What a counter reads, in words."""
    kinds: tuple[tuple[Any, str], ...] = (
        (Tries, "tries"),
        (SpanCounter, "spans"),
        (RatingPatterns, "ratings of annotators"),
        (LabelSets, "label sets"),
        (Confusion | Curve | Joint, "labels"),
    )
    if isinstance(counter, NumberCounter):
        return "numbers" if counter.needs.form == "number" else "soft labels"
    return next((name for kind, name in kinds if isinstance(counter, kind)), "texts")


def check_names(metrics: Sequence[Metric]) -> None:
    """Raises a UsageError where two metrics cannot be told from each other by what they print."""
    names = list(map(repr, metrics))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two metrics are both called {twice}; give their functions names")


def _bind(metric: Metric, facts: Facts) -> Metric:
    if isinstance(metric, MeanOf):
        return MeanOf(*(_bind(part, facts) for part in metric.parts))
    if metric.counter is not None:
        if getattr(metric, "labels", metric) is None and facts.task.labels is not None:
            return replace(metric, labels=facts.task.labels)  # type: ignore[type-var]
        return metric
    options = {one.name: getattr(metric, one.name) for one in fields(metric)}  # type: ignore[arg-type]
    binary = options.get("average", "binary") == "binary"
    if facts.task.kind == "binary" and binary and options.get("positive", "") is None:
        return replace(metric, positive=facts.task.positive)  # type: ignore[type-var]
    named = facts.asked.labels is not None and facts.task.kind == "multiclass"
    all_labels = "average" not in options or not binary
    if named and all_labels and options.get("labels", ()) is None:
        return replace(metric, labels=facts.task.labels)  # type: ignore[type-var]
    return metric

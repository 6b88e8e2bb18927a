"""What metrics need to be read: kinds of examples, numbers, tries, and names of other tools."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Literal

from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.io.tables.table import Table
from tallystick.kinds.index import READ, find_layout, say_all, sort_kinds
from tallystick.kinds.labels import LABELS
from tallystick.kinds.metrics.names import Metrics, list_meanings, name_metrics, read_metrics
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.tries import TRIES
from tallystick.model.reading import Kind, Kinds, Needed
from tallystick.model.systems import Column
from tallystick.model.tallies.metric import Metric, list_parts

TASKS: Mapping[str, Kinds] = {
    **{"spans": (SPANS,), "text": (TEXTS,), "texts": (TEXTS,)},
    "tokens": (LABELS,),
}
"""Tasks next to those of one label or a set for each example, and as what columns are read."""


def find_kind(metric: Metric) -> Kind[Column]:
    """The kind that a metric reads."""
    kind: Kind[Column] = LABELS if metric.counter is None else metric.counter.kind
    return kind


def translate(
    gold: object, named: list[Metric | str] | None, text: object = None
) -> list[Metric | str] | None:
    """Resolves metric names for gold with a layout of its own, or returns its default metrics.

    There `AP`, for example, is that of rankings. `gold` is a path or an object in memory; `text` is
    the kind or the task that was named, which must fit the layout.
    """
    texts = [one for one in named or () if isinstance(one, str)]
    meant = {one: list_meanings(one, asked=True) for one in texts}
    known = named is not None and not any(meant.values())
    unsure = text is None and not known
    own = None if text == "tokens" else find_layout(gold, unsure=unsure)
    if own is not None and text not in (None, own):
        name = gold if isinstance(gold, str) else "gold"
        what = text.said if isinstance(text, Kind) else f"a {text} task"
        raise UsageError(f"{name} contains {own.said}, not {what}")
    if named is None:
        return None if own is None else [*read_metrics(own.usual)]
    if known and own is None:
        return named
    kinds = dict.fromkeys(() if own is None else (own,))
    for one in named if own is None else ():
        with suppress(UsageError):  # it may be the name of a column
            kinds |= dict.fromkeys(map(find_kind, read_metrics([one])))
    return [
        next((meant[one][kind] for kind in kinds if kind in meant[one]), one)
        if isinstance(one, str)
        else one
        for one in named
    ]


def suggest(table: Table) -> list[Metric | str] | None:
    """The usual metrics of a table whose rows name the systems, such as battles; None of others."""
    # Imported here because other tables are read without it.
    from tallystick.kinds.preferences import PREFERENCES

    return [*PREFERENCES.suggest(table)] or None


def plan_kinds(
    task: str | None, metrics: Metrics, kind: Kind[Column] | None = None
) -> Kinds | None:
    """Returns the kinds as which gold and outputs are read; None if nothing shows them.

    A named kind, or a task without labels, decides, except for numbers that metrics need in
    addition.
    """
    found, text = find_kinds(metrics), TASKS.get((task or "").lower())
    text = text if kind is None else (kind,)
    if text is None:
        return found
    return tuple(dict.fromkeys((*text, *(kind for kind in found or () if kind.numeric))))


def find_usual(kind: Kind[Column]) -> list[Metric] | None:
    """The usual metrics of a kind; None where they follow from the task."""
    if kind.usual:
        return read_metrics(kind.usual)
    if kind in (LABELS, NUMBERS, SPANS, TEXTS):
        return None
    raise UsageError(f"{kind.said} have no usual metrics; name some with -m")


def find_kinds(metrics: Metrics) -> Kinds | None:
    """Returns the kinds as which some metrics read gold and outputs; None where none are named."""
    named = name_metrics(metrics)
    if named is None:
        return None
    found = dict.fromkeys(map(find_kind, read_metrics(named)))
    if any(kind.name in ("tries", "numbers of repeated tries") for kind in found):
        if len(found) > 1:
            raise UsageError(
                "metrics of right and wrong tries, such as pass@1, of other scores of tries, "
                "such as try_mean, and of one row per example cannot be combined; score them "
                "separately"
            )
        return (TRIES,)
    rows = next((kind for kind in found if kind.in_rows), None)
    if rows is not None and len(found) > 1:
        raise UsageError(
            f"metrics of {rows.said} read rows that name the systems, and others gold and "
            "outputs; score them separately"
        )
    return sort_kinds(found)


def name_kinds(metrics: Metrics) -> str:
    """What some metrics read, in words; nothing where none are named."""
    named = read_metrics(name_metrics(metrics) or ())
    counters: list[Any] = [one.counter or one.counters[0] for one in named]
    return say_all(counter.kind for counter in counters)


def take_language(metrics: Metrics, language: str) -> Metrics:
    """Returns the metrics, those of answers in a language if they have none of their own."""
    named = name_metrics(metrics)
    if named is None:
        return None
    found = list[Metric | str]()
    for one in named:
        known = list[Metric]()
        with suppress(UsageError):  # it may be of a layout of its own, or a column
            known = read_metrics([one])
        own = (replace(it, language=language) for it in known if getattr(it, "language", 0) is None)
        found.append(next(own, one))
    return found


def read_unanswerable(metrics: Metrics) -> bool:
    """Returns whether an empty list of gold answers is a question without an answer."""
    named = read_metrics(name_metrics(metrics) or ())
    texts = [one for one in named if find_kind(one) == TEXTS]
    return bool(texts) and all(getattr(one, "unanswerable", False) for one in texts)


def find_numbers(metrics: Metrics) -> tuple[Needed, ...]:
    """Returns the numbers that some metrics read."""
    named = read_metrics(name_metrics(metrics) or ())
    needed = (_need(one) for one in named if one.counter and one.counter.kind.numeric)
    return tuple(dict.fromkeys(needed))


def needs_gold(metrics: Metrics) -> bool:
    """Whether some metrics compare outputs with gold, or none are named; `mean(score)` does not."""
    return find_kinds(metrics) != (NUMBERS,) or any(one.gold for one in find_numbers(metrics))


def _need(metric: Metric) -> Needed:
    """The numbers that a metric reads, with the worst and the best one where they have bounds."""
    needed: Needed = metric.counter.needs
    if needed.gold or not all(map(math.isfinite, metric.bounds)):
        return needed
    worst, best = metric.bounds if metric.better == "higher" else metric.bounds[::-1]
    return replace(needed, worst=worst, best=best)


def find_tries(metrics: Metrics) -> int:
    """Returns how many tries of each example some metrics look at; 0 where none reads tries."""
    named = read_metrics(name_metrics(metrics) or ())
    parts = (part for one in named for part in list_parts(one) or (one,))
    of_tries = (one for one in parts if find_kind(one) == TRIES)
    return max((getattr(one, "k", 0) for one in of_tries), default=0)


def read_order(metrics: Metrics) -> bool:
    """Returns whether some metrics are named, and all read the order of scores only."""
    named = read_metrics(name_metrics(metrics) or ())
    return bool(named) and all(getattr(one, "reads", "labels") == "order" for one in named)


def find_sessions(metrics: Metrics) -> Literal["none", "some", "all"]:
    """Returns which metrics score sessions of several speakers, such as cpwer."""
    named = read_metrics(name_metrics(metrics) or ())
    found = {getattr(one, "of_sessions", False) for one in named}
    return "none" if True not in found else "some" if False in found else "all"


PER_LABEL = (
    "Precision(average=None, zero_division=0)",
    "Recall(average=None, zero_division=0)",
    "F1(average=None, zero_division=0)",
    "support",
)
_USUAL: Mapping[str, Sequence[object]] = {
    "binary": ("positive_rate", "roc_auc", "f1", "precision", "recall", "accuracy"),
    "multiclass": (
        "accuracy",
        *("weighted_precision", "weighted_recall", "weighted_f1"),
        *("macro_precision", "macro_recall", "macro_f1"),
        *("log_loss", "brier_score", "ece", "roc_auc"),
        *PER_LABEL,
    ),
    "multilabel": ("macro_f1", "micro_f1", "hamming_loss", "exact_match_ratio", *PER_LABEL),
    "run": (
        *("positive_rate", "roc_auc"),
        *(f"{name}(zero_division=0)" for name in ("F1", "Precision", "Recall")),
        "accuracy",
        *("true_positives", "true_negatives", "false_positives", "false_negatives"),
        *(f"{name}(zero_division=0)" for name in ("Specificity", "FPR", "FNR")),
    ),
    "numbers": ("pearson", "mae", "rmse", "r2"),
    "soft labels": ("manhattan", "js_distance", "SoftF1('micro')", "SoftF1('macro')"),
    "ratings": ("krippendorff_alpha", "gwet_ac1"),
    "spans": (
        *("span_precision", "span_recall", "span_f1", "SpanF1('macro')", "SpanF1('weighted')"),
        *("SpanPrecision(None)", "SpanRecall(None)", "SpanF1(None)"),
    ),
    "texts": ("bleu", "chrf"),
    **{kind.name: kind.usual for kind in READ if kind.usual},
}
"""The metrics as `-m` names them, of a task, of a multilingual toxicity run, or of a kind."""


@cache
def list_usual(what: str) -> tuple[Metric, ...]:
    """Returns the default metrics, whose modules are loaded when they are first asked for."""
    return tuple(read_metrics(_USUAL.get(what, _USUAL["texts"])))

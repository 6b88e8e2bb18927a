"""Notes on how to read the scores."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from tallystick.errors import Danger, Read, Reason, say_count
from tallystick.kinds.labels import needs_probabilities
from tallystick.kinds.texts.text_columns import follows_language
from tallystick.model.number_values import MISSING
from tallystick.model.tallies.metric import (
    Metric,
    averages_labels,
    find_undefined_value,
    is_per_label,
    list_named,
    read_average,
)
from tallystick.model.tallies.tally import Tally, need_patterns
from tallystick.output.results.records import Score
from tallystick.scoring.counted import Counted
from tallystick.scoring.score_table import Observed, Spread

_FEW = 100
"""With fewer examples of a label than this, the noise of a score is worth a note."""


_LABELS = ("None", "NA", "N/A", "n/a", "NULL", "null")
"""Spellings of missing values that are labels where the gold has them."""


_EXACT = 1e-6
"""A smaller error than this shows in no table."""


def list_notes(counted: Counted) -> list[str]:
    """The notes on the data and on every system, which all commands give."""
    read = (*counted.facts.notes, *_describe_data(counted))
    notes = [
        *(Read(note) if type(note) is str else note for note in read),
        *_note_metrics(counted),
        *_note_tokenizer(counted),
        *_note_invalid(counted),
    ]
    for system in counted.systems:
        notes += _note_system(counted, system)
    notes += [*_note_groups(counted), *_note_spelling(counted)]
    return list(dict.fromkeys(notes))


def _note_metrics(counted: Counted) -> Iterator[str]:
    """What metrics say of the counts that they score; those that say the same together."""
    text: dict[str, list[str]] = {}
    for metric in counted.metrics if counted.apart is None else ():
        tally = counted.tally(metric)
        for sentence, part in metric.notes(tally, counted.facts) if tally is not None else ():
            text.setdefault(sentence, []).append(part)
    for sentence, parts in text.items():
        yield type(sentence)(sentence.format("; ".join(parts))) if any(parts) else sentence


def _describe_data(counted: Counted) -> Iterator[str]:
    """Notes what was guessed about the task."""
    asked, task = counted.facts.asked, counted.facts.task
    if asked.kind is not None or task.kind is None:
        return
    if task.kind == "binary":
        yield f"read as a binary task with the positive label {str(task.positive)!r}."
    elif task.kind == "multiclass" and len(task.labels or ()) == 2:
        names = " and ".join(repr(str(label)) for label in task.labels or ())
        yield (
            f"read as a multiclass task with the labels {names}; "
            "name the positive one to get binary scores."
        )
    else:
        yield f"read as a {task.kind} task with {say_count(len(task.labels or ()), 'label')}."


def _note_tokenizer(counted: Counted) -> Iterator[str]:
    """Notes that the default tokenizer finds no words in a script without spaces."""
    following = [metric for metric in counted.metrics if follows_language(metric)]
    named = [
        one
        for one in counted.metrics
        if one in following or getattr(one, "tokenizer", None) == "13a"
    ]
    if counted.facts.tokenizers and following:
        yield _tell_tokenizers(counted)
    language = _LANGUAGES.get(counted.facts.script or "")
    if not named or language is None or counted.facts.tokenizers:
        return
    code, needed = language
    names = ", ".join(dict.fromkeys(metric.name for metric in named))
    verb = "split" if "," in names else "splits"
    fixed = next((metric for metric in named if metric not in following), None)
    option = f"-l {code}" if fixed is None else f'"{fixed!r}" without its tokenizer and -l {code}'
    yield Reason(
        f"{names} {verb} words at spaces, but these references have hardly any: {option} uses the "
        f"tokenizer of the language{needed}."
    )


def _tell_tokenizers(counted: Counted) -> str:
    """What the language of each group chose, or that of all texts."""
    chosen: dict[str, list[str]] = {}
    for group, names in counted.facts.tokenizers.items():
        for name in filter(None, names if group is not None else ()):
            chosen.setdefault(name, []).append(group or "")
    text = [f"{name} for {', '.join(groups)}" for name, groups in chosen.items()]
    text = text or sorted(filter(None, counted.facts.tokenizers[None]))
    return f"tokenizers by language: {'; '.join(text)}."


_LANGUAGES = {
    "zh": ("zh", ""),
    "ja-mecab": ("ja", " (extra ja)"),
    "ko-mecab": ("ko", " (extra ko)"),
    "char": ("th", ""),
}
"""The language that has each tokenizer, and what it needs."""


def _note_invalid(counted: Counted) -> Iterator[str]:
    text = [f"{sizes[None]} of {name}" for name, sizes in counted.facts.invalid.items()]
    if text:
        yield Danger(
            f"missing outputs and outputs that are not labels count as wrong: {', '.join(text)}."
        )


def _note_system(counted: Counted, system: str) -> Iterator[str]:
    tallies = {
        id(one): one.of(system).total()
        for counter, one in counted.tallies.items()
        if counter.kind.labelled and not needs_probabilities(counter.kind)
        if one.patterns is not None
    }
    metrics = counted.scorable(system)
    for tally in tallies.values():
        yield from _note_labels(system, metrics, tally)
    yield from _note_strangers(counted, metrics)


def _note_labels(system: str, metrics: Sequence[Metric], tally: Tally) -> Iterator[str]:
    """Notes labels that never occur or are never predicted, and their effect on the averages."""
    cells = need_patterns(tally)
    counts = cells.per_label()
    averaged = [m for m in metrics if read_average(m) in ("macro", "weighted", None)]
    macro = [m for m in averaged if averages_labels(m)]
    sides = (counts.gold[0], counts.predicted[0], counts.used[0])
    rows = list(zip(map(str, cells.labels), *sides, strict=True))
    if cells.sets is None:
        # Averages over single labels leave out those that nobody uses and no metric names.
        named = {str(label) for m in macro for label in list_named(m)}
        rows = [row for row in rows if row[3] or row[0] in named]
    absent = [label for label, gold, *_ in rows if not gold]
    blank = [(name, gold) for name, gold, *_ in rows if name.strip() in MISSING]
    spelled = [name for name, gold in blank if not (gold and name in _LABELS)]
    if spelled:
        looks = (
            "looks like a missing value and is"
            if len(spelled) == 1
            else "look like missing values and are"
        )
        yield Danger(
            f"{_listing(spelled)} {looks} scored as any label; leave cells without a label empty."
        )
    if absent and any(find_undefined_value(metric) == 0 for metric in macro):
        best = (len(rows) - len(absent)) / len(rows)
        weighted = "" if cells.weights is None else " with a weight above 0"
        yield (
            f"{_listing(absent)} never {_verb('occur', absent)} in the gold{weighted}: with "
            f"zero_division=0 macro averages over the {len(rows)} labels cannot exceed {best:.3f}."
        )
    missed = [label for label, gold, predicted, _ in rows if gold and not predicted]
    zeros = [m for m in averaged if m.short == "precision" and find_undefined_value(m) == 0]
    if missed and zeros:
        yield (
            f"never predicted in {system}: {_listing(missed)}; precision is undefined there and "
            "counts as 0 (zero_division=0)."
        )


def _note_strangers(counted: Counted, metrics: Sequence[Metric]) -> Iterator[str]:
    """Notes labels that a metric names but that never occur, perhaps misspelled."""
    known, text = set(counted.facts.labels), dict[tuple[str, ...], list[str]]()
    for metric in metrics:
        named = list_named(metric) if metric.counter is None else ()
        strangers = tuple(str(name) for name in named if name not in known)
        if strangers:
            text.setdefault(strangers, []).append(repr(metric))
    for strangers, names in text.items():
        yield (
            f"{', '.join(names)} {_verb('name', names)} {_listing(strangers)}, which "
            f"{_verb('occur', strangers)} neither in the gold nor in the predictions."
        )


def note_classes(counted: Counted) -> Iterator[str]:
    """Notes that scores of single classes are not shown by group."""
    if counted.groups and any(is_per_label(metric) for metric in counted.metrics):
        yield "scores per class are of all groups together (micro)."


def note_rounding(counted: Counted) -> Iterator[str]:
    """Notes how many pairs rounded probabilities tie, as they do in areas under curves."""
    digits = counted.facts.round_scores
    if digits is None:
        return
    shares = [
        tally.of(name).share_tied()
        for counter, tally in counted.tallies.items()
        if getattr(counter, "digits", None) is not None
        for name in tally.systems
    ]
    tied = f"{max(shares, default=0.0):.2g}"
    yield (
        f"probabilities were rounded to {say_count(digits, 'decimal')}, which leaves a share of "
        f"{tied} of all pairs with and without a label tied."
    )


def note_gaps(scores: Sequence[Score]) -> Iterator[str]:
    """Notes macro values that leave out groups in which the metric is undefined."""
    macro = {score.name: score for score in scores if score.group == "macro"}
    by_name: dict[str, list[Score]] = {}
    for one in scores:
        if one.group not in ("macro", "micro"):
            by_name.setdefault(one.name, []).append(one)
    text: dict[str, list[str]] = {}
    for name, score in macro.items():
        groups = by_name.get(name, [])
        undefined = [str(one.group) for one in groups if math.isnan(one.value)]
        if undefined and not math.isnan(score.value):
            rest = f"the other {len(groups) - len(undefined)} of {len(groups)}"
            text.setdefault(f"{_listing(undefined)}; {{}} the mean over {rest}.", []).append(name)
    for where, names in text.items():
        verb, own = (
            ("is", "its macro value is") if len(names) == 1 else ("are", "their macro values are")
        )
        yield f"{', '.join(names)} {verb} undefined for {where.format(own)}"


def _note_groups(counted: Counted) -> Iterator[str]:
    """Notes groups whose name is spelled as a missing value."""
    names = [name for name in counted.groups if {*map(str.strip, name.split("/"))} & MISSING]
    if names:
        looks = "looks like a missing value and is a group"
        looks = looks if len(names) == 1 else "look like missing values and are groups"
        yield f"{_listing(names)} {looks} of {counted.heading!r} like any other."


def _note_spelling(counted: Counted) -> Iterator[str]:
    """Notes labels that look like one label written in two ways."""
    names = dict.fromkeys(map(str, counted.facts.labels))
    folded: dict[str, list[str]] = {}
    for name in names:
        folded.setdefault(name.strip().casefold(), []).append(name)
    twins = next((same for same in folded.values() if len(same) > 1), None)
    if twins is not None:
        yield Danger(
            f"the labels {' and '.join(map(repr, twins))} differ only in case or spaces and are "
            "scored as different labels; `fold_case=True` takes those that differ in case as one."
        )


def note_sizes(
    counted: Counted,
    observed: Mapping[Metric, Observed | None],
    spreads: Mapping[Metric, Spread],
    scores: Sequence[Score],
) -> Iterator[str]:
    """Notes groups with so few examples of a label that small differences in a score are noise."""
    shown = {metric for metric, one in spreads.items() if one.groups is not None}
    telling = [one for one in observed if one in shown and one.better != "neither"]
    if not telling:
        return
    rare = (
        one for one in telling if one.short == "f1" and read_average(one) in ("binary", "macro")
    )
    metric = next(rare, telling[0])
    found = observed[metric]
    if found is None:
        return
    tally = found.groups.tally if counted.groups else found.whole.tally
    rarest = {str(group): few for group, few in zip(tally.groups, find_rarest(tally), strict=True)}
    text, name = [], repr(metric)
    for score in scores:
        few = rarest.get(score.group or "all")
        if score.metric != name or few is None or few[0] >= _FEW:
            continue
        where = f" in {score.group}" if score.group else ""
        half = (score.high - score.low) / 2
        if half > 0:
            noun = "example" if few[0] == 1 else "examples"
            label = few[1] if found.formula is metric else ""  # not the "right" of a mean
            text.append(f"{half:.2g}{where} ({few[0]:g} {noun}{label})")
    listed = ", ".join(text[:5]) + (f" and {len(text) - 5} more" if len(text) > 5 else "")
    start = f"small sample: differences in {metric.name} below about"
    if text:
        yield f"{start} {listed} are within the noise."


def find_rarest(tally: Tally) -> list[tuple[float, str]]:
    """For each group how many examples its rarest label has, and which one that is."""
    if getattr(tally, "weights", None) is not None:
        tally = replace(tally, weights=None)
    gold = tally.gold_masses()
    if gold is None:
        return [(n, "") for n in tally.n.tolist()]
    seen = np.where(gold > 0, gold, np.inf)
    places = seen.argmin(-1)
    return [
        (own[place], f" of {str(tally.labels[place])!r}")
        for own, place in zip(seen, places.tolist(), strict=True)
    ]


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _verb(verb: str, subjects: Sequence[str]) -> str:
    return f"{verb}s" if len(subjects) == 1 else verb

"""Scores as tables, and as lines of words and numbers."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from tallystick.errors import UsageError
from tallystick.output.results.records import (
    ConfusionMatrix,
    Correction,
    Difference,
    Flip,
    Place,
    Power,
    Score,
    SeedScore,
)
from tallystick.output.tables.cells import (
    Bounded,
    Cell,
    Ends,
    escape_controls,
    format_cell,
    is_between,
    name_column,
)
from tallystick.output.tables.document import Document, Grid, Heading, Row, Style

_SAMPLES = re.compile(r"\d+ \w+ (re)?samples( of clusters)?")


def describe_intervals(
    scores: Sequence[Score | Place], *, in_full: bool = False
) -> tuple[str, ...]:
    """Returns one sentence on the level and the methods of intervals, if there are any.

    A full sentence has the whole method of each metric, a short one the authors of formulas.
    """
    names: dict[str, dict[str, None]] = {}
    for score in scores:
        if score.method is not None and (score.group != "macro" or is_between(score.name)):
            names.setdefault(score.method, {})[score.name] = None
    if not names:
        return ()
    if in_full:
        text = "; ".join(f"{method} ({', '.join(own)})" for method, own in names.items())
    else:
        # The number of resamples behind a method, or the author of its formula.
        short = (
            samples[0] if (samples := _SAMPLES.search(one)) else re.split(r"'s | on | at ", one)[0]
            for one in names
        )
        text = ", ".join(sorted(dict.fromkeys(short), key=lambda one: "samples" in one))
    confidence = next(score.confidence for score in scores if score.confidence is not None)
    return (f"{100 * confidence:g}% confidence intervals: {text}.",)


Lead: TypeAlias = tuple[tuple[str, str], ...]
"""The heading of each leading column with the field of `Score` that fills it."""

_Owner: TypeAlias = tuple[str, str | None]
"""A system and a group."""

BOUNDS = "[rest wrong, right]"
"""What a score would be with all that a system does not have counted as wrong, and as right."""

_AVERAGES = frozenset({"macro", "micro"})
_DECIMALS = 4
"""The decimals of `lines`, which programs read."""


def find_lead(scores: Sequence[Score], heading: str = "group") -> Lead:
    """The leading columns that scores need; `heading` is what the column of groups is called."""
    by = ((heading, "group"),) if any(one.group is not None for one in scores) else ()
    unequal = any(one.effective_n is not None for one in scores)
    further = [("effective_n", "effective_n")] if unequal else []
    further += [
        (name, name)
        for name in ("left_out", "invalid")
        if any(getattr(one, name) for one in scores)
    ]
    return (("system", "system"), *by, ("n", "n"), *further)


FACTS = (
    *("positive_rate", "reference_length", "hypothesis_length"),
    *("true_positives", "true_negatives", "false_positives", "false_negatives"),
)
"""Metrics that describe the data or count outcomes, which tables for people have last."""


def list_grids(scores: Sequence[Score], lead: Lead) -> list[Grid]:
    """Lists the overview, for several systems with groups one for each metric, and the classes."""
    # Programs may ask for another heading of the counts; people find one word everywhere, and read
    # how many of all examples that is.
    named = (("n" if field == "n" else heading, field) for heading, field in lead)
    lead = tuple(own for own in named if own[1] != "left_out")
    grids: list[Grid] = []
    overall = sorted(
        (score for score in scores if score.label is None), key=lambda one: one.name in FACTS
    )
    if overall:
        grids += _pivot_groups(overall, lead) or [_pivot_overview(overall, lead)]
    classes = [score for score in scores if score.label is not None]
    if classes:
        grids.append(_pivot_classes(classes, lead))
    return grids


def pivot_sheet(scores: Sequence[Score], lead: Lead) -> Grid | None:
    """Returns the table for programs: the overview, else the scores per class, else None."""
    overall = [score for score in scores if score.label is None]
    if overall:
        return _pivot_overview(overall, lead, exact=True)
    return _pivot_classes(scores, lead, exact=True) if scores else None


def _pivot_groups(scores: Sequence[Score], lead: Lead) -> list[Grid]:
    systems = dict.fromkeys(score.system for score in scores)
    groups = dict.fromkeys(score.group for score in scores)
    sizes = {(score.group, score.n) for score in scores}
    # Whether it is told what scores would be with the outputs that systems lack.
    bounded = any(not math.isnan(score.all_wrong) for score in scores)
    if len(systems) < 2 or None in groups or len(sizes) > len(groups) or bounded:
        return []
    heading = next((heading for heading, field in lead if field == "system"), "system")
    counts: dict[str, Mapping[str | None, int | None]] = {"n": dict(sizes)}
    effective = {score.group: score.effective_n for score in scores}
    if any(effective.values()):
        counts["effective_n"] = effective
    grids = []
    for metric, name in name_metrics(scores).items():
        own = {(one.system, one.group): _show(one) for one in scores if one.metric == metric}
        known = {group for _, group in own}
        held = [group for group in groups if group in known]
        headings: tuple[str | Heading, ...] = (heading, *map(Heading, map(str, held)))
        sums: tuple[Row, ...] = tuple(
            (what, *(of[group] for group in held)) for what, of in counts.items()
        )
        rows = tuple((system, *(own.get((system, group)) for group in held)) for system in systems)
        grids.append(Grid("overview", name, headings, 1, (sums, rows), metric=name))
    return grids


def _pivot_overview(scores: Sequence[Score], lead: Lead, *, exact: bool = False) -> Grid:
    """Makes a row for each system and group; `exact` keeps undefined values for programs."""
    headings, blocks = _pivot(scores, lead, lambda one: one.group in _AVERAGES, exact=exact)
    return Grid("overview", "", headings, len(lead), blocks)


def _pivot_classes(scores: Sequence[Score], lead: Lead, *, exact: bool = False) -> Grid:
    headings_by_field = {field: heading for heading, field in lead}
    shown = [("label", "label")]
    if any(score.group is not None for score in scores):
        shown.insert(0, (headings_by_field.get("group", "group"), "group"))
    if len({score.system for score in scores}) > 1:
        shown.insert(0, (headings_by_field.get("system", "system"), "system"))
    headings, blocks = _pivot(
        scores, tuple(shown), lambda score: (score.system, score.group), exact=exact
    )
    return Grid("classes", "Per class", headings, len(shown), blocks)


def _pivot(
    scores: Sequence[Score],
    lead: Lead,
    part: Callable[[Score], object],
    *,
    exact: bool = False,
) -> tuple[tuple[str, ...], tuple[tuple[Row, ...], ...]]:
    """Returns headings and blocks; consecutive rows with the same `part` make a block."""
    names = name_metrics(scores)
    values: dict[Row, dict[str, Cell]] = {}
    parts: dict[Row, object] = {}
    sizes: dict[_Owner, set[int]] = {}
    for score in scores:
        if score.group in _AVERAGES:
            sizes.setdefault((score.system, score.group), set()).add(score.n)
    lead_by = [field for _, field in lead]
    place_n = lead_by.index("n") if "n" in lead_by else None
    tell = attrgetter(*lead_by, "system", "group")  # of fewer than two it gives no tuple
    for score in scores:
        key: Row = tell(score)[:-2]
        if place_n is not None and (score.left_out or score.group in _AVERAGES):
            n: Cell = score.n
            if len(sizes.get((score.system, score.group), ())) > 1:
                n = None
            elif score.left_out and not exact:
                n = f"{score.n} of {score.n + score.left_out}"
            key = (*key[:place_n], n, *key[place_n + 1 :])
        name, own = names[score.metric], values.setdefault(key, {})
        if name in own:
            raise UsageError(
                f"Two scores of {name} fall into one row, {key}, expected leading columns "
                "that distinguish them."
            )
        own[name] = bound(score) if exact else _show(score)
        if score.left_out and not exact:
            known = not (math.isnan(score.all_wrong) or math.isnan(score.all_right))
            ends = Ends(score.all_wrong, score.all_right, isinstance(score.value, int))
            own |= {f"{name} {BOUNDS}": ends} if known else {}
        if key not in parts:
            parts[key] = part(score)
    text = set(chain.from_iterable(values.values()))
    both = ((name, f"{name} {BOUNDS}") for name in names.values())
    metrics = tuple(dict.fromkeys(one for pair in both for one in pair if one in text))
    blocks = tuple(
        tuple((*key, *map(values[key].get, metrics)) for key in keys)
        for _, keys in groupby(parts, parts.__getitem__)
    )
    return (*(heading for heading, _ in lead), *metrics), blocks


def _show(score: Score) -> Cell:
    """The cell that people see: n/a where the metric is undefined, whatever zero_division says."""
    return math.nan if score.undefined else bound(score)


def bound(score: Score | Place | Correction) -> Bounded | float:
    """Returns the value of a score, with its interval where it has one."""
    return _bound_by(score.value, score.low, score.high)


def _bound_by(value: float, low: float, high: float) -> Bounded | float:
    return value if math.isnan(low) else Bounded(value, Ends(low, high, isinstance(value, int)))


def list_correction_grids(corrections: Sequence[Correction]) -> list[Grid]:
    """Lists a table for each metric: the score by both, by people alone, and by the judge alone."""
    grouped = any(one.group is not None for one in corrections)
    lead = ("system", *(("group",) if grouped else ()), "labels")
    headings = ("corrected", "people alone", "judge alone", "weight", "worth", "to halve")
    named = tuple(Heading(one, data=False) for one in headings)
    legend = (
        "weight: how much the judge counts, up to 1; worth: how many human labels alone would tell "
        "as much; to halve: how many more of them would halve the corrected interval.",
    )
    names = dict.fromkeys(one.name for one in corrections)
    return [
        Grid(
            "pairs",
            f"{name} by people and judge",
            (*lead, *named),
            len(lead),
            (
                tuple(
                    _list_correction_cells(one, grouped) for one in corrections if one.name == name
                ),
            ),
            metric=name,
            legend=legend,
        )
        for name in names
    ]


def _list_correction_cells(one: Correction, grouped: bool) -> tuple[Cell, ...]:
    more = "-" if one.labels_to_halve is None else f"+{one.labels_to_halve:,}"
    return (
        one.system,
        *((one.group,) if grouped else ()),
        one.labels,
        bound(one),
        _bound_by(one.people, one.people_low, one.people_high),
        one.judge,
        "-" if math.isnan(one.weight) else f"{one.weight:.2f}",
        "-" if math.isnan(one.worth) else f"{one.worth:,.0f}",
        more,
    )


def write_lines(scores: Sequence[Score], style: Style) -> str:
    """Writes a line such as `Macro F1-Score: 0.5667` for each overall score, then one per class.

    Intervals are left out unless the style asks for them, and so is the support of classes.
    """
    digits = _DECIMALS if style.digits is None else style.digits
    overall: dict[_Owner, list[str]] = {}
    classes: dict[_Owner, dict[str, list[str]]] = {}
    kinds = {
        per_class: _distinguish(
            {one.metric: one.title for one in scores if (one.label is not None) == per_class}
        )
        for per_class in (False, True)
    }
    for one in scores:
        owner = (one.system, one.group)
        title = escape_controls(kinds[one.label is not None][one.metric])
        cell = bound(one) if style.intervals else one.value
        line = f"{title}: {format_cell(cell, digits=digits)}"
        if one.label is None:
            overall.setdefault(owner, []).append(line)
        elif one.name != "support":
            classes.setdefault(owner, {}).setdefault(one.label, []).append(line)
    paragraphs: list[list[str]] = []
    owners = dict.fromkeys((*overall, *classes))
    for owner in owners:
        own = [overall[owner]] if owner in overall else []
        if owner in classes:
            lines = (
                f"{escape_controls(f'Class: {label} - ')}{', '.join(values)}"
                for label, values in classes[owner].items()
            )
            own.append(["Per-Class Metrics:", *lines])
        if len(owners) > 1:
            own[0] = [escape_controls(f"[{' · '.join(filter(None, owner))}]"), *own[0]]
        paragraphs += own
    return "\n\n".join(map("\n".join, paragraphs)) + "\n"


def list_signatures(records: Sequence[Score | Place]) -> dict[str, str]:
    """Returns the signature of each text metric by its name: sacreBLEU's where it has one."""
    names = name_metrics(records)
    signatures: dict[str, str] = {}
    for one in records:
        peer = getattr(one, "peer_signature", None)
        if peer is not None or one.metric.startswith(("ROUGE(", "BLEU(", "ChrF(", "TER(")):
            data = one.signature.partition("|")[2]
            signatures.setdefault(names[one.metric], peer or f"{one.metric}|{data}")
    return {name_column(name): signature for name, signature in signatures.items()}


def name_metrics(
    records: Sequence[Score | Place | Difference | Power | SeedScore],
) -> dict[str, str]:
    """Gives each metric, by its repr, its heading: the name, or the repr where several share it."""
    return _distinguish({one.metric: one.name for one in records})


def _distinguish(names: dict[str, str]) -> dict[str, str]:
    counts = Counter(names.values())
    return {metric: name if counts[name] == 1 else metric for metric, name in names.items()}


def document_confusion(matrix: ConfusionMatrix) -> Document:
    """Returns a confusion matrix as a document of its own."""
    parts = {"system": matrix.system, "labels": matrix.labels, "counts": list(matrix.counts)}
    return Document((pivot_confusion(matrix),), content=parts)


def pivot_confusion(matrix: ConfusionMatrix, *, named: bool = False) -> Grid:
    """Makes a row of each gold label; `named` puts the system into the caption."""
    whose = f" of {matrix.system}" if named else ""
    return Grid(
        kind="confusion",
        caption=f"Confusion matrix{whose} (rows gold, columns predicted)",
        headings=("gold\\predicted", *map(Heading, matrix.labels)),
        leads=1,
        blocks=(
            tuple((gold, *row) for gold, row in zip(matrix.labels, matrix.counts, strict=True)),
        ),
    )


def document_flips(flips: Mapping[tuple[str, str], Sequence[Flip]]) -> Document:
    """Returns the flips of pairs of systems as a document."""
    records = [
        {"a": a, "b": b} | asdict(flip) for (a, b), several in flips.items() for flip in several
    ]
    rows: tuple[Row, ...] = tuple(tuple(own.values()) for own in records)
    headings = ("a", "b", *Flip.__struct_fields__)
    return Document((Grid("pairs", "", headings, 2, (rows,)),), content=records)


class Flaky(Struct, frozen=True):
    """A problem of which some tries of a system are right and some are wrong."""

    system: str
    group: str | None
    example: str
    tries: int
    correct: int

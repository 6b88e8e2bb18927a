"""Writes the task file that an organiser starts from, made from the gold."""

import os
from collections.abc import Iterator, Mapping, Sequence

from tallystick.errors import InputError
from tallystick.io.names import cut_ending
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.labels.label_column_reader import read_gold_column
from tallystick.kinds.labels.label_columns import LabelRows
from tallystick.kinds.numbers.numbers import EACH_GOLD, read_gold_cells
from tallystick.kinds.recognition import Recognised, list_groups, recognise, refuse_layout
from tallystick.kinds.spans.span_columns import read_gold_spans
from tallystick.kinds.spans.tags import UNTYPED
from tallystick.kinds.texts.text_columns import list_references
from tallystick.model.codes import Labels
from tallystick.model.columns import INPUT, KNOWN, OUTPUT, PROBABILITIES, REFERENCE, Columns
from tallystick.model.sides import Side
from tallystick.model.task import Task
from tallystick.tasks.masked_gold import count_labels

_HEAD = """\
# yaml-language-server: $schema=task.schema.json
# (written by: tallystick task init --schema > task.schema.json)
title: Shared task
tracks:
"""
_FOOT = """\
limits:
  per_day: 5      # submissions of a team
  total: 50
  megabytes: 50   # of a submission, packed and unpacked
# baselines: [majority]
# metrics of a track whose submissions have several rows (tries) for each id: [pass@1, maj@3]
# phases:
#   development:
#     gold: {%(track)s: development.csv}
#     start: 2026-03-01
#     end: 2026-03-31T23:59:00Z
"""
_METRICS = {
    "binary": ("f1", "precision", "recall", "accuracy"),
    "multiclass": ("macro_f1", "accuracy"),
    "multilabel": ("macro_f1", "hamming_loss", "exact_match_ratio"),
    "absent labels": ("micro_f1", "hamming_loss", "exact_match_ratio"),
    "text": ("chrf", "bleu"),
    "short text": ("chrf",),
    "numbers": ("pearson", "mae"),
    "soft": ("manhattan", "js_distance"),
    "spans": ("span_f1", "span_precision", "span_recall"),
    "characters": ("character_span_f1", "character_span_precision", "character_span_recall"),
}
_BLEU_ORDER = 4
"""With fewer words in all texts BLEU is 0, whatever they are."""
_PLAIN_NAMES = ("gold", "labels", "reference", "references", "test", "truth")
"""What gold files are called that tell nothing of their track."""
_MOST_LABELS = 50


def name_tracks(golds: Sequence[str]) -> dict[str, str]:
    """Returns gold files by their tracks: what the files are called, or else their folders."""
    found: dict[str, str] = {}
    for path in golds:
        name = cut_ending(os.path.basename(path))
        if name.lower() in _PLAIN_NAMES:
            name = os.path.basename(os.path.dirname(os.path.abspath(path))) or name
        if name in found:
            raise InputError(
                f"{path}: its track would be called {name!r}, as that of {found[name]}; name the "
                f"tracks, such as track1={path}"
            )
        found[name] = path
    return found


def write_start(golds: Mapping[str, str], folder: str) -> str:
    """Returns a task file for the gold of each track, with what it holds as comments."""
    tracks = [
        line
        for name, path in golds.items()
        for line in _write_track(name, path, folder, alone=len(golds) == 1)
    ]
    return _HEAD + "".join(tracks) + _FOOT % {"track": _quote(next(iter(golds)))}


def _write_track(name: str, path: str, folder: str, *, alone: bool) -> Iterator[str]:
    refuse_layout(path, path)
    table = read_table(path)
    found = recognise(table)
    keys, taken = _describe(table, found)
    columns = _quote(found.named)
    told = f"gold is {', '.join(map(_quote, found.others))} if not this" if found.others else ""
    yield f"  {_quote(name)}:\n"
    yield from _align(
        [
            ("gold", _quote(os.path.relpath(path, folder)), f"{len(table):,} examples"),
            *([] if alone else [("file", _quote(_name_file(name, path)), "in a submission")]),
            *([("columns", columns, told)] if found.named else []),
            *keys,
        ]
    )
    taken |= {*KNOWN, *REFERENCE, *OUTPUT, *INPUT, (found.id or "").lower()}
    others = [column for column in list_groups(table) if column.lower() not in taken]
    if others:
        yield f"    # other columns: {', '.join(map(_quote, others))}\n"
        yield f"    # by: {_list(others[:1])}\n"
        yield f"    # clusters: {_quote(others[0])}\n"


def _align(keys: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """The lines of keys, with their comments below each other where they are short."""
    lines = [(f"    {key}: {value}", comment) for key, value, comment in keys]
    width = max((len(line) for line, _ in lines if len(line) < 48), default=0)
    for line, comment in lines:
        yield f"{line:<{width}}  # {comment}\n" if comment else f"{line}\n"


def _describe(table: Table, found: Recognised) -> tuple[list[tuple[str, str, str]], set[str]]:
    """The keys on what is predicted, each with a comment, and the columns that hold it."""
    side = Side(table)
    columns = Columns(gold=found.gold, id=found.id, delimiter=found.delimiter)
    taken = {(found.gold or "").lower()}
    if found.kind in ("labels", "multilabel"):
        task = Task("multilabel" if found.kind == "multilabel" else None)
        truth = read_gold_column(side, columns, task, alone=False)
        return _describe_labels(truth.labels), taken | {one.lower() for one in truth.matrix}
    if found.kind == "soft":
        cells = read_gold_cells(side, columns, alone=False)
        heads = (*EACH_GOLD, *PROBABILITIES, f"{found.gold}_")
        own = {one.lower() for one in table.names() if one.startswith(heads)}
        return [("labels", _list(cells.list_labels()), ""), _list_metrics("soft")], taken | own
    if found.kind == "spans":
        spans = read_gold_spans(side, columns, alone=False).found
        untyped = spans.tags is None and spans.spans.labels.names == (UNTYPED,)
        return [("task", "spans", ""), _list_metrics("characters" if untyped else "spans")], taken
    if found.kind == "numbers":
        return [_list_metrics("numbers")], taken
    references = list_references(side, found.gold or "")
    firsts = [str(one[0]) if isinstance(one, list) and one else str(one) for one in references]
    long = any(len(text.split()) >= _BLEU_ORDER for text in firsts)
    return [("task", "text", ""), _list_metrics("text" if long else "short text")], taken


def _describe_labels(labels: Labels | LabelRows) -> list[tuple[str, str, str]]:
    """The task, the labels with their counts, the positive one of two, and metrics."""
    counts = count_labels(labels)
    names = [*counts][:_MOST_LABELS]
    told = ", ".join(f"{counts[name]:,}" for name in names)
    keys = [("labels", _list(names), told)] if len(names) == len(counts) else []
    if labels.several:
        kind = "multilabel" if all(counts.values()) else "absent labels"
        return [("task", "multilabel", ""), *keys, _list_metrics(kind)]
    if len(counts) != 2:
        return [("task", "multiclass", ""), *keys, _list_metrics("multiclass")]
    settled = Task().settle(counts, scores=False)
    rarer = min(names, key=lambda name: counts[name])
    positive, told = settled.positive, "what is looked for"
    if positive is None:
        positive, told = rarer, "the rarer one; name the other if that is looked for"
    keys = [("task", "binary", ""), *keys, ("positive", _quote(positive), told)]
    return [*keys, _list_metrics("binary")]


def _list_metrics(kind: str) -> tuple[str, str, str]:
    return "metrics", _list(_METRICS[kind]), "the first one ranks"


def _name_file(name: str, path: str) -> str:
    ending = os.path.splitext(path.removesuffix(".gz"))[1]
    return f"{name}{ending or '.csv'}"


def _list(values: Sequence[object]) -> str:
    return _quote(list(values))


def _quote(value: object) -> str:
    """A value as YAML has it on one line, in quotes where it would be read as something else."""
    import yaml

    text: str = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1 << 30)
    return text.removesuffix("\n").removesuffix("\n...")

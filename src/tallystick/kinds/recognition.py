"""Recognises what a gold file holds: its ids, its gold, and of what kind that is."""

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa
from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.tables.table import Table
from tallystick.io.tables.transcripts import find_transcripts
from tallystick.kinds.index import READ, find_layout, guess_kinds
from tallystick.kinds.labels.label_column_reader import read_gold_column
from tallystick.kinds.labels.label_columns import LabelRows
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.numbers.numbers import EACH_GOLD, SOFT, read_gold_cells
from tallystick.kinds.spans.span_columns import SPAN_COLUMNS, holds_spans, read_gold_spans
from tallystick.kinds.spans.tags import UNTYPED
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.text_columns import list_references
from tallystick.model.codes import Labels
from tallystick.model.columns import BOTH, GOLD, IDS, INPUT, PROBABILITIES, REPEATS, Columns, find
from tallystick.model.facts import Task
from tallystick.model.reading import Kinds
from tallystick.model.sides import Side

Key = tuple[str, object, str]
"""A key of a task file, its value, and a comment."""

_ID_ENDINGS = ("id", "ids", "idx", "index", "key", "nr", "number")
_REFERENCES = ("references", "refs", "answers")
_GOLDEN = (
    *("labels", "class", "category", "categories", "tag", "topic", "topics", "intent", "stance"),
    *("sentiment", "emotion", "emotions", "score", "rating", "grade", "summary", "translation"),
)
"""What columns are called that hold gold, where several might."""
_BESIDE = (
    *("lang", "language", "domain", "split", "dataset", "origin", "genre", "document", "author"),
    *("annotator", "user", "date", "time", "title", "url", "context", "weight", "", "unnamed: 0"),
)
"""What columns are called that hold something else."""
_BITS = {"0", "1", "0.0", "1.0", "true", "false", "yes", "no"}
_DELIMITERS = {"|": 1.0, ";": 1.0, ",": 1.5}
"""What separates labels in a cell, and how often each label must occur at least on average."""
_LONGEST_LABEL = 30
_LOOKED_AT = 1000


class Recognised(Struct, frozen=True):
    """What a table of gold holds, and in which columns; `labels` are one for each example.

    The gold is None where it is several columns or the last one of a CoNLL file; `others` might be
    the gold as well.
    """

    kind: str
    gold: str | None
    id: str | None = None
    delimiter: str | None = None
    others: tuple[str, ...] = ()

    @property
    def named(self) -> dict[str, str]:
        """The columns without a usual name, and the delimiter, as task files name them."""
        usual: dict[str, tuple[str, ...]] = {"spans": SPAN_COLUMNS, "soft": (*SOFT, *BOTH)}
        if self.kind in ("text", "numbers"):
            usual[self.kind] = BOTH
        found = {
            "id": None if find((self.id or "",), IDS) else self.id,
            "gold": None if find((self.gold or "",), usual.get(self.kind, GOLD)) else self.gold,
            "delimiter": self.delimiter,
        }
        return {key: name for key, name in found.items() if name is not None}


def recognise(table: Table) -> Recognised:
    """Returns what a table of gold holds."""
    if table.unit == "sentence":
        return Recognised("spans", None)
    names = table.names()
    ids = find(names, IDS) or next(_guess_ids(table), None)
    values = [] if ids is None else table.values(ids)
    if len({*map(str, values)}) < len(values) and find(table.names(), REPEATS) is not None:
        raise InputError(
            f"{table.source}: column {ids!r} contains an id several times, as a table of tries "
            "does; a task needs the gold, a row for each id, and metrics such as pass@1"
        )
    rest = [name for name in names if name != ids]
    sure = (kind for kind in READ if kind.usual)
    own = next((kind for kind in sure if kind.fits(Side(table), Columns(), alone=False)), None)
    if own is not None:
        return Recognised(own.name, None, ids)
    usual = find(rest, (*BOTH, *SPAN_COLUMNS, *SOFT))
    each = sum(name.startswith((*EACH_GOLD, *PROBABILITIES)) for name in rest) > 1
    shares = [] if usual is not None or each else _list_shares(table, rest)
    if shares or (usual is None and each):
        return Recognised("soft", _find_prefix(table, shares) if shares else None, ids)
    if usual is None and sum(_are_bits(table, name) for name in rest) > 1:
        return Recognised("multilabel", None, ids)
    gold, *others = [usual] if usual is not None else _list_golden(table, rest)
    if holds_spans(Side(table), Columns(gold=gold), alone=False):
        return Recognised("spans", gold, ids, None, tuple(others))
    kind, delimiter = _recognise_values(table, gold)
    return Recognised(kind, gold, ids, delimiter, tuple(others))


def list_groups(table: Table) -> list[str]:
    """Returns the columns by which scores may be broken down: neither lists nor texts."""
    if table.unit == "sentence":
        return []
    peeked = {name: _peek(table, name) for name in table.names()}
    return [
        name
        for name, values in peeked.items()
        if _guess_kinds(values) != (TEXTS,) and not any(isinstance(x, list | dict) for x in values)
    ]


def _guess_ids(table: Table) -> Iterator[str]:
    """The columns that may be ids: called so, or the first one if all its values have digits."""
    names = table.names()
    for name in names:
        if name.casefold().endswith(_ID_ENDINGS) and _are_ids(_peek(table, name)):
            yield name
    first = _peek(table, names[0])
    texts = [str(value) for value in first]
    fractions = ("." in one and one.replace(".", "", 1).lstrip("-").isdigit() for one in texts)
    digits = all(any(map(str.isdigit, one)) for one in texts) and not any(fractions)
    if len(names) > 1 and digits and _are_ids(first):
        yield names[0]


def _are_ids(values: Sequence[object]) -> bool:
    texts = [str(value) for value in values]
    plain = all(isinstance(value, str | int) for value in values)
    single = all(len(text.split()) == 1 for text in texts)
    return plain and len({*texts}) == len(texts) and single


def _peek(table: Table, name: str) -> list[object]:
    return table.cut(0, min(len(table), _LOOKED_AT)).values(name)


def _are_bits(table: Table, name: str) -> bool:
    values = [value for value in _peek(table, name) if value not in (None, "")]
    return bool(values) and all(str(value).strip().casefold() in _BITS for value in values)


def _list_shares(table: Table, rest: Sequence[str]) -> list[str]:
    """The columns of shares of labels, which sum to 1 in each row; none where they do not."""
    found: dict[str, list[float]] = {}
    for name in rest:
        with suppress(TypeError, ValueError):
            found[name] = [float(str(value)) for value in _peek(table, name)]
    rows = [*zip(*found.values(), strict=True)]
    ones = all(min(row) >= 0 and math.isclose(sum(row), 1, abs_tol=1e-3) for row in rows)
    parts = any(0 < share < 1 for row in rows for share in row)
    return [*found] if len(found) > 1 and ones and parts else []


def _find_prefix(table: Table, names: Sequence[str]) -> str:
    """What the names of columns of shares have before the label."""
    heads = {name.partition("_")[0] for name in names if "_" in name[1:]}
    if len(heads) != 1 or not all("_" in name for name in names):
        raise InputError(
            f"{table.source}: {', '.join(names[:5])} sum to 1 in each row, as shares of labels do; "
            f"let the names begin alike, such as gold_{names[0]}"
        )
    return heads.pop()


def _list_golden(table: Table, rest: Sequence[str]) -> list[str]:
    """The columns that may be the gold, the likeliest first."""
    found = [name for name in rest if name.casefold() not in (*_BESIDE, *INPUT)]
    found = found or [name for name in rest if name.casefold() not in _BESIDE]
    found = [name for name in found if _guess_kinds(_peek(table, name)) != (TEXTS,)] or found
    if not found:
        raise InputError(
            f"{table.source}: has no column of gold; the columns are {', '.join(table.names())}"
        )
    best = next((name for name in found if name.casefold() in _GOLDEN), found[-1])
    return [best, *(name for name in found if name != best)]


def _recognise_values(table: Table, gold: str) -> tuple[str, str | None]:
    """The kind of a column that contains no spans, and what separates the labels of its cells."""
    values = [value for value in map(_load, _peek(table, gold)) if value not in (None, "")]
    if any(isinstance(value, dict) for value in values):
        return "soft", None
    if any(isinstance(value, list) for value in values):
        return _recognise_lists([value for value in values if isinstance(value, list)], gold), None
    delimiter = _find_delimiter([value for value in values if isinstance(value, str)])
    if delimiter is not None:
        return "multilabel", delimiter
    kinds = _guess_kinds(values)
    return ("text" if kinds == (TEXTS,) else "numbers" if kinds == (NUMBERS,) else "labels"), None


def _load(cell: object) -> object:
    """The list or object that text in a cell is; the cell itself where it is neither."""
    with suppress(ValueError, RecursionError):
        if isinstance(cell, str) and cell[:1] in ("[", "{"):
            return json.loads(cell)
    return cell


def _recognise_lists(rows: Sequence[list[Any]], name: str) -> str:
    """Votes where a label is there twice or the name says so, shares where numbers sum to 1."""
    items = [item for row in rows for item in row]
    if items and all(isinstance(item, str) for item in items):
        if name.casefold() in _REFERENCES or _guess_kinds(rows) == (TEXTS,):
            return "text"
        voted = name.casefold() in SOFT or any(len({*row}) < len(row) for row in rows)
        return "soft" if voted else "multilabel"
    numeric = all(isinstance(item, int | float) for item in items)
    several = all(len(row) > 1 for row in rows)
    whole = numeric and all(math.isclose(math.fsum(row), 1, abs_tol=1e-3) for row in rows)
    return "soft" if several and whole else "multilabel"


def _guess_kinds(values: Sequence[object]) -> Kinds | None:
    try:
        return guess_kinds(pa.array(values))
    except (pa.ArrowException, TypeError):
        return None


def _find_delimiter(cells: Sequence[str]) -> str | None:
    """What separates short labels that occur in several cells."""
    for mark, least in _DELIMITERS.items():
        labels = [part.strip() for cell in cells for part in cell.split(mark) if part.strip()]
        short = all(len(label) <= _LONGEST_LABEL and len(label.split()) < 4 for label in labels)
        if any(mark in cell for cell in cells) and short and len(labels) >= least * len({*labels}):
            return mark
    return None


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
    "rankings": ("map", "nDCG@10", "RR@10"),
    "trees": ("LAS", "UAS", "UPOS"),
    "transcripts": ("wer", "cer"),
    "coreference": ("conll_f1", "muc_f1", "b3_f1", "ceafe_f1", "lea_f1"),
    "characters": ("character_span_f1", "character_span_precision", "character_span_recall"),
}


def describe_gold(table: Table, found: Recognised) -> tuple[list[Key], set[str]]:
    """Returns the keys of a task file on what is predicted, and the columns that hold it."""
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
        return [("labels", [*cells.list_labels()], ""), _list_metrics("soft")], taken | own
    if found.kind == "spans":
        spans = read_gold_spans(side, columns, alone=False).found
        untyped = spans.tags is None and spans.spans.labels.names == (UNTYPED,)
        return [("task", "spans", ""), _list_metrics("characters" if untyped else "spans")], taken
    if any(kind.usual and kind.name == found.kind for kind in READ):
        return [_list_metrics(found.kind)], taken
    if found.kind == "numbers":
        return [_list_metrics("numbers")], taken
    references = list_references(side, found.gold or "")
    firsts = [str(one[0]) if isinstance(one, list) and one else str(one) for one in references]
    long = any(len(text.split()) >= 4 for text in firsts)  # else BLEU is 0, whatever they are
    return [("task", "text", ""), _list_metrics("text" if long else "short text")], taken


def _describe_labels(labels: Labels | LabelRows) -> list[Key]:
    """The task, the labels with their counts, the positive one of two, and metrics."""
    counts = dict(zip(labels.names, labels.count_each().tolist(), strict=True))
    names = [*counts]
    message = ", ".join(f"{count:,}" for count in counts.values())
    keys: list[Key] = [("labels", names, message)] if len(names) <= 50 else []
    if labels.several:
        kind = "multilabel" if all(counts.values()) else "absent labels"
        return [("task", "multilabel", ""), *keys, _list_metrics(kind)]
    if len(counts) != 2:
        return [("task", "multiclass", ""), *keys, _list_metrics("multiclass")]
    settled = Task().settle(counts, scores=False)
    rarer = min(names, key=counts.__getitem__)
    positive, message = settled.positive, "what is looked for"
    if positive is None:
        positive, message = rarer, "the rarer one; name the other if that is looked for"
    keys = [("task", "binary", ""), *keys, ("positive", positive, message)]
    return [*keys, _list_metrics("binary")]


def describe_layout(path: str) -> list[Key] | None:
    """Returns the keys of a task file for gold in a layout of its own; None for other gold."""
    if not os.path.isfile(path):
        return None
    own = "transcripts" if find_transcripts(path, None) else None
    if own is None and (kind := find_layout(path, unsure=True)) is not None:
        own = kind.name
    return None if own is None else [_list_metrics(own)]


def _list_metrics(kind: str) -> Key:
    return "metrics", [*_METRICS[kind]], "the first one ranks"

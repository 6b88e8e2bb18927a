"""Gathers what a report shows next to the scores: single examples, and how sound the data is."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.texts import TextExamples
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Values
from tallystick.output.results.records import (
    LARGEST_MATRIX,
    ConfusionMatrix,
    Evidence,
    Examples,
    Finding,
    Meeting,
)
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import (
    are_texts,
    find_shown,
    name_example,
    read_input,
    read_label,
    score_examples,
)

_SHOWN = 5
_FEW = 30
_PLAIN = re.compile(r"[\W_]+")


def list_findings(counted: Counted) -> Iterator[Finding]:
    """What a reader should know of the data, with how much was looked at."""
    n = counted.size(None)
    yield Finding("examples", None, n, None, (), True)
    yield from _count_groups(counted)
    left_out = counted.count_left_out(None)
    if left_out:
        what = "examples left out, as a system has no output for them"
        yield Finding(what, None, left_out, n + left_out, (), False)
    for one in counted.facts.rejected:
        what = f"submission that was rejected: {one.reason}"
        yield Finding(what, one.system, 1, None, (), False)
    for system in counted.systems:
        wrong = counted.count_invalid(system, None)
        if wrong:
            what = "outputs that are missing or no label, counted as wrong"
            yield Finding(what, system, wrong, n, (), False)
    yield from _check_labels(counted)
    if counted.examples:
        joined = all(block.ids is not None for block in counted.examples)
        how = "ids" if joined else "order, as they have no ids"
        yield Finding(f"examples joined by their {how}", None, n, n, (), True)
        yield from _check_outputs(counted)
        yield from _find_duplicates(counted.examples, n)


def _count_groups(counted: Counted) -> Iterator[Finding]:
    few = [group for group in counted.groups if counted.facts.n[group] < _FEW]
    if counted.groups:
        what, total = f"groups with fewer than {_FEW} examples", len(counted.groups)
        yield Finding(what, None, len(few), total, tuple(few[:_SHOWN]), not few)


def _check_labels(counted: Counted) -> Iterator[Finding]:
    blocks = counted.examples
    columns = [column for block in blocks if (column := LABELS.find(block)) is not None]
    golds = [column.gold for column in columns if isinstance(column.gold, Labels)]
    if not golds:
        return
    names = tuple(dict.fromkeys(str(name) for gold in golds for name in gold.names))
    yield _name_absent("labels that never occur in the gold", None, names, golds)
    for place, system in enumerate(counted.systems):
        outputs = [column.outputs[place].labels for column in columns]
        own = [labels for labels in outputs if isinstance(labels, Labels)]
        if own:
            yield _name_absent("labels that are never predicted", system, names, own)


def _name_absent(
    what: str, system: str | None, names: Sequence[str], columns: Iterable[Labels]
) -> Finding:
    seen = {
        str(labels.names[code]) for labels in columns for code in np.unique(labels.codes).tolist()
    }
    absent = [name for name in names if name not in seen]
    return Finding(what, system, len(absent), len(names), tuple(absent[:_SHOWN]), not absent)


def _check_outputs(counted: Counted) -> Iterator[Finding]:
    """Outputs that are empty, copies of the input, or the same for two systems."""
    n = counted.size(None)
    said = [_read_outputs(counted.examples, place) for place in range(len(counted.systems))]
    inputs = [
        (read_input(block, row) or "").strip()
        for block in counted.examples
        for row in (range(len(block)) if block.inputs is not None and TEXTS.find(block) else ())
    ]
    for system, own in zip(counted.systems, said, strict=True):
        if own and isinstance(own[0], str):
            empty = [str(at + 1) for at, text in enumerate(own) if not str(text).strip()]
            if empty:
                yield Finding("empty outputs", system, len(empty), n, tuple(empty[:_SHOWN]), False)
            copied = sum(
                bool(text) and text == str(one).strip()
                for text, one in zip(inputs, own, strict=False)
            )
            if copied:
                yield Finding("outputs that copy the input", system, copied, n, (), False)
        if n > 1 and own and len(set(own)) == 1:
            yield Finding("the same output for every example", system, n, n, (), False)
    for a, b in combinations(range(len(said)), 2):
        if said[a] and said[a] == said[b]:
            what = f"all outputs are those of {counted.systems[b]}"
            yield Finding(what, counted.systems[a], n, n, (), False)


def _read_outputs(blocks: Sequence[Systems], place: int) -> list[str | int]:
    found: list[str | int] = []
    for block in blocks:
        texts, labels = TEXTS.find(block), LABELS.find(block)
        if texts is not None and isinstance(part := texts.parts[place], TextExamples):
            found += part.hypotheses.strings()
        elif labels is not None and isinstance(own := labels.outputs[place].labels, Labels):
            found += own.codes.tolist()
    return found


def _find_duplicates(blocks: Sequence[Systems], n: int) -> Iterator[Finding]:
    """Examples whose texts are the same but for case, spaces and punctuation."""
    seen: dict[str, list[str]] = {}
    for block in blocks:
        for row, text in enumerate(_read_texts(block)):
            seen.setdefault(_PLAIN.sub(" ", text.casefold()).strip(), []).append(
                name_example(block, row)
            )
    seen.pop("", None)
    if not seen:
        return
    groups = [own for own in seen.values() if len(own) > 1]
    what = "examples whose text occurs again, but for case, spaces and punctuation"
    message = tuple(" = ".join(own[:3]) for own in groups[:_SHOWN])
    yield Finding(what, None, sum(map(len, groups)), n, message, not groups)


def _read_texts(block: Systems) -> Iterator[str]:
    """The input of each example, or else its first reference; none where there are no texts."""
    if block.inputs is not None:
        yield from (read_input(block, row) or "" for row in range(len(block)))
    elif (texts := TEXTS.find(block)) and isinstance(texts.parts[0], TextExamples):
        yield from map(texts.tell_gold, range(len(block)))


_LONGEST = 5_000
"""So many characters of a text are shown, where not all examples are asked for."""


def gather(counted: Counted, most: int | None) -> tuple[Evidence, ...]:
    """The examples that a report shows: at most this many, 0 for none, None for all in full."""
    # Imported here because most results are never shown as a report.

    texts, blocks = are_texts(counted), counted.examples
    metric = counted.metrics[0]
    higher = not texts or metric.better != "lower"
    parts = [np.zeros((len(counted.systems), 0)), *(score_examples(counted, one) for one in blocks)]
    scores = np.concatenate(parts, axis=1)
    rows = None
    if blocks and most != 0:
        rows = _choose(blocks, scores if higher else -scores, most)
    return (
        Evidence(
            None,
            "texts" if texts else "labels",
            counted.systems,
            metric.name if texts else "",
            "higher" if higher else "lower",
            counted.size(None),
            None if rows is None else _show(counted, scores, rows, whole=most is None),
            tuple(_meet(counted.systems, scores if higher else -scores)) if blocks else (),
            list_matrices(counted, LARGEST_MATRIX),
            tuple(list_findings(counted)),
        ),
    )


def list_matrices(counted: Counted, largest: int) -> tuple[ConfusionMatrix, ...]:
    """The confusion matrix of each system; nothing without single labels, or with too many."""
    tally = counted.tallies.get(Confusion())
    if tally is None or len(tally.labels) > largest:
        return ()
    matrices = []
    for system in counted.systems:
        own = tally.of(system).total()
        rows = tuple(map(tuple, own.tabulate()[0].tolist()))
        matrices.append(ConfusionMatrix(system, tuple(map(str, own.labels)), rows))
    return tuple(matrices)


def _meet(systems: Sequence[str], scores: Values) -> Iterator[Meeting]:
    for a, b in combinations(range(len(systems)), 2):
        better = int((scores[a] > scores[b]).sum())
        yield Meeting(systems[a], systems[b], better, int((scores[a] < scores[b]).sum()))


def _choose(blocks: Sequence[Systems], scores: Values, most: int | None) -> NDArray[np.int64]:
    """The rows to show: in turn some of each kind that a reader may ask for, then random ones."""
    n = scores.shape[1]
    if most is None or n <= most:
        return np.arange(n)
    shuffled = np.random.default_rng(0).permutation(n)
    kinds = [*_list_kinds(blocks, scores, shuffled, most), shuffled]
    chosen = np.zeros(n, bool)
    left, turn = most, 0
    while left:
        for kind in kinds:
            if left and turn < len(kind) and chosen[kind].sum() <= turn:
                row = kind[np.argmin(chosen[kind])]
                left -= not chosen[row]
                chosen[row] = True
        turn += 1
    return np.flatnonzero(chosen)


def _list_kinds(
    blocks: Sequence[Systems], scores: Values, shuffled: NDArray[np.int64], most: int
) -> Iterator[NDArray[np.int64]]:
    """The rows of each kind that a reader may ask for, those to show first in front."""
    for codes in _list_codes(blocks):
        own = codes[shuffled]
        order = shuffled[np.argsort(own, kind="stable")]
        yield from np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    mixed = np.nan_to_num(scores[:, shuffled])
    for own in mixed:
        yield shuffled[_find_lowest(own, most)]
    for a, b in combinations(mixed, 2):
        for gains in (b - a, a - b):
            lowest = _find_lowest(gains, most)
            yield shuffled[lowest[gains[lowest] < 0]]


def _find_lowest(values: Values, most: int) -> NDArray[np.int64]:
    """The places of the lowest values in their order, and of those that equal the last of them."""
    last = np.partition(values, most)[most]
    places = np.flatnonzero(values <= last)
    return places[np.argsort(values[places], kind="stable")]


def _list_codes(blocks: Sequence[Systems]) -> Iterator[NDArray[np.int64]]:
    """For each system, a number for the gold and the predicted label of every example."""
    columns = [column for block in blocks if (column := LABELS.find(block)) is not None]
    for place in range(len(blocks[0].names) if columns else 0):
        parts = []
        for column in columns:
            gold, predicted = column.gold, column.outputs[place].labels
            if not (isinstance(gold, Labels) and isinstance(predicted, Labels)):
                return
            parts.append(gold.codes.astype(np.int64) * (1 << 32) + predicted.codes)
        yield np.concatenate(parts)


def _show(counted: Counted, scores: Values, rows: NDArray[np.int64], *, whole: bool) -> Examples:
    places = [(block, row) for block, own in _split(counted.examples, rows) for row in own]
    groups = [read_label(block.groups, row) for block, row in places]
    clusters = [read_label(block.clusters, row) for block, row in places]
    inputs = [read_input(block, row) for block, row in places]
    shown = [(find_shown(counted, block), row) for block, row in places]
    gold = [column.tell_gold(row) for column, row in shown]
    outputs = [
        [column.tell_output(at, row) for column, row in shown] for at in range(len(counted.systems))
    ]
    most = None if whole else _LONGEST
    columns: tuple[Sequence[str | None], ...] = (inputs, gold, *outputs)
    longest = max(len(text or "") for column in columns for text in column)
    return Examples(
        tuple(name_example(block, row) for block, row in places),
        None if None in groups else tuple(group or "" for group in groups),
        tuple(text and text[:most] for text in inputs) if any(inputs) else None,
        tuple(text[:most] for text in gold),
        tuple(tuple(text[:most] for text in own) for own in outputs),
        tuple(tuple(map(_round, own[rows].tolist())) for own in scores),
        not whole and longest > _LONGEST,
        None if None in clusters else tuple(cluster or "" for cluster in clusters),
    )


def _round(score: float) -> float | None:
    """A score with the digits that a reader could want; None where it is undefined."""
    if math.isnan(score):
        return None
    if score in (0, 1):
        return int(score)
    return float(f"{score:.6g}") if abs(score) < 1 else round(score, 6)


def _split(
    blocks: Sequence[Systems], rows: NDArray[np.int64]
) -> Iterator[tuple[Systems, list[int]]]:
    start = 0
    for block in blocks:
        own = rows[(rows >= start) & (rows < start + len(block))]
        yield block, (own - start).tolist()
        start += len(block)

"""How sound the data is: what was looked for, and how often it was found."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from tallystick.kinds.labels import LABELS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.texts import TextExamples
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.output.results.records import Finding
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import name_example, read_input

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
    for one in counted.facts.refused:
        what = f"submission that was refused: {one.reason}"
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
    told = tuple(" = ".join(own[:3]) for own in groups[:_SHOWN])
    yield Finding(what, None, sum(map(len, groups)), n, told, not groups)


def _read_texts(block: Systems) -> Iterator[str]:
    """The input of each example, or else its first reference; none where there are no texts."""
    if block.inputs is not None:
        yield from (read_input(block, row) or "" for row in range(len(block)))
    elif (texts := TEXTS.find(block)) and isinstance(texts.parts[0], TextExamples):
        yield from map(texts.tell_gold, range(len(block)))

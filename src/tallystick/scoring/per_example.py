"""Single examples of systems that were counted: what each system said, and how good that was."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.kinds import is_numeric
from tallystick.examples.labels import INVALID, Labels
from tallystick.examples.sets import LabelRows
from tallystick.examples.systems import Systems, TextPart
from tallystick.examples.texts import TextExamples, Texts
from tallystick.metrics.metric import Values
from tallystick.scoring.counted import Counted
from tallystick.tallies.numbers import sum_each_example
from tallystick.tallies.second_moments import Rows
from tallystick.tallies.sums import Sums
from tallystick.tallies.text_sums import sum_each

_MARK = "|"
_BETWEEN = " ||| "


def are_texts(counted: Counted) -> bool:
    """Whether the first metric, by which single examples are scored, is one of texts or numbers."""
    return counted.metrics[0].counter is not None


def score_examples(counted: Counted, block: Systems) -> Values:
    """How good each system is on each example of a block, of shape (systems, examples).

    Of labels 1 where a system gets an example right, and else 0; of texts and numbers the first
    metric's score of the example alone.
    """
    metric = counted.metrics[0]
    kind = counted.counters[metric].kind
    if is_numeric(kind) or kind in ("spans", "tries"):
        tally = sum_each_example(metric.counter, block)
        return np.stack([metric.score(tally.of(name)) for name in block.names])
    if are_texts(counted):
        parts = zip(block.names, block.texts, strict=True)
        return np.stack([metric.score(_split(counted, name, part)) for name, part in parts])
    right = np.stack([_find_right(block.gold, own.labels) for own in block.outputs])
    for own, output in zip(right, block.outputs, strict=True):
        if output.invalid is not None:
            own[output.invalid] = False
    return right.astype(np.float64)


def _find_right(gold: Labels | LabelRows | None, predicted: Labels | LabelRows) -> Any:
    """Whether each prediction is right; of a set, whether all of it is."""
    if isinstance(gold, Labels) and isinstance(predicted, Labels):
        return np.asarray(gold.codes == predicted.codes)
    if isinstance(gold, LabelRows) and isinstance(predicted, LabelRows):
        return np.asarray((gold.recode(predicted.names).bits == predicted.bits).all(1))
    return np.zeros(len(predicted), bool)


def _split(counted: Counted, name: str, part: TextPart) -> Sums:
    """The tally in which every example is a group; counted anew only where rows were not kept."""
    tally = counted.tally(counted.metrics[0])
    scatter = tally.scatter
    whole = len(counted.examples) == 1
    if whole and isinstance(scatter, Rows) and scatter.clusters is None:
        values = scatter.values[:, tally.systems.index(name)]
        size = len(values)
        return Sums(
            tally.counter, (name,), tuple(range(size)), values[None], np.ones(size, np.int64)
        )
    return sum_each(tally.counter, part)


def name_example(examples: Systems, row: int) -> str:
    """The id of an example, or the number of its row."""
    return str(examples.first + row + 1) if examples.ids is None else str(examples.ids[row])


def read_group(examples: Systems, row: int) -> str | None:
    """The group of an example."""
    groups = examples.groups
    return None if groups is None else str(groups.names[int(groups.codes[row])])


def read_cluster(examples: Systems, row: int) -> str | None:
    """The cluster of an example."""
    clusters = examples.clusters
    return None if clusters is None else str(clusters.names[int(clusters.codes[row])])


def read_input(examples: Systems, row: int) -> str | None:
    """The input text of an example."""
    text = None if examples.inputs is None else examples.inputs[row].as_py()
    return None if text is None else str(text)


def read_gold(examples: Systems, row: int, *, texts: bool) -> str:
    """The gold label or labels of an example, or all of its references; else its number or spans.

    Texts come before numbers such as COMET, which are the score of the example already.
    """
    if not texts:
        return _write(examples.gold, row)
    part = examples.texts[0] if examples.texts else None
    if part is None and examples.numbers is not None:
        return examples.numbers.tell_gold(row)
    if part is None and examples.spans is not None:
        return examples.spans.gold.tell(row)
    if not isinstance(part, TextExamples):
        return ""
    first, last = part.spans[row : row + 2].tolist()
    return _BETWEEN.join(_read(part.references, place) for place in range(first, last))


def read_output(examples: Systems, place: int, row: int, *, texts: bool) -> str:
    """What the system that stands at a place said; token lists have lost their spelling."""
    if examples.tries:
        return _write(examples.tries[place], row)
    if not texts:
        own = examples.outputs[place]
        invalid = own.invalid is not None and bool(own.invalid[row])
        return INVALID if invalid else _write(own.labels, row)
    part = examples.texts[place] if examples.texts else None
    if part is None and examples.numbers is not None:
        return examples.numbers.tell_output(place, row)
    if part is None and examples.spans is not None:
        return examples.spans.outputs[place].tell(row)
    return _read(part.hypotheses, row) if isinstance(part, TextExamples) else ""


def _write(column: Labels | LabelRows | None, row: int) -> str:
    if column is None:
        return ""
    if isinstance(column, Labels):
        return str(column.names[int(column.codes[row])])
    bits = np.unpackbits(column.bits[row], count=len(column.names), bitorder="little")
    return _MARK.join(str(column.names[place]) for place in np.flatnonzero(bits))


def _read(texts: Texts, place: int) -> str:
    found: NDArray[Any] = texts.data[texts.offsets[place] : texts.offsets[place + 1]]
    return found.tobytes().decode()

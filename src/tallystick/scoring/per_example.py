"""Single examples of counted systems: outputs, scores, and where two systems differ."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.texts.text_columns import of_segments
from tallystick.kinds.tries import TRIES
from tallystick.model.codes import Labels
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.metric import Values
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Flip, Score
from tallystick.scoring.counted import Counted
from tallystick.scoring.data_warnings import list_notes

if TYPE_CHECKING:
    from tallystick.model.tallies.sums import Sums
    from tallystick.output.results.scores import Flaky


def are_texts(counted: Counted) -> bool:
    """Whether the first metric, by which single examples are scored, is one of texts or numbers."""
    return counted.metrics[0].counter is not None


def score_examples(counted: Counted, block: Systems) -> Values:
    """The score of each example of a block, 1 or 0 for labels: (systems, examples)."""
    first, shown = counted.metrics[0], find_shown(counted, block)
    metric = of_segments(first)
    if counted.counters[first].kind.textual:
        return np.stack([metric.score(_split(counted, block.of(name))) for name in block.names])
    right = shown.find_right()
    if right is None:
        tally = sum_each(metric.counter, block)
        return np.stack([metric.score(tally.of(name)) for name in block.names])
    return right.astype(np.float64)


def find_shown(counted: Counted, block: Systems) -> Column:
    """The column by which examples are scored; texts come before numbers such as COMET."""
    kind = counted.counters[counted.metrics[0]].kind
    texts = TEXTS.find(block) if kind.numeric else None
    return texts or kind.of(block)


def _split(counted: Counted, block: Systems) -> "Sums":
    """The tally in which every example is a group; counted again only where rows were not kept."""
    from tallystick.model.tallies.sums import Sums

    tally, (name,) = counted.tally(counted.metrics[0]), block.names
    rows = tally.rows
    whole = len(counted.examples) == 1
    if whole and rows is not None and rows.clusters is None:
        values = rows.values[:, tally.systems.index(name)]
        size = len(values)
        return Sums(
            tally.counter, (name,), tuple(range(size)), values[None], np.ones(size, np.int64)
        )
    return sum_each(tally.counter, block)


def name_example(examples: Systems, row: int) -> str:
    """The id of an example, or the number of its row."""
    return str(examples.first + row + 1) if examples.ids is None else str(examples.ids[row])


def read_label(labels: Labels | None, row: int) -> str | None:
    """The group, or the cluster, of an example."""
    return None if labels is None else str(labels.names[int(labels.codes[row])])


def read_input(examples: Systems, row: int) -> str | None:
    """The input text of an example."""
    text = None if examples.inputs is None else examples.inputs[row].as_py()
    return None if text is None else str(text)


def list_flaky(counted: Counted) -> "Iterator[Flaky]":
    """The flaky problems of each system, in the order of the examples."""
    from tallystick.kinds.tries.tries import Outcome
    from tallystick.output.results.scores import Flaky

    for place, system in enumerate(counted.systems):
        for block in counted.examples:
            labels = TRIES.of(block).outputs[place]
            outcomes = [Outcome.parse(str(name)) for name in labels.names]
            flaky = np.array([own.flaky for own in outcomes])
            for row in np.flatnonzero(flaky[labels.codes]).tolist():
                own = outcomes[labels.codes[row]]
                example, group = name_example(block, row), read_label(block.groups, row)
                yield Flaky(system, group, example, own.tries, own.right)


def note_flaky(counted: Counted) -> Iterator[str]:
    """Notes how many problems of each system are flaky."""
    tally = counted.find_tally(TRIES)
    if tally is None:
        return
    from tallystick.kinds.tries.tries import Outcome

    message = []
    for system in counted.systems:
        own = tally.of(system)
        flaky = [label != own.labels[0] and Outcome.parse(str(label)).flaky for label in own.labels]
        many = int(own.counts[np.array(flaky)[own.predicted]].sum())
        message.append(f"{many} of {counted.size(None)} of {system}")
    yield f"right in some tries and wrong in others (flaky): {', '.join(message)}."


def score_segments(counted: Counted) -> Evaluation:
    """Scores every example of systems that were kept; its id or number represents the group."""
    if counted.groups:
        raise UsageError("segments are not grouped: leave out by or segments")
    for metric in counted.metrics:
        kind = counted.counters[metric].kind
        if not kind.single:
            raise UsageError(
                f"{metric.short} does not score single examples: segments are texts or queries, "
                f"not {kind.said}"
            )
    scores = tuple(
        score
        for place in range(len(counted.systems))
        for block in counted.examples
        for score in _score_block(counted, block, place)
    )
    lead = (("system", "system"), ("segment", "group"))
    return Evaluation(scores, lead, notes=tuple(list_notes(counted)))


def sum_each(counter: Any, block: Systems) -> "Sums":
    """The tally of the systems of a block in which every example is a group of its own."""
    from tallystick.model.tallies.sums import Sums

    size = len(block)
    names = tuple(range(size))
    if hasattr(counter, "list_rows"):  # which need not be summed one by one
        rows = counter.list_rows(block).swapaxes(0, 1)
        return Sums(counter, block.names, names, rows, np.ones(size, np.int64))
    groups = Labels(np.arange(size, dtype=np.uint32), names)
    tally: Sums = counter.count(replace(block, groups=groups, clusters=None, weights=None))
    return tally


def _score_block(counted: Counted, block: Systems, place: int) -> Iterator[Score]:
    name = block.names[place]
    counters = set(counted.counters.values())
    tallies = {counter: sum_each(counter, block.of(name)) for counter in counters}
    pairs = [(metric, of_segments(metric)) for metric in counted.metrics]
    scored = [(metric, own, own.score(tallies[counted.counters[metric]])) for metric, own in pairs]
    for index in range(len(block)):
        for metric, own, values in scored:
            yield Score(
                name,
                name_example(block, index),
                None,
                repr(own),
                own.name,
                own.full_title,
                np.asarray(values[index]).item(),
                1,
                f"{own.signature}|{counted.describe(metric, name)}",
                counted.sign_as_peer(metric, None, segments=True),
            )


_MOST_FLIPS = 100


def find_flips(counted: Counted, a: str, b: str) -> tuple[Flip, ...]:
    """The examples on which two systems differ, those that A gets right or better first."""
    found = [flip for block in counted.examples for flip in _find_flips(counted, block.of(a, b))]
    if are_texts(counted):
        return tuple(sorted(found, key=lambda flip: -abs(flip.difference))[:_MOST_FLIPS])
    return tuple(sorted(found, key=lambda flip: -flip.difference))


def _find_flips(counted: Counted, block: Systems) -> Iterator[Flip]:
    texts = are_texts(counted)
    scores = score_examples(counted, block)
    gains = np.nan_to_num(scores[0] - scores[1])
    rows = np.argsort(-np.abs(gains), kind="stable") if texts else np.arange(len(gains))
    higher = not texts or counted.metrics[0].better != "lower"
    shown = find_shown(counted, block)
    for row in rows[gains[rows] != 0].tolist()[: _MOST_FLIPS if texts else None]:
        score_a, score_b = scores[:, row].tolist()
        yield Flip(
            example=name_example(block, row),
            group=read_label(block.groups, row),
            text=read_input(block, row),
            gold=shown.tell_gold(row),
            output_a=shown.tell_output(0, row),
            output_b=shown.tell_output(1, row),
            score_a=score_a,
            score_b=score_b,
            difference=score_a - score_b,
            better=block.names[0] if (score_a > score_b) == higher else block.names[1],
        )

"""The examples on which two systems differ."""

from collections.abc import Iterator

import numpy as np

from tallystick.model.systems import Systems
from tallystick.output.results.records import Flip
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import (
    are_texts,
    find_shown,
    name_example,
    read_input,
    read_label,
    score_examples,
)

_MOST = 100


def find_flips(counted: Counted, a: str, b: str) -> tuple[Flip, ...]:
    """The examples on which two systems differ.

    Of labels all that one system got right and the other one wrong, first what A got right; of
    texts those with the largest difference in the first metric's score of the example.
    """
    found = [flip for block in counted.examples for flip in _find(counted, block.of(a, b))]
    if are_texts(counted):
        return tuple(sorted(found, key=lambda flip: -abs(flip.difference))[:_MOST])
    return tuple(sorted(found, key=lambda flip: -flip.difference))


def _find(counted: Counted, block: Systems) -> Iterator[Flip]:
    texts = are_texts(counted)
    scores = score_examples(counted, block)
    gains = np.nan_to_num(scores[0] - scores[1])
    rows = np.argsort(-np.abs(gains), kind="stable") if texts else np.arange(len(gains))
    higher = not texts or counted.metrics[0].better != "lower"
    shown = find_shown(counted, block)
    for row in rows[gains[rows] != 0].tolist()[: _MOST if texts else None]:
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

"""What is known of examples adds up, in whatever order parts are added."""

import msgspec
import numpy as np
import pytest

from tallystick.model.codes import order
from tallystick.model.facts import Facts
from tallystick.model.task import Task
from tallystick.results import Refusal

NOTES = ("texts were guessed.", "missing outputs of a count as wrong: {}.", "see the docs.")


def draw_sizes(draw, groups):
    return {None: int(draw.integers(9)), **{name: int(draw.integers(9)) for name in groups}}


def draw_facts(draw):
    def some(*names):
        return [name for name in names if draw.random() < 0.6]

    def one(*values):
        return values[draw.integers(len(values))]

    groups, labels = some("de", "en"), order(some("a", "b", "10", "9"))
    return Facts(
        task=Task("multiclass", labels or None),
        kinds=tuple(some("labels", "probabilities")),
        labels=labels,
        n=draw_sizes(draw, groups),
        left_out=one({}, draw_sizes(draw, groups)),
        invalid={name: draw_sizes(draw, groups) for name in some("a", "b")},
        scored=tuple(some("a", "b")),
        thresholds={"a": one(None, 0.25, 0.5), "b": 0.5},
        tokenizers=one({}, {None: ("", "zh"), **dict.fromkeys(groups, ("zh",))}),
        script=one(None, "zh", "char"),
        has_lines=one(True, False),
        weighted=one(True, False),
        notes=tuple(one(*NOTES).format(draw.integers(1, 5)) for _ in range(2)),
        refused=tuple(Refusal(name, None, "is wrong") for name in some("c", "d")),
    )


@pytest.mark.parametrize("seed", range(40))
def test_adding_facts_is_associative_and_they_survive_being_saved(seed):
    draw = np.random.default_rng(seed)
    a, b, c = (draw_facts(draw) for _ in range(3))

    whole = Facts.join([a, b, c])

    assert (a + b) + c == a + (b + c) == whole
    assert whole.n[None] == a.n[None] + b.n[None] + c.n[None]
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(whole), type=Facts) == whole

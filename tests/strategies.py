"""Examples drawn at random for property tests: labels, probabilities, label sets and weights."""

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.model.codes import Label

Array = NDArray[Any]

STEADY = settings(derandomize=True, deadline=None, max_examples=20)
"""The same examples on every run."""

PAIRS: tuple[tuple[Label, Label], ...] = ((0, 1), ("no", "yes"), ("ärger", "猫"))
"""Labels of binary tasks: the negative one, then the positive one."""

ALPHABETS: tuple[tuple[Label, ...], ...] = (
    *PAIRS,
    ("a", "b", "c"),
    (-1, 3, 10, 20),
    ("10", "2", "9"),
    ("eins", "zwei", "Ärger", "żółw", "猫", "🙂"),
)
"""Labels of multiclass tasks, as scikit-learn sorts them: by letter even where they are digits."""

WEIGHTS = (0.0, 0.5, 1.0, 3.0)
"""Weights whose sums are exact in any order."""


class Sample(Struct, frozen=True):
    """Gold next to predictions; the labels of a binary task are (negative, positive)."""

    labels: tuple[Label, ...]
    gold: list[Label]
    predicted: list[Label]
    probabilities: Array
    weights: list[float] | None

    def __len__(self) -> int:
        return len(self.gold)

    def weighing(self) -> "Sample":
        """The sample without the examples that weigh nothing."""
        if self.weights is None:
            return self
        return self.take([row for row, weight in enumerate(self.weights) if weight > 0])

    def take(self, rows: list[int]) -> "Sample":
        """The examples at `rows`."""
        return Sample(
            self.labels,
            [self.gold[row] for row in rows],
            [self.predicted[row] for row in rows],
            self.probabilities[rows] if len(self.probabilities) else self.probabilities,
            None if self.weights is None else [self.weights[row] for row in rows],
        )


class SetSample(Struct, frozen=True):
    """Gold label sets next to predicted ones, as 0 and 1 of shape (examples, labels)."""

    labels: tuple[Label, ...]
    gold: Array
    predicted: Array
    weights: list[float] | None

    def sets(self, matrix: Array) -> list[list[Label]]:
        """The rows of a matrix as lists of labels."""
        return [
            [label for label, bit in zip(self.labels, row, strict=True) if bit] for row in matrix
        ]


def weights_for(size: int) -> st.SearchStrategy[list[float] | None]:
    drawn = st.lists(st.sampled_from(WEIGHTS), min_size=size, max_size=size)
    return st.none() | drawn.filter(any)


def columns(labels: tuple[Label, ...], size: int) -> st.SearchStrategy[list[Label]]:
    kept = st.lists(st.sampled_from(labels), min_size=1, unique=True)
    return kept.flatmap(lambda few: st.lists(st.sampled_from(few), min_size=size, max_size=size))


@st.composite
def labelled(
    draw: st.DrawFn, alphabets: tuple[tuple[Label, ...], ...] = ALPHABETS, most: int = 25
) -> Sample:
    labels, size = draw(st.sampled_from(alphabets)), draw(st.integers(1, most))
    gold, predicted = draw(columns(labels, size)), draw(columns(labels, size))
    return Sample(labels, gold, predicted, np.zeros(0), draw(weights_for(size)))


@st.composite
def scored(draw: st.DrawFn, most: int = 25) -> Sample:
    sample = draw(labelled(PAIRS, most))
    width = draw(st.sampled_from([32, 64]))
    values = draw(
        st.sampled_from(
            [
                st.floats(0, 1, width=width),
                st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0]),
                st.sampled_from([0.0, -0.0, 1.0]),
            ]
        )
    )
    kind = np.dtype(f"float{width}")
    probabilities = draw(
        arrays(kind, len(sample), elements=values.map(kind.type), fill=st.nothing())
    )
    return replace(sample, probabilities=probabilities)


@st.composite
def scored_by_label(draw: st.DrawFn, most: int = 25) -> Sample:
    sample = draw(labelled(ALPHABETS, most))
    shape = (len(sample), len(sample.labels))
    parts = draw(arrays(np.float64, shape, elements=st.integers(0, 4), fill=st.nothing()))
    parts[parts.sum(1) == 0] = 1
    kind = draw(st.sampled_from([np.float32, np.float64]))
    return replace(sample, probabilities=(parts / parts.sum(1, keepdims=True)).astype(kind))


@st.composite
def label_sets(draw: st.DrawFn, most: int = 12) -> SetSample:
    wide = draw(st.sampled_from([2, 3, 8, 9, 64, 65, 100]))
    shape = (draw(st.integers(1, most)), wide)
    gold, predicted = (draw(arrays(np.int8, shape, elements=st.integers(0, 1))) for _ in range(2))
    labels = tuple(f"標{place}" for place in range(wide))
    return SetSample(labels, gold, predicted, draw(weights_for(shape[0])))

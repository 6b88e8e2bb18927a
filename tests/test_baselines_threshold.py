"""The threshold of a toxicity run equals that of the loop over 81 thresholds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from tallystick.baselines.splits import choose_threshold

EXAMPLE = st.tuples(st.booleans(), st.integers(0, 200).map(lambda number: number / 200))


def search(gold: np.ndarray, probabilities: np.ndarray, start: float) -> float:
    best, highest = start, 0.0
    thresholds = np.linspace(0.1, 0.9, 81)
    predicted = probabilities[:, None] >= thresholds
    golden = np.broadcast_to(gold[:, None], predicted.shape)
    scores = f1_score(golden, predicted, average=None, zero_division=0)
    for threshold, score in zip(thresholds, scores, strict=True):
        if score > highest:
            best, highest = float(threshold), score
    return best


@given(st.lists(EXAMPLE, min_size=1, max_size=30))
def test_the_threshold_is_that_of_the_loop(examples):
    gold = np.array([label for label, _ in examples])
    probabilities = np.array([probability for _, probability in examples])

    assert search(gold, probabilities, 0.5) == choose_threshold(gold, probabilities)


@pytest.mark.parametrize("threshold", np.linspace(0.1, 0.9, 81).tolist())
def test_a_score_upon_the_grid_reaches_its_threshold(threshold):
    probabilities = np.array([threshold, np.nextafter(threshold, 0)])

    assert threshold == choose_threshold(np.array([True, False]), probabilities)


@pytest.mark.parametrize("otherwise", [0.5, 0.1])
def test_nothing_found_leaves_the_start(otherwise):
    gold, probabilities = np.array([True, False]), np.array([0.01, 0.8])

    assert otherwise == choose_threshold(gold, probabilities, otherwise=otherwise)

"""Facts about intervals of means over labels or groups, from how the mean varies."""

import math

import numpy as np

from tallystick.statistics.means import bound_mean, is_scarce


def test_scarce_labels_are_told():
    """Where four in ten labels have one or two examples, or two thirds have in groups."""
    assert is_scarce(np.array([[9, 8, 7, 6, 5, 4, 2, 2, 1, 1]]))
    assert not is_scarce(np.array([[9, 8, 7, 6, 5, 4, 3, 2, 1, 1]]))
    assert not is_scarce(np.array([[*[9] * 23, 2, 2, 1, 1]]))
    assert is_scarce(np.tile([9, 2, 1], (50, 1)))
    assert not is_scarce(np.tile([9, 8, 1], (50, 1)))
    assert not is_scarce(np.zeros((2, 3)))


def test_ends_without_end_make_a_mean_without_end():
    """Their squares are too large, of which nobody is warned."""
    ends = bound_mean(np.array([1.0, 3.0]), np.array([0.0, 2.0]), np.array([1e200, 4.0]))

    assert (2 - math.sqrt(0.5), math.inf) == ends

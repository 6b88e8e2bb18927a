"""Facts about intervals of means over labels or groups, from how the mean varies."""

import math

import numpy as np

from tallystick.statistics.means import bound_mean


def test_ends_without_end_make_a_mean_without_end():
    ends = bound_mean(np.array([1.0, 3.0]), np.array([0.0, 2.0]), np.array([1e200, 4.0]))

    assert (2 - math.sqrt(0.5), math.inf) == ends

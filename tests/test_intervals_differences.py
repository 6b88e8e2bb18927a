"""Intervals of differences that agree with their tests."""

import numpy as np
import pytest

from tallystick.statistics.paired import agree


@pytest.mark.parametrize(
    ("bounds", "difference", "p", "excludes"),
    [
        ((-0.01, 0.2), 0.1, 0.04, True),
        ((0.01, 0.2), 0.1, 0.06, False),
        ((-0.2, 0.01), -0.1, 0.04, True),
        ((-0.2, -0.01), -0.1, 0.05, False),
        ((0.01, 0.2), 0.1, np.nan, True),
        ((-0.1, 0.1), 0.0, 1.0, False),
    ],
)
def test_intervals_exclude_0_where_p_is_small(bounds, difference, p, excludes):
    low, high, _ = agree(tuple(map(np.array, (*bounds, p))), np.array(difference), 0.95)

    assert excludes == bool(low > 0 or high < 0)
    assert low <= difference <= high
    assert bounds[int(difference > 0)] == (high if difference > 0 else low)

"""No p-value is 0."""

import math

import numpy as np
import pytest

from tallystick.statistics import mcnemar
from tallystick.statistics.areas import bound_area_difference, find_areas, find_p_value


@pytest.mark.parametrize("variant", ["exact", "mid-p"])
def test_mcnemar_is_never_zero(variant):
    p = mcnemar.p_value(0, 2000, variant)  # type: ignore[arg-type]

    assert 0 < p < 1e-300
    assert 1 == mcnemar.p_value(0, 0, variant)  # type: ignore[arg-type]


def test_delong_is_never_zero():
    assert 0 < find_p_value(0.5, 2.5e-7) < 1e-300


def test_delong_tells_a_perfect_system_from_a_constant():
    areas, covariances = find_areas(
        np.array([[1.0] * 20, [0.5] * 20]), np.array([[0.0] * 30, [0.5] * 30])
    )
    variance = covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1]
    low, high = bound_area_difference(
        areas[:1] - areas[1:], np.array([variance]), np.array([20]), 0.95
    )

    assert 0 < find_p_value(float(areas[0] - areas[1]), variance, 20) < 1e-6
    assert 0.3 < low[0] < 0.5 < high[0] < 0.7


def test_a_usual_variance_is_delong_s_own():
    assert find_p_value(0.1, 0.003) == find_p_value(0.1, 0.003, 20)


def test_two_perfect_areas_may_differ():
    low, high = bound_area_difference(np.array([0.0]), np.array([0.0]), np.array([20]), 0.95)

    assert low == -high
    assert 0.01 < high[0] < 0.1


def test_one_example_of_a_kind_has_no_p():
    assert math.isnan(find_p_value(0.1, math.nan, 1))

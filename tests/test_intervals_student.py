"""Facts about Student's t and few clusters: they equal SciPy and plain matrices."""

import numpy as np
import pytest
from scipy.stats import t as peer

from tallystick.statistics.student import p_value, quantile

FREEDOM = np.array([0.3, 1, 1.5, 2, 3, 4.7, 10, 29, 59, 60, 61, 100, 1e3, 1e5, 1e6, 1e9, np.inf])


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.99999])
def test_quantiles_are_scipy_s(confidence):
    assert pytest.approx(peer.isf((1 - confidence) / 2, FREEDOM), rel=1e-10) == quantile(
        confidence, FREEDOM
    )


@pytest.mark.parametrize("t", [1e-3, 0.1, 1, 1.7, 1.74, 2, 5, 10])
def test_tails_are_scipy_s(t):
    expected = pytest.approx(2 * peer.sf(t, FREEDOM), rel=1e-10)

    assert expected == p_value(t, FREEDOM)
    assert expected == p_value(-t, FREEDOM)


def test_no_p_is_zero():
    p = p_value(np.array([np.inf, 1e9, 0.0]), np.array([3, 1e7, 5]))

    assert (p[:2] > 0).all()
    assert p[2] == 1


def test_no_freedom_leaves_nothing_known():
    assert np.isnan(quantile(0.95, np.array([0, -1, np.nan]))).all()
    assert np.isnan(p_value(np.array([2, np.nan]), np.array([0, 4]))).all()


@pytest.mark.parametrize("freedom", [1e-12, 1e-3, 0.004])
def test_the_quantile_of_hardly_any_freedom_is_a_number(freedom):
    found = float(quantile(0.95, freedom))

    assert 1e100 < found < found**2 < np.inf

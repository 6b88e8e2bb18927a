"""Facts about Student's t and few clusters: they equal SciPy and plain matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.stats import sem
from scipy.stats import t as peer

from strategies import STEADY
from tallystick.statistics.jackknife import lean_by, lean_p_value
from tallystick.statistics.percentiles import widen_few
from tallystick.statistics.student import cr2, p_value, quantile

FREEDOM = np.array([0.3, 1, 1.5, 2, 3, 4.7, 10, 29, 59, 60, 61, 100, 1e3, 1e5, 1e6, 1e9, np.inf])


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.99999])
def test_quantiles_are_scipy_s(confidence):
    """To ten digits, for any degrees of freedom."""
    assert pytest.approx(peer.isf((1 - confidence) / 2, FREEDOM), rel=1e-10) == quantile(
        confidence, FREEDOM
    )


@pytest.mark.parametrize("t", [1e-3, 0.1, 1, 1.7, 1.74, 2, 5, 10])
def test_tails_are_scipy_s(t):
    """Both tails together, on either side of 0."""
    expected = pytest.approx(2 * peer.sf(t, FREEDOM), rel=1e-10)

    assert expected == p_value(t, FREEDOM)
    assert expected == p_value(-t, FREEDOM)


def test_no_p_is_zero():
    """However many standard errors apart; and no difference has a p-value of 1."""
    p = p_value(np.array([np.inf, 1e9, 0.0]), np.array([3, 1e7, 5]))

    assert (p[:2] > 0).all()
    assert p[2] == 1


def test_no_freedom_leaves_nothing_known():
    """Neither a quantile nor a p-value."""
    assert np.isnan(quantile(0.95, np.array([0, -1, np.nan]))).all()
    assert np.isnan(p_value(np.array([2, np.nan]), np.array([0, 4]))).all()


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_few_units_widen_by_student_s_t(confidence):
    """And by what draws of so few units scatter too little."""
    units = np.array([2, 3, 4, 11, 101])
    student = peer.ppf((1 + confidence) / 2, units - 1) / peer.ppf((1 + confidence) / 2, np.inf)

    assert pytest.approx(student * np.sqrt(units / (units - 1)), rel=1e-10) == widen_few(
        units, confidence
    )


def write_out(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> tuple[float, float]:
    """CR2 and its degrees of freedom as Bell and McCaffrey define them, with whole matrices."""
    n = len(values)
    hat = np.full((n, n), 1 / n)
    rows = []
    for cluster in np.unique(clusters):
        own = np.flatnonzero(clusters == cluster)
        inner = np.eye(len(own)) - hat[np.ix_(own, own)]
        roots, vectors = np.linalg.eigh(inner)
        adjust = (vectors / np.sqrt(roots)) @ vectors.T
        rows.append(np.ones(len(own)) @ adjust @ (np.eye(n) - hat)[own] / n)
    lines = np.stack(rows)
    products = lines @ lines.T
    return float(((lines @ values) ** 2).sum()), np.trace(products) ** 2 / (products**2).sum()


@STEADY
@given(st.lists(st.integers(1, 8), min_size=2, max_size=7), st.integers(0, 10**6))
def test_cr2_is_its_definition(sizes, random_seed):
    """Variance and degrees of freedom are those of whole matrices."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(random_seed).normal(size=len(clusters))
    residuals = np.bincount(clusters, values - values.mean())

    assert pytest.approx(write_out(values, clusters), rel=1e-9) == cr2(residuals, np.array(sizes))


def test_cr2_of_single_examples_is_hc2():
    """The squared standard error of a mean as SciPy has it, with n - 1 degrees of freedom."""
    values = np.random.default_rng(1).normal(size=12)
    variance, freedom = cr2(values - values.mean(), np.ones(12))

    assert pytest.approx(float(sem(values)) ** 2) == float(variance)
    assert pytest.approx(11) == float(freedom)


def test_a_giant_cluster_leaves_little_freedom():
    """Among twenty, one with nine tenths of all examples leaves less than two degrees."""
    sizes = np.array([*[10] * 19, 1710])

    assert cr2(np.zeros(20), sizes)[1] < 2


def test_cr2_takes_leading_axes():
    """Each row of sums is a mean of its own."""
    sums, sizes = np.array([[1.0, -1, 0], [2, 1, -3]]), np.array([3, 4, 5])
    variance, freedom = cr2(sums, sizes)

    assert [float(cr2(row, sizes)[0]) for row in sums] == pytest.approx(variance)
    assert (2,) == freedom.shape


def test_a_single_cluster_shows_no_scatter():
    """So that its variance is not known."""
    variance, freedom = cr2(np.array([0.0]), np.array([7]))

    assert np.isnan([variance, freedom]).all()


@pytest.mark.parametrize("skewness", [-0.05, -0.3, -1.0])
@pytest.mark.parametrize("p", [0.9, 0.2, 0.04, 1e-9])
def test_skewed_p_value_is_where_the_leaning_interval_ends_at_zero(p, skewness):
    """A root of scipy's finds the confidence at which `lean_by` leads from the difference to 0."""
    far = stats.norm.isf(p / 2)

    def miss(other):
        down, _ = lean_by(np.array(skewness), 1 - other)
        return stats.norm.isf(other / 2) * down - far

    expected = optimize.brentq(miss, 1e-9, 0.999) if miss(0.999) < 0 < miss(1e-9) else None
    found = float(lean_p_value(np.array(p), np.array(skewness)))

    assert found >= p
    assert expected is None or found == pytest.approx(expected, rel=1e-6)


def test_skewness_towards_a_difference_leaves_its_p_value():
    """Only examples far out below, of which a sample may have too few, make it larger."""
    p = np.array([0.03, 0.5, 1.0, np.nan])

    assert np.array_equal(p, lean_p_value(p, np.array([0.4, 0.0, -0.4, -0.4])), equal_nan=True)


@pytest.mark.parametrize("freedom", [1e-12, 1e-3, 0.004])
def test_the_quantile_of_hardly_any_freedom_is_a_number(freedom):
    """As of one heavy example among light ones; its square is one too, and nobody is warned."""
    found = float(quantile(0.95, freedom))

    assert 1e100 < found < found**2 < np.inf

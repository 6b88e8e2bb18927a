"""Facts about shares over clusters: they are Wilson's with Student's t, and widen as they must."""

import math

import numpy as np
import pytest
from scipy.stats import betabinom, norm
from scipy.stats import t as student

import tallystick
from tallystick.statistics.clusters import bound_clustered_share
from tallystick.statistics.student import cr2
from tallystick.statistics.wilson import bound_share


def test_many_clusters_of_one_are_examples():
    """Ten thousand of them have the interval of as many trials, to a thousandth of its width."""
    hits = np.arange(10_000) < 7_000
    expected = np.stack(bound_share(np.array(7_000), np.array(10_000), 0.95))

    assert pytest.approx(expected, abs=2e-5) == np.stack(
        bound_clustered_share(hits * 1, np.ones(10_000), 0.95)
    )


def test_equal_clusters_scatter_as_their_shares():
    """Five clusters: the variance of a mean of five numbers, with four degrees of freedom."""
    hits, sizes = np.array([8, 11, 14, 5, 12]), np.full(5, 20)
    shares = hits / 20
    ratio = student.ppf(0.975, 4) / norm.ppf(0.975)
    trials = 0.5 * 0.5 / (shares.var(ddof=1) / 5 * ratio**2)

    assert pytest.approx(np.stack(bound_share(0.5 * trials, np.array(trials), 0.95))) == np.stack(
        bound_clustered_share(hits, sizes, 0.95)
    )


def test_few_misses_reach_as_far_as_beta_binomial_clusters_do():
    """The lower end is that of SciPy's likelihood on a fine grid of shares and correlations."""
    hits, sizes = np.array([200] * 9 + [190]), np.array([200] * 10)
    shares = np.sin((np.arange(4_000) + 0.5) / 4_000 * np.pi / 2)[:, None] ** 2
    icc = (np.arange(400) + 0.5) / 400
    firm = 1 / icc - 1
    likelihood = sum(
        betabinom.logpmf(hit, size, shares * firm, (1 - shares) * firm)
        for hit, size in zip(hits, sizes, strict=True)
    )
    below = np.cumsum(np.exp(likelihood - likelihood.max()).sum(1))
    expected = np.interp(0.025, below / below[-1], shares[:, 0])

    assert pytest.approx(expected, abs=0.004) == float(bound_clustered_share(hits, sizes, 0.95)[0])


def test_skewed_clusters_reach_farther_on_the_long_side():
    """One cluster of ten has all errors: the interval reaches lower than Wilson's, not higher."""
    hits, sizes = np.array([200] * 9 + [190]), np.full(10, 200)
    share = hits.sum() / 2000
    variance, freedom = cr2(hits - share * sizes, sizes)
    widened = student.ppf(0.975, freedom) / norm.ppf(0.975)
    trials = share * (1 - share) / (variance * widened**2)
    plain = bound_share(share * trials, trials, 0.95)
    low, high = bound_clustered_share(hits, sizes, 0.95)

    assert low < plain[0] - 0.01
    assert pytest.approx(float(plain[1])) == float(high)


def test_a_giant_cluster_widens():
    """The same hits and examples, once in equal clusters, once nearly all in one."""
    equal = np.ptp(np.stack(bound_clustered_share(np.tile([14, 16], 10), np.full(20, 20), 0.95)))
    sizes = np.array([305, *[5] * 19])
    giant = np.ptp(np.stack(bound_clustered_share(np.array([229, *[3, 4] * 9, 3]), sizes, 0.95)))

    assert giant > 3 * equal


def test_clusters_that_do_not_differ_are_trials():
    """Where all is right there are four of them, whatever their size."""
    found = bound_clustered_share(np.full(4, 50), np.full(4, 50), 0.95)

    assert pytest.approx(np.stack(bound_share(np.array(4), np.array(4), 0.95))) == np.stack(found)


def test_a_single_cluster_has_no_interval():
    """It shows no scatter."""
    low, high = bound_clustered_share(np.array([[7], [9]]), np.array([10]), 0.95)

    assert np.isnan([low, high]).all()
    assert (2,) == low.shape


@pytest.mark.parametrize("metric", ["macro_f1", "mcc", "kappa", "balanced_accuracy"])
def test_clusters_without_an_error_are_as_few_for_every_metric(metric):
    """Eight clusters that are right throughout say no more of kappa than of accuracy."""
    gold, clusters = np.tile([1, 0, 0, 0, 0, 0, 0, 0], 8), np.repeat(range(8), 8)
    metrics = ["accuracy", metric]
    plain, found = tallystick.score(gold, gold, metrics, task="binary", clusters=clusters).scores
    low = -1 if metric in ("mcc", "kappa") else 0

    assert found.low == pytest.approx(low + (1 - low) * plain.low)


@pytest.mark.parametrize("metric", ["macro_f1", "mcc", "kappa", "macro_fnr", "macro_fpr"])
def test_each_end_of_every_metric_is_as_far_as_that_of_accuracy(metric):
    """Of even labels that are confused alike, one cluster of ten having all errors."""
    gold, clusters = np.tile([0, 1], 100), np.repeat(range(10), 20)
    outputs = np.where(np.arange(200) < 10, 1 - gold, gold)
    metrics = ["accuracy", metric]
    plain, found = tallystick.score(gold, outputs, metrics, task="binary", clusters=clusters).scores
    ends = np.array([plain.low, plain.high])
    if metric in ("mcc", "kappa"):
        ends = 2 * ends - 1
    elif metric != "macro_f1":
        ends = 1 - ends[::-1]

    assert pytest.approx(ends) == [found.low, found.high]


@pytest.mark.parametrize("by", [None, ["x", "x"]])
def test_examples_of_one_cluster_have_no_interval_and_warn_nobody(by):
    """A cluster alone tells nothing of others, and the size it is worth has no end."""
    result = tallystick.score(["c", "c"], ["a", "a"], "macro_f1", clusters=["2", "2"], by=by)

    assert all(math.isnan(score.low) for score in result.scores)


def test_a_cluster_that_is_nearly_all_leaves_no_freedom():
    """Its share cancels out to 1, which warned of a division by 0 and made the freedom infinite."""
    _, freedom = cr2(np.array([0.5, -0.5]), np.array([1e6, 1e-3]))

    assert np.isnan(freedom)

"""Errors of numbers and how much of the gold they explain, against scikit-learn."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk

import tallystick
from cases import cases
from faults import call, write
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.numbers.numbers import Numbers
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems

CASES = 1_300
SIZES = (1, 2, 3, 4, 5, 6, 9, 15)
"""All in all 10,400 cases of each metric."""


def smape(gold, output, sample_weight=None):
    total = np.abs(gold) + np.abs(output)
    shares = np.divide(2 * np.abs(gold - output), total, out=np.zeros_like(total), where=total > 0)
    return np.average(shares, weights=sample_weight)


def macro_mae(gold, output, sample_weight=None):
    weights = np.ones_like(gold) if sample_weight is None else sample_weight
    kinds = [gold == one for one in np.unique(gold[weights > 0])]
    return np.mean([np.average(np.abs(gold - output)[own], weights=weights[own]) for own in kinds])


PEERS = {
    "mse": sk.mean_squared_error,
    "explained_variance": sk.explained_variance_score,
    "mape": sk.mean_absolute_percentage_error,
    "smape": smape,
    "msle": sk.mean_squared_log_error,
    "rmsle": sk.root_mean_squared_log_error,
    "pinball_loss": sk.mean_pinball_loss,
    "pinball_loss(alpha=0.9)": partial(sk.mean_pinball_loss, alpha=0.9),
    "pinball_loss(alpha=0)": partial(sk.mean_pinball_loss, alpha=0),
    "tweedie_deviance": sk.mean_tweedie_deviance,
    "poisson_deviance": sk.mean_poisson_deviance,
    "gamma_deviance": sk.mean_gamma_deviance,
    "tweedie_deviance(power=-1.5)": partial(sk.mean_tweedie_deviance, power=-1.5),
    "tweedie_deviance(power=1.5)": partial(sk.mean_tweedie_deviance, power=1.5),
    "tweedie_deviance(power=3)": partial(sk.mean_tweedie_deviance, power=3),
    "d2_absolute_error": sk.d2_absolute_error_score,
    "d2_pinball(alpha=0.8)": partial(sk.d2_pinball_score, alpha=0.8),
    "d2_tweedie": sk.d2_tweedie_score,
    "d2_tweedie(power=1)": partial(sk.d2_tweedie_score, power=1),
    "d2_tweedie(power=2)": partial(sk.d2_tweedie_score, power=2),
    "median_absolute_error": sk.median_absolute_error,
    "max_error": sk.max_error,
    "macro_mae": macro_mae,
}
POSITIVE = ("gamma", "power=1.5", "power=2", "power=3", "sle", "power=1)", "poisson", "power=-1")
PLAIN = ("median_absolute_error", "max_error")
"""Metrics that do not support weights."""


def draw_cases(metric, size):
    random = np.random.default_rng(size)
    gold = random.integers(0, random.integers(1, 7, CASES), (size, CASES)).astype(float)
    noise = random.normal(0, 1, (size, CASES)) * (random.random(CASES) < 0.8)
    output = np.where(random.random(CASES) < 0.5, gold + noise, np.round(gold + noise))
    if any(one in metric for one in POSITIVE):
        return gold + 0.5, np.maximum(output, 0) + 0.5
    return gold - random.choice([0, 2, 100], CASES), output


def score_cases(metric, gold, output, weights=None):
    size, count = gold.shape
    groups = Labels(np.repeat(np.arange(count, dtype=np.uint32), size), tuple(range(count)))
    numbers = Numbers(gold.T.ravel(), {None: output.T.ravel()[None]})
    weights = None if weights is None else weights.T.ravel()
    systems = Systems(("a",), {"numbers": numbers}, groups=groups, weights=weights)
    return np.asarray(metric.score(metric.counter.count(systems)))


@pytest.mark.deep
@cases("metric", *PEERS)
@cases("weighted", False, True)
def test_scores_equal_scikit_learn(metric, weighted):
    if weighted and metric in PLAIN:
        return
    for size in SIZES:
        gold, output = draw_cases(metric, size)
        random = np.random.default_rng(size)
        weights = random.integers(1, 4, gold.shape).astype(float) if weighted else None
        found = score_cases(parse(metric), gold, output, weights)
        relative = metric.startswith(("d2", "explained"))
        undefined = (np.ptp(gold, axis=0) == 0) & relative
        assert np.array_equal(undefined, np.isnan(found))
        for place in np.flatnonzero(~undefined)[:: 10 if weighted else 1]:
            more = {} if weights is None else {"sample_weight": weights[:, place]}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = PEERS[metric](gold[:, place], output[:, place], **more)
            assert found[place] == pytest.approx(wanted, rel=1e-9, abs=1e-9), (size, place)


@cases("metric", *PEERS)
def test_influence_is_what_leaving_out_tells(metric):
    random = np.random.default_rng(3)
    gold = random.integers(1, 5, 200).astype(float)
    output = gold * random.lognormal(0, 0.2, 200)
    found = tallystick.score(gold.tolist(), output.tolist(), metric).scores[0]
    if metric == "max_error":
        assert np.isnan(found.low)
        return
    assert found.low < found.value < found.high
    values = [
        PEERS[metric](gold[rows], output[rows])
        for rows in random.integers(0, 200, (300, 200))
        if np.ptp(gold[rows])
    ]
    width = np.diff(np.quantile(values, [0.025, 0.975]))[0]
    assert 0.6 * width < found.high - found.low < 2.5 * width


@cases(
    "metric message",
    ("msle", "logarithms need numbers above -1, and an output is lower"),
    ("poisson_deviance", "deviances of power 1 need outputs above 0 and gold of 0 or more"),
    ("gamma_deviance", "need outputs above 0 and gold above 0, and an output is lower"),
    ("d2_tweedie(power=2)", "need outputs above 0 and gold above 0, and an output is lower"),
)
def test_numbers_that_a_loss_does_not_have_are_errors(metric, message):
    with pytest.raises(InputError, match=message):
        tallystick.score([1.5, 2.5, 3.5], [1.0, -2.0, 3.0], metric)


@cases("metric", "tweedie_deviance(power=0.5)", "pinball_loss(alpha=2)", "d2_tweedie(power=x)")
def test_options_out_of_range_are_usage_errors(metric):
    with pytest.raises(UsageError):
        tallystick.score([1.5, 2.5], [1.0, 2.0], metric)


def test_gold_of_zero_is_warned_about():
    result = tallystick.score([0.0, 1.0, 2.5], [1.0, 1.0, 2.0], "mape")
    wanted = sk.mean_absolute_percentage_error([0, 1, 2.5], [1, 1, 2.0])
    assert result.scores[0].value == pytest.approx(wanted)
    assert any("divides by gold numbers of 0" in note for note in result.notes)


def test_the_largest_error_has_no_test():
    data = pd.DataFrame({"gold": [1.5, 2, 3, 4], "a": [1.0, 2, 3, 4], "b": [2.5, 3, 3, 5]})
    (found,) = tallystick.compare(data, metrics="max_error", systems=["a", "b"]).differences
    assert (found.difference, found.p_holm) == (0.5, 1)


def test_numbers_show_r2_by_default(folder):
    write({"n.csv": "gold,score\n1.5,1.2\n2.5,2.2\n0.5,.7\n"})
    assert {"pearson", "mae", "rmse", "r2"} <= {*call("score n.csv").out.split()}

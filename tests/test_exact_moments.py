"""Scores of numbers keep their digits however far the numbers lie from 0."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tallystick

METRICS = ["pearson", "ccc", "r2", "rmse", "mae"]
SPREADS = {
    "small": (0.0, 1.0),
    "timestamps": (1.7e9, 10.0),
    "milliseconds": (1.7e12, 10.0),
    "a-billion-deviations": (-1e9, 1.0),
    "tiny": (1e-9, 1e-15),
    "huge": (1e15, 1e6),
}
EACH_SPREAD = pytest.mark.parametrize(("mean", "deviation"), SPREADS.values(), ids=SPREADS)


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=0)


def draw(mean: float, deviation: float, size: int, seed: int) -> tuple[list[float], list[float]]:
    random = np.random.default_rng(seed)
    gold = mean + deviation * random.standard_normal(size)
    return gold.tolist(), (gold + deviation * random.standard_normal(size)).tolist()


def score_exactly(gold: Sequence[float], outputs: Sequence[float]) -> list[float]:
    x, y = [[*map(Fraction, side)] for side in (gold, outputs)]
    n = len(x)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    xx = sum((own - mean_x) ** 2 for own in x)
    yy = sum((own - mean_y) ** 2 for own in y)
    xy = sum((own - mean_x) * (other - mean_y) for own, other in zip(x, y, strict=True))
    errors = [own - other for own, other in zip(x, y, strict=True)]
    squares = sum(own * own for own in errors)
    return [
        float(xy) / math.sqrt(xx) / math.sqrt(yy),
        float(2 * xy / (xx + yy + n * (mean_x - mean_y) ** 2)),
        float(1 - squares / xx),
        math.sqrt(squares / n),
        float(sum(map(abs, errors)) / n),
    ]


@pytest.mark.deep
@EACH_SPREAD
@pytest.mark.parametrize("size", [3, 40, 9000])
def test_scores_are_those_of_fractions(mean, deviation, size):
    gold, outputs = draw(mean, deviation, size, 1)
    scores = tallystick.score(gold, outputs, METRICS, intervals=False).scores
    assert score_exactly(gold, outputs) == [near(one.value) for one in scores]


@given(st.data())
def test_any_numbers_score_as_fractions(data):
    offset = data.draw(st.integers(-(10**12), 10**12))
    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, 1000)] * 2), min_size=3, max_size=30))
    gold, outputs = ([float(offset + value) for value in side] for side in zip(*pairs, strict=True))
    found = [one.value for one in tallystick.score(gold, outputs, METRICS, intervals=False).scores]
    if len(set(gold)) > 1 < len(set(outputs)):
        assert score_exactly(gold, outputs) == [near(value) for value in found]
    else:
        assert math.isnan(found[0])


@pytest.mark.parametrize("offset", [2.0**30, -(2.0**40)])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("metric", ["pearson", "ccc", "r2", "rmse", "mae"])
def test_intervals_do_not_change_with_an_offset(offset, clustered, metric):
    random = np.random.default_rng(3)
    gold = random.integers(0, 64, 60) / 8
    outputs = gold + random.integers(0, 64, 60) / 8
    clusters = random.integers(0, 12, 60).tolist() if clustered else None
    near_zero, moved = (
        tallystick.score((gold + by).tolist(), (outputs + by).tolist(), metric, clusters=clusters)
        for by in (0.0, offset)
    )
    expected, found = near_zero.scores[0], moved.scores[0]
    assert [near(expected.low), near(expected.high)] == [found.low, found.high]


@EACH_SPREAD
def test_means_of_columns_have_intervals(mean, deviation):
    numbers, _ = draw(mean, deviation, 50, 5)
    (found,) = tallystick.score(pa.table({"latency": numbers}), metrics="mean(latency)").scores
    expected = float(sum(map(Fraction, numbers)) / 50)
    off = np.array(numbers) - expected
    error = float(np.std(off, ddof=1)) / math.sqrt(50)
    skewness = float(np.sum(off**3) / np.sum(off**2) ** 1.5)
    kurtosis = 50 * float(np.sum(off**4) / np.sum(off**2) ** 2)
    t, z = stats.t.ppf(0.975, min(49, 2 * 50 / (kurtosis - 1))), stats.norm.ppf(0.975)
    low, high = (
        t * (1 + 1.5 * max(sign * skewness, 0) * (2 * z**2 + 1) / (6 * z)) for sign in (-1, 1)
    )
    ends = found.low + low * error, found.high - high * error
    assert [near(expected)] * 3 == [found.value, *ends]


def test_numbers_that_differ_in_the_last_bit_are_not_constant():
    gold = [1.7e9, math.nextafter(1.7e9, 2e9), 1.7e9, math.nextafter(1.7e9, 2e9)]
    (apart,) = tallystick.score(gold, gold, "pearson", intervals=False).scores
    (equal,) = tallystick.score([1.7e9] * 4, gold, "pearson", intervals=False).scores
    assert near(1) == apart.value
    assert math.isnan(equal.value)

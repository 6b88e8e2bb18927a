"""Facts about comparisons of more texts than rows are kept for: their moments are resampled."""

from functools import cache

import numpy as np
import pytest

import tallystick
from tallystick import Testing
from tallystick.model.tallies import second_moments
from tallystick.output.results.comparison import Comparison

MANY, SOME = 20_000, 1000
RESAMPLES = 2000
METRICS = ["bleu", "chrf"]

END = 2.67
"""The standard error of an end of a 95% interval, in those of the statistic, times the square root
of the number of resamples: that of a quantile of normal numbers."""


@cache
def draw(size: int) -> tuple[list[str], dict[str, list[str]]]:
    rng = np.random.default_rng(4)
    words = np.array([f"w{number}" for number in range(50)])
    gold = rng.integers(50, size=(size, 7))

    def garble(share: float) -> list[str]:
        other = np.where(rng.random(gold.shape) < share, rng.integers(50, size=gold.shape), gold)
        return [" ".join(line) for line in words[other].tolist()]

    return garble(0.0), {"A": garble(0.3), "B": garble(0.303)}


def compare(size: int, test: str, resamples: int | None = None) -> Comparison:
    references, systems = draw(size)
    return tallystick.compare(
        references, systems, metrics=METRICS, testing=Testing(test, resamples)
    )


def test_the_price_does_not_know_the_number_of_lines():
    compared = compare(MANY, "ar")

    assert METRICS == [one.name for one in compared.differences]
    assert all(one.low < one.difference < one.high for one in compared.differences)


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_moments_agree_with_rows(test, monkeypatch):
    monkeypatch.setattr(second_moments, "_MOST_ROWS", SOME // 2)
    found = compare(SOME, test, RESAMPLES).differences
    monkeypatch.setattr(second_moments, "_MOST_ROWS", SOME)
    expected = compare(SOME, test, RESAMPLES).differences
    wide = 4 * np.sqrt(2 / RESAMPLES)

    assert [one.difference for one in expected] == [one.difference for one in found]
    for one, other in zip(expected, found, strict=True):
        end = wide * END * (one.high - one.low) / 3.92
        assert pytest.approx(one.low, abs=end) == other.low
        assert pytest.approx(one.high, abs=end) == other.high
        assert pytest.approx(one.p, abs=wide * np.sqrt(one.p * (1 - one.p))) == other.p
        assert 0.01 < one.p < 0.99
        assert one.low != other.low

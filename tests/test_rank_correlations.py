"""Spearman's and Kendall's rank correlations, against scipy."""

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray
from scipy import stats

import tallystick
from oracle import ask, near
from tallystick.kinds.numbers.numbers import Numbers
from tallystick.metrics import KendallTauB, KendallTauC, Spearman
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells

Column = NDArray[np.float64]
CASES = 1_000
SIZES = (1, 2, 3, 4, 5, 6, 8, 12)
"""All in all 20,000 cases."""

RANKED = (Spearman(), KendallTauB(), KendallTauC())
PEERS = {
    Spearman(): lambda x, y: stats.spearmanr(x, y).statistic,
    KendallTauB(): lambda x, y: stats.kendalltau(x, y).statistic,
    KendallTauC(): lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}


def draw_cases(size: int) -> tuple[Column, Column]:
    random = np.random.default_rng(size)
    gold = random.integers(-2, random.integers(-1, 4, CASES), (size, CASES)).astype(float)
    outputs = gold + random.integers(-1, 2, (size, CASES))
    gold, outputs = (
        np.where(own == 0, random.choice([0.0, -0.0], own.shape), own) for own in (gold, outputs)
    )
    noise = random.normal(0, 1, (2, size, CASES)) * (np.arange(CASES) % 2)
    scale = np.where(np.arange(CASES) % 10 == 3, 1e307, 1.0)
    return (gold + noise[0]) * scale, (outputs + noise[1]) * scale


def tally_cases(gold: Column, outputs: Column) -> Cells:
    size, cases = gold.shape
    groups = Labels(np.repeat(np.arange(cases, dtype=np.uint32), size), tuple(range(cases)))
    numbers = Numbers(gold.T.ravel(), {None: outputs.T.ravel()[None]})
    return Spearman().counter.count(Systems(("a",), {"numbers": numbers}, groups=groups))


@pytest.mark.deep
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("metric", RANKED, ids=repr)
def test_values_equal_scipy_s(metric, size):
    gold, outputs = draw_cases(size)
    found = metric.score(tally_cases(gold, outputs))
    constant = (np.ptp(gold, axis=0) == 0) | (np.ptp(outputs, axis=0) == 0)
    assert constant.any()
    assert np.array_equal(constant, np.isnan(found))
    peer = PEERS[metric]
    expected = [
        np.nan if undefined else ask(peer, x, y)
        for x, y, undefined in zip(gold.T, outputs.T, constant, strict=True)
    ]
    assert np.allclose(expected, found, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("metric", RANKED, ids=repr)
def test_many_distinct_numbers_equal_scipy_s(metric):
    random = np.random.default_rng(1)
    gold = random.normal(0, 1, 5_000).round(2)
    outputs = (gold + random.normal(0, 1, 5_000)).round(3)

    (found,) = metric.score(tally_cases(gold[:, None], outputs[:, None]))
    assert near(PEERS[metric](gold, outputs)) == found


def test_a_published_table():
    gold = [7.0, 4, 3, 10, 6, 2, 9, 8, 1, 5]
    outputs = [5.0, 7, 3, 10, 1, 9, 6, 2, 8, 4]
    scores = tallystick.score(gold, outputs, [*RANKED], intervals=False).scores

    assert [near(-17 / 165), near(-3 / 45), near(-3 / 45)] == [one.value for one in scores]


@pytest.mark.parametrize("metric", RANKED, ids=repr)
def test_resamples_of_counts_are_those_of_rows(metric):
    random = np.random.default_rng(3)
    gold = random.integers(0, 6, (40, 3)).astype(float)
    tally = tally_cases(gold, gold + random.normal(0, 2, gold.shape).round())
    (chunk,) = tally.resample(20, 1)
    for values, counts in zip(metric.score(chunk), chunk.counts, strict=True):
        for group, value in enumerate(values):
            own = np.where(tally.owners == group, counts, 0)
            x, y = (np.repeat(side, own) for side in (tally.gold, tally.predicted))
            assert near(PEERS[metric](x, y)) == value


@pytest.mark.parametrize("metric", RANKED, ids=repr)
def test_slopes_are_those_of_small_steps(metric):
    random = np.random.default_rng(4)
    gold = random.integers(0, 6, (30, 3)).astype(float)
    tally = tally_cases(gold, gold + random.normal(0, 2, gold.shape).round())
    steps = 1e-5 * np.eye(len(tally.owners))
    ends = [metric.score(replace(tally, counts=tally.counts + side)) for side in (steps, -steps)]
    rise = (ends[0] - ends[1])[np.arange(len(steps)), tally.owners] / 2e-5

    slopes = metric.influence(tally)
    assert slopes is not None
    assert np.allclose(rise, slopes, rtol=0, atol=1e-9)


def draw_systems(size: int) -> tuple[Column, dict[str, Column]]:
    random = np.random.default_rng(9)
    gold = random.normal(0, 1, size)
    return gold, {
        "good": gold + random.normal(0, 1, size),
        "better": gold + random.normal(0, 0.5, size),
    }


@pytest.mark.parametrize("metric", RANKED, ids=repr)
def test_intervals_are_close_to_the_bootstrap_s(metric):
    gold, systems = draw_systems(2_000)
    (one,) = tallystick.score(gold, systems["good"], metric).scores
    tally = tally_cases(gold[:, None], systems["good"][:, None])
    drawn = np.concatenate([metric.score(chunk) for chunk in tally.resample(1_000, 1)])

    assert pytest.approx(3.92 * drawn.std(), rel=0.1) == one.high - one.low


def test_intervals_are_those_of_fisher_where_he_is_right():
    random = np.random.default_rng(5)
    gold, outputs = random.normal(0, 1, (2, 4_000))
    (one,) = tallystick.score(gold, outputs, "spearman").scores
    half = 1.96 / np.sqrt(4_000)

    assert pytest.approx((one.value - half, one.value + half), abs=0.003) == (one.low, one.high)


@pytest.mark.parametrize("by", [None, ["u", "v"]])
def test_the_better_system_is_found(by):
    gold, systems = draw_systems(400)
    groups = None if by is None else np.resize(by, 400)
    result = tallystick.compare(gold, systems, [*RANKED], by=groups)

    assert all(one.difference > 0 and one.p_holm < 0.01 for one in result.differences)
    assert (12 if by else 3) == len(result.differences)


def test_shards_of_other_numbers_add_up(tmp_path):
    gold, systems = draw_systems(300)
    clusters = np.arange(300) // 4
    parts = [slice(0, 100), slice(100, 300)]
    for at, part in enumerate(parts):
        own = {name: column[part] for name, column in systems.items()}
        counted = tallystick.count(gold[part], own, [*RANKED], clusters=clusters[part])
        counted.save(tmp_path / f"{at}.tally")
    added = tallystick.load(tmp_path / "0.tally", tmp_path / "1.tally")
    whole = tallystick.score(gold, systems, [*RANKED], clusters=clusters)

    assert whole.scores == tallystick.score(added).scores

"""Mean ranks and rank correlations, against scipy, scikit-posthocs and published numbers."""

import json
import math
from itertools import permutations, product

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray
from scipy import stats

import tallystick
from oracle import ask, near
from places import place
from tallystick.comparison.ranking.overall_ranking import add_standings, rank_tracks
from tallystick.kinds.numbers.numbers import Numbers
from tallystick.metrics import KendallTauB, KendallTauC, Spearman
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.saved import read_result
from tallystick.statistics.paired import (
    compare_pairs,
    compare_ranks,
    find_critical_difference,
    find_range_tail,
)

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
DEMSAR = np.array(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)
"""The ranks of four classifiers on 14 data sets in Demsar 2006, JMLR 7, Table 6."""


def _rank(values, names, overall="mean_rank"):
    places = [
        place(name, value, group=f"set{at}")
        for at, row in enumerate(values)
        for name, value in zip(names, row, strict=True)
    ]
    main = [place(name, 0.5, group="macro") for name in names]
    return add_standings(Ranking((*main, *places)), overall, "exclude")


def test_mean_ranks_and_critical_difference_are_those_of_the_paper():
    found = _rank(1 - DEMSAR / 10, NAMES)
    ranks = {one.system: round(one.mean_rank, 3) for one in found.standings}
    assert dict(zip(NAMES, (3.143, 2.0, 2.893, 1.964), strict=True)) == ranks
    assert 1.25 == round(found.friedman.critical_difference, 2)
    assert 1.12 == round(find_critical_difference(14, 4, 0.10), 2)
    assert () == found.friedman.separated


@pytest.mark.parametrize(
    ("systems", "value"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)]
)
def test_critical_values_are_those_of_the_paper(systems, value):
    error = np.sqrt(systems * (systems + 1) / 6)
    assert pytest.approx(value, abs=1e-3) == find_critical_difference(1, systems, 0.05) / error


@pytest.mark.parametrize(
    ("row", "count"), [((1, 2), 3), ((1, 2, 3), 4), ((1.5, 1.5, 3), 3), ((1, 2, 3, 4), 2)]
)
def test_data_sets_that_all_agree_have_an_infinite_f_and_an_exact_p_value(row, count):
    orders = sorted(set(permutations(row)))
    found = compare_ranks(np.array([row] * count))
    alike = sum(len(set(drawn)) == 1 for drawn in product(orders, repeat=count))
    assert math.inf == found.f
    assert alike / len(orders) ** count == pytest.approx(found.f_p)


@pytest.mark.parametrize("seed", range(20))
def test_friedman_is_that_of_scipy(seed):
    random = np.random.default_rng(seed)
    sets, systems = random.integers(2, 40), random.integers(3, 30)
    values = random.integers(0, random.integers(3, 50), (sets, systems)).astype(float)
    found = compare_ranks(stats.rankdata(values, axis=1))
    expected = stats.friedmanchisquare(*values.T)
    freedom = systems - 1, (systems - 1) * (sets - 1)

    assert pytest.approx(tuple(expected), rel=1e-9) == (found.chi_square, found.p)
    assert pytest.approx(stats.f.sf(found.f, *freedom), rel=1e-8) == found.f_p


def test_the_range_is_that_of_scipy():
    ranges = np.array([0.0, 0.5, 2.0, 3.5, 6.0, 9.0])
    for count in (2, 5, 20):
        expected = stats.studentized_range.sf(ranges, count, np.inf)
        assert pytest.approx(expected, abs=1e-12) == find_range_tail(ranges, count)


@pytest.mark.peers
def test_nemenyi_is_that_of_scikit_posthocs():
    expected = pytest.importorskip("scikit_posthocs").posthoc_nemenyi_friedman(-DEMSAR).to_numpy()
    assert pytest.approx(expected, abs=1e-9) == compare_pairs(DEMSAR.mean(0), len(DEMSAR))


def test_level_systems_have_no_test():
    found = _rank(np.full((6, 3), 0.5), "abc")
    assert [2.0, 2.0, 2.0] == [one.mean_rank for one in found.standings]
    assert np.isnan(found.friedman.p)
    assert "level in all of them" in found.sentences[0]


def test_an_interval_over_groups_has_a_width_where_ranks_never_change():
    found = _rank(np.tile([0.9, 0.8, 0.7], (6, 1)), "abc")
    low, high = found.standings[0].mean_rank_interval_over_groups
    assert 1 == low
    assert 1.1 < high < 2


@pytest.mark.parametrize(("values", "names", "note"), [
    (np.array([[0.9, 0.8, 0.7]] * 4), "abc", "there are 4 groups only"),
    (np.array([[0.9, 0.8]] * 9), "ab", "needs three systems or more"),
])  # fmt: skip
def test_what_is_too_little_for_the_tests_is_told(values, names, note):
    assert any(note in one for one in _rank(values, names).notes)


def test_tracks_are_tested_like_groups():
    tracks = {
        f"T{at}": Ranking(tuple(place(name, value) for name, value in zip("abc", row, strict=True)))
        for at, row in enumerate([[0.9, 0.8, 0.7]] * 5)
    }

    assert ("tracks", 5) == (
        (found := rank_tracks(tracks, overall="mean_rank").friedman).over,
        found.count,
    )


def _data(systems=3, groups=6, examples=30):
    random = np.random.default_rng(1)
    gold = random.choice(["x", "y"], groups * examples)
    other = np.where(gold == "x", "y", "x")
    outputs = {
        f"s{at}": np.where(random.random(len(gold)) < 0.9 - at / 20, gold, other).tolist()
        for at in range(systems)
    }
    return gold.tolist(), outputs, np.repeat([f"g{at}" for at in range(groups)], examples).tolist()


@pytest.fixture(scope="module")
def ranked():
    gold, outputs, by = _data()
    return tallystick.rank(gold, outputs, ["accuracy", "mcc"], by=by, overall="mean_rank")


def test_intervals_over_examples_are_those_of_the_resamples(ranked):
    one = ranked.standings[0]
    systems = [own.system for own in ranked.standings]
    drawn = np.array([[ranked.resampled[(*own, name)] for name in systems] for own in one.criteria])
    low, high = np.quantile(stats.rankdata(-drawn, axis=1).mean(0)[0], [0.025, 0.975])

    assert pytest.approx((min(low, one.mean_rank), max(high, one.mean_rank))) == (
        one.mean_rank_interval
    )
    assert one.borda_interval == pytest.approx(
        [6 * (3 - end) for end in one.mean_rank_interval[::-1]]
    )


def test_mean_ranks_are_over_groups_whatever_other_metrics_there_are(ranked):
    assert {"Accuracy()"} == {metric for *_, metric in ranked.standings[0].criteria}
    assert ("groups", 6) == (ranked.friedman.over, ranked.friedman.count)


def test_groups_of_one_example_leave_no_interval_over_examples():
    gold, outputs, _ = _data(groups=1, examples=9)
    found = tallystick.rank(gold, outputs, "accuracy", by=list("aabbccdde"), overall="mean_rank")
    assert np.isnan([one.mean_rank_interval for one in found.standings]).all()


def test_a_saved_ranking_shows_the_same_table(ranked, tmp_path):
    path = tmp_path / "ranking.json"
    path.write_text(ranked.to_json())
    assert json.loads(path.read_text())["friedman"]["count"] == 6
    assert ranked.friedman == read_result(str(path)).friedman
    assert str(ranked).splitlines()[:6] == str(read_result(str(path))).splitlines()[:6]


def test_the_order_by_points_has_the_intervals_too():
    gold, outputs, by = _data()
    found = tallystick.rank(gold, outputs, "accuracy", by=by, overall="borda")
    assert ["points", "over", "examples", "over", "groups"] == str(found).splitlines()[
        next(at for at, line in enumerate(str(found).splitlines()) if "points" in line)
    ].split()[2:7]


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


def draw_cases(size):
    random = np.random.default_rng(size)
    gold = random.integers(-2, random.integers(-1, 4, CASES), (size, CASES)).astype(float)
    outputs = gold + random.integers(-1, 2, (size, CASES))
    gold, outputs = (
        np.where(own == 0, random.choice([0.0, -0.0], own.shape), own) for own in (gold, outputs)
    )
    noise = random.normal(0, 1, (2, size, CASES)) * (np.arange(CASES) % 2)
    scale = np.where(np.arange(CASES) % 10 == 3, 1e307, 1.0)
    return (gold + noise[0]) * scale, (outputs + noise[1]) * scale


def tally_cases(gold, outputs):
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


def draw_systems(size):
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
    gold, outputs = np.random.default_rng(5).normal(0, 1, (2, 4_000))
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
    for at, part in enumerate([slice(0, 100), slice(100, 300)]):
        own = {name: column[part] for name, column in systems.items()}
        counted = tallystick.count(gold[part], own, [*RANKED], clusters=clusters[part])
        counted.save(tmp_path / f"{at}.tally")
    added = tallystick.load(tmp_path / "0.tally", tmp_path / "1.tally")
    whole = tallystick.score(gold, systems, [*RANKED], clusters=clusters)

    assert whole.scores == tallystick.score(added).scores

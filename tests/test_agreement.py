"""Agreement of annotators, against krippendorff, statsmodels, irrCAC and published tables."""

import json
import random

import krippendorff
import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from oracle import near
from systems import hold
from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, Output
from tallystick.kinds.ratings.agreement import RatingPatterns
from tallystick.metrics import FleissKappa, GwetAC1, KrippendorffAlpha, Metric
from tallystick.model.codes import Labels, encode
from tallystick.model.reading import Patterns
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells

Table = NDArray[np.float64]
LEVELS = ("nominal", "ordinal", "interval", "ratio")
CASES = 1_000
SHAPES = ((1, 2), (1, 4), (2, 1), (2, 2), (3, 3), (5, 2), (6, 5), (9, 3))
"""Units and annotators of the cases, which are 20,000 all in all."""

EACH_SHAPE = pytest.mark.parametrize("shape", SHAPES, ids=str)

NONE = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
).T
"""Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C: units and observers."""

FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
"""The example of Wikipedia's page of Fleiss' kappa: how many of 14 gave each of 5 ratings."""


FLEISS_1971 = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 "
    "144444 224445 333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 "
    "111155 224444 133333 555555"
)
"""The ratings of 30 patients by 6 psychiatrists each, which Fleiss 1971 has as counts."""

# fmt: off
IRRCAC = (
    0.388235294118, 0.255813953488, 0.2, 1.0, 1.0, 0.338797814208, 0.596330275229, 0.179916317992,
    0.73063973064, 0.421354764638, 0.615160349854, 0.763157894737, 0.408197559728, 0.613595706619,
    0.333333333333, 1.0, 0.344494892168, 0.259039715471, 0.04, 0.223420647149, 0.318833162743,
    0.238410596026, -0.333333333333, 0.568965517241, 0.0, 0.529411764706, 0.006622516556,
    0.456390432472, NONE, -0.378723404255, 0.299397920088, 0.137931034483, 0.2, 0.294257425743,
    0.378682378147, 0.366842543738, 0.784615384615, 0.625580195977, 0.161068103536, 0.499431171786,
    0.121951219512, 0.545355191257, 0.504098360656, 0.2, 0.0, 0.412724306688, 0.733333333333,
    0.703092783505, 0.106206896552, 0.092783505155, 0.331059245961, 0.203539823009, 1.0,
    0.339699863574, 0.273127753304, 1.0, 0.261992619926, 0.644444444444, 0.789259796807,
    -0.12676056338,
)
# fmt: on
"""irrCAC 0.4.4: `CAC(pandas.DataFrame(draw_units(seed)), categories=..., digits=15).gwet()`.

Of seeds from 0 on. The categories are the ratings that occur: with pandas 3 it would count NaN too.
"""

# fmt: off
STATSMODELS = (
    0.306666666667, 0.238095238095, -0.333333333333, NONE, NONE, 0.316384180791, 0.579617834395,
    NONE, 0.611650485437, 0.407058823529, 0.531914893617, NONE, NONE, NONE, NONE, NONE,
    0.160610465116, 0.231242312423, -0.142857142857, 0.218604651163, NONE, 0.21768707483, NONE,
    NONE, 0.0, 0.466666666667, NONE, 0.405233941316, NONE, NONE, 0.255381035486, -0.190476190476,
    -0.0, 0.199460916442, 0.27454659162, NONE, 0.575757575758, NONE, NONE, 0.314641744548,
)
# fmt: on
"""statsmodels 0.15.0: `inter_rater.fleiss_kappa(inter_rater.aggregate_raters(rows)[0])`.

The rows are those of `draw_units(seed)`, of seeds from 0 on; NaN where ratings are missing.
"""


def draw_units(seed: int) -> list[list[float]]:
    draw = random.Random(seed)
    units, annotators, labels = draw.randint(2, 12), draw.randint(2, 5), draw.randint(2, 4)
    lacking = draw.choice([0, 0, 0.3])
    rows = []
    for _ in range(units):
        truth = draw.randrange(labels)
        row = []
        for _ in range(annotators):
            if draw.random() < lacking:
                row.append(NONE)
            else:
                row.append(float(truth if draw.random() < 0.6 else draw.randrange(labels)))
        rows.append(row)
    return [row for row in rows if not np.isnan(row).all()]


def draw_cases(shape: tuple[int, int]) -> Table:
    draw = np.random.default_rng(shape)
    most = draw.integers(1, 7, (CASES, 1, 1))
    truth = draw.integers(0, most, (CASES, shape[0], 1))
    noise = draw.integers(0, most, (CASES, *shape))
    ratings = np.where(draw.random((CASES, *shape)) < 0.5, truth, noise).astype(float)
    ratings *= draw.choice([1, 0.5, 1000], (CASES, 1, 1))
    missing = draw.random((CASES, 1, 1)) * draw.integers(0, 2, (CASES, 1, 1))
    return np.where(draw.random((CASES, *shape)) < missing, NONE, ratings)


def tally_cases(cases: Table) -> Cells:
    patterns = [list(map(str, unit[~np.isnan(unit)])) for case in cases for unit in case]
    owners = np.repeat(np.arange(len(cases), dtype=np.uint32), cases.shape[1])
    rated = [place for place, pattern in enumerate(patterns) if pattern]
    names = [json.dumps(sorted(patterns[place])) for place in rated]
    groups = Labels(owners[rated], tuple(range(len(cases))))
    return RatingPatterns().count(
        Systems(("all",), {"ratings": Patterns((encode(names, str),))}, groups=groups)
    )


def score_cases(metric: Metric, cases: Table) -> Table:
    parts = [cases[start : start + 500] for start in range(0, len(cases), 500)]
    return np.concatenate([metric.score(tally_cases(part)) for part in parts])


def ask_krippendorff(case: Table, level: str) -> float:
    paired = case[(~np.isnan(case)).sum(1) > 1]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        return NONE
    return float(krippendorff.alpha(reliability_data=case.T, level_of_measurement=level))


@pytest.mark.deep
@EACH_SHAPE
@pytest.mark.parametrize("level", LEVELS)
def test_alpha_equals_krippendorff(level, shape):
    cases = draw_cases(shape)
    found = score_cases(KrippendorffAlpha(level), cases)
    expected = np.array([ask_krippendorff(case, level) for case in cases])
    assert np.isnan(expected).any()
    assert np.allclose(expected, found, rtol=0, atol=1e-9, equal_nan=True)


def ask_statsmodels(case: Table) -> float:
    from statsmodels.stats import inter_rater

    known = case[~np.isnan(case)]
    rated = case[~np.isnan(case).all(1)]
    sizes = {int(size) for size in (~np.isnan(rated)).sum(1)}
    if len(sizes) != 1 or min(sizes) < 2 or len(np.unique(known)) < 2:
        return NONE
    table, _ = inter_rater.aggregate_raters(known.reshape(len(rated), -1))
    return float(inter_rater.fleiss_kappa(table))


@pytest.mark.peers
@EACH_SHAPE
def test_fleiss_kappa_equals_statsmodels(shape):
    cases = draw_cases(shape)
    expected = np.array([ask_statsmodels(case) for case in cases])
    assert near(expected) == score_cases(FleissKappa(), cases)


@pytest.mark.peers
def test_recorded_kappas_are_those_of_statsmodels():
    found = [ask_statsmodels(np.array(draw_units(seed))) for seed in range(len(STATSMODELS))]
    assert list(STATSMODELS) == pytest.approx(found, abs=1e-11, nan_ok=True)


def test_fleiss_kappa_is_as_recorded():
    found = [
        score_units(FleissKappa(), np.array(draw_units(seed))) for seed in range(len(STATSMODELS))
    ]
    assert list(STATSMODELS) == pytest.approx(found, abs=1e-11, nan_ok=True)


def find_ac1(case: Table) -> float:
    units = [unit[~np.isnan(unit)].tolist() for unit in case if not np.isnan(unit).all()]
    names = sorted({own for unit in units for own in unit})
    paired = [unit for unit in units if len(unit) > 1]
    if len(names) < 2 or not paired:
        return NONE
    equal = 0.0
    for unit in paired:
        pairs = len(unit) * (len(unit) - 1)
        same = sum(unit.count(name) * (unit.count(name) - 1) for name in names)
        equal += same / pairs / len(paired)
    shares = [sum(unit.count(name) / len(unit) for unit in units) / len(units) for name in names]
    chance = sum(share * (1 - share) for share in shares) / (len(names) - 1)
    return (equal - chance) / (1 - chance)


@EACH_SHAPE
def test_ac1_is_gwets_formula(shape):
    cases = draw_cases(shape)
    expected = [find_ac1(case) for case in cases]
    assert np.isnan(expected).any()
    assert np.allclose(expected, score_cases(GwetAC1(), cases), atol=1e-9, equal_nan=True)


def test_ac1_equals_irrcac():
    found = [score_units(GwetAC1(), np.array(draw_units(seed))) for seed in range(len(IRRCAC))]
    assert list(IRRCAC) == pytest.approx(found, abs=1e-11, nan_ok=True)


def score_units(metric: Metric, units: Table) -> float:
    return float(metric.score(tally_cases(units[None]))[0])


def test_alpha_of_krippendorffs_example():
    found = [score_units(KrippendorffAlpha(level), KRIPPENDORFF) for level in LEVELS]
    assert [0.743, 0.815, 0.849, 0.797] == [round(own, 3) for own in found]


def test_fleiss_kappa_of_published_tables():
    patients = np.array([list(map(float, ratings)) for ratings in FLEISS_1971.split()])
    units = np.array([np.repeat(np.arange(5.0), row) for row in FLEISS])
    assert pytest.approx(0.4302445, abs=1e-7) == score_units(FleissKappa(), patients)
    assert round(score_units(FleissKappa(), units), 3) == 0.21


def test_words_have_the_named_order():
    words = ("nil", "low", "mid", "high", "top")
    table = [
        json.dumps(sorted(words[int(own) - 1] for own in unit[~np.isnan(unit)]))
        for unit in KRIPPENDORFF
    ]
    tally = RatingPatterns().count(Systems(("all",), {"ratings": Patterns((encode(table, str),))}))
    expected = score_units(KrippendorffAlpha("ordinal"), KRIPPENDORFF)

    assert near([expected]) == KrippendorffAlpha("ordinal", words).score(tally)
    assert near([0.743421052631579]) == KrippendorffAlpha().score(tally)
    with pytest.raises(UsageError, match="the ordinal level of krippendorff_alpha is for labels"):
        KrippendorffAlpha("ordinal").score(tally)
    with pytest.raises(UsageError, match="the interval level of krippendorff_alpha is for ratings"):
        KrippendorffAlpha("interval", words).score(tally)
    with pytest.raises(UsageError, match="is over nil, low, and an example has"):
        KrippendorffAlpha("ordinal", words[:2]).score(tally)
    with pytest.raises(UsageError, match="gwet_ac1 is over nil, low, and an example has"):
        GwetAC1(words[:2]).score(tally)


def test_ratio_values_are_not_negative():
    with pytest.raises(UsageError, match="is for numbers from 0 on, and -1 is lower"):
        score_units(KrippendorffAlpha("ratio"), np.array([[-1.0, 2.0], [1.0, 1.0]]))


def test_numbers_of_one_value_are_one_rating():
    names = ['["1", "1.0"]', '["2", "2.00"]', '["1", "2"]']
    tally = RatingPatterns().count(Systems(("all",), {"ratings": Patterns((encode(names, str),))}))
    expected = score_units(KrippendorffAlpha("ordinal"), np.array([[1, 1], [2, 2], [1, 2.0]]))
    assert near([expected]) == KrippendorffAlpha("ordinal").score(tally)


def test_categories_that_do_not_occur_can_be_named():
    units = np.array([[0, 0], [1, 1], [0, 1.0]])
    share = 0.5 * 0.5 * 2
    named = GwetAC1(("0.0", "1.0", "2.0"))
    assert near((2 / 3 - share / 2) / (1 - share / 2)) == score_units(named, units)
    assert near((2 / 3 - share) / (1 - share)) == score_units(GwetAC1(), units)


METRICS = (
    KrippendorffAlpha(),
    KrippendorffAlpha("ordinal"),
    KrippendorffAlpha("interval"),
    KrippendorffAlpha("ratio"),
    FleissKappa(),
    GwetAC1(),
)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_gold_and_predictions_are_two_annotators(metric):
    codes = np.random.default_rng(3).integers(1, 5, (2, 40)).astype(np.uint8)
    sides = [Labels(own - 1, ("1", "2", "3", "4")) for own in codes]
    tally = Confusion().count(Systems(("a",), hold(sides[0], Output(sides[1]))))
    assert near(score_units(metric, codes.T.astype(float))) == metric.score(tally)[0]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_resamples_are_scored_as_if_each_were_alone(metric):
    tally = tally_cases(np.random.default_rng(1).integers(1, 4, (3, 8, 3)).astype(float))
    counts = np.random.default_rng(2).integers(0, 3, (5, *tally.counts.shape))
    stacked = replace(tally, counts=counts)
    alone = [replace(tally, counts=own) for own in counts]

    values = np.stack([metric.score(one) for one in alone])
    totals = np.stack([metric.score(one.total()) for one in alone])

    assert near(values) == metric.score(stacked)
    assert near(totals) == metric.score(stacked.total())


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_nothing_rated_is_undefined(metric):
    for units in ([[NONE, 1.0], [2.0, NONE]], [[1.0, 1.0], [1.0, 1.0]]):
        assert np.isnan(score_units(metric, np.array(units)))

"""Agreement of annotators: the metrics are those of others, and ratings come in any layout."""

import json
import math
import random

import krippendorff
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
import sklearn.metrics as sk
from msgspec.structs import replace
from numpy.typing import NDArray

import tallystick
from cases import cases
from oracle import near
from systems import hold
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels.label_columns import Confusion, Output
from tallystick.kinds.ratings.agreement import RatingPatterns
from tallystick.metrics import FleissKappa, GwetAC1, KrippendorffAlpha
from tallystick.model.codes import Labels, encode
from tallystick.model.columns import Columns
from tallystick.model.reading import Patterns
from tallystick.model.systems import Systems

Table = NDArray[np.float64]
LEVELS = ("nominal", "ordinal", "interval", "ratio")
CASES = 1_000
SHAPES = ((1, 2), (1, 4), (2, 1), (2, 2), (3, 3), (5, 2), (6, 5), (9, 3))
"""Units and annotators of the cases, which are 20,000 all in all."""

EACH_SHAPE = cases("shape", *SHAPES, ids=str)

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


def draw_units(seed):
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


def draw_cases(shape):
    draw = np.random.default_rng(shape)
    most = draw.integers(1, 7, (CASES, 1, 1))
    truth = draw.integers(0, most, (CASES, shape[0], 1))
    noise = draw.integers(0, most, (CASES, *shape))
    ratings = np.where(draw.random((CASES, *shape)) < 0.5, truth, noise).astype(float)
    ratings *= draw.choice([1, 0.5, 1000], (CASES, 1, 1))
    missing = draw.random((CASES, 1, 1)) * draw.integers(0, 2, (CASES, 1, 1))
    return np.where(draw.random((CASES, *shape)) < missing, NONE, ratings)


def tally_cases(cases):
    patterns = [list(map(str, unit[~np.isnan(unit)])) for case in cases for unit in case]
    owners = np.repeat(np.arange(len(cases), dtype=np.uint32), cases.shape[1])
    rated = [place for place, pattern in enumerate(patterns) if pattern]
    names = [json.dumps(sorted(patterns[place])) for place in rated]
    groups = Labels(owners[rated], tuple(range(len(cases))))
    return RatingPatterns().count(
        Systems(("all",), {"ratings": Patterns((encode(names, str),))}, groups=groups)
    )


def score_cases(metric, cases):
    parts = [cases[start : start + 500] for start in range(0, len(cases), 500)]
    return np.concatenate([metric.score(tally_cases(part)) for part in parts])


def ask_krippendorff(case, level):
    paired = case[(~np.isnan(case)).sum(1) > 1]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        return NONE
    return float(krippendorff.alpha(reliability_data=case.T, level_of_measurement=level))


@pytest.mark.deep
@EACH_SHAPE
@cases("level", *LEVELS)
def test_alpha_equals_krippendorff(level, shape):
    cases = draw_cases(shape)
    found = score_cases(KrippendorffAlpha(level), cases)
    expected = np.array([ask_krippendorff(case, level) for case in cases])
    assert np.isnan(expected).any()
    assert np.allclose(expected, found, rtol=0, atol=1e-9, equal_nan=True)


def ask_statsmodels(case):
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
    known = ~np.isnan(expected)  # the others have units with different numbers of ratings
    assert near(expected[known]) == np.asarray(score_cases(FleissKappa(), cases))[known]


@pytest.mark.peers
def test_recorded_kappas_are_those_of_statsmodels():
    found = [ask_statsmodels(np.array(draw_units(seed))) for seed in range(len(STATSMODELS))]
    assert list(STATSMODELS) == pytest.approx(found, abs=1e-11, nan_ok=True)


def test_fleiss_kappa_is_as_recorded():
    found = [
        score_units(FleissKappa(), np.array(draw_units(seed))) for seed in range(len(STATSMODELS))
    ]
    pairs = [both for both in zip(STATSMODELS, found, strict=True) if not math.isnan(both[0])]
    assert [one for one, _ in pairs] == pytest.approx([other for _, other in pairs], abs=1e-11)


def find_ac1(case):
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


def score_units(metric, units):
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


@cases("metric", *METRICS, ids=repr)
def test_gold_and_predictions_are_two_annotators(metric):
    codes = np.random.default_rng(3).integers(1, 5, (2, 40)).astype(np.uint8)
    sides = [Labels(own - 1, ("1", "2", "3", "4")) for own in codes]
    tally = Confusion().count(Systems(("a",), hold(sides[0], Output(sides[1]))))
    assert near(score_units(metric, codes.T.astype(float))) == metric.score(tally)[0]


@cases("metric", *METRICS, ids=repr)
def test_resamples_are_scored_as_if_each_were_alone(metric):
    tally = tally_cases(np.random.default_rng(1).integers(1, 4, (3, 8, 3)).astype(float))
    counts = np.random.default_rng(2).integers(0, 3, (5, *tally.counts.shape))
    stacked = replace(tally, counts=counts)
    alone = [replace(tally, counts=own) for own in counts]
    values = np.stack([metric.score(one) for one in alone])
    totals = np.stack([metric.score(one.total()) for one in alone])
    assert near(values) == metric.score(stacked)
    assert near(totals) == metric.score(stacked.total())


@cases("metric", *METRICS, ids=repr)
def test_nothing_rated_is_undefined(metric):
    for units in ([[NONE, 1.0], [2.0, NONE]], [[1.0, 1.0], [1.0, 1.0]]):
        assert np.isnan(score_units(metric, np.array(units)))


ANNOTATORS = ["ann", "bob", "cyd"]
TABLE = pandas.DataFrame(
    {
        "id": [f"u{place}" for place in range(8)],
        "domain": ["news", "news", "chat", "chat", "chat", "news", "chat", "news"],
        "ann": ["low", "mid", "high", "low", None, "high", "low", "mid"],
        "bob": ["low", "mid", "high", None, None, "mid", "low", "low"],
        "cyd": ["mid", "mid", None, None, None, "high", "low", "high"],
        "gpt": ["low", "mid", "high", "low", "low", "high", "mid", "mid"],
        "pod": ["high", "mid", "low", "low", "low", "mid", "low", "mid"],
    }
)
LONG = TABLE.melt(
    ["id", "domain", "gpt", "pod"], ANNOTATORS, var_name="annotator", value_name="rating"
)
ORDER = ("low", "mid", "high")
WIDE = Columns(annotators=tuple(ANNOTATORS))
ROWS = Columns(annotator="annotator", gold="rating")


def read(scored):
    return {(one.system, one.group, one.name): one.value for one in scored.scores}


def score_rows(columns, table=LONG, **options):
    return tallystick.score(table, columns=columns, intervals=False, **options)


def test_columns_and_rows_of_ratings_are_one():
    metrics = ["krippendorff_alpha", "gwet_ac1", "fleiss_kappa"]
    wide = tallystick.score(TABLE, annotators=ANNOTATORS, metrics=metrics, by="domain")
    rows = LONG.sample(frac=1, random_state=1)
    long = tallystick.score(rows, columns=ROWS, metrics=metrics, by="domain")
    assert read(wide) == pytest.approx(read(long), abs=1e-12, nan_ok=True)
    assert [7, 4, 3] == [
        next(one.n for one in wide.scores if one.group == group)
        for group in ("micro", "news", "chat")
    ]
    assert "without a rating, and left out: 1 of 8 units." in wide.notes


def test_labels_order_the_ratings():
    task = tallystick.Task(labels=ORDER)
    named = tallystick.score(
        TABLE, annotators=ANNOTATORS, metrics="krippendorff_alpha(ordinal)", task=task
    )
    places = TABLE[ANNOTATORS].replace({label: place for place, label in enumerate(ORDER)})
    numbers = tallystick.score(places, annotators=ANNOTATORS, metrics="krippendorff_alpha(ordinal)")
    assert numbers.scores[0].value == pytest.approx(named.scores[0].value, abs=1e-12)


def test_usual_metrics_are_alpha_and_ac1():
    scored = tallystick.score(TABLE, annotators=ANNOTATORS)
    assert ["krippendorff_alpha", "gwet_ac1"] == [one.name for one in scored.scores]
    assert {"annotators"} == {one.system for one in scored.scores}


@cases("metric", "cohen_kappa", "accuracy")
def test_systems_are_held_against_each_annotator(metric):
    peer = {"cohen_kappa": sk.cohen_kappa_score, "accuracy": sk.accuracy_score}[metric]
    scored = tallystick.score(
        TABLE, annotators=ANNOTATORS, systems=["gpt", "pod"], metrics=metric, intervals=False
    )
    found = read(scored)
    for system in ("gpt", "pod"):
        rated = {name: TABLE[[name, system]].dropna() for name in ANNOTATORS}
        each = {name: peer(own[name], own[system]) for name, own in rated.items()}
        gold = pandas.concat([own[name] for name, own in rated.items()])
        output = pandas.concat([own[system] for own in rated.values()])
        expected = {**each, "macro": sum(each.values()) / 3, "micro": peer(gold, output)}
        assert expected == pytest.approx({name: found[system, name, metric] for name in expected})


def test_a_row_for_each_rating_holds_systems_too():
    options = {"systems": ["gpt"], "metrics": "accuracy", "by": "domain"}
    wide = tallystick.score(TABLE, annotators=ANNOTATORS, intervals=False, **options)
    long = score_rows(ROWS, **options)
    assert read(wide) == pytest.approx(read(long))
    assert ("gpt", "ann/chat", "accuracy") in read(wide)


@cases("systems", (), ("gpt", "pod"))
def test_parts_of_ratings_in_memory_have_the_groups_of_all(systems):
    metrics = ["accuracy"] if systems else ["gwet_ac1"]
    options = {"annotators": ANNOTATORS, "systems": systems, "metrics": metrics, "by": "domain"}
    whole, parts = (tallystick.count(TABLE, **options, engine=engine) for engine in (None, 1))
    assert (whole.groups, whole.heading) == (parts.groups, parts.heading)
    scored = [tallystick.score(one, intervals=False) for one in (whole, parts)]
    assert read(scored[0]) == read(scored[1])


@cases("long", False, True)
def test_the_majority_is_gold_of_units_that_have_one(long):
    gold = ["low", "mid", "high", "low", "high", "low"]  # of u0, u1, u2, u3, u5, u6
    gpt = ["low", "mid", "high", "low", "high", "mid"]
    layout = {"annotator": "annotator", "gold": "rating"} if long else {"annotators": ANNOTATORS}
    table = LONG if long else TABLE
    scored = score_rows(
        Columns(majority=True, **layout), table, systems=["gpt"], metrics=["cohen_kappa"]
    )
    assert sk.cohen_kappa_score(gold, gpt) == pytest.approx(scored.scores[0].value)
    assert 6 == scored.scores[0].n
    assert "without a majority, and left out: 1 of 7 units with ratings." in scored.notes


def test_people_are_held_against_each_other():
    both = TABLE[["ann", "bob"]].dropna()
    columns, table = Columns(annotators=("ann", "bob")), TABLE.loc[both.index]
    scored = score_rows(columns, table, systems=["gpt", "people"], metrics="cohen_kappa")
    found, sides = read(scored), (both["ann"], both["bob"])
    pooled = pandas.concat(sides), pandas.concat(sides[::-1])
    assert sk.cohen_kappa_score(*sides) == pytest.approx(found["people", "ann", "cohen_kappa"])
    assert sk.cohen_kappa_score(*pooled) == pytest.approx(found["people", "micro", "cohen_kappa"])
    assert ["gpt", "people"] == list(dict.fromkeys(one.system for one in scored.scores))


@cases("n", 2, 3, 4, 5)
def test_every_annotator_is_held_against_every_other_equally_often(n):
    names = [f"a{place}" for place in range(n)]
    table = pa.table({name: [name] * 12 * (n - 1) for name in names})
    scored = tallystick.score(
        table, annotators=names, systems=["people"], metrics="accuracy", intervals=False
    )
    (matrix,) = scored.confusions
    assert 12 * (1 - np.eye(n)).astype(int) == pytest.approx(np.array(matrix.counts))


def test_a_constant_is_the_commonest_rating():
    found = read(score_rows(WIDE, TABLE, systems=["constant"], metrics="accuracy"))
    share = (LONG["rating"].dropna() == "low").mean()
    assert share == pytest.approx(found["constant", "micro", "accuracy"])
    majority = Columns(annotators=tuple(ANNOTATORS), majority=True)
    (score,) = score_rows(majority, TABLE, systems=["constant"], metrics="accuracy").scores
    assert pytest.approx(3 / 6) == score.value
    with pytest.raises(UsageError, match="people are part of their own majority"):
        score_rows(majority, TABLE, systems=["people"], metrics="accuracy")


def test_people_need_a_second_rating_of_each_unit():
    table = TABLE.assign(bob=None, cyd=["mid", *[None] * 7])
    with pytest.raises(InputError, match="6 of 7 units have one rating alone"):
        score_rows(WIDE, table, systems=["people"], metrics="accuracy")
    columns = Columns(annotators=tuple(ANNOTATORS), missing="exclude")
    scored = score_rows(columns, table, systems=["gpt", "people"], metrics="accuracy").scores
    (people,) = (one for one in scored if (one.system, one.group) == ("people", "micro"))
    assert (2, 0.0) == (people.n, people.value)


def test_units_are_resampled_and_not_single_ratings():
    scored = tallystick.score(
        TABLE, annotators=ANNOTATORS, systems=["gpt"], metrics=["cohen_kappa", "accuracy"]
    )
    named = tallystick.score(
        TABLE, annotators=ANNOTATORS, metrics="krippendorff_alpha", clusters="domain"
    )
    assert all("cluster" in one.method for one in scored.scores)
    assert "cluster" in named.scores[0].method


def test_systems_are_ranked_and_compared_by_agreement():
    compared = tallystick.compare(
        TABLE, systems=["gpt", "pod"], columns=WIDE, metrics="krippendorff_alpha"
    )
    ranked = tallystick.rank(TABLE, systems=["pod", "gpt"], columns=WIDE, metrics="cohen_kappa")
    assert {"ann", "bob", "cyd", "macro", "micro"} == {one.group for one in compared.differences}
    assert ["gpt", "pod"] == [one.system for one in ranked.places if one.group == "macro"]


def test_the_command_reads_both_layouts(tmp_path, capsys):
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    TABLE.to_csv(wide, index=False)
    LONG.to_csv(long, index=False)
    metric = ["-m", "krippendorff_alpha(ordinal)", "--by", "domain", "--format", "csv"]
    order = ["--labels", *ORDER]
    rows = ["--annotators", "annotator", "--gold-column", "rating"]
    shown = []
    for files in ([str(wide), "--annotators", *ANNOTATORS], [str(long), *rows]):
        assert 0 == main(["score", *files, *metric, *order])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert "macro" in shown[0]


@cases(
    "table columns message",

        (TABLE, {"annotators": ("ann",)}, "needs at least two annotators, and only 'ann'"),
        (TABLE, {"annotators": ("ann", "ann")}, "an annotator was named twice"),
        (TABLE, {"annotators": ("ann", "eve")}, "has no column 'eve'"),
        (TABLE.assign(ann=None, bob=""), {"annotators": ("ann", "bob")},
         "gold: no annotator rated anything"),
        (TABLE.assign(ann=[1.0, 2, 3, 4, 5, float("inf"), 1, 2]), {"annotators": ("ann", "bob")},
         "gold, row 6, column 'ann': inf is not a rating"),
        (TABLE.assign(id="u1"), {"annotators": ("ann", "bob")},
         "gold contains the id u1 more than once"),
        (TABLE.assign(annotator="x"), {"annotators": ("ann", "bob")},
         "has a column 'annotator', which is what groups are called"),
        (TABLE, {"annotators": ("ann", "bob"), "annotator": "cyd"}, "but not both"),
        (TABLE, {"annotators": ("ann", "bob"), "majority": True}, "name their columns"),
        (TABLE, {"annotators": ("ann", "bob"), "weight": "id"}, "no weights"),
        (TABLE, {"majority": True}, "a majority is one of annotators, and none were named"),
        (LONG.rename(columns={"rating": "x"}), {"annotator": "annotator"}, "has no gold column"),
        (LONG.drop(columns="id"), {"annotator": "annotator", "gold": "rating"}, "has no id column"),
        (LONG.assign(id=""), {"annotator": "annotator", "gold": "rating"}, "examples have no id"),
        (LONG.assign(annotator="ann"), {"annotator": "annotator", "gold": "rating"},
         "only 'ann' is named"),
        (pandas.concat([LONG, LONG[:1]]), {"annotator": "annotator", "gold": "rating"},
         "gold: ann rated the id u0 more than once"),
        (LONG.assign(domain=LONG["rating"].fillna("x")),
         {"annotator": "annotator", "gold": "rating", "by": ("domain", )},
         "domain is not what other ratings of the same unit have")

)  # fmt: skip
def test_what_is_wrong_with_ratings_is_told(table, columns, message):
    with pytest.raises((InputError, UsageError), match=message):
        score_rows(Columns(**columns), table)


def test_metrics_of_outputs_need_systems():
    with pytest.raises(UsageError, match=r"accuracy compares outputs .* with `systems=`"):
        tallystick.score(TABLE, annotators=ANNOTATORS, metrics="accuracy")


def test_ratings_beyond_the_labels_are_an_error():
    with pytest.raises(InputError, match="row 3: the rating 'high' is not one of 'low', 'mid'"):
        tallystick.score(TABLE, annotators=ANNOTATORS, task=tallystick.Task(labels=("low", "mid")))


def test_label_sets_and_further_files_do_not_go_with_annotators(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    TABLE.to_csv(path, index=False)
    start = ["score", str(path), "--annotators", *ANNOTATORS]
    codes = [
        main([*start, "--task", "multilabel"]),
        main(["score", str(path), str(path), "--annotators", *ANNOTATORS]),
        main([*start, "--system-column", "gpt"]),
    ]
    wording = capsys.readouterr().err
    assert [2, 2, 2] == codes
    assert "each annotator gives a unit one rating" in wording
    assert "join the files by their ids first" in wording
    assert "--system-column cannot be used with annotators" in wording


def test_idle_annotators_are_told():
    idle = TABLE.assign(dan=None)
    scored = tallystick.score(idle, annotators=[*ANNOTATORS, "dan"], metrics="krippendorff_alpha")
    expected = tallystick.score(TABLE, annotators=ANNOTATORS, metrics="krippendorff_alpha")
    assert expected.scores[0].value == scored.scores[0].value
    assert "no rating is by dan." in scored.notes


def test_an_annotator_whose_only_rating_comes_first_is_not_idle():
    rows = pandas.concat([LONG[:1].assign(annotator="dan", id="u7"), LONG])
    assert not any("dan" in note for note in score_rows(ROWS, rows, metrics="gwet_ac1").notes)


@cases("more expected", ((None, None), 7 / 15), (("x", None), 0.5))
def test_units_with_one_rating_count_for_the_frequencies_of_fleiss_kappa(more, expected):
    rows = [("x", "x"), ("y", "y"), ("x", "y"), ("y", "y"), more]
    table = pandas.DataFrame(rows, columns=["ann", "bob"])
    scored = tallystick.score(table, annotators=["ann", "bob"], metrics="fleiss_kappa")
    assert pytest.approx(expected, nan_ok=True) == scored.scores[0].value


def test_units_of_other_groups_may_have_the_same_ids():
    same = TABLE.assign(id=[f"u{place // 2}" for place in range(8)], lang=["de", "en"] * 4)
    options = {"annotators": ANNOTATORS, "metrics": "krippendorff_alpha", "intervals": False}
    expected = tallystick.score(same.drop(columns="id"), by="lang", **options)
    assert read(expected) == read(tallystick.score(same, by="lang", **options))
    with pytest.raises(InputError, match=r"ids .* more than once"):
        tallystick.score(same, **options)


def test_rows_without_ids_are_units_of_their_file(tmp_path, capsys):
    for name in ("one", "two"):
        path = tmp_path / f"{name}.csv"
        TABLE.drop(columns="id").assign(name=name).to_csv(path, index=False)
        options = ["--annotators", *ANNOTATORS, "--systems", "gpt", "-m", "accuracy"]
        assert 0 == main(["count", str(path), *options, "-o", str(tmp_path / f"{name}.tally")])
    capsys.readouterr()
    tallies = [str(tmp_path / f"{name}.tally") for name in ("one", "two")]
    assert 0 == main(["score", *tallies, "--format", "json"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert 36 == next(one["n"] for one in scores if one["group"] == "micro")
    (tally,) = tallystick.load(*tallies).tallies.values()
    assert 14 == len(tally.clusters.names)


def test_few_units_with_another_rating_are_told():
    rare = pandas.DataFrame({"a": ["no"] * 57 + ["yes"] * 3, "b": ["no"] * 58 + ["yes"] * 2})
    common = pandas.DataFrame({"a": ["no"] * 50 + ["yes"] * 10, "b": ["no"] * 52 + ["yes"] * 8})
    found = [
        tallystick.score(table, annotators=["a", "b"], metrics="krippendorff_alpha").notes
        for table in (rare, common)
    ]
    wording = (
        "the interval of krippendorff_alpha of annotators may be too narrow: 3 units have another "
        "rating than 'no'."
    )
    assert [True, False] == [wording in notes for notes in found]
    assert not any("too narrow" in note for note in found[1])


@cases("systems", (), ("gpt",))
def test_frames_of_other_libraries_are_read(systems):
    options = {"annotators": ANNOTATORS, "systems": systems, "metrics": "krippendorff_alpha"}
    tables = [polars.from_pandas(TABLE), TABLE.astype("category"), pa.Table.from_pandas(TABLE)]
    expected = read(tallystick.score(TABLE, **options, by="domain", intervals=False))
    for table in tables:
        assert expected == read(tallystick.score(table, **options, by="domain", intervals=False))


WEIGHTED = {
    None: (0.775444068127, 0.761169275422),
    "linear": (0.858739136433, 0.817944767097),
    "quadratic": (0.914000723552, 0.864935064935),
    "ordinal": (0.898939769908, 0.850206189397),
    "radical": (0.819811702198, 0.789924094651),
    "ratio": (0.85736755783, 0.821338343945),
}
"""irrCAC 0.4.4 of Krippendorff's example: gwet and fleiss by their weights."""
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout and Fleiss 1979, Table 2: targets and judges."""
ICCS = {
    "icc(1,1)": (0.165741768405, 0.698924731183),
    "icc(2,1)": (0.289763779528, 0.700657894737),
    "icc(3,1)": (0.714840714841, 0.717171717172),
    "icc(1,k)": (0.442797133679, 0.902777777778),
    "icc(2,k)": (0.620050547599, 0.903499469777),
    "icc(3,k)": (0.909315542377, 0.910256410256),
}
"""pingouin 0.6.1 of the judges, and of the units of Krippendorff's example that all rated."""


def write_frame(table):
    rows = [[None if np.isnan(cell) else f"{cell:g}" for cell in row] for row in table]
    return pandas.DataFrame(rows, columns=[*"abcd"])


def score_frame(table, *metrics, **options):
    frame, raters = write_frame(table), [*"abcd"]
    found = tallystick.score(frame, metrics=metrics, annotators=raters, **options)
    return [one.value for one in found.scores]


@cases("weights", *WEIGHTED)
def test_weighted_agreement_equals_irrcac(weights):
    found = score_frame(
        KRIPPENDORFF, GwetAC1(weights=weights), FleissKappa(weights=weights), intervals=False
    )
    assert found == pytest.approx(WEIGHTED[weights], abs=1e-10)


@cases("metric", *ICCS)
def test_intraclass_correlations_equal_pingouin(metric):
    found = [score_frame(np.array(table, float), metric)[0] for table in (JUDGES, KRIPPENDORFF)]
    assert found == pytest.approx(ICCS[metric], abs=1e-10)


def test_intraclass_correlations_know_who_rated():
    shifted = np.add(JUDGES, [0, 5, 10, 15])
    found = dict(zip(ICCS, score_frame(shifted, *ICCS), strict=True))
    assert found["icc(3,1)"] == pytest.approx(ICCS["icc(3,1)"][0])
    assert found["icc(2,1)"] < ICCS["icc(2,1)"][0]


@cases("name option", ("icc", "icc(2,1)"), ("icc3k", "icc(3,k)"), ("ICC(1)", "icc(1,1)"))
def test_intraclass_correlations_have_the_names_of_papers(name, option):
    assert score_frame(JUDGES, name) == score_frame(JUDGES, option)


def test_ordered_words_are_rated_by_their_places():
    words = ["low", "medium", "high"]
    table = pandas.DataFrame(
        [[words[(at + step) % 3] for step in (0, 0, at % 2)] for at in range(9)], columns=[*"abc"]
    )
    places = table.map(lambda one: str(words.index(one)))
    metrics = ["icc", "gwet_ac2", "krippendorff_alpha(ordinal)"]
    options = {"annotators": [*"abc"], "metrics": metrics, "intervals": False}
    found = tallystick.score(table, order=words, **options).scores
    wanted = tallystick.score(places, **options).scores
    assert [one.value for one in found] == pytest.approx([one.value for one in wanted])


def test_intervals_of_intraclass_correlations_cover_the_value():
    random = np.random.default_rng(1)
    table = random.normal(0, 2, (60, 1)) + random.normal(0, 1, (60, 4))
    frame = write_frame(np.round(table, 1))
    for one in tallystick.score(frame, metrics=[*ICCS], annotators=[*"abcd"]).scores:
        assert one.low < one.value < one.high
        assert one.high - one.low < 0.3

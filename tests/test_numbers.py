"""Numbers: how they are read, their means, intervals, weights, sums and digits."""

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tallystick
from oracle import near
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.limits import LIMITS
from tallystick.metrics import Mean

RNG = np.random.default_rng(16)
SIZE = 120


def draw_table():
    rows = []
    hard = RNG.normal(0.8, 0.1, SIZE)
    for place, system in enumerate(("alpha", "beta", "gamma")):
        comet = hard + 0.01 * place + RNG.normal(0, 0.04, SIZE)
        for example in range(SIZE):
            rows.append(
                {
                    "model": system,
                    "id": f"e{example}",
                    "comet": comet[example],
                    "judge": float(1 + example * (place + 2) % 5),
                    "domain": ("news", "social")[example % 2],
                    "document": f"d{example // 6}",
                }
            )
    return pandas.DataFrame(rows)


TABLE = draw_table()


def score_table(table, *metrics, **options):
    return tallystick.score(table, metrics=list(metrics), system_column="model", **options)


@pytest.mark.parametrize("order", ["as drawn", "shuffled"])
def test_means_are_those_of_pandas(order):
    table = TABLE if order == "as drawn" else TABLE.sample(frac=1, random_state=3)
    result = score_table(table, "mean(comet)", "mean(judge)", by="domain", intervals=False)
    found = {(one.system, one.group, one.name): one.value for one in result.scores}
    groups = TABLE.groupby(["model", "domain"])[["comet", "judge"]].mean()

    for name in ("comet", "judge"):
        for system in ("alpha", "beta", "gamma"):
            own = groups.loc[system, name]
            whole = TABLE[TABLE.model == system][name].mean()
            metric = f"mean({name})"
            assert near(own["news"]) == found[system, "news", metric]
            assert near(own["social"]) == found[system, "social", metric]
            assert near(own.mean()) == found[system, "macro", metric]
            assert near(whole) == found[system, "micro", metric]


def test_the_interval_is_close_to_student_s():
    for one in score_table(TABLE, "mean(comet)").scores:
        values = TABLE[TABLE.model == one.system]["comet"]
        low, high = stats.t.interval(0.95, SIZE - 1, values.mean(), stats.sem(values))
        assert (one.low, one.high) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_the_paired_test_is_close_to_student_s():
    result = tallystick.compare(TABLE, metrics="mean(comet)", system_column="model")
    wide = TABLE.pivot(index="id", columns="model", values="comet")
    assert ["beta", "gamma"] == [one.a for one in result.differences]
    for one in result.differences:
        expected = stats.ttest_rel(wide[one.a], wide[one.b])
        assert near(wide[one.a].mean() - wide[one.b].mean()) == one.difference
        assert one.p == pytest.approx(expected.pvalue, abs=0.04)


def test_clusters_are_tested_by_their_sums():
    result = tallystick.compare(
        TABLE, metrics="mean(comet)", system_column="model", clusters="document"
    )
    wide = TABLE.pivot(index="id", columns="model", values="comet")
    documents = TABLE.drop_duplicates("id").set_index("id")["document"]
    for one in result.differences:
        means = (wide[one.a] - wide[one.b]).groupby(documents).mean()
        expected = stats.ttest_1samp(means, 0).pvalue
        assert expected <= one.p <= expected + 0.07


def test_lower_may_be_better():
    first = [
        tallystick.rank(TABLE, metrics=metric, system_column="model").places[0].system
        for metric in ("mean(comet)", Mean("comet", better="lower"))
    ]
    means = TABLE.groupby("model")["comet"].mean()
    assert [means.idxmax(), means.idxmin()] == first


def test_names_need_no_quotes():
    assert Mean("comet") == parse("mean(comet)")
    assert Mean("scores.comet") == parse("mean(scores.comet)")
    assert Mean("my score", "lower", (0, 1)) == parse("Mean('my score', lower, bounds=(0, 1))")
    assert parse("F1(macro)") == parse("F1(average='macro')")
    assert repr(Mean("comet")) == "Mean(column='comet')"


def test_arrays_are_outputs():
    outputs = {"a": [1, 2, 3.5], "b": np.array([0.5, 0.25, 1])}
    result = tallystick.score(None, outputs, "mean", intervals=False)
    assert [near(6.5 / 3), near(1.75 / 3)] == [score.value for score in result.scores]
    with pytest.raises(UsageError, match="no column 'comet' in lists or arrays"):
        tallystick.score(None, outputs, "mean(comet)")
    with pytest.raises(InputError, match="b has 1 values for 3 examples"):
        tallystick.score(None, outputs | {"b": [1.0]}, "mean")


@pytest.mark.parametrize(("value", "message"), [
    (math.nan, "row 2, column 'comet': the number is missing"),
    (math.inf, "row 2, column 'comet': inf is not a finite number"),
    (-1e51, r"row 2, column 'comet': -1e\+51 is too large to be scored"),
    (None, "row 2, column 'comet'"),
    ("good", "row 2, column 'comet': 'good' is not a number"),
])  # fmt: skip
def test_what_is_no_number_is_told(value, message):
    written = ["0.5", value, "1.0"] if isinstance(value, str) else [0.5, value, 1.0]
    table = pandas.DataFrame({"model": ["a"] * 3, "id": [1, 2, 3], "comet": written})
    with pytest.raises(InputError, match=message):
        score_table(table, "mean(comet)")


@pytest.mark.parametrize("size", [1e49, 1e154, 1e308])
@pytest.mark.parametrize(
    "metric", ["pearson", "ccc", "r2", "mae", "rmse", "spearman", "kendall_tau_b", "mean"]
)
def test_large_numbers_are_scored_or_rejected_without_a_warning(metric, size):
    gold, outputs = size * np.array([1, -1, 0.5, 0.25, 1]), size * np.array([-1, 1, 0.5, 1, 0.3])
    calls: list[Callable[[], Any]] = [
        lambda: tallystick.score(gold, {"a": outputs}, metric),
        lambda: tallystick.compare(gold, {"a": outputs, "b": gold}, metric),
    ]
    if metric not in ("spearman", "kendall_tau_b"):
        calls.append(lambda: tallystick.score(gold, {"a": outputs}, metric, weights=[1e30] * 5))
    for call in calls:
        if size < 1e50:
            assert np.isfinite(call().scores[0].value)
        else:
            with pytest.raises(InputError, match="is too large to be scored"):
                call()


def test_too_large_weights_are_rejected():
    with pytest.raises(InputError, match=r"weights, row 1: 1e\+31 is not a weight.* up to 1e\+30"):
        tallystick.score([1.0, 2.5], [1.0, 2.0], "mae", weights=[1e31, 1])


def test_a_column_that_is_not_there_is_told():
    with pytest.raises(InputError, match="has no column 'bleurt', only 'id', 'comet'"):
        score_table(TABLE, "mean(bleurt)")


def test_rows_without_ids_must_be_as_many():
    table = TABLE.drop(columns="id")
    whole = score_table(table, "mean(comet)", intervals=False)
    with_ids = score_table(TABLE, "mean(comet)", intervals=False)

    assert [near(one.value) for one in with_ids.scores] == [one.value for one in whole.scores]
    with pytest.raises(InputError, match="there is no id to join them by"):
        score_table(table.iloc[:-1], "mean(comet)")
    turned = [table[table.model == "alpha"].iloc[::-1], table[table.model != "alpha"]]
    with pytest.raises(InputError, match="there is no id to join them by"):
        score_table(pandas.concat(turned), "mean(comet)", by="document")


@pytest.mark.parametrize(("options", "message"), [
    ({"column": 3}, "column must be the name of a column, not 3"),
    ({"better": "more"}, "better must be one of 'higher', 'lower', 'neither'"),
    ({"bounds": (1, 0)}, "bounds are the least and the largest value"),
    ({"bounds": "0-1"}, "bounds are the least and the largest value"),
])  # fmt: skip
def test_wrong_options_are_told(options, message):
    with pytest.raises(UsageError, match=message):
        Mean(**options)


def test_large_files_are_read_in_parts(tmp_path, monkeypatch, capsys):
    path = tmp_path / "all.jsonl"
    TABLE.sample(frac=1, random_state=5).to_json(path, orient="records", lines=True)
    command = ["compare", str(path), "--system-column", "model", "-m", "mean(comet)"]
    command += ["--by", "domain", "--clusters", "document", "--format", "json"]
    assert main(command) == 0
    expected = capsys.readouterr().out
    monkeypatch.setattr(LIMITS, "large_input", 1)
    monkeypatch.setattr(LIMITS, "block_rows", 16)
    assert main(command) == 0

    assert expected == capsys.readouterr().out


METRICS = ["pearson", "ccc", "r2", "mae", "rmse", "mean"]
SOFT = ["manhattan", "wasserstein", "js_distance", "soft_cross_entropy", "soft_f1", "macro_soft_f1"]


def draw(size, seed):
    random = np.random.default_rng(seed)
    gold = random.normal(3, 1, size)
    return gold, gold + random.normal(0, 0.7, size)


def list_values(result):
    return [one.value for one in result.scores]


@pytest.mark.parametrize("seed", range(30))
def test_whole_weights_are_repetitions(seed):
    gold, outputs = draw(25, seed)
    weights = np.random.default_rng(seed).integers(0, 4, 25)
    rows = np.repeat(np.arange(25), weights)
    weighted = tallystick.score(gold, outputs, METRICS, weights=weights, intervals=False)
    repeated = tallystick.score(gold[rows], outputs[rows], METRICS, intervals=False)
    assert pytest.approx(list_values(repeated), abs=1e-9) == list_values(weighted)


@pytest.mark.parametrize("seed", range(10))
def test_weights_of_soft_labels_are_repetitions(seed):
    random = np.random.default_rng(seed)
    gold, outputs = random.dirichlet([1, 1, 1], (2, 25))
    weights = random.integers(0, 4, 25)
    rows = np.repeat(np.arange(25), weights)
    weighted = tallystick.score(gold, outputs, SOFT, weights=weights, intervals=False)
    repeated = tallystick.score(gold[rows], outputs[rows], SOFT, intervals=False)
    votes = random.integers(0, 3, (2, 25, 4)).astype(str).tolist()
    own = tallystick.score(*votes, "annotator_error", weights=weights, intervals=False)
    wrong = (np.array(votes[0]) != np.array(votes[1])).mean(1)

    assert pytest.approx(list_values(repeated), abs=1e-12) == list_values(weighted)
    assert [near(np.average(wrong, weights=weights))] == list_values(own)


def test_weighted_errors_equal_scikit_learn():
    for scale in (1e-6, 1, 1e6):
        gold, outputs = draw(200, 4)
        weights = scale * np.random.default_rng(4).exponential(1, 200)
        result = tallystick.score(
            gold, outputs, ["mae", "rmse", "r2", "pearson"], weights=weights, intervals=False
        )
        covariance = np.cov(gold, outputs, aweights=weights)
        expected = [
            sk.mean_absolute_error(gold, outputs, sample_weight=weights),
            sk.root_mean_squared_error(gold, outputs, sample_weight=weights),
            sk.r2_score(gold, outputs, sample_weight=weights),
            covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]),
        ]

        assert pytest.approx(expected, rel=1e-9) == list_values(result)


def test_intervals_of_weighted_means_are_those_of_linearisation():
    _, values = draw(400, 5)
    weights = np.random.default_rng(5).exponential(1, 400)
    score = tallystick.score(values, values, "mean", weights=weights).scores[0]
    mean = np.average(values, weights=weights)
    error = np.sqrt((weights**2 * (values - mean) ** 2).sum()) / weights.sum()

    assert near(mean) == score.value
    assert (score.low, score.high) == pytest.approx(
        (mean - 1.96 * error, mean + 1.96 * error), abs=0.15 * error
    )


def test_a_column_of_weights_is_named(tmp_path, capsys):
    gold, outputs = draw(60, 6)
    weights = np.random.default_rng(6).uniform(0, 2, 60)
    path = tmp_path / "all.csv"
    table = pandas.DataFrame({"gold": gold, "a": outputs, "b": gold, "w": weights})
    table.to_csv(path, index=False)
    options = ["--systems", "a", "b", "--weight-column", "w", "-m", "mae", "--format", "json"]
    assert main(["score", str(path), *options]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert main(["compare", str(path), *options]) == 0
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    expected = np.average(np.abs(outputs - gold), weights=weights)

    assert [near(expected), near(0)] == [one["value"] for one in scores]
    assert "weighted:yes" in scores[0]["signature"]
    assert near(-expected) == difference["difference"]


@pytest.mark.parametrize("metric", ["spearman", "accuracy_within_sd"])
def test_ranks_have_no_weights(metric):
    table = pandas.DataFrame(
        {"gold": [1.5, 2.0], "prediction": [1.0, 2.0], "stdev": [1.0, 1.0], "w": [1.0, 2.0]}
    )
    with pytest.raises(UsageError, match="do not support weights"):
        tallystick.score(table, metrics=metric, weights="w")


MOMENTS = ["pearson", "ccc", "r2", "rmse", "mae"]
SPREADS = {
    "small": (0.0, 1.0),
    "timestamps": (1.7e9, 10.0),
    "milliseconds": (1.7e12, 10.0),
    "a-billion-deviations": (-1e9, 1.0),
    "tiny": (1e-9, 1e-15),
    "huge": (1e15, 1e6),
}
EACH_SPREAD = pytest.mark.parametrize(("mean", "deviation"), SPREADS.values(), ids=SPREADS)


def close_to(value):
    return pytest.approx(value, rel=1e-9, abs=0)


def draw_far(mean, deviation, size, seed):
    random = np.random.default_rng(seed)
    gold = mean + deviation * random.standard_normal(size)
    return gold.tolist(), (gold + deviation * random.standard_normal(size)).tolist()


def score_exactly(gold, outputs):
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
    gold, outputs = draw_far(mean, deviation, size, 1)
    scores = tallystick.score(gold, outputs, MOMENTS, intervals=False).scores
    assert score_exactly(gold, outputs) == [close_to(one.value) for one in scores]


@given(st.data())
def test_any_numbers_score_as_fractions(data):
    offset = data.draw(st.integers(-(10**12), 10**12))
    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, 1000)] * 2), min_size=3, max_size=30))
    gold, outputs = ([float(offset + value) for value in side] for side in zip(*pairs, strict=True))
    found = [one.value for one in tallystick.score(gold, outputs, MOMENTS, intervals=False).scores]
    if len(set(gold)) > 1 < len(set(outputs)):
        assert score_exactly(gold, outputs) == [close_to(value) for value in found]
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
    assert [close_to(expected.low), close_to(expected.high)] == [found.low, found.high]


@EACH_SPREAD
def test_means_of_columns_have_intervals(mean, deviation):
    numbers, _ = draw_far(mean, deviation, 50, 5)
    (found,) = tallystick.score(pa.table({"latency": numbers}), metrics="mean(latency)").scores
    expected = float(sum(map(Fraction, numbers)) / 50)
    off = np.array(numbers) - expected
    error = float(np.std(off, ddof=1)) / math.sqrt(50)
    skewness = float(np.sum(off**3) / np.sum(off**2) ** 1.5)
    kurtosis = 50 * float(np.sum(off**4) / np.sum(off**2) ** 2)
    t, z = stats.t.ppf(0.975, min(49, 2 * 50 / (kurtosis - 1))), stats.norm.ppf(0.975)
    low, high = (
        t * (1 + 1.5 * max(sign * skewness, 0) ** 2 * (2 * z**2 + 1) / z) for sign in (-1, 1)
    )
    ends = found.low + low * error, found.high - high * error
    assert [close_to(expected)] * 3 == [found.value, *ends]


def test_numbers_that_differ_in_the_last_bit_are_not_constant():
    gold = [1.7e9, math.nextafter(1.7e9, 2e9), 1.7e9, math.nextafter(1.7e9, 2e9)]
    (apart,) = tallystick.score(gold, gold, "pearson", intervals=False).scores
    (equal,) = tallystick.score([1.7e9] * 4, gold, "pearson", intervals=False).scores
    assert close_to(1) == apart.value
    assert math.isnan(equal.value)


SHIFTED = [1e9 + n % 7 + n % 3 / 9 for n in range(300)]
GROUPS = {
    "cancelling": [[5.0], [1e17], [-1e17]],
    "far apart": [[5.0, 7.0, 9.0], [1e17, 3e17], [-1e17, 2.0]],
    "shifted": [SHIFTED[:100], SHIFTED[100:110], SHIFTED[110:]],
    "tiny": [[1e-9, 3e-9], [2e-9], [4e-9, 5e9]],
    "many": [[0.1] * 10_000, [0.2, 1e12], [-1e12]],
}
MICRO = ["sum(value)", "mean(value)", "ratio(value, weight)"]


@pytest.mark.parametrize("case", GROUPS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_micro_is_the_score_of_all_examples(case, weighted, clustered):
    rows = [
        {"value": value, "weight": 2.0 + n % 3, "by": f"g{at}", "doc": f"d{n % 4}"}
        for at, group in enumerate(GROUPS[case])
        for n, value in enumerate(group)
    ]
    options = {"weights": "weight"} if weighted else {}
    metrics = MICRO[:2] if weighted else MICRO
    options |= {"clusters": "doc"} if clustered else {}
    values = np.array([row["value"] for row in rows])
    weights = np.array([row["weight"] for row in rows]) if weighted else np.ones(len(rows))
    magnitude = np.abs(values * weights).sum()

    def score(**more):
        found = tallystick.score(pd.DataFrame(rows), metrics=metrics, **options, **more).scores
        return {one.name: one.value for one in found if one.group in ("micro", None)}

    apart, together = score(by="by"), score()
    exact = np.longdouble(values) * np.longdouble(weights)
    assert apart.keys() == together.keys()
    for name, value in together.items():
        size = {"s": 1, "m": weights.sum(), "r": sum(row["weight"] for row in rows)}[name[0]]
        expected = float(sum(sorted(exact.tolist(), key=abs))) / size
        assert apart[name] == pytest.approx(value, rel=0, abs=1e-12 * magnitude / size)
        assert value == pytest.approx(expected, rel=0, abs=1e-12 * magnitude / size)


def test_micro_of_tries_is_the_score_of_all_examples():
    draw = random.Random(1)
    rows = [
        {"id": f"x{n}", "by": by, "value": level + draw.random()}
        for n, (by, level) in enumerate([("a", 5.0), ("b", 1e12), ("c", -1e12)] * 5)
        for _ in range(3)
    ]
    values = [
        one.value
        for by in ({"by": "by"}, {})
        for one in tallystick.score(pd.DataFrame(rows), metrics=["try_mean(value)"], **by).scores
        if one.group in ("micro", None)
    ]

    assert len(values) == 2
    assert values[0] == pytest.approx(values[1], rel=0, abs=1e-12 * 1e12)

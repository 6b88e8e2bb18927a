"""Medians, quantiles, sums and ratios of columns: values, intervals and shown digits."""

import json
import re

import numpy as np
import pandas
import pyarrow
import pytest
from scipy import stats

import tallystick
from matrix import run
from tallystick.errors import UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.statistics.percentiles import bound_ranks


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(50))
def test_values_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 31, 200)
    size = int(sizes.sum())
    x = rng.choice([rng.lognormal(0, 2, size), rng.integers(-5, 5, size)], axis=0)
    table = pandas.DataFrame({"x": x, "y": rng.integers(1, 9, size) / 4})
    table = table.assign(group=np.repeat(np.arange(200), sizes), model="a", id=np.arange(size))
    groups = table.groupby("group")
    wanted = {
        "median(x)": groups.x.apply(np.median),
        "quantile(x, 0.95)": groups.x.apply(lambda own: np.quantile(own, 0.95)),
        "quantile(x, 0.1)": groups.x.apply(lambda own: np.quantile(own, 0.1)),
        "sum(x)": groups.x.sum(),
        "ratio(x, y)": groups.x.sum() / groups.y.sum(),
    }
    result = tallystick.score(
        table, metrics=list(wanted), by="group", system_column="model", intervals=False
    )
    found = {(one.group, one.name): one.value for one in result.scores}

    for name, own in wanted.items():
        values = [found[str(group), name] for group in range(200)]
        assert own.to_numpy() == pytest.approx(values, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 59, 100, 1000])
@pytest.mark.parametrize("level", [0.01, 0.1, 0.5, 0.95])
def test_ranks_are_the_closest_that_the_binomial_distribution_allows(n, level):
    low, high = bound_ranks(n, level, 0.95)
    chances = stats.binom(n, level)
    assert chances.cdf(low - 1) <= 0.025 < chances.cdf(low)
    assert chances.sf(high - 1) <= 0.025 < chances.sf(high - 2)


def test_ranks_of_many_numbers_are_those_of_the_normal_distribution():
    assert (499_020, 500_981) == bound_ranks(1_000_000, 0.5, 0.95)


def bound(metric, **columns):
    table = pandas.DataFrame({"model": "a"} | columns)
    table["id"] = np.arange(len(table))
    clusters = {"clusters": "doc"} if "doc" in columns else {}
    (one,) = tallystick.score(table, metrics=metric, system_column="model", **clusters).scores
    return one.low, one.high


def test_the_interval_of_a_quantile_lies_between_two_numbers():
    assert (40, 61) == bound("median(x)", x=np.arange(1.0, 101))
    assert (17, np.inf) == bound("quantile(x, .95)", x=np.arange(1.0, 21))


@pytest.mark.parametrize(("n", "message"), [(50, True), (100, False)])
def test_a_quantile_that_numbers_do_not_bound_is_told(n, message):
    table = pandas.DataFrame({"model": "a", "id": range(n), "x": np.arange(n) / 2})
    result = tallystick.score(table, metrics="quantile(x, .95)", system_column="model")
    assert message == any("do not rely on its p-values" in note for note in result.notes)


def test_clusters_of_one_number_each_are_numbers():
    numbers = np.random.default_rng(3).normal(size=50)
    plain = bound("median(x)", x=numbers)
    alone = bound("median(x)", x=numbers, doc=np.arange(50))
    copied = bound("median(x)", x=np.tile(numbers, 4), doc=np.tile(np.arange(50), 4))
    assert alone[0] <= plain[0]
    assert plain[1] <= alone[1]
    assert alone == pytest.approx(copied, abs=0.2)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(5))
def test_intervals_hold(seed):
    rng = np.random.default_rng(seed)
    truth = {"median(x)": 1, "quantile(x, .9)": np.exp(stats.norm.ppf(0.9)), "ratio(x, y)": 2.745}
    truth["sum(x)"] = 100 * np.exp(0.5)
    held = dict.fromkeys(truth, 0)
    for _ in range(40):
        x, y = rng.lognormal(0, 1, 100), rng.random(100) < 0.6
        for name, value in truth.items():
            low, high = bound(name, x=x, y=y.astype(float))
            held[name] += low <= value <= high

    assert min(held.values()) >= 34


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("metric", ["median(x)", "quantile(x, .9)"])
def test_systems_that_are_alike_are_seldom_found_different(metric, seed):
    rng, found = np.random.default_rng(seed), 0
    for _ in range(40):
        both = rng.lognormal(0, 0.7, 60) * rng.lognormal(0, 0.5, (2, 60))
        table = pandas.DataFrame({"model": np.repeat(["a", "b"], 60), "x": both.ravel()})
        table["id"] = [*range(60), *range(60)]
        (one,) = tallystick.compare(table, metrics=metric, system_column="model").differences
        found += one.p < 0.05

    assert found <= 6


def test_the_difference_of_medians_has_an_interval_that_agrees_with_its_p_value():
    x = np.random.default_rng(8).normal(size=100)
    table = pandas.DataFrame({"model": np.repeat(["a", "b"], 100), "x": [*x, *(x + 1)]})
    table["id"] = [*range(100), *range(100)]
    (one,) = tallystick.compare(table, metrics="median(x)", system_column="model").differences
    assert pytest.approx(1) == abs(one.difference)
    assert one.p < 0.001
    assert one.low * one.high > 0


def test_the_interval_of_a_sum_is_that_of_its_mean():
    x = np.random.default_rng(5).normal(3, 1, 80)
    low, high = stats.t.interval(0.95, 79, x.mean(), stats.sem(x))
    assert (80 * low, 80 * high) == pytest.approx(bound("sum(x)", x=x), rel=0.01)


def test_the_interval_of_a_ratio_is_close_to_that_of_the_delta_method():
    rng = np.random.default_rng(7)
    x, y = rng.gamma(3, 1, 400), rng.random(400) < 0.7
    ratio = x.sum() / y.sum()
    error = (x - ratio * y).std(ddof=1) / (np.sqrt(400) * y.mean() * ratio)
    ends = ratio * np.exp(np.array([-1, 1]) * stats.t.ppf(0.975, 399) * error)
    assert tuple(ends) == pytest.approx(bound("ratio(x, y)", x=x, y=y.astype(float)), rel=0.01)


def test_an_example_without_one_of_both_numbers_is_left_out_of_a_ratio():
    x, y = [1.0, 5, 3], [1, None, 1]
    table = pyarrow.table({"model": ["a"] * 3, "id": [1, 2, 3], "x": x, "y": y})
    layout = {"system_column": "model", "missing": "exclude"}
    (one,) = tallystick.score(table, metrics="ratio(x, y)", **layout).scores
    assert (2, 2) == (one.value, one.n)


@pytest.mark.parametrize(("name", "said"), [
    ("ratio(x)", "Ratio needs denominator"),
    ("quantile(x, 95)", "q must be a number from 0.0001 to 0.9999, not 95"),
    ("ratio(x, 3)", "a ratio is of two columns by name, not of 'x' and 3"),
    ("sum(x, better=more)", "better must be one of"),
])  # fmt: skip
def test_what_cannot_be_meant_is_rejected(name, said):
    with pytest.raises(UsageError, match=said):
        parse(name)


def test_numbers_are_shown_with_four_significant_digits(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("model,id,ms,usd\na,1,1234.56,0.0001234\na,2,2345.68,0.0001234\n")
    words = ["score", str(path), "--system-column", "model", "--no-intervals", "-m"]
    _, shown, _ = run([*words, "median(ms)", "mean(usd)"])
    _, asked, _ = run([*words, "median(ms)", "mean(usd)", "--digits", "2"])
    assert ["1790", "0.0001234"] == shown.splitlines()[-1].split()[-2:]
    assert ["1790.12", "0.00"] == asked.splitlines()[-1].split()[-2:]


def test_numbers_of_a_column_have_as_many_decimals(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("model,id,ok\na,1,1\na,2,1\nb,1,0\nb,2,1\n")
    words = ["score", str(path), "--system-column", "model", "--no-intervals", "-m", "mean(ok)"]
    _, shown, _ = run(words)
    assert ["1.000", "0.500"] == [line.split()[-1] for line in shown.splitlines()[-2:]]


@pytest.fixture
def costs(tmp_path):
    def write(unit):
        path = tmp_path / f"costs{unit}.csv"
        rng = np.random.default_rng(5)
        rows = [
            f"{model},{row},{cost * unit},{row % 2},{'xyz'[row % 3]}"
            for model in "ab"
            for row, cost in enumerate(rng.lognormal(0, 1, 60))
        ]
        path.write_text("\n".join(["model,id,cost,correct,kind", *rows, ""]))
        return [str(path), "--system-column", "model"]

    return write


@pytest.mark.parametrize("call", [["plan"], ["rank", "--verbose"]])
def test_sentences_have_four_significant_digits(costs, call):
    _, shown, message = run([*call, *costs(1e-6), "-m", "ratio(cost, correct)"])
    sizes = re.findall(r"(?<![\w.])0\.\d+", " ".join([shown, message]))
    small = [size for size in sizes if size.startswith("0.000")]
    assert small
    assert all(4 == len(size.lstrip("0.")) for size in small[-1:])
    assert "0.000" not in sizes


def test_a_gate_says_numbers_with_four_significant_digits(costs):
    call = ["gate", *costs(1e-6), "-m", "ratio(cost, correct)", "gap(mean(cost))", "--by", "kind"]
    _, shown, _ = run([*call, "--against", "a", "--floor", "1e-9"])
    assert re.search(r"\[micro\] failed: 0\.00000[1-9]\d{3}, at best 0\.00000[1-9]\d{3} ", shown)
    assert "0.000 " not in shown


@pytest.mark.parametrize("metric", [
    "ratio(cost, correct)",
    "mean(cost, better=lower, bounds=(0, inf))",
    "worst(ratio(cost, correct))",
])  # fmt: skip
def test_bounds_of_a_gate_have_the_unit_of_the_numbers(costs, metric):
    checks = []
    for unit in (1, 2.0**-20):
        call = ["gate", *costs(unit), "-m", metric, "--max-drop", "0", "--by", "kind"]
        _, shown, _ = run([*call, "--against", "a", "--format", "json"])
        checks.append([one["high"] / unit for one in json.loads(shown)["checks"]])
    assert pytest.approx(checks[0]) == checks[1]

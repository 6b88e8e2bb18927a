"""Correlations and errors of numbers, against scipy and scikit-learn."""

import warnings
from typing import Any

import numpy as np
import pandas
import pytest
import sklearn.metrics as sk
from numpy.typing import NDArray
from scipy import stats

import tallystick
from oracle import near
from tallystick.errors import InputError, UsageError
from tallystick.kinds.numbers.numbers import Numbers
from tallystick.metrics import CCC, MAE, R2, RMSE, Pearson
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems
from tallystick.statistics.wilson import bound_effectively

Column = NDArray[np.float64]
CASES = 1_000
SIZES = (1, 2, 3, 4, 5, 6, 8, 12)
"""All in all 20,000 cases."""


def draw_cases():
    random = np.random.default_rng(5)
    for size in SIZES:
        gold = random.integers(0, random.integers(1, 6, CASES), (size, CASES)).astype(float)
        noise = random.normal(0, 1, (size, CASES)) * (random.random(CASES) < 0.7)
        rounded = np.where(random.random(CASES) < 0.5, gold + noise, np.round(gold + noise))
        constant = np.where(random.random(CASES) < 0.1, 0.1, rounded)
        yield gold + random.choice([0.0, 100.0], CASES), constant


def score_cases(metric, gold, outputs):
    size, cases = gold.shape
    most = 8_000 // size
    if cases > most:
        parts = [slice(start, start + most) for start in range(0, cases, most)]
        return np.concatenate([score_cases(metric, gold[:, own], outputs[:, own]) for own in parts])
    groups = Labels(np.repeat(np.arange(cases, dtype=np.uint32), size), tuple(range(cases)))
    numbers = Numbers(gold.T.ravel(), {None: outputs.T.ravel()[None]})
    tally = metric.counter.count(Systems(("a",), {"numbers": numbers}, groups=groups))
    return np.asarray(metric.score(tally))


def test_pearson_equals_scipy():
    for gold, outputs in draw_cases():
        found = score_cases(Pearson(), gold, outputs)
        if len(gold) == 1:
            assert np.isnan(found).all()
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = stats.pearsonr(gold, outputs, axis=0).statistic
        constant = (np.ptp(gold, axis=0) == 0) | (np.ptp(outputs, axis=0) == 0)
        assert constant.any()
        assert np.array_equal(constant, np.isnan(found))
        assert np.allclose(expected[~constant], found[~constant], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("metric", "peer"),
    [(MAE(), sk.mean_absolute_error), (RMSE(), sk.root_mean_squared_error)],
    ids=["mae", "rmse"],
)
def test_errors_equal_scikit_learn(metric, peer):
    for gold, outputs in draw_cases():
        expected = peer(gold, outputs, multioutput="raw_values")
        assert np.allclose(expected, score_cases(metric, gold, outputs), rtol=0, atol=1e-12)


def test_r2_equals_scikit_learn():
    for gold, outputs in draw_cases():
        found = score_cases(R2(), gold, outputs)
        constant = np.ptp(gold, axis=0) == 0
        assert np.array_equal(constant, np.isnan(found))
        if len(gold) > 1:
            expected = sk.r2_score(gold, outputs, multioutput="raw_values")
            assert np.allclose(expected[~constant], found[~constant], rtol=1e-9, atol=1e-8)


def test_ccc_is_lin_s_formula():
    for gold, outputs in draw_cases():
        x, y = gold.mean(0), outputs.mean(0)
        spread = gold.var(0) + outputs.var(0) + (x - y) ** 2
        covariance = (gold * outputs).mean(0) - x * y
        defined = spread > 1e-9
        found = score_cases(CCC(), gold, outputs)
        assert np.allclose(
            2 * covariance[defined] / spread[defined], found[defined], rtol=0, atol=1e-9
        )
        assert np.isnan(found[~defined]).all()


def draw_columns(size, seed):
    random = np.random.default_rng(seed)
    gold = random.normal(3, 1, size)
    noise = {"good": 1, "better": 0.6}
    return gold, {name: gold + random.normal(0, own, size) for name, own in noise.items()}


def test_intervals_of_correlations_are_close_to_fisher_s():
    gold, systems = draw_columns(300, 7)
    for one in tallystick.score(gold, systems, "pearson").scores:
        fisher = stats.pearsonr(gold, systems[str(one.system)]).confidence_interval()
        assert (one.low, one.high) == pytest.approx(tuple(fisher), abs=0.02)


def test_numbers_on_a_line_are_as_few_trials_as_examples():
    numbers = [1.0, 2.0, 3.0, 4.0]
    (one,) = tallystick.score(numbers, numbers, "ccc").scores
    low, high = bound_effectively(np.array(1.0), np.array(4.0), 0.95)
    assert (one.low, one.high) == pytest.approx((2 * low - 1, 2 * high - 1))


@pytest.mark.parametrize("size", [2, 3])
def test_three_points_tell_nothing_of_a_correlation(size):
    gold, outputs = [1.5, 2, 3][:size], [1.4, 2, 3.3][:size]
    (one,) = tallystick.score(gold, outputs, "pearson").scores
    with np.errstate(divide="ignore", invalid="ignore"):
        fisher = stats.pearsonr(gold, outputs).confidence_interval()
    assert (one.low, one.high) == (-1, 1) == tuple(fisher)


@pytest.mark.parametrize("size", [300, 10_000])
def test_systems_are_compared_whether_or_not_rows_are_kept(size):
    gold, systems = draw_columns(size, 8)
    result = tallystick.compare(gold, systems, ["pearson", "ccc", "r2", "mae", "rmse"])
    assert all(one.p_holm < 0.01 for one in result.differences)
    assert all((one.difference > 0) == (one.better == "higher") for one in result.differences)


def test_numbers_around_zero_have_a_slope():
    random = np.random.default_rng(2)
    half = random.normal(0, 1, 6_000)
    gold = np.concatenate([half, -half])
    systems = {
        name: np.concatenate([gold[:6_000] + noise, gold[6_000:] - noise])
        for name, noise in (("a", random.normal(0, 1, 6_000)), ("b", random.normal(0, 1, 6_000)))
    }
    (one,) = tallystick.compare(gold, systems, "mean").differences
    expected = stats.ttest_rel(systems["b"], systems["a"])

    assert near(0) == one.difference
    width = np.subtract(*expected.confidence_interval()[::-1])
    assert one.high - one.low == pytest.approx(width, rel=0.02)


def test_a_table_has_gold_and_outputs():
    gold, systems = draw_columns(40, 9)
    table = pandas.DataFrame({"gold": gold, "prediction": systems["good"], "user": ["u", "v"] * 20})
    result = tallystick.score(table, metrics=["pearson", "mae"], by="user", intervals=False)
    found = {(one.group, one.name): one.value for one in result.scores}
    each = [
        stats.pearsonr(own["gold"], own["prediction"]).statistic for _, own in table.groupby("user")
    ]

    assert near([*each, np.mean(each)]) == [found[name, "pearson"] for name in ("u", "v", "macro")]
    named = tallystick.score(
        table.rename(columns={"prediction": "valence"}), metrics="pearson(valence)", intervals=False
    )
    assert near(stats.pearsonr(gold, systems["good"]).statistic) == named.scores[0].value


def test_constant_numbers_are_undefined_with_a_reason():
    result = tallystick.score([1.0, 2.0, 3.0], {"a": [2.0, 2.0, 2.0]}, ["pearson", "ccc"])
    assert np.isnan(result.scores[0].value)
    assert near(0) == result.scores[1].value
    assert (
        "pearson of a is undefined, as always if gold or outputs are constant, as for a single "
        "example."
    ) == result.notes[0]


def test_many_constant_numbers_are_undefined_with_the_same_reason():
    result = tallystick.score(np.arange(9_000) / 2, {"a": np.ones(9_000)}, ["pearson"])
    assert not any("resamples" in note for note in result.notes)
    assert any("pearson of a is undefined" in note for note in result.notes)


def test_what_is_missing_is_told():
    with pytest.raises(InputError, match="good has 3 values for 4 examples"):
        tallystick.score([1.0, 2.0, 3.0, 4.0], {"good": [1.0, 2.0, 3.0]}, "pearson")
    with pytest.raises(InputError, match="gold"):
        tallystick.score(pandas.DataFrame({"comet": [1.0, 2.0]}), metrics="pearson(comet)")
    with pytest.raises(UsageError, match="column must be the name of a column, not 3"):
        Pearson(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gold", "names"),
    [([0.5, 1.25, 2, 3.5], ["pearson", "mae", "rmse"]), ([1, 2, 2, 3], ["accuracy"])],
)
@pytest.mark.parametrize("form", ["list", "array", "table", "texts"])
def test_numbers_are_recognised(gold, names, form):
    if form in ("list", "array"):
        values: Any = gold if form == "list" else np.array(gold)
        result = tallystick.score(values, {"a": values}, intervals=False)
    else:
        column = [str(value) for value in gold] if form == "texts" else np.array(gold, float)
        table = pandas.DataFrame({"y_true": column, "y_pred": column})
        result = tallystick.score(table, intervals=False)

    assert set(names) <= {one.name for one in result.scores}
    assert ("pearson" in names) == any("look like numbers" in note for note in result.notes)


def test_a_task_that_was_named_is_one_of_labels():
    table = pandas.DataFrame({"y_true": ["1.5", "2", "2"], "y_pred": ["1.5", "2", "1.5"]})
    assert near(2 / 3) == tallystick.score(table, task="multiclass", intervals=False)["accuracy"]


def test_accuracy_within_a_standard_deviation_is_that_of_semeval():
    random = np.random.default_rng(12)
    choices = random.integers(1, 6, (20_000, 5))
    half = random.random(20_000) < 0.5
    outputs = np.where(half, random.integers(1, 6, 20_000), random.uniform(1, 5, 20_000))
    mean, sd, part = choices.mean(1), choices.std(1, ddof=1), np.arange(20_000) % 4
    table = pandas.DataFrame({"average": mean, "stdev": sd, "prediction": outputs, "part": part})
    expected = ((mean - sd < outputs) & (outputs < mean + sd)) | (abs(mean - outputs) < 1)
    parts = pandas.Series(expected).groupby(table["part"]).mean()
    metric, columns = "accuracy_within_sd(least=1)", tallystick.Columns(gold="average")
    result = tallystick.score(table, metrics=metric, by="part", columns=columns, intervals=False)

    assert near([*parts, parts.mean(), np.mean(expected)]) == [one.value for one in result.scores]


def test_widths_that_make_no_sense_are_rejected():
    table = pandas.DataFrame({"gold": [1.0, 2.5], "prediction": [1.0, 2.0], "stdev": [0.5, -1.0]})
    with pytest.raises(InputError, match="row 2, column 'stdev': -1 is below 0"):
        tallystick.score(table, metrics="accuracy_within_sd")
    with pytest.raises(InputError, match="no column 'width'"):
        tallystick.score(table, metrics="accuracy_within_sd(width)")
    with pytest.raises(UsageError, match="no column 'stdev' in lists or arrays"):
        tallystick.score([1.0, 2.5], [1.0, 2.0], "accuracy_within_sd")


def test_a_normalised_error_is_divided_by_its_scale():
    gold, systems = draw_columns(50, 3)
    plain = tallystick.score(gold, systems, "rmse").scores
    normalised = tallystick.score(gold, systems, "RMSE(scale=11.5)").scores
    assert near([one.value / 11.5 for one in plain]) == [one.value for one in normalised]
    assert near([one.high / 11.5 for one in plain]) == [one.high for one in normalised]

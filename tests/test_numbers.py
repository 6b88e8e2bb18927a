"""Numbers that were computed elsewhere: how they are read, their means, intervals and tests."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import stats

import tallystick
from oracle import near
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import Mean
from tallystick.reading import table_files

RNG = np.random.default_rng(16)
SIZE = 120


def draw_table() -> pandas.DataFrame:
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


def score_table(table: Any, *metrics: Any, **options: Any) -> Any:
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
    result = score_table(TABLE, "mean(comet)")
    for one in result.scores:
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
    lower = Mean("comet", better="lower")
    first = [
        tallystick.rank(TABLE, metrics=metric, system_column="model").places[0].system
        for metric in ("mean(comet)", lower)
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


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "row 2, column 'comet': the number is missing"),
        (math.inf, "row 2, column 'comet': inf is not a finite number"),
        (-1e51, r"row 2, column 'comet': -1e\+51 is too large to be scored"),
        (None, "row 2, column 'comet'"),
        ("good", "row 2, column 'comet': 'good' is not a number"),
    ],
)
def test_what_is_no_number_is_told(value, message):
    written = ["0.5", value, "1.0"] if isinstance(value, str) else [0.5, value, 1.0]
    table = pandas.DataFrame({"model": ["a"] * 3, "id": [1, 2, 3], "comet": written})
    with pytest.raises(InputError, match=message):
        score_table(table, "mean(comet)")


@pytest.mark.parametrize("size", [1e49, 1e154, 1e308])
@pytest.mark.parametrize(
    "metric", ["pearson", "ccc", "r2", "mae", "rmse", "spearman", "kendall_tau_b", "mean"]
)
def test_large_numbers_are_scored_or_refused_without_a_warning(metric, size):
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


def test_too_large_weights_are_refused():
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"column": 3}, "column is the name of a column, not 3"),
        ({"better": "more"}, "better is one of 'higher', 'lower', 'neither'"),
        ({"bounds": (1, 0)}, "bounds are the least and the largest value"),
        ({"bounds": "0-1"}, "bounds are the least and the largest value"),
    ],
)
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
    monkeypatch.setattr(table_files, "_LARGE", 1)
    monkeypatch.setattr(table_files, "_ROWS", 16)
    assert main(command) == 0

    assert expected == capsys.readouterr().out

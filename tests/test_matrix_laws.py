"""Laws of intervals, comparisons and gates, for every kind of data.

The kinds are the modules of the folder `kinds`; no number stands here.
"""

import json
import math

import pytest

from kinds import KINDS, write
from matrix import FEATURES, ask, cells, phrase, run
from tallystick.kinds.metrics.names import is_own, load_metric, parse

ALL = ["score", "compare", "gate"]


ALIKE = pytest.mark.parametrize(
    "name", [name for name, kind in KINDS.items() if {"a", "model"} & {*kind.columns}]
)
"""The kinds in which two systems can have the same outputs."""


COUNTING = ("rated", "totals")
"""The kinds with p-values, or medians, of this many examples."""


def match(rows):
    if "model" not in rows[0]:
        return [{**row, "b": row["a"]} for row in rows]
    own = [row for row in rows if row["model"] == "a"]
    return [{**row, "model": model} for row in own for model in "ab"]


def list_tests(answer):
    return next(found for key in ("scores", "differences", "checks") if (found := answer.get(key)))


def read_tests(answer):
    return [
        tuple(math.nan if one.get(key) is None else one[key] for key in ("low", "high", "n", "p"))
        for one in list_tests(answer)
    ]


def read_metric(named):
    return load_metric(named) if is_own(named) else parse(named)


def near(tests):
    return [pytest.approx(one, rel=1e-6, abs=1e-9, nan_ok=True) for one in tests]


@ALIKE
def test_a_system_does_not_differ_from_itself(name):
    for one in ask("compare", name, match(KINDS[name].rows()))["differences"]:
        assert one["difference"] in (0, None)
        if one["difference"] is not None:
            assert one["p"] == 1
            assert one["low"] is None or one["low"] < 0 < one["high"]
            least, most = read_metric(one["metric"]).bounds
            if one["low"] is not None and math.isfinite(most - least):
                assert min(-one["low"], one["high"]) >= 0.99 * (most - least) / one["n"]


@ALIKE
def test_no_gate_passes_without_a_discordant_pair_of_few_examples(name):
    rows = match(KINDS[name].rows())
    assert "pass" not in [one["verdict"] for one in ask("gate", name, rows)["checks"]]


@cells(commands=["compare"])
def test_a_comparison_is_antisymmetric(name, command):
    one, other = (
        ask(command, name, KINDS[name].rows(), "--baseline", baseline)["differences"]
        for baseline in "ab"
    )

    for own, mirrored in zip(one, other, strict=True):
        seen = [own[key] for key in ("difference", "low", "high", "p")]
        turned = [mirrored[key] for key in ("difference", "high", "low", "p")]
        assert seen == [
            None if end is None else pytest.approx(end * sign, rel=1e-9, abs=1e-12)
            for end, sign in zip(turned, (-1, -1, -1, 1), strict=True)
        ]


@cells("weight", ALL)
def test_rows_of_weight_0_are_absent(name, command):
    rows = KINDS[name].rows("weight")
    light = [{**row, "id": f"f{row['id'][1:]}", "weight": 0} for row in rows]
    answers = (ask(command, name, own, *FEATURES["weight"]) for own in (rows, rows + light))
    first, second = map(read_tests, answers)
    assert near(first) == second


@cells("weight", ALL)
def test_weights_times_a_constant_change_nothing(name, command):
    rows = KINDS[name].rows("weight")
    heavy = [{**row, "weight": 3 * row["weight"]} for row in rows]
    answers = (ask(command, name, own, *FEATURES["weight"]) for own in (rows, heavy))
    first, second = map(read_tests, answers)
    assert near(first) == second


@cells("clusters", ALL)
def test_two_copies_of_each_example_with_clusters_are_one(name, command):
    if name in COUNTING:
        pytest.skip("its scores, or their slopes, depend on the number of examples")
    few = KINDS[name].rows()
    rows = [{**row, "id": f"{row['id']}{at}"} for at in range(5) for row in few]
    rows = [{**row, "doc": row["id"]} for row in rows]
    twice = [{**row, "id": f"{row['id']}{copy}"} for row in rows for copy in "xy"]
    answers = [ask(command, name, own, *FEATURES["clusters"]) for own in (rows, twice)]
    gaps = [
        [one.get("difference", one.get("value")) for one in list_tests(answer)]
        for answer in answers
    ]
    first, second = map(read_tests, answers)
    for gap, again, own, copied in zip(*gaps, first, second, strict=True):
        if gap is not None and gap == pytest.approx(again):
            assert pytest.approx(own[:2], abs=0.03 * (own[1] - own[0]), nan_ok=True) == copied[:2]


@cells(commands=["score"])
def test_the_interval_of_a_system_depends_on_no_other_system(tmp_path, name, command):
    if name in ("agreement", "preferences"):
        pytest.skip("its scores are of systems, or annotators, beside each other")
    rows = KINDS[name].rows()
    some = [{key: row[key] for key in row if key != "b"} for row in rows if row.get("model") != "b"]
    words = phrase(command, name, write(tmp_path / "all.jsonl", some))
    alone = json.loads(run([word for word in words if word != "b"])[1])

    own = [one for one in ask(command, name, rows)["scores"] if one["system"] == "a"]
    assert read_tests({"scores": own}) == near(read_tests(alone))


@cells(commands=["score"])
def test_an_interval_contains_its_score_within_the_bounds(name, command):
    for one in list_tests(ask(command, name, KINDS[name].rows())):
        least, most = read_metric(one["metric"]).bounds
        if one["low"] is not None:
            assert least <= one["low"] <= one["value"] <= one["high"] <= most, one["metric"]

"""Gaps, ratios, worst values and standard deviations of the scores of groups."""

import json
import math

import numpy as np
import pytest

import tallystick
from cases import cases
from matrix import run
from oracle import near
from tallystick.errors import UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import Gap, Recall

FAIRLEARN = ("demographic_parity", "equalized_odds", "equal_opportunity")
RECORDED = {
    "difference": (0.18, 0.3411764705882353, 0.2880434782608695),
    "ratio": (0.7352941176470588, 0.14705882352941174, 0.6845238095238095),
}
NAMES = ("gap", "ratio_between", "worst", "std")


def draw(seed, size=120):
    rng = np.random.default_rng(seed)
    gold, group = rng.integers(0, 2, size), rng.integers(0, 4, size)
    a, b = np.where(rng.random((2, size)) < 0.6 + 0.1 * group, gold, 1 - gold)
    names = np.array(["north", "east", "south", "west"])[group]
    return {"gold": gold.tolist(), "a": a.tolist(), "b": b.tolist(), "place": names.tolist()}


def score(table, *metrics, **options):
    result = tallystick.score(
        table["gold"], table["a"], list(metrics), by=table["place"], **options
    )
    return {one.name: one for one in result.scores if one.group == "macro"}


def compare(table, metric, **options):
    outputs = {name: table[name] for name in "ab"}
    return tallystick.compare(table["gold"], outputs, metric, **{"by": table["place"]} | options)


@cases("part", "accuracy", "recall", "f1", "fpr", "selection_rate")
@cases("seed", *range(5))
def test_values_are_formulas_over_those_of_groups(part, seed):
    table = draw(seed)
    groups = tallystick.score(table["gold"], table["a"], part, by=table["place"], intervals=False)
    values = np.array([one.value for one in groups.scores[:4]])
    found = score(table, *(f"{name}({part})" for name in NAMES[:2]), f"std({part})")
    wanted = {
        f"gap({part})": np.ptp(values),
        f"ratio_between({part})": values.min() / values.max(),
        f"std({part})": values.std(),
    }
    assert {name: near(value) for name, value in wanted.items()} == {
        name: one.value for name, one in found.items()
    }


@cases("part worst", ("recall", min), ("fpr", max))
def test_the_worst_group_has_the_lowest_score_or_the_highest_where_lower_is_better(part, worst):
    table = draw(3)
    by_group = tallystick.score(table["gold"], table["a"], part, by=table["place"])
    result = tallystick.score(table["gold"], table["a"], f"worst({part})", by=table["place"])
    assert [(worst(one.value for one in by_group.scores[:4]), "macro")] == [
        (one.value, one.group) for one in result.scores
    ]


@cases("name", *[f"{name}(f1)" for name in NAMES])
def test_intervals_hold_the_value_within_its_bounds(name):
    (one,) = score(draw(1), name).values()
    low, high = parse(name).bounds
    assert low <= one.low <= one.value <= one.high <= high
    assert one.high - one.low > 0.05


@pytest.mark.deep
@cases("shares", (0.8, 0.8), (0.7, 0.8, 0.9), (0.8,) * 5)
@cases("name", *NAMES)
def test_intervals_hold_in_95_of_a_hundred_samples(name, shares):
    rng = np.random.default_rng(11)
    metric = parse(f"{name}(accuracy)")
    truth = float(metric.compare(np.array([shares])))
    group = np.repeat(np.arange(len(shares)), 100)
    held = 0
    for _ in range(60):
        right = (rng.random(len(group)) < np.array(shares)[group]).astype(int)
        gold = np.ones_like(right)
        made = tallystick.score(
            gold.tolist(), right.tolist(), metric, by=group.tolist(), task="multiclass"
        )
        held += made.scores[0].low <= truth <= made.scores[0].high
    assert held >= 52


def test_all_groups_alike_have_no_gap_that_excludes_zero():
    table = {"gold": [1, 0] * 40, "a": [1, 0] * 39 + [0, 1], "place": list("abcd") * 20}
    gap, ratio = score(table, "gap(accuracy)", "ratio_between(accuracy)").values()
    assert (0, 1) == (gap.low, ratio.high)


def test_two_metrics_count_by_the_worse_one():
    found = score(draw(2), "gap(recall)", "gap(fpr)", "gap(recall, fpr)")
    *single, both = (one.value for one in found.values())
    assert max(single) == both


def test_a_group_without_a_value_is_left_out():
    table = {"gold": [1, 1, 1, 0, 0, 0], "a": [1, 0, 1, 0, 1, 0], "place": list("aabbcc")}
    assert 0.5 == score(table, "gap(recall)")["gap(recall)"].value


@cases(
    "alias meant",
    ("demographic_parity_difference", "gap(selection_rate)"),
    ("demographic_parity_ratio", "ratio_between(selection_rate)"),
    ("equalized_odds_difference", "gap(recall, fpr)"),
    ("equalized_odds_ratio", "ratio_between(recall, fpr)"),
    ("equal_opportunity_difference", "gap(recall)"),
)
def test_the_names_of_fairlearn_are_known(alias, meant):
    assert parse(meant) == parse(alias)


@cases(
    "name said",
    ("gap", "gap takes one metric, or two, such as gap"),
    ("worst(f1, recall)", "worst takes one metric, such as worst"),
    ("gap(gap(f1))", "gap takes metrics, and no metrics of others"),
    ("ratio_between(mcc)", "ratio_between takes metrics that are never below 0, not mcc"),
    ("worst(selection_rate)", "neither higher nor lower is better"),
)
def test_what_cannot_be_meant_is_rejected(name, said):
    with pytest.raises(UsageError, match=said):
        parse(name)


def test_there_must_be_groups():
    with pytest.raises(UsageError, match="is between groups; name their column with `by=`"):
        tallystick.score([0, 1], [1, 1], "gap(accuracy)")


@cases("options", {}, {"clusters": [f"c{at // 3}" for at in range(120)]})
def test_systems_are_compared_by_the_slopes_of_the_groups(options):
    table = draw(4)
    two = ["one" if place in ("north", "east") else "other" for place in table["place"]]
    (one,) = compare(table, "gap(accuracy)", by=two, **options).differences
    each = compare(table, "accuracy", by=two, **options).differences
    first, second = (own.difference for own in each[:2])
    assert "macro" == one.group
    assert near(abs(one.difference)) == abs(first - second)
    assert one.low < one.difference < one.high


def test_the_bootstrap_loses_no_resample_of_rows_without_a_gap():
    made = compare(draw(4), "gap(f1)", testing=tallystick.Testing("bootstrap"))
    assert [] == [note for note in made.notes if "undefined" in note]


def test_sentences_name_no_row():
    assert "between b and a on gap(f1)." in str(compare(draw(4), "gap(f1)"))


def test_a_copy_of_a_system_has_the_same_gap():
    table = draw(5)
    outputs = {"a": table["a"], "copy": table["a"]}
    (one,) = tallystick.compare(table["gold"], outputs, "gap(f1)", by=table["place"]).differences
    assert (0, 1) == (one.difference, one.p)


@pytest.fixture
def path(tmp_path):
    table = draw(6, 400)
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    file = tmp_path / "all.jsonl"
    file.write_text("".join(json.dumps({"id": at} | row) + "\n" for at, row in enumerate(rows)))
    return str(file)


def test_a_gate_holds_a_gap_against_a_ceiling(path):
    words = ["gate", path, "--systems", "a", "--by", "place", "--format", "json", "--floor"]
    code, found, _ = run([*words, "gap(recall)=0.9", "worst(recall)=0.1"])
    checks = json.loads(found)["checks"]
    assert (0, ["macro"] * 2) == (code, [one["group"] for one in checks])
    assert ["at most 0.9", "at least 0.1"] == [
        one["sentence"].partition("; ")[2].removesuffix(" is required.") for one in checks
    ]


def test_a_table_has_the_columns_that_a_gap_has(path):
    words = ["score", path, "--systems", "a", "b", "--by", "place", "-m"]
    _, both, _ = run([*words, "recall", "gap(recall)"])
    _, alone, _ = run([*words, "gap(recall)"])
    heads = [line.split() for line in both.splitlines() if line.startswith("system")]
    assert [["system", "macro"], 7] == [heads[1], len(heads[0])]
    assert "95% confidence intervals: Wilson, groups compared." == alone.splitlines()[-1]


def test_rank_and_plan_and_saved_counts_have_gaps(path, tmp_path):
    saved = str(tmp_path / "all.tally")
    what = ["-m", "gap(accuracy)", "accuracy"]
    usual = ["--systems", "a", "b", "--by", "place"]
    code, _, _ = run(["count", path, *usual, "-o", saved, *what])
    printed = ["--format", "json"]
    ranked, again = (
        [one["value"] for one in json.loads(words)["places"] if one["name"] == "gap(accuracy)"]
        for _, words, _ in (
            run(["rank", path, *usual, *what, *printed]),
            run(["rank", saved, *what, *printed]),
        )
    )
    planned, _, _ = run(["plan", path, *usual, *what])
    assert (0, 0, 2) == (code, planned, len(ranked))
    assert ranked == again == sorted(ranked)


def test_texts_have_gaps_too():
    gold, a = ["the cat sat on the mat"] * 4, ["the cat sat on the mat", "the cat sat on"] * 2
    result = tallystick.score(gold, a, "gap(bleu)", by=["x", "y"] * 2, intervals=False)
    assert pytest.approx(100 - 100 * math.exp(1 - 6 / 4)) == result.scores[0].value


def test_metrics_in_python_are_taken_as_they_are():
    assert "Gap(Recall(positive='yes'))" == repr(Gap(Recall(positive="yes")))


@pytest.mark.peers
@cases("seed", *range(10))
def test_values_are_those_of_fairlearn(seed):
    import fairlearn.metrics

    for again in range(167):
        table = draw(1000 * seed + again)
        places = {"sensitive_features": table["place"]}
        names = [f"{name}_{how}" for name in FAIRLEARN for how in ("difference", "ratio")]
        result = tallystick.score(
            table["gold"], table["a"], names, by=table["place"], intervals=False
        )
        assert near([one.value for one in result.scores if one.group == "macro"]) == [
            getattr(fairlearn.metrics, name)(table["gold"], table["a"], **places) for name in names
        ]


def test_recorded_values_are_those_of_fairlearn():
    found = score(draw(0), *(f"{name}_{how}" for name in FAIRLEARN for how in RECORDED))
    assert near([own for pair in zip(*RECORDED.values(), strict=True) for own in pair]) == [
        one.value for one in found.values()
    ]

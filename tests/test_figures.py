"""Specifications of figures: what they hold is what the JSON of the results holds."""

import math
import re
from itertools import pairwise
from typing import Any

import altair
import pandas
import pytest
from msgspec.structs import replace

import tallystick
from figures import HOSTILE, LABELS, RESULTS, difference, invent_scores, read
from places import place
from tallystick.errors import UsageError
from tallystick.output.figures.figure import list_figures
from tallystick.output.figures.layers import (
    DARK,
    LIGHT,
    SCHEMA,
    configure,
    label_names,
    title_score,
)
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.saved import read_result
from tallystick.output.tables.cells import measure

KINDS = {
    "labels": ["scores", "groups", "heatmap"],
    "probabilities": ["confusion", "roc", "pr", "reliability", "threshold"],
    "texts": ["lengths"],
    "ranking": ["rank"],
    "comparison": ["compare"],
    "gate": ["gate"],
}
PAIRS = [(name, kind) for name, kinds in KINDS.items() for kind in kinds]


def rows_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = spec["data"]["values"]
    return rows


@pytest.mark.parametrize("name", KINDS)
def test_a_result_has_the_figures_that_its_records_allow(name):
    assert KINDS[name] == list(list_figures(read(RESULTS[name])))


@pytest.mark.deep
@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_altair_takes_a_figure(name, kind):
    spec = RESULTS[name].figure(kind).spec
    assert SCHEMA == spec["$schema"]
    altair.Chart.from_dict({key: part for key, part in spec.items() if key != "config"})
    altair.Config.from_dict(spec["config"])


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_a_figure_of_saved_json_is_that_of_the_result(name, kind):
    assert RESULTS[name].figure(kind).spec == list_figures(read(RESULTS[name]))[kind](wide=False)


def test_a_figure_is_one_column_wide_or_two():
    assert [round(mm / 25.4 * 96) for mm in (85, 170)] == [
        LABELS.figure(wide=wide).spec["width"] for wide in (False, True)
    ]


def test_the_ranking_holds_its_places():
    ranking = RESULTS["ranking"]
    rows = rows_of(ranking.figure().spec)
    for field in ("system", "value", "low", "high", "rank", "best_rank", "worst_rank"):
        assert [one[field] for one in read(ranking)["places"]] == [one[field] for one in rows]
    assert ["1–2", "1–2", "", "3", "n/a"] == [one["ranks"] for one in rows]


def test_a_line_divides_clusters():
    rows = rows_of(RESULTS["ranking"].figure().spec)
    assert ["c"] == [one["system"] for one in rows if one["divided"]]


def test_each_track_has_a_ranking():
    ranking = Ranking((place("a", 0.9, 1, track="T1"), place("a", 0.4, 1, track="T2")))
    assert ["rank", "rank T2"] == list(list_figures(read(ranking)))


def test_the_forest_plot_holds_the_differences():
    rows = rows_of(RESULTS["comparison"].figure().spec)
    assert ["new", "newer", "bad"] == [one["a"] for one in rows]
    assert [0.05, -0.01, None] == [one["difference"] for one in rows]
    assert [True, False, False] == [one["significant"] for one in rows]
    assert ["0.010", "0.400", "0.010"] == [one["p_shown"] for one in rows]


def test_lower_is_better_turns_the_order_and_is_said():
    differences = tuple(
        replace(difference(name, value), name="wer", better="lower")
        for name, value in (("a", 0.1), ("b", -0.1))
    )
    spec = Comparison(differences).figure().spec
    assert ["b", "a"] == [one["a"] for one in rows_of(spec)]
    assert "WER − old (lower is better, 95% confidence interval)" == title_of(spec, "x")


def test_groups_of_one_pair_are_rows():
    groups = ("en", "es", "macro", "micro")
    differences = tuple(difference("new", 0.1, group=group) for group in groups)
    spec = Comparison(differences).figure("groups").spec
    assert ["en", "es", "mean", "all"] == [one["row"] for one in rows_of(spec)]
    assert "Accuracy, new − old (95% confidence interval)" == title_of(spec, "x")


def test_groups_of_several_pairs_are_named_with_them():
    differences = tuple(
        difference(name, 0.1, group=group, b=other)
        for name, other in (("a", "b"), ("a", "c"))
        for group in ("en", "macro")
    )
    spec = Comparison(differences).figure("groups").spec

    assert ["a − b, en", "a − b, mean", "a − c, en", "a − c, mean"] == [
        one["row"] for one in rows_of(spec)
    ]
    assert "Accuracy difference (95% confidence interval)" == title_of(spec, "x")


def title_of(spec: dict[str, Any], channel: str) -> str:
    found = (layer["encoding"].get(channel, {}).get("title") for layer in spec["layer"])
    title = next(title for title in found if title)
    return title if isinstance(title, str) else " ".join(title)


def test_a_significant_difference_is_as_its_record_says():
    for p in (0.0499999, 0.05, 0.0500001):
        one = difference("a", 0.1, p)
        (row,) = rows_of(Comparison((one,)).figure().spec)
        assert one.significant == row["significant"]


def test_the_groups_hold_the_scores_of_the_first_metric():
    expected = [
        (one["system"], one["group"], one["value"], one["low"], one["high"], one["n"])
        for one in read(LABELS)["scores"]
        if one["name"] == "accuracy"
    ]
    for kind in ("groups", "heatmap"):
        rows = rows_of(LABELS.figure(kind).spec)
        fields = ("system", "group", "value", "low", "high", "n")
        assert expected == [tuple(one[field] for field in fields) for one in rows]


def test_a_metric_can_be_named():
    for metric in ("macro_f1", LABELS.select(metric="macro_f1").scores[0].metric):
        assert [LABELS["macro_f1", "macro", name] for name in ("one", "two")] == [
            one["value"] for one in rows_of(LABELS.figure("scores", metric=metric).spec)
        ]


def test_a_group_with_few_examples_is_marked():
    rows = rows_of(list_figures(invent_scores(2, 3))["heatmap"]())
    assert [True, True, False, False, False] == [one["few"] for one in rows[:5]]


def test_the_scores_of_each_label_are_drawn_with_their_support():
    scored = tallystick.score(["a", "b", "c", "a"] * 10, ["a", "b", "b", "c"] * 10, intervals=False)
    rows = rows_of(scored.figure("labels").spec)

    assert ["a", "b", "c"] == [one["row"] for one in rows]
    assert [20, 10, 10] == [one["n"] for one in rows]
    for name, metric in ((None, "f1"), ("precision", "precision"), ("accuracy", "f1")):
        own = scored.select(metric=metric).scores
        rows = rows_of(scored.figure("labels", metric=name).spec)
        assert [one.value for one in own if one.label] == [one["value"] for one in rows]


def test_labels_of_several_systems_stand_beside_each_other():
    gold = ["a", "b", "c", "a"] * 10
    scored = tallystick.score(gold, {"one": gold, "two": gold[::-1]}, intervals=False)
    rows = rows_of(scored.figure("labels").spec)
    assert [("one", "a", "20"), ("two", "a", "")] == [
        (one["system"], one["row"], one["count"]) for one in rows if one["row"] == "a"
    ]


def test_a_system_may_be_called_as_an_average():
    scores = invent_scores(2, 0)
    for one, name in zip(scores["scores"], ("macro", "micro"), strict=True):
        one["system"] = name
    assert ["macro", "micro"] == [one["row"] for one in rows_of(list_figures(scores)["scores"]())]


@pytest.mark.parametrize(
    ("systems", "groups", "expected"), [(8, 98, True), (9, 3, False), (2, 99, False)]
)
def test_too_many_groups_or_systems_have_a_heatmap_alone(systems, groups, expected):
    kinds = list_figures(invent_scores(systems, groups))
    assert expected == ("groups" in kinds)
    assert "heatmap" in kinds


def test_the_confusion_matrix_holds_counts_and_shares_of_rows():
    matrix = LABELS.select(system="one").confusions[0]
    rows = rows_of(LABELS.figure("confusion", system="one").spec)
    assert [count for row in matrix.counts for count in row] == [one["count"] for one in rows]
    assert [count / sum(row) for row in matrix.counts for count in row] == [
        one["share"] for one in rows
    ]


def test_the_matrix_of_wins_holds_games_of_pairs(tmp_path):
    rows = [("a", "b", "b"), ("a", "b", "tie"), ("b", "c", "b"), ("c", "b", "c"), ("b", "c", "b")]
    table = dict(zip(("a", "b", "winner"), map(list, zip(*rows, strict=True)), strict=True))
    result = tallystick.score(pandas.DataFrame(table), metrics="bradley_terry", intervals=False)
    shown = {
        (one["gold"], one["predicted"]): (one["count"], one["share"], one["words"])
        for one in rows_of(result.figure("wins").spec)
    }

    assert [("a", "b", "c")] == [one.labels for one in result.wins]
    assert ["b", "c", "a"] == list(dict.fromkeys(row for row, _ in shown))
    assert (1.5, 0.75, "75%\n1.5 of 2") == shown["b", "a"]
    assert (1.0, pytest.approx(1 / 3), "33%\n1 of 3") == shown["c", "b"]
    assert (0.0, None, "") == shown["a", "c"] == shown["b", "b"]
    (tmp_path / "saved.json").write_text(result.to_json(), encoding="utf-8")
    assert result.wins == read_result(str(tmp_path / "saved.json")).wins  # type: ignore[attr-defined]


def test_areas_are_told_where_they_were_scored():
    result = RESULTS["probabilities"]
    for kind, metric, word in (("roc", "roc_auc", "AUC"), ("pr", "average_precision", "AP")):
        (name,) = {one["name"] for one in rows_of(result.figure(kind).spec)}
        assert f"({word} {result[metric]:.3f})" in name


def test_the_area_under_the_drawn_curve_is_the_score():
    pairs = pairwise(rows_of(RESULTS["probabilities"].figure("roc").spec))
    area = sum((b["fpr"] - a["fpr"]) * (a["tpr"] + b["tpr"]) / 2 for a, b in pairs)
    assert math.isclose(RESULTS["probabilities"]["roc_auc"], area, abs_tol=1e-12)


def test_the_steps_of_precision_have_the_area_of_average_precision():
    pairs = pairwise(rows_of(RESULTS["probabilities"].figure("pr").spec))
    area = sum((b["recall"] - a["recall"]) * b["precision"] for a, b in pairs)
    assert math.isclose(RESULTS["probabilities"]["average_precision"], area, abs_tol=1e-12)


def test_the_bins_of_reliability_have_the_calibration_error_of_the_score():
    rows = rows_of(RESULTS["probabilities"].figure("reliability").spec)
    gaps = sum(one["n"] * abs(one["mean"] - one["share"]) for one in rows)
    assert math.isclose(RESULTS["probabilities"]["ece"], gaps / 120, abs_tol=1e-12)


def test_the_curve_of_thresholds_passes_through_the_score():
    result = RESULTS["probabilities"]
    rows = rows_of(result.figure("threshold").spec)
    used = [one for one in rows if one["name"] == "F1" and one["threshold"] >= 0.5]
    assert result["f1"] == pytest.approx(min(used, key=lambda one: one["threshold"])["value"])


def test_lengths_have_the_scores_of_their_bins():
    rows = rows_of(RESULTS["texts"].figure("lengths").spec)
    assert [one.value for one in RESULTS["texts"].lengths] == [one["value"] for one in rows]
    assert 90 == sum(one["n"] for one in rows)


def test_a_gate_shows_the_distance_from_each_limit():
    drop, floor, equivalent = rows_of(RESULTS["gate"].figure().spec)

    assert (0.03 - 0.02, 0.03 - 0.05, 0.03 + 0.01) == tuple(
        pytest.approx(drop[name]) for name in ("distance", "low", "high")
    )
    assert (0.7 - 0.6, 0.66 - 0.6, 0.74 - 0.6) == tuple(
        pytest.approx(floor[name]) for name in ("distance", "low", "high")
    )
    assert (0.005 - 0.02, 0.005 - 0.05, 0.005) == tuple(
        pytest.approx(equivalent[name]) for name in ("distance", "low", "high")
    )


def test_a_figure_that_there_is_not_tells_which_there_are():
    with pytest.raises(UsageError) as error:
        LABELS.figure("roc")
    assert (
        "there is no figure 'roc' of this result, only scores, groups, heatmap; roc needs "
        "probabilities, a metric of them such as roc_auc, and one system, or up to 8 of a binary "
        "task"
    ) == str(error.value)


def test_a_single_score_is_no_figure():
    lone = RESULTS["texts"].select(metric="bleu")
    with pytest.raises(UsageError, match=r"^there is nothing to draw in this result$"):
        lone.figure()


@pytest.mark.parametrize(("option", "value"), [("metric", "blue"), ("system", "three")])
def test_what_is_not_there_cannot_be_drawn(option, value):
    with pytest.raises(UsageError, match=f"there is no {option} '{value}' in these results, only "):
        LABELS.figure(**{option: value})


def test_no_two_names_look_the_same():
    long = [f"{'a' * 30}{at}{'b' * 30}" for at in range(20)]
    names = [*long, *HOSTILE, "x" * 5001, "a\x00", "a\\x00"]
    labels = label_names(names)
    assert names == list(labels)
    assert len(names) == len(set(labels.values()))


def test_a_short_name_stays():
    name = "team-07/a-very-long-run-name-with-ensemble"
    labels = label_names(["bert", name])
    assert ["bert", "team-07/a-ver…ith-ensemble"] == list(labels.values())
    assert 26 == measure(labels[name])


@pytest.mark.parametrize(
    ("better", "confidence", "expected"),
    [
        ("higher", None, "Macro F1"),
        ("higher", 0.9, "Macro F1 (90% confidence interval)"),
        ("lower", None, "Macro F1 (lower is better)"),
        ("lower", 0.95, ["Macro F1", "(lower is better, 95% confidence interval)"]),
    ],
)
def test_the_title_of_an_axis_tells_what_it_shows(better, confidence, expected):
    assert expected == title_score("macro_f1", better, confidence)


def test_a_long_title_is_of_two_lines():
    spec = Comparison((difference("new", 0.1, b="y" * 30),)).figure().spec
    (title,) = {str(layer["encoding"]["x"]["title"]) for layer in spec["layer"][1:4]}
    assert str(["Accuracy − yyyyyyyy…yyyyyyy", "(95% confidence interval)"]) == title


def test_a_dark_page_has_the_same_colours_by_name():
    assert list(LIGHT) == list(DARK)
    light, dark = (str(configure(palette)) for palette in (LIGHT, DARK))
    colours = r"#[0-9a-f]{6}"
    assert re.sub(colours, "", light) == re.sub(colours, "", dark)
    assert {*DARK.values()} >= {*re.findall(colours, dark)}


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_all_colours_are_in_the_config(name, kind):
    spec = RESULTS[name].figure(kind).spec
    rest = str({key: part for key, part in spec.items() if key != "config"})
    assert [] == re.findall(r"#[0-9a-f]{6}", rest)


def see(colour: str, kind: str) -> tuple[float, ...]:
    red, green, blue = ((int(colour[at : at + 2], 16) / 255) ** 2.2 for at in (1, 3, 5))
    if kind == "protan":
        red = green = 0.11238 * red + 0.88762 * green
    elif kind == "deutan":
        red = green = 0.29275 * red + 0.70725 * green
    return red, green, blue


@pytest.mark.parametrize("kind", ["normal", "protan", "deutan"])
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_colours_of_systems_can_be_told_apart(palette, kind):
    names = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    seen = [[part ** (1 / 2.2) for part in see(palette[name], kind)] for name in names]
    gaps = [min(math.dist(seen[at], one) for one in seen[:at]) for at in range(1, 8)]
    assert min(gaps[:3]) > 0.25
    assert min(gaps) > 0.14

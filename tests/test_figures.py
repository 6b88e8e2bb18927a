"""Figures: their data are those of results, and points of curves, lengths and mean ranks."""

import json
import math
import re
from itertools import pairwise

import altair
import numpy as np
import pandas
import pytest
from msgspec.structs import replace
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_curve, roc_curve

import tallystick
from cases import cases
from figures import HOSTILE, LABELS, RESULTS, difference, invent_scores, read
from gates import make_check
from places import place
from tallystick.comparison.ranking.overall_ranking import add_standings
from tallystick.errors import UsageError
from tallystick.output.figures.drawing import draw_svg
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
from tallystick.output.results.gate import Gate
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.saved import read_result
from tallystick.output.tables.cells import measure
from tallystick.scoring.curve_data import thin

KINDS = {
    "labels": ["scores", "groups", "heatmap"],
    "probabilities": ["confusion", "roc", "pr", "reliability", "threshold"],
    "texts": ["lengths"],
    "ranking": ["rank"],
    "comparison": ["compare"],
    "gate": ["gate"],
}
PAIRS = [(name, kind) for name, kinds in KINDS.items() for kind in kinds]


def rows_of(spec):
    return spec["data"]["values"]


@cases("name", *KINDS)
def test_a_result_has_the_figures_that_its_records_allow(name):
    assert KINDS[name] == list(list_figures(read(RESULTS[name])))


@pytest.mark.deep
@cases("name kind", *PAIRS)
def test_altair_takes_a_figure(name, kind):
    spec = RESULTS[name].figure(kind).spec
    assert SCHEMA == spec["$schema"]
    altair.Chart.from_dict({key: part for key, part in spec.items() if key != "config"})
    altair.Config.from_dict(spec["config"])


@cases("name kind", *PAIRS)
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


def title_of(spec, channel):
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


@cases("systems groups expected", (8, 98, True), (9, 3, False), (2, 99, False))
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
    assert result.wins == read_result(str(tmp_path / "saved.json")).wins


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


LONG = "a group of examples whose name is much longer than any column of a figure"


@pytest.mark.parametrize(("groups", "limits", "names", "title"), [
    (["es", LONG], [0.01, 0.01], ["es", LONG], "F1 drop ≤ 0.01: distance"),
    ([None, "es"], [0.01, 0.01], ["all", "es"], "F1 drop ≤ 0.01: distance"),
    (["es", "es"], [0.01, 0.05], ["drop ≤ 0.01", "drop ≤ 0.05"], "F1 es: distance"),
    ([None, "es"], [0.01, 0.05], ["drop ≤ 0.01", "drop ≤ 0.05, es"], "F1: distance"),
    (["es"], [0.01], ["F1 drop ≤ 0.01, es"], "Distance"),
])  # fmt: skip
def test_checks_are_named_in_full_by_what_differs(groups, limits, names, title):
    checks = (
        make_check(group=group, limit=limit) for group, limit in zip(groups, limits, strict=True)
    )
    spec = Gate("new", tuple(checks)).figure().spec
    assert names == [row["row"] for row in rows_of(spec)]
    assert f"{title} from the limit (right of 0 passes)" in json.dumps(spec, ensure_ascii=False)


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


@cases("option value", ("metric", "blue"), ("system", "three"))
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


@cases(
    "better confidence expected",
    ("higher", None, "Macro F1"),
    ("higher", 0.9, "Macro F1 (90% confidence interval)"),
    ("lower", None, "Macro F1 (lower is better)"),
    ("lower", 0.95, ["Macro F1", "(lower is better, 95% confidence interval)"]),
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


@cases("name kind", *PAIRS)
def test_all_colours_are_in_the_config(name, kind):
    spec = RESULTS[name].figure(kind).spec
    rest = str({key: part for key, part in spec.items() if key != "config"})
    assert [] == re.findall(r"#[0-9a-f]{6}", rest)


def see(colour, kind):
    red, green, blue = ((int(colour[at : at + 2], 16) / 255) ** 2.2 for at in (1, 3, 5))
    if kind == "protan":
        red = green = 0.11238 * red + 0.88762 * green
    elif kind == "deutan":
        red = green = 0.29275 * red + 0.70725 * green
    return red, green, blue


@cases("kind", "normal", "protan", "deutan")
@cases("palette", LIGHT, DARK, ids=["light", "dark"])
def test_the_colours_of_systems_can_be_told_apart(palette, kind):
    names = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    seen = [[part ** (1 / 2.2) for part in see(palette[name], kind)] for name in names]
    gaps = [min(math.dist(seen[at], one) for one in seen[:at]) for at in range(1, 8)]
    assert min(gaps[:3]) > 0.25
    assert min(gaps) > 0.14


def invent(size, *, digits=17, seed=1):
    random = np.random.default_rng(seed)
    gold = (random.random(size) < 0.3).astype(int)
    return gold, np.round(np.clip(random.normal(0.4 + 0.2 * gold, 0.2), 0, 1), digits)


def make_curve(gold, probabilities, **options):
    (curve,) = tallystick.score(gold, probabilities, ["roc_auc"], **options).curves
    return curve


@cases("digits", 1, 2, 17)
def test_the_points_of_roc_are_those_of_scikit_learn(digits):
    gold, probabilities = invent(250, digits=digits)
    curve = make_curve(gold, probabilities)
    false, true, thresholds = roc_curve(gold, probabilities, drop_intermediate=False)
    assert curve.exact
    assert thresholds[1:].tolist() == list(curve.thresholds)
    assert false[1:] == pytest.approx(np.array(curve.false_positives) / curve.negatives)
    assert true[1:] == pytest.approx(np.array(curve.true_positives) / curve.positives)


def test_precision_is_that_of_scikit_learn():
    gold, probabilities = invent(200)
    curve = make_curve(gold, probabilities)
    true, false = np.array(curve.true_positives), np.array(curve.false_positives)
    precision, _, thresholds = precision_recall_curve(gold, probabilities)
    assert thresholds[::-1].tolist() == list(curve.thresholds)
    assert precision[:-1][::-1] == pytest.approx(true / (true + false))


def test_the_bins_are_those_of_scikit_learn():
    gold, probabilities = invent(500)
    bins = make_curve(gold, probabilities).bins
    share, mean = calibration_curve(gold, probabilities, n_bins=10)
    intervals = [
        binomtest(round(one.share * one.n), one.n).proportion_ci(method="wilson") for one in bins
    ]
    assert share == pytest.approx([one.share for one in bins])
    assert mean == pytest.approx([one.mean for one in bins])
    many = [3 < one.share * one.n < one.n - 3 for one in bins]
    assert sum(many) > 5
    assert np.array(intervals)[many] == pytest.approx(
        np.array([(one.low, one.high) for one in bins])[many], abs=1e-12
    )


def test_the_bins_are_as_many_as_those_of_the_calibration_error():
    curve = tallystick.score([0, 1, 1], [0.25, 0.5, 0.75], ["ECE(bins=4)"]).curves[0]
    assert [(1, 0.25), (1, 0.5), (1, 0.75)] == [(one.n, one.mean) for one in curve.bins]


@cases("size", 301, 5000, 60_000)
@cases("digits", 3, 17)
def test_a_thinned_curve_stays_close(size, digits):
    gold, probabilities = invent(size, digits=digits)
    curve = make_curve(gold, probabilities)
    false, true, _ = roc_curve(gold, probabilities, drop_intermediate=False)
    kept = (
        np.array([0, *curve.false_positives]) / curve.negatives,
        np.array([0, *curve.true_positives]) / curve.positives,
    )
    assert len(curve.thresholds) <= 300
    assert deviate(kept, (false, true)) < 2e-3


def deviate(line, points):
    starts, ends = (np.stack([part[at] for part in line], -1) for at in (slice(-1), slice(1, None)))
    along = ends - starts
    worst = 0.0
    for point in np.stack(points, -1)[::7]:
        lengths = np.maximum((along**2).sum(1), 1e-300)
        shares = np.clip(((point - starts) * along).sum(1) / lengths, 0, 1)
        worst = max(worst, np.hypot(*(starts + shares[:, None] * along - point).T).min())
    return worst


def test_the_points_that_are_kept_lie_on_the_curve():
    gold, probabilities = invent(20_000)
    curve = make_curve(gold, probabilities)
    assert not curve.exact
    for threshold, true, false in list(
        zip(curve.thresholds, curve.true_positives, curve.false_positives, strict=True)
    )[::25]:
        assert (true, false) == (
            gold[probabilities >= threshold].sum(),
            (1 - gold)[probabilities >= threshold].sum(),
        )


@cases("kind", np.float32, np.float64)
def test_weights_count_as_often(kind):
    gold, probabilities = invent(100)
    probabilities = probabilities.astype(kind)
    weights = np.arange(100) % 3 + 1
    twice = make_curve(np.repeat(gold, weights), np.repeat(probabilities, weights))
    weighed = make_curve(gold, probabilities, weights=weights)
    assert twice.thresholds == weighed.thresholds
    assert twice.true_positives == weighed.true_positives
    assert twice.false_positives == weighed.false_positives
    assert [(one.n, one.share) for one in twice.bins] == [
        (one.n, pytest.approx(one.share)) for one in weighed.bins
    ]
    assert weighed.confidence is None


def test_groups_are_put_together():
    gold, probabilities = invent(120)
    alone, grouped = (
        make_curve(gold, probabilities, by=by) for by in (None, ["en", "es", "it"] * 40)
    )
    assert replace(alone, bins=()) == replace(grouped, bins=())
    for one, other in zip(alone.bins, grouped.bins, strict=True):
        assert (one.n, one.share) == (other.n, other.share)
        assert one.mean == pytest.approx(other.mean)


def test_each_label_has_a_curve():
    random = np.random.default_rng(3)
    gold = random.integers(0, 3, 90)
    chances = random.dirichlet([1, 1, 1], 90)
    task = tallystick.Task(kind="multiclass", labels=(0, 1, 2))
    curves = tallystick.score(gold, chances, ["roc_auc"], task=task).curves
    assert ["0", "1", "2"] == [one.label for one in curves]
    for label, curve in enumerate(curves):
        false, true, _ = roc_curve(gold == label, chances[:, label], drop_intermediate=False)
        assert true[1:] == pytest.approx(np.array(curve.true_positives) / curve.positives)
        assert false[1:] == pytest.approx(np.array(curve.false_positives) / curve.negatives)


def test_many_labels_have_no_curves():
    chances = np.random.default_rng(3).dirichlet([1] * 13, 130)
    task = tallystick.Task(kind="multiclass", labels=tuple(range(13)))
    assert () == tallystick.score([*range(13)] * 10, chances, ["roc_auc"], task=task).curves


def test_metrics_of_labels_alone_have_no_curves():
    gold, probabilities = invent(50)
    assert () == tallystick.score(gold, probabilities, ["f1"]).curves


def test_a_curve_of_one_label_is_drawn():
    curve = make_curve(
        [1, 1, 1], [0.2, 0.4, 0.4], task=tallystick.Task(kind="binary", positive=1, labels=(0, 1))
    )
    assert (3, 0, (2, 3), (0, 0)) == (
        curve.positives,
        curve.negatives,
        curve.true_positives,
        curve.false_positives,
    )


def test_corners_are_kept_first():
    line = np.array([[0, 1, 2, 3, 4.0], [0, 0, 0, 1, 2]])
    assert [0, 2, 4] == thin(line, 5, 0.01).tolist()
    assert [0, 4] == thin(line, 2, 0.01).tolist()
    assert [0, 4] == thin(np.array([[0, 1, 2, 3, 4.0]] * 2), 5, 0.01).tolist()


TEXTS = [f"the {'big ' * (at * 7 % 23)}cat sat there on mat {at % 5}" for at in range(200)]
OUTPUTS = [
    text.replace("big big", "big", at % 4).replace("cat", "dog", at % 2)
    for at, text in enumerate(TEXTS)
]


@cases("metric", "bleu", "chrf", "wer", "ter", "cer")
def test_a_score_by_length_is_that_of_the_examples_alone(metric):
    count = (
        len
        if metric == "cer"
        else lambda text: len(text.replace(" ", "")) if metric == "chrf" else len(text.split())
    )
    whole = tallystick.score(TEXTS, {"one": TEXTS, "two": OUTPUTS}, [metric], intervals=False)
    assert {"one", "two"} == {one.system for one in whole.lengths}
    assert 2 * len(TEXTS) == sum(one.n for one in whole.lengths)
    for one in whole.lengths:
        rows = [at for at, text in enumerate(TEXTS) if one.shortest <= count(text) <= one.longest]
        outputs = TEXTS if one.system == "one" else OUTPUTS
        own = tallystick.score(
            [TEXTS[at] for at in rows], [outputs[at] for at in rows], [metric], intervals=False
        )
        assert (own[metric], len(rows)) == (pytest.approx(one.value, abs=1e-9), one.n)


@cases(
    "metrics unit",
    (["bleu"], "tokens"),
    (["wer"], "words"),
    (["cer"], "characters"),
    (["chrf"], "characters"),
)
def test_the_unit_of_lengths_is_told(metrics, unit):
    scored = tallystick.score(TEXTS, OUTPUTS, metrics, intervals=False)
    assert {unit} == {one.unit for one in scored.lengths}


def test_a_metric_that_counts_no_lengths_takes_those_of_another():
    scored = tallystick.score(TEXTS, OUTPUTS, ["rouge1", "bleu"], intervals=False)
    bins = {
        name: [(one.shortest, one.longest, one.n) for one in scored.lengths if one.name == name]
        for name in ("rouge1", "bleu")
    }
    short = [at for at, text in enumerate(TEXTS) if len(text.split()) <= bins["bleu"][0][1]]
    own = tallystick.score(
        [TEXTS[at] for at in short], [OUTPUTS[at] for at in short], ["rouge1"], intervals=False
    )
    assert bins["bleu"] == bins["rouge1"]
    assert own["rouge1"] == pytest.approx(
        next(one.value for one in scored.lengths if one.name == "rouge1"), abs=1e-12
    )
    assert () == tallystick.score(TEXTS, OUTPUTS, ["rouge1"], intervals=False).lengths


def test_the_order_of_examples_does_not_matter():
    order = np.random.default_rng(5).permutation(len(TEXTS))
    there, shuffled = (
        tallystick.score(
            [TEXTS[at] for at in rows],
            [OUTPUTS[at] for at in rows],
            ["bleu", "rougeL"],
            intervals=False,
        ).lengths
        for rows in (range(len(TEXTS)), order)
    )
    assert there == shuffled


def test_examples_in_clusters_have_no_lengths():
    clusters = [at // 4 for at in range(len(TEXTS))]
    assert (
        () == tallystick.score(TEXTS, OUTPUTS, ["bleu"], clusters=clusters, intervals=False).lengths
    )


def test_few_examples_are_one_bin():
    scored = tallystick.score(TEXTS[:39], OUTPUTS[:39], ["bleu"], intervals=False)
    assert [39] == [one.n for one in scored.lengths]


def rank(values, names, overall="mean_rank"):
    places = [
        place(name, value, group=f"set{at}")
        for at, row in enumerate(values.tolist())
        for name, value in zip(names, row, strict=True)
    ]
    main = [place(name, 0.5, group="macro") for name in names]
    return add_standings(Ranking((*main, *places)), overall, "exclude")


def invent_ranks(systems, sets=20, seed=0, names=None):
    drawn = np.random.default_rng(seed).normal(np.arange(systems) * 0.4, 1, (sets, systems))
    return rank(drawn / 100, names or [f"s{at}" for at in range(systems)])


def draw_diagram(ranking):
    return ranking.figure("critical-difference").spec


def list_bars(spec):
    (layer,) = (one for one in spec["layer"] if one["mark"]["style"] == "whisker")
    return [(one["low"], one["high"], one["y"]) for one in layer["data"]["values"]]


@cases("overall", "mean_rank", "borda")
def test_the_diagram_holds_the_mean_ranks_of_all_systems(overall):
    found = rank(np.array([[0.9, 0.8, 0.7, 0.6, 0.5]] * 6), "abcde", overall)
    rows = draw_diagram(found)["data"]["values"]
    assert ["right", "right", "right", "left", "left"] == [one["side"] for one in rows]
    assert list(found.friedman.mean_ranks) == [one["mean_rank"] for one in rows]


@cases("systems", 3, 4, 8, 15, 30)
def test_a_bar_joins_the_systems_that_share_a_letter(systems):
    for seed in range(5):
        found = invent_ranks(systems, seed=seed)
        test = found.friedman
        ranks = {letter: [] for own in test.letters for letter in own}
        for own, mean in zip(test.letters, test.mean_ranks, strict=True):
            for letter in own:
                ranks[letter].append(mean)
        expected = [(min(own), max(own)) for own in ranks.values() if len(own) > 1]
        assert sorted(expected) == [bar[:2] for bar in list_bars(draw_diagram(found))]


def test_bars_of_one_height_are_apart():
    for seed in range(20):
        bars = list_bars(draw_diagram(invent_ranks(15, seed=seed)))
        for low, _, height in bars:
            assert all(end < low - 0.4 for start, end, y in bars if y == height and start < low)


def test_the_critical_difference_is_drawn_to_scale():
    found = invent_ranks(3, sets=2)
    spec = draw_diagram(found)
    (row,) = spec["layer"][-1]["data"]["values"]
    assert found.friedman.critical_difference == pytest.approx(row["from"] - row["to"])
    assert row["to"] < 1
    assert [row["to"], 3] == spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert "CD = 2.34 (p < 0.05)" == row["text"]


def test_level_systems_share_one_bar():
    assert [(2.0, 2.0)] == [
        bar[:2] for bar in list_bars(draw_diagram(rank(np.full((6, 3), 0.5), "abc")))
    ]


def test_any_names_can_be_drawn():
    names = [*HOSTILE[:8], *(f"team-{at:02}/a-very-long-run-name-with-ensemble" for at in range(7))]
    spec = draw_diagram(invent_ranks(15, names=names))
    svg = draw_svg(spec)
    assert 15 == len({one["name"] for one in spec["data"]["values"]})
    assert all(f"team-{at:02}/" in svg for at in range(7))


def test_a_ranking_without_the_test_has_no_diagram():
    two = rank(np.array([[0.9, 0.8]] * 6), "ab")
    for found in (two, rank(np.array([[0.9, 0.8, 0.7]] * 6), "abc", "mean")):
        assert "critical-difference" not in list_figures(read(found))

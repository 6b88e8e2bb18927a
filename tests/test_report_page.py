"""The report: one page that a browser shows without a server, a network or JavaScript."""

import json
import re

import numpy as np
import pyarrow as pa
import pytest

import tallystick
from reports import rank_stance, read_stance, sign, write
from tallystick.output.report.page import write_page
from tallystick.output.results.other_results import SelfTest, TaskCheck

GOLD, SYSTEMS = read_stance()
pytestmark = pytest.mark.usefixtures("sketched")


def test_the_verdict_says_who_is_ahead_and_of_whom_that_is_not_sure():
    assert (
        "cedar has the best macro_f1 (0.859), but is not significantly better than rowan. "
        "Eight of ten pairwise differences in macro_f1 are significant."
    ) in " ".join(write(rank_stance()).words.split())


def test_systems_that_are_all_alike_get_an_honest_verdict():
    gold = GOLD[:50]
    alike = {name: [*gold[:-1], SYSTEMS["maple"][at]] for at, name in enumerate("abcd")}
    compared = tallystick.compare(gold, alike, ["accuracy"], all_pairs=True)
    assert "All six pairwise differences in accuracy include zero." in write(compared).words


@pytest.mark.parametrize(("other", "expected"), [
    ("cedar", "cedar is significantly better than maple on accuracy (cedar - maple: +0.335 "),
    ("birch", "No significant difference between birch and willow on accuracy "
     "(birch - willow: +0.015 "),
])  # fmt: skip
def test_the_verdict_on_two_systems_gives_the_difference(other, expected):
    first = {"cedar": "maple", "birch": "willow"}[other]
    compared = tallystick.compare(
        GOLD, {name: SYSTEMS[name] for name in (first, other)}, ["accuracy"]
    )
    assert expected in write(compared).words


def test_a_gate_shows_its_summary_and_checks():
    gate = tallystick.gate(GOLD, SYSTEMS["maple"], SYSTEMS["cedar"], "accuracy", max_drop=0.01)
    page = write(gate)
    assert "new fails the gate: 0 of 1 check passed, 1 failed." in page.words
    assert gate.checks[0].value in page.numbers


def test_a_gate_shows_the_worst_regressions_with_both_outputs_and_scores():
    gold = [f"the cat number {at} sat on the mat" for at in range(20)]
    new = ["a dog", *gold[1:]]
    words = write(tallystick.gate(gold, new, gold, "chrf", max_drop=1.0)).words
    heads = " example gold old new old score new score 1 the cat number 0 sat on the mat "
    assert (
        heads + "the cat number 0 sat on the mat a dog 100.0 2.5" in f" {' '.join(words.split())}"
    )


def test_scores_have_no_verdict_and_figures_one_menu():
    page = write(tallystick.score(GOLD, SYSTEMS, "accuracy"))
    assert "Verdict" not in page.words
    assert 1 == page.words.count("Vega-Lite")


@pytest.mark.parametrize("kind", ["score", "compare", "rank"])
def test_cells_hold_the_numbers_of_the_json(kind):
    page = write(getattr(tallystick, kind)(GOLD, SYSTEMS, ["macro_f1", "accuracy"]))
    result = page.data["result"]
    scores = result["places"] if kind == "rank" else result["scores"]
    assert {one["value"] for one in scores} <= set(page.numbers)


@pytest.mark.parametrize("systems", [SYSTEMS, SYSTEMS["cedar"]])
def test_the_scores_of_a_single_group_have_a_page(systems):
    groups = ["es", "it"] * (len(GOLD) // 2)
    chosen = tallystick.score(GOLD, systems, "accuracy", by=groups).select(group="it")
    assert {one.value for one in chosen.scores} <= set(write(chosen).numbers)


def test_a_confusion_matrix_has_a_cell_for_each_count():
    page = write(tallystick.score(GOLD, SYSTEMS["cedar"]))
    cells = [own for tag, own in page.tags if tag == "td" and "data-gold" in own]
    (matrix,) = page.data["result"]["confusions"]
    counts = [count for row in matrix["counts"] for count in row]
    assert counts == [int(own["data-value"]) for own in cells]


def test_the_page_holds_the_json_that_the_command_writes():
    ranking = rank_stance()
    assert json.loads(ranking.to_json()) == write(ranking).data["result"]


def test_the_policy_allows_the_page_its_own_script_and_style_and_nothing_else():
    page = write(rank_stance())
    scripts = [text for own, text in page.blocks if own[""] == "script" and "type" not in own]
    styles = [text for own, text in page.blocks if own[""] == "style"]
    expected = (
        f"default-src 'none'; script-src {' '.join(map(sign, scripts))}; "
        f"style-src {' '.join(map(sign, styles))}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )

    assert expected == page.policy


def test_nothing_in_the_page_is_an_inline_style_or_handler():
    names = {name for _, own in write(rank_stance()).tags for name in own}
    assert set() == {name for name in names if name == "style" or name.startswith("on")}


def test_the_same_result_gives_the_same_page():
    pages = [write_page(rank_stance().describe()) for _ in range(2)]
    assert pages[0] == pages[1]


def test_a_result_writes_its_report(tmp_path):
    ranking = rank_stance()
    ranking.to_html(tmp_path / "report.html")
    assert write_page(ranking.describe()) == (tmp_path / "report.html").read_text(encoding="utf-8")


def test_without_its_extra_a_report_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(tallystick.UsageError, match=re.escape("pip install 'tallystick[report]'")):
        rank_stance().to_html(tmp_path / "report.html")
    assert [] == list(tmp_path.iterdir())


def test_without_examples_a_report_holds_no_gold_of_any():
    page = write(rank_stance(), examples=0)
    (evidence,) = page.data["evidence"]
    assert (None, 400) == (evidence["examples"], evidence["total"])
    assert "examples" not in {own.get("id") for tag, own in page.tags if tag == "section"}


def test_the_style_sheet_closes_what_it_opens():
    (style,) = [text for own, text in write(rank_stance()).blocks if own[""] == "style"]
    depths = [style[:at].count("{") - style[:at].count("}") for at in range(len(style) + 1)]
    assert (0, 0) == (min(depths), depths[-1])
    assert {0, 1, 2} == set(depths)


@pytest.mark.parametrize("order", [("cedar", "maple"), ("maple", "cedar")])
@pytest.mark.parametrize(("metric", "sign"), [("accuracy", "+"), ("macro_fnr", "-")])
def test_the_difference_in_the_verdict_is_that_of_the_better_system(order, metric, sign):
    compared = tallystick.compare(GOLD, {name: SYSTEMS[name] for name in order}, [metric])
    message = f"cedar is significantly better than maple on {metric} (cedar - maple: {sign}0."
    assert message in write(compared).words


@pytest.mark.parametrize("metrics", [["mean(comet)", "chrf"], ["chrf", "mean(comet)"]])
def test_texts_with_computed_numbers_are_shown_as_texts(metrics):
    table = pa.table(
        {
            "reference": ["the cat sat", "a dog ran"],
            "hypothesis": ["a cat sat", "the dog ran"],
            "comet": [0.25, 0.75],
        }
    )
    (evidence,) = tallystick.score(table, None, metrics).gather(None)

    assert ("the cat sat", "a dog ran") == evidence.examples.gold
    assert (("a cat sat", "the dog ran"),) == evidence.examples.outputs
    assert (metrics[0] == "mean(comet)") == (evidence.examples.scores == ((0.25, 0.75),))


@pytest.mark.parametrize("use", ["clusters", "by"])
def test_a_column_with_another_use_is_not_shown_as_the_input_text(use):
    table = pa.table(
        {
            "label": ["a", "b", "a", "b"],
            "y_pred": ["a", "b", "b", "b"],
            "source": ["news", "news", "chat", "chat"],
            "text": ["one", "two", "three", "four"],
        }
    )
    assert [("one", "two", "three", "four"), None] == [
        tallystick.score(own, None, "accuracy", **{use: "source"}).gather(None)[0].examples.texts
        for own in (table, table.drop_columns(["text"]))
    ]


def test_a_page_without_examples_speaks_of_no_clicks():
    result = tallystick.score(GOLD, SYSTEMS["cedar"])
    message = ["A click on a cell" in write_page(result.describe(examples=most)) for most in (0, 9)]
    assert [False, True] == message


def test_a_note_that_begins_with_a_name_keeps_its_case():
    gold = ["a", "b", "c", "d"]
    words = " ".join(write(tallystick.score(gold, gold[::-1], "macro_f1")).words.split())
    assert " macro_f1 of predictions is 0: it has no example right. " in words
    assert " Read as a multiclass task with 4 labels. " in words


@pytest.mark.parametrize(("unit", "places"), [(1e-6, 9), (1e6, 0)])
def test_numbers_of_columns_have_significant_digits(unit, places):
    rng = np.random.default_rng(2)
    low, high = (unit * rng.lognormal(0, 0.1, 50) * scale for scale in (2, 3))
    table = pa.table(
        {"model": [*("a" * 50), *("b" * 50)], "id": [*range(50)] * 2, "cost": [*low, *high]}
    )
    words = write(
        tallystick.rank(table, metrics="mean(cost, better=lower)", system_column="model")
    ).words
    gap = f"(a - b: {low.mean() - high.mean():.{places}f}"

    assert f"{low.mean():.{places}f}" in words
    assert gap.removesuffix("0") in words
    assert not re.search(r"0000\.0|0\.000(?!\d)", words)


def test_a_self_test_of_a_task_is_a_page_without_figures():
    check = TaskCheck(None, "track1", "gold against gold", "passed", "All is right.")
    assert "gold against gold" in write_page(SelfTest((check,)).describe())

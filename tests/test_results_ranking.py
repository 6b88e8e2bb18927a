"""Rankings and gates as tables, CSV, JSON, Markdown, LaTeX and JUnit XML."""

import csv
import io
import json
import math
import re
from itertools import permutations
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from gates import make_check
from places import place
from tallystick.output.results.gate import MARKS, Broken, Gate
from tallystick.output.results.ranking import Ranking
from tallystick.output.tables.cells import format_cell
from tallystick.output.tables.document import Style
from tallystick.output.tables.text import fit, measure_page
from tallystick.results import Flip, Refusal, Standing

NAN = math.nan
PLACES = (
    place("a_b", 0.9, 1, best_rank=1, worst_rank=2, cluster=1, letters="a", best_share=0.75),
    place("b", 0.85, 2, best_rank=1, worst_rank=2, cluster=1, letters="a", best_share=0.25),
    place("most", 0.6, baseline=True),
    place("c", 0.5, 3, cluster=2, letters="b", best_share=0.0, mean_rank=3.0),
    place("x", NAN),
)
REJECTED = Refusal("bad", None, "bad.csv: row 3 has 1 field, but the header has 2")
RANKING = Ranking(
    PLACES,
    rejected=(REJECTED,),
    notes=("ten is a small number.",),
    sentences=("c is the last one.",),
)
CRITERIA = (("T1", None, "Accuracy()"), ("T2", None, "MCC()"))
TRACKS = Ranking(
    (
        place("a", 0.9, 1, track="T1", letters="a"),
        place("b", 0.5, 2, track="T1", letters="b"),
        place("a", 0.4, 1, track="T2", metric="MCC()"),
    ),
    (
        Standing("a", False, 2, CRITERIA, (0.9, 0.4), 0.65, 1, 1.5, 1),
        Standing("b", False, 1, CRITERIA, (0.5, NAN), NAN, None, NAN, None),
    ),
)


def _defined(value):
    return None if math.isnan(value) else round(value, 4)


def test_the_table_has_a_line_between_clusters():
    (grid,) = RANKING.document().grids

    assert "Systems ranked by accuracy (50 examples)" == grid.caption
    assert ("rank", "system", "accuracy", "ranks") == grid.headings
    assert [
        [
            (1, "a_b", 0.9, 0.8, "1–2"),
            (2, "b", 0.85, 0.75, "1–2"),
            (None, "most (baseline)", 0.6, 0.5, None),
        ],
        [(3, "c", 0.5, 0.4, "3")],
        [(None, "x", None, None, None)],
    ] == [
        [
            (rank, name, *(_defined(one) for one in (mark.value, mark.ends.low)), ranks)
            for rank, name, mark, ranks in block
        ]
        for block in grid.blocks
    ]


def test_words_stand_below_the_table():
    shown = str(RANKING)
    words = ("c is the last one.", "Note: bad was rejected: bad.csv", "ten is a small number.")
    assert sorted(words, key=shown.index) == [*words]
    assert "95% confidence intervals: Wilson." in shown


def test_details_have_a_table_for_each_metric():
    (grid,) = replace(RANKING, details=True).document().grids

    assert ("letters", "best_share", "mean_rank", "n") == grid.headings[4:]
    assert [
        ["a", "0.75", "", "50"],
        ["a", "0.25", "", "50"],
        ["", "", "", "50"],
        ["b", "< 0.01", "3.00", "50"],
        ["", "", "", "50"],
    ] == [[format_cell(cell, digits=2) for cell in row][4:] for row in grid.rows]
    assert ["T1 · ranked by accuracy", "T2 · ranked by mcc"] == [
        grid.caption for grid in replace(TRACKS, details=True).document().grids[1:]
    ]


def _rank_by_group(metrics, groups=("en", "es", "macro", "micro")):
    return Ranking(
        tuple(
            place(system, value, rank, group=group, metric=metric)
            for group in groups
            for metric in metrics
            for rank, (system, value) in enumerate((("a", 0.9), ("b", 0.5)), start=1)
        )
    )


def test_further_metrics_and_groups_follow_in_columns():
    (grid,) = _rank_by_group(("Accuracy()", "MCC()")).document().grids
    assert (
        ("rank", "system", "accuracy", "ranks", "en · accuracy", "es · accuracy", "mcc")
    ) == tuple(map(str, grid.headings))
    assert "Systems ranked by the mean of accuracy over 2 groups (50 examples)" == grid.caption


def test_groups_of_the_only_metric_stand_without_its_name():
    (grid,) = _rank_by_group(("Accuracy()",)).document().grids
    assert ("rank", "system", "accuracy", "ranks", "en", "es") == tuple(map(str, grid.headings))


def _read_markdown(ranking, style):
    found = []
    for table in ranking.to_markdown(style).split("\n\n"):
        if table.startswith("|"):
            rows = [line.strip("|").split("|") for line in table.splitlines()]
            heads, cells = ([cell.strip(" *") for cell in row] for row in (rows[0], rows[2]))
            found.append(
                {head: re.split(r"[*< ]", cell)[0] for head, cell in zip(heads, cells, strict=True)}
            )
    return found


@pytest.mark.parametrize("metrics", [*permutations(("ChrF()", "BLEU()", "Mean(column='comet')"))])
def test_metrics_have_the_same_heads_and_digits_with_and_without_groups(metrics):
    style = Style(decimals={"chrf": 1, "bleu": 0, "mean(comet)": 3})
    (plain,) = _read_markdown(_rank_by_group(metrics, (None,)), style)
    (grouped,) = _read_markdown(_rank_by_group(metrics), style)

    shown = {"chrF": "0.9", "BLEU": "1", "Mean comet": "0.900"}
    first = {"ChrF()": "chrF", "BLEU()": "BLEU"}.get(metrics[0], "Mean comet")
    groups = {f"{group} · {first}": shown[first] for group in ("en", "es")}
    assert {"Rank": "1", "System": "a", "Ranks": "1", **shown} == plain
    assert plain | groups == grouped


def test_an_overall_order_has_the_heads_digits_and_percent_of_its_metrics():
    overall, *_ = _read_markdown(TRACKS, Style(percent=True, decimals={"mcc": 1}))
    expected = {"Rank": "1", "System": "a", "Mean": "65.0"}
    assert expected | {"T1 · Accuracy": "90.0", "T2 · MCC": "40.0"} == overall


def test_names_in_captions_are_those_of_the_data():
    places = [place("a", 0.9, 1, track="bleu", metric="Mean(column='comet')")]
    assert "**bleu: systems ranked by Mean comet (50 examples)**" in Ranking(places).to_markdown()


def test_gained_and_lost_ranks_have_arrows():
    places = (
        place("a", 0.9, 1, previous_rank=3),
        place("b", 0.8, 2, previous_rank=1),
        place("c", 0.7, 3, previous_rank=3),
        place("base", 0.65, baseline=True),
        place("d", 0.6, 4),
    )
    (grid,) = Ranking(places).document().grids

    assert "change" == grid.headings[1]
    assert ["▲2", "▼1", "=", "", "new"] == [row[1] for row in grid.rows]


def test_one_ranked_system_stands_with_the_baselines():
    places = (place("base", 0.9, baseline=True), place("a", 0.5, 1, best_rank=None, cluster=None))
    assert 1 == str(Ranking(places)).count("---\n")


def test_bold_is_what_is_not_beaten():
    (grid,) = RANKING.document().grids
    marks = [[(row[2].bold, row[2].letters) for row in block] for block in grid.blocks]
    assert [[(True, "a"), (True, "a"), (False, "")], [(False, "b")], [(False, "")]] == marks


def test_standings_come_first_and_show_the_values():
    paragraphs = str(TRACKS).split("\n\n")

    assert [
        "rank  system   mean  T1 · accuracy  T2 · mcc",
        "--------------------------------------------",
        "   1  a       0.650          0.900     0.400",
        "      b         n/a          0.500       n/a",
    ] == paragraphs[1].splitlines()
    assert [
        "Overall order by the mean of 2 scores",
        "T1: systems ranked by accuracy (50 examples)",
        "T2: systems ranked by mcc (50 examples)",
    ] == paragraphs[:6:2]


def test_standings_by_borda_show_the_points():
    rows = str(replace(TRACKS, overall="borda")).splitlines()
    assert ["rank", "system", "points"] == rows[2].split()[:3]
    assert ["1", "a", "1.5"] == rows[4].split()[:3]


def test_metrics_of_one_name_are_told_apart():
    metrics = ["F1(average='macro')", "F1(average='macro', zero_division=0)"]
    ranking = Ranking(tuple(place("a", 0.5, 1, metric=metric) for metric in metrics))
    (grid,) = ranking.document().grids
    assert metrics == [grid.headings[2], grid.headings[4]]


def test_csv_is_one_row_a_place():
    rows = list(csv.DictReader(io.StringIO(RANKING.to_csv())))
    assert ["a_b", "b", "most", "c", "x"] == [row["system"] for row in rows]
    assert ("1", "0.9", "false", "a", "") == tuple(
        rows[0][name] for name in ("rank", "value", "baseline", "letters", "track")
    )
    assert ("", "true", "") == (rows[2]["rank"], rows[2]["baseline"], rows[4]["value"])


def test_csv_has_the_standings_as_rows():
    rows = list(csv.DictReader(io.StringIO(TRACKS.to_csv())))[3:]
    assert [("mean", "a", "0.65", "1"), ("mean", "b", "", "")] == [
        (row["name"], row["system"], row["value"], row["rank"]) for row in rows[:2]
    ]
    assert ["borda", "borda", "mean_rank", "mean_rank"] == [row["name"] for row in rows[2:]]


def test_json_names_the_rule():
    found = json.loads(RANKING.to_json())

    assert ["rule", "places", "differences", "standings", "rejected", "sentences", "notes"] == list(
        found
    )
    assert found["rule"].startswith("WMT: ")
    assert [{"system": "bad", "track": None, "reason": REJECTED.reason}] == found["rejected"]
    assert (None, False, 0.8) == (
        found["places"][4]["value"],
        found["places"][0]["baseline"],
        found["places"][0]["low"],
    )


def test_json_holds_the_values_of_standings():
    found = json.loads(TRACKS.to_json())
    assert [0.5, None] == found["standings"][1]["values"]
    assert [["T1", None, "Accuracy()"], ["T2", None, "MCC()"]] == found["standings"][0]["criteria"]


def test_a_notebook_shows_tables():
    shown = RANKING._repr_html_()
    assert 3 == shown.count("<tbody>")
    assert "Ten is a small number." in shown
    assert "Scores that share a letter are not significantly different." in shown


FLIP = Flip("c7", "es", None, "spam", "fine", "spam", 0.0, 1.0, -1.0, "old")


def _cases(gate):
    (suite,) = ElementTree.fromstring(gate.to_junit())
    return suite, list(suite)


@pytest.mark.parametrize(("verdicts", "verdict", "passed"), [
    (["pass", "pass"], "pass", [True, True]),
    (["pass", "inconclusive"], "inconclusive", [False, True]),
    (["inconclusive", "fail"], "fail", [False, False]),
    ([], "fail", [False, False]),
])  # fmt: skip
def test_a_gate_is_as_good_as_its_worst_check(verdicts, verdict, passed):
    gates = [Gate("new", tuple(map(make_check, verdicts)), allow) for allow in (False, True)]
    assert [verdict] * 2 == [gate.verdict for gate in gates]
    assert passed == [gate.passed for gate in gates]


def test_a_gate_prints_its_verdict_a_table_and_what_failed():
    checks = (
        make_check(),
        make_check("fail", sentence="f1 fell."),
        make_check("inconclusive", needed=2900),
    )

    assert [
        "new fails the gate: 1 of 3 checks passed, 1 failed, 1 inconclusive.",
        "",
        "verdict       metric    new    old  difference                limit  needed",
        "---------------------------------------------------------------------------",
        "FAIL          f1      0.800  0.810      -0.010 (≤ .010)   drop 0.01",
        "---------------------------------------------------------------------------",
        "inconclusive  f1      0.800  0.810      -0.010 (≥ -.020)  drop 0.01   2,900",
        "---------------------------------------------------------------------------",
        "pass          f1      0.800  0.810      -0.010 (≥ -.020)  drop 0.01",
        "",
        "f1 fell.",
        "",
        "In parentheses: the bound used for the verdict, one-sided at 0.95; needed: about how "
        "many examples",
        "would be enough to decide.",
    ] == str(Gate("new", checks)).splitlines()


def test_a_floor_shows_the_bound_of_the_score():
    check = make_check(kind="floor", low=0.7, high=0.9, limit=0.75, old=math.nan)
    assert [
        "verdict  metric    new                limit",
        "pass     f1      0.800 (≥ .700)  floor 0.75",
    ] == [
        line for line in str(Gate("new", (check,))).splitlines() if "f1" in line or "metric" in line
    ]


@pytest.mark.parametrize(("better", "verdict", "shown"), [
    ("higher", "pass", "(≥ -.020)"),
    ("higher", "fail", "(≤ .010)"),
    ("lower", "pass", "(≤ .010)"),
    ("lower", "fail", "(≥ -.020)"),
])  # fmt: skip
def test_the_bound_that_decides_is_shown(better, verdict, shown):
    assert shown in str(Gate("new", (make_check(verdict, better=better),)))


def test_an_equivalence_shows_its_farther_bound():
    assert "(≥ -.020)  within 0.01" in str(Gate("new", (make_check(kind="equivalent"),)))


@pytest.mark.parametrize(
    ("better", "limits"), [("higher", ["drop", "floor"]), ("lower", ["rise", "ceiling"])]
)
def test_limits_are_named_by_what_is_worse(better, limits):
    gate = Gate("new", tuple(make_check(kind=kind, better=better) for kind in (("drop", "floor"))))
    assert limits == [row[-1].words for row in gate.document().grids[0].rows]


def test_a_terminal_may_have_marks():
    gate = Gate("new", tuple(map(make_check, ("pass", "fail", "inconclusive"))))
    (grid,) = gate.show(marks=MARKS).grids
    assert [("✗ FAIL", "bad"), ("? inconclusive", "open"), ("✓ pass", "good")] == [
        (row[0].text, row[0].tone) for row in grid.rows
    ]


def test_at_eighty_columns_no_table_is_folded():
    checks = tuple(
        make_check("inconclusive", group=group, kind=kind, name="macro_f1", needed=21000)
        for group in ("en", "micro")
        for kind in ("drop", "floor", "equivalent")
    )
    (grid,) = Gate("new", checks).show(marks=MARKS).grids
    (page,) = fit(grid, Style(), width=78)

    assert ("old",) not in [column.heading for column in page]
    assert measure_page(page) <= 78


@pytest.mark.parametrize(("verdict", "allow", "summary"), [
    ("pass", False, "new passes the gate: 1 of 1 check passed."),
    ("inconclusive", False,
     ("Inconclusive: too few examples to decide whether new passes the gate: 1 of 1 "
     "check inconclusive.")),
    ("inconclusive", True, "new passes the gate: 1 of 1 check inconclusive, which is let through."),
    ("fail", True, "new fails the gate: 0 of 1 check passed, 1 failed."),
])  # fmt: skip
def test_the_summary_is_one_sentence(verdict, allow, summary):
    assert summary == Gate("new", (make_check(verdict),), allow).summary


def test_json_holds_the_verdict_the_checks_and_the_worst_regressions():
    gate = Gate("new", (make_check(),), against="old", regressions=(FLIP,))
    found = json.loads(gate.to_json())

    assert ["pass", True, gate.summary, "new", "old"] == [
        found[name] for name in ("verdict", "passed", "summary", "system", "against")
    ]
    assert [-0.01] == [check["difference"] for check in found["checks"]]
    assert [{"example": "c7", "gold": "spam", "output_a": "fine"}] == [
        {name: flip[name] for name in ("example", "gold", "output_a")}
        for flip in found["regressions"]
    ]


def test_a_gate_that_came_to_no_verdict_says_why():
    broken = Broken("gold.csv: cannot be read")
    (suite,) = ElementTree.fromstring(broken.to_junit())
    found = json.loads(broken.to_json())

    assert ["1", "0", "error"] == [suite.get("errors"), suite.get("failures"), suite[0][0].tag]
    assert ["error", False, broken.reason] == [
        found[name] for name in ("verdict", "passed", "summary")
    ]
    assert ["### The gate came to no verdict", "", "gold.csv: cannot be read"] == (
        broken.to_markdown().splitlines()
    )


def test_junit_counts_what_it_holds():
    checks = (
        make_check(),
        make_check("fail", group="es"),
        make_check("inconclusive", kind="floor"),
    )
    suite, cases = _cases(Gate("new", checks))

    assert {
        "name": "tallystick gate new",
        "tests": "3",
        "failures": "2",
        "errors": "0",
        "skipped": "0",
    } == suite.attrib
    assert ["drop", "drop [es]", "floor"] == [case.get("name") for case in cases]
    assert ["system-out", "failure", "failure"] == [case[0].tag for case in cases]
    assert [None, "fail", "inconclusive"] == [case[0].get("type") for case in cases]


def test_what_is_allowed_is_skipped_in_junit():
    suite, cases = _cases(Gate("new", (make_check("inconclusive"),), allow_inconclusive=True))
    assert ["0", "1"] == [suite.get("failures"), suite.get("skipped")]
    assert "skipped" == cases[0][0].tag


@pytest.mark.parametrize("text", ["a<b>&\"c'", "nul\0bell\a", "\ufffe", "日本 🎉"])
def test_junit_is_xml_whatever_the_names_are(text):
    suite, (case,) = _cases(Gate(text, (make_check("fail", group=text, sentence=text),)))
    shown = "".join(char if char not in "\0\a\ufffe" else "\ufffd" for char in text)

    assert f"tallystick gate {shown}" == suite.get("name")
    assert [f"drop [{shown}]", shown, shown] == [
        case.get("name"),
        case[0].text,
        case[0].get("message"),
    ]


def test_the_markdown_is_a_heading_a_table_and_what_did_not_pass():
    checks = (make_check(group="en"), make_check("fail", group="es", sentence="es fell."))
    lines = Gate("new", checks, against="old", regressions=(FLIP,)).to_markdown().splitlines()

    assert "### ❌ new fails the gate: 1 of 2 checks passed, 1 failed." == lines[0]
    assert ["verdict", "metric", "group", "new", "old", "difference", "limit"] == [
        cell.strip().lower() for cell in lines[2].strip("|").split("|")
    ]
    assert "| Example | Group | Gold | old  | new  |" in lines
    assert "| c7      | es    | spam | spam | fine |" in lines
    assert "es fell." in "\n".join(lines)


def test_long_outputs_are_shortened_in_the_summary():
    flip = replace(FLIP, output_a="word " * 100)
    text = Gate("new", (make_check(),), against="old", regressions=(flip,)).to_markdown()
    assert 1 == text.count("…")

"""A gate as a table, JSON, JUnit XML and Markdown."""

import json
import math
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from gates import make_check
from tallystick.output.results.gate import Broken, Gate
from tallystick.output.tables.document import Style
from tallystick.output.tables.text import fit, measure_page
from tallystick.results import Flip

FLIP = Flip("c7", "es", None, "spam", "fine", "spam", 0.0, 1.0, -1.0, "old")


def _cases(gate):
    (suite,) = ElementTree.fromstring(gate.to_junit())
    return suite, list(suite)


@pytest.mark.parametrize(
    ("verdicts", "verdict", "passed"),
    [
        (["pass", "pass"], "pass", [True, True]),
        (["pass", "inconclusive"], "inconclusive", [False, True]),
        (["inconclusive", "fail"], "fail", [False, False]),
        ([], "fail", [False, False]),
    ],
)
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
        "verdict       metric     new     old  difference                 limit  needed",
        "------------------------------------------------------------------------------",
        "pass          f1      0.8000  0.8100     -0.0100 (≥ -.0200)  drop 0.01",
        "FAIL          f1      0.8000  0.8100     -0.0100 (≤ .0100)   drop 0.01",
        "inconclusive  f1      0.8000  0.8100     -0.0100 (≥ -.0200)  drop 0.01   2,900",
        "",
        "f1 fell.",
        "",
        "In parentheses: the bound that decides, one-sided at 0.95; needed: about how many "
        "examples would",
        "decide.",
    ] == str(Gate("new", checks)).splitlines()


def test_a_floor_shows_the_bound_of_the_score():
    check = make_check(kind="floor", low=0.7, high=0.9, limit=0.75, old=math.nan)

    assert [
        "verdict  metric     new                 limit",
        "pass     f1      0.8000 (≥ .7000)  floor 0.75",
    ] == [
        line for line in str(Gate("new", (check,))).splitlines() if "f1" in line or "metric" in line
    ]


@pytest.mark.parametrize(
    ("better", "verdict", "shown"),
    [
        ("higher", "pass", "(≥ -.0200)"),
        ("higher", "fail", "(≤ .0100)"),
        ("lower", "pass", "(≤ .0100)"),
        ("lower", "fail", "(≥ -.0200)"),
    ],
)
def test_the_bound_that_decides_is_shown(better, verdict, shown):
    assert shown in str(Gate("new", (make_check(verdict, better=better),)))


def test_an_equivalence_shows_its_farther_bound():
    assert "(≥ -.0200)  within 0.01" in str(Gate("new", (make_check(kind="equivalent"),)))


@pytest.mark.parametrize(
    ("better", "limits"), [("higher", ["drop", "floor"]), ("lower", ["rise", "ceiling"])]
)
def test_limits_are_named_by_what_is_worse(better, limits):
    kinds = ("drop", "floor")
    gate = Gate("new", tuple(make_check(kind=kind, better=better) for kind in kinds))

    assert limits == [row[-1].words for row in gate.document().grids[0].rows]


def test_a_terminal_may_have_marks():
    gate = Gate("new", tuple(map(make_check, ("pass", "fail", "inconclusive"))))
    (grid,) = gate.show(marks=True).grids

    assert [("✓ pass", "good"), ("✗ FAIL", "bad"), ("? inconclusive", "open")] == [
        (row[0].text, row[0].tone) for row in grid.rows
    ]


def test_at_eighty_columns_no_table_is_folded():
    checks = tuple(
        make_check("inconclusive", group=group, kind=kind, name="macro_f1", needed=21000)
        for group in ("en", "micro")
        for kind in ("drop", "floor", "equivalent")
    )
    (grid,) = Gate("new", checks).show(marks=True).grids
    (page,) = fit(grid, Style(), width=78)

    assert ("old",) not in [column.heading for column in page]
    assert measure_page(page) <= 78


@pytest.mark.parametrize(
    ("verdict", "allow", "summary"),
    [
        ("pass", False, "new passes the gate: 1 of 1 check passed."),
        (
            "inconclusive",
            False,
            "The examples do not decide whether new passes the gate: 1 of 1 check inconclusive.",
        ),
        (
            "inconclusive",
            True,
            "new passes the gate: 1 of 1 check inconclusive, which is let through.",
        ),
        ("fail", True, "new fails the gate: 0 of 1 check passed, 1 failed."),
    ],
)
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

    assert "### new fails the gate: 1 of 2 checks passed, 1 failed." == lines[0]
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

"""A gate as sentences, JUnit XML and Markdown."""

import math
from xml.etree import ElementTree

import pytest

from tallystick.results import Check
from tallystick.results.gate import Gate


def _check(verdict="pass", *, kind="drop", group=None, sentence="f1 did what it did."):
    return Check(
        kind, group, "F1()", "f1", 0.8, 0.81, -0.02, 0.01, 0.95, 0.01, verdict, sentence, 50
    )


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
    """What is inconclusive goes through only where that is allowed; no check at all fails."""
    gates = [Gate("new", tuple(map(_check, verdicts)), allow) for allow in (False, True)]

    assert [verdict] * 2 == [gate.verdict for gate in gates]
    assert passed == [gate.passed for gate in gates]


def test_a_gate_prints_its_sentences_and_a_verdict():
    """One line for each check, one for all."""
    gate = Gate("new", (_check(), _check("fail", sentence="mcc fell.")))

    assert "f1 did what it did.\nmcc fell.\nThe gate for new failed: 1 failed, 1 passed." == str(
        gate
    )


@pytest.mark.parametrize(
    ("verdict", "allow", "summary"),
    [
        ("pass", False, "The gate for new passed: 1 passed."),
        ("inconclusive", False, "The gate for new is inconclusive: 1 inconclusive."),
        ("inconclusive", True, "The gate for new is inconclusive (allowed): 1 inconclusive."),
    ],
)
def test_the_summary_is_one_sentence(verdict, allow, summary):
    """It counts the verdicts, and says what was allowed."""
    assert summary == Gate("new", (_check(verdict),), allow).summary


def test_junit_counts_what_it_holds():
    """One test case a check; failures and skips are counted as their elements are."""
    checks = (_check(), _check("fail", group="es"), _check("inconclusive", kind="floor"))
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
    """A report that says failure beside an exit code of 0 would be believed."""
    suite, cases = _cases(Gate("new", (_check("inconclusive"),), allow_inconclusive=True))

    assert ["0", "1"] == [suite.get("failures"), suite.get("skipped")]
    assert "skipped" == cases[0][0].tag


@pytest.mark.parametrize("text", ["a<b>&\"c'", "nul\0bell\a", "\ufffe", "日本 🎉"])
def test_junit_is_xml_whatever_the_names_are(text):
    """Marks are escaped, and what XML cannot hold is replaced."""
    suite, (case,) = _cases(Gate(text, (_check("fail", group=text, sentence=text),)))
    shown = "".join(char if char not in "\0\a\ufffe" else "\ufffd" for char in text)

    assert f"tallystick gate {shown}" == suite.get("name")
    assert [f"drop [{shown}]", shown, shown] == [
        case.get("name"),
        case[0].text,
        case[0].get("message"),
    ]


def test_the_markdown_is_a_heading_a_table_and_what_did_not_pass():
    """The sentences of what passed are left out, the numbers are not."""
    gate = Gate("new", (_check(group="en"), _check("fail", group="es", sentence="es fell.")))

    assert [
        "### The gate for new failed: 1 failed, 1 passed.",
        "",
        "| verdict | check | group | metric |    new |    old |     low |   high |  limit |   n |",
        "| ------- | ----- | ----- | ------ | -----: | -----: | ------: | -----: | -----: | --: |",
        "| passed  | drop  | en    | f1     | 0.8000 | 0.8100 | -0.0200 | 0.0100 | 0.0100 |  50 |",
        "| failed  | drop  | es    | f1     | 0.8000 | 0.8100 | -0.0200 | 0.0100 | 0.0100 |  50 |",
        "",
        "Note: es fell.",
    ] == gate.to_markdown().splitlines()


def test_records_have_the_fields_of_checks():
    """One dictionary per check."""
    (record,) = Gate("new", (_check(),)).to_records()

    assert ["kind", "pass", -0.02] == [next(iter(record)), record["verdict"], record["low"]]
    assert not math.isnan(record["old"])

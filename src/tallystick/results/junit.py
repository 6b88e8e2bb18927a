"""Writes the checks of a gate as JUnit XML, which build servers show as tests."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case.

    Attributes:
        suite: What it belongs to, such as a metric.
        name: What it is called.
        outcome: The element that it holds: `system-out` where it passed.
        kind: What sort of failure it is; empty where it passed.
        message: What there is to say, in one sentence.
    """

    suite: str
    name: str
    outcome: Literal["system-out", "failure", "skipped", "error"]
    kind: str
    message: str


def write_junit(name: str, cases: Sequence[Case]) -> str:
    """Returns a file with one suite of test cases; characters that XML lacks are replaced."""
    counts = Counter(case.outcome for case in cases)
    suite = ElementTree.Element("testsuite", name=_clean(name), tests=str(len(cases)))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    suite.extend(map(_build, cases))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _build(case: Case) -> ElementTree.Element:
    element = ElementTree.Element("testcase", classname=_clean(case.suite), name=_clean(case.name))
    told = ElementTree.SubElement(element, case.outcome)
    told.text = _clean(case.message)
    if case.kind:
        told.set("message", _clean(case.message))
        told.set("type", case.kind)
    return element


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)

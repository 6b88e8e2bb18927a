"""What a gate hands to its caller: checks with a verdict, as sentences, JUnit XML and Markdown."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, final
from xml.etree import ElementTree

from tallystick.render.document import Deferred, Document, Grid, Line
from tallystick.results.records import Check, Verdict
from tallystick.results.result import Result

__all__ = ["Gate"]

_WORDS: dict[Verdict, str] = {"fail": "failed", "inconclusive": "inconclusive", "pass": "passed"}
_HEADINGS = ("verdict", "check", "group", "metric", "new", "old", "low", "high", "limit", "n")
# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@final
@dataclass(frozen=True, slots=True)
class Gate(Result):
    """The checks of one call; prints one sentence for each and one for all.

    Attributes:
        system: Whose scores were checked.
        checks: The checks, in the order in which they are shown.
        allow_inconclusive: Whether checks that do not decide let the system through.
        notes: Sentences that the reader must know.
    """

    _kind: ClassVar[type] = Check
    _printed: ClassVar[str] = "lines"

    system: str
    checks: tuple[Check, ...]
    allow_inconclusive: bool = False
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all checks; without any check a gate fails."""
        found = {check.verdict for check in self.checks} or {"fail"}
        return next(verdict for verdict in _WORDS if verdict in found)

    @property
    def passed(self) -> bool:
        """Whether the system may go through."""
        return self.verdict == "pass" or (
            self.verdict == "inconclusive" and self.allow_inconclusive
        )

    @property
    def summary(self) -> str:
        """The verdict on all checks, in one sentence."""
        counts = Counter(check.verdict for check in self.checks)
        told = ", ".join(f"{counts[word]} {_WORDS[word]}" for word in _WORDS if counts[word])
        let = " (allowed)" if self.passed and self.verdict == "inconclusive" else ""
        return f"The gate for {self.system} {_say(self.verdict)}{let}: {told or 'no check'}."

    @property
    def _records(self) -> tuple[Check, ...]:
        return self.checks

    def document(self) -> Document:
        """Return the verdict, a table of the checks, and the sentences of what did not pass.

        The format `lines` holds the sentences of all checks, and the verdict.
        """
        grid = Grid("checks", "", _HEADINGS, 4, (tuple(map(_list_cells, self.checks)),))
        sentences = (*(check.sentence for check in self.checks), self.summary)
        return Document(
            grids=(grid,) if self.checks else (),
            heading=self.summary,
            sentences=tuple(check.sentence for check in self.checks if check.verdict != "pass"),
            notes=self.notes,
            records=Deferred(self.to_records),
            paragraphs=(tuple(map(Line, sentences)),),
        )

    def to_junit(self) -> str:
        """Return JUnit XML with one test case per check.

        A check that is inconclusive is a failure, or skipped where that is allowed.
        """
        suite = ElementTree.Element("testsuite", name=_clean(f"tallystick gate {self.system}"))
        for check in self.checks:
            suite.append(self._build_case(check))
        tags = Counter(element.tag for case in suite for element in case)
        suite.set("tests", str(len(self.checks)))
        suite.set("failures", str(tags["failure"]))
        suite.set("errors", "0")
        suite.set("skipped", str(tags["skipped"]))
        suites = ElementTree.Element("testsuites")
        suites.append(suite)
        ElementTree.indent(suites)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{_write_xml(suites)}\n'

    def _build_case(self, check: Check) -> ElementTree.Element:
        place = "" if check.group is None else f" [{check.group}]"
        case = ElementTree.Element(
            "testcase", classname=_clean(check.metric), name=_clean(f"{check.kind}{place}")
        )
        if check.verdict == "pass":
            case.append(_build_text("system-out", check.sentence))
            return case
        let = check.verdict == "inconclusive" and self.allow_inconclusive
        told = _build_text("skipped" if let else "failure", check.sentence)
        told.set("message", _clean(check.sentence))
        told.set("type", check.verdict)
        case.append(told)
        return case


def _say(verdict: Verdict) -> str:
    return "is inconclusive" if verdict == "inconclusive" else _WORDS[verdict]


def _list_cells(check: Check) -> tuple[str | float | None, ...]:
    old = None if check.kind == "floor" else check.old
    return (
        _WORDS[check.verdict],
        check.kind,
        check.group,
        check.name,
        check.value,
        old,
        check.low,
        check.high,
        check.limit,
        check.n,
    )


def _build_text(tag: str, text: str) -> ElementTree.Element:
    element = ElementTree.Element(tag)
    element.text = _clean(text)
    return element


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def _write_xml(element: ElementTree.Element) -> str:
    return ElementTree.tostring(element, encoding="unicode")

"""What a gate hands to its caller: checks with a verdict, as a table, JUnit XML and Markdown."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Literal
from xml.etree import ElementTree

from msgspec import Struct
from msgspec.structs import asdict, replace

from tallystick.errors import list_notes, say_count
from tallystick.output.results.records import Check, Flip, Gather, Verdict
from tallystick.output.results.result import Result
from tallystick.output.tables.cells import Bounded, Cell, Ends, Toned, Worded, list_some, shorten
from tallystick.output.tables.document import Document, Grid, Heading, Row, Sections, Style
from tallystick.output.tables.formats import render

# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _write_junit(name: str, cases: Sequence[ElementTree.Element]) -> str:
    counts = Counter(case[0].tag for case in cases)
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name=_clean(name),
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
    )
    suite.extend(cases)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _make_case(
    suite: str, name: str, outcome: str, message: str, kind: str = ""
) -> ElementTree.Element:
    """A test case: `system-out` where it passed, `failure`, `skipped` or `error` of some kind."""
    case = ElementTree.Element("testcase", classname=_clean(suite), name=_clean(name))
    phrase = ElementTree.SubElement(case, outcome)
    phrase.text = _clean(message)
    if kind:
        phrase.set("message", _clean(message))
        phrase.set("type", kind)
    return case


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


_WORST_FIRST: tuple[Verdict, ...] = ("fail", "inconclusive", "pass")
_SHOWN: dict[Verdict, tuple[str, Literal["good", "bad", "open"]]] = {
    "pass": ("pass", "good"),
    "fail": ("FAIL", "bad"),
    "inconclusive": ("inconclusive", "open"),
}
MARKS: dict[Verdict, str] = {"pass": "\N{CHECK MARK}", "fail": "\N{BALLOT X}", "inconclusive": "?"}
_EMOJI: dict[Verdict, str] = {
    "pass": "\N{WHITE HEAVY CHECK MARK}",
    "fail": "\N{CROSS MARK}",
    "inconclusive": "\N{WHITE QUESTION MARK ORNAMENT}",
}
"""What GitHub shows in colour."""
_UNMARKED: Mapping[Verdict, str] = {}
_COLUMNS = ("verdict", "metric", "group", "new", "old", "difference", "limit", "needed")
_FIELDS = {
    **{name: name for name in ("verdict", "kind", "group", "name", "value", "old")},
    **{name: name for name in ("difference", "low", "high", "limit", "needed", "n")},
    **{"kind": "check", "name": "metric", "value": "new"},
}
"""The fields of checks in CSV, with what their columns are called."""

_LONGEST = 120
"""The most columns of a screen for an output in the table of regressions."""


class Gate(Result, frozen=True, eq=False):
    """The checks of one call; prints the verdict, a table of them, and what failed in words.

    Attributes:
        system: Whose scores were checked.
        checks: The checks, in the order in which they are shown.
        allow_inconclusive: Whether checks that do not decide let the system through.
        notes: Sentences that the reader must know.
        against: The older system; None where there are only floors.
        regressions: The worst examples that the older system had right and this one has wrong. The
            first system of each is the new one.
        gather: Gathers what a report shows besides.
    """

    _kind = Check
    _field = "checks"

    system: str
    checks: tuple[Check, ...]
    allow_inconclusive: bool = False
    notes: tuple[str, ...] = ()
    against: str | None = None
    regressions: tuple[Flip, ...] = ()
    gather: Gather | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all checks; without any check a gate fails."""
        found = {check.verdict for check in self.checks} or {"fail"}
        return next(verdict for verdict in _WORST_FIRST if verdict in found)

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
        of = f"of {len(self.checks)} {'check' if len(self.checks) == 1 else 'checks'}"
        parts = [f"{counts['pass']} {of} passed"] if counts["pass"] or counts["fail"] else []
        if counts["fail"]:
            parts.append(f"{counts['fail']} failed")
        if counts["inconclusive"]:
            let = ", which is let through" if self.allow_inconclusive else ""
            many = "" if parts else f"{of} "
            parts.append(f"{counts['inconclusive']} {many}inconclusive{let}")
        phrase = ", ".join(parts)
        if self.verdict == "inconclusive" and not self.passed:
            return (
                f"Inconclusive: too few examples to decide whether {self.system} passes the "
                f"gate: {phrase}."
            )
        return f"{self.system} {'passes' if self.passed else 'fails'} the gate: {phrase}."

    def document(self) -> Document:
        """Returns the verdict, a table of the checks, and the sentences of what failed."""
        return self.show()

    def show(self, *, marks: Mapping[Verdict, str] = _UNMARKED, folded: bool = False) -> Document:
        """Returns the document, perhaps with a mark before each verdict.

        With `folded`, checks of groups that passed are in a sentence where others did not pass.
        """
        checks = self._sort_checks()
        folded = folded and any(one.group is not None for one in checks)
        shown = [one for one in checks if not folded or one.verdict != "pass"] or checks
        return Document(
            grids=(self._tabulate(shown, marks),) if shown else (),
            heading=self.summary,
            sentences=(
                *(check.sentence for check in checks if check.verdict == "fail"),
                *_list_passed(checks[len(shown) :]),
            ),
            notes=self.notes,
            methods=self._explain_bounds(),
            content={
                "verdict": self.verdict,
                "passed": self.passed,
                "summary": self.summary,
                "system": self.system,
                "against": self.against,
                **list_notes(self.notes),
                "checks": self.to_records(),
                "regressions": [asdict(flip) for flip in self.regressions],
            },
            sheet=lambda: Grid(
                "checks",
                "",
                tuple(_FIELDS.values()),
                4,
                (tuple(tuple(getattr(one, name) for name in _FIELDS) for one in self.checks),),
            ),
        )

    def _divide(self, document: Document, style: Style) -> Sections:
        tables = (*document.grids, *self._list_regressions())
        return Sections((document.heading, *document.sentences[:1]), tables)

    def to_markdown(self, style: Style | None = None) -> str:
        """Returns GitHub Markdown: the verdict, what did not pass, and folded what did."""
        checks = self._sort_checks()
        passed = [one for one in checks if one.verdict == "pass"]
        rest = checks[: len(checks) - len(passed)]
        document = self.document()
        first = replace(
            document,
            heading=f"{_EMOJI[self._outcome]} {self.summary}",
            grids=(
                *((self._tabulate(rest, _EMOJI),) if rest else ()),
                *self._list_regressions(),
            ),
        )
        text = render(first, "markdown", style)
        if not passed:
            return text
        table = Document((self._tabulate(passed, _EMOJI),), methods=document.methods)
        folded = render(table, "markdown", style)
        count = say_count(len(passed), "check")
        return f"{text}\n<details>\n<summary>{count} passed</summary>\n\n{folded}\n</details>\n"

    @property
    def _outcome(self) -> Verdict:
        return "pass" if self.passed else self.verdict

    def _sort_checks(self) -> list[Check]:
        """The checks with the worst verdicts first, else in their order."""
        return sorted(self.checks, key=lambda check: _WORST_FIRST.index(check.verdict))

    def to_junit(self) -> str:
        """Returns JUnit XML with one test case per check.

        A check that is inconclusive is a failure, or skipped where that is allowed.
        """
        cases = []
        for check in self.checks:
            name = check.kind if check.group is None else f"{check.kind} [{check.group}]"
            let = check.verdict == "inconclusive" and self.allow_inconclusive
            outcome, kind = "skipped" if let else "failure", str(check.verdict)
            if check.verdict == "pass":
                outcome, kind = "system-out", ""
            cases.append(_make_case(check.metric, name, outcome, check.sentence, kind))
        return _write_junit(f"tallystick gate {self.system}", cases)

    def _explain_bounds(self) -> str:
        levels = sorted({check.confidence for check in self.checks})
        phrase = " and ".join(f"{level:.4g}" for level in levels)
        if not phrase:
            return ""
        needed = any(check.needed is not None for check in self.checks)
        more = "; needed: about how many examples would be enough to decide" if needed else ""
        return f"In parentheses: the bound used for the verdict, one-sided at {phrase}{more}."

    def _tabulate(self, checks: Sequence[Check], marks: Mapping[Verdict, str]) -> Grid:
        rows = [_write_row(check, marks) for check in checks]
        kept = [name for name in _COLUMNS if any(row[name] is not None for row in rows)]
        blocks = tuple(
            tuple(tuple(row[name] for name in kept) for row in own)
            for _, own in groupby(rows, lambda row: str(row["verdict"]))
        )
        return Grid("checks", "", tuple(kept), 3 if "group" in kept else 2, blocks)

    def _list_regressions(self) -> tuple[Grid, ...]:
        if not self.regressions:
            return ()
        old = self.against or "old"
        rows = [
            (flip.example, flip.group, flip.text, flip.gold, flip.output_b, flip.output_a)
            for flip in self.regressions
        ]
        known = ("example", "group", "text", "gold")
        headings = (*known, Heading(old), Heading(self.system))
        places = range(len(headings))
        kept = [place for place in places if any(row[place] for row in rows)]
        caption = f"The worst regressions: examples on which {self.system} is worse than {old}"
        leads = sum(place < len(known) for place in kept)
        names = [headings[place] for place in kept]
        cells: list[Row] = [tuple(shorten(row[at] or "", _LONGEST) for at in kept) for row in rows]
        scores = [(float(flip.score_b), float(flip.score_a)) for flip in self.regressions]
        graded = any(score not in (0, 1) for pair in scores for score in pair)
        if graded and any(f"{flip.score_b:g}" != flip.output_b for flip in self.regressions):
            names += [Heading(f"{old} score"), Heading(f"{self.system} score")]
            cells = [(*own, *pair) for own, pair in zip(cells, scores, strict=True)]
        return (Grid("pairs", caption, tuple(names), leads, (tuple(cells),)),)


class Broken(Struct, frozen=True):
    """A gate that came to no verdict, because of a wrong call or bad data."""

    reason: str

    def to_junit(self) -> str:
        """Returns JUnit XML with one test case that is an error."""
        case = _make_case("tallystick gate", "gate", "error", self.reason, "error")
        return _write_junit("tallystick gate", [case])

    def to_json(self) -> str:
        """Returns a JSON object with the keys that every gate has."""
        parts = {"verdict": "error", "passed": False, "summary": self.reason}
        return json.dumps(parts | {"checks": [], "regressions": []}, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """Returns a heading, and the reason below it."""
        document = Document(heading="The gate came to no verdict", sentences=(self.reason,))
        return render(document, "markdown")


def _list_passed(checks: Sequence[Check]) -> list[str]:
    """Says which checks passed, by metric."""
    groups: dict[str, list[str]] = {}
    for check in checks:
        groups.setdefault(check.name, []).append(check.group or "all examples")
    known = [f"{name} in {list_some(own)}" for name, own in groups.items()]
    return [f"Passed: {'; '.join(known)}."] if known else []


def _write_row(check: Check, marks: Mapping[Verdict, str]) -> dict[str, Cell]:
    bound, floor = _find_bound(check), check.kind == "floor"
    higher = check.better == "higher"
    limits = {
        "drop": "drop" if higher else "rise",
        "floor": "floor" if higher else "ceiling",
        "equivalent": "within",
    }
    word, tone = _SHOWN[check.verdict]
    return {
        "verdict": Toned(f"{marks.get(check.verdict, '')} {word}".strip(), tone),
        "metric": check.name,
        "group": check.group,
        "new": Bounded(check.value, bound) if floor else check.value,
        "old": None if floor else check.old,
        "difference": None if floor else Bounded(check.difference, bound, signed=True),
        "limit": Worded(limits[check.kind], check.limit),
        "needed": None if check.needed is None else f"{check.needed:,}",
    }


def _find_bound(check: Check) -> Ends:
    """The bound that decides the verdict: the worst case, or the best case of a failed check.

    An equivalence is worst where the difference is largest.
    """
    failed = check.verdict == "fail"
    if check.kind == "equivalent":
        below = (-check.low > check.high) != failed
    else:
        below = (check.better == "higher") != failed
    return Ends(check.low, math.inf) if below else Ends(-math.inf, check.high)

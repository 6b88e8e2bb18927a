"""The result of a comparison: differences as tables, with a sentence for each."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby

from msgspec.structs import asdict

from tallystick.errors import UsageError, list_notes, say_count
from tallystick.output.results.records import MAIN, Difference, Flip, Gather, Score
from tallystick.output.results.result import Result
from tallystick.output.results.scores import describe_intervals, list_signatures, name_metrics
from tallystick.output.results.sections import (
    NO_ENDS,
    PLACES,
    cite,
    explain,
    list_boards,
    list_groups,
    list_matrices,
    pivot_matrix,
    rank_scores,
    say,
    say_groups,
    say_method,
    show_difference,
    sum_up,
    tell_differences,
    turn,
)
from tallystick.output.tables.cells import Bounded, Cell, Ends, Mark, PValue
from tallystick.output.tables.document import Document, Grid, Heading, Row, Sections, Style
from tallystick.output.tables.typeset import choose_scale, title_names


class Comparison(Result, frozen=True, eq=False):
    """All the differences of one call; prints as a table with sentences.

    Attributes:
        differences: The differences, row by row.
        notes: Sentences that the reader must know.
        finder: Finds the examples on which two systems differ, by their names.
        scores: The score of each system, with its interval.
        baseline: The system that all others are compared with; None where every two are.
        details: Whether tables show every difference with its interval, of each group too.
        gather: Gathers what a report shows besides.
        tests: By which tests it was compared, with their correction, for captions and sentences.
    """

    _kind = Difference
    _field = "differences"
    _bounded = "scores"

    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()
    finder: Callable[[str, str], tuple[Flip, ...]] | None = None
    scores: tuple[Score, ...] = ()
    baseline: str | None = None
    details: bool = False
    gather: Gather | None = None
    tests: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        scored = (score.system for score in self.scores)
        pairs = (name for one in self.differences for name in (one.a, one.b))
        return tuple(dict.fromkeys((*scored, *pairs)))

    def document(self) -> Document:
        """Returns a table for each metric, what it shows in words, and the notes.

        The rows are systems, compared with the baseline, by group if there are groups; or with
        every other system. With `details`, and in CSV, each difference is a row.
        """
        return Document(
            grids=self._list_grids(),
            sentences=self._conclude(),
            notes=self.notes,
            methods=" ".join(describe_intervals(self.scores)),
            signatures=list_signatures(self.scores),
            content={
                "baseline": self.baseline,
                "differences": self.to_records(),
                "scores": [asdict(one) for one in self.scores],
                **list_notes(self.notes),
            },
            paper=self._list_paper(),
            sheet=partial(_list_differences, self.differences),
        )

    def to_sentence(self, style: Style | None = None) -> str:
        """Returns sentences for a paper: who is better by how much, by which test."""
        main = [one for one in self._overall if one.group in MAIN]
        names, pairs = name_metrics(main), {(one.a, one.b) for one in main}
        style = choose_scale(names.values(), style or Style())
        if self.baseline is None and len(pairs) > 1:
            text = [*map(say, main)]
        else:
            text = [cite([one for one in main if one.metric == own], style) for own in names]
        text += say_groups([one for one in self.differences if one.group not in MAIN])
        if main:
            level = f"{100 * main[0].confidence:g}%"
            text += [say_method(main, self.tests), f"Brackets: {level} confidence intervals."]
        return title_names(" ".join(text), {one.name for one in main})

    def _list_paper(self) -> tuple[Grid, ...]:
        """One table of systems by metrics, with marks, where there is one row for each system."""
        main = [one for one in self.differences if one.group in MAIN]
        if self.details or not self.scores or len(main) < len(self.differences):
            return ()
        if any(one.equivalent_within is not None for one in main):
            return ()
        names, (*others, last) = name_metrics(main), self.systems
        base = self.baseline or (last if len(others) == 1 else None)
        cells: dict[tuple[str, str], Cell] = {}
        for metric in names:
            own = [one for one in main if one.metric == metric]
            scores = [one for one in self.scores if one.metric == metric and one.group in MAIN]
            best = rank_scores(scores, own[0].better)[0].system
            beaten = {
                name
                for one in own
                if one.significant and best in (one.a, one.b)
                for name in (one.a, one.b)
            } - {best}
            stars = {one.a for one in own if one.significant}
            for one in scores:
                ends = Ends(one.low, one.high)
                cells[one.system, metric] = (
                    Mark(one.value, one.system not in beaten, "", ends)
                    if base is None
                    else Bounded(one.value, ends, star=one.system in stars)
                )
        rows: list[Row] = [
            (system, *(cells.get((system, metric)) for metric in names))
            for system in sorted(self.systems, key=lambda system: system != base)
        ]
        blocks = (tuple(rows),) if base is None else ((rows[0],), tuple(rows[1:]))
        caption = f"{', '.join(names.values())} on {say_count(main[0].n, 'example')}"
        alpha = f"p < {1 - main[0].confidence:.2g}"
        tests = title_names(f"{alpha}, {self.tests}" if self.tests else alpha, names.values())
        mark = (
            f"Asterisk: significantly different from the baseline {base}"
            if base
            else "Significance"
        )
        legend = (f"{mark} ({tests}).",)
        return (Grid("pairs", caption, ("system", *names.values()), 1, blocks, legend=legend),)

    def _divide(self, document: Document, style: Style) -> Sections:
        better = self.differences[0].better if self.differences else None
        ranked = rank_scores(self.scores, better)
        text = document.sentences[0] if self.baseline is not None and document.sentences else ""
        return Sections(
            tell_differences(ranked, self.differences, style, text) if ranked else (),
            list_boards(self.scores, better),
            list_matrices(self.differences),
            list_groups(self.scores),
        )

    def _list_grids(self) -> tuple[Grid, ...]:
        if self.details or not self.scores or (self.baseline is None and len(self.systems) == 2):
            return (_pivot_details(self.differences),)
        names = name_metrics(self.differences)
        return tuple(self._pivot(metric, name) for metric, name in names.items())

    def _pivot(self, metric: str, name: str) -> Grid:
        """The table of one metric: systems against a baseline, by group, or against each other."""
        differences = [one for one in self.differences if one.metric == metric]
        scores = [one for one in self.scores if one.metric == metric]
        if self.baseline is None:
            return pivot_matrix(
                name,
                [one for one in scores if one.group in MAIN],
                [one for one in differences if one.group in MAIN],
            )
        if any(one.group is not None for one in differences):
            return _pivot_groups(name, self.baseline, scores, differences)
        baseline = self.baseline
        found = {one.a: one for one in differences}
        values = {one.system: one for one in scores}
        bounded = _head_equivalence(differences)
        empty = (None, None, *(None for _ in bounded))
        first = (f"{baseline} (baseline)", _bound(values[baseline]), *empty)
        rows: list[Row] = [
            (
                one.a,
                _bound(values[one.a]),
                show_difference(one),
                PValue(one.p_holm),
                *_tell_equivalence(one),
            )
            for one in found.values()
        ]
        caption = f"{name}, and its difference from {baseline} (system - {baseline})"
        headings = ("system", name, "difference", "p", *bounded)
        blocks = ((first,), tuple(rows))
        return Grid("pairs", caption, headings, 1, blocks, name, legend=explain(differences))

    def find(self, a: str, b: str, metric: str, group: str | None = None) -> Difference:
        """Returns the difference of two systems, in this order, on a metric.

        Raises:
            UsageError: There is none.
        """
        for one in self.differences:
            if metric in (one.name, one.metric) and one.group == group:
                if (one.a, one.b) == (a, b):
                    return one
                if (one.a, one.b) == (b, a):
                    return turn(one)
        where = "" if group is None else f" in {group!r}"
        raise UsageError(f"there is no difference of {a!r} and {b!r} on {metric!r}{where}")

    def flips(self, a: str, b: str) -> tuple[Flip, ...]:
        """Returns the examples on which two systems differ, those with the largest gap first.

        For labels these are all examples that one system got right and the other one wrong; for
        texts the 100 with the largest difference in the first metric's score of the example.

        Raises:
            UsageError: There is no such system.
        """
        for name in (a, b):
            if name not in self.systems:
                raise UsageError(f"there is no system {name!r}, only {', '.join(self.systems)}")
        return self.finder(a, b) if self.finder else ()

    def sentences(self) -> tuple[str, ...]:
        """Says in words what each difference over all examples means."""
        return tuple(say(one) for one in self._overall)

    @property
    def _overall(self) -> tuple[Difference, ...]:
        return tuple(
            one for one in self.differences if one.group in PLACES and not math.isnan(one.p)
        )

    def _conclude(self) -> tuple[str, ...]:
        """Says who is significantly better, without numbers, which the table has."""
        if len(self.systems) <= 2:
            text = (say(one, amount=False) for one in self._overall)
            return (*text, *say_groups(self.differences))
        if self.baseline is None:
            return ()
        main = [one for one in self._overall if one.group in MAIN]
        metrics = dict.fromkeys(one.metric for one in main)
        own = ([one for one in main if one.metric == metric] for metric in metrics)
        text = (sum_up(differences, self.baseline) for differences in own)
        better = {(one.metric, one.a, one.b) for one in main if one.significant}
        rest = [one for one in self.differences if (one.metric, one.a, one.b) not in better]
        return (*text, *say_groups(rest))


def _list_differences(differences: Sequence[Difference]) -> Grid:
    lead = _name_leads(differences)
    numbers = ("value_a", "value_b", "difference", "low", "high", "p", "p_holm")
    headings = (*lead, *numbers, *_head_equivalence(differences))
    names = name_metrics(differences)
    rows: tuple[Row, ...] = tuple(
        tuple(names[one.metric] if name == "metric" else getattr(one, name) for name in headings)
        for one in differences
    )
    return Grid("pairs", "", headings, len(lead), (rows,))


def _pivot_details(differences: Sequence[Difference]) -> Grid:
    lead = _name_leads(differences)
    same = all(one.p == one.p_holm or math.isnan(one.p) for one in differences)
    tests = ("p",) if same else ("p", "p_holm")
    names = name_metrics(differences)
    blocks = tuple(
        tuple(
            (
                *(names[one.metric] if name == "metric" else getattr(one, name) for name in lead),
                one.value_a,
                one.value_b,
                show_difference(one),
                *(PValue(getattr(one, test)) for test in tests),
                *_tell_equivalence(one),
            )
            for one in own
        )
        for _, own in groupby(differences, lambda one: one.group)
    )
    headings = (*lead, "value_a", "value_b", "difference", *tests, *_head_equivalence(differences))
    legend = explain(differences) if differences else ()
    return Grid("pairs", "", headings, len(lead), blocks, legend=legend)


def _name_leads(differences: Sequence[Difference]) -> tuple[str, ...]:
    grouped = any(one.group is not None for one in differences)
    return ("group", "metric", "a", "b") if grouped else ("metric", "a", "b")


def _pivot_groups(
    name: str, baseline: str, scores: Iterable[Score], differences: Sequence[Difference]
) -> Grid:
    stars = {(one.a, one.group) for one in differences if one.significant}
    values = {(one.system, one.group): one.value for one in scores}
    groups = tuple(dict.fromkeys(group for _, group in values))
    others = tuple(dict.fromkeys(one.a for one in differences))
    rows: list[Row] = [
        (
            f"{system} (baseline)" if system == baseline else system,
            *(
                Bounded(values[system, group], NO_ENDS, False, (system, group) in stars)
                if (system, group) in values
                else None
                for group in groups
            ),
        )
        for system in (baseline, *others)
    ]
    caption = f"{name} by group, compared with {baseline}"
    headings: tuple[str | Heading, ...] = ("system", *map(Heading, map(str, groups)))
    blocks = ((rows[0],), tuple(rows[1:]))
    return Grid("pairs", caption, headings, 1, blocks, name, legend=explain(differences))


def _bound(score: Score) -> Cell:
    return Bounded(score.value, Ends(score.low, score.high, False))


def _head_equivalence(differences: Sequence[Difference]) -> tuple[str, ...]:
    tested = any(one.equivalent_within is not None for one in differences)
    return ("equivalent",) if tested else ()


def _tell_equivalence(one: Difference) -> tuple[str, ...]:
    if one.equivalent_within is None:
        return ()
    return ("yes" if one.equivalent else "not shown",)

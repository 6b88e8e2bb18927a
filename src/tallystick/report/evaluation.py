"""What scoring hands to its caller: scores that print, can be asked, and go to other formats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from tallystick.errors import UsageError
from tallystick.report.grid import Lead, list_grids
from tallystick.report.html import write_html
from tallystick.report.latex import write_latex
from tallystick.report.lines import write_lines
from tallystick.report.markdown import write_markdown
from tallystick.report.methods import describe_intervals
from tallystick.report.records import (
    build_arrow,
    build_pandas,
    build_records,
    write_csv,
    write_json,
)
from tallystick.report.text import write_text
from tallystick.results import ConfusionMatrix, Score

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["FORMATS", "Evaluation", "render"]

FORMATS = ("table", "csv", "json", "markdown", "latex", "lines")
"""What `render` can write."""

_DIGITS = 4
_WRITERS = {"table": write_text, "markdown": write_markdown, "latex": write_latex}
_PLURALS = {
    "name": "names",
    "metric": "metrics",
    "group": "groups",
    "system": "systems",
    "label": "labels",
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All the scores of one call; prints as a table.

    Attributes:
        scores: The scores, in the order in which they are shown.
        lead: The heading of each leading column with the field of `Score` that fills it.
        confusions: The confusion matrices to show, at most one per system.
        notes: Sentences that the reader must know, such as which scores are undefined.
    """

    scores: tuple[Score, ...]
    lead: Lead
    confusions: tuple[ConfusionMatrix, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write the plain text table."""
        return render(self, "table").removesuffix("\n")

    def __repr__(self) -> str:
        """Count what there is, on one line."""
        counts = ", ".join(
            f"{_PLURALS[field]}={len(_list_values(self.scores, field))}"
            for field in ("metric", "group", "system", "label")
        )
        return f"Evaluation(scores={len(self.scores)}, {counts})"

    def _repr_html_(self) -> str:
        """Write the tables that a notebook shows."""
        grids = list_grids(self.scores, self.lead, self.confusions)
        notes = (*self.notes, *describe_intervals(self.scores))
        return write_html(grids, notes, digits=_DIGITS)

    def __getitem__(self, key: object) -> float:
        """Return one value: `result["f1"]`, `result["f1", "es"]`, `result["f1", "es", "mine"]`.

        The parts of the key are metric, group and system; None stands for any. The metric is its
        short name, its repr, or the metric itself. A score per class is returned only where there
        is no overall one; `select` takes a label.

        Raises:
            UsageError: No score matches, or several do.
        """
        parts = key if isinstance(key, tuple) else (key,)
        if not 1 <= len(parts) <= 3:
            raise UsageError(
                f"The key {key!r} has {len(parts)} parts, expected a metric, a group and a system."
            )
        metric, group, system = (*parts, None, None)[:3]
        matches = self.select(metric=metric, group=group, system=system).scores
        matches = tuple(score for score in matches if score.label is None) or matches
        if len(matches) > 1:
            raise UsageError(_describe_choice(key, matches))
        return matches[0].value

    def select(
        self,
        *,
        metric: object = None,
        group: str | None = None,
        system: str | None = None,
        label: str | None = None,
    ) -> "Evaluation":
        """Keep the scores that match every option given.

        A confusion matrix is over all groups and labels: it stays only where nothing but its
        system is selected.

        Raises:
            UsageError: No score is left.
        """
        name = metric if metric is None or isinstance(metric, str) else repr(metric)
        kept = _keep(self.scores, "metric", name)
        kept = _keep(kept, "group", group)
        kept = _keep(kept, "system", system)
        kept = _keep(kept, "label", label)
        whole = metric is None and group is None and label is None
        confusions = tuple(
            matrix for matrix in self.confusions if whole and system in {None, matrix.system}
        )
        return replace(self, scores=kept, confusions=confusions)

    def to_records(self) -> list[dict[str, object]]:
        """Return one dictionary per score, with the fields of `Score` as keys."""
        return build_records(self.scores)

    def to_json(self) -> str:
        """Return a JSON list with one record per line; an undefined value is null."""
        return render(self, "json")

    def to_csv(self) -> str:
        """Return the overview as CSV in full precision; an undefined value is an empty cell."""
        return render(self, "csv")

    def to_markdown(self) -> str:
        """Return tables in GitHub Markdown."""
        return render(self, "markdown")

    def to_latex(self) -> str:
        """Return LaTeX tabulars, which need the package booktabs."""
        return render(self, "latex")

    def to_lines(self) -> str:
        """Return one line per score and per class, such as `Macro F1-Score: 0.5667`."""
        return render(self, "lines")

    def to_arrow(self) -> "pyarrow.Table":
        """Return a table with one row per score and the fields of `Score` as columns."""
        return build_arrow(self.scores)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame with one row per score and the fields of `Score` as columns.

        Raises:
            UsageError: pandas is not installed.
        """
        return build_pandas(self.scores)


def render(
    evaluation: Evaluation, format: str, *, digits: int = _DIGITS, intervals: bool = False
) -> str:
    """Write an evaluation in one of `FORMATS`, as text that ends with a newline.

    Scores have `digits` decimals where people read them; `csv` and `json` are exact. All but `csv`
    and `lines` hold the intervals that there are; these two only with `intervals`.

    Raises:
        UsageError: There is no such format, or digits is negative.
    """
    if digits < 0:
        raise UsageError(f"The number of digits is {digits}, expected 0 or more.")
    if format in _WRITERS:
        grids = list_grids(evaluation.scores, evaluation.lead, evaluation.confusions)
        notes = (*evaluation.notes, *describe_intervals(evaluation.scores))
        return _WRITERS[format](grids, notes, digits=digits)
    match format:
        case "csv":
            return write_csv(evaluation.scores, evaluation.lead, intervals=intervals)
        case "json":
            return write_json(evaluation.scores)
        case "lines":
            return write_lines(evaluation.scores, digits=digits, intervals=intervals)
    raise UsageError(f"There is no format {format!r}, expected one of {_quote(FORMATS)}.")


def _keep(scores: tuple[Score, ...], field: str, value: str | None) -> tuple[Score, ...]:
    if value is None:
        return scores
    fields = ("name", "metric") if field == "metric" else (field,)
    kept = tuple(score for score in scores if value in [getattr(score, name) for name in fields])
    if not kept:
        known = [found for name in fields for found in _list_values(scores, name)]
        raise UsageError(_describe_missing(field, value, known))
    return kept


def _describe_missing(field: str, value: str, known: Sequence[str]) -> str:
    if not known:
        return f"No score has the {field} {value!r}, because none has a {field}."
    (nearest,) = get_close_matches(str(value), known, n=1, cutoff=0)
    return f"No score has the {field} {value!r}, did you mean {nearest!r}?"


def _describe_choice(key: object, matches: Sequence[Score]) -> str:
    choices = {
        word: names
        for field, word in _PLURALS.items()
        if len(names := _list_values(matches, field)) > 1
    }
    options = " and ".join(f"one of the {word} {_quote(names)}" for word, names in choices.items())
    return f"{len(matches)} scores match the key {key!r}, select {options}."


def _list_values(scores: Sequence[Score], field: str) -> list[str]:
    values = dict.fromkeys(getattr(score, field) for score in scores)
    return [value for value in values if value is not None]


def _quote(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))

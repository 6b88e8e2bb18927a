"""Says which keywords of a layout were given and have no use, from what has been read."""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import asdict

from tallystick.errors import UsageError
from tallystick.io.tables.formats import ROWS, is_headless
from tallystick.kinds.index import READ, find_layout, say_all
from tallystick.kinds.metrics.requirements import needs_gold
from tallystick.kinds.numbers import NUMBERS
from tallystick.model.facts import KINDS
from tallystick.reading.input_plan import InputPlan
from tallystick.reading.layouts import are_lines
from tallystick.reading.speech import find_speech

_TABLES, _LINES, _MEMORY = "tables", "lines of text", "columns in memory"
_PAGES = "a file for each example"
_BATTLES, _TRIES, _RATINGS = "battles", "repeated tries", "ratings of annotators"
LOGS = "logs"
_SPEECH = "transcripts"
_OWN = "files of qrels, runs or trees"
_NAMED = {_TABLES, _TRIES, _RATINGS}
"""The layouts whose columns of gold and outputs have names."""
_TEXTUAL = {_TABLES, _LINES, _MEMORY, _PAGES}
_LABELS, _SCORES = frozenset({"labels"}), frozenset({"probabilities"})
_KINDS = {kind.side for kind in READ} | {
    *("probabilities", "soft labels", "ratings", "raters", "tries", "preferences")
}
"""The kinds whose uses are known; a kind of one's own may use everything."""


class _Use(Struct, frozen=True):
    """What a keyword is used for: layouts, kinds (any of them) and task; None is all of them."""

    said: str
    layouts: Collection[str] | None = None
    kinds: frozenset[str] | None = None
    task: str | None = None


_USES = {
    "gold": _Use("tables", {*_NAMED, _BATTLES, LOGS}),
    "predicted": _Use("tables of outputs", {*_NAMED, _BATTLES, LOGS}),
    "probability": _Use("probabilities of labels", {_TABLES}, _SCORES),
    "id": _Use("tables", {*_NAMED, _OWN, _BATTLES}),
    "system_id": _Use("files of systems that are joined by ids", {_TABLES, _TRIES}),
    "text": _Use("tables", {*_NAMED, LOGS}),
    "weights": _Use(
        "metrics of labels, numbers, rankings and trees",
        {_TABLES, _MEMORY, _OWN, _RATINGS},
        frozenset({"labels", "numbers", "rankings", "trees"}),
    ),
    "count": _Use("labels", {_TABLES}, _LABELS),
    "delimiter": _Use("label sets", {_TABLES}, _LABELS, "multilabel"),
    "fold_case": _Use(
        "labels", {*_NAMED}, frozenset({"labels", "soft labels", "ratings", "tries"})
    ),
    "invalid": _Use("labels and texts", {_TABLES, _TRIES}, frozenset({"labels", "tries", "texts"})),
    "language": _Use("metrics of texts", {*_TEXTUAL, LOGS, _SPEECH}, frozenset({"texts"})),
    "language_column": _Use("tables of texts", {_TABLES}, frozenset({"texts"})),
    "unicode": _Use("metrics of texts", _TEXTUAL, frozenset({"texts"})),
    "scheme": _Use("tags of spans", {_TABLES, _MEMORY}, frozenset({"spans"})),
    "tag_names": _Use("tags of spans", {_TABLES, _MEMORY}, frozenset({"spans"})),
    "ignore_identical_ids": _Use("qrels and runs", {_OWN}, frozenset({"rankings"})),
    "sides": _Use("battles", {_BATTLES}),
    "outcomes": _Use("battles", {_BATTLES}),
    "round_scores": _Use("probabilities of labels", {_TABLES, _MEMORY}, _SCORES),
    "corrected_by": _Use("labels and numbers", {_TABLES}, frozenset({"labels", "numbers"})),
    "rated": _Use("metrics of numbers", {_TABLES}, frozenset({"numbers"})),
    **dict.fromkeys(
        ("labels", "order"),
        _Use("labels", None, frozenset({"labels", "soft labels", "ratings", "numbers"})),
    ),
    "positive": _Use("a binary task", None, _LABELS, "binary"),
    "threshold": _Use("probabilities of labels", None, _SCORES),
    "where": _Use("columns", {*_NAMED, _BATTLES, LOGS}),
    "input_format": _Use(
        "tables and texts", {*_NAMED, _BATTLES, _LINES, LOGS, _OWN, _PAGES, _SPEECH}
    ),
    "header": _Use("files of tables", {*_NAMED, _BATTLES}),
    "references": _Use("text files", {_LINES, _PAGES, _SPEECH}),
    "num_refs": _Use("text files", {_LINES}),
    "blank_is_missing": _Use("text files", {_LINES}),
    "task": _Use("labels", None, frozenset({"labels", "ratings", "soft labels"})),
    "beside": _Use("qrels and runs; tables have columns of their own", {_OWN}),
}


def check_used(
    plan: InputPlan,
    kinds: Collection[str],
    task: str | None = None,
    layout: str | None = None,
) -> None:
    """Raises a UsageError if a keyword was given that neither layout nor known kinds use.

    Among the kinds is `probabilities` if a system has some; unknown kinds are none.
    """
    columns = asdict(plan.reading.columns)
    named = {**columns, "weights": columns["weight"], **plan.layout}
    named["header"] = named.get("header") is False or is_headless(plan.reading.input_format)
    given = [name for name in _USES if _is_given(named.get(name))]
    if not given:
        return
    layout = layout or _name_layout(plan)
    known = {*kinds} | ({"soft labels"} if plan.reading.soft else set())
    if task is None and "labels" in known:
        known.add("probabilities")  # which are not known before outputs are read
    for name in given:
        use, reason = _USES[name], _explain(plan, name, layout)
        if reason is not None:
            raise UsageError(f"`{name}=` {reason}")
        if use.layouts is not None and layout not in use.layouts:
            own = find_layout(plan.source.gold, plan.reading.kinds) if layout == _OWN else None
            kind = own or plan.reading.of_rows
            what = layout if kind is None else kind.said
            hint = "; `gold=` names their columns of references" if name == "references" else ""
            message = f"`{name}=` can only be used with {use.said}, not with {what}{hint}"
            raise UsageError(message)
        if name == "task" and not _is_of_labels(plan):
            continue
        sure = known and (name == "count" or known <= _KINDS)
        if sure and use.kinds is not None and not use.kinds & known:
            what = say_all(plan.reading.kinds or ()) or " and ".join(sorted(known))
            what = "soft labels and votes of annotators" if plan.reading.soft else what
            raise UsageError(f"`{name}=` can only be used with {use.said}, not with {what}")
        if use.task is not None and task not in (None, use.task):
            raise UsageError(f"`{name}=` can only be used with {use.said}, not with a {task} one")


def _is_of_labels(plan: InputPlan) -> bool:
    """Whether the task is none of those without labels, which texts and spans have."""
    task = plan.layout.get("task")
    return not isinstance(task, str) or task.lower() in KINDS


def _is_given(value: object) -> bool:
    """Whether a value is another one than the usual one; columns in memory are."""
    if isinstance(value, str | list | tuple):
        return len(value) > 0 and value != "error"
    return value is not None and value is not False


def _explain(plan: InputPlan, name: str, layout: str) -> str | None:
    """Why a keyword that the layout may use has no use in this call; None where it has one."""
    reading = plan.reading
    numbers = bool(reading.numbers) and reading.kinds == (NUMBERS,)
    named = numbers and all(one.column for one in reading.numbers)
    columns = layout == _RATINGS and reading.columns.annotator is None
    free = layout in (_RATINGS, _TRIES, _BATTLES) and not _is_of_labels(plan)
    rows = layout == _OWN and str(reading.input_format).startswith(ROWS)
    ungolden = numbers and not any(one.gold for one in reading.numbers)
    cases = (
        (
            "gold",
            not needs_gold(plan.metrics),
            "can only be used with metrics that compare outputs with gold",
        ),
        (
            "gold",
            columns,
            "can only be used with a row for each rating; here annotators have columns",
        ),
        *((one, ungolden, "can only be used with metrics of gold") for one in ("labels", "order")),
        ("predicted", named, "has no use where metrics name the columns of outputs"),
        ("predicted", layout == _RATINGS and plan.systems, "has no use where systems are named"),
        ("task", free, f"of texts or spans has no use for {layout}"),
        ("system_id", plan.single, "names ids of systems in tables of their own"),
        ("input_format", rows, "of a list of rows can only be used with tables"),
        ("header", plan.source.files is None, "can only be used with files of tables"),
        ("id", layout == _OWN and reading.beside is None, "can only be used with tables"),
    )
    return next((why for own, unused, why in cases if own == name and unused), None)


def _name_layout(plan: InputPlan) -> str:
    source, reading = plan.source, plan.reading
    if reading.repeated:
        return _TRIES
    if reading.of_rows is not None:
        return _BATTLES
    if reading.per_file is None and find_layout(source.gold, reading.kinds) is not None:
        return _OWN
    if reading.columns.annotated:
        return _RATINGS
    if source.files is not None and not (plan.systems or plan.system_column):
        layout = _TABLES if reading.per_file is None else _PAGES
        if layout == _TABLES and find_speech(str(source.gold), reading) is not None:
            layout = _SPEECH
        return _LINES if layout == _TABLES and are_lines(str(source.gold), reading) else layout
    return _TABLES if source.has_columns else _MEMORY

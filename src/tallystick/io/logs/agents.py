"""Reads results of agents and of code: an id and scores of each task, or of each try of it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source
from tallystick.io.logs.log import (
    Log,
    Row,
    Sample,
    get,
    get_mapping,
    get_text,
    get_whole,
    iterate_objects,
    list_objects,
    need_number,
    read_whole,
)

_KEPT = ("vars", "metadata")
_UNTRIED = ("no_generation", "no_logs", "resolved")
"""The lists of SWE-bench's oldest results, which do not name the instances that failed."""


class _Shape(Struct, frozen=True):
    """Where the results of a tool are within JSON; keys have dots between.

    Attributes:
        rows: The list of results, or an object of them by id; empty if they are the whole file.
        id: The key of ids; empty if rows have none.
        scores: The keys of the scores; an object contains several.
        tries: Whether scores are lists with a value for each try.
        needs: Further keys by which rows are recognised.
        systems: What names the system, in the row or in the file.
        spread: Makes rows of files in which they have another form.
        absent: The value of null.
    """

    rows: str
    id: str
    scores: tuple[str, ...]
    tries: bool = False
    needs: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    task: str = ""
    spread: Callable[[object], object] | None = None
    absent: float | None = None
    note: str = ""

    def list(self, found: object) -> list[Row]:
        """Returns the rows of a file; none where it has another shape."""
        own = found if self.spread is None else self.spread(found)
        own = get(own, *self.rows.split(".")) if self.rows else own
        if isinstance(own, dict) and self.id:
            own = [{self.id: key, **row} for key, row in own.items() if isinstance(row, dict)]
        rows = list_objects(own)
        needed = filter(None, (self.id, self.scores[0].partition(".")[0], *self.needs))
        known = rows and all(key in rows[0] for key in needed)
        return rows if known and self.tries == isinstance(rows[0].get(self.scores[0]), list) else []


def _spread_evalplus(found: object) -> list[Row]:
    """The tries of evalplus; the tests of plus are passed if those of base are, too."""
    rows = list[Row]()
    for name, own in get_mapping(found, "eval").items():
        tries = [
            (one["base_status"], one.get("plus_status"))
            for one in list_objects(own)
            if "base_status" in one
        ]
        base, plus = get(own, "base"), get(own, "plus")
        if isinstance(base, list):  # of version 0.1: lists of a status and details
            more = plus if isinstance(plus, list) and plus else [[None]] * len(base)
            first = [
                [one[0] if isinstance(one, list) and one else None for one in own]
                for own in (base, more)
            ]
            tries = [*zip(first[0], first[1], strict=False)]
        for both in tries:
            passed = [one if one is None else one in ("pass", "success") for one in both]
            rows.append({"task_id": name, "base": passed[0], "plus": passed[1] and passed[0]})
    return rows


def _spread_swebench(found: object) -> list[Row]:
    """The instances of a report of SWE-bench; those without a prediction have no score."""
    lists = {
        key.removesuffix("_ids"): [*map(str, ids)]
        for key, ids in (found.items() if isinstance(found, dict) else ())
        if isinstance(ids, list)
    }
    if "resolved" not in lists or not lists.keys() - set(_UNTRIED):
        return []
    resolved, untried = set(lists["resolved"]), set(lists.get("incomplete", ()))
    ids = dict.fromkeys(name for own in lists.values() for name in own)
    return [
        {"instance_id": name, "resolved": None if name in untried else name in resolved}
        for name in ids
    ]


def _spread_deepeval(found: object) -> list[Row]:
    cases = list_objects(get(found, "testCases") or get(found, "test_cases"))
    names = [one.get("name") for one in cases]
    rows = list[Row]()
    for number, case in enumerate(cases):
        measured = case.get("metricsData") or case.get("metrics_data")
        scores = {str(one.get("name")): one.get("score") for one in list_objects(measured)}
        name = names[number] if len(set(map(str, names))) == len(cases) else number
        rows.append({**case, "name": name, "metrics": scores})
    return rows


def _spread_opencompass(found: object) -> list[Row]:
    rows = found if isinstance(found, dict) and all(map(str.isdecimal, found)) else {}
    return [
        {"index": name, **own, "exact_match": _strip(own["prediction"]) == _strip(own["gold"])}
        for name, own in rows.items()
        if isinstance(own, dict) and {"origin_prompt", "prediction", "gold"} <= own.keys()
    ]


def _spread_comet(found: object) -> list[Row]:
    """The segments of the systems in COMET's JSON, with their scores."""
    systems = found if isinstance(found, dict) else {}
    rows = [
        {
            "segment": number,
            "system": name,
            "scores": {key: one[key] for key in one if _is_score(one[key])},
        }
        for name, own in systems.items()
        for number, one in enumerate(list_objects(own), start=1)
        if "mt" in one
    ]
    return (
        rows
        if len(rows) == sum(isinstance(own, list) and len(own) for own in systems.values())
        else []
    )


def _is_score(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _strip(value: object) -> str:
    return str(value).strip()


_SHAPES = {
    "promptfoo": _Shape(
        "results.results",
        "testIdx",
        ("success", "score"),
        needs=("promptIdx",),
        systems=("provider.label", "provider.id", "provider"),
    ),
    "tau2-bench": _Shape(
        "simulations",
        "task_id",
        ("reward_info.reward",),
        systems=("info.agent_info.llm",),
        task="info.environment_info.domain_name",
    ),
    "tau-bench": _Shape("", "task_id", ("reward",), needs=("traj",)),
    "terminal-bench": _Shape("results", "task_id", ("is_resolved",), absent=0.0),
    "LiveCodeBench": _Shape("", "question_id", ("graded_list",), tries=True),
    "lists of tries": _Shape("", "task_id", ("correct",), tries=True),
    "HumanEval": _Shape("", "task_id", ("passed",), needs=("completion",)),
    "evalplus": _Shape("", "task_id", ("base", "plus"), spread=_spread_evalplus),
    "SWE-bench": _Shape("", "instance_id", ("resolved",), spread=_spread_swebench),
    "instances of SWE-bench": _Shape("", "instance_id", ("resolved",), needs=("patch_exists",)),
    "DeepEval": _Shape("", "name", ("success", "metrics"), spread=_spread_deepeval),
    "COMET": _Shape("", "segment", ("scores",), systems=("system",), spread=_spread_comet),
    "OpenCompass": _Shape("details", "index", ("correct",)),
    "predictions of OpenCompass": _Shape(
        "",
        "index",
        ("exact_match",),
        spread=_spread_opencompass,
        note="exact_match compares prediction and gold as they are, and not as OpenCompass does.",
    ),
}
"""Tools, and the shapes of their results."""


def find_shape(found: object) -> str | None:
    """Returns the tool whose results JSON contains, or whose outputs without results."""
    tool = next((tool for tool, shape in _SHAPES.items() if shape.list(found)), None)
    return tool or ("outputs" if _explain_outputs(found) else None)


def _explain_outputs(found: object) -> str:
    """Returns what outputs without results are, and what to do with them."""
    rows = list_objects([*found.values()] if isinstance(found, dict) else found)
    keys = rows[0].keys() if rows else set()
    if {"instance_id", "model_patch"} <= keys:
        return "contains patches and no results; run SWE-bench's harness and score its report"
    if {"task_id"} < keys <= {"task_id", "completion", "solution", "_identifier"}:
        return "contains code and no results; run HumanEval or evalplus and score their results"
    if isinstance(found, dict) and "resolved" in found and found.keys() <= set(_UNTRIED):
        return (
            "lists resolved instances, and not those that failed; score the report of SWE-bench's "
            "harness, which has submitted_ids"
        )
    return ""


def read_results(path: str) -> list[Log]:
    """Reads a log for each system of a file."""
    source, found = name_source(path), _load(path)
    tool = find_shape(found)
    if tool not in _SHAPES:
        why = _explain_outputs(found) or "has none of the shapes of results that are known"
        raise InputError(f"{source}: {why}")
    shape = _SHAPES[tool]
    systems: dict[tuple[str | None, object], list[Row]] = {}
    for row in shape.list(found):
        systems.setdefault((_name_system(shape, row, found), str(row.get("promptIdx"))), []).append(
            row
        )
    models = Counter(model for model, _ in systems)
    return [
        Log(
            source,
            f"{model} #{prompt}" if model and models[model] > 1 else model,
            get_text(found, *shape.task.split(".")) or "",
            samples := [*_read_samples(shape, rows, source)],
            scores := tuple(dict.fromkeys(name for one in samples for name in one.scores)),
            tuple(name for name in scores if name != "score" or len(scores) == 1),
            total=get_whole(found, "total_instances"),
            notes=(shape.note,) if shape.note else (),
        )
        for (model, prompt), rows in systems.items()
    ]


def _load(path: str) -> object:
    with suppress(InputError):
        found = read_whole(path)
        return found if find_shape(found) else [found]
    return [*iterate_objects(path, ())]


def _name_system(shape: _Shape, row: Row, found: object) -> str | None:
    named = (get_text(own, *key.split(".")) for key in shape.systems for own in (row, found))
    return next(filter(None, named), None)


def _read_samples(shape: _Shape, rows: list[Row], source: str) -> Iterator[Sample]:
    tries = Counter[str]()
    for number, row in enumerate(rows, start=1):
        name = str(row.get(shape.id, number))
        place = f"{source}: result {number} ({name})"
        columns = {
            key: value
            for key, value in row.items()
            if key not in shape.scores and (key in _KEPT or not isinstance(value, list | dict))
        }
        values = {key: get(row, *key.split(".")) for key in shape.scores}
        lists = {key: own for key, own in values.items() if isinstance(own, list)}
        several = [dict(zip(lists, own, strict=True)) for own in zip(*lists.values(), strict=True)]
        for own in several if lists else [values]:
            tries[name] += 1
            scores = {
                key: shape.absent if value is None else need_number(value, f"{place}: its {key}")
                for key, value in _flatten(own).items()
            }
            yield Sample(name, scores, columns, str(tries[name]))


def _flatten(values: Mapping[str, object]) -> Row:
    """The scores by name; those of an object have its keys."""
    found: Row = {}
    for key, value in values.items():
        found |= value if isinstance(value, dict) else {key.rpartition(".")[-1]: value}
    return found

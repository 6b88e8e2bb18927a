"""Results that were saved as JSON, or in a report, as results again."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from tallystick.errors import InputError
from tallystick.io.files import name_source, open_binary
from tallystick.report.content import kind_of
from tallystick.report.reading import read_data
from tallystick.results.comparison import Comparison
from tallystick.results.curves import LengthScore, ProbabilityCurve
from tallystick.results.evaluation import Evaluation
from tallystick.results.gate import Gate
from tallystick.results.places import Place, Standing
from tallystick.results.ranking import Ranking
from tallystick.results.records import (
    Check,
    ConfusionMatrix,
    Difference,
    Flip,
    Refusal,
    Score,
)
from tallystick.results.result import Result
from tallystick.results.scores import Lead

__all__ = ["read_data_of", "read_result"]

_Kind = TypeVar("_Kind")


def read_result(path: str) -> Result:
    """Returns the result that `-o result.json` saved, or that a report holds.

    Raises:
        InputError: The file cannot be read, or holds no result of score, compare, rank or gate.
    """
    data = read_data_of(path)
    builders = {"score": _score, "compare": _compare, "rank": _rank, "gate": _gate}
    build = builders.get(kind_of(data))
    try:
        if build is not None:
            return build(data)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{name_source(path)}: is broken: {error!r}") from error
    raise InputError(
        f"{name_source(path)}: holds no result, as `score`, `compare`, `rank` or `gate` write it "
        "with -o result.json"
    )


def read_data_of(path: str) -> Mapping[str, Any]:
    """Returns the records of a saved result, or of a report.

    Raises:
        InputError: The file cannot be read, or is neither.
    """
    with open_binary(path) as file:
        content = file.read()
    try:
        text = content.decode()
        page = read_data(text)
        found = json.loads(text) if page is None else page["result"]
    except (ValueError, KeyError) as error:
        raise InputError(f"{name_source(path)}: is neither JSON nor a report") from error
    return found if isinstance(found, dict) else {}


def _score(data: Mapping[str, Any]) -> Evaluation:
    scores = _revive_all(Score, data["scores"])
    return Evaluation(
        scores,
        _find_lead(scores),
        _revive_all(ConfusionMatrix, data.get("confusions", ())),
        tuple(data.get("notes", ())),
        _revive_all(ProbabilityCurve, data.get("curves", ())),
        _revive_all(LengthScore, data.get("lengths", ())),
    )


def _find_lead(scores: tuple[Score, ...]) -> Lead:
    """The leading columns, as far as the scores tell them."""
    by = (("group", "group"),) if any(one.group is not None for one in scores) else ()
    wrong = (("invalid", "invalid"),) if any(one.invalid for one in scores) else ()
    return (("system", "system"), *by, ("n", "n"), *wrong)


def _compare(data: Mapping[str, Any]) -> Comparison:
    return Comparison(
        _revive_all(Difference, data["differences"]),
        tuple(data.get("notes", ())),
        scores=_revive_all(Score, data.get("scores", ())),
        baseline=data.get("baseline"),
    )


def _rank(data: Mapping[str, Any]) -> Ranking:
    return Ranking(
        _revive_all(Place, data["places"]),
        _revive_all(Standing, data.get("standings", ())),
        _revive_all(Refusal, data.get("refused", ())),
        tuple(data.get("notes", ())),
        tuple(data.get("sentences", ())),
        _revive_all(Difference, data.get("differences", ())),
    )


def _gate(data: Mapping[str, Any]) -> Gate:
    return Gate(
        data["system"],
        _revive_all(Check, data["checks"]),
        data["passed"] and data["verdict"] == "inconclusive",
        tuple(data.get("notes", ())),
        data.get("against"),
        _revive_all(Flip, data.get("regressions", ())),
    )


def _revive_all(kind: type[_Kind], records: Any) -> tuple[_Kind, ...]:
    return tuple(_revive(kind, record) for record in records)


def _revive(kind: Any, value: Any) -> Any:
    """A value of a type, from how JSON has it: null is NaN where only a number fits."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        known = {one.name for one in fields(kind)} & set(value)
        return kind(**{name: _revive(hints[name], value[name]) for name in known})  # type: ignore[operator]
    if get_origin(kind) is tuple:
        parts = get_args(kind)
        if parts[-1] is Ellipsis:
            return tuple(_revive(parts[0], one) for one in value)
        return tuple(_revive(part, one) for part, one in zip(parts, value, strict=True))
    if get_origin(kind) in (Union, UnionType):
        return value
    return math.nan if kind is float and value is None else value

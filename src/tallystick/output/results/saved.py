"""Reads results that were saved as JSON or in a report."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from tallystick.errors import InputError, TallystickError
from tallystick.io.config import convert
from tallystick.io.files.opening import name_source, open_binary
from tallystick.output.report.content import Record, kind_of, parse_strictly, read_data
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.curves import LengthScore, ProbabilityCurve, RiskCurve
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.evidence import Evidence
from tallystick.output.results.gate import Gate
from tallystick.output.results.places import Friedman, Place, Standing
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.records import (
    Check,
    ConfusionMatrix,
    Difference,
    Flip,
    Refusal,
    Score,
)
from tallystick.output.results.result import Result
from tallystick.output.results.scores import find_lead
from tallystick.output.tables.notes import Caution

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_PARTS: dict[str, dict[str, type]] = {
    "score": {
        "scores": Score,
        "confusions": ConfusionMatrix,
        "curves": ProbabilityCurve,
        "lengths": LengthScore,
        "risks": RiskCurve,
        "wins": ConfusionMatrix,
    },
    "compare": {"differences": Difference, "scores": Score},
    "rank": {
        "places": Place,
        "standings": Standing,
        "refused": Refusal,
        "differences": Difference,
    },
    "gate": {"checks": Check, "regressions": Flip},
}
"""The lists of records in the JSON of each command."""

_WORDS: dict[str, dict[str, object]] = {
    "score": {},
    "compare": {"baseline": str | None},
    "rank": {"sentences": list[str]},
    "gate": {"system": str, "passed": bool, "verdict": str, "against": str | None},
}
"""The other keys of that JSON, with the types of their values."""


def read_result(path: str) -> Result:
    """Returns the result that `-o result.json` saved, or that a report holds."""
    data, source = _read_data(path), name_source(path)
    kind = kind_of(data)
    if kind not in _PARTS:
        raise InputError(
            f"{source}: holds no result, as `score`, `compare`, `rank` or `gate` write it with "
            "-o result.json"
        )
    convert(data, _make_shape(kind), source)
    _check_sizes(data, source)
    return _build(kind, data)


def _read_data(path: str) -> Record:
    with open_binary(path) as file:
        content = file.read()
    try:
        text = content.decode()
        page = read_data(text)
        found = parse_strictly(text) if page is None else page.get("result")
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name_source(path)}: is neither JSON nor a report") from error
    return found if isinstance(found, dict) else {}


@cache
def _shape_of(hint: object, *, counts: bool = False) -> object:
    """The shape in JSON of a type of records, which may have further keys.

    Numbers may be null, as undefined scores are, unless they are counts.
    """
    if isinstance(hint, type) and is_dataclass(hint):
        return _shape_record(hint)
    if hint is float and not counts:
        return float | None
    origin = get_origin(hint)
    if origin in (tuple, Union, UnionType):
        parts = tuple(
            one if one is Ellipsis else _shape_of(one, counts=counts) for one in get_args(hint)
        )
        return tuple.__class_getitem__(parts) if origin is tuple else Union[parts]  # noqa: UP007
    return hint


def _shape_record(kind: "type[DataclassInstance]") -> type[msgspec.Struct]:
    hints, counts = get_type_hints(kind), kind in (ConfusionMatrix, ProbabilityCurve)
    fields_of = ((one, _shape_of(hints[one.name], counts=counts)) for one in fields(kind))
    return msgspec.defstruct(
        kind.__name__,
        [
            (one.name, shape) if one.default is MISSING else (one.name, shape, None)
            for one, shape in fields_of
        ],
        kw_only=True,
    )


@cache
def _make_shape(kind: str) -> type[msgspec.Struct]:
    hints: dict[str, object] = {
        **{
            name: tuple.__class_getitem__((_shape_of(one), ...))
            for name, one in _PARTS[kind].items()
        },
        **_WORDS[kind],
        "notes": list[str],
        "cautions": list[dict[str, str]],
    }
    main = next(iter(_PARTS[kind]))
    needed = [name for name in hints if name == main or name in ("system", "passed", "verdict")]
    return msgspec.defstruct(
        kind,
        [(name, hint) if name in needed else (name, hint, None) for name, hint in hints.items()],
        kw_only=True,
    )


class _Held(msgspec.Struct):
    """What a report holds beside its figures."""

    evidence: tuple[_shape_of(Evidence), ...]  # type: ignore[valid-type]
    result: Record


def check_evidence(data: Record, source: str) -> Record:
    """Returns the data of a report, after a check of every value of its examples."""
    convert(data, _Held, source)
    return data


_FAULTS = (LookupError, TypeError, ValueError, ArithmeticError, RuntimeError, StopIteration)


@contextmanager
def guard_saved(path: str) -> Iterator[None]:
    """Raises errors that occur while a saved result is shown as one sentence."""
    try:
        yield
    except TallystickError:
        raise
    except _FAULTS as error:
        missing = error.args[0] if isinstance(error, KeyError) else None
        names = missing if isinstance(missing, tuple) else (missing,)
        told = " and ".join(repr(name) for name in names if name is not None)
        what = f"one for {told} is missing" if told else "they do not fit together"
        raise InputError(
            f"{name_source(path)}: its records cannot be shown: {what}; save the result again"
        ) from error


def _check_sizes(data: Record, source: str) -> None:
    """Raises an InputError where lists that belong together have other lengths."""
    for name, parts in (
        ("confusions", ("labels", "counts")),
        ("curves", ("thresholds", "true_positives", "false_positives")),
        ("risks", ("coverages", "risks")),
        ("standings", ("criteria", "values")),
    ):
        for at, one in enumerate(data.get(name, ())):
            sizes = {part: len(one[part]) for part in parts}
            sizes |= {f"counts[{row}]": len(own) for row, own in enumerate(one.get("counts", ()))}
            if len(set(sizes.values())) > 1:
                told = ", ".join(f"{part} {size}" for part, size in sizes.items())
                raise InputError(
                    f"{source}: $.{name}[{at}]: lists of one length were expected, got {told}"
                )


def _build(kind: str, data: Record) -> Result:
    notes = _revive_notes(data)
    parts: dict[str, Any] = {
        name: tuple(_revive(one, record) for record in data[name])
        for name, one in _PARTS[kind].items()
        if name in data
    }
    if kind == "score":
        scores, confusions = parts.pop("scores"), parts.pop("confusions", ())
        return Evaluation(scores, find_lead(scores), confusions, notes, parts)
    if kind == "compare":
        return Comparison(notes=notes, baseline=data.get("baseline"), **parts)
    if kind == "rank":
        return Ranking(
            notes=notes,
            sentences=tuple(data.get("sentences", ())),
            overall=data.get("overall", "mean"),
            friedman=_revive(Friedman, data["friedman"]) if data.get("friedman") else None,
            **parts,
        )
    return Gate(
        data["system"],
        allow_inconclusive=data["passed"] and data["verdict"] == "inconclusive",
        notes=notes,
        against=data.get("against"),
        **parts,
    )


def _revive_notes(data: Record) -> tuple[str, ...]:
    cautions = {one["note"] for one in data.get("cautions") or ()}
    notes = data.get("notes") or ()
    return tuple(Caution(note) if note in cautions else note for note in notes)


def _revive(kind: Any, value: Any) -> Any:
    """Converts a JSON value to a type: null becomes NaN where the type is a number."""
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

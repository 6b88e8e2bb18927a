"""Reads results that were saved as JSON or in a report."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain, repeat
from types import UnionType
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct, defstruct
from msgspec.structs import asdict, fields

from tallystick.errors import Caution, Danger, InputError, TallystickError
from tallystick.io.config import convert
from tallystick.io.files.opening import name_source, open_binary
from tallystick.output.report.page import Record, kind_of, read_data
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.gate import Gate
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.records import (
    ConfusionMatrix,
    Evidence,
    LengthScore,
    Number,
    ProbabilityCurve,
    RiskCurve,
    Verdict,
)
from tallystick.output.results.result import Result
from tallystick.output.results.scores import find_lead


class _Caution(Struct):
    note: str


_SAVED: dict[str, tuple[type[Result], tuple[str, ...], tuple[tuple[Any, ...], ...]]] = {
    "score": (
        Evaluation,
        ("scores", "confusions", "notes"),
        (
            ("curves", tuple[ProbabilityCurve, ...] | None, None),
            ("lengths", tuple[LengthScore, ...] | None, None),
            ("risks", tuple[RiskCurve, ...] | None, None),
            ("wins", tuple[ConfusionMatrix, ...] | None, None),
        ),
    ),
    "compare": (Comparison, ("differences", "scores", "baseline", "notes"), ()),
    "rank": (
        Ranking,
        (
            *("places", "standings", "rejected", "sentences", "differences", "overall"),
            *("friedman", "notes"),
        ),
        (),
    ),
    "gate": (
        Gate,
        ("system", "checks", "regressions", "against", "notes"),
        (("passed", bool), ("verdict", Verdict)),
    ),
}
"""The result of each kind, which of its fields are saved, and further fields of its JSON."""


def read_result(path: str) -> Result:
    """Returns the result that `-o result.json` saved, or that a report holds."""
    data, source = _read_data(path), name_source(path)
    if (saved := _SAVED.get(kind_of(data))) is None:
        raise InputError(
            f"{source}: contains no result, as `score`, `compare`, `rank` or `gate` write it with "
            "-o result.json"
        )
    kind, names, others = saved
    known = [
        (one.name, one.type) if one.required else (one.name, one.type, one.default)
        for one in fields(kind)
        if one.name in names
    ]
    known += [("cautions", tuple[_Caution, ...], ()), *others]
    shape = defstruct(kind.__name__, known, kw_only=True)
    found = asdict(convert(_fill(shape, data), shape, source))
    notes = _classify(found["notes"], {one.note for one in found.pop("cautions")})
    more = {name: own for name, *_ in others if (own := found.pop(name)) is not None}
    if kind is Evaluation:
        more = {"lead": find_lead(found["scores"]), "found": more}
    if kind is Gate:
        allowed = more["passed"] and more["verdict"] == "inconclusive"
        more = {"allow_inconclusive": allowed}
    return kind(**found | more | {"notes": notes})


def _classify(notes: tuple[str, ...], cautions: set[str]) -> tuple[str, ...]:
    last = max((at for at, note in enumerate(notes) if note in cautions), default=0)
    # What comes before a caution matters as much, so that the notes keep their order.
    return tuple(
        Caution(note) if note in cautions else Danger(note) if at < last else note
        for at, note in enumerate(notes)
    )


def _read_data(path: str) -> Record:
    with open_binary(path) as file:
        content = file.read()
    try:
        text = content.decode()
        page = read_data(text)
        found = msgspec.json.decode(text) if page is None else page.get("result")
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name_source(path)}: is neither JSON nor a report") from error
    return found if isinstance(found, dict) else {}


_list_fields = cache(fields)


def _fill(hint: object, value: object) -> object:
    """Puts NaN in place of each null that represents an undefined score."""
    if value is None and hint in (float, Number):
        return math.nan
    if isinstance(value, dict) and isinstance(hint, type) and issubclass(hint, Struct):
        known = {one.name: one.type for one in _list_fields(hint)}
        return {name: _fill(known.get(name), own) for name, own in value.items()}
    if isinstance(value, list) and get_origin(hint) is tuple:
        first, *rest = get_args(hint)
        hints = repeat(first) if rest == [...] else chain((first, *rest), repeat(None))
        return list(map(_fill, hints, value))
    if isinstance(hint, UnionType) and value is not None:
        return _fill(get_args(hint)[0], value)
    return value


class _HeldEvidence(Struct):
    evidence: tuple[Evidence, ...]
    result: Record


def check_evidence(data: Record, source: str) -> Record:
    """Returns the data of a report, after a check of every value of its examples."""
    convert(_fill(_HeldEvidence, data), _HeldEvidence, source)
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
        message = " and ".join(repr(name) for name in names if name is not None)
        what = f"one for {message} is missing" if message else "they do not fit together"
        raise InputError(
            f"{name_source(path)}: its records cannot be shown: {what}; save the result again"
        ) from error

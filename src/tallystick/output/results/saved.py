"""Reads results that were saved as JSON or in a report."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain, repeat
from types import UnionType
from typing import get_args, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from tallystick.errors import InputError, TallystickError
from tallystick.io.config import convert
from tallystick.io.files.opening import name_source, open_binary
from tallystick.output.report.page import Record, kind_of, read_data
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.gate import Gate
from tallystick.output.results.ranking import Overall, Ranking
from tallystick.output.results.records import (
    Check,
    ConfusionMatrix,
    Difference,
    Evidence,
    Flip,
    Friedman,
    LengthScore,
    Number,
    Place,
    ProbabilityCurve,
    Refusal,
    RiskCurve,
    Score,
    Standing,
    Verdict,
)
from tallystick.output.results.result import Result
from tallystick.output.results.scores import find_lead
from tallystick.output.tables.notes import Caution, Danger


class _Caution(Struct):
    note: str


class _Saved(Struct, kw_only=True):
    notes: tuple[str, ...] = ()
    cautions: tuple[_Caution, ...] = ()

    def list_notes(self) -> tuple[str, ...]:
        cautions = {one.note for one in self.cautions}
        last = max((at for at, note in enumerate(self.notes) if note in cautions), default=0)
        # What comes before a caution matters as much, so that the notes keep their order.
        return tuple(
            Caution(note) if note in cautions else Danger(note) if at < last else note
            for at, note in enumerate(self.notes)
        )

    def restore(self) -> Result:
        raise NotImplementedError


class _Evaluation(_Saved, kw_only=True):
    scores: tuple[Score, ...]
    confusions: tuple[ConfusionMatrix, ...] = ()
    curves: tuple[ProbabilityCurve, ...] | None = None
    lengths: tuple[LengthScore, ...] | None = None
    risks: tuple[RiskCurve, ...] | None = None
    wins: tuple[ConfusionMatrix, ...] | None = None

    def restore(self) -> Result:
        known = {name: getattr(self, name) for name in ("curves", "lengths", "risks", "wins")}
        found = {name: own for name, own in known.items() if own is not None}
        lead = find_lead(self.scores)
        return Evaluation(self.scores, lead, self.confusions, self.list_notes(), found)


class _Comparison(_Saved, kw_only=True):
    differences: tuple[Difference, ...]
    scores: tuple[Score, ...] = ()
    baseline: str | None = None

    def restore(self) -> Result:
        return Comparison(
            self.differences, self.list_notes(), scores=self.scores, baseline=self.baseline
        )


class _Ranking(_Saved, kw_only=True):
    places: tuple[Place, ...]
    standings: tuple[Standing, ...] = ()
    refused: tuple[Refusal, ...] = ()
    sentences: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    overall: Overall = "mean"
    friedman: Friedman | None = None

    def restore(self) -> Result:
        return Ranking(
            self.places,
            self.standings,
            self.refused,
            self.list_notes(),
            self.sentences,
            self.differences,
            self.overall,
            friedman=self.friedman,
        )


class _Gate(_Saved, kw_only=True):
    system: str
    passed: bool
    verdict: Verdict
    checks: tuple[Check, ...]
    regressions: tuple[Flip, ...] = ()
    against: str | None = None

    def restore(self) -> Result:
        allowed = self.passed and self.verdict == "inconclusive"
        notes, old = self.list_notes(), self.against
        return Gate(self.system, self.checks, allowed, notes, old, self.regressions)


_SHAPES: dict[str, type[_Saved]] = {
    "score": _Evaluation,
    "compare": _Comparison,
    "rank": _Ranking,
    "gate": _Gate,
}


def read_result(path: str) -> Result:
    """Returns the result that `-o result.json` saved, or that a report holds."""
    data, source = _read_data(path), name_source(path)
    shape = _SHAPES.get(kind_of(data))
    if shape is None:
        raise InputError(
            f"{source}: holds no result, as `score`, `compare`, `rank` or `gate` write it with "
            "-o result.json"
        )
    return convert(_fill(shape, data), shape, source).restore()


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
    """Puts NaN in place of each null that stands for an undefined score."""
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


class _Held(Struct):
    evidence: tuple[Evidence, ...]
    result: Record


def check_evidence(data: Record, source: str) -> Record:
    """Returns the data of a report, after a check of every value of its examples."""
    convert(_fill(_Held, data), _Held, source)
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

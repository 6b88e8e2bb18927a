"""What a gate asks for: limits for all metrics, for single ones, and for single groups."""

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from msgspec import Struct

from tallystick.errors import InputError, UsageError
from tallystick.io.config import check_mapping, read_yaml
from tallystick.io.files.opening import name_source
from tallystick.kinds.metrics.names import parse
from tallystick.model.tallies.metric import Metric
from tallystick.scoring.choosing import bind
from tallystick.scoring.counted import Counted

Kind = Literal["max_drop", "floor", "equivalent_within"]
"""What a limit is of: a drop, a score, or a difference either way."""

KINDS: tuple[Kind, ...] = get_args(Kind)

Limit = float | Mapping[str, float | Mapping[str | None, float]] | None
"""One number for all metrics, or one for each by name, or those of its groups by name."""


class Rule(Struct, frozen=True):
    """One limit of a kind; a metric or a group of None stands for all."""

    kind: Kind
    metric: str | None
    group: str | None
    limit: float

    def __post_init__(self) -> None:
        """Raises a UsageError for a number that is no limit."""
        if self.kind == "floor" and not math.isfinite(self.limit):
            raise UsageError(f"the floor must be a number, not {self.limit:g}")
        if self.kind != "floor" and not (math.isfinite(self.limit) and self.limit >= 0):
            what = "drop" if self.kind == "max_drop" else "difference"
            raise UsageError(f"the largest {what} is a number from 0 on, not {self.limit:g}")


class Limits(Struct, frozen=True):
    """All limits of a gate; the most special one that fits a metric and a group holds."""

    rules: tuple[Rule, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are named, each once."""
        return tuple(dict.fromkeys(rule.metric for rule in self.rules if rule.metric is not None))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What there are limits of."""
        used = {rule.kind for rule in self.rules}
        return tuple(kind for kind in KINDS if kind in used)

    def settle(self, counted: Counted) -> "dict[tuple[Kind, Metric, str | None], float]":
        """The limit of each kind for each metric on each row, where there is one."""
        named = {name: _find_metric(name, counted) for name in self.metrics}
        for rule in self.rules:
            if rule.group is not None:
                _check_group(rule.group, counted.rows)
        found: dict[tuple[Kind, Metric, str | None], float] = {}
        # From the general to the special, so that what is special is what remains.
        for rule in sorted(self.rules, key=lambda one: (one.metric is not None, one.group or "")):
            chosen = counted.metrics if rule.metric is None else (named[rule.metric],)
            rows = counted.rows if rule.group is None else (rule.group,)
            for metric in chosen:
                found |= {(rule.kind, metric, row): rule.limit for row in rows}
        limited = {metric for _, metric, _ in found}
        for metric in counted.metrics:
            if metric not in limited:
                raise UsageError(f"{metric.name} has no limit; give it a max_drop or a floor")
        return found


def collect_limits(given: Mapping[str, Limit]) -> Limits:
    """The limits that a caller gave, by their kinds."""
    rules = tuple(rule for kind in KINDS for rule in _read_given(kind, given.get(kind)))
    if not rules:
        raise UsageError("name the largest drop that is allowed, or a floor, or both")
    return Limits(rules)


def _read_given(kind: Kind, given: Limit) -> Iterable[Rule]:
    if given is None:
        return
    if not isinstance(given, Mapping):
        yield Rule(kind, None, None, _check_number(kind, given))
        return
    for metric, own in given.items():
        if isinstance(own, Mapping):
            for group, limit in own.items():
                place = f"{kind} of {metric} in {group}"
                yield Rule(kind, str(metric), group, _check_number(place, limit))
        else:
            yield Rule(kind, str(metric), None, _check_number(f"{kind} of {metric}", own))


def _check_number(place: str, limit: object) -> float:
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise UsageError(f"{place} is a number, not {limit!r:.40}")
    return float(limit)


def read_limits(path: str) -> Limits:
    """The limits that a YAML file holds under `metrics`, by metric."""
    source = name_source(path)
    document = check_mapping(read_yaml(path).value, f"{source}: $")
    _check_keys(document, ("metrics",), source, "")
    metrics = check_mapping(document.get("metrics"), f"{source}: $.metrics")
    if not metrics:
        raise InputError(
            f"{source}: $.metrics holds no limit, but such as f1: {{max_drop: 0.01}} was expected"
        )
    return Limits(
        tuple(rule for metric, own in metrics.items() for rule in _read_metric(source, metric, own))
    )


def _read_metric(source: str, metric: object, own: object) -> Iterable[Rule]:
    place = f"metrics.{metric}"
    asked = check_mapping(own, f"{source}: $.{place}")
    _check_keys(asked, (*KINDS, "groups"), source, f"{place}.")
    groups = check_mapping(asked.get("groups"), f"{source}: $.{place}.groups")
    limits = {key: limit for key, limit in asked.items() if key != "groups"}
    if limits or not groups:
        yield from _read_rules(limits, (str(metric), None), source, place)
    for group, special in groups.items():
        there = f"{place}.groups.{group}"
        if isinstance(group, bool):
            raise InputError(
                f"{source}: $.{there} is not a name; YAML reads a bare no, off, yes or on as true "
                "or false, so quote it"
            )
        chosen = check_mapping(special, f"{source}: $.{there}")
        _check_keys(chosen, KINDS, source, f"{there}.")
        yield from _read_rules(chosen, (str(metric), str(group)), source, there)


def _read_rules(
    limits: Mapping[object, object], place: tuple[str, str | None], source: str, path: str
) -> Iterable[Rule]:
    if not limits:
        raise InputError(
            f"{source}: $.{path} holds no limit, but {' or '.join(KINDS)} was expected"
        )
    for kind in KINDS:
        if kind in limits:
            limit = limits[kind]
            if isinstance(limit, bool) or not isinstance(limit, int | float):
                raise InputError(
                    f"{source}: $.{path}.{kind} holds {limit!r:.40}, but a number was expected"
                )
            yield Rule(kind, *place, float(limit))


def _check_keys(
    mapping: Mapping[object, object], known: tuple[str, ...], source: str, parent: str
) -> None:
    for key in mapping:
        if key not in known:
            hint = _suggest(str(key), known)
            raise InputError(f"{source}: unknown key '{parent}{key}'{hint}")


def _suggest(name: str, known: Iterable[str]) -> str:
    """What else to type instead: the nearest of the known names, or all of them."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"


def _find_metric(name: str, counted: Counted) -> Metric:
    known = {metric.name: metric for metric in counted.metrics}
    if name in known:
        return known[name]
    parsed = parse(name, counted.facts.task.kind or "binary")
    (metric,) = bind([parsed], counted.facts)
    if metric not in counted.metrics:
        raise UsageError(f"{name} has a limit but is not checked{_suggest(name, known)}")
    return metric


def _check_group(name: str, rows: tuple[str | None, ...]) -> None:
    known = [row for row in rows if row is not None]
    if not known:
        raise UsageError(f"there is a limit for the group {name!r}; name the groups with `by=`")
    if name not in known:
        raise UsageError(f"there is no group {name!r}{_suggest(name, known)}")

"""Describes the methods behind the intervals of scores."""

import re
from collections.abc import Sequence

from tallystick.output.results.places import Place
from tallystick.output.results.records import Score
from tallystick.output.tables.names import is_between

_SAMPLES = re.compile(r"\d+ \w+ (re)?samples( of clusters)?")


def describe_intervals(scores: Sequence[Score | Place]) -> tuple[str, ...]:
    """Returns one short sentence on the level and the methods of intervals, if there are any."""
    methods = _list_methods(scores)
    if not methods:
        return ()
    origins = sorted(dict.fromkeys(map(_shorten, methods)), key=lambda one: "samples" in one)
    return (f"{_tell_level(scores)} confidence intervals: {', '.join(origins)}.",)


def describe_methods(scores: Sequence[Score | Place]) -> tuple[str, ...]:
    """Returns one sentence with the method of each metric's intervals, if there are any."""
    methods = _list_methods(scores)
    if not methods:
        return ()
    listing = "; ".join(f"{method} ({', '.join(names)})" for method, names in methods.items())
    return (f"{_tell_level(scores)} confidence intervals: {listing}.",)


def _shorten(method: str) -> str:
    """The resamples behind a method, or the author of its formula."""
    samples = _SAMPLES.search(method)
    return samples[0] if samples else re.split(r"'s | on | at ", method)[0]


def _list_methods(scores: Sequence[Score | Place]) -> dict[str, dict[str, None]]:
    names: dict[str, dict[str, None]] = {}
    for score in scores:
        if score.method is not None and (score.group != "macro" or is_between(score.name)):
            names.setdefault(score.method, {})[score.name] = None
    return names


def _tell_level(scores: Sequence[Score | Place]) -> str:
    confidence = next(score.confidence for score in scores if score.confidence is not None)
    return f"{100 * confidence:g}%"

"""Metrics with options, written as `F1(average=macro)`: the name, and the value of each option.

A value is a Python literal, or a list of values, or else text, which needs no quotes.
"""

import ast
import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tallystick.errors import UsageError

_CALL = re.compile(r"([A-Za-z_]\w*)\s*\((.*)\)", re.DOTALL)
_OPTION = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)
_CONSTANTS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_SHOWN = 100
"""How many characters of a metric messages show."""


@lru_cache
def read_call(text: str) -> tuple[str, tuple[str, ...]]:
    """Takes a metric with options apart: its name, and each option as it is written."""
    match = _CALL.fullmatch(text)
    parts = None if match is None else _split(match[2])
    if match is None or parts is None:
        raise UsageError(f"{clip(text)!r} is not a metric; write it like F1(average='macro')")
    return match[1], parts


def read_values(name: str, parts: Sequence[str], known: Sequence[str]) -> dict[str, Any]:
    """The value of each option of a metric, of which the first may be without names.

    Args:
        name: What messages call the metric.
        parts: The options, as they are written.
        known: The options that there are, in order.
    """
    options: dict[str, Any] = {}
    for part in parts:
        match = _OPTION.fullmatch(part)
        if match is None and len(options) == len(known):
            raise UsageError(f"{name} takes {len(known)} options, not {len(parts)}")
        option, value = (known[len(options)], part) if match is None else match.groups()
        if option not in known or option in options:
            raise UsageError(
                f"{name} has no option {option!r} here; it has {', '.join(known) or 'none'}"
            )
        options[option] = _read_value(value)
    return options


def clip(text: str) -> str:
    """As much of a text as messages show."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _split(text: str) -> tuple[str, ...] | None:
    """What stands between commas outside of quotes and brackets; None where one stays open."""
    parts, depth, quote, escaped = [""], 0, "", False
    for letter in text:
        if quote:
            quote = "" if letter == quote and not escaped else quote
            escaped = letter == "\\" and not escaped
        elif letter in "'\"" and re.search(r"(^|[\s=(\[,])$", parts[-1]):
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
        if depth < 0:
            return None
    whole = tuple(part.strip() for part in parts if part.strip())
    return None if quote or depth else whole


def _read_value(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    try:
        return ast.literal_eval(text)
    except (MemoryError, RecursionError):
        raise UsageError(f"the metric {clip(text)!r} is nested too deeply") from None
    except (SyntaxError, TypeError, ValueError):
        if len(text) > _SHOWN:
            raise UsageError(f"{clip(text)!r} is too long for an option of a metric") from None
        parts = _split(text[1:-1]) if text[:1] + text[-1:] in ("()", "[]") else None
        return text if parts is None else tuple(map(_read_value, parts))

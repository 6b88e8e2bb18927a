"""Metrics and kinds of one's own, which a caller named as `module:Class`."""

import re

from tallystick.errors import UsageError
from tallystick.kinds.index import READ
from tallystick.kinds.metrics.modules import load_attribute, load_installed
from tallystick.kinds.metrics.names import build, read_options
from tallystick.model.reading import Kind
from tallystick.model.systems import Column
from tallystick.model.tallies.metric import Metric

_NAMED = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)\s*(\(.*\))?", re.DOTALL)


def is_own(text: str) -> bool:
    """Whether a text names what a module holds, such as `module:Class` or `module:Class(k=5)`."""
    return _NAMED.fullmatch(text.strip()) is not None


def load_metric(text: str) -> Metric:
    """The metric that `module:Class` names, or the mean of what `module:function` returns."""
    match = _NAMED.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not of the form module:Class or module:function")
    found = load_attribute(match[1], match[2])
    if isinstance(found, type) and issubclass(found, Metric):
        call = f"{match[2]}{match[3]}"
        return build(found, read_options(call, found) if match[3] else {})
    if isinstance(found, Metric) and not match[3]:
        return found
    if callable(found) and not isinstance(found, type) and not match[3]:
        from tallystick.kinds.function_mean import FunctionMean

        return FunctionMean(found)
    raise UsageError(
        f"{text} is neither a subclass of tallystick.Metric nor a function of gold and output"
    )


def load_kind(text: str) -> Kind[Column]:
    """The kind of a name: one that comes with Tallystick, `module:NAME`, or an installed one."""
    known = {kind.name: kind for kind in READ}
    if text.lower() in known:
        return known[text.lower()]
    match = _NAMED.fullmatch(text.strip())
    if match is not None:
        found = load_attribute(match[1], match[2])
    else:
        found = load_installed("tallystick.kinds", text)
        if found is None:
            raise UsageError(
                f"there is no kind {text!r}, only {', '.join(known)}; one of your own is named as "
                "module:NAME"
            )
    if isinstance(found, type) and issubclass(found, Kind):
        found = found()
    if not isinstance(found, Kind):
        raise UsageError(f"{text} is not a tallystick.Kind")
    return found

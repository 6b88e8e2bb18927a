"""The metrics; `tallystick.metrics.F1` is loaded when it is first asked for."""

import importlib
from typing import TYPE_CHECKING, Any

from tallystick.metrics.index import HOMES

if TYPE_CHECKING:
    from tallystick.metrics.index import *  # noqa: F403
    from tallystick.tallies.metric import Metric as Metric

    METRICS: tuple[type[Metric], ...]

_PLACES = {place.partition(":")[2]: place for place in HOMES.values()}

__all__ = ["METRICS", "Metric"]
__all__ += [*_PLACES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Returns a metric, whose module is loaded when it is first asked for, or all `METRICS`."""
    if name == "METRICS":
        return tuple(map(__getattr__, _PLACES))
    place = "tallies.metric:Metric" if name == "Metric" else _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'tallystick.metrics' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tallystick.{place.partition(':')[0]}"), name)


def __dir__() -> list[str]:
    """Lists the metrics, also those that are not loaded yet."""
    return sorted(__all__)

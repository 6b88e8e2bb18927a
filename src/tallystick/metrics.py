"""The metrics; `tallystick.metrics.F1` is loaded when it is first asked for."""

from typing import TYPE_CHECKING, Any

from tallystick.kinds.metrics.names import HOME_OF_CLASS, load_class

if TYPE_CHECKING:
    from tallystick.kinds.metrics.table import *  # noqa: F403
    from tallystick.model.tallies.metric import Metric as Metric

    METRICS: tuple[type[Metric], ...]

__all__ = ["METRICS", "Metric"]
__all__ += [*HOME_OF_CLASS]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Returns a metric, whose module is loaded when it is first asked for, or all `METRICS`."""
    if name == "METRICS":
        return tuple(map(load_class, HOME_OF_CLASS))
    if name == "Metric":
        from tallystick.model.tallies.metric import Metric

        return Metric
    if name not in HOME_OF_CLASS:
        raise AttributeError(f"module 'tallystick.metrics' has no attribute {name!r}")
    return load_class(name)


def __dir__() -> list[str]:
    """Lists the metrics, also those that are not loaded yet."""
    return sorted(__all__)

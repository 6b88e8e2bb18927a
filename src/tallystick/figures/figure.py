"""A figure: a specification that can be drawn, edited, and shown by notebooks."""

import os
from os import PathLike
from pathlib import PurePath
from typing import final

from tallystick.errors import UsageError
from tallystick.figures.drawing import draw, draw_svg
from tallystick.figures.kinds import list_figures
from tallystick.figures.theme import Spec
from tallystick.frozen import dataclass, field
from tallystick.io.files.opening import write_bytes

_PROBABILITIES = (
    "probabilities, a metric of them such as roc_auc, and one system, or up to 8 of a binary task"
)
_NEEDS = {
    "confusion": "labels, and one system where there are several",
    "critical-difference": "rank over groups or tracks with --overall mean_rank, and three systems "
    "or more",
    "depths": "a metric at several k, such as nDCG@5 and nDCG@10, and up to 8 systems",
    "groups": "up to 100 groups, and up to 8 systems; a heatmap has room for more",
    "heatmap": "groups",
    "labels": "metrics per label, up to 100 labels, and up to 8 systems",
    "lengths": "the lengths of references, which bleu, chrf, ter and wer count, of 40 to 8,192 "
    "texts without clusters, and up to 8 systems",
    "pr": _PROBABILITIES,
    "reliability": _PROBABILITIES,
    "risks": "a metric of abstention such as aurc, and up to 8 systems",
    "roc": _PROBABILITIES,
    "scores": "several systems",
    "threshold": "probabilities of one label, a metric of them such as roc_auc, and one system "
    "where there are several",
    "wins": "preferences, and the metric bradley_terry",
}
"""What a result must have for a figure."""

_MIME = "application/vnd.vegalite.v6+json"


@final
@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as a Vega-Lite specification, which holds its data.

    Attributes:
        kind: What it shows, such as `rank` or `confusion`.
        spec: The specification, which Vega-Lite's editor and `altair.Chart.from_dict` take.
    """

    kind: str
    spec: Spec = field(repr=False)

    def to_svg(self) -> str:
        """Returns the figure as SVG.

        Raises:
            UsageError: The extra `report` is not installed.
        """
        return draw_svg(self.spec)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the figure to a file, whose ending is .svg, .pdf or .png.

        Raises:
            UsageError: The extra `report` is not installed, or the file has another ending.
        """
        write_bytes(os.fspath(path), draw(self.spec, PurePath(path).suffix))

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        """Hands notebooks the specification, and the picture where it can be drawn."""
        bundle: dict[str, object] = {_MIME: self.spec, "text/plain": repr(self)}
        try:
            bundle["image/svg+xml"] = self.to_svg()
        except UsageError:
            return bundle
        return bundle


def make_figure(
    result: object,
    kind: str | None = None,
    *,
    metric: str | None = None,
    system: str | None = None,
    wide: bool = False,
) -> Figure:
    """Returns a figure of a result.

    Args:
        result: The content of a JSON file that `-o result.json` wrote.
        kind: What to show, such as `confusion`; None takes the usual figure.
        metric: The metric, by its short name or its repr; None takes the first.
        system: The system, where a figure is of one; None takes all, or the only one.
        wide: Whether it is for two columns of a paper, and not for one.

    Raises:
        UsageError: There is no such figure of this result; the message lists those that there are.
    """
    drawers = list_figures(result, metric=metric, system=system)
    if not drawers and kind is None:
        raise UsageError("there is nothing to draw in this result")
    spelled = {name.casefold(): name for name in drawers}
    chosen = next(iter(drawers)) if kind is None else spelled.get(kind.casefold(), kind)
    if chosen not in drawers:
        known = ", ".join(drawers) or "its tables"
        needs = f"; {chosen} needs {_NEEDS[chosen]}" if chosen in _NEEDS else ""
        raise UsageError(f"there is no figure {chosen!r} of this result, only {known}{needs}")
    return Figure(chosen, drawers[chosen](wide=wide))

"""The figures of a report: as pictures, which need no JavaScript, and as specifications."""

import base64

from tallystick.figures.drawing import draw_svg
from tallystick.figures.kinds import list_figures
from tallystick.figures.theme import DARK, LIGHT, Spec, configure
from tallystick.frozen import dataclass
from tallystick.report.content import Content

THEMES = {"light": configure(LIGHT), "dark": configure(DARK)}
"""The `config` of all specifications on a light and on a dark page."""

_SECTIONS = {
    "rank": (
        "leaderboard",
        "Scores with their intervals, and the range of ranks each system could hold",
    ),
    "critical-difference": (
        "leaderboard",
        "Mean ranks; a bar joins systems that Nemenyi's test does not separate",
    ),
    "scores": ("leaderboard", "Scores with their intervals"),
    "compare": ("pairs", "Differences with their intervals"),
    "gate": ("leaderboard", "How far each check is from its limit"),
    "depths": ("leaderboard", "Scores by depth"),
    "groups": ("groups", "Scores of each group"),
    "roc": ("probabilities", "ROC: true positive rate against false positive rate"),
    "pr": ("probabilities", "Precision and recall at every threshold"),
    "reliability": ("probabilities", "Reliability: observed against predicted probability"),
    "risks": ("probabilities", "Risk-coverage: errors among the examples that are surest"),
    "threshold": ("probabilities", "Scores at every threshold"),
    "wins": ("leaderboard", "Games won by the system of the row against that of the column"),
    "lengths": ("texts", "Scores by the length of the reference"),
}
"""The section that shows each kind of figure, and the line below it; others are tables."""

_WIDE = ("rank", "critical-difference", "compare", "gate", "scores", "groups")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure: its images for a light and a dark page, and its Vega-Lite specification."""

    name: str
    caption: str
    light: str
    dark: str
    spec: Spec


def list_drawings(content: Content) -> dict[str, list[Drawing]]:
    """The figures of each section, by its name."""
    found: dict[str, list[Drawing]] = {}
    if content.kind == "other":
        return found
    tracks = {one["track"] for one in content.list("places")}
    for name, draw in list_figures(content.result).items():
        kind, _, rest = name.partition(" ")
        if kind not in _SECTIONS or (kind == "rank" and rest and rest not in tracks):
            continue  # the other groups of a ranking are in a table
        section, caption = _SECTIONS[kind]
        spec = draw(wide=kind in _WIDE)
        plain = {key: part for key, part in spec.items() if key != "config"}
        light, dark = (_picture(plain | {"config": config}) for config in THEMES.values())
        found.setdefault(section, []).append(Drawing(name, caption, light, dark, plain))
    return found


def _picture(spec: Spec) -> str:
    content = base64.b64encode(draw_svg(spec).encode()).decode()
    return f"data:image/svg+xml;base64,{content}"

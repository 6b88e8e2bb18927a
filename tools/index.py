"""Writes src/tallystick/kinds/metrics/homes.py from the metrics in the folders of the kinds."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "tallystick"
TARGET = SOURCE / "kinds" / "metrics" / "homes.py"
KINDS = ("labels", "probabilities", "texts", "numbers", "spans", "tries", "ratings")
KINDS += ("rankings", "preferences", "trees")
"""The folders in the order in which their metrics are listed; those of no folder come last."""
LEFT_OUT = ("FunctionMean",)
"""Metrics that are not found by a name."""


def write_index() -> str:
    """The whole module."""
    found = [one for path in _list_files() for one in _list_metrics(path)]
    return "\n".join(
        [
            '"""Where each metric lies; written by `python tools/index.py`."""',
            "",
            "# fmt: off",
            "from typing import TYPE_CHECKING",
            "",
            "if TYPE_CHECKING:",
            *(f"    from tallystick.{home} import {name} as {name}" for _, name, home in found),
            "",
            "HOMES = {",
            *(f'    "{short}": "{home}:{name}",' for short, name, home in found),
            "}",
            '"""The module and class of each metric by its short name, in the order of lists."""',
            "",
        ]
    )


def _list_files() -> Iterator[Path]:
    folder = SOURCE / "kinds"
    for kind in KINDS:
        yield from sorted((folder / kind).glob("*.py"))
    yield from sorted(folder.glob("*.py"))


def _list_metrics(path: Path) -> Iterator[tuple[str, str, str]]:
    """The short name, the class and the module of each metric of a file."""
    home = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name not in LEFT_OUT:
            for inner in node.body:
                target = ast.unparse(inner).partition("=")[0].partition(":")[0].strip()
                if isinstance(inner, ast.Assign | ast.AnnAssign) and target == "short":
                    yield ast.literal_eval(inner.value), node.name, home


if __name__ == "__main__":
    TARGET.write_text(write_index(), encoding="utf-8")

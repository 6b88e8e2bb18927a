"""Writes docs/rank.svg: what `tallystick rank` prints for the example data, as a picture."""

import contextlib
import io
import shlex
from html import escape
from importlib import resources
from pathlib import Path

from tallystick.cli import main

COMMAND = "tallystick rank stance/gold.txt --submissions stance/entries -m macro_f1 accuracy"
TARGET = Path(__file__).parents[1] / "docs" / "rank.svg"
_SIZE, _LINE, _MARGIN = 14, 20, 24
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def write_picture() -> str:
    """Returns the picture; the text in it can be selected and searched."""
    lines = [f"$ {COMMAND}", "", *_run().rstrip("\n").split("\n")]
    width = max(map(len, lines)) * _SIZE * 0.61 + 2 * _MARGIN
    height = len(lines) * _LINE + 2 * _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
            f'width="{width:.0f}" height="{height}" role="img">',
            "<title>Five systems in three clusters, ranked by macro F1</title>",
            '<rect width="100%" height="100%" rx="8" fill="#1c2128"/>',
            f'<g font-family="{_FONT}" font-size="{_SIZE}" fill="#d8dee6">',
            *(_write_line(place, line) for place, line in enumerate(lines)),
            "</g>",
            "</svg>",
            "",
        ]
    )


def _run() -> str:
    results = io.StringIO()
    with (
        resources.as_file(resources.files("tallystick") / "demo_data") as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(results),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        code = main(shlex.split(COMMAND)[1:])
    if code:
        raise RuntimeError(f"{COMMAND} ended with {code}")
    return results.getvalue()


def _write_line(place: int, line: str) -> str:
    """One line; its spaces do not break, because SVG would make one of several."""
    colour = ' fill="#7ee0a1"' if place == 0 else ' fill="#6b7684"' if set(line) == {"-"} else ""
    height = _MARGIN + (place + 1) * _LINE - 6
    text = escape(line).replace(" ", "\N{NO-BREAK SPACE}")
    return f'<text x="{_MARGIN}" y="{height}"{colour}>{text}</text>'


if __name__ == "__main__":
    TARGET.write_text(write_picture(), encoding="utf-8")

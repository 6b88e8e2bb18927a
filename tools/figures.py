"""Writes docs/figures/*.svg: the figures of docs/outputs.md, each by the command that it shows."""

import contextlib
import io
import re
import shlex
from importlib import resources
from pathlib import Path

from tallystick.cli import main

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "outputs.md"
FOLDER = ROOT / "docs" / "figures"
_SHOWN = re.compile(r"^    (tallystick .+ -o (\S+)\.svg.*)\n\n!\[[^\]]+\]\(figures/(\S+)\)", re.M)


def list_commands() -> dict[str, str]:
    """Returns the command of the page above each of its figures, by the name of the file."""
    return {found[2]: found[0] for found in _SHOWN.findall(PAGE.read_text(encoding="utf-8"))}


def draw_figures(folder: Path) -> None:
    """Draws all figures of the page, in a folder."""
    for name, command in list_commands().items():
        arguments = shlex.split(command)[1:]
        arguments[arguments.index("-o") + 1] = str(folder.resolve() / name)
        messages = io.StringIO()
        with (
            resources.as_file(resources.files("tallystick") / "demo_data") as data,
            contextlib.chdir(data),
            contextlib.redirect_stderr(messages),
        ):
            code = main(arguments)
        if code:
            raise RuntimeError(f"{command} ended with {code}: {messages.getvalue()}")


if __name__ == "__main__":
    draw_figures(FOLDER)

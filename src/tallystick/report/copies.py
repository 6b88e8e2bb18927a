"""The tables of a result in the formats that a reader may copy."""

from dataclasses import replace

from tallystick.render.formats import render
from tallystick.report.content import Content

_FORMATS = ("latex", "markdown", "csv")


def list_copies(content: Content) -> dict[str, str]:
    """The result as LaTeX, Markdown and CSV, as the command itself writes them."""
    plain = replace(content.style, columns=())
    exact = type(content.style)()
    return {
        name: render(content.document, name, exact if name == "csv" else plain)
        for name in _FORMATS
        if content.document.grids
    }

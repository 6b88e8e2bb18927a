"""Writes documents line by line, such as `Macro F1-Score: 0.5667`, for people who search."""

from tallystick.render.cells import format_cell, unbound
from tallystick.render.controls import escape_controls
from tallystick.render.document import Document, Line
from tallystick.render.style import Style


def write_lines(document: Document, style: Style) -> str:
    """Writes the paragraphs with blank lines between, without intervals unless asked for them."""
    paragraphs = (
        "\n".join(_write_line(line, style) for line in paragraph)
        for paragraph in document.paragraphs or ()
    )
    return "\n\n".join(paragraphs) + "\n"


def _write_line(line: Line, style: Style) -> str:
    values = []
    for title, cell in line.values:
        text = format_cell(
            cell if style.intervals else unbound(cell), digits=style.round("", fraction=False)
        )
        values.append(f"{escape_controls(title)}: {text}")
    return escape_controls(line.words) + ", ".join(values)

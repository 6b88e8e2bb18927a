"""Writes documents line by line, such as `Macro F1-Score: 0.5667`, for people who search."""

from tallystick.render.cells import escape_controls, format_cell, unbound
from tallystick.render.document import Document, Line

__all__ = ["write_lines"]


def write_lines(document: Document, *, digits: int, intervals: bool) -> str:
    """Write the paragraphs with blank lines between, without intervals unless asked for them."""
    paragraphs = (
        "\n".join(_write_line(line, digits, intervals) for line in paragraph)
        for paragraph in document.paragraphs or ()
    )
    return "\n\n".join(paragraphs) + "\n"


def _write_line(line: Line, digits: int, intervals: bool) -> str:
    values = []
    for title, cell in line.values:
        text = format_cell(cell if intervals else unbound(cell), digits=digits)
        values.append(f"{escape_controls(title)}: {text}")
    return escape_controls(line.words) + ", ".join(values)

"""Writes documents as LaTeX tables for papers, in GitHub Markdown, and as a part of a notebook.

LaTeX tables are in the style of booktabs, and fit into one column.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tallystick.output.tables.cells import UNDEFINED, Shown, is_metric, measure
from tallystick.output.tables.document import Document, Grid, Style, Table
from tallystick.output.tables.text import (
    MOST_LABELS_ACROSS,
    condense,
    fold,
    list_notes,
    number_labels,
)
from tallystick.output.tables.typeset import (
    choose_scale,
    explain,
    explain_marks,
    mark_once,
    title_caption,
    typeset,
)

_CAPTIONS = {
    "overview": ("Scores", "scores"),
    "classes": ("Scores per class", "classes"),
    "confusion": ("Confusion matrix", "confusion"),
    "pairs": ("Differences between systems", "comparison"),
    "checks": ("Checks of the new system against the old one", "gate"),
    "ranking": ("Ranking", "ranking"),
}
"""The caption of a table whose grid has none, and its label."""

_ROOM = 52
"""How many characters are side by side in a column of a two-column paper."""
_ROOM_OF_BOTH = 2 * _ROOM + 6
"""How many are side by side in both columns, and the gap between them."""
_MOST_LINES = 40
"""How many lines of tables are below each other in one float."""

_BEGIN = r"""\begin{table}[t]
\centering
\small
\setlength{\tabcolsep}{4pt}"""
# Shrinks what is still too wide for the column, and nothing else.
_SHRINK = r"\resizebox{\ifdim\width>\columnwidth\columnwidth\else\width\fi}{!}{%"

# A bracket or an asterisk at the start of a row would be read as an option of the line break
# before it, and babel gives the double quote a meaning in some languages.
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        "[": "{[}",
        "*": "{*}",
        "\N{MIDDLE DOT}": r"\textperiodcentered{}",
        "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
        "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
        "\N{BLACK UP-POINTING TRIANGLE}": r"$\uparrow$",
        "\N{BLACK DOWN-POINTING TRIANGLE}": r"$\downarrow$",
        **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)
_WORDS = re.compile(r"\w[\w-]* \w[\w -]*")
_MINUS = re.compile(r"(^| )- ")
_NUMBER = re.compile(r"((?:< )?[+-]?)(\d+)((?:\.\d+)?)(\*?)")


def write_latex(document: Document, style: Style) -> str:
    """Writes a table for each grid, with caption and label; headings and notes are comments."""
    document = replace(document, grids=tuple(map(mark_once, document.paper or document.grids)))
    heading = [f"% {document.heading}"] if document.heading else []
    labels = _number(style.label or _label(grid) for grid in document.grids)
    tables = [
        table
        for grid, label in zip(document.grids, labels, strict=True)
        for table in _write_floats(grid, label, document, style)
    ]
    message = (*document.sentences, *document.notes)
    comments = [f"% Note: {remark}" for remark in message]
    packages = r"% \usepackage{booktabs,graphicx}"
    return "\n\n".join(("\n".join((*heading, packages)), *tables, *comments)) + "\n"


def _label(grid: Grid) -> str:
    """The usual label: what the table is, and its first metrics, so that others have others."""
    metrics = [grid.metric] if grid.metric else [*filter(is_metric, map(str, grid.headings))]
    parts = re.findall("[a-z0-9]+", " ".join(metrics[:2]).lower())
    return "-".join((_CAPTIONS[grid.kind][1], *parts))


def _number(labels: Iterator[str]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for label in labels:
        seen[label] += 1
        yield label if seen[label] == 1 else f"{label}-{seen[label]}"


def _write_floats(grid: Grid, label: str, document: Document, style: Style) -> Iterator[str]:
    table = _set(grid, style)
    wide = grid.kind in ("ranking", "pairs") and len(_fold(table, _ROOM)) > 1
    pages = _fold(table, _ROOM_OF_BOTH if wide else _ROOM)
    lines = 2 + sum(1 + any(cell.interval for cell in row) for row in pages[0].rows)
    stacked = len(pages) * lines <= _MOST_LINES
    parts = [pages] if stacked else [[page] for page in pages]
    given = (title_caption(grid) or _CAPTIONS[grid.kind][0]).removesuffix(".")
    if style.caption is not None and grid.kind == document.grids[0].kind:
        given = style.caption.removesuffix(".")
    for number, part in enumerate(parts, start=1):
        first = number == 1
        place = "" if len(parts) == 1 else f" ({number} of {len(parts)})"
        legend = explain([grid], document.methods) if first else ""
        caption = escape(f"{given}{place}. {legend}".rstrip())
        foot = [*_write_foot(document)] if first and grid is document.grids[0] else []
        own = label if first else f"{label}-part-{number}"
        written = _write_float(part, foot, caption, own)
        if wide:  # both columns of the page, so that each system keeps one row
            written = written.replace("{table}", "{table*}").replace(r"\columnwidth", r"\textwidth")
        yield written


def _write_float(
    tables: Sequence[Table[Shown]], foot: Sequence[str], caption: str, label: str
) -> str:
    tabulars = (f"{_SHRINK}\n{_write_tabular(table)}}}" for table in tables)
    return "\n".join(
        (
            _BEGIN,
            "\n\\par\\smallskip\n".join(tabulars),
            *foot,
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{label}}}",
            r"\end{table}",
        )
    )


def _write_foot(document: Document) -> Iterator[str]:
    for name, shaped in document.signatures.items():
        text = r"\textbar{}\allowbreak ".join(map(escape, shaped.split("|")))
        yield rf"\par\smallskip{{\scriptsize\raggedright {escape(name)}: \texttt{{{text}}}\par}}"


def _set(grid: Grid, style: Style) -> Table[Shown]:
    style = choose_scale([grid.metric, *map(str, grid.headings)], style)
    grid = condense(grid)
    if grid.kind == "confusion" and len(grid.rows) > MOST_LABELS_ACROSS:
        grid = number_labels(grid)
    return typeset(grid, style, titled=True)


def _fold(table: Table[Shown], room: int) -> list[Table[Shown]]:
    widths = [_measure(table, place) for place in range(len(table.headings))]
    return [table.take(page, table.leads) for page in fold(widths, table.leads, room)]


def _measure(table: Table[Shown], place: int) -> float:
    """Counts the characters of a column, and of the gap behind it; intervals are set smaller."""
    cells = [row[place] for row in table.rows]
    texts = (*_break_heading(table.titles[place]), *(cell.text for cell in cells))
    intervals = (0.7 * measure(cell.interval) for cell in cells)
    return max(*map(measure, texts), *intervals) + 1.5


def escape(text: str) -> str:
    """Escapes text for LaTeX."""
    return _MINUS.sub(r"\1$-$ ", text.translate(_ESCAPES))


def _break_heading(heading: str) -> list[str]:
    if " · " in heading:
        return heading.rsplit(" · ", 1)
    return heading.split(" ", 1) if _WORDS.fullmatch(heading) else [heading]


class _Column(Struct, frozen=True):
    """The room that all cells of one column need, so that their decimals are aligned.

    It is the longest sign, part before the point, part from the point on, and letters behind a
    number; bold digits may be wider.
    """

    align: str
    sign: str = ""
    whole: str = ""
    rest: str = ""
    star: bool = False
    letters: str = ""
    bold: bool = False

    def write(self, cell: Shown) -> str:
        """Writes one cell, padded to the widest parts of its column."""
        if cell.text == UNDEFINED and not cell.name:
            return "--"
        parts = _NUMBER.fullmatch(cell.text)
        if cell.name or parts is None or self.align != "c":
            return rf"\textbf{{{escape(cell.text)}}}" if cell.bold else escape(cell.text)
        sign, whole, rest, star = parts.groups()
        if self.rest and not rest:
            return _sign(sign + whole)  # a count among scores
        before = _leave(self.sign[len(sign) :]) + _leave(self.whole[len(whole) :])
        number = _sign(sign + whole) + rest
        shown = _decorate(number, star, cell.letters, bold=cell.bold)
        longest = number + self.rest[len(rest) :]
        room = _decorate(longest, "*" if self.star else "", self.letters, bold=self.bold)
        return before + (shown if shown == room else rf"\rlap{{{shown}}}\hphantom{{{room}}}")


def _decorate(number: str, star: str, letters: str, *, bold: bool) -> str:
    text = rf"\textbf{{{number}}}" if bold else number
    return text + escape(star) + (rf"\textsuperscript{{{letters}}}" if letters else "")


def _leave(text: str) -> str:
    return rf"\hphantom{{{_sign(text)}}}" if text else ""


def _sign(number: str) -> str:
    return escape(number).replace("-", "$-$").replace("+", "$+$")


def _write_tabular(table: Table[Shown]) -> str:
    columns = [_align_column(table, place) for place in range(len(table.headings))]
    blocks = ("\n".join(_write_latex_row(columns, row) for row in block) for block in table.blocks)
    return "\n".join(
        (
            rf"\begin{{tabular}}{{@{{}}{''.join(column.align for column in columns)}@{{}}}}",
            r"\toprule",
            _write_headings(table.titles),
            r"\midrule",
            "\n\\midrule\n".join(blocks),
            r"\bottomrule",
            r"\end{tabular}",
        )
    )


def _align_column(table: Table[Shown], place: int) -> _Column:
    if table.textual[place]:
        return _Column("l")
    cells = [row[place] for row in table.rows]
    numbers = [found for cell in cells if (found := _NUMBER.fullmatch(cell.text))]
    if not any(found[3] for found in numbers) and not any(cell.interval for cell in cells):
        return _Column("r")
    return _Column(
        "c",
        max((found[1] for found in numbers), key=len, default=""),
        max((found[2] for found in numbers), key=len, default=""),
        max((found[3] for found in numbers), key=len, default=""),
        any(found[4] for found in numbers),
        max((cell.letters for cell in cells), key=len, default=""),
        any(cell.bold for cell in cells),
    )


def _write_headings(headings: Sequence[str]) -> str:
    """Writes headings of two words as two lines, so that columns are no wider than numbers."""
    broken = [_break_heading(heading) for heading in headings]
    depth = max(map(len, broken))
    padded = ([""] * (depth - len(parts)) + parts for parts in broken)
    return "\n".join(" & ".join(map(escape, line)) + r" \\" for line in zip(*padded, strict=True))


def _write_latex_row(columns: Sequence[_Column], row: Sequence[Shown]) -> str:
    line = " & ".join(column.write(cell) for column, cell in zip(columns, row, strict=True))
    if not any(cell.interval for cell in row):
        return line + r" \\"
    ends = (rf"{{\scriptsize {_sign(cell.interval)}}}" if cell.interval else "" for cell in row)
    return rf"{line} \\[-0.6ex]" + "\n" + " & ".join(ends) + r" \\"


# An underscore between letters or digits is plain text, as in `macro_f1`.
_SPECIAL = re.compile(r"[\\`*~$<&|\[\]]|(?<![^\W_])_|_(?![^\W_])")

# GitHub makes links of these after it has read the text, so that no backslash keeps it from that.
_LINKS = re.compile(
    r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\bhttp)(?=s?://)|(?<=\bwww)(?=\.)", re.IGNORECASE
)
_APART = "<!-- -->"


def write_markdown(document: Document, style: Style) -> str:
    """Writes each grid as a table below its caption in bold, then all sentences as paragraphs."""
    heading = [f"### {_escape(document.heading)}"] if document.heading else []
    grids = tuple(map(mark_once, document.grids))
    tables = (_write_table(grid, style) for grid in grids)
    legend = explain(grids, document.methods)
    message = [*document.sentences, *(f"Note: {note}" for note in document.notes)]
    words = [_escape(sentence) for sentence in (legend, *message) if sentence]
    signatures = [f"{name}: `{shaped}`" for name, shaped in document.signatures.items()]
    return "\n\n".join((*heading, *tables, *words, *signatures)) + "\n"


def _write_table(grid: Grid, style: Style) -> str:
    table = typeset(condense(grid), style, titled=True)
    headings = [_escape(heading) for heading in table.titles]
    rows = [headings, *(list(map(_format_cell, row)) for row in table.rows)]
    widths = [max(3, *map(measure, column)) for column in zip(*rows, strict=True)]
    marks = [
        "-" * width if left else "-" * (width - 1) + ":"
        for width, left in zip(widths, table.textual, strict=True)
    ]
    heading, *body = (_write_row(row, widths, table.textual) for row in rows)
    caption = [f"**{_escape(title_caption(grid))}**", ""] if grid.caption else []
    return "\n".join((*caption, heading, f"| {' | '.join(marks)} |", *body))


def _format_cell(cell: Shown) -> str:
    text = _escape(cell.text)
    number = f"**{text}**" if cell.bold else text
    return " ".join(filter(None, (number, _escape(cell.interval))))


def _write_row(cells: Sequence[str], widths: Sequence[int], textual: Sequence[bool]) -> str:
    padded = []
    for cell, width, left in zip(cells, widths, textual, strict=True):
        space = " " * (width - measure(cell))
        padded.append(cell + space if left else space + cell)
    return f"| {' | '.join(padded)} |"


def _escape(text: str) -> str:
    return _LINKS.sub(_APART, _SPECIAL.sub(r"\\\g<0>", text))


# The colours of the notebook are inherited, so that the tables suit its theme.
_STYLE = """\
<style>
.tallystick-report { overflow-x: auto; }
.tallystick-table { border-collapse: collapse; margin: 0 0 1em; color: inherit; }
.tallystick-table caption { caption-side: top; text-align: left; font-weight: bold; \
color: inherit; white-space: nowrap; }
.tallystick-table th, .tallystick-table td { padding: 0.2em 0.8em; text-align: right; \
white-space: pre; font-variant-numeric: tabular-nums; }
.tallystick-table .tallystick-name { text-align: left; }
.tallystick-table tbody { border-top: 1px solid currentColor; }
.tallystick-table small { opacity: 0.7; }
.tallystick-table sup { line-height: 0; }
.tallystick-stacked small { display: block; }
.tallystick-note { margin: 0.3em 0; max-width: 60em; font-size: 90%; opacity: 0.65; }
</style>"""

_MOST_BESIDE = 3
"""How many columns have their intervals next to their numbers."""


def write_html(document: Document, style: Style) -> str:
    """Writes each grid as a table, and all sentences in one caption, as a part of a notebook."""
    heading = [f"<h3>{html.escape(document.heading)}</h3>"] if document.heading else []
    tables = (_write_html_table(grid, style) for grid in document.grids)
    words = (*explain_marks(document.grids), *document.sentences)
    notes = (note[:1].upper() + note[1:] for _, note in list_notes(document, style))
    text = html.escape(" ".join([*words, *notes]))
    caption = [f'<p class="tallystick-note">{text}</p>'] if text else []
    lines = ('<div class="tallystick-report">', _STYLE, *heading, *tables, *caption, "</div>")
    return "\n".join(lines) + "\n"


def _write_html_table(grid: Grid, style: Style) -> str:
    table = typeset(condense(grid), style)
    classes = [' class="tallystick-name"' if textual else "" for textual in table.textual]
    heading = _write_html_row("th", map(html.escape, table.titles), classes)
    blocks = (
        [_write_html_row("td", map(_write_html_cell, row), classes) for row in block]
        for block in table.blocks
    )
    lines = (
        f'<table class="tallystick-table{_stack(table)}">',
        *([f"<caption>{html.escape(grid.caption)}</caption>"] if grid.caption else []),
        f"<thead>\n{heading}\n</thead>",
        *("\n".join(("<tbody>", *rows, "</tbody>")) for rows in blocks),
        "</table>",
    )
    return "\n".join(lines)


def _stack(table: Table[Shown]) -> str:
    """The class of tables with so many intervals that these are below their numbers."""
    columns = zip(*table.rows, strict=True)
    bounded = sum(any(cell.interval for cell in column) for column in columns)
    return " tallystick-stacked" if bounded > _MOST_BESIDE else ""


def _write_html_row(mark: str, cells: Iterable[str], classes: Sequence[str]) -> str:
    written = (f"<{mark}{name}>{cell}</{mark}>" for cell, name in zip(cells, classes, strict=True))
    return f"<tr>{''.join(written)}</tr>"


def _write_html_cell(cell: Shown) -> str:
    text = html.escape(cell.text)
    number = f"<b>{text}</b>" if cell.bold else text
    letters = f"<sup>{html.escape(cell.letters)}</sup>" if cell.letters else ""
    interval = f"<small> {cell.interval}</small>" if cell.interval else ""
    return number + letters + interval

"""What sacreBLEU's command prints: JSON, aligned lines, and tables of several systems."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from tallystick.compat.sacrebleu.significance import PairedTest, Result
from tallystick.render.cells import measure

Table = list[list[str]]
"""The cells of each row, the headings first; a cell may have several lines."""

_SPARE = 2
"""How much wider than its heading a column is at least."""

_SIGNIFICANT = 0.05
_TESTS = {
    "bs": "Paired bootstrap resampling test with {} resampling trials",
    "ar": "Paired approximate randomization test with {} trials",
}
_MEANING = """\
 - Every system is compared to {}.
   {}
 - p is the chance of a difference as large or larger if both systems came from one process.
 - A p-value of 0.05 or less is marked with "*": the difference is hardly due to chance, which does
   not tell that it matters. Nothing is corrected for the number of tests."""
_SHOWN = {
    "bs": "Each score stands with the mean and the 95% interval of its resamples.",
    "ar": "Each score stands alone.",
}
_ESCAPES = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        "^": r"\^{}",
        "~": r"\textasciitilde{}",
        "\\": r"\textbackslash{}",
        "<": r"\ensuremath{<}",
        ">": r"\ensuremath{>}",
    }
)


def write_json(columns: Mapping[str, Sequence[object]]) -> str:
    """One object for each system: its name, then a string or a result for each metric."""
    names = ["system", *list(columns)[1:]]
    records = [
        {
            name: asdict(value) if isinstance(value, Result) else value
            for name, value in zip(names, row, strict=True)
        }
        for row in zip(*columns.values(), strict=True)
    ]
    return json.dumps(records, indent=4)


def write_lines(results: Sequence[str], *, as_json: bool) -> str:
    """The results of one system: a JSON object or a list of them, or lines aligned by `=`."""
    if len(results) == 1:
        return results[0]
    if as_json:
        return "[\n" + ",\n".join(results) + "\n]"
    places = [max(line.find("=") - 1, 0) for line in results]
    widest = max(places)
    return "\n".join(
        f"{line[:place]:>{widest}}{line[place:]}"
        for place, line in zip(places, results, strict=True)
    )


def write_table(
    columns: Mapping[str, Sequence[object]],
    signatures: Mapping[str, str],
    tester: PairedTest | None,
    *,
    width: int,
    latex: bool,
) -> str:
    """The table of several systems, what the test means, and the signatures."""
    table = _list_cells(columns, width, " " if latex else "\n")
    parts = [_draw_latex(table) if latex else _draw_grid(table), ""]
    if tester is not None:
        title = _TESTS[tester.test_type].format(tester.n_samples)
        meaning = _MEANING.format(columns["System"][0], _SHOWN[tester.test_type])
        parts += [_underline(title), meaning, ""]
    parts.append(_underline("Metric signatures"))
    parts += [f" - {name:<10} {signature}" for name, signature in signatures.items()]
    return "\n".join(parts)


def _list_cells(columns: Mapping[str, Sequence[object]], width: int, gap: str) -> Table:
    bounded = any(
        isinstance(own[0], Result) and own[0].mean is not None for own in columns.values()
    )
    names, *metrics = columns
    headings = [names, *(f"{name} (μ ± 95% CI)" if bounded else name for name in metrics)]
    rows = zip(*columns.values(), strict=True)
    return [headings, *([_write_cell(value, width, gap) for value in row] for row in rows)]


def _write_cell(value: object, width: int, gap: str) -> str:
    if not isinstance(value, Result):
        return str(value)
    text = f"{value.score:.{width}f}"
    if value.mean is not None:
        text += f" ({value.mean:.{width}f} ± {value.ci:.{width}f})"
    if value.p_value is not None:
        mark = "" if value.p_value > _SIGNIFICANT else "*"
        text += f"{gap}(p = {value.p_value:.4f}){mark}"
    return text


def _draw_grid(table: Table) -> str:
    widths = _find_widths(table)
    rules = [
        left + middle.join(line * (width + 2) for width in widths) + right
        for left, line, middle, right in ("╒═╤╕", "╞═╪╡", "├─┼┤", "╘═╧╛")
    ]
    rows = ["\n".join(f"│{'│'.join(line)}│" for line in _pad(row, widths)) for row in table]
    body = f"\n{rules[2]}\n".join(rows[1:])
    return "\n".join([rules[0], rows[0], rules[1], body, rules[3]])


def _draw_latex(table: Table) -> str:
    widths = _find_widths(table)
    rows = [
        "&".join(cell.translate(_ESCAPES) for cell in line) + r"\\"
        for row in table
        for line in _pad(row, widths)
    ]
    layout = "r" + "c" * (len(widths) - 1)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _find_widths(table: Table) -> list[int]:
    headings, *rows = table
    return [
        max(
            measure(heading) + _SPARE,
            *(measure(line) for cell in cells for line in cell.split("\n")),
        )
        for heading, *cells in zip(headings, *rows, strict=True)
    ]


def _pad(row: Sequence[str], widths: Sequence[int]) -> list[list[str]]:
    """The lines of a row: the first column to the right, the others in the middle."""
    cells = [cell.split("\n") for cell in row]
    height = max(map(len, cells))
    full = [cell + [""] * (height - len(cell)) for cell in cells]
    return [
        [
            f" {_align(text, width, centred=place > 0)} "
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in zip(*full, strict=True)
    ]


def _align(text: str, width: int, *, centred: bool) -> str:
    space = width - measure(text)
    left = space // 2 if centred else space
    return " " * left + text + " " * (space - left)


def _underline(title: str) -> str:
    rule = "-" * len(title)
    return f"{rule}\n{title}\n{rule}"

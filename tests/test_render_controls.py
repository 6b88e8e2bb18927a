"""Facts about control and format characters in names and texts, in every format for people."""

import io
import re
import sys
import unicodedata
from contextlib import redirect_stdout
from importlib import resources

import pyarrow as pa
import pytest

import tallystick
from tallystick.output.report.page import write_page
from tallystick.output.tables.cells import CONTROLS, escape_controls
from tallystick.output.tables.document import Document, Grid, LazyGrids, Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import print_rich

VISIBLE = frozenset(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2)))
"""Format characters that are seen: Arabic number signs, and U+110BD and U+110CD of Kaithi."""
HIDDEN = tuple(
    char
    for char in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    and char not in VISIBLE | {"\U000110bd", "\U000110cd"}
)
HOSTILE = "x" + "y".join(char for char in HIDDEN if unicodedata.category(char) != "Cs") + "z"
"""All of them between letters, but for surrogates, which no file can hold."""


def _list_results():
    columns = {
        "id": [f"{at}{HOSTILE}" for at in range(8)],
        "gold": [f"{label}{HOSTILE}" for label in "abababab"],
        "part": [f"{group}{HOSTILE}" for group in "mmmmnnnn"],
        f"1{HOSTILE}": [f"{label}{HOSTILE}" for label in "abababaa"],
        f"2{HOSTILE}": [f"{label}{HOSTILE}" for label in "aaababbb"],
        f"3{HOSTILE}": [f"{label}{HOSTILE}" for label in "bbababab"],
        f"number{HOSTILE}": [float(at) for at in range(8)],
    }
    table = pa.table(columns)
    systems = [name for name in columns if name[0] in "123"]
    told = {"systems": systems, "by": "part"}
    metrics = ["macro_f1", "recall(average=None)"]
    yield tallystick.score(table, None, metrics, **told)
    yield tallystick.compare(table, None, "macro_f1", **told)
    yield tallystick.compare(table, None, "macro_f1", systems=systems, all_pairs=True)
    yield tallystick.rank(table, None, ["macro_f1", "accuracy"], overall="mean", **told)
    new, old = systems[:2]
    outputs = (columns["gold"], columns[new], columns[old])
    yield tallystick.gate(*outputs, "accuracy", max_drop=0, by=columns["part"])
    texts = [f"one two {HOSTILE}"] * 4
    yield tallystick.rank(texts, {new: texts, old: texts[::-1]}, "bleu")
    yield tallystick.score(table, None, [tallystick.metrics.Mean(f"number{HOSTILE}")])


@pytest.fixture(scope="module")
def results():
    return list(_list_results())


def _print(result):
    shown = io.StringIO()
    with redirect_stdout(shown):
        print_rich(result.document(), Style())
    return shown.getvalue()


WRITERS = {
    **{name: lambda one, name=name: render(one.document(), name) for name in ("table", "latex")},
    "markdown": lambda one: one.to_markdown(),
    "notebook": lambda one: one._repr_html_(),
    "print": str,
    "terminal": _print,
    "report": lambda one: write_page(one.describe()),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_no_format_holds_a_control_character(writer, results):
    shown = results[:4:3] if writer == "report" else results
    found = [set(WRITERS[writer](one)) & {*HIDDEN} - {"\n"} for one in shown]

    assert [set()] * len(shown) == found


def test_every_control_and_format_character_is_escaped_between_letters():
    every = "a".join(map(chr, range(sys.maxunicode + 1)))
    escaped = {found[0] for found in re.finditer(CONTROLS, every)}
    reserved = {char for char in escaped if unicodedata.category(char) == "Cn"}

    assert {*HIDDEN} == escaped - reserved
    assert len(reserved) < 200


@pytest.mark.parametrize(
    "text", ["می\u200cخواهم", "\U0001f469\u200d\U0001f4bb", "क्\u200dष", "\u06dd٣"]
)
def test_joiners_stay_where_scripts_and_emoji_need_them(text):
    assert text == escape_controls(text)


def test_the_script_of_a_page_escapes_what_python_escapes():
    script = (resources.files("tallystick.output.report") / "static/page.js").read_text(
        encoding="utf-8"
    )
    pattern = re.search(r"controls: /(.*)/gu,", script)

    assert pattern is not None
    assert re.sub(r"\\U000([0-9a-f]{5})", r"\\u{\1}", CONTROLS) == pattern[1]


def test_csv_holds_no_control_characters(results):
    written = "".join(result.to_csv() for result in results)

    assert "" == "".join(sorted({*written} & {*HIDDEN} - {"\n"}))


def test_tables_are_made_for_those_who_read_them():
    made = []

    def make():
        made.append("once")
        return [Grid("pairs", "a\u200bb", ("system", "f1"), 1, ((("mine", 0.5),),))]

    document = Document(grids=LazyGrids(make), parts={"scores": []})

    render(document, "json")
    assert not made
    assert "a\\u200bb" in render(document, "table")
    assert ["once"] == made

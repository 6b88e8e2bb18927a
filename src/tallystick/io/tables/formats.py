"""The formats of tables: how each is recognised by the ending or the first bytes, and read."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Literal, get_args

from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass
from tallystick.io.files.datasets import find_pieces
from tallystick.io.files.opening import SNIFFED, sniff, try_sniff
from tallystick.io.files.pieces import Asked, Piece
from tallystick.io.files.recognition import (
    LINES,
    Rule,
    check_rules,
    is_usual,
    name_coreference,
    name_foreign,
    name_format,
    name_headless,
    name_lines,
    name_object,
    name_objects,
    name_page,
)
from tallystick.io.files.stores import cut_options

if TYPE_CHECKING:
    import pyarrow

DELIMITERS = {
    name + quote: mark
    for name, mark in (("csv", ","), ("tsv", "\t"))
    for quote in ("", " none", " double")
}
"""What usually separates the fields of a delimited format; with ` none` quotes are text, with
` double` they enclose fields, and without either the format and the file decide."""
LINE = "line"
"""The column of CoNLL files with the number of each sentence's first line."""
SCORES = ("system", "segment", "score")
"""The columns of the score files of mt-metrics-eval."""
ROWS = "rows:"
"""The format of a JSON object that has its rows in a list, followed by the key of that list."""
Submitted = Literal["lines", "csv", "tsv", "jsonl", "parquet", "conll"]
"""The formats that task files may name, in which submissions are drafted."""
SUBMITTED: tuple[Submitted, ...] = get_args(Submitted)

_JSON = re.compile(rb"\s*(\[\s*)?\{")
_TAG = re.compile(rb".*[ \t](O|[BIELMSUW]-\S+)[ \t\r]*")
_Rows = tuple[list[str], "pyarrow.Table"]
"""The names of all columns, and the columns that are kept."""


_MARKS: tuple[Rule, ...] = (name_foreign, name_page, name_coreference)
_TEXTS = (*_MARKS, name_format)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of tables.

    Attributes:
        name: What `--input-format` and the argument `kind` of `read_table` call it.
        reader: The module and the function that reads a whole file.
        blocks: Likewise, the function that reads it in blocks; empty if it is read whole.
        endings: The endings of its files, in lower case.
        unit: What messages call an example.
        first: The number of the first example: 2 below a header.
        begins: Whether the first bytes, without a byte order mark, are of this format; the second
            argument is whether they are the whole file. None if only the ending shows it.
        foreign: What recognises files that have another format than their name or option shows.
        text: Whether files named .txt may have this format.
        option: Whether `--input-format` takes it.
    """

    name: str
    reader: str
    blocks: str = ""
    endings: tuple[str, ...] = ()
    unit: str = "row"
    first: int = 1
    begins: Callable[[bytes, bool], bool] | None = None
    foreign: tuple[Rule, ...] = _MARKS
    text: bool = False
    option: bool = True

    def read(self, asked: Asked) -> _Rows:
        """Returns the names of all columns, and the columns that are kept."""
        return _load(self.reader)(asked)  # type: ignore[return-value]

    def iterate(self, asked: Asked, rows: int) -> Iterator[_Rows] | None:
        """Yields what `read` returns in blocks of about so many rows; None if it is read whole."""
        return _load(self.blocks)(asked, rows) if self.blocks else None  # type: ignore[return-value]


@cache
def _load(name: str) -> Callable[..., object]:
    """Imports a reader when it is needed, as most commands read one format."""
    module, _, function = name.partition(":")
    found: Callable[..., object] = getattr(
        import_module(f"tallystick.io.tables.{module}"), function
    )
    return found


def _begins_line(mark: bytes) -> Callable[[bytes, bool], bool]:
    return lambda text, _: mark in text.lstrip(b"\r\n").partition(b"\n")[0]


_DELIMITED = ("delimited:read_delimited", "delimited:iterate_delimited")


def _are_tagged(start: bytes, whole: bool) -> bool:
    """Whether the first lines are two or more that end in tags, but for comments and blank ones."""
    lines = [line for line in start.split(b"\n")[:100] if line.strip() and line[:1] != b"#"]
    full = lines if whole else lines[:-1]
    return len(full) > 1 and all(map(_TAG.fullmatch, full))


def _look_blank(start: bytes, whole: bool) -> bool:
    """Whether text begins as a table whose columns are parted by blanks.

    Two columns or more have usual names, and all rows have as many fields as the header. So do
    hardly any sentences.
    """
    header = start.lstrip().partition(b"\n")[0].split()
    usual = sum(is_usual(name.decode(errors="replace")) for name in header)
    if usual < 2 or b"," in start or b";" in start:
        return False
    lines = [line.split() for line in start.split(b"\n") if line.strip()]
    rows = lines if whole else lines[:-1]
    return len(rows) > 1 and all(len(row) == len(header) for row in rows)


FORMATS = (
    Format(
        "parquet",
        "parquet:read_parquet",
        "parquet:iterate_parquet",
        (".parquet",),
        begins=lambda text, _: text.startswith(b"PAR1"),
        foreign=(),
    ),
    Format(
        "jsonl",
        "jsonlines:read_json",
        "jsonlines:iterate_json",
        (".jsonl", ".ndjson", ".json"),
        unit="line",
        begins=lambda text, _: _JSON.match(text) is not None,
        foreign=(*_MARKS, name_object, name_objects),
    ),
    Format(
        "conll",
        "conll:read_conll",
        "conll:iterate_conll",
        (".conll", ".bio", ".iob", ".iob2"),
        unit="sentence",
        begins=_are_tagged,
        text=True,
    ),
    Format("blanks", "blanks:read_blanks", first=2, begins=_look_blank, foreign=_TEXTS, text=True),
    Format(
        "tsv",
        *_DELIMITED,
        (".tsv",),
        first=2,
        begins=_begins_line(b"\t"),
        foreign=(*_TEXTS, partial(name_headless, delimiter="\t")),
    ),
    Format(
        "csv",
        *_DELIMITED,
        (".csv",),
        first=2,
        begins=_begins_line(b","),
        foreign=(*_TEXTS, partial(name_headless, delimiter=",")),
    ),
    Format(
        "lines",
        "label_lines:read_labels",
        "label_lines:iterate_labels",
        (".txt",),
        unit="line",
        begins=lambda text, whole: True,
        foreign=LINES,
        text=True,
    ),
    Format("score", "blanks:read_scores", endings=(".score",), unit="line", option=False),
    Format("rows", "jsonlines:read_listed", unit="element", option=False),
    Format("array", "jsonlines:read_json", unit="element", option=False),
)
"""All formats, in the order in which they are recognised."""
_NAMED = {one.name: one for one in FORMATS}
OPTIONS = "|".join(one.name for one in reversed(FORMATS) if one.option)
"""The formats that `--input-format` takes."""


def get_format(asked: Asked) -> Format:
    """Returns the format of a file; JSON that begins as a list is an array of records."""
    name = re.split("[ :]", asked.kind)[0]
    if name == "jsonl" and sniff(asked.path).removeprefix(BOM_UTF8).lstrip().startswith(b"["):
        name = "array"
    return _NAMED[name]


def check_start(path: str, *, kind: str, sure: bool = False) -> None:
    """Raises an error if a file does not begin like a table or a text of a format.

    Lines are texts or labels, whatever they look like, where the caller is `sure` of that.
    """
    rules = _NAMED[re.split("[ :]", kind)[0]].foreign
    check_rules(path, [rule for rule in rules if not (sure and rule is name_lines)])


def find_kind(pieces: Sequence[Piece], kind: str | None) -> str:
    """Returns the format of some files, which is recognised if it is not given."""
    if kind is not None and not kind.startswith(" "):
        known = [one.name for one in FORMATS if one.option or one.endings]
        if kind not in (*known, *DELIMITERS) and not kind.startswith(ROWS):
            told = f"{', '.join(known[:-1])} or {known[-1]}"
            raise UsageError(f"unknown format of a table {kind!r}: expected {told}")
        return kind
    (first, *others), quote = pieces, kind or ""
    kind = guess_kind(first.path)
    if quote and kind not in DELIMITERS:
        raise UsageError(f"--quote goes with CSV and TSV files, and {first.path} is {kind}")
    for other in others:
        if (own := guess_kind(other.path)) != kind:
            raise InputError(
                f"{other.path} is {own}, but {first.path} is {kind}; files that are read as one "
                "table must have the same format"
            )
    return kind + quote


def guess_kind(path: str) -> str:
    """Returns a format of tables by a file's ending or its first bytes.

    A text whose lines end in tags is CoNLL, and one of usual names above as many fields is a table
    whose columns are separated by blanks. Of several files that are one table the first decides.
    """
    named = guess_by_ending(path)
    if named not in (None, "lines"):
        return str(named)
    first = find_pieces(path)[0].path
    if named is None and first != path:
        return guess_kind(first)
    start = sniff(first) if named is None else try_sniff(first)
    text, whole = start.removeprefix(BOM_UTF8), len(start) < SNIFFED
    formats = (one for one in FORMATS if one.begins is not None and (one.text or named is None))
    return next(one.name for one in formats if one.begins and one.begins(text, whole))


def guess_by_ending(path: str) -> str | None:
    """Returns the format that the name of a file shows; None if it shows none."""
    name = cut_options(path).lower().removesuffix(".gz")
    return next((one.name for one in FORMATS if name.endswith(one.endings)), None)

"""The formats of tables: how each is recognised and read, and how columns are selected by name."""

import difflib
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import Asked, Piece, find_pieces
from tallystick.io.files.opening import SNIFFED, sniff, try_sniff
from tallystick.io.files.recognition import (
    COREFERENCE,
    LINES,
    RULES,
    Rule,
    check_rules,
    is_object,
    is_usual,
)
from tallystick.io.files.stores import cut_options

if TYPE_CHECKING:
    import pyarrow


_WIDEST = 100_000
NOTE = b"tallystick.note"
"""Under this key the schema of a table has a note on how its file was read."""
COMMAS = b"tallystick.commas"
"""With this key in its schema a table may have decimal commas, as next to semicolons."""
_SHOWN = 50


class KeyName(str):
    """The name of several columns, whose values are an id together."""

    parts: tuple[str, ...]

    def __new__(cls, parts: Iterable[str]) -> "KeyName":
        """Names the columns."""
        listed = tuple(parts)
        made = super().__new__(cls, " + ".join(listed))
        made.parts = listed
        return made

    def __reduce__(self) -> tuple[type["KeyName"], tuple[tuple[str, ...]]]:
        return KeyName, (self.parts,)


def list_parts(name: str) -> tuple[str, ...]:
    """Returns the columns that a name is of."""
    return name.parts if isinstance(name, KeyName) else (name,)


def select_names(source: str, names: Sequence[str], only: Collection[str] | None) -> list[str]:
    """Returns the names to keep, in the file's order; all of them if `only` is None."""
    check_width(source, len(names))
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise InputError(
                f"{source}: {count} columns are named {name!r}; give each its own name"
            )
    wanted = expand_names(only)
    kept = [name for name in names if wanted is None or name in wanted]
    if not kept:
        lacking = f"none of the columns {quote_names(sorted(only))}" if only else "no columns"
        raise InputError(f"{source}: has {lacking}, only {quote_names(names)}")
    return kept


def expand_names(only: Collection[str] | None) -> Collection[str] | None:
    """Returns names and all that a dotted name among them may be found in: for `a.b`, also `a`."""
    if only is None:
        return None
    parts = [name.split(".") for name in only]
    return {".".join(names[:end]) for names in parts for end in range(1, len(names) + 1)}


def check_width(source: str, columns: int) -> None:
    """Raises an error if a table has more columns than are read."""
    if columns > _WIDEST:
        raise InputError(f"{source}: has more than {_WIDEST:,} columns, which is the limit")


def explain_missing(source: str, name: str, names: Sequence[str]) -> str:
    """Returns the message about a column that is not there: what is there, and what is nearest."""
    nearest = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"{source}: has no column {name!r}, only {quote_names(names)}{hint}"


def quote_names(names: Sequence[str]) -> str:
    """Returns names as they are in a message, quoted and with commas between."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(map(repr, names[:_SHOWN])) or "nothing") + more


def split_dotted(name: str) -> Iterator[tuple[str, str]]:
    """Yields a dotted name cut in two at every dot, the longest beginning first."""
    yield name, ""
    end = len(name)
    while (end := name.rfind(".", 0, end)) > 0:
        yield name[:end], name[end + 1 :]


def is_index(name: str) -> bool:
    """Returns whether a part of a dotted name is the place of an item in a list, from 0."""
    return name.isascii() and name.isdecimal() and len(name) < 10


DELIMITERS = {"csv": ",", "tsv": "\t"}
"""What usually separates the fields of a delimited format. Words behind its name say how it is
read: with `none` quotes are text, with `double` they enclose fields, and without either the format
and the file decide; with `numbered` or `paired` the first row is no header."""
_HEADLESS = {"numbered", "paired"}
_WORDS = {"none", "double", *_HEADLESS}
Scheme = Literal["iob1", "iob2", "ioe2", "bioes", "bilou"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
"""The tagging schemes, by which the tags of tokens mark spans."""
TAG = re.compile(r"O|[BIELSU](-.+)?")
"""The tags of all schemes; without a type there is one type alone."""
LINE = "line"
"""The column of CoNLL files with the number of each sentence's first line."""
SCORES = ("system", "segment", "score")
"""The columns of the score files of mt-metrics-eval."""
ROWS = "rows:"
"""The format of a JSON object that has its rows in a list, followed by the key of that list."""
TOOLS = ("lm-eval", "inspect", "helm", "eee")
"""The tools whose logs `--input-format` names."""
Submitted = Literal["lines", "csv", "tsv", "jsonl", "parquet", "conll"]
"""The formats that task files may name, in which submissions are drafted."""
SUBMITTED: tuple[Submitted, ...] = get_args(Submitted)

_TAG = re.compile(rb".*[ \t](O|[BIELMSUW]-\S+)[ \t\r]*")
_TREE = re.compile(rb"\d+([-.]\d+)?(\t[^\t]+){5}\t(\d+|_)(\t[^\t]+){3}")
_POS = re.compile(rb"\S+[ \t](\S+[ \t])*([A-Z]{1,6}\$?|[-A-Z]*[^\w\s,;]+|[,;])[ \t\r]*")
_Rows = tuple[list[str], "pyarrow.Table"]
"""The names of all columns, and the columns that are kept."""


class Format(Struct, frozen=True):
    """A format of tables.

    Attributes:
        readers: The module and what its functions read: `m:x` is for `read_x` of the module `m`,
            which reads a whole file, and for `iterate_x`, which reads blocks, or for one of them.
        endings: The extensions of its files, in lower case.
        unit: What messages call an example.
        first: The number of the first example: 2 below a header.
        begins: Whether first bytes are of this format; the other arguments are whether they are
            the whole file, and its path. None if only the extension shows it.
        text: Whether files named .txt may have this format.
        option: Whether `--input-format` takes it.
        empty: Whether a file of 0 bytes has this format too.
        within: The formats that extensions of its files may show, which are looked into.
    """

    name: str
    readers: str
    endings: tuple[str, ...] = ()
    unit: str = "row"
    first: int = 1
    begins: Callable[[bytes, bool, str], bool] | None = None
    text: bool = False
    option: bool = True
    within: tuple[str, ...] = ()
    empty: bool = False

    def read(self, asked: Asked) -> _Rows:
        """Returns the names of all columns, and the columns that are kept."""
        import pyarrow

        if read := self._load("read"):
            return read(asked)  # type: ignore[return-value]
        names, blocks = zip(*(self.iterate(asked, 0) or ()), strict=True)
        notes = [own.schema.metadata for own in blocks if own.schema.metadata]
        columns = pyarrow.concat_tables(blocks)
        return names[0], columns.replace_schema_metadata(max(notes, key=str, default=None))

    def iterate(self, asked: Asked, rows: int) -> Iterator[_Rows] | None:
        """Yields what `read` returns in blocks of about that size; None if it is read whole."""
        iterate = self._load("iterate")
        return None if iterate is None else iterate(asked, rows)  # type: ignore[return-value]

    @property
    def rules(self) -> Sequence[Rule]:
        """What recognises files that have another format than their name or option shows."""
        return RULES.get(self.name, RULES["conll"])

    def _load(self, verb: str) -> Callable[..., object] | None:
        """Imports a reader when it is needed, as most commands read one format."""
        module, _, what = self.readers.partition(":")
        found = import_module(f"tallystick.io.tables.{module}")
        return getattr(found, f"{verb}_{what}", None)


def _begins(pattern: bytes) -> Callable[[bytes, bool, str], bool]:
    begin = re.compile(pattern)
    return lambda text, *_: begin.match(text) is not None


def _is_2012(start: bytes, *_: object) -> bool:
    found = COREFERENCE.match(start)
    return found is not None and found[1].startswith(b"begin")


def _is_corefud(start: bytes, *_: object) -> bool:
    return COREFERENCE.match(start) is not None and not _is_2012(start)


def _are_tagged(start: bytes, whole: bool, _path: str) -> bool:
    """Whether two or more first lines end in tags, or in parts of speech between blank lines."""
    lines = [line for line in start.strip().split(b"\n")[:200] if line[:1] != b"#"]
    full = [line for line in (lines if whole else lines[:-1]) if line.strip()]
    if len(full) > 1 and any(all(map(own.fullmatch, full)) for own in (_TAG, _TREE)):
        return True
    named = full and all(is_usual(one.decode(errors="replace")) for one in full[0].split())
    parted = not named and len(full) < len(lines) - (not whole)
    return (
        parted and len({len(line.split()) for line in full}) == 1 and all(map(_POS.fullmatch, full))
    )


def _look_blank(start: bytes, whole: bool, _path: str) -> bool:
    """Whether text has a header with two usual names, and as many words on every line below."""
    header = start.lstrip().partition(b"\n")[0].split()
    usual = sum(is_usual(name.decode(errors="replace")) for name in header)
    if usual < 2 or b"," in start or b";" in start:
        return False
    lines = [line.split() for line in start.split(b"\n") if line.strip()]
    rows = lines if whole else lines[:-1]
    return len(rows) > 1 and all(len(row) == len(header) for row in rows)


_JSON_ENDINGS, _TAGGED = (
    (".jsonl", ".ndjson", ".json"),
    (".conll", ".bio", ".iob", ".iob2", ".conllu"),
)
_SPAN = _begins(rb"T\d+\t\S+ \d+ \d+(;\d+ \d+)*[\t\r\n]")
_SQUAD = _begins(rb'(?s)\s*\{.{,200}"data"\s*:\s*\[\s*\{.{,1000}"paragraphs"\s*:')
_PARQUET, _COMMA, _TAB = map(_begins, (rb"PAR1", rb"[\r\n]*.*,", rb"[\r\n]*.*\t"))
_TABLES, _CONLL = tuple(DELIMITERS), ("conll",)
# fmt: off
FORMATS = (
    Format("parquet", "parquet:parquet", (".parquet",), begins=_PARQUET),
    Format("squad", "jsonlines:squad", (), "question", 1, _SQUAD, within=("jsonl",)),
    Format("keyed", "jsonlines:keyed", (), "row", 1, is_object, within=("jsonl",)),
    Format("jsonl", "jsonlines:json", _JSON_ENDINGS, "line", begins=_begins(rb"\s*(\[\s*)?\{")),
    Format("brat", "text_tables:brat", (".ann",), "document", begins=_SPAN, empty=True),
    Format("conll2012", "coreference:2012", (), "document", 1, _is_2012, True, within=_CONLL),
    Format("corefud", "coreference:corefud", (), "document", 1, _is_corefud, True, within=_CONLL),
    Format("conll", "text_tables:conll", _TAGGED, "sentence", 1, _are_tagged, True, within=_TABLES),
    Format("blanks", "text_tables:blanks", first=2, begins=_look_blank, text=True),
    Format("tsv", "delimited:delimited", (".tsv",), first=2, begins=_TAB),
    Format("csv", "delimited:delimited", (".csv",), first=2, begins=_COMMA),
    Format("lines", "text_tables:labels", (".txt",), "line", begins=_begins(b""), text=True),
    Format("score", "text_tables:scores", (".score",), "line", option=False),
    Format("rows", "jsonlines:listed", (), "element", option=False),
    Format("array", "jsonlines:json", (), "element", option=False),
)
# fmt: on
"""All formats, in the order in which they are recognised."""
_NAMED = {one.name: one for one in FORMATS}
OPTIONS = "|".join(one.name for one in reversed(FORMATS) if one.option)
"""The formats that `--input-format` takes."""


def holds_array(path: str) -> bool:
    """Returns whether a JSON file contains one array and not an object on each line."""
    return sniff(path).removeprefix(BOM_UTF8).lstrip().startswith(b"[")


def get_format(asked: Asked) -> Format:
    """Returns the format of a file; JSON that begins as a list is an array of records."""
    name = _cut(asked.format)
    if name == "jsonl" and holds_array(asked.path):
        name = "array"
    return replace(_NAMED[name], first=1) if is_headless(asked.format) else _NAMED[name]


def _cut(format: str) -> str:
    return re.split("[ :]", format)[0]


def is_headless(format: str | None) -> bool:
    """Returns whether the first row of tables is no header."""
    return not _HEADLESS.isdisjoint((format or "").split(" ")[1:])


def mark_headless(format: str | None, *, named: bool) -> str:
    """Returns a format whose first row is no header; columns are `named` by number if at all."""
    if format is not None and _cut(format) not in ("", "blanks", *DELIMITERS):
        raise UsageError(f"{_cut(format)} has no header; only CSV, TSV and blanks can be without")
    return f"{format or ''} {'numbered' if named else 'paired'}"


def name_columns(source: str, format: str, first: Sequence[str]) -> list[str]:
    """Returns the header; without one, `id` and `label` for a pair of columns, else numbers."""
    if not is_headless(format):
        return list(first)
    if len(first) > 1 and all(map(is_usual, first)):
        message = f"its first row {', '.join(first)} is a header; leave out `header=False`"
        raise InputError(f"{source}: {message}")
    paired = format.endswith("paired") and len(first) == 2
    return ["id", "label"] if paired else [str(place) for place in range(1, len(first) + 1)]


def check_start(path: str, *, format: str, sure: bool = False) -> None:
    """Raises an error if a file does not begin as its format does; `sure` lines are texts."""
    if _NAMED[_cut(format)].empty and not sniff(path):
        return
    rules, headless = _NAMED[_cut(format)].rules, is_headless(format) and _cut(format) in DELIMITERS
    check_rules(path, rules[:-1] if headless or (sure and rules is LINES) else rules)


def settle_format(pieces: Sequence[Piece], format: str | None) -> str:
    """Returns the format of some files, which is recognised if it is not given."""
    name, *words = (format or "").split(" ")
    if format is not None and name:
        known = [one.name for one in FORMATS if one.option or one.endings]
        right = name in known and (not words or _can_have(name, words))
        if not right and not format.startswith(ROWS):
            message = f"{', '.join(known[:-1])} or {known[-1]}"
            raise UsageError(f"unknown format of a table {format!r}: expected {message}")
        return format
    first, *others = pieces
    name = _guess(first.path, words)
    if words and not _can_have(name, words):
        message = "--quote can only be used with CSV and TSV files"
        if is_headless(format):
            message = "only CSV, TSV and blanks can be without a header"
        raise UsageError(f"{message}, and {first.path} is {name}")
    for other in others:
        if (own := _guess(other.path, words)) != name:
            raise InputError(
                f"{other.path} is {own}, but {first.path} is {name}; files that are read as one "
                "table must have the same format"
            )
    return " ".join([name, *words])


def _can_have(name: str, words: Sequence[str]) -> bool:
    return {*words} <= (_WORDS if name in DELIMITERS else _HEADLESS if name == "blanks" else set())


def _guess(path: str, words: Sequence[str]) -> str:
    """Guesses a format; lines of a table without a header show what separates their fields."""
    name = guess_format(path)
    named = guess_by_ending(path)
    if _HEADLESS.isdisjoint(words) or named not in (None, "lines"):
        return str(named) if words and named in DELIMITERS else name
    line = sniff(find_pieces(path)[0].path).lstrip(b"\r\n").partition(b"\n")[0]
    marks = {"tsv": b"\t", "csv": b",", "csv ": b";", "blanks": b" "}
    marked = next((own.strip() for own, mark in marks.items() if mark in line), name)
    return marked if name in ("lines", "conll") else name


def guess_format(path: str) -> str:
    """Returns the format by a file's extension or its first bytes; of several files, the first."""
    named = guess_by_ending(path)
    first = find_pieces(path)[0].path
    if named is None and first != path:
        return guess_format(first)
    plain = named in (None, "lines")
    formats = [
        one for one in FORMATS if named in one.within or (plain and (one.text or named is None))
    ]
    if not formats:
        return str(named)
    start = sniff(first) if named is None else try_sniff(first)
    text, whole = start.removeprefix(BOM_UTF8), len(start) < SNIFFED
    fitting = (one.name for one in formats if one.begins and one.begins(text, whole, first))
    return next(fitting, str(named))


def guess_by_ending(path: str) -> str | None:
    """Returns the format that the name of a file shows; None if it shows none."""
    name = cut_options(path).lower().removesuffix(".gz")
    return next((one.name for one in FORMATS if name.endswith(one.endings)), None)

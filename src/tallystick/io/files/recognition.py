"""Recognises files that would be scored as something else: subtitles as sentences, ids as words.

Each rule takes the first bytes of a file and its path, and returns what it is and what to do.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

import msgspec

from tallystick.errors import InputError
from tallystick.io.files.opening import SNIFFED, name_source, sniff

_LINES = 500
_MOST = 0.95
"""The share of the first lines that must agree; some may be comments or broken."""

_START = 1 << 12
_TO_UTF8 = "save it as UTF-8, for example with iconv -f UTF-32 -t UTF-8"
_SAVE = "save the sheet as CSV and give that"
_GET = "fetch the file itself with git lfs pull"
_UNPACK = "decompress it, or compress it with gzip instead"
_UNPACK_ALL = "unpack it, and pack its files as a zip archive where several are needed"
_WRITE = "write CSV or JSON Lines, which run no code when they are read"

# The longer of two that begin alike stands first.
_FOREIGN = (
    (b"\xff\xfe\0\0", "is UTF-32", _TO_UTF8),
    (b"\0\0\xfe\xff", "is UTF-32", _TO_UTF8),
    (b"PK\x03\x04", "is a zip archive", "unpack it, or give all files in it with --submissions"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an Excel file", _SAVE),
    (b"version https://git-lfs", "is a pointer of Git LFS and not the file itself", _GET),
    (b"BZh", "is compressed with bzip2", _UNPACK),
    (b"\xfd7zXZ\0", "is compressed with xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", _UNPACK),
    (b"PAR1", "is a Parquet file", "name it .parquet, or pass `input_format='parquet'`"),
    (b"ARROW1\0\0", "is an Arrow file", "write it as Parquet"),
    (b"%PDF-", "is a PDF file", "give the text or the table that it was made from"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive", _UNPACK_ALL),
    (b"Rar!\x1a\x07", "is a rar archive", _UNPACK_ALL),
    *((b"\x80" + bytes([one]), "is a pickle of Python", _WRITE) for one in range(2, 6)),
)
_ONE_A_LINE = "write its segments one a line, or as a table"
# Marks of text, in small letters, which white space and a byte order mark may precede.
_MARKED = (
    (b"<?xml", "is XML", _ONE_A_LINE),
    *(
        (b"<" + name, "is SGM", _ONE_A_LINE)
        for name in (b"refset", b"srcset", b"tstset", b"mteval")
    ),
    (b"<!doctype mteval", "is SGM", _ONE_A_LINE),
    (b"webvtt", "is WebVTT", _ONE_A_LINE),
    (b"#format=webanno", "is TSV of WebAnno", "export CoNLL 2002 from it"),
)
_OPENED = re.compile(rb'[\[{][\[{]?("[^"]*":.*[\[{,])?\n["\[{\d-]')
"""A first line of JSON that goes on, without its spaces, with the first character below."""
_SHEET = (b"xl/", b"[Content_Types].xml")
_PAGE = (b"<!doctype html", b"<html")

_TABLE = "write a table with the columns id and reference or hypothesis, or one text a line"
_SEGMENTS = "write one text a line, in the order of the other files and without ids and times"
_TREES = "write dependency trees in CoNLL-U"
_SPANS = 'write {"id": ..., "spans": [[0, 5, "TYPE"], ...]} for each document, one a line'
_TIME = re.compile(r"\d+(\.\d*)?|\.\d+")
_CUE = re.compile(r"(\d+:)?\d+:\d\d[.,]\d+ *(-->|,) *(\d+:)?\d+:\d\d[.,]\d+.*|\[Script Info\].*")
_BRAT = re.compile(r"([TREAMN#*][\w-]*)\t\S+ .*")
_BEGUN = (
    (_CUE, "is a file of subtitles, such as SRT", _SEGMENTS),
    (re.compile(r"A -?\d+ -?\d+\|\|\|.*"), "is M2", "write the corrected sentences, one a line"),
    (re.compile(r"# ::(id|snt) .*|\(\w+ / \S+"), "is AMR", "graphs are not scored"),
    (re.compile(r"\((ROOT|TOP|S1?|VROOT)? *\(\S+ .*\)\)"), "has trees in brackets", _TREES),
    (re.compile(r"\d+\|[ta]\|.*"), "is PubTator", _SPANS),
)
"""The forms of one of the first lines, what a file with it is, and what to do."""
_TRN = re.compile(r".*\(([^()\s]+)\)\s*")
_SEPARATORS = {"\t": "tabs", ":::": "':::'", "|||": "'|||'", ",": "commas", ";": "semicolons"}
_ORDINARY = re.compile(r"\d+[A-Za-z]{1,3}|\d+[-/.:]\d\d?|\d{4}[-/.]\d\d?[-/.]\d\d?|(\d+[:.])+\d+")
"""Words with digits that sentences begin with: 3D, 1st, 10am, 5-6, 2020-01-31, 12:30."""

Found = tuple[str, str] | None
"""What a file is, and what to do."""
Rule = Callable[[bytes, str], Found]


# fmt: off
_USUAL = {
    "answer", "answers", "best_threshold", "category", "class", "clusters", "comment_text",
    "doc_id", "doc_key", "example_id", "expected", "gold", "gold_label", "ground_truth",
    "group", "hyp", "hypothesis", "id", "label", "labels", "lang", "language", "model", "mt",
    "output", "participant", "pred", "pred_label", "pred_score", "predicted",
    "predicted_clusters", "predicted_label", "prediction", "prediction_binary",
    "prediction_text", "predictions", "prob", "probability", "ref", "reference", "references",
    "run", "sample_id", "score", "sentence", "source", "sub_id", "submission", "system",
    "system_output", "target", "team", "text", "toxic", "translation", "true_label", "uid",
    "weight", "y_pred", "y_prob", "y_true",
}
# fmt: on


def is_usual(name: str) -> bool:
    """Returns whether a text is one that headers of prediction files often hold."""
    return name.strip().lower().replace(" ", "_").replace("-", "_") in _USUAL


class _Format(msgspec.Struct, frozen=True):
    """A format that is recognised by the fields of its lines; comments are skipped."""

    said: str
    cure: str
    has_line: Callable[[str], bool]
    comment: str = ";;"

    def holds(self, lines: Sequence[str]) -> bool:
        rows = [line for line in lines if not line.startswith(self.comment)]
        known = sum(map(self.has_line, rows))
        return bool(rows) and self.has_line(rows[0]) and known >= _MOST * len(rows)


def _is_time(*fields: str) -> bool:
    return all(map(_TIME.fullmatch, fields))


def _is_stm(line: str) -> bool:
    fields = line.split()
    return (
        len(fields) > 4
        and _is_time(*fields[3:5])
        and float(fields[3]) <= float(fields[4])
        and fields[1].upper() != "Q0"
        and any(map(str.isalpha, "".join((fields[0], fields[2], *fields[5:]))))
    )


def _is_ctm(line: str) -> bool:
    fields = line.split()
    return (
        4 < len(fields) < 9
        and _is_time(*fields[2:4])
        and any(map(str.isalpha, fields[4]))
        and fields[1].upper() != "Q0"
        and (len(fields) == 5 or fields[5] == "NA" or _is_time(fields[5].lstrip("-")))
    )


def _is_rttm(line: str) -> bool:
    fields = line.split()
    return len(fields) > 7 and fields[0].isupper() and _is_time(fields[3])


def _is_span(line: str) -> bool:
    """Whether a line is of SemEval 2020's task 11: article, perhaps technique, start and end."""
    fields = line.split("\t")
    ends = fields[-2:] if len(fields) in (3, 4) else [""]
    return all(map(str.isdecimal, ends)) and int(ends[0]) + 1 < int(ends[1])


def _is_run(line: str) -> bool:
    fields = line.split()
    return len(fields) == 6 and fields[1].upper() == "Q0"


_FORMATS = (
    _Format(
        "is standoff annotation of brat",
        "name it .ann, or pass `input_format='brat'`",
        lambda line: bool(_BRAT.fullmatch(line)),
    ),
    _Format("is RTTM", "give transcripts, one text a line", _is_rttm),
    _Format("is STM", _SEGMENTS, _is_stm),
    _Format("is CTM, with a word a line", _SEGMENTS, _is_ctm),
    _Format("is a TREC run", "give the qrels first, and the run after them", _is_run),
    _Format(
        "has a span on each line, as SemEval 2020's task 11",
        _SPANS,
        _is_span,
    ),
)


_TRANSCRIPTS = {"is STM": "stm", "is CTM, with a word a line": "ctm"}


COREFERENCE = re.compile(rb"(?:#[^\n]*\n|\s)*?#\s*(begin document|global\.Entity)\b")
"""How files of coreference begin, in CoNLL-2012 or in CorefUD."""


def name_coreference(start: bytes, path: str) -> Found:
    """Recognises files of coreference, which are no lines of text."""
    found = COREFERENCE.match(start.removeprefix(BOM_UTF8))
    return ("contains coreference", "score it with metrics such as conll_f1") if found else None


def name_format(start: bytes, path: str) -> Found:
    """Returns what the first lines show a text to be that is neither lines nor a table."""
    lines = _split(start)
    if not lines:
        return None
    for form, said, cure in _BEGUN:
        if any(form.fullmatch(line.strip()) for line in lines[:3]):
            return said, cure
    if lines[0].startswith(('File type = "ooTextFile', '"Praat chronological')):
        return "is a TextGrid of Praat", _SEGMENTS
    found = ((one.said, one.cure) for one in _FORMATS if one.holds(lines))
    return next(found, None) or _name_trn(lines)


def name_transcripts(start: bytes) -> str | None:
    """Returns the format of transcripts that the first lines are; None if of no known one."""
    lines = _split(start)
    known = next((one.said for one in _FORMATS if one.holds(lines)), None)
    rows = [line for line in lines if not line.startswith(";;")]
    if known is not None or not rows:
        return _TRANSCRIPTS.get(known or "")
    keys = set(re.findall(rb'"(\w+)" *:', start)) if start.lstrip()[:1] in (b"[", b"{") else set()
    keyed = _name_keyed(rows, (" ", "\t")) or ("", "")
    found = {
        "seglst": {b"session_id", b"words"} <= keys,
        "vtt": rows[0].startswith("WEBVTT"),
        "srt": any(_CUE.fullmatch(line.strip()) and "-->" in line for line in rows[:3]),
        "trn": _name_trn(rows) is not None,
        "kaldi": keyed[0].startswith("its lines begin") and all(r.count("\t") < 2 for r in rows),
    }
    return next((name for name, holds in found.items() if holds), None)


def name_object(start: bytes, path: str) -> Found:
    """Returns what JSON is that is one object for all examples, and not an object for each."""
    alone = path.lower().endswith((".json", ".json.gz"))  # which are a single value
    text = start.removeprefix(BOM_UTF8).strip()
    cut = len(start) == SNIFFED and b"\n" not in text
    if not text.startswith(b"{") or (cut and not alone):
        return None
    line = text.partition(b"\n")[0]
    several = len(line) < len(text)
    found = _decode(line)
    if several:
        found = None if found is not None else _decode(text)
    if not found:
        return None
    keys, values = list(found), list(found.values())
    named = any(map(is_usual, keys))
    columns = all(isinstance(one, dict) and all(map(str.isdecimal, one)) for one in values)
    split = {"columns", "data"} <= {*keys}
    lists = [*_find_rows(found)]
    nested = alone and any("." in place for place in lists)
    mapped = not named and (alone or _are_ids(keys, sure=True))
    if not (several or columns or split or nested or mapped):
        return None
    shown = ", ".join(keys[:5]) + (", …" if len(keys) > 5 else "")
    cure = "write an object for each example, one a line"
    cure = f"pass --rows {lists[0]}" if len(lists) == 1 else cure
    return f"is one JSON object with the keys {shown}, and not a row for each example", cure


def is_object(start: bytes, whole: bool, path: str) -> bool:
    """Returns whether text is one JSON value with all rows, in a form that `name_form` names."""
    text = start.strip()
    line, _, rest = text.partition(b"\n")
    if not text.startswith(b"{") or (rest and _decode(line) is not None):
        return _VALUES.match(text) is not None
    lines = not rest and path.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return name_form(_decode(text) or {}, whole=whole, lines=lines) is not None


_VALUES = re.compile(rb"\[\s*\[")


def name_form(found: object, *, whole: bool = True, lines: bool = False) -> str | None:
    """Returns the form of a JSON value with all rows, mostly as pandas calls its orient.

    Of a file of `lines` the value may be a single row.
    """
    if not isinstance(found, dict) or not found:
        return "values" if isinstance(found, list) and found else None
    keys, values = [*found], [*found.values()]
    ids = _are_ids(keys, sure=True) or (len(keys) == 1 and keys[0].isdecimal())
    usual = _has_usual(keys)
    rows = all(isinstance(one, dict) and one for one in values)
    inner = [[*one] for one in values if rows]
    across = rows and (
        all(map(str.isdecimal, chain.from_iterable(inner)))
        or (usual and not ids and (_are_ids(inner[0], sure=True) or _are_words(values)))
    )
    of_rows = rows and not across and (ids or (inner[1:] == inner[:-1] and _has_usual(inner[0])))
    listed = all(isinstance(one, list) for one in values)
    words = listed and all(isinstance(item, str) for one in values for item in one)
    labels = words or not any(isinstance(one, dict | list) for one in values)
    even = listed and (not whole or len({*map(len, values)}) == 1)
    forms = {
        "split": _are_lists(found, "columns") and _are_lists(found, *({*keys} & {"index", "data"})),
        "table": {*keys} == {"schema", "data"} and isinstance(found["data"], list),
        "columns": across and not lines,
        "keyed": not usual and (of_rows or (ids and labels)),
        "list": usual and not ids and even and len(keys) > 1 and not lines,
    }
    return next((name for name, holds in forms.items() if holds), None)


def _are_words(columns: Sequence[dict[str, object]]) -> bool:
    """Whether columns have texts for the same keys, and not shares of labels."""
    cells = chain.from_iterable(one.values() for one in columns)
    same = all(one.keys() == columns[0].keys() for one in columns)
    return same and not any(isinstance(cell, float | dict | list) for cell in cells)


def _are_lists(found: dict[str, object], *keys: str) -> bool:
    return bool(keys) and all(isinstance(found.get(key), list) for key in keys)


def _has_usual(names: Iterable[str]) -> bool:
    return any(map(is_usual, names))


def _decode(text: bytes) -> dict[str, object] | None:
    """The object that a text is, or begins if it was cut off; None if it is something else."""
    for whole in (text, *(text[: text.rfind(b",")] + end for end in (b"}", b"}}", b"]}", b"}]}"))):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return msgspec.json.decode(whole, type=dict[str, object])
        if len(text) < SNIFFED - 1024:
            return None
    return None


def _find_rows(values: object, place: str = "") -> Iterator[str]:
    """The keys of the lists of objects within an object, with dots between keys."""
    if isinstance(values, list) and values and isinstance(values[0], dict):
        yield place
    elif isinstance(values, dict) and place.count(".") < 2:
        for key, own in values.items():
            yield from _find_rows(own, f"{place}.{key}" if place else key)


def name_lines(start: bytes, path: str) -> Found:
    """Returns what lines show themselves to be that are neither texts nor labels."""
    lines = _split(start)
    rules = (_name_json, _name_table, _name_keyed, _name_columns)
    return next(filter(None, (rule(lines) for rule in rules if lines)), None)


def name_headless(start: bytes, path: str, *, delimiter: str) -> Found:
    """Returns what a table is whose first line looks like a row of values and not like a header."""
    rows = [line.split(delimiter) for line in _split(start)]
    header, *rest = rows or [[]]
    rest = [row for row in rest if len(row) == len(header)]
    if not rest or any(map(is_usual, header)):
        return None
    if len(header) == 1:
        long = sum(len(row[0].split()) > 3 for row in rest)
        values = len(header[0].split()) > 3 and 2 * long > len(rest)
    else:
        firsts, numbers = [row[0] for row in rows], [*map(_read_number, header)]
        recurs = any(
            number is None and name and name in column
            for name, number, column in zip(header, numbers, zip(*rest, strict=True), strict=True)
        )
        counted = None not in numbers and numbers != [*range(len(header))]
        counted = counted and numbers != [*range(1, len(header) + 1)]
        alike = [re.sub(r"\d+", "0", name) for name in firsts]
        keyed = not header[0].isdecimal() and alike[0] in alike[1:] and _are_ids(firsts, sure=True)
        values = recurs or counted or keyed
    if not values:
        return None
    shown = delimiter.join(header)
    shown = shown if len(shown) < 40 else shown[:40] + "…"
    names = delimiter.join(("id", "label", "text")[: len(header)])
    cure = f"add a header such as {names!r}, or pass `header=False`"
    return f"its first line {shown!r} is read as a header, but looks like the lines below it", cure


def _split(start: bytes) -> list[str]:
    """The first lines that are not blank; the last one may be cut off."""
    text = start.removeprefix(BOM_UTF8).decode(errors="replace")
    lines = text.split("\n", _LINES)[:_LINES]
    if 1 < len(lines) < _LINES and len(start) == SNIFFED:
        lines.pop()
    return [line.rstrip("\r") for line in lines if line.strip()]


def _name_trn(lines: Sequence[str]) -> Found:
    ids = [match[1] for line in lines if (match := _TRN.fullmatch(line)) is not None]
    if len(ids) < _MOST * len(lines) or not _are_ids(ids, sure=True):
        return None
    return f"is NIST trn: each line ends with an id, such as '({ids[0]})'", _TABLE


def _name_json(lines: Sequence[str]) -> Found:
    """Names JSON Lines whose keys are those of tables; others may be texts that are JSON."""
    objects = [line for line in lines if line.lstrip("[ ").startswith('{"')]
    keys = re.findall(r'"([^"]*)" *:', lines[0])
    if len(objects) < _MOST * len(lines) or sum(map(is_usual, keys)) < 2:
        return None
    return "is JSON", "name it .jsonl or .json, or pass `input_format='jsonl'`"


def _name_table(lines: Sequence[str]) -> Found:
    """Names a table by its header, or by the number of fields that most lines have."""
    for mark, said in _SEPARATORS.items():
        widths = [line.count(mark) + 1 for line in lines]
        width = max(set(widths), key=widths.count)
        if width == 1 or widths.count(width) < _MOST * len(lines):
            continue
        header = lines[0].split(mark)
        if len(lines) > 1 and sum(map(is_usual, header)) > 1:
            cure = "name it .csv or .tsv, or pass `input_format='csv'`"
            columns = ", ".join(one.strip() for one in header[:9])
            return f"is a table with the columns {columns}", cure
        blank = sum(" " in line.partition(mark)[0].strip() for line in lines)
        if len(lines) > 1 and mark in ("\t", "|||") and (width > 2 or 2 * blank > len(lines)):
            cure = (
                "name it .tsv and add a header, or pass `header=False`; give each "
                "reference a file of its own (`references=`); or pass `input_format='lines'`"
            )
            return f"its lines have {width} fields separated by {said}", cure
    return None


def _name_columns(lines: Sequence[str]) -> Found:
    """Recognises references in tab-separated columns that most but not all lines have."""
    if len(lines) > 2 and 2 * sum("\t" in line for line in lines) > len(lines):
        cure = (
            "give each reference a file of its own (`references=`); or pass `input_format='lines'`"
        )
        return "most of its lines contain tabs, as references in columns do", cure
    return None


_KEYED = ("\t", ":::", "|||", ",", ";", " ")


def _name_keyed(lines: Sequence[str], marks: Sequence[str] = _KEYED) -> Found:
    """Names lines that begin with an id: Kaldi's texts, and pairs of an id and a label."""
    for mark in marks:
        pairs = [
            (one.strip(), rest.strip())
            for one, found, rest in (line.lstrip().partition(mark) for line in lines)
            if (found or mark == " ") and one and not re.search(r"\s", one.strip())
        ]
        if len(pairs) < _MOST * len(lines) or 2 * sum(rest != "" for _, rest in pairs) < len(pairs):
            continue
        keys, rests = zip(*pairs, strict=True)
        sure = mark in ("\t", ":::", "|||")
        words = [len(rest.split()) for rest in rests]
        if mark in ",;" and (max(words) > 1 or any(rest.isdecimal() for rest in rests)):
            continue
        numbers = all(_read_number(rest) is not None for rest in rests)
        repeated = numbers or len(set(rests)) < len(rests)
        unique = sure and len(set(keys)) == len(keys) > 1 and repeated
        if not (_are_ids(keys, sure=sure) or unique):
            continue
        shown = repr(lines[0][:40])
        if max(words) > 1:
            cure = "pass `header=False`" if mark in "\t,;" else _TABLE
            cure = f"{cure}; if these are no ids, pass `input_format='lines'`"
            return f"its lines begin with an id, such as {shown}", cure
        cure = "pass `header=False`, or `input_format='lines'` if these are labels"
        return f"its lines are an id and a value without a header, such as {shown}", cure
    return None


def _are_ids(keys: Sequence[str], *, sure: bool) -> bool:
    """Whether words are ids: all differ and have digits; `sure` if a separator sets them off."""
    if len(set(keys)) < len(keys):
        return False
    if all(map(str.isdecimal, keys)):
        numbers = sorted(map(int, keys))
        least = 2 if sure else 4
        dense = numbers[-1] - numbers[0] == len(keys) - 1
        years = all(1500 <= number < 2200 for number in numbers)
        long = numbers[0] > 99_999 and len(keys) > 1
        return long or (len(keys) >= least and not years and (dense or sure or len(keys) > 19))
    named = [key for key in keys if _is_named(key, sure=sure)]
    if len(named) < _MOST * len(keys):
        return False
    if sure or len(keys) > 4 or all(map(_is_made, named)):
        return True
    return len(keys) > 1 and len({re.sub(r"\d+", "0", key) for key in keys}) == 1


def _is_named(key: str, *, sure: bool) -> bool:
    """Whether a word may be an id: it has a digit, or underscores, and no marks of a sentence."""
    if not re.fullmatch(r"\w[\w./:@#+-]*\w|\w", key) or _ORDINARY.fullmatch(key):
        return False
    digits = any(map(str.isdecimal, key)) and (sure or not key.isdecimal())
    return digits or _is_made(key)


def _is_made(key: str) -> bool:
    """Whether hardly any sentence has such a word: spk_01, utt-0001, a/b.wav, BAC009S0764W0121."""
    return "_" in key or bool(re.search(r"\D0\d|\d{3,}\D+\d|\.(wav|flac|mp3)$", key))


def _read_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def is_sheet(start: bytes) -> bool:
    """Returns whether a zip archive with these first bytes is a sheet of Excel."""
    return any(mark in start for mark in _SHEET)


def name_foreign(start: bytes, path: str) -> Found:
    """Returns what the first bytes show a file to be that is no table and no text."""
    start = start[:_START]
    if start.startswith(b"PK\x03\x04") and is_sheet(start):
        return "is an Excel file", _SAVE
    for mark, what, cure in _FOREIGN:
        if start.startswith(mark):
            return what, cure
    marked = _strip(start)[:16].lower()
    found = ((what, cure) for mark, what, cure in _MARKED if marked.startswith(mark))
    return next(found, None)


def name_page(start: bytes, path: str) -> Found:
    """Returns what a file is that is a web page."""
    page = _strip(start)[:16].lower().startswith(_PAGE)
    return ("is a web page", "download the file itself") if page else None


def name_spread(start: bytes, path: str) -> Found:
    """Returns what lines are that are JSON over several lines."""
    found = "is JSON over several lines", "name it .json, or pass `input_format='jsonl'`"
    return found if _goes_on(_strip(start[:_START])) else None


def name_objects(start: bytes, path: str) -> Found:
    """Returns what JSON is whose objects have several lines each, one after the other."""
    text = _strip(start[:_START])
    cure = "write each object on one line, as jq -c . does, or one list"
    spread = text.startswith(b"{") and _goes_on(text)
    return ("its objects are written over several lines", cure) if spread else None


def _strip(start: bytes) -> bytes:
    return start.removeprefix(BOM_UTF8).lstrip()


def _goes_on(text: bytes) -> bool:
    line, end, rest = text.partition(b"\n")
    return _OPENED.fullmatch(b"".join(line.split()) + end + rest.lstrip()[:1]) is not None


LINES: tuple[Rule, ...] = (
    name_foreign,
    name_spread,
    name_coreference,
    name_format,
    name_lines,
)
"""What lines of text or labels are not; the last rule is for callers who are not sure of that."""
_MARKS: tuple[Rule, ...] = (name_foreign, name_page)
_TEXTS = (*_MARKS, name_format)
RULES: dict[str, tuple[Rule, ...]] = {
    "parquet": (),
    "jsonl": (*_MARKS, name_object, name_objects),
    "conll": _MARKS,
    "blanks": _TEXTS,
    "tsv": (*_TEXTS, partial(name_headless, delimiter="\t")),
    "csv": (*_TEXTS, partial(name_headless, delimiter=",")),
    "lines": LINES,
}
"""What files of a format are not, by its name; those of formats without rules are as of conll."""


def check_rules(path: str, rules: Sequence[Rule] = LINES) -> None:
    """Raises an error if a file is empty, or a rule recognises something else in it."""
    start, source = sniff(path), name_source(path)
    if not start:
        raise InputError(
            f"{source}: is empty (0 bytes); check that the program that writes it has finished"
        )
    for found in (rule(start, path) for rule in rules):
        if found is not None:
            raise InputError(f"{source}: {found[0]}; {found[1]}")

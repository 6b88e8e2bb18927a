"""Reads coreference in CoNLL-2012 and CorefUD, a row for each document.

A mention is the numbers of its first and its last token from 0, and a discontinuous one those of
each of its parts. Empty nodes are tokens, and words that are several tokens are those.
"""

import re
from collections.abc import Sequence
from typing import NoReturn

import msgspec
import pyarrow
from msgspec import Struct, field

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked
from tallystick.io.files.lines import iterate_lines
from tallystick.io.files.opening import name_source
from tallystick.io.tables.formats import select_names
from tallystick.io.tables.json_cells import mark_json
from tallystick.io.tables.values import build_bytes, build_lists, build_strings

_BEGIN = re.compile(r"#\s*begin document\s*\(?(.*?)\)?;?\s*(?:part\s+(\d+))?")
_NONE = {"-", "_", "*"}
"""The last column of CoNLL-2012 where no mention begins or ends."""
_MARK = re.compile(r"\(([^()|]+)\)|\(([^()|]+)|([^()|]+)\)")
"""A mention of one token, the begin of a mention, or its end."""
_PART = re.compile(r"(.+)\[([1-9]\d{0,5})/([1-9]\d{0,5})\]")
_FIELDS = 10
_COMMENT = re.compile(r"#\s*(newdoc|global\.Entity)\b\s*(?:id\s*)?(?:=\s*)?(.*)")


class _Document(Struct):
    """A document that is being read.

    Attributes:
        clusters: The mentions of each cluster by its name, in the order in which clusters begin.
        opened: The first token and the line of each mention that has not ended, by cluster.
        parts: The number of parts and the known ones of mentions that go on, by cluster.
    """

    source: str
    name: str
    part: str | None = None
    tokens: list[str] = field(default_factory=list)
    clusters: dict[str, list[list[int]]] = field(default_factory=dict)
    opened: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    parts: dict[str, list[tuple[int, list[int], int]]] = field(default_factory=dict)

    def mark(self, marks: Sequence[re.Match[str]], row: int, place: int | None = None) -> None:
        """Begins and ends mentions at the last token; their cluster may be one of the fields."""
        for alone, begin, end in (one.groups() for one in marks):
            name = str(end or alone or begin)
            fields = name.split("-")
            if not end and place is not None and place < len(fields):
                name = fields[place]
            if not end:
                self.opened.setdefault(name, []).append((len(self.tokens) - 1, row))
                self.clusters.setdefault(_PART.sub(r"\1", name), [])
            if not begin:
                self._end(name, row)

    def _end(self, name: str, row: int) -> None:
        if not self.opened.get(name):
            self.fail(row, f"a mention of {name!r} ends that has not begun")
        mention = [self.opened[name].pop()[0], len(self.tokens) - 1]
        if part := _PART.fullmatch(name):
            name, number, total = part[1], int(part[2]), int(part[3])
            others = self.parts.setdefault(name, [])
            if number > 1:
                sizes = [(count, len(own)) for count, own, _ in others]
                if (total, 2 * number - 2) not in sizes:
                    self.fail(row, f"part {number} of a mention of {name!r} has no part before it")
                mention = others.pop(sizes.index((total, 2 * number - 2)))[1] + mention
            if number < total:
                others.append((total, mention, row))
                return
        self.clusters[name].append(mention)

    def close(self) -> None:
        """Raises an InputError where a mention has not ended."""
        rows = [(row, name) for name, own in self.opened.items() for _, row in own]
        rows += [(row, name) for name, own in self.parts.items() for _, _, row in own]
        if rows:
            row, name = min(rows)
            self.fail(row, f"a mention of {name!r} begins here and does not end in its document")

    def fail(self, row: int, what: str) -> NoReturn:
        raise InputError(f"{self.source}, line {row}: {what}")


def read_2012(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the documents of a CoNLL-2012 file, whose last column is coreference."""
    documents, current = list[_Document](), None
    for row, line in enumerate(iterate_lines(asked.path, watch=asked.watch), 1):
        fields = line.split()
        if line.startswith("#"):
            if found := _BEGIN.fullmatch(line.rstrip()):
                current = _Document(name_source(asked.path), found[1].strip(), found[2])
                documents.append(current)
            elif "end document" in line:
                current = None
        elif fields:
            if current is None or len(fields) < 2:
                what = "has one column" if current else "is outside of '#begin document (name)'"
                _Document(name_source(asked.path), "").fail(row, f"this token {what}")
            current.tokens.append(fields[3] if len(fields) > 4 else "")
            if fields[-1] not in _NONE:
                # In the order of the reference scorer: whole mentions, begins, ends.
                marks = _find_marks(current, fields[-1], row)
                current.mark(sorted(marks, key=lambda one: one.lastindex or 0), row)
    return _build(asked, documents)


def read_corefud(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the documents of a CoNLL-U file with `Entity` in its last column."""
    source, place = name_source(asked.path), None
    documents = list[_Document]()
    for row, line in enumerate(iterate_lines(asked.path, watch=asked.watch), 1):
        if found := _COMMENT.match(line):
            if found[1] == "newdoc":
                name = found[2].strip() or str(len(documents) + 1)
                documents.append(_Document(source, name))
                continue
            names = found[2].strip().split("-")
            place = next((at for at, name in enumerate(names) if name in ("eid", "GRP")), 0)
        if not line.strip() or line.startswith("#"):
            continue
        documents = documents or [_Document(source, "1")]
        fields, current = line.split("\t"), documents[-1]
        if len(fields) != _FIELDS:
            current.fail(row, f"has {len(fields)} columns between tabs, not {_FIELDS}")
        if "-" in fields[0]:  # several words, which follow
            continue
        current.tokens.append(f"empty node {fields[0]}" if "." in fields[0] else fields[1])
        for text in fields[-1].split("|"):
            if text.startswith("Entity="):
                marks = _find_marks(current, text.removeprefix("Entity="), row)
                current.mark(marks, row, place or 0)
    if place is None:
        raise InputError(
            f"{source}: has no line '# global.Entity = eid-...', so it contains no coreference; "
            "parsers are scored with metrics such as LAS"
        )
    return _build(asked, documents)


def _find_marks(document: _Document, text: str, row: int) -> list[re.Match[str]]:
    marks = [*_MARK.finditer(text)]
    if not marks or "".join(one[0] for one in marks) != text.replace("|", ""):
        document.fail(row, f"{text[:60]!r} is no coreference, such as '(1)', '(1' or '1)'")
    return marks


def _build(asked: Asked, documents: Sequence[_Document]) -> tuple[list[str], pyarrow.Table]:
    for one in documents:
        one.close()
    columns = {
        "id": build_strings([_name(one) for one in documents]),
        "document": build_strings([one.name for one in documents]),
        "genre": build_strings([one.name.partition("/")[0] for one in documents]),
        "tokens": build_lists([one.tokens for one in documents]),
        "clusters": build_bytes(
            [msgspec.json.encode([*one.clusters.values()]) for one in documents]
        ),
    }
    if not any("/" in one.name for one in documents):
        del columns["genre"]
    fields = [pyarrow.field(name, own.type) for name, own in columns.items()]
    fields[-1] = mark_json("clusters", None)
    table = pyarrow.table([*columns.values()], schema=pyarrow.schema(fields))
    kept = select_names(name_source(asked.path), table.column_names, asked.only)
    return table.column_names, table.select(kept)


def _name(document: _Document) -> str:
    """Its name with the number of its part, as JSON Lines made from such files have it."""
    return document.name if document.part is None else f"{document.name}_{int(document.part)}"

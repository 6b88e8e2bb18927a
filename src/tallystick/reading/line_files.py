"""Text files that belong together line by line, read block by block."""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, say_count
from tallystick.io.files.datasets import Piece, cut_ending, find_pieces
from tallystick.io.files.lines import count_lines, iterate_blocks
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.tables.formats import settle_format
from tallystick.io.tables.table import Table
from tallystick.limits import LIMITS
from tallystick.model.codes import Labels, encode
from tallystick.model.facts import Facts
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.reading.tables import Outputs, find_tokenizers

if TYPE_CHECKING:
    from tallystick.kinds.texts.texts import Texts


class LineFiles(Struct, frozen=True):
    """Text files that belong together line by line.

    Attributes:
        references: The references; line i of each file is a reference of example i.
        by: A file with the group of each example, or None; likewise `clusters`.
        blank_is_missing: Whether a blank line of a reference file is no reference at all.
        num_refs: How many references a line has, separated by tabs.
        sure: Whether lines are texts even if they look like rows of a table.
    """

    systems: Mapping[str, str]
    references: Sequence[str]
    by: str | None = None
    clusters: str | None = None
    blank_is_missing: bool = False
    sure: bool = False
    num_refs: int = 1

    @property
    def paths(self) -> tuple[str, ...]:
        """All files."""
        beside = [path for path in (self.by, self.clusters) if path]
        return (*self.systems.values(), *self.references, *beside)

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The next lines of all files as examples of every system, block after block."""
        from tallystick.kinds.texts.text_columns import TextColumn
        from tallystick.kinds.texts.texts import TextExamples, Texts

        def check(name: str) -> None:
            _compare_lengths(self.references[0], self.systems[name])

        kept = reading.collect(self.systems, check) if reading.tolerant else None
        names = list(self.systems if kept is None else kept.accepted)
        paths = replace(self, systems={name: self.systems[name] for name in names}).paths
        start = 0
        for rows in zip_longest(
            *(
                iterate_blocks(
                    path, LIMITS.block_lines, watch=reading.watch, sure=self._is_sure(path)
                )
                for path in paths
            )
        ):
            sizes = [0 if block is None else len(block[1]) for block in rows]
            for path, size in zip(paths, sizes, strict=True):
                if size != sizes[0]:
                    _compare_lengths(paths[0], path)
            hypotheses = [Texts(*block) for block in rows[: len(names)]]
            streams = [Texts(*block) for block in rows[len(names) :]]
            clusters = _read_names(self.clusters, streams.pop(), start) if self.clusters else None
            groups = _read_names(self.by, streams.pop(), start) if self.by else None
            references, spans = self._merge(streams, start)
            parts = tuple(TextExamples(own, references, spans) for own in hypotheses)
            yield Systems(
                tuple(names),
                {"texts": TextColumn.build(parts, reading.columns)},
                groups=groups,
                tokenizers=find_tokenizers(reading.columns, None, groups, len(parts[0])),
                clusters=clusters,
                facts=Facts(reading.task, reading.task, rejected=kept.rejected if kept else ()),
                first=start,
                tolerant=reading.tolerant,
            )
            start += len(hypotheses[0])
        if not start:
            raise InputError(f"{name_source(paths[0])}: is empty, so there is nothing to score")

    def as_tables(self) -> tuple[Table, dict[str, Outputs]]:
        """The lines of all files as tables, with a cell for each line."""

        def read(path: str) -> list[str]:
            blocks = iterate_blocks(path, LIMITS.block_lines, sure=self._is_sure(path))
            return [line for block in blocks for line in Texts(*block).strings()]

        from tallystick.kinds.texts.texts import Texts

        for path in self.systems.values():
            _compare_lengths(self.references[0], path)
        lines = [read(path) for path in self.references]
        references = self._list_references(lines, 0)
        beside = (("group", self.by), ("cluster", self.clusters))
        columns = {name: read(path) for name, path in beside if path is not None}
        gold = pa.table({"reference": references, **columns})
        return Table(name_source(self.references[0]), gold, "line", 1), {
            name: Table(name_source(path), pa.table({"hypothesis": read(path)}), "line", 1)
            for name, path in self.systems.items()
        }

    def _is_sure(self, path: str) -> bool:
        return self.sure or (self.num_refs > 1 and path in self.references)

    def _list_references(self, lines: Sequence[Sequence[str]], start: int) -> list[list[str]]:
        """The references of each example; `start` lines precede them."""
        if self.num_refs > 1:
            rows = [line if self.blank_is_missing else line.rstrip() for line in lines[0]]
            several = [row.split("\t", self.num_refs - 1) for row in rows]
            for number, own in enumerate(several, start=start + 1):
                if len(own) != self.num_refs:
                    raise InputError(
                        f"{name_source(self.references[0])}: line {number} has "
                        f"{say_count(len(own), 'reference')} separated by tabs, and "
                        f"{self.num_refs} were expected; if some are blank, pass "
                        "`blank_is_missing=True`"
                    )
        else:
            several = [[*own] for own in zip(*lines, strict=True)]
        return [
            [line for line in own if line.strip() or not self.blank_is_missing] for own in several
        ]

    def _merge(self, streams: "Sequence[Texts]", start: int) -> "tuple[Texts, np.ndarray]":
        """The references example by example, and where those of each example begin."""
        from tallystick.kinds.texts.texts import pair_texts

        if len(streams) == 1 and self.num_refs == 1 and not self.blank_is_missing:
            return streams[0], np.arange(len(streams[0]) + 1, dtype=np.int64)
        several = self._list_references([texts.strings() for texts in streams], start)
        sources = ", ".join(map(name_source, self.references))

        def locate(index: int) -> str:
            return f"{sources}, line {start + index + 1}"

        paired = pair_texts([""] * len(several), several, (locate, locate))
        return paired.references, paired.spans


def _compare_lengths(first: str, other: str) -> None:
    sizes = count_lines(first), count_lines(other)
    if sizes[0] != sizes[1]:
        raise InputError(
            f"{name_source(first)} has {say_count(sizes[0], 'line')} but {name_source(other)} "
            f"has {sizes[1]:,}"
        )


def check_folders(gold: str, path: str, kind: str | None) -> None:
    """Raises an InputError unless two folders of text files have the same files and lines."""
    sides = [find_pieces(gold), find_pieces(path)]
    if max(map(len, sides)) == 1 or any(settle_format(own, kind) != "lines" for own in sides):
        return
    one, other = map(_name_pieces, sides)
    if one.keys() != other.keys():
        lost = [*sorted(one.keys() - other.keys())[:1], *sorted(other.keys() - one.keys())[:1]]
        files = " and ".join(one.get(name) or other[name] for name in lost)
        raise InputError(
            f"no file in the other folder has the name of {files}; two folders of texts have files "
            "of the same names, but for their endings; with `per_file=True` patterns pair them"
        )
    for name, file in one.items():
        sizes = list[int]()
        for own in (file, other[name]):  # up to the last line that is not empty
            with open_binary(own) as opened:
                text = opened.read().rstrip(b"\r\n")
            sizes.append(text.count(b"\n") + 1 if text else 0)
        if sizes[0] != sizes[1]:
            raise InputError(
                f"{file} has {say_count(sizes[0], 'line')} but {other[name]} has {sizes[1]:,}; "
                "if a file is an example, pass `per_file=True`"
            )


def _name_pieces(pieces: Sequence[Piece]) -> dict[str, str]:
    """The files by their names in the folder, without endings."""
    base = os.path.commonpath([os.path.dirname(one.path) for one in pieces])
    return {cut_ending(one.path.removeprefix(base).strip(os.sep)): one.path for one in pieces}


def _read_names(path: str, texts: "Texts", start: int) -> Labels:
    names = [name.removeprefix("\ufeff") for name in texts.strings()]
    return encode(names, lambda index: f"{name_source(path)}, line {start + index + 1}")

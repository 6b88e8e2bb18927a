"""Scores text files, one example a line, block by block; and tables with columns of text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from tallystick.errors import InputError, UsageError
from tallystick.evaluate.notes import note_sentences
from tallystick.evaluate.texts import choose_texts, score_parts, score_segments
from tallystick.examples.columns import HYPOTHESIS, IDS, REFERENCE, TextColumns, find, need
from tallystick.examples.ids import join_ids
from tallystick.examples.labels import Labels, Locate, as_text, combine, encode
from tallystick.examples.texts import TextExamples, Texts, pair_texts
from tallystick.intervals.settings import Intervals, settle
from tallystick.io.files import name_source
from tallystick.io.tables import Table
from tallystick.io.texts import Block, count_lines, iterate_blocks
from tallystick.metrics.metric import Metric
from tallystick.results.evaluation import Evaluation

__all__ = ["TextFiles", "read_text_tables", "score_text_files", "score_text_tables"]

_LINES = 1 << 14


@dataclass(frozen=True, slots=True)
class TextFiles:
    """Text files that belong together line by line.

    Attributes:
        systems: The hypotheses of each system.
        references: The references; line i of each file is a reference of example i.
        by: A file with the group of each example, or None.
        clusters: A file with what each example hangs together with, or None.
        blank_is_missing: Whether a blank line of a reference file, with or without spaces, is no
            reference at all.
    """

    systems: Mapping[str, str]
    references: Sequence[str]
    by: str | None = None
    clusters: str | None = None
    blank_is_missing: bool = False

    def blocks(self) -> Iterator[dict[str, TextExamples]]:
        """The next lines of all files as examples of every system, again and again.

        Raises:
            InputError: The files have no lines, or not the same number of them.
        """
        names = [path for path in (self.by, self.clusters) if path]
        paths = [*self.systems.values(), *self.references, *names]
        start = 0
        for rows in zip_longest(*(iterate_blocks(path, _LINES) for path in paths)):
            self._check_lengths(paths, rows)
            hypotheses = [Texts(*block) for block in rows[: len(self.systems)]]
            streams = [Texts(*block) for block in rows[len(self.systems) :]]
            clusters = _read_names(self.clusters, streams.pop(), start) if self.clusters else None
            groups = _read_names(self.by, streams.pop(), start) if self.by else None
            references, spans = self._merge(streams, start)
            yield {
                name: TextExamples(own, references, spans, groups, clusters)
                for name, own in zip(self.systems, hypotheses, strict=True)
            }
            start += len(hypotheses[0])
        if not start:
            raise InputError(f"{name_source(paths[0])}: has no lines, so there is nothing to score")

    def _check_lengths(self, paths: Sequence[str], rows: Sequence[Block | None]) -> None:
        sizes = [0 if block is None else len(block[1]) for block in rows]
        for path, size in zip(paths, sizes, strict=True):
            if size != sizes[0]:
                raise InputError(
                    f"{name_source(paths[0])} has {count_lines(paths[0])} lines but "
                    f"{name_source(path)} has {count_lines(path)}"
                )

    def _merge(self, streams: Sequence[Texts], start: int) -> tuple[Texts, np.ndarray]:
        """The references example by example, and where those of each example begin."""
        if len(streams) == 1 and not self.blank_is_missing:
            return streams[0], np.arange(len(streams[0]) + 1, dtype=np.int64)
        lines = zip(*(texts.strings() for texts in streams), strict=True)
        several = [
            [line for line in own if line.strip() or not self.blank_is_missing] for own in lines
        ]
        paired = pair_texts([""] * len(several), several, (self._locate(start),) * 2)
        return paired.references, paired.spans

    def _locate(self, start: int) -> Locate:
        sources = ", ".join(map(name_source, self.references))
        return lambda index: f"{sources}, line {start + index + 1}"


def _read_names(path: str, texts: Texts, start: int) -> Labels:
    """The next names of a file of groups or clusters."""
    names = [name.removeprefix("\ufeff") for name in texts.strings()]
    return encode(names, lambda index: f"{name_source(path)}, line {start + index + 1}")


def score_text_files(
    files: TextFiles,
    metrics: Sequence[Metric | str] | None,
    *,
    segments: bool = False,
    intervals: Intervals | bool = True,
) -> Evaluation:
    """Scores text files; corpus scores keep no more in memory than a block of lines."""
    chosen = choose_texts(metrics)
    if not files.references:
        raise UsageError("name a reference file before the systems' files, or with --ref")
    if segments:
        blocks = list(files.blocks())
        by_system = {name: [block[name] for block in blocks] for name in files.systems}
        return _note(score_segments(by_system, chosen), note_sentences(chosen, ()))
    by = ((name_source(files.by), "group"),) if files.by else ()
    lead = (("system", "system"), *by, ("n", "n"))
    scored = score_parts(files.blocks(), chosen, lead, settle(intervals))
    return _note(scored, note_sentences(chosen, ()))  # no line holds another


def score_text_tables(
    gold: Table,
    systems: Mapping[str, Table | None],
    metrics: Sequence[Metric | str] | None,
    *,
    columns: TextColumns | None = None,
    segments: bool = False,
    intervals: Intervals | bool = True,
) -> Evaluation:
    """Scores a column of hypotheses against a column of references; lists hold several.

    Args:
        gold: The references, and the hypotheses too where a system's table is None.
        systems: The hypotheses of each system.
        metrics: What to compute.
        columns: Which column holds what, where their names do not tell.
        segments: Whether to score every example on its own instead.
        intervals: How intervals are made; False leaves them out.
    """
    chosen = choose_texts(metrics)
    columns = columns or TextColumns()
    parts = read_text_tables(gold, systems, columns)
    notes = note_sentences(chosen, parts.values())
    if segments:
        scored = score_segments({name: [part] for name, part in parts.items()}, chosen)
        return _note(scored, notes)
    heading = (("/".join(columns.by), "group"),) if columns.by else ()
    lead = (("system", "system"), *heading, ("n", "n"))
    return _note(score_parts([parts], chosen, lead, settle(intervals)), notes)


def _note(scored: Evaluation, notes: Sequence[str]) -> Evaluation:
    return replace(scored, notes=(*scored.notes, *notes))


def read_text_tables(
    gold: Table, systems: Mapping[str, Table | None], columns: TextColumns
) -> dict[str, TextExamples]:
    """Reads each system's hypotheses beside the references; arguments as `score_text_tables`."""
    groups = combine([_read_column(gold, name) for name in columns.by]) if columns.by else None
    clusters = _read_column(gold, columns.clusters) if columns.clusters else None
    parts = {}
    for name, own in systems.items():
        paired = _pair(own or gold, gold, columns)
        parts[name] = replace(paired, groups=groups, clusters=clusters)
    return parts


def _read_column(table: Table, name: str) -> Labels:
    return as_text(encode(table.column(name), _locate(table, name)))


def _pair(own: Table, gold: Table, columns: TextColumns) -> TextExamples:
    hypothesis = need(own, HYPOTHESIS, columns.hypothesis, "hypothesis")
    reference = need(gold, REFERENCE, columns.reference, "reference")
    rows = _join(own, gold, columns.id)
    left, right = own.column(hypothesis).to_pylist(), gold.column(reference).to_pylist()
    where = _locate(own, hypothesis), _locate(gold, reference)
    if rows is None:
        return pair_texts(left, right, where)
    hypotheses = [left[row] for row in rows]
    return pair_texts(hypotheses, right, (lambda index: where[0](rows[index]), where[1]))


def _join(own: Table, gold: Table, named: str | None) -> list[int] | None:
    """Where the row of each gold row is; None where the order of both is the same."""
    ids = [find(table.names(), IDS, named) for table in (gold, own)]
    if own is not gold and ids[0] is not None and ids[1] is not None:
        columns = gold.column(ids[0]), own.column(ids[1])
        rows = join_ids(*columns, (gold.source, own.source))
        return None if rows is None else rows.tolist()
    if len(own) != len(gold):
        raise InputError(
            f"{gold.source} has {len(gold)} examples but {own.source} has {len(own)}, and there "
            "are no ids in both to join them by"
        )
    return None


def _locate(table: Table, name: str) -> Locate:
    return lambda index: f"{table.source}, {table.locate(index)}, column '{name}'"

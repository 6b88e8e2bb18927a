"""Compares text files, one example a line, and tables with columns of text."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.settings import Testing
from tallystick.comparison.tables import read_ids
from tallystick.comparison.texts import compare_parts
from tallystick.evaluate.text_files import TextFiles, read_text_tables
from tallystick.evaluate.texts import choose_texts
from tallystick.examples.columns import TextColumns
from tallystick.examples.labels import Labels, unify
from tallystick.examples.texts import TextExamples, Texts
from tallystick.io.tables import Table
from tallystick.metrics.metric import Metric
from tallystick.results.comparison import Comparison

__all__ = ["compare_text_files", "compare_text_tables", "join_blocks"]


def compare_text_files(
    files: TextFiles, metrics: Sequence[Metric | str], testing: Testing
) -> Comparison:
    """Compares text files."""
    chosen = choose_texts(metrics)
    blocks = list(files.blocks())
    parts = {name: join_blocks([block[name] for block in blocks]) for name in files.systems}
    return compare_parts(parts, chosen, testing)


def compare_text_tables(
    gold: Table,
    systems: Mapping[str, Table | None],
    metrics: Sequence[Metric | str],
    testing: Testing,
    columns: TextColumns,
) -> Comparison:
    """Compares columns of hypotheses."""
    chosen = choose_texts(metrics)
    parts = read_text_tables(gold, systems, columns)
    return compare_parts(parts, chosen, testing, ids=read_ids(gold, columns.id))


def join_blocks(blocks: Sequence[TextExamples]) -> TextExamples:
    """Blocks of examples one after another."""
    return TextExamples(
        _join_texts([block.hypotheses for block in blocks]),
        _join_texts([block.references for block in blocks]),
        _join_offsets([block.spans for block in blocks]),
        _join_labels([block.groups for block in blocks]),
        _join_labels([block.clusters for block in blocks]),
    )


def _join_texts(several: Sequence[Texts]) -> Texts:
    data = np.concatenate([texts.data for texts in several])
    return Texts(data, _join_offsets([texts.offsets for texts in several]))


def _join_offsets(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    starts = accumulate((int(offsets[-1]) for offsets in several), initial=0)
    moved = [offsets[1:] + start for offsets, start in zip(several, starts, strict=False)]
    return np.concatenate([np.zeros(1, np.int64), *moved])


def _join_labels(several: Sequence[Labels | None]) -> Labels | None:
    columns = unify(*(column for column in several if column is not None))
    if not columns:
        return None
    return Labels(np.concatenate([column.codes for column in columns]), columns[0].names)

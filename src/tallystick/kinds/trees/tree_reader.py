"""Columns of treebanks: read from files and from rows, with the text of the gold."""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
import pyarrow as pa
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.tables.table import Table
from tallystick.kinds.trees.conllu import Treebank, read_conllu
from tallystick.kinds.trees.tree_counts import Counts, count_sentences, place_spans
from tallystick.model.codes import Labels, as_text, encode
from tallystick.model.facts import Facts
from tallystick.model.number_values import Cells
from tallystick.model.reading import Reading
from tallystick.model.sides import Side, read_groups
from tallystick.model.systems import Column, Systems

Told = tuple[str, ...]


@final
class Trees(Column, frozen=True, eq=False):
    """What systems got right in each example, and their words in words.

    Attributes:
        counts: The columns of each example, of shape (examples, systems, columns).
        gold: The words of each example, with relations and heads.
        outputs: The same of each system.
    """

    counts: NDArray[np.int64]
    gold: Told
    outputs: tuple[Told, ...]

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, places: Sequence[int]) -> "Trees":
        outputs = tuple(self.outputs[place] for place in places)
        return replace(self, counts=self.counts[:, list(places)], outputs=outputs)

    def take(self, rows: slice) -> "Trees":
        outputs = tuple(own[rows] for own in self.outputs)
        return Trees(self.counts[rows], self.gold[rows], outputs)

    def tell_gold(self, row: int) -> str:
        """The words of an example, such as `She/nsubj/sleeps sleeps/root`."""
        return self.gold[row]

    def tell_output(self, place: int, row: int) -> str:
        """The words that a system has in place of those of an example."""
        return self.outputs[place][row]


_SHOWN = 20
"""So many characters are shown from where texts differ."""


def read_treebanks(gold: object, outputs: Mapping[str, object], reading: Reading) -> Systems:
    """Reads a file of gold and one of each system; sentences are named by their `sent_id`."""
    if reading.columns.missing != "error":
        raise UsageError("`missing=` does not go with CoNLL-U: systems parse all of the text")
    bank = _read_file(gold, reading)

    def read(name: str) -> tuple[Counts, Told]:
        return _join(bank, _read_file(outputs[name], reading), hidden=reading.hidden)

    collected = reading.collect(outputs, read)
    read_of = collected.accepted.values()
    counts = np.stack([own for own, _ in read_of], axis=1)
    trees = Trees(counts, _tell(bank, bank), tuple(told for _, told in read_of))
    groups, clusters = (None, None) if reading.beside else _read_comments(bank, reading)
    return Systems(
        tuple(collected.accepted),
        {"trees": trees},
        groups=groups,
        clusters=clusters,
        ids=_read_ids(bank, reading.beside),
        facts=Facts(refused=collected.refused),
        tolerant=reading.tolerant,
    )


def _read_file(path: object, reading: Reading) -> Treebank:
    if not isinstance(path, str):
        raise UsageError("list the systems' files after the gold: gold.conllu system.conllu")
    with open_binary(path, watch=reading.watch) as file:
        return read_conllu(file.read(), name_source(path))


def _read_ids(gold: Treebank, beside: str | None) -> list[str] | None:
    """The `sent_id` of each sentence; None where some have none, or the same one."""
    names = [one.get("sent_id", "") for one in gold.comments]
    if all(names) and len({*names}) == len(names):
        return names
    if beside is not None:
        raise InputError(
            f"{gold.source}: some sentences have no sent_id, or the same one, by which they could "
            f"be joined with {beside}"
        )
    return None


def _read_comments(gold: Treebank, reading: Reading) -> tuple[Labels | None, Labels | None]:
    """The group and the cluster of each sentence, by what its comments say."""
    columns = reading.columns
    if not (columns.by or columns.clusters):
        return None, None
    names = dict.fromkeys(name for one in gold.comments for name in one)
    values = {name: [one.get(name) for one in gold.comments] for name in names}
    side = Side(Table(gold.source, pa.table(values), "sentence", 1))
    if columns.clusters is None:
        return read_groups([side], columns.by), None
    clusters = encode(side.values(columns.clusters), side.locate(columns.clusters))
    return read_groups([side], columns.by), as_text(clusters)


def read_tree_rows(gold: Cells, outputs: Sequence[Cells]) -> Trees:
    """Reads rows with the CoNLL-U of a text each."""
    banks = _read_rows(gold)
    found = [
        [_join(one, own, hidden=True) for one, own in zip(banks, _read_rows(items), strict=True)]
        for items in outputs
    ]
    counts = np.array([[rows.sum(0) for rows, _ in own] for own in found]).swapaxes(0, 1)
    told = (tuple(" ".join(words) for _, words in own) for own in found)
    return Trees(counts, tuple(" ".join(_tell(one, one)) for one in banks), tuple(told))


def _read_rows(items: Cells) -> list[Treebank]:
    found = []
    for row, cell in enumerate(items.values):
        if not isinstance(cell, str):
            raise InputError(f"{items.locate(row)}: {cell!r} stands where CoNLL-U was expected")
        found.append(read_conllu(cell, items.locate(row)))
    return found


def _join(gold: Treebank, system: Treebank, *, hidden: bool) -> tuple[Counts, Told]:
    _check_text(gold, system, hidden=hidden)
    return count_sentences(gold, system), _tell(gold, system)


def _check_text(gold: Treebank, system: Treebank, *, hidden: bool) -> None:
    """Raises an InputError unless both have the same text, whatever its spaces."""
    one, other = "".join(gold.forms), "".join(system.forms)
    if one == other:
        return
    pairs = zip(one, other, strict=False)
    place = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))

    def show(bank: Treebank, text: str) -> str:
        rows = (row for row, (_, end) in zip(bank.lines, bank.tokens, strict=True) if place < end)
        shown = text[place : place + _SHOWN]
        return f"{shown!r} on line {next(rows)}" if shown else "its end"

    told = "" if hidden else f" has {show(gold, one)}, and it"
    raise InputError(
        f"{system.source}: is not of the same text as {'the gold' if hidden else gold.source}, "
        f"spaces aside: where they part{' it' if hidden else ' the gold'}{told} has "
        f"{show(system, other)}"
    )


def _tell(gold: Treebank, bank: Treebank) -> Told:
    """The words that begin in each sentence of the gold, with relations and the forms of heads."""
    told: list[list[str]] = [[] for _ in gold.sentences]
    words = bank.words
    for word, place in zip(words, place_spans(gold, [one.span for one in words]), strict=True):
        head = f"/{words[word.head].form}" if word.head >= 0 else ""
        told[place].append(f"{word.form}/{word.relation}{head}")
    return tuple(" ".join(own) for own in told)

"""Reads rows that list relevant and retrieved documents, as logs of RAG systems have them."""

import math
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from tallystick.errors import InputError
from tallystick.io.tables.json_cells import read_literal
from tallystick.kinds.rankings.joining import Qrels, join_parts, rank_part
from tallystick.kinds.rankings.rankings import Rankings
from tallystick.model.number_values import Cells

_NAMES = ("id", "doc_id", "document_id", "docno", "docid", "_id")
_NUMBERS = ("score", "grade", "relevance", "similarity", "rel")

Listed = Iterable[tuple[object, object]]


def read_document_lists(gold: Cells, outputs: Sequence[Cells]) -> Rankings:
    """Reads lists of documents, a row per query, with grades or scores or without.

    Relevant documents without grades have grade 1. Retrieved ones without scores stand in order,
    the best first.
    """
    size = len(gold.values)
    known = pa.array([_number(row) for row in range(size)], pa.binary())
    table = _collect(gold, ranked=False)
    qrels = Qrels.of(table, _source(gold), known)
    runs = []
    for own in outputs:
        if len(own.values) != size:
            raise InputError(
                f"{_source(own)}: there are lists of {len(own.values)} queries, and gold has {size}"
            )
        results = _collect(own, ranked=True)
        runs.append(join_parts([rank_part(results, qrels, _source(own))], qrels, wrong=True)[0])
    return Rankings(qrels.judged, qrels.names, tuple(runs))


def _source(items: Cells) -> str:
    return items.locate(0).partition(",")[0]


def _number(row: int) -> bytes:
    return str(row + 1).encode()


def _collect(items: Cells, *, ranked: bool) -> pa.Table:
    """The documents of all rows as a table; a row's query is its number."""
    queries, documents, numbers = [], [], []
    for row, cell in enumerate(items.values):
        try:
            found = [(str(name).encode(), _read_number(own)) for name, own in _list(cell, ranked)]
        except (OverflowError, TypeError, ValueError) as error:
            raise InputError(
                f"{items.locate(row)}: {repr(cell)[:60]} stands where documents were expected: "
                'a list such as ["d1", "d7"], or an object such as {"d1": 2, "d7": 1}'
            ) from error
        queries += [_number(row)] * len(found)
        documents += [name for name, _ in found]
        numbers += [own for _, own in found]
    columns = [pa.array(own, pa.binary()) for own in (queries, documents)]
    columns.append(pa.array(numbers, pa.float64()))
    return pa.table(columns, ["query", "document", "number"])


def _read_number(value: object) -> float:
    number = float(value)  # type: ignore[arg-type]
    if math.isnan(number):
        raise ValueError
    return number


def _list(cell: object, ranked: bool) -> Listed:
    if isinstance(cell, str):
        cell = read_literal(cell)
    if cell is None:
        return ()
    if isinstance(cell, Mapping):
        return [(name, own) for name, own in cell.items() if own is not None]
    if not isinstance(cell, Sequence):
        raise TypeError
    usual = [-at for at in range(len(cell))] if ranked else [1] * len(cell)
    return [_name(one, number) for one, number in zip(cell, usual, strict=True)]


def _name(one: object, usual: float) -> tuple[object, object]:
    """The document of an element, and its number, or else the usual one."""
    if isinstance(one, str | int):
        return one, usual
    if isinstance(one, Mapping):
        name = next((one[key] for key in _NAMES if one.get(key) is not None), None)
        number = next((one[key] for key in _NUMBERS if one.get(key) is not None), usual)
        if name is None:
            raise TypeError
        return name, number
    name, number = one  # type: ignore[misc]
    return name, number

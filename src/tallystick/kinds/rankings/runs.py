"""Reads qrels and runs of several systems, or lists of documents, as rankings."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from tallystick.errors import Danger, InputError, UsageError
from tallystick.io.files.opening import name_source
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.table import Table
from tallystick.kinds.rankings.qrels_forms import (
    QRELS,
    RANKS,
    RUN,
    find_form,
    iterate_trec,
    read_numbers,
)
from tallystick.kinds.rankings.rankings import (
    Qrels,
    Rankings,
    Run,
    ScatteredError,
    join_parts,
    rank_part,
    rank_tables,
)
from tallystick.model.facts import Facts
from tallystick.model.number_values import Cells
from tallystick.model.reading import Drafted, MadeUp, Reading, Sample
from tallystick.model.sides import Side, find_gold
from tallystick.model.systems import Systems

_NAMES = ("id", "doc_id", "document_id", "docno", "docid", "_id")
_NUMBERS = ("score", "grade", "relevance", "similarity", "rel")

_ID = re.compile(r"[^\s,;|\[\](){}'\"]+")
"""A text that is the id of a single document."""

Listed = Iterable[tuple[object, object]]

_LISTED = "documents"


def tabulate_qrels(path: str, reading: Reading) -> Table:
    """Returns the relevant documents of each query, the best first, or any if none is relevant."""
    source = name_source(path)
    qrels = Qrels.of(_read_qrels(path, source, reading), source)
    queries = [own.decode(errors="replace") for own in qrels.queries.to_pylist()]
    documents = []
    for row in range(len(queries)):
        names, grades = qrels.names.row(row), qrels.judged.row(row)
        found = [own.decode(errors="replace") for own in names[grades > 0].tolist()]
        documents.append(found or ["none"])
    return Table(source, pa.table({"id": queries, _LISTED: documents}), "query", 1)


def make_qrels(sample: Sample, name: str) -> MadeUp:
    """Makes up a document of each query, in a file or in lists of documents."""
    table, ids = sample.table, sample.reading.find_ids(sample.table.names())
    if sample.golden and _LISTED not in table.names():
        return MadeUp({name: pa.array([["made-up"]] * len(table))})
    if ids is None:
        raise InputError(f"{table.source}: has no column of queries, such as query_id")
    lines = (f"{own} 0 made-up 1\n" for own in table.values(ids))
    return MadeUp(None, file=("qrels", "".join(lines)))


def draft_run(sample: Sample, name: str) -> Drafted:
    """Answers with the relevant documents, the best first."""
    side = Side(sample.table)
    if _LISTED in side.names:
        documents = sample.table.column(_LISTED).to_pylist()
        return Drafted({name: documents}, ending="run", spell=_spell_results, alike=False)
    own = find_gold(side, sample.reading.columns, alone=False)
    return Drafted({name: sample.table.column(own).to_pylist()}, alike=False)


def _spell_results(query: object, documents: object) -> str:
    listed = documents if isinstance(documents, list) else [documents]
    queries = query if isinstance(query, list) else [query]  # where columns are swapped
    return "".join(
        f"{'_'.join(map(str, queries))} Q0 {name} {rank} {1 / rank:.6f} run\n"
        for rank, name in enumerate(listed, 1)
    )


def read_document_lists(gold: Cells, outputs: Sequence[Cells]) -> Rankings:
    """Reads lists of documents, a row per query, with grades or scores or without.

    Relevant documents without grades have grade 1. Retrieved ones without scores are in order,
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
                f"{items.locate(row)}: expected documents, found {repr(cell)[:60]}: write "
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
        cell = [cell] if _ID.fullmatch(cell.strip()) else read_literal(cell)
    if not ranked and isinstance(cell, int) and not isinstance(cell, bool):
        cell = [cell]
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


def read_runs(gold: object, outputs: Mapping[str, object], reading: Reading) -> Systems:
    """Reads qrels, and next to them the run of each system."""
    outputs = {"predictions": outputs} if _is_run(outputs) else outputs
    source = name_source(gold) if isinstance(gold, str) else "gold"
    qrels = Qrels.of(_read_qrels(gold, source, reading), source)

    def read(name: str) -> tuple[Run, int, int]:
        return _read_run(outputs[name], name, qrels, reading)

    collected = reading.collect(outputs, read)
    runs = {name: run for name, (run, *_) in collected.accepted.items()}
    if reading.columns.missing == "common" and runs:
        answered = np.logical_and.reduce([run.answered for run in runs.values()])
        runs = {name: replace(run, answered=answered) for name, run in runs.items()}
    ids = [own.decode(errors="replace") for own in qrels.queries.to_pylist()]
    rankings = Rankings(qrels.judged, qrels.names, tuple(runs.values()))
    treated = _TREATED[reading.columns.missing]
    notes = (*_note_judgements(rankings), *_note_runs(collected.accepted, rankings, treated))
    return Systems(
        tuple(runs),
        {"rankings": rankings},
        ids=ids,
        facts=Facts(
            notes=notes, rejected=collected.rejected, shaped=reading.columns.describe_rankings()
        ),
        tolerant=reading.tolerant,
    )


def _is_run(outputs: Mapping[str, object]) -> bool:
    """Whether what is in the place of systems is one run, whose queries hold numbers."""
    return any(
        isinstance(own, Mapping) and any(isinstance(score, int | float) for score in own.values())
        for own in outputs.values()
    )


def _read_qrels(gold: object, source: str, reading: Reading) -> pa.Table:
    if isinstance(gold, str):
        form = find_form(gold)
        if form == RUN:
            raise InputError(f"{source}: is a TREC run; name the qrels first, then the runs")
        if form == QRELS:
            tables = list(iterate_trec(gold, QRELS, reading.watch))
            return pa.concat_tables(tables)
    return read_numbers(gold, source, judged=True)


def _read_run(output: object, name: str, qrels: Qrels, reading: Reading) -> tuple[Run, int, int]:
    """Reads the run of one system; counts queries that are unjudged or return their own id."""
    if output is None:
        raise UsageError("name the runs after the qrels: tallystick score qrels.txt run.txt")
    source = name_source(output) if isinstance(output, str) else name
    try:
        parts = [*rank_tables(_iterate_results(output, source, reading), qrels, source)]
    except ScatteredError:  # the results of a query do not stand together: rank all at once
        again = _iterate_results(output, source, replace(reading, watch=None))
        parts = [rank_part(pa.concat_tables(list(again)).combine_chunks(), qrels, source)]
    run, unjudged, same = join_parts(parts, qrels, wrong=reading.columns.missing == "wrong")
    if not len(run.grades.data):
        raise InputError(f"{source}: returns no document for any query of the qrels")
    lacking = np.flatnonzero(run.grades.sizes == 0)
    if len(lacking) and reading.hidden and reading.columns.missing == "error":
        raise InputError(
            f"{source}: has no results for {len(lacking)} of {len(run.grades.sizes)} queries, such "
            f"as {qrels.queries[int(lacking[0])].as_py().decode(errors='replace')!r:.60}"
        )
    return run, unjudged, same


def _iterate_results(output: object, source: str, reading: Reading) -> Iterator[pa.Table]:
    """Yields what a system returned as tables of `query`, `document` and `number`."""
    form = find_form(output, beside_qrels=True) if isinstance(output, str) else None
    if form == QRELS:
        raise InputError(f"{source}: contains TREC qrels, where a run was expected")
    if isinstance(output, str) and form == RUN:
        tables = iterate_trec(output, RUN, reading.watch)
    elif isinstance(output, str) and form == RANKS:
        tables = map(_score_ranks, iterate_trec(output, RANKS, reading.watch))
    else:
        tables = iter([read_numbers(output, source, judged=False)])
    return map(_leave_out_identical, tables) if reading.columns.ignore_identical_ids else tables


def _score_ranks(table: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    return table.set_column(2, "number", pc.negate(table.column("number")))


def _leave_out_identical(table: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    return table.filter(pc.not_equal(table.column("query"), table.column("document")))


def _note_judgements(rankings: Rankings) -> Iterator[str]:
    """Notes queries without a relevant document, which are worth 0 whatever a run returns."""
    grades = rankings.judged.data
    between = int(((grades > 0) & (grades < 1)).sum())
    if between:
        yield (
            f"{between} of {len(grades)} grades are between 0 and 1: metrics by relevant documents "
            "count these only from a lower grade on, such as RR(rel=0.5)."
        )
    relevant = rankings.judged.pad(1, -1)[:, 0] > 0
    none, size = int((~relevant).sum()), len(rankings)
    if none:
        yield Danger(
            f"{none} of {size} queries have no relevant document in the qrels: every run scores 0 "
            "on them."
        )


_TREATED = dict.fromkeys(
    ("error", "exclude"), "left out, as by trec_eval (`missing='wrong'` counts them as 0)"
) | {
    "wrong": "they count as 0 (`missing='wrong'`)",
    "common": "left out for every run, as all that any lacks (`missing='common'`)",
}
"""What becomes of queries without results, by the policy."""


def _note_runs(
    found: Mapping[str, tuple[Run, int, int]], rankings: Rankings, treated: str
) -> Iterator[str]:
    """Notes queries without results, and results without judgements."""
    size = len(rankings)
    for name, (run, unjudged, same) in found.items():
        lacking = int((run.grades.sizes == 0).sum())
        if lacking:
            yield Danger(f"{name} has no results for {lacking} of {size} queries: {treated}.")
        if unjudged:
            queries = "1 query" if unjudged == 1 else f"{unjudged} queries"
            yield Danger(f"{name} has results for {queries} that are not in the qrels.")
        if same:
            yield Danger(
                f"{name} returns a document with the id of its query {same} times; BEIR leaves "
                "these out (`ignore_identical_ids=True`), and trec_eval and these scores do not."
            )

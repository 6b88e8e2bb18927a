"""Column of rankings, and how runs are joined with judgements and ranked without a loop."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.tables.values import build_places, fill_nulls
from tallystick.model.ragged_array import Array, Ragged
from tallystick.model.systems import Column

UNPOOLED = -math.inf
"""The grade of a document that the qrels do not list; other negative grades are unjudged too."""

SHOWN = 10
"""So many documents of each ranking are kept by name, to be shown."""

Grades = NDArray[np.float64]


class Run(Struct, frozen=True, eq=False):
    """What one system returned for each query, best document first.

    Attributes:
        grades: The grade of each document; below 0 where it is unjudged.
        tied: Whether each document has the score of the one before it.
        names: The first documents of each query, as bytes.
        answered: Which queries count: those that have results, or all where others count as wrong.
    """

    grades: Ragged
    tied: Ragged
    names: Ragged
    answered: NDArray[np.bool_]

    def take(self, rows: slice) -> "Run":
        """The rankings of some queries, which follow each other."""
        grades, tied, names = (own.take(rows) for own in (self.grades, self.tied, self.names))
        return Run(grades, tied, names, self.answered[rows])


class Rankings(Column, frozen=True, eq=False):
    """Judgements and runs, a query per row.

    Attributes:
        judged: The grades of the judged documents of each query, the highest first.
        names: These documents, as bytes.
        runs: What each system returned.
    """

    judged: Ragged
    names: Ragged
    runs: tuple[Run, ...]

    def __len__(self) -> int:
        return len(self.judged)

    def of(self, places: Sequence[int]) -> "Rankings":
        return replace(self, runs=tuple(self.runs[place] for place in places))

    def take(self, rows: slice) -> "Rankings":
        runs = tuple(run.take(rows) for run in self.runs)
        return Rankings(self.judged.take(rows), self.names.take(rows), runs)

    def tell_gold(self, row: int) -> str:
        """The relevant documents with their grades, the highest first."""
        grades = self.judged.row(row)
        relevant = int((grades > 0).sum())
        more = f", and {relevant - SHOWN} more" if relevant > SHOWN else ""
        shown = grades[: min(relevant, SHOWN)]
        return _list_documents(self.names.row(row), shown) + more if relevant else "none relevant"

    def tell_output(self, place: int, row: int) -> str:
        """The first documents that a system returned, with their grades.

        Beside one other system it shows how many places each is above or below there.
        """
        run = self.runs[place]
        names = run.names.row(row)
        other = self.runs[1 - place].names.row(row).tolist() if len(self.runs) == 2 else None
        more = len(run.grades.row(row)) - len(names)
        listed = _list_documents(names, run.grades.row(row), other) or "no results"
        return f"{listed}, and {more} more" if more > 0 else listed


def _list_documents(names: Array, grades: Grades, other: list[bytes] | None = None) -> str:
    """Documents with their grades, such as `D7 (2), D3 (-, up 1)`; a dash is unjudged."""
    pairs = enumerate(zip(names.tolist(), grades.tolist(), strict=False))
    return ", ".join(
        f"{name.decode(errors='replace')} ({f'{grade:g}' if grade >= 0 else '-'}"
        f"{_move(at, name, other)})"
        for at, (name, grade) in pairs
    )


def _move(at: int, name: bytes, other: list[bytes] | None) -> str:
    """How a document at a place moved from where another system has it."""
    if other is None or other[at : at + 1] == [name]:
        return ""
    if name not in other:
        return f", new to the first {SHOWN}" if len(other) == SHOWN else ", new"
    steps = other.index(name) - at
    return f", up {steps}" if steps > 0 else f", down {-steps}"


Places = NDArray[np.int64]

_LARGEST = 2.0**53


class Qrels(Struct, frozen=True, eq=False):
    """Judgements, ready to be joined.

    Attributes:
        queries: The queries as an Arrow array of bytes, in the order of the file.
        documents: The distinct documents that are judged for any query, likewise.
        keys: The query and document of each judgement as one number, rising.
        grades: The grade of each key.
        judged: The grades that are not negative, by query, the highest first.
        names: Their documents.
    """

    queries: pa.Array
    documents: pa.Array
    keys: Places
    grades: NDArray[np.float64]
    judged: Ragged
    names: Ragged

    @classmethod
    def of(cls, table: pa.Table, source: str, known: pa.Array | None = None) -> "Qrels":
        """The judgements of a table of `query`, `document` and `number`, for all known queries."""
        import pyarrow.compute as pc

        queries, documents = (_encode(table, name) for name in ("query", "document"))
        if known is not None:
            codes = pc.index_in(queries.dictionary, known).take(queries.indices)
            queries = pa.DictionaryArray.from_arrays(codes, known)
        grades = table.column("number").to_numpy()
        wrong = grades[~(np.abs(grades) < _LARGEST)]
        if len(wrong):
            raise InputError(f"{source}: a grade is {wrong[0]:g}; grades are numbers below 2^53")
        owners, codes = (own.indices.to_numpy() for own in (queries, documents))
        keys = owners.astype(np.int64) * max(len(documents.dictionary), 1) + codes
        _check_twice(keys, table, source, "judged")
        order = np.argsort(keys, kind="stable")
        kept = np.flatnonzero(grades >= 0)
        kept = kept[np.lexsort((-grades[kept], owners[kept]))]
        sizes = np.bincount(owners[kept], minlength=len(queries.dictionary))
        names = _name(documents.dictionary, codes[kept])
        judged = Ragged.of(sizes, grades[kept])
        whole = replace(judged, data=names)
        return cls(
            queries.dictionary, documents.dictionary, keys[order], grades[order], judged, whole
        )

    def grade(self, owners: Places, documents: Places) -> NDArray[np.float64]:
        """The grade of each document for its query; both are places, of documents -1 if unknown."""
        found = np.full(len(owners), UNPOOLED)
        rows = np.flatnonzero(documents >= 0)
        keys = owners[rows] * max(len(self.documents), 1) + documents[rows]
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        hit = self.keys[at] == keys
        found[rows[hit]] = self.grades[at[hit]]
        return found


class ScatteredError(Exception):
    """The results of a query do not stand together in a file."""


class RankedPart(Struct, frozen=True, eq=False):
    """The ranked results of some queries.

    Attributes:
        queries: The place of each query in the qrels, in the order of the results.
        grades: The grades of their documents.
        tied: As in `Run`.
        names: The first documents of each.
        unjudged: How many queries the qrels lack.
        themselves: How many queries return the document of their own id.
    """

    queries: Places
    grades: Ragged
    tied: Ragged
    names: Ragged
    unjudged: int
    themselves: int


def rank_part(table: pa.Table, qrels: Qrels, source: str) -> RankedPart:
    """Ranks results by score, then by document, both descending; ranks in files are ignored."""
    queries, documents = (_encode(table, name) for name in ("query", "document"))
    owners, codes = (own.indices.to_numpy() for own in (queries, documents))
    scores = table.column("number").to_numpy()
    keys = owners.astype(np.int64) * len(documents.dictionary) + codes
    _check_twice(keys, table, source, "returned")
    order, tied = _order(owners, codes, scores, documents.dictionary)
    same = int(np.count_nonzero(_find(documents.dictionary, queries.dictionary)[codes] == owners))
    places = _find(queries.dictionary, qrels.queries)
    wanted = places[owners[order]] >= 0
    order, tied = order[wanted], tied[wanted]
    owners = places[owners[order]]
    vocabulary = _find(documents.dictionary, qrels.documents)
    grades = qrels.grade(owners, vocabulary[codes[order]])
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    sizes = np.diff(firsts, append=len(owners))
    ragged = Ragged.of(sizes, grades)
    ranks = np.arange(len(owners)) - np.repeat(firsts, sizes)
    names = _name(documents.dictionary, codes[order[ranks < SHOWN]])
    shown = Ragged.of(np.minimum(sizes, SHOWN), names)
    unjudged = int((places < 0).sum())
    return RankedPart(owners[firsts], ragged, replace(ragged, data=tied), shown, unjudged, same)


def _order(
    owners: Array, codes: Array, scores: NDArray[np.float64], names: pa.Array
) -> tuple[Places, NDArray[np.bool_]]:
    """The order of results by query, score and document, and which are tied with the one before."""
    import pyarrow.compute as pc

    same = owners[1:] == owners[:-1]
    if (owners[1:] >= owners[:-1]).all() and (~same | (scores[1:] <= scores[:-1])).all():
        order = np.arange(len(owners))
    else:
        order = np.lexsort((-scores, owners))
        owners, scores = owners[order], scores[order]
        same = owners[1:] == owners[:-1]
    tied = np.zeros(len(owners), bool)
    tied[1:] = same & (scores[1:] == scores[:-1])
    if tied.any():
        rows = np.flatnonzero(tied | np.append(tied[1:], False))
        own = order[rows]
        groups = np.cumsum(~tied[rows])
        used, inverse = np.unique(codes[own], return_inverse=True)
        ranks = np.argsort(pc.sort_indices(names.take(build_places(used))).to_numpy())
        order[rows] = own[np.lexsort((-ranks[inverse], groups))]
    return order, tied


def rank_tables(tables: Iterable[pa.Table], qrels: Qrels, source: str) -> Iterator[RankedPart]:
    """Ranks results as they come, the last query of a table with the rest of it in the next.

    Raises:
        ScatteredError: A query comes again after another one.
    """
    import pyarrow.compute as pc

    rest, seen = None, set[bytes]()
    for table in tables:
        whole = table if rest is None else pa.concat_tables([rest, table])
        queries = whole.column("query")
        others = np.flatnonzero(pc.not_equal(queries, queries[len(whole) - 1]).to_numpy())
        cut = int(others[-1]) + 1 if len(others) else 0
        rest = whole.slice(cut)
        if cut:
            yield _rank_new(whole.slice(0, cut), seen, qrels, source)
    if rest is not None:
        yield _rank_new(rest, seen, qrels, source)


def _rank_new(table: pa.Table, seen: set[bytes], qrels: Qrels, source: str) -> RankedPart:
    own = set(table.column("query").unique().to_pylist())
    if own & seen:
        raise ScatteredError
    seen |= own
    return rank_part(table.combine_chunks(), qrels, source)


def join_parts(parts: Iterable[RankedPart], qrels: Qrels, *, wrong: bool) -> tuple[Run, int, int]:
    """The run of one system in the order of the qrels, and two counts.

    How many of its queries are not in the qrels, and how many return the document of their own id.
    If `wrong`, queries without results count.
    """
    found = list(parts)
    queries = np.concatenate([np.zeros(0, np.int64), *(one.queries for one in found)])
    size = len(qrels.queries)
    answered = np.zeros(size, bool)
    answered[queries] = True
    return (
        Run(
            _scatter([one.grades for one in found], queries, size, np.float64),
            _scatter([one.tied for one in found], queries, size, np.bool_),
            _scatter([one.names for one in found], queries, size, np.object_),
            np.ones(size, bool) if wrong else answered,
        ),
        sum(one.unjudged for one in found),
        sum(one.themselves for one in found),
    )


def _scatter(parts: list[Ragged], queries: Places, size: int, kind: type[np.generic]) -> Ragged:
    """Values of queries in the order of the qrels; none for a query that is not there."""
    sizes = np.concatenate([np.zeros(0, np.int64), *(one.sizes for one in parts)])
    joined = Ragged.of(sizes, np.concatenate([np.zeros(0, kind), *(one.data for one in parts)]))
    if not (np.diff(queries) > 0).all():
        joined = joined.pick(np.argsort(queries, kind="stable"))
    all_sizes = np.zeros(size, np.int64)
    all_sizes[queries] = sizes
    return Ragged.of(all_sizes, joined.data)


def _encode(table: pa.Table, name: str) -> pa.DictionaryArray:
    """A column as codes and distinct values, in the order in which they occur."""
    return table.column(name).dictionary_encode().combine_chunks()


def _find(values: pa.Array, known: pa.Array) -> Places:
    import pyarrow.compute as pc

    places = pc.index_in(values, value_set=known)
    return np.asarray(fill_nulls(places, -1).to_numpy(), np.int64)


def _name(names: pa.Array, codes: Array) -> Array:
    used, inverse = np.unique(codes, return_inverse=True)
    listed = np.empty(len(used), np.object_)
    listed[:] = names.take(build_places(used)).to_pylist()
    return listed[inverse]


def _check_twice(keys: Places, table: pa.Table, source: str, done: str) -> None:
    """Raises an InputError where a query has a document twice, so that two keys are equal."""
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    order = np.argsort(keys, kind="stable")
    twice = order[1:][keys[order[1:]] == keys[order[:-1]]]
    row = int(twice[0])
    query, document = (table.column(name)[row].as_py() for name in ("query", "document"))
    more = f" (and {len(twice) - 1} more such documents)" if len(twice) > 1 else ""
    raise InputError(
        f"{source}: the document {document.decode(errors='replace')!r} is {done} twice for the "
        f"query {query.decode(errors='replace')!r}{more}; each may occur once"
    )

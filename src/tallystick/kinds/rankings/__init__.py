"""Rankings of documents: what retrieval returned for each query, judged by grades."""

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tallystick.io.files.opening import try_sniff
from tallystick.io.files.stores import is_remote
from tallystick.model.number_values import Cells
from tallystick.model.reading import Kind, Reading
from tallystick.model.systems import Systems

if TYPE_CHECKING:
    from tallystick.kinds.rankings.rankings import Rankings

_STARTS = (b"{", b"par1")
_NAMES = (b"doc", b"corpus", b"pid")
"""How qrels begin as JSON or Parquet, and what is in the name of a column of documents."""
_DIGITS = [str(digit).encode() for digit in range(10)]


class RankingKind(Kind["Rankings"], frozen=True, eq=False):
    """Rankings of documents next to relevance judgements (qrels); a query is an example."""

    name: str = "rankings"
    said: str = "rankings of documents"
    numeric = True
    single = True
    ids = ("query_id", "query-id", "qid", "q_id", "query", "topic")
    usual = ("NDCG(k=10)", "RR(k=10)", "MAP()", "RecallAtK(k=100)")

    @property
    def column(self) -> "type[Rankings]":
        from tallystick.kinds.rankings.rankings import Rankings

        return Rankings

    def holds(self, gold: object, *, asked: bool | None) -> bool:
        """Whether gold is qrels: a TREC file, or JSON or a table, unless it is asked for others."""
        if isinstance(gold, str) and not (asked or _may_be_qrels(gold, asked)):
            return False
        from tallystick.kinds.rankings.qrels_forms import are_qrels

        return are_qrels(gold, asked=asked)

    def read_layout(self, gold: object, outputs: Mapping[str, object], reading: Reading) -> Systems:
        """Reads qrels, and a run of each system, from files or from memory."""
        from tallystick.kinds.rankings.runs import read_runs

        return read_runs(gold, outputs, reading)

    def read(self, gold: Cells, outputs: Sequence[Cells]) -> "Rankings":
        """Reads lists of relevant and of retrieved documents, a row per query."""
        from tallystick.kinds.rankings.runs import read_document_lists

        return read_document_lists(gold, outputs)

    def read_name(self, text: str, *, asked: bool = False) -> str | None:
        """Returns the metric that ir_measures or trec_eval calls so."""
        from tallystick.kinds.rankings.measure_names import read_measure

        return read_measure(text)


def _may_be_qrels(path: str, asked: bool | None) -> bool:
    """Whether a file begins as qrels or runs do, so that it is worth a closer look."""
    if is_remote(path):  # each look at which is a request
        return False
    start = try_sniff(path).removeprefix(BOM_UTF8)
    first = start.lstrip().partition(b"\n")[0].lower()
    if asked is None and (first.startswith(_STARTS) or any(name in first for name in _NAMES)):
        return True
    rows = (line.split() for line in start.split(b"\n"))
    fields = next((row for row in rows if row and not row[0].startswith(b"#")), [])
    return len(fields) > 3 and any(mark in fields[3] for mark in _DIGITS)


RANKINGS = RankingKind()

"""Rankings of documents: what retrieval returned for each query, judged by grades."""

from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from tallystick.io.files.opening import try_sniff
from tallystick.io.files.stores import is_remote
from tallystick.model.reading import Kind, Reading, later

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
    submitted = True
    ids = ("query_id", "query-id", "qid", "q_id", "query", "topic")
    usual = ("NDCG(k=10)", "RR(k=10)", "MAP()", "RecallAtK(k=100)")

    column: "ClassVar[type[Rankings]]" = later("rankings.rankings", "Rankings")
    read_layout = later("rankings.runs", "read_runs")
    read = later("rankings.runs", "read_document_lists")
    tabulate = later("rankings.runs", "tabulate_qrels")
    make_up = later("rankings.runs", "make_qrels")
    draft = later("rankings.runs", "draft_run")
    read_name = later("rankings.measure_names", "read_measure")

    def repeat(self, values: Sequence[object], reading: Reading) -> Sequence[object]:
        return [["your-document"]] * len(values)

    def holds(self, gold: object, *, asked: bool | None) -> bool:
        """Whether gold is qrels: a TREC file, or JSON or a table, unless it is asked for others."""
        if isinstance(gold, str) and not (asked or _may_be_qrels(gold, asked)):
            return False
        from tallystick.kinds.rankings.qrels_forms import are_qrels

        return are_qrels(gold, asked=asked)


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

"""Metrics of rankings, each the mean of what queries are worth: nDCG, RR, AP, P, R and others."""

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from tallystick.errors import Danger
from tallystick.kinds.rankings.query_values import QueryValues, Ties
from tallystick.model.facts import Facts
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Tally, need

_SEEN = 0.00005
"""A smaller difference does not show in four digits."""


_OPTIONS = {
    "beta": "the weight of recall relative to precision",
    "k": "how many documents of each ranking are looked at; None takes all",
    "p": "the probability of going on to the next document",
    "recall": "the level of recall, from 0 to 1",
    "rel": "the lowest relevant grade; None takes grades as gains",
    "ties": "documents of equal score stand in 'docno' order, as in trec_eval (names descending), "
    "or the metric is 'expected', its mean over all their orders",
}


class QueryMean(Metric, frozen=True):
    """The mean over queries of a measure, named as ir_measures names it.

    Attributes:
        said: What ir_measures calls it, where that is not the name of the class.
        numbered: The option that the measure is told next to depth and grade.
        usual: The lowest relevant grades that names leave out.
    """

    counters = (QueryValues,)
    zero = "it returns no relevant document for any query"
    explained = _OPTIONS
    said: ClassVar[str] = ""
    numbered: ClassVar[str] = ""
    usual: ClassVar[tuple[int | None, ...]] = (None, 1)
    ranges: ClassVar = {"k": (1,), "rel": (0,), "p": (0, 1), "recall": (0, 1), "beta": (0,)}

    @property
    def counter(self) -> QueryValues:
        k, rel = getattr(self, "k", None), getattr(self, "rel", 1)
        number = float(getattr(self, self.numbered)) if self.numbered else 0
        return QueryValues(self.short, k, rel, number, getattr(self, "ties", "docno"))

    @property
    def name(self) -> str:
        """The name in ir_measures, such as `RR(rel=2)@10`; `ties` is an option of our own."""
        rel, ties, k = (getattr(self, name, None) for name in ("rel", "ties", "k"))
        options = [*([] if rel in self.usual else [f"rel={rel}"]), *self.list_options()]
        options += [f"ties={ties}"] if ties == "expected" else []
        brackets = f"({', '.join(options)})" if options else ""
        return f"{self.said or type(self).__name__}{brackets}" + ("" if k is None else f"@{k}")

    def list_options(self) -> list[str]:
        """Further options as the name has them."""
        return []

    @property
    def full_title(self) -> str:
        return self.name

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["value"], tally["queries"]), np.nan)

    def count_scored(self, tally: Tally) -> Values:
        """How many queries of each group a score is about."""
        return need(tally, Sums)["answered"]

    def explain_zero(self, tally: Tally, place: int) -> str:
        k = getattr(self, "k", None)
        if k is None or self.zero is not QueryMean.zero:
            return self.zero
        return f"it has no relevant document among the first {k} of any query"

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        if getattr(self, "ties", "docno") == "expected":
            return
        text = []
        for name in tally.systems:
            own = need(tally.of(name).total(), Sums)
            decided = divide(Ratio(own["range"], own["queries"]), 0.0).item()
            if decided > _SEEN:
                text.append(f"{decided:.4f} of {name}")
        hint = "; ties=expected averages over their orders" if hasattr(self, "ties") else ""
        sentence = f"the order of documents with equal scores decides up to {{}}{hint}."
        if text:
            yield Danger(sentence), f"{', '.join(text)} in {self.name}"


class NDCG(QueryMean, frozen=True):
    """The discounted cumulative gain of a ranking, divided by that of the ideal ranking.

    The gain of a document is its grade. The ideal ranking contains all judged documents.

    Formula: mean over queries of DCG / ideal DCG, DCG = sum of grade / log2(rank + 1) up to rank k
    Undefined: without queries; 0 for a query without relevant documents.
    Source: Järvelin and Kekäläinen 2002; values as trec_eval 10.0's ndcg and ndcg_cut.
    """

    k: int | None = None
    ties: Ties = "docno"

    short = "ndcg"
    title = "nDCG"
    said = "nDCG"


class RR(QueryMean, frozen=True):
    """The mean reciprocal rank (MRR) of the first relevant document.

    Formula: mean over queries of 1 / rank of the first relevant document, 0 if there is none
    Undefined: without queries.
    Source: Voorhees 1999, TREC-8; values as trec_eval 10.0's recip_rank; cut as by ir_measures.
    """

    k: int | None = None
    rel: float = 1
    ties: Ties = "docno"

    short = "rr"
    title = "Reciprocal Rank"


class MAP(QueryMean, frozen=True):
    """The mean average precision: the mean of precision at the ranks of relevant documents.

    Formula: mean over queries of the sum of P@rank of relevant documents up to k / all relevant
    Undefined: without queries; 0 for a query without relevant documents.
    Source: Buckley and Voorhees 2005; values as trec_eval 10.0's map and map_cut.
    """

    k: int | None = None
    rel: float = 1
    ties: Ties = "docno"

    short = "map"
    title = "Mean Average Precision"
    said = "AP"


class PrecisionAtK(QueryMean, frozen=True):
    """The share of relevant documents among the first k, however few are returned.

    Formula: mean over queries of relevant documents up to rank k / k
    Undefined: without queries.
    Source: Buckley and Voorhees 2005; values as trec_eval 10.0's P.
    """

    k: int
    rel: float = 1
    ties: Ties = "docno"

    short = "precision_at_k"
    title = "Precision at k"
    said = "P"


class RecallAtK(QueryMean, frozen=True):
    """The share of the relevant documents that are among the first k.

    Formula: mean over queries of relevant documents up to rank k / all relevant
    Undefined: without queries; 0 for a query without relevant documents.
    Source: Buckley and Voorhees 2005; values as trec_eval 10.0's recall.
    """

    k: int
    rel: float = 1
    ties: Ties = "docno"

    short = "recall_at_k"
    title = "Recall at k"
    said = "R"


class SuccessAtK(QueryMean, frozen=True):
    """The share of queries with a relevant document among the first k (hit rate).

    Formula: queries with a relevant document up to rank k / queries
    Undefined: without queries.
    Source: values as trec_eval 10.0's success.
    """

    k: int
    rel: float = 1
    ties: Ties = "docno"

    short = "success_at_k"
    title = "Success at k"
    said = "Success"


class Rprec(QueryMean, frozen=True):
    """The precision at rank R, where R is the number of relevant documents of the query.

    Formula: mean over queries of relevant documents up to rank R / R, with R relevant in all
    Undefined: without queries; 0 for a query without relevant documents.
    Source: Buckley and Voorhees 2005; values as trec_eval 10.0's Rprec.
    """

    rel: float = 1

    short = "rprec"
    title = "R-Precision"


class Bpref(QueryMean, frozen=True):
    """The mean share of judged non-relevant documents that are not above relevant ones.

    Formula: mean over queries of the mean over relevant documents of 1 - min(n, R) / min(R, N),
        with n of N judged others above
    Undefined: without queries; 0 for a query without relevant documents.
    Source: Buckley and Voorhees 2004; values as trec_eval 10.0's bpref.
    """

    rel: float = 1

    short = "bpref"


class InfAP(QueryMean, frozen=True):
    """The average precision, with the relevance of unjudged pooled documents inferred.

    Formula: mean over queries of the mean over relevant documents of the precision expected there
    Undefined: without queries; 0 for a query without relevant documents.
    Source: Yilmaz and Aslam 2006; values as trec_eval 10.0's infAP.
    """

    rel: float = 1

    short = "infap"
    title = "Inferred AP"
    said = "infAP"


class RankBiasedPrecision(QueryMean, frozen=True):
    """The expected gain per document of a reader who goes on with probability p.

    The gain of a document is its grade over the highest grade of the query; with a lowest relevant
    grade `rel` it is 1 or 0.

    Formula: mean over queries of (1 - p) * sum of gain * p^(rank - 1)
    Undefined: without queries.
    Source: Moffat and Zobel 2008; values as trec_eval 10.0's rbp, which has p=0.9.
    """

    p: float = 0.8
    k: int | None = None
    rel: float | None = None

    short = "rank_biased_precision"
    title = "Rank-Biased Precision"
    said = "RBP"
    numbered = "p"
    usual = (None,)

    def list_options(self) -> list[str]:
        return [f"p={self.p:g}"]


class ERR(QueryMean, frozen=True):
    """The expected reciprocal rank at which a reader finds a satisfying document and stops.

    Formula: mean over queries of the sum over ranks of P(stop at rank) / rank; a document of grade
        g, at most 4, satisfies with probability (2^g - 1) / 16
    Undefined: without queries.
    Source: Chapelle et al. 2009; values as gdeval's ERR.
    """

    k: int | None = None

    short = "err"
    title = "Expected Reciprocal Rank"


class JudgedAtK(QueryMean, frozen=True):
    """The share of the first k documents, or of all if fewer are returned, that are in the qrels.

    Formula: mean over queries of judged documents up to rank k / min(k, returned documents)
    Undefined: without queries.
    Source: values as ir_measures' Judged.
    """

    k: int | None = None

    short = "judged_at_k"
    title = "Judged at k"
    said = "Judged"
    zero = "none of its documents is in the qrels"


class IPrec(QueryMean, frozen=True):
    """The highest precision at any rank from which on a level of recall is reached.

    Formula: mean over queries of max of P@rank where max(1, level * R rounded, halves up) of the R
        relevant documents are reached, 0 where they never are
    Undefined: without queries; 0 for a query without relevant documents.
    Source: Salton and McGill 1983; values as trec_eval 10.0's iprec_at_recall.
    """

    recall: float
    rel: float = 1

    short = "iprec"
    title = "Interpolated Precision"
    numbered = "recall"

    @property
    def name(self) -> str:
        brackets = "" if self.rel == 1 else f"(rel={self.rel})"
        return f"IPrec{brackets}@{self.recall:g}"


class SetP(QueryMean, frozen=True):
    """The share of the returned documents that are relevant.

    Formula: mean over queries of relevant returned / returned documents
    Undefined: without queries.
    Source: values as trec_eval 10.0's set_P.
    """

    rel: float = 1

    short = "set_p"
    title = "Set Precision"


class SetR(QueryMean, frozen=True):
    """The share of the relevant documents that are returned.

    Formula: mean over queries of relevant returned / relevant documents
    Undefined: without queries; 0 for a query without relevant documents.
    Source: values as trec_eval 10.0's set_recall.
    """

    rel: float = 1

    short = "set_r"
    title = "Set Recall"


class SetF(QueryMean, frozen=True):
    """The F-score: the harmonic mean of precision and recall of the returned documents.

    Formula: mean over queries of (b + 1) P R / (R + b P), with b = beta
    Undefined: without queries; 0 for a query without relevant documents.
    Source: values as trec_eval 10.0's set_F.
    """

    beta: float = 1
    rel: float = 1

    short = "set_f"
    numbered = "beta"

    def list_options(self) -> list[str]:
        return [] if self.beta == 1 else [f"beta={self.beta:g}"]


class _QuerySum(QueryMean, frozen=True):
    """A count that adds up over queries."""

    better = "neither"
    bounds = (0, math.inf)
    adds_up = True

    def score(self, tally: Sums) -> Values:
        counts = tally["value"]
        whole = np.rint(counts)  # unless queries are weighted
        return whole.astype(np.int64) if (whole == counts).all() else counts


class NumQ(_QuerySum, frozen=True):
    """The number of scored queries: those with results, or all if missing results count as wrong.

    Formula: number of queries
    Undefined: never.
    Source: values as trec_eval 10.0's num_q.
    """

    short = "num_q"
    title = "Queries"


class NumRet(_QuerySum, frozen=True):
    """The number of returned documents of the scored queries; with `rel`, of relevant ones.

    Formula: number of documents
    Undefined: never.
    Source: values as trec_eval 10.0's num_ret, and with rel=1 its num_rel_ret.
    """

    rel: float | None = None

    short = "num_ret"
    title = "Returned Documents"

    @property
    def counter(self) -> QueryValues:
        return QueryValues("num_ret" if self.rel is None else "num_rel_ret", rel=self.rel)

    @property
    def name(self) -> str:
        usual: dict[float | None, str] = {None: "NumRet", 1: "NumRelRet"}
        return usual.get(self.rel, f"NumRet(rel={self.rel})")


class NumRel(_QuerySum, frozen=True):
    """The number of relevant documents of the scored queries.

    Formula: number of documents
    Undefined: never.
    Source: values as trec_eval 10.0's num_rel.
    """

    rel: float = 1

    short = "num_rel"
    title = "Relevant Documents"

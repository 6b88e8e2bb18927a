"""Metrics of what was returned whatever its order: SetP, SetR, SetF, and counts of documents."""

import math
from typing import final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.rankings.query_values import QueryValues
from tallystick.kinds.rankings.ranked_metrics import QueryMean
from tallystick.model.tallies.metric import Values
from tallystick.model.tallies.sums import Sums


@final
@dataclass(frozen=True, slots=True, repr=False)
class SetP(QueryMean):
    """The share of the returned documents that are relevant.

    Formula: mean over queries of relevant returned / returned documents
    Undefined: without queries.
    Source: values as trec_eval 10.0's set_P.
    """

    rel: float = 1

    short = "set_p"
    title = "Set Precision"


@final
@dataclass(frozen=True, slots=True, repr=False)
class SetR(QueryMean):
    """The share of the relevant documents that are returned.

    Formula: mean over queries of relevant returned / relevant documents
    Undefined: without queries; 0 for a query without relevant documents.
    Source: values as trec_eval 10.0's set_recall.
    """

    rel: float = 1

    short = "set_r"
    title = "Set Recall"


@final
@dataclass(frozen=True, slots=True, repr=False)
class SetF(QueryMean):
    """The harmonic mean of the precision and recall of what is returned.

    Formula: mean over queries of (b + 1) P R / (R + b P), with b = beta
    Undefined: without queries; 0 for a query without relevant documents.
    Source: values as trec_eval 10.0's set_F.
    """

    beta: float = 1
    rel: float = 1

    short = "set_f"
    title = "Set F"
    numbered = ("beta", math.inf)

    def list_options(self) -> list[str]:
        return [] if self.beta == 1 else [f"beta={self.beta:g}"]


class _QuerySum(QueryMean):
    """A count that adds up over queries."""

    __slots__ = ()

    better = "neither"
    bounds = (0, math.inf)
    adds_up = True

    def score(self, tally: Sums) -> Values:
        counts = tally["value"]
        whole = np.rint(counts)  # unless queries are weighted
        return whole.astype(np.int64) if (whole == counts).all() else counts


@final
@dataclass(frozen=True, slots=True, repr=False)
class NumQ(_QuerySum):
    """How many queries count: those with results, or all where others count as wrong.

    Formula: number of queries
    Undefined: never.
    Source: values as trec_eval 10.0's num_q.
    """

    short = "num_q"
    title = "Queries"


@final
@dataclass(frozen=True, slots=True, repr=False)
class NumRet(_QuerySum):
    """How many documents are returned for the queries that count: all, or the relevant ones.

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


@final
@dataclass(frozen=True, slots=True, repr=False)
class NumRel(_QuerySum):
    """How many documents are relevant for the queries that count.

    Formula: number of documents
    Undefined: never.
    Source: values as trec_eval 10.0's num_rel.
    """

    rel: float = 1

    short = "num_rel"
    title = "Relevant Documents"

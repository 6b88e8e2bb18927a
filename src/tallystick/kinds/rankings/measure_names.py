"""The names that ir_measures and trec_eval give to measures of rankings."""

import re
from collections.abc import Mapping

from tallystick.errors import UsageError

_PARSED = re.compile(r"\s*([A-Za-z_-]+)\s*(?:\(([^()]*)\))?\s*(?:[@]([0-9.]+))?\s*")
_CUT = re.compile(r"\s*([A-Za-z_]+)[_.]([0-9][0-9.]*)\s*")

_WRITTEN = {
    "NDCG": "ndcg",
    "RR": "rr mrr reciprank",
    "MAP": "ap map",
    "PrecisionAtK": "p precision",
    "RecallAtK": "r recall",
    "SuccessAtK": "success hitrate",
    "Rprec": "rprec rprecision",
    "Bpref": "bpref",
    "InfAP": "infap",
    "RankBiasedPrecision": "rbp",
    "ERR": "err",
    "JudgedAtK": "judged",
    "IPrec": "iprec",
    "SetP": "setp",
    "SetR": "setr setrecall",
    "SetF": "setf",
    "NumQ": "numq numqueries",
    "NumRet": "numret numrelret",
    "NumRel": "numrel",
}
_NAMES = {name: metric for metric, names in _WRITTEN.items() for name in names.split()}
"""The metrics by the names of ir_measures, trec_eval and ranx, folded."""

_CUTS: Mapping[str, str] = {
    "ndcgcut": "NDCG",
    "mapcut": "MAP",
    "p": "PrecisionAtK",
    "recall": "RecallAtK",
    "success": "SuccessAtK",
    "iprecatrecall": "IPrec",
}
"""The metrics that trec_eval names with a depth or a level: `P_5` in results, `P.5` in calls."""

_USUAL = {"rbp": "p=0.9", "numrelret": "rel=1"}
"""The options of a name; RBP has p=0.8 in ir_measures, and rbp 0.9 in trec_eval."""

_OTHERS = {
    "compat",
    "alphandcg",
    "rcap",
    "errai",
    "erria",
    "nerr",
    "nrbp",
    "strec",
    "inst",
    "insq",
    "bpm",
}
_OTHER_OPTIONS = ("judged_only", "dcg", "gains")
"""Measures and options of ir_measures that are not computed."""
_NEED_DEPTH = ("PrecisionAtK", "RecallAtK", "SuccessAtK", "IPrec")
_OPTIONS = ("rel", "p", "beta", "ties")


def read_measure(text: str, *, asked: bool = False) -> str | None:
    """Returns the metric that a name of ir_measures or trec_eval represents, as its repr.

    None where it represents none, so that it may be a metric of something else.
    """
    cut = _CUT.fullmatch(text)
    if cut is not None:
        metric = _CUTS.get(_fold(cut[1]))
        return None if metric is None else _write(metric, "", cut[2])
    match = _PARSED.fullmatch(text)
    odd = match is not None and (
        _fold(match[1]) in _OTHERS
        or (
            _fold(match[1]) in _NAMES
            and any(f"{one}=" in (match[2] or "") for one in _OTHER_OPTIONS)
        )
    )
    if odd:
        raise UsageError(
            f"ir_measures computes {text!r}, and Tallystick does not; take its values from "
            "there, and average them by mean(COLUMN)"
        )
    metric = None if match is None else _NAMES.get(_fold(match[1]))
    if match is None or metric is None or not _are_known(match[2] or ""):
        return None
    if metric in _NEED_DEPTH and match[3] is None:
        return None
    usual = _USUAL.get(text.strip() if metric == "RankBiasedPrecision" else _fold(text), "")
    return _write(metric, match[2] or usual, match[3])


def _are_known(options: str) -> bool:
    names = [part.partition("=")[0].strip() for part in options.split(",") if part.strip()]
    return all(name in _OPTIONS for name in names)


def _write(metric: str, options: str, depth: str | None) -> str | None:
    parts = [part.strip() for part in options.split(",") if part.strip()]
    if depth is not None:
        name = "recall" if metric == "IPrec" else "k"
        if name == "k" and not depth.isdecimal():
            return None
        parts.append(f"{name}={depth}")
    return f"{metric}({', '.join(parts)})"


def _fold(name: str) -> str:
    return re.sub(r"[-_\s]", "", name).casefold()

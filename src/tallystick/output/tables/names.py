"""The names of columns as papers write them, which metrics are fractions, and lists of names."""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from tallystick.output.tables.cells import count_decimals, format_cell

_AVERAGES = ("macro_", "micro_", "weighted_", "samples_")
_FRACTIONS = frozenset(
    {
        *("accuracy", "balancedaccuracy", "precision", "averageprecision", "recall", "f1"),
        *("fbeta", "specificity", "fpr", "fnr", "mcc", "cohenkappa", "sscore", "lscore"),
        *("positiverate", "selectionrate", "rocauc", "ece", "toplabelece", "hammingloss"),
        *("topkaccuracy", "aurc", "eaurc", "accuracyatcoverage", "coverageataccuracy"),
        *("exactmatch", "exactmatchratio"),
        *("ngramprecision", "gleu", "rouge", "wer", "cpwer", "cer", "mer", "wil"),
        *("substitutionrate", "deletionrate", "insertionrate", "hitrate"),
        *("ratiobetween", "tryshare", "parsescore"),
        *("passatk", "passhatk", "avgatk", "majatk", "briercomplement"),
        *("accuracywithin", "kappa", "weightedkappa", "cat1", "f05u", "squadexactmatch"),
        *("squadf1", "pearson", "spearman", "kendalltaub", "kendalltauc", "ccc"),
        *("spanf1", "spanprecision", "spanrecall"),
        *("krippendorffalpha", "fleisskappa", "gwetac1"),
        *("ratedcorrelation", "pairwiseaccuracy", "softpairwiseaccuracy", "acceq"),
        *("jsdistance", "jsdivergence", "softf1", "accuracywithinsd"),
        *("ndcg", "rr", "map", "ap", "precisionatk", "recallatk", "successatk", "judgedatk"),
        *("rprec", "bpref", "infap", "rankbiasedprecision", "rbp", "err", "iprec"),
        *("setp", "setr", "setf"),
        *("winrate", "balancedwinrate", "positionflips"),
    }
)
"""Metrics that papers give in percent, without underscores; error rates may exceed 100."""

_ABBREVIATED = (
    *("aurc", "bleu", "ccc", "cer", "ece", "fnr", "fpr", "gleu"),
    *("mae", "mcc", "mer", "r2", "rmse", "sari", "ter", "wer", "wil"),
)
_METRICS = {
    **{name: name.upper() for name in _ABBREVIATED},
    "accuracy_at_coverage": "Accuracy at Coverage",
    "accuracy_within_sd": "Accuracy within SD",
    "bradley_terry": "Bradley-Terry",
    "c_at_1": "C@1",
    "chrf": "chrF",
    "cider_d": "CIDEr-D",
    "cohen_kappa": "Cohen's Kappa",
    "coverage_at_accuracy": "Coverage at Accuracy",
    "cpwer": "cpWER",
    "e_aurc": "E-AURC",
    "f05_u": "F0.5u",
    "fleiss_kappa": "Fleiss' Kappa",
    "gwet_ac1": "Gwet's AC1",
    "js_distance": "JS Distance",
    "js_divergence": "JS Divergence",
    "kendall_tau_b": "Kendall's Tau-b",
    "kendall_tau_c": "Kendall's Tau-c",
    "krippendorff_alpha": "Krippendorff's Alpha",
    "l_score": "L-Score",
    "mean_of": "Mean of",
    "ngram_precision": "N-gram Precision",
    "roc_auc": "ROC-AUC",
    "s_score": "S-Score",
    "soft_cross_entropy": "Soft Cross-Entropy",
    "soft_f1": "Soft F1",
    "squad_exact_match": "SQuAD Exact Match",
    "squad_f1": "SQuAD F1",
    "top_label_ece": "Top-Label ECE",
}
_OTHERS = {
    "n": "n",
    "p": "p",
    "best_share": "Best in resamples",
    "p_holm": "p (Holm)",
    "gold\\predicted": "Gold \\ Predicted",
}
_TOP = re.compile(r"top_([0-9]+)_accuracy")
_OF_K = re.compile(rf"pass\^[0-9]+|[A-Za-z]+(\(.*\))?@[0-9]+|{_TOP.pattern}")
"""Metrics of k tries, of the first k documents or of k labels, which are fractions."""

_SPAN = re.compile(r"((exact|partial|type|overlap|character)_)?span_(f1|precision|recall)")
"""Metrics of spans by what counts as a match, which are fractions."""

_TREES = re.compile(
    r"(tokens|sentences|words|upos|xpos|ufeats|alltags|lemmas|uas|[cm]?las|blex)"
    r"(_precision|_recall|_aligned_accuracy)?",
    re.IGNORECASE,
)
"""Scores of dependency trees, which are fractions."""

_OF_BETA = re.compile(r"f[0-9.]+(e[-+][0-9]+)?")
"""F-beta by its beta: `f2`, `f0.5`."""

_ROUGE = re.compile(r"rouge([A-Z0-9]\w*?)(_precision|_recall)?")
_OF_COLUMN = re.compile(r"([a-z_]+)\(([^='\"]*)\)")
"""Metrics of a column, or of other metrics: `mean(comet)`, `mean_of(f1, accuracy)`."""

_OF_NUMBERS = re.compile(r"((?:try_?)?mean|median|quantile|ratio|sum)(\(.*\))?", re.IGNORECASE)
"""Metrics of a column of numbers, whose sizes nothing limits, by short name or repr."""

_BETWEEN = re.compile(r"(?:gap|worst|std|ratio_between)\((.*)\)", re.IGNORECASE)
"""Metrics between groups, which are fractions where those of the groups are."""

_MOST = 10
"""So many names of a list are shown."""

_PLAIN = re.compile(r"[a-z]+([_ ][a-z]+)*")


@lru_cache
def is_fraction(heading: str) -> bool:
    """Whether a metric, by its short name or its repr, is one that papers give in percent."""
    for average in _AVERAGES:
        heading = heading.removeprefix(average)
    if any(names.fullmatch(heading) for names in (_ROUGE, _OF_BETA, _OF_K, _SPAN, _TREES)):
        return True
    nested = _BETWEEN.fullmatch(heading)
    if nested:
        return is_fraction(nested[1])
    return heading.split("(", 1)[0].replace("_", "").lower() in _FRACTIONS


def find_custom(metric: str) -> int | None:
    """With how many decimals papers print a metric, on the scale that it has; None without custom.

    BLEU, chrF, TER and SARI have one, COMET has three.
    """
    name = metric.partition("(")[0].lower()
    if name in ("bleu", "chrf", "ter", "sari"):
        return 1
    return 3 if name in ("mean", "comet") and "comet" in metric.lower() else None


def is_number(heading: str) -> bool:
    """Whether a metric, by its short name or its repr, is one of a column of numbers."""
    nested = _BETWEEN.fullmatch(heading)
    return _OF_NUMBERS.fullmatch(nested[1] if nested else heading) is not None


def format_scores(metric: str, *numbers: float, digits: int = 4) -> list[str]:
    """Writes scores, or their differences, in a sentence: those of columns by the largest."""
    if is_number(metric):
        largest = max((abs(one) for one in numbers if math.isfinite(one)), default=0.0)
        digits = count_decimals(largest, digits)
    return [format_cell(one, digits=digits) for one in numbers]


def is_between(name: str) -> bool:
    """Whether a metric, by its short name, holds groups against each other."""
    return _BETWEEN.fullmatch(name) is not None


def is_metric(word: str) -> bool:
    """Whether a word is the short name of a metric."""
    return word in _METRICS or is_fraction(word) or _OF_COLUMN.fullmatch(word) is not None


def name_column(heading: str) -> str:
    """Writes a column's heading as a paper does: `macro_f1` is Macro F1; a repr stays."""
    for average in _AVERAGES:
        if heading.startswith(average):
            return f"{average[:-1].title()} {name_column(heading.removeprefix(average))}"
    if top := _TOP.fullmatch(heading):
        return f"Top-{top[1]} Accuracy"
    if rouge := _ROUGE.fullmatch(heading):
        return f"R-{rouge[1]}{(rouge[2] or '').replace('_', ' ').title()}"
    parts = _OF_COLUMN.fullmatch(heading)
    if parts:
        own = parts[2].split(", ")
        metrics = parts[1] == "mean_of" or is_between(heading)
        told = map(name_column, own) if metrics else own
        return f"{name_column(parts[1])} {', '.join(told)}"
    known = _METRICS.get(heading) or _OTHERS.get(heading)
    if known or not any(names.fullmatch(heading) for names in (_PLAIN, _SPAN, _OF_BETA)):
        return known or heading
    return heading.replace("_", " ").title()


def list_some(names: Sequence[str]) -> str:
    """Returns the first ten names, and how many more there are."""
    shown = ", ".join(names[:_MOST])
    rest = len(names) - _MOST
    return shown if rest <= 0 else f"{shown} and {rest} more"

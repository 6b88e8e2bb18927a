"""Cells of tables as text, their width on a screen, and names of metrics as papers write them."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

CONTROLS = (
    r"(?<![^\x00-\u02ff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff])|"
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
"""Control and format characters, and lone surrogates, as a regular expression.

Joiners belong to words of Persian or Hindi and to emoji, and are escaped next to Latin letters
only; visible format characters, such as Arabic number signs, are kept.
"""

_CONTROLS = re.compile(CONTROLS)


def escape_controls(text: str) -> str:
    r"""Writes control and format characters as escapes, such as `\n` and `\u202e`."""
    if text.isprintable():  # as nearly all are, and no control or format character is
        return text
    return type(text)(_CONTROLS.sub(lambda one: one[0].encode("unicode_escape").decode(), text))


class Ends(Struct, frozen=True):
    """The ends of an interval, one of them infinite if one-sided; `whole` for those of a count."""

    low: float
    high: float
    whole: bool = False


class Bounded(Struct, frozen=True):
    """A number with its interval, perhaps with a plus, as a difference has, and an asterisk."""

    value: float
    ends: Ends
    signed: bool = False
    star: bool = False


class Mark(Struct, frozen=True):
    """A score, bold if no system beats it significantly; letters as in tables of papers."""

    value: float
    bold: bool
    letters: str
    ends: Ends | None = None


class PValue(Struct, frozen=True):
    """A p-value, which is never shown as 0."""

    value: float


class Toned(Struct, frozen=True):
    """A word that a terminal shows in colour: green, red or yellow."""

    text: str
    tone: Literal["good", "bad", "open"]


class Worded(Struct, frozen=True):
    """A number that a user chose, in its shortest form after words: `drop 0.02`."""

    words: str
    value: float


class Tinted(Struct, frozen=True):
    """A number on a ground that pages colour, and words that they show of it besides."""

    cell: Bounded | float
    tone: str
    words: str = ""


Cell: TypeAlias = str | float | Bounded | Ends | Mark | PValue | Tinted | Toned | Worded | None
"""A name, a number (NaN where it is undefined), or None where there is nothing to show."""


class Shown(NamedTuple):
    """A cell as text, in the parts that a writer places or decorates.

    The interval is in brackets; `bold`, `letters` and `tone` are those of `Mark`, `Toned` and
    `Tinted`; a `name` is words, and no number.
    """

    text: str
    interval: str = ""
    bold: bool = False
    letters: str = ""
    tone: str = ""
    name: bool = False


UNDEFINED = "n/a"
DASH = "\N{EN DASH}"
USUAL = 3
"""The decimals of shares and p-values, as in papers."""
_FINER = 3
"""The most decimals that narrow intervals add to the usual ones."""
_READABLE = 18
"""The most decimals that numbers are written with."""
_LEAST, _MOST = 1e-9, 1e15
"""Between these, numbers have no exponent."""
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def show(cell: Cell, digits: int) -> Shown:
    """Writes a cell as text, in parts; numbers and ends of intervals have `digits` decimals."""
    if isinstance(cell, Bounded):  # by far the most cells, where there are many
        text = _format_number(cell.value, digits, cell.signed) + ("*" if cell.star else "")
        return Shown(text, _format_ends(cell.ends, digits))
    match cell:
        case Mark(value, bold, letters, ends):
            interval = _format_ends(ends, digits) if ends else ""
            return Shown(format_cell(value, digits=digits), interval, bold, letters)
        case Ends():
            return Shown("", _format_ends(cell, digits))
        case Toned(text, tone):
            return Shown(text, tone=tone, name=True)
        case Worded(words, value):
            return Shown(f"{words} {value:g}")
    return Shown(format_cell(cell, digits=digits), name=isinstance(cell, str))


def format_cell(cell: Cell, *, digits: int) -> str:
    """Writes a count as an integer, a score with `digits` decimals, then its interval."""
    match cell:
        case None:
            return ""
        case str():
            return cell
        case PValue(p):
            return format_p(p, digits)
        case int() | float():
            return _format_number(cell, digits)
    shown = show(cell, digits)
    return " ".join(filter(None, (shown.text, shown.interval)))


def _format_number(number: float, digits: int, signed: bool = False) -> str:
    if math.isnan(number):
        return UNDEFINED
    sign = "+" if signed and number > 0 else ""
    return sign + (str(number) if isinstance(number, int) else _write(number, digits))


def _write(number: float, digits: int) -> str:
    """Writes a number with this many decimals; one too large or small for them with an exponent."""
    if digits > _READABLE or _MOST <= abs(number) < math.inf:
        return f"{number:.3e}" if number else "0"
    return f"{number:z.{digits}f}"


def _format_ends(ends: Ends, digits: int) -> str:
    """Writes an interval; ends from -1 to 1 omit the zero before the point, to be read quickly."""
    if math.isnan(ends.low):
        return ""
    digits = 0 if ends.whole else digits
    if 1 < digits <= _READABLE and -1 <= ends.low <= ends.high <= 1:  # as of thousands of groups
        low = drop_zero(f"{ends.low:z.{digits}f}")
        return f"[{low}, {drop_zero(f'{ends.high:z.{digits}f}')}]"
    low, high = _write(ends.low, digits), _write(ends.high, digits)
    if digits > 1 and _is_short(ends.low) and _is_short(ends.high):
        low, high = drop_zero(low), drop_zero(high)
    if ends.high == math.inf != -ends.low:
        return f"(\N{GREATER-THAN OR EQUAL TO} {low})"
    if ends.low == -math.inf != -ends.high:
        return f"(\N{LESS-THAN OR EQUAL TO} {high})"
    return f"[{low}, {high}]"


def _is_short(end: float) -> bool:
    return -1 <= end <= 1 or math.isinf(end)


def drop_zero(text: str) -> str:
    """Returns a number without the zero before its point."""
    return text[1:] if text.startswith("0.") else text.replace("-0.", "-.")


def count_decimals(number: float, digits: int) -> int:
    """Returns the decimals that leave a positive number `digits` significant digits.

    From 0.01 to 1, where scores are, that is `digits`; far below it is more than are written.
    """
    if 0.01 <= number <= 1 or number == 0 or not math.isfinite(number):
        return digits
    decimals = max(0, digits - 1 - math.floor(math.log10(number)))
    return decimals if number > _LEAST else _READABLE + decimals


def format_p(p: float, digits: int = USUAL) -> str:
    """Writes a p-value, which is never shown as 0."""
    least = 10.0**-digits
    if math.isnan(p):
        return UNDEFINED
    return f"< {least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def format_range(low: int | None, high: int | None) -> str:
    """Writes a range of whole numbers, or one number if both ends are equal; empty for None."""
    if low is None:
        return ""
    return str(low) if low == high else f"{low}{DASH}{high}"


def format_change(rank: int | None, previous: int | None) -> str:
    """Writes how many ranks a system has gained or lost, or that it is new."""
    if rank is None:
        return ""
    if previous is None:
        return "new"
    gained = previous - rank
    return "=" if not gained else f"▲{gained}" if gained > 0 else f"▼{-gained}"


def unbound(cell: Cell) -> Cell:
    """Returns the cell without its interval and its ground."""
    cell = cell.cell if isinstance(cell, Tinted) else cell
    return cell.value if isinstance(cell, Bounded | Mark) else cell


def measure_spread(cell: Cell) -> float:
    """Returns the width of an interval, twice the distance of a one-sided bound, or 0."""
    cell = cell.cell if isinstance(cell, Tinted) else cell
    if not isinstance(cell, Bounded | Mark) or cell.ends is None or math.isnan(cell.ends.low):
        return 0
    low, high = cell.ends.low, cell.ends.high
    whole = high - low
    return whole if whole < math.inf else 2 * min(high - cell.value, cell.value - low)


def scale(cell: Cell, factor: float) -> Cell:
    """Multiplies the score in a cell by a factor; other cells stay as they are."""
    match cell:
        case Bounded(value, ends):
            return replace(cell, value=value * factor, ends=_scale_ends(ends, factor))
        case Mark(value, ends=ends):
            ends = _scale_ends(ends, factor) if ends else None
            return replace(cell, value=value * factor, ends=ends)
        case Ends():
            return _scale_ends(cell, factor)
        case Worded(words, value):
            return Worded(words, value * factor)
        case float():
            return cell * factor
    return cell


def _scale_ends(ends: Ends, factor: float) -> Ends:
    return replace(ends, low=ends.low * factor, high=ends.high * factor)


def measure(text: str) -> int:
    """Counts the columns that a line of text takes: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_measure_char, text))


def measure_most(texts: Iterable[str]) -> int:
    """Counts the columns that the widest of some lines takes; 0 without any."""
    lines = list(texts)
    return max(map(len if "".join(lines).isascii() else measure, lines), default=0)


def _measure_char(char: str) -> int:
    if unicodedata.category(char) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def shorten(text: str, width: int) -> str:
    """Replaces the middle of a text wider than `width` columns by an ellipsis."""
    if measure(text) <= width:
        return text
    tail = (width - 1) // 2
    return _clip(text, width - 1 - tail) + "…" + _clip(text[::-1], tail)[::-1]


def _clip(text: str, width: int) -> str:
    ends = accumulate(map(_measure_char, text))
    return "".join(char for char, end in zip(text, ends, strict=True) if end <= width)


_AVERAGES = ("macro_", "micro_", "weighted_", "samples_")
_FRACTIONS = frozenset(
    {
        *("accuracy", "balancedaccuracy", "precision", "averageprecision", "recall", "f1"),
        *("fbeta", "specificity", "fpr", "fnr", "mcc", "cohenkappa", "sscore", "lscore"),
        *("positiverate", "selectionrate", "rocauc", "ece", "toplabelece", "hammingloss"),
        *(
            "lrap",
            "rankingloss",
            "topkaccuracy",
            "aurc",
            "eaurc",
            "accuracyatcoverage",
            "coverageataccuracy",
        ),
        *("exactmatch", "exactmatchratio", "anls"),
        *("ngramprecision", "gleu", "rouge", "wer", "cpwer", "cer", "mer", "wil"),
        *("substitutionrate", "deletionrate", "insertionrate", "hitrate"),
        *("ratiobetween", "tryshare", "parsescore", "coreferencescore"),
        *("passatk", "passhatk", "avgatk", "majatk", "briercomplement"),
        *("accuracywithin", "kappa", "weightedkappa", "cat1", "f05u", "squadexactmatch"),
        *("squadf1", "pearson", "spearman", "kendalltaub", "kendalltauc", "ccc"),
        *("spanf1", "spanprecision", "spanrecall"),
        *("krippendorffalpha", "fleisskappa", "gwetac1", "gwetac2", "icc"),
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
    *("aurc", "bleu", "ccc", "cer", "ece", "fnr", "fpr", "gleu", "icc"),
    *("mae", "mape", "mcc", "mer", "mse", "msle", "r2", "rmse", "rmsle", "sari", "ter"),
    *("wer", "wil"),
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
    "d2_pinball": "D2 Pinball",
    "d2_tweedie": "D2 Tweedie",
    "e_aurc": "E-AURC",
    "f05_u": "F0.5u",
    "fleiss_kappa": "Fleiss' Kappa",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2",
    "js_distance": "JS Distance",
    "js_divergence": "JS Divergence",
    "kendall_tau_b": "Kendall's Tau-b",
    "kendall_tau_c": "Kendall's Tau-c",
    "krippendorff_alpha": "Krippendorff's Alpha",
    "l_score": "L-Score",
    "macro_mae": "Macro MAE",
    "mean_of": "Mean of",
    "ngram_precision": "N-gram Precision",
    "roc_auc": "ROC-AUC",
    "s_score": "S-Score",
    "sentence_bleu": "Sentence BLEU",
    "sentence_chrf": "Sentence chrF",
    "smape": "sMAPE",
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

_COREFERENCE = re.compile(r"(conll|muc|b3|ceaf[em]|lea|blanc|mention)_(f1|precision|recall)")

_OF_BETA = re.compile(r"f[0-9.]+(e[-+][0-9]+)?")
"""F-beta by its beta: `f2`, `f0.5`."""

_ROUGE = re.compile(r"rouge([A-Z0-9]\w*?)(_precision|_recall)?")
_OF_COLUMN = re.compile(r"([a-z_]+)\(([^='\"]*)\)")
"""Metrics of a column, or of other metrics: `mean(comet)`, `mean_of(f1, accuracy)`."""

_POINTS = re.compile(r"((gap|worst|std)\()?(bleu|chrf|ter|sari)\b", re.IGNORECASE)
"""Metrics that papers print with one decimal, on a scale of 0 to 100."""

_BETWEEN = re.compile(r"(?:gap|worst|std|ratio_between)\((.*)\)", re.IGNORECASE)
"""Metrics between groups, which are fractions where those of the groups are."""

_PLAIN = re.compile(r"[a-z]+([_ ][a-z]+)*")


@lru_cache
def is_fraction(heading: str) -> bool:
    """Whether a metric, by its short name or its repr, is one that papers give in percent."""
    for average in _AVERAGES:
        heading = heading.removeprefix(average)
    if any(
        names.fullmatch(heading) for names in (_ROUGE, _OF_BETA, _OF_K, _SPAN, _TREES, _COREFERENCE)
    ):
        return True
    nested = _BETWEEN.fullmatch(heading)
    if nested:
        return is_fraction(nested[1])
    return heading.split("(", 1)[0].replace("_", "").lower() in _FRACTIONS


def is_points(metric: str) -> bool:
    """Whether papers print a metric, by its short name or its repr, on a scale of 0 to 100."""
    return _POINTS.match(metric) is not None


def choose_decimals(
    metric: str, largest: float, spread: float = math.inf, *, percent: bool = False
) -> int:
    """Returns the decimals with which the field prints a metric, by its short name or its repr.

    That is one for BLEU and percent, three for numbers from 0 to 1, and what leaves the largest of
    other numbers four significant digits. The ends of an interval as wide as `spread` differ.
    """
    usual = 1 if percent or is_points(metric) else USUAL
    if not (percent or 0.01 <= largest <= 1 or usual == 1 or is_fraction(metric)):
        usual = count_decimals(largest, 4) if largest else USUAL
    if not 0 < spread < math.inf:
        return usual
    return max(usual, min(math.ceil(-round(math.log10(spread / 2), 6)), usual + _FINER))


def format_scores(metric: str, *numbers: float, spread: float = math.inf) -> list[str]:
    """Writes scores of a metric, or their differences, in a sentence."""
    largest = max((abs(one) for one in numbers if math.isfinite(one)), default=0.0)
    digits = choose_decimals(metric, largest, spread)
    return [format_cell(one, digits=digits) for one in numbers]


def is_between(name: str) -> bool:
    """Whether a metric, by its short name, compares groups with each other."""
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
        return f"ROUGE-{rouge[1]}{(rouge[2] or '').replace('_', ' ').title()}"
    parts = _OF_COLUMN.fullmatch(heading)
    if parts:
        own = parts[2].split(", ")
        metrics = parts[1] == "mean_of" or is_between(heading)
        message = ", ".join(map(name_column, own) if metrics else own)
        within = f"({message})" if parts[1] == "icc" else f" {message}"
        return name_column(parts[1]) + within
    known = _METRICS.get(heading) or _OTHERS.get(heading)
    if known or not any(names.fullmatch(heading) for names in (_PLAIN, _SPAN, _OF_BETA)):
        return known or heading
    return heading.replace("_", " ").title()


def list_some(names: Sequence[str]) -> str:
    """Returns the first ten names, and how many more there are."""
    shown, rest = ", ".join(names[:10]), len(names) - 10
    return shown if rest <= 0 else f"{shown} and {rest} more"

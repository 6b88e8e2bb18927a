"""The options that several commands share."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tallystick.cli.options.workers import add_workers
from tallystick.errors import UsageError
from tallystick.io.schemes import SCHEMES
from tallystick.results.evidence import MOST_EXAMPLES
from tallystick.statistics.settings import Intervals

if TYPE_CHECKING:
    from tallystick.comparison.settings import Testing
    from tallystick.examples.reading import Kind
    from tallystick.examples.systems import Column
    from tallystick.tallies.metric import Metric


_COLUMNS = "columns and files (usual names are found; meta.lang is the field lang of meta)"

LOGS = ("lm-eval", "inspect", "helm", "eee")
"""The tools whose logs are read."""

READING = (
    *(
        "submissions",
        "system_column",
        "rated_column",
        "pred_dir",
        "by",
        "clusters",
        "task",
        "kind",
        "labels",
    ),
    *("positive", "threshold", "fold_case", "gold_column", "predicted_column", "id_column"),
    *("probability_column", "weight_column", "count_column", "bins", "scheme", "delimiter"),
    *("input_format", "rows", "queries", "level", "ref", "blank_is_missing", "annotators"),
    *("annotator_column", "majority", "corrected_by", "label_probability"),
)
"""Options that say how examples are read."""


def refuse(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Raises a UsageError where one of these options was given."""
    for name in names:
        if getattr(options, name, None) not in (None, False, (), []):
            raise UsageError(f"--{name.replace('_', '-')} {reason}")


def add_examples(parser: argparse.ArgumentParser, *, metavar: str, purpose: str, what: str) -> None:
    """Adds gold and systems in all their layouts, and what is computed of them."""
    _add_inputs(parser, metavar=metavar, purpose=purpose)
    _add_what(parser.add_argument_group(what))
    _add_columns(parser.add_argument_group(_COLUMNS))
    _add_run(parser.add_argument_group("predictions in a file per language"))
    add_workers(parser.add_argument_group("large data"))


def _add_inputs(parser: argparse.ArgumentParser, *, metavar: str, purpose: str) -> None:
    parser.add_argument("files", nargs="*", metavar=metavar, help=purpose)
    group = parser.add_argument_group("where the systems are (default: a file each)")
    group.add_argument(
        "--systems",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="one table holds gold and a column of outputs for each system",
    )
    group.add_argument(
        "--system-column",
        metavar="COLUMN",
        help="one table holds gold and one row for each example of each system",
    )
    group.add_argument(
        "--rated-column",
        metavar="COLUMN",
        help="one table holds, for each item and system that people rated, their score as gold "
        "and a column for each metric of --systems; the column that names the rated system",
    )
    group.add_argument(
        "--annotators",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="one table holds a column of ratings by each annotator: their agreement, as by "
        "krippendorff_alpha, or with --systems how well each system agrees with each of them; "
        "the systems people and constant are another annotator, and the commonest rating",
    )
    group.add_argument(
        "--annotator-column",
        metavar="COLUMN",
        help="one table holds a row for each unit and annotator, with ids, and ratings in the gold "
        "column",
    )
    group.add_argument(
        "--majority",
        action="store_true",
        help="score systems against the rating that most annotators gave, and not against each",
    )
    group.add_argument(
        "--submissions",
        metavar="DIR",
        help="a folder or zip with one file per system, which names it; a folder in it is a team, "
        "whose systems are named TEAM/RUN",
    )


def read_metric(text: str) -> "Metric | str":
    """A metric of a module, or the name of another one, whose class need not be loaded yet.

    Raises:
        ArgumentTypeError: The module, or what it is to hold, does not exist or is no metric.
    """
    if ":" not in text:
        return text
    from tallystick.metrics.own import is_own, load_metric

    try:
        return load_metric(text) if is_own(text) else text
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _read_kind(text: str) -> "Kind[Column]":
    from tallystick.metrics.own import load_kind

    try:
        return load_kind(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _add_what(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-m",
        "--metrics",
        action="extend",
        nargs="+",
        type=read_metric,
        metavar="METRIC",
        help="such as f1, macro_f1, bleu or \"F1(average='macro')\" (all: tallystick metrics); "
        "module:Class or module:function for one of your own",
    )
    group.add_argument(
        "--by",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="scores per value of these columns; NAME:4 makes four bins of a column of numbers; "
        "a file with the group of each line where the examples are lines of text",
    )
    group.add_argument(
        "--task",
        type=str.lower,
        choices=("binary", "multiclass", "multilabel", "spans", "text", "texts"),
        help="guessed from the gold or the metrics when left out",
    )
    group.add_argument(
        "--kind",
        type=_read_kind,
        metavar="KIND",
        help="what the examples are: labels, texts, numbers, spans, rankings, or module:NAME for a "
        "kind of your own (default: found out from the metrics and the gold)",
    )
    group.add_argument(
        "--labels", action="extend", nargs="+", metavar="LABEL", help="the labels that may occur"
    )
    group.add_argument("--positive", metavar="LABEL", help="the positive label of a binary task")
    group.add_argument(
        "--threshold",
        type=float,
        metavar="P",
        help="predict the positive label from this probability on (default: take the predicted "
        "labels, else the threshold in the column best_threshold, else 0.5)",
    )
    group.add_argument(
        "--fold-case", action="store_true", help="treat labels that differ only in case as one"
    )
    group.add_argument(
        "--invalid",
        type=str.lower,
        choices=("error", "wrong", "class"),
        default="error",
        help="an output that is empty or not a label is an error, counts as wrong, or is a class "
        "of its own (default: error)",
    )
    group.add_argument(
        "--missing",
        dest="missing_outputs",
        type=str.lower,
        choices=("error", "wrong", "exclude", "common"),
        default="error",
        help="an example without an output (no row, null, NaN, blank, None) is an error, counts as "
        "wrong, is left out of that system's scores, or only examples are scored that all systems "
        "have (default: error)",
    )
    group.add_argument(
        "-l",
        "--language",
        metavar="LANGUAGE",
        help="the target language of texts, such as zh, or the pair, such as en-zh: metrics that "
        "split texts split these as it asks for (default: that of the groups, where they are "
        "languages)",
    )
    group.add_argument(
        "--language-column",
        metavar="NAME",
        help="the column of the language, or of the pair, of each text",
    )
    group.add_argument(
        "--normalize",
        type=str.lower,
        choices=("whisper", "whisper-en"),
        help="normalise texts for error rates as Whisper does: in any language, or English "
        "(extra whisper)",
    )
    group.add_argument(
        "--where",
        metavar="CONDITION",
        help="score only the examples of which a condition on columns holds, such as "
        "'lang == \"de\" and length > 20'",
    )
    group.add_argument(
        "--corrected-by",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="human labels for some of the examples: they correct the gold of a judge for all of "
        "them, or the numbers that mean averages (then a column for each of --systems)",
    )
    group.add_argument(
        "--label-probability",
        metavar="COLUMN",
        help="the probability at which each example was chosen for its human label (default: the "
        "same for all)",
    )


def _add_columns(group: argparse._ArgumentGroup) -> None:
    for names, purpose in (
        (
            ("gold", "reference"),
            "the gold label or reference (y_true, label, gold, reference, ...)",
        ),
        (
            ("predicted", "hypothesis"),
            "the predicted label or text (y_pred, prediction, hypothesis, output, ...)",
        ),
        (("probability",), "the probability of the positive label (y_prob, prob, prediction, ...)"),
        (("id",), "joins gold and outputs (id, sub_id, example_id, ...)"),
        (("weight",), "how much an example counts (default: all the same)"),
        (("count",), "how many examples a row stands for, as in a table of counts (default: one)"),
    ):
        group.add_argument(
            *(f"--{name}-column" for name in names),
            dest=f"{names[0]}_column",
            metavar="NAME",
            help=purpose,
        )
    group.add_argument(
        "--clusters",
        metavar="COLUMN",
        help="what examples belong to, such as a document: those of one cluster are resampled "
        "together; a file with the cluster of each line where the examples are lines of text",
    )
    group.add_argument(
        "--queries",
        metavar="FILE",
        help="a table with the groups, clusters and weights of queries, where gold is TREC qrels",
    )
    group.add_argument(
        "--level",
        type=int,
        metavar="GRADE",
        help="documents are relevant from this grade on (default: 1)",
    )
    group.add_argument(
        "--scheme",
        type=str.lower,
        choices=SCHEMES,
        help="read the tags of spans strictly in this scheme (default: by the rules of seqeval's "
        "default mode, which are conlleval's where tags are B, I and O)",
    )
    group.add_argument("--delimiter", metavar="MARK", help="separates labels in a multilabel cell")
    group.add_argument(
        "--input-format",
        type=str.lower,
        choices=("lines", "csv", "tsv", "jsonl", "parquet", "conll", "blanks", *LOGS),
        help="the format of the files, where they do not show it; jsonl may be a JSON array, and "
        "blanks part the columns of any table; the last four are logs of lm-evaluation-harness, "
        "Inspect, HELM and Every Eval Ever",
    )
    group.add_argument(
        "--rows",
        metavar="KEY",
        help="each file is a JSON object that holds its rows in this list, such as outputs",
    )
    group.add_argument(
        "--ref",
        action="append",
        default=[],
        metavar="FILE",
        help="a further file of references beside GOLD; may be given again",
    )
    group.add_argument(
        "--blank-is-missing",
        action="store_true",
        help="a line of a reference file that is empty or holds only spaces is no reference "
        "(default: it is a reference without words)",
    )


def _add_run(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--pred-dir", "--pred_dir", metavar="DIR", help="the folder of the files")
    group.add_argument(
        "--run-tag",
        "--run_tag",
        action="extend",
        nargs="+",
        metavar="TAG",
        help="files are called TAG_LANGUAGE.csv; several runs are several systems",
    )
    group.add_argument(
        "--languages",
        action="extend",
        nargs="*",
        metavar="LANGUAGE",
        help="which languages, in this order (default: the config's, else all)",
    )


def add_resamples(group: argparse._ArgumentGroup, *, confidence: str, resamples: str) -> None:
    """Adds the options of every command that resamples; the arguments say what they mean."""
    usual = Intervals()
    group.add_argument(
        "--confidence", type=float, metavar="P", help=f"{confidence} (default: {usual.confidence})"
    )
    group.add_argument("--resamples", type=int, metavar="N", help=resamples)
    group.add_argument(
        "--random-seed",
        type=int,
        metavar="N",
        help=f"the same seed gives the same numbers (default: {usual.random_seed})",
    )


def add_intervals(group: argparse._ArgumentGroup, formats: str) -> None:
    """Adds the options of a command whose intervals may be left out, as some formats do."""
    group.add_argument(
        "--intervals",
        action=argparse.BooleanOptionalAction,
        help=f"show intervals in {formats} too, or nowhere (default: in tables and JSON)",
    )
    add_resamples(
        group,
        confidence="the confidence level: the share of samples whose interval holds the true value",
        resamples=f"how many bootstrap resamples (default: {Intervals().resamples})",
    )


def add_testing(group: argparse._ArgumentGroup, *, confidence: str) -> None:
    """Adds how systems are compared."""
    from tallystick.comparison.settings import TESTS

    group.add_argument(
        "--test",
        type=str.lower,
        choices=TESTS,
        help="the significance test (default: by the metric); it is ar, approximate "
        "randomisation, for labels and texts, delong for ROC-AUC of a binary task, and t for other "
        "metrics of probabilities, and with clusters",
    )
    add_resamples(
        group,
        confidence=confidence,
        resamples="how many bootstrap resamples, where any are needed (default: 10000; 1000 for t, "
        "sacrebleu-bs and the intervals of single scores)",
    )


def read_intervals(options: argparse.Namespace) -> Intervals | bool:
    """The intervals that parsed options ask for; False where they are left out or not shown."""
    named = _read_resamples(options)
    unseen = options.intervals is None and options.format in ("csv", "lines")
    if options.intervals is not False and not unseen:
        return Intervals(**named)
    if named or options.clusters:
        name = next(iter(named), "clusters").replace("_", "-")
        raise UsageError(f"--{name} goes with intervals, so leave out --no-intervals")
    return False


def read_prevalence(arguments: Sequence[str]) -> dict[str, float]:
    """Reads shares that were given as `LABEL=SHARE`."""
    if not arguments:
        return {}
    shares: dict[str, float] = {}
    for argument in arguments:
        label, sign, share = argument.rpartition("=")
        try:
            shares[label] = float(share)
        except ValueError:
            sign = ""
        if not (label and sign):
            raise UsageError(f"--prevalence takes LABEL=SHARE, such as toxic=0.02, not {argument}")
    from tallystick.scoring.prevalence import read_shares

    if (total := sum(read_shares(shares).values())) > 1:
        raise UsageError(f"--prevalence adds up to {total:g}, which is more than 1")
    return shares


def read_testing(options: argparse.Namespace) -> "Testing":
    """How parsed options compare systems."""
    from tallystick.comparison.settings import Testing

    return Testing(getattr(options, "test", None), **_read_resamples(options))


def _read_resamples(options: argparse.Namespace) -> dict[str, Any]:
    """What was said about resampling, as far as it was."""
    names = ("confidence", "resamples", "random_seed")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def add_output(group: argparse._ArgumentGroup, formats: Sequence[str]) -> None:
    """Adds where results go, and in which format."""
    group.add_argument(
        "--format",
        type=str.lower,
        choices=formats,
        help="the format of the output (default: by the ending of --output, else table)",
    )
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to this file (.csv, .json, .md, .tex, .html, .svg and others) instead of the "
        "terminal",
    )
    add_numbers(group)
    group.add_argument(
        "--columns",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="show only these columns, in this order, beside the names of the rows",
    )
    group.add_argument(
        "--rename",
        action="extend",
        nargs="+",
        type=_read_pair,
        default=[],
        metavar="OLD=NEW",
        help="what systems and columns are called in tables, such as run3=Ours macro_f1=F1",
    )
    group.add_argument("--caption", metavar="TEXT", help="the caption of the LaTeX table")
    group.add_argument(
        "--label", metavar="NAME", help="the label of the LaTeX table, without tab: before it"
    )
    group.add_argument(
        "--verbose", action="store_true", help="show all notes, and the method of every interval"
    )


def add_numbers(group: argparse._ArgumentGroup) -> None:
    """Adds how numbers are printed."""
    group.add_argument(
        "--digits",
        "--decimals",
        action="extend",
        nargs="+",
        type=_read_digits,
        default=[],
        metavar="N|METRIC=N",
        help="decimals in tables, of all metrics or of some, such as bleu=1 f1=2 (default: 4, or 2 "
        "of scores in percent)",
    )
    group.add_argument(
        "--percent", action="store_true", help="multiply fractions, such as accuracy and F1, by 100"
    )


def add_report(group: argparse._ArgumentGroup) -> None:
    """Adds what a report holds besides the result."""
    group.add_argument(
        "--examples",
        type=_read_most,
        default=MOST_EXAMPLES,
        metavar="N|all",
        help="how many examples a report (-o NAME.html) holds, which show gold; 0 is none "
        f"(default: {MOST_EXAMPLES})",
    )


def _read_most(text: str) -> int | None:
    if text.lower() != "all" and not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of examples nor all")
    return int(text) if text.isdecimal() else None


def _read_pair(text: str) -> tuple[str, str]:
    """A name, and what it is called instead."""
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise argparse.ArgumentTypeError(f"{text!r} is not OLD=NEW, such as run3=Ours")
    return old, new


def _read_digits(text: str) -> tuple[str, int]:
    """The decimals of one metric, or of all, whose name is empty."""
    name, sign, digits = text.rpartition("=")
    if bool(name) != bool(sign) or not digits.removeprefix("-").isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number of decimals nor METRIC=N, such as bleu=1"
        )
    return name, int(digits)

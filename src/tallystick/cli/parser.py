"""The options of every command; the commands themselves are loaded when they run."""

import argparse
import importlib
from collections.abc import Callable, Sequence

from tallystick import __version__
from tallystick.cli.baseline_options import add_baselines
from tallystick.cli.contest_options import GATE, RANK, add_entrants, add_limits
from tallystick.cli.intervals import add_draws, add_intervals
from tallystick.errors import UsageError

__all__ = ["build_parser", "refuse"]

_SCORE = """\
examples:
  tallystick score gold.txt system.txt             one label a line on both sides
  tallystick score gold.csv a.csv b.csv --by lang  tables joined by id, two systems, by language
  tallystick score predictions.csv -m f1 roc_auc   gold and predictions in one table
  tallystick score ref.txt hyp.txt -m bleu chrf    texts, one a line on both sides
  tallystick score --pred-dir output --run-tag baseline --languages en es
                                                   output/baseline_en.csv, output/baseline_es.csv
"""

_TUNE = """\
examples:
  tallystick tune val.csv                                        the threshold of the best F1
  tallystick tune val.csv --apply test.csv --output pred.csv     predicts test.csv with it
  tallystick tune val.csv -m mcc --by lang --apply test.csv --output pred.csv
                                                                 one threshold for each language
  tallystick tune val.csv --cross-fit 5 --output pred.csv        predicts val.csv itself, each row
                                                                 with a threshold tuned without it
"""

_COMPARE = """\
examples:
  tallystick compare gold.csv a.csv b.csv -m macro_f1 roc_auc   every two systems
  tallystick compare gold.txt a.txt b.txt -m accuracy --test mcnemar-midp
  tallystick compare gold.csv a.csv b.csv -m f1 --by lang --clusters author
  tallystick compare ref.txt a.txt b.txt -m bleu chrf --flips flips.csv
"""

_METRICS = """\
examples:
  tallystick metrics        one line for each metric
  tallystick metrics f1     formula, range, options and source of one
"""

_BASELINE = """\
example:
  tallystick baseline majority train.txt test.txt -o predicted.txt

`tallystick baseline BASELINE --help` explains a baseline and shows examples.
"""

_DEMO = """\
example:
  tallystick demo
"""

_DRAWS = "replicates (default: 10000; 1000 for the intervals of scores, and for sacrebleu-bs)"


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; parsed options carry the command in `run`."""
    parser = argparse.ArgumentParser(
        prog="tallystick",
        description="Scores the predictions of NLP systems against gold.",
        epilog="`tallystick COMMAND --help` explains a command and shows examples.",
    )
    parser.add_argument("--version", action="version", version=f"tallystick {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_score(_add(commands, "score", "score predictions against gold", _SCORE))
    _add_tune(_add(commands, "tune", "tune the threshold of probabilities", _TUNE))
    _add_compare(_add(commands, "compare", "test how systems differ", _COMPARE))
    _add_rank(_add(commands, "rank", "rank systems by what the examples can tell apart", RANK))
    _add_gate(_add(commands, "gate", "check that a system is no worse than an older one", GATE))
    metrics = _add(commands, "metrics", "list the metrics, or explain one", _METRICS)
    metrics.add_argument("name", nargs="?", help="a metric, such as f1")
    add_baselines(_add(commands, "baseline", "make predictions to beat", _BASELINE))
    _add(commands, "demo", "score the example data that comes with the package", _DEMO)
    return parser


def refuse(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Raises a UsageError where one of these options was given."""
    for name in names:
        if getattr(options, name, None) not in (None, False, (), []):
            raise UsageError(f"--{name.replace('_', '-')} {reason}")


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    purpose: str,
    examples: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(run=_load(name))
    return command


def _load(name: str) -> Callable[[argparse.Namespace], int | None]:
    """The command's own module, imported when the command runs; it may return an exit code."""

    def run(options: argparse.Namespace) -> int | None:
        code: int | None = importlib.import_module(f"tallystick.cli.{name}").run(options)
        return code

    return run


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="GOLD [PREDICTIONS ...]",
        help="gold, then one file per system, or one table that holds both; - is standard input",
    )
    _add_what(parser.add_argument_group("what to score"))
    columns = parser.add_argument_group("which columns (found by their usual names)")
    _add_columns(columns)
    columns.add_argument("--weight-column", metavar="NAME", help="the weight of an example")
    texts = parser.add_argument_group("texts (with metrics such as bleu, chrf, ter, wer)")
    _add_texts(texts)
    texts.add_argument("--segments", action="store_true", help="score every example on its own")
    _add_run(parser.add_argument_group("a run of one prediction file per language"))
    add_intervals(parser.add_argument_group("intervals"))
    _add_output(parser.add_argument_group("output"))


def _add_tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a table with gold labels and probabilities")
    parser.add_argument(
        "-m",
        "--metric",
        default="f1",
        help="what the threshold is to make best: any metric of labels (default: f1)",
    )
    parser.add_argument(
        "--by",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="a threshold per value of these columns",
    )
    parser.add_argument(
        "--grid",
        choices=("seed",),
        help="try 0.1, 0.11, ... 0.9 and take the first that is best, as the toxicity project's "
        "baselines do (default: all probabilities that occur)",
    )
    parser.add_argument("--positive", metavar="LABEL", help="the positive label")
    parser.add_argument(
        "--cross-fit",
        type=int,
        metavar="K",
        help="tell the metric without flattery: the rows are dealt into K folds, within each group "
        "and gold label at random with a fixed seed, and each fold is predicted with the threshold "
        "of the others",
    )
    parser.add_argument("--apply", metavar="FILE", help="the table to predict; it needs no gold")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="a CSV file for its columns, y_pred, best_threshold"
    )
    for name in ("gold", "probability"):
        parser.add_argument(f"--{name}-column", metavar="NAME", help=f"the {name} in each table")
    parser.add_argument(
        "--input-format",
        choices=("csv", "tsv", "jsonl", "parquet"),
        help="what the tables are, where their endings do not tell",
    )


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", metavar="GOLD A B", help="gold, then one file for each system"
    )
    _add_what(parser.add_argument_group("what to compare by"))
    _add_testing(parser.add_argument_group("how"))
    _add_columns(parser.add_argument_group("which columns (found by their usual names)"))
    _add_texts(parser.add_argument_group("texts (with metrics such as bleu, chrf, ter, wer)"))
    output = parser.add_argument_group("output")
    _add_target(output, ("table", "csv", "json", "markdown", "latex"))
    output.add_argument(
        "--flips",
        metavar="FILE",
        help="write there the examples that tell systems apart (.csv or .json)",
    )


def _add_rank(parser: argparse.ArgumentParser) -> None:
    add_entrants(parser)
    _add_what(parser.add_argument_group("what to rank by"))
    _add_testing(parser.add_argument_group("how systems are told apart"))
    _add_columns(parser.add_argument_group("which columns (found by their usual names)"))
    _add_texts(parser.add_argument_group("texts (with metrics such as bleu, chrf, ter, wer)"))
    output = parser.add_argument_group("output")
    _add_target(output, ("table", "csv", "json", "markdown", "latex"))


def _add_gate(parser: argparse.ArgumentParser) -> None:
    add_limits(parser)
    _add_what(parser.add_argument_group("what to check"))
    add_draws(
        parser.add_argument_group("how sure"),
        level="the level of each one-sided bound",
        draws="replicates (default: 10000; 1000 for the intervals of scores)",
    )
    _add_columns(parser.add_argument_group("which columns (found by their usual names)"))
    _add_texts(parser.add_argument_group("texts (with metrics such as bleu, chrf, ter, wer)"))


def _add_testing(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--test",
        choices=(
            "ar",
            "bootstrap",
            "mcnemar",
            "mcnemar-midp",
            "delong",
            "sacrebleu-bs",
            "sacrebleu-ar",
        ),
        help="default: delong for a binary task's roc_auc, approximate randomisation for the rest",
    )
    meaning = "the level of intervals; systems are told apart below 1 - P"
    add_draws(group, level=meaning, draws=_DRAWS)


def _add_what(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--task",
        choices=("binary", "multiclass", "multilabel", "text"),
        help="guessed from the labels or the metrics when left out",
    )
    group.add_argument(
        "-m",
        "--metrics",
        action="extend",
        nargs="+",
        metavar="METRIC",
        help="such as f1, macro_f1 or \"F1(average='macro')\"; see `tallystick metrics`",
    )
    group.add_argument(
        "--by",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="scores per value of these columns",
    )
    group.add_argument(
        "--labels", action="extend", nargs="+", metavar="LABEL", help="the labels that may occur"
    )
    group.add_argument("--positive", metavar="LABEL", help="the positive label of a binary task")
    group.add_argument(
        "--threshold",
        type=float,
        metavar="P",
        help="predict the positive label from this probability on (default: the predicted labels, "
        "else the column best_threshold, else 0.5)",
    )
    group.add_argument(
        "--fold-case", action="store_true", help="take labels that differ only in case as one"
    )


def _add_columns(group: argparse._ArgumentGroup) -> None:
    for name, purpose in (
        ("gold", "the gold label (y_true, label, target, toxic)"),
        ("predicted", "the predicted label (y_pred, pred_label, prediction_binary)"),
        ("probability", "its probability (y_prob, prob, prediction, pred_score, pred)"),
        ("id", "joins gold and predictions (id, sub_id)"),
    ):
        group.add_argument(f"--{name}-column", metavar="NAME", help=purpose)
    group.add_argument("--delimiter", metavar="MARK", help="separates labels in a multilabel cell")
    group.add_argument(
        "--input-format",
        choices=("lines", "csv", "tsv", "jsonl", "parquet"),
        help="what the files are, where their endings do not tell",
    )


def _add_texts(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--ref",
        action="append",
        default=[],
        metavar="FILE",
        help="a further reference file beside GOLD; may be given again",
    )
    group.add_argument(
        "--blank-is-missing",
        action="store_true",
        help="a line of a reference file that is empty or holds only spaces is no reference "
        "(default: one without words)",
    )
    for name, purpose in (
        ("hypothesis", "the hypothesis (hypothesis, prediction, output, mt, system)"),
        ("reference", "the reference or references (reference, references, ref, gold, target)"),
    ):
        group.add_argument(f"--{name}-column", metavar="NAME", help=purpose)


def _add_run(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--pred-dir", "--pred_dir", metavar="DIR", help="the folder of the files")
    group.add_argument(
        "--run-tag", "--run_tag", metavar="TAG", help="files are called TAG_LANGUAGE.csv"
    )
    group.add_argument(
        "--languages",
        action="extend",
        nargs="*",
        metavar="LANGUAGE",
        help="which, in this order (default: the config's, else all)",
    )
    group.add_argument("--config", metavar="FILE", help="a YAML file with data.languages")
    group.add_argument(
        "--dump-errors",
        "--dump_errors",
        action="store_true",
        help="write false positives and false negatives to TAG_errors_LANGUAGE.csv",
    )
    group.add_argument(
        "--errors-dir", "--errors_dir", metavar="DIR", help="where to (default: --pred-dir)"
    )
    group.add_argument(
        "--max-errors",
        "--max_errors",
        type=int,
        default=50,
        metavar="N",
        help="how many of each kind at most, a seeded sample of more (default: 50)",
    )


def _add_target(group: argparse._ArgumentGroup, formats: Sequence[str]) -> None:
    group.add_argument(
        "--format", choices=formats, help="default: by the ending of --output, else table"
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write there, not to the screen")
    group.add_argument(
        "--digits", type=int, default=4, metavar="N", help="decimals in tables (default: 4)"
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    _add_target(group, ("table", "csv", "json", "markdown", "latex", "lines"))
    group.add_argument(
        "--confusion", metavar="FILE", help="write the confusion matrix there (.csv or .json)"
    )
    group.add_argument(
        "--normalise", action="store_true", help="divide the rows of --confusion by their sums"
    )

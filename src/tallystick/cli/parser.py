"""The options of every command; the commands themselves are loaded when they run."""

import argparse
import importlib
from collections.abc import Callable

from tallystick import __version__
from tallystick.cli.baseline_options import add_baselines
from tallystick.cli.count_options import COUNTS, add_count
from tallystick.cli.figures import add_figures
from tallystick.cli.gate_options import EXAMPLES, USAGE, add_gate
from tallystick.cli.options import (
    add_columns,
    add_inputs,
    add_intervals,
    add_output,
    add_report,
    add_run,
    add_testing,
    add_what,
)
from tallystick.cli.plan_options import PLANS, add_plan
from tallystick.cli.rank_options import RANKINGS, add_rank
from tallystick.cli.sacrebleu_options import add_sacrebleu
from tallystick.cli.task_options import TASKS, add_tasks
from tallystick.cli.workers import open_engine

_SCORE = """\
examples:
  tallystick score gold.txt system.txt             one label a line on both sides
  tallystick score gold.csv a.csv b.csv --by lang  tables joined by id, two systems, by language
  tallystick score gold.csv old=v1/out.csv new=v2/out.csv
                                                   the same, with names for the systems
  tallystick score predictions.csv -m f1 roc_auc   gold and predictions in one table
  tallystick score all.jsonl --systems gpt llama   a column of outputs for each system
  tallystick score all.csv --system-column model   a row for each example of each system
  tallystick score gold.csv --submissions entries  a folder or zip of one file per system
  tallystick score gold.csv run1.csv run2.csv run3.csv -m f1 --seeds
                                                   the mean over runs of one system
  tallystick score gold.csv a.csv --prevalence toxic=0.02
                                                   scores where 2% of the examples are toxic
  tallystick score ratings.csv --annotators ann bob cyd -m "krippendorff_alpha(ordinal)"
                                                   agreement of annotators, a column for each
  tallystick score ref.txt hyp.txt -m bleu chrf    texts, one a line on both sides
  tallystick score gold.csv a.csv -o roc.pdf --figure roc
                                                   a figure for a paper
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
  tallystick compare gold.csv old.csv a.csv b.csv -m macro_f1        each against the first
  tallystick compare gold.csv a.csv b.csv old.csv -m f1 --baseline old
  tallystick compare gold.csv a.csv b.csv c.csv -m f1 --all-pairs    every two systems
  tallystick compare gold.txt a.txt b.txt -m accuracy --test mcnemar-midp
  tallystick compare gold.csv a.csv b.csv -m f1 --by lang --clusters author
  tallystick compare all.jsonl --systems gpt llama -m accuracy       a column for each system
  tallystick compare ref.txt a.txt b.txt -m bleu chrf --flips flips.csv
                                                                     and where they differ
  tallystick compare gold.csv old.csv a.csv b.csv -m f1 -o forest.pdf
                                                                     a figure for a paper
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

_SACREBLEU = """\
examples:
  tallystick sacrebleu ref.txt -i system.txt -m bleu chrf ter    JSON, as sacreBLEU prints it
  cat system.txt | tallystick sacrebleu ref.txt -b -w 4          the number alone
  tallystick sacrebleu ref1 ref2 -i system -f text               two references
  tallystick sacrebleu ref.ja -i system.ja -l en-ja              the tokenizer of the language
  tallystick sacrebleu ref.txt -i baseline.txt a.txt b.txt --paired-bs -f text
                                                                 tests against the first system
"""

_VIEW = """\
examples:
  tallystick rank gold.csv a.csv b.csv -m macro_f1 -o ranking.json
  tallystick view ranking.json                       the report of it, without the data
  tallystick view results                            one page for each saved result of a folder
  tallystick view scores.json -o roc.pdf --figure roc
                                                     a figure of it
"""

_DEMO = """\
example:
  tallystick demo
"""

_COMPLETION = """\
examples:
  eval "$(tallystick completion bash)"                in ~/.bashrc
  eval "$(tallystick completion zsh)"                 in ~/.zshrc, after compinit
  tallystick completion fish > ~/.config/fish/completions/tallystick.fish

It completes both names of the command, tallystick and tally.
"""


_EPILOG = """\
example:
  tallystick score gold.csv predictions.csv

`tallystick COMMAND --help` explains a command and shows examples.

exit codes: 0 good; 1 a gate that failed; 2 a wrong call; 3 a gate that is inconclusive;
4 bad data.
"""

_COLUMNS = "how files are read (usual column names are found; meta.lang is the field lang of meta)"

_USAGE = {
    "score": "GOLD [SYSTEM ...] [options]",
    "tune": "FILE [options]",
    "compare": "GOLD A B ... [options]",
    "plan": "GOLD A B -m METRIC [options]",
    "rank": "GOLD A B ... -m METRIC [options]",
    "sacrebleu": "REF [REF ...] [-i SYSTEM ...] [-m METRIC ...] [options]",
    "gate": USAGE,
    "count": "GOLD [SYSTEM ...] -o FILE.tally [options]",
}
"""How the commands of many options are called."""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; parsed options carry the command in `run`."""
    parser = argparse.ArgumentParser(
        prog="tallystick",
        description="Scores the predictions of NLP systems against gold.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tallystick {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_score(_add(commands, "score", "score predictions against gold", _SCORE))
    _add_tune(_add(commands, "tune", "tune the threshold of probabilities", _TUNE))
    _add_compare(_add(commands, "compare", "test whether systems differ significantly", _COMPARE))
    rank = _add(commands, "rank", "rank systems, and say who is significantly better", RANKINGS)
    add_rank(rank, _COLUMNS)
    gate = _add(commands, "gate", "check that a system is no worse than an older one", EXAMPLES)
    add_gate(gate, _COLUMNS)
    plan = _add(commands, "plan", "estimate how many examples a comparison needs", PLANS)
    add_plan(plan, _COLUMNS)
    count = _add(commands, "count", "count examples, to add and score them later", COUNTS)
    add_count(count, _COLUMNS)
    metrics = _add(commands, "metrics", "list the metrics, or explain one", _METRICS)
    metrics.add_argument("name", nargs="?", help="a metric, such as f1")
    add_baselines(_add(commands, "baseline", "make predictions to beat", _BASELINE))
    add_sacrebleu(
        _add(commands, "sacrebleu", "score texts as sacreBLEU's own command does", _SACREBLEU)
    )
    add_tasks(_add(commands, "task", "run a shared task from one file", TASKS))
    view = _add(commands, "view", "open a saved result as a page in a browser", _VIEW)
    view.add_argument(
        "path",
        metavar="RESULT.json|DIR",
        help="what -o result.json wrote, or a folder of such files",
    )
    view.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the page here (.html), or a figure (.svg, .pdf, .png), and open no browser",
    )
    add_figures(view, "any that the result has")
    _add(commands, "demo", "score the example data that comes with the package", _DEMO)
    completion = _add(
        commands, "completion", "print a script that completes commands in a shell", _COMPLETION
    )
    completion.add_argument(
        "shell", type=str.lower, choices=("bash", "zsh", "fish"), help="which shell"
    )
    return parser


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    purpose: str,
    examples: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=purpose,
        usage=f"tallystick {name} {_USAGE[name]}" if name in _USAGE else None,
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
        with open_engine(options):
            code: int | None = importlib.import_module(f"tallystick.cli.{name}").run(options)
        return code

    return run


def _add_score(parser: argparse.ArgumentParser) -> None:
    add_inputs(
        parser,
        metavar="GOLD [SYSTEM ...]",
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that holds all; "
        "- is standard input",
    )
    what = parser.add_argument_group("what to score")
    add_what(what)
    what.add_argument(
        "--prevalence",
        action="extend",
        nargs="+",
        default=[],
        metavar="LABEL=SHARE",
        help="score for a mix in which a gold label has this share of the examples, such as "
        "toxic=0.02; other labels share the rest in their present proportions",
    )
    add_columns(parser.add_argument_group(_COLUMNS))
    seeds = parser.add_argument_group("several runs of one system")
    seeds.add_argument(
        "--seeds",
        action="store_true",
        help="treat all systems as runs of one, such as with several random seeds, or TEAM/RUN as "
        "a run of TEAM: the mean over runs, with an interval that holds examples and seeds",
    )
    texts = parser.add_argument_group("texts")
    texts.add_argument("--segments", action="store_true", help="score every example separately")
    _add_errors(parser.add_argument_group("a run of one prediction file per language"))
    add_intervals(parser.add_argument_group("confidence intervals"))
    output = parser.add_argument_group("output")
    add_output(output, ("table", "csv", "json", "markdown", "latex", "html", "lines"))
    add_report(output)
    add_figures(
        output,
        "scores, groups, heatmap, labels, confusion, roc, pr, reliability, threshold or lengths "
        "(default: the first that there is)",
    )
    output.add_argument(
        "--confusion",
        metavar="FILE",
        help="write the confusion matrix to this file (.csv or .json)",
    )
    output.add_argument(
        "--normalise", action="store_true", help="divide the rows of --confusion by their sums"
    )
    output.add_argument(
        "--flaky",
        metavar="FILE",
        help="write the examples that only some tries got right to this file (.csv or .json)",
    )


def _add_errors(group: argparse._ArgumentGroup) -> None:
    add_run(group)
    group.add_argument("--config", metavar="FILE", help="a YAML file with data.languages")
    group.add_argument(
        "--dump-errors",
        "--dump_errors",
        action="store_true",
        help="write false positives and false negatives to TAG_errors_LANGUAGE.csv",
    )
    group.add_argument(
        "--errors-dir",
        "--errors_dir",
        metavar="DIR",
        help="the folder for them (default: --pred-dir)",
    )
    group.add_argument(
        "--max-errors",
        "--max_errors",
        type=int,
        default=50,
        metavar="N",
        help="at most this many of each kind, a seeded sample if there are more (default: 50)",
    )


def _add_tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a table with gold labels and probabilities, or saved tallies of them",
    )
    parser.add_argument(
        "-m",
        "--metric",
        default="f1",
        help="the metric to optimise: any metric of labels (default: f1)",
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
        type=str.lower,
        choices=("seed",),
        help="try 0.1, 0.11, ... 0.9 and take the first that is best, as the toxicity project's "
        "baselines do (default: all probabilities that occur)",
    )
    parser.add_argument("--positive", metavar="LABEL", help="the positive label")
    parser.add_argument(
        "--cross-fit",
        type=int,
        metavar="K",
        help="estimate the metric on rows that the threshold was not tuned on: the rows are split "
        "into K folds, within each group and gold label at random with a fixed random seed, and "
        "each fold is predicted with the threshold of the others",
    )
    parser.add_argument("--apply", metavar="FILE", help="the table to predict; it needs no gold")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="a CSV file for its columns, y_pred, best_threshold"
    )
    for name in ("gold", "probability"):
        parser.add_argument(f"--{name}-column", metavar="NAME", help=f"the {name} in each table")
    parser.add_argument(
        "--input-format",
        type=str.lower,
        choices=("csv", "tsv", "jsonl", "parquet"),
        help="what the tables are, where their endings do not tell",
    )


def _add_compare(parser: argparse.ArgumentParser) -> None:
    add_inputs(
        parser,
        metavar="GOLD A B ...",
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that holds all",
    )
    add_what(parser.add_argument_group("what to compare by"))
    add_columns(parser.add_argument_group(_COLUMNS))
    add_run(parser.add_argument_group("runs of one prediction file per language"))
    how = parser.add_argument_group("how")
    pairs = how.add_mutually_exclusive_group()
    pairs.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="the system that all others are compared with (default: the first)",
    )
    pairs.add_argument(
        "--all-pairs", action="store_true", help="compare every two systems with each other"
    )
    how.add_argument(
        "--equivalent-within",
        type=float,
        metavar="D",
        help="tell which systems are shown to differ by no more than D, by two one-sided tests",
    )
    add_testing(how, confidence="the confidence level of intervals")
    output = parser.add_argument_group("output")
    add_output(output, ("table", "csv", "json", "markdown", "latex", "html"))
    add_report(output)
    add_figures(output, "compare (default), or groups")
    output.add_argument(
        "--details",
        action="store_true",
        help="one row for each difference, with its interval and p-value, in each group too",
    )
    output.add_argument(
        "--flips",
        metavar="FILE",
        help="write the examples on which systems differ to this file, with gold, both outputs, "
        "and the input text where the gold has one (.csv or .json)",
    )
    output.add_argument(
        "--text-column",
        metavar="NAME",
        help="the input text of each example for --flips (text, input, source, question, ...)",
    )

"""The options of `tallystick score` and `tallystick count`."""

import argparse

from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import FORMATS, add_examples, add_intervals, add_output

_SCORE = """\
examples:
  tallystick score gold.csv a.csv b.csv --by lang  tables joined by id
  tallystick score predictions.csv -m f1 roc_auc   one table with both
  tallystick score ref.txt hyp.txt -m bleu chrf    texts, one a line
  tallystick score gold.txt system.txt             one label a line on both sides
  tallystick score gold.csv old=v1/out.csv new=v2/out.csv
                                                   the same, with names for the systems
  tallystick score all.jsonl --systems gpt llama   a column of outputs for each system
  tallystick score all.csv --system-column model   a row for each example of each system
  tallystick score gold.csv --submissions entries  a folder or zip of one file per system
  tallystick score gold.csv run1.csv run2.csv run3.csv -m f1 --seeds
                                                   the mean over runs of one system
  tallystick score gold.csv a.csv --prevalence toxic=0.02
                                                   scores where 2% of the examples are toxic
  tallystick score ratings.csv --annotators ann bob -m krippendorff_alpha
                                                   agreement of annotators, a column for each
  tallystick score run.eval                        a log of Inspect, lm-evaluation-harness or HELM
  tallystick score gold.csv a.csv -o roc.pdf --figure roc
                                                   a figure for a paper
  tallystick score --pred-dir output --run-tag baseline --languages en es
                                                   output/baseline_en.csv, output/baseline_es.csv
"""

_COUNT = """\
examples:
  tallystick count gold-1.csv a-1.csv -m macro_f1 --by lang -o part-1.tally
  tallystick count gold-2.csv a-2.csv -m macro_f1 --by lang -o part-2.tally
  tallystick score part-1.tally part-2.tally   as of all files at once
  tallystick count all.parquet -m f1 --workers 8 -o all.tally   on 8 processes

score, compare, rank, plan and gate read such files in the place of gold and systems, and compute
any metric that reads what was counted. Name the labels with --labels where a part may lack one.
"""


_OTHER_SCORES = {
    "--prevalence LABEL=SHARE...": "score for a mix in which a gold label has this share of the "
    "examples, such as toxic=0.02; other labels share the rest in their present proportions",
    "--seeds": "treat all systems as runs of one, such as with several random seeds, or TEAM/RUN "
    "as a run of TEAM: the mean over runs, with an interval that holds examples and seeds",
    "--segments": "score every example separately",
}
_ERRORS = {
    "--config FILE": "a YAML file with data.languages",
    "--dump-errors --dump_errors": "write false positives and false negatives to "
    "TAG_errors_LANGUAGE.csv",
    "--errors-dir --errors_dir DIR": "the folder for them (default: --pred-dir)",
    "--max-errors --max_errors N": "at most this many of each kind, a seeded sample if there are "
    "more (default: 50)",
}
_OUTPUT = {
    "--confusion FILE": "write the confusion matrix to this file (.csv or .json)",
    "--normalise": "divide the rows of --confusion by their sums",
    "--flaky FILE": "write the examples that only some tries got right to this file (.csv or "
    ".json)",
}
_COUNTS = {
    "-o --output FILE.tally": "where the counts go",
    "--min-cell N": "write nothing where a count is of fewer than N examples, so that no "
    "example can be inferred",
}


def add_score(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick score`."""
    parser.usage = "tallystick score GOLD [SYSTEM ...] [options]"
    parser.epilog = _SCORE
    add_examples(
        parser,
        metavar="GOLD [SYSTEM ...]",
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that holds all; "
        "- is standard input",
        what="what to score",
    )
    more = parser.add_argument_group("other scores")
    add_options(more, _OTHER_SCORES)
    errors = parser.add_argument_group("errors of predictions in a file per language")
    add_options(errors, _ERRORS, max_errors={"default": 50})
    add_intervals(parser.add_argument_group("confidence intervals"), "CSV and lines")
    output = add_output(
        parser,
        f"{FORMATS}|html|lines|eee",
        figures="scores, groups, heatmap, labels, confusion, roc, pr, reliability, threshold, "
        "risks, lengths or wins (default: the first that there is)",
        report=True,
    )
    add_options(output, _OUTPUT)


def add_count(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick count`."""
    parser.usage = "tallystick count GOLD [SYSTEM ...] -o FILE.tally [options]"
    parser.epilog = _COUNT
    add_examples(
        parser,
        metavar="GOLD [SYSTEM ...]",
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that holds all",
        what="what to count for",
    )
    add_options(parser.add_argument_group("output"), _COUNTS, output={"required": True})

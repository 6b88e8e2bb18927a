"""The options of `tallystick score`."""

import argparse

from tallystick.cli.options.figures import add_figures
from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import (
    add_examples,
    add_intervals,
    add_output,
    add_report,
)

_EXAMPLES = """\
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


def add_score(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = "tallystick score GOLD [SYSTEM ...] [options]"
    parser.epilog = _EXAMPLES
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
    output = parser.add_argument_group("output")
    add_output(output, "table|csv|json|markdown|latex|html|lines|eee")
    add_report(output)
    add_figures(
        output,
        "scores, groups, heatmap, labels, confusion, roc, pr, reliability, threshold, risks, "
        "lengths or wins (default: the first that there is)",
    )
    add_options(output, _OUTPUT)

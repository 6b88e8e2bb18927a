"""The options of `tallystick score`, `count`, `baseline`, and of the commands that have few."""

import argparse

from tallystick.cli.options.shared_options import (
    FORMATS,
    add_examples,
    add_figures,
    add_intervals,
    add_output,
    read_metric,
)
from tallystick.cli.parser import add_command, add_options
from tallystick.io.tables.formats import OPTIONS

_BASELINES = """\
example:
  tallystick baseline majority train.txt test.txt -o predicted.txt

`tallystick baseline BASELINE --help` explains a baseline and shows examples.
"""

_LABELS = """\
examples:
  tallystick baseline {name} train.txt test.txt -o predicted.txt   one label a line
  tallystick baseline {name} train.csv test.csv -o predicted.csv   tables; ids are kept
  tallystick score test.csv predicted.csv
"""

_TFIDF = """\
example:
  tallystick baseline tfidf --data splits --languages es it tr -o output
  tallystick score --pred-dir output --run-tag baseline

reads splits/es/train.csv, val.csv and test.csv and so on; writes output/baseline_es.csv, the
predictions, and output/baseline_es.skops, the fitted pipeline.
"""

_DETOXIFY = """\
examples:
  tallystick baseline detoxify --data splits --languages es it tr -o output
  tallystick baseline detoxify --data splits --model my/model -o output
  tallystick score --pred-dir output --run-tag detoxify

reads splits/es/val.csv and test.csv and so on; writes output/detoxify_es.csv.
"""


_FILES = {
    "train TRAIN": "labels, one a line, or a table with gold",
    "test TEST": "as many lines or rows as are to be predicted",
    "-o --output FILE": "the predictions (.txt or .csv)",
    "--task binary|multiclass|multilabel": "guessed from the labels when left out",
    "--gold-column NAME": "of TRAIN (y_true, label, target, toxic)",
    "--id-column NAME": "of TEST (id, sub_id)",
    "--delimiter MARK": "separates labels in a multilabel cell",
}
_RUN = {
    "--data DIR": "holds LANGUAGE/val.csv and so on (default: the config's)",
    "-o --output DIR": "for the predictions (default: the config's)",
    "--languages LANGUAGE...": "which, in this order (default: the config's, else all)",
    "--run-tag --run_tag TAG": "files are called TAG_LANGUAGE.csv (default: {})",
    "--config FILE": "a YAML file with data.processed_dir, data.languages, evaluation.output_dir "
    "and more",
    "--text-column NAME": "default: comment_text",
    "--gold-column NAME": "default: toxic",
    "--positive LABEL": "the positive gold label (1, true)",
}
_CLEANING = {
    "--stopwords DIR": "holds LANGUAGE.txt, one word a line",
    "--[no-]strip-urls": "remove links (default: yes)",
    "--[no-]strip-mentions": "remove @mentions (default: yes)",
    "--[no-]lower": "lower-case the texts (default: yes)",
    "--[no-]deaccent": "remove accents (default: yes)",
}
_COUNTING = {
    "--max-features N": "default: 200000",
    "--ngram-range N": "default: 1 2",
    "--min-df N": "default: 3",
    "--max-df SHARE": "default: 0.95",
    "--token-pattern REGEX": r"default: \w{1,}",
    "--[no-]sublinear-tf": "count a term as 1 + log of its count (default: yes)",
}
_REGRESSION = {
    "--max-iter N": "default: 2000",
    "--class-weight balanced|none": "default: balanced",
    "--random-state N": "default: 42",
}
_MODEL = {
    "--model NAME": "a folder, or a name on the hub of Hugging Face (default: multilingual, the "
    "model of the package detoxify)",
    "--model-label NAME": "take the probability of this label (default: toxicity of detoxify's "
    "model, the second of two of any other)",
    "--activation softmax|sigmoid": "makes probabilities of the outputs (default: what the "
    "model's configuration says)",
    "--device auto|cpu|cuda": "default: the config's, else auto: cuda where there is one",
    "--batch-size --batch_size N": "texts classified at once (default: 32)",
}


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Adds a command for each baseline, whose name parsed options carry in `baseline`."""
    parser.epilog = _BASELINES
    kinds = parser.add_subparsers(metavar="BASELINE", dest="baseline", required=True)
    purpose = "predict the most frequent training label"
    _add_files(add_command(kinds, "majority", purpose, _LABELS.format(name="majority")))
    purpose = "predict training labels at random, as often as they occur"
    chance = add_command(kinds, "random", purpose, _LABELS.format(name="random"))
    _add_files(chance)
    seed = {"--random-seed N": "the same seed gives the same labels (default: 0)"}
    add_options(chance, seed, random_seed={"default": 0})
    tfidf = add_command(kinds, "tfidf", "TF-IDF and logistic regression, per language", _TFIDF)
    _add_run(tfidf, "baseline")
    models = "for the fitted pipelines (default: the config's, --output)"
    add_options(tfidf, {"--models DIR": models})
    add_options(tfidf.add_argument_group("cleaning"), _CLEANING)
    add_options(
        tfidf.add_argument_group("TF-IDF (as in scikit-learn's TfidfVectorizer)"),
        _COUNTING,
        ngram_range={"nargs": 2, "metavar": ("MIN", "MAX")},
        min_df={"type": _count_or_share},
        max_df={"type": _count_or_share},
    )
    regression = tfidf.add_argument_group("regression (logistic, as in scikit-learn)")
    add_options(regression, _REGRESSION)
    detoxify = add_command(kinds, "detoxify", "a pretrained classifier of toxicity", _DETOXIFY)
    _add_run(detoxify, "detoxify")
    model = detoxify.add_argument_group("model")
    add_options(model, _MODEL, model={"default": "multilingual"}, batch_size={"default": 32})


def _add_files(parser: argparse.ArgumentParser) -> None:
    add_options(parser, _FILES, output={"required": True})


def _add_run(parser: argparse.ArgumentParser, tag: str) -> None:
    table = {key: purpose.format(tag) for key, purpose in _RUN.items()}
    add_options(parser, table, languages={"default": None}, run_tag={"default": tag})


def _count_or_share(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


_TUNE = """\
examples:
  tallystick tune val.csv                                        the threshold of the best F1
  tallystick tune val.csv --apply test.csv --output pred.csv     predicts test.csv with it
  tallystick tune val.csv -m mcc --by lang --apply test.csv --output pred.csv
                                                                 one threshold for each language
  tallystick tune val.csv --cross-fit 5 --output pred.csv        predicts val.csv by cross-fitting
"""

_METRICS = """\
examples:
  tallystick metrics            one line for each metric
  tallystick metrics f1         formula, range, options and source of one
  tallystick metrics agreement  the metrics whose names or descriptions contain it
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


_VIEWED = {
    "path RESULT.json|DIR": "what -o result.json wrote, or a folder of such files",
    "-o --output FILE": "write the page here (.html), or a figure (.svg, .pdf, .png), and open no "
    "browser",
}
_TUNING = {
    "files FILE": "a table with gold labels and probabilities, or saved tallies of them",
    "-m --metric METRIC": "the metric to optimise: any metric of labels (default: f1)",
    "--by COLUMN...": "a threshold per value of these columns",
    "--grid seed": "try 0.1, 0.11, ... 0.9 and take the first that is best, as the toxicity "
    "project's baselines do (default: all probabilities that occur)",
    "--positive LABEL": "the positive label",
    "--cross-fit K": "estimate the metric on rows that the threshold was not tuned on: the rows "
    "are split into K folds, within each group and gold label at random with a fixed random seed, "
    "and each fold is predicted with the threshold of the others",
    "--apply FILE": "the table to predict; it needs no gold",
    "-o --output FILE": "a CSV file for its columns, y_pred, best_threshold",
    "--gold-column NAME": "the gold in each table",
    "--probability-column NAME": "the probability in each table",
    f"--input-format {OPTIONS}": "the format of the tables, where their endings do not show it",
}


def add_tune(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick tune`."""
    parser.usage = "tallystick tune FILE [options]"
    parser.epilog = _TUNE
    files = {"nargs": "+"}
    metric = {"type": read_metric, "default": "f1"}
    add_options(parser, _TUNING, files=files, metric=metric, input_format={"metavar": "FORMAT"})


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick metrics`."""
    parser.epilog = _METRICS
    add_options(
        parser,
        {"name METRIC|WORD?": "a metric, such as f1, or a word to search for, such as calibration"},
    )
    parser.set_defaults(name=None)


def add_view(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick view`."""
    parser.epilog = _VIEW
    add_options(parser, _VIEWED)
    add_figures(parser, "any that the result has")


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Says what `tallystick demo` does, which has no options."""
    parser.epilog = _DEMO


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick completion`."""
    parser.epilog = _COMPLETION
    parser.add_argument(
        "shell", type=str.lower, choices=("bash", "zsh", "fish"), help="which shell"
    )


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
    "as a run of TEAM: the mean over runs, with an interval that contains examples "
    "and seeds",
    "--segments": "score every example separately",
    "--per-class": "also precision, recall, F1 and support of each class, of binary tasks too",
}
_ERRORS = {
    "--config FILE": "a YAML file with data.languages",
    "--dump-errors --dump_errors N": "write at most this many false positives and false negatives, "
    "a seeded sample if there are more, to TAG_errors_LANGUAGE.csv (default: 50)",
    "--errors-dir --errors_dir DIR": "the folder for them (default: --pred-dir)",
}
_OUTPUT = {
    "--confusion FILE": "write the confusion matrix to this file (.csv or .json)",
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
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that contains "
        "all; - is standard input",
    )
    more = parser.add_argument_group("scores of other kinds")
    add_options(more, _OTHER_SCORES)
    errors = parser.add_argument_group("errors of predictions in a file per language")
    add_options(errors, _ERRORS, dump_errors={"nargs": "?", "const": 50})
    add_intervals(parser.add_argument_group("intervals"), "CSV and lines")
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
    add_examples(parser, metavar="GOLD [SYSTEM ...]")
    add_options(parser.add_argument_group("output"), _COUNTS, output={"required": True})

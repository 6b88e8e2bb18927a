"""The options of `tallystick baseline`, one set for each baseline."""

import argparse

from tallystick.cli.options.option_tables import add_command, add_options

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
        tfidf.add_argument_group("TF-IDF, as scikit-learn's TfidfVectorizer has it"),
        _COUNTING,
        ngram_range={"nargs": 2, "metavar": ("MIN", "MAX")},
        min_df={"type": _count_or_share},
        max_df={"type": _count_or_share},
    )
    regression = tfidf.add_argument_group("logistic regression, as scikit-learn has it")
    add_options(regression, _REGRESSION)
    detoxify = add_command(kinds, "detoxify", "a pretrained classifier of toxicity", _DETOXIFY)
    _add_run(detoxify, "detoxify")
    model = detoxify.add_argument_group("the model")
    add_options(model, _MODEL, model={"default": "multilingual"}, batch_size={"default": 32})


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("train", metavar="TRAIN", help="labels, one a line, or a table with gold")
    parser.add_argument("test", metavar="TEST", help="as many lines or rows as are to be predicted")
    add_options(parser, _FILES, output={"required": True})


def _add_run(parser: argparse.ArgumentParser, tag: str) -> None:
    table = {key: purpose.format(tag) for key, purpose in _RUN.items()}
    add_options(parser, table, languages={"default": None}, run_tag={"default": tag})


def _count_or_share(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)

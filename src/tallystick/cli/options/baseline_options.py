"""The options of `tallystick baseline`, one set for each baseline."""

import argparse

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


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Adds a command for each baseline, whose name parsed options carry in `baseline`."""
    parser.epilog = _BASELINES
    kinds = parser.add_subparsers(metavar="BASELINE", dest="baseline", required=True)
    majority = _add(kinds, "majority", "predict the most frequent training label", _LABELS)
    _add_files(majority)
    chance = _add(
        kinds, "random", "predict training labels at random, as often as they occur", _LABELS
    )
    _add_files(chance)
    chance.add_argument(
        "--random-seed",
        type=int,
        default=0,
        metavar="N",
        help="the same seed gives the same labels (default: 0)",
    )
    tfidf = _add(kinds, "tfidf", "TF-IDF and logistic regression, per language", _TFIDF)
    _add_run(tfidf, "baseline")
    _add_recipe(tfidf)
    detoxify = _add(kinds, "detoxify", "a pretrained classifier of toxicity", _DETOXIFY)
    _add_run(detoxify, "detoxify")
    _add_model(detoxify.add_argument_group("the model"))


def _add(
    kinds: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    purpose: str,
    examples: str,
) -> argparse.ArgumentParser:
    return kinds.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=examples.format(name=name),
        allow_abbrev=False,
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("train", metavar="TRAIN", help="labels, one a line, or a table with gold")
    parser.add_argument("test", metavar="TEST", help="as many lines or rows as are to be predicted")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the predictions (.txt or .csv)"
    )
    parser.add_argument(
        "--task",
        type=str.lower,
        choices=("binary", "multiclass", "multilabel"),
        help="guessed from the labels when left out",
    )
    parser.add_argument(
        "--gold-column", metavar="NAME", help="of TRAIN (y_true, label, target, toxic)"
    )
    parser.add_argument("--id-column", metavar="NAME", help="of TEST (id, sub_id)")
    parser.add_argument("--delimiter", metavar="MARK", help="separates labels in a multilabel cell")


def _add_run(parser: argparse.ArgumentParser, tag: str) -> None:
    parser.add_argument(
        "--data", metavar="DIR", help="holds LANGUAGE/val.csv and so on (default: the config's)"
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", help="for the predictions (default: the config's)"
    )
    parser.add_argument(
        "--languages",
        action="extend",
        nargs="+",
        metavar="LANGUAGE",
        help="which, in this order (default: the config's, else all)",
    )
    parser.add_argument(
        "--run-tag",
        "--run_tag",
        default=tag,
        metavar="TAG",
        help=f"files are called TAG_LANGUAGE.csv (default: {tag})",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="a YAML file with data.processed_dir, data.languages, evaluation.output_dir and more",
    )
    parser.add_argument("--text-column", metavar="NAME", help="default: comment_text")
    parser.add_argument("--gold-column", metavar="NAME", help="default: toxic")
    parser.add_argument("--positive", metavar="LABEL", help="the positive gold label (1, true)")


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--models", metavar="DIR", help="for the fitted pipelines (default: the config's, --output)"
    )
    group = parser.add_argument_group("cleaning")
    group.add_argument("--stopwords", metavar="DIR", help="holds LANGUAGE.txt, one word a line")
    for name, purpose in (
        ("strip-urls", "remove links"),
        ("strip-mentions", "remove @mentions"),
        ("lower", "lower-case the texts"),
        ("deaccent", "remove accents"),
    ):
        _add_switch(group, name, purpose)
    group = parser.add_argument_group("TF-IDF, as scikit-learn's TfidfVectorizer has it")
    group.add_argument("--max-features", type=int, metavar="N", help="default: 200000")
    group.add_argument(
        "--ngram-range", type=int, nargs=2, metavar=("MIN", "MAX"), help="default: 1 2"
    )
    group.add_argument("--min-df", type=_count_or_share, metavar="N", help="default: 3")
    group.add_argument("--max-df", type=_count_or_share, metavar="SHARE", help="default: 0.95")
    group.add_argument("--token-pattern", metavar="REGEX", help=r"default: \w{1,}")
    _add_switch(group, "sublinear-tf", "count a term as 1 + log of its count")
    group = parser.add_argument_group("logistic regression, as scikit-learn has it")
    group.add_argument("--max-iter", type=int, metavar="N", help="default: 2000")
    group.add_argument(
        "--class-weight", type=str.lower, choices=("balanced", "none"), help="default: balanced"
    )
    group.add_argument("--random-state", type=int, metavar="N", help="default: 42")


def _add_switch(group: argparse._ArgumentGroup, name: str, purpose: str) -> None:
    group.add_argument(
        f"--{name}", action=argparse.BooleanOptionalAction, help=f"{purpose} (default: yes)"
    )


def _count_or_share(text: str) -> int | float:
    """A whole number is a count of texts, any other a share of them."""
    return int(text) if text.isdecimal() else float(text)


def _add_model(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--model",
        default="multilingual",
        metavar="NAME",
        help="a folder, or a name on the hub of Hugging Face (default: multilingual, the model of "
        "the package detoxify)",
    )
    group.add_argument(
        "--model-label",
        metavar="NAME",
        help="take the probability of this label (default: toxicity of detoxify's model, the "
        "second of two of any other)",
    )
    group.add_argument(
        "--activation",
        type=str.lower,
        choices=("softmax", "sigmoid"),
        help="makes probabilities of the outputs (default: what the model's configuration says)",
    )
    group.add_argument(
        "--device",
        type=str.lower,
        choices=("auto", "cpu", "cuda"),
        help="default: the config's, else auto: cuda where there is one",
    )
    group.add_argument(
        "--batch-size",
        "--batch_size",
        type=int,
        default=32,
        metavar="N",
        help="texts classified at once (default: 32)",
    )

"""The options that several commands share."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tallystick.cli.parser import add_options
from tallystick.errors import UsageError
from tallystick.io.tables.formats import OPTIONS, SCHEMES, TOOLS
from tallystick.output import MOST_EXAMPLES
from tallystick.statistics.settings import Intervals

if TYPE_CHECKING:
    from tallystick.model.reading import Kind
    from tallystick.model.systems import Column
    from tallystick.model.tallies.metric import Metric
    from tallystick.statistics.settings import Testing


FORMATS = "table|csv|json|markdown|latex"
"""The formats of every result."""

SPEECH = "kaldi|trn|stm|ctm|srt|vtt|seglst"
"""The formats of transcripts."""

TASKS = ("binary", "multiclass", "multilabel", "spans", "text", "texts", "tokens")
"""The tasks that are no kinds, and those that are called otherwise."""

READING = (
    *("gold", "submissions", "system_column", "rated_column", "pred_dir", "by", "clusters", "task"),
    *("labels", "order", "positive", "threshold", "fold_case", "gold_column", "predicted_column"),
    *("id_column", "probability_column", "weight_column", "count_column"),
    *("round_scores", "scheme", "tag_names", "outcomes", "ignore_identical_ids"),
    *("delimiter", "no_header", "input_format", "quote", "rows", "queries", "ref", "num_refs"),
    *("blank_is_missing", "per_file", "normalize", "sentence_separator", "language"),
    *("annotators", "majority", "corrected_by", "label_probability"),
)
"""Options that say how examples are read."""

_INPUTS = {
    "--gold FILE": "the gold, so that all other files are systems (default: the first file, unless "
    "no metric needs gold, as mean(score): then every file is a system)",
    "--systems COLUMN...": "one table contains gold and a column of outputs for each system; of "
    "battles, the columns of the first and of the second system, or the systems to keep",
    "--system-column COLUMN": "one table contains gold and one row for each example of each system",
    "--rated-column COLUMN": "one table holds, for each item and system that people rated, their "
    "score as gold and a column for each metric of --systems; the column that names the rated "
    "system",
    "--annotators --annotator-column COLUMN...": "one table contains a column of ratings by "
    "each annotator: their agreement, as by krippendorff_alpha, or with --systems how well "
    "each system agrees with each of them; the systems people and "
    "constant are another annotator, and the commonest rating; a single column names the "
    "annotator of each row, which has an id, and the rating in the gold column",
    "--majority": "score systems against the rating that most annotators gave, and not against "
    "each",
    "--submissions DIR": "a folder or zip with one file per system, which names it; a folder in "
    "it is a team, whose systems are named TEAM/RUN",
}
_WHAT = {
    "-m --metrics METRIC...": "such as f1, macro_f1, bleu or \"F1(average='macro')\" (all: "
    "tallystick metrics); module:Class or module:function for one of your own",
    "--by COLUMN...": "scores per value of these columns; NAME:4 makes four bins of numbers, and "
    "NAME:month groups dates; a file with the group of each line where examples are lines of text",
    "--task --kind TASK": "binary, multiclass, multilabel, tokens (a label for each token of a "
    "sentence), or the kind of the examples: texts, numbers, spans, rankings, or module:NAME for "
    "one of your own (default: found out from the metrics and the gold)",
    "--labels --order LABEL...": "the labels that may occur; with --order from the lowest to the "
    "highest, as low,medium,high: words are worth their places in mae or qwk, and outputs that are "
    "fractions become the nearest label",
    "--positive LABEL": "the positive label of a binary task",
    "--threshold P": "predict the positive label from this score on (default: take the "
    "predicted labels, else the threshold in the column best_threshold, else 0.5)",
    "--fold-case": "treat labels that differ only in case as one",
    "--invalid error|wrong|class": "an output that is empty or not a label is an error, counts as "
    "wrong, or is a class of its own (default: error)",
    "--missing error|wrong|exclude|common": "a missing output is an error, counts as wrong, is "
    "left out of that system's scores, or only examples are scored that all systems have; missing "
    "is no row, null, NaN, blank or None (default: error)",
    "--where CONDITION": "score only the examples that match a condition on columns, such as "
    "'lang == \"de\" and length > 20'",
    "--corrected-by COLUMN...": "human labels for some of the examples: they correct the gold of "
    "a judge for all of them, or the numbers that mean averages (then a column for each of "
    "--systems)",
    "--label-probability COLUMN": "the probability at which each example was chosen for its human "
    "label (default: the same for all)",
}
_COLUMNS = {
    "--gold-column --reference-column NAME...": "the gold label or reference (y_true, label, gold, "
    "reference, ...); several are references of one text",
    "--predicted-column --hypothesis-column NAME": "the predicted label or text (y_pred, "
    "prediction, hypothesis, output, ...)",
    "--probability-column NAME": "the probability of the positive label (y_prob, prob, "
    "prediction, ...)",
    "--id-column NAME...": "joins gold and outputs (id, sub_id, example_id, ...); several columns "
    "are an id together; id=claim_id where it is called claim_id in the systems' files",
    "--weight-column NAME": "the weight of each example (default: all the same)",
    "--count-column NAME": "how many examples a row represents, as in a table of counts "
    "(default: one)",
    "--clusters COLUMN": "what examples belong to, such as a document; a file with the "
    "cluster of each line where the examples are lines of text",
}
_KINDS = {
    "--queries FILE": "a table with the groups, clusters and weights of queries, where gold is "
    "TREC qrels",
    "--ignore-identical-ids": "leave documents with the id of their query out of runs, as BEIR "
    "does",
    f"--scheme {'|'.join(SCHEMES)}": "read the tags of spans strictly in this scheme (default: by "
    "the rules of seqeval's default mode, which are conlleval's where tags are B, I and O)",
    "--tag-names TAG...": "the tags that whole numbers represent, in their order from 0 on, "
    "where columns such as ner_tags have numbers",
    "--outcomes WORD=RESULT...": "what words mean for the first system of a battle, such as "
    "'A=win' 'B=loss' 'C=tie'; none leaves a battle out",
}
_FORMATS = {
    "--delimiter MARK": "separates labels in a multilabel cell",
    f"--input-format {OPTIONS}|{SPEECH}|{'|'.join(TOOLS)}": "the format of "
    "the files, where they do not show it; jsonl may be a JSON array, and with blanks, "
    "spaces or tabs separate the columns of any table; the last four are logs of "
    "lm-evaluation-harness, Inspect, HELM and Every Eval Ever",
    "--quote none|double": "quotes in CSV and TSV files are part of the text, or enclose fields "
    "(default: double; in TSV none where a field begins with a quote and does not end with one)",
    "--no-header": "the first row of each table is data; columns are named by number, as in "
    "--id-column 1 --gold-column 2; two are an id and a label where none is named",
    "--per-file": "gold and systems are folders with a file for each example, such as a page; they "
    "are paired by name without endings, and parts such as .gt and _decoded; names such as "
    "'gold/ref.*.{id}.txt' or 'system/{id}.txt' imply it, and files of one id are references",
    "--rows KEY": "each file is a JSON object that contains its rows in this list, such as outputs",
}
_TEXTS = {
    "-l --language --language-column LANGUAGE": "the target language of texts, such as zh, or the "
    "pair, such as en-zh, or the column that contains them: metrics that split texts split these "
    "as it asks for (default: that of the groups, where they are languages)",
    "--normalize --unicode NAME": "nfc, nfd, nfkc or nfkd, or whisper or whisper-en: bring texts "
    "to a normal form of Unicode, in which letters and their accents are one character (C) or two "
    "(D), or normalise them for error rates as Whisper does: in any language, or English (extra "
    "whisper)",
    "--sentence-separator MARK": "what separates the sentences of texts for rougeLsum, such as "
    "'<q>' (default: ends of lines)",
    "--ref FILE": "a further file of references beside GOLD; may be given again",
    "--num-refs N": "each line of GOLD has N references, separated by tabs (sacreBLEU's option)",
    "--blank-is-missing": "a line of a reference file that is empty or contains only spaces is "
    "no reference (default: it is a reference without words)",
}
_RUN = {
    "--pred-dir --pred_dir DIR": "the folder of the files",
    "--run-tag --run_tag TAG...": "files are called TAG_LANGUAGE.csv; several runs are several "
    "systems",
    "--languages LANGUAGE...": "which languages, in this order (default: the config's, else all)",
}
_WORKERS = {
    "--workers --scheduler N|ADDRESS": "count parts of the files on N processes, or on a running "
    "Dask cluster, such as tcp://10.0.0.1:8786, whose workers must see the files under the same "
    "paths; the results are the same to the last digit",
    "--round-scores DIGITS": "round probabilities to so many decimals, so that memory does not "
    "grow with the number of examples; a note shows the share of pairs that tie (default: keep "
    "every probability)",
}
_OUTPUT = {
    "-o --output FILE": "write to this file (.csv, .json, .md, .tex, .html, .svg and others) "
    "instead of the terminal"
}
_NUMBERS = {
    "--digits --decimals N|METRIC=N...": "decimals in tables, of all metrics or of some, such as "
    "bleu=2 f1=4 (default: as papers print them: 3, or 1 of BLEU and scores in percent)",
    "--percent": "multiply fractions, such as accuracy and F1, by 100",
}
_LAYOUT = {
    "--columns COLUMN...": "show only these columns, in this order, beside the names of the rows",
    "--rename OLD=NEW...": "what systems and columns are called in tables, such as run3=Ours "
    "macro_f1=F1",
    "--caption TEXT": "the caption of the LaTeX table; -o NAME.tex gives it the label tab:NAME",
    "--verbose": "show all notes, and the method of every interval",
}
_REPORT = {
    "--examples N|all": "how many examples a report (-o NAME.html) contains, which show gold; 0 "
    f"is none (default: {MOST_EXAMPLES})"
}


def refuse(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Raises a UsageError where one of these options was given."""
    for name in names:
        if getattr(options, name, None) not in (None, False, (), []):
            raise UsageError(f"--{name.replace('_', '-')} {reason}")


class _Named(argparse.Action):
    """Stores values as labels, and as their order if the option was named so."""

    def __call__(
        self, parser: object, namespace: object, values: object, option: str | None = None
    ) -> None:
        for name in {"labels", str(option).lstrip("-")}:
            setattr(namespace, name, values)


def add_examples(
    parser: argparse.ArgumentParser,
    *,
    metavar: str,
    purpose: str = "gold, then one file per system (FILE or NAME=FILE), or one table that contains "
    "all",
) -> None:
    """Adds gold and systems in all their layouts, and what is computed of them."""
    parser.add_argument("files", nargs="*", metavar=metavar, help=purpose)
    parser.set_defaults(own_gold=None, order=None)
    add_options(parser.add_argument_group("systems (default: a file each)"), _INPUTS)
    add_options(
        parser.add_argument_group("metrics and examples"),
        _WHAT,
        metrics={"type": read_metric, "default": None},
        task={"type": _read_task},
        labels={"action": _Named, "default": None},
        invalid={"default": "error"},
        missing={"dest": "missing_outputs", "default": "error"},
    )
    usual = "columns (usual names are found; meta.lang is the field lang of meta)"
    add_options(parser.add_argument_group(usual), _COLUMNS, gold_column={"default": None})
    add_options(parser.add_argument_group("files and their formats"), _FORMATS)
    references = {"action": "append", "default": []}
    normal = {"type": _read_normal}
    add_options(parser.add_argument_group("texts"), _TEXTS, ref=references, normalize=normal)
    kinds = "rankings, spans and battles"
    add_options(parser.add_argument_group(kinds), _KINDS)
    add_options(
        parser.add_argument_group("languages (with a file of predictions each)"),
        _RUN,
        run_tag={"default": None},
        languages={"nargs": "*", "default": None},
    )
    add_options(
        parser.add_argument_group("workers and large data"),
        _WORKERS,
        workers={"type": _read_workers},
    )


def read_metric(text: str) -> "Metric | str":
    """A metric of a module, or the name of another one, whose class need not be loaded yet."""
    if ":" not in text:
        return text
    from tallystick.kinds.metrics.names import is_own, load_metric

    try:
        return load_metric(text) if is_own(text) else text
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _read_task(text: str) -> "str | Kind[Column]":
    if text.lower() in TASKS:
        return text.lower()
    from tallystick.kinds.metrics.names import load_kind

    try:
        return load_kind(text)
    except UsageError as error:
        tasks = "" if ":" in text else f"; tasks are {', '.join(TASKS[:3])}"
        raise argparse.ArgumentTypeError(f"{error}{tasks}") from error


def _read_normal(text: str) -> str:
    known = ("nfc", "nfd", "nfkc", "nfkd", "whisper", "whisper-en")
    if text.lower() not in known:
        raise argparse.ArgumentTypeError(f"there is no {text!r}, only {', '.join(known)}")
    return text.lower()


def _read_workers(text: str) -> int | str:
    if "://" in text:
        return text
    if not text.removeprefix("-").isdecimal():
        message = "is neither a number of processes nor an address, such as tcp://10.0.0.1:8786"
        raise argparse.ArgumentTypeError(f"{text!r} {message}")
    return int(text)


_RESAMPLES = {
    "--confidence P": "the confidence level of intervals, and of the one-sided bounds of a gate: "
    "the share of samples in which they contain the true value; tests are at 1 - P (default: 0.95)",
    "--resamples N": "how many bootstrap resamples, where any are needed (default: 1000 for single "
    "scores, 10000 for tests, 4000 for plan)",
    "--random-seed N": "the same seed gives the same numbers (default: 12345)",
}


def add_resamples(group: argparse._ArgumentGroup) -> None:
    """Adds the options of every command that resamples."""
    add_options(group, _RESAMPLES)


def add_intervals(group: argparse._ArgumentGroup, formats: str) -> None:
    """Adds the options of a command whose intervals may be left out, as some formats do."""
    shown = f"show intervals in {formats} too, or nowhere (default: in tables and JSON)"
    add_options(group, {"--[no-]intervals": shown})
    add_resamples(group)


def add_testing(group: argparse._ArgumentGroup) -> None:
    """Adds how systems are compared."""
    from tallystick.statistics.settings import TESTS

    table = {
        f"--test {'|'.join(TESTS)}": "the significance test (default: mcnemar-midp for plain "
        "shares, else t)"
    }
    add_options(group, table)
    add_resamples(group)


def read_intervals(options: argparse.Namespace) -> Intervals | bool:
    """The intervals that parsed options ask for; False where they are left out or not shown."""
    named = _read_resamples(options)
    unseen = options.intervals is None and options.format in ("csv", "lines")
    if options.intervals is not False and not unseen:
        return Intervals(**named)
    if named or options.clusters:
        name = next(iter(named), "clusters").replace("_", "-")
        how = (
            f"which {options.format} shows with --intervals"
            if unseen
            else "so leave out --no-intervals"
        )
        raise UsageError(f"--{name} can only be used with intervals, {how}")
    return False


def read_testing(options: argparse.Namespace) -> "Testing":
    """How parsed options compare systems."""
    from tallystick.statistics.settings import Testing

    return Testing(getattr(options, "test", None), **_read_resamples(options))


def _read_resamples(options: argparse.Namespace) -> dict[str, Any]:
    names = ("confidence", "resamples", "random_seed")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def add_output(
    parser: argparse.ArgumentParser,
    formats: str = f"{FORMATS}|html",
    *,
    figures: str | None = None,
    report: bool = False,
) -> argparse._ArgumentGroup:
    """Adds where results go and in which formats, figures, and how many examples reports have."""
    group = parser.add_argument_group("output")
    message = "the format of the output (default: by the ending of --output, else table)"
    add_options(group, {f"--format {formats}": message, **_OUTPUT})
    add_numbers(group)
    add_options(group, _LAYOUT, rename={"type": _read_pair})
    if report:
        most = {"type": _read_most, "default": MOST_EXAMPLES}
        add_options(group, _REPORT, examples=most)
    if figures is not None:
        add_figures(group, figures)
    return group


def add_figures(group: argparse._ActionsContainer, kinds: str) -> None:
    """Adds which figure `-o figure.svg` draws; `kinds` lists some."""
    table = {
        "--figure KIND": f"the figure for -o FILE.svg, .pdf or .png: {kinds}; KIND=SYSTEM is of "
        "one system; with wide, as in roc,wide, it is 170 mm wide, for two columns of a paper, and "
        "not 85 mm for one",
    }
    add_options(group, table)


def add_numbers(group: argparse._ArgumentGroup) -> None:
    """Adds how numbers are printed."""
    add_options(group, _NUMBERS, digits={"type": _read_digits})


def _read_most(text: str) -> int | None:
    if text.lower() != "all" and not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of examples nor all")
    return int(text) if text.isdecimal() else None


def _read_pair(text: str) -> tuple[str, str]:
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

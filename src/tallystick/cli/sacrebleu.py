"""`tallystick sacrebleu`: sacreBLEU's own command, its options and its output."""

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tallystick.cli.output import tell
from tallystick.cli.sacrebleu_output import write_json, write_lines, write_table
from tallystick.compat.sacrebleu import __version__
from tallystick.compat.sacrebleu.metrics import METRICS
from tallystick.compat.sacrebleu.metrics.bleu import BY_LANGUAGE
from tallystick.compat.sacrebleu.significance import PairedTest
from tallystick.errors import InputError, UsageError
from tallystick.io.files.lines import read_stripped
from tallystick.io.files.opening import name_source

System = tuple[str, list[str]]
"""A name and one text for each example."""

_FORMATS = ("json", "text", "latex")
_OF_TEST_SETS = ("test_set", "list", "download", "echo", "citation", "origlang", "subset", "detail")
_MODELS = ("spm", "flores101", "flores200", "spBLEU-1K")
_MANY = 100


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick sacrebleu` with parsed options."""
    if options.version:
        print(f"tallystick sacrebleu {__version__}")
        return
    _check(options)
    named = os.environ.get("SACREBLEU_FORMAT", "").lower()
    form = named if named in _FORMATS else options.format
    references = _read_references(options)
    systems = _read_systems(options)
    for name, lines in systems:
        _check_lengths(options, name, lines, references)
    metrics = _make_metrics(options, references)
    if not options.quiet:
        _give_notes(options, systems)
    if options.sentence_level:
        _print_sentences(metrics, systems, references, options)
    elif len(systems) == 1:
        _print_corpus(metrics, systems, options, form)
    else:
        _print_systems(metrics, systems, options, form)


def _check(options: argparse.Namespace) -> None:
    """Raises a UsageError where options need what is not here, or do not go together."""
    for name in _OF_TEST_SETS:
        if getattr(options, name):
            raise UsageError(
                f"--{name.replace('_', '-')} needs sacreBLEU's test sets, which are downloads, and "
                "nothing is downloaded here; give references as files: tallystick sacrebleu REF "
                "-i SYSTEM"
            )
    if options.tokenize in _MODELS:
        raise UsageError(
            f"--tokenize {options.tokenize} needs a model that sacreBLEU downloads, and nothing is "
            "downloaded here; with a model file of your own, `tallystick score` takes -m "
            "\"BLEU(tokenizer='spm:FILE')\""
        )
    if not options.refs:
        raise UsageError("name the files of references, before -i")
    if options.num_refs < 1 or options.width < 0:
        raise UsageError("--num-refs is 1 or more, and --width 0 or more")
    if options.num_refs > 1 and len(options.refs) > 1:
        raise UsageError(
            "--num-refs goes with one file of references, whose lines are separated by tabs"
        )
    if options.sentence_level and len(set(options.metrics)) > 1:
        raise UsageError("--sentence-level takes one metric")
    if options.sentence_level and (options.confidence or options.paired_ar or options.paired_bs):
        raise UsageError("--sentence-level goes with neither --confidence nor paired tests")
    if options.langpair and "-" not in options.langpair:
        raise UsageError(f"--language-pair is such as en-de, not {options.langpair!r}")
    try:
        "".encode(options.encoding)
    except LookupError:
        raise UsageError(f"unknown text encoding {options.encoding!r}") from None
    _make_metrics(options)  # raises a UsageError for an option that no metric takes


def _read_references(options: argparse.Namespace) -> list[list[str]]:
    """The reference streams: a file each, or the columns of one file."""
    streams = [read_stripped(path, options.encoding) for path in options.refs]
    for path, stream in zip(options.refs, streams, strict=True):
        _need_lines(path, stream)
    if options.num_refs == 1:
        return streams
    rows = [line.split("\t", options.num_refs - 1) for line in streams[0]]
    for number, row in enumerate(rows, 1):
        if len(row) != options.num_refs:
            raise InputError(
                f"{name_source(options.refs[0])}: line {number} has {len(row)} references "
                f"separated by tabs, and --num-refs says {options.num_refs}"
            )
    return [list(stream) for stream in zip(*rows, strict=True)]


def _read_systems(options: argparse.Namespace) -> list[System]:
    """The systems, the first one marked where it is the baseline of paired tests."""
    paired = options.paired_ar or options.paired_bs
    systems = _read_columns(options) if options.input is None else _read_files(options, paired)
    if len(systems) > 1 and options.sentence_level:
        raise UsageError("--sentence-level takes one system")
    if len(systems) > 1 and options.confidence:
        raise UsageError("--confidence is of one system; --paired-bs and --paired-ar of several")
    if not paired:
        return systems
    if len(systems) == 1:
        raise UsageError("paired tests need two systems or more: -i BASELINE SYSTEM ...")
    if options.input is not None:
        return [(f"Baseline: {systems[0][0]}", systems[0][1]), *systems[1:]]
    names = ["Baseline", *(f"System {place}" for place in range(1, len(systems)))]
    return [(name, lines) for name, (_, lines) in zip(names, systems, strict=True)]


def _read_files(options: argparse.Namespace, paired: bool) -> list[System]:
    systems: dict[str, list[str]] = {}
    for path in options.input:
        if path not in systems:
            systems[path] = read_stripped(path, options.encoding)
            _need_lines(path, systems[path])
        elif not paired or path != options.input[0]:  # a pattern may name the baseline again
            raise UsageError(f"-i names {path} twice")
    if not systems:
        raise UsageError("-i names no file; without -i the system is read from standard input")
    return list(systems.items())


def _read_columns(options: argparse.Namespace) -> list[System]:
    """The systems of standard input: one, or as many as tabs part in every line."""
    lines = read_stripped("-", options.encoding)
    _need_lines("-", lines)
    rows = [line.split("\t") for line in lines]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise InputError(
                f"standard input: line {number} has {len(row)} systems separated by tabs, and the "
                f"first line {len(rows[0])}"
            )
    return [
        (f"System {place}", [text.rstrip() for text in column])
        for place, column in enumerate(zip(*rows, strict=True), 1)
    ]


def _need_lines(path: str, lines: Sequence[str]) -> None:
    if not lines:
        raise InputError(f"{name_source(path)}: is empty, so there is nothing to score")


def _check_lengths(
    options: argparse.Namespace, name: str, lines: list[str], references: list[list[str]]
) -> None:
    sources = options.refs if options.num_refs == 1 else options.refs * options.num_refs
    for path, stream in zip(sources, references, strict=True):
        if len(stream) != len(lines):
            raise InputError(
                f"{name_source(path)} has {len(stream)} lines but {name} has {len(lines)}"
            )


def _make_metrics(
    options: argparse.Namespace, references: list[list[str]] | None = None
) -> dict[str, Any]:
    """The metrics with their references, by name: as named for paired tests, else sorted."""
    chosen: dict[str, dict[str, Any]] = {
        "bleu": {
            "lowercase": options.lowercase,
            "tokenize": options.tokenize,
            "smooth_method": options.smooth_method,
            "smooth_value": options.smooth_value,
            "effective_order": options.sentence_level,
            "trg_lang": _find_target(options),
        },
        "chrf": _take(options, "chrf"),
        "ter": _take(options, "ter"),
    }
    names = dict.fromkeys(options.metrics)
    return {
        name.upper(): METRICS[name.upper()](**chosen[name], references=references)
        for name in (names if options.paired_ar or options.paired_bs else sorted(names))
    }


def _take(options: argparse.Namespace, metric: str) -> dict[str, Any]:
    """The options of one metric, by the names of its arguments."""
    lead = f"{metric}_"
    return {
        name.removeprefix(lead): value
        for name, value in vars(options).items()
        if name.startswith(lead)
    }


def _find_target(options: argparse.Namespace) -> str:
    return options.langpair.split("-")[1] if options.langpair else ""


def _give_notes(options: argparse.Namespace, systems: Sequence[System]) -> None:
    """Tells what sacreBLEU warns of: another tokenizer than usual, and tokenised input."""
    if "bleu" not in options.metrics:
        return
    usual = BY_LANGUAGE.get(_find_target(options))
    if usual and options.tokenize not in (None, usual):
        tell(f"note: the usual tokenizer for {options.langpair} is {usual}")
    for name, lines in systems:
        marked = sum(line.endswith(" .") for line in lines)
        if marked >= _MANY and not options.force:
            tell(
                f"note: {marked} lines of {name} end in a period that stands alone, so the text "
                "looks tokenised, which may lower its score; --force leaves out this note"
            )


def _print_sentences(
    metrics: Mapping[str, Any],
    systems: Sequence[System],
    references: Sequence[Sequence[str]],
    options: argparse.Namespace,
) -> None:
    ((_, lines),), (metric,) = systems, metrics.values()
    for hypothesis, *own in zip(lines, *references, strict=True):
        score = metric.sentence_score(hypothesis, own)
        signature = metric.get_signature().format(options.short)
        print(score.format(options.width, options.score_only, signature))


def _print_corpus(
    metrics: Mapping[str, Any], systems: Sequence[System], options: argparse.Namespace, form: str
) -> None:
    ((_, lines),) = systems
    results, as_json = [], form == "json"
    for metric in metrics.values():
        score = metric.corpus_score(lines, None, options.confidence_n if options.confidence else 1)
        signature = metric.get_signature().format(options.short and not as_json)
        results.append(score.format(options.width, options.score_only, signature, as_json))
    print(write_lines(results, as_json=as_json))


def _print_systems(
    metrics: Mapping[str, Any], systems: Sequence[System], options: argparse.Namespace, form: str
) -> None:
    tester = None
    if options.paired_ar or options.paired_bs:
        kind: Literal["ar", "bs"] = "bs" if options.paired_bs else "ar"
        n = options.paired_bs_n if options.paired_bs else options.paired_ar_n
        tester = PairedTest(systems, metrics, None, kind, n)
        signatures, columns = tester()
    else:
        signatures, columns = _score_systems(metrics, systems, options.width)
    if form == "json":
        print(write_json(columns))
        return
    told = {name: one.format(options.short) for name, one in signatures.items()}
    print(write_table(columns, told, tester, width=options.width, latex=form == "latex"))


def _score_systems(
    metrics: Mapping[str, Any], systems: Sequence[System], width: int
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The signature of each metric, and the names and the printed scores of the systems."""
    signatures: dict[str, Any] = {}
    columns: dict[str, list[Any]] = {"System": [name for name, _ in systems]}
    for metric in metrics.values():
        scores = [metric.corpus_score(lines, None) for _, lines in systems]
        signatures[scores[0].name] = metric.get_signature()
        columns[scores[0].name] = [score.format(width, True) for score in scores]
    return signatures, columns

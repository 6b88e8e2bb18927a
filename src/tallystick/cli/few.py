"""The commands that have few options: tune, metrics, view, demo and completion.

What a single one of them needs is imported in it.
"""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tallystick.cli.options.shared_options import TASKS, refuse
from tallystick.cli.output import (
    check_figures,
    check_target,
    is_figure,
    promise,
    tell,
    tell_notes,
    write_figure,
)
from tallystick.cli.parser import build_parser
from tallystick.cli.reading.saved_inputs import are_tallies
from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import write_text
from tallystick.io.tables.table import read_table
from tallystick.kinds.metrics.names import UnknownMetricError, look_up, parse
from tallystick.kinds.metrics.reference import describe, explain_absence
from tallystick.model.columns import Columns

if TYPE_CHECKING:
    from tallystick.output.results.other_results import Tuning


def run_tune(options: argparse.Namespace) -> None:
    """Runs `tallystick tune` with parsed options."""
    from tallystick.scoring.saved import load_counted
    from tallystick.scoring.thresholds import Search, check_folds, tune_counted, tune_table

    _check_output(options)
    named = options.metric
    metric = parse(named) if isinstance(named, str) else named
    search = Search(metric, options.grid)
    if options.cross_fit is not None:
        check_folds(options.cross_fit)
    if are_tallies(options.files):
        rows = ("cross_fit", "apply", "output")
        refuse(options, rows, "needs the rows, which a saved tally does not hold")
        reading = ("by", "positive", "gold_column", "probability_column", "input_format")
        refuse(
            options,
            reading,
            "can only be used with `tallystick count`: a saved tally has been counted",
        )
        _show(tune_counted(load_counted(options.files), search))
        return
    if len(options.files) > 1:
        raise UsageError("tune takes one table, or saved tallies")
    columns = Columns(
        gold=options.gold_column, probability=options.probability_column, by=tuple(options.by)
    )
    table = read_table(options.files[0], format=options.input_format)
    tuned = tune_table(table, search, columns, options.positive, options.cross_fit)
    if options.output is not None:
        if options.apply is not None:
            table = read_table(options.apply, format=options.input_format)
        tuned.write(options.output, table, apart=options.apply is not None)
    _show(tuned.tuning)
    if options.output is not None:
        promise(options.output)


def _show(tuning: "Tuning") -> None:
    print(replace(tuning, notes=()), flush=True)
    tell_notes(tuning.notes, verbose=True)


def _check_output(options: argparse.Namespace) -> None:
    if options.apply is not None and options.output is None:
        raise UsageError("--apply needs --output, the file for the predictions")
    if options.output is None:
        return
    if options.apply is None and options.cross_fit is None:
        raise UsageError(
            "--output needs --apply, the file to predict, or --cross-fit, which predicts "
            "each row of the file with a threshold tuned on other rows"
        )
    check_target(options.output)


_WIDTH = 100
"""How wide a page is at most."""


def run_metrics(options: argparse.Namespace) -> None:
    """Runs `tallystick metrics` with parsed options."""
    print(_explain(options.name) if options.name else _list_all() + _END)


def _measure() -> int:
    return min(shutil.get_terminal_size().columns, _WIDTH) if sys.stdout.isatty() else _WIDTH


_KINDS = {
    "spans": "spans and facts",
    "tries": "repeated tries",
    "ratings": "ratings of annotators",
    "trees": "dependency trees",
    "composite_metrics": "metrics of metrics",
}
"""What kinds of data are called that are called otherwise than their packages."""

_END = "\n\n`tallystick metrics NAME` explains one, or finds a word."


def _list_all(word: str = "") -> str:
    """Lists the metrics by kind, those whose names or descriptions contain a word."""
    from tallystick.kinds.metrics.table import TABLE
    from tallystick.metrics import METRICS

    aliases = {short: " ".join(own) for short, (_, _, own) in TABLE.items()}
    rows = dict[str, list[tuple[str, str]]]()
    for metric in METRICS:
        summary = describe(metric).summary
        names = (metric.short, metric.__name__, metric.title, aliases.get(metric.short, ""))
        if word.casefold() in " ".join([*names, summary, metric.__doc__ or ""]).casefold():
            kind = metric.__module__.split(".")[2]
            rows.setdefault(kind, []).append((metric.short, summary))
    width = max((len(name) for own in rows.values() for name, _ in own), default=0) + 2
    lines = list[str]()
    for kind in rows:
        lines += ["", f"{_KINDS.get(kind, kind)}:"]
        for name, summary in rows[kind]:
            # Outside a terminal it is one line each, for those who search.
            line = f"{name:<{width}}{summary}"
            lines.append(_wrap(name, summary, width) if sys.stdout.isatty() else line)
    return "\n".join(lines[1:])


def _wrap(name: str, text: str, indent: int) -> str:
    return textwrap.fill(
        text,
        _measure(),
        initial_indent=f"{name:<{indent}}",
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )


def _explain(name: str) -> str:
    """Explains a metric, or lists those in which the word occurs."""
    try:
        metric, options = look_up(name)
    except UnknownMetricError:
        if (answer := explain_absence(name)) is not None:
            return answer
        if name.startswith("neg_"):  # scikit-learn's scorers negate what is lower if better
            return f"{name} is the negative of this one.\n\n{_explain(name[4:])}"
        if found := _list_all(name):
            return found + _END
        raise
    full = repr(parse(name)) if options else name.strip()
    meant = "" if full == name.strip() else f"{name.strip()} stands for {full}.\n\n"
    message = describe(metric)
    rows = [
        ("formula", message.formula),
        ("range", message.bounds),
        ("undefined", message.undefined),
        ("source", message.source),
        *((f"{name}={default}", meaning) for name, default, meaning in message.options),
    ]
    width = max(len(name) for name, _ in rows) + 2
    lines = [f"{metric.__name__} ({metric.short}): {metric.title}", ""]
    lines += textwrap.wrap(" ".join([message.summary, message.details]).strip(), _measure())
    lines.append("")
    return meant + "\n".join([*lines, *(_wrap(name, text, width) for name, text in rows)])


def run_view(options: argparse.Namespace) -> None:
    """Runs `tallystick view` with parsed options."""
    import webbrowser

    from tallystick.output.figures.drawing import check_report, prepare_bundle

    check_figures(options)
    if is_figure(options):
        _draw(options)
        return
    check_report()
    prepare_bundle()
    if os.path.isdir(options.path):
        target = _write_folder(options.path, options.output)
    else:
        target = options.output or os.path.join(tempfile.mkdtemp(), "report.html")
        check_target(target)
        _write(options.path, target)
    if options.output is None:
        webbrowser.open(Path(target).as_uri())


def _draw(options: argparse.Namespace) -> None:
    from tallystick.output.results.saved import guard_saved, read_result

    check_target(options.output)
    result = read_result(options.path)
    with guard_saved(options.path):
        note = write_figure(result, options)
    promise(options.output)
    if note is not None:
        tell(f"note: {note}")


def _write_folder(folder: str, output: str | None) -> str:
    from tallystick.output.report.page import write_index

    if output is not None:
        raise UsageError("-o writes a single page; leave it out to open the pages of a folder")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    if not names:
        raise InputError(f"{folder}: contains no saved results, which end with .json")
    target = tempfile.mkdtemp()
    pages = {name: f"{name.removesuffix('.json')}.html" for name in names}
    for name, page in pages.items():
        _write(os.path.join(folder, name), os.path.join(target, page))
    index = os.path.join(target, "index of results.html")
    write_text(index, write_index(folder, pages))
    promise(index)
    return index


def _write(path: str, target: str) -> None:
    from tallystick.output.report.page import Origin, write_page
    from tallystick.output.results.saved import guard_saved, read_result

    result, origin = read_result(path), Origin(f"tallystick view {path}")
    with guard_saved(path):
        page = write_page(result.describe(origin))
    write_text(target, page)
    promise(target)


_TOUR = (
    (
        "A multilingual toxicity run: one prediction file per language, with probabilities.",
        "score --pred-dir toxicity --run-tag detector",
    ),
    ("Four classes, one label a line.", "score verdicts/gold.txt verdicts/model.txt"),
    (
        "The same in one table, with a column for each system: a model beside the majority label.",
        "score verdicts/all.jsonl --systems model majority -m accuracy macro_f1",
    ),
    (
        "Several labels an example, as 0/1 columns joined by id.",
        "score topics/gold.csv topics/model.csv",
    ),
)


def run_demo(options: argparse.Namespace) -> None:
    """Runs `tallystick demo`."""
    folder = str(resources.files("tallystick") / "demo_data")
    os.chdir(folder)
    print(f"The example data is in\n  {folder}\nand these commands, run there, score it.")
    for title, command in _TOUR:
        print(f"\n\n{title}\n\n$ tallystick {command}\n", flush=True)
        parsed = build_parser().parse_args(shlex.split(command))
        parsed.run(parsed)


_REGISTRATIONS = (
    "-F _shtab_tallystick tallystick",  # bash
    "#compdef tallystick",  # zsh, from a file
    "-N tallystick",  # zsh, in eval
)


def run_completion(options: argparse.Namespace) -> None:
    """Runs `tallystick completion` with parsed options."""
    import shtab

    parser = build_parser()
    for action in _list_actions(parser):
        _describe(action)
    script = shtab.complete(parser, shell=options.shell).rstrip() + "\n"
    for registration in _REGISTRATIONS:
        script = script.replace(registration, f"{registration} tally")
    wrapped = "complete -c tally -w tallystick\n" if options.shell == "fish" else ""
    print(script + wrapped, end="")


def _list_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _list_actions(command)
        else:
            yield action


def _describe(action: argparse.Action) -> None:
    import shtab

    from tallystick.kinds.metrics.table import TABLE

    if action.choices is not None or action.nargs == 0:
        return
    if action.dest in ("metrics", "metric", "name"):
        averages, rates = ("macro", "micro", "weighted"), ("precision", "recall", "f1")
        averaged = (f"{average}_{of}" for average in averages for of in rates)
        action.choices = [*TABLE, *averaged]
    elif action.metavar == "TASK":
        action.choices = TASKS
    elif action.metavar == "DIR" and action.dest != "submissions":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif (
        action.metavar in ("FILE", "OLD", "SYSTEM")
        or action.dest == "submissions"
        or not action.option_strings
    ):
        action.complete = shtab.FILE  # type: ignore[attr-defined]

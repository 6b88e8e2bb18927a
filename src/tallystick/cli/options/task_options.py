"""The options of `tallystick task`, a command for each step of a shared task."""

import argparse
from collections.abc import Mapping

from tallystick.cli.options.comparing_options import DETAILS, add_overall
from tallystick.cli.options.shared_options import (
    FORMATS,
    add_intervals,
    add_numbers,
    add_output,
    add_testing,
)
from tallystick.cli.parser import add_command, add_options

_TASKS = """\
examples:
  tallystick task init gold.csv        a task file, from what the gold holds
  tallystick task check team.zip       what the server would say about a submission
  tallystick task score entries        the scores of all teams, by track

`tallystick task COMMAND --help` explains a command and shows examples.
"""

_INIT = """\
examples:
  tallystick task init gold.csv                           writes task.yaml next to it
  tallystick task init track1=a.csv track2=b.csv -o competition/task.yaml
                                                          a track for each gold file
  tallystick task init --schema > task.schema.json        for editors

An editor completes and checks a task file that begins with the line

# yaml-language-server: $schema=task.schema.json
"""

_CHECK = """\
examples:
  tallystick task check team.zip                          all tracks, by the task.yaml here
  tallystick task check predictions.csv --task kit/task.yaml --phase test
"""

_SCORE = """\
examples:
  tallystick task score team.zip                          one submission, by track
  tallystick task score entries                           a folder with a submission of each team
  tallystick task score entries --phase test -o scores.json
"""

_SELFTESTS = """\
examples:
  tallystick task selftest                                the task.yaml here, all tracks and phases
  tallystick task selftest --task competition/task.yaml -o selftest.json
"""

_BOARDS = """\
examples:
  tallystick task board entries -o site                   leaderboards, and a page for each team
  tallystick task board entries -o site --per-team best --percent

Called again, it scores new and changed submissions only. Any web server, or none, serves the site.
"""

_RANKINGS = """\
examples:
  tallystick task rank entries                            the last submission of each team
  tallystick task rank entries --phase test --overall mean -o ranking.tex
"""

_PAPERS = """\
examples:
  tallystick task paper entries -o results.tex            the last submission of each team
  tallystick task paper entries --phase test --percent
"""

_BUNDLES = """\
examples:
  tallystick task bundle codabench -o bundle.zip --vendor
                                     a competition whose scoring program needs no network
  tallystick task bundle codabench -o bundle.zip --image me/stance:1
                                     one that is scored in an image that has tallystick
  tallystick task bundle codabench --check bundle.zip
                                     what the platform would refuse or misread in it
  tallystick task bundle kaggle --track stance -o bundle.zip
                                     the metric, solution and sample of one track
"""

_RUNS = """\
examples:
  tallystick task run codabench /app/input /app/output     scores.json and a page
  tallystick task run codalab /app/input /app/output       scores.txt and a page
  tallystick task run evalai gold.zip submission.zip       what `evaluate` returns, as JSON
  tallystick task run tira $inputDataset $inputRun $outputDir
                                                           evaluation.prototext

The submission is checked and scored; what is said of it may be shown to its
team.
"""

_PLATFORMS = ("codabench", "codalab", "evalai", "kaggle", "tira", "hf")
_CALLS = {
    "codabench": ("IN", "OUT"),
    "codalab": ("IN", "OUT"),
    "evalai": ("GOLD.zip", "SUBMISSION"),
    "tira": ("TRUTH", "RUN", "OUT"),
}
"""What each platform calls a scoring program with; Kaggle and Hugging Face call functions."""

_FILE = {"default": "task.yaml"}
_TASK = {"--task FILE": "the task file (default: task.yaml)"}
_NAMED_TASK = {"task TASK?": "the task file, as --task", **_TASK}
_OWN_PHASE = {"--phase NAME": "the phase (default: the gold of the tracks themselves)"}
_PHASE = {"--phase NAME": "the phase (default: the last one)"}
_OUTPUT = {"-o --output FILE": "write to this file instead of the terminal"}
_MANIFEST = {
    "--manifest FILE": "a table with the columns file and team, and perhaps run, phase and "
    "submitted, which lists the submissions instead of the names in the folder"
}
_INITIAL = {
    "gold [TRACK=]GOLD": "a gold file for each track",
    "--title TITLE": "what the task is called",
    "--description TEXT": "what it is about",
    "--schema": "print the JSON schema of task files instead",
    "-o --output FILE": "default: task.yaml",
}
_SUBMISSION = {
    "submission SUBMISSION": "a zip archive, a folder or a file",
    **_TASK,
    **_OWN_PHASE,
    "--format table|json": "default: table, a line for each finding and for each track",
}
_SUBMISSIONS = {
    "submission SUBMISSION|DIR": "a submission, or a folder of them, each named after its team; in "
    "a folder of a team each is one of its runs",
    **_TASK,
    **_OWN_PHASE,
    "--per-team all|best|last": "which runs of a team to show: all, its best by the first metric "
    "of each track, or its last by name (default: all)",
    **_MANIFEST,
}
_TEST = {
    **_NAMED_TASK,
    "--format table|csv|json|markdown": "default: by the ending of --output, else table",
    **_OUTPUT,
}
_ENTRIES = {
    "folder DIR": "the submissions: files, archives or folders named after their teams, or a "
    "folder for each team with several",
    **_MANIFEST,
    **_TASK,
}
_PER_TEAM = {
    "--per-team last|best": "which submission of a team counts in a track (default: the last by "
    "time)"
}
_PLATFORM = {"platform PLATFORM": f"one of {', '.join(_PLATFORMS)}", **_NAMED_TASK}
_BUNDLE = {
    "-o --output FILE": "the archive to write (.zip)",
    "--check BUNDLE": "check a bundle that was changed by hand (codabench)",
}
_CONTENTS = {
    "--vendor": "put the packages installed here beside the scoring program, so that it "
    "needs no network and no image of its own (codabench, codalab)",
    "--image NAME": "the Docker image to score in (codabench, codalab, tira; default: this "
    "Python's, such as python:3.12-slim)",
    "--track NAME": "the track to make a competition of (kaggle, hf)",
}


def add_task(parser: argparse.ArgumentParser) -> None:
    """Adds a command for each step, whose name parsed options carry in `step`."""
    parser.epilog = _TASKS
    steps = parser.add_subparsers(metavar="COMMAND", dest="step", required=True)
    for name, purpose, add, examples in _COMMANDS:
        add(add_command(steps, name, purpose, examples))


def _add_init(parser: argparse.ArgumentParser) -> None:
    add_options(parser, _INITIAL, gold={"nargs": "*"}, output=_FILE)


def _add_check(parser: argparse.ArgumentParser) -> None:
    add_options(parser, _SUBMISSION, task=_FILE)


def _add_score(parser: argparse.ArgumentParser) -> None:
    add_options(parser, _SUBMISSIONS, task=_FILE)
    parser.set_defaults(clusters=None)  # they stand in the file
    add_intervals(parser.add_argument_group("intervals"), "CSV")
    add_output(parser, FORMATS)


def _add_selftest(parser: argparse.ArgumentParser) -> None:
    add_options(parser, _TEST, task=_FILE)
    parser.set_defaults(digits=(), percent=False, columns=(), verbose=True)


def _add_rank(parser: argparse.ArgumentParser) -> None:
    add_overall(_add_entries(parser, _PHASE), "tracks")
    parser.set_defaults(by=("track",), pred_dir=None)  # whose groups the task file tells
    add_options(add_output(parser, figures="rank (default), or rank TRACK"), DETAILS)


def _add_paper(parser: argparse.ArgumentParser) -> None:
    _add_entries(parser, _PHASE)
    _add_target(parser, _OUTPUT, required=False)


def _add_board(parser: argparse.ArgumentParser) -> None:
    _add_entries(parser, {})
    _add_target(parser, {"-o --output SITE": "the folder of the site"}, required=True)


def _add_target(
    parser: argparse.ArgumentParser, table: Mapping[str, str], *, required: bool
) -> None:
    output = parser.add_argument_group("output")
    add_options(output, table, output={"required": required})
    add_numbers(output)
    parser.set_defaults(columns=())


def _add_entries(
    parser: argparse.ArgumentParser, phase: Mapping[str, str]
) -> argparse._ArgumentGroup:
    add_options(parser, {**_ENTRIES, **phase}, task=_FILE)
    group = parser.add_argument_group("ranking")
    add_options(group, _PER_TEAM, per_team={"default": "last"})
    add_testing(group)
    return group


def _add_bundle(parser: argparse.ArgumentParser) -> None:
    platforms = {"type": str.lower, "choices": _PLATFORMS}
    add_options(parser, _PLATFORM, platform=platforms, task=_FILE)
    add_options(parser.add_mutually_exclusive_group(required=True), _BUNDLE)
    add_options(parser, _CONTENTS)


def _add_run(parser: argparse.ArgumentParser) -> None:
    platforms = parser.add_subparsers(metavar="PLATFORM", dest="platform", required=True)
    for platform, names in _CALLS.items():
        own = platforms.add_parser(platform, allow_abbrev=False)
        for name in names:
            own.add_argument("paths", action="append", metavar=name)


_COMMANDS = (
    ("init", "write a task file from what the gold holds", _add_init, _INIT),
    ("check", "validate a submission about a submission", _add_check, _CHECK),
    ("score", "score submissions, by track", _add_score, _SCORE),
    ("rank", "rank the teams, by track and overall", _add_rank, _RANKINGS),
    ("selftest", "test the task itself", _add_selftest, _SELFTESTS),
    ("bundle", "make what a platform needs to run the task", _add_bundle, _BUNDLES),
    ("run", "score a submission as a platform calls it", _add_run, _RUNS),
    ("board", "build the site of a task, with its leaderboards", _add_board, _BOARDS),
    ("paper", "write the results table of an overview paper", _add_paper, _PAPERS),
)
"""Each command, what it is for, its options and its examples; a module of its name runs it."""

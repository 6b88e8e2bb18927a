"""`tallystick task`: a shared task from one file, a command for each step.

What a single step needs is imported in it.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from tallystick.cli.options.shared_options import read_intervals, read_testing
from tallystick.cli.output import (
    check_files,
    check_target,
    format_of,
    promise,
    read_style,
    show,
    tell,
    write_result,
)
from tallystick.errors import InputError, UsageError
from tallystick.io.config import read_yaml
from tallystick.output.tables.cells import escape_controls
from tallystick.tasks.task_file import SharedTask, TaskFileError, find_wrong, make_schema, read_task

if TYPE_CHECKING:
    from tallystick.output.results.ranking import Overall, Ranking
    from tallystick.output.results.records import Missing
    from tallystick.statistics.settings import Testing
    from tallystick.tasks.opening import Checked

_FAILED, _BAD_DATA = 1, 4


def run_task(options: argparse.Namespace) -> int | None:
    """Runs the step of `tallystick task` that parsed options name."""
    try:
        return _STEPS[options.step](options)
    except TaskFileError as error:
        where = read_yaml(options.task).locate(error.keys)
        raise InputError(f"{where}: {error}") from error


def _init(options: argparse.Namespace) -> None:
    from tallystick.io.files.datasets import split_name
    from tallystick.io.files.opening import write_text
    from tallystick.tasks.starting import name_tracks, write_start

    if options.schema == bool(options.gold):
        raise UsageError("task init takes gold files, or --schema alone")
    if options.schema:
        print(json.dumps(make_schema(), indent=2))
        return
    if os.path.exists(options.output):
        raise UsageError(f"{options.output} already exists; name another file with -o")
    check_target(options.output)
    named = [split_name(one) for one in options.gold]
    golds = name_tracks([path for name, path in named if name is None])
    golds |= {name: path for name, path in named if name is not None}
    for name, path in golds.items():
        if wrong := find_wrong(name):
            text = f"the name of its track, {name!r:.60}, {wrong}"
            raise UsageError(f"{path}: {text}; give another one, as in track1={path}")
    about = options.title or "Shared task", options.description or ""
    written = write_start(golds, os.path.dirname(options.output) or ".", *about)
    write_text(options.output, written)
    where = "" if options.output == "task.yaml" else f" --task {options.output}"
    promise(options.output, f"; next: tallystick task check SUBMISSION{where}")


def _selftest(options: argparse.Namespace) -> int:
    from tallystick.tasks.selftest import run_selftest

    check_files({}, options.output)
    tested = run_selftest(read_task(options.task))
    show(tested, options)
    return 0 if tested.passed else _FAILED


def _check(options: argparse.Namespace) -> int:
    from msgspec.structs import asdict

    from tallystick.output.tables.document import Document
    from tallystick.output.tables.formats import render
    from tallystick.tasks.submission_worker import check_submission
    from tallystick.tasks.task_checks import GoldError, check_task

    try:
        task = check_task(read_task(options.task), options.phase)
    except GoldError as error:
        raise error.blind from None
    checked = check_submission(task, options.submission)
    wrong = {one.track for one in checked.findings if one.fatal}
    outcomes = {name: "rejected" if {name, None} & wrong else "left out" for name in task.tracks}
    outcomes |= dict.fromkeys((one for one in task.tracks if one in checked.files), "can be scored")
    findings = sorted(checked.findings, key=lambda one: not one.fatal)
    if options.format == "json":
        parts = {
            "passed": not any(one.fatal for one in findings),
            "tracks": [{"track": name, "outcome": text} for name, text in outcomes.items()],
            "findings": [*map(asdict, findings)],
        }
        sys.stdout.write(render(Document(content=parts), "json"))
    else:
        lines = [f"{'error' if one.fatal else 'note'}: {one}" for one in findings]
        lines += [f"{track}: {outcome}" for track, outcome in outcomes.items()]
        sys.stdout.write("".join(f"{escape_controls(line)}\n" for line in lines))
    return _BAD_DATA if checked.failed else 0


def _score(options: argparse.Namespace) -> None:
    from tallystick.output.tables.formats import check_style
    from tallystick.tasks.scoring import score_submissions
    from tallystick.tasks.task_checks import check_task

    check_files({}, options.output)
    options.format = options.format or format_of(options.output)
    check_style(read_style(options), options.format)
    intervals = read_intervals(options)
    whole = read_task(options.task)
    task = check_task(whole, options.phase)
    checked = _check_all(whole, task, options)
    for name, one in checked.items():
        for finding in one.findings:
            if finding.fatal:
                tell(f"rejected: {name}: {finding}")
    if all(one.rejected for one in checked.values()):
        raise InputError(f"{options.submission}: every track of it was rejected")
    show(
        score_submissions(task, checked, per_team=options.per_team or "all", intervals=intervals),
        options,
    )


def _check_all(
    whole: SharedTask, task: SharedTask, options: argparse.Namespace
) -> dict[str, "Checked"]:
    from tallystick.io.files.datasets import cut_ending
    from tallystick.tasks.entries import find_entries, name_systems
    from tallystick.tasks.opening import holds_track
    from tallystick.tasks.scoring import check_entry
    from tallystick.tasks.submission_worker import check_submission

    path, phase, manifest = options.submission, options.phase, options.manifest
    if manifest is None and (not os.path.isdir(path) or holds_track(task, path)):
        name = cut_ending(os.path.basename(os.path.normpath(path)))
        return {name: check_submission(task, path)}
    inside = os.path.join(path, phase or "")
    bare = msgspec.structs.replace(task, phases={})
    found = (
        find_entries(inside if os.path.isdir(inside) else path, bare)
        if manifest is None
        else find_entries(path, whole, manifest)
    )
    entries = sorted(
        (one for one in found if one.phase in (None, phase)), key=lambda one: (one.team, one.run)
    )
    checked = (check_entry(task, one) for one in entries)
    return dict(zip(name_systems(entries), checked, strict=True))


def _rank(options: argparse.Namespace) -> None:
    from msgspec.structs import replace

    from tallystick.cli.reading.checks import check_options
    from tallystick.comparison.ranking.leaderboard import add_previous, read_previous
    from tallystick.comparison.ranking.overall_ranking import rank_tracks

    check_options(options, "rank")
    testing = read_testing(options)
    previous = options.previous and read_previous(options.previous)
    task = read_task(options.task)
    if options.missing_tracks and not (options.overall or task.overall):
        raise UsageError("--missing-tracks needs --overall: it is about the overall order")
    missing: Missing = options.missing_tracks or task.missing_tracks or "exclude"
    rankings = _rank_round(task, options, testing)
    overall: Overall | None = options.overall or (task.overall if len(rankings) > 1 else None)
    ranking = rank_tracks(rankings, overall=overall, missing_tracks=missing)
    show(replace(add_previous(ranking, previous), details=options.details), options)


def _rank_round(
    task: SharedTask, options: argparse.Namespace, testing: "Testing"
) -> Mapping[str, "Ranking"]:
    from tallystick.tasks.scoring import Publishing, check_round, rank_entries

    entered = check_round(task, options.folder, phase=options.phase, manifest=options.manifest)
    for reason in entered.rejected:
        tell(f"rejected: {reason}")
    for note in entered.notes:
        tell(f"note: {note}")
    publishing = Publishing(options.per_team, testing, read_style(options))
    rankings = rank_entries(entered.task, entered.entries, publishing)
    if not rankings:
        raise InputError(f"{options.folder}: every submission was rejected")
    return rankings


def _paper(options: argparse.Namespace) -> None:
    from tallystick.tasks.paper import write_paper

    if options.output is not None:
        if not options.output.endswith(".tex"):
            raise UsageError(f"a paper's results are LaTeX (.tex), not {options.output}")
        check_target(options.output)
    task = read_task(options.task)
    rankings = _rank_round(task, options, read_testing(options))
    overall = task.overall, task.missing_tracks or "exclude"
    written = write_paper(rankings, read_style(options), *overall)
    write_result(options.output, written)
    if options.output is not None:
        promise(options.output)


def _board(options: argparse.Namespace) -> None:
    from tallystick.output.figures.drawing import check_report
    from tallystick.tasks.board import build_board
    from tallystick.tasks.entries import name_run
    from tallystick.tasks.scoring import Publishing

    check_report()
    publishing = Publishing(options.per_team, read_testing(options), read_style(options))
    built = build_board(
        read_task(options.task),
        options.folder,
        options.output,
        publishing,
        manifest=options.manifest,
        task_file=options.task,
    )
    submissions = built.site.submissions
    for one in submissions:
        for reason in one.rejected:
            about = f"{reason.track}: " if reason.track else ""
            tell(f"rejected: {name_run(one.team, one.run)}: {about}{reason.words}")
    for note in built.site.notes:
        tell(f"note: {note}")
    print(os.path.join(options.output, "index.html"))
    rejected = sum(bool(one.rejected) for one in submissions)
    print(
        f"{len(submissions)} submissions: {built.scored} newly checked, {rejected} rejected in "
        f"part or in whole. {built.ranked} of {len(built.site.rankings)} rankings updated."
    )


def _bundle(options: argparse.Namespace) -> int:
    from tallystick.io.files.opening import write_bytes
    from tallystick.tasks.bundles.codabench import IMAGE, bundle_codabench, bundle_codalab, vendor
    from tallystick.tasks.bundles.evalai import bundle_evalai, bundle_tira
    from tallystick.tasks.bundles.single_table import bundle_hugging_face, bundle_kaggle
    from tallystick.tasks.task_checks import check_task

    bundles: dict[str, tuple[Callable[..., bytes], tuple[str, ...]]] = {
        "codabench": (bundle_codabench, ("vendor", "image")),
        "codalab": (bundle_codalab, ("vendor", "image")),
        "evalai": (bundle_evalai, ()),
        "kaggle": (bundle_kaggle, ("track",)),
        "tira": (bundle_tira, ("image",)),
        "hf": (bundle_hugging_face, ("track",)),
    }
    make, known = bundles[options.platform]
    given = {name: own for name in ("vendor", "image", "track") if (own := getattr(options, name))}
    for name in given:
        if name not in known:
            raise UsageError(f"{options.platform} has no --{name}")
    if options.check is not None:
        return _check_bundle(options.platform, options.check)
    check_target(options.output)
    task = read_task(options.task)
    for phase in task.phases or (None,):
        check_task(task, phase)
    if given.pop("vendor", False):
        given["packages"] = vendor()
    content = make(task, **given)
    write_bytes(options.output, content)
    size = len(content)
    text = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
    promise(options.output, f": {text}")
    if "vendor" in known and not (options.vendor or options.image):
        tell(
            f"note: nothing can be scored yet: the image {IMAGE} lacks tallystick; bring it along "
            "with --vendor, or name an image that has it with --image"
        )
    return 0


def _check_bundle(platform: str, path: str) -> int:
    from tallystick.io.files.opening import open_binary
    from tallystick.tasks.bundles.codabench_rules import check_bundle

    if platform != "codabench":
        raise UsageError("--check knows only the rules of codabench")
    with open_binary(path) as file:
        faults = check_bundle(file.read())
    for fault in faults:
        print(f"error: {escape_controls(fault)}")
    if not faults:
        print(f"{escape_controls(path)}: is a valid Codabench bundle")
    return _BAD_DATA if faults else 0


def _run(options: argparse.Namespace) -> int:
    """Scores as a platform calls it; a refusal is told, not raised, so that its page is written."""
    from tallystick.tasks.bundles.codabench import run_codabench, run_codalab
    from tallystick.tasks.bundles.evalai import run_evalai, run_tira

    runs: dict[str, Callable[..., list[str]]] = {
        "codabench": run_codabench,
        "codalab": run_codalab,
        "evalai": run_evalai,
        "tira": run_tira,
    }
    try:
        messages = runs[options.platform](*options.paths)
    except InputError as error:
        for line in str(error).splitlines():
            print(f"error: {escape_controls(line)}", file=sys.stderr)
        return _BAD_DATA
    for message in messages:
        tell(f"note: {message}")
    return 0


_STEPS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "init": _init,
    "selftest": _selftest,
    "check": _check,
    "score": _score,
    "rank": _rank,
    "paper": _paper,
    "board": _board,
    "bundle": _bundle,
    "run": _run,
}

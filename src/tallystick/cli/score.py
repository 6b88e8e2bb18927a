"""`tallystick score`: gold and systems in, scores out."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tallystick.cli.options.figures import FORMATS
from tallystick.cli.options.shared_options import read_intervals, read_prevalence, refuse
from tallystick.cli.output import NOT_TRIED, promise, show, write_confusions, write_flaky
from tallystick.cli.progress import show_progress
from tallystick.cli.reading.checks import check_options, take_logs
from tallystick.cli.reading.inputs import count_inputs, list_paths, open_runs
from tallystick.errors import UsageError
from tallystick.io.files.progress import Progress
from tallystick.render.notes import Hint
from tallystick.results.evaluation import Evaluation
from tallystick.results.records import LARGEST_MATRIX
from tallystick.scoring.counted import Counted
from tallystick.scoring.given import find_tries
from tallystick.scoring.score import score_counted
from tallystick.statistics.settings import Intervals, settle

if TYPE_CHECKING:
    from tallystick.results.seeds import Seeds

_WHOLE = ("html", "json", *FORMATS)
"""The formats that have all that was counted, whether or not it was named."""


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick score` with parsed options."""
    take_logs(options)
    _check(options)
    if options.seeds:
        show(_score_seeds(options), options)
        return
    with show_progress(list_paths(options)) as watch:
        scored = _score(options, watch)
    write_confusions(scored, options.confusion, normalise=options.normalise)
    write_flaky(scored, options.flaky)
    if options.format not in _WHOLE and (options.metrics or len(scored.confusions) > 1):
        scored = replace(scored, confusions=())
    show(_drop_large(scored, options), options)


def _check(options: argparse.Namespace) -> None:
    """Checks what needs no data to be wrong."""
    if options.normalise and options.confusion is None:
        raise UsageError("--normalise goes with --confusion")
    if options.flaky and options.metrics and not find_tries(options.metrics):
        raise UsageError(NOT_TRIED)
    if not options.pred_dir:
        refuse(options, ("config",), "goes with --pred-dir")
    read_prevalence(options.prevalence)
    if options.max_errors < 0:
        raise UsageError(
            f"at most {options.max_errors} errors of a kind cannot be written; name 0 or more"
        )
    check_options(options, "score", {"--confusion": options.confusion, "--flaky": options.flaky})


def _score(options: argparse.Namespace, watch: Progress) -> Evaluation:
    intervals = read_intervals(options)
    if options.pred_dir:
        return _score_runs(options)
    counted = _count(options, watch)
    if options.segments:
        from tallystick.scoring.segments import score_segments

        return score_segments(counted)
    return score_counted(counted, settle(intervals))


def _count(options: argparse.Namespace, watch: Progress) -> Counted:
    """Counts the inputs, and gives labels the prevalence that was named."""
    counted = count_inputs(options, watch=watch)
    if not options.prevalence:
        return counted
    from tallystick.scoring.prevalence import reweigh

    return reweigh(counted, read_prevalence(options.prevalence))


def _score_seeds(options: argparse.Namespace) -> "Seeds":
    from tallystick.comparison.seeds import score_seeds_counted

    for name in ("segments", "confusion", "flaky", "dump_errors"):
        refuse(options, (name,), "does not go with --seeds")
    if options.format == "lines" or options.intervals is False:
        raise UsageError("--seeds always shows intervals, and cannot be written as lines")
    with show_progress(list_paths(options)) as watch:
        counted = _count(options, watch)
        intervals = settle(read_intervals(options)) or Intervals()
        return score_seeds_counted(counted, intervals)


def _score_runs(options: argparse.Namespace) -> Evaluation:
    runs = open_runs(options)
    shares = read_prevalence(options.prevalence)
    scored = runs.score(options.metrics, read_intervals(options), shares)
    if options.dump_errors:
        folder = options.errors_dir or options.pred_dir
        written = runs.write_errors(folder, most=options.max_errors).values()
        for path, positives, negatives in written:
            promise(path, f": {positives} false positives, {negatives} false negatives")
    return scored


def _drop_large(scored: Evaluation, options: argparse.Namespace) -> Evaluation:
    """The scores without a confusion matrix that nobody could read, and a note on it."""
    most = max((len(matrix.labels) for matrix in scored.confusions), default=0)
    if most <= LARGEST_MATRIX:
        return scored
    scored = replace(scored, confusions=())
    if options.confusion or options.format not in ("table", "markdown", "latex", "html"):
        return scored
    note = Hint(f"the confusion matrix of {most} labels is not shown; --confusion FILE writes it.")
    return replace(scored, notes=(*scored.notes, note))

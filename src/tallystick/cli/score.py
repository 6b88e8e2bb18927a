"""`tallystick score` and `tallystick count`: gold and systems in, scores or counts out."""

import argparse
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tallystick.cli.options.shared_options import read_intervals, refuse
from tallystick.cli.output import FIGURES, check_target, promise, show, show_progress, write_table
from tallystick.cli.reading.checks import check_options, take_column_names, take_logs
from tallystick.cli.reading.inputs import count_inputs, list_paths, open_runs, place_gold
from tallystick.errors import Hint, UsageError
from tallystick.io.files.opening import Progress
from tallystick.kinds.labels import LABEL_SETS, LABELS
from tallystick.kinds.metrics.requirements import PER_LABEL, find_kinds
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import LARGEST_MATRIX
from tallystick.scoring.counted import Counted
from tallystick.scoring.metric_selection import name_anew
from tallystick.scoring.score import score
from tallystick.statistics.settings import Intervals, settle

if TYPE_CHECKING:
    from tallystick.output.results.other_results import Seeds


def run_score(options: argparse.Namespace) -> None:
    """Runs `tallystick score` with parsed options."""
    take_logs(options)
    _check(options)
    if options.seeds:
        show(_score_seeds(options), options)
        return
    with show_progress(list_paths(options)) as watch:
        intervals = read_intervals(options)
        if options.pred_dir:
            scored = _score_runs(options, intervals)
        else:
            counted = _count(options, watch)
            scored = score(counted, intervals=intervals, segments=options.segments)
    _write_tables(scored, options)
    whole = options.format in ("html", "json", *FIGURES)  # which have all that was counted
    if not whole and (options.metrics or len(scored.confusions) > 1):
        scored = replace(scored, confusions=())
    show(_drop_large(scored, options), options)


def _check(options: argparse.Namespace) -> None:
    if not options.pred_dir:
        refuse(options, ("config",), "can only be used with --pred-dir")
    else:
        refuse(options, ("per_class",), "cannot be used with --pred-dir")
    _read_prevalence(options)
    if (options.dump_errors or 0) < 0:
        raise UsageError(f"--dump-errors must be 0 or more, not {options.dump_errors}")
    check_options(options, "score", {"--confusion": options.confusion})


def _count(options: argparse.Namespace, watch: Progress) -> Counted:
    if options.per_class and options.metrics:
        if {LABELS, LABEL_SETS}.isdisjoint(find_kinds(options.metrics) or ()):
            raise UsageError("--per-class can only be used with metrics of labels, such as f1")
        options.metrics = [*options.metrics, *PER_LABEL]
    counted = count_inputs(options, watch=watch)
    if options.per_class:
        if {LABELS, LABEL_SETS}.isdisjoint(counter.kind for counter in counted.tallies):
            raise UsageError("--per-class can only be used with labels, which have classes")
        counted = name_anew(counted, [*counted.metrics, *PER_LABEL])
    if not options.prevalence:
        return counted
    from tallystick.scoring.prevalence import reweigh

    return reweigh(counted, _read_prevalence(options))


def _read_prevalence(options: argparse.Namespace) -> dict[str, float]:
    if not options.prevalence:
        return {}
    shares: dict[str, float] = {}
    for argument in options.prevalence:
        label, sign, share = argument.rpartition("=")
        try:
            shares[label] = float(share)
        except ValueError:
            sign = ""
        if not (label and sign):
            raise UsageError(f"--prevalence takes LABEL=SHARE, such as toxic=0.02, not {argument}")
    from tallystick.scoring.prevalence import read_shares

    if (total := sum(read_shares(shares).values())) > 1:
        raise UsageError(f"--prevalence adds up to {total:g}, which is more than 1")
    return shares


def _score_seeds(options: argparse.Namespace) -> "Seeds":
    from tallystick.comparison.seeds import score_seeds

    names = ("segments", "confusion", "dump_errors")
    refuse(options, names, "cannot be used with --seeds")
    if options.format == "lines" or options.intervals is False:
        raise UsageError("--seeds always shows intervals, and cannot be written as lines")
    with show_progress(list_paths(options)) as watch:
        counted = _count(options, watch)
        return score_seeds(counted, intervals=settle(read_intervals(options)))


def _score_runs(options: argparse.Namespace, intervals: Intervals | bool) -> Evaluation:
    runs = open_runs(options)
    scored = runs.score(options.metrics, intervals, _read_prevalence(options))
    if options.dump_errors is not None:
        folder = options.errors_dir or options.pred_dir
        written = runs.write_errors(folder, most=options.dump_errors).values()
        for path, positives, negatives in written:
            promise(path, f": {positives} false positives, {negatives} false negatives")
    return scored


def _write_tables(scored: Evaluation, options: argparse.Namespace) -> None:
    if options.confusion is None:
        return
    from tallystick.output.results.scores import document_confusion

    count = len(scored.confusions)
    if not count:
        raise UsageError("--confusion writes the confusion matrix of labels, and there are none")
    if count > 1:
        raise UsageError(f"--confusion writes one matrix, and there are {count}")
    write_table(options.confusion, document_confusion(scored.confusions[0]))


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


def run_count(options: argparse.Namespace) -> None:
    """Runs `tallystick count` with parsed options."""
    from tallystick.io.files.stores import cut_options
    from tallystick.scoring.saved import check_cells, check_least
    from tallystick.scoring.tally_file import measure_inputs, save_counted

    take_logs(options)
    if not cut_options(options.output).lower().endswith(".tally"):
        raise UsageError(f"counts go to a file that ends with .tally, not to {options.output}")
    if any(":" in name for name in options.by):
        raise UsageError("--by NAME:4 makes bins of all examples, and a part has not all of them")
    check_target(options.output)
    take_column_names(options)
    place_gold(options)
    check_least(options.min_cell)
    paths = list_paths(options)
    with show_progress(paths) as watch:
        counted = count_inputs(options, watch=watch)
    check_cells(counted, options.min_cell)
    save_counted(options.output, counted, measure_inputs(paths))
    promise(options.output, f": {counted.facts.n[None]:,} examples of {', '.join(counted.systems)}")

"""`tallystick compare`, `rank` and `plan`: gold and several systems in, what separates them out."""

import argparse
from itertools import combinations

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import show, show_progress, tell, write_table
from tallystick.cli.reading.checks import (
    check_baselines,
    check_directions,
    check_options,
    check_overall,
    check_tests,
    take_logs,
)
from tallystick.cli.reading.inputs import count_inputs, list_paths, need_systems, suggest_metrics
from tallystick.comparison.compare import check_equivalence, compare
from tallystick.comparison.plan import check_sizes, plan
from tallystick.comparison.ranking.leaderboard import add_previous, read_previous
from tallystick.comparison.ranking.rank import rank
from tallystick.errors import UsageError
from tallystick.io.files.opening import Progress
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.scores import document_flips
from tallystick.statistics.settings import Testing


def run_plan(options: argparse.Namespace) -> None:
    """Runs `tallystick plan` with parsed options."""
    take_logs(options)
    check_options(options, "plan")
    need_systems(options)
    testing = read_testing(options)
    check_sizes(options.sizes)
    with show_progress(list_paths(options)) as watch:
        counted = count_inputs(options, watch=watch)
        planned = plan(counted, sizes=options.sizes, testing=testing)
    show(planned, options)


def run_compare(options: argparse.Namespace) -> None:
    """Runs `tallystick compare` with parsed options."""
    take_logs(options)
    check_options(options, "compare", {"--flips": options.flips})
    need_systems(options)
    check_baselines(options, [options.baseline] if options.baseline else [])
    testing = read_testing(options)
    check_tests(options, testing)
    if options.equivalent_within is not None:
        check_equivalence(options.equivalent_within, testing)
    with show_progress(list_paths(options)) as watch:
        counted = count_inputs(options, watch=watch)
        compared = compare(
            counted,
            testing=testing,
            baseline=options.baseline,
            all_pairs=options.all_pairs,
            equivalent_within=options.equivalent_within,
            details=options.details,
        )
    _write_flips(compared, options.flips)
    show(compared, options)


def _write_flips(compared: Comparison, path: str | None) -> None:
    if path is None:
        return
    systems, baseline = compared.systems, compared.baseline
    pairs = (
        combinations(systems, 2)
        if baseline is None
        else ((name, baseline) for name in systems if name != baseline)
    )
    flips = {pair: compared.flips(*pair) for pair in pairs}
    write_table(path, document_flips(flips), f": {sum(map(len, flips.values()))} examples")


def run_rank(options: argparse.Namespace) -> None:
    """Runs `tallystick rank` with parsed options."""
    take_logs(options)
    check_options(options, "rank")
    if options.missing_tracks and not options.overall:
        raise UsageError("--missing-tracks needs --overall: it is about the overall order")
    testing = read_testing(options)
    previous = options.previous and read_previous(options.previous)
    with show_progress(list_paths(options)) as watch:
        ranking = _rank(options, testing, watch)
    show(add_previous(ranking, previous), options)
    if options.output or options.format == "csv":  # else they stand where the ranking is read
        for refusal in ranking.list_refusals():
            tell(f"note: {refusal}")


def _rank(options: argparse.Namespace, testing: Testing, watch: Progress) -> Ranking:
    if not options.files and not options.pred_dir:
        raise UsageError(
            "name a gold file and the systems' files; `tallystick task rank` ranks the tracks of a "
            "task file"
        )
    options.metrics = options.metrics or suggest_metrics(options)
    if not options.metrics:
        raise UsageError("name what to rank by with -m, such as -m macro_f1; put files before -m")
    need_systems(options)
    check_overall(options)
    check_baselines(options, options.baseline)
    check_directions(options)
    check_tests(options, testing)
    return rank(
        count_inputs(options, tolerant=True, watch=watch),
        testing=testing,
        baselines=options.baseline,
        per_team=options.per_team or "all",
        overall=options.overall,
        missing_tracks=options.missing_tracks or "exclude",
        details=options.details,
    )

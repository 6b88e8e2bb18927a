"""`tallystick compare`: gold and several systems in, their differences out."""

import argparse
from itertools import combinations

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import show, write_table
from tallystick.cli.progress import show_progress
from tallystick.cli.reading.checks import check_baselines, check_options, check_tests, take_logs
from tallystick.cli.reading.inputs import count_inputs, list_paths, need_systems
from tallystick.comparison.compare import check_equivalence, compare
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.scores import document_flips


def run(options: argparse.Namespace) -> None:
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

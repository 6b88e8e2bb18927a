"""The options of `tallystick gate`."""

import argparse

from tallystick.cli.options.figures import add_figures
from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import (
    add_examples,
    add_output,
    add_report,
    add_resamples,
)

_USAGE = "tallystick gate GOLD NEW [--against OLD] -m METRIC [options]"

_EXAMPLES = """\
examples:
  tallystick gate gold.csv new.csv --against old.csv -m f1 --max-drop 0.01
                            fails where F1 may have dropped by more than 0.01
  tallystick gate gold.csv new.csv --against old.csv --max-drop f1=0.02 mcc=0.01
                            limits by metric
  tallystick gate gold.csv new.csv -m macro_f1 --floor 0.7
                            no older system
  tallystick gate gold.csv new.csv --against old.csv --config gate.yaml
                            limits by metric and group from a file (see the page on gates)
  tallystick gate all.jsonl --systems new --against old -m mcc --max-drop 0.01
                            one table with gold and a column of outputs for each system
  tallystick gate new.eval --against old.eval --max-drop 0.01
                            two logs, by the scores that both hold

exit codes: 0 every check passes; 1 one fails; 3 one is inconclusive (0 with
--allow-inconclusive); 2 a wrong call; 4 bad data.
"""

_LIMIT = "one number for all metrics, or METRIC=NUMBER for some"
_LIMITS = {
    "--against OLD": "the older system: a file (FILE or NAME=FILE), or its column, name or run "
    "tag where the new one has such; not needed for --floor and --max alone",
    "--max-drop D...": "passes where no score has dropped by more than D, at --confidence (a "
    f"rise, where lower is better); {_LIMIT}",
    "--floor F...": "passes where every score is at least F, at --confidence (at most F, where "
    f"lower is better); {_LIMIT}",
    "--max METRIC=M...": "passes where these scores are at most M, at --confidence, such as "
    "mae=0.5 or 'gap(f1)=0.05'; for scores of which lower is better",
    "--equivalent-within D...": "passes where no score has become better or worse by more than D "
    f"(two one-sided tests); {_LIMIT}",
    "--config FILE": "a YAML file with the limits (see the page on gates)",
    "--allow-inconclusive": "let the system through where the examples are too few to decide",
}
_REPORTS = {
    "--junit FILE": "write JUnit XML there",
    "--json FILE": "write JSON there",
    "--summary FILE": "append Markdown there; auto is the file that GITHUB_STEP_SUMMARY names",
}
_SEQUENTIAL = {
    "--sequential": "bounds hold however often the gate is run while examples come in; for shares "
    "and means such as accuracy, recall and rouge1",
}


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = _USAGE
    parser.epilog = _EXAMPLES
    add_examples(
        parser,
        metavar="GOLD NEW",
        purpose="gold, then the new system (FILE or NAME=FILE); or one table that holds all, with "
        "--systems NEW",
        what="what to check",
    )
    limit = {"default": None, "type": _read_limit}
    add_options(
        parser.add_argument_group("the gate"),
        _LIMITS,
        max_drop=limit,
        floor=limit,
        max=limit,
        equivalent_within=limit,
        config={"dest": "limits"},
    )
    reports = "reports, which are written whatever the verdict is"
    add_options(parser.add_argument_group(reports), _REPORTS)
    output = parser.add_argument_group("output")
    add_output(output, "table|csv|json|markdown|latex|html")
    add_report(output)
    add_figures(output, "gate (default)")
    how = parser.add_argument_group("how")
    add_resamples(
        how,
        confidence="the confidence level of each bound, which is one-sided",
        resamples="how many bootstrap resamples (default: 10000; 1000 for --floor)",
    )
    add_options(how, _SEQUENTIAL)


def _read_limit(text: str) -> tuple[str | None, float]:
    name, _, number = text.rpartition("=")
    try:
        return name or None, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number nor METRIC=NUMBER, such as f1=0.01; put the files "
            "before this option"
        ) from None

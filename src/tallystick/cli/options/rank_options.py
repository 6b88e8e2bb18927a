"""The options of `tallystick rank`."""

import argparse

from tallystick.cli.options.figures import add_figures
from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import add_examples, add_output, add_report, add_testing

_EXAMPLES = """\
examples:
  tallystick rank gold.csv a.csv b.csv c.csv -m macro_f1   joined by id
  tallystick rank gold.csv --submissions entries -m f1 --baseline majority
  tallystick rank all.jsonl --systems gpt llama -m accuracy
  tallystick rank all.csv --system-column team -m f1       a row for each example of each system
  tallystick rank ref.txt a.txt b.txt -m bleu chrf         texts, one a line
  tallystick rank gold.csv --submissions runs --per-team best --previous x.json
                                                           one run of each team, with arrows
  tallystick rank gold.csv --submissions entries -m f1 -o ranking.pdf
                                                           a figure of it
"""


_WHO = {
    "--baseline SYSTEM...": "is shown among the others, but has no rank; all others are compared "
    "with it",
    "--per-team all|best|last": "of the systems called TEAM/RUN rank all, each team's best, or "
    "each team's last by name (default: all)",
}
_OVERALL = {
    "--overall mean|mean_rank|borda": "put several {} together, by their mean, by the mean of "
    "each system's ranks, or by Borda's count; the latter two with intervals and, over groups or "
    "tracks, Friedman's and Nemenyi's test",
    "--missing-tracks exclude|zero|worst|common": "for --overall: a system that lacks a track, "
    "metric or group is left out, has 0 or the worst value there, or only what all systems have "
    "counts (default: exclude)",
    "--previous FILE": "an earlier ranking (.json or .html), from which ranks gained and lost are "
    "shown",
}
_DETAILS = {
    "--details": "a table for each metric and group, with n, the probability of being best and "
    "the mean rank over bootstrap resamples",
}


def add_rank(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = "tallystick rank GOLD [SYSTEM ...] -m METRIC [options]"
    parser.epilog = _EXAMPLES
    add_examples(
        parser,
        metavar="GOLD [SYSTEM ...]",
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that holds all; "
        "files come before -m",
        what="what to rank by",
    )
    who = parser.add_argument_group("who is ranked")
    add_options(who, _WHO)
    add_overall(who, "metrics or groups")
    how = parser.add_argument_group("how")
    add_testing(
        how,
        confidence="the confidence level of intervals; two systems differ significantly where a "
        "corrected p-value is below 1 - P",
    )
    output = parser.add_argument_group("output")
    add_output(output, "table|csv|json|markdown|latex|html")
    add_report(output)
    add_figures(output, "rank (default), rank GROUP, or critical-difference")
    add_details(output)


def add_details(output: argparse._ActionsContainer) -> None:
    """Adds whether all that was computed is shown."""
    add_options(output, _DETAILS)


def add_overall(who: argparse._ActionsContainer, what: str) -> None:
    """Adds an overall order of several tracks, metrics or groups, and an earlier ranking."""
    add_options(who, {key: told.format(what) for key, told in _OVERALL.items()})

"""The options of `tallystick compare`, `rank`, `gate` and `plan`, which compare systems."""

import argparse

from tallystick.cli.options.shared_options import (
    add_examples,
    add_output,
    add_resamples,
    add_testing,
)
from tallystick.cli.parser import add_options

_COMPARE = """\
examples:
  tallystick compare gold.csv old.csv a.csv b.csv -m f1
  tallystick compare gold.csv a.csv old.csv -m f1 --baseline old
  tallystick compare gold.csv a.csv b.csv -m f1 --all-pairs
  tallystick compare gold.txt a.txt b.txt -m accuracy --test mcnemar-midp
  tallystick compare gold.csv a.csv b.csv -m f1 --by lang --clusters author
  tallystick compare all.jsonl --systems gpt llama -m accuracy       a column for each system
  tallystick compare old.eval new.eval                               two logs, on common samples
  tallystick compare ref.txt a.txt b.txt -m bleu chrf --flips flips.csv
                                                                     and where they differ
  tallystick compare gold.csv old.csv a.csv b.csv -m f1 -o forest.pdf
                                                                     a figure for a paper
"""

_RANK = """\
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

_GATE = """\
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

_PLAN = """\
examples:
  tallystick plan gold.csv a.csv b.csv -m macro_f1
  tallystick plan gold.csv a.csv b.csv -m f1 --sizes 500 1000 2000
  tallystick plan gold.txt a.txt b.txt -m accuracy --clusters documents.txt

power is how often `tallystick compare` would find the difference that a and b have here; the
minimum detectable difference is the one that it would find in 80% of all cases.
"""


_PAIRS = {
    "--baseline SYSTEM": "the system that all others are compared with (default: the first)",
    "--all-pairs": "compare every two systems with each other",
}
_EQUIVALENCE = {
    "--equivalent-within D": "also test whether systems are equivalent, that is, differ by at "
    "most D (two one-sided tests)"
}
_SENTENCE = {"--sentence": "write the sentences for a paper in place of the tables"}
_DIFFERENCES = {
    **_SENTENCE,
    "--details": "one row for each difference, with its interval and p-value, in each group too",
    "--flips FILE": "write the examples on which systems differ to this file, with gold, both "
    "outputs, and the input text where the gold has one (.csv or .json)",
    "--text-column NAME": "the input text of each example for --flips (text, input, source, "
    "question, ...)",
}
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
DETAILS = {
    **_SENTENCE,
    "--details": "a table for each metric and group, with n, the probability of being best and "
    "the mean rank over bootstrap resamples",
}
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
    "and means such as accuracy, recall and rouge1"
}


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick compare`."""
    parser.usage = "tallystick compare GOLD A B ... [options]"
    parser.epilog = _COMPARE
    add_examples(parser, metavar="GOLD A B ...")
    how = parser.add_argument_group("tests and intervals")
    add_options(how.add_mutually_exclusive_group(), _PAIRS)
    add_options(how, _EQUIVALENCE)
    add_testing(how)
    output = add_output(parser, figures="compare (default), or groups", report=True)
    add_options(output, _DIFFERENCES)


def add_rank(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick rank`."""
    parser.usage = "tallystick rank GOLD [SYSTEM ...] -m METRIC [options]"
    parser.epilog = _RANK
    add_examples(parser, metavar="GOLD [SYSTEM ...]")
    who = parser.add_argument_group("ranking")
    add_options(who, _WHO)
    add_overall(who, "metrics or groups")
    how = parser.add_argument_group("tests and intervals")
    add_testing(how)
    figures = "rank (default), rank GROUP, or critical-difference"
    add_options(add_output(parser, figures=figures, report=True), DETAILS)


def add_overall(who: argparse._ActionsContainer, what: str) -> None:
    """Adds an overall order of several tracks, metrics or groups, and an earlier ranking."""
    add_options(who, {key: message.format(what) for key, message in _OVERALL.items()})


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick gate`."""
    parser.usage = "tallystick gate GOLD NEW [--against OLD] -m METRIC [options]"
    parser.epilog = _GATE
    add_examples(
        parser,
        metavar="GOLD NEW",
        purpose="gold, then the new system (FILE or NAME=FILE); or one table that contains all, "
        "with --systems NEW",
    )
    limit = {"default": None, "type": _read_limit}
    add_options(
        parser.add_argument_group("limits"),
        _LIMITS,
        max_drop=limit,
        floor=limit,
        max=limit,
        equivalent_within=limit,
        config={"dest": "limits"},
    )
    reports = "reports (written whatever the verdict is)"
    add_options(parser.add_argument_group(reports), _REPORTS)
    add_output(parser, figures="gate (default)", report=True)
    how = parser.add_argument_group("tests and intervals")
    add_resamples(how)
    add_options(how, _SEQUENTIAL)


def _read_limit(text: str) -> tuple[str | None, float]:
    name, _, number = text.rpartition("=")
    try:
        return name or None, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number nor METRIC=NUMBER, such as f1=0.01"
        ) from None


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick plan`."""
    parser.usage = "tallystick plan GOLD A B -m METRIC [options]"
    parser.epilog = _PLAN
    add_examples(
        parser,
        metavar="GOLD A B",
        purpose="gold, then a file of each of two systems (FILE or NAME=FILE), or one table that "
        "contains all",
    )
    how = parser.add_argument_group("tests and intervals")
    sizes = (
        "numbers of examples to plan with (default: from a quarter of those that there are to 16 "
        "times as many)"
    )
    add_options(how, {"--sizes N...": sizes})
    add_resamples(how)
    add_output(parser)

"""`tallystick demo`: scores the example data that comes with the package, and says how."""

import argparse
import os
import shlex
from importlib import resources

from tallystick.cli.parser import build_parser

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


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick demo`."""
    folder = str(resources.files("tallystick") / "demo_data")
    os.chdir(folder)
    print(f"The example data is in\n  {folder}\nand these commands, run there, score it.")
    for title, command in _TOUR:
        print(f"\n\n{title}\n\n$ tallystick {command}\n", flush=True)
        parsed = build_parser().parse_args(shlex.split(command))
        parsed.run(parsed)

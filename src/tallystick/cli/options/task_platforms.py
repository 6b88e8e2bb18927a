"""The options of `tallystick task bundle` and `tallystick task run`."""

import argparse

from tallystick.cli.options.option_tables import add_options

_PLATFORMS = ("codabench", "codalab", "evalai", "kaggle", "tira", "hf")
_CALLS = {
    "codabench": ("IN", "OUT"),
    "codalab": ("IN", "OUT"),
    "evalai": ("GOLD.zip", "SUBMISSION"),
    "tira": ("TRUTH", "RUN", "OUT"),
}
"""What each platform calls a scoring program with; Kaggle and Hugging Face call functions."""

BUNDLES = """\
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

RUNS = """\
examples:
  tallystick task run codabench /app/input /app/output     scores.json and a page
  tallystick task run codalab /app/input /app/output       scores.txt and a page
  tallystick task run evalai gold.zip submission.zip       what `evaluate` returns, as JSON
  tallystick task run tira $inputDataset $inputRun $outputDir
                                                           evaluation.prototext

The submission is checked and scored; what is said of it may be shown to its
team.
"""


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


def add_path(parser: argparse.ArgumentParser) -> None:
    """Adds the task file."""
    told = "the task file (default: task.yaml)"
    add_options(parser, {"--task FILE": told}, task={"default": "task.yaml"})


def add_bundle(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task bundle`."""
    parser.add_argument(
        "platform",
        type=str.lower,
        choices=_PLATFORMS,
        metavar="PLATFORM",
        help=f"one of {', '.join(_PLATFORMS)}",
    )
    add_path(parser)
    add_options(parser.add_mutually_exclusive_group(required=True), _BUNDLE)
    add_options(parser, _CONTENTS)


def add_run(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task run`, which are those of each platform's own call."""
    platforms = parser.add_subparsers(metavar="PLATFORM", dest="platform", required=True)
    for platform, names in _CALLS.items():
        own = platforms.add_parser(platform, allow_abbrev=False)
        for name in names:
            own.add_argument("paths", action="append", metavar=name)

"""`tallystick task schema`: the JSON schema of task files."""

import argparse
import json

from tallystick.io.tasks import make_schema


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task schema`."""
    print(json.dumps(make_schema(), indent=2))

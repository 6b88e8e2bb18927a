"""`tallystick task init`: a task file to start from."""

import argparse
import json
import os

from tallystick.cli.output import check_target, promise
from tallystick.errors import UsageError
from tallystick.io.files.opening import write_text
from tallystick.io.names import split_name
from tallystick.tasks.starting import name_tracks, write_start
from tallystick.tasks.task_file import find_wrong, make_schema


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task init`, which replaces no file."""
    if options.schema == bool(options.gold):
        raise UsageError("task init takes gold files, or --schema alone")
    if options.schema:
        print(json.dumps(make_schema(), indent=2))
        return
    if os.path.exists(options.output):
        raise UsageError(f"{options.output} already exists; name another file with -o")
    check_target(options.output)
    named = [split_name(one) for one in options.gold]
    golds = name_tracks([path for name, path in named if name is None])
    golds |= {name: path for name, path in named if name is not None}
    for name, path in golds.items():
        if wrong := find_wrong(name):
            told = f"the name of its track, {name!r:.60}, {wrong}"
            raise UsageError(f"{path}: {told}; give another one, as in track1={path}")
    write_text(options.output, write_start(golds, os.path.dirname(options.output) or "."))
    where = "" if options.output == "task.yaml" else f" --task {options.output}"
    promise(options.output, f"; next: tallystick task check SUBMISSION{where}")

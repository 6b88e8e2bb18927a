"""Finds out whether the files that options name are logs of evaluation tools."""

import argparse
import os

from tallystick.cli.options.shared_options import LOGS, refuse
from tallystick.errors import UsageError
from tallystick.io.names import split_name
from tallystick.io.tables.formats import guess_by_ending

_NOT_OF_LOGS = (
    *("systems", "system_column", "submissions", "ref", "annotators", "annotator_column"),
    *("id_column", "count_column", "workers", "scheduler", "resume"),
)


def take_logs(options: argparse.Namespace) -> None:
    """Reads logs where the files are some, and names the scores that they hold as metrics.

    Raises:
        UsageError: Some files are logs and others are not, or an option does not go with logs.
    """
    options.logs = ()
    given = options.input_format
    if not options.files or options.pred_dir or options.rows or given not in (None, *LOGS):
        return
    against = getattr(options, "against", None)
    named = [split_name(one) for one in (*options.files, *([] if against is None else [against]))]
    if given is None and not any(_may_be_log(path) for _, path in named):
        return
    # Imported here because most commands read no logs.
    from tallystick.io.logs.finding import list_logs

    found = [[(path, given)] if given else list_logs(path) for _, path in named]
    if not any(found):
        return
    if not all(found):
        log = next(own[0][0] for own in found if own)
        other = next(path for (_, path), own in zip(named, found, strict=True) if not own)
        raise UsageError(
            f"{log} is a log, which holds its own gold and scores, and {other} is none; name logs "
            "alone: each is a system"
        )
    refuse(options, _NOT_OF_LOGS, "does not go with logs, each of which is a system with its gold")
    from tallystick.cli.reading.log_inputs import name_systems_of_logs

    arguments = [(name, own) for (name, _), own in zip(named, found, strict=True)]
    name_systems_of_logs(options, arguments, against=against is not None)


def _may_be_log(path: str) -> bool:
    return os.path.isdir(path) or guess_by_ending(path) in (None, "jsonl")

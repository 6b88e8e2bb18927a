"""Writes the program that a platform starts: it calls the command that comes with the bundle."""

import sys

from tallystick import __version__
from tallystick.tasks.bundles.archive import Files, nest

IMAGE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
"""The image with the Python that makes the bundle, which vendored packages need."""

_PROGRAM = '''\
"""Scores a submission; written by tallystick {version}."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "vendor"))
try:
    if sys.version_info < (3, 11):
        raise ImportError("Python 3.11 or newer is needed")
    from tallystick.cli import main

    code = main(["task", "run", "{platform}", *sys.argv[1:]])
except ImportError as error:
    reason = error.__cause__ or error
    sys.exit(
        "The scoring program cannot start, which is no fault of the submission. "
        f"It needs tallystick {version} in the image of the competition, {needs}; "
        f"this is Python {{sys.version.split()[0]}}, and says: {{reason}}"
    )
sys.exit(code)
'''


def make_program(platform: str, command: str, packages: Files | None) -> Files:
    """Returns the files of the program that scores on a platform of `tallystick task run`.

    The packages lie beside the program, in the folder `vendor`.
    """
    needs = (
        "which a bundle made with --vendor brings along"
        if packages is None
        else f"or the image {IMAGE}, whose packages come with the program"
    )
    program = _PROGRAM.format(version=__version__, platform=platform, needs=needs)
    return {
        "metadata.yaml": f"command: {command}\n".encode(),
        "score.py": program.encode(),
        **nest("vendor", packages or {}),
    }

"""`tallystick task bundle`: what a platform needs to run a shared task, in one archive."""

import argparse
from collections.abc import Callable

from tallystick.cli.output import check_target, promise, tell
from tallystick.errors import UsageError
from tallystick.io.files.opening import open_binary, write_bytes
from tallystick.output.tables.controls import escape_controls
from tallystick.tasks.bundles.codabench import bundle_codabench, bundle_codalab
from tallystick.tasks.bundles.codabench_rules import check_bundle
from tallystick.tasks.bundles.evalai import bundle_evalai
from tallystick.tasks.bundles.hugging_face import bundle_hugging_face
from tallystick.tasks.bundles.kaggle import bundle_kaggle
from tallystick.tasks.bundles.program import IMAGE, vendor
from tallystick.tasks.bundles.tira import bundle_tira
from tallystick.tasks.task_checks import check_task
from tallystick.tasks.task_file import read_task

_BAD_DATA = 4
_BUNDLES: dict[str, tuple[Callable[..., bytes], tuple[str, ...]]] = {
    "codabench": (bundle_codabench, ("vendor", "image")),
    "codalab": (bundle_codalab, ("vendor", "image")),
    "evalai": (bundle_evalai, ()),
    "kaggle": (bundle_kaggle, ("track",)),
    "tira": (bundle_tira, ("image",)),
    "hf": (bundle_hugging_face, ("track",)),
}
"""What makes the bundle of each platform, and the options that it has."""
_OPTIONS = ("vendor", "image", "track")


def run(options: argparse.Namespace) -> int:
    """Runs `tallystick task bundle`; bad data where a bundle breaks a rule."""
    make, known = _BUNDLES[options.platform]
    given = {name: own for name in _OPTIONS if (own := getattr(options, name))}
    for name in given:
        if name not in known:
            raise UsageError(f"{options.platform} has no --{name}")
    if options.check is not None:
        return _check(options.platform, options.check)
    check_target(options.output)
    task = read_task(options.task)
    for phase in task.phases or (None,):
        check_task(task, phase)
    if given.pop("vendor", False):
        given["packages"] = vendor()
    content = make(task, **given)
    write_bytes(options.output, content)
    size = len(content)
    told = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
    promise(options.output, f": {told}")
    if "vendor" in known and not (options.vendor or options.image):
        tell(
            f"note: nothing can be scored yet: the image {IMAGE} lacks tallystick; bring it along "
            "with --vendor, or name an image that has it with --image"
        )
    return 0


def _check(platform: str, path: str) -> int:
    if platform != "codabench":
        raise UsageError("--check knows only the rules of codabench")
    with open_binary(path) as file:
        faults = check_bundle(file.read())
    for fault in faults:
        print(f"error: {escape_controls(fault)}")
    if not faults:
        print(f"{escape_controls(path)}: keeps the platform's rules")
    return _BAD_DATA if faults else 0

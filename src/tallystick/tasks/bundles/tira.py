"""TIRA: the data set of a task with its evaluator, and the evaluation of one run.

The contract is that of tira_client.py and io_utils.py of the client, tira 0.0.207.
"""

import os

from tallystick.io.files.opening import write_text
from tallystick.tasks.bundles.archive import nest, pack
from tallystick.tasks.bundles.judging import judge, open_reference
from tallystick.tasks.bundles.kit import make_example, make_kit, rehearse
from tallystick.tasks.bundles.reference import dump_yaml, list_phases, make_reference, spell
from tallystick.tasks.task_file import SharedTask
from tallystick.version import __version__

_COMMAND = "tallystick task run tira ${inputDataset} ${inputRun} ${outputDir}"
_REFERENCE = "reference.zip"
"""An archive, because the platform's client leaves out files that are no data to it."""
_BASELINE = "https://github.com/ORGANISATION/REPOSITORY/tree/main/baseline"
"""Where the client looks for a baseline's Dockerfile; for organisers to fill in."""
_DOCKER = """\
# As long as there is no release, a wheel built from a checkout lies beside this file:
#   pip wheel --no-deps --wheel-dir . CHECKOUT
FROM python:3.12-slim
COPY tallystick-*.whl /tmp/
RUN pip install --no-cache-dir /tmp/tallystick-*.whl
"""
_ABOUT = """\
# {title}: {phase}

`inputs` has the examples, which systems read, and the starting kit; `truths` has the gold, which
only the evaluator sees. The evaluator runs in an image that has tallystick, such as that of
`Dockerfile`.
Name your baseline above before `tira-cli dataset-submission`, or skip it with `--skip-baseline`.
"""


def bundle_tira(task: SharedTask, *, image: str | None = None) -> bytes:
    """Returns a zip archive with a data set for each phase, as TIRA's client uploads it.

    The image is the evaluator's; None calls the one that the bundle's Dockerfile builds.
    """
    files = {"Dockerfile": _DOCKER.encode()}
    image = image or f"tallystick:{__version__}"
    for name, own in list_phases(task):
        rehearse(own, tuple(task.tracks))
        kit = make_kit(own)
        ids = {path: content for path, content in kit.items() if path.startswith("ids/")}
        about = _ABOUT.format(title=task.title, phase=name).encode()
        data = {
            "README.md": b"---\n" + dump_yaml(_describe(own, image)) + b"---\n\n" + about,
            **nest("inputs", {**ids, "kit.zip": pack(kit)}),
            f"truths/{_REFERENCE}": pack(make_reference(task, name, own)),
        }
        files |= nest(spell(name) or "data", data)
    return pack(files)


def run_tira(truth: str, run: str, output: str) -> list[str]:
    """Evaluates a run as TIRA calls an evaluator: writes evaluation.prototext; returns messages."""
    found = judge(open_reference(os.path.join(truth, _REFERENCE)), run)
    # A colon or a quote would end a key; keys are called as the platform itself writes them.
    measures = (
        f'measure{{\n  key: "{one.key.replace("_", " ").title()}"\n  value: "{one.value}"\n}}\n'
        for one in found.columns
        if one.value == one.value
    )
    write_text(os.path.join(output, "evaluation.prototext"), "".join(measures))
    return [*found.messages]


def _describe(task: SharedTask, image: str) -> dict[str, object]:
    """The configuration of a data set; files of any form go, as the evaluator checks them."""
    first = next(iter(make_example(task)))
    return {
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/**"}]}
            for name in ("inputs", "truths")
        ],
        "tira_configs": {
            "default_upload_name": first,
            "resolve_inputs_to": "inputs",
            "resolve_truths_to": "truths",
            "baseline": {"link": _BASELINE, "command": "predict", "format": {"name": "arbitrary"}},
            "input_format": {"name": "arbitrary"},
            "truth_format": {"name": "arbitrary"},
            "evaluator": {"image": image, "command": _COMMAND},
        },
    }

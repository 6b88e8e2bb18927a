"""Facts about pages that show files: their commands print what is shown, on the files shown."""

import re
import shlex
from pathlib import Path

import pytest

from tallystick.cli import main

KINDS = (
    *("labels", "probabilities", "texts", "numbers", "spans", "tries", "ratings", "rankings"),
    *("preferences", "trees"),
)
_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n)*)", re.MULTILINE)
_BLOCK = re.compile(r"^```text\n((?:.*\n)*?)```$", re.MULTILINE)
_STEP = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def list_sections():
    for path in sorted((Path(__file__).parents[1] / "docs").glob("*.md")):
        for name, text in _SECTION.findall(path.read_text(encoding="utf-8")):
            steps = _STEP.findall("".join(_BLOCK.findall(text)))
            if any(command.startswith("tallystick") for command, _ in steps):
                yield pytest.param(steps, id=f"{path.stem}: {name}")


@pytest.mark.parametrize("steps", [*list_sections()])
def test_commands_print_what_is_shown_of_the_files_shown(steps, folder, capsys):
    shown, printed = [], []
    for command, below in steps:
        program, *arguments = shlex.split(command)
        if program == "cat":
            Path(arguments[0]).write_text(below, encoding="utf-8")
            continue
        assert program == "tallystick"
        assert main(arguments) == 0
        shown.append(below)
        printed.append(capsys.readouterr().out)

    assert shown == printed


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_a_kind_shows_its_files(kind):
    assert any(one.id.startswith(f"{kind}: ") for one in list_sections())

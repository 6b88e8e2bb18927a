"""The page on shared tasks: its commands print what is shown, on the files that are shown."""

import re
import shlex
from pathlib import Path

import pytest

from tallystick.cli import main

PAGE = (Path(__file__).parents[1] / "docs" / "tasks.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", PAGE, re.MULTILINE))
_BLOCK = re.compile(r"^```text\n((?:.*\n)*?)```$", re.MULTILINE)


def list_steps(section: str) -> list[tuple[str, str]]:
    text = "".join(_BLOCK.findall(SECTIONS[section]))
    return re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)


@pytest.mark.parametrize("section", SECTIONS)
def test_the_commands_of_a_task_print_what_is_shown(section, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shown, printed = [], []
    for command, below in list_steps(section):
        program, *arguments = shlex.split(command)
        if program == "cat":
            Path(arguments[0]).write_text(below, encoding="utf-8")
            continue
        assert program == "tallystick"
        assert main(arguments) == 0
        shown.append(below)
        printed.append(capsys.readouterr().out)

    assert shown
    assert shown == printed


def test_there_is_a_section_for_each_task():
    links = re.findall(r"^\| \[.+?\]\(#(.+?)\)", PAGE, re.MULTILINE)
    slugs = [re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-") for name in SECTIONS]

    assert len(slugs) == 12
    assert sorted(slugs) == sorted(links)

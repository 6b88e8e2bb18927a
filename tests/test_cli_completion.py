"""Facts about `tallystick completion`, proved by the shells themselves."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tallystick.cli import main

_BASH = """
source {script}
COMP_WORDS=({words}) COMP_CWORD={place}
_shtab_tallystick
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def _write(shell: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert 0 == main(["completion", shell])
    path = folder / f"completion.{shell}"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def _run(shell: str, script: str, folder: Path) -> list[str]:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, "-c", script], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tallystick sc", ["score"]),
        ("tallystick rank --ba", ["--baseline"]),
        ("tallystick rank gold.csv -m macro_", ["macro_precision", "macro_recall", "macro_f1"]),
        ("tallystick metrics ble", ["bleu"]),
        ("tallystick score gol", ["gold.csv"]),
        ("tallystick score --pred-dir out", ["output"]),
        ("tallystick completion z", ["zsh"]),
    ],
)
def test_bash_completes_commands_options_metrics_and_files(words, expected, tmp_path, capsys):
    script = _write("bash", tmp_path, capsys)
    (tmp_path / "gold.csv").touch()
    (tmp_path / "output").mkdir()
    (tmp_path / "outlines.txt").touch()
    asked = _BASH.format(script=script, words=words, place=len(words.split()) - 1)

    assert expected == _run("bash", asked, tmp_path)


def test_bash_completes_both_names_of_the_command(tmp_path, capsys):
    script = _write("bash", tmp_path, capsys)
    registered = _run("bash", f"source {script}; complete -p tally tallystick", tmp_path)

    assert 2 == registered.count("_shtab_tallystick")


def test_fish_completes_both_names_of_the_command(tmp_path, capsys):
    script = _write("fish", tmp_path, capsys)
    asked = f'source {script}; complete -C "tally comple"; complete -C "tallystick rank g -m cohen"'
    completed = _run("fish", asked, tmp_path)

    assert {"completion", "cohen_kappa"} <= set(completed)


def test_zsh_takes_the_script_for_both_names_of_the_command(tmp_path, capsys):
    script = _write("zsh", tmp_path, capsys)
    asked = (
        "autoload -U compinit; compinit -u -D; "
        f'eval "$(cat {script})"; print $_comps[tally] $_comps[tallystick]'
    )

    assert ["_shtab_tallystick", "_shtab_tallystick"] == _run("zsh", asked, tmp_path)


def test_other_shells_are_a_wrong_call(capsys):
    with pytest.raises(SystemExit) as outcome:
        main(["completion", "tcsh"])

    assert 2 == outcome.value.code
    assert "bash" in capsys.readouterr().err

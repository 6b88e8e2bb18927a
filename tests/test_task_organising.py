"""The example of a shared task, as its organisers run it: tested, published, written up."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tallystick.cli import main

EXAMPLE = Path(__file__).parents[1] / "examples" / "shared_task"
PAPER = r"""\documentclass[twocolumn]{article}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,graphicx}
\begin{document}
\input{results}
\end{document}
"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A copy of the example, whose file of the task is returned."""
    shutil.copytree(EXAMPLE, tmp_path / "task")
    return tmp_path / "task" / "task.yaml"


def test_example_is_fit_to_run(task, capsys):
    """The example passes its own test, in three tracks of two phases."""
    assert main(["task", "selftest", str(task), "--format", "json"]) == 0
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert len({(one["phase"], one["track"]) for one in checks}) == 6


def test_example_whose_gold_lacks_a_label_is_not_fit(task, capsys):
    """A label that the gold of a phase never has is found before anybody submits."""
    gold = task.parent / "gold" / "test" / "track1.csv"
    gold.write_text(gold.read_text().replace(",NR", ",NP"))
    strict = "\"F1('macro', zero_division=0.0)\", macro_p"
    task.write_text(task.read_text().replace("macro_f1, macro_p", strict))
    assert main(["task", "selftest", str(task)]) == 1
    assert "the gold never has NR" in " ".join(capsys.readouterr().out.split())


def test_board_of_example_has_the_scores_of_the_task(task):
    """The site shows the rounded scores of `task score`, in each track of each phase."""
    entries, site = task.parent / "entries", task.parent / "site"
    assert main(["task", "board", str(entries), "--task", str(task), "-o", str(site)]) == 0
    board = json.loads((site / "board.json").read_text())
    scored = task.parent / "scores.json"
    colibri = entries / "test" / "colibri"
    call = ["task", "score", str(colibri), "--task", str(task), "--phase", "test"]
    assert main([*call, "-o", str(scored)]) == 0
    shown = {
        track: own[0]["value"]
        for one in board["submissions"]
        if (one["team"], one["phase"]) == ("colibri", "test")
        for track, own in one["scores"].items()
    }
    assert sorted(shown) == ["track1", "track2", "track3"]
    found = {round(one["value"], 4) for one in json.loads(scored.read_text())["scores"]}
    assert set(shown.values()) <= found
    assert {(one["phase"], one["track"]) for one in board["rankings"]} == {
        (phase, track) for phase in ("development", "test") for track in shown
    }


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_paper_of_example_compiles(task):
    """The tables of all tracks and what they show are a paper."""
    folder = task.parent
    call = ["task", "paper", str(folder / "entries"), "--task", str(task)]
    assert main([*call, "-o", str(folder / "results.tex")]) == 0
    (folder / "paper.tex").write_text(PAPER)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    log = done.stdout.decode(errors="replace")
    assert (done.returncode, "Overfull" in log) == (0, False)

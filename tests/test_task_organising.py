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
    shutil.copytree(EXAMPLE, tmp_path / "task")
    return tmp_path / "task" / "task.yaml"


def test_example_is_fit_to_run(task, capsys):
    assert main(["task", "selftest", "--task", str(task), "--format", "json"]) == 0
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert len({(one["phase"], one["track"]) for one in checks}) == 6


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_paper_of_example_compiles(task):
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

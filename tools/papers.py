"""Compiles the LaTeX tables of every command in a two-column article; fails where one is too wide.

Run as `python tools/papers.py`; needs pdflatex with booktabs and graphicx.
"""

import contextlib
import io
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

from tallystick.cli import main

_GOLD, _MODEL, _OTHER = "verdicts/gold.txt", "verdicts/model.txt", "verdicts/majority.txt"
_CALLS = {
    "score": ["score", _GOLD, _MODEL],
    "systems": ["score", _GOLD, _MODEL, _OTHER, "-m", "accuracy", "macro_f1", "mcc", "--percent"],
    "groups": ["score", "--pred-dir", "toxicity", "--run-tag", "detector"],
    "texts": [
        *("score", "summaries/news.jsonl", "-m", "bleu", "chrf", "ter", "rouge1", "rougeLsum"),
        *("--digits", "bleu=1", "chrf=1", "ter=1", "--percent"),
    ],
    "compare": ["compare", _GOLD, _MODEL, _OTHER, "-m", "accuracy", "macro_f1", "--percent"],
    "gate": [
        *("gate", _GOLD, _MODEL, "--against", _OTHER, "-m", "accuracy", "macro_f1"),
        *("--max-drop", "0.02", "--percent"),
    ],
    "rank": ["rank", _GOLD, _MODEL, _OTHER, "-m", "macro_f1", "accuracy", "--percent"],
}
_BEGIN = r"""\documentclass[twocolumn]{article}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,graphicx}
\begin{document}
"""


def write_tables(folder: Path) -> list[str]:
    """Write a file of tables for each call, and return their names."""
    data = str(resources.files("tallystick") / "demo_data")
    for name, call in _CALLS.items():
        with contextlib.chdir(data), contextlib.redirect_stderr(io.StringIO()) as told:
            code = main([*call, "--output", str(folder / f"{name}.tex")])
        if code:
            sys.exit(f"{name}: {told.getvalue()}")
    return list(_CALLS)


def compile_paper(folder: Path, names: list[str]) -> None:
    """Compile a paper of all tables, and leave with a message where that fails."""
    tables = "".join(rf"\input{{{name}}} \clearpage" + "\n" for name in names)
    (folder / "paper.tex").write_text(_BEGIN + tables + "\\end{document}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = done.stdout.decode(errors="replace")
    if done.returncode:
        sys.exit(log)
    wide = [line for line in log.splitlines() if line.startswith("Overfull")]
    if wide:
        sys.exit("\n".join(("a table is wider than its column:", *wide)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        compile_paper(Path(scratch), write_tables(Path(scratch)))
    print("Every table compiles and fits into its column.")

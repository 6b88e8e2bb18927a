"""The results of a shared task as LaTeX: what the paragraphs say, and that it compiles."""

import shutil
import subprocess
from pathlib import Path

import pytest

from reports import read_stance
from tallystick import rank
from tallystick.cli import main
from tallystick.output.results.ranking import Ranking
from tallystick.output.tables.document import Style
from tallystick.tasks.paper import write_paper

PAPER = r"""\documentclass[twocolumn]{article}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,graphicx}
\begin{document}
\input{results}
\end{document}
"""
TASK = """\
tracks:
  stance_1: {gold: gold.csv, metrics: [macro_f1, accuracy, macro_recall]}
baselines: [birch]
"""


def rank_stance(*systems: str, baselines: tuple[str, ...] = ()) -> Ranking:
    gold, outputs = read_stance()
    return rank(gold, {name: outputs[name] for name in systems}, "macro_f1", baselines=baselines)


def write_entries(folder: Path) -> Path:
    gold, outputs = read_stance()
    (folder / "entries").mkdir()
    _write(folder / "gold.csv", "label", gold)
    for name, own in outputs.items():
        _write(folder / "entries" / f"{name}.csv", "y_pred", own)
    (folder / "task.yaml").write_text(TASK)
    return folder / "task.yaml"


def _write(path: Path, head: str, labels: list[str]) -> None:
    rows = (f"{at},{label}" for at, label in enumerate(labels))
    path.write_text("\n".join((f"id,{head}", *rows)) + "\n")


def _list_words(written: str) -> str:
    return written[written.index(r"\paragraph") :]


def test_paragraph_tells_clusters_and_pairs():
    ranking = rank_stance("cedar", "rowan", "birch", "willow", "maple")
    significant = sum(one.significant for one in ranking.differences)
    assert _list_words(write_paper({"stance & more": ranking})).splitlines()[:4] == [
        r"\paragraph{stance \& more}",
        "5 systems are ranked by Macro F1 on 400 examples.",
        f"By Student's t-test with Holm's correction, {significant} of the 10 pairs of "
        r"systems differ significantly (p \textless{} 0.05).",
        "cedar and rowan form the first of 3 clusters: each of them is significantly better than "
        "every ranked system outside it.",
    ]


def test_paragraph_tells_baselines():
    words = _list_words(
        write_paper({"x": rank_stance("cedar", "birch", "maple", baselines=("birch",))})
    )
    assert "1 of 2 systems is significantly better than the baseline birch." in words


def test_single_winner_is_named():
    words = _list_words(write_paper({"x": rank_stance("cedar", "maple")}))
    assert "cedar is significantly better than every other ranked system." in words


def test_systems_that_do_not_differ_have_no_winner():
    words = _list_words(write_paper({"x": rank_stance("birch", "willow")}))
    assert "no pair of systems differs significantly" in words
    assert "No group of systems is significantly better than all others." in words


def test_resolution_is_in_points_where_scores_are_in_percent():
    ranking = rank_stance("cedar", "rowan")
    least = 100 * ranking.places[0].resolution
    words = _list_words(write_paper({"x": ranking}, Style(percent=True)))
    assert f"differ by about {least:.2f} points" in words


def test_too_few_examples_are_told_in_place_of_an_impossible_difference():
    ranking = rank([*"PNPN"], {"a": [*"PNNN"], "b": [*"NNPP"]}, "macro_f1")
    written = write_paper({"stance": ranking})
    assert "The examples are too few for any difference to be found with 80\\% power." in written
    assert [one for one in ranking.notes if "too few for any difference of macro_f1" in str(one)]
    assert "detectable" not in str(ranking.notes)


def test_single_system_compiles_to_a_table_alone():
    assert _list_words(write_paper({"x": rank_stance("cedar")})) == (
        "\\paragraph{x}\n1 system is ranked by Macro F1 on 400 examples.\n"
    )


def test_command_writes_the_last_submission_of_each_team(tmp_path, capsys):
    task = write_entries(tmp_path)
    (tmp_path / "entries" / "oak.csv").write_text("id,y_pred\n0,favor\n")
    assert main(["task", "paper", str(tmp_path / "entries"), "--task", str(task)]) == 0
    printed = capsys.readouterr()
    assert "4 systems are ranked by Macro F1 on 400 examples." in printed.out
    assert "refused: oak, oak.csv: " in printed.err


def test_command_leaves_out_what_came_too_late(tmp_path, capsys):
    task = write_entries(tmp_path)
    task.write_text(
        TASK.replace("birch", "cedar")
        + "phases: {test: {gold: {stance_1: gold.csv}, end: 2026-03-31}}\n"
    )
    (tmp_path / "list.csv").write_text(
        "file,team,submitted\ncedar.csv,cedar,2026-04-01\nrowan.csv,rowan,2026-03-30\n"
    )
    call = ["task", "paper", str(tmp_path / "entries"), "--task", str(task)]
    assert main([*call, "--manifest", str(tmp_path / "list.csv")]) == 0
    printed = capsys.readouterr()
    assert "1 system is ranked by Macro F1" in printed.out
    assert "refused: cedar, cedar.csv: it came after the end of the phase" in printed.err


def test_command_without_a_sound_submission_fails(tmp_path, capsys):
    task = write_entries(tmp_path)
    for path in (tmp_path / "entries").iterdir():
        path.write_text("id,y_pred\n0,favor\n")
    assert main(["task", "paper", str(tmp_path / "entries"), "--task", str(task)]) == 4
    assert "every submission was refused" in capsys.readouterr().err


def test_command_writes_latex_alone(tmp_path, capsys):
    task = write_entries(tmp_path)
    call = ["task", "paper", str(tmp_path / "entries"), "--task", str(task)]
    assert main([*call, "-o", str(tmp_path / "results.pdf")]) == 2
    assert "are LaTeX (.tex), not " in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_written_latex_compiles_and_fits_its_column(tmp_path):
    task = write_entries(tmp_path)
    results = tmp_path / "results.tex"
    call = ["task", "paper", str(tmp_path / "entries"), "--task", str(task), "-o", str(results)]
    assert main([*call, "--percent"]) == 0
    (tmp_path / "paper.tex").write_text(PAPER)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    log = done.stdout.decode(errors="replace")
    wide = [line for line in log.splitlines() if line.startswith("Overfull")]
    assert (done.returncode, wide) == (0, [])

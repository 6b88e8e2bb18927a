"""A shared task as organisers run it: self-test, paper, and example."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from reports import read_stance
from tallystick import rank, score
from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.output.tables.document import Style
from tallystick.tasks.paper import write_paper
from tallystick.tasks.selftest import Attempt, Trial, run_selftest
from tallystick.tasks.task_file import read_task

LABELS = "PPNR" * 30
METRICS = "metrics: [macro_f1, accuracy]"
OTHER_WORDS = "a text of the training data"

Cells = Sequence[Sequence[object]]


def write_table(path, heads, rows):
    path.write_text("\n".join((heads, *(",".join(map(str, row)) for row in rows))) + "\n")


def write_task(folder, more="", *, labels=LABELS):
    rows = [(f"e{at}", f"text {at}", label) for at, label in enumerate(labels)]
    write_table(folder / "gold.csv", "id,text,label", rows)
    path = folder / "task.yaml"
    path.write_text(f"tracks:\n  stance: {{gold: gold.csv, {METRICS}{more}}}\n")
    return path


def find(tested, check):
    (found,) = (one for one in tested.checks if one.check == check)
    return found.outcome, found.sentence


def test_sound_task_passes(tmp_path):
    write_table(tmp_path / "train.csv", "id,text,label", [(1, OTHER_WORDS, x) for x in "PNR"])
    tested = run_selftest(read_task(str(write_task(tmp_path, ", train: train.csv"))))
    assert {one.check: one.outcome for one in tested.checks} == {
        "gold against gold": "passed",
        "order of rows and ids": "passed",
        "swapped columns": "passed",
        "empty submission": "passed",
        "partial submission": "passed",
        "duplicated rows": "passed",
        "majority baseline": "info",
        "random baseline": "info",
        "texts of the training data": "passed",
        "labels of the training data": "passed",
        "resolution": "info",
    }


@pytest.mark.deep
@pytest.mark.parametrize(
    ("row", "keys"),
    [
        (
            lambda at: f"{at // 2},{'de' if at % 2 else 'en'},{'PN'[at % 5 // 3]}\n",
            "metrics: [accuracy], by: [lang]",
        ),
        (
            lambda at: f"{at},{'PNR'[at % 3]}\n",
            "metrics: [roc_auc, log_loss, macro_f1], task: multiclass",
        ),
        (lambda at: f"{at},{at % 2}\n", "metrics: [roc_auc, brier_score]"),
        (
            lambda at: f"{at},{'PN'[at % 2]}\n",
            "metrics: [f1], task: binary, positive: P, columns: {probability: score}",
        ),
    ],
    ids=["groups", "probabilities of labels", "no positive", "probabilities without need"],
)
def test_forms_of_gold_pass(tmp_path, row, keys):
    head = "id,lang,label" if "lang" in keys else "id,label"
    (tmp_path / "gold.csv").write_text(f"{head}\n" + "".join(map(row, range(60))))
    (tmp_path / "task.yaml").write_text(f"tracks:\n  one: {{gold: gold.csv, {keys}}}\n")
    tested = run_selftest(read_task(str(tmp_path / "task.yaml")))
    assert [one for one in tested.checks if one.outcome == "failed"] == []


@pytest.mark.parametrize(
    ("keys", "labels", "check", "expected"),
    [
        ("metrics: [\"F1('macro', zero_division=0.0)\", accuracy], labels: [P, N, R, X], "
         "task: multiclass", LABELS, "gold against gold",
         "failed: macro_f1 of the gold against itself is 0.750, not 1; of the labels of the task "
         "the gold never has X"),
        ("metrics: [mcc, accuracy]", "P" * 20, "gold against gold",
         "failed: mcc of the gold against itself is undefined"),
        ("metrics: [roc_auc, accuracy], positive: P, task: binary, missing_outputs: wrong",
         "PN" * 30, "partial submission",
         "failed: missing outputs are to count as wrong, but it is rejected: roc_auc needs "
         "probabilities, and stance.csv has none for every example; 0 and 1 are taken for "
         "probabilities where their column has a name such as y_prob"),
        (f"{METRICS}, missing_outputs: wrong", LABELS, "partial submission",
         "passed: missing outputs count as wrong: macro_f1 0.667, accuracy 0.500."),
        (METRICS, "P" * 40, "majority baseline",
         "failed: macro_f1 is 1, the best there is, so that nothing can be better"),
        (METRICS, "P" * 40, "resolution", "failed: no difference at all can be found."),
        (METRICS, "PNR", "resolution",
         "info: 3 examples are too few for any difference of macro_f1 to be found in 80% of all "
         "cases."),
        (f"{METRICS}, train: texts.csv", LABELS, "texts of the training data",
         "failed: 1 of 120 texts stand in the training data too (e7); take them out of one of the "
         "two"),
        (f"{METRICS}, train: train.csv", LABELS, "labels of the training data",
         "failed: R never occurs there"),
    ],
)  # fmt: skip
def test_each_check_tells_what_is_wrong_with_a_task(tmp_path, keys, labels, check, expected):
    (tmp_path / "texts.csv").write_text("id,text,label\n1, text 7,P\n2,b,N\n3,c,R\n")
    (tmp_path / "train.csv").write_text("id,text,label\n1,a,P\n2,b,N\n")
    path = write_task(tmp_path, labels=labels)
    path.write_text(path.read_text().replace(METRICS, keys))
    assert ": ".join(find(run_selftest(read_task(str(path))), check)) == expected


def test_duplicated_gold_ids_fail(tmp_path):
    path = write_task(tmp_path)
    with open(tmp_path / "gold.csv", "a", encoding="utf-8") as file:
        file.write("e0,text,P\n")
    with pytest.raises(InputError, match=r"tracks\.stance\.gold cannot be scored: .* e0 "):
        run_selftest(read_task(str(path)))


def test_unreadable_gold_fails(tmp_path):
    path = write_task(tmp_path)
    write_table(tmp_path / "gold.csv", "id,text,kind", [(1, "a", "b")])
    with pytest.raises(InputError, match="has no gold column"):
        run_selftest(read_task(str(path)))


def test_a_positive_label_that_the_gold_lacks_is_named(tmp_path):
    task = read_task(str(write_task(tmp_path, ", positive: p", labels="PNPN")))
    with pytest.raises(InputError, match="positive label 'p' is not one of 'N', 'P'"):
        run_selftest(task)


def score_by_position(trial, draft):
    gold, own = trial.gold.columns["y_pred"], draft.columns["y_pred"]
    n = min(len(gold), len(own))
    if not n:
        return Attempt({})
    (found,) = score([*gold[:n]], [*own[:n]], "accuracy", task="multiclass", intervals=False).scores
    return Attempt({(None, found.metric): found})


@pytest.mark.parametrize("check", [
    "order of rows and ids", "swapped columns", "empty submission", "partial submission",
    "duplicated rows",
])  # fmt: skip
def test_careless_scorer_fails(tmp_path, monkeypatch, check):
    monkeypatch.setattr(Trial, "hand_in", score_by_position)
    outcome, _ = find(run_selftest(read_task(str(write_task(tmp_path)))), check)
    assert outcome == "failed"


def test_rejected_baseline_fails(tmp_path, monkeypatch):
    def refuse_others(trial, draft):
        return score_by_position(trial, draft) if draft == trial.gold else Attempt({}, "no")

    monkeypatch.setattr(Trial, "hand_in", refuse_others)
    tested = run_selftest(read_task(str(write_task(tmp_path))))
    assert find(tested, "random baseline") == ("failed", "it is rejected: no")


def test_resolution_is_that_of_plan(tmp_path):
    message = []
    for times in (1, 4):
        folder = tmp_path / str(times)
        folder.mkdir()
        path = write_task(folder, labels=LABELS * times)
        message.append(find(run_selftest(read_task(str(path))), "resolution")[1])
    least = [float(sentence.split("differ by ")[1].split()[0]) for sentence in message]
    assert 1.7 < least[0] / least[1] < 2.3


def test_phases_are_tested_each(tmp_path):
    path = write_task(tmp_path)
    (tmp_path / "dev.csv").write_text((tmp_path / "gold.csv").read_text().replace(",R", ",P"))
    path.write_text(
        path.read_text()
        + "phases:\n  dev: {gold: {stance: dev.csv}}\n  test: {gold: {stance: gold.csv}}\n"
    )
    tested = run_selftest(read_task(str(path)))
    assert {one.phase for one in tested.checks} == {"dev", "test"}
    assert tested.passed


@pytest.mark.parametrize(("old", "new", "outcome", "start"), [
    ("gold: gold.csv", "ids: gold.csv", "failed", "the track has no gold here,"),
    ("[macro_f1, accuracy]", '["mean(comet)"]', "info", "its metrics take no gold,"),
])  # fmt: skip
def test_without_gold_or_metrics_of_it_there_is_one_check(tmp_path, old, new, outcome, start):
    path = write_task(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    (check,) = run_selftest(read_task(str(path))).checks
    assert (check.outcome, True) == (outcome, check.sentence.startswith(start))


@pytest.mark.parametrize(("labels", "code"), [(LABELS, 0), ("P" * 40, 1)])
def test_command_tells_by_its_exit_code(tmp_path, capsys, labels, code):
    path = write_task(tmp_path, labels=labels)
    assert main(["task", "selftest", "--task", str(path), "--format", "json"]) == code
    written = json.loads(capsys.readouterr().out)
    assert (written["passed"], len(written["checks"])) == (code == 0, 9)


def test_command_leaves_nothing_behind(tmp_path):
    path = write_task(tmp_path)
    before = sorted(one.name for one in tmp_path.iterdir())
    assert main(["task", "selftest", "--task", str(path), "-o", str(tmp_path / "out.json")]) == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([*before, "out.json"])


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


def rank_stance(*systems, baselines=()):
    gold, outputs = read_stance()
    return rank(gold, {name: outputs[name] for name in systems}, "macro_f1", baselines=baselines)


def write_entries(folder):
    gold, outputs = read_stance()
    (folder / "entries").mkdir()
    _write(folder / "gold.csv", "label", gold)
    for name, own in outputs.items():
        _write(folder / "entries" / f"{name}.csv", "y_pred", own)
    (folder / "task.yaml").write_text(TASK)
    return folder / "task.yaml"


def _write(path, head, labels):
    rows = (f"{at},{label}" for at, label in enumerate(labels))
    path.write_text("\n".join((f"id,{head}", *rows)) + "\n")


def _list_words(written):
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
    assert "1 of 2 systems is significantly better than the baseline birch." in _list_words(
        write_paper({"x": rank_stance("cedar", "birch", "maple", baselines=("birch",))})
    )


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
    assert f"differ by about {least:.1f} points" in words


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
    assert "rejected: oak, oak.csv: " in printed.err


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
    assert "rejected: cedar, cedar.csv: it came after the end of the phase" in printed.err


def test_command_without_a_sound_submission_fails(tmp_path, capsys):
    task = write_entries(tmp_path)
    for path in (tmp_path / "entries").iterdir():
        path.write_text("id,y_pred\n0,favor\n")
    assert main(["task", "paper", str(tmp_path / "entries"), "--task", str(task)]) == 4
    assert "every submission was rejected" in capsys.readouterr().err


def test_command_writes_latex_alone(tmp_path, capsys):
    call = ["task", "paper", str(tmp_path / "entries"), "--task", str(write_entries(tmp_path))]
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


@pytest.fixture
def task(tmp_path):
    shutil.copytree(Path(__file__).parents[1] / "examples" / "shared_task", tmp_path / "task")
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
    assert (done.returncode, "Overfull" in done.stdout.decode(errors="replace")) == (0, False)

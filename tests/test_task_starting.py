"""The task file that an organiser starts from."""

import shutil
from importlib import resources
from pathlib import Path

import pytest

from tallystick.cli import main
from tallystick.tasks.task_file import read_task

DEMO = Path(str(resources.files("tallystick"))) / "demo_data"


pytestmark = pytest.mark.usefixtures("folder")


def _run(*arguments):
    return main(["task", *map(str, arguments)])


@pytest.mark.parametrize(("gold", "name", "shown"), [
    ("stance/gold.txt", "stance",
     ("multiclass", ("against", "favor", "none"), None, ("macro_f1", "accuracy"))),
    ("topics/gold.csv", "topics", ("multilabel", ("sport", "food", "travel", "music", "weather"),
     None, ("macro_f1", "hamming_loss", "exact_match_ratio"))),
    ("toxicity/detector_en.csv", "detector_en",
     ("binary", ("0", "1"), "1", ("f1", "precision", "recall", "accuracy"))),
    ("summaries/news.jsonl", "news", ("text", None, None, ("chrf", "bleu"))),
])  # fmt: skip
def test_the_gold_tells_the_task(gold, name, shown):
    assert 0 == _run("init", DEMO / gold)
    assert {name: shown} == {
        name: (track.task, track.labels, track.positive, track.metrics)
        for name, track in read_task("task.yaml").tracks.items()
    }


def test_a_started_task_scores_submissions(capsys):
    _run("init", DEMO / "stance" / "gold.txt")
    code = _run("score", DEMO / "stance" / "entries", "--format", "csv")
    rows = capsys.readouterr().out.split()
    assert (0, "track,system,n,macro_f1,accuracy") == (code, rows[0])
    assert "stance,maple,400,0.5020365212826595,0.54" in rows


def test_the_file_holds_what_the_gold_holds(folder):
    (folder / "a.csv").write_text("id,label,lang\n1,no,de\n2,maybe,de\n3,no,es\n")
    (folder / "b.txt").write_text("P\nN\nQ\n")

    _run("init", "a.csv", "second=b.txt")

    assert Path("task.yaml").read_text().partition("tracks:\n")[2].partition("limits")[0] == (
        "  a:\n"
        "    gold: a.csv                                 # 3 examples\n"
        "    file: a.csv                                 # in a submission\n"
        "    task: binary\n"
        "    labels: [maybe, 'no']                       # 1, 2\n"
        "    positive: maybe                             # the rarer one; name the other if that "
        "is looked for\n"
        "    metrics: [f1, precision, recall, accuracy]  # the first one ranks\n"
        "    # other columns: lang\n"
        "    # by: [lang]\n"
        "    # clusters: lang\n"
        "  second:\n"
        "    gold: b.txt                    # 3 examples\n"
        "    file: second.txt               # in a submission\n"
        "    task: multiclass\n"
        "    labels: [N, P, Q]              # 1, 1, 1\n"
        "    metrics: [macro_f1, accuracy]  # the first one ranks\n"
    )


def test_texts_are_no_groups(folder):
    said = [f"the comment {at} has many words,{at % 2},{at % 3}" for at in range(9)]
    rows = [f"{at},{one}" for at, one in enumerate(said)]
    (folder / "a.csv").write_text("\n".join(["id,comment,label,part", *rows, ""]))
    _run("init", "a.csv")
    assert "    # other columns: part\n    # by: [part]\n" in Path("task.yaml").read_text()


def test_paths_are_told_from_the_folder_of_the_file(folder):
    shutil.copy(DEMO / "stance" / "gold.txt", folder / "gold.txt")
    (folder / "inside").mkdir()
    _run("init", "gold.txt", "-o", "inside/task.yaml")
    (track,) = read_task("inside/task.yaml").tracks.values()
    assert (folder / "gold.txt").samefile(track.gold)


@pytest.mark.parametrize(("path", "where"), [("task.yaml", ""), ("b.yaml", " --task b.yaml")])
def test_the_next_command_names_a_task_file_of_another_name(capsys, path, where):
    _run("init", DEMO / "stance" / "gold.txt", "-o", path)
    shown = capsys.readouterr().err
    assert f"wrote {path}; next: tallystick task check SUBMISSION{where}\n" == shown


@pytest.mark.parametrize(("arguments", "code", "message"), [
    (("a/gold.txt", "b/a.txt"), 4, "would be called 'a', as that of a/gold.txt; name the"),
    (("nothing.csv",), 4, "nothing.csv"),
    (("a/gold.txt", "-o", "there.yaml"), 2, "there.yaml already exists"),
    (("a/gold.txt", "-o", "no/task.yaml"), 4, "there is no folder"),
])  # fmt: skip
def test_a_wrong_call_writes_nothing(folder, capsys, arguments, code, message):
    for name in ("a/gold.txt", "b/a.txt"):
        (folder / name).parent.mkdir()
        (folder / name).write_text("x\ny\n")
    (folder / "there.yaml").write_text("")

    assert code == _run("init", *arguments)

    assert message in capsys.readouterr().err
    assert (False, "") == ((folder / "task.yaml").exists(), (folder / "there.yaml").read_text())

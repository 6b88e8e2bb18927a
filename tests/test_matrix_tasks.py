"""Shared tasks check, score, rank and run every kind that has an output for each example."""

import json
import shutil

import pytest

from kinds import KINDS, write
from matrix import ask, run
from tallystick.output.tables.cells import format_scores
from workers import unpack

pytestmark = pytest.mark.usefixtures("sketched")
TASKS = [name for name, kind in KINDS.items() if kind.track and "task" not in kind.refuses]


@pytest.fixture
def task(tmp_path, name):
    gold, own = KINDS[name].apart()
    write(tmp_path / "gold.jsonl", gold)
    (tmp_path / "entries").mkdir()
    for team, rows in own.items():
        write(tmp_path / "entries" / f"{team}.jsonl", rows)
    metrics = list(KINDS[name].metrics)
    track = {"gold": "gold.jsonl", "format": "jsonl", "metrics": metrics, **KINDS[name].track}
    path = tmp_path / "task.yaml"
    path.write_text(json.dumps({"tracks": {"track": track}}), encoding="utf-8")
    return str(path)


def through(rejected="task"):
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, marks=KINDS[name].marks)
            for name in TASKS
            if rejected not in KINDS[name].refuses
        ],
    )


def list_values(name, system):
    scores = ask("score", name, KINDS[name].rows())["scores"]
    return {one["name"]: one["value"] for one in scores if one["system"] == system}


@through()
def test_a_submission_is_fit(task, tmp_path, name):
    code, message, notes = run(["task", "check", f"{tmp_path}/entries/a.jsonl", "--task", task])
    assert (0, "track: can be scored\n", "") == (code, message, notes)


@through()
def test_a_track_has_the_values_of_score(task, tmp_path, name):
    entries = f"{tmp_path}/entries"
    code, message, notes = run(["task", "score", entries, "--task", task, "--format", "json"])
    assert 0 == code, notes
    assert list_values(name, "a") | list_values(name, "b") == {
        one["name"]: one["value"] for one in json.loads(message)["scores"]
    }


@through()
def test_a_board_shows_the_values_of_both_teams(task, tmp_path, name):
    usual = ["--task", task, "-o", str(tmp_path / "site"), "--resamples", "100"]
    run(["task", "board", f"{tmp_path}/entries", *usual])
    shown = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    first, *_ = list_values(name, "a")
    values = [list_values(name, team)[first] for team in "ab"]
    assert [True, True] == [format_scores(first, one)[0] in shown for one in values]


@through("task run")
def test_a_platform_gets_the_values_of_score(task, tmp_path, name):
    bundle, given = tmp_path / "bundle.zip", tmp_path / "input"
    code, _, notes = run(["task", "bundle", "codabench", "--task", task, "-o", str(bundle)])
    assert 0 == code, notes
    files = unpack(bundle.read_bytes())
    (packed,) = (content for file, content in files.items() if file.startswith("reference"))
    for file, content in unpack(packed).items():
        (given / "ref" / file).parent.mkdir(parents=True, exist_ok=True)
        (given / "ref" / file).write_bytes(content)
    shutil.copytree(tmp_path / "entries", given / "res", ignore=lambda *_: ["b.jsonl"])
    run(["task", "run", "codabench", str(given), str(tmp_path / "output")])
    found = json.loads((tmp_path / "output" / "scores.json").read_text(encoding="utf-8"))
    expected = list_values(name, "a").values()

    assert [
        pytest.approx(value, abs=0.00501 if abs(value) > 1 else 0.0000501) for value in expected
    ] == [*found.values()][: len(expected)]


@pytest.mark.deep
@through("task run")
def test_a_task_passes_its_own_test(task, name):
    code, message, notes = run(["task", "selftest", "--task", task])
    assert 0 == code, message + notes


def test_ratings_of_annotators_make_no_track(tmp_path):
    kind = KINDS["agreement"]
    track = {"gold": write(tmp_path / "gold.jsonl", kind.rows()), "metrics": list(kind.metrics)}
    path = tmp_path / "task.yaml"
    path.write_text(json.dumps({"tracks": {"track": track}}), encoding="utf-8")
    code, message, notes = run(["task", "selftest", "--task", str(path)])
    assert 0 != code
    assert "has no gold column" in " ".join((message + notes).split())

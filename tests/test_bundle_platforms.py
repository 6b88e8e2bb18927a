"""Bundles for platforms other than Codabench, called as each platform's own code calls them."""

import importlib.util
import inspect
import io
import json
import math
import re
import sys
import zipfile
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest
import yaml
from msgspec.structs import replace
from sklearn.metrics import accuracy_score, f1_score

from cases import cases
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.tasks.bundles.codabench import bundle_codalab
from tallystick.tasks.bundles.evalai import bundle_evalai, bundle_tira
from tallystick.tasks.bundles.reference import make_reference
from tallystick.tasks.bundles.single_table import bundle_hugging_face, bundle_kaggle
from tallystick.tasks.opening import Checked
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.task_file import read_task
from workers import pack, run_program, unpack

ROWS = 20
GOLD = ["favor", "against", "none", "favor"] * 5
SAID = ["favor", "none", "none", "favor", "against"] * 4
TOPICS = ["yes", "no"] * 10


def write_table(heading, values):
    rows = [f"x{row},{value}" for row, value in enumerate(values)]
    return "\n".join([f"id,{heading}", *rows]) + "\n"


@pytest.fixture
def task(tmp_path):
    own = tmp_path / "task"
    own.mkdir()
    (own / "gold.csv").write_text(write_table("label", GOLD))
    (own / "topics.csv").write_text(write_table("label", TOPICS))
    (own / "task.yaml").write_text(
        "title: Stance 2026\n"
        "limits: {per_day: 2, total: 5}\n"
        "tracks:\n"
        "  stance:\n"
        "    gold: gold.csv\n"
        "    metrics: [macro_f1, accuracy]\n"
        "    labels: [favor, against, none]\n"
        "  topics: {gold: topics.csv, metrics: [fpr], positive: 'yes'}\n"
    )
    return read_task(str(own / "task.yaml"))


def submit(**changes):
    files = {
        "stance.csv": write_table("label", SAID),
        "topics.csv": write_table("label", ["yes"] * ROWS),
    }
    return pack({**files, **{f"{name}.csv": content for name, content in changes.items()}})


def load(source, folder, name):
    path = folder / f"{name}.py"
    path.write_bytes(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_codalab_reads_numbers_from_lines(task, tmp_path):
    files = unpack(bundle_codalab(task))
    app = tmp_path / "app"
    parts = {
        "program": files["scoring_program.zip"],
        "input/ref": files["reference-1.zip"],
        "input/res": submit(),
    }
    for place, content in parts.items():
        zipfile.ZipFile(io.BytesIO(content)).extractall(app / place)
    (app / "output").mkdir()
    command = yaml.safe_load((app / "program/metadata").read_text())["command"]
    for name in ("program", "input", "output"):
        command = command.replace(f"${name}", str(app / name))
    ran = run_program(command, app)
    scores = yaml.safe_load(ran.read("scores.txt"))
    assert round(f1_score(GOLD, SAID, average="macro"), 4) == scores["stance_macro_f1"]
    assert all(isinstance(one, int | float) for one in scores.values())
    assert {"detailed_results.html", "scores.txt"} == {one.name for one in ran.output.iterdir()}


def test_codalab_has_a_competition_of_its_own_version(task):
    files = unpack(bundle_codalab(task))
    found = yaml.safe_load(files["competition.yaml"])
    named = [*found["html"].values(), found["image"]]
    keys = ("scoring_program", "reference_data", "starting_kit")
    named += [found["phases"][1][key] for key in keys]
    assert set() == {one for one in named if not files.get(one)}
    columns = found["leaderboard"]["columns"]
    assert ["stance_macro_f1", "stance_accuracy", "topics_fpr"] == [*columns]
    assert "asc" == columns["topics_fpr"]["sort"]


@pytest.fixture
def evalai(task, tmp_path):
    files = unpack(bundle_evalai(task))
    folder = tmp_path / "challenge_data"
    for name, content in unpack(files["evaluation_script.zip"]).items():
        (folder / "challenge_1").mkdir(parents=True, exist_ok=True)
        (folder / "challenge_1" / name).write_bytes(content)
    (folder / "__init__.py").touch()
    sys.path.insert(0, str(tmp_path))
    try:
        module = importlib.import_module("challenge_data.challenge_1")
    finally:
        sys.path.remove(str(tmp_path))
        for name in [name for name in sys.modules if name.startswith("challenge_data")]:
            del sys.modules[name]
    gold, said = tmp_path / "gold.zip", tmp_path / "user.zip"
    gold.write_bytes(files["annotations/1-Final.zip"])
    said.write_bytes(submit())
    config = yaml.safe_load(files["challenge_config.yaml"])
    return config, module.evaluate, files, (str(gold), str(said))


def test_evalai_gets_results_with_error_bars(evalai, tmp_path):
    config, evaluate, _, paths = evalai
    found = evaluate(*paths, "1-Final", submission_metadata={"id": 1})
    boards = {
        split["codename"]: board["schema"]["labels"]
        for split, board in zip(config["dataset_splits"], config["leaderboard"], strict=True)
    }
    assert boards == {name: [*one] for part in found["result"] for name, one in part.items()}
    assert {name: [f"error_{one}" for one in own] for name, own in boards.items()} == {
        name: [*one] for part in found["error"] for name, one in part.items()
    }
    assert pytest.approx(accuracy_score(GOLD, SAID)) == found["result"][0]["1-stance"]["Accuracy"]
    assert 0 < found["error"][0]["1-stance"]["error_Accuracy"] < 0.3
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_evalai_evaluates_on_a_machine_of_the_organisers(evalai, tmp_path):
    _, _, files, (_, said) = evalai
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations/1-Final.zip").write_bytes(files["remote/annotations/1-Final.zip"])
    found = load(files["remote/evaluate.py"], tmp_path, "evaluate").evaluate(said, "1-Final")
    assert pytest.approx(accuracy_score(GOLD, SAID)) == found["result"][0]["1-stance"]["Accuracy"]


def test_evalai_fails_by_an_exception(evalai, tmp_path):
    _, evaluate, _, paths = evalai
    (tmp_path / "user.zip").write_bytes(
        submit(stance=write_table("label", SAID[:-1]), topics="id,label\n")
    )
    with pytest.raises(InputError, match="x19") as caught:
        evaluate(*paths, "1-Final")
    assert caught.value.__cause__ is None


def test_evalai_has_every_key_that_its_validator_asks_for(evalai):
    config, _, files, _ = evalai
    pages = ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines")
    named = [config[key] for key in pages]
    named += [phase["description"] for phase in config["challenge_phases"]]
    assert set() == {one for one in named if not (one.endswith(".html") and files.get(one))}
    assert "evaluation_script.zip" == config["evaluation_script"]
    assert all(phase["test_annotation_file"] in files for phase in config["challenge_phases"])
    assert all(phase["start_date"] < phase["end_date"] for phase in config["challenge_phases"])
    for board in config["leaderboard"]:
        assert board["schema"]["default_order_by"] in board["schema"]["labels"]
    assert [True, False] == [
        one["is_leaderboard_order_descending"] for one in config["challenge_phase_splits"]
    ]


def test_the_command_prints_what_evalai_gets(evalai, tmp_path, capsys):
    _, evaluate, _, paths = evalai
    assert 0 == main(["task", "run", "evalai", *paths])
    assert evaluate(*paths, "1-Final") == json.loads(capsys.readouterr().out)


@pytest.fixture
def kaggle(task, tmp_path):
    files = unpack(bundle_kaggle(task, track="stance"))
    tables = (
        pd.read_csv(io.BytesIO(files[name])) for name in ("solution.csv", "sample_submission.csv")
    )
    return (load(files["metric.py"], tmp_path, "metric"), *tables)


def test_kaggle_scores_each_split(kaggle):
    metric, solution, sample = kaggle
    said = sample.assign(y_pred=SAID)
    for usage in ("Public", "Private"):
        own = solution[solution["Usage"] == usage]
        rows = said[said["id"].isin(own["id"])]
        expected = f1_score(own["label"], rows["y_pred"], average="macro")
        shuffled = rows.sample(frac=1, random_state=1)
        assert round(expected, 4) == metric.score(own.drop(columns="Usage"), shuffled, "id")
        assert round(expected, 4) == metric.score(own, rows, "id")


def test_kaggle_gets_a_typed_function_with_a_docstring(kaggle):
    metric, _, _ = kaggle
    found = inspect.signature(metric.score)
    assert ["solution", "submission", "row_id_column_name"] == [*found.parameters]
    assert [pd.DataFrame, pd.DataFrame, str] == [
        one.annotation for one in found.parameters.values()
    ]
    assert (float, True) == (found.return_annotation, "Harmonic mean" in metric.score.__doc__)


def test_kaggle_shows_short_errors_alone(kaggle):
    metric, solution, sample = kaggle
    wrong = sample.assign(y_pred=[f"perhaps {row} {'!' * 100}" for row in range(ROWS)])
    with pytest.raises(metric.ParticipantVisibleError) as caught:
        metric.score(solution, wrong, "id")
    assert "perhaps" in str(caught.value)
    assert 0 < len(str(caught.value)) <= 280
    with pytest.raises(metric.ParticipantVisibleError, match="x0"):
        metric.score(solution, sample[1:], "id")


def test_hugging_face_computes_both_scores(task, tmp_path, monkeypatch):
    files = unpack(bundle_hugging_face(task, track="stance"))
    (tmp_path / "submissions").mkdir()
    (tmp_path / "solution.csv").write_bytes(files["solution.csv"])
    rows = write_table("y_pred", SAID).splitlines()
    shuffled = "\n".join([rows[0], *rows[:0:-1]]) + "\n"
    (tmp_path / "submissions/t-s.csv").write_text(shuffled)

    def download(repo_id, filename, token, repo_type):
        assert ("org/one", "secret", "dataset") == (repo_id, token, repo_type)
        return str(tmp_path / filename)

    hub = ModuleType("huggingface_hub")
    hub.hf_hub_download = download
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    names = {"competition_id": "org/one", "token": "secret", "team_id": "t", "submission_id": "s"}
    metric = load(files["metric.py"], tmp_path, "metric")
    found = metric.compute(SimpleNamespace(**names))
    settings = json.loads(files["conf.json"])
    solution = pd.read_csv(io.BytesIO(files["solution.csv"])).assign(said=SAID)
    for side in ("public", "private"):
        own = solution[solution["split"] == side]
        expected = f1_score(own["label"], own["said"], average="macro")
        assert round(expected, 4) == found[f"{side}_score"][settings["SCORING_METRIC"]]
    assert found["public_score"].keys() == found["private_score"].keys()
    (tmp_path / "submissions/t-s.csv").write_text(shuffled.replace("x3,", "x4,"))
    with pytest.raises(InputError, match="x4"):
        metric.compute(SimpleNamespace(**names))


def test_hugging_face_reads_its_settings(task):
    settings = json.loads(unpack(bundle_hugging_face(task, track="topics"))["conf.json"])
    expected = {
        "EVAL_METRIC": "custom",
        "SCORING_METRIC": "fpr",
        "EVAL_HIGHER_IS_BETTER": 0,
        "SUBMISSION_ID_COLUMN": "id",
        "SUBMISSION_COLUMNS": "id,y_pred",
        "SUBMISSION_ROWS": ROWS,
        "SUBMISSION_LIMIT": 2,
    }
    assert expected == {name: settings[name] for name in expected}


def test_a_platform_of_tables_takes_one_track(task):
    with pytest.raises(UsageError, match="--track, of stance, topics"):
        bundle_kaggle(task)


def test_phases_are_the_sides_of_a_solution(task, tmp_path):
    dev = write_table("label", GOLD[:4]).replace("x", "d")
    (tmp_path / "task/dev.csv").write_text(dev)
    text = (tmp_path / "task/task.yaml").read_text()
    phases = "phases: {dev: {gold: {stance: dev.csv}}, test: {gold: {stance: gold.csv}}}\n"
    (tmp_path / "task/task.yaml").write_text(text + phases)
    own = read_task(str(tmp_path / "task/task.yaml"))
    solution = unpack(bundle_kaggle(own, track="stance"))["solution.csv"].decode()
    rows = [line.split(",") for line in solution.splitlines()[1:]]
    assert {("d", "Public"), ("x", "Private")} == {(id[0], usage) for id, _, usage in rows}
    (tmp_path / "task/dev.csv").write_text(dev.replace("\nd", "\nx"))
    with pytest.raises(InputError, match="id occurs twice"):
        bundle_kaggle(own, track="stance")


def test_tira_gets_a_measure_for_each_score(task, tmp_path):
    for name, content in unpack(bundle_tira(task)).items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(content)
    run, output = tmp_path / "run", tmp_path / "output"
    zipfile.ZipFile(io.BytesIO(submit())).extractall(run)
    output.mkdir()
    front = (tmp_path / "data/Final/README.md").read_text().split("---")[1]
    config = yaml.safe_load(front)["tira_configs"]
    command = config["evaluator"]["command"]
    assert "stance.csv" == config["default_upload_name"]
    paths = {"inputDataset": tmp_path / "data/Final/truths", "inputRun": run, "outputDir": output}
    for name, path in paths.items():
        command = command.replace(f"${{{name}}}", str(path))
    assert 0 == main(command.split()[1:])
    found = (output / "evaluation.prototext").read_text()
    measures = dict(
        re.findall(r'measure\{\n  key: "([^"\n:]+)"\n  value: "([^"\n:]+)"\n\}\n', found)
    )
    assert found.count("measure") == len(measures)
    assert round(f1_score(GOLD, SAID, average="macro"), 4) == float(measures["Stance Macro F1"])
    assert all(math.isfinite(float(value)) for value in measures.values())


def test_an_option_of_another_platform_is_rejected(task, tmp_path, capsys):
    path = str(tmp_path / "task/task.yaml")
    assert 2 == main(
        ["task", "bundle", "evalai", "--task", path, "-o", str(tmp_path / "b.zip"), "--vendor"]
    )
    assert "evalai has no --vendor" in capsys.readouterr().err


def test_a_run_that_is_rejected_leaves_no_scores(task, tmp_path, capsys):
    files = unpack(bundle_tira(task))
    truth, run, output = (tmp_path / name for name in ("truth", "run", "output"))
    for folder in (truth, run, output):
        folder.mkdir()
    (truth / "reference.zip").write_bytes(files["Final/truths/reference.zip"])
    (run / "stance.csv").write_text(write_table("label", SAID[:-1]))
    assert 4 == main(["task", "run", "tira", str(truth), str(run), str(output)])
    assert [] == [*output.iterdir()]
    assert "stance" in capsys.readouterr().err


BAD = {
    "no label": write_table("label", ["perhaps"] * ROWS),
    "too few": write_table("label", TOPICS[:-1]),
    "no table": "\0",
    "nothing": "",
    "bytes": "id,label\n" + "\x80" * 9,
}
"""Files of a track that are rejected."""


def run_on(platform, reference, submission, folder):
    gold, said, app, output = (folder / name for name in ("g.zip", "s.zip", "app", "out"))
    gold.write_bytes(reference)
    said.write_bytes(submission)
    zipfile.ZipFile(said).extractall(app / "res")
    zipfile.ZipFile(gold).extractall(app / "ref")
    (app / "reference.zip").write_bytes(reference)
    output.mkdir()
    paths = {"evalai": (gold, said), "tira": (app, app / "res", output)}
    code = main(["task", "run", platform, *map(str, paths.get(platform, (app, output)))])
    return code, "".join(path.read_text() for path in output.iterdir())


@cases("platform", "codabench", "codalab", "evalai", "tira")
@cases("bad", *BAD)
def test_a_bad_track_takes_no_good_one_along(task, tmp_path, capsys, platform, bad):
    reference = pack(make_reference(task, "Final", task))
    code, written = run_on(platform, reference, submit(topics=BAD[bad]), tmp_path)
    message = capsys.readouterr()
    assert 0 == code
    assert f"{accuracy_score(GOLD, SAID):.4f}"[:4] in written + message.out
    assert "topics" in message.err + message.out
    if platform in ("codabench", "codalab"):
        assert "topics" in written


@cases("platform", "codabench", "codalab", "evalai", "tira")
def test_a_track_that_only_the_true_gold_refuses_takes_no_other_along(
    task, tmp_path, capsys, platform
):
    track = replace(task.tracks["stance"], metrics=("roc_auc",), labels=None)
    task = replace(task, tracks={**task.tracks, "stance": track})
    reference = pack(make_reference(task, "Final", task))
    wrong = write_table("y_prob", ["0.5"] * ROWS)
    code, written = run_on(platform, reference, submit(stance=wrong), tmp_path)
    message = capsys.readouterr()
    assert 0 == code
    assert "stance" in message.err + message.out
    assert "1.0" in written + message.out


def test_a_track_that_cannot_be_scored_leaves_the_scores_of_the_others(task, tmp_path):
    (tmp_path / "short.csv").write_text(write_table("label", SAID[:-1]))
    files = {"stance": str(tmp_path / "short.csv"), "topics": str(task.tracks["topics"].gold)}
    found = score_submission(task, Checked(files), intervals=False)
    assert ["topics"] == [*found.tracks]
    assert any(note.startswith("stance: submission was rejected: ") for note in found.notes)
    with pytest.raises(InputError, match="the only submission is rejected"):
        score_submission(task, Checked({"stance": files["stance"]}))

"""Facts about the demo data that ship with the package, and about the workflows that ship it."""

import csv
import json
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

DATA = files("tallystick") / "demo_data"
WORKFLOWS = Path(__file__).parents[1] / ".github" / "workflows"
LANGUAGES = ("de", "en", "es", "tr")


def read_rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO((DATA / name).read_text(encoding="utf-8"))))


def read_detector(language: str) -> list[dict[str, str]]:
    return read_rows(f"toxicity/detector_{language}.csv")


def read_verdicts(name: str) -> list[str]:
    return (DATA / "verdicts" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def read_workflow(name: str) -> dict[str, Any]:
    workflow: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))
    return workflow


def test_demo_data_are_small():
    with as_file(DATA) as folder:
        sizes = [path.stat().st_size for path in folder.rglob("*.*")]
    assert sum(sizes) < 64_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_predicts_from_threshold_on(language):
    rows = read_detector(language)
    expected = [str(int(float(row["y_prob"]) >= float(row["best_threshold"]))) for row in rows]
    assert expected == [row["y_pred"] for row in rows]


@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_meets_threshold_once(language):
    rows = read_detector(language)
    meeting = [row for row in rows if float(row["y_prob"]) == float(row["best_threshold"])]
    assert ["1"] == [row["y_pred"] for row in meeting]


@pytest.mark.parametrize("mark", [",", '"', "\n"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_texts_need_quoting(language, mark):
    assert any(mark in row["text"] for row in read_detector(language))


def test_one_table_holds_all_verdicts():
    content = (DATA / "verdicts" / "all.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in content.splitlines()]
    assert [f"v-{number:03d}" for number in range(1, 121)] == [row["id"] for row in rows]
    for name in ("gold", "model", "majority"):
        assert read_verdicts(name) == [row[name] for row in rows]


@pytest.mark.parametrize(
    ("name", "jobs"), [("ci.yml", ["check"]), ("wheels.yml", ["wheels", "sdist", "publish"])]
)
def test_workflow_jobs(name, jobs):
    assert jobs == list(read_workflow(name)["jobs"])


def test_ci_runs_the_checks():
    steps = read_workflow("ci.yml")["jobs"]["check"]["steps"]
    assert [".ci/run"] == [step["run"] for step in steps if "run" in step]


def test_publish_alone_may_write():
    jobs = read_workflow("wheels.yml")["jobs"]
    expected = {"publish": "startsWith(github.ref, 'refs/tags/v')"}
    assert expected == {name: job.get("if") for name, job in jobs.items() if "permissions" in job}


@pytest.mark.parametrize("name", ["ci.yml", "wheels.yml"])
def test_workflow_reads_by_default(name):
    assert {"contents": "read"} == read_workflow(name)["permissions"]

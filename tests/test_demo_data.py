"""Facts about the demo data that ship with the package, and about the workflows that ship it."""

import csv
import json
import re
from collections import Counter
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from sklearn.metrics import f1_score, roc_auc_score

DATA = files("tallystick") / "demo_data"
WORKFLOWS = Path(__file__).parents[1] / ".github" / "workflows"
LANGUAGES = ("de", "en", "es", "tr")
TOPICS = ["sport", "food", "travel", "music", "weather"]


def read_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of the demo data."""
    return list(csv.DictReader(StringIO((DATA / name).read_text(encoding="utf-8"))))


def read_detector(language: str) -> list[dict[str, str]]:
    """Return the rows of the toxicity run in one language."""
    return read_rows(f"toxicity/detector_{language}.csv")


def read_verdicts(name: str) -> list[str]:
    """Return the lines of one file of verdicts."""
    return (DATA / "verdicts" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def read_stance(name: str) -> list[str]:
    """Return the lines of one file of stances."""
    return (DATA / "stance" / name).read_text(encoding="utf-8").splitlines()


def read_workflow(name: str) -> dict[str, Any]:
    """Return a workflow as YAML has it."""
    workflow: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))
    return workflow


def test_demo_data_are_small():
    """All files together stay below 60 kB."""
    with as_file(DATA) as folder:
        sizes = [path.stat().st_size for path in folder.rglob("*.*")]

    assert sum(sizes) < 60_000


@pytest.mark.parametrize("team", ["birch", "cedar", "maple", "rowan", "willow"])
def test_stances_have_three_labels(team):
    """The gold and each of the five submissions have 400 of them."""
    gold, output = read_stance("gold.txt"), read_stance(f"entries/{team}.txt")

    assert [400, 400] == [len(gold), len(output)]
    assert {"against", "favor", "none"} == set(gold) == set(output)


@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_columns(language):
    """A toxicity file has the columns of a scored run, in order."""
    expected = ["id", "text", "y_true", "y_prob", "y_pred", "best_threshold"]

    assert expected == list(read_detector(language)[0])


@pytest.mark.parametrize(
    ("language", "rows", "positives"),
    [("de", 48, 14), ("en", 52, 16), ("es", 50, 13), ("tr", 46, 11)],
)
def test_detector_counts(language, rows, positives):
    """Each language has its own number of rows, less than a third of them toxic."""
    gold = [row["y_true"] for row in read_detector(language)]

    assert {"0": rows - positives, "1": positives} == Counter(gold)


@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_ids_count_up(language):
    """Ids are the language and a running number, hence unique."""
    ids = [row["id"] for row in read_detector(language)]

    assert [f"{language}-{number:03d}" for number in range(1, len(ids) + 1)] == ids


@pytest.mark.parametrize(
    ("language", "threshold"), [("de", "0.45"), ("en", "0.42"), ("es", "0.52"), ("tr", "0.38")]
)
def test_detector_threshold_is_constant(language, threshold):
    """Each language has one threshold, unlike that of any other."""
    assert {threshold} == {row["best_threshold"] for row in read_detector(language)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_predicts_from_threshold_on(language):
    """A comment is predicted toxic when its probability reaches the threshold."""
    rows = read_detector(language)
    expected = [str(int(float(row["y_prob"]) >= float(row["best_threshold"]))) for row in rows]

    assert expected == [row["y_pred"] for row in rows]


@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_meets_threshold_once(language):
    """One probability equals the threshold, so that "reaches" differs from "exceeds"."""
    rows = read_detector(language)
    meeting = [row for row in rows if float(row["y_prob"]) == float(row["best_threshold"])]
    expected = ["1"]

    assert expected == [row["y_pred"] for row in meeting]


@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_probabilities_have_four_decimals(language):
    """Probabilities are below one and written with four decimals."""
    written = [row["y_prob"] for row in read_detector(language)]

    assert all(re.fullmatch(r"0\.\d{4}", probability) for probability in written)


@pytest.mark.parametrize(
    ("language", "area", "f1"),
    [
        ("de", 0.9118, 0.7143),
        ("en", 0.9444, 0.7879),
        ("es", 0.8898, 0.6923),
        ("tr", 0.8545, 0.6667),
    ],
)
def test_detector_is_decent_but_imperfect(language, area, f1):
    """Scikit-learn gives each language its own ROC-AUC and F1, well above chance and below one."""
    rows = read_detector(language)
    gold = [int(row["y_true"]) for row in rows]
    probabilities = [float(row["y_prob"]) for row in rows]
    predicted = [int(row["y_pred"]) for row in rows]

    assert area == round(roc_auc_score(gold, probabilities), 4)
    assert f1 == round(f1_score(gold, predicted), 4)


def test_detector_texts_are_distinct():
    """No text stands twice in the run."""
    texts = [row["text"] for language in LANGUAGES for row in read_detector(language)]

    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("mark", [",", '"', "\n"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_detector_texts_need_quoting(language, mark):
    """Every language has texts with each of the three marks that CSV must quote."""
    assert any(mark in row["text"] for row in read_detector(language))


def test_gold_verdicts_are_imbalanced():
    """Most verdicts are NTA; the other three grow ever rarer."""
    expected = {"NTA": 77, "YTA": 24, "NAH": 12, "ESH": 7}

    assert expected == Counter(read_verdicts("gold"))


@pytest.mark.parametrize(("system", "right"), [("model", 85), ("majority", 77)])
def test_verdicts_right(system, right):
    """The model is right on 85 of 120 lines, the majority class on 77."""
    pairs = list(zip(read_verdicts("gold"), read_verdicts(system), strict=True))

    assert right == sum(gold == predicted for gold, predicted in pairs)


def test_one_table_holds_all_verdicts():
    """Its columns are the lines of the three files, under ids that count up."""
    content = (DATA / "verdicts" / "all.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in content.splitlines()]

    assert [f"v-{number:03d}" for number in range(1, 121)] == [row["id"] for row in rows]
    for name in ("gold", "model", "majority"):
        assert read_verdicts(name) == [row[name] for row in rows]


def test_majority_always_says_nta():
    """The majority system knows one answer."""
    expected = ["NTA"] * 120

    assert expected == read_verdicts("majority")


@pytest.mark.parametrize("name", ["gold", "model"])
def test_topics_columns(name):
    """A topics file has an id and one column per topic, of zeros and ones."""
    rows = read_rows(f"topics/{name}.csv")

    assert ["id", *TOPICS] == list(rows[0])
    assert all(row[topic] in {"0", "1"} for row in rows for topic in TOPICS)


def test_topics_ids_are_shuffled():
    """Gold and model hold the same 80 unique ids in different orders."""
    gold, model = ([row["id"] for row in read_rows(f"topics/{n}.csv")] for n in ("gold", "model"))

    assert [f"t-{number:03d}" for number in range(1, 81)] == gold
    assert gold == sorted(model)
    assert gold != model


def test_weather_is_rare():
    """Weather has three positives in gold, far fewer than any other topic."""
    rows = read_rows("topics/gold.csv")
    expected = {"sport": 24, "food": 27, "travel": 30, "music": 25, "weather": 3}

    assert expected == {topic: sum(row[topic] == "1" for row in rows) for topic in TOPICS}


def test_topics_model_is_decent():
    """The model finds the exact topics of 55 of 80 documents, joined by id."""
    gold = {row["id"]: row for row in read_rows("topics/gold.csv")}
    expected = 55

    assert expected == sum(row == gold[row["id"]] for row in read_rows("topics/model.csv"))


@pytest.mark.parametrize(
    ("name", "jobs"),
    [("ci.yml", ["check"]), ("wheels.yml", ["wheels", "newer-pythons", "sdist", "publish"])],
)
def test_workflow_jobs(name, jobs):
    """A workflow is valid YAML with these jobs."""
    assert jobs == list(read_workflow(name)["jobs"])


def test_ci_runs_the_checks():
    """The workflow runs the script that anyone can run at home, and nothing else."""
    steps = read_workflow("ci.yml")["jobs"]["check"]["steps"]
    expected = [".ci/run"]

    assert expected == [step["run"] for step in steps if "run" in step]


def test_publish_alone_may_write():
    """Only the job that publishes has a permission to write, and only on a version tag."""
    jobs = read_workflow("wheels.yml")["jobs"]
    expected = {"publish": "startsWith(github.ref, 'refs/tags/v')"}

    assert expected == {name: job.get("if") for name, job in jobs.items() if "permissions" in job}


@pytest.mark.parametrize("name", ["ci.yml", "wheels.yml"])
def test_workflow_reads_by_default(name):
    """Jobs without permissions of their own may only read the repository."""
    expected = {"contents": "read"}

    assert expected == read_workflow(name)["permissions"]

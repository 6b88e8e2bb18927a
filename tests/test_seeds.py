"""The published results that Tallystick must reproduce, and scikit-learn on real data."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from sklearn import metrics as sk

from tallystick.cli import main

HEADER = (
    "language,n_samples,positive_rate,roc_auc,f1,precision,recall,accuracy,true_positives,"
    "true_negatives,false_positives,false_negatives,specificity,fpr,fnr"
)
COUNTS = ["true_positives", "true_negatives", "false_positives", "false_negatives"]
PUBLISHED = ["positive_rate", "f1", "precision", "recall", "accuracy"]
LANGUAGES = ["en", "es", "it", "tr"]
PRINTED_BASELINE = {
    "es": "251,0.1673,0.8604,0.6067,0.5745,0.6429,0.8606",
    "it": "251,0.1952,0.8430,0.5192,0.4909,0.5510,0.8008",
    "tr": "300,0.1067,0.9569,0.7368,0.8400,0.6562,0.9500",
}
PRINTED_SIZES = {"en": 22355, "es": 251, "it": 251, "tr": 300, "macro": 23157, "micro": 23157}
AITA = [
    ("true_labels_dev", "predicted_labels_simple", [0.6564, 0.5203, 0.1981]),
    ("true_labels_dev", "predicted_labels_strong", [0.6582, 0.5244, 0.2028]),
    ("true_labels_dev", "predicted_labels_NN", [0.6573, 0.5326, 0.2129]),
    ("true_labels_dev_augmented", "predicted_labels_strong_augmented", [0.5013, 0.3844, 0.2182]),
    ("true_labels_dev_augmented", "predicted_labels_strong_modified_augmented",
     [0.5000, 0.4076, 0.2422]),
    ("true_labels_synthetic_dev", "predicted_labels_NN_synthetic", [0.6475, 0.5952, 0.5156]),
]  # fmt: skip
AVERAGES = ["macro", "weighted"]
SCORERS: dict[str, Callable[..., Any]] = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
}
LINES = """\
Accuracy: 0.6564
Weighted Precision: 0.4309
Weighted Recall: 0.6564
Weighted F1-Score: 0.5203
Macro Precision: 0.1641
Macro Recall: 0.2500
Macro F1-Score: 0.1981

Per-Class Metrics:
Class: esh - Precision: 0.0000, Recall: 0.0000, F1-Score: 0.0000
Class: nah - Precision: 0.0000, Recall: 0.0000, F1-Score: 0.0000
Class: nta - Precision: 0.6564, Recall: 1.0000, F1-Score: 0.7926
Class: yta - Precision: 0.0000, Recall: 0.0000, F1-Score: 0.0000
"""

Run = Callable[..., str]


@pytest.fixture
def run(capsys):
    def run_score(*arguments):
        code = main(["score", *map(str, arguments)])
        captured = capsys.readouterr()
        assert (0, True) == (code, "Traceback" not in captured.err), captured.err
        return captured.out

    return run_score


def read_rows(text):
    return {row["language"]: row for row in csv.DictReader(StringIO(text))}


def read_numbers(text):
    return {
        (language, column): float(value or "nan")
        for language, row in read_rows(text).items()
        for column, value in row.items()
        if column != "language"
    }


def read_scores(text):
    records = json.loads(text)["scores"]
    return {(record["name"], record["label"]): record["value"] for record in records}


def write_counts(path, counts):
    rows = [
        (gold, predicted)
        for key, gold, predicted in (("tp", 1, 1), ("fp", 0, 1), ("fn", 1, 0), ("tn", 0, 0))
        for _ in range(counts[key])
    ]
    lines = [f"{number},{gold},{predicted}" for number, (gold, predicted) in enumerate(rows)]
    path.write_text("\n".join(["id,y_true,y_pred", *lines, ""]))


def read_labels(path, *, fold=False):
    text = path.read_text().strip()
    return (text.lower() if fold else text).split("\n")


def expect_labels(gold, predicted):
    labels = sorted(set(gold) | set(predicted))
    expected: dict[tuple[str, str | None], float] = {}
    expected["accuracy", None] = sk.accuracy_score(gold, predicted)
    for name, scorer in SCORERS.items():
        for average in AVERAGES:
            value = scorer(gold, predicted, average=average, zero_division=0)
            expected[f"{average}_{name}", None] = value
        values = scorer(gold, predicted, average=None, labels=labels, zero_division=0)
        expected |= {(name, label): value for label, value in zip(labels, values, strict=True)}
    return expected | {("support", label): gold.count(label) for label in labels}


@pytest.fixture
def toxicity(shared):
    folder = shared / "data" / "toxicity" / "predictions"
    return ["--pred-dir", folder, "--run-tag", "baseline", "--languages", "es", "it", "tr"]


def test_toxicity_rows_are_those_of_the_script(run, toxicity, shared):
    written = (shared / "data/toxicity/predictions/baseline_metrics_es_it_tr.csv").read_text()
    text = run(*toxicity, "--format", "csv")
    rows = read_rows(text)

    assert [written.split("\n")[0], text.split("\n")[0]] == [HEADER] * 2
    assert ["es", "it", "tr", "macro", "micro"] == list(rows)
    assert read_numbers(written) == pytest.approx(read_numbers(text), abs=1e-12, rel=0, nan_ok=True)
    assert {
        "es": ["27", "189", "20", "15"],
        "micro": ["75", "627", "52", "48"],
        "macro": ["", "", "", ""],
    } == {row: [rows[row][name] for name in COUNTS] for row in ("es", "micro", "macro")}
    assert ["802", "802"] == [rows["macro"]["n_samples"], rows["micro"]["n_samples"]]


@pytest.mark.parametrize("language", PRINTED_BASELINE)
def test_toxicity_rows_are_those_of_the_documentation(run, toxicity, language):
    row = read_rows(run(*toxicity, "--format", "csv"))[language]
    rounded = [row["n_samples"], *(f"{float(row[name]):.4f}" for name in HEADER.split(",")[2:8])]
    assert PRINTED_BASELINE[language] == ",".join(rounded)


def test_toxicity_table_shows_the_printed_numbers(run, toxicity):
    expected = PRINTED_BASELINE["tr"].split(",")
    (line,) = [
        line
        for line in run(*toxicity, "--digits", "4").split("\n")
        if line.startswith("tr ") and "0.9569" in line
    ]
    assert ["tr", expected[0], *expected[2:]] == line.split()[:7]


@pytest.mark.parametrize("system", ["baseline", "detoxify"])
def test_toxicity_counts_give_the_published_table(run, shared, tmp_path, system):
    seed = json.loads((shared / "acceptance" / "seed000_counts.json").read_text())
    for language, counts in seed["counts"][system].items():
        write_counts(tmp_path / f"{system}_{language}.csv", counts)

    rows = read_rows(
        run(
            *("--pred-dir", tmp_path, "--run-tag", system),
            *("--languages", *LANGUAGES, "--format", "csv"),
        )
    )
    assert seed["published"][system] == {
        language: {name: round(float(row[name]), 4) for name in PUBLISHED}
        for language, row in rows.items()
    }
    assert PRINTED_SIZES == {language: int(row["n_samples"]) for language, row in rows.items()}


def test_toxicity_without_probabilities_has_no_roc_auc(run, tmp_path):
    write_counts(tmp_path / "t_en.csv", {"tp": 2, "fp": 1, "fn": 1, "tn": 2})
    rows = read_rows(run("--pred-dir", tmp_path, "--run-tag", "t", "--format", "csv"))
    assert {"en": "", "macro": "", "micro": ""} == {
        key: row["roc_auc"] for key, row in rows.items()
    }


@pytest.mark.deep
@pytest.mark.parametrize("fold", [False, True], ids=["as-written", "fold-case"])
@pytest.mark.parametrize(("gold", "system"), [files for *files, _ in AITA])
def test_verdicts_equal_scikit_learn(run, shared, gold, system, fold):
    files = [shared / "data" / "aita" / f"{name}.txt" for name in (gold, system)]
    labels = [read_labels(file, fold=fold) for file in files]
    actual = read_scores(run(*files, "--format", "json", *(["--fold-case"] if fold else [])))
    assert expect_labels(*labels) == pytest.approx(actual, abs=1e-12, rel=0)


@pytest.mark.parametrize(("gold", "system", "expected"), AITA)
def test_verdicts_equal_the_script_run_again(run, shared, gold, system, expected):
    files = [shared / "data" / "aita" / f"{name}.txt" for name in (gold, system)]
    lines = run(*files, "--format", "lines", "--fold-case").split("\n")
    values = dict(line.split(": ", 1) for line in lines[:7])
    names = ["Accuracy", "Weighted F1-Score", "Macro F1-Score"]
    assert [f"{value:.4f}" for value in expected] == [values[name] for name in names]


def test_verdict_lines_have_the_form_of_the_documentation(run, shared):
    folder = shared / "data" / "aita"
    assert LINES == run(
        folder / "true_labels_dev.txt", folder / "predicted_labels_simple.txt", "--format", "lines"
    )


@pytest.mark.parametrize("task", ["irony", "hate", "emotion", "sentiment"])
def test_tweet_tasks_equal_scikit_learn(run, shared, task):
    files = [shared / "data/tweeteval" / task / f"{side}.txt" for side in ("gold", "predicted")]
    labels = [read_labels(file) for file in files]
    actual = read_scores(run(*files, "--task", "multiclass", "--format", "json"))
    assert expect_labels(*labels) == pytest.approx(actual, abs=1e-12, rel=0)


@pytest.mark.parametrize("task", ["irony", "hate"])
def test_binary_tweet_tasks_equal_scikit_learn(run, shared, task):
    files = [shared / "data/tweeteval" / task / f"{side}.txt" for side in ("gold", "predicted")]
    gold, predicted = [read_labels(file) for file in files]
    expected = {(name, None): f(gold, predicted, pos_label="1") for name, f in SCORERS.items()}
    expected["accuracy", None] = sk.accuracy_score(gold, predicted)
    expected["positive_rate", None] = gold.count("1") / len(gold)
    assert expected == pytest.approx(read_scores(run(*files, "--format", "json")), abs=1e-12, rel=0)


def test_probabilities_equal_scikit_learn(run, toxicity, shared):
    expected = {}
    for language in ("es", "it", "tr"):
        text = (shared / f"data/toxicity/predictions/baseline_{language}.csv").read_text()
        rows = list(csv.DictReader(StringIO(text)))
        gold = [int(row["y_true"]) for row in rows]
        expected[language] = sk.roc_auc_score(gold, [float(row["y_prob"]) for row in rows])
    expected["macro"] = sum(expected.values()) / 3

    numbers = read_numbers(run(*toxicity, "--format", "csv"))
    actual = {language: numbers[language, "roc_auc"] for language in expected}

    assert expected == pytest.approx(actual, abs=1e-12, rel=0)

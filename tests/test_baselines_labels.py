"""The majority and the random baseline repeat answers of the training file."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from tallystick.baselines import predict_majority, predict_random
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.model.task import Task

TOPICS = "id,sport,food,travel\n"


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def score(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code = main(["score", *map(str, arguments), "--format", "json"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return {record["name"]: record["value"] for record in json.loads(captured.out)["scores"]}


def test_majority_of_the_verdicts_has_the_published_figures(shared, tmp_path, capsys):
    gold, output = shared / "data/aita/true_labels_dev.txt", tmp_path / "majority.txt"
    expected = (shared / "data/aita/predicted_labels_simple.txt").read_text().split()

    assert main(["baseline", "majority", str(gold), str(gold), "-o", str(output)]) == 0
    capsys.readouterr()
    values = score(capsys, gold, output)

    assert expected == output.read_text().split()
    assert [0.6564, 0.5203, 0.1981] == [
        round(values[name], 4) for name in ("accuracy", "weighted_f1", "macro_f1")
    ]


@pytest.mark.parametrize("labels", [["b", "a", "b"], ["1", "0"], ["c", "b", "b", "c", "a"]])
def test_majority_is_that_of_scikit_learn(tmp_path, labels):
    train = write(tmp_path / "train.txt", "\n".join(labels))
    test, output = write(tmp_path / "test.txt", "?\n?"), tmp_path / "out.txt"
    dummy = DummyClassifier(strategy="most_frequent").fit(labels, labels)

    predict_majority(train, test, str(output))

    assert dummy.predict(["?", "?"]).tolist() == output.read_text().split()


def test_tables_keep_the_ids_of_the_test(tmp_path, capsys):
    train = write(tmp_path / "train.csv", "id,toxic\n1,0\n2,0\n3,1\n")
    test = write(tmp_path / "test.csv", "sub_id,toxic\nx,0\ny,1\n")
    output = tmp_path / "out.csv"

    assert main(["baseline", "majority", train, test, "-o", str(output)]) == 0
    capsys.readouterr()

    assert [{"sub_id": "x", "y_pred": "0"}, {"sub_id": "y", "y_pred": "0"}] == read_rows(output)
    assert score(capsys, test, output)["accuracy"] == 0.5


def test_a_table_without_ids_is_joined_by_order(tmp_path, capsys):
    train = write(tmp_path / "train.csv", "text,verdict\na,up\nb,up\nc,down\n")
    test = write(tmp_path / "test.csv", "text,label\nd,up\ne,down\n")
    output = tmp_path / "out.csv"
    options = ["--gold-column", "verdict", "-o", str(output)]

    assert main(["baseline", "majority", train, test, *options]) == 0
    capsys.readouterr()

    assert [{"y_pred": "up"}, {"y_pred": "up"}] == read_rows(output)
    assert score(capsys, test, output)["accuracy"] == 0.5


def test_the_commonest_set_is_the_majority_of_label_columns(tmp_path, capsys):
    rows = "1,1,0,0\n2,0,1,1\n3,0,1,1\n4,1,0,1\n"
    gold, output = write(tmp_path / "gold.csv", TOPICS + rows), tmp_path / "out.csv"

    predict_majority(gold, gold, str(output))

    assert [["0", "1", "1"]] * 4 == [list(row.values())[1:] for row in read_rows(output)]
    assert score(capsys, gold, output)["exact_match_ratio"] == 0.5


@pytest.mark.parametrize("name", ["out.csv", "out.txt"])
def test_the_commonest_set_is_the_majority_of_cells(tmp_path, capsys, name):
    gold = write(tmp_path / "gold.csv", "y_true\nlove|joy\njoy|love\nfear\n")
    output = tmp_path / name

    predict_majority(gold, gold, str(output), task=Task("multilabel"))
    values = score(capsys, gold, output, "--task", "multilabel")

    assert 3 == output.read_text().count("love")
    assert values["exact_match_ratio"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_seed_draws_the_same_again(tmp_path, seed):
    train = write(tmp_path / "train.txt", "a\nb\nc\n")
    test = write(tmp_path / "test.txt", "?\n" * 200)
    outputs = [tmp_path / name for name in ("one.txt", "two.txt", "other.txt")]

    for output, drawn in zip(outputs, (seed, seed, seed + 1), strict=True):
        predict_random(train, test, str(output), random_seed=drawn)
    one, two, other = (output.read_text() for output in outputs)

    assert [one, False] == [two, one == other]


def test_random_labels_are_as_common_as_in_training(tmp_path):
    train = write(tmp_path / "train.txt", "a\n" * 7 + "b\n" * 2 + "c\n")
    test, output = write(tmp_path / "test.txt", "?\n" * 10_000), tmp_path / "out.txt"

    predict_random(train, test, str(output))
    counts = Counter(output.read_text().split())
    expected = {"a": 0.7, "b": 0.2, "c": 0.1}

    assert expected == pytest.approx(
        {label: counts[label] / 10_000 for label in expected}, abs=4 * np.sqrt(0.21 / 10_000)
    )


def test_random_sets_are_whole_sets_of_training(tmp_path):
    gold = write(tmp_path / "gold.csv", TOPICS + "1,1,0,0\n2,0,1,1\n3,0,1,1\n")
    output = tmp_path / "out.csv"

    predict_random(gold, gold, str(output), random_seed=3)
    drawn = {tuple(row.values())[1:] for row in read_rows(output)}

    assert {("1", "0", "0"), ("0", "1", "1")} >= drawn


def test_the_command_draws_by_its_seed(tmp_path):
    train = write(tmp_path / "train.txt", "a\nb\nc\n")
    test = write(tmp_path / "test.txt", "?\n" * 50)
    outputs = [tmp_path / name for name in ("function.txt", "command.txt")]

    predict_random(train, test, str(outputs[0]), random_seed=5)
    main(["baseline", "random", train, test, "-o", str(outputs[1]), "--random-seed", "5"])

    assert outputs[0].read_text() == outputs[1].read_text()


@pytest.mark.parametrize("predict", [predict_majority, predict_random])
def test_other_endings_are_refused(tmp_path, predict):
    train = write(tmp_path / "train.txt", "a\n")

    with pytest.raises(UsageError, match=r"written as \.csv or \.txt, not as .*out\.json"):
        predict(train, train, str(tmp_path / "out.json"))


def test_an_empty_label_is_located(tmp_path):
    train, output = write(tmp_path / "train.txt", "a\n\nb\n"), tmp_path / "out.txt"

    with pytest.raises(InputError, match=r"train\.txt, line 2, column 'label': .*empty"):
        predict_majority(train, train, str(output))
    assert not output.exists()


def test_a_seed_below_zero_is_refused(tmp_path, capsys):
    gold, output = write(tmp_path / "gold.txt", "a\n"), tmp_path / "out.txt"
    code = main(["baseline", "random", gold, gold, "-o", str(output), "--random-seed=-3"])

    assert (2, False) == (code, output.exists())
    assert "a random seed must be a whole number of 0 or more, not -3" in capsys.readouterr().err

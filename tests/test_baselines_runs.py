"""A prediction file says what its probabilities and its threshold mean, and is written whole."""

import csv
from pathlib import Path

import numpy as np
import pytest

from invented import write_split
from tallystick.baselines.splits import Predicted, Split, Splits, Target, predict_languages
from tallystick.errors import InputError, UsageError


@pytest.fixture
def split(tmp_path: Path) -> Split:
    rows = [("x", "a", "OFF"), ("y", "b", "NOT"), ("z", "c", "OFF")]
    write_split(tmp_path / "data" / "aa" / "test.csv", rows, header="id,comment_text,toxic")
    return Splits(str(tmp_path / "data"), ("aa",), positive="OFF").read("aa", "test")


def test_a_probability_of_the_threshold_is_positive(tmp_path, split):
    probabilities = np.array([0.5, np.nextafter(0.5, 0), 1 / 3])

    done = Target(str(tmp_path / "deep" / "out"), "tag").write(split, probabilities, 0.5)
    with open(done.path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))

    assert [
        ["id", "y_true", "y_prob", "y_pred", "best_threshold"],
        ["x", "OFF", "0.5", "OFF", "0.5"],
        ["y", "NOT", "0.49999999999999994", "NOT", "0.5"],
        ["z", "OFF", "0.3333333333333333", "NOT", "0.5"],
    ] == rows


def test_what_is_no_number_is_no_probability(tmp_path, split):
    with pytest.raises(InputError, match="no probability for example 2 of language 'aa', but nan"):
        Target(str(tmp_path), "tag").write(split, np.array([0.1, np.nan, 0.2]), 0.5)
    assert ["data"] == [one.name for one in tmp_path.iterdir()]


def test_a_failure_keeps_its_kind():
    def predict(language: str) -> Predicted:
        if language == "bb":
            raise UsageError("not so")
        return Predicted(f"{language}.csv", 1, 0.5)

    with pytest.raises(UsageError, match=r"^not so; finished before: aa\.csv, cc\.csv$"):
        predict_languages(["aa", "cc", "bb"], predict)
    with pytest.raises(UsageError, match=r"^not so$"):
        predict_languages(["bb", "aa"], predict)


@pytest.mark.parametrize("languages", [[], ["aa", "bb", "aa"]])
def test_languages_are_named_once(languages):
    with pytest.raises(UsageError, match="name each language once, not: "):
        predict_languages(languages, lambda language: Predicted(language, 1, 0.5))

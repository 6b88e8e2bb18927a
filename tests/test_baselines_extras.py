"""Baselines without their extras: what to install, who sees a bar, and a model made up here."""

import csv
import io
import sys

import numpy as np
import pytest

from invented import write_split, write_splits
from tallystick.baselines import Model, Splits, predict_detoxify
from tallystick.cli import main
from tallystick.errors import InputError, UsageError


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Says so."""
        return True


@pytest.mark.parametrize(
    ("baseline", "package", "extra"),
    [("tfidf", "skops", "baselines"), ("detoxify", "torch", "detoxify")],
)
def test_a_missing_extra_is_named(tmp_path, monkeypatch, capsys, baseline, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    options = ["--data", str(write_splits(tmp_path / "data")), "-o", str(tmp_path / "out")]

    assert main(["baseline", baseline, *options]) == 2
    assert f"needs the extra: pip install 'tallystick[{extra}]'" in capsys.readouterr().err


def test_a_batch_has_a_text():
    with pytest.raises(UsageError, match="the batch size must be 1 or more, not 0"):
        Model(batch_size=0)


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_bar_is_shown_on_a_terminal_alone(tmp_path, monkeypatch, stream):
    told = stream()
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setenv("TERM", "xterm")
    data, output = write_splits(tmp_path / "data", ("aa",)), str(tmp_path / "out")

    main(["baseline", "tfidf", "--data", str(data), "-o", output])
    words = told.getvalue()

    assert f"wrote {output}/baseline_aa.csv: 20 examples, threshold 0." in " ".join(words.split())
    assert (stream is Terminal) == ("%" in words)


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_probabilities_come_in_the_order_of_the_texts(tmp_path, monkeypatch, batch_size):
    monkeypatch.setattr(
        "tallystick.baselines.detoxify._load",
        lambda model: lambda texts: np.array([len(text) / 10 for text in texts]),
    )
    write_split(tmp_path / "data" / "aa" / "val.csv", [("abcde", 1), ("abc", 0), ("abcd", 0)])
    write_split(tmp_path / "data" / "aa" / "test.csv", [("ab", 0), ("abcdef", 1), ("", 0)])
    splits = Splits(str(tmp_path / "data"), ("aa",))

    done = predict_detoxify(splits, str(tmp_path), model=Model(batch_size=batch_size))
    with open(done["aa"].path, newline="") as file:
        rows = list(csv.DictReader(file))

    assert 0.41 == pytest.approx(done["aa"].threshold)
    assert [("0.2", "0"), ("0.6", "1"), ("0.0", "0")] == [
        (row["y_prob"], row["y_pred"]) for row in rows
    ]


def test_a_model_that_gives_no_number_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "tallystick.baselines.detoxify._load",
        lambda model: lambda texts: np.full(len(texts), np.nan),
    )
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))

    with pytest.raises(InputError, match=r"val\.csv: the model gives no probability for example 1"):
        predict_detoxify(splits, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_model_that_finds_nothing_has_the_first_threshold(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "tallystick.baselines.detoxify._load", lambda model: lambda texts: np.zeros(len(texts))
    )
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))

    assert 0.1 == predict_detoxify(splits, str(tmp_path / "out"))["aa"].threshold

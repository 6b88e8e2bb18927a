"""`--bins N`: probabilities in constant memory, with the error shown, whatever the sharding."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallystick
from tallystick import Columns, Task
from tallystick.cli import main

METRICS = ["-m", "roc_auc", "average_precision", "brier_score", "log_loss", "ece"]
SYSTEMS = ["a", "b"]


def invent(folder: Path, size: int = 300, decimals: int = 17, labels: int = 2) -> list[str]:
    """Gold and two systems as JSON Lines, whole and in three parts dealt at random."""
    random = np.random.default_rng(size)
    gold = random.integers(labels, size=size)
    parts = random.integers(3, size=size)
    easy = random.normal(size=size // 5 + 1)[np.arange(size) // 5]
    for name in ("gold", *SYSTEMS):
        lines = []
        for row in range(size):
            own: dict[str, Any] = {"id": f"x{row}"}
            if name == "gold":
                own |= {"y_true": int(gold[row]), "lang": "de" if row % 15 > 4 else "en"}
                own["doc"] = f"d{row // 5}"
            else:
                odds = random.normal(size=labels) * (1 + (name == "b")) + easy[row]
                odds[gold[row]] += 2
                chances = np.exp(odds) / np.exp(odds).sum()
                own["y_prob"] = round(float(chances[1]), decimals)
            lines.append(json.dumps(own) + "\n")
        for part in (None, 0, 1, 2):
            kept = [line for line, at in zip(lines, parts, strict=True) if part in (None, at)]
            (folder / f"{name}{'' if part is None else part}.jsonl").write_text("".join(kept))
    return name_files(folder, "")


def name_files(folder: Path, part: object) -> list[str]:
    """Gold and the named systems of one part, or of all."""
    gold, *systems = (str(folder / f"{name}{part}.jsonl") for name in ("gold", *SYSTEMS))
    return [gold, *(f"{name}={path}" for name, path in zip(SYSTEMS, systems, strict=True))]


def run(command: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Runs a command; returns its exit code, output and messages."""
    code = main(list(command))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def read(command: Sequence[str], capsys: pytest.CaptureFixture[str]) -> Any:
    """The JSON that a command writes."""
    code, out, err = run([*command, "--format", "json"], capsys)
    assert code == 0, err
    return json.loads(out)


def test_the_error_stands_beside_the_value(tmp_path, capsys):
    """In JSON as a field, in words as a note; exact values and their intervals lie within."""
    files = invent(tmp_path)
    exact = read(["score", *files, *METRICS, "--by", "lang"], capsys)["scores"]
    command = ["score", *files, *METRICS, "--by", "lang", "--bins", "40"]
    binned = read(command, capsys)["scores"]
    note = run(command, capsys)[2]

    for one, other in zip(exact, binned, strict=True):
        assert one["bin_error"] is None
        assert abs(one["value"] - other["value"]) <= other["bin_error"] + 1e-12
        assert other["low"] <= one["value"] <= other["high"]
        assert "bins:40" in other["signature"]
    assert "probabilities were counted in 40 bins: roc_auc is within 0.0" in note
    assert "brier_score and log_loss and ece are exact" in note


def test_python_takes_bins_too():
    """As an option of how columns are read."""
    random = np.random.default_rng(6)
    gold, chances = random.integers(2, size=200), random.random(200)
    task = Task("binary", (0, 1), 1)
    kept = tallystick.score(gold, chances, "roc_auc", task=task)
    binned = tallystick.score(gold, chances, "roc_auc", task=task, columns=Columns(bins=20))
    (score,) = binned.scores

    assert 0 < abs(score.value - kept["roc_auc"]) <= (score.bin_error or 0) < 0.05
    assert any("counted in 20 bins" in note for note in binned.notes)


def test_bins_of_single_scores_give_what_scores_give(tmp_path, capsys):
    """Two decimals in 100 bins: differences, intervals and p-values of clusters are the same."""
    files = invent(tmp_path, decimals=2)
    command = ["compare", *files, *METRICS, "--by", "lang", "--clusters", "doc"]
    command += ["--resamples", "100"]
    fields = ("difference", "low", "high", "p", "p_holm")
    found = [
        [[one[name] for name in fields] for one in read(own, capsys)["differences"]]
        for own in (command, [*command, "--bins", "100"])
    ]

    assert np.array(found[0]) == pytest.approx(np.array(found[1]), abs=1e-7)


@pytest.mark.deep
@pytest.mark.parametrize(
    "options", [[], ["--by", "lang"], ["--clusters", "doc"], ["--by", "lang", "--clusters", "doc"]]
)
def test_intervals_of_bins_of_single_scores_are_those_of_scores(tmp_path, capsys, options):
    """Of every row, from DeLong's variance, the jackknife, clusters, and groups together."""
    command = ["score", *invent(tmp_path, decimals=2), *METRICS, *options]
    fields = ("value", "low", "high")
    found = [
        [[one[name] for name in fields] for one in read(own, capsys)["scores"]]
        for own in (command, [*command, "--bins", "100"])
    ]

    assert np.array(found[0]) == pytest.approx(np.array(found[1]), abs=1e-8)


@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_of_several_labels_are_no_narrower(tmp_path, capsys, clustered):
    """Bins do not tell how labels go together; clusters do."""
    random = np.random.default_rng(7)
    gold = random.integers(3, size=600)
    odds = random.normal(size=(600, 3)) + np.eye(3)[gold]
    chances = np.round(np.exp(odds) / np.exp(odds).sum(1, keepdims=True), 2)
    chances[:, 2] = np.round(1 - chances[:, 0] - chances[:, 1], 2)
    names = ["y_true", "prob_a", "prob_b", "prob_c", "doc"]
    rows = [
        ["abc"[own], *map(str, row), f"d{at // 4}"]
        for at, (own, row) in enumerate(zip(gold.tolist(), chances.tolist(), strict=True))
    ]
    path = tmp_path / "rows.csv"
    path.write_text("".join(",".join(row) + "\n" for row in [names, *rows]))
    command = ["score", str(path), *METRICS, *(["--clusters", "doc"] if clustered else [])]
    exact = read(command, capsys)["scores"]
    binned = read([*command, "--bins", "100"], capsys)["scores"]

    for one, other in zip(exact, binned, strict=True):
        assert one["value"] == pytest.approx(other["value"], abs=1e-9)
        assert other["low"] <= one["low"] + 1e-8
        assert other["high"] >= one["high"] - 1e-8
        if clustered:
            assert (one["low"], one["high"]) == pytest.approx((other["low"], other["high"]))


def test_the_error_counts_against_a_difference(tmp_path, capsys):
    """With two bins next to nothing is known of ranks, and nothing is significant."""
    files = invent(tmp_path)
    command = ["compare", *files, "-m", "roc_auc", "--clusters", "doc", "--resamples", "200"]
    (exact,) = read(command, capsys)["differences"]
    (coarse,) = read([*command, "--bins", "2"], capsys)["differences"]

    assert exact["p"] < 0.01
    assert coarse["p"] == 1
    assert coarse["low"] < exact["low"]
    assert exact["high"] < coarse["high"]
    gate = ["gate", files[0], files[2], "--against", files[1], "-m", "roc_auc"]
    gate += ["--max-drop", "0.2", "--clusters", "doc", "--resamples", "200"]
    assert [0, 3] == [run(own, capsys)[0] for own in (gate, [*gate, "--bins", "2"])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "--bins", "9"], "leave out --bins, or name --clusters"),
        (["rank", "--bins", "9"], "leave out --bins, or name --clusters"),
        (["plan", "--bins", "9", "--clusters", "doc"], "a plan needs each probability"),
        (["score", "--seeds", "--bins", "9"], "the mean over runs needs each probability"),
        (
            ["compare", "--bins", "9", "--clusters", "doc", "--test", "ar"],
            "ar needs each probability; with --bins choose t",
        ),
        (["score", "--bins", "0"], "bins is a whole number from 1 to 1,048,576, not 0"),
        (["score", "--bins", "9", "--weight-column", "y_true"], "and do not weigh them"),
        (["score", "--bins", "9", "--prevalence", "1=0.1"], "leave out one of the two"),
    ],
)
def test_what_bins_cannot_tell_is_said(tmp_path, capsys, arguments, message):
    """No p-value is made up."""
    command, *options = arguments

    code, out, err = run([command, *invent(tmp_path), "-m", "roc_auc", *options], capsys)

    assert (2, "") == (code, out)
    assert message in err


def test_other_bins_do_not_add(tmp_path, capsys):
    """Nor do bins add to probabilities."""
    invent(tmp_path)
    saved = []
    for part, options in enumerate((["--bins", "10"], ["--bins", "20"], [])):
        saved.append(str(tmp_path / f"{part}.tally"))
        files = name_files(tmp_path, part)
        assert main(["count", *files, "-m", "roc_auc", *options, "-o", saved[-1]]) == 0
    capsys.readouterr()

    for other, bins in ((1, "20"), (2, "none")):
        code, out, err = run(["score", saved[0], saved[other]], capsys)
        assert (2, "") == (code, out)
        assert f"cannot be added: the bins of probabilities ({bins}) and (10)" in err


def test_other_metrics_read_the_same_bins(tmp_path, capsys):
    """What was counted for one metric of probabilities serves all."""
    files = invent(tmp_path)
    saved = str(tmp_path / "all.tally")
    assert main(["count", *files, "-m", "roc_auc", "--bins", "30", "-o", saved]) == 0
    options = ["-m", "ece", "brier_score", "--format", "json"]

    assert (
        run(["score", *files, *options, "--bins", "30"], capsys)[:2]
        == run(["score", saved, *options], capsys)[:2]
    )


def test_thresholds_are_tuned_on_saved_tallies(tmp_path, capsys):
    """Of all parts, as on the rows where bins keep every score; and the error is told."""
    rows = tmp_path / "rows.jsonl"
    random = np.random.default_rng(4)
    gold = random.integers(2, size=300)
    chances = np.round(np.clip(random.normal(0.4 + 0.2 * gold, 0.2), 0, 1), 2)
    pairs = zip(gold.tolist(), chances.tolist(), strict=True)
    lines = [json.dumps({"y_true": one, "y_prob": other}) + "\n" for one, other in pairs]
    rows.write_text("".join(lines))
    found = []
    for bins in ([], ["--bins", "100"], ["--bins", "9"]):
        saved = []
        for part in range(2):
            path = tmp_path / f"{part}.jsonl"
            path.write_text("".join(lines[part::2]))
            saved.append(str(tmp_path / f"{part}.tally"))
            command = ["count", str(path), "-m", "roc_auc", *bins, "-o", saved[-1]]
            assert main(command) == 0
        capsys.readouterr()
        found.append(run(["tune", *saved, "-m", "mcc"], capsys))
    expected = run(["tune", str(rows), "-m", "mcc"], capsys)

    assert expected == found[0]
    assert expected[1].split()[:7] == found[1][1].split()[:7]
    assert "within a bin mcc is better by at most 0." in found[2][2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cross-fit", "5"], "--cross-fit needs the rows"),
        (["--by", "lang"], "--by goes with `tallystick count`"),
        (["--grid", "seed"], "--grid needs each probability; count again without --bins"),
    ],
)
def test_what_tuning_on_tallies_cannot_do_is_told(tmp_path, capsys, options, message):
    """Each has a sentence of its own."""
    saved = str(tmp_path / "one.tally")
    files = invent(tmp_path)[:2]
    assert main(["count", *files, "-m", "roc_auc", "--bins", "10", "-o", saved]) == 0
    capsys.readouterr()

    code, out, err = run(["tune", saved, *options], capsys)

    assert (2, "") == (code, out)
    assert message in err


def test_small_bins_are_refused_on_request(tmp_path, capsys):
    """Few bins hold many examples each, and many bins do not."""
    files = invent(tmp_path, 900)
    found = []
    for bins in ("2", "100"):
        command = ["count", *files, "-m", "roc_auc", "--bins", bins, "--min-cell", "20"]
        found.append(run([*command, "-o", str(tmp_path / "all.tally")], capsys))

    assert [0, 4] == [code for code, _, _ in found]
    assert "cells of Curve(bins=100) have fewer than 20 examples" in found[1][2]

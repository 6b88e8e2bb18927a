"""The shared task of the examples, checked and scored from end to end."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

from tallystick.cli import main


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1] / "examples" / "shared_task")


def _score(capsys, *arguments):
    code = main(["task", "score", *arguments, "--format", "json"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    return code, {(one["track"], one["system"], one["name"]): one["value"] for one in scores}


def _read(path):
    with open(path, newline="") as file:
        rows = {row.pop("sub_id"): [*row.values()] for row in csv.DictReader(file)}
    return [rows[name] for name in sorted(rows)]


def _score_elsewhere(track, team):
    gold, own = _read(f"gold/test/{track}.csv"), _read(f"entries/test/{team}/{track}.csv")
    if track == "track2":
        gold, own = np.array(gold).astype(int), np.array(own).astype(int)
        return {
            "macro_f1": sk.f1_score(gold, own, average="macro", zero_division=0),
            "hamming_loss": sk.hamming_loss(gold, own),
            "exact_match_ratio": sk.accuracy_score(gold, own),
        }
    how = {"pos_label": "P"} if track == "track3" else {"average": "macro", "zero_division": 0}
    prefix = "" if track == "track3" else "macro_"
    return {
        f"{prefix}f1": sk.f1_score(gold, own, **how),
        f"{prefix}precision": sk.precision_score(gold, own, **how),
        f"{prefix}recall": sk.recall_score(gold, own, **how),
    }


@pytest.mark.parametrize("track", ["track1", "track2", "track3"])
def test_scores_equal_scikit_learn(capsys, track):
    _, found = _score(capsys, "entries", "--phase", "test")
    out = {"track1": {"quetzal"}, "track2": {"nopal", "quetzal"}, "track3": {"majority"}}[track]

    own = {(team, name): value for (where, team, name), value in found.items() if where == track}
    expected = {
        (team, name): value
        for team in ["colibri", "jaguar/run1", "jaguar/run2", "majority", "nopal", "quetzal"]
        if team not in out
        for name, value in _score_elsewhere(track, team).items()
    }
    if track == "track3":  # it never says P: its precision is undefined there
        baseline = {name: own.pop(("majority", name)) for name in ("f1", "precision", "recall")}
        assert {"f1": 0.0, "precision": None, "recall": 0.0} == baseline
    assert expected == pytest.approx(own, abs=1e-12)


def test_phases_have_submissions_of_their_own(capsys):
    code, found = _score(capsys, "entries", "--phase", "development")
    assert (0, {"colibri", "jaguar", "majority"}) == (code, {team for _, team, _ in found})


def test_a_zipped_submission_has_the_same_scores(capsys, tmp_path):
    _, expected = _score(capsys, "entries/test/colibri", "--phase", "test")
    team = Path("entries/test/colibri")
    for root, inside in ((team, "."), (team.parent, team.name)):
        packed = shutil.make_archive(str(tmp_path / "colibri"), "zip", root, inside)
        assert (0, expected) == _score(capsys, packed, "--phase", "test")


def test_check_tells_what_the_server_will_tell(capsys):
    assert [0, 4] == [
        main(["task", "check", f"entries/test/{team}", "--phase", "test"])
        for team in ("colibri", "quetzal")
    ]
    assert capsys.readouterr().out == (
        "track1: can be scored\ntrack2: can be scored\ntrack3: can be scored\n"
        "error: track1: track1.csv: has no prediction for 4 ids (00847, 00848, 00849, 00850); "
        "every example needs one\n"
        "note: track2: has no file track2.csv; the submission takes no part in it\n"
        "track1: rejected\ntrack2: left out\ntrack3: can be scored\n"
    )


def test_a_phase_must_be_named(capsys):
    assert 2 == main(["task", "check", "entries/test/colibri"])
    assert "name one of the phases development, test" in capsys.readouterr().err

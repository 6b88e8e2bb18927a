"""Errors outside of the program are told in a sentence, and never by a traceback."""

import sys

import pytest

from tallystick.cli import main

BROKEN = """
from typing import ClassVar

from tallystick.kinds.labels.counters import Confusion
from tallystick.model.tallies.metric import Metric


class Broken(Metric):
    short: ClassVar[str] = "broken"
    title: ClassVar[str] = "Broken"
    better: ClassVar[str] = "higher"
    bounds: ClassVar[tuple] = (0, 1)
    counters: ClassVar[tuple] = (Confusion,)

    def score(self, tally):
        return {}["nothing"]
"""


def test_a_metric_of_ones_own_that_raises_is_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "wrong_metric.py").write_text(BROKEN)
    (tmp_path / "a.csv").write_text("gold,y_pred\na,a\nb,a\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    code = main(["score", str(tmp_path / "a.csv"), "-m", "wrong_metric:Broken"])
    sys.modules.pop("wrong_metric", None)

    assert 2 == code
    assert (
        "tallystick: error: wrong_metric:Broken raised KeyError: 'nothing' "
        "(wrong_metric.py, line 18)\n"
    ) == capsys.readouterr().err


def test_a_task_file_without_its_option_is_told_where_it_belongs(capsys):
    with pytest.raises(SystemExit):
        main(["task", "check", "task.yaml", "a.csv"])

    assert "the task file is named with --task task.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "call", "told"),
    [
        ("gate", "gold.txt a.txt --confidense .9", "--confidense .9; did you mean --confidence?"),
        ("score", "gold.txt a.txt --min f1=0", "--min f1=0"),
        ("task check", "--task t.yaml a.csv --fase dev", "--fase dev; did you mean --phase?"),
        ("task check", "--task t.yaml a.csv b.csv", "b.csv"),
    ],
)
def test_an_unknown_option_is_told_with_the_nearest_one(capsys, command, call, told):
    with pytest.raises(SystemExit):
        main([*command.split(), *call.split()])
    said = capsys.readouterr().err

    assert said.startswith(f"usage: tallystick {command} ")
    assert said.endswith(f"tallystick {command}: error: unrecognized arguments: {told}\n")


def test_other_arguments_that_are_unknown_have_no_such_hint(capsys):
    with pytest.raises(SystemExit):
        main(["score", "gold.txt", "a.yaml", "--nonsense"])

    assert "--task" not in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("metric", ["true_positives", "F1(average='binary')"])
def test_a_metric_of_one_label_among_many_says_how_it_is_named(metric, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("gold,y_pred\na,a\nb,a\nc,c\n")

    assert 2 == main(["score", str(tmp_path / "a.csv"), "-m", metric])
    told = "is meant of 'a', 'b', 'c'; name it, as in F1(positive='c'), or take all of them"
    assert told in capsys.readouterr().err

"""The parameters that models are chosen by: who decides them, and what metric they make."""

import asyncio
import subprocess
import sys

import pytest

from tallystick import Scoring, scoring_defaults
from tallystick.errors import UsageError
from tallystick.metrics import F1, ROCAUC, Accuracy, LScore, Precision, Recall, SScore


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch):
    for name in ("SCORING", "AVG", "POS_LABEL", "SECONDARY_SCORING", "STRENGTH"):
        monkeypatch.delenv(f"TALLYSTICK_{name}", raising=False)
    with scoring_defaults():
        yield


def test_usual_parameters_are_those_of_sam_ml():
    assert Scoring("accuracy", "macro", None, None, 3) == Scoring()


def test_setting_holds_until_it_is_set_again():
    scoring_defaults(scoring="l_score", strength=5)
    scoring_defaults(strength=4)
    assert Scoring("l_score", strength=4) == Scoring()


def test_setting_in_a_with_statement_ends_with_it():
    scoring_defaults(avg="micro")
    with scoring_defaults(scoring="f1") as outer, scoring_defaults(avg="weighted") as inner:
        seen = Scoring()
    assert Scoring("f1", "micro") == outer
    assert Scoring("f1", "weighted") == inner == seen
    assert Scoring("accuracy", "micro") == Scoring()


def test_setting_ends_with_an_error():
    with pytest.raises(ZeroDivisionError), scoring_defaults(strength=9):
        raise ZeroDivisionError
    assert 3 == Scoring().strength


def test_setting_in_a_task_stays_in_it():
    async def work() -> Scoring:
        scoring_defaults(strength=9)
        return Scoring()

    scoring_defaults(avg="micro")
    inside = asyncio.run(work())

    assert ("micro", 9) == (inside.avg, inside.strength)
    assert 3 == Scoring().strength


@pytest.mark.parametrize(("name", "text", "field", "value"), [
    ("SCORING", "s_score", "scoring", "s_score"),
    ("AVG", "Micro", "avg", "micro"),
    ("POS_LABEL", "2", "pos_label", 2),
    ("POS_LABEL", "-1", "pos_label", -1),
    ("POS_LABEL", "'2'", "pos_label", "2"),
    ("POS_LABEL", "''", "pos_label", "''"),
    ("POS_LABEL", "toxic", "pos_label", "toxic"),
    ("POS_LABEL", "none", "pos_label", None),
    ("SECONDARY_SCORING", "recall", "secondary_scoring", "recall"),
    ("SECONDARY_SCORING", "None", "secondary_scoring", None),
    ("STRENGTH", "4", "strength", 4),
    ("STRENGTH", "2.5", "strength", 2.5),
    ("STRENGTH", " ", "strength", 3),
])  # fmt: skip
def test_environment_decides_what_is_not_set(name, text, field, value, monkeypatch):
    monkeypatch.setenv(f"TALLYSTICK_{name}", text)
    assert value == getattr(Scoring(), field)


def test_argument_goes_before_setting_before_environment(monkeypatch):
    monkeypatch.setenv("TALLYSTICK_SECONDARY_SCORING", "recall")
    environment = Scoring().secondary_scoring
    scoring_defaults(secondary_scoring="precision")
    assert "recall" == environment
    assert "precision" == Scoring().secondary_scoring
    assert Scoring(secondary_scoring=None).secondary_scoring is None


def test_import_does_not_read_the_environment():
    code = "import os; os.environ['TALLYSTICK_STRENGTH'] = 'x'; import tallystick; tallystick.score"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert 0 == done.returncode


@pytest.mark.parametrize(("name", "text", "message"), [
    ("SCORING", "acuracy", "unknown metric 'acuracy'; did you mean accuracy?"),
    ("AVG", "mean", "avg must be one of 'binary', 'macro', 'micro', 'weighted', 'samples', not"),
    ("SECONDARY_SCORING", "f1", "secondary_scoring must be one of None, 'precision', 'recall'"),
    ("STRENGTH", "0", "strength must be a number of 1 or more, not 0"),
    ("STRENGTH", "strong", "strength must be a number of 1 or more, not 'strong'"),
    ("STRENGTH", "inf", "strength must be a number of 1 or more, not inf"),
])  # fmt: skip
def test_bad_variable_is_told(name, text, message, monkeypatch):
    monkeypatch.setenv(f"TALLYSTICK_{name}", text)
    with pytest.raises(UsageError) as caught:
        Scoring()
    assert str(caught.value).startswith(f"TALLYSTICK_{name} in the environment: {message}")


@pytest.mark.parametrize("ask", [Scoring, scoring_defaults])
@pytest.mark.parametrize(("options", "message"), [
    ({"scoring": "acuracy"}, "unknown metric 'acuracy'"),
    ({"scoring": None}, "scoring must be the name of a metric, not None"),
    ({"scoring": "F1('mean')"}, "average must be one of"),
    ({"avg": None}, "avg must be one of"),
    ({"pos_label": 0.5}, "a label is text or a whole number, not 0.5"),
    ({"secondary_scoring": "f1"}, "secondary_scoring must be one of"),
    ({"strength": 0}, "strength must be a number of 1 or more, not 0"),
])  # fmt: skip
def test_bad_parameter_is_told(ask, options, message):
    with pytest.raises(UsageError) as caught:
        ask(**options)
    assert str(caught.value).startswith(message)
    assert Scoring("accuracy", "macro", None, None, 3) == Scoring()


@pytest.mark.parametrize(
    ("scoring", "metric"),
    [
        (Scoring(), Accuracy()),
        (Scoring("s_score", strength=3), SScore()),
        (Scoring("s_score", secondary_scoring="precision", pos_label=2, strength=4),
         SScore("precision", 2, 4)),
        (Scoring("L_Score"), LScore(strength=3)),
        (Scoring("l_score", pos_label=-1), LScore(strength=3)),
        (Scoring("precision"), Precision("macro", zero_division=0)),
        (Scoring(" recall ", "weighted"), Recall("weighted", zero_division=0)),
        (Scoring("f1", "binary", "toxic"), F1(positive="toxic")),
        (Scoring("f1", "binary", -1), F1()),
        (Scoring("micro_f1", "weighted"), F1("micro", zero_division=0)),
        (Scoring("F1()", "weighted", "toxic"), F1()),
        (Scoring("roc_auc", "weighted"), ROCAUC()),
    ],
)  # fmt: skip
def test_parameters_make_a_metric(scoring, metric):
    assert repr(metric) == repr(scoring.metric())

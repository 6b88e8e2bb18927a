"""Rankings and comparisons on a terminal: the words of the text table, drawn by rich."""

import math
import re

import pytest

from places import place
from tallystick.output.results.ranking import Ranking
from tallystick.output.tables.document import Style
from tallystick.output.tables.text import print_rich
from tallystick.results import Comparison, Difference, Refusal

RANKING = Ranking(
    (
        place("a[red]b", 0.9, 1, letters="a"),
        place("most", 0.6, baseline=True),
        place("x", math.nan, metric="MCC()"),
    ),
    refused=(Refusal("bad", None, "bad.csv: row 3 has 1 field"),),
    notes=("ten is a small number.",),
)
COMPARISON = Comparison(
    (
        Difference(
            a="a",
            b="b",
            group=None,
            metric="Accuracy()",
            name="accuracy",
            value_a=0.9,
            value_b=0.7,
            difference=0.2,
            low=0.1,
            high=0.3,
            confidence=0.95,
            p=0.001,
            p_holm=0.001,
            test="ar",
            n=50,
            better="higher",
            signature="Accuracy()",
        ),
    ),
    ("tested by approximate randomisation.",),
)


@pytest.mark.parametrize("result", [RANKING, COMPARISON], ids=["ranking", "comparison"])
def test_a_terminal_shows_the_words_of_the_text(result, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "102")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    expected = re.sub("-{2,}", "", str(result)).split()

    print_rich(result.document(), Style())

    assert expected == capsys.readouterr().out.replace("─", "").split()


def test_a_baseline_is_not_dimmed(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")

    print_rich(RANKING.document(), Style())

    assert {"0", "1"} == set(re.findall("\x1b\\[(\\d+)m", capsys.readouterr().out))

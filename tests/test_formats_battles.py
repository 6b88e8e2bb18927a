"""Battles in the forms of arenas, judges and preference data, by their win rates and ratings."""

import json
from typing import Any

import pandas as pd
import pytest

import tallystick
from faults import call

NAMES = [("x", "y"), ("y", "x"), ("x", "y"), ("y", "x")]
"""The systems of four battles, which the first won, the second, neither, and the first."""
RATES = {"x": 0.625, "y": 0.375}


def lay_out(words: list[Any], pair: tuple[str, str] = ("model_a", "model_b")) -> pd.DataFrame:
    first, second, tie = words
    table = pd.DataFrame(NAMES, columns=list(pair))
    return table.assign(winner=pd.Series([first, second, tie, first], dtype=object))


def rate(table: pd.DataFrame, **layout: Any) -> dict[str, float]:
    found = tallystick.score(table, metrics=["win_rate"], intervals=None, **layout).scores
    return {str(one.system): one.value for one in found}


def hot(*names: str) -> pd.DataFrame:
    marks = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    table = pd.DataFrame(NAMES, columns=["model_a", "model_b"])
    for at, name in enumerate(names):
        table[name] = [row[at] for row in marks]
    return table


GAMES = pd.DataFrame(
    [
        (81, "x", "y", "model_1", "model_1"),
        (82, "x", "y", "model_1", "model_2"),
        (83, "x", "y", "tie", "tie"),
        (84, "y", "x", "model_2", "model_1"),
        (85, "x", "y", "error", "model_2"),
    ],
    columns=["question_id", "model_1", "model_2", "g1_winner", "g2_winner"],
)


@pytest.mark.parametrize(
    ("table", "layout", "expected"),
    [
        (lay_out(["model_a", "model_b", "tie"]), {}, None),
        (lay_out(["A", "B", "C"]), {}, None),
        (lay_out(["a", "b", "tie (inconsistent)"]), {}, None),
        (lay_out(["1", "2", "0"]), {}, None),
        (lay_out([1, -1, 0]), {}, None),
        (lay_out([1, 2, 0]), {}, None),
        (lay_out(["model_1", "model_2", "tie"], ("model_1", "model_2")), {}, None),
        (lay_out(["left", "right", "tie"], ("model_left", "model_right")), {}, None),
        (lay_out(["Left", "Right", "draw"], ("left", "right")), {}, None),
        (
            lay_out(["up", "down", "same"], ("red", "blue")),
            {"sides": ["red", "blue"], "outcomes": ["up=win", "down=loss", "same=tie"]},
            None,
        ),
        (lay_out(["B", "A", "C"]), {"outcomes": ["B=win", "A=loss", "C=tie"]}, None),
        (lay_out([0, 1, 2]), {"outcomes": ["0=win", "1=loss", "2=tie"]}, None),
        (lay_out(["A", "B", "?"]), {"outcomes": ["?=none"]}, {"x": 2 / 3, "y": 1 / 3}),
        (hot("winner_model_a", "winner_model_b", "winner_tie"), {}, None),
        (hot("winner_a", "winner_b", "tie"), {}, None),
        (GAMES, {}, None),
    ],
)
def test_battles_have_the_win_rates_of_their_outcomes(table, layout, expected):
    expected = expected or RATES
    assert {name: pytest.approx(value) for name, value in expected.items()} == rate(table, **layout)


@pytest.mark.parametrize(
    "pair",
    [("winner", "loser"), ("chosen_model", "rejected_model"), ("Winner_Model", "loser_model")],
)
def test_the_first_of_chosen_and_rejected_won(pair):
    table = pd.DataFrame([("x", "y"), ("x", "y"), ("y", "x"), ("x", "y")], columns=list(pair))
    assert {"x": 0.75, "y": 0.25} == rate(table)


def test_the_judge_may_be_a_list_as_in_mt_bench(tmp_path):
    rows = [
        {"question_id": n, "model_a": "x", "model_b": "y", "winner": winner, "judge": ["g", "v2"]}
        for n, winner in enumerate(["model_a", "tie (inconsistent)", "model_b", "model_a"])
    ]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    outcome = call("score", str(tmp_path / "b.jsonl"))
    assert (0, True) == (outcome.code, "0.625" in outcome.out), outcome.err


def test_battles_of_a_system_with_itself_are_left_out_with_a_note():
    table = pd.concat(
        [
            lay_out(["a", "b", "tie"]),
            pd.DataFrame([("x", "x", "tie")] * 2, columns=["model_a", "model_b", "winner"]),
        ]
    )
    scored = tallystick.score(table, metrics=["win_rate"], intervals=None)
    assert RATES == {one.system: one.value for one in scored.scores}
    assert "battles of a system with itself that are left out: 2." in scored.notes


def test_arena_hard_without_a_baseline_calls_it_baseline(tmp_path):
    games = [["A>B", "B>A"], ["B>>A", "A>>B"], ["A=B", "A>B"], [None, "B>A"]]
    rows = [
        {"question_id": n, "model": "m", "judge": "j", "games": [{"score": one} for one in own]}
        for n, own in enumerate(games)
    ]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    outcome = call("score", str(tmp_path / "b.jsonl"), "--verbose")
    assert 0 == outcome.code, outcome.err
    assert "0.750" in outcome.out
    assert "does not name the system on the other side" in outcome.err + outcome.out


def test_systems_of_battles_are_columns_or_names(tmp_path):
    lay_out(["model_a", "model_b", "tie"], ("model_a", "model_b")).to_csv(tmp_path / "b.csv")
    kept = call("score", str(tmp_path / "b.csv"), "-m", "win_rate", "--systems", "A", "B")
    assert 0 == kept.code or "only" in kept.err
    assert "has no battles" not in kept.err


def test_options_name_sides_and_outcomes(tmp_path):
    lay_out(["up", "down", "same"], ("red", "blue")).to_csv(tmp_path / "b.csv", index=False)
    call_ = ["rank", str(tmp_path / "b.csv"), "-m", "win_rate", "--systems", "red", "blue"]
    outcome = call(*call_, "--outcomes", "up=win", "down=loss", "same=tie")
    assert (0, True) == (outcome.code, "0.625" in outcome.out), outcome.err


@pytest.mark.parametrize(
    ("table", "layout", "said"),
    [
        (lay_out(["a", "b", "c"]).assign(model_b="c"), {}, "'a' does not say who won"),
        (lay_out(["a", "b", "tie"]), {"outcomes": ["a=best"]}, "such as 'A=win'"),
        (lay_out(["a", "b", "tie"]), {"sides": ["model_a"]}, "names two columns"),
        (hot("winner_a", "winner_b", "tie").assign(tie=1), {}, "must be 1 and the others 0"),
        (lay_out([0, 1, 3]), {}, "expected a number"),
    ],
)
def test_unknown_outcomes_are_rejected(table, layout, said):
    with pytest.raises(tallystick.TallystickError, match=said):
        rate(table, **layout)

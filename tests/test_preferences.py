"""Battles of two systems: how they are read, and win rates."""

import csv
import json
import math

import pyarrow
import pytest

import tallystick
from matrix import run
from tallystick import InputError, UsageError
from tallystick.kinds.preferences.battle_tables import read_verdict

ARENA = ("model_a", "model_b", "winner")


def tabulate(rows, columns=ARENA):
    return pyarrow.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))


def rate(table, metric="win_rate", **layout):
    scored = tallystick.score(table, metrics=[metric], intervals=False, **layout)
    return {one.system: one.value for one in scored.scores}


def test_win_rates_are_those_of_the_published_board(shared):
    folder = shared / "data" / "preferences"
    paths = sorted(folder.glob("*.json"))
    _, found, _ = run(["rank", *map(str, paths), "--resamples", "100", "--format", "json"])
    with (folder / "leaderboard.csv").open() as lines:
        board = {row[""]: float(row["win_rate"]) for row in csv.DictReader(lines)}
    places = {one["system"]: 100 * one["value"] for one in json.loads(found)["places"]}
    baseline = places.pop("text_davinci_003")

    assert 50.0 == baseline
    assert pytest.approx({path.stem: board[path.stem] for path in paths}, rel=1e-13) == places


@pytest.mark.parametrize(
    ("outcome", "points"),
    [
        *((word, 1) for word in ("model_a", "A", " system_a ", "A>B", "[[A>>B]]", "B<A")),
        *((word, 0) for word in ("model_b", "b", "B>A", "B>>A", "A<<B")),
        *((word, 0.5) for word in ("tie", "tie (bothbad)", "both_bad", "A=B", "B=A", "Draw")),
        ("x", 1),
        ("y", 0),
    ],
)
def test_outcomes_are_read_as_files_write_them(outcome, points):
    assert {"x": points, "y": 1 - points} == rate(tabulate([("x", "y", outcome)]))


@pytest.mark.parametrize(
    ("numbers", "points"),
    [([0.25, 1.0], 0.625), ([1.0, 2.0], 0.5), ([1.5, 1.25, 1.0], 0.75), (["0", "1"], 0.5)],
)
def test_numbers_are_shares_of_the_first_or_ranks_of_the_preferred(numbers, points):
    table = tabulate([("x", "y", one) for one in numbers])

    assert points == rate(table)["x"]


@pytest.mark.parametrize("command", ["score", "rank", "compare"])
def test_battles_need_no_metric(tmp_path, command):
    rows = [("x", "y", "model_a"), ("y", "x", "tie"), ("x", "y", "model_b")]
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(map(",".join, [ARENA, *rows])) + "\n")
    chosen = ("--systems", "x", "y", "--format", "json")

    usual, named = (
        run([command, str(path), *chosen, *words]) for words in ((), ("-m", "win_rate"))
    )
    ask = getattr(tallystick, command)

    assert usual == named
    assert usual[0] == 0
    assert str(ask(tabulate(rows))) == str(ask(tabulate(rows), metrics="win_rate"))


def test_zero_is_a_draw_in_the_files_of_alpaca_eval():
    columns = ("generator_1", "generator_2", "preference")
    table = tabulate([("x", "y", one) for one in (0.0, 1.5, 2.0, None)], columns)
    scored = tallystick.score(table, metrics=["win_rate"])

    assert {"x": 1 / 3, "y": 2 / 3} == rate(table)
    assert "1 battle has no outcome and is left out (x 1, y 1)." in scored.notes


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("x", "y", "tie"), ("x", "y", "unsure")], "row 2, column 'winner': 'unsure' does not"),
        ([("x", "y", "A>C")], "'A>C' does not tell who won"),
        ([("x", "y", "model_a"), ("x", "y", "unsure")], "row 2, column 'winner': 'unsure'"),
        ([("x", "y", "x"), ("x", "y", "model_a")], "row 2, column 'winner': 'model_a'"),
        ([("a", "b", "a"), ("b", "a", "a")], "row 2, column 'winner': 'a' is both a side and"),
        ([("x", "x", "tie")], "row 1, column 'model_b': 'x' stands on both sides"),
        ([("x", None, "tie")], "row 1, column 'model_b'"),
        ([("x", "y", 3.0)], "3 stands where a number from 1 to 2"),
        ([("x", "y", -1.0)], "-1 stands where a number from 0 to 1"),
        ([("x", "y", 0.0), ("x", "y", 2.0)], "0 stands where a number from 1 to 2"),
        ([("x", "y", None), ("x", "z", None)], "no battle has an outcome"),
    ],
)
def test_what_is_no_outcome_is_an_error(rows, words):
    with pytest.raises(InputError) as error:
        rate(tabulate(rows))

    assert words in str(error.value)


def test_battles_in_memory_are_a_table():
    with pytest.raises(UsageError, match="read from a table with named columns"):
        tallystick.score([{"a": "x", "b": "y", "winner": "a"}], metrics="win_rate")


def test_a_table_without_battles_says_which_columns_are_missing():
    with pytest.raises(InputError, match="the columns are gold, system"):
        rate(pyarrow.table({"gold": ["a"], "system": ["b"]}))


@pytest.mark.parametrize(
    ("verdict", "found"),
    [("A>>B", (1, 3)), ("B>>A", (0, 3)), ("A>B", (1, 1)), ("A=B", (0.5, 1)), ("[[B>A]]", (0, 1))],
)
def test_a_strong_verdict_counts_for_three_games(verdict, found):
    assert found == read_verdict(verdict)


def write_judgements(path, *games, **row):
    rows = [
        {"uid": str(at), "model": "x", "baseline": "y", "judge": "j", **row}
        | {"games": [{"score": one} if one else None for one in pair]}
        for at, pair in enumerate(games)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_swapped_games_are_read_from_both_sides(tmp_path):
    path = write_judgements(tmp_path / "j.jsonl", ("B>>A", "A>B"), ("A=B", "B>A"), ("A>B", None))
    _, found, notes = run(["score", path, "-m", "win_rate", "--format", "json"])
    values = {one["system"]: one["value"] for one in json.loads(found)["scores"]}

    assert {"x": 4.5 / 6, "y": 1.5 / 6} == values
    assert "2 battles have no outcome" in notes


@pytest.mark.parametrize(
    ("games", "row", "words"),
    [
        (("A>B",), {}, "row 1, column 'games': two games were expected"),
        (("A>B", "A"), {}, "row 1, column 'games': 'A' is not a verdict"),
        (("A>B", "A>B"), {"baseline": None}, "row 1, column 'baseline'"),
    ],
)
def test_broken_judgements_are_errors(tmp_path, games, row, words):
    path = write_judgements(tmp_path / "j.jsonl", games, **row)
    code, _, notes = run(["score", path, "-m", "win_rate"])

    assert (4, True) == (code, words.replace("row", "line") in notes or words in notes)


def test_a_win_rate_against_a_baseline_counts_its_games_alone():
    rows = [("x", "y", "x"), ("y", "x", "tie"), ("x", "z", "z"), ("y", "z", "y")]
    scored = tallystick.score(tabulate(rows), metrics=["win_rate(baseline=y)"])
    found = {one.system: (one.value, one.low, one.high) for one in scored.scores}

    assert (0.75, 0.0) == (found["x"][0], found["z"][0])
    assert (0.5, 0.5, 0.5) == found["y"]
    assert "win_rate counts games against y alone." in scored.notes


def test_an_unknown_baseline_is_a_wrong_call():
    told = "^there is no system 'w' to take as the baseline, only x, y$"
    with pytest.raises(UsageError, match=told):
        rate(tabulate([("x", "y", "x")]), "win_rate(baseline=w)")


def test_a_judge_of_positions_has_balanced_win_rates_of_one_half():
    rows = [(str(at), "x", "y", "model_a") for at in range(9)] + [("0", "y", "x", "model_a")]
    table = tabulate(rows, ("prompt", *ARENA))

    assert {"x": 0.9, "y": pytest.approx(0.1)} == rate(table)
    assert {"x": 0.5, "y": 0.5} == rate(table, "win_rate(balanced=True)")
    assert {"x": 1, "y": 1} == rate(table, "position_flips")


def test_files_of_alpaca_eval_have_no_balanced_win_rates():
    rows = [("x", "y", 1.0), ("y", "x", 1.0)]
    table = tabulate(rows, ("generator_1", "generator_2", "preference"))
    evaluation = tallystick.score(table, metrics=["win_rate(balanced=True)", "position_flips"])

    assert [True] * 4 == [math.isnan(one.value) for one in evaluation.scores]
    assert "none of its games counts with its answer first, or second" in str(evaluation.notes)


def test_an_interval_is_as_wide_as_the_games_of_the_system_are_few():
    own, others = [("w", "x", "model_a")] * 5, [("x", "y", "model_a"), ("y", "x", "model_a")] * 500
    lows = [
        tallystick.score(tabulate(rows), metrics=["win_rate"]).scores[0].low
        for rows in (own, own + others)
    ]

    assert pytest.approx(5 / (5 + 1.959964**2)) == lows[0]  # Wilson's
    assert lows[0] == lows[1]


def test_many_battles_without_prompts_change_no_interval_of_few_wins():
    rows = [("w", "x", "model_a")] * 5
    rows += [("x", "y", "model_a"), ("y", "x", "model_a"), ("x", "y", "tie")] * 3000
    scored = tallystick.score(tabulate(rows), metrics=["win_rate"]).scores

    assert pytest.approx(5 / (5 + 1.959964**2)) == scored[0].low


def test_prompts_may_be_long():
    rows = [(f"{at % 600} " + "long " * 400, "x", "y", ARENA[at % 2]) for at in range(1200)]

    assert 0.5 == rate(tabulate(rows, ("prompt", *ARENA)))["x"]


def test_systems_may_be_called_by_numbers():
    rows = [(7, 8, "7 "), (8, 7, "tie"), (7, 8, "8")]

    assert {"7": 0.5, "8": 0.5} == rate(tabulate(rows))


def test_verdicts_of_different_judges_are_no_pair():
    rows = [("p", "j", "x", "y", "model_a"), ("p", "k", "y", "x", "model_a")]
    rows += [("q", "j", "x", "y", "model_a"), ("q", "j", "y", "x", "model_b")]

    assert 0 == rate(tabulate(rows, ("prompt", "judge", *ARENA)), "position_flips")["x"]


def test_the_intervals_of_repeated_prompts_are_those_of_clusters():
    rows = [(f"p{at}", "x", "y", ARENA[at % 3 > 0]) for at in range(30)]
    columns = ("prompt", *ARENA)
    widths = [
        one.high - one.low
        for table in (tabulate(rows, columns), tabulate(rows * 10, columns))
        for one in tallystick.score(table, metrics=["win_rate"]).scores[:1]
    ]

    assert widths[0] == pytest.approx(widths[1], rel=0.1)


def test_clusters_that_are_named_take_the_place_of_prompts():
    rows = [(f"p{at}", f"t{at % 3}", "x", "y", ARENA[at % 2]) for at in range(30)]
    table = tabulate(rows, ("prompt", "topic", *ARENA))
    prompts, topics = (
        tallystick.score(table, metrics=["win_rate"], clusters=name) for name in (None, "topic")
    )

    assert [True, False] == ["belong together" in str(one.notes) for one in (prompts, topics)]
    assert prompts.scores[0].high != topics.scores[0].high


def test_counts_hold_no_text_of_a_prompt(tmp_path):
    prompt = "Which words of this prompt may be found in a tally that somebody publishes?"
    table = tabulate([(prompt, "x", "y", "tie")], ("prompt", *ARENA))
    path = tmp_path / "own.tally"
    tallystick.read(table).save(str(path), ["win_rate"])

    assert b"words of this prompt" not in path.read_bytes()


@pytest.mark.parametrize(
    "rows",
    [
        [("1", "2", 1), ("2", "1", 1)],
        [("2", "1", 1), ("2", "3", 2), ("3", "1", 1)],
        [("0", "1", "1"), ("1", "0", "0")],
        [("x", "1", 1.0)],
    ],
)
def test_a_number_that_is_a_side_and_the_other_systems_name_is_refused(rows):
    with pytest.raises(InputError, match="is both a side and the name of the system on the other"):
        tallystick.score(tabulate(rows, ("a", "b", "winner")), None, "win_rate")


@pytest.mark.parametrize(
    ("rows", "words", "told"),
    [
        ("x,y,a", "own.csv --missing wrong", "preferences"),
        ("x,y,a", "own.csv --annotators a b", "preferences"),
        ("x,y,a y,x,a", "own.csv own.csv", "own.csv is named twice"),
        ("x,y,a y,x,a", "x=own.csv", "x=own.csv: the rows of preferences name the systems"),
        (
            "x,y,a y,x,a",
            "own.csv --system-column a",
            "--system-column does not go with preferences",
        ),
        (
            "x,y,a y,z,a z,x,tie",
            "own.csv --systems w",
            "no system 'w' in these files, only x, y, z",
        ),
    ],
)
def test_what_does_not_go_with_preferences_is_refused(tmp_path, monkeypatch, rows, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text("\n".join(["a,b,winner", *rows.split(), ""]))
    code, _, notes = run(["score", *words.split(), "-m", "win_rate"])

    assert (2, True) == (code, told in notes)


def test_systems_are_those_that_the_rows_name(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,b,winner\nx,y,a\ny,z,a\nz,x,tie\n")
    words = ["score", str(path), "-m", "win_rate", "--format", "json", "--systems", "x"]
    scores = json.loads(run(words)[1])["scores"]

    assert [("x", 0.75)] == [(one["system"], one["value"]) for one in scores]

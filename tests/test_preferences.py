"""Battles of two systems: how they are read, win rates, and Bradley-Terry ratings."""

import csv
import json
import math
import random

import numpy as np
import pyarrow
import pytest

import tallystick
from matrix import run
from tallystick import InputError, UsageError
from tallystick.kinds.preferences.battles import read_verdict
from tallystick.metrics import BradleyTerry

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

    assert 50.0 == places.pop("text_davinci_003")
    assert pytest.approx({path.stem: board[path.stem] for path in paths}, rel=1e-13) == places


@pytest.mark.parametrize(("outcome", "points"), [
    *((word, 1) for word in ("model_a", "A", " system_a ", "A>B", "[[A>>B]]", "B<A")),
    *((word, 0) for word in ("model_b", "b", "B>A", "B>>A", "A<<B")),
    *((word, 0.5) for word in ("tie", "tie (bothbad)", "both_bad", "A=B", "B=A", "Draw")),
    ("x", 1),
    ("y", 0),
])  # fmt: skip
def test_outcomes_are_read_as_files_write_them(outcome, points):
    assert {"x": points, "y": 1 - points} == rate(tabulate([("x", "y", outcome)]))


@pytest.mark.parametrize(
    ("numbers", "points"),
    [([0.25, 1.0], 0.625), ([1.0, 2.0], 0.5), ([1.5, 1.25, 1.0], 0.75), (["0", "1"], 0.5)],
)
def test_numbers_are_shares_of_the_first_or_ranks_of_the_preferred(numbers, points):
    assert points == rate(tabulate([("x", "y", one) for one in numbers]))["x"]


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


@pytest.mark.parametrize(("rows", "words"), [
    ([("x", "y", "tie"), ("x", "y", "unsure")], "row 2, column 'winner': 'unsure' does not"),
    ([("x", "y", "A>C")], "'A>C' does not say who won"),
    ([("x", "y", "model_a"), ("x", "y", "unsure")], "row 2, column 'winner': 'unsure'"),
    ([("x", "y", "x"), ("x", "y", "model_a")], "row 2, column 'winner': 'model_a'"),
    ([("a", "b", "a"), ("b", "a", "a")], "row 2, column 'winner': 'a' is both a side and"),
    ([("x", "x", "tie")], "no battle has an outcome"),
    ([("x", None, "tie")], "row 1, column 'model_b'"),
    ([("x", "y", 3.0)], "expected a number from 1 to 2 as in other rows, found 3"),
    ([("x", "y", -1.0)], "expected a number from 0 to 1, found -1"),
    ([("x", "y", 0.0), ("x", "y", 2.0)], "expected a number from 1 to 2 as in other rows, found 0"),
    ([("x", "y", None), ("x", "z", None)], "no battle has an outcome"),
])  # fmt: skip
def test_what_is_no_outcome_is_an_error(rows, words):
    with pytest.raises(InputError) as error:
        rate(tabulate(rows))
    assert words in str(error.value)


def test_battles_in_memory_are_a_table():
    with pytest.raises(UsageError, match="read from a table with named columns"):
        tallystick.score(["x"], ["y"], metrics="win_rate")


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


@pytest.mark.parametrize(("games", "row", "words"), [
    (("A>B",), {}, "row 1, column 'games': two games were expected"),
    (("A>B", "A"), {}, "row 1, column 'games': 'A' is not a verdict"),
    (("A>B", "A>B"), {"baseline": None}, "row 1, column 'baseline'"),
])  # fmt: skip
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
    message = "^there is no system 'w' to take as the baseline, only x, y$"
    with pytest.raises(UsageError, match=message):
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
    assert {"7": 0.5, "8": 0.5} == rate(tabulate([(7, 8, "7 "), (8, 7, "tie"), (7, 8, "8")]))


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
    assert [True, False] == ["are clustered by" in str(one.notes) for one in (prompts, topics)]
    assert prompts.scores[0].high != topics.scores[0].high


def test_counts_hold_no_text_of_a_prompt(tmp_path):
    prompt = "Which words of this prompt may be found in a tally that somebody publishes?"
    table = tabulate([(prompt, "x", "y", "tie")], ("prompt", *ARENA))
    path = tmp_path / "own.tally"
    tallystick.read(table).save(str(path), ["win_rate"])
    assert b"words of this prompt" not in path.read_bytes()


@pytest.mark.parametrize("rows", [
    [("1", "2", 1), ("2", "1", 1)],
    [("2", "1", 1), ("2", "3", 2), ("3", "1", 1)],
    [("0", "1", "1"), ("1", "0", "0")],
    [("x", "1", 1.0)],
])  # fmt: skip
def test_a_number_that_is_a_side_and_the_other_systems_name_is_rejected(rows):
    with pytest.raises(InputError, match="is both a side and the name of the system on the other"):
        tallystick.score(tabulate(rows, ("a", "b", "winner")), None, "win_rate")


@pytest.mark.parametrize(("rows", "words", "message"), [
    ("x,y,a", "own.csv --missing wrong", "preferences"),
    ("x,y,a", "own.csv --annotators a b", "preferences"),
    ("x,y,a y,x,a", "own.csv own.csv", "own.csv is named twice"),
    ("x,y,a y,x,a", "x=own.csv", "x=own.csv: the rows of preferences name the systems"),
    ("x,y,a y,x,a", "own.csv --system-column a", "--system-column cannot be used with preferences"),
    ("x,y,a y,z,a z,x,tie", "own.csv --systems w", "no system 'w' in these files, only x, y, z"),
])  # fmt: skip
def test_what_does_not_go_with_preferences_is_rejected(tmp_path, monkeypatch, rows, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text("\n".join(["a,b,winner", *rows.split(), ""]))
    code, _, notes = run(["score", *words.split(), "-m", "win_rate"])
    assert (2, True) == (code, message in notes)


def test_systems_are_those_that_the_rows_name(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,b,winner\nx,y,a\ny,z,a\nz,x,tie\n")
    words = ["score", str(path), "-m", "win_rate", "--format", "json", "--systems", "x"]
    scores = json.loads(run(words)[1])["scores"]
    assert [("x", 0.75)] == [(one["system"], one["value"]) for one in scores]


RECORDED = [
    ((1, 3, 30), [1016.8308985591184, 942.3728741663215, 1040.7962272745601], None),
    ((2, 5, 200), [938.9780599508894, 981.3867249108883, 1048.3241608793796, 1037.3978519524505,
     993.913202306392], None),
    ((3, 8, 1000), [*(919.377505022614, 948.4113090460816, 984.8645483872241, 1001.0181668897376),
     *(1032.7863724182323, 1026.1989607183016, 1055.2762327052942, 1032.0669048125153)],
     [*(881.9602619162222, 915.7801103512392, 950.467300978034, 965.9969318870156),
     *(998.2847618194593, 992.6638681528485, 1020.6789449698884, 998.6275031040032)]),
]  # fmt: skip
"""Ratings, and lower ends by the sandwich, of battles of (seed, systems, battles).

arena-rank 0.1.1: BradleyTerry(systems, ftol=1e-15, gtol=1e-13), fitted on PairDataset.from_pandas.
"""


def draw_battles(seed, systems, size):
    random.seed(seed)
    names, rows = [f"m{place}" for place in range(systems)], []
    for _ in range(size):
        one, other = random.sample(names, 2)
        odds = [3 + int(one[1:]), 3 + int(other[1:]), 2, 1]
        rows.append((one, other, random.choices([*ARENA[:2], "tie", "both_bad"], odds)[0]))
    return rows


def score(rows, metric="bradley_terry", **layout):
    table = pyarrow.table(dict(zip(ARENA, map(list, zip(*rows, strict=True)), strict=True)))
    return tallystick.score(table, metrics=[metric], **layout)


def rate_battles(rows, metric="bradley_terry"):
    return {one.system: one.value for one in score(rows, metric).scores}


@pytest.mark.parametrize(("drawn", "ratings", "lows"), RECORDED)
def test_ratings_are_those_of_arena_rank(drawn, ratings, lows):
    scores = score(draw_battles(*drawn)).scores
    assert pytest.approx(ratings, abs=2e-5) == [one.value for one in scores]
    assert lows is None or pytest.approx(lows, abs=1) == [one.low for one in scores]


def test_two_systems_are_as_far_apart_as_their_odds():
    rows = [("x", "y", "model_a")] * 2 + [("x", "y", "tie")] * 2 + [("y", "x", "model_b")]
    found = rate_battles(rows)
    assert pytest.approx(400 * math.log10(4)) == found["x"] - found["y"]
    assert pytest.approx(2000) == found["x"] + found["y"]


def test_a_baseline_has_the_rating_of_the_anchor():
    rows = draw_battles(4, 4, 100)
    free = rate_battles(rows)
    scores = score(rows, "bradley_terry(baseline=m1, anchor=1200)").scores
    found = {one.system: one.value for one in scores}
    assert (1200.0, 1200.0) == (scores[1].low, scores[1].high)
    assert pytest.approx({name: own - free["m1"] + 1200 for name, own in free.items()}) == found


def test_slopes_are_the_derivatives_of_the_rating():
    table = pyarrow.table(
        dict(zip(ARENA, map(list, zip(*draw_battles(5, 4, 60), strict=True)), strict=True))
    )
    metric = BradleyTerry()
    cells = tallystick.count(table, metrics=[metric]).tally(metric).of("m2")
    step = 1e-4
    found = []
    for at in range(len(cells.counts)):
        ends = []
        for sign in (1, -1):
            weights = np.stack([cells.counts.astype(float)] * 2)
            weights[:, at] += sign * step
            moved = type(cells)(
                *(getattr(cells, name) for name in ("counter", "systems", "groups", "labels")),
                *(getattr(cells, name) for name in ("listed", "owners", "gold", "outputs")),
                *(getattr(cells, name) for name in ("counts", "n")),
                weights,
            )
            ends.append(metric.score(moved)[0])
        found.append((ends[0] - ends[1]) / (2 * step))

    assert pytest.approx(metric.influence(cells), abs=1e-3) == found


def test_a_battle_with_swapped_sides_is_the_same_battle():
    rows = draw_battles(6, 4, 80)
    swap = {"model_a": "model_b", "model_b": "model_a"}
    swapped = [(other, one, swap.get(won, won)) for one, other, won in rows]
    assert rate_battles(rows) == rate_battles(swapped)


def test_who_cannot_be_compared_has_no_rating_and_a_reason():
    rows = [("x", "y", "model_a"), ("y", "x", "model_a"), ("y", "z", "tie")]
    rows += [("w", "x", "model_a"), ("x", "v", "model_a"), ("t", "u", "tie")]
    evaluation = score(rows)
    undefined = {one.system for one in evaluation.scores if math.isnan(one.value)}
    infinite = {one.system: one.value for one in evaluation.scores if math.isinf(one.value)}
    message = " ".join(evaluation.notes)

    assert {"t", "u"} == undefined
    assert {"v": -math.inf, "w": math.inf} == infinite
    assert "of w is infinite, because it never lost to x, y, z, even by way of others" in message
    assert "of v is infinite, because it never won against x, y, z, even by way of" in message
    assert "of t is undefined, because no games connect it with x, y, z" in message


def test_of_parts_with_as_many_ratings_the_one_with_more_systems_is_rated():
    rows = [("a", "b", "tie"), ("c", "d", "tie"), ("e", "c", "model_a")]
    found = {one.system: one.value for one in score(rows).scores}
    assert {"a", "b"} == {name for name, value in found.items() if math.isnan(value)}
    assert (found["c"], found["d"], found["e"]) == pytest.approx((1000, 1000, math.inf))


def test_battles_of_which_none_can_be_rated_say_so():
    evaluation = score([("x", "y", "model_a")])
    assert [True, True] == [math.isnan(one.value) for one in evaluation.scores]
    assert "no two systems have both won" in " ".join(evaluation.notes)


@pytest.mark.parametrize(("metric", "words"), [
    ("bradley_terry(baseline=w)", "there is no system 'w' to take as the baseline"),
    ("bradley_terry(baseline=3)", "baseline must be the name of a system"),
    ("bradley_terry(anchor=x)", "anchor must be a number"),
    ("win_rate(balanced=x)", "balanced must be one of False, True"),
])  # fmt: skip
def test_wrong_options_are_wrong_calls(metric, words):
    with pytest.raises(UsageError) as error:
        score([("x", "y", "model_a")], metric)
    assert words in str(error.value)


@pytest.mark.deep
@pytest.mark.parametrize("prompts", [30, 100, 300, 400, 500])
def test_intervals_hold_where_prompts_repeat(prompts):
    rng = np.random.default_rng(prompts)
    truth = 400 * math.log10(0.7 / 0.3)
    held = 0
    for _ in range(100):
        won = rng.random(prompts) < 0.7
        rows = [("x", "y", ARENA[0] if one else ARENA[1]) for one in won for _ in range(4)]
        table = pyarrow.table(
            {"prompt": np.repeat(np.arange(prompts), 4)}
            | dict(zip(ARENA, map(list, zip(*rows, strict=True)), strict=True))
        )
        one = tallystick.score(table, metrics=["bradley_terry(baseline=y, anchor=0)"]).scores[0]
        held += one.low <= truth <= one.high

    assert held >= 90


def rate_unbeaten(wins, losses=0):
    rows = [("x", "y", "tie")] * 10 + [("y", "x", "tie")] * 10
    rows += [("w", other, "model_a") for other in "xy"] * wins
    rows += [("z", other, "model_b") for other in "xy"] * losses
    return pyarrow.table(dict(zip(ARENA, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_a_system_that_never_lost_has_a_rating_that_is_open_above(confidence):
    scored = tallystick.score(
        rate_unbeaten(6, 4),
        metrics=["bradley_terry"],
        intervals=tallystick.Intervals(confidence=confidence),
    )
    found = {one.system: one for one in scored.scores}

    def end(games):
        chance = ((1 - confidence) / 2) ** (1 / games)
        return 400 * math.log10(chance / (1 - chance))

    assert (math.inf, math.inf) == (found["w"].value, found["w"].high)
    assert pytest.approx(1000 + end(12), abs=1e-6) == found["w"].low
    assert (-math.inf, -math.inf) == (found["z"].value, found["z"].low)
    assert pytest.approx(1000 - end(8), abs=1e-6) == found["z"].high
    assert "bradley_terry of w is infinite, because it never lost to x, y" in str(scored.notes)
    assert [None, None, None] == [
        json.loads(scored.to_json())["scores"][at][key]
        for at, key in ((0, "value"), (0, "high"), (3, "low"))
    ]


@pytest.mark.parametrize(("wins", "worst"), [(1, 3), (6, 1)])
def test_a_system_that_never_lost_is_first_and_better_by_its_games_alone(wins, worst):
    table = rate_unbeaten(wins)
    first, *_ = tallystick.rank(table, metrics=["bradley_terry"]).places
    compared = tallystick.compare(table, metrics=["bradley_terry"], baseline="w")
    assert ("w", 1, worst) == (first.system, first.rank, first.worst_rank)
    assert [min(1, 2 * 0.5 ** (2 * wins))] * 2 == pytest.approx(
        [one.p for one in compared.differences]
    )


def test_games_of_one_prompt_count_once_for_a_system_that_never_lost():
    ties = [("x", "y", "tie")] * 20
    rows = ties + [("w", "xy"[at % 2], "model_a") for at in range(12)]
    prompts = [*map(str, range(20)), *[f"p{at % 3}" for at in range(12)]]
    table = pyarrow.table(
        {"prompt": prompts, **dict(zip(ARENA, map(list, zip(*rows, strict=True)), strict=True))}
    )
    own = tallystick.score(table, metrics=["bradley_terry"]).scores[0]
    alone = score([*ties, *[("w", "x", "model_a")] * 3]).scores[0]

    assert alone.low == pytest.approx(own.low, abs=1e-6)

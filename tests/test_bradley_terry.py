"""Bradley-Terry ratings of battles."""

import json
import math
import random

import numpy as np
import pyarrow
import pytest

import tallystick
from tallystick import UsageError
from tallystick.metrics import BradleyTerry

ARENA = ("model_a", "model_b", "winner")

RECORDED = [
    ((1, 3, 30), [1016.8308985591184, 942.3728741663215, 1040.7962272745601], None),
    (
        (2, 5, 200),
        [
            938.9780599508894,
            981.3867249108883,
            1048.3241608793796,
            1037.3978519524505,
            993.913202306392,
        ],
        None,
    ),
    (
        (3, 8, 1000),
        [
            919.377505022614,
            948.4113090460816,
            984.8645483872241,
            1001.0181668897376,
            1032.7863724182323,
            1026.1989607183016,
            1055.2762327052942,
            1032.0669048125153,
        ],
        [
            881.9602619162222,
            915.7801103512392,
            950.467300978034,
            965.9969318870156,
            998.2847618194593,
            992.6638681528485,
            1020.6789449698884,
            998.6275031040032,
        ],
    ),
]
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


def rate(rows, metric="bradley_terry"):
    return {one.system: one.value for one in score(rows, metric).scores}


@pytest.mark.parametrize(("drawn", "ratings", "lows"), RECORDED)
def test_ratings_are_those_of_arena_rank(drawn, ratings, lows):
    scores = score(draw_battles(*drawn)).scores

    assert pytest.approx(ratings, abs=2e-5) == [one.value for one in scores]
    assert lows is None or pytest.approx(lows, abs=1) == [one.low for one in scores]


def test_two_systems_are_as_far_apart_as_their_odds():
    rows = [("x", "y", "model_a")] * 2 + [("x", "y", "tie")] * 2 + [("y", "x", "model_b")]
    found = rate(rows)

    assert pytest.approx(400 * math.log10(4)) == found["x"] - found["y"]
    assert pytest.approx(2000) == found["x"] + found["y"]


def test_a_baseline_has_the_rating_of_the_anchor():
    rows = draw_battles(4, 4, 100)
    free = rate(rows)
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

    assert rate(rows) == rate(swapped)


def test_who_cannot_be_compared_has_no_rating_and_a_reason():
    rows = [("x", "y", "model_a"), ("y", "x", "model_a"), ("y", "z", "tie")]
    rows += [("w", "x", "model_a"), ("x", "v", "model_a"), ("t", "u", "tie")]
    evaluation = score(rows)
    undefined = {one.system for one in evaluation.scores if math.isnan(one.value)}
    infinite = {one.system: one.value for one in evaluation.scores if math.isinf(one.value)}
    told = " ".join(evaluation.notes)

    assert {"t", "u"} == undefined
    assert {"v": -math.inf, "w": math.inf} == infinite
    assert "of w is infinite, because it never lost to x, y, z, even by way of others" in told
    assert "of v is infinite, because it never won against x, y, z, even by way of" in told
    assert "of t is undefined, because no games connect it with x, y, z" in told


def test_of_parts_with_as_many_ratings_the_one_with_more_systems_is_rated():
    rows = [("a", "b", "tie"), ("c", "d", "tie"), ("e", "c", "model_a")]
    found = {one.system: one.value for one in score(rows).scores}

    assert {"a", "b"} == {name for name, value in found.items() if math.isnan(value)}
    assert (found["c"], found["d"], found["e"]) == pytest.approx((1000, 1000, math.inf))


def test_battles_of_which_none_can_be_rated_say_so():
    evaluation = score([("x", "y", "model_a")])

    assert [True, True] == [math.isnan(one.value) for one in evaluation.scores]
    assert "no two systems have both won" in " ".join(evaluation.notes)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("bradley_terry(baseline=w)", "there is no system 'w' to take as the baseline"),
        ("bradley_terry(baseline=3)", "baseline is the name of a system"),
        ("bradley_terry(anchor=x)", "anchor is a number"),
        ("win_rate(balanced=x)", "balanced is one of False, True"),
    ],
)
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

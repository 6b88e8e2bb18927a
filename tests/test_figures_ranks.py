"""The critical-difference diagram holds the mean ranks, and its bars join what does not differ."""

import numpy as np
import pytest

from figures import HOSTILE, read
from places import place
from tallystick.comparison.ranking.overall_ranking import add_standings
from tallystick.output.figures.drawing import draw_svg
from tallystick.output.figures.figure import list_figures
from tallystick.output.results.ranking import Ranking


def rank(values, names, overall="mean_rank"):
    places = [
        place(name, value, group=f"set{at}")
        for at, row in enumerate(values.tolist())
        for name, value in zip(names, row, strict=True)
    ]
    main = [place(name, 0.5, group="macro") for name in names]
    return add_standings(Ranking((*main, *places)), overall, "exclude")


def invent(systems, sets=20, seed=0, names=None):
    drawn = np.random.default_rng(seed).normal(np.arange(systems) * 0.4, 1, (sets, systems))
    return rank(drawn / 100, names or [f"s{at}" for at in range(systems)])


def draw(ranking):
    return ranking.figure("critical-difference").spec


def list_bars(spec):
    (layer,) = (one for one in spec["layer"] if one["mark"]["style"] == "whisker")
    return [(one["low"], one["high"], one["y"]) for one in layer["data"]["values"]]


@pytest.mark.parametrize("overall", ["mean_rank", "borda"])
def test_the_diagram_holds_the_mean_ranks_of_all_systems(overall):
    found = rank(np.array([[0.9, 0.8, 0.7, 0.6, 0.5]] * 6), "abcde", overall)
    rows = draw(found)["data"]["values"]

    assert ["right", "right", "right", "left", "left"] == [one["side"] for one in rows]
    assert list(found.friedman.mean_ranks) == [one["mean_rank"] for one in rows]


@pytest.mark.parametrize("systems", [3, 4, 8, 15, 30])
def test_a_bar_joins_the_systems_that_share_a_letter(systems):
    for seed in range(5):
        found = invent(systems, seed=seed)
        test = found.friedman
        ranks = {letter: [] for own in test.letters for letter in own}
        for own, mean in zip(test.letters, test.mean_ranks, strict=True):
            for letter in own:
                ranks[letter].append(mean)
        expected = [(min(own), max(own)) for own in ranks.values() if len(own) > 1]

        assert sorted(expected) == [bar[:2] for bar in list_bars(draw(found))]


def test_bars_of_one_height_are_apart():
    for seed in range(20):
        bars = list_bars(draw(invent(15, seed=seed)))
        for low, _, height in bars:
            assert all(end < low - 0.4 for start, end, y in bars if y == height and start < low)


def test_the_critical_difference_is_drawn_to_scale():
    found = invent(3, sets=2)
    spec = draw(found)
    (row,) = spec["layer"][-1]["data"]["values"]

    assert found.friedman.critical_difference == pytest.approx(row["from"] - row["to"])
    assert row["to"] < 1
    assert [row["to"], 3] == spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert "CD = 2.34 (p < 0.05)" == row["text"]


def test_level_systems_share_one_bar():
    assert [(2.0, 2.0)] == [bar[:2] for bar in list_bars(draw(rank(np.full((6, 3), 0.5), "abc")))]


def test_any_names_can_be_drawn():
    names = [*HOSTILE[:8], *(f"team-{at:02}/a-very-long-run-name-with-ensemble" for at in range(7))]
    spec = draw(invent(15, names=names))
    svg = draw_svg(spec)

    assert 15 == len({one["name"] for one in spec["data"]["values"]})
    assert all(f"team-{at:02}/" in svg for at in range(7))


def test_a_ranking_without_the_test_has_no_diagram():
    two = rank(np.array([[0.9, 0.8]] * 6), "ab")
    by_mean = rank(np.array([[0.9, 0.8, 0.7]] * 6), "abc", "mean")

    for found in (two, by_mean):
        assert "critical-difference" not in list_figures(read(found))

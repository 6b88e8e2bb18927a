"""A kind of one's own goes through every question that is asked of data."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import tallystick
from rankings import THINGS, Concordance
from tallystick.errors import InputError
from tallystick.kinds.metrics.requirements import find_kinds
from tallystick.model.reading import Reading
from tallystick.reading.layouts import read_files
from tallystick.scoring.counting import count

GOLD = ["abc", "acb", "bca", "cab", "abc", "bac"] * 5
GOOD = ["abc", "acb", "bca", "cab", "acb", "bac"] * 5
POOR = ["cba", "acb", "cab", "cab", "bac", "cab"] * 5
LANGUAGES = ["en", "de", "en"] * 10
CLUSTERS = [f"d{row // 3}" for row in range(30)]


METRIC = Concordance()
SYSTEMS = {"good": GOOD, "poor": POOR}


def find_share(outputs: Sequence[str], rows: Sequence[int] = range(30)) -> float:
    right = [
        (GOLD[row].index(a) < GOLD[row].index(b)) == (outputs[row].index(a) < outputs[row].index(b))
        for row in rows
        for a, b in combinations(THINGS, 2)
    ]
    return sum(right) / len(right)


def make_table() -> pa.Table:
    beside = {"lang": LANGUAGES, "doc": CLUSTERS, "weight": [1.0, 2.0, 0.5] * 10}
    return pa.table({"gold": GOLD, **SYSTEMS, **beside})


def test_lists_are_scored_by_group():
    result = tallystick.score(GOLD, SYSTEMS, METRIC, by=LANGUAGES)
    scores = {(one.system, one.group): one for one in result.scores}

    assert find_share(POOR) == pytest.approx(scores["poor", "micro"].value)
    rows = [row for row, language in enumerate(LANGUAGES) if language == "de"]
    assert find_share(GOOD, rows) == scores["good", "de"].value
    assert scores["poor", "micro"].low < find_share(POOR) < scores["poor", "micro"].high


def test_tables_are_read_by_their_columns():
    ids = [str(row) for row in range(30)]
    gold = pa.table({"id": ids, "gold": GOLD})
    own = {name: pa.table({"id": ids[::-1], "output": v[::-1]}) for name, v in SYSTEMS.items()}
    wide = tallystick.score(make_table(), None, METRIC, systems=[*SYSTEMS], by="lang")

    expected = [find_share(GOOD), find_share(POOR)]
    assert expected == [one.value for one in tallystick.score(gold, own, METRIC).scores]
    assert expected == [one.value for one in wide.scores if one.group == "micro"]


def test_wrong_value_is_told_by_its_place():
    with pytest.raises(InputError, match="good, row 2: 'ab' is no ranking"):
        tallystick.score(GOLD[:2], {"good": ["abc", "ab"]}, METRIC)
    with pytest.raises(InputError, match=r"row 2.*'ab' is no ranking"):
        tallystick.score(pa.table({"gold": GOLD[:2], "output": ["abc", "ab"]}), None, METRIC)


def test_systems_are_compared_ranked_and_gated():
    compared = tallystick.compare(GOLD, SYSTEMS, METRIC, clusters=CLUSTERS)
    ranked = tallystick.rank(GOLD, SYSTEMS, METRIC)
    gated = tallystick.gate(GOLD, GOOD, POOR, METRIC, max_drop=0.0)

    one = compared.differences[0]
    shares = {"good": find_share(GOOD), "poor": find_share(POOR)}
    assert shares == pytest.approx({one.a: one.value_a, one.b: one.value_b})
    assert "good" == ranked.places[0].system
    assert gated.passed


def test_weights_count_examples_as_often():
    weights = np.array([1.0, 2.0] * 15)
    twice = [row for row in range(30) for _ in range(1 + row % 2)]
    (score,) = tallystick.score(GOLD, {"poor": POOR}, METRIC, weights=weights).scores

    assert find_share(POOR, twice) == pytest.approx(score.value)


@pytest.mark.parametrize("engine", [None, pytest.param(2, marks=pytest.mark.deep)])
def test_parts_are_counted_and_added(engine, tmp_path):
    table = make_table()
    whole = tallystick.count(table, None, METRIC, systems=[*SYSTEMS], by="lang", engine=engine)
    whole.save(tmp_path / "whole.tally")
    half = [
        tallystick.count(table.slice(at, 15), None, METRIC, systems=[*SYSTEMS], by="lang")
        for at in (0, 15)
    ]
    sides = (tallystick.load(tmp_path / "whole.tally"), half[0] + half[1])
    scores = [[one.value for one in tallystick.score(side).scores] for side in sides]

    assert scores[0] == scores[1]
    assert find_share(POOR) in scores[0]


def test_report_shows_examples(tmp_path):
    result = tallystick.score(GOLD, SYSTEMS, METRIC)
    (evidence,) = result.gather(None)
    result.to_html(tmp_path / "report.html")

    assert ("a, b, c", "a, c, b") == evidence.examples.gold[:2]
    assert "c, b, a" == evidence.examples.outputs[1][0]
    assert "c, b, a" in (tmp_path / "report.html").read_text("utf-8")


def test_files_are_joined_by_id(tmp_path):
    rows = [f"{row},{text}" for row, text in enumerate(GOLD)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,gold", *rows]))
    for name, outputs in SYSTEMS.items():
        rows = [f"{row},{text}" for row, text in enumerate(outputs)][::-1]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,output", *rows]))
    paths = {name: str(tmp_path / f"{name}.csv") for name in SYSTEMS}
    blocks = read_files(str(tmp_path / "gold.csv"), paths, Reading(kinds=find_kinds(METRIC)))

    expected = {name: find_share(outputs) for name, outputs in SYSTEMS.items()}
    counted = count(blocks, METRIC)
    assert expected == {name: METRIC.score(counted.tally(METRIC).of(name))[0] for name in SYSTEMS}

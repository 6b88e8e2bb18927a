"""Soft labels and votes, against scipy, scikit-learn and the formulas of shared tasks."""

import json
from typing import Any

import numpy as np
import pandas
import pytest
import sklearn.metrics as sk
from numpy.typing import NDArray
from scipy import stats
from scipy.spatial.distance import jensenshannon

import tallystick
from oracle import near
from tallystick import metrics
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.kinds.numbers.numbers import Distributions, Numbers
from tallystick.limits import LIMITS
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems

Shares = NDArray[np.float64]
CASES = 2_000
SIZES = (1, 2, 3, 5, 11)
"""Numbers of labels: all in all 20,000 cases."""


def draw_cases():
    random = np.random.default_rng(11)
    for size in SIZES:
        votes = random.multinomial(random.integers(1, 6, CASES), np.full(size, 1 / size))
        gold = votes / votes.sum(1, keepdims=True)
        free = random.dirichlet(np.full(size, 0.4), CASES)
        one = np.eye(size)[random.integers(0, size, CASES)]
        kind = random.random((CASES, 1))
        yield gold, np.where(kind < 0.5, free, np.where(kind < 0.7, one, gold))


def hold(gold, outputs, groups=None):
    soft = Distributions(tuple(map(str, range(gold.shape[1]))), gold, outputs[None], ordered=True)
    return Systems(("a",), {"numbers": Numbers(judgements={"distribution": soft})}, groups=groups)


def score_each(metric, gold, outputs):
    size = len(gold)
    groups = Labels(np.arange(size, dtype=np.uint32), tuple(range(size)))
    return np.asarray(metric.score(metric.counter.count(hold(gold, outputs, groups))))


def move_earth(gold, outputs):
    places = np.arange(gold.shape[1])
    pairs = zip(gold, outputs, strict=True)
    return [stats.wasserstein_distance(places, places, *pair) for pair in pairs]


def diverge(gold, outputs):
    return np.nan_to_num(jensenshannon(gold, outputs, base=2, axis=1))


def cross_as_pyevall(gold, outputs):
    sides = [np.where(side <= 0, 0.001, side) for side in (gold, outputs)]
    p, q = (side / side.sum(1, keepdims=True) for side in sides)
    return -(p * np.log2(q)).sum(1)


@pytest.mark.parametrize(("metric", "peer", "most"), [
    (metrics.Manhattan(), sk.pairwise.paired_manhattan_distances, 1e-12),
    (metrics.Wasserstein(), move_earth, 1e-12),
    (metrics.JSDivergence(), lambda *sides: diverge(*sides) ** 2, 1e-12),
    (metrics.JSDistance(), diverge, 1e-7),
    (metrics.SoftCrossEntropy(base=2, smoothing=0.001), cross_as_pyevall, 1e-12),
], ids=["manhattan", "wasserstein", "js_divergence", "js_distance", "cross_entropy"])  # fmt: skip
def test_distances_equal_their_peers(metric, peer, most):
    for sides in draw_cases():
        assert np.allclose(peer(*sides), score_each(metric, *sides), rtol=0, atol=most)


def test_cross_entropy_equals_scipy():
    for gold, outputs in draw_cases():
        raised = np.clip(outputs, np.finfo(float).eps, 1)
        expected = -(gold * np.log(raised)).sum(1)
        positive = (outputs > 0).all(1)
        both = stats.entropy(gold, axis=1) + stats.entropy(gold, raised, axis=1)
        found = score_each(metrics.SoftCrossEntropy(), gold, outputs)

        assert np.allclose(expected, found, rtol=0, atol=1e-12)
        assert np.allclose(both[positive], found[positive], rtol=0, atol=1e-9)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_soft_f1_of_certain_labels_is_f1(average):
    random = np.random.default_rng(3)
    for size in (1, 2, 3, 5):
        for _ in range(40):
            gold, outputs = random.integers(0, size, (2, 30))
            metric = metrics.SoftF1(average, tuple(map(str, range(size))))
            tally = metric.counter.count(hold(np.eye(size)[gold], np.eye(size)[outputs]))
            expected = sk.f1_score(gold, outputs, average=average, zero_division=np.nan)
            assert near(expected) == metric.score(tally)[0]


@pytest.mark.deep
def test_soft_f1_is_its_formula():
    for gold, outputs in draw_cases():
        labels = tuple(map(str, range(gold.shape[1])))
        for rows in np.split(np.arange(CASES), 200):
            p, q = gold[rows], outputs[rows]
            shared, both = 2 * np.minimum(p, q).sum(0), p.sum(0) + q.sum(0)
            micro, macro = (
                metric.score(metric.counter.count(hold(p, q)))[0]
                for metric in (metrics.SoftF1("micro", labels), metrics.SoftF1("macro", labels))
            )
            assert near(shared.sum() / both.sum()) == micro
            assert near(np.mean(shared[both > 0] / both[both > 0])) == macro
            assert near(1 - np.abs(p - q).sum(1).mean() / 2) == micro


@pytest.mark.parametrize("scale", [None, 6, 11])
def test_errors_per_annotator_are_those_of_lewidi(scale):
    random = np.random.default_rng(4)
    for _ in range(60):
        sizes = random.integers(1, 7, random.integers(1, 12))
        gold, outputs = ([random.integers(0, 6, size).tolist() for size in sizes] for _ in "ab")
        errors = [
            np.mean([a != b if scale is None else abs(a - b) / scale for a, b in own])
            for own in [zip(*own, strict=True) for own in zip(gold, outputs, strict=True)]
        ]
        name = "annotator_error" if scale is None else f"annotator_error(scale={scale})"
        named = [
            [{f"ann{place}": str(vote) for place, vote in enumerate(own)} for own in side]
            for side in (gold, outputs)
        ]
        for sides in ((gold, outputs), named):
            (score,) = tallystick.score(*sides, [name], intervals=False).scores
            assert near(np.mean(errors)) == score.value


GOLD = [{"no": 0.25, "yes": 0.75}, {"no": 0.5, "yes": 0.5}, {"no": 1, "yes": 0}]
OUTPUTS = [{"yes": 0.5, "no": 0.5}, {"yes": 0.75, "no": 0.25}, {"yes": 0.0, "no": 1.0}]
EXPECTED = {"manhattan": 1 / 3, "wasserstein": 1 / 6, "micro_soft_f1": 5 / 6}


def to_lists(rows):
    return [[row["no"], row["yes"]] for row in rows]


def to_votes(rows):
    return [[name for name, share in row.items() for _ in range(int(share * 4))] for row in rows]


@pytest.mark.parametrize("form", ["objects", "lists", "array", "votes", "frame"])
def test_forms_in_memory_say_the_same(form):
    make: Any = {
        "objects": list,
        "votes": to_votes,
        "array": lambda rows: np.array(to_lists(rows)),
    }.get(form, to_lists)
    gold, outputs = make(GOLD), make(OUTPUTS)
    if form == "frame":
        gold, outputs = pandas.DataFrame({"soft_label": gold, "prediction": outputs}), None
    result = tallystick.score(gold, outputs, list(EXPECTED), intervals=False)

    assert {name: near(value) for name, value in EXPECTED.items()} == {
        score.name: score.value for score in result.scores
    }


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("form", ["objects", "lists", "votes", "csv", "cells"])
def test_forms_in_files_say_the_same(form, tmp_path, capsys):
    sides = []
    for name, rows, order in (("gold", GOLD, [0, 1, 2]), ("pred", OUTPUTS, [2, 0, 1])):
        made: Any = {"lists": to_lists, "votes": to_votes, "cells": to_lists}.get(form, list)(rows)
        path = tmp_path / f"{name}.{'csv' if form in ('csv', 'cells') else 'jsonl'}"
        if form == "csv":
            lines = [f"{at},{rows[at]['yes']},{rows[at]['no']}" for at in order]
            path.write_text("\n".join(["id,prob_yes,prob_no", *lines]) + "\n")
        elif form == "cells":
            lines = [f'{at},"{made[at]}"' for at in order]
            path.write_text("\n".join(["id,soft_label", *lines]) + "\n")
        else:
            write(path, [{"id": at, "soft_label": made[at]} for at in order])
        sides.append(str(path))
    assert main(["score", *sides, "-m", *EXPECTED, "--format", "json"]) == 0

    assert {name: near(value) for name, value in EXPECTED.items()} == {
        one["name"]: one["value"] for one in json.loads(capsys.readouterr().out)["scores"]
    }


def draw_systems(size, seed):
    random = np.random.default_rng(seed)
    true = random.dirichlet([1, 1, 1], size)
    return random.multinomial(5, true) / 5, {
        name: (1 - part) * true + part * random.dirichlet([1, 1, 1], size)
        for name, part in {"good": 0.5, "better": 0.2}.items()
    }


ALL = [
    *("manhattan", "wasserstein", "js_distance", "js_divergence"),
    *("soft_cross_entropy", "soft_f1", "macro_soft_f1"),
]


@pytest.mark.parametrize("size", [300, 9_000])
def test_systems_are_compared_by_every_metric(size):
    gold, systems = draw_systems(size, 2)
    result = tallystick.compare(gold, systems, ALL)
    assert len(result.differences) == len(ALL)
    assert all(one.p_holm < 0.01 for one in result.differences)
    assert all((one.difference > 0) == (one.better == "higher") for one in result.differences)


def test_intervals_are_those_of_means():
    gold, systems = draw_systems(200, 3)
    distances = np.abs(gold - systems["good"]).sum(1)
    low, high = stats.t.interval(0.95, 199, distances.mean(), distances.std(ddof=1) / 200**0.5)
    score = tallystick.score(gold, {"good": systems["good"]}, "manhattan").scores[0]
    assert near(distances.mean()) == score.value
    assert (score.low, score.high) == pytest.approx((low, high), rel=0.03)


SOFT = {"no": 0.25, "yes": 0.75}
THREE = {"low": 0.5, "mid": 0.5, "high": 0}


@pytest.mark.parametrize(("output", "message"), [
    ({"no": 0.5, "yes": 0.7}, "sum to 1, but here to 1.2"),
    ({"no": -0.5, "yes": 1.5}, "-0.5 is not a probability"),
    ({"no": float("nan"), "yes": 1}, "nan is not a probability"),
    ({"no": 0.5}, "no probability of 'yes'; write 0"),
    ({}, "no probability of 'no'"),
    ({"no": 0.5, "yes": 0, "maybe": 0.5}, "'maybe' is not one of the labels"),
    ({"no": "0.5", "yes": 0.5}, "expected a distribution, found"),
    ({"no": True, "yes": 0}, "expected a distribution, found"),
    ([0.1, 0.2, 0.7], "3 probabilities are given of the 2 labels 'no', 'yes'"),
    (["no", "maybe"], "'maybe' is not one of the labels"),
    ([], "expected a distribution, found nothing"),
    (None, "expected a distribution, found nothing"),
    (0.5, "expected a distribution, found 0.5"),
    ("0.5 and 0.5", "'0.5 and 0.5' is not JSON"),
])  # fmt: skip
def test_what_is_no_distribution_is_told(output, message):
    with pytest.raises(InputError, match="a, row 2") as shown:
        tallystick.score([SOFT, SOFT], {"a": [SOFT, output]}, "manhattan")
    assert message in str(shown.value)


@pytest.mark.parametrize(("gold", "output", "message"), [
    (["no", "yes"], ["no"], "the number of votes is 1 here, and 2 in the gold"),
    ({"ann1": "no"}, {"ann2": "no"}, "it lacks a vote of the annotator 'ann1'"),
    ({"ann1": "no"}, {"ann1": "no", "ann2": "no"}, "'ann2', which the gold has not"),
    (["no"], [], "is not the label of each annotator"),
    (["no"], SOFT, "is not the label of each annotator"),
])  # fmt: skip
def test_votes_that_do_not_fit_are_told(gold, output, message):
    with pytest.raises(InputError) as shown:
        tallystick.score([gold], {"a": [output]}, "annotator_error")
    assert message in str(shown.value)


def test_votes_that_should_be_numbers_are_told():
    with pytest.raises(UsageError, match="labels are numbers, and these are 'no', 'yes'"):
        tallystick.score([["no", "yes"]], {"a": [["no", "yes"]]}, "annotator_error(scale=2)")


def test_an_annotator_without_a_vote_is_left_out():
    gold = [{"ann1": "no", "ann2": None}, {"ann1": "yes", "ann2": "yes"}]
    outputs = [{"ann1": "yes"}, {"ann1": "yes", "ann2": "no"}]
    assert near(0.75) == tallystick.score(gold, outputs, "annotator_error").scores[0].value


def test_an_order_of_labels_is_not_made_up():
    with pytest.raises(UsageError, match="name them from the lowest to the highest"):
        tallystick.score([THREE], [THREE], "wasserstein")
    named = tallystick.Task(labels=("low", "mid", "high"))
    other = {"low": 0, "mid": 0.5, "high": 0.5}
    ratings = [{"10": 0.0, "2": 1.0, "9": 0.0}], [{"10": 1.0, "9": 0.0, "2": 0.0}]
    assert near(1) == tallystick.score([THREE], [other], "wasserstein", task=named)["wasserstein"]
    assert near(2) == tallystick.score(*ratings, "wasserstein")["wasserstein"]


@pytest.mark.parametrize(
    "metric", ["SoftF1('weighted')", "SoftCrossEntropy(base=1)", "annotator_error(scale=0)"]
)
def test_options_that_make_no_sense_are_rejected(metric):
    with pytest.raises(UsageError):
        tallystick.score([SOFT], [SOFT], metric)


def test_soft_labels_are_recognised(tmp_path, capsys):
    rows = [{"id": at, "soft_label": own} for at, own in enumerate(GOLD)]
    path = write(tmp_path / "gold.jsonl", rows)
    assert main(["score", path, path, "--no-intervals", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = ["manhattan", "js_distance", "micro_soft_f1", "macro_soft_f1"]
    assert names == [score["name"] for score in found["scores"]]
    assert any("these look like soft labels" in note for note in found["notes"])


def test_a_column_of_systems_may_hold_soft_labels():
    table = pandas.DataFrame(
        [
            {"id": at, "model": name, "soft_label": gold, "prediction": own}
            for name, outputs in (("a", OUTPUTS), ("b", GOLD))
            for at, (gold, own) in enumerate(zip(GOLD, outputs, strict=True))
        ]
    )
    result = tallystick.score(table, metrics="manhattan", system_column="model", intervals=False)

    assert [near(EXPECTED["manhattan"]), near(0)] == [one.value for one in result.scores]


@pytest.mark.parametrize("objects", [True, False], ids=["objects", "lists"])
def test_large_files_are_read_in_blocks(objects, tmp_path, monkeypatch):
    gold, systems = draw_systems(500, 6)
    paths = []
    for name, side in {"gold": gold, **systems}.items():
        cells = side.round(4).tolist()
        own = [dict(zip("abc", cell, strict=True)) for cell in cells] if objects else cells
        rows = [{"id": f"e{at}", "soft_label": cell} for at, cell in enumerate(own)]
        paths.append(write(tmp_path / f"{name}.jsonl", rows if name == "gold" else rows[::-1]))
    outputs = []
    for large in (1 << 40, 0):
        monkeypatch.setattr(LIMITS, "large_input", large)
        monkeypatch.setattr(LIMITS, "block_rows", 64)
        target = tmp_path / "scores.json"
        assert main(["score", *paths, "-m", *ALL[2:], "-o", str(target)]) == 0
        outputs.append(json.loads(target.read_text())["scores"])

    assert outputs[0] == outputs[1]

"""Equivalence: a difference beyond a limit is ruled out by two one-sided tests."""

import math

import numpy as np
import pytest

import tallystick
from tallystick import Testing, UsageError
from tallystick.cli import main
from tallystick.statistics.tango import bound_difference


def invent(size: int, differ: int) -> tuple[list[int], dict[str, list[int]]]:
    gold = [index % 2 for index in range(size)]
    first, second = list(gold), list(gold)
    for index in range(differ):
        side = first if index % 2 else second
        side[index] = 1 - gold[index]
    return gold, {"a": first, "b": second}


@pytest.mark.parametrize(("size", "differ"), [(100, 0), (100, 10), (400, 40), (2000, 40)])
def test_accuracies_are_equivalent_where_tangos_bounds_are_within(size, differ):
    gold, systems = invent(size, differ)
    low, high = bound_difference(np.array([differ / 2]), np.array([differ / 2]), size, 0.9)
    limit = float(max(-low[0], high[0]))

    for scale, expected in ((1.001, True), (0.999, False)):
        compared = tallystick.compare(
            gold, systems, "accuracy", equivalent_within=limit * scale, task="binary"
        )
        (one,) = compared.differences
        assert expected is one.equivalent
        assert limit * scale == one.equivalent_within


@pytest.mark.parametrize("metric", ["f1", "macro_f1", "mcc"])
@pytest.mark.parametrize("limit", [0.02, 0.05, 0.1, 0.2])
def test_the_verdict_is_that_of_a_gate(metric, limit):
    gold, systems = invent(300, 30)
    gate = tallystick.gate(
        gold, systems["a"], systems["b"], metric, equivalent_within=limit, task="binary"
    )

    compared = tallystick.compare(gold, systems, metric, equivalent_within=limit, task="binary")

    assert ("pass" == gate.checks[0].verdict) is compared.differences[0].equivalent


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.9999])
def test_groups_are_held_by_their_own_bounds(confidence):
    gold, systems = invent(400, 40)
    counts = {"x": (20, 300), "y": (0, 100), "micro": (20, 400)}
    ends = {
        group: bound_difference(np.array([won]), np.array([won]), n, 2 * confidence - 1)
        for group, (won, n) in counts.items()
    }

    compared = tallystick.compare(
        gold,
        systems,
        "accuracy",
        by=["x"] * 300 + ["y"] * 100,
        equivalent_within=0.045,
        testing=Testing(confidence=confidence),
    )

    expected = {
        group: bool(-0.045 <= low[0] and high[0] <= 0.045) for group, (low, high) in ends.items()
    }
    found = {one.group: one.equivalent for one in compared.differences}
    assert expected == {group: found[group] for group in counts}


@pytest.mark.parametrize("limit", [0, -0.1, math.nan, math.inf])
def test_a_limit_is_a_positive_number(limit):
    gold, systems = invent(20, 2)

    with pytest.raises(UsageError, match="equivalent_within is a number above 0, not"):
        tallystick.compare(gold, systems, "accuracy", equivalent_within=limit)


def test_the_table_says_who_is_equivalent(tmp_path, capsys):
    gold, systems = invent(400, 4)
    for name, own in {"gold": gold, **systems}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, own)) + "\n")
    files = [str(tmp_path / f"{name}.txt") for name in ("gold", "a", "b")]

    assert main(["compare", *files, "-m", "accuracy", "--equivalent-within", "0.05"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["system", "accuracy", "difference", "p", "equivalent"]
    assert "yes" == lines[6].split()[-1]
    assert (
        "Equivalent: the difference is shown to be within 0.05 (two one-sided tests, each at 0.95)."
        in lines
    )

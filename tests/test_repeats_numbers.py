"""Means of any score over repeated tries, and the share of the variance that tries make."""

import numpy as np
import pandas
import pytest
from scipy import stats

import tallystick
from matrix import run
from oracle import near
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse

BOTH = ["try_mean(score)", "try_share(score)"]


def draw(seed: int, groups: int = 1, examples: int = 12) -> pandas.DataFrame:
    rng = np.random.default_rng(seed)
    tries = rng.integers(2, 6, groups * examples)
    example = np.repeat(np.arange(len(tries)), tries)
    score = rng.normal(0, 1, len(tries))[example] + rng.normal(0, 1, len(example))
    return pandas.DataFrame(
        {"id": example, "group": example // examples, "model": "a", "score": score}
    )


def score(table: pandas.DataFrame, metrics: list[str], **options: object) -> list[object]:
    result = tallystick.score(table, metrics=metrics, system_column="model", **options)
    return list(result.scores)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(50))
def test_values_are_those_of_pandas(seed):
    table = draw(seed, 200)
    found = score(table, BOTH, by="group", intervals=False)
    own = table.groupby(["group", "id"]).score
    means, errors = own.mean().groupby("group"), (own.sem() ** 2).groupby("group")
    wanted = {BOTH[0]: means.mean(), BOTH[1]: (errors.mean() / means.var()).clip(upper=1)}

    for name, values in wanted.items():
        known = {one.group: one.value for one in found if one.name == name}
        assert near(values.tolist()) == [known[str(group)] for group in values.index]


def test_the_interval_of_a_mean_is_student_s_over_examples():
    table = draw(3, examples=80)
    (one,) = score(table, BOTH[:1])
    means = table.groupby("id").score.mean()
    ends = stats.t.interval(0.95, 79, means.mean(), stats.sem(means))

    assert (80, pytest.approx(ends, rel=0.02)) == (one.n, (one.low, one.high))


def test_examples_that_differ_by_chance_alone_leave_all_variance_to_tries():
    rng = np.random.default_rng(5)
    ids = np.repeat(np.arange(2000), 2)
    alike = pandas.DataFrame({"id": ids, "model": "a", "score": rng.normal(0, 1, 4000)})
    apart = alike.assign(score=rng.normal(0, 1, 2000)[ids])

    assert pytest.approx(1, abs=0.1) == score(alike, BOTH[1:], intervals=False)[0].value
    assert 0 == score(apart, BOTH[1:], intervals=False)[0].value


def test_examples_that_were_tried_once_have_no_share():
    table = draw(2).drop_duplicates("id")
    mean, share = score(table, BOTH, intervals=False)

    assert near(table.score.mean()) == mean.value
    assert np.isnan(share.value)


def test_systems_may_have_unlike_numbers_of_tries():
    first, second = draw(1), draw(1).drop_duplicates("id").assign(model="b")
    table = pandas.concat([first, second])
    (one,) = tallystick.compare(table, metrics=BOTH[0], system_column="model").differences
    means = [part.groupby("id").score.mean().mean() for part in (first, second)]

    assert near(abs(means[0] - means[1])) == abs(one.difference)


def test_files_of_one_system_are_its_tries(tmp_path):
    words = ["score"]
    for place, (one, other) in enumerate([(1.5, 4), (2.5, 6)]):
        path = tmp_path / f"{place}.csv"
        path.write_text(f"id,score\nx,{one}\ny,{other}\n")
        words.append(f"a={path}")
    code, found, notes = run([*words, "--format", "json", "-m", BOTH[0]])

    assert (0, True) == (code, '"value": 3.5' in found), notes


@pytest.mark.parametrize(
    ("values", "said"),
    [([1.0, None], "the number is missing"), ([1.0, 1e60], "is not a number between")],
)
def test_what_is_no_number_is_told_by_its_row(values, said):
    table = pandas.DataFrame({"id": [1, 1], "model": "a", "score": values})
    with pytest.raises(InputError, match=said):
        score(table, BOTH[:1])


def test_other_metrics_stand_apart():
    with pytest.raises(UsageError, match="score them separately"):
        score(draw(1), ["try_mean(score)", "mean(score)"])


@pytest.mark.parametrize("name", BOTH)
def test_reprs_parse_back(name):
    assert (parse(name), name) == (parse(repr(parse(name))), parse(name).name)


def test_interval_of_the_share_of_tries_is_as_wide_as_leaving_out_examples_tells():
    table = draw(5, examples=200)
    metric = ["try_share(score)"]
    (found,) = tallystick.score(table, None, metric).scores
    parts = (table[table.id != one] for one in range(200))
    shares = np.array(
        [tallystick.score(p, None, metric, intervals=False)[metric[0]] for p in parts]
    )

    error = np.sqrt(199 / 200 * ((shares - shares.mean()) ** 2).sum())
    low, high = (np.log(end / (1 - end)) for end in (found.low, found.high))
    assert (
        pytest.approx(2 * 1.97 * error / (found.value * (1 - found.value)), rel=0.1) == high - low
    )

"""Ranking in memory: against comparison, against resampled rows, and where it must say n/a."""

import numpy as np
import pyarrow as pa
import pytest

import tallystick
from tallystick import Testing
from tallystick.errors import InputError, UsageError

RNG = np.random.default_rng(7)
SIZE = 300
GOLD = RNG.choice(list("abc"), SIZE)
GROUPS = RNG.choice(["en", "es"], SIZE)


def _answer(share):
    return np.where(RNG.random(SIZE) < share, GOLD, RNG.choice(list("abc"), SIZE))


SYSTEMS = {name: _answer(share) for name, share in [("p", 0.9), ("q", 0.85), ("r", 0.4)]}
SYSTEMS["most"] = np.full(SIZE, "a")


def _rank(systems, metrics="accuracy", *, gold=GOLD, resamples=200, **options):
    testing = Testing(resamples=resamples)
    return tallystick.rank(gold, systems, **{"metrics": metrics, "testing": testing} | options)


def _find(ranking, **wanted):
    return [
        place
        for place in ranking.places
        if all(getattr(place, name) == value for name, value in wanted.items())
    ]


@pytest.fixture(scope="module")
def ranking():
    return _rank(SYSTEMS, ["accuracy", "macro_f1"], baselines=["most"], resamples=2000)


def _tell(records):
    return {
        (one.system, one.group, one.metric): (one.value, one.low, one.high, one.method)
        for one in records
    }


@pytest.mark.parametrize("clusters", [None, np.arange(SIZE) // 3])
def test_scores_and_intervals_are_those_of_score(clusters):
    asked = {"metrics": ["accuracy", "macro_f1", "mcc"], "by": GROUPS, "clusters": clusters}
    scored = tallystick.score(GOLD, SYSTEMS, intervals=tallystick.Intervals(resamples=300), **asked)
    ranking = _rank(SYSTEMS, resamples=300, **asked)
    assert repr(_tell(scored.scores)) == repr(
        {key: _tell(ranking.places)[key] for key in _tell(scored.scores)}
    )
    assert ranking.document().methods.startswith("95% confidence intervals: ")


def test_ranges_are_those_of_the_paired_tests():
    testing = Testing(resamples=2000)
    compared = tallystick.compare(
        GOLD, SYSTEMS, metrics="accuracy", testing=testing, all_pairs=True
    )
    ranking = tallystick.rank(GOLD, SYSTEMS, metrics="accuracy", testing=testing)
    shown = [one for one in compared.differences if one.p_holm < 0.05]
    expected = {}
    for name in SYSTEMS:
        wins = sum(name == (one.a if one.difference > 0 else one.b) for one in shown)
        losses = sum(name == (one.b if one.difference > 0 else one.a) for one in shown)
        expected[name] = (1 + losses, len(SYSTEMS) - wins)

    assert expected == {one.system: (one.best_rank, one.worst_rank) for one in ranking.places}
    assert (1, len(SYSTEMS)) not in expected.values()


def test_shares_and_ranks_are_those_of_resampled_rows():
    ranking = _rank(SYSTEMS, resamples=2000)
    rows = np.random.default_rng(1).integers(SIZE, size=(2000, SIZE))
    drawn = np.stack([(own == GOLD)[rows].mean(1) for own in SYSTEMS.values()], axis=1)
    best = drawn == drawn.max(1, keepdims=True)
    shares = (best / best.sum(1, keepdims=True)).mean(0)
    found = {place.system: place for place in ranking.places}

    assert [pytest.approx(share, abs=0.05) for share in shares] == [
        found[name].best_share for name in SYSTEMS
    ]


def test_the_resolution_is_that_of_resampled_rows():
    pair = {name: SYSTEMS[name] for name in ("p", "q")}
    ranking = _rank(pair, resamples=5000)
    gains = (pair["p"] == GOLD).astype(float) - (pair["q"] == GOLD)
    assert pytest.approx(2.8016 * gains.std() / np.sqrt(SIZE), rel=0.05) == (
        ranking.places[0].resolution
    )


def test_one_seed_is_one_ranking(ranking):
    asked = {"metrics": ["accuracy", "macro_f1"], "baselines": ["most"]}
    again = _rank(SYSTEMS, resamples=2000, **asked)
    other = _rank(SYSTEMS, testing=Testing(resamples=2000, random_seed=2), **asked)
    assert ranking.to_json() == again.to_json()
    assert ranking.to_csv() != other.to_csv()


def test_an_earlier_ranking_is_taken_as_it_is(ranking):
    assert {"p": 1, "q": 2, "r": 3, "most": None} == {
        place.system: place.previous_rank for place in _rank(SYSTEMS, previous=ranking).places
    }


def test_python_has_the_switches_of_the_command():
    runs = {"team/1": SYSTEMS["q"], "team/2": SYSTEMS["p"], "alone": SYSTEMS["r"]}
    options = {"per_team": "best", "overall": "borda", "details": True}
    found = _rank(runs, ["accuracy", "macro_f1"], **options)

    assert ["team/2", "alone"] == [one.system for one in found.standings]
    assert ("borda", True) == (found.overall, found.details)
    assert found.notes[0].startswith(
        "of several runs of a team the best by accuracy on these examples is ranked (runs: team 2)."
    )


def test_a_baseline_has_no_rank_and_is_told_from_the_others(ranking):
    (place,) = _find(ranking, system="most", name="accuracy")
    assert (None, True) == (place.rank, place.baseline)
    assert [1, 2, 3] == [one.rank for one in _find(ranking, name="accuracy", baseline=False)]
    assert not any("not significantly better" in note for note in ranking.notes)


def test_who_does_not_beat_the_baseline_is_named():
    twins = {"a": SYSTEMS["p"], "b": SYSTEMS["p"], "base": SYSTEMS["p"]}
    shown = "Compared with base on accuracy, neither system is significantly different."
    assert shown in _rank(twins, baselines="base").sentences


def test_identical_systems_share_a_rank():
    assert [(1, 1, 2, 0.5, 1.5, "a")] * 2 == [
        (one.rank, one.best_rank, one.worst_rank, one.best_share, one.mean_rank, one.letters)
        for one in _rank({"a": SYSTEMS["p"], "b": SYSTEMS["p"]}, "macro_f1").places
    ]


def test_one_system_is_shown_with_its_interval():
    ranking = _rank({"a": SYSTEMS["p"]})
    (place,) = ranking.places

    assert (1, None, None, None, "") == (
        place.rank,
        place.best_rank,
        place.worst_rank,
        place.cluster,
        place.letters,
    )
    assert place.low < place.value < place.high
    assert np.isnan([place.best_share, place.mean_rank, place.resolution]).all()
    assert "there is only one system, so there is nothing to compare it with." in ranking.notes


def test_an_undefined_score_stands_last():
    ranking = _rank({"most": SYSTEMS["most"], **SYSTEMS}, "mcc")
    assert ("most", None) == (ranking.places[-1].system, ranking.places[-1].rank)
    assert np.isnan(ranking.places[-1].value)


def test_groups_are_ranked_and_taken_together():
    ranking = _rank(SYSTEMS, by=GROUPS, overall="mean")

    assert ["en", "es", "macro", "micro"] == list(
        dict.fromkeys(place.group for place in ranking.places)
    )
    assert [("en", "Accuracy()"), ("es", "Accuracy()")] == [
        criterion[1:] for criterion in ranking.standings[0].criteria
    ]
    (macro,) = _find(ranking, group="macro", system="p")
    assert pytest.approx(macro.value) == next(
        one.mean for one in ranking.standings if one.system == "p"
    )


def test_a_submission_with_other_groups_is_rejected():
    gold = pa.table({"label": ["x", "y", "x"]})
    langs = {"a": ["en", "es", "es"], "b": ["en", "es", "es"], "c": ["en", "en", "es"]}
    own = {
        name: pa.table({"label": ["x", "y", "y"], "lang": column}) for name, column in langs.items()
    }
    shown = "c has 'en' in its column 'lang' where a has 'es', at example 2; move the column to"
    options = {"metrics": "accuracy", "by": "lang", "testing": Testing(resamples=200)}

    assert [("c", True)] == [
        (one.system, one.reason.startswith(shown))
        for one in tallystick.rank(gold, own, **options).rejected
    ]
    with pytest.raises(InputError, match="move the column to the gold"):
        tallystick.compare(gold, own, **options)


def test_draws_of_probabilities_agree_with_intervals():
    gold = RNG.integers(0, 2, 200)
    own = {name: gold * gain + RNG.random(200) for name, gain in [("a", 0.8), ("b", 0.2)]}
    systems = {name: scores / 2 for name, scores in own.items()}
    ranking = _rank(systems, "roc_auc", gold=gold, resamples=5000)
    compared = tallystick.compare(gold, systems, metrics="roc_auc").differences[0]

    assert ["a", "b"] == [place.system for place in ranking.places]
    spread = (compared.high - compared.low) / (2 * 1.959964)
    assert pytest.approx(2.8016 * spread, rel=0.05) == ranking.places[0].resolution


def test_texts_are_ranked_by_their_metrics():
    references = ["the cat sat on the mat today", "a dog barked at him", "it rains"]
    systems = {"far": ["a cat is there", "dogs bark", "sun"], "near": references}
    ranking = _rank(systems, ["ter", "bleu"], gold=references, overall="mean")
    assert ["near", "far", "near", "far"] == [place.system for place in ranking.places]
    assert "the mean takes -ter, so that higher is better." in ranking.notes


@pytest.mark.parametrize("clusters", [None, [f"d{at // 4}" for at in range(40)]])
def test_pairs_of_texts_are_tested_as_if_alone(clusters):
    rng = np.random.default_rng(3)
    words = [rng.choice(list("abcdef"), 9).tolist() for _ in range(40)]
    references = [" ".join(own) for own in words]
    systems = {
        name: [" ".join(word for word in own if rng.random() > rate) for own in words]
        for name, rate in [("a", 0.05), ("b", 0.2), ("c", 0.25), ("d", 0.5)]
    }
    options = {"metrics": "chrf", "by": ["x", "y"] * 20, "clusters": clusters}
    together = tallystick.rank(references, systems, **options).differences
    alone = {
        pair: tallystick.compare(references, {name: systems[name] for name in pair}, **options)
        for pair in {(one.a, one.b) for one in together}
    }

    assert [
        next(own.p for own in alone[one.a, one.b].differences if own.group == one.group)
        for one in together
    ] == [one.p for one in together]


def test_the_lower_error_rate_wins():
    references = ["the cat sat on the mat", "a dog barked at him"] * 10
    systems = {"far": ["the cat", "a dog"] * 10, "near": references}
    ranking = _rank(systems, "wer", gold=references, resamples=500)
    assert [("near", 1, 1, 1), ("far", 2, 2, 2)] == [
        (place.system, place.best_rank, place.worst_rank, place.cluster) for place in ranking.places
    ]


def test_a_rejected_label_of_another_case_is_told_as_that():
    systems = {"good": ["Yes", "No", "No"], "lower": ["yes", "no", "yes"]}
    (rejected,) = tallystick.rank(["Yes", "No", "Yes"], systems, metrics="accuracy").rejected
    shown = (
        "lower contains the label 'no', which the task has in another case only (`fold_case=True`)"
    )
    assert shown == rejected.reason


def test_a_bad_submission_is_set_aside():
    ranking = _rank({**{"short": ["a"], "numbers": list(range(SIZE))}, **SYSTEMS})
    assert ["short", "numbers"] == [one.system for one in ranking.rejected]
    assert "there are 300 gold examples but 1 predictions" == ranking.rejected[0].reason
    assert set(SYSTEMS) == {place.system for place in ranking.places}


def test_a_label_that_changes_the_task_is_rejected():
    systems = {"good": ["0", "1", "0", "0"], "odd": ["0", "1", "2", "0"]}
    (rejected,) = _rank(systems, "f1", gold=["0", "1", "1", "0"]).rejected
    assert "odd contains the label '2', which the task does not have" == rejected.reason


def test_a_submission_without_probabilities_is_rejected_where_they_are_needed():
    gold = np.array([0, 1, 1, 0, 1, 0])
    (rejected,) = _rank({"sure": gold * 0.5 + 0.2, "labels": gold}, "roc_auc", gold=gold).rejected
    assert "labels" == rejected.system
    assert "needs probabilities" in rejected.reason


def test_a_metric_that_fits_nobody_is_an_error():
    with pytest.raises(UsageError, match="needs probabilities"):
        tallystick.rank(["0", "1"], {"a": ["0", "1"]}, metrics="roc_auc")


def test_too_few_resamples_are_told():
    systems = {str(at): _answer(0.2 * at) for at in range(5)}
    testing = Testing("bootstrap", resamples=100)
    ranking = tallystick.rank(GOLD, systems, metrics="accuracy", testing=testing)

    assert (
        "with 100 resamples no difference can be significant after 10 tests; "
        "`resamples=200` would be enough." in ranking.notes
    )
    assert {(1, 5)} == {(place.best_rank, place.worst_rank) for place in ranking.places}


@pytest.mark.parametrize(("systems", "options", "message"), [
    ({}, {}, "no systems to score"),
    ({1: GOLD, "1": GOLD}, {}, "two systems have the same name"),
    (SYSTEMS, {"baselines": ["gone"]}, "no system 'gone' to be a baseline, only p, q, r, most"),
    (SYSTEMS, {"metrics": "PositiveRate(positive='a')"}, "positive_rate cannot rank systems"),
    (SYSTEMS, {"metrics": "acuracy"}, "did you mean accuracy"),
    (SYSTEMS, {"missing_tracks": "never", "overall": "mean", "metrics": ["accuracy", "mcc"]},
     "exclude, zero"),
    (SYSTEMS, {"overall": "mean"}, "puts several metrics, groups or tracks together"),
    (SYSTEMS, {"overall": "median", "metrics": ["accuracy", "mcc"]}, "mean, mean_rank, borda"),
    (SYSTEMS, {"per_team": "first"}, "all, best, last"),
])  # fmt: skip
def test_a_wrong_request_is_an_error(systems, options, message):
    with pytest.raises(UsageError, match=message):
        _rank(systems, **options)


def test_where_no_submission_can_be_scored_the_first_reason_is_given():
    with pytest.raises(InputError, match="all 2 submissions are rejected: there are 300 gold"):
        tallystick.rank(GOLD, {"a": ["a"], "b": ["b"]}, metrics="accuracy")


@pytest.mark.parametrize(
    "metrics", [["accuracy"], ["accuracy", "macro_f1"], ["recall"], ["precision"]]
)
@pytest.mark.parametrize("size", [SIZE, 12])
def test_pairs_have_the_p_values_of_compare(metrics, size):
    systems = {name: own[:size] for name, own in (SYSTEMS | {"same": SYSTEMS["p"]}).items()}
    gold = GOLD[:size] == "a"
    systems = {name: own == "a" for name, own in systems.items()}

    ranked = tallystick.rank(gold, systems, metrics=metrics).differences
    compared = tallystick.compare(gold, systems, metrics, all_pairs=True).differences

    p_values = {(one.metric, one.a, one.b): one.p for one in compared}
    assert len(p_values) == 10 * len(metrics)
    assert {(one.metric, one.a, one.b): one.p for one in ranked} == p_values

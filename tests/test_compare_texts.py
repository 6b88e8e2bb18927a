"""Comparisons of labels and texts: published pairs, and the tests of sacreBLEU."""

import csv
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.significance import PairedTest

import tallystick
from cases import cases
from nulls import p_value
from reference.paired import bootstrap_rows, randomise_rows
from strategies import STEADY
from tallystick import InputError, Task, Testing, UsageError
from tallystick.comparison.compare import compare as compare_counted
from tallystick.comparison.significance import compare_pairs
from tallystick.kinds.texts import TEXTS
from tallystick.limits import LIMITS
from tallystick.metrics import BLEU, F1, ROCAUC, TER, WER, Accuracy, AveragePrecision, ChrF
from tallystick.model.columns import Columns
from tallystick.model.reading import Reading
from tallystick.model.tallies.clusters import split
from tallystick.reading.input_plan import Source
from tallystick.reading.layouts import read_files
from tallystick.results import Difference
from tallystick.scoring.counting import count, count_input

LETTERS = np.array(["x", "y", "z"])


def simulate(size=300, seed=1, *, skill=(0.7, 0.6, 0.65)):
    rng = np.random.default_rng(seed)
    gold = rng.choice(LETTERS, size)
    systems = {
        f"s{place}": np.where(rng.random(size) < chance, gold, rng.choice(LETTERS, size))
        for place, chance in enumerate(skill)
    }
    return gold, systems


@pytest.fixture(scope="module")
def xnli(shared):
    with open(shared / "data" / "pairs" / "xnli.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["lang"] == "en"]
    systems = {name: [row[f"pred_{name}"] for row in rows] for name in ("mlpp", "mt5base")}
    return [row["gold"] for row in rows], systems


def test_published_pair_differs_as_published(xnli):
    one = tallystick.compare(*xnli, "macro_f1", task="multiclass").find(
        "mlpp", "mt5base", "macro_f1"
    )
    assert pytest.approx((0.0194, 0.0096, 0.0291), abs=3e-4) == (one.difference, one.low, one.high)


@cases("test low high", ("ar", 9e-5, 5e-4), ("bootstrap", 9e-5, 6e-4))
def test_published_pair_differs_significantly(xnli, test, low, high):
    (one,) = tallystick.compare(
        *xnli, "macro_f1", task="multiclass", testing=Testing(test=test)
    ).differences
    assert low < one.p < high


def test_published_flips_are_counted(xnli):
    flips = tallystick.compare(
        *xnli, "accuracy", task="multiclass", testing=Testing(test="mcnemar")
    ).flips("mlpp", "mt5base")
    gains = [flip.difference for flip in flips]
    assert (363, 265) == (gains.count(1), gains.count(-1))


def test_published_pair_by_mcnemar(xnli):
    (one,) = tallystick.compare(
        *xnli, "accuracy", task="multiclass", testing=Testing(test="mcnemar")
    ).differences
    assert pytest.approx(1.05e-4, rel=5e-3) == one.p


@cases("test", "ar", "bootstrap", "mcnemar", "mcnemar-midp")
def test_identical_systems_do_not_differ(test):
    gold, systems = simulate()
    same = {"a": systems["s0"], "b": systems["s0"].copy()}
    (one,) = tallystick.compare(gold, same, Accuracy(), testing=Testing(test=test)).differences
    wide = 1.959964**2 / (300 + 1.959964**2)
    assert (0, 1, 1) == (one.difference, one.p, one.p_holm)
    assert pytest.approx((-wide, wide)) == (one.low, one.high)


def test_seed_fixes_all_numbers():
    gold, systems = simulate()
    first, again, other = (
        tallystick.compare(gold, systems, "f1", testing=Testing("bootstrap", 500, seed)).differences
        for seed in (7, 7, 8)
    )
    assert first == again
    assert first != other


@STEADY
@given(st.integers(0, 2**31), st.integers(2, 40))
def test_p_lies_between_0_and_1(seed, size):
    gold, systems = simulate(size, seed)
    compared = tallystick.compare(
        gold, systems, ["accuracy", "mcc"], testing=Testing(resamples=100)
    )
    values = [p for one in compared.differences for p in (one.p, one.p_holm) if not np.isnan(p)]
    assert all(0 < p <= 1 for p in values)


def test_one_system_is_no_comparison():
    gold, systems = simulate(skill=(0.5,))
    with pytest.raises(UsageError, match="two systems or more"):
        tallystick.compare(gold, systems, "f1")


@cases("test", "mcnemar", "mcnemar-midp", "delong", "sacrebleu-ar")
def test_test_that_does_not_fit_is_rejected(test):
    with pytest.raises(UsageError, match=test):
        tallystick.compare(*simulate(), "mcc", testing=Testing(test=test))


def test_value_per_label_is_rejected():
    with pytest.raises(UsageError, match="per label"):
        tallystick.compare(*simulate(), F1(None))


def test_group_has_the_same_numbers_whatever_others_there_are():
    gold, systems = simulate()
    by = np.where(np.arange(300) < 100, "here", "there")
    alone = {name: own[:100] for name, own in systems.items()}
    part = tallystick.compare(gold[:100], alone, "f1", by=by[:100], testing=Testing(resamples=300))
    whole = tallystick.compare(gold, systems, "f1", by=by, testing=Testing(resamples=300))
    own, other = (
        [(one.difference, one.low, one.high, one.p) for one in found if one.group == "here"]
        for found in (part.differences, whole.differences)
    )
    assert 2 == len(own)
    assert np.array(own) == pytest.approx(np.array(other), rel=1e-12)


@pytest.mark.deep
@cases("first", *range(0, 1000, 200))
def test_true_null_is_rejected_as_often_as_promised(first):
    values = [
        p_value(
            *simulate(150, seed, skill=(0.6, 0.6)),
            "macro_f1",
            Testing(resamples=199, random_seed=seed),
        )
        for seed in range(first, first + 200)
    ]
    assert 0.01 < np.mean(np.array(values) <= 0.05) < 0.1


def test_too_few_resamples_for_so_many_tests_are_told():
    gold = [0, 1] * 20
    systems = dict.fromkeys("abcdefg", gold)
    message = tallystick.compare(
        gold, systems, "accuracy", testing=Testing("bootstrap", 200), all_pairs=True
    ).notes
    enough = tallystick.compare(
        gold, systems, "accuracy", testing=Testing("bootstrap", 500), all_pairs=True
    ).notes
    expected = (
        "with 200 resamples no difference can be significant after 21 tests; "
        "`resamples=420` would be enough."
    )
    assert expected in message
    assert not any("no difference can be" in note for note in enough)


MANY, SOME = 20_000, 1000
RESAMPLES = 2000
METRICS = ["bleu", "chrf"]

END = 2.67
"""The standard error of an end of a 95% interval, in those of the statistic, times the square root
of the number of resamples: that of a quantile of normal numbers."""


@cache
def draw(size):
    rng = np.random.default_rng(4)
    words = np.array([f"w{number}" for number in range(50)])
    gold = rng.integers(50, size=(size, 7))

    def garble(share):
        other = np.where(rng.random(gold.shape) < share, rng.integers(50, size=gold.shape), gold)
        return [" ".join(line) for line in words[other].tolist()]

    return garble(0.0), {"A": garble(0.3), "B": garble(0.303)}


def compare(size, test, resamples=None):
    references, systems = draw(size)
    return tallystick.compare(references, systems, METRICS, testing=Testing(test, resamples))


def test_the_price_does_not_know_the_number_of_lines():
    compared = compare(MANY, "ar")
    assert METRICS == [one.name for one in compared.differences]
    assert all(one.low < one.difference < one.high for one in compared.differences)


@cases("test", "ar", "bootstrap")
def test_moments_agree_with_rows(test, monkeypatch):
    monkeypatch.setattr(LIMITS, "moment_rows", SOME // 2)
    found = compare(SOME, test, RESAMPLES).differences
    monkeypatch.setattr(LIMITS, "moment_rows", SOME)
    expected = compare(SOME, test, RESAMPLES).differences
    wide = 4 * np.sqrt(2 / RESAMPLES)
    assert [one.difference for one in expected] == [one.difference for one in found]
    for one, other in zip(expected, found, strict=True):
        end = wide * END * (one.high - one.low) / 3.92
        assert pytest.approx(one.low, abs=end) == other.low
        assert pytest.approx(one.high, abs=end) == other.high
        assert pytest.approx(one.p, abs=wide * np.sqrt(one.p * (1 - one.p))) == other.p
        assert 0.01 < one.p < 0.99
        assert one.low != other.low


SIZE = 120
LABELS = np.array(list("xyz"))
WORDS = np.array(list("abcdefgh"))
GROUPS = ["en", "es"] * (SIZE // 2)
CLUSTERS = [row // 4 for row in range(SIZE)]
WEIGHTS = 1 + np.arange(SIZE) % 3 / 2


@dataclass
class Case:
    """Gold, the systems a, b and c, what they are compared by, and columns next to them."""

    gold: object
    systems: dict[str, object]
    metrics: list[str]
    beside: dict[str, Any] = field(default_factory=dict)
    task: str | None = None

    def compare(self, order: str, testing: Testing) -> dict[tuple[str, ...], Difference]:
        """The differences of the systems in that order."""
        systems = {name: self.systems[name] for name in order}
        compared = tallystick.compare(
            self.gold,
            systems,
            self.metrics,
            task=self.task,
            testing=testing,
            all_pairs=True,
            **self.beside,
        )
        return {(one.a, one.b, str(one.group), one.metric): one for one in compared.differences}

    def find_pair(self, order: str, testing: Testing) -> list[tuple[float, ...]]:
        """All numbers of the pair a and b next to the systems of that order."""
        return [
            (one.p, one.value_a, one.value_b, one.difference, one.low, one.high)
            for (a, b, *_), one in self.compare(order, testing).items()
            if (a, b) == ("a", "b")
        ]


def make_labels(**beside):
    rng = np.random.default_rng(2)
    gold = rng.choice(LABELS, SIZE)
    a, b = (np.where(rng.random(SIZE) < 0.7, gold, rng.choice(LABELS, SIZE)) for _ in range(2))
    c = np.where(rng.random(SIZE) < 0.5, gold, rng.choice(list("xw"), SIZE))
    metrics = ["accuracy", "macro_f1", "mcc"]
    return Case(gold, {"a": a, "b": b, "c": c}, metrics, beside, "multiclass")


def make_sets():
    rng = np.random.default_rng(3)
    gold, a, b, c = (
        [[label for label in names if rng.random() < 0.5] for _ in range(SIZE)]
        for names in ("xyz", "xyz", "xyz", "xyw")
    )
    return Case(gold, {"a": a, "b": b, "c": c}, ["macro_f1", "micro_f1", "exact_match"])


def make_texts(*metrics, **beside):
    rng = np.random.default_rng(4)
    lines = [rng.choice(WORDS, 5) for _ in range(SIZE // 4)] * 4
    systems = {
        name: [" ".join(np.where(rng.random(5) < share, "x", line)) for line in lines]
        for name, share in [("a", 0.2), ("b", 0.25), ("c", 0.5)]
    }
    return Case([" ".join(line) for line in lines], systems, list(metrics), beside)


def make_tokens():
    case = make_texts("bleu")
    case.systems = {name: [line.split() for line in own] for name, own in case.systems.items()}
    case.gold = [[line.split()] for line in case.gold]
    return case


def make_scores(metric, **beside):
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, SIZE)
    systems = {
        name: 0.3 * gold + 0.7 * rng.random(SIZE) ** power
        for name, power in [("a", 1), ("b", 2), ("c", 3)]
    }
    return Case(gold, systems, [metric], beside)


CASES = {
    "labels": make_labels(),
    "labels by group": make_labels(by=GROUPS),
    "labels in clusters": make_labels(clusters=CLUSTERS),
    "labels with weights": make_labels(weights=WEIGHTS),
    "labels with weights by group": make_labels(weights=WEIGHTS, by=GROUPS),
    "sets": make_sets(),
    "texts": make_texts("bleu", "ter"),
    "texts by group": make_texts("chrf", by=GROUPS),
    "texts in clusters": make_texts("bleu", clusters=CLUSTERS),
    "tokens": make_tokens(),
    "areas": make_scores("roc_auc"),
    "areas with weights": make_scores("roc_auc", weights=WEIGHTS),
    "probabilities in clusters": make_scores("average_precision", clusters=CLUSTERS),
}
EVERY_CASE = cases("case", *CASES.values(), ids=list(CASES))


@pytest.mark.deep
@cases("test", None, "bootstrap")
@EVERY_CASE
def test_numbers_of_a_pair_are_its_own(case, test):
    testing = Testing(test, 200)
    alone = case.find_pair("ab", testing)
    for order in ("abc", "cab", "acb"):
        found = case.find_pair(order, testing)
        assert np.ravel(alone) == pytest.approx(np.ravel(found), rel=1e-9, nan_ok=True)


@cases("test", "ar", "bootstrap")
def test_numbers_of_a_pair_of_many_texts_are_its_own(test, monkeypatch):
    monkeypatch.setattr(LIMITS, "moment_rows", SIZE // 2)
    case, testing = make_texts("bleu", "chrf"), Testing(test, 200)
    alone = case.find_pair("ab", testing)
    for order in ("abc", "cab", "acb"):
        found = case.find_pair(order, testing)
        assert np.ravel(alone) == pytest.approx(np.ravel(found), rel=1e-9)


@pytest.mark.deep
@EVERY_CASE
def test_rankings_have_the_p_values_of_comparisons(case):
    testing = Testing(resamples=200)
    layout = {name: case.beside.get(name) for name in ("by", "clusters", "weights")}
    layout["task"] = case.task
    counted = count_input(Source(case.gold, case.systems), layout, case.metrics, tolerant=True)
    outcomes = compare_pairs(counted, testing, bounds=False)
    assert {key: one.p for key, one in case.compare("abc", testing).items()} == pytest.approx(
        {
            (*pair, str(group), repr(metric)): outcome.p[place, row]
            for metric, outcome in outcomes.items()
            for place, pair in enumerate(outcome.pairs)
            for row, group in enumerate(counted.rows)
        },
        nan_ok=True,
    )


@pytest.mark.deep
@EVERY_CASE
def test_places_have_the_intervals_of_their_systems(case):
    testing = Testing(resamples=200)
    found = []
    for order in ("ab", "cab"):
        ranking = tallystick.rank(
            case.gold,
            {name: case.systems[name] for name in order},
            case.metrics,
            task=case.task,
            testing=testing,
            **case.beside,
        )
        found.append(
            {
                (one.system, one.group, one.metric, end): getattr(one, end)
                for one in ranking.places
                for end in ("value", "low", "high")
                if one.system != "c"
            }
        )

    assert found[0] == pytest.approx(found[1], rel=1e-9, nan_ok=True)


SYSTEMS = ("ONLINE-A", "ONLINE-Y", "ONLINE-G")
NAMES = {"BLEU": "bleu", "chrF2": "chrf", "TER": "ter"}


def read_lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@pytest.fixture(scope="module")
def translations(shared):
    def read(pair, size):
        target, folder = pair.split("-")[1], shared / "data" / "wmt23"
        start = f"generaltest2023.{pair}"
        systems = {
            name: read_lines(folder / "systems" / f"{start}.hyp.{name}.{target}")[:size]
            for name in SYSTEMS
        }
        return systems, read_lines(folder / "references" / f"{start}.ref.refA.{target}")[:size]

    return read


@pytest.fixture(scope="module")
def replayed(translations):
    def replay(test, resamples):
        systems, references = translations("he-en", 150)
        peers = {"BLEU": sacrebleu.BLEU(), "chrF2": sacrebleu.CHRF(), "TER": sacrebleu.TER()}
        _, theirs = PairedTest(
            list(systems.items()), peers, [references], test_type=test, n_samples=resamples
        )()
        ours = tallystick.compare(
            references,
            systems,
            [BLEU(), ChrF(), TER()],
            testing=Testing(f"sacrebleu-{test}", resamples),
        )
        return theirs, ours

    return replay


@pytest.mark.deep
@cases("test resamples", ("bs", 100), ("ar", 133))
def test_p_values_are_those_of_sacrebleu(replayed, test, resamples):
    theirs, ours = replayed(test, resamples)
    expected = {
        (name, system): result.p_value
        for peer, name in NAMES.items()
        for system, result in zip(theirs["System"][1:], theirs[peer][1:], strict=True)
    }
    assert expected == {
        (name, system): ours.find(SYSTEMS[0], system, name).p for name, system in expected
    }


@pytest.mark.deep
def test_confidence_is_that_of_sacrebleu(replayed):
    theirs, ours = replayed("bs", 100)
    expected = [
        f"sacreBLEU's mean and 95% confidence of {name}: "
        + ", ".join(
            f"{system} {result.mean:.1f} ± {result.ci:.1f}"
            for system, result in zip(theirs["System"], theirs[peer], strict=True)
        )
        + "."
        for peer, name in NAMES.items()
    ]
    assert expected == [note for note in ours.notes if note.startswith("sacreBLEU's mean")]


def test_seed_of_sacrebleu_is_taken_from_its_variable(translations, monkeypatch):
    systems, references = translations("he-en", 100)
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    _, theirs = PairedTest(
        list(systems.items()), {"BLEU": sacrebleu.BLEU()}, [references], "ar", n_samples=200
    )()
    ours = tallystick.compare(references, systems, "bleu", testing=Testing("sacrebleu-ar", 200))
    assert [result.p_value for result in theirs["BLEU"][1:]] == [
        ours.find(SYSTEMS[0], system, "bleu").p for system in SYSTEMS[1:]
    ]


def test_randomisation_agrees_with_sacrebleu(translations):
    systems, references = translations("he-en", 100)
    ours = tallystick.compare(references, systems, ["bleu", "chrf"], testing=Testing("ar"))
    theirs = tallystick.compare(
        references, systems, ["bleu", "chrf"], testing=Testing("sacrebleu-ar")
    )
    assert [one.p for one in ours.differences] == pytest.approx(
        [one.p for one in theirs.differences], abs=0.02
    )


def draw_pairs(size=80, seed=3):
    rng = np.random.default_rng(seed)
    words = np.array(["a", "b", "c", "d", "e", "f", "g", "h"])
    lines = [rng.choice(words, 8) for _ in range(size)]

    def garble(share):
        return [" ".join(np.where(rng.random(8) < share, "x", line)) for line in lines]

    return {"A": garble(0.2), "B": garble(0.3)}, [" ".join(line) for line in lines]


@cases("test", "ar", "bootstrap")
def test_identical_texts_do_not_differ(test):
    systems, references = draw_pairs()
    same = {"A": systems["A"], "B": list(systems["A"])}
    (one,) = tallystick.compare(references, same, BLEU(), testing=Testing(test, 500)).differences
    assert (0, 1) == (one.difference, one.p)
    assert one.low < 0 < one.high


def test_identical_texts_are_significant_to_sacrebleu_alone():
    systems, references = draw_pairs()
    compared = tallystick.compare(
        references,
        {"B": list(systems["A"]), "A": systems["A"]},
        BLEU(),
        testing=Testing("sacrebleu-ar", 199),
    )
    assert 1 / 200 == compared.differences[0].p
    assert compared.sentences()[0].startswith("No significant difference between A and B")


@cases("test", "sacrebleu-ar", "sacrebleu-bs")
def test_too_few_resamples_of_sacrebleu_are_told(test):
    systems, references = draw_pairs()
    four = {f"{name}{place}": own for name, own in systems.items() for place in range(2)}
    shown, enough = (
        tallystick.compare(
            references, four, ["bleu", "chrf"], testing=Testing(test, resamples), all_pairs=True
        ).notes
        for resamples in (100, 240)
    )
    assert (
        "with 100 resamples no difference can be significant after 12 tests; "
        "`resamples=240` would be enough." in shown
    )
    assert not any("no difference can be" in note for note in enough)


def test_error_rate_is_better_where_it_is_lower():
    systems, references = draw_pairs()
    compared = tallystick.compare(references, systems, WER(), testing=Testing(resamples=500))
    assert compared.sentences()[0].startswith("A is better than B on wer by ")


def test_largest_differences_come_first():
    systems, references = draw_pairs()
    flips = tallystick.compare(references, systems, "chrf", testing=Testing(resamples=100)).flips(
        "A", "B"
    )
    scored = tallystick.score(references, systems, "chrf", segments=True)
    first = flips[0]
    values = [scored["chrf", first.example, name] for name in systems]
    assert values[0] - values[1] == pytest.approx(first.difference)
    assert [abs(flip.difference) for flip in flips] == sorted(
        (abs(flip.difference) for flip in flips), reverse=True
    )


@cases(
    "options message",
    ({"metrics": "wer", "testing": Testing("sacrebleu-ar")}, "BLEU, chrF and TER"),
    ({"metrics": "bleu", "testing": Testing("sacrebleu-bs"), "by": ["x"] * 80}, "neither groups"),
    ({"metrics": "bleu", "testing": Testing("mcnemar")}, "accuracy"),
    (
        {"metrics": "bleu", "task": "binary", "testing": Testing("delong")},
        "can only be used with labels",
    ),
)
def test_option_that_does_not_fit_is_rejected(options, message):
    systems, references = draw_pairs()
    with pytest.raises(UsageError, match=message):
        tallystick.compare(references, systems, **options)


@cases(
    "options message",
    ({"resamples": 5}, "too few"),
    ({"confidence": 95}, "between 0 and 1"),
    ({"random_seed": -1}, "0 or more"),
    ({"test": "x"}, "test must be one of ar, t, bootstrap"),
)
def test_setting_that_makes_no_sense_is_rejected(options, message):
    with pytest.raises(UsageError, match=message):
        Testing(**options)


def test_clusters_of_another_length_are_rejected():
    systems, references = draw_pairs()
    with pytest.raises(InputError, match="clusters has 1 values for 80 examples"):
        tallystick.compare(references, systems, "bleu", clusters=["a"])


def test_metrics_that_share_a_counter_change_nothing():
    systems, references = draw_pairs()
    testing = Testing(resamples=200, random_seed=3)
    together, alone = (
        tallystick.compare(references, systems, metrics, testing=testing)
        for metrics in (["rougeL", "rouge2"], ["rougeL"])
    )
    a, b = alone.differences[0].a, alone.differences[0].b
    assert alone.flips(a, b) == together.flips(a, b) != ()
    assert [(one.metric, one.low, one.high, one.p) for one in alone.differences] == [
        (one.metric, one.low, one.high, one.p)
        for one in together.differences
        if one.name.startswith("rougeL")
    ]


def test_equal_references_keep_their_examples_apart():
    random = np.random.default_rng(3)
    gold = random.choice(["yes", "no"], 200)
    systems = {
        name: np.where(random.random(200) < share, gold, random.choice(["yes", "no", "?"], 200))
        for name, share in (("one", 0.6), ("other", 0.5))
    }
    lists = {name: own.tolist() for name, own in systems.items()}
    texts = tallystick.compare(gold.tolist(), lists, "exact_match").differences[0]
    wrong = random.permutation(200)
    shuffled = {name: own[wrong].tolist() for name, own in systems.items()}
    again = tallystick.compare(gold[wrong].tolist(), shuffled, "exact_match").differences[0]
    labels = tallystick.compare(gold.tolist(), lists, "accuracy", task="multiclass").differences[0]
    assert labels.difference == pytest.approx(texts.difference, abs=1e-12)
    assert labels.p == pytest.approx(texts.p, abs=0.01)
    assert (texts.p, texts.low, texts.high) == pytest.approx((again.p, again.low, again.high))


def draw_labels():
    rng = np.random.default_rng(8)
    gold = rng.choice(3, 120, p=[0.6, 0.3, 0.1])
    return gold, *(
        np.where(rng.random(120) < chance, gold, rng.integers(0, 3, 120)) for chance in (0.7, 0.6)
    )


def draw_sets():
    rng = np.random.default_rng(9)
    gold = rng.integers(0, 2, (80, 4))
    return gold, *(np.where(rng.random((80, 4)) < chance, gold, 1 - gold) for chance in (0.85, 0.8))


def draw_scores():
    rng = np.random.default_rng(10)
    gold = rng.integers(0, 2, 90)
    return gold, *(
        np.clip(np.round(0.5 + 0.3 * (gold - 0.5) + noise * rng.normal(size=90), 1), 0, 1)
        for noise in (0.2, 0.24)
    )


def macro_f1(gold, predicted):
    if gold.ndim == 1:
        gold, predicted = (column[:, None] == np.arange(3) for column in (gold, predicted))
    both = (gold & predicted).sum(0)
    either = gold.sum(0) + predicted.sum(0)
    return (2 * both / np.maximum(either, 1))[either > 0].mean()


def average_precision(gold, scores):
    above = scores >= np.unique(scores)[::-1][:, None]
    precision = (above & (gold == 1)).sum(1) / above.sum(1)
    return np.diff((above & (gold == 1)).sum(1), prepend=0) @ precision / (gold == 1).sum()


KINDS = {
    "labels": (draw_labels, macro_f1, F1("macro", zero_division=0), Task("multiclass")),
    "sets": (draw_sets, macro_f1, F1("macro", zero_division=0), Task("multilabel")),
    "scores": (draw_scores, average_precision, AveragePrecision(), Task("binary")),
}


@pytest.mark.deep
@cases("kind", *KINDS)
def test_randomisation_of_counts_is_that_of_rows(kind):
    draw, score, metric, task = KINDS[kind]
    gold, a, b = draw()
    compared = tallystick.compare(
        gold, {"a": a, "b": b}, metric, task=task, testing=Testing(resamples=RESAMPLES)
    )
    expected = randomise_rows(gold, a, b, score, RESAMPLES)
    assert expected == pytest.approx(
        compared.differences[0].p, abs=5 * np.sqrt(expected * (1 - expected) / RESAMPLES)
    )


@pytest.mark.deep
@cases("kind", *KINDS)
def test_interval_of_counts_is_that_of_rows(kind):
    draw, score, metric, task = KINDS[kind]
    gold, a, b = draw()
    compared = tallystick.compare(
        gold, {"b": b, "a": a}, metric, task=task, testing=Testing(resamples=RESAMPLES)
    )
    expected = bootstrap_rows(gold, a, b, score, RESAMPLES)
    (one,) = compared.differences
    assert np.quantile(expected, [0.025, 0.975]) == pytest.approx(
        [one.low, one.high], abs=0.35 * expected.std()
    )


@pytest.mark.deep
@cases("by", None, np.arange(90) % 2)
def test_delong_and_randomisation_of_areas_agree(by):
    gold, a, b = draw_scores()
    systems = {"a": a, "b": b}
    one, other = (
        tallystick.compare(gold, systems, ROCAUC(), by=by, testing=Testing(test, 600))
        for test in ("delong", "ar")
    )
    assert [own.p for own in one.differences] == pytest.approx(
        [own.p for own in other.differences], abs=0.06
    )
    assert [own.value_a for own in one.differences] == pytest.approx(
        [own.value_a for own in other.differences], abs=1e-14
    )


def test_areas_of_clusters_have_a_t_test():
    gold, a, b = draw_scores()
    compared = tallystick.compare(
        gold,
        {"a": a, "b": b},
        ROCAUC(),
        clusters=np.arange(90) // 3,
        testing=Testing(resamples=200),
    )
    assert "t" == compared.differences[0].test


def test_row_without_positives_is_undefined():
    gold = np.array(["no"] * 20 + ["no", "yes"] * 20)
    systems = {"a": gold.copy(), "b": np.where(np.arange(60) % 7 == 3, "no", gold)}
    by = np.repeat(["empty", "full"], [20, 40])
    compared = tallystick.compare(gold, systems, F1(), by=by, testing=Testing(resamples=300))
    empty, full = (compared.find("a", "b", "f1", group) for group in ("empty", "full"))
    assert np.isnan([empty.difference, empty.p, empty.p_holm]).all()
    assert 0 < full.p <= 1
    assert "n/a" in str(compared)


@cases("test", "delong", "ar")
def test_row_without_positives_has_no_area(test):
    gold, a, b = draw_scores()
    by = np.where((gold == 0) & (np.arange(90) < 30), "empty", "full")
    compared = tallystick.compare(
        gold, {"a": a, "b": b}, ROCAUC(), by=by, testing=Testing(test, 200)
    )
    empty, full, macro, micro = compared.differences
    assert np.isnan([empty.difference, empty.low, empty.high, empty.p, empty.p_holm]).all()
    assert full.difference == macro.difference
    assert not np.isnan([full.p, micro.p, micro.low]).any()


def test_undefined_resamples_are_counted():
    gold = np.array(["yes"] * 2 + ["no"] * 30)
    systems = {"a": gold.copy(), "b": np.array(["yes"] + ["no"] * 31)}
    compared = tallystick.compare(gold, systems, "recall", testing=Testing("bootstrap", 1000))
    assert any("was undefined in 1" in note for note in compared.notes)


def test_areas_apart_without_spread_differ_significantly():
    gold = np.array([0, 1] * 10)
    compared = tallystick.compare(gold, {"b": 1.0 - gold, "a": gold.astype(float)}, ROCAUC())
    (one,) = compared.differences
    assert 0 < one.p < 0.01
    assert one.low < one.difference == one.high == 1


def test_blocks_of_lines_change_nothing(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    for name in ("ref", "a", "b", "by", "clusters"):
        size = 1 if name == "by" else 2 if name == "clusters" else 6
        lines = [" ".join(rng.choice(list("abc"), size)) for _ in range(40)]
        (tmp_path / name).write_text("\n".join(lines))
    columns = Columns(by=(str(tmp_path / "by"),), clusters=str(tmp_path / "clusters"))

    def compare_both():
        paths = {name: str(tmp_path / name) for name in ("a", "b")}
        blocks = read_files(str(tmp_path / "ref"), paths, Reading(columns, kinds=(TEXTS,)))
        counted = count(blocks, ["bleu", "chrf"], heading="by")
        return compare_counted(counted, testing=Testing(resamples=200)).differences

    whole = compare_both()
    monkeypatch.setattr(LIMITS, "block_lines", 7)
    assert whole == compare_both()


@cases("widest", 1, 1000, 10**9)
def test_chunks_of_resamples_are_bounded(widest):
    sizes = list(split(10_000, widest))
    assert 10_000 == sum(sizes)
    assert all(size == 1 or size * widest <= 1 << 22 for size in sizes)

"""Comparisons of texts and of every other kind agree with resampling row by row."""

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

import tallystick
from reference.paired import bootstrap_rows, randomise_rows
from tallystick import InputError, Task, Testing, UsageError
from tallystick.comparison.compare import compare
from tallystick.kinds.texts import TEXTS
from tallystick.metrics import BLEU, F1, ROCAUC, TER, WER, AveragePrecision, ChrF
from tallystick.model.columns import Columns
from tallystick.model.reading import Reading
from tallystick.model.tallies.clusters import split
from tallystick.reading import line_files
from tallystick.reading.layouts import read_files
from tallystick.scoring.counting import count

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
            metrics=[BLEU(), ChrF(), TER()],
            testing=Testing(f"sacrebleu-{test}", resamples),
        )
        return theirs, ours

    return replay


@pytest.mark.deep
@pytest.mark.parametrize(("test", "resamples"), [("bs", 100), ("ar", 133)])
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
            f"{system} {result.mean:.3f} ± {result.ci:.3f}"
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
    ours = tallystick.compare(
        references, systems, metrics="bleu", testing=Testing("sacrebleu-ar", 200)
    )

    assert [result.p_value for result in theirs["BLEU"][1:]] == [
        ours.find(SYSTEMS[0], system, "bleu").p for system in SYSTEMS[1:]
    ]


def test_randomisation_agrees_with_sacrebleu(translations):
    systems, references = translations("he-en", 100)
    ours = tallystick.compare(references, systems, metrics=["bleu", "chrf"], testing=Testing("ar"))
    theirs = tallystick.compare(
        references, systems, metrics=["bleu", "chrf"], testing=Testing("sacrebleu-ar")
    )

    assert [one.p for one in ours.differences] == pytest.approx(
        [one.p for one in theirs.differences], abs=0.02
    )


def simulate(size=80, seed=3):
    rng = np.random.default_rng(seed)
    words = np.array(["a", "b", "c", "d", "e", "f", "g", "h"])
    lines = [rng.choice(words, 8) for _ in range(size)]

    def garble(share):
        return [" ".join(np.where(rng.random(8) < share, "x", line)) for line in lines]

    return {"A": garble(0.2), "B": garble(0.3)}, [" ".join(line) for line in lines]


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_identical_texts_do_not_differ(test):
    systems, references = simulate()
    same = {"A": systems["A"], "B": list(systems["A"])}
    (one,) = tallystick.compare(
        references, same, metrics=BLEU(), testing=Testing(test, 500)
    ).differences
    assert (0, 1) == (one.difference, one.p)
    assert one.low < 0 < one.high


def test_identical_texts_are_significant_to_sacrebleu_alone():
    systems, references = simulate()
    compared = tallystick.compare(
        references,
        {"B": list(systems["A"]), "A": systems["A"]},
        metrics=BLEU(),
        testing=Testing("sacrebleu-ar", 199),
    )

    assert 1 / 200 == compared.differences[0].p
    assert compared.sentences()[0].startswith("No significant difference between A and B")


@pytest.mark.parametrize("test", ["sacrebleu-ar", "sacrebleu-bs"])
def test_too_few_resamples_of_sacrebleu_are_told(test):
    systems, references = simulate()
    four = {f"{name}{place}": own for name, own in systems.items() for place in range(2)}
    shown, enough = (
        tallystick.compare(
            references,
            four,
            metrics=["bleu", "chrf"],
            testing=Testing(test, resamples),
            all_pairs=True,
        ).notes
        for resamples in (100, 240)
    )

    assert (
        "with 100 resamples no difference can be significant after 12 tests; "
        "`resamples=240` would be enough." in shown
    )
    assert not any("no difference can be" in note for note in enough)


def test_error_rate_is_better_where_it_is_lower():
    systems, references = simulate()
    compared = tallystick.compare(
        references, systems, metrics=WER(), testing=Testing(resamples=500)
    )
    assert compared.sentences()[0].startswith("A is better than B on wer by ")


def test_largest_differences_come_first():
    systems, references = simulate()
    flips = tallystick.compare(
        references, systems, metrics="chrf", testing=Testing(resamples=100)
    ).flips("A", "B")
    scored = tallystick.score(references, systems, metrics="chrf", segments=True)
    first = flips[0]
    values = [scored["chrf", first.example, name] for name in systems]

    assert values[0] - values[1] == pytest.approx(first.difference)
    assert [abs(flip.difference) for flip in flips] == sorted(
        (abs(flip.difference) for flip in flips), reverse=True
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "wer", "testing": Testing("sacrebleu-ar")}, "BLEU, chrF and TER"),
        (
            {"metrics": "bleu", "testing": Testing("sacrebleu-bs"), "by": ["x"] * 80},
            "neither groups",
        ),
        ({"metrics": "bleu", "testing": Testing("mcnemar")}, "accuracy"),
        (
            {"metrics": "bleu", "task": "binary", "testing": Testing("delong")},
            "can only be used with labels",
        ),
    ],
)
def test_option_that_does_not_fit_is_refused(options, message):
    systems, references = simulate()
    with pytest.raises(UsageError, match=message):
        tallystick.compare(references, systems, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 5}, "too few"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"random_seed": -1}, "0 or more"),
        ({"test": "x"}, "test must be one of ar, t, bootstrap"),
    ],
)
def test_setting_that_makes_no_sense_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        Testing(**options)


def test_clusters_of_another_length_are_refused():
    systems, references = simulate()
    with pytest.raises(InputError, match="clusters has 1 values for 80 examples"):
        tallystick.compare(references, systems, metrics="bleu", clusters=["a"])


def test_metrics_that_share_a_counter_change_nothing():
    systems, references = simulate()
    testing = Testing(resamples=200, random_seed=3)
    together, alone = (
        tallystick.compare(references, systems, metrics=metrics, testing=testing)
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


RESAMPLES = 2000


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
@pytest.mark.parametrize("kind", KINDS)
def test_randomisation_of_counts_is_that_of_rows(kind):
    draw, score, metric, task = KINDS[kind]
    gold, a, b = draw()
    compared = tallystick.compare(
        gold, {"a": a, "b": b}, metrics=metric, task=task, testing=Testing(resamples=RESAMPLES)
    )
    expected = randomise_rows(gold, a, b, score, RESAMPLES)

    assert expected == pytest.approx(
        compared.differences[0].p, abs=5 * np.sqrt(expected * (1 - expected) / RESAMPLES)
    )


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_interval_of_counts_is_that_of_rows(kind):
    draw, score, metric, task = KINDS[kind]
    gold, a, b = draw()
    compared = tallystick.compare(
        gold, {"b": b, "a": a}, metrics=metric, task=task, testing=Testing(resamples=RESAMPLES)
    )
    expected = bootstrap_rows(gold, a, b, score, RESAMPLES)
    (one,) = compared.differences

    assert np.quantile(expected, [0.025, 0.975]) == pytest.approx(
        [one.low, one.high], abs=0.35 * expected.std()
    )


@pytest.mark.deep
@pytest.mark.parametrize("by", [None, np.arange(90) % 2])
def test_delong_and_randomisation_of_areas_agree(by):
    gold, a, b = draw_scores()
    systems = {"a": a, "b": b}
    one, other = (
        tallystick.compare(gold, systems, metrics=ROCAUC(), by=by, testing=Testing(test, 600))
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
        metrics=ROCAUC(),
        clusters=np.arange(90) // 3,
        testing=Testing(resamples=200),
    )

    assert "t" == compared.differences[0].test


def test_row_without_positives_is_undefined():
    gold = np.array(["no"] * 20 + ["no", "yes"] * 20)
    systems = {"a": gold.copy(), "b": np.where(np.arange(60) % 7 == 3, "no", gold)}
    by = np.repeat(["empty", "full"], [20, 40])
    compared = tallystick.compare(
        gold, systems, metrics=F1(), by=by, testing=Testing(resamples=300)
    )
    empty, full = (compared.find("a", "b", "f1", group) for group in ("empty", "full"))

    assert np.isnan([empty.difference, empty.p, empty.p_holm]).all()
    assert 0 < full.p <= 1
    assert "n/a" in str(compared)


@pytest.mark.parametrize("test", ["delong", "ar"])
def test_row_without_positives_has_no_area(test):
    gold, a, b = draw_scores()
    by = np.where((gold == 0) & (np.arange(90) < 30), "empty", "full")
    compared = tallystick.compare(
        gold, {"a": a, "b": b}, metrics=ROCAUC(), by=by, testing=Testing(test, 200)
    )
    empty, full, macro, micro = compared.differences

    assert np.isnan([empty.difference, empty.low, empty.high, empty.p, empty.p_holm]).all()
    assert full.difference == macro.difference
    assert not np.isnan([full.p, micro.p, micro.low]).any()


def test_undefined_resamples_are_counted():
    gold = np.array(["yes"] * 2 + ["no"] * 30)
    systems = {"a": gold.copy(), "b": np.array(["yes"] + ["no"] * 31)}
    compared = tallystick.compare(
        gold, systems, metrics="recall", testing=Testing("bootstrap", 1000)
    )
    assert any("was undefined in 1" in note for note in compared.notes)


def test_areas_apart_without_spread_differ_significantly():
    gold = np.array([0, 1] * 10)
    compared = tallystick.compare(
        gold, {"b": 1.0 - gold, "a": gold.astype(float)}, metrics=ROCAUC()
    )

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
        return compare(counted, testing=Testing(resamples=200)).differences

    whole = compare_both()
    monkeypatch.setattr(line_files, "_LINES", 7)

    assert whole == compare_both()


@pytest.mark.parametrize("widest", [1, 1000, 10**9])
def test_chunks_of_resamples_are_bounded(widest):
    sizes = list(split(10_000, widest))
    assert 10_000 == sum(sizes)
    assert all(size == 1 or size * widest <= 1 << 22 for size in sizes)

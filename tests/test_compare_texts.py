"""Systems that write texts, compared on the same examples; sacreBLEU's own tests replayed."""

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

import tallystick
from tallystick import InputError, Testing, UsageError
from tallystick.metrics import BLEU, TER, WER, ChrF

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
    own = Testing("ar")
    ours = tallystick.compare(references, systems, metrics=["bleu", "chrf"], testing=own)
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
    told, enough = (
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
        "`resamples=240` would be enough." in told
    )
    assert not any("no difference can be" in note for note in enough)


def test_error_rate_is_better_where_it_is_lower():
    systems, references = simulate()
    compared = tallystick.compare(
        references, systems, metrics=WER(), testing=Testing(resamples=500)
    )

    assert compared.sentences()[0].startswith("A is better than B on wer by ")


def test_clusters_widen_the_interval():
    systems, references = simulate(20)
    repeated = {name: [line for line in own for _ in range(10)] for name, own in systems.items()}
    lines = [line for line in references for _ in range(10)]
    documents = [str(place // 10) for place in range(len(lines))]
    alone, together, plain = (
        tallystick.compare(
            gold, own, metrics="bleu", clusters=clusters, testing=Testing(resamples=2000)
        )
        for own, gold, clusters in (
            (systems, references, None),
            (repeated, lines, documents),
            (repeated, lines, None),
        )
    )
    widths = [
        one.high - one.low for (one,) in (own.differences for own in (alone, together, plain))
    ]

    assert widths[0] == pytest.approx(widths[1], rel=0.1)
    assert widths[2] < widths[1] / 2


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
        ({"metrics": "bleu", "task": "binary", "testing": Testing("delong")}, "goes with labels"),
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
        ({"test": "x"}, "test is one of ar, t, bootstrap"),
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

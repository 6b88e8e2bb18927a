"""Scores for another mix of labels, held against scikit-learn with weighted examples."""

import numpy as np
import pytest
from sklearn import metrics as sk

import tallystick
from tallystick import InputError, UsageError
from tallystick.cli import main

SIZE = 240
RNG = np.random.default_rng(8)
GOLD = np.array(["clean", "rude", "toxic"])[RNG.choice(3, SIZE, p=[0.5, 0.3, 0.2])]
OUTPUT = np.where(RNG.random(SIZE) < 0.7, GOLD, np.roll(GOLD, 1))
TOXIC = (GOLD == "toxic").astype(int)
SCORES = np.clip(0.35 * TOXIC + RNG.random(SIZE) * 0.6, 0, 1)


def weigh(gold, shares):
    weights = np.zeros(len(gold))
    others = ~np.isin(gold, list(shares))
    for label, share in shares.items():
        weights[gold == label] = share / (gold == label).mean()
    weights[others] = (1 - sum(shares.values())) / max(others.mean(), 1e-9)
    return weights


@pytest.mark.parametrize(
    "shares",
    [{"toxic": 0.02}, {"toxic": 0.5, "rude": 0.1}, {"toxic": 0.2, "rude": 0.2, "clean": 0.6}],
)
@pytest.mark.parametrize(("metric", "peer"), [
    ("accuracy", sk.accuracy_score),
    ("macro_f1", lambda *a, **k: sk.f1_score(*a, average="macro", **k)),
    ("weighted_precision", lambda *a, **k: sk.precision_score(*a, average="weighted", **k)),
    ("balanced_accuracy", sk.balanced_accuracy_score),
    ("mcc", sk.matthews_corrcoef),
    ("cohen_kappa", sk.cohen_kappa_score),
])  # fmt: skip
def test_scores_of_labels_are_those_of_weighted_examples(shares, metric, peer):
    scored = tallystick.score(GOLD, OUTPUT, metric, prevalence=shares, intervals=False)
    assert pytest.approx(peer(GOLD, OUTPUT, sample_weight=weigh(GOLD, shares))) == scored[metric]


@pytest.mark.parametrize(("metric", "peer"), [
    ("average_precision", sk.average_precision_score),
    ("brier_score", sk.brier_score_loss),
    ("log_loss", sk.log_loss),
    ("roc_auc", sk.roc_auc_score),
])  # fmt: skip
@pytest.mark.parametrize("clusters", [None, np.arange(SIZE) // 4])
def test_scores_of_probabilities_are_those_of_weighted_examples(metric, peer, clusters):
    scored = tallystick.score(
        TOXIC, SCORES, metric, clusters=clusters, prevalence={1: 0.02}, intervals=False
    )
    expected = peer(TOXIC, SCORES, sample_weight=weigh(TOXIC, {1: 0.02}))
    assert pytest.approx(expected) == scored[metric]


def test_every_group_has_the_mix_that_is_asked_for():
    groups = np.where(RNG.random(SIZE) < 0.3, "de", "en")
    scored = tallystick.score(
        GOLD, OUTPUT, "accuracy", by=groups, prevalence={"toxic": 0.05}, intervals=False
    )
    parts = {}
    for name in ("de", "en"):
        here = groups == name
        weights = weigh(GOLD[here], {"toxic": 0.05})
        parts[name] = sk.accuracy_score(GOLD[here], OUTPUT[here], sample_weight=weights)
    sizes = {name: (groups == name).mean() for name in parts}

    assert {name: pytest.approx(value) for name, value in parts.items()} == {
        name: scored["accuracy", name] for name in parts
    }
    assert (
        pytest.approx(sum(parts[one] * sizes[one] for one in parts)) == scored["accuracy", "micro"]
    )


def test_weights_that_are_there_are_multiplied():
    given = RNG.random(SIZE) + 0.5
    scored = tallystick.score(
        GOLD, OUTPUT, "accuracy", weights=given, prevalence={"toxic": 0.1}, intervals=False
    )
    toxic = GOLD == "toxic"
    factors = np.where(toxic, 0.1 / given[toxic].sum(), 0.9 / given[~toxic].sum())
    assert pytest.approx(np.average(GOLD == OUTPUT, weights=given * factors)) == scored["accuracy"]


def test_a_note_and_the_signature_tell_the_mix():
    scored = tallystick.score(TOXIC, SCORES, "accuracy", prevalence={1: 0.02})
    share = 100 * TOXIC.mean()

    assert any(
        note == f"scores are for a mix of labels with 2% '1' (the gold has {share:.3g}%); examples "
        "are weighted accordingly."
        for note in scored.notes
    )
    assert "prevalence:1=0.02" in scored.scores[0].signature


def test_a_note_tells_the_share_of_each_label_that_is_asked_for():
    scored = tallystick.score(GOLD, OUTPUT, "accuracy", prevalence={"toxic": 0.5, "rude": 0.25})
    toxic, rude = (100 * (GOLD == label).mean() for label in ("toxic", "rude"))
    assert (
        f"scores are for a mix of labels with 50% 'toxic' (the gold has {toxic:.3g}%), 25% 'rude' "
        f"(the gold has {rude:.3g}%); examples are weighted accordingly."
    ) in scored.notes


@pytest.mark.parametrize(("shares", "message"), [
    ({"nice": 0.1}, "names 'nice', which is not a label of the gold; its labels are clean, rude"),
    ({"toxic": 0.7, "rude": 0.4}, "adds up to 1.1, which leaves nothing for clean"),
    ({"toxic": 0.5, "rude": 0.1, "clean": 0.1}, "adds up to 0.7, not to 1; name all but one"),
    ({"toxic": 2}, "the prevalence of 'toxic' is a share above 0 and below 1, not 2"),
    ({"toxic": 0.0}, "is a share above 0 and below 1, not 0.0"),
    ({"toxic": 1.0}, "is a share above 0 and below 1, not 1.0"),
])  # fmt: skip
def test_a_mix_that_cannot_be_is_an_error(shares, message):
    with pytest.raises(UsageError, match=message):
        tallystick.score(GOLD, OUTPUT, "accuracy", prevalence=shares)


def test_a_group_without_the_label_is_an_error():
    by = np.where(GOLD == "toxic", "x", "y")
    with pytest.raises(InputError, match="the group 'y' has no example of 'toxic'"):
        tallystick.score(GOLD, OUTPUT, "accuracy", by=by, prevalence={"toxic": 0.1})
    by = np.where((GOLD == "toxic") & (np.arange(SIZE) % 2 == 0), "x", "y")
    with pytest.raises(InputError, match="the group 'x' has no example of another label"):
        tallystick.score(GOLD, OUTPUT, "accuracy", by=by, prevalence={"toxic": 0.1})


@pytest.mark.parametrize(("gold", "output", "metric", "message"), [
    (["a b c d"], ["a b c d"], "bleu", "not with texts, as bleu"),
    ([["a", "b"], ["a"]], [["a"], ["b"]], "micro_f1", "not with label sets, as f1"),
])  # fmt: skip
def test_texts_and_label_sets_have_no_such_mix(gold, output, metric, message):
    with pytest.raises(UsageError, match=message):
        tallystick.score(gold, output, metric, prevalence={"a": 0.1})


@pytest.mark.parametrize("metric", ["accuracy", "precision", "macro_f1", "roc_auc"])
def test_an_interval_holds_the_score(metric):
    score = tallystick.score(TOXIC, SCORES, metric, prevalence={1: 0.02}).scores[0]
    assert 0 <= score.low < score.value < score.high <= 1


@pytest.fixture
def files(folder):
    for name, labels in (("gold", GOLD), ("system", OUTPUT)):
        (folder / f"{name}.txt").write_text("".join(f"{label}\n" for label in labels))


def test_the_command_takes_shares(files, capsys):
    call = ["score", "gold.txt", "system.txt", "-m", "accuracy", "--format", "csv"]
    shares = {"toxic": 0.02, "rude": 0.5}
    expected = tallystick.score(GOLD, OUTPUT, "accuracy", prevalence=shares)["accuracy"]
    assert main([*call, "--prevalence", "toxic=0.02", "rude=.5"]) == 0
    printed = capsys.readouterr()
    assert repr(expected) in printed.out
    assert "scores are for a mix of labels" in printed.err


@pytest.mark.parametrize("share", ["toxic", "=0.1", "toxic=many"])
def test_the_command_says_what_a_share_is(share, files, capsys):
    assert main(["score", "gold.txt", "system.txt", "--prevalence", share]) == 2
    assert f"--prevalence takes LABEL=SHARE, such as toxic=0.02, not {share}" in (
        capsys.readouterr().err
    )


def test_intervals_know_that_the_mix_is_given():
    rng = np.random.default_rng(4)
    output = np.where(rng.random(SIZE) < 0.2 + 0.6 * TOXIC, 1, 0)
    rare = {1: 0.02}
    found = tallystick.score(TOXIC, output, "precision", prevalence=rare).scores[0]
    weights, drawn = weigh(TOXIC, rare), []
    for _ in range(2000):
        rows = np.concatenate(
            [rng.choice(np.flatnonzero(TOXIC == label), (TOXIC == label).sum()) for label in (0, 1)]
        )
        own = weights[rows] * output[rows]
        drawn.append((own * TOXIC[rows]).sum() / own.sum())
    low, high = np.quantile(drawn, [0.025, 0.975])

    assert "Wilson at the effective size" == found.method
    assert pytest.approx(high - low, rel=0.12) == found.high - found.low


@pytest.mark.parametrize("metric", ["accuracy", "recall", "f1", "mcc"])
def test_a_perfect_system_is_not_certain(metric):
    score = tallystick.score(TOXIC, TOXIC, metric, prevalence={1: 0.02}).scores[0]
    assert score.low < score.value == score.high == 1


def test_recall_keeps_its_interval():
    plain = tallystick.score(TOXIC, SCORES, "recall").scores[0]
    mixed = tallystick.score(TOXIC, SCORES, "recall", prevalence={1: 0.02}).scores[0]
    assert pytest.approx((plain.low, plain.value, plain.high)) == (
        mixed.low,
        mixed.value,
        mixed.high,
    )


def test_groups_and_their_mean_have_intervals_of_the_mix():
    groups, rare = np.arange(SIZE) % 3, {1: 0.1}
    scored = tallystick.score(TOXIC, SCORES, "accuracy", by=groups, prevalence=rare)
    widths = {one.group: one.high - one.low for one in scored.scores}
    assert widths["macro"] < min(widths[name] for name in "012")
    assert pytest.approx(widths["micro"], rel=0.1) == widths["macro"]


@pytest.mark.deep
def test_intervals_of_a_mix_hold_the_truth():
    rng, held = np.random.default_rng(6), 0
    truth = 0.1 * 0.9 / (0.1 * 0.9 + 0.9 * 0.1)
    for _ in range(200):
        gold = (rng.random(100) < 0.5).astype(int)
        output = np.where(rng.random(100) < 0.9, gold, 1 - gold)
        score = tallystick.score(gold, output, "precision", prevalence={1: 0.1}).scores[0]
        held += score.low <= truth <= score.high

    assert 183 <= held <= 199

"""Probabilities rounded to some decimals: scores, sizes of tallies, parts and notes."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as peers

import tallystick
from tallystick import Columns
from tallystick.cli import main
from tallystick.errors import UsageError
from tallystick.scoring.tally_file import pack_counted

EPS = float(np.finfo(float).eps)
METRICS = {
    "roc_auc": peers.roc_auc_score,
    "average_precision": peers.average_precision_score,
    "brier_score": peers.brier_score_loss,
    "log_loss": lambda gold, scores: peers.log_loss(gold, np.clip(scores, EPS, 1 - EPS)),
}
DRAW = np.random.default_rng(4)
GOLD = DRAW.integers(2, size=20_000)
SCORES = np.clip(DRAW.normal(0.4 + 0.2 * GOLD, 0.2), 0.01, 0.99)
FRAME = pd.DataFrame(
    {
        "y_true": GOLD,
        "probability": SCORES,
        "other": np.clip(SCORES + DRAW.normal(0, 0.1, len(GOLD)), 0.01, 0.99),
        "y_pred": GOLD,
        "by": DRAW.choice(["a", "b"], len(GOLD)),
        "w": DRAW.integers(1, 4, len(GOLD)) * 1.0,
    }
)


def score(frame, **more):
    return tallystick.score(frame, metrics=[*METRICS, "ece"], columns=Columns(**more))


@pytest.mark.parametrize("digits", [1, 2, 6])
@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_rounded_probabilities(digits, metric):
    (value,) = (one.value for one in score(FRAME, round_scores=digits).scores if one.name == metric)
    assert value == pytest.approx(METRICS[metric](GOLD, SCORES.round(digits)), abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"by": ("by",)}, {"weight": "w"}, {"clusters": "by"}])
def test_intervals_are_those_of_rounded_probabilities(options):
    few = FRAME[:3000]
    rounded = few.assign(probability=few["probability"].round(2))
    own, plain = score(few, round_scores=2, **options), score(rounded, **options)
    assert len(own.scores) == len(plain.scores)
    for one, other in zip(own.scores, plain.scores, strict=True):
        ends = [pytest.approx(end, abs=1e-9) for end in (other.value, other.low, other.high)]
        assert [one.value, one.low, one.high] == ends


def test_a_tally_of_rounded_scores_does_not_grow():
    sizes = [
        len(pack_counted(tallystick.count(FRAME[:n], metrics="roc_auc", round_scores=2)))
        for n in (4000, 20_000)
    ]
    assert sizes[1] < 1.1 * sizes[0]
    assert sizes[1] < len(pack_counted(tallystick.count(FRAME, metrics="roc_auc"))) / 10


@pytest.mark.parametrize("sizes", [(20_000,), (150, 19_850), (7000, 7000, 6000)])
def test_parts_add_up_to_the_whole(sizes, tmp_path):
    parts = [
        tallystick.count(FRAME[start:stop], metrics="roc_auc", by="by", round_scores=2)
        for start, stop in itertools.pairwise([0, *itertools.accumulate(sizes)])
    ]
    whole = tallystick.count(FRAME, metrics="roc_auc", by="by", round_scores=2)
    for at, part in enumerate(parts):
        part.save(str(tmp_path / f"{at}.tally"))
    total = tallystick.load(*(str(tmp_path / f"{at}.tally") for at in range(len(parts))))

    one, other = (next(iter(own.tallies.values())).store() for own in (whole, total))
    assert one.find_difference(other) is None


def test_two_systems_are_compared_on_rounded_scores():
    few = FRAME[:500]
    names = ["probability", "other"]
    plain = few.assign(**{name: few[name].round(1) for name in names})
    found = [
        tallystick.compare(frame, systems=names, metrics="roc_auc", **more).differences[0]
        for frame, more in ((few, {"round_scores": 1}), (plain, {}))
    ]

    assert found[0].p == pytest.approx(found[1].p)
    assert found[0].difference == pytest.approx(found[1].difference)


def test_a_note_shows_the_share_of_pairs_that_tie():
    scored = tallystick.score(
        pd.DataFrame({"y_true": [0, 0, 1, 1], "probability": [0.11, 0.28, 0.12, 0.9]}),
        metrics="roc_auc",
        round_scores=1,
    )

    assert (
        "probabilities were rounded to 1 decimal, which leaves a share of 0.25 of all pairs with "
        "and without a label tied."
    ) in map(str, scored.notes)
    assert not any("rounded" in note for note in map(str, score(FRAME[:50]).notes))


def test_parts_of_other_rounding_are_not_added():
    parts = [
        tallystick.count(FRAME[:100], metrics="roc_auc", round_scores=digits) for digits in (2, 3)
    ]
    with pytest.raises(UsageError, match="rounding of probabilities"):
        parts[0] + parts[1]


@pytest.mark.parametrize(("options", "message"), [
    ("-m roc_auc --round-scores 0", "scores are rounded to 1 to 15 decimals, not to 0"),
    ("-m roc_auc --round-scores 16", "scores are rounded to 1 to 15 decimals, not to 16"),
    ("-m mean_of(roc_auc,f1) --round-scores 2", "needs each probability as it is"),
])  # fmt: skip
def test_wrong_calls_are_rejected(options, message, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    FRAME[:40].to_csv(path, index=False)
    assert main(["score", str(path), *options.split()]) == 2
    assert message in capsys.readouterr().err

"""What `tallystick metrics NAME` finds: names, words, and names that are no metrics here."""

import sklearn.metrics as sk

from cases import cases
from faults import call


@cases("name", *dict.fromkeys([*sk.__all__, *sk.get_scorer_names()]))
def test_every_name_of_scikit_learn_is_explained(name):
    outcome = call("metrics", name)
    assert (outcome.code, outcome.err) == (0, "")
    assert len(outcome.out.split()) >= 5


@cases(
    "word found",
    ("calibration", "ece"),
    ("agreement", "gwet_ac1"),
    ("reliability", "krippendorff_alpha"),
    ("ordinal", "weighted_kappa"),
    ("exact match", "ExactMatch"),
    ("hamming", "HammingLoss"),
    ("perplexity", "Perplexity"),
    ("icc2k", "ICC(of='k')"),
    ("mean squared error", "MSE"),
    ("neg_root_mean_squared_error", "RMSE"),
)
def test_words_find_metrics(word, found):
    outcome = call("metrics", word)
    assert outcome.code == 0
    assert found in outcome.out


@cases(
    "name answer",
    *((one, f"'mean({one})'") for one in ("bertscore", "comet", "bleurt", "meteor", "METEOR")),
    ("distinct-2", "has no interval"),
    ("self-BLEU", "has no interval"),
    ("length_controlled_win_rate", "AlpacaEval"),
    ("adjusted_rand_score", "clusterings"),
)
def test_names_that_are_no_metrics_here_say_so(name, answer):
    outcome = call("metrics", name)
    assert outcome.code == 0
    assert answer in outcome.out


def test_unknown_words_are_usage_errors():
    assert call("metrics", "nonsense").code == 2

"""The drop-in package for sacreBLEU: what its modules, classes and functions return."""

import json
import random
import subprocess
import sys

import pytest
import sacrebleu
import sacrebleu.significance

import tallystick.compat.sacrebleu as ours
from cases import cases
from tallystick.compat.sacrebleu import significance
from tallystick.compat.sacrebleu.metrics.base import Score, Signature
from tallystick.errors import InputError, UsageError
from texts import draw_corpus, draw_text, stream

N_CORPORA = 100


BLEU_FIELDS = (
    *("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"),
    *("ratio", "prec_str", "name"),
)
CHRF_FIELDS = ("score", "name", "char_order", "word_order", "beta")
TER_FIELDS = ("score", "name", "num_edits", "ref_length")


def near(values):
    return [value if isinstance(value, str) else pytest.approx(value, abs=1e-9) for value in values]


def read(score, fields):
    return [*(getattr(score, field) for field in fields), str(score), score.format(width=4)]


def draw_corpora(seed):
    draw = random.Random(seed)
    corpora = [draw_corpus(draw) for _ in range(N_CORPORA)]
    return [(hypotheses, stream(references)) for hypotheses, references in corpora]


CORPUS_CALLS = [
    ("corpus_bleu", BLEU_FIELDS, {}),
    ("corpus_bleu", BLEU_FIELDS, {"smooth_method": "add-k", "smooth_value": 0.5, "force": True}),
    ("corpus_bleu", BLEU_FIELDS, {"lowercase": True, "tokenize": "zh"}),
    ("corpus_bleu", BLEU_FIELDS, {"use_effective_order": True, "smooth_method": "floor"}),
    ("raw_corpus_bleu", BLEU_FIELDS, {}),
    ("raw_corpus_bleu", BLEU_FIELDS, {"smooth_value": 0.3}),
    ("corpus_chrf", CHRF_FIELDS, {}),
    ("corpus_chrf", CHRF_FIELDS, {"word_order": 2, "beta": 3, "eps_smoothing": True}),
    ("corpus_chrf", CHRF_FIELDS, {"char_order": 4, "remove_whitespace": False}),
    ("corpus_ter", TER_FIELDS, {}),
    ("corpus_ter", TER_FIELDS, {"normalized": True, "asian_support": True}),
    ("corpus_ter", TER_FIELDS, {"no_punct": True, "case_sensitive": True}),
]


@pytest.mark.deep
@cases("name fields options", *CORPUS_CALLS)
def test_functions_of_corpora_return_the_same(name, fields, options):
    corpora = draw_corpora(1)
    call, peer = getattr(ours, name), getattr(sacrebleu, name)
    expected = [near(read(peer(*corpus, **options), fields)) for corpus in corpora]
    assert expected == [read(call(*corpus, **options), fields) for corpus in corpora]


SENTENCE_CALLS = [
    ("sentence_bleu", BLEU_FIELDS, {}),
    ("sentence_bleu", BLEU_FIELDS, {"use_effective_order": False, "tokenize": "intl"}),
    ("sentence_chrf", CHRF_FIELDS, {}),
    ("sentence_chrf", CHRF_FIELDS, {"word_order": 1, "remove_whitespace": False}),
    ("sentence_ter", TER_FIELDS, {}),
    ("sentence_ter", TER_FIELDS, {"normalized": True, "no_punct": True}),
]


@cases("name fields options", *SENTENCE_CALLS)
def test_functions_of_sentences_return_the_same(name, fields, options):
    draw = random.Random(2)
    sentences = [
        (draw_text(draw), [draw_text(draw) for _ in range(draw.randint(1, 3))])
        for _ in range(N_CORPORA)
    ]
    call, peer = getattr(ours, name), getattr(sacrebleu, name)
    expected = [near(read(peer(*sentence, **options), fields)) for sentence in sentences]
    assert expected == [read(call(*sentence, **options), fields) for sentence in sentences]


CLASSES = [
    ("BLEU", BLEU_FIELDS, {}),
    ("BLEU", BLEU_FIELDS, {"trg_lang": "zh", "max_ngram_order": 2, "lowercase": True}),
    ("BLEU", BLEU_FIELDS, {"smooth_method": "floor", "effective_order": True, "tokenize": "char"}),
    ("CHRF", CHRF_FIELDS, {}),
    ("CHRF", CHRF_FIELDS, {"word_order": 2, "lowercase": True, "whitespace": True}),
    ("CHRF", CHRF_FIELDS, {"eps_smoothing": True, "beta": 1}),
    ("TER", TER_FIELDS, {}),
    ("TER", TER_FIELDS, {"normalized": True, "no_punct": True, "asian_support": True}),
]


@pytest.mark.deep
@cases("name fields options", *CLASSES)
def test_classes_return_the_same(name, fields, options):
    corpora = draw_corpora(3)
    metric = getattr(ours, name)(**options)
    peer = getattr(sacrebleu.metrics, name)(**options)
    expected, actual = [], []
    for corpus in corpora:
        wanted, found = peer.corpus_score(*corpus), metric.corpus_score(*corpus)
        expected.append([*near(read(wanted, fields)), str(peer.get_signature())])
        actual.append([*read(found, fields), str(metric.get_signature())])
    assert expected == actual


@cases("name", "BLEU", "CHRF", "TER")
def test_references_may_be_given_once(name):
    hypotheses, streams = ["a b c", "d e"], [["a b d", "d e"], ["a c", "f"]]
    metric = getattr(ours, name)(references=streams)
    peer = getattr(sacrebleu.metrics, name)(references=streams)
    expected = peer.corpus_score(hypotheses, None).score
    assert pytest.approx(expected, abs=1e-9) == metric.corpus_score(hypotheses, None).score


@cases("name", "BLEU", "CHRF", "TER")
def test_a_score_prints_with_a_signature_or_alone(name):
    metric, peer = getattr(ours, name)(), getattr(sacrebleu.metrics, name)()
    found, wanted = (one.corpus_score(["a b c"], [["a b d"]]) for one in (metric, peer))
    signature = peer.get_signature().format()
    assert wanted.format(signature=signature) == found.format(signature=signature)
    assert wanted.format(score_only=True, width=3) == found.format(score_only=True, width=3)


@cases(
    "call message",
    (
        lambda: ours.corpus_bleu(["a", "b"], [["a"]]),
        "there are 2 hypotheses but reference stream 1 has 1; a stream contains one "
        "reference of every hypothesis",
    ),
    (
        lambda: ours.corpus_ter(["a"], [["a"], ["b", "c"]]),
        "there are 1 hypotheses but reference stream 2 has 2; a stream contains one "
        "reference of every hypothesis",
    ),
    (
        lambda: ours.corpus_chrf(["a"], ["a"]),
        "references are lists of strings, one list per reference stream",
    ),
    (
        lambda: ours.corpus_chrf("a", [["a"]]),
        "a list of strings was expected, not one string; put it into a list",
    ),
    (
        lambda: ours.sentence_bleu("a", "a"),
        "references of a sentence must be a list of strings, not one string",
    ),
    (lambda: ours.corpus_bleu(["a"], [[None]]), "references, row 1: there is no reference"),
    (
        lambda: ours.BLEU().corpus_score(["a"], None),
        "there are no references: give them here, or when making the metric",
    ),
    (
        lambda: ours.BLEU().get_signature(),
        "score something first: the signature says how many references",
    ),
)
def test_what_sacrebleu_scores_in_silence_is_rejected(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message == str(caught.value)


KINDS = ["BLEU", "CHRF", "TER"]
OPTIONS = [
    ("BLEU", {}),
    ("BLEU", {"smooth_method": "add-k", "lowercase": True, "effective_order": True}),
    ("BLEU", {"smooth_method": "floor", "smooth_value": 0.25, "tokenize": "zh"}),
    ("BLEU", {"trg_lang": "ja"}),
    ("CHRF", {"word_order": 2, "whitespace": True}),
    ("CHRF", {"eps_smoothing": True, "lowercase": True}),
    ("TER", {}),
    ("TER", {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True}),
]


def draw(seed, n=30):
    hypotheses, references = draw_corpus(random.Random(seed), n)
    return hypotheses, stream(references)


def draw_systems(seed, n=4):
    chance = random.Random(seed)
    references = [" ".join(chance.choices("abcdefgh", k=chance.randint(4, 12))) for _ in range(60)]
    systems = [
        (
            f"system {k}",
            [
                " ".join(chance.choice("abcx") if chance.random() < k / 9 else word for word in one)
                for one in map(str.split, references)
            ],
        )
        for k in range(1, n)
    ]
    return [*systems, ("twin", systems[0][1])], [references]


def make(name, options):
    return getattr(ours.metrics, name)(**options), getattr(sacrebleu.metrics, name)(**options)


def test_modules_have_the_names_of_sacrebleu():
    from tallystick.compat.sacrebleu.compat import corpus_bleu, sentence_ter
    from tallystick.compat.sacrebleu.metrics import BLEU, CHRF, METRICS, TER

    assert [ours.BLEU, ours.CHRF, ours.TER] == [BLEU, CHRF, TER] == [*METRICS.values()]
    assert [*sacrebleu.metrics.METRICS] == [*METRICS]
    assert (corpus_bleu, sentence_ter) == (ours.corpus_bleu, ours.compat.sentence_ter)
    assert sacrebleu.__version__ == ours.__version__


def test_classes_name_their_defaults():
    names = ["CHAR_ORDER", "WORD_ORDER", "BETA"]
    assert [getattr(sacrebleu.CHRF, name) for name in names] == [
        getattr(ours.CHRF, name) for name in names
    ]
    assert sacrebleu.BLEU.SMOOTH_DEFAULTS == ours.BLEU.SMOOTH_DEFAULTS
    assert sacrebleu.BLEU.TOKENIZER_DEFAULT == ours.BLEU.TOKENIZER_DEFAULT
    assert [*sacrebleu.BLEU.TOKENIZERS][:7] == ours.BLEU.TOKENIZERS


def test_no_tool_that_is_replaced_is_loaded():
    code = (
        "import sys, tallystick.compat.sacrebleu.significance as one, "
        "tallystick.compat.rouge_score.tokenizers as two; "
        "two.DefaultTokenizer(True).tokenize('running'); "
        "print({'sacrebleu', 'rouge_score', 'nltk', 'absl'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "set()\n" == done.stdout


@cases("short", False, True)
@cases("name options", *OPTIONS)
def test_signatures_are_long_or_short(name, options, short):
    formats = []
    for metric in make(name, options):
        metric.corpus_score(*draw(1), n_bootstrap=3)
        signature = metric.get_signature()
        signature.update("lang", "en-de")
        signature.update("test", None)
        signature.update("subset", True)
        formats.append([signature.format(short=short), str(signature), repr(signature)])
    assert formats[1] == formats[0]


def test_references_given_at_the_start_have_a_signature():
    _, streams = draw(2)
    metric, peer = make("BLEU", {"references": streams})
    assert str(peer.get_signature()) == str(metric.get_signature())


def test_a_tokenizer_that_sacrebleu_lacks_has_no_signature():
    metric = ours.BLEU(tokenize="latex")
    assert 100 == pytest.approx(metric.corpus_score(["a + b + c"], [["a+b+c"]]).score)
    with pytest.raises(UsageError, match="sacreBLEU has no signature for BLEU"):
        metric.get_signature()


@cases("n_bootstrap", 1, 200)
@cases("name options", *OPTIONS)
def test_scores_print_as_those_of_sacrebleu(name, options, n_bootstrap):
    texts = []
    for metric in make(name, options):
        score = metric.corpus_score(*draw(3), n_bootstrap=n_bootstrap)
        signature = str(metric.get_signature())
        texts.append(
            [
                repr(score),
                str(score),
                score.format(width=3, signature=signature),
                score.format(width=1, score_only=True, is_json=True),
                score.format(is_json=True, signature=signature),
            ]
        )
    assert texts[1] == texts[0]


def test_json_needs_no_signature():
    score = ours.corpus_chrf(["abc"], [["abc"]])
    expected = {"name": "chrF2", "score": 100.0, "signature": ""}
    assert expected == json.loads(score.format(is_json=True))


@cases("seed", "12345", "0", "7")
@cases("name options", *OPTIONS)
def test_intervals_are_those_of_sacrebleu(name, options, seed, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    metric, peer = make(name, options)
    actual, expected = (one.corpus_score(*draw(4), n_bootstrap=300) for one in (metric, peer))
    assert pytest.approx(expected._mean, abs=1e-3) == actual._mean
    assert pytest.approx(expected._ci, abs=1e-3) == actual._ci
    assert (peer.n_bootstrap, peer.seed) == (metric.n_bootstrap, metric.seed)


def test_a_seed_of_none_draws_anew(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    metric = ours.BLEU()
    assert 1 < len({metric.corpus_score(*draw(5), n_bootstrap=50)._mean for _ in range(5)})
    assert "none" == metric.get_signature().info["seed"]


@cases(
    "correct total lengths",
    ([7, 5, 3, 1], [9, 8, 7, 6], (9, 8)),
    ([7, 5, 3, 0], [9, 8, 7, 6], (9, 14)),
    ([3, 0, 0, 0], [5, 4, 3, 2], (5, 5)),
    ([2, 1, 0, 0], [2, 1, 0, 0], (2, 3)),
    ([0, 0, 0, 0], [4, 3, 2, 1], (4, 3)),
    ([0, 0, 0, 0], [0, 0, 0, 0], (0, 3)),
)
@cases("order", 4, 2)
@cases("effective", False, True)
@cases("smoothing", {}, {"smooth_method": "exp"}, {"smooth_method": "add-k"}, {"smooth_value": 0.5})
def test_bleu_is_computed_from_counts(correct, total, lengths, order, effective, smoothing):
    if "smooth_value" in smoothing:
        smoothing = smoothing | {"smooth_method": "floor"}
    options = smoothing | {"effective_order": effective, "max_ngram_order": order}
    peer = sacrebleu.BLEU.compute_bleu(correct[:order], total[:order], *lengths, **options)
    score = ours.BLEU.compute_bleu(correct[:order], total[:order], *lengths, **options)
    assert pytest.approx(peer.score, abs=1e-9) == score.score
    assert pytest.approx(peer.precisions, abs=1e-9) == score.precisions
    assert (peer.counts, peer.totals) == (score.counts, score.totals)
    assert (str(peer), peer.bp) == (str(score), pytest.approx(score.bp))


@cases("name options", *OPTIONS)
def test_statistics_are_those_of_sacrebleu(name, options):
    metric, peer = make(name, options)
    hypotheses, streams = draw(6)
    rows = metric._extract_corpus_statistics(hypotheses, streams)
    score = metric.corpus_score(hypotheses, streams)
    assert peer._extract_corpus_statistics(hypotheses, streams) == rows
    assert score == metric._aggregate_and_compute(rows)
    assert score == metric._compute_score_from_stats([sum(own) for own in zip(*rows, strict=True)])


@cases("name", *KINDS)
@cases("corpus", ([], []), ([], [[]]), (["a"], []), (["a"], [[]]))
def test_an_empty_corpus_is_an_index_error(name, corpus):
    metric, peer = make(name, {})
    with pytest.raises(IndexError):
        peer.corpus_score(*corpus)
    with pytest.raises(IndexError) as caught:
        metric.corpus_score(*corpus)
    assert isinstance(caught.value, InputError)


def test_a_sentence_without_references_is_an_index_error():
    with pytest.raises(IndexError, match="there are no reference streams to score against"):
        ours.sentence_bleu("a", [])


@cases("name", *KINDS)
def test_scores_are_scores(name):
    metric, _ = make(name, {})
    scores = [metric.corpus_score(["a b c d"], [["a b c e"]]) for _ in range(2)]
    assert isinstance(scores[0], Score)
    assert isinstance(metric.get_signature(), Signature)
    assert scores[0] == scores[1]


PAIRED = [
    {"test_type": "bs", "n_samples": 200},
    {"test_type": "ar", "n_samples": 333},
    {"test_type": "ar", "n_samples": 100, "n_ar_confidence": 150},
    {"test_type": "bs"},
]


@cases("options", *PAIRED, ids=str)
def test_paired_tests_are_those_of_sacrebleu(options):
    systems, references = draw_systems(7)
    columns = []
    for package, test in ((sacrebleu, sacrebleu.significance), (ours, significance)):
        metrics = {name: getattr(package.metrics, name)() for name in KINDS}
        signatures, results = test.PairedTest(systems, metrics, references, **options)()
        columns.append(
            {
                "System": results.pop("System"),
                "signatures": {name: str(value) for name, value in signatures.items()},
                **{
                    name: [
                        pytest.approx(value, abs=1e-3) if package is sacrebleu else value
                        for result in own
                        for value in (result.score, result.p_value, result.mean, result.ci)
                    ]
                    for name, own in results.items()
                },
            }
        )

    assert columns[0] == columns[1]


def test_paired_tests_take_references_of_the_metrics():
    systems, references = draw_systems(8, n=2)
    given = significance.PairedTest(systems, {"x": ours.BLEU()}, references, n_samples=50)()
    kept = significance.PairedTest(
        systems, {"x": ours.BLEU(references=references)}, None, n_samples=50
    )()
    assert given[1] == kept[1]
    assert [None, 1 / 51] == [result.p_value for result in given[1]["BLEU"]]


def test_a_result_prints_what_it_holds():
    expected = sacrebleu.significance.Result(30.5, 0.25, None, 1.5)
    assert repr(expected) == repr(significance.Result(30.5, 0.25, None, 1.5))


def test_an_unknown_test_is_told():
    with pytest.raises(UsageError, match="test_type must be 'ar' or 'bs', not 'xx'"):
        significance.PairedTest([], {}, [], test_type="xx")

"""Metrics by name: a repr parses back, short names represent the usual, and typos are told."""

import math
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from strategies import STEADY
from tallystick import metrics as m
from tallystick.cli import main
from tallystick.errors import UsageError
from tallystick.kinds.metrics import names
from tallystick.kinds.metrics.names import find_class, look_up, parse
from tallystick.kinds.metrics.table import TABLE
from variants import VARIANTS

LABELS = st.text(max_size=4) | st.integers(-9, 99)
RATIOS = st.sampled_from([m.Precision, m.Recall, m.F1, m.Specificity, m.FPR, m.FNR])


@st.composite
def ratios(draw):
    options: dict[str, Any] = {
        "average": draw(st.sampled_from(["binary", "macro", "micro", "weighted", "samples", None])),
        "labels": draw(st.none() | st.lists(LABELS, max_size=3).map(tuple)),
        "positive": draw(st.none() | LABELS),
        "zero_division": draw(st.sampled_from([0, 1, math.nan])),
    }
    build = draw(RATIOS)
    if draw(st.booleans()):
        return m.FBeta(draw(st.floats(1e-9, 1e9)), **options)
    return build(**options)


@STEADY
@given(ratios())
def test_repr_of_a_ratio_parses_back(metric):
    parsed = parse(repr(metric))
    assert repr(metric) == repr(parsed)
    assert type(metric) is type(parsed)


@pytest.mark.parametrize("metric", VARIANTS, ids=repr)
def test_repr_parses_back(metric):
    assert metric == parse(repr(metric))


@pytest.mark.parametrize("name", [
    *("gap(f1)", "worst(accuracy)", "std(recall)", "gap(recall, fpr)", "ratio_between(f1)"),
    *("median(x)", "quantile(x, 0.95)", "sum(x)", "ratio(x, y)", "sum", "median"),
    *("try_mean(score)", "try_share(score)"),
])  # fmt: skip
def test_a_name_is_that_of_its_metric_whose_repr_parses_back(name):
    metric = parse(name)
    assert (metric, name) == (parse(repr(metric)), metric.name)


@pytest.mark.parametrize("metric", m.METRICS)
def test_metric_is_found_by_its_names(metric):
    names = [metric.__name__, metric.short, metric.__name__.upper(), metric.short.upper()]
    assert [metric] * 4 == [find_class(name) for name in names]


def test_no_two_metrics_share_a_name():
    names = [fold(name) for short, (_, _, others) in TABLE.items() for name in (short, *others)]
    assert len(names) == len(set(names))
    assert [fold(short) for short in TABLE] == [fold(name) for _, name, _ in TABLE.values()]


def fold(name):
    return "".join(sign for sign in name.casefold() if sign not in "-_ ")


@pytest.mark.parametrize(
    ("alias", "meant"),
    [
        (alias, f"{name}({options})")
        for _, name, others in TABLE.values()
        for alias, options in others.items()
    ],
)
def test_alias_stands_for_a_metric(alias, meant):
    spellings = [alias, alias.upper(), alias.replace("_", "-"), alias.replace("_", "")]
    metrics = [look_up(spelling) for spelling in spellings]
    assert [look_up(meant)] * 4 == metrics


@pytest.mark.parametrize(("package", "meant"), [
    ("sacrebleu", "corpus_bleu bleu, corpus_chrf chrf, corpus_ter ter"),
    ("meeteval", "cp_word_error_rate cpwer"),
    ("jiwer", "char_error_rate cer, match_error_rate mer, word_error_rate wer"),
    ("jiwer", "deletions deletion_rate, hits hit_rate, insertions insertion_rate"),
    ("scikit-learn", "accuracy_score accuracy, average_precision_score average_precision, "
     "balanced_accuracy_score balanced_accuracy, brier_score_loss brier_score, "
     "cohen_kappa_score cohen_kappa, f1_score f1, fbeta_score fbeta, matthews_corrcoef mcc, "
     "mean_absolute_error mae, precision_score precision, r2_score r2, recall_score recall, "
     "roc_auc_score roc_auc, root_mean_squared_error rmse"),
])  # fmt: skip
def test_functions_of_other_packages_are_found_by_their_names(package, meant):
    pairs = [pair.split() for pair in meant.split(", ")]
    assert [look_up(short) for _, short in pairs] == [look_up(name) for name, _ in pairs], package


@pytest.mark.parametrize(("metric", "written"), [
    (m.F1(), "F1()"),
    (m.F1("macro"), "F1(average='macro')"),
    (m.F1(None, zero_division=0), "F1(average=None, zero_division=0)"),
    (m.F1("macro", labels=("a",)), "F1(average='macro', labels=('a',))"),
    (m.F1("macro", labels=(1, 2)), "F1(average='macro', labels=(1, 2))"),
    (m.F1(zero_division=float("nan")), "F1()"),
    (m.FBeta(2), "FBeta(beta=2)"),
    (m.ROCAUC("ovo"), "ROCAUC(multi_class='ovo')"),
    (m.F1("macro", labels=tuple(np.array(["a", "b"]))), "F1(average='macro', labels=('a', 'b'))"),
    (m.F1(positive=np.int64(3)), "F1(positive=3)"),
    (m.MCC(), "MCC()"),
])  # fmt: skip
def test_repr_shows_what_is_not_usual(metric, written):
    assert written == repr(metric)


@pytest.mark.parametrize(("text", "kind", "metric"), [
    ("f1", "binary", m.F1()),
    ("f1", "multiclass", m.F1("macro", zero_division=0)),
    ("recall", "multilabel", m.Recall("macro", zero_division=0)),
    (" macro_f1 ", "binary", m.F1("macro", zero_division=0)),
    ("micro_specificity", "multiclass", m.Specificity("micro", zero_division=0)),
    ("weighted_precision", "multiclass", m.Precision("weighted", zero_division=0)),
    ("samples_f1", "multilabel", m.F1("samples", zero_division=0)),
    ("accuracy", "multiclass", m.Accuracy()),
    ("mcc", "multiclass", m.MCC()),
    ("true_positives", "multiclass", m.TruePositives()),
    ("support", "multiclass", m.Support()),
    ("F1('macro')", "multiclass", m.F1("macro")),
    ("f1(average='macro', labels=['b', 'a'])", "binary", m.F1("macro", labels=("b", "a"))),
    ("FBeta(2, 'micro', zero_division=1)", "binary", m.FBeta(2, "micro", zero_division=1)),
    ("ECE(15)", "binary", m.ECE(15)),
    ("F1(positive=-1)", "binary", m.F1(positive=-1)),
    ("acc", "multiclass", m.Accuracy()),
    ("f1_score", "binary", m.F1()),
    ("f1_score", "multiclass", m.F1("macro", zero_division=0)),
    ("sensitivity", "multiclass", m.Recall("macro", zero_division=0)),
    ("f1_macro", "binary", m.F1("macro", zero_division=0)),
    ("F1-Micro", "multiclass", m.F1("micro", zero_division=0)),
    ("weighted-f1", "multiclass", m.F1("weighted", zero_division=0)),
    ("f1_samples", "multilabel", m.F1("samples", zero_division=0)),
    ("macro_tpr", "binary", m.Recall("macro", zero_division=0)),
    ("f2", "binary", m.FBeta(2)),
    ("f2_score", "binary", m.FBeta(2)),
    ("f0.25", "binary", m.FBeta(0.25)),
    ("f2", "multiclass", m.FBeta(2, "macro", zero_division=0)),
    ("f2_macro", "binary", m.FBeta(2, "macro", zero_division=0)),
    ("ROC-AUC", "binary", m.ROCAUC()),
    ("roc_auc_ovo_weighted", "multiclass", m.ROCAUC("ovo", "weighted")),
    ("chrF++", "binary", m.ChrF(word_order=2)),
    ("ROUGE-L", "binary", m.ROUGE("L")),
    ("rouge_1", "binary", m.ROUGE("1")),
    ("rouge-lsum_recall", "binary", m.ROUGE("Lsum", measure="recall")),
    ("bleu-2", "binary", m.BLEU(order=2)),
    ("em", "binary", m.ExactMatch()),
    ("exact_match", "multilabel", m.ExactMatch()),
    ("subset accuracy", "multilabel", m.ExactMatchRatio()),
])  # fmt: skip
def test_text_names_a_metric(text, kind, metric):
    assert repr(metric) == repr(parse(text, kind))


@pytest.mark.parametrize(("text", "message"), [
    ("acuracy", "unknown metric 'acuracy'; did you mean accuracy?"),
    ("macro_ff1", "unknown metric 'macro_ff1'; did you mean macro_f1?"),
    ("f1macr", "unknown metric 'f1macr'; did you mean macro_f1?"),
    ("acurracy_score", "unknown metric 'acurracy_score'; did you mean accuracy?"),
    ("chrf+", "unknown metric 'chrf+'; did you mean chrf"),
    ("meteor", "unknown metric 'meteor'; `tallystick metrics` lists them all"),
    ("jaccard", "unknown metric 'jaccard'; `tallystick metrics` lists them all"),
    ("§", "unknown metric '§'; `tallystick metrics` lists them all"),
    ("macro_accuracy", "accuracy has no macro average"),
    ("micro_mcc", "mcc has no micro average"),
    ("macro_true_positives", "true_positives has no macro average"),
    ("fbeta", "FBeta needs beta: FBeta(beta=2)"),
    ("macro_fbeta", "FBeta needs beta: FBeta(beta=2)"),
    ("F1(", "'F1(' is not a metric; write it like F1(average='macro')"),
    ("a.F1()", "'a.F1()' is not a metric; write it like F1(average='macro')"),
    ("F1(avrage='macro')", "F1 has no option 'avrage' here; it has average, labels"),
    ("F1('macro', average='macro')", "F1 has no option 'average' here"),
    ("F1(**{})", "F1 has no option '**' here"),
    ("Accuracy(1)", "Accuracy takes 0 options, not 1"),
    ("F1(average=open())", "average must be one of 'binary', 'macro'"),
    ("F1(labels={[]})", "labels must be a list: labels=['{[]}']"),
    ("F1(labels='ab')", "labels must be a list: labels=['ab']"),
    ("F1(average='mean')", "average must be one of 'binary', 'macro', 'micro', 'weighted'"),
    ("F1(zero_division=2)", "zero_division must be one of 0, 1, nan, not 2"),
    ("F1(zero_division='0')", "zero_division must be one of 0, 1, nan, not '0'"),
    ("FBeta(0)", "beta must be a number from 1e-100 to 1e+100, not 0"),
    ("FBeta(inf)", "beta must be a number from 1e-100 to 1e+100, not inf"),
    ("FBeta(nan)", "beta must be a number from 1e-100 to 1e+100, not nan"),
    ("FBeta(1e300)", "beta must be a number from 1e-100 to 1e+100, not 1e+300"),
    ("FBeta('2')", "beta must be a number from 1e-100 to 1e+100, not '2'"),
    ("FBeta(True)", "beta must be a number from 1e-100 to 1e+100, not True"),
    ("ChrF(beta=1e300)", "beta must be a number from 1e-100 to 1e+100, not 1e+300"),
    ("ChrF(beta='2')", "beta must be a number from 1e-100 to 1e+100, not '2'"),
    ("ChrF(char_order=True)", "char_order must be a whole number from 0 to 16, not True"),
    ("BLEU(smooth_value='1')", "smooth_value must be a number of 0 or more, not '1'"),
    ("BLEU(order=2, weights=(1, '1'))", "each of weights must be a number of 0 or more, not '1'"),
    ("ROUGE(beta=1e300)", "beta must be a number from 1e-100 to 1e+100, not 1e+300"),
    ("ROUGE(beta='2')", "beta must be a number from 1e-100 to 1e+100, not '2'"),
    ("ROUGE('W', weight='2')", "weight must be a number from 1 to 7, not '2'"),
    ("ROUGE('S', gap=True)", "gap must be None or a whole number, not True"),
    ("ROUGE('1', max_words=True)", "max_words must be a whole number of 1 or more, not True"),
    ("ECE(0)", "bins must be a whole number of 1 or more, not 0"),
    ("ECE(2.5)", "bins must be a whole number of 1 or more, not 2.5"),
    ("TruePositives('macro')", "average must be one of 'binary', None, not 'macro'"),
    ("ROCAUC('all')", "multi_class must be one of 'ovr', 'ovo', not 'all'"),
    ("ROCAUC(weighting='mean')", "weighting must be one of 'macro', 'weighted', 'micro',"),
    ("F1(positive=['a'])", "a label is text or a whole number, not ['a']"),
    ("F1('macro', [['a']])", "a label is text or a whole number, not ('a',)"),
    ("PositiveRate(0.5)", "a label is text or a whole number, not 0.5"),
    ("TruePositives(None, 0.5)", "a label is text or a whole number, not 0.5"),
    ("MCC(0.5)", "zero_division must be one of 0, 1, nan, not 0.5"),
])  # fmt: skip
def test_bad_name_is_told(text, message):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert message == str(caught.value)[: len(message)]


@pytest.mark.parametrize("labels", ["ab", {"a", "b"}, [["a"]]])
def test_labels_that_are_no_list_of_labels_are_rejected(labels):
    with pytest.raises(UsageError, match=r"^(labels must be a list or a tuple|a label is text)"):
        m.F1("macro", labels=labels)


@pytest.mark.parametrize(("metric", "name"), [
    *((m.F1(), "f1"), (m.F1("macro"), "macro_f1"), (m.F1(None), "f1"), (m.ECE(), "ece")),
    *((m.FBeta(2), "f2"), (m.FBeta(0.5, "macro"), "macro_f0.5"), (m.FBeta(1), "f1")),
], ids=repr)  # fmt: skip
def test_name_heads_columns(metric, name):
    assert name == metric.name


@pytest.mark.parametrize(
    ("metrics", "shown"),
    [(m.F1, "the class F1"), ([m.F1], "the class F1"), (3, "3"), (["f1", None], "None")],
)
def test_what_is_no_metric_is_told(metrics, shown):
    with pytest.raises(
        UsageError, match=f"^a metric is a name or an object such as F1.., not {shown}$"
    ):
        tallystick.score([0, 1], [0, 1], metrics=metrics)
    with pytest.raises(UsageError, match=f"not {shown}$"):
        tallystick.compare(["a", "b"], {"a": ["a", "b"], "b": ["b", "a"]}, metrics)


@pytest.mark.parametrize(("name", "title"), [
    ("FBeta(0.5, 'macro')", "Macro F0.5-Score"),
    ("accuracy", "Accuracy"),
    ("weighted_precision", "Weighted Precision"),
    ("weighted_f1", "Weighted F1-Score"),
    ("macro_f1", "Macro F1-Score"),
    ("roc_auc", "ROC-AUC"),
    ("hamming_loss", "Hamming Loss"),
    ("exact_match_ratio", "Exact Match Ratio"),
    ("true_positives", "True Positives"),
    ("fpr", "FPR"),
    ("mer", "MER"),
    ("wil", "WIL"),
    ("ece", "ECE"),
    ("rougeL", "ROUGE-L"),
    ("rougesu4_recall", "ROUGE-SU4 Recall"),
])  # fmt: skip
def test_full_titles_are_as_prose_writes_them(name, title):
    assert title == parse(name).full_title


@pytest.mark.parametrize(
    ("name", "option", "choice"),
    [
        pytest.param(name, option, choice, id=f"{name}-{option}-{choice}")
        for name, option, choices in [
            ("F1", "average", ("binary", "macro", "micro", "weighted", "samples")),
            ("SpanF1", "average", ("micro", "macro", "weighted")),
            ("SpanRecall", "match", ("strict", "partial", "character")),
            ("TruePositives", "average", ("binary",)),
            ("SoftF1", "average", ("micro", "macro")),
            ("ROCAUC", "multi_class", ("ovr", "ovo")),
            ("ROCAUC", "weighting", ("macro", "weighted", "micro", "samples")),
            ("WeightedKappa", "weights", ("linear", "quadratic")),
            ("KrippendorffAlpha", "level", ("nominal", "ordinal", "interval", "ratio")),
            ("SScore", "secondary_scoring", ("precision", "recall")),
            ("BLEU", "smoothing", ("exp", "floor", "add-k", "none")),
            ("BLEU", "tokenizer", ("13a", "intl", "zh", "ja-mecab")),
            ("ROUGE", "type", ("L", "Lsum", "W", "SU")),
            ("ROUGE", "variant", ("google", "1.5.5")),
            ("ROUGE", "references", ("best", "jackknife")),
            ("ROUGE", "measure", ("f1", "recall")),
            ("ROUGE", "stemmer", ("porter",)),
            ("ROUGE", "sentences", ("newline", "regex")),
            ("Levenshtein", "measure", ("total", "normalised")),
            ("Levenshtein", "unit", ("words", "characters")),
            ("MER", "unit", ("words",)),
        ]
        for choice in choices
    ],
)
def test_choices_are_read_in_any_case(name, option, choice):
    expected = parse(f"{name}({option}={choice!r})")
    for spelled in (choice.upper(), choice.lower(), choice.title()):
        assert expected == parse(f"{name}({option}={spelled!r})")
        assert repr(expected) == repr(type(expected)(**{option: spelled}))


@pytest.mark.parametrize(("text", "expected"), [
    ("f1(Macro)", "F1(average='macro')"),
    ("ExactMatch(ignore=['Punctuation'])", "ExactMatch(ignore=('punctuation',))"),
    ("mean_of(F1(MICRO), accuracy)", "MeanOf(F1(average='micro'), Accuracy())"),
])  # fmt: skip
def test_bare_choices_are_read_in_any_case(text, expected):
    assert expected == repr(parse(text))


@pytest.mark.parametrize("command", ["score", "compare", "rank", "gate"])
@pytest.mark.parametrize("metric", ["f1", "F1(average='macro')", "AP"])
def test_names_are_parsed_once_in_a_command(command, metric, tmp_path, capsys):
    for name, labels in (("gold", "aabb"), ("one", "aaba"), ("two", "abab")):
        (tmp_path / f"{name}.txt").write_text("\n".join(labels) + "\n")
    gold, one, two = (str(tmp_path / f"{name}.txt") for name in ("gold", "one", "two"))
    files = [gold, one, "--against", two] if command == "gate" else [gold, one, two]
    parsers = [names._find, names.list_meanings, names.read_call]
    for parser in parsers:
        parser.cache_clear()
    counts = Counter()

    def trace(frame, event, _):
        if event == "call" and frame.f_code in [one.__wrapped__.__code__ for one in parsers]:
            counts[frame.f_code.co_name, *map(str, frame.f_locals.values())] += 1

    sys.setprofile(trace)
    try:
        main([command, *files, "-m", metric])
    finally:
        sys.setprofile(None)

    assert {1} == set(counts.values())

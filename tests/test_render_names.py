"""Facts about the names of columns in papers, and about what is given in percent."""

import pytest

from tallystick.kinds.metrics.names import parse
from tallystick.metrics import METRICS
from tallystick.output.tables.cells import is_fraction, is_metric, name_column
from tallystick.settings import list_defaults

ERROR_RATES = ("wer", "cpwer", "cer", "insertion_rate")
"""Fractions that may exceed 1, as many words may be inserted, and that papers give in percent."""


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.short)
def test_percent_is_for_metrics_that_lie_between_minus_1_and_1(metric):
    options = dict(list_defaults(metric))
    least, most = options.get("bounds", metric.bounds)
    bounded = -1 <= least and most == 1 and metric.short != "brevity_penalty"

    assert (bounded or metric.short in ERROR_RATES) == is_fraction(metric.short)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.short)
def test_the_repr_of_a_metric_is_a_fraction_as_its_name_is(metric):
    assert is_fraction(metric.short) == is_fraction(f"{metric.__name__}(option=1)")


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("macro_f1", "Macro F1"),
        ("f1", "F1"),
        ("macro_f0.5", "Macro F0.5"),
        ("roc_auc", "ROC-AUC"),
        ("weighted_precision", "Weighted Precision"),
        ("balanced_accuracy", "Balanced Accuracy"),
        ("bleu", "BLEU"),
        ("chrf", "chrF"),
        ("rouge1", "R-1"),
        ("rougeLsum_recall", "R-Lsum Recall"),
        ("micro_span_f1", "Micro Span F1"),
        ("macro_partial_span_recall", "Macro Partial Span Recall"),
        ("system", "System"),
        ("mean_rank", "Mean Rank"),
        ("gap(macro_f1)", "Gap Macro F1"),
        ("n", "n"),
        ("p", "p"),
        ("F1(average='macro')", "F1(average='macro')"),
        ("gold\\predicted", "Gold \\ Predicted"),
        ("- 2", "- 2"),
    ],
)
def test_a_heading_is_written_as_a_paper_does(heading, expected):
    assert expected == name_column(heading)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.short)
def test_no_metric_keeps_its_underscores(metric):
    assert "_" not in name_column(metric.short)


@pytest.mark.parametrize("name", ["macro_f1", "bleu", "rougeL", "accuracy"])
def test_a_metric_is_known_by_its_name(name):
    assert is_metric(parse(name).name)


def test_a_plain_word_is_no_metric():
    assert not is_metric("systems")

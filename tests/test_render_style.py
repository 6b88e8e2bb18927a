"""Facts about styles: digits, percent, columns, and what papers, terminals and prompts show."""

import math
import sys

import pytest
from msgspec.structs import replace

import tallystick
from tallystick.errors import UsageError
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.tables.cells import Bounded, Ends, Mark, PValue, Worded, format_scores
from tallystick.output.tables.document import Document, Grid, Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import write_text
from tallystick.output.tables.typeset import typeset_score
from tallystick.results import Score

LEAD = (("system", "system"), ("language", "group"), ("n_samples", "n"))
SIGNATURE = "nrefs:1|case:mixed|tok:13a"
ROWS = (
    ("a", Mark(0.5, True, "a", Ends(0.25, 0.75)), -0.125, PValue(0.00001)),
    ("b", Mark(0.25, False, "bc"), 12.5, PValue(0.5)),
)
RANKS = Document(
    (Grid("ranking", "Ranked by macro_f1", ("system", "macro_f1", "bleu", "p"), 1, (ROWS,)),),
    methods="95% confidence intervals: Wilson.",
    signatures={"BLEU": SIGNATURE},
)


def score(name, value, *, system="a", group=None, label=None, **others):
    return Score(system, group, label, f"{name}()", name, name.title(), value, 10, "v1", **others)


def pivot():
    return Evaluation(
        tuple(
            score(name, value, system=system, group=group)
            for system, value in (("a", 0.5), ("b", 0.25))
            for group in ("en", "es")
            for name in ("accuracy", "macro_f1")
        ),
        LEAD,
    )


def cells(document, style):
    return render(document, "table", style).splitlines()[4].split()


def hold(cell, heading="f1", kind="overview"):
    return Document((Grid(kind, "", (heading,), 0, (((cell,),),)),))


HALF = hold(Bounded(0.5, Ends(0.25, 0.75)))
LIMIT = Document((Grid("checks", "", ("metric", "limit"), 1, ((("f1", Worded("drop", 0.02)),),)),))


@pytest.mark.parametrize(("document", "format", "style", "expected"), [
    *(
        (HALF, "table", Style(digits=digits), ends)
        for digits, ends in ((0, "[0, 1]"), (1, "[0.2, 0.8]"), (3, "[.250, .750]"))
    ),
    *(
        (hold(Bounded(0.5, Ends(low, high)), "bleu"), "table", Style(digits=2), shown)
        for low, high, shown in (
            (-0.8, 1.1, "[-0.80, 1.10]"),
            (0.25, 1, "[.25, 1.00]"),
            (-math.inf, 0.5, "(≤ .50)"),
        )
    ),
    (hold(Bounded(0.012, Ends(-0.00125, 0.025), True, True), "difference", "pairs"), "table",
     Style(), "+0.012* [-.001, .025]"),
    (hold(math.nan), "latex", Style(), "\n-- \\\\\n"),
    (LIMIT, "table", Style(), "drop 0.02\n"),
    (LIMIT, "table", Style(percent=True), "drop 2\n"),
    (RANKS, "csv", Style(columns=("bleu",)), "system,bleu\n"),
    (RANKS, "notebook", Style(), "<th>macro_f1</th>"),
    (RANKS, "notebook", Style(), "<b>0.500</b><sup>a</sup><small> [.250, .750]</small>"),
    (RANKS, "notebook", Style(), "Scores that share a letter"),
    (RANKS, "markdown", Style(), r"**0.500** \[.250, .750\]"),
    (RANKS, "markdown", Style(), f"BLEU: `{SIGNATURE}`"),
    *(
        (RANKS, "latex", Style(), part)
        for part in (
            r"\caption{Ranked by Macro F1. Bold: best, or not significantly worse than the "
            r"best. 95\% confidence intervals: Wilson.}",
            r"\label{tab:ranking-macro-f1-bleu}",
            r"BLEU: \texttt{nrefs:1\textbar{}\allowbreak case:mixed\textbar{}"
            r"\allowbreak tok:13a}",
            "System & F1 & BLEU & p",
            r"a & \textbf{50.0} & \hphantom{2}$-$0.1 & \textless{} 0.001",
            r"\hphantom{$-$}12.5",
            r"\hphantom{\textless{} }0.500",
        )
    ),
    (pivot().document(), "table", Style(),
     "accuracy\n\n"
     "system     en     es\n"
     "--------------------\n"
     "n          10     10\n"
     "--------------------\n"
     "a       0.500  0.500\n"
     "b       0.250  0.250\n"),
    (pivot().document(), "csv", Style(),
     "system,language,n_samples,accuracy,macro_f1\na,en,10,0.5,0.5\n"),
])  # fmt: skip
def test_what_a_format_writes_in_a_style(document, format, style, expected):
    assert expected in render(document, format, style)


def test_markdown_marks_significance_without_letters():
    assert "Scores that share a letter" not in render(RANKS, "markdown")


@pytest.mark.parametrize(("format", "options", "words"), [
    ("latex", {"columns": ("f2",)}, "there is no column 'f2', only 'system', 'macro_f1'"),
    ("json", {"columns": ("bleu",)}, "json always shows full precision"),
    *(
        (format, options, "only apply to tables")
        for format in ("csv", "json", "lines")
        for options in ({"percent": True}, {"decimals": {"f1": 1}})
    ),
    ("table", {"decimals": {"f1": -1}}, "The number of digits is -1"),
    ("table", {"decimals": {"f1": 18}}, "The number of digits is 18"),
])  # fmt: skip
def test_a_style_that_a_format_cannot_have_is_an_error(format, options, words):
    with pytest.raises(UsageError, match=words):
        render(RANKS, format, Style(**options))


def test_fractions_are_shown_in_percent_and_other_scores_and_p_values_are_not():
    expected = ["a", "50.0", "[25.0,", "75.0]", "-0.1", "<", "0.001"]
    assert expected == cells(RANKS, Style(percent=True))


def test_a_metric_has_the_decimals_that_it_was_given():
    text = render(RANKS, "table", Style(digits=2, decimals={"bleu": 1}))
    first, second = (line.split() for line in text.splitlines()[4:6])
    assert ["a", "0.50", "[.25,", ".75]", "-0.1", "<", "0.001"] == first
    assert ["b", "0.25", "12.5", "0.500"] == second


@pytest.mark.parametrize(("metric", "cell", "shown"), [
    ("accuracy", Bounded(0.70833, Ends(0.62241, 0.78242)), "0.708 [.622, .782]"),
    ("accuracy", Bounded(0.912345, Ends(0.912203, 0.912487)), "0.9123 [.9122, .9125]"),
    ("accuracy", Bounded(0.9123, Ends(0.912299999, 0.9123)), "0.912300 [.912300, .912300]"),
    ("accuracy", Bounded(1.0, Ends(0.99, 1.0)), "1.000 [.990, 1.000]"),
    ("accuracy", Bounded(0.00041, Ends(0.00012, 0.0007), signed=True), "+0.0004 [.0001, .0007]"),
    ("accuracy", Bounded(0.0015, Ends(0.00132, math.inf), signed=True), "+0.0015 (≥ .0013)"),
    ("wer", 0.42857, "0.429"),
    ("wer", 1.42857, "1.429"),
    ("bleu", Bounded(34.56, Ends(33.21, 35.87)), "34.6 [33.2, 35.9]"),
    ("BLEU(max_order=2)", 34.56, "34.6"),
    ("chrf", 58.04, "58.0"),
    ("gap(ter)", 2.345, "2.3"),
    ("bleu", Bounded(0.041, Ends(0.021, 0.061), signed=True), "+0.04 [.02, .06]"),
    ("ratio_between(bleu)", 0.9123, "0.912"),
    ("mean(comet)", 0.84321, "0.843"),
    ("mean(ms)", Bounded(1790.12, Ends(1500.2, 2100.7)), "1790 [1500, 2101]"),
    ("log_loss", 0.69315, "0.693"),
    ("mae", 12.3456, "12.35"),
    ("accuracy", PValue(0.0204), "0.020"),
    ("accuracy", PValue(0.0000204), "< 0.001"),
    ("f1 [rest wrong, right]", Ends(0.25, 0.75), "[.250, .750]"),
])  # fmt: skip
def test_numbers_have_the_decimals_that_papers_print(metric, cell, shown):
    written = typeset_score(cell, metric, Style())
    assert shown == f"{written.text} {written.interval}".strip()


@pytest.mark.parametrize(("style", "shown"), [
    (Style(percent=True), "91.2 [90.1, 92.3]"),
    (Style(digits=4), "0.9123 [.9010, .9230]"),
    (Style(decimals={"f1": 2}), "0.91 [.90, .92]"),
    (Style(digits=0, percent=True), "91 [90, 92]"),
])  # fmt: skip
def test_a_style_has_the_decimals_of_scores_and_of_ends(style, shown):
    written = typeset_score(Bounded(0.9123, Ends(0.901, 0.923)), "f1", style)
    assert shown == f"{written.text} {written.interval}"


@pytest.mark.parametrize(("metric", "numbers", "written"), [
    ("bleu", [1.2838], ["1.3"]),
    ("accuracy", [0.0667], ["0.067"]),
    ("mean(usd)", [0.0001234], ["0.0001234"]),
])  # fmt: skip
def test_sentences_have_the_decimals_of_tables(metric, numbers, written):
    assert written == format_scores(metric, *numbers)


@pytest.mark.parametrize(("digits", "p"), [(0, "< 0.001"), (2, "< 0.001"), (5, "0.00020")])
def test_a_p_value_has_three_decimals_or_more(digits, p):
    grid = Grid("pairs", "", ("p",), 0, (((PValue(0.0002),),),))
    assert p == render(Document((grid,)), "table", Style(digits=digits)).splitlines()[-1]


def test_counts_have_intervals_only_where_they_are_asked_for():
    counted = score("true_positives", 5, low=2.0, high=8.0, confidence=0.95, method="Wilson")
    document = Evaluation((counted,), ()).document()
    shown = ["[2, 8]" in render(document, "table", Style(intervals=asked)) for asked in (0, 1)]
    assert [False, True] == shown


def test_columns_are_chosen_and_ordered():
    text = render(RANKS, "table", Style(columns=("bleu", "macro_f1")))
    assert ["system", "bleu", "macro_f1"] == text.splitlines()[2].split()


def test_a_table_of_another_metric_is_left_out():
    assert ["macro_f1"] == [
        line
        for line in pivot().to_text(Style(columns=("macro_f1",))).splitlines()
        if line in ("accuracy", "macro_f1")
    ]


def test_systems_with_other_numbers_of_examples_have_a_row_for_each_group():
    scores = (score("f1", 0.5, group="en"), replace(score("f1", 0.5, group="en"), system="b", n=7))
    assert ["10", "7"] == [
        line.split()[1] for line in Evaluation(scores, LEAD).to_text().splitlines()[2:4]
    ]


def test_an_undefined_score_is_not_shown_as_the_0_that_stands_for_it():
    result = Evaluation((score("precision", 0.0, label="x", undefined=True),), ())
    shown = [result.to_text().split()[-1], result.to_csv().split(",")[-1], result.to_lines()[-7:]]
    assert ["n/a", "0.0\n", "0.0000\n"] == shown


def test_precision_of_a_label_that_is_never_predicted_is_undefined():
    result = tallystick.score(["a", "b", "b"], ["b", "b", "b"])
    assert {("precision", "a")} == {(one.name, one.label) for one in result.scores if one.undefined}


def test_at_most_three_notes_are_shown_and_the_others_counted():
    result = Evaluation((score("f1", 0.5),), (), notes=tuple("abcde"))
    assert str(result).endswith("Note: a\nNote: b\nNote: c\n(2 more notes, see .notes)")
    assert "Note: e" in result.to_text(Style(notes=None))


def test_a_wide_table_is_continued_below():
    names = tuple(f"metric{number:02}" for number in range(12))
    grid = Grid("overview", "", ("system", *names), 1, ((("a", *[0.5] * 12), ("b", *[0.5] * 12)),))
    text = render(Document((grid,)), "latex")
    assert (1, 3) == (text.count(r"\begin{table}"), text.count(r"\begin{tabular}"))


def test_a_long_table_is_continued_in_another():
    names = tuple(f"metric{number:02}" for number in range(8))
    rows = tuple((f"system {number}", *[0.5] * 8) for number in range(30))
    text = render(Document((Grid("overview", "", ("system", *names), 1, (rows,)),)), "latex")
    captions = [line for line in text.splitlines() if line.startswith(r"\caption")]
    assert [r"\caption{Scores (1 of 2).}", r"\caption{Scores (2 of 2).}"] == captions


def test_tables_of_one_kind_have_labels_of_their_own():
    text = render(replace(RANKS, grids=RANKS.grids * 2), "latex")
    assert [r"\label{tab:ranking-macro-f1-bleu}", r"\label{tab:ranking-macro-f1-bleu-2}"] == [
        line for line in text.splitlines() if line.startswith(r"\label")
    ]


def test_signatures_are_those_of_the_metrics_of_texts():
    scores = (
        score("bleu", 20.0, peer_signature=SIGNATURE),
        Score("a", None, None, "ROUGE('1')", "rouge1", "ROUGE-1", 0.5, 10, "ROUGE(type='1')|v1"),
        score("accuracy", 0.5),
    )
    expected = {"BLEU": SIGNATURE, "ROUGE-1": "ROUGE('1')|v1"}
    assert expected == Evaluation(scores, ()).document().signatures


@pytest.mark.parametrize("width", [60, 80, 120])
def test_plain_tables_are_as_wide_as_they_may_be(width):
    names = tuple(f"weighted_metric{number}" for number in range(9))
    bounded = Bounded(0.5, Ends(0.25, 0.75))
    grid = Grid(
        "overview", "", ("system", *names), 1, ((("a", *[bounded] * 9), ("b", *[0.5] * 9)),)
    )
    assert width >= max(map(len, write_text(Document((grid,)), Style(), width=width).splitlines()))


def test_a_prompt_of_a_narrow_terminal_gets_narrow_tables(monkeypatch):
    result = Evaluation((score("f1", 0.5),), (), notes=("word " * 40,))
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert 50 >= max(map(len, repr(result).splitlines()))


def test_completion_lists_the_public_names():
    assert sorted(tallystick.__all__) == dir(tallystick)

"""Cells, names, papers, terminals, and control characters in names and texts."""

import io
import math
import re
import sys
import unicodedata
from contextlib import redirect_stdout
from importlib import resources
from pathlib import Path

import pyarrow as pa
import pytest

import tallystick
from places import place
from tallystick.cli import main
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import METRICS
from tallystick.output.report.page import write_page
from tallystick.output.results.ranking import Ranking
from tallystick.output.tables.cells import (
    CONTROLS,
    Bounded,
    Ends,
    count_decimals,
    escape_controls,
    format_cell,
    is_fraction,
    is_metric,
    measure,
    name_column,
    shorten,
)
from tallystick.output.tables.document import Document, Grid, LazyGrids, Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import print_rich
from tallystick.results import Comparison, Difference, Refusal
from tallystick.settings import list_defaults


@pytest.mark.parametrize(("cell", "expected"), [
    (None, ""), (7, "7"), (7.0, "7.000"), (-0.00001, "0.000"), (-0.5, "-0.500"), (math.nan, "n/a"),
])  # fmt: skip
def test_a_cell_is_formatted_by_its_type(cell, expected):
    assert expected == format_cell(cell, digits=3)


@pytest.mark.parametrize(("value", "low", "high", "expected"), [
    (1.625e-308, 0.0, 7.04e-308, "1.625e-308 [0, 7.040e-308]"),
    (1.625e-5, -5.74e-6, 7.04e-5, "0.00001625 [-.00000574, .00007040]"),
    (1.625e14, 5.74e13, 7.04e14, "162500000000000 [57400000000000, 704000000000000]"),
    (1.625e40, -5.74e39, 7.04e40, "1.625e+40 [-5.740e+39, 7.040e+40]"),
])  # fmt: skip
def test_numbers_too_large_or_small_to_read_have_an_exponent(value, low, high, expected):
    decimals = count_decimals(value, 4)
    assert expected == format_cell(Bounded(value, Ends(low, high)), digits=decimals)


@pytest.mark.parametrize(("text", "expected"), [
    ("plain é 日本 👍🏽", "plain é 日本 👍🏽"),
    ("\x1b[31m", "\\x1b[31m"),
    ("a\r\nb", "a\\r\\nb"),
    ("\u2028\x85", "\\u2028\\x85"),
    ("\u202e\u2066", "\\u202e\\u2066"),
    ("\ud800", "\\ud800"),
])  # fmt: skip
def test_controls_are_escaped(text, expected):
    assert expected == escape_controls(text)


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("abc", 3), ("日本", 4), ("e\N{COMBINING ACUTE ACCENT}", 1), ("ｱＡ", 3)],
)
def test_width_is_measured_as_a_screen_shows_it(text, width):
    assert width == measure(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abcde", "abcde"), ("abcdef", "ab…ef"), ("日本語日本語", "日…語"), ("日本", "日本")],
)
def test_long_text_is_shortened_in_the_middle(text, expected):
    assert expected == shorten(text, 5)


ERROR_RATES = ("wer", "cpwer", "cer", "insertion_rate")
"""Fractions that may exceed 1, as many words may be inserted, and that papers give in percent."""


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.short)
def test_percent_is_for_metrics_that_lie_between_minus_1_and_1(metric):
    least, most = dict(list_defaults(metric)).get("bounds", metric.bounds)
    bounded = -1 <= least and most == 1 and metric.short != "brevity_penalty"
    assert (bounded or metric.short in ERROR_RATES) == is_fraction(metric.short)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.short)
def test_the_repr_of_a_metric_is_a_fraction_as_its_name_is(metric):
    assert is_fraction(metric.short) == is_fraction(f"{metric.__name__}(option=1)")


@pytest.mark.parametrize(("heading", "expected"), [
    ("macro_f1", "Macro F1"),
    ("f1", "F1"),
    ("macro_f0.5", "Macro F0.5"),
    ("roc_auc", "ROC-AUC"),
    ("weighted_precision", "Weighted Precision"),
    ("balanced_accuracy", "Balanced Accuracy"),
    ("bleu", "BLEU"),
    ("chrf", "chrF"),
    ("rouge1", "ROUGE-1"),
    ("rougeLsum_recall", "ROUGE-Lsum Recall"),
    ("micro_span_f1", "Micro Span F1"),
    ("macro_partial_span_recall", "Macro Partial Span Recall"),
    ("system", "System"),
    ("mean_rank", "Mean Rank"),
    ("gap(macro_f1)", "Gap Macro F1"),
    ("icc(2,k)", "ICC(2,k)"),
    ("n", "n"),
    ("p", "p"),
    ("F1(average='macro')", "F1(average='macro')"),
    ("gold\\predicted", "Gold \\ Predicted"),
    ("- 2", "- 2"),
])  # fmt: skip
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


FOLDER = Path(str(resources.files("tallystick") / "demo_data"))
SUMMARIES = str(FOLDER / "summaries" / "news.jsonl")
ENTRIES = [
    str(FOLDER / "stance" / "gold.txt"),
    *(str(FOLDER / "stance" / "entries" / f"{name}.txt") for name in ("birch", "cedar", "maple")),
]


def write(capsys, *call):
    assert 0 == main([*call])
    return capsys.readouterr().out


def test_bold_is_the_only_mark_of_a_ranking(capsys):
    text = write(capsys, "rank", *ENTRIES, "-m", "macro_f1", "--format", "latex")
    assert r"\textbf{0.859}" in text
    assert r"\textsuperscript" not in text
    assert "above a line" not in text
    assert 1 == text.count(r"\midrule")


def test_systems_and_metrics_have_the_names_that_are_given(capsys):
    names = ["--rename", "birch=cedar", "cedar=Ours", "macro_f1=F1"]
    text = write(capsys, "rank", *ENTRIES, "-m", "macro_f1", *names)
    rows = [line.split()[1] for line in text.splitlines() if line.split()[:1] in (["1"], ["2"])]
    assert "Systems ranked by F1" in text
    assert ["Ours", "cedar"] == rows


def test_a_caption_is_that_given_and_the_label_the_name_of_the_file(capsys, tmp_path):
    path = tmp_path / "stance.tex"
    write(capsys, "rank", *ENTRIES, "-m", "macro_f1", "--caption", "Stance.", "-o", str(path))
    text = path.read_text()
    assert r"\caption{Stance. Bold: best, or not significantly worse than the best." in text
    assert r"\label{tab:stance}" in text


def test_labels_say_what_a_table_is_of(capsys):
    texts = [
        write(capsys, "rank", *ENTRIES, "-m", name, "--format", "latex")
        for name in ("macro_f1", "accuracy")
    ]
    assert r"\label{tab:ranking-macro-f1}" in texts[0]
    assert r"\label{tab:ranking-accuracy}" in texts[1]


def test_captions_are_for_latex(capsys):
    assert 2 == main(["rank", *ENTRIES, "-m", "macro_f1", "--caption", "Stance."])
    assert "for LaTeX" in capsys.readouterr().err


def test_a_name_without_another_is_told(capsys):
    with pytest.raises(SystemExit):
        main(["rank", *ENTRIES, "--rename", "birch"])
    assert "is not OLD=NEW" in capsys.readouterr().err


def test_rouge_is_its_f_alone_in_papers(capsys):
    call = ["score", SUMMARIES, "--format", "latex", "-m", "rouge1", "rougeLsum", "bleu"]
    text = write(capsys, *call)
    asked = write(capsys, *call, "rouge1_recall")
    assert r"n & ROUGE-1 & ROUGE-Lsum & BLEU \\" in text
    assert "4 & 57.1 & 35.2 & 10.8 " in text
    assert "Recall" in asked
    assert "Recall" not in text


TEAMS = ("birch", "cedar", "willow")
STANCE = resources.files("tallystick") / "demo_data" / "stance"
COMPARED = ["compare", f"{STANCE}/gold.txt", *(f"{STANCE}/entries/{one}.txt" for one in TEAMS)]


def test_papers_have_one_table_of_systems_by_metrics(capsys):
    text = write(capsys, *COMPARED, "-m", "macro_f1", "accuracy", "--format", "latex")
    assert 1 == text.count(r"\begin{tabular}")
    assert r"System & F1 & Accuracy \\" in text
    assert r"birch & \rlap{0.716}\hphantom{0.716{*}} & \rlap{0.750}" in text
    assert r"cedar & 0.859{*} & 0.875{*} \\" in text
    assert (
        r"\caption{Macro F1, Accuracy on 400 examples. Asterisk: significantly different from the "
        r"baseline birch (p \textless{} 0.05, Student's t-test on Macro F1, McNemar's mid-p test "
        r"on Accuracy, corrected by Holm for 4 tests). 95\% confidence intervals: Wilson.}"
    ) in text


def test_all_pairs_in_papers_have_the_best_in_bold(capsys):
    call = [*COMPARED, "--all-pairs", "-m", "macro_f1", "accuracy", "--format", "latex"]
    text = write(capsys, *call, "--test", "bootstrap", "--resamples", "2000")
    assert r"cedar & \textbf{0.859} & \textbf{0.875} \\" in text
    assert r"birch & \rlap{0.716}\hphantom{\textbf{0.716}}" in text
    assert (
        "the centred paired bootstrap with 2,000 resamples, corrected by Holm for 6 tests" in text
    )


def test_scores_of_one_table_in_papers_are_on_one_scale(capsys):
    call = ["score", SUMMARIES, "--format", "latex", "--no-intervals", "-m", "rougeL"]
    assert "4 & 0.352 " in write(capsys, *call)
    assert "4 & 35.2 & 10.8 " in write(capsys, *call, "bleu")


@pytest.mark.parametrize(("call", "sentence"), [
    ([*COMPARED, "-m", "macro_f1"],
     "On Macro F1, cedar (0.859, +0.143 [.081, .205], p < 0.001) is significantly better than "
     "birch (0.716); willow (0.704, -0.013 [-.073, .047], p = 0.669) is not significantly "
     "different from it. Tested by Student's t-test, corrected by Holm for 2 tests on 400 "
     "examples. Brackets: 95% confidence intervals.\n"),
    (["rank", *COMPARED[1:], "-m", "macro_f1", "--percent"],
     "cedar has the best Macro F1 (85.9) and is significantly better than every other system. Two "
     "of three pairwise differences in Macro F1 are significant. Tested by Student's t-test, "
     "corrected by Holm for 3 tests on 400 examples.\n"),
])  # fmt: skip
def test_sentences_for_papers_are_written(capsys, call, sentence):
    assert sentence == write(capsys, *call, "--sentence")


def test_decimals_that_are_asked_for_count(capsys):
    call = ["score", SUMMARIES, "-m", "bleu", "--format", "latex", "--no-intervals"]
    assert "& 10.78 " in write(capsys, *call, "--digits", "bleu=2")
    assert "& 10.785 " in write(capsys, *call, "--digits", "3")


def test_comet_has_three_decimals_in_papers(capsys, tmp_path):
    table = tmp_path / "scores.jsonl"
    table.write_text('{"id": 1, "system": "a", "comet": 0.84321}\n')
    call = ("score", str(table), "--system-column", "system", "-m", "comet", "--format")
    assert "& 0.843 " in write(capsys, *call, "latex")
    assert "0.843" in write(capsys, *call, "table")


RANKING = Ranking(
    (
        place("a[red]b", 0.9, 1, letters="a"),
        place("most", 0.6, baseline=True),
        place("x", math.nan, metric="MCC()"),
    ),
    rejected=(Refusal("bad", None, "bad.csv: row 3 has 1 field"),),
    notes=("ten is a small number.",),
)
COMPARISON = Comparison(
    (
        Difference(
            a="a",
            b="b",
            group=None,
            metric="Accuracy()",
            name="accuracy",
            value_a=0.9,
            value_b=0.7,
            difference=0.2,
            low=0.1,
            high=0.3,
            confidence=0.95,
            p=0.001,
            p_holm=0.001,
            test="ar",
            n=50,
            better="higher",
            signature="Accuracy()",
        ),
    ),
    ("tested by approximate randomisation.",),
)


@pytest.mark.parametrize("result", [RANKING, COMPARISON], ids=["ranking", "comparison"])
def test_a_terminal_shows_the_words_of_the_text(result, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "102")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    expected = re.sub("-{2,}", "", str(result)).split()
    print_rich(result.document(), Style())
    assert expected == capsys.readouterr().out.replace("─", "").split()


def test_a_baseline_is_not_dimmed(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    print_rich(RANKING.document(), Style())
    assert {"0", "1"} == set(re.findall("\x1b\\[(\\d+)m", capsys.readouterr().out))


VISIBLE = frozenset(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2)))
"""Format characters that are seen: Arabic number signs, and U+110BD and U+110CD of Kaithi."""
HIDDEN = tuple(
    char
    for char in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    and char not in VISIBLE | {"\U000110bd", "\U000110cd"}
)
HOSTILE = "x" + "y".join(char for char in HIDDEN if unicodedata.category(char) != "Cs") + "z"
"""All of them between letters, but for surrogates, which no file can hold."""


def _list_results():
    columns = {
        "id": [f"{at}{HOSTILE}" for at in range(8)],
        "gold": [f"{label}{HOSTILE}" for label in "abababab"],
        "part": [f"{group}{HOSTILE}" for group in "mmmmnnnn"],
        f"1{HOSTILE}": [f"{label}{HOSTILE}" for label in "abababaa"],
        f"2{HOSTILE}": [f"{label}{HOSTILE}" for label in "aaababbb"],
        f"3{HOSTILE}": [f"{label}{HOSTILE}" for label in "bbababab"],
        f"number{HOSTILE}": [float(at) for at in range(8)],
    }
    table = pa.table(columns)
    systems = [name for name in columns if name[0] in "123"]
    message = {"systems": systems, "by": "part"}
    yield tallystick.score(table, None, ["macro_f1", "recall(average=None)"], **message)
    yield tallystick.compare(table, None, "macro_f1", **message)
    yield tallystick.compare(table, None, "macro_f1", systems=systems, all_pairs=True)
    yield tallystick.rank(table, None, ["macro_f1", "accuracy"], overall="mean", **message)
    new, old = systems[:2]
    outputs = (columns["gold"], columns[new], columns[old])
    yield tallystick.gate(*outputs, "accuracy", max_drop=0, by=columns["part"])
    texts = [f"one two {HOSTILE}"] * 4
    yield tallystick.rank(texts, {new: texts, old: texts[::-1]}, "bleu")
    yield tallystick.score(table, None, [tallystick.metrics.Mean(f"number{HOSTILE}")])


@pytest.fixture(scope="module")
def results():
    return list(_list_results())


def _print(result):
    shown = io.StringIO()
    with redirect_stdout(shown):
        print_rich(result.document(), Style())
    return shown.getvalue()


WRITERS = {
    **{name: lambda one, name=name: render(one.document(), name) for name in ("table", "latex")},
    "markdown": lambda one: one.to_markdown(),
    "notebook": lambda one: one._repr_html_(),
    "print": str,
    "terminal": _print,
    "report": lambda one: write_page(one.describe()),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_no_format_holds_a_control_character(writer, results):
    shown = results[:4:3] if writer == "report" else results
    assert [set()] * len(shown) == [set(WRITERS[writer](one)) & {*HIDDEN} - {"\n"} for one in shown]


def test_every_control_and_format_character_is_escaped_between_letters():
    every = "a".join(map(chr, range(sys.maxunicode + 1)))
    escaped = {found[0] for found in re.finditer(CONTROLS, every)}
    reserved = {char for char in escaped if unicodedata.category(char) == "Cn"}
    assert {*HIDDEN} == escaped - reserved
    assert len(reserved) < 200


@pytest.mark.parametrize(
    "text", ["می\u200cخواهم", "\U0001f469\u200d\U0001f4bb", "क्\u200dष", "\u06dd٣"]
)
def test_joiners_stay_where_scripts_and_emoji_need_them(text):
    assert text == escape_controls(text)


def test_the_script_of_a_page_escapes_what_python_escapes():
    script = (resources.files("tallystick.output.report") / "static/page.js").read_text(
        encoding="utf-8"
    )
    pattern = re.search(r"controls: /(.*)/gu,", script)
    assert pattern is not None
    assert re.sub(r"\\U000([0-9a-f]{5})", r"\\u{\1}", CONTROLS) == pattern[1]


def test_csv_holds_no_control_characters(results):
    written = "".join(result.to_csv() for result in results)
    assert "" == "".join(sorted({*written} & {*HIDDEN} - {"\n"}))


def test_tables_are_made_for_those_who_read_them():
    made = []

    def make():
        made.append("once")
        return [Grid("pairs", "a\u200bb", ("system", "f1"), 1, ((("mine", 0.5),),))]

    document = Document(grids=LazyGrids(make), content={"scores": []})

    render(document, "json")
    assert not made
    assert "a\\u200bb" in render(document, "table")
    assert ["once"] == made

"""Figures as files: numbers and names, the same bytes each time, widths, and commands."""

import builtins
import re
import struct
import xml.etree.ElementTree as ET
from html import escape
from pathlib import Path

import pytest
import vl_convert

from cases import cases
from figures import HOSTILE, LABELS, RESULTS, difference, invent_scores, read
from places import place
from tallystick.cli import main
from tallystick.errors import UsageError
from tallystick.output.figures.drawing import (
    draw,
    draw_svg,
    fix_widths,
    has_foreign_letters,
    put_in_order,
)
from tallystick.output.figures.figure import list_figures
from tallystick.output.figures.layers import DARK, configure, label_names
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.ranking import Ranking

_EVENTS = re.compile(r"^on|href$|^src$", re.IGNORECASE)


def list_texts(svg):
    texts = [node for node in ET.fromstring(svg).iter() if node.tag.endswith(("}text", "}tspan"))]
    return [node.text for node in texts if node.text]


def check_harmless(svg):
    for node in ET.fromstring(svg).iter():
        assert node.tag.rpartition("}")[2] in {
            *("svg", "g", "path", "text", "tspan", "rect", "line")
        } | {"defs", "linearGradient", "stop", "clipPath", "title"}
        assert [] == [name for name in node.attrib if _EVENTS.search(name)]


@pytest.mark.deep
@cases("name", *RESULTS)
def test_every_figure_is_drawn_alike_each_time(name):
    for drawer in list_figures(read(RESULTS[name])).values():
        for spec in (drawer(), drawer(wide=True) | {"config": configure(DARK)}):
            assert draw_svg(spec) == draw_svg(spec)


@cases("ending", ".pdf", ".png")
@cases("name kind", ("labels", "groups"), ("probabilities", "confusion"))
def test_a_file_has_the_same_bytes_each_time(name, kind, ending):
    spec = RESULTS[name].figure(kind).spec
    assert draw(spec, ending) == draw(spec, ending)


def test_a_ranking_has_its_names_and_numbers():
    texts = list_texts(RESULTS["ranking"].figure().to_svg())
    assert ["a", "b", "most (baseline)", "c", "x"] == [
        text for text in texts if text in {"a", "b", "most (baseline)", "c", "x"}
    ]
    assert {"ranks", "1–2", "3", "n/a", "Accuracy (95% confidence interval)"} <= {*texts}


def test_a_confusion_matrix_has_its_counts_and_shares():
    texts = list_texts(LABELS.figure("confusion", system="one").to_svg())
    counts = [f"{count:,}" for row in LABELS.confusions[0].counts for count in row]
    assert sorted(counts) == sorted(text for text in texts if text.isdigit())
    assert {"a", "b", "c", "Predicted label", "Gold label", "50%"} <= {*texts}


def test_a_heatmap_has_its_scores_and_sizes():
    texts = list_texts(LABELS.figure("heatmap").to_svg())
    scores = [one.value for one in LABELS.select(metric="accuracy").scores]
    shown = [f"{score:.3f}".replace("0.", ".", 1) for score in scores]
    assert sorted(shown) == sorted(text for text in texts if text.startswith((".", "1.0")))
    assert 2 == texts.count("80")


def draw_hostile():
    places = tuple(place(name, 0.9 - at / 50, at + 1) for at, name in enumerate(HOSTILE))
    pairs = tuple(difference(name, at / 100) for at, name in enumerate(HOSTILE))
    scores = invent_scores(len(HOSTILE), 2)
    for one in scores["scores"]:
        one["system"] = HOSTILE[int(one["system"][1:])]
    square = [[at] * len(HOSTILE) for at in range(len(HOSTILE))]
    scores["confusions"] = [{"system": HOSTILE[0], "labels": HOSTILE, "counts": square}]
    curves = read(RESULTS["probabilities"])["curves"]
    few = {"scores": scores["scores"], "curves": [curves[0] | {"label": HOSTILE[0]}]}
    return {
        "ranking": list_figures(read(Ranking(places)))["rank"](),
        "comparison": list_figures(read(Comparison(pairs)))["compare"](),
        "scores": list_figures(scores)["scores"](),
        "heatmap": list_figures(scores)["heatmap"](),
        "confusion": list_figures(scores)["confusion"](),
        "threshold": list_figures(few)["threshold"](),
        "track": list_figures(
            read(Ranking(tuple(place("a", 0.5, 1, track=name) for name in HOSTILE[:3])))
        )["rank"](),
    }


@cases("kind", "ranking", "comparison", "scores", "heatmap", "confusion")
def test_hostile_names_are_text(kind):
    svg = draw_svg(draw_hostile()[kind])
    longest = {"heatmap": 20, "confusion": 18}.get(kind, 26)
    check_harmless(svg)
    texts = {*list_texts(svg)}
    for label in label_names(HOSTILE, longest).values():
        assert not label or label in texts


@cases("kind", "threshold", "track")
def test_hostile_labels_are_harmless(kind):
    check_harmless(draw_svg(draw_hostile()[kind]))


def test_a_hostile_name_is_no_expression():
    for spec in draw_hostile().values():
        filters = [step["filter"] for layer in spec["layer"] for step in layer.get("transform", ())]
        assert [] == [
            text for text in filters if any(name and name in text for name in HOSTILE[:8])
        ]


@cases("systems groups", (1, 1), (2, 0), (2, 1), (8, 3), (30, 20))
def test_scores_of_few_and_many_systems_and_groups_are_drawn(systems, groups):
    scores = invent_scores(systems, groups)
    scores["scores"][0]["value"] = None
    for drawer in list_figures(scores).values():
        assert "</svg>" in draw_svg(drawer())


def test_all_undefined_scores_are_drawn():
    scores = invent_scores(3, 2)
    for one in scores["scores"]:
        one["value"] = None
    for drawer in list_figures(scores).values():
        assert "n" in list_texts(draw_svg(drawer()))


def test_thirty_systems_are_ranked():
    ranking = Ranking(tuple(place(f"system {at}", 1 - at / 40, at + 1) for at in range(30)))
    texts = list_texts(ranking.figure().to_svg())
    assert [f"system {at}" for at in range(30)] == [t for t in texts if t.startswith("system")]


@cases("size", 1, 12, 13, 50)
def test_large_confusion_matrices_are_drawn(size):
    counts = [[at + place + 1 for at in range(size)] for place in range(size)]
    matrix = {"system": "s", "labels": [f"l{at}" for at in range(size)], "counts": counts}
    spec = list_figures({"scores": [], "confusions": [matrix]})["confusion"]()
    numbers = [text for text in list_texts(draw_svg(spec)) if text.isdigit()]
    assert (size * size if size <= 12 else 0) == len(numbers)


def test_an_example_without_a_label_leaves_a_row_empty():
    matrix = {"system": "s", "labels": ["a", "b"], "counts": [[0, 0], [1, 3]]}
    rows = list_figures({"scores": [], "confusions": [matrix]})["confusion"]()["data"]["values"]
    assert [None, None, 0.25, 0.75] == [one["share"] for one in rows]


def test_png_has_600_dots_per_inch():
    width, _ = struct.unpack(">II", draw(LABELS.figure().spec, ".png")[16:24])
    assert round(85 / 25.4 * 600) - 2 <= width <= round(85 / 25.4 * 600)


def test_pdf_is_85_mm_wide_with_one_embedded_font():
    content = draw(LABELS.figure().spec, ".pdf")
    found = re.search(rb"/MediaBox \[0 0 ([\d.]+)", content)
    assert found is not None
    assert 85 == round(float(found[1]) / 72 * 25.4)
    assert 1 == content.count(b"/FontFile2")
    assert {b"LiberationSans"} == {*re.findall(rb"/BaseFont /[A-Z]{6}\+(\w+)", content)}


def test_pdf_has_neither_date_nor_identifier():
    content = draw(LABELS.figure().spec, ".pdf")
    assert [] == [word for word in (b"Date", b"/ID") if word in content]


def test_the_objects_of_a_pdf_are_where_its_table_says():
    content = draw(LABELS.figure().spec, ".pdf")
    start = int(content.rsplit(b"startxref", 1)[1].split()[0])
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n", content[start:])]
    assert content[start:].startswith(b"xref")
    for number, at in enumerate(places, 1):
        assert content[at:].startswith(b"%d 0 obj" % number)
    assert content == put_in_order(content)


def test_what_is_no_pdf_cannot_be_put_in_order():
    with pytest.raises(ValueError, match="a PDF ends with the place of its table"):
        put_in_order(b"%PDF-2.0")


@cases(
    "name expected",
    ("bert λ Ж ñ – ≤ “x”", False),
    ("日本語", True),
    ("عربي", True),
    ("\U0001f600", True),
)
def test_letters_of_other_fonts_are_noticed(name, expected):
    spec = list_figures(read(Ranking((place(name, 0.5, 1), place("b", 0.4, 2)))))["rank"]()
    assert expected == has_foreign_letters(spec)


def test_an_unknown_ending_is_an_error():
    with pytest.raises(UsageError, match=r"written as \.svg, \.pdf, \.png, not as '\.gif'"):
        draw(LABELS.figure().spec, ".gif")


def test_a_figure_is_saved(tmp_path):
    figure = LABELS.figure()
    figure.save(tmp_path / "figure.svg")
    assert figure.to_svg() == (tmp_path / "figure.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("wide", [False, True])
def test_notebooks_get_a_picture_of_600_pixels(wide):
    bundle = LABELS.figure(wide=wide)._repr_mimebundle_()
    assert {"image/svg+xml", "text/plain"} == {*bundle}
    assert re.search('<svg[^>]* width="600.0"', str(bundle["image/svg+xml"]))
    assert "Figure(kind='scores')" == bundle["text/plain"]


def test_without_the_extra_the_message_says_what_to_install(monkeypatch):
    load = builtins.__import__

    def refuse(name, *rest):
        if name == "vl_convert":
            raise ModuleNotFoundError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    figure = LABELS.figure()
    assert {"application/vnd.vegalite.v6+json", "text/plain"} == set(figure._repr_mimebundle_())
    with pytest.raises(UsageError, match=r"pip install 'tallystick\[report\]'$"):
        figure.to_svg()


@pytest.fixture
def run(folder, capsys):
    rows = [
        f"{at},{'en' if at % 2 else 'es'},{at % 3 == 0:d},{at % 4 == 0:d},{at % 5 == 0:d}"
        for at in range(240)
    ]
    Path("t.csv").write_text("\n".join(["id,lang,label,one,two", *rows]) + "\n")
    chances = [f"{at % 3 == 0:d},{(at * 13 % 40) / 80 + 0.4 * (at % 3 == 0)}" for at in range(90)]
    Path("p.csv").write_text("\n".join(["y_true,y_prob", *chances]) + "\n")

    def call(command):
        code = main(command.split())
        captured = capsys.readouterr()
        assert captured.out == ""
        return code, captured.err

    return call


PAIR = "t.csv --systems one two -m f1 accuracy"
CALLS = {
    "rank": f"rank {PAIR} --resamples 200",
    "compare": f"compare {PAIR} --resamples 200",
    "score": f"score {PAIR} --by lang",
    "gate": "gate t.csv --systems one --against two -m f1 --max-drop 0.5 --floor 0.1",
}


@cases("ending", "svg", "pdf", "png", "SVG")
@cases("command", *CALLS)
def test_the_ending_of_the_output_makes_a_figure(run, command, ending):
    code, err = run(f"{CALLS[command]} -o figure.{ending}")
    start = {"svg": b"<svg ", "pdf": b"%PDF-", "png": b"\x89PNG"}[ending.lower()]
    assert 0 == code, err
    assert Path(f"figure.{ending}").read_bytes().startswith(start)
    assert f"wrote figure.{ending}\n" in err


@cases("kind", "confusion", "roc", "ROC", "pr", "reliability", "Reliability", "threshold")
def test_a_kind_can_be_named(run, kind):
    code, err = run(f"score p.csv -m roc_auc f1 --figure {kind} -o figure.svg")
    assert (0, True) == (code, "wrote figure.svg" in err)


def test_a_system_can_be_named(run):
    assert 0 == run("score t.csv --systems one two --figure confusion=two -o two.svg")[0]
    assert 0 == run("score t.csv --systems two --figure confusion -o alone.svg")[0]
    assert Path("alone.svg").read_bytes() == Path("two.svg").read_bytes()


def test_two_columns_are_wider(run):
    for asked in ("wide", "rank,wide"):
        run(f"{CALLS['rank']} -o figure.svg --figure {asked}")
        assert 'width="643"' in Path("figure.svg").read_text()


@cases(
    "command message",
    (
        "score t.csv --systems one two --figure roc -o f.svg",
        "there is no figure 'roc' of this result, only scores; roc needs probabilities, a "
        "metric of them such as roc_auc, and one system, or up to 8 of a binary task",
    ),
    (
        "score t.csv --systems one two --figure confusion -o f.svg",
        "there is no figure 'confusion' of this result, only scores; confusion needs labels, "
        "and one system where there are several",
    ),
    (
        "score t.csv --systems one two --figure confusion=three -o f.svg",
        "there is no system 'three' in these results, only one, two",
    ),
    ("rank t.csv --systems one two -m f1 --figure pie -o f.svg", "only rank"),
    (
        f"score {PAIR} --figure roc -o f.csv",
        "--figure can only be used with -o FILE.svg, .pdf or .png",
    ),
    (f"score {PAIR} --figure wide", "--figure can only be used with -o FILE.svg, .pdf or .png"),
    ("view t.csv -o f.svg", "t.csv: is neither JSON nor a report"),
    ("plan t.csv --systems one two -m f1 -o f.svg", "there is nothing to draw"),
)
def test_a_wrong_call_says_what_there_is(run, command, message):
    code, err = run(command)
    assert code == (4 if command.startswith("view") else 2)
    assert message in err
    assert not Path("f.svg").exists()


def test_letters_that_the_font_lacks_are_told(run):
    Path("j.csv").write_text("id,label,日本語,b\n1,a,a,b\n2,b,b,b\n3,a,b,a\n")
    for ending, wording in (("pdf", True), ("svg", False)):
        _, err = run(f"score j.csv --systems 日本語 b -o figure.{ending}")
        assert wording == (f"figure.{ending} has letters that are not in its font" in err)


def test_a_gate_that_fails_is_drawn(run):
    code, _ = run("gate t.csv --systems one -m f1 --floor 0.99 -o figure.svg")
    assert 1 == code
    assert ">FAIL<" not in Path("figure.svg").read_text()
    assert ">fail<" in Path("figure.svg").read_text()


CHARS = "".join(map(chr, range(32, 127))) + "–−≤≥±…"
_FIXED = re.compile(r'textLength="([\d.]+)" lengthAdjust="spacingAndGlyphs">')


def read_widths(chars):
    text = f'<text x="0" y="9" font-family="Liberation Sans">x{escape(chars)}</text>'
    pdf = vl_convert.svg_to_pdf(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="20">{text}</svg>'
    )
    (table,) = re.findall(rb"/W \[([^\]]+)\]", pdf)
    numbers = [float(number) for number in table.split()]
    widths = {
        glyph: width
        for first, last, width in zip(*[iter(numbers)] * 3, strict=True)
        for glyph in range(int(first), int(last) + 1)
    }
    names = re.findall(rb"^<([0-9A-F]{4})> <([0-9A-F]{4})>$", pdf, re.MULTILINE)
    return {chr(int(char, 16)): widths[int(glyph, 16)] for glyph, char in names if char != b"FFFF"}


def test_the_widths_are_those_of_the_font():
    widths = read_widths(CHARS)
    assert {*CHARS} == {*widths}
    for char, width in widths.items():
        text = f'<text font-size="1000px">{escape(char * 100)}</text>'
        (fixed,) = _FIXED.findall(fix_widths(text))
        assert abs(width - float(fixed) / 100) <= 1


def test_a_text_says_how_wide_it_is():
    text = '<text transform="translate(1,2)" font-size="10px" fill="#000">a &amp; b</text>'
    assert (
        '<text transform="translate(1,2)" font-size="10px" fill="#000" textLength="23.35" '
        'lengthAdjust="spacingAndGlyphs">a &amp; b</text>'
    ) == fix_widths(text)


def test_a_text_of_other_letters_stays():
    text = '<text font-size="10px">日本</text><text>no size</text>'
    assert text == fix_widths(text)

"""What is saved can be read back: results as pages, and reports as results."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import tallystick
from reports import Page, rank_stance, read_stance
from tallystick.cli import main
from tallystick.errors import InputError, TallystickError
from tallystick.output.report.page import write_page
from tallystick.output.results.result import Result
from tallystick.output.results.saved import guard_saved, read_result

GOLD, SYSTEMS = read_stance()
TWO = {name: SYSTEMS[name] for name in ("cedar", "birch")}
RESULTS: dict[str, Callable[[], Result]] = {
    "score": lambda: tallystick.score(GOLD, TWO),
    "probabilities": lambda: tallystick.score([0, 1, 1, 0] * 9, [0.1, 0.8, 0.4, 0.6] * 9),
    "texts": lambda: tallystick.score(["a b c", "d e"] * 9, ["a b d", "d e"] * 9, ["bleu"]),
    "cautions": lambda: tallystick.score([*"abcdef"] * 2, [*"abcdea"] * 2, "macro_f1"),
    "compare": lambda: tallystick.compare(GOLD, TWO, ["macro_f1"]),
    "rank": rank_stance,
    "gate": lambda: tallystick.gate(GOLD, *TWO.values(), "macro_f1", max_drop=0.01),
}


@pytest.fixture
def files(tmp_path):
    for name, own in {"gold": GOLD, **TWO}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(own) + "\n")
    return tmp_path


@pytest.mark.deep
@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("ending", ["json", "html"])
def test_a_saved_result_is_the_same_again(tmp_path, name, ending):
    result = RESULTS[name]()
    path = tmp_path / f"saved.{ending}"
    if ending == "json":
        path.write_text(result.to_json())
    else:
        result.to_html(path)
    assert result.to_json() == read_result(str(path)).to_json()


def test_a_folder_of_results_is_opened_as_pages(tmp_path, monkeypatch, capsys):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "pages"))
    (tmp_path / "pages").mkdir()
    for name in ("rank", "gate"):
        (tmp_path / f"{name}.json").write_text(RESULTS[name]().to_json())
    code = main(["view", str(tmp_path)])
    (index,) = (tmp_path / "pages").glob("*/index of results.html")
    page = Page(index.read_text(encoding="utf-8"))

    assert (0, [index.as_uri()]) == (code, opened)
    assert ["gate.html", "rank.html"] == [own["href"] for tag, own in page.tags if tag == "a"]
    assert "wrote" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "words"), [
    ("{}", "contains no result"),
    ("[1]", "contains no result"),
    ("<html></html>", "is neither JSON nor a report"),
    ('{"places": [{"rank": 1}]}', r"\$\.places\[0\]: object missing required field"),
    ('{"verdict": "pass", "checks": 3}', r"\$\.checks: expected `array`"),
])  # fmt: skip
def test_what_is_no_result_is_told(tmp_path, text, words):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=words):
        read_result(str(tmp_path / "x.json"))


def _score(files, name, *options):
    page = str(files / f"{name}.html")
    call = ["score", str(files / "gold.txt"), str(files / f"{name}.txt"), *options, "-o", page]
    assert 0 == main(call)
    return page


def test_reports_are_compared_as_their_files_are(files, capsys):
    pages = [_score(files, name, "--examples", "all") for name in TWO]
    texts = [str(files / f"{name}.txt") for name in ("gold", *TWO)]
    options = ["-m", "macro_f1", "accuracy", "--format", "json"]
    capsys.readouterr()
    main(["compare", *texts, *options])
    expected = json.loads(capsys.readouterr().out)
    main(["compare", *pages, *options])

    assert expected == json.loads(capsys.readouterr().out)


def test_reports_of_clusters_are_compared_by_them(files, capsys):
    lines = {name: (files / f"{name}.txt").read_text().split() for name in ("gold", *TWO)}
    for name, own in lines.items():
        column = "y_true" if name == "gold" else "y_pred"
        rows = [f"{at},{label},d{at // 8}" for at, label in enumerate(own)]
        (files / f"{name}.csv").write_text("\n".join([f"id,{column},document", *rows]) + "\n")
    tables = [str(files / f"{name}.csv") for name in ("gold", *TWO)]
    pages = []
    for name, table in zip(TWO, tables[1:], strict=True):
        pages.append(str(files / f"{name}.html"))
        options = ["--clusters", "document", "--examples", "all", "-o", pages[-1]]
        assert 0 == main(["score", tables[0], table, *options])
    capsys.readouterr()
    main(["compare", *tables, "--clusters", "document", "-m", "macro_f1", "--format", "json"])
    expected = json.loads(capsys.readouterr().out)
    main(["compare", *pages, "-m", "macro_f1", "--format", "json"])

    assert "t" == expected["differences"][0]["test"]
    assert expected == json.loads(capsys.readouterr().out)


def test_reports_that_hold_some_examples_only_are_rejected(files, capsys):
    pages = [_score(files, name) for name in TWO]
    assert 4 == main(["compare", *pages])
    assert "contains 200 of 400 examples; write the report with --examples all" in " ".join(
        capsys.readouterr().err.split()
    )


def test_reports_of_other_examples_are_rejected(files, capsys):
    one = _score(files, "cedar", "--examples", "all")
    (files / "gold.txt").write_text("\n".join(reversed(GOLD)) + "\n")
    assert 4 == main(["compare", one, _score(files, "birch", "--examples", "all")])
    assert "birch: contains other examples, gold or clusters than cedar" in capsys.readouterr().err


def test_reports_of_label_sets_are_rejected(tmp_path, capsys):
    (tmp_path / "gold.csv").write_text("id,y_true\n1,a|b\n2,a\n3,b\n")
    (tmp_path / "one.csv").write_text("id,y_pred\n1,a\n2,a\n3,b\n")
    call = ["score", *(str(tmp_path / f"{name}.csv") for name in ("gold", "one"))]
    for name in ("a", "b"):
        page = str(tmp_path / f"{name}.html")
        assert 0 == main([*call, "--task", "multilabel", "--examples", "all", "-o", page])

    assert 4 == main(["compare", str(tmp_path / "a.html"), str(tmp_path / "b.html")])
    assert "contains label sets" in capsys.readouterr().err


def test_a_ranking_is_held_against_a_report(tmp_path):
    ranking = rank_stance()
    ranking.to_html(tmp_path / "last.html")
    (tmp_path / "last.json").write_text(ranking.to_json())
    paths = [str(tmp_path / f"last.{ending}") for ending in ("html", "json")]
    found = [tallystick.rank(GOLD, SYSTEMS, "accuracy", previous=path).places for path in paths]
    assert found[0] == found[1]
    assert {place.previous_rank for place in found[0]} == {1, 2, 3, 4, 5}


WRONG = (None, True, -1, 1.5, 1e300, 10**40, "x", "", [], ["x"], {}, {"a": 1})
"""A value of each type in JSON, or two."""


def list_places(data, place=()):
    yield place
    items = list(data.items()) if isinstance(data, dict) else []
    if isinstance(data, list):
        items = [(at, data[at]) for at in sorted({0, len(data) - 1}) if data]
    for key, own in items:
        yield from list_places(own, (*place, key))


def spoil(data, place, value):
    if not place:
        return value
    (first, *rest), copy = place, data.copy()
    copy[first] = spoil(data[first], tuple(rest), value)
    return copy


def show(path):
    try:
        result = read_result(path)
        with guard_saved(path):
            return write_page(result.describe())
    except TallystickError as error:
        return str(error)


@pytest.mark.parametrize("name", [*RESULTS, "plan"])
def test_whatever_a_saved_result_holds_it_is_shown_or_named(tmp_path, monkeypatch, name):
    monkeypatch.setattr("tallystick.output.report.page.draw_svg", lambda _: "")
    monkeypatch.setattr("tallystick.output.report.page.read_bundle", str)
    result = tallystick.plan(GOLD, TWO, "macro_f1") if name == "plan" else RESULTS[name]()
    data, path = json.loads(result.to_json()), str(tmp_path / "saved.json")
    spoilt = [(place, value) for place in list_places(data) for value in WRONG]
    for place, value in random.Random(name).sample(spoilt, 60):
        Path(path).write_text(json.dumps(spoil(data, place, value)))
        message = show(path)

        assert message.startswith(("<!DOCTYPE", f"{path}: "))
        assert "Error" not in message.partition("<")[0]


@pytest.mark.parametrize(("name", "place", "value", "message"), [
    ("score", ("scores", 0, "value"), "high", "$.scores[0].value: expected `int | float`"),
    ("score", ("scores", 1, "metric"), 7, "$.scores[1].metric: expected `str`, got `int`"),
    ("score", ("scores",), {}, "$.scores: expected `array`, got `object`"),
    ("score", ("confusions", 0, "counts", 1), [], "$.confusions[0]: lists of one length"),
    ("score", ("confusions", 0, "counts", 0, 0), None, "$.confusions[0].counts[0][0]: "),
    ("rank", ("places", 0, "n"), 1.5, "$.places[0].n: expected `int`"),
    ("gate", ("checks", 0, "verdict"), "maybe", "$.checks[0].verdict: "),
    ("compare", ("scores", 0, "system"), "?", "one for 'cedar' is missing"),
    ("compare", (), [1, 2], "contains no result, as `score`, `compare`, `rank` or `gate` write"),
])  # fmt: skip
def test_a_broken_result_is_named_with_its_place(tmp_path, capsys, name, place, value, message):
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(spoil(json.loads(RESULTS[name]().to_json()), place, value)))
    code = main(["view", str(path), "-o", str(tmp_path / "page.html")])
    err = capsys.readouterr().err

    assert (4, 1) == (code, err.count("\n"))
    assert f"{path}: " in err
    assert message in err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("text", ["", "{", "NaN", '{"scores": [1e999]}', "[" * 100_000, "null"])
def test_what_is_no_json_is_no_result(tmp_path, text):
    path = tmp_path / "saved.json"
    path.write_text(text)
    assert show(str(path)).startswith((f"{path}: is neither JSON", f"{path}: contains no result"))


def test_a_gate_with_an_undefined_score_has_a_report(tmp_path):
    task = tallystick.Task("binary", positive="b")
    gate = tallystick.gate(["a", "b"], ["a", "a"], ["a", "b"], "precision", floor=0.1, task=task)
    gate.to_html(tmp_path / "page.html")
    assert [None] == [one["value"] for one in json.loads(gate.to_json())["checks"]]
    assert "n/a" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_report_whose_examples_are_broken_is_named(files, capsys):
    paths = [str(files / f"{name}.html") for name in ("a", "b")]
    for path in paths:
        tallystick.score(GOLD, TWO["cedar"]).to_html(path, examples=None)
    page = Path(paths[0]).read_text(encoding="utf-8")
    Path(paths[0]).write_text(page.replace('"gold":["', '"gold":[7,"', 1), encoding="utf-8")
    assert 4 == main(["compare", *paths])
    assert "$.evidence[0].examples.gold[0]: expected `str`" in capsys.readouterr().err

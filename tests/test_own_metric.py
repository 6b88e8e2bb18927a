"""Metrics and kinds of one's own: named as module:Class, given in Python, and installed."""

import json
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
import pandas
import pyarrow as pa
import pytest

import tallystick
from rankings import RANKINGS, THINGS, Concordance
from tallystick import Metric, metrics
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics import names
from tallystick.kinds.metrics.names import load_kind, load_metric, parse
from tallystick.kinds.metrics.requirements import find_kinds
from tallystick.kinds.texts import TEXTS
from tallystick.model.reading import Reading
from tallystick.reading.layouts import read_files
from tallystick.scoring.counting import count

GOLD = ["abc", "acb", "bca", "cab"]
OUTPUTS = ["abc", "abc", "bca", "acb"]
CODE = """
from pathlib import Path

Path("loaded").touch()


def same(gold, output):
    return gold == output


def fails(gold, output):
    return 1 / 0


def nothing(gold, output):
    return float("nan")


NUMBER = 5
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "made_up.py").write_text(CODE)
    (tmp_path / "gold.txt").write_text("\n".join(GOLD) + "\n")
    (tmp_path / "outputs.txt").write_text("\n".join(OUTPUTS) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(names, "FOLDERS", [])
    monkeypatch.delitem(__import__("sys").modules, "made_up", raising=False)
    return tmp_path


def same(gold, output):
    return gold == output


def test_function_is_averaged():
    (score,) = tallystick.score(GOLD, OUTPUTS, same).scores
    assert ("same", 0.5) == (score.name, score.value)
    assert score.low < 0.5 < score.high


def half(gold, output):
    return 0.5


def test_function_that_returns_one_number_has_no_interval():
    (one,) = tallystick.score(GOLD, GOLD, half).scores
    assert 0.5 == one.value
    assert one.low != one.low


def test_function_takes_the_best_reference():
    (score,) = tallystick.score([["a b", "a c"], ["b c"]], ["a c", "c b"], same).scores
    assert score.value == 0.5


@dataclass(frozen=True)
class _Words:
    """Counts words of a length; a counter of texts."""

    kind = TEXTS
    least: int = 1
    unit: str = "words"


class _LongWords(Metric):
    """Has an option that its counter has too, and one that it has not."""

    least: int = 4
    scale: float = 1.0
    side: Literal["gold", "output"] = "gold"

    short = "long_words"
    counters = (_Words,)
    ranges: ClassVar = {"least": (1, 9)}

    def score(self, tally):
        """Is not called."""
        raise NotImplementedError


def test_counter_has_the_options_that_it_shares():
    assert _Words(7) == _LongWords(7, 2.0).counter
    assert None is metrics.F1("macro").counter


def test_title_is_made_of_the_short_name():
    assert "Long Words" == _LongWords.title


@pytest.mark.parametrize(("options", "message"), [
    ({"least": 0}, "least must be a whole number from 1 to 9, not 0"),
    ({"least": 2.0}, "least must be a whole number from 1 to 9, not 2.0"),
    ({"side": "both"}, "side must be one of 'gold', 'output', not 'both'"),
])  # fmt: skip
def test_options_are_checked_by_their_types_and_ranges(options, message):
    with pytest.raises(UsageError, match=message):
        _LongWords(**options)

    assert "gold" == _LongWords(side="Gold").side


@pytest.mark.parametrize(("name", "message"), [
    ("fails", "example 1: made_up:fails raised ZeroDivisionError: division by zero"),
    ("nothing", "example 1: made_up:nothing returned nan, which is not a finite number"),
])  # fmt: skip
def test_function_that_fails_is_told(folder, name, message, capsys):
    assert main(["score", "gold.txt", "outputs.txt", "-m", f"made_up:{name}"]) == 4
    assert message in capsys.readouterr().err


def test_command_finds_functions_in_the_working_directory(folder, capsys):
    assert main(["score", "gold.txt", "outputs.txt", "-m", "made_up:same"]) == 0
    assert "0.500" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "message"), [
    ("made_up:smae", "the module made_up has no smae; did you mean same?"),
    ("mode_up:same", "there is no module 'mode_up': none is installed, and none is in "),
    ("made_up:NUMBER", "made_up:NUMBER is neither a subclass of tallystick.Metric nor"),
    ("rankings:Concordance(k=2)", "Concordance has no option 'k' here; it has none"),
])  # fmt: skip
def test_what_is_no_metric_is_told(folder, name, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["score", "gold.txt", "outputs.txt", "-m", name])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_module_that_fails_to_load_is_told(folder):
    (folder / "broken_module.py").write_text("1 / 0\n")
    with pytest.raises(UsageError, match="broken_module cannot be loaded: ZeroDivisionError"):
        load_metric("broken_module:same")


def test_class_of_a_module_is_read_by_its_kind(folder, capsys):
    options = ["gold.txt", "outputs.txt", "--format", "json"]
    assert main(["score", *options, "-m", "rankings:Concordance"]) == 0
    expected = tallystick.score(GOLD, {"outputs": OUTPUTS}, Concordance()).to_json()
    assert expected.splitlines()[0] == capsys.readouterr().out.splitlines()[0]


def test_kind_without_usual_metrics_asks_for_some(folder, capsys):
    assert main(["score", "gold.txt", "outputs.txt", "--task", "rankings:RANKINGS"]) == 2
    assert "orders have no usual metrics; name some with -m" in capsys.readouterr().err


def test_kind_brings_its_usual_metrics(folder, capsys, monkeypatch):
    monkeypatch.setattr(type(RANKINGS), "usual", (Concordance(),))
    assert main(["score", "gold.txt", "outputs.txt", "--task", "rankings:RANKINGS"]) == 0
    assert "concordance" in capsys.readouterr().out


def test_unknown_kind_names_those_there_are():
    with pytest.raises(UsageError, match="there is no kind 'text', only labels, texts, numbers"):
        load_kind("text")


@pytest.fixture
def installed(monkeypatch):
    found = {
        "tallystick.metrics": [
            EntryPoint("In-Order", "rankings:Concordance", "tallystick.metrics")
        ],
        "tallystick.kinds": [EntryPoint("places", "rankings:RANKINGS", "tallystick.kinds")],
    }
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found[group])


def test_installed_metric_has_a_plain_name(installed):
    assert Concordance() == parse("in-order")


def test_installed_kind_has_a_plain_name(installed):
    assert load_kind("places") is RANKINGS


def test_built_in_names_come_first(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", pytest.fail)
    assert parse("macro_f1").name == "macro_f1"


@pytest.mark.parametrize("text", ["made_up:same", "FunctionMean('made_up:same')"])
def test_names_from_files_load_no_code(folder, text):
    with pytest.raises(UsageError):
        tallystick.score(GOLD, OUTPUTS, parse(text))
    assert not (folder / "loaded").exists()


def test_saved_function_mean_is_scored_without_its_code(folder, capsys):
    main(["count", "gold.txt", "outputs.txt", "-m", "made_up:same", "-o", "counts.tally"])
    (folder / "loaded").unlink()
    assert main(["score", "counts.tally"]) == 0
    assert "0.500" in capsys.readouterr().out
    assert not (folder / "loaded").exists()


def test_saved_metric_says_what_to_install(tmp_path, monkeypatch):
    path = str(tmp_path / "counts.tally")
    tallystick.count(GOLD, OUTPUTS, Concordance()).save(path)
    monkeypatch.setattr("tallystick.kinds.metrics.names._find_own", lambda name: None)
    with pytest.raises(InputError, match=r"install the package of rankings:Concordance, and name"):
        tallystick.load(path)


def test_name_of_a_column_is_its_mean(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("id,label,pred,CometKiwi-XL,my score\n1,a,a,.5,1\n2,b,a,.25,3\n3,b,b,.75,2\n")
    assert main(["score", str(path), "-m", "cometkiwi-xl", "my score"]) == 0
    shown = capsys.readouterr()
    assert "mean(CometKiwi-XL)" in shown.out
    assert "no metric is called my score: it is the mean of the column of that name." in shown.err


def test_name_that_is_no_column_either_tells_the_nearest(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("id,label,pred,comet_kiwi\n1,a,a,.5\n2,b,a,.25\n")
    assert main(["score", str(path), "-m", "comet"]) == 2
    assert "no column has that name; the closest is comet_kiwi" in capsys.readouterr().err


def test_columns_need_no_quotes_within_brackets():
    assert parse("mean(column='CometKiwi-XL', better='lower')") == parse(
        "mean(CometKiwi-XL, better=lower)"
    )
    assert "mean(my score)" == parse("mean(my score)").name


KIND_GOLD = ["abc", "acb", "bca", "cab", "abc", "bac"] * 5
GOOD = ["abc", "acb", "bca", "cab", "acb", "bac"] * 5
POOR = ["cba", "acb", "cab", "cab", "bac", "cab"] * 5
LANGUAGES = ["en", "de", "en"] * 10
CLUSTERS = [f"d{row // 3}" for row in range(30)]


METRIC = Concordance()
SYSTEMS = {"good": GOOD, "poor": POOR}


def find_share(outputs, rows=range(30)):
    right = [
        (KIND_GOLD[row].index(a) < KIND_GOLD[row].index(b))
        == (outputs[row].index(a) < outputs[row].index(b))
        for row in rows
        for a, b in combinations(THINGS, 2)
    ]
    return sum(right) / len(right)


def make_table():
    beside = {"lang": LANGUAGES, "doc": CLUSTERS, "weight": [1.0, 2.0, 0.5] * 10}
    return pa.table({"gold": KIND_GOLD, **SYSTEMS, **beside})


def test_lists_are_scored_by_group():
    result = tallystick.score(KIND_GOLD, SYSTEMS, METRIC, by=LANGUAGES)
    scores = {(one.system, one.group): one for one in result.scores}
    assert find_share(POOR) == pytest.approx(scores["poor", "micro"].value)
    rows = [row for row, language in enumerate(LANGUAGES) if language == "de"]
    assert find_share(GOOD, rows) == scores["good", "de"].value
    assert scores["poor", "micro"].low < find_share(POOR) < scores["poor", "micro"].high


def test_tables_are_read_by_their_columns():
    ids = [str(row) for row in range(30)]
    gold = pa.table({"id": ids, "gold": KIND_GOLD})
    own = {name: pa.table({"id": ids[::-1], "output": v[::-1]}) for name, v in SYSTEMS.items()}
    wide = tallystick.score(make_table(), None, METRIC, systems=[*SYSTEMS], by="lang")
    expected = [find_share(GOOD), find_share(POOR)]
    assert expected == [one.value for one in tallystick.score(gold, own, METRIC).scores]
    assert expected == [one.value for one in wide.scores if one.group == "micro"]


def test_wrong_value_is_told_by_its_place():
    with pytest.raises(InputError, match="good, row 2: 'ab' is no ranking"):
        tallystick.score(KIND_GOLD[:2], {"good": ["abc", "ab"]}, METRIC)
    with pytest.raises(InputError, match=r"row 2.*'ab' is no ranking"):
        tallystick.score(pa.table({"gold": KIND_GOLD[:2], "output": ["abc", "ab"]}), None, METRIC)


def test_systems_are_compared_ranked_and_gated():
    compared = tallystick.compare(KIND_GOLD, SYSTEMS, METRIC, clusters=CLUSTERS)
    ranked = tallystick.rank(KIND_GOLD, SYSTEMS, METRIC)
    gated = tallystick.gate(KIND_GOLD, GOOD, POOR, METRIC, max_drop=0.0)

    one = compared.differences[0]
    shares = {"good": find_share(GOOD), "poor": find_share(POOR)}
    assert shares == pytest.approx({one.a: one.value_a, one.b: one.value_b})
    assert "good" == ranked.places[0].system
    assert gated.passed


def test_weights_count_examples_as_often():
    weights = np.array([1.0, 2.0] * 15)
    twice = [row for row in range(30) for _ in range(1 + row % 2)]
    (score,) = tallystick.score(KIND_GOLD, {"poor": POOR}, METRIC, weights=weights).scores
    assert find_share(POOR, twice) == pytest.approx(score.value)


@pytest.mark.parametrize("engine", [None, pytest.param(2, marks=pytest.mark.deep)])
def test_parts_are_counted_and_added(engine, tmp_path):
    table = make_table()
    whole = tallystick.count(table, None, METRIC, systems=[*SYSTEMS], by="lang", engine=engine)
    whole.save(tmp_path / "whole.tally")
    half = [
        tallystick.count(table.slice(at, 15), None, METRIC, systems=[*SYSTEMS], by="lang")
        for at in (0, 15)
    ]
    sides = (tallystick.load(tmp_path / "whole.tally"), half[0] + half[1])
    scores = [[one.value for one in tallystick.score(side).scores] for side in sides]

    assert scores[0] == scores[1]
    assert find_share(POOR) in scores[0]


def test_report_shows_examples(tmp_path):
    result = tallystick.score(KIND_GOLD, SYSTEMS, METRIC)
    (evidence,) = result.gather(None)
    result.to_html(tmp_path / "report.html")
    assert ("a, b, c", "a, c, b") == evidence.examples.gold[:2]
    assert "c, b, a" == evidence.examples.outputs[1][0]
    assert "c, b, a" in (tmp_path / "report.html").read_text("utf-8")


def test_files_are_joined_by_id(tmp_path):
    rows = [f"{row},{text}" for row, text in enumerate(KIND_GOLD)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,gold", *rows]))
    for name, outputs in SYSTEMS.items():
        rows = [f"{row},{text}" for row, text in enumerate(outputs)][::-1]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,output", *rows]))
    paths = {name: str(tmp_path / f"{name}.csv") for name in SYSTEMS}
    blocks = read_files(str(tmp_path / "gold.csv"), paths, Reading(kinds=find_kinds(METRIC)))

    expected = {name: find_share(outputs) for name, outputs in SYSTEMS.items()}
    counted = count(blocks, METRIC)
    assert expected == {name: METRIC.score(counted.tally(METRIC).of(name))[0] for name in SYSTEMS}


_OWN = """
def cost(row):
    return row["tokens"] / 2


def right(row: dict):
    return row["label"] == row["y_pred"]


def is_a(output):
    return output == "a"


def turned(prediction, reference):
    return (prediction, reference) == ("b", "a")


def three(gold, output, other):
    return 1


def fails(row):
    return row["tokenz"]
"""
_ROWS = {"id": [1, 2, 3, 4], "label": list("abab"), "lang": list("xxyy")}
_LABELS = pandas.DataFrame(_ROWS)
_A = pandas.DataFrame({"id": [4, 1, 2, 3], "y_pred": list("baaa"), "tokens": [40, 10, 20, 30]})
_B = pandas.DataFrame({"id": [1, 2, 3, 4], "y_pred": list("abba"), "tokens": [11, 22, 33, 44]})
_EXPECTED = {"cost": [12.5, 13.75], "right": [0.75, 0.5], "is_a": [0.75, 0.5], "turned": [0, 0.25]}


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def files(request, folder):
    (folder / "mine").mkdir()
    (folder / "mine" / f"own_{request.param}.py").write_text(_OWN)
    for name, frame in (("g", _LABELS), ("a", _A), ("b", _B)):
        path = folder / f"{name}.{request.param}"
        if request.param == "csv":
            frame.to_csv(path, index=False)
        elif request.param == "jsonl":
            frame.to_json(path, orient="records", lines=True)
        else:
            frame.to_parquet(path)
    return f"mine/own_{request.param}.py", [f"{name}.{request.param}" for name in "gab"]


@pytest.fixture
def run_json(run):
    return lambda *words: json.loads(run(*words, "--format", "json").out)


@pytest.mark.parametrize("function", _EXPECTED)
def test_functions_of_files_take_rows_outputs_or_gold_and_output(files, function, run_json):
    module, paths = files
    found = run_json("score", *paths, "-m", f"{module}:{function}")["scores"]
    assert _EXPECTED[function] == [one["value"] for one in found]
    assert {function} == {one["name"] for one in found}


def test_functions_of_rows_are_grouped_compared_and_counted_by_workers(files, run_json):
    module, paths = files
    metric = ("-m", f"{module}:cost")
    grouped = run_json("score", *paths, *metric, "--by", "lang")["scores"]
    values = {(one["system"], one["group"]): one["value"] for one in grouped}
    assert {("a", "x"): 7.5, ("b", "y"): 19.25}.items() <= values.items()
    (compared,) = run_json("compare", *paths, *metric)["differences"]
    assert pytest.approx(1.25) == compared["difference"]
    assert compared["low"] < 1.25 < compared["high"]
    alone = run_json("score", *paths[1:], *metric)
    assert _EXPECTED["cost"] == [one["value"] for one in alone["scores"]]


@pytest.mark.parametrize(("function", "code", "shown"), [
    ("fails", 4, "fails raised KeyError: 'tokenz'; the row has 'id', 'label', 'lang', 'y_pred'"),
    ("three", 2, "three takes 3 arguments; a metric takes a row, output alone, or gold and"),
    ("csot", 2, "has no csot; did you mean cost?"),
])  # fmt: skip
def test_a_wrong_function_is_told(files, function, code, shown, capsys):
    module, paths = files
    try:
        ended = main(["score", *paths, "-m", f"{module}:{function}"])
    except SystemExit as error:
        ended = error.code
    assert (code, True) == (ended, shown in capsys.readouterr().err)


def test_a_file_of_a_metric_must_be_there(folder, capsys):
    with pytest.raises(SystemExit):
        main(["score", "gold.txt", "outputs.txt", "-m", "none.py:cost"])
    assert "there is no file" in capsys.readouterr().err


def test_functions_of_rows_score_frames_and_lists():
    def cost(row):
        return row["tokens"] / 2

    def right(example):
        return example["gold"] == example["output"]

    frame = _LABELS.merge(_A, on="id")
    scored = tallystick.score(frame, metrics=[cost, "accuracy"])
    assert [12.5, 0.75] == [scored["cost"], scored["accuracy"]]
    scored = tallystick.score(_LABELS, {"a": _A, "b": _B}, [cost])
    assert _EXPECTED["cost"] == [scored["cost", "a"], scored["cost", "b"]]
    assert tallystick.score(list("abab"), list("aaab"), right)["right"] == 0.75
    with pytest.raises(UsageError, match="a function of a row scores systems that have files"):
        tallystick.score(frame, metrics=cost, systems=["y_pred", "lang"])

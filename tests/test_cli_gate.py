"""The command `gate`: exit codes, reports, and what closes it."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from cases import cases
from faults import call
from tallystick.cli import main

RNG = np.random.default_rng(5)
SIZE = 200
GOLD = RNG.integers(0, 2, SIZE)
OLD = np.where(RNG.random(SIZE) < 0.8, GOLD, 1 - GOLD)
ANSWERS = {
    "old": OLD,
    "better": np.where(RNG.random(SIZE) < 0.5, GOLD, OLD),
    "worse": np.where(RNG.random(SIZE) < 0.3, 1 - GOLD, OLD),
    "alike": OLD.copy(),
}
for changed in (np.flatnonzero(OLD == GOLD)[:6], np.flatnonzero(OLD != GOLD)[:4]):
    ANSWERS["alike"][changed] = 1 - OLD[changed]


@pytest.fixture(autouse=True)
def _folder(folder, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    rows = (f"{at},{GOLD[at]},{'es' if at % 2 else 'en'}" for at in range(SIZE))
    (folder / "gold.csv").write_text("\n".join(["id,label,lang", *rows]) + "\n")
    for name, own in ANSWERS.items():
        rows = (f"{at},{own[at]}" for at in range(SIZE))
        (folder / f"{name}.csv").write_text("\n".join(["id,label", *rows]) + "\n")


def _run(capsys, new, *arguments):
    asked = arguments or ("--max-drop", "0.01")
    files = ("gold.csv", f"{new}.csv", "--against", "old.csv")
    code = main(["gate", *files, "-m", "accuracy", "--resamples", "1000", *asked])
    return code, *capsys.readouterr()


def _read(name):
    return json.loads(Path(name).read_text())


@cases(
    "new options code shown",
    ("better", [], 0, "better passes the gate: 1 of 1 check passed."),
    ("worse", [], 1, "worse fails the gate: 0 of 1 check passed, 1 failed."),
    (
        "alike",
        [],
        3,
        (
            "Inconclusive: too few examples to decide whether alike passes the gate: 1 of 1 "
            "check inconclusive."
        ),
    ),
    (
        "alike",
        ["--allow-inconclusive"],
        0,
        "alike passes the gate: 1 of 1 check inconclusive, which is let through.",
    ),
)
def test_the_exit_code_is_the_verdict(capsys, new, options, code, shown):
    found, out, _ = _run(capsys, new, "--max-drop", "0.01", *options)
    assert code == found
    assert shown == out.splitlines()[0]


def test_groups_and_floors_are_checked(capsys):
    code, out, _ = _run(capsys, "better", "--max-drop", "0.05", "--floor", "0.6", "--by", "lang")
    rows = [line.split() for line in out.splitlines() if line.startswith("pass")]
    assert 0 == code
    assert [
        (row, kind) for row in ("en", "es", "macro", "micro") for kind in ("drop", "floor")
    ] == [(row[2], row[-2]) for row in rows]


def test_junit_is_written(capsys, tmp_path):
    code, _, err = _run(capsys, "worse", "--max-drop", "0.01", "--junit", "gate.xml")
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert 1 == code
    assert "wrote gate.xml" in err
    assert ("1", "1") == (suite.get("tests"), suite.get("failures"))


def test_a_summary_is_appended(capsys, tmp_path):
    (tmp_path / "summary.md").write_text("before\n")
    _run(capsys, "better", "--max-drop", "0.01", "--summary", "summary.md")
    assert ["before", "### ✅ better passes the gate: 1 of 1 check passed."] == (
        (tmp_path / "summary.md").read_text().splitlines()[:2]
    )


@cases("inside", True, False)
def test_the_summary_of_a_workflow_is_found(capsys, tmp_path, monkeypatch, inside):
    if inside:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    code, _, err = _run(capsys, "better", "--max-drop", "0.01", "--summary", "auto")
    assert 0 == code
    if inside:
        assert (tmp_path / "step.md").read_text().startswith("### ✅ better passes the gate")
    else:
        assert "no summary was written, because GITHUB_STEP_SUMMARY names no file" in err


@cases(
    "line code shown",
    ("ref.txt new.txt --against ref.txt -m wer --max-drop 0.01", 1, "0.333 against 0.000 before"),
    ("gold.csv better.csv -m accuracy --floor 0.6", 0, "better passes the gate"),
    ("all.csv -m accuracy --floor 0.6", 0, "all passes the gate"),
)
def test_texts_are_gated_and_a_floor_alone_needs_no_older_system(line, code, shown):
    Path("ref.txt").write_text("the cat sat\na dog barked\n" * 20)
    Path("new.txt").write_text("the cat\na dog\n" * 20)
    Path("all.csv").write_text("label,prediction\n" + "1,1\n0,0\n" * 40)
    found = call("gate", *line.split(), "--resamples", "200")
    assert (code, True) == (found.code, shown in found.out)
    assert "wer failed: " in found.out or "old" not in found.out


@cases(
    "new arguments expected message",
    ("better", "--confidence 0.9", 2, "such as --max-drop 0.01"),
    ("better", "--max-drop -1", 2, "must be 0 or more"),
    ("better", "--max-drop nan", 2, "must be 0 or more"),
    ("better", "--floor nan", 2, "the floor must be a number"),
    ("better", "--max-drop 0 -m nope", 2, "unknown metric 'nope'"),
    ("better", "--max-drop 0 -m roc_auc", 2, "needs probabilities"),
    ("better", "--max-drop 0 --by gone", 4, "has no column 'gone'"),
    ("better", "--max-drop 0 --junit no/gate.xml", 4, "there is no folder"),
    ("better", "--max-drop 0 --confidence 0.3", 2, "between 0.5 and 1"),
    (
        "better",
        "--max-drop 0.1 f1=0.2",
        2,
        "--max-drop takes one number, or one for each metric, such as f1=0.01",
    ),
    ("empty", "--max-drop 0.01", 4, "empty.csv: has columns but no rows of data"),
)
def test_whatever_is_wrong_closes_the_gate(capsys, new, arguments, expected, message):
    Path("empty.csv").write_text("id,label\n")
    code, out, err = _run(capsys, new, *arguments.split())
    assert (expected, "") == (code, out)
    assert message in err


def test_an_undefined_score_closes_the_gate(capsys, tmp_path):
    rows = (f"{at},0" for at in range(SIZE))
    (tmp_path / "same.csv").write_text("\n".join(["id,label", *rows]) + "\n")
    code, out, _ = _run(capsys, "same", "-m", "mcc", "--floor", "-1")
    assert 1 == code
    assert "mcc failed: n/a, which is undefined" in out


@cases("most code", ("0.9", 0), ("0.001", 3))
def test_what_is_better_low_has_a_largest_value(capsys, most, code):
    call = ["gate", "gold.csv", "better.csv", "--by", "lang", "--max", f"gap(accuracy)={most}"]
    found = main([*call, "--format", "json"])
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert ("floor", "macro", float(most)) == (check["kind"], check["group"], check["limit"])
    assert code == found


def test_metrics_may_have_limits_of_their_own(capsys):
    files = ("gold.csv", "better.csv", "--against", "old.csv")
    limits = ("--max-drop", "f1=0.05", "accuracy=0.02", "--floor", "f1=0.5")
    main(["gate", *files, *limits, "--json", "gate.json"])
    capsys.readouterr()
    assert [("f1", "drop", 0.05), ("f1", "floor", 0.5), ("accuracy", "drop", 0.02)] == [
        (check["name"], check["kind"], check["limit"]) for check in _read("gate.json")["checks"]
    ]


def test_limits_come_from_a_file(capsys, tmp_path):
    (tmp_path / "gate.yaml").write_text(
        "metrics:\n"
        "  accuracy:\n"
        "    max_drop: 0.02\n"
        "    groups:\n"
        "      es: {max_drop: 0.05, floor: 0.4}\n"
        "  mcc: {equivalent_within: 0.9}\n"
    )
    arguments = ["--against", "old.csv", "--by", "lang", "--config", "gate.yaml"]
    main(["gate", "gold.csv", "better.csv", *arguments, "--json", "gate.json"])
    capsys.readouterr()
    found = {
        (check["name"], check["group"], check["kind"]): check["limit"]
        for check in _read("gate.json")["checks"]
    }

    assert {
        ("accuracy", "en", "drop"): 0.02,
        ("accuracy", "es", "drop"): 0.05,
        ("accuracy", "es", "floor"): 0.4,
        ("accuracy", "macro", "drop"): 0.02,
        ("accuracy", "micro", "drop"): 0.02,
    } == {key: limit for key, limit in found.items() if key[0] == "accuracy"}
    assert {0.9} == {limit for key, limit in found.items() if key[0] == "mcc"}


@cases(
    "text message",
    ("metrcs: {}", "unknown key 'metrcs'; did you mean 'metrics'?"),
    ("metrics: {f1: {max_drp: 1}}", "unknown key 'metrics.f1.max_drp'; did you mean 'max_drop'?"),
    (
        "metrics: {f1: {max_drop: x}}",
        "$.metrics.f1.max_drop contains 'x', but a number was expected",
    ),
    ("metrics: {f1: {max_drop: true}}", "contains True, but a number was expected"),
    ("metrics: {f1: 0.1}", "$.metrics.f1 contains 0.1, but a mapping was expected"),
    ("metrics: {f1: {}}", "$.metrics.f1 contains no limit, but max_drop or floor or"),
    ("metrics: {f1: {floor: 1}, mcc: }", "$.metrics.mcc contains no limit"),
    ("metrics: {f1: {floor: 1, groups: {es: }}}", "$.metrics.f1.groups.es contains no limit"),
    ("metrics: {}", "$.metrics contains no limit, but such as f1: {max_drop: 0.01}"),
    ("metrics: [f1]", "but a mapping was expected"),
    (
        "metrics: {f1: {groups: {en: {flor: 1}}}}",
        "unknown key 'metrics.f1.groups.en.flor'; did you mean 'floor'?",
    ),
    ("metrics: {f1: {groups: {no: {floor: 1}}}}", "YAML reads a bare no"),
    ("metrics: {f1: {floor: 1, colour: 2}}", "there are max_drop, floor, equivalent_within"),
)
def test_a_wrong_file_of_limits_names_the_key(capsys, tmp_path, text, message):
    (tmp_path / "gate.yaml").write_text(text)
    files = ["gold.csv", "better.csv", "--against", "old.csv"]
    assert 4 == main(["gate", *files, "--config", "gate.yaml"])
    assert message in capsys.readouterr().err


@cases(
    "new arguments code verdict",
    ("better", ["--max-drop", "0.01"], 0, "pass"),
    ("worse", ["--max-drop", "0.01"], 1, "fail"),
    ("alike", ["--max-drop", "0.01"], 3, "inconclusive"),
    ("better", ["--max-drop", "-1"], 2, "error"),
    ("gone", ["--max-drop", "0.01"], 4, "error"),
)
def test_reports_are_written_whatever_the_verdict_is(
    capsys, tmp_path, new, arguments, code, verdict
):
    reports = ["--junit", "gate.xml", "--json", "gate.json", "--summary", "gate.md"]
    found, _, err = _run(capsys, new, *arguments, *reports)
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (code, verdict) == (found, _read("gate.json")["verdict"])
    assert str(int(verdict == "error")) == suite.get("errors")
    assert (tmp_path / "gate.md").read_text().startswith("### ")
    assert ("tallystick: error:" in err) == (verdict == "error")


def test_the_worst_regressions_are_in_summary_and_json(capsys, tmp_path):
    reports = ("--max-drop", "0.01", "--by", "lang", "--json", "gate.json", "--summary", "gate.md")
    _run(capsys, "worse", *reports)
    assert [
        (str(row), "es" if row % 2 else "en", str(GOLD[row]), str(1 - GOLD[row]), str(GOLD[row]))
        for row in np.flatnonzero((ANSWERS["old"] == GOLD) & (ANSWERS["worse"] != GOLD))[:10]
    ] == [
        tuple(flip[name] for name in ("example", "group", "gold", "output_a", "output_b"))
        for flip in _read("gate.json")["regressions"]
    ]
    assert "The worst regressions" in (tmp_path / "gate.md").read_text()


def test_a_sequential_gate_is_told(capsys):
    _, _, err = _run(capsys, "better", "--max-drop", "0.1", "--sequential")
    assert "bounds are anytime-valid: they hold however often the gate is run" in err


@cases(
    "arguments message",
    ("gold.csv better.csv -m f1 --max-drop 0", "name the older system with --against"),
    ("--against old.csv -m f1 --max-drop 0", "name a gold file and the systems' files"),
    ("gold.csv --against old.csv -m f1 --max-drop 0", "list the systems' files after the gold"),
    (
        "gold.csv better.csv worse.csv --against old.csv -m f1 --max-drop 0",
        "a gate takes one new system besides --against, and there are 2",
    ),
    ("gold.csv better.csv --max accuracy=0.9", "accuracy has a --floor"),
    (
        "gold.csv better.csv --max mean(cost)=1",
        "has a --floor, unless it is mean(cost, better=lower)",
    ),
    ("gold.csv better.csv --max 0.9", "--max names what it limits"),
    *(
        (
            f"gold.csv -m f1 --max-drop {text}",
            "is neither a number nor METRIC=NUMBER, such as f1=0.01",
        )
        for text in ("better.csv", "f1=high")
    ),
    *(
        (
            f"gold.csv better.csv --against old.csv --config gate.yaml {option} {value}",
            f"are in gate.yaml; leave out {option}",
        )
        for option, value in (("-m", "f1"), ("--max-drop", "0.1"), ("--floor", "f1=0.1"))
    ),
)
def test_a_wrong_call_is_told(arguments, message):
    Path("gate.yaml").write_text("metrics: {f1: {max_drop: 0.1}}")
    found = call("gate", *arguments.split())
    assert 2 == found.code
    assert message in found.err


def test_help_shows_examples_and_exit_codes_and_tells_of_the_gate_alone():
    out = call("gate", "--help", "all").out
    assert "tallystick gate gold.csv new.csv --against old.csv" in out
    assert "exit codes: 0 every check passes; 1 one fails; 3 one is inconclusive" in out
    shown = "the confidence level of intervals, and of the one- sided bounds of a gate"
    assert shown in " ".join(out.split())
    assert "sacrebleu" not in out


@cases("file begin", ("gate.tex", "% better passes the gate"), ("gate.md", "### ✅ better passes"))
def test_the_table_goes_into_a_file(capsys, file, begin):
    code, out, _ = _run(capsys, "better", "--max-drop", "0.01", "-o", file, "--percent")
    text = Path(file).read_text()
    assert (0, "") == (code, out)
    assert text.startswith(begin)
    assert "drop 1 " in text


def test_what_did_not_pass_comes_first_and_what_passed_is_folded(capsys, tmp_path):
    rows = [f"{n},{n % 2},{n % 2},{n % 2 if n % 3 else 1},{'ab'[n % 3 == 0]}" for n in range(300)]
    table = tmp_path / "all.csv"
    table.write_text("id,gold,old,new,part\n" + "\n".join(rows))
    call = f"gate {table} --systems new --against old -m accuracy --max-drop .05 --by part"
    assert 1 == main(call.split())
    shown = capsys.readouterr().out
    assert [True, False] == ["FAIL" in shown, "pass  " in shown]
    assert "Passed: accuracy in a." in shown
    assert 1 == main([*call.split(), "--format", "markdown"])
    text, _, folded = capsys.readouterr().out.partition(
        "<details>\n<summary>1 check passed</summary>"
    )
    assert text.startswith("### ❌ new fails the gate: ")
    assert [True, False] == ["❌ FAIL" in text, "✅ pass" in text]
    assert "✅ pass" in folded

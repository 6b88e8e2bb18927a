"""The command `gate`: exit codes, reports, and what closes it."""

from xml.etree import ElementTree

import numpy as np
import pytest

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
def _folder(tmp_path, monkeypatch):
    """Gold with languages and the predictions of four systems, as the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    rows = (f"{at},{GOLD[at]},{'es' if at % 2 else 'en'}" for at in range(SIZE))
    (tmp_path / "gold.csv").write_text("\n".join(["id,label,lang", *rows]) + "\n")
    for name, own in ANSWERS.items():
        rows = (f"{at},{own[at]}" for at in range(SIZE))
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,label", *rows]) + "\n")


def _run(capsys, new, *arguments):
    asked = arguments or ("--max-drop", "0.01")
    files = ("gold.csv", f"{new}.csv", "--against", "old.csv")
    code = main(["gate", *files, "-m", "accuracy", "--resamples", "1000", *asked])
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("new", "code", "told"),
    [
        ("better", 0, "The gate for better passed: 1 passed."),
        ("worse", 1, "The gate for worse failed: 1 failed."),
        ("alike", 3, "The gate for alike is inconclusive: 1 inconclusive."),
    ],
)
def test_the_exit_code_is_the_verdict(capsys, new, code, told):
    """One sentence for the check, one for the gate."""
    found, out, _ = _run(capsys, new)

    assert code == found
    assert [told] == out.splitlines()[1:]


def test_what_is_inconclusive_can_be_allowed(capsys):
    """The sentence says so."""
    code, out, _ = _run(capsys, "alike", "--max-drop", "0.01", "--allow-inconclusive")

    assert 0 == code
    assert out.endswith("The gate for alike is inconclusive (allowed): 1 inconclusive.\n")


def test_groups_and_floors_are_checked(capsys):
    """Two languages, their mean and their sum, for drop and floor."""
    code, out, _ = _run(capsys, "better", "--max-drop", "0.05", "--floor", "0.6", "--by", "lang")

    assert 0 == code
    assert [f"accuracy [{row}]" for row in ("en", "es", "macro", "micro") for _ in range(2)] == [
        line.partition(" passed")[0] for line in out.splitlines()[:-1]
    ]


def test_junit_is_written(capsys, tmp_path):
    """One test case a check, readable as XML, also where the gate is closed."""
    code, _, err = _run(capsys, "worse", "--max-drop", "0.01", "--junit", "gate.xml")
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()

    assert 1 == code
    assert "wrote gate.xml" in err
    assert ("1", "1") == (suite.get("tests"), suite.get("failures"))


def test_a_summary_is_appended(capsys, tmp_path):
    """What other steps have written stays."""
    (tmp_path / "summary.md").write_text("before\n")
    _run(capsys, "better", "--max-drop", "0.01", "--summary", "summary.md")

    assert ["before", "### The gate for better passed: 1 passed."] == (
        (tmp_path / "summary.md").read_text().splitlines()[:2]
    )


def test_the_summary_of_a_workflow_is_found(capsys, tmp_path, monkeypatch):
    """`auto` is the file that GitHub names."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    _run(capsys, "better", "--max-drop", "0.01", "--summary", "auto")

    assert (tmp_path / "step.md").read_text().startswith("### The gate for better passed")


def test_outside_a_workflow_there_is_no_summary(capsys):
    """The command works on a desk too, and says what it left out."""
    code, _, err = _run(capsys, "better", "--max-drop", "0.01", "--summary", "auto")

    assert 0 == code
    assert "no summary was written, because GITHUB_STEP_SUMMARY names no file" in err


def test_texts_are_gated(capsys, tmp_path):
    """By a metric whose lower values are better."""
    (tmp_path / "ref.txt").write_text("the cat sat\na dog barked\n" * 20)
    (tmp_path / "new.txt").write_text("the cat\na dog\n" * 20)
    arguments = ["--against", "ref.txt", "-m", "wer", "--max-drop", "0.01"]

    assert 1 == main(["gate", "ref.txt", "new.txt", *arguments, "--resamples", "200"])
    assert "wer failed: 0.3333 against 0.0000 before" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected", "message"),
    [
        (["--confidence", "0.9"], 2, "name the largest drop that is allowed, or a floor"),
        (["--max-drop", "-1"], 2, "from 0 on"),
        (["--max-drop", "nan"], 2, "from 0 on"),
        (["--floor", "nan"], 2, "the floor is a number"),
        (["--max-drop", "0", "-m", "nope"], 2, "no metric 'nope'"),
        (["--max-drop", "0", "-m", "roc_auc"], 2, "needs probabilities"),
        (["--max-drop", "0", "--by", "gone"], 4, "has no column 'gone'"),
        (["--max-drop", "0", "--junit", "no/gate.xml"], 4, "there is no folder"),
        (["--max-drop", "0", "--confidence", "0.3"], 2, "between 0.5 and 1"),
    ],
)
def test_whatever_is_wrong_closes_the_gate(capsys, arguments, expected, message):
    """Exit code 2 for a wrong call, 4 for bad data; one sentence, no verdict."""
    code, out, err = _run(capsys, "better", *arguments)

    assert (expected, "") == (code, out)
    assert message in err


def test_no_rows_close_the_gate(capsys, tmp_path):
    """A file with a header alone is an error, and no score of 0."""
    (tmp_path / "better.csv").write_text("id,label\n")
    code, out, err = _run(capsys, "better")

    assert (4, "") == (code, out)
    assert "better.csv: has columns but not a single row of data" in err


def test_an_undefined_score_closes_the_gate(capsys, tmp_path):
    """MCC of one and the same answer."""
    rows = (f"{at},0" for at in range(SIZE))
    (tmp_path / "same.csv").write_text("\n".join(["id,label", *rows]) + "\n")
    code, out, _ = _run(capsys, "same", "-m", "mcc", "--floor", "-1")

    assert 1 == code
    assert "mcc failed: n/a, which is undefined" in out


def test_a_gate_needs_an_older_system(capsys):
    """A call without --against is a wrong one."""
    with pytest.raises(SystemExit) as stopped:
        main(["gate", "gold.csv", "better.csv", "-m", "f1"])

    assert 2 == stopped.value.code
    assert "required: --against" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "name a gold file and the systems' files"),
        (["gold.csv"], "name the systems' files after the gold"),
        (
            ["gold.csv", "better.csv", "worse.csv"],
            "a gate takes one new system beside --against, and there are 2",
        ),
    ],
)
def test_a_gate_takes_gold_and_one_new_system(files, message, capsys):
    """No more and no less."""
    assert 2 == main(["gate", *files, "--against", "old.csv", "-m", "f1", "--max-drop", "0"])
    assert message in capsys.readouterr().err


def test_help_shows_examples_and_exit_codes(capsys):
    """What a workflow must know."""
    with pytest.raises(SystemExit):
        main(["gate", "--help"])
    out = capsys.readouterr().out

    assert "tallystick gate gold.csv new.csv --against old.csv" in out
    assert "exit codes: 0 every check passes; 1 one fails; 3 one is inconclusive" in out


def test_help_tells_of_the_gate_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Options of resampling are shared with commands that have tests, and other confidences."""
    with pytest.raises(SystemExit):
        main(["gate", "--help"])
    told = " ".join(capsys.readouterr().out.split())

    assert "the confidence level of each bound, which is one-sided (default: 0.95)" in told
    assert "sacrebleu" not in told

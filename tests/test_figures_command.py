"""Figures on the command line: files, options, and errors that list what can be drawn."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tallystick.cli import main

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{at},{'en' if at % 2 else 'es'},{at % 3 == 0:d},{at % 4 == 0:d},{at % 5 == 0:d}"
        for at in range(240)
    ]
    Path("t.csv").write_text("\n".join(["id,lang,label,one,two", *rows]) + "\n")
    chances = [f"{at % 3 == 0:d},{(at * 13 % 40) / 80 + 0.4 * (at % 3 == 0)}" for at in range(90)]
    Path("p.csv").write_text("\n".join(["y_true,y_prob", *chances]) + "\n")

    def call(command: str) -> tuple[int, str]:
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


@pytest.mark.parametrize("ending", ["svg", "pdf", "png", "SVG"])
@pytest.mark.parametrize("command", CALLS)
def test_the_ending_of_the_output_makes_a_figure(run, command, ending):
    code, err = run(f"{CALLS[command]} -o figure.{ending}")
    start = {"svg": b"<svg ", "pdf": b"%PDF-", "png": b"\x89PNG"}[ending.lower()]

    assert 0 == code, err
    assert Path(f"figure.{ending}").read_bytes().startswith(start)
    assert f"wrote figure.{ending}\n" in err


@pytest.mark.parametrize(
    "kind", ["confusion", "roc", "ROC", "pr", "reliability", "Reliability", "threshold"]
)
def test_a_kind_can_be_named(run, kind):
    code, err = run(f"score p.csv -m roc_auc f1 --figure {kind} -o figure.svg")

    assert (0, True) == (code, "wrote figure.svg" in err)


def test_a_system_can_be_named(run):
    assert 0 == run("score t.csv --systems one two --figure confusion=two -o two.svg")[0]
    assert 0 == run("score t.csv --systems two --figure confusion -o alone.svg")[0]
    assert Path("alone.svg").read_bytes() == Path("two.svg").read_bytes()


def test_two_columns_are_wider(run):
    run(f"{CALLS['rank']} -o figure.svg --wide")

    assert 'width="643"' in Path("figure.svg").read_text()


@pytest.mark.parametrize(
    ("command", "message"),
    [
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
        (f"score {PAIR} --figure roc -o f.csv", "--figure goes with -o FILE.svg, .pdf or .png"),
        (f"score {PAIR} --wide", "--wide goes with -o FILE.svg, .pdf or .png"),
        ("view t.csv -o f.svg", "t.csv: is neither JSON nor a report"),
        ("plan t.csv --systems one two -m f1 -o f.svg", "there is nothing to draw"),
    ],
)
def test_a_wrong_call_says_what_there_is(run, command, message):
    code, err = run(command)

    assert code == (4 if command.startswith("view") else 2)
    assert message in err
    assert not Path("f.svg").exists()


def test_letters_that_the_font_lacks_are_told(run):
    Path("j.csv").write_text("id,label,日本語,b\n1,a,a,b\n2,b,b,b\n3,a,b,a\n")
    for ending, told in (("pdf", True), ("svg", False)):
        _, err = run(f"score j.csv --systems 日本語 b -o figure.{ending}")
        assert told == (f"figure.{ending} has letters that are not in its font" in err)


def test_a_gate_that_fails_is_drawn(run):
    code, _ = run("gate t.csv --systems one -m f1 --floor 0.99 -o figure.svg")

    assert 1 == code
    assert ">FAIL<" not in Path("figure.svg").read_text()
    assert ">fail<" in Path("figure.svg").read_text()

"""The tutorial's commands, its table, its configuration and its Python are true."""

import re
import shlex
from pathlib import Path

import pytest

import tallystick
from invented import write_splits
from tallystick.baselines import predict_tfidf
from tallystick.baselines.splits import Config
from tallystick.cli import main
from tallystick.cli.parser import build_parser
from tallystick.io.config import read_sections

PAGE = (Path(__file__).parents[1] / "docs" / "baselines.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(?: {4})?tallystick (.+)$", PAGE, re.MULTILINE)


def find_blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_understood(command):
    options = build_parser().parse_args(shlex.split(command))

    assert callable(options.run)


def test_four_commands_make_both_baselines():
    words = [command.split()[:2] for command in COMMANDS[:4]]

    assert [
        ["baseline", "tfidf"],
        ["score", "--pred-dir"],
        ["baseline", "detoxify"],
        ["score", "--pred-dir"],
    ] == words


def test_the_table_is_what_the_commands_print(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "output").symlink_to(shared / "data" / "toxicity" / "predictions")

    assert 0 == main(shlex.split(COMMANDS[1]))
    assert find_blocks("text")[0] == capsys.readouterr().out


def test_the_configuration_has_the_defaults(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(find_blocks("yaml")[0])

    shown, bare = read_sections(str(path), Config), Config()

    assert [bare.preprocess, bare.tfidf, bare.logistic_regression, bare.hardware] == [
        shown.preprocess,
        shown.tfidf,
        shown.logistic_regression,
        shown.hardware,
    ]


def test_the_python_runs(tmp_path, monkeypatch, capsys):
    def predict(splits: tallystick.baselines.Splits, output: str) -> None:
        predict_tfidf(splits, output, run_tag="detoxify")

    monkeypatch.setattr(tallystick.baselines, "predict_detoxify", predict)
    monkeypatch.chdir(tmp_path)
    write_splits(tmp_path / "splits", ("es", "it", "tr"))
    (tmp_path / "stopwords").mkdir()
    for language in ("es", "it", "tr"):
        (tmp_path / "stopwords" / f"{language}.txt").write_text("the\n")
    load, make = find_blocks("py")
    names: dict[str, object] = {}

    for code in (make, load):
        exec(compile(code, "baselines.md", "exec"), names)

    assert (1,) == names["toxic"].shape
    assert 2 == capsys.readouterr().out.count("Confusion matrix")

"""The other commands, exit codes, errors from outside, completion, and processes."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

import pytest

import tallystick
from cases import cases
from faults import call
from tallystick.cli import main
from tallystick.cli.parser import SHORT
from tallystick.kinds.metrics.table import TABLE
from tallystick.metrics import METRICS

NAMES = [metric.short for metric in METRICS]
PARTS = ["formula", "range", "undefined", "source"]
COMMAND = [sys.executable, "-m", "tallystick"]
FOUND = {"PYTHONPATH": str(Path(tallystick.__file__).parents[1])}


@pytest.fixture
def process(tmp_path):
    def run(*arguments, stdin=b"", encoding="utf-8"):
        return subprocess.run(
            [*COMMAND, *arguments],
            check=False,
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env=os.environ | FOUND | {"PYTHONIOENCODING": encoding},
        )

    return run


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text("id,y_true,y_pred\na,1,1\nb,0,1\nc,0,0\n")
    return path


def test_version_is_printed(process):
    shown = f"tallystick {tallystick.__version__}\n"
    done, found = process("--version"), call("--version", "score")
    assert (0, shown, b"") == (
        done.returncode,
        done.stdout.decode().replace("\r\n", "\n"),
        done.stderr,
    )
    assert [0, shown] == [found.code, found.out]


def test_the_command_has_two_names():
    try:
        scripts = distribution("tallystick").entry_points.select(group="console_scripts")
    except PackageNotFoundError:
        pytest.skip("the package can be imported but is not installed")
    expected = {"tallystick": "tallystick.cli:main", "tally": "tallystick.cli:main"}
    assert expected == {script.name: script.value for script in scripts}


def test_standard_input_is_read(process, table):
    done = process("score", "-", "-m", "accuracy", "--format", "csv", stdin=table.read_bytes())
    assert (0, b"system,n,accuracy\n-,3,0.6666666666666666\n") == (
        done.returncode,
        done.stdout.replace(b"\r\n", b"\n"),
    )


@cases(
    "arguments expected",
    (["score", "predictions.csv"], 0),
    (["metrics", "f1"], 0),
    (["score", "missing.csv"], 4),
    (["score", "predictions.csv", "-m", "nonsense"], 2),
    ([], 2),
    (["nonsense"], 2),
    (["score", "predictions.csv", "--format", "nonsense"], 2),
    (["score", "predictions.csv", "--threshold", "half"], 2),
    (["score", "predictions.csv", "--nonsense"], 2),
)
def test_exit_codes(monkeypatch, table, arguments, expected):
    monkeypatch.chdir(table.parent)
    assert expected == call(*arguments).code


_ENDING = """
import atexit, sys, threading
from tallystick.cli import main
atexit.register(print, "at exit", file=sys.stderr)
threading.Thread(target=threading.Event().wait).start()
sys.argv[1:] = {arguments!r}
main()
"""


@cases("arguments code shown", (["metrics"], 0, "\n"), (["score", "nowhere.csv"], 4, ""))
def test_the_process_ends_with_the_command(arguments, code, shown):
    done = subprocess.run(
        [sys.executable, "-c", _ENDING.format(arguments=arguments)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | FOUND,
    )
    assert (code, shown) == (done.returncode, done.stdout[-1:])
    assert done.stderr.endswith("at exit\n")


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    (tmp_path / "gold.txt").write_text("\n".join(str(number) for number in range(400)))
    options = ["-m=support", "--task=multiclass", "--format=json"]
    with subprocess.Popen(
        [*COMMAND, "score", "gold.txt", "gold.txt", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=os.environ | FOUND,
    ) as done:
        assert done.stdout is not None
        assert done.stderr is not None
        done.stdout.close()
        words = done.stderr.read()
    assert (0, b"") == (done.returncode, words)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told(tmp_path, table):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "score", str(table), "--task", "binary", "--no-intervals"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | FOUND,
        )
    expected = b"tallystick: error: standard output: No space left on device\n"
    assert (4, expected) == (done.returncode, done.stderr)


@cases("encoding", "ascii", "cp1252", "utf-8")
def test_results_are_utf8_whatever_the_terminal_is(process, tmp_path, encoding):
    (tmp_path / "gold.txt").write_text("猫\nşeker\n", encoding="utf-8")
    done = process("score", "gold.txt", "gold.txt", "--format", "lines", encoding=encoding)
    assert [0, 2] == [
        done.returncode,
        len([w for w in ("猫", "şeker") if w.encode() in done.stdout]),
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_a_drawn_table(table):
    reader, writer = os.openpty()
    subprocess.run(
        [*COMMAND, "score", str(table), "--task", "binary"],
        check=True,
        stdout=writer,
        env=os.environ | FOUND | {"TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(writer)
    shown = os.read(reader, 1 << 16).decode()
    os.close(reader)
    assert [True, True] == ["────" in shown, "Confusion matrix" in shown]


def test_metrics_are_listed_and_explained_in_a_sentence():
    blocks = [block.split("\n") for block in call("metrics").out.split("\n\n")[:-1]]
    lines = [line for block in blocks for line in block[1:]]
    assert all(block[0].endswith(":") for block in blocks)
    assert sorted(NAMES) == sorted(line.split()[0] for line in lines)
    assert [] == [line for line in lines if not line.endswith(".") or len(line.split()) < 5]


@cases("name", *NAMES, *[name for *_, others in TABLE.values() for name in others])
def test_a_metric_is_explained(name):
    found = call("metrics", name)
    heads = [line.split(" ")[0] for line in found.out.split("\n")]
    assert (0, PARTS) == (found.code, [head for head in heads if head in PARTS])


@cases("name", "f1", "F1", "mcc", "MCC", "RocAuc", "roc_auc")
def test_metrics_are_explained_by_either_name(name):
    heading = call("metrics", name).out.split("\n")[0].casefold()
    assert name.casefold().replace("_", "") in heading.replace("_", "")


def test_the_direction_of_a_metric_and_the_nearest_of_an_unknown_one_are_told():
    assert "0 to 1, lower is better" in call("metrics", "hamming_loss").out
    found = call("metrics", "acuracy")
    message = "tallystick: error: unknown metric 'acuracy'; did you mean accuracy?\n"
    assert (2, message) == (found.code, found.err)


@cases(
    "word found",
    ("calibration", ["ece", "top_label_ece"]),
    ("Agreement", ["cohen_kappa", "weighted_kappa", "fleiss_kappa", "gwet_ac1"]),
    ("BERTScore", ["mean(bertscore)"]),
    ("uar", ["balanced_accuracy"]),
)
def test_a_word_finds_the_metrics_that_contain_it(word, found):
    shown = call("metrics", word)
    assert (0, []) == (shown.code, [name for name in found if name not in shown.out.casefold()])


def test_demo_commands_give_what_the_demo_shows(folder, monkeypatch):
    demo = call("demo").out
    commands = [line[13:] for line in demo.split("\n") if line.startswith("$ tallystick ")]
    assert [4, 4] == [len(commands), sum(one.startswith("score ") for one in commands)]
    monkeypatch.chdir(str(files("tallystick") / "demo_data"))
    for command in commands:
        found = call(*command.split())
        assert found.code == 0
        assert {*found.out.split("\n")} <= {*demo.split("\n")}


@cases(
    "command",
    [],
    *([name] for name in ("score", "tune", "compare", "rank", "gate", "metrics", "demo")),
    *(["baseline", *rest] for rest in ([], ["majority"], ["random"], ["tfidf"], ["detoxify"])),
    ids=str,
)
def test_help_is_there_for_every_command(command):
    found = call(*command, "--help")
    _, _, examples = found.out.partition("\nexample")
    assert [0, True, True] == [
        found.code,
        found.out.startswith("usage: tallystick"),
        f"\n  tallystick {' '.join(command)}" in examples,
    ]


@cases(
    "command",
    *SHORT,
    *("", "tune", "view", "metrics", "task", "baseline", "task bundle", "task run"),
)
def test_help_fits_on_a_screen(monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    out = call(*command.split(), "--help").out
    shown = re.findall(r"^  (?:-\w.*, )?--", out, re.MULTILINE)
    assert len(out.splitlines()) <= 46
    assert all(len(line) <= 80 for line in out.splitlines())
    if command in SHORT:
        assert 0 < len(shown) <= 14
        assert f"`tallystick {command} --help all` shows all options" in out
        assert len(call(*command.split(), "--help", "all").out) > len(out)


@cases("topic", "systems", "metrics", "columns", "files", "texts", "intervals", "output")
def test_a_topic_shows_its_options_alone(topic):
    found, whole = (call("score", "--help", which).out for which in (topic, "all"))
    shown = {*re.findall(r"(?m)^  .*?(--[a-z-]+)", found)}
    assert shown < {*re.findall(r"(?m)^  .*?(--[a-z-]+)", whole)}
    assert "--help with one of" in " ".join(found.split())


def test_an_unknown_topic_names_those_there_are():
    found = call("score", "--help", "intervalls")
    assert (2, True) == (found.code, "no topic 'intervalls', only systems, metrics" in found.err)


FILE = "id,label,y_pred\n1,a,a\n2,b,a\n"


@cases(
    "arguments shown",
    ("score -m accuracy g.csv a.csv", "before -m, as in `tallystick score g.csv a.csv -m acc"),
    ("score g.csv -m accuracy a.csv", "before -m, as in `tallystick score g.csv a.csv -m acc"),
    ("score g.csv -m accuracy none.csv", "before -m, as in `tallystick score g.csv none.csv -m"),
    ("compare -m accuracy g.csv x=a.csv", "as in `tallystick compare g.csv x=a.csv -m accuracy`"),
    ("rank --labels a b g.csv a.csv", "--labels g.csv: is a file; put files before --labels, as"),
    ("count --by label g.csv -o c.tally", "--by g.csv: is a file; put files before --by, as in"),
    ("plan --sizes 100 g.csv a.csv", "invalid int value: 'g.csv'; put files before --sizes"),
    ("score --digits 2 g.csv a.csv", "such as bleu=1; put files before --digits"),
    ("gate --max-drop 0.1 g.csv a.csv", "such as f1=0.01; put files before --max-drop"),
    ("score g.csv --task multiclass a.csv", "a.csv; put all files together, before the options"),
    ("gate g.csv a.csv --against g.csv", "such as --max-drop 0.01, --floor 0.8, --max mae=0.5"),
    ("score g.csv a.csv -o x.jpg", "unknown extension (.eee.json, .csv, .htm, .html, .json, .md"),
    ("score g.csv a.csv --bootstrap 99", "did you mean --resamples?"),
    ("compare g.csv a.csv --bootstrap=99", "did you mean --resamples?"),
    ("scoer g.csv a.csv", "there is no command 'scoer'; did you mean 'score'?"),
    ("--verison", "there is no command '--verison'; did you mean '--version'?"),
    ("task chek", "did you mean 'check'?"),
    ("baseline majorty", "did you mean 'majority'?"),
    ("score g.csv a.csv --positve a", "did you mean --positive?"),
    ("task rank --overal mean --task x.yaml", "did you mean --overall?"),
    ("score g.csv a.csv --missing wron", "did you mean 'wrong'?"),
    ("score g.csv a.csv --input-format cvs", "did you mean 'csv'?"),
)
def test_an_error_says_how_to_write_the_call(tmp_path, monkeypatch, arguments, shown):
    monkeypatch.chdir(tmp_path)
    for name in ("g.csv", "a.csv"):
        Path(name).write_text(FILE)
    found = call(*arguments.split())
    assert (2, True) == (found.code, shown in found.err), found.err


def test_labels_may_be_called_like_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("g.csv", "a.csv", "a"):
        Path(name).write_text(FILE)
    named = ("--labels", "a", "b", "-m", "accuracy")
    assert 0 == call("score", "g.csv", "a.csv", *named).code
    assert 0 == call("score", "--id-column", "id", "g.csv", "a.csv", *named).code


@cases("command", "score", "compare", "rank", "gate")
def test_every_layout_of_inputs_is_in_every_command(command):
    out = call(command, "--help", "all").out
    layouts = {"--systems", "--system-column", "--submissions", "--pred-dir", "--run-tag"}
    assert layouts <= {*out.replace(",", " ").split()}
    assert "NAME=FILE" in out


def test_words_stand_behind_results(table):
    done = subprocess.run(
        [*COMMAND, "score", str(table), "--format", "csv"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | FOUND,
    )
    lines = done.stdout.decode().splitlines()
    assert ["system,n,", "predictio", "note: rea"] == [line[:9] for line in lines[:3]]


@cases(
    "option",
    *("--task", "--metrics", "--by", "--positive", "--threshold", "--labels"),
    *("--weight-column", "--gold-column", "--predicted-column", "--probability-column"),
    *("--id-column", "--pred-dir", "--run-tag", "--languages"),
    *("--config", "--output", "--dump-errors", "--errors-dir"),
    *("--format", "--confusion", "--fold-case"),
)
def test_every_promised_option_is_in_the_help(option):
    assert option in call("score", "--help", "all").out.replace(",", " ").split()


BROKEN = """
from dataclasses import dataclass
from typing import ClassVar

from tallystick.kinds.labels.label_columns import Confusion
from tallystick.model.tallies.metric import Metric


class Broken(Metric):
    short: ClassVar[str] = "broken"
    title: ClassVar[str] = "Broken"
    better: ClassVar[str] = "higher"
    bounds: ClassVar[tuple] = (0, 1)
    counters: ClassVar[tuple] = (Confusion,)

    def score(self, tally):
        return {}["nothing"]
"""


def test_a_metric_of_ones_own_that_raises_is_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "wrong_metric.py").write_text(BROKEN)
    (tmp_path / "a.csv").write_text("gold,y_pred\na,a\nb,a\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    code = main(["score", str(tmp_path / "a.csv"), "-m", "wrong_metric:Broken"])
    sys.modules.pop("wrong_metric", None)
    assert 2 == code
    assert (
        "tallystick: error: wrong_metric:Broken raised KeyError: 'nothing' "
        "(wrong_metric.py, line 17)\n"
    ) == capsys.readouterr().err


@cases(
    "line message",
    ("task check task.yaml a.csv", "the task file is named with --task task.yaml"),
    ("completion tcsh", "bash"),
)
def test_a_wrong_call_is_told(capsys, line, message):
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    assert message in capsys.readouterr().err


@cases(
    "command call message",
    ("gate", "gold.txt a.txt --confidense .9", "--confidense .9; did you mean --confidence?"),
    ("score", "gold.txt a.txt --min f1=0", "--min f1=0"),
    ("score", "gold.txt a.txt --bootstrap 9", "--bootstrap 9; did you mean --resamples?"),
    ("compare", "g.txt a.txt b.txt --group-by x", "--group-by x; did you mean --by?"),
    ("score", "gold.txt a.yaml --nonsense", "--nonsense"),
    ("task check", "--task t.yaml a.csv --fase dev", "--fase dev; did you mean --phase?"),
    ("task check", "--task t.yaml a.csv b.csv", "b.csv"),
)
def test_an_unknown_option_is_told_with_the_nearest_one(capsys, command, call, message):
    with pytest.raises(SystemExit):
        main([*command.split(), *call.split()])
    said = capsys.readouterr().err
    assert said.startswith(f"usage: tallystick {command} ")
    assert said.endswith(f"tallystick {command}: error: unrecognized arguments: {message}\n")


@cases("metric", "true_positives", "F1(average='binary')")
def test_a_metric_of_one_label_among_many_says_how_it_is_named(metric, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("gold,y_pred\na,a\nb,a\nc,c\n")
    assert 2 == main(["score", str(tmp_path / "a.csv"), "-m", metric])
    message = "is meant of 'a', 'b', 'c'; name it, as in F1(positive='c'), or take all of them"
    assert message in capsys.readouterr().err


@cases(
    "name first",
    ("macro_f1", "macro_f1 stands for F1(average='macro', zero_division=0)."),
    ("F1-macro", "F1-macro stands for F1(average='macro', zero_division=0)."),
    ("chrf++", "chrf++ stands for ChrF(word_order=2)."),
    ("F1('micro')", "F1('micro') stands for F1(average='micro')."),
    ("F1(average='macro')", "F1 (f1): F1-Score"),
    ("f1", "F1 (f1): F1-Score"),
    ("auroc", "ROCAUC (roc_auc): ROC-AUC"),
    ("fbeta", "FBeta (fbeta): F-beta"),
)
def test_a_name_is_explained(name, first):
    found = call("metrics", name)
    assert (0, first) == (found.code, found.out.splitlines()[0][: len(first)])


def test_metrics_are_explained_within_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("tallystick.cli.command.Stream.isatty", lambda _: True)
    assert 0 == main(["metrics"])
    assert 60 >= max(map(len, capsys.readouterr().out.splitlines()))


_BASH = """
source {script}
COMP_WORDS=({words}) COMP_CWORD={place}
_shtab_tallystick
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def _write(shell, folder, capsys):
    assert 0 == main(["completion", shell])
    path = folder / f"completion.{shell}"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def _run(shell, script, folder):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, "-c", script], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@cases(
    "words expected",
    ("tallystick sc", ["score"]),
    ("tallystick rank --ba", ["--baseline"]),
    (
        "tallystick rank gold.csv -m macro_",
        ["macro_mae", "macro_precision", "macro_recall", "macro_f1"],
    ),
    ("tallystick metrics ble", ["bleu"]),
    ("tallystick score gol", ["gold.csv"]),
    ("tallystick score --pred-dir out", ["output"]),
    ("tallystick completion z", ["zsh"]),
)
def test_bash_completes_commands_options_metrics_and_files(words, expected, tmp_path, capsys):
    script = _write("bash", tmp_path, capsys)
    (tmp_path / "gold.csv").touch()
    (tmp_path / "output").mkdir()
    (tmp_path / "outlines.txt").touch()
    asked = _BASH.format(script=script, words=words, place=len(words.split()) - 1)
    assert expected == _run("bash", asked, tmp_path)


def test_bash_completes_both_names_of_the_command(tmp_path, capsys):
    script = _write("bash", tmp_path, capsys)
    registered = _run("bash", f"source {script}; complete -p tally tallystick", tmp_path)
    assert 2 == registered.count("_shtab_tallystick")


def test_fish_completes_both_names_of_the_command(tmp_path, capsys):
    script = _write("fish", tmp_path, capsys)
    asked = f'source {script}; complete -C "tally comple"; complete -C "tallystick rank g -m cohen"'
    assert {"completion", "cohen_kappa"} <= set(_run("fish", asked, tmp_path))


def test_zsh_takes_the_script_for_both_names_of_the_command(tmp_path, capsys):
    script = _write("zsh", tmp_path, capsys)
    asked = (
        "autoload -U compinit; compinit -u -D; "
        f'eval "$(cat {script})"; print $_comps[tally] $_comps[tallystick]'
    )
    assert ["_shtab_tallystick", "_shtab_tallystick"] == _run("zsh", asked, tmp_path)

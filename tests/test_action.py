"""The action for GitHub, and the workflows of the documentation: they do what they say."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import tallystick
from cases import cases
from tallystick.cli.parser import build_parser
from tallystick.comparison.gates.checks import read_limits

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
PAGE = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
WORKFLOWS = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
CALLS = re.compile(r"tallystick gate (?:[^\n\\]|\\\n)+")

LABELS = ["a", "b", "a", "b"] * 50


@pytest.fixture
def runner(tmp_path, monkeypatch):
    worse = ["b", *LABELS[1:100], *["a"] * 100]
    for name, own in {"gold": LABELS, "same": LABELS, "worse": worse}.items():
        (tmp_path / f"{name} one.txt").write_text("\n".join(own) + "\n")
    programs = tmp_path / "tallystick" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    call = f'exec "{sys.executable}" -m tallystick "$@"\n'
    (programs / "tallystick").write_text("#!/bin/sh\n" + call)
    (programs / "gh").write_text(
        '#!/bin/sh\nprintf "%s\\n" "$*" >> "$RUNNER_TEMP/calls"\n'
        'case "$*" in *--paginate*) printf "%s" "$FOUND";; esac\n'
    )
    for name in ("tallystick", "gh"):
        (programs / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    # The package that is tested, installed or not.
    monkeypatch.setenv("PYTHONPATH", str(Path(tallystick.__file__).parents[1]))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


def _run(step, **variables):
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", STEPS[step]["run"]],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def _outputs(folder):
    return dict(line.split("=", 1) for line in (folder / "GITHUB_OUTPUT").read_text().splitlines())


@pytest.mark.deep
@cases(
    "new limit code verdict",
    ("same", "0.05", "0", "pass"),
    ("worse", "0.05", "1", "fail"),
    ("same", "0.001", "3", "inconclusive"),
    ("gone", "0.05", "4", "error"),
    ("same", "-1", "2", "error"),
    ("same", "high", "2", "error"),
)
def test_the_step_hands_on_verdict_and_reports(runner, new, limit, code, verdict):
    files = f"'gold one.txt' '{new} one.txt' --against 'old=same one.txt'"
    ended = _run("Gate", ARGUMENTS=f"{files} -m accuracy --max-drop {limit}")
    outputs = _outputs(runner)
    assert 0 == ended.returncode, ended.stderr
    assert [code, verdict] == [outputs["code"], outputs["verdict"]]
    assert Path(outputs["summary"]).read_text().startswith("### ")
    if limit != "high":
        assert verdict == json.loads(Path(outputs["json"]).read_text())["verdict"]
        assert (runner / "GITHUB_STEP_SUMMARY").read_text().startswith("### ")


_PYTHON = """#!/bin/sh
case "$*" in *venv*) exit 0;; esac
printf "%s\\n" "$*" >> "$RUNNER_TEMP/calls"
case "$*" in *"pip wheel"*) mkdir -p "$RUNNER_TEMP/tallystick-wheels"
touch "$RUNNER_TEMP/tallystick-wheels/tallystick-1.whl";; esac
"""


def test_the_wheel_is_built_once_for_each_commit(runner):
    package = runner / "package"
    (package / ".git").mkdir(parents=True)
    keys = []
    for path, text in (("a.py", "1"), (".git/x", "1"), ("a.py", "1"), ("a.py", "2")):
        (package / path).write_text(text)
        (runner / "GITHUB_OUTPUT").unlink(missing_ok=True)
        ended = _run("Find the commit", PACKAGE=str(package))
        assert 0 == ended.returncode, ended.stderr
        keys.append(_outputs(runner)["key"])
    assert keys[0] == keys[1] == keys[2] != keys[3]

    for name in ("python", "python3"):
        (runner / "tallystick" / "bin" / name).unlink(missing_ok=True)
        (runner / "tallystick" / "bin" / name).write_text(_PYTHON)
        (runner / "tallystick" / "bin" / name).chmod(0o755)
    for _ in range(2):
        assert 0 == _run("Install Tallystick", PACKAGE=str(package)).returncode
    calls = [call.split()[2] for call in (runner / "calls").read_text().splitlines()]
    assert ["wheel", "install", "install"] == calls
    cached = STEPS["Cache the wheel"]["with"]
    assert ["${{ runner.temp }}/tallystick-wheels", "${{ steps.commit.outputs.key }}"] == [
        cached["path"],
        cached["key"],
    ]


def test_nothing_in_the_arguments_is_run(runner):
    _run("Gate", ARGUMENTS="gold.txt $(touch harm) `touch harm` ; touch harm")
    assert not (runner / "harm").exists()


@cases(
    "found call",
    ("17\n18\n", "api --silent -X PATCH repos/me/it/issues/comments/17 -F body=@"),
    ("", "api --silent repos/me/it/issues/5/comments -F body=@"),
)
def test_a_comment_is_made_once_and_then_changed(runner, found, call):
    (runner / "gate.md").write_text("### new passes the gate\n" + "é" * 40_000)
    variables = {"NAME": "gate", "NUMBER": "5", "GITHUB_REPOSITORY": "me/it", "FOUND": found}
    ended = _run("Comment", SUMMARY=str(runner / "gate.md"), **variables)
    body = (runner / "gate.md.comment").read_text(encoding="utf-8")
    assert 0 == ended.returncode, ended.stderr
    assert (runner / "calls").read_text().splitlines()[-1].startswith(call)
    assert body.startswith("<!-- tallystick gate -->\n### new passes the gate\n")
    assert len(body.encode()) < 65_536


def test_the_last_step_ends_as_the_gate_did(runner):
    assert [0, 3] == [_run("Verdict", CODE=code).returncode for code in ("0", "3")]


def test_inputs_reach_scripts_as_variables():
    assert [] == [name for name, step in STEPS.items() if "${{" in step.get("run", "")]


def test_every_input_is_used_and_every_output_is_made():
    steps = json.dumps(ACTION["runs"])
    made = re.findall(r'echo "(\w+)=', STEPS["Gate"]["run"])
    assert [] == [name for name in ACTION["inputs"] if f"inputs.{name} " not in steps]
    assert [] == [name for name in ACTION["outputs"] if name not in made]


def test_the_page_has_a_file_of_limits_and_three_workflows():
    assert ["metrics", "jobs", "jobs", "gate"] == [list(one)[-1] for one in WORKFLOWS]


def _list_calls():
    calls = [call.replace("\\\n", " ") for call in CALLS.findall(PAGE)]
    return [shlex.split(call)[1:] for call in calls]


def test_the_file_of_limits_of_the_page_is_understood(tmp_path):
    (tmp_path / "gate.yaml").write_text(yaml.safe_dump(WORKFLOWS[0], sort_keys=False))
    rules = read_limits(str(tmp_path / "gate.yaml")).rules
    assert [("macro_f1", None), ("macro_f1", "sw"), ("accuracy", None)] == list(
        dict.fromkeys((rule.metric, rule.group) for rule in rules)
    )


@cases("arguments", *_list_calls(), ids=" ".join)
def test_the_commands_of_the_page_are_understood(arguments):
    options = build_parser().parse_args(arguments)
    assert options.max_drop or options.limits


def test_the_arguments_of_the_action_are_understood():
    steps = [
        step for one in WORKFLOWS for job in one.get("jobs", {}).values() for step in job["steps"]
    ]
    given = [step["with"]["arguments"] for step in steps if "arguments" in step.get("with", {})]
    assert ["old.csv"] == [
        build_parser().parse_args(["gate", *shlex.split(arguments)]).against for arguments in given
    ]


def test_the_action_of_the_page_has_these_inputs():
    steps = [
        step for one in WORKFLOWS for job in one.get("jobs", {}).values() for step in job["steps"]
    ]
    given = [step["with"] for step in steps if "tallystick@" in step.get("uses", "")]
    assert 1 == len(given)
    assert set() == set(given[0]) - set(ACTION["inputs"])

"""The documentation says what is true."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest

import tallystick
from tallystick.cli import main
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import METRICS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = [*PAGES, *(ROOT / name for name in ("CONTRIBUTING.md", "benchmarks/README.md"))]
COMMANDS = ("score", "tune", "compare", "plan", "rank", "gate")
_CONSOLE = re.compile(r"^```console\n\$ (.+)\n((?:.*\n)*?)```$", re.MULTILINE)
_PASTED = re.compile(r"^```sh\n(tallystick .+)\n```\n\n```text\n((?:.*\n)*?)```$", re.MULTILINE)
_FILE = re.compile(r"^```python\n# (\w+\.py)\n((?:.*\n)*?)```$", re.MULTILINE)
_PYTHON = re.compile(r"^```python\n((?:.*\n)*?)```$", re.MULTILINE)


def _blocks(pattern):
    return [
        pytest.param(*match.groups(), id=f"{page.name}-{place}")
        for page in PAGES
        for place, match in enumerate(pattern.finditer(page.read_text(encoding="utf-8")))
    ]


@pytest.fixture
def demo_data(tmp_path, monkeypatch):
    folder = tmp_path / "demo_data"
    shutil.copytree(str(resources.files("tallystick") / "demo_data"), folder)
    monkeypatch.chdir(folder)
    for page in PAGES:
        for name, code in _FILE.findall(page.read_text(encoding="utf-8")):
            (folder / name).write_text(code, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("command", "output"), _blocks(_CONSOLE) + _blocks(_PASTED))
def test_a_shown_command_prints_what_is_shown(command, output, demo_data, capsys):
    program, *arguments = shlex.split(command)

    assert program == "tallystick"
    assert main(arguments) == 0
    assert output == capsys.readouterr().out


def test_the_reference_is_generated():
    pages = runpy.run_path(str(ROOT / "tools" / "reference.py"))["write_pages"]()

    assert pages == {path: (ROOT / "docs" / path).read_text(encoding="utf-8") for path in pages}


def test_the_picture_shows_what_rank_prints():
    picture = runpy.run_path(str(ROOT / "tools" / "picture.py"))["write_picture"]()

    assert picture == (ROOT / "docs" / "rank.svg").read_text(encoding="utf-8")


def test_the_python_reference_has_every_public_name():
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"auto\w+:: (?:tallystick\.)?(\w+)", page))

    assert set() == set(tallystick.__all__) - listed - {
        "__version__",
        "metrics",
        "results",
        "sklearn",
    }


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.short)
def test_every_metric_is_explained(metric, capsys):
    assert main(["metrics", metric.short]) == 0

    parts = [metric.__name__, "formula", "range", "undefined", "source"]
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line]

    assert parts == [word for word in words if word in parts]


def test_all_metrics_are_listed(capsys):
    main(["metrics"])
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line]

    assert [metric.short for metric in METRICS] == listed[: len(METRICS)]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.parent.name + "/" + page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8"))

    assert [] == [target for target in targets if not (page.parent / target).exists()]


def test_pages_spell_options_as_commands_do(capsys):
    pages = [ROOT / "docs" / f"{name}.md" for name in ("files", "labels", "comparing", "outputs")]
    guide = "".join(page.read_text(encoding="utf-8") for page in pages)
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            main([command, "--help", "all"])
    known = set(re.findall(r"--[a-z][a-z_-]+", capsys.readouterr().out))

    assert set() == set(re.findall(r"`(--[a-z][a-z-]+)", guide)) - known


_OLD_WORDS = re.compile(
    r"\bdraws\b|told apart|tells? \w+ apart|hangs? together|flatter|--draws|--seed\b"
)
"""Words of earlier versions for what the field calls resamples, significance and clusters."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_the_words_of_the_field(page):
    assert [] == _OLD_WORDS.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_uses_the_words_of_the_field(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help", "all"])

    assert [] == _OLD_WORDS.findall(" ".join(capsys.readouterr().out.split()))


def test_contributing_names_files_that_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`([\w/.]+/[\w.]+\.(?:py|cpp|md))`", text))
    roots = (ROOT, ROOT / "src" / "tallystick")

    assert len(paths) > 30
    assert [] == sorted(path for path in paths if not any((root / path).exists() for root in roots))


def test_contributing_lists_the_floors():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    listed = re.findall(r"^    ([a-z_]+(?: \| [a-z_]+)*)  ", text, re.MULTILINE)

    assert contract["layers"] == ["__main__", *listed]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_an_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")

    assert "---" in capsys.readouterr().out


@pytest.mark.usefixtures("demo_data")
def test_the_python_of_the_readme_runs(capsys):
    (code,) = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    exec(compile(code, "README.md", "exec"), {})

    assert "cedar     0.8593" in capsys.readouterr().out


def test_the_python_of_the_quickstart_runs(capsys):
    (code,) = _PYTHON.findall((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    exec(compile(code, "index.md", "exec"), {})

    assert "macro_f1" in capsys.readouterr().out


def test_metrics_with_options_are_those_there_are():
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    named = {one for page in pages for one in re.findall(r'"(\w+\([^"\n]*\))"', page)}

    assert [parse(one) for one in sorted(named - {"Distance()"})]


@pytest.mark.usefixtures("demo_data")
def test_the_python_of_metrics_against_people_runs(capsys):
    (code,) = _PYTHON.findall((ROOT / "docs" / "against-people.md").read_text(encoding="utf-8"))
    exec(compile(code, "against-people.md", "exec"), {})

    assert "learned is significantly better than chrf on acc_eq" in capsys.readouterr().out


def test_demo_shows_every_table(capfd):
    subprocess.run([sys.executable, "-m", "tallystick", "demo"], check=True)
    out = capfd.readouterr().out

    assert 4 == out.count("$ tallystick score")
    assert "micro" in out
    assert "exact_match_ratio" in out
    assert "NTA" in out


def test_the_index_of_metrics_is_generated():
    module = runpy.run_path(str(ROOT / "tools" / "index.py"))["write_index"]()

    assert module == (ROOT / "src/tallystick/kinds/metrics/table.py").read_text(encoding="utf-8")

"""Facts about the documentation: what pages show is what commands print; the demo and workflows."""

import csv
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import resources
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path

import msgspec
import pytest
import yaml

import tallystick
from cases import cases
from invented import write_splits
from tallystick.baselines import predict_tfidf
from tallystick.baselines.splits import Config
from tallystick.cli import main
from tallystick.cli.parser import build_parser
from tallystick.io.config import read_sections
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import METRICS
from tallystick.tasks.task_file import make_schema, read_task

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = [*PAGES, *(ROOT / name for name in ("CONTRIBUTING.md", "benchmarks/README.md"))]
_SPELLED = ("files", "labels", "comparing", "outputs", "gates", "papers")
COMMANDS = ("score", "tune", "compare", "plan", "rank", "gate")
_CONSOLE = re.compile(r"^```console\n\$ (.+)\n((?:.*\n)*?)```$", re.MULTILINE)
_PASTED = re.compile(r"^```sh\n(tallystick .+)\n```\n\n```text\n((?:.*\n)*?)```$", re.MULTILINE)
_FILE = re.compile(r"^```python\n# (\w+\.py)\n((?:.*\n)*?)```$", re.MULTILINE)
_SHOWN = re.compile(r"^(?: {4}|\$ )?(tallystick (?:[^\n\\]|\\\n)+)$", re.MULTILINE)
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


@cases("command output", *_blocks(_CONSOLE) + _blocks(_PASTED))
def test_a_shown_command_prints_what_is_shown(command, output, demo_data, capsys):
    program, *arguments = shlex.split(command)
    assert program == "tallystick"
    assert main(arguments) == 0
    assert output == capsys.readouterr().out


def test_the_reference_is_generated():
    pages = runpy.run_path(str(ROOT / "tools" / "reference.py"))["write_pages"]()
    assert pages == {path: (ROOT / "docs" / path).read_text(encoding="utf-8") for path in pages}


def test_the_reference_lists_every_option_task_key_and_metric_once():
    assert [] == runpy.run_path(str(ROOT / "tools" / "reference.py"))["find_mistakes"]()


def test_unusual_words_do_not_spread():
    words = runpy.run_path(str(ROOT / "tools" / "words.py"))
    counts = {folder: words["count_words"](folder).total() for folder in words["MOST"]}
    assert [] == [folder for folder, most in words["MOST"].items() if counts[folder] > most]


def test_the_picture_shows_what_rank_prints():
    picture = runpy.run_path(str(ROOT / "tools" / "picture.py"))["write_picture"]()
    assert picture == (ROOT / "docs" / "rank.svg").read_text(encoding="utf-8")


def test_the_python_reference_has_every_public_name():
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"(?:auto\w+|py:class):: (?:tallystick\.)?(\w+)", page))
    assert set() == set(tallystick.__all__) - listed - {
        "__version__",
        "metrics",
        "results",
        "sklearn",
    }


@cases("metric", *METRICS, ids=lambda metric: metric.short)
def test_every_metric_is_explained(metric, capsys):
    assert main(["metrics", metric.short]) == 0
    parts = [metric.__name__, "formula", "range", "undefined", "source"]
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line]
    assert parts == [word for word in words if word in parts]


@cases("page", *WRITTEN, ids=lambda page: page.parent.name + "/" + page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [] == [target for target in targets if not (page.parent / target).exists()]


def test_pages_spell_options_as_commands_do(capsys):
    pages = [ROOT / "docs" / f"{name}.md" for name in _SPELLED]
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


@cases("page", *PAGES, ids=lambda page: page.name)
def test_pages_use_the_words_of_the_field(page):
    assert [] == _OLD_WORDS.findall(page.read_text(encoding="utf-8"))


@cases("command", *COMMANDS)
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
    listed = re.findall(r"^    ([a-z_]+(?: [|:] [a-z_]+)*)  ", text, re.MULTILINE)
    assert contract["layers"] == listed


@cases("path", *sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_an_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert "---" in capsys.readouterr().out


@pytest.mark.usefixtures("demo_data")
def test_the_python_of_the_readme_runs(capsys):
    (code,) = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    exec(compile(code, "README.md", "exec"), {})
    assert "cedar      0.859" in capsys.readouterr().out


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


PAGE = (ROOT / "docs" / "task-file.md").read_text(encoding="utf-8")


def _list_choices(one):
    return next((kind["enum"] for kind in (one, *one.get("anyOf", ())) if "enum" in kind), ())


@cases("name", *make_schema()["$defs"])
def test_every_key_is_documented(name):
    record = make_schema()["$defs"][name]
    rows = ["| key | what it says | example |", "|---|---|---|"]
    for key, one in record["properties"].items():
        example = yaml.safe_dump(
            {key: one["examples"][0]}, default_flow_style=True, width=1 << 30
        ).strip()[1:-1]
        needed = " (needed)" if key in record.get("required", ()) else ""
        choices = ", ".join(f"`{value}`" for value in _list_choices(one))
        message = f"{one['description']}: {choices}" if choices else one["description"]
        rows.append(f"| `{key}`{needed} | {message} | `{example.replace('|', chr(92) + '|')}` |")
    assert "\n".join(rows) in PAGE


def test_the_task_of_the_page_can_be_read(tmp_path):
    (tmp_path / "task.yaml").write_text(PAGE.partition("```yaml\n")[2].partition("```")[0])
    task = read_task(str(tmp_path / "task.yaml"))
    assert (["track1", "track2"], ["development", "test"]) == ([*task.tracks], [*task.phases])


def test_the_schema_takes_what_can_be_read():
    text = (ROOT / "examples" / "shared_task" / "task.yaml").read_text()
    keys = {key for one in make_schema()["$defs"].values() for key in one["properties"]}
    found = msgspec.to_builtins(yaml.safe_load(text))
    assert {"tracks", "phases", "limits", "baselines", "title"} == set(found)
    assert {key for track in found["tracks"].values() for key in track} <= keys


TUTORIAL = (Path(__file__).parents[1] / "docs" / "baselines.md").read_text(encoding="utf-8")
COMMANDS_BASELINES = re.findall(r"^(?: {4})?tallystick (.+)$", TUTORIAL, re.MULTILINE)


def find_blocks(kind):
    return re.findall(rf"^```{kind}\n((?:.*\n)*?)```$", TUTORIAL, re.MULTILINE)


@pytest.mark.usefixtures("demo_data")
@cases("page", *PAGES, ids=lambda page: page.stem)
def test_shown_commands_are_understood(page):
    for command in _SHOWN.findall(page.read_text(encoding="utf-8")):
        one = re.split(r" {2,}| [>#&] ?", re.sub(r"\\\n *", "", command))[0]
        assert callable(build_parser().parse_args(shlex.split(one)[1:]).run)


def test_four_commands_make_both_baselines():
    assert [
        ["baseline", "tfidf"],
        ["score", "--pred-dir"],
        ["baseline", "detoxify"],
        ["score", "--pred-dir"],
    ] == [command.split()[:2] for command in COMMANDS_BASELINES[:4]]


def test_the_table_is_what_the_commands_print(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "output").symlink_to(shared / "data" / "toxicity" / "predictions")
    assert 0 == main(shlex.split(COMMANDS_BASELINES[1]))
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
    def predict(splits, output):
        predict_tfidf(splits, output, run_tag="detoxify")

    monkeypatch.setattr(tallystick.baselines, "predict_detoxify", predict)
    monkeypatch.chdir(tmp_path)
    write_splits(tmp_path / "splits", ("es", "it", "tr"))
    (tmp_path / "stopwords").mkdir()
    for language in ("es", "it", "tr"):
        (tmp_path / "stopwords" / f"{language}.txt").write_text("the\n")
    load, make = find_blocks("py")
    names = {}
    for code in (make, load):
        exec(compile(code, "baselines.md", "exec"), names)
    assert (1,) == names["toxic"].shape
    assert 2 == capsys.readouterr().out.count("Confusion matrix")


KINDS = (
    *("labels", "probabilities", "texts", "numbers", "spans", "tries", "ratings", "rankings"),
    *("preferences", "trees"),
)
_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n)*)", re.MULTILINE)
_BLOCK = re.compile(r"^```text\n((?:.*\n)*?)```$", re.MULTILINE)
_STEP = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def list_sections():
    for path in sorted((Path(__file__).parents[1] / "docs").glob("*.md")):
        for name, text in _SECTION.findall(path.read_text(encoding="utf-8")):
            steps = _STEP.findall("".join(_BLOCK.findall(text)))
            if any(command.startswith("tallystick") for command, _ in steps):
                yield pytest.param(steps, id=f"{path.stem}: {name}")


@cases("steps", *list_sections())
def test_commands_print_what_is_shown_of_the_files_shown(steps, folder, capsys):
    shown, printed = [], []
    for command, below in steps:
        program, *arguments = shlex.split(command)
        if program == "cat":
            Path(arguments[0]).write_text(below, encoding="utf-8")
            continue
        assert program == "tallystick"
        assert main(arguments) == 0
        shown.append(below)
        printed.append(capsys.readouterr().out)
    assert shown == printed


@cases("kind", *KINDS)
def test_the_page_of_a_kind_shows_its_files(kind):
    assert any(one.id.startswith(f"{kind}: ") for one in list_sections())


TOOL = runpy.run_path(str(ROOT / "tools" / "figures.py"))


def list_words(path):
    return re.findall(r">([^<>]+)</t(?:ext|span)>", path.read_text(encoding="utf-8"))


def test_every_picture_has_its_command():
    assert sorted(TOOL["list_commands"]()) == sorted(
        path.name for path in (ROOT / "docs" / "figures").iterdir()
    )


def test_the_pictures_show_what_their_commands_draw(tmp_path):
    TOOL["draw_figures"](tmp_path)
    for path in tmp_path.iterdir():
        assert list_words(path) == list_words(ROOT / "docs" / "figures" / path.name)


DATA = files("tallystick") / "demo_data"
WORKFLOWS = Path(__file__).parents[1] / ".github" / "workflows"
LANGUAGES = ("de", "en", "es", "tr")


def read_rows(name):
    return list(csv.DictReader(StringIO((DATA / name).read_text(encoding="utf-8"))))


def read_detector(language):
    return read_rows(f"toxicity/detector_{language}.csv")


def read_verdicts(name):
    return (DATA / "verdicts" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def read_workflow(name):
    return yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))


def test_demo_data_are_small():
    with as_file(DATA) as folder:
        sizes = [path.stat().st_size for path in folder.rglob("*.*")]
    assert sum(sizes) < 64_000


@cases("language", *LANGUAGES)
def test_detector_predicts_from_threshold_on(language):
    rows = read_detector(language)
    expected = [str(int(float(row["y_prob"]) >= float(row["best_threshold"]))) for row in rows]
    assert expected == [row["y_pred"] for row in rows]


@cases("language", *LANGUAGES)
def test_detector_meets_threshold_once(language):
    rows = read_detector(language)
    meeting = [row for row in rows if float(row["y_prob"]) == float(row["best_threshold"])]
    assert ["1"] == [row["y_pred"] for row in meeting]


@cases("mark", ",", '"', "\n")
@cases("language", *LANGUAGES)
def test_detector_texts_need_quoting(language, mark):
    assert any(mark in row["text"] for row in read_detector(language))


def test_one_table_holds_all_verdicts():
    content = (DATA / "verdicts" / "all.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in content.splitlines()]
    assert [f"v-{number:03d}" for number in range(1, 121)] == [row["id"] for row in rows]
    for name in ("gold", "model", "majority"):
        assert read_verdicts(name) == [row[name] for row in rows]


@cases("name jobs", ("ci.yml", ["check"]), ("wheels.yml", ["wheels", "sdist", "publish"]))
def test_workflow_jobs(name, jobs):
    assert jobs == list(read_workflow(name)["jobs"])


def test_ci_runs_the_checks():
    steps = read_workflow("ci.yml")["jobs"]["check"]["steps"]
    assert [".ci/run"] == [step["run"] for step in steps if "run" in step]


def test_publish_alone_may_write():
    jobs = read_workflow("wheels.yml")["jobs"]
    expected = {"publish": "startsWith(github.ref, 'refs/tags/v')"}
    assert expected == {name: job.get("if") for name, job in jobs.items() if "permissions" in job}


@cases("name", "ci.yml", "wheels.yml")
def test_workflow_reads_by_default(name):
    assert {"contents": "read"} == read_workflow(name)["permissions"]

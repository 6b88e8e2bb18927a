"""The public names of the package, and what starting it and the command loads."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tallystick
from cases import cases
from tallystick.metrics import METRICS

PUBLIC = [
    *("Columns", "Counter", "Data", "InputError", "Intervals", "Kind", "Metric", "Predictions"),
    *("Style", "Tally", "TallystickError", "Task", "Testing", "UsageError", "__version__"),
    *("baselines", "compare", "count", "edits", "gate", "load", "metrics", "plan", "rank", "read"),
    *("results", "score", "score_run", "sklearn", "tune_threshold"),
]
NAMES = [metric.__name__ for metric in METRICS]


def test_all_lists_the_public_names():
    assert PUBLIC == sorted(tallystick.__all__)


@cases("name", *tallystick.__all__)
def test_public_name_exists(name):
    assert hasattr(tallystick, name)


@cases("metric", *METRICS, ids=NAMES)
def test_metric_is_reachable(metric):
    assert metric is getattr(tallystick.metrics, metric.__name__)


@cases("name", "Sccore", "metric", "run")
def test_other_names_do_not_exist(name):
    with pytest.raises(AttributeError, match=name):
        getattr(tallystick, name)


@cases("name", *[name for name in PUBLIC if name != "__version__"])
def test_public_name_is_documented(name):
    assert inspect.getdoc(getattr(tallystick, name))


HEAVY = {
    *("dask", "distributed", "msgspec", "pandas", "polars", "pyarrow", "rich", "scipy", "sklearn"),
    "yaml",
}
NOT_FOR_CSV = {
    *("dask", "distributed", "pandas", "polars", "pyarrow.dataset", "pyarrow.parquet", "rich"),
    *("scipy", "sklearn", "yaml"),
}
OWN = {"tallystick", "__main__", "_distutils_hack", "sitecustomize"}
"""What is there before a command is run."""
LIST_MODULES = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"


def list_modules(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{LIST_MODULES}"],
        check=True,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(Path(tallystick.__file__).parents[1])},
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture(scope="module")
def csv_modules(tmp_path_factory):
    path = tmp_path_factory.mktemp("imports") / "predictions.csv"
    path.write_text("id,y_true,y_prob\na,1,0.9\nb,0,0.2\nc,1,0.4\n")
    return list_modules(f"from tallystick.cli import main; main(['score', {str(path)!r}])")


def test_package_loads_nothing_heavy():
    assert set() == HEAVY & list_modules("import tallystick")


def test_records_load_no_writers():
    modules = list_modules("from tallystick.results import Score")
    assert [] == [name for name in modules if name.startswith("tallystick.output.tables")]


@cases("name", *tallystick.__all__, "Alignment", "Counted", "edits", "open_run", "rank_tracks")
def test_public_names_are_where_the_package_looks_for_them(name):
    assert getattr(tallystick, name) is not None


def test_version_loads_no_numpy():
    modules = list_modules("from tallystick.cli import main; main(['--version'])")
    assert set() == (HEAVY | {"numpy"}) & modules


def test_help_loads_no_numpy():
    code = "from tallystick.cli.parser import build_parser; build_parser().format_help()"
    assert {"msgspec"} == (HEAVY | {"numpy"}) & list_modules(code)


LIBRARIES = {"numpy", "pyarrow", "msgspec", "cloudpickle", "cython_runtime", "typing_extensions"}
"""Arrow, NumPy and msgspec, and what they load themselves."""
BUDGET = {
    "--version": (6, set()),
    "--help": (9, set()),
    "score labels.txt labels.txt -m f1": (158, LIBRARIES),
    "score texts.txt texts.txt -m bleu": (173, LIBRARIES),
    "rank labels.txt labels.txt -m accuracy": (197, LIBRARIES),
}
"""How many modules of its own a command may load, and which packages of others."""


@cases("command", *BUDGET)
def test_commands_load_few_modules(folder, command):
    (folder / "labels.txt").write_text("a\nb\n" * 20)
    (folder / "texts.txt").write_text("the cat sat on the mat\na dog ran\n" * 20)
    code = f"from tallystick.cli import main; main({command.split()!r})"
    modules = list_modules(f"try:\n    {code}\nexcept SystemExit:\n    pass")
    own = [name for name in modules if name.partition(".")[0] == "tallystick"]
    others = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - OWN
    most, packages = BUDGET[command]
    assert len(own) <= most, len(own)
    assert "numpy.ma" not in modules  # np.unique and np.quantile load it: 20 ms of 250
    assert set() == {name for name in others - packages if not name.startswith("_cython_")}


@cases(
    "name content",
    ("labels.csv", "id,label,pred\na,x,y\nb,y,y\n"),
    ("labels.jsonl", '{"n": 1, "label": "x", "pred": "y"}\n{"label": "y", "pred": "y"}\n'),
    ("labels.json", '[{"label": "x", "pred": "y"}, {"label": "y", "pred": "y"}]'),
)
def test_small_files_load_no_kernels_of_columns(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    path = str(tmp_path / name)
    modules = list_modules(f"from tallystick.cli import main; main(['score', {path!r}])")
    assert "pyarrow" in modules
    assert "pyarrow.compute" not in modules


def test_scoring_a_csv_loads_pyarrow(csv_modules):
    assert "pyarrow.csv" in csv_modules


@cases("module", *sorted(NOT_FOR_CSV))
def test_scoring_a_csv_loads_no_more_than_it_needs(csv_modules, module):
    assert module not in csv_modules


@cases(
    "name rows",
    ("labels.csv", "id,label\na,red\nb,blue\nc,red\n"),
    ("texts.txt", "the cat sat on the mat\na dog ran\n"),
    ("texts.jsonl", '{"id": 1, "reference": "a b"}\n{"id": 2, "reference": "c d"}\n'),
    ("sets.jsonl", '{"id": 1, "label": ["x", "y"]}\n{"id": 2, "label": []}\n'),
)
def test_scoring_files_loads_no_pandas(tmp_path, name, rows):
    gold, own = tmp_path / f"gold-{name}", tmp_path / f"own-{name}"
    gold.write_text(rows)
    own.write_text(rows.replace("reference", "hypothesis"))
    code = (
        f"from tallystick.cli import main; assert main(['score', {str(gold)!r}, {str(own)!r}]) == 0"
    )
    modules = list_modules(code)
    assert "pyarrow" in modules
    assert "pandas" not in modules

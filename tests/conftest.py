"""What all tests share: shared data, settings of property tests, and which tests run when."""

import gc
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any
from zlib import crc32

import hypothesis
import pytest

from tallystick.cli import main
from tallystick.distributed import cluster
from tallystick.distributed import count as engine_count
from tallystick.distributed.jobs import Engine, Here

hypothesis.settings.register_profile("tallystick", deadline=None, derandomize=True, max_examples=30)
hypothesis.settings.load_profile("tallystick")


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = Path(os.environ.get("TALLYSTICK_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared data in {folder}; TALLYSTICK_SHARED can name another folder")
    return folder


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=tmp_path_factory.getbasetemp()) as folder:
        yield Path(folder)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session", autouse=True)
def _temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs a command that ends with this code, and returns what it printed."""

    def call(*words: str, code: int = 0) -> Any:
        assert code == (main([*words]) or 0)
        return capsys.readouterr()

    return call


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    from tallystick.output.figures import drawing

    monkeypatch.setattr(drawing, "_draw", lambda spec: f"<svg>{escape(json.dumps(spec))}</svg>")


@pytest.fixture(scope="session")
def workers() -> Iterator[Engine]:
    engine = cluster.start(2)
    close = engine.close
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "close", lambda: None)
        yield engine
    close()


@pytest.fixture
def shared_workers(monkeypatch: pytest.MonkeyPatch, workers: Engine) -> None:
    for module in (cluster, engine_count):
        monkeypatch.setattr(module, "start", lambda number: Here() if number == 1 else workers)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    if config.option.capture == "no" or _names_tests(config):
        return 0
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.markexpr or _names_tests(config):
        return
    late = {item for item in items if item.get_closest_marker("peers")} | _find_rest(items)
    config.hook.pytest_deselected(items=[item for item in items if item in late])
    items[:] = [item for item in items if item not in late]


def _names_tests(config: pytest.Config) -> bool:
    return any("::" in argument for argument in config.args)


def _find_rest(items: list[pytest.Item]) -> set[pytest.Item]:
    tests = defaultdict(list)
    for item in items:
        if item.get_closest_marker("deep"):
            tests[item.nodeid.partition("[")[0]].append(item)
    rest = set()
    for cases in tests.values():
        ranks = {item: crc32(item.name.encode()) for item in cases}
        cases.sort(key=ranks.__getitem__)
        few = [item for item in cases if ranks[item] % 5]
        rest |= set(few if len(cases) < 5 else cases[(len(cases) + 4) // 5 :])
    return rest

"""A plugin of pytest: measures which lines each test executes, and how long it takes.

The variables MEASURED and MEASURED_INTO name the folder of the package and the file for the
results, of which each process writes its own, with a number behind the name.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

_SECONDS: dict[str, float] = {}
_FAILED: set[str] = set()
_MEASURING = coverage.Coverage(
    data_file=os.environ["MEASURED_INTO"], data_suffix=True, source=[os.environ["MEASURED"]]
)


def pytest_configure() -> None:
    """Starts before any test is imported."""
    _MEASURING.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Tells coverage which test runs, fixtures included."""
    _MEASURING.switch_context(item.nodeid)
    began = time.perf_counter()
    result = yield
    _SECONDS[item.nodeid] = time.perf_counter() - began
    _MEASURING.switch_context("")
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remembers which tests do not pass."""
    if not report.passed:
        _FAILED.add(report.nodeid)


def pytest_unconfigure() -> None:
    """Saves what was measured; tests that did not pass have no time."""
    _MEASURING.stop()
    _MEASURING.save()
    passed = {test: took for test, took in _SECONDS.items() if test not in _FAILED}
    path = Path(f"{os.environ['MEASURED_INTO']}.{os.getpid()}.json")
    path.write_text(json.dumps(passed), encoding="utf-8")

"""Which tests run when: a fifth of the deep cases always, and all tests that are asked for."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from conftest import pytest_collection_modifyitems, pytest_xdist_auto_num_workers

NAMES = {"plain": 7, "deep": 12, "peers": 3}


@dataclass(frozen=True)
class Case:
    """A case of a test, as pytest collects it."""

    name: str
    marker: str

    @property
    def nodeid(self) -> str:
        """Its file and its name."""
        return f"tests/test_x.py::{self.name}"

    def get_closest_marker(self, name: str) -> bool:
        """Whether it is marked so."""
        return name == self.marker


def select(markers: str = "", *arguments: str) -> dict[str, set[str]]:
    items = [
        Case(f"{name}[{case}]", name) for name, count in NAMES.items() for case in range(count)
    ]
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    option = SimpleNamespace(markexpr=markers, capture="fd")
    pytest_collection_modifyitems(SimpleNamespace(option=option, args=arguments, hook=hook), items)
    return {name: {one.name for one in items if one.name.startswith(name)} for name in NAMES}


def test_the_names_of_deep_cases_decide_which_always_run():
    found = select()

    assert {"deep[0]", "deep[2]", "deep[3]"} == found["deep"]
    assert [7, 0] == [len(found["plain"]), len(found["peers"])]


def test_a_fifth_of_the_deep_tests_with_few_cases_always_runs():
    items = [Case(f"test_{number}", "deep") for number in range(1000)]
    config = SimpleNamespace(
        option=SimpleNamespace(markexpr="", capture="fd"),
        args=(),
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )
    pytest_collection_modifyitems(config, items)

    assert pytest.approx(200, abs=40) == len(items)


@pytest.mark.parametrize("asked", [("deep",), ("", "tests/test_x.py::deep")])
def test_what_is_asked_for_runs_as_a_whole(asked):
    assert list(NAMES.values()) == [len(cases) for cases in select(*asked).values()]


@pytest.mark.parametrize(
    ("capture", "argument", "alone"),
    [("fd", "tests/test_x.py", False), ("no", "", True), ("fd", "tests/test_x.py::deep", True)],
)
def test_single_tests_run_where_they_can_be_debugged(capture, argument, alone):
    config = SimpleNamespace(option=SimpleNamespace(capture=capture), args=[argument])

    assert alone == (0 == pytest_xdist_auto_num_workers(config))

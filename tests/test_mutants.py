"""The mutations by which tools/mutations.py tries the tests."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "tools"))

from mutants import find_mutant, find_statement, list_mutants

SOURCE = b'''"""Says 1 + 1."""

__all__ = ["half"]


def half(number: "int", *, up: bool = True) -> int:
    """Returns number / 2."""
    if number < 0 and up:
        raise ValueError("below" + "0")
    return (
        number  # not *
        // 2
    )
'''


def test_operators_comparisons_and_constants_are_changed():
    assert [("True", "False"), ("<", "<="), ("0", "1"), ("and", "or"), ("//", "/"), ("2", "3")] == [
        (one.old, one.new) for one in list_mutants("half.py", SOURCE)
    ]


@pytest.mark.parametrize("place", range(6))
def test_a_mutant_is_found_again_in_a_file_that_has_changed(tmp_path, place):
    mutant = list_mutants("half.py", SOURCE)[place]
    moved = SOURCE.replace(b"\n\n\n", b"\n\n\nONE = 1\n\n\n", 1)
    (tmp_path / "halves.py").write_bytes(moved)
    found = find_mutant(mutant, tmp_path)

    assert found is not None
    assert ("halves.py", mutant.line + 3) == (found.file, found.line)


def test_a_line_belongs_to_its_statement():
    assert [range(8, 9), range(10, 14), range(0)] == [
        find_statement(SOURCE, line) for line in (8, 12, 6)
    ]

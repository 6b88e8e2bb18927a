"""Counts how many small changes of the code the tests find.

    python tools/mutations.py --tests tests --mutants mutants.json --map map

draws a hundred mutations of operators, comparisons and constants from what computes numbers, and
runs for each, in a copy of the package, the tests that execute the changed line, the quickest
first. What no test executes counts as not found. Needs coverage, and the extra test.

The mutants are kept, and taken again where the file exists. A mutant is known by its file, the
text of its line and which of the equal lines it is, so that another suite (--tests other/tests,
with another --map) can be held against the same mutants, also where the code has changed a little.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from coverage import CoverageData
from mutants import Mutant, find_mutant, find_statement, list_mutants

SOURCE = Path(__file__).parents[1] / "src" / "tallystick"
FOLDERS = ("comparison", "kinds", "model", "scoring", "statistics")
USUAL = ["--no-header", "-q", "-p", "no:cacheprovider"]


def main() -> None:
    """Draws mutants, or takes those that were saved, and tells which of them are found."""
    options = parse()
    if not options.mutants.exists():
        drawn = draw(options.number, options.seed)
        options.mutants.parent.mkdir(parents=True, exist_ok=True)
        options.mutants.write_text(json.dumps([asdict(one) for one in drawn], indent=1))
    mutants = [Mutant(**one) for one in json.loads(options.mutants.read_text())]
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "tallystick")
        shutil.copytree(SOURCE, package)
        if not options.map.exists():
            measure(package, options.tests, options.map)
        executed = Executed.read(options.map)
        found = [try_out(mutant, package, options.tests, executed) for mutant in mutants]
    print(f"{found.count(True)} found, {found.count(False)} not found, {found.count(None)} gone")


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--tests", type=Path, default=SOURCE.parents[1] / "tests")
    parser.add_argument("--mutants", type=Path, required=True, help="the file that keeps them")
    parser.add_argument("--map", type=Path, required=True, help="the folder of who executes what")
    parser.add_argument("--number", type=int, default=100, help="how many are drawn (100)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def draw(number: int, seed: int) -> list[Mutant]:
    """Draws mutants from all that the code allows."""
    every = [
        mutant
        for folder in FOLDERS
        for path in sorted((SOURCE / folder).rglob("*.py"))
        for mutant in list_mutants(path.relative_to(SOURCE).as_posix(), path.read_bytes())
    ]
    return sorted(random.Random(seed).sample(every, number), key=lambda one: (one.file, one.start))


@dataclass(frozen=True, slots=True)
class Executed:
    """Which tests execute which lines.

    Attributes:
        lines: What coverage measured.
        seconds: How long each test takes that passes.
    """

    lines: CoverageData
    seconds: dict[str, float]

    @classmethod
    def read(cls, folder: Path) -> "Executed":
        """Reads what `measure` wrote."""
        lines = CoverageData(str(folder / "coverage"))
        lines.read()
        return cls(lines, json.loads((folder / "seconds.json").read_text()))

    def choose(self, mutant: Mutant) -> list[str]:
        """Returns the tests that execute a mutant, the quickest first.

        What runs when a module is imported belongs to the tests that execute any line of it, or to
        all where there are none.
        """
        statement = find_statement((SOURCE / mutant.file).read_bytes(), mutant.line)
        tests = self._list_tests(mutant.file)
        found = tests.get(mutant.line) or set().union(*(tests.get(one, ()) for one in statement))
        if not statement:
            found = set().union(*tests.values()) & self.seconds.keys() or {*self.seconds}
        return sorted(found & self.seconds.keys(), key=lambda test: (self.seconds[test], test))

    def _list_tests(self, file: str) -> dict[int, set[str]]:
        for path in self.lines.measured_files():
            if path.endswith(f"/tallystick/{file}"):
                lines = self.lines.contexts_by_lineno(path)
                return {line: set(contexts) for line, contexts in lines.items()}
        return {}


def measure(package: Path, tests: Path, target: Path) -> None:
    """Runs the tests that always run, and writes to a folder which of them execute what."""
    with tempfile.TemporaryDirectory() as folder:
        named = {"MEASURED": str(package), "MEASURED_INTO": f"{folder}/measured"}
        run_tests(package, tests, ["-p", "coverage_by_test"], named)
        seconds: dict[str, float] = {}
        target.mkdir(parents=True)
        lines = CoverageData(str(target / "coverage"))
        for path in sorted(Path(folder).iterdir()):
            if path.suffix == ".json":
                seconds |= json.loads(path.read_text())
            else:
                part = CoverageData(str(path))
                part.read()
                lines.update(part)
    lines.close()
    (target / "seconds.json").write_text(json.dumps(seconds))
    print(f"{len(seconds)} tests pass, in {sum(seconds.values()):.0f} s", flush=True)


def try_out(mutant: Mutant, package: Path, tests: Path, executed: Executed) -> bool | None:
    """Tells whether a test fails with a mutant; None where its line is gone."""
    here = find_mutant(mutant, SOURCE)
    if here is None:
        print(f"{mutant.file}: {mutant.text!r}: gone", flush=True)
        return None
    path = package / here.file
    source = path.read_bytes()
    chosen = executed.choose(here)
    while chosen:
        path.write_bytes(here.apply(source))
        failed = find_failure(package, tests, chosen, executed.seconds)
        path.write_bytes(source)
        if failed not in chosen or not find_failure(package, tests, [failed], executed.seconds):
            break
        chosen.remove(failed)  # it fails without the mutant too, where it runs among these tests
    verdict = f"found by {failed}" if chosen and failed else f"not found by {len(chosen)} tests"
    print(f"{here.file}:{here.line}: {here.old!r} -> {here.new!r}: {verdict}", flush=True)
    return verdict.startswith("found")


def find_failure(
    package: Path, tests: Path, chosen: Sequence[str], seconds: dict[str, float]
) -> str | None:
    """Runs tests until one fails, and returns its name; a name for itself has what never ends."""
    limit = 120 + 5 * sum(seconds[test] for test in chosen)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(chosen))
        names.flush()
        words = ["-x", "-rfE", "-o", "addopts=--import-mode=importlib", f"@{names.name}"]
        try:
            said = run_tests(package, tests, words, {}, limit)
        except subprocess.TimeoutExpired:
            return f"taking more than {limit:.0f} s"
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
    return failed[1] if failed else None


def run_tests(
    package: Path,
    tests: Path,
    words: Sequence[str],
    named: dict[str, str],
    limit: float | None = None,
) -> str:
    """Runs pytest in the folder of the tests' project, on a copy of the package."""
    paths = [str(package.parent), str(Path(__file__).parent)]
    own = {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(package.parent / "hypothesis"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *USUAL, *words],
        cwd=tests.resolve().parent,
        env=os.environ | own | named,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=limit,
        check=False,
    )
    return done.stdout


if __name__ == "__main__":
    main()

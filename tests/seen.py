"""All that participants get from a shared task, for tests that compare it under two golds."""

import contextlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from faults import call
from tallystick.errors import InputError
from tallystick.tasks.bundles.codabench import bundle_codabench, bundle_codalab
from tallystick.tasks.bundles.evalai import bundle_evalai, bundle_tira
from tallystick.tasks.bundles.reference import make_kit, make_reference, pack
from tallystick.tasks.bundles.single_table import (
    bundle_hugging_face,
    bundle_kaggle,
    compute_scores,
    make_solution,
    score_frames,
)
from tallystick.tasks.task_file import read_task

TIME = (1_700_000_000, 1_700_000_000)
_BUNDLES = (bundle_codabench, bundle_codalab, bundle_evalai, bundle_tira)
_TABLES = (bundle_kaggle, bundle_hugging_face)
_PRIVATE = ("reference", "annotations/", "remote/", "solution.csv", "Final/truths/")
"""What members of bundles are called that hold gold, which platforms keep from participants."""


def lay_out(
    folder: Path, keys: str, said: Mapping[str, str], gold: str, ending: str, more: str = ""
) -> list[Path]:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "entries").mkdir(parents=True)
    (folder / f"gold.{ending}").write_text(gold)
    (folder / "task.yaml").write_text(f"tracks: {{t: {{gold: gold.{ending}, {keys}}}}}\n{more}")
    paths = [folder / "entries" / f"{team}.{ending}" for team in said]
    for path, content in zip(paths, said.values(), strict=True):
        path.write_text(content)
        os.utime(path, TIME)
    return paths


def check(folder: Path, said: Path) -> dict[str, str]:
    task = folder / "task.yaml"
    more = ((), ("--format", "json"))
    return {f"check {one}": str(call("task", "check", said, "--task", task, *one)) for one in more}


def run(
    folder: Path, said: Path, platforms: Sequence[str] = ("codabench", "codalab", "evalai", "tira")
) -> dict[str, str]:
    task = read_task(str(folder / "task.yaml"))
    reference = make_reference(task, "Final", task)
    place = folder / "platform"
    shutil.rmtree(place, ignore_errors=True)
    for name, content in reference.items():
        (place / "in/ref" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "in/ref" / name).write_bytes(content)
    (place / "in/res").mkdir()
    shutil.copy(said, place / "in/res" / f"t{said.suffix}")
    (place / "reference.zip").write_bytes(pack(reference))
    given = {
        "codabench": (place / "in", place / "codabench"),
        "codalab": (place / "in", place / "codalab"),
        "evalai": (place / "reference.zip", said),
        "tira": (place, place / "in/res", place / "tira"),
    }
    (place / "tira").mkdir()
    codes = {name: str(call("task", "run", name, *given[name])) for name in platforms}
    return codes | {name: text for one in platforms for name, text in list_files(place / one)}


def list_files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.*")):
        yield f"{folder.name}/{path.relative_to(folder)}", path.read_text()


def run_tables(folder: Path, said: Path) -> dict[str, str]:
    solution = make_solution(read_task(str(folder / "task.yaml")), "split", "public", "private")
    (folder / "solution.csv").write_bytes(solution.table)
    gold, own = pd.read_csv(folder / "solution.csv", dtype=str), pd.read_csv(said, dtype=str)
    sides = [gold[gold["split"] == side].drop(columns="split") for side in ("public", "private")]
    found = {
        f"kaggle {at}": _tell(
            lambda rows=rows: score_frames(
                solution.task, rows, own[own["id"].isin(rows["id"])], "id"
            )
        )
        for at, rows in enumerate(sides)
    }
    paths = (str(folder / "solution.csv"), str(said))
    return {**found, "hf": _tell(lambda: compute_scores(solution.task, *paths))}


def _tell(call_platform: Callable[[], object]) -> str:
    with contextlib.redirect_stderr(io.StringIO()) as log:
        try:
            return json.dumps(call_platform()) + log.getvalue()
        except InputError as error:
            return f"error: {error}{log.getvalue()}"


def open_board(folder: Path, *more: str) -> dict[str, str]:
    site = folder / "site"
    task = ("--task", folder / "task.yaml", "--resamples", "200")
    message = call("task", "board", folder / "entries", *task, "-o", site, *more)
    pages = dict(list_files(site))
    assert len(pages) > 3, message
    return pages


def list_public(folder: Path, *, tables: bool) -> dict[str, str]:
    task = read_task(str(folder / "task.yaml"))
    found = {"kit": str(sorted(make_kit(task).items()))}
    for make in (*_BUNDLES, *(_TABLES if tables else ())):
        with zipfile.ZipFile(io.BytesIO(make(task))) as bundle:
            for name in bundle.namelist():
                if not name.startswith(_PRIVATE):
                    found[f"{make.__name__} {name}"] = str(bundle.read(name))
    return found

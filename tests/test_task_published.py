"""What participants see of scores is no function of the gold but by the scores themselves."""

import json
import os
import shutil
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from faults import call
from tallystick.io.tasks import read_task
from tallystick.tasks.bundles.archive import pack
from tallystick.tasks.bundles.evalai import evaluate
from tallystick.tasks.bundles.kit import make_kit
from tallystick.tasks.bundles.reference import make_reference
from tallystick.tasks.bundles.solution import judge_table

TIME = (1_700_000_000, 1_700_000_000)
ROWS = range(12)
LABELS = "labels: [a, b, c, d]"
SPAN = '[{{"start": {}, "end": {}, "label": "PER"}}]'


def join(head: str, values: list[str]) -> str:
    """A table of ids and what stands beside them."""
    return "\n".join((f"id,{head}", *(f"e{at:02},{one}" for at, one in enumerate(values)))) + "\n"


def join_lines(name: str, values: list[str]) -> str:
    """The same as JSON Lines."""
    return "".join(f'{{"id": "e{at:02}", "{name}": {one}}}\n' for at, one in enumerate(values))


SAID = [*"aaaabbaabaaa"]
ODD = [*"aabcaabbaada"]
SPREAD = [f"{(2 * at + 1) / 24}" for at in ROWS]
POSITIVE = [*"aabaabbababb"]
WORDS = [f"the cat number {at} sat" for at in ROWS]

PAIRS: Mapping[str, tuple[str, str, tuple[str, str]]] = {
    "other wrong labels": (
        f"metrics: [accuracy], {LABELS}",
        join("label", SAID),
        (join("label", ODD), join("label", [*"aabdaabbaaca"])),
    ),
    "labels under each other's name": (
        f"metrics: [macro_f1, mcc], {LABELS}",
        join("label", SAID),
        (join("label", [*"aabcaabbaaad"]), join("label", [*"aabdaabbaaac"])),
    ),
    "labels that the task does not name": (
        "metrics: [accuracy], task: multiclass, invalid: wrong",
        join("label", [*SAID[:-2], "c", "x"]),
        (join("label", ODD), join("label", [*"aabcaabbaadx"[:-1], "z"])),
    ),
    "a string of its own for each id": (
        f"metrics: [accuracy], {LABELS}, invalid: class",
        join("label", [f"own{at}" for at in ROWS]),
        (join("label", ODD), join("label", [*"ddddccbbaaaa"])),
    ),
    "a group for each id": (
        f"metrics: [accuracy], {LABELS}, by: [lang]",
        join("label", SAID),
        (
            join("label,lang", [f"{one},g{at // 3}" for at, one in enumerate("aabcaabbaada")]),
            join("label,lang", [f"{one},g{at // 3}" for at, one in enumerate("aabdaabbaaca")]),
        ),
    ),
    "a probability for each id": (
        "metrics: [roc_auc], task: binary, labels: [a, b], positive: b",
        join("y_prob", SPREAD),
        (join("label", POSITIVE), join("label", ["ab"[one == "a"] for one in POSITIVE[::-1]])),
    ),
    "label sets": (
        "metrics: [exact_match_ratio], task: multilabel, labels: [a, b, c], "
        "columns: {delimiter: '|'}",
        join("label", ["a", "b", "a|b", *["c"] * 9]),
        (join("label", [*["a"] * 3, *["c"] * 9]), join("label", ["a", "a|b", "b", *["c"] * 9])),
    ),
    "equal references": (
        "metrics: [chrf], task: text",
        join("hypothesis", WORDS),
        (
            join("reference", [*WORDS[:-2], "qqqqq qqqq", "qqqqq qqqq"]),
            join("reference", [*WORDS[:-2], "qqqqq qqqq", "zzzzz zzzz"]),
        ),
    ),
    "numbers on another scale": (
        "metrics: [pearson]",
        join("score", [f"{at * 7 % 12}" for at in ROWS]),
        (
            join("gold", [f"{at * 5 % 11}" for at in ROWS]),
            join("gold", [f"{2 * (at * 5 % 11) + 1}" for at in ROWS]),
        ),
    ),
    "spans elsewhere": (
        "metrics: [span_f1]",
        join_lines("spans", [SPAN.format(0, 3)] * 12),
        (
            join_lines("spans", [*[SPAN.format(0, 3)] * 8, *[SPAN.format(5, 9)] * 4]),
            join_lines("spans", [*[SPAN.format(0, 3)] * 8, *[SPAN.format(7, 9)] * 4]),
        ),
    ),
}
"""The keys of a track, a submission, and two golds of equal scores, intervals and n."""


def lay_out(folder: Path, keys: str, said: str, gold: str, more: str = "") -> str:
    """Writes a task of one track, its gold and a submission; returns the submission's path."""
    ending = "jsonl" if gold.startswith("{") else "csv"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "entries").mkdir(parents=True)
    (folder / f"gold.{ending}").write_text(gold)
    (folder / "task.yaml").write_text(f"tracks: {{t: {{gold: gold.{ending}, {keys}}}}}\n{more}")
    path = folder / "entries" / f"team.{ending}"
    path.write_text(said)
    os.utime(path, TIME)
    return str(path)


def run(folder: Path, said: str) -> dict[str, str]:
    """What a submission's team gets from `task run`, in files and on the terminal."""
    task = read_task(str(folder / "task.yaml"))
    reference = make_reference(task, "Final", task)
    for name, content in reference.items():
        (folder / "in/ref" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in/ref" / name).write_bytes(content)
    (folder / "in/res").mkdir()
    shutil.copy(said, folder / "in/res" / f"t{Path(said).suffix}")
    (folder / "out").mkdir()
    outcome = call("task", "run", "codabench", folder / "in", folder / "out")
    (folder / "reference.zip").write_bytes(pack(reference))
    found = evaluate(str(folder / "reference.zip"), said)
    written = {path.name: path.read_text() for path in (folder / "out").iterdir()}
    return {"code": str(outcome), "evalai": json.dumps(found), **written}


def see(folder: Path, said: str) -> dict[str, str]:
    """All that participants get from check, run, board and the starting kit."""
    task = folder / "task.yaml"
    checked = [call("task", "check", said, "--task", task, *more) for more in ((), FORMAT)]
    call("task", "board", folder / "entries", "--task", task, "-o", folder / "site")
    kit = make_kit(read_task(str(task)))
    pages = {str(path): path.read_text() for path in sorted((folder / "site").rglob("*.*"))}
    assert len(pages) > 3
    return {"check": str(checked), **run(folder, said), **pages, "kit": str(sorted(kit.items()))}


FORMAT = ("--format", "json")


@pytest.mark.parametrize("name", PAIRS)
def test_golds_of_equal_scores_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    """Where scores, intervals and n are equal, so is everything that participants get."""
    keys, said, golds = PAIRS[name]
    seen = [see(tmp_path / "t", lay_out(tmp_path / "t", keys, said, gold)) for gold in golds]
    if "not name" in name:  # a kit names the labels of the gold where the task does not
        seen = [{**one, "kit": ""} for one in seen]
    assert '"t":' in seen[0][str(tmp_path / "t/site/board.json")].partition("scores")[2]
    assert seen[0] == seen[1]


THIEVES: Mapping[str, tuple[str, str, list[str]]] = {
    "a probability for each id": (
        "metrics: [roc_auc], task: binary, labels: [a, b], positive: b",
        "y_prob",
        [".1", ".4", ".9"],
    ),
    "a string for each id": (
        "metrics: [macro_f1], labels: [a, b, c], invalid: class",
        "label",
        [*"xyz"],
    ),
    "one id alone": ("metrics: [accuracy], labels: [a, b]", "label", [*"baa"]),
    "a length for each id": ("metrics: [chrf], task: text", "hypothesis", ["a", "a a", "a a a"]),
    "a label set for each id": (
        "metrics: [macro_f1], task: multilabel, labels: [a, b], columns: {delimiter: '|'}",
        "label",
        ["a", "b", "a|b"],
    ),
}


@pytest.mark.parametrize("name", THIEVES)
def test_thief_learns_scores_alone(tmp_path: Path, name: str) -> None:
    """Submissions that isolate ids tell golds apart only where scores, intervals or n differ."""
    keys, head, said = THIEVES[name]
    seen: dict[str, set[str]] = {}
    for gold in product("ab", repeat=3):
        path = lay_out(
            tmp_path / "t",
            keys,
            join(head, said),
            join("reference" if head == "hypothesis" else "label", [*gold]),
        )
        found = run(tmp_path / "t", path)
        seen.setdefault(found["scores.json"], set()).add(str(found))
    assert dict.fromkeys(seen, 1) == {scores: len(own) for scores, own in seen.items()}


def test_scores_in_json_are_rounded_as_on_the_page(tmp_path: Path) -> None:
    """Scores have four decimals and the ends of their intervals three, on any platform."""
    keys, said, (gold, _) = PAIRS["labels under each other's name"]
    path = lay_out(tmp_path / "t", keys, said, gold)
    found = run(tmp_path / "t", path)
    scores = json.loads(found["scores.json"])
    ends = [value for key, value in scores.items() if key.endswith(("_low", "_high"))]
    assert [round(one, 3) for one in ends] == ends
    numbers = [*scores.values()]
    numbers += json.loads(found["evalai"])["result"][0]["1-t"].values()
    task = (tmp_path / "t/task.yaml").read_text().replace("gold.csv", "solution.csv")
    kaggle = judge_table(task, gold, said)
    numbers += [one.value for one in kaggle.columns]
    assert [round(one, 4) for one in numbers] == numbers


def test_details_are_counts_in_steps_of_the_minimum(tmp_path: Path) -> None:
    """The organiser may publish confusion matrices, in which no cell tells a single example."""
    keys, said, (gold, _) = PAIRS["other wrong labels"]
    page = {}
    for minimum in (1, 4, 40):
        more = f"details: {{minimum: {minimum}}}\n"
        path = lay_out(tmp_path / "t", keys, said, gold, more)
        found = run(tmp_path / "t", path)["detailed_results.html"]
        counts = json.loads(found.partition('"confusions":')[2].partition(',"curves"')[0])
        page[minimum] = [one["counts"] for one in counts]
    assert [[[4, 3, 0, 0], [3, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]] == [
        [[*row] for row in one] for one in page[1]
    ]
    assert ([[[4]]], []) == (page[4], page[40])

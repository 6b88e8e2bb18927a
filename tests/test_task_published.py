"""What participants see of scores is no function of the gold but by the scores themselves."""

import json
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest

import seen
from tallystick.tasks.bundles.evalai import evaluate
from tallystick.tasks.bundles.kit import make_kit
from tallystick.tasks.bundles.single_table import judge_table
from tallystick.tasks.task_file import read_task

pytestmark = pytest.mark.usefixtures("sketched")
ROWS = range(12)
LABELS = "labels: [a, b, c, d]"
SPAN = '[{{"start": {}, "end": {}, "label": "PER"}}]'


def join(head: str, values: list[str]) -> str:
    return "\n".join((f"id,{head}", *(f"e{at:02},{one}" for at, one in enumerate(values)))) + "\n"


def join_lines(name: str, values: list[str]) -> str:
    return "".join(f'{{"id": "e{at:02}", "{name}": {one}}}\n' for at, one in enumerate(values))


SAID = [*"aaaabbaabaaa"]
ODD = [*"aabcaabbaada"]
SPREAD = [f"{(2 * at + 1) / 24}" for at in ROWS]
POSITIVE = [*"aabaabbababb"]
WORDS = [f"the cat number {at} sat" for at in ROWS]

PAIRS: Mapping[str, tuple[str, str, list[str], str, Sequence[list[str]]]] = {
    "other wrong labels": (f"metrics: [accuracy], {LABELS}",
        "label", SAID, "label", (ODD, [*"aabdaabbaaca"])),
    "labels under each other's name": (f"metrics: [macro_f1, mcc], {LABELS}",
        "label", SAID, "label", ([*"aabcaabbaaad"], [*"aabdaabbaaac"])),
    "labels that the task does not name": ("metrics: [accuracy], task: multiclass, invalid: wrong",
        "label", [*SAID[:-2], "c", "x"], "label", (ODD, [*"aabcaabbaadx"[:-1], "z"])),
    "a string of its own for each id": (f"metrics: [accuracy], {LABELS}, invalid: class",
        "label", [f"own{at}" for at in ROWS], "label", (ODD, [*"ddddccbbaaaa"])),
    "a group for each id": (f"metrics: [accuracy], {LABELS}, by: [lang]",
        "label", SAID,
        "label,lang", ([f"{one},g{at // 3}" for at, one in enumerate("aabcaabbaada")],
         [f"{one},g{at // 3}" for at, one in enumerate("aabdaabbaaca")])),
    "a probability for each id": ("metrics: [roc_auc], task: binary, labels: [a, b], positive: b",
        "y_prob", SPREAD, "label", (POSITIVE, ["ab"[one == "a"] for one in POSITIVE[::-1]])),
    "label sets": (
        "metrics: [exact_match_ratio], task: multilabel, labels: [a, b, c], "
        "columns: {delimiter: '|'}",
        "label", ["a", "b", "a|b", *["c"] * 9],
        "label", ([*["a"] * 3, *["c"] * 9], ["a", "a|b", "b", *["c"] * 9])),
    "equal references": ("metrics: [chrf], task: text",
        "hypothesis", WORDS,
        "reference", ([*WORDS[:-2], "qqqqq qqqq", "qqqqq qqqq"],
         [*WORDS[:-2], "qqqqq qqqq", "zzzzz zzzz"])),
    "numbers on another scale": ("metrics: [pearson]",
        "score", [f"{at * 7 % 12}" for at in ROWS],
        "gold", ([f"{at * 5 % 11}" for at in ROWS], [f"{2 * (at * 5 % 11) + 1}" for at in ROWS])),
    "spans elsewhere": ("metrics: [span_f1]",
        "spans", [SPAN.format(0, 3)] * 12,
        "spans", ([*[SPAN.format(0, 3)] * 8, *[SPAN.format(5, 9)] * 4],
         [*[SPAN.format(0, 3)] * 8, *[SPAN.format(7, 9)] * 4])),
}  # fmt: skip
"""As the thieves below; the golds are whole, and have equal scores, intervals and n."""


def spell(name: str) -> tuple[str, str, list[str]]:
    keys, own, said, head, golds = PAIRS[name]
    form = join_lines if own == "spans" else join
    return keys, form(own, said), [form(head, gold) for gold in golds]


def lay_out(folder: Path, keys: str, said: str, gold: str, more: str = "") -> Path:
    ending = "jsonl" if gold.startswith("{") else "csv"
    (path,) = seen.lay_out(folder, keys, {"team": said}, gold, ending, more)
    return path


def see(folder: Path, said: Path) -> dict[str, str]:
    public = seen.list_public(folder, tables=False) | seen.open_board(folder)
    return {**seen.check(folder, said), **seen.run(folder, said), **public}


@pytest.mark.deep
@pytest.mark.parametrize("name", PAIRS)
def test_golds_of_equal_scores_give_the_same_bytes(tmp_path, name):
    keys, said, golds = spell(name)
    found = [see(tmp_path / "t", lay_out(tmp_path / "t", keys, said, gold)) for gold in golds]
    assert '"t":' in found[0]["site/board.json"].partition("scores")[2]
    assert found[0] == found[1]


SURE = tuple(f'{{"a": {one}, "b": {1 - one}}}' for one in (0, 1))
"""Soft labels of an example whose annotators agree."""
SHARES = [f'{{"a": {one}, "b": {1 - one}}}' for one in (0.125, 0.5, 0.75)]
BINARY = "task: binary, labels: [a, b], positive: b"

THIEVES: Mapping[str, tuple[str, str, list[str], str, Sequence[str]]] = {
    "a probability for each id": (f"metrics: [roc_auc], {BINARY}",
        "y_prob", [".1", ".4", ".9"], "label", "ab"),
    "probabilities of labels for each id": ("metrics: [macro_f1, accuracy], labels: [a, b]",
        "prob_a,prob_b", [".1,.9", ".4,.6", ".8,.2"], "label", "ab"),
    "a string for each id": ("metrics: [macro_f1], labels: [a, b, c], invalid: class",
        "label", [*"xyz"], "label", "ab"),
    "a wrong string for each id": ("metrics: [accuracy], task: multiclass, invalid: wrong",
        "label", [*"ayz"], "label", "ab"),
    "a label for each id": ("metrics: [accuracy], task: multiclass",
        "label", [*"abd"], "label", "ab"),
    "one id alone": ("metrics: [accuracy], labels: [a, b]", "label", [*"baa"], "label", "ab"),
    "labels that a task does not name": ("metrics: [accuracy]", "label", [*"aab"], "label", "ab"),
    "an empty output": (
        "metrics: [accuracy], labels: [a, b], missing_outputs: wrong, invalid: wrong",
        "label", ["a", "", "q"], "label", "ab"),
    "a group for some ids": ("metrics: [accuracy], labels: [a, b], by: [lang]",
        "label", [*"aab"], "label,lang", ("a,x", "b,x")),
    "other groups": ("metrics: [accuracy], labels: [a, b], by: [lang]",
        "label", [*"aab"], "label,lang", ("a,x", "b,y")),
    "a length for one id": ("metrics: [chrf], task: text",
        "hypothesis", ["a", "a a", "a"], "reference", "ab"),
    "a text for each id": ("metrics: [exact_match], task: text",
        "hypothesis", [*"abc"], "reference", "ab"),
    "a label set for each id": (
        "metrics: [macro_f1], task: multilabel, labels: [a, b], columns: {delimiter: '|'}",
        "label", ["a", "b", "a|b"], "label", "ab"),
    "a number for each id": ("metrics: [mae]", "score", [*"123"], "score", "12"),
    "an order of ids": ("metrics: [spearman]", "score", [*"123"], "score", "12"),
    "a soft label for each id": ("metrics: [manhattan], labels: [a, b]",
        "y_pred", SHARES, "soft_label", SURE),
    "soft labels that a task does not name": ("metrics: [manhattan]",
        "y_pred", SHARES, "soft_label", SURE),
    "a type of span for each id": ("metrics: [span_f1]",
        "spans", [SPAN.format(0, 3).replace("PER", one) for one in ("X", "Y", "PER")],
        "spans", (SPAN.format(0, 3), SPAN.format(0, 3).replace("PER", "LOC"))),
    "a place of a span for each id": ("metrics: [span_f1]",
        "spans", [SPAN.format(0, 3), SPAN.format(1, 4), "[]"],
        "spans", (SPAN.format(0, 3), SPAN.format(1, 4))),
    "tags of each id": ("metrics: [span_f1]",
        "ner", ['["B-X", "O"]', '["O", "B-PER"]', '["O", "O"]'],
        "ner", ('["O", "B-PER"]', '["B-PER", "O"]')),
    "tries of each id": ("metrics: ['pass@1', 'pass@2']",
        "output", [*"abc", *"aca"], "answer", "ab"),
}  # fmt: skip
"""The keys of a track, the column and the outputs of a submission, and the gold's."""


@pytest.mark.deep
@pytest.mark.parametrize("name", THIEVES)
def test_thief_learns_scores_alone(tmp_path, name):
    keys, own, said, head, answers = THIEVES[name]
    found: dict[str, list[dict[str, str]]] = {}
    for gold in product(answers, repeat=3):
        path = lay_out(tmp_path / "t", keys, write(own, said), write(head, [*gold]))
        run = seen.run(tmp_path / "t", path, ("codabench",)) | seen.check(tmp_path / "t", path)
        run |= seen.open_board(tmp_path / "t") | {
            "kit": str(make_kit(read_task(str(tmp_path / "t/task.yaml"))))
        }
        found.setdefault(run.get("codabench/scores.json", ""), []).append(run)
    assert len(found) < 8
    assert found == {scores: len(own) * [own[0]] for scores, own in found.items()}


def write(head: str, values: list[str]) -> str:
    if values[0].startswith(("{", "[")):
        return join_lines(head, values)
    rows = (f"e{at % 3:02},{one}\n" for at, one in enumerate(values))
    return f"id,{head}\n{''.join(rows)}"


def test_scores_in_json_are_rounded_as_on_the_page(tmp_path):
    keys, said, (gold, _) = spell("labels under each other's name")
    path = lay_out(tmp_path / "t", keys, said, gold)
    found = seen.run(tmp_path / "t", path, ("codabench",))
    scores = json.loads(found["codabench/scores.json"])
    ends = [value for key, value in scores.items() if key.endswith(("_low", "_high"))]
    assert [round(one, 3) for one in ends] == ends
    numbers = [*scores.values()]
    report = evaluate(str(tmp_path / "t/platform/reference.zip"), str(path))
    numbers += report["result"][0]["1-t"].values()
    task = (tmp_path / "t/task.yaml").read_text().replace("gold.csv", "solution.csv")
    kaggle = judge_table(task, gold, said)
    numbers += [one.value for one in kaggle.columns]
    assert [round(one, 4) for one in numbers] == numbers


def test_details_are_counts_in_steps_of_the_minimum(tmp_path):
    keys, said, (gold, _) = spell("other wrong labels")
    page = {}
    for minimum in (1, 4, 40):
        more = f"details: {{minimum: {minimum}}}\n"
        path = lay_out(tmp_path / "t", keys, said, gold, more)
        run = seen.run(tmp_path / "t", path, ("codabench",))
        found = run["codabench/detailed_results.html"]
        counts = json.loads(found.partition('"confusions":')[2].partition(',"curves"')[0])
        page[minimum] = [one["counts"] for one in counts]
    assert [[[4, 3, 0, 0], [3, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]] == [
        [[*row] for row in one] for one in page[1]
    ]
    assert ([[[4]]], []) == (page[4], page[40])

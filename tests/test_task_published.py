"""What participants see of scores is no function of the gold but by the scores they may see."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from zlib import crc32

import pytest

import seen
from tallystick.tasks.bundles.evalai import evaluate
from tallystick.tasks.bundles.reference import make_kit
from tallystick.tasks.bundles.single_table import judge_table
from tallystick.tasks.task_file import read_task

pytestmark = pytest.mark.usefixtures("sketched")
ROWS = range(12)
LABELS = "labels: [a, b, c, d]"
SPAN = '[{{"start": {}, "end": {}, "label": "PER"}}]'


def join(head, values):
    return "\n".join((f"id,{head}", *(f"e{at:02},{one}" for at, one in enumerate(values)))) + "\n"


def join_lines(name, values):
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


def spell(name):
    keys, own, said, head, golds = PAIRS[name]
    form = join_lines if own == "spans" else join
    return keys, form(own, said), [form(head, gold) for gold in golds]


def lay_out(folder, keys, said, gold, more=""):
    ending = "jsonl" if gold.startswith("{") else "csv"
    (path,) = seen.lay_out(folder, keys, {"team": said}, gold, ending, more)
    return path


def see(folder, said):
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


def write(head, values):
    if values[0].startswith(("{", "[")):
        return join_lines(head, values)
    rows = (f"e{at % 3:02},{one}\n" for at, one in enumerate(values))
    return f"id,{head}\n{''.join(rows)}"


def test_scores_in_json_are_rounded_as_on_the_page(tmp_path):
    keys, said, (gold, _) = spell("labels under each other's name")
    path = lay_out(tmp_path / "t", keys, said, gold)
    scores = json.loads(seen.run(tmp_path / "t", path, ("codabench",))["codabench/scores.json"])
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
        path = lay_out(tmp_path / "t", keys, said, gold, f"details: {{minimum: {minimum}}}\n")
        found = seen.run(tmp_path / "t", path, ("codabench",))["codabench/detailed_results.html"]
        counts = json.loads(found.partition('"confusions":')[2].partition(',"curves"')[0])
        page[minimum] = [one["counts"] for one in counts]
    assert [[[4, 3, 0, 0], [3, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]] == [
        [[*row] for row in one] for one in page[1]
    ]
    assert ([[[4]]], []) == (page[4], page[40])


LAW_ROWS = 30
LAW_WORDS = ("the cat sat", "the dog sat", "a mat", "one two three four five")


@dataclass(frozen=True)
class Kind:
    """A kind of track: keys, columns, and what gold and outputs of an example may be."""

    keys: str
    gold: str
    own: str
    golds: Sequence[str]
    outputs: Sequence[str]
    ending: str = "csv"
    tries: int = 1


def spans(*found):
    return json.dumps([dict(zip(("start", "end", "label"), one, strict=True)) for one in found])


NAMED = "labels: [a, b, c]"
SPANS = (spans(), spans((0, 3, "PER")), spans((0, 3, "LOC")), spans((0, 3, "PER"), (5, 9, "LOC")))
LAW_SHARES = tuple(json.dumps({"a": one, "b": 1 - one}) for one in (0.0, 0.25, 0.5, 1.0))
TAGS = tuple(json.dumps(one) for one in (["B-X", "O", "O"], ["O", "B-Y", "I-Y"], ["O", "O", "O"]))
VOTES = tuple(json.dumps(one) for one in (["a", "a", "b"], ["b", "b", "b"], ["a", "b", "b"]))
SETS = ("a", "b", "a|b", "a|c", "c")
BITS = ("0,1,0", "1,1,0", "0,0,1")
PROBABILITIES = (".5,.25,.25", ".1,.8,.1", ".2,.2,.6")
KINDS: Mapping[str, Kind] = {
    "labels": Kind(f"metrics: [macro_f1, accuracy, mcc], {NAMED}", "label", "label", "abc", "abc"),
    "labels of the gold": Kind("metrics: [accuracy]", "label", "label", "abc", "abcd"),
    "invalid labels": Kind(f"metrics: [macro_f1], {NAMED}, invalid: class, missing_outputs: wrong",
        "label", "label", "abc", ("a", "b", "x", "y", "")),
    "probabilities": Kind(
        "metrics: [roc_auc, f1, log_loss], task: binary, labels: [a, b], positive: b",
        "label",
        "y_prob",
        "ab",
        (".1", ".4", ".9"),
    ),
    "probabilities of labels": Kind(f"metrics: [log_loss, macro_f1], {NAMED}", "label",
        "prob_a,prob_b,prob_c", "abc", PROBABILITIES),
    "sets": Kind(f"metrics: [macro_f1, exact_match_ratio], task: multilabel, {NAMED}, "
        "columns: {delimiter: '|'}", "label", "label", SETS, SETS),
    "sets in columns": Kind("metrics: [micro_f1], task: multilabel", "a,b,c", "a,b,c", BITS, BITS),
    "texts": Kind("metrics: [chrf, bleu], task: text", "reference", "hypothesis", LAW_WORDS,
        LAW_WORDS),
    "lines of texts": Kind("metrics: [chrf], task: text", "", "", LAW_WORDS, LAW_WORDS, "txt"),
    "lines of labels": Kind(f"metrics: [macro_f1], {NAMED}", "", "", "abc", "abc", "txt"),
    "numbers": Kind("metrics: [pearson, mae]", "score", "score", "1235", "1246"),
    "soft labels": Kind("metrics: [manhattan], labels: [a, b]", "soft_label", "y_pred", LAW_SHARES,
        LAW_SHARES, "jsonl"),
    "votes": Kind("metrics: [manhattan], labels: [a, b]", "annotations", "y_pred", VOTES,
        LAW_SHARES, "jsonl"),
    "spans": Kind("metrics: [span_f1]", "spans", "spans", SPANS, SPANS, "jsonl"),
    "tags": Kind("metrics: [span_f1]", "ner", "ner", TAGS, TAGS, "jsonl"),
    "tries": Kind("metrics: ['pass@1', 'pass@2']", "answer", "output", "abc", "abc", tries=2),
}  # fmt: skip
GROUPED = {
    f"{name} in groups": name for name in ("labels", "probabilities", "texts", "numbers", "spans")
}


@dataclass(frozen=True)
class Drawn:
    """A task that was drawn; its second gold deals answers again among equal outputs."""

    keys: str
    ending: str
    golds: tuple[str, str]
    said: Mapping[str, str]


def draw(name, seed, teams=1, *, sided=False):
    kind, chance = KINDS[GROUPED.get(name, name)], random.Random(f"{name} {seed}")
    grouped = name in GROUPED
    keys = f"{kind.keys}, by: [lang]" if grouped else kind.keys
    groups = [chance.choice(("de", "en")) if grouped else "" for _ in range(LAW_ROWS)]
    gold = [chance.choice(kind.golds) for _ in range(LAW_ROWS)]
    size = 5 if teams > 1 else 1  # the outputs of several teams are equal on some examples
    said = {
        f"team{at}": [
            output
            for _ in range(LAW_ROWS // size)
            for output in [tuple(chance.choice(kind.outputs) for _ in range(kind.tries))] * size
        ]
        for at in range(teams)
    }
    sides = [sided and crc32(b"e%02d" % at) / 2**32 < 0.3 for at in range(LAW_ROWS)]
    classes: dict[object, list[int]] = {}
    for at, one in enumerate(zip(groups, sides, *said.values(), strict=True)):
        classes.setdefault(one, []).append(at)
    dealt = [*gold]
    for own in classes.values():
        for old, new in zip(own, chance.sample(own, len(own)), strict=True):
            dealt[new] = gold[old]
    more = {"lang": groups} if grouped else {}
    golds = [write_law(kind, kind.gold, [(one,) for one in own], more) for own in (gold, dealt)]
    sent = {team: write_law(kind, kind.own, own, {}) for team, own in said.items()}
    return Drawn(keys, kind.ending, (golds[0], golds[1]), sent)


def write_law(kind, head, rows, more):
    cells = [(f"e{at:02}", one, at) for at, own in enumerate(rows) for one in own]
    if not head:
        return "".join(f"{one}\n" for _, one, _ in cells)
    if kind.ending == "jsonl":
        beside = "".join(f', "{name}": "{{{name}}}"' for name in more)
        spelled = (
            (id, one, beside.format(**{name: own[at] for name, own in more.items()}))
            for id, one, at in cells
        )
        return "".join(f'{{"id": "{id}", "{head}": {one}{rest}}}\n' for id, one, rest in spelled)
    lines = [",".join(("id", head, *more))]
    lines += [",".join((id, one, *(own[at] for own in more.values()))) for id, one, at in cells]
    return "\n".join(lines) + "\n"


SEVERAL = ("labels", "labels in groups", "sets", "texts", "numbers", "spans")
CASES = [(name, 1) for name in (*KINDS, *GROUPED)] + [(name, 3) for name in SEVERAL]


def look(folder, paths):
    found = seen.list_public(folder, tables=False) | seen.open_board(folder)
    for path in paths:
        own = seen.run(folder, path) | seen.check(folder, path)
        found |= {f"{path.stem} {name}": one for name, one in own.items()}
    return found


@pytest.mark.deep
@pytest.mark.parametrize(("name", "teams"), CASES)
def test_golds_of_equal_scores_look_the_same(tmp_path, name, teams):
    drawn, found = draw(name, 1, teams), []
    for gold in drawn.golds:
        paths = seen.lay_out(tmp_path / "t", drawn.keys, drawn.said, gold, drawn.ending)
        found.append(look(tmp_path / "t", paths))
    assert {f"team{at} codabench/scores.json" for at in range(teams)} <= {*found[0]}
    assert drawn.golds[0] != drawn.golds[1]
    assert found[0] == found[1]


TABLES = ("labels", "probabilities", "sets", "texts", "numbers")


@pytest.mark.parametrize("name", TABLES)
def test_platforms_of_tables_tell_no_more_than_scores(tmp_path, name):
    drawn, found = draw(name, 1, sided=True), []
    for gold in drawn.golds:
        (path,) = seen.lay_out(tmp_path / "t", drawn.keys, drawn.said, gold, drawn.ending)
        found.append(seen.run_tables(tmp_path / "t", path))
    assert drawn.golds[0] != drawn.golds[1]
    assert found[0] == found[1]

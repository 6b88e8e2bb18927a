"""A shared task of every kind of gold, from the file that `task init` writes to each platform."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.tasks.bundles.judging import judge
from tallystick.tasks.bundles.reference import list_phases, make_kit, make_reference
from tallystick.tasks.bundles.single_table import judge_sides, make_solution
from tallystick.tasks.checking import examine_submission
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.selftest import run_selftest
from tallystick.tasks.starting import write_start
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import SharedTask, read_task

ROWS = 12
_SOURCE = random.Random(3)
WORDS = "the cat sat on a mat and saw how one dog ran past the open door to the garden"
"""Words of texts."""


@dataclass(frozen=True)
class Case:
    """Gold of one kind, a valid submission of other values, and what is expected."""

    ending: str
    gold: Mapping[str, Sequence[Any]] | str
    own: Mapping[str, Sequence[Any]] | str
    task: str | None
    metric: str
    metrics: str = ""


@dataclass(frozen=True)
class Started:
    """A task that was started from its gold, and the path of a submission."""

    case: Case
    task: SharedTask
    own: str


def cycle(*values):
    return [values[row % len(values)] for row in range(ROWS)]


def spell(values):
    return [json.dumps(value) for value in values]


def text(size=9):
    return " ".join(_SOURCE.choice(WORDS.split()) for _ in range(size))


TEXTS = [text() for _ in range(ROWS)]
LABELS = cycle("joy", "fear", "anger", "joy")
OTHERS = cycle("joy", "fear", "joy", "anger", "anger")
PAIR = cycle("yes", "no", "no", "no")
SETS = cycle(["sport"], [], ["food", "travel"], ["sport", "food"], ["travel"])
OTHER_SETS = cycle(["sport"], ["food"], ["food", "travel"])
NUMBERS = [round(_SOURCE.uniform(0, 5), 2) for _ in range(ROWS)]
SHARES = cycle({"no": 0.25, "yes": 0.75}, {"no": 1.0, "yes": 0.0}, {"no": 0.5, "yes": 0.5})
VOTES = cycle(["no", "yes", "yes"], ["no", "no", "no"])
SPANS = cycle([[0, 3, "PER"]], [], [{"start": 4, "end": 7, "label": "LOC"}])
OTHER_SPANS = cycle([[0, 3, "PER"]], [[4, 7, "LOC"]])
CHARACTERS = cycle([5, 6, 7], [], [0, 1, 2, 3, 4, 10, 11, 12])
TAGS = cycle(["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["O"])
OTHER_TAGS = cycle(["B-PER", "O", "O"], ["O", "B-LOC"], ["O"])


def conll(rows):
    return "\n".join("".join(f"w{at} NN {tag}\n" for at, tag in enumerate(row)) for row in rows)


def parse(relations):
    rows = (
        f"1\tcat\t_\tNOUN\t_\t_\t2\t{relations[row]}\t_\t_\n"
        f"2-3\tsat{row}\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tsits\t_\tVERB\t_\t_\t0\troot\t_\t_\n3\tdown\t_\tADV\t_\t_\t2\tadvmod\t_\t_\n"
        for row in range(ROWS)
    )
    return "\n".join(rows)


LABELLED = ("multiclass", "macro_f1")
LABEL_SETS = ("multilabel", "macro_f1")
TEXTUAL = ("text", "chrf")
NUMERIC = (None, "pearson")
SOFT = (None, "manhattan")
SPANNED = ("spans", "span_f1")
CASES = {
    "lines of labels": Case("txt", "\n".join(LABELS), "\n".join(OTHERS), *LABELLED),
    "binary": Case("csv", {"label": PAIR}, {"y_pred": PAIR[::-1]}, "binary", "f1"),
    "multiclass": Case("csv", {"emotion": LABELS}, {"emotion": OTHERS}, *LABELLED),
    "multiclass beside others": Case("tsv",
        {"text": TEXTS, "emotion": LABELS, "lang": cycle("de", "en")},
        {"text": TEXTS, "emotion": OTHERS, "lang": cycle("de", "en")}, *LABELLED),
    "lists of labels": Case("jsonl", {"labels": SETS}, {"y_pred": OTHER_SETS}, *LABEL_SETS),
    "lists of labels of another name": Case("jsonl", {"themes": SETS}, {"themes": OTHER_SETS},
        *LABEL_SETS),
    "lists of labels in text": Case("csv", {"themes": spell(SETS)}, {"themes": spell(OTHER_SETS)},
        *LABEL_SETS),
    "columns of labels": Case(
        "csv",
        {name: [int(name in one) for one in SETS] for name in ("sport", "food", "travel")},
        {name: [int(name in one) for one in OTHER_SETS] for name in ("sport", "food", "travel")},
        *LABEL_SETS,
    ),
    **{
        f"labels with {mark}": Case(
            "tsv",
            {"themes": [mark.join(one) for one in SETS]},
            {"themes": [mark.join(one) for one in OTHER_SETS]},
            *LABEL_SETS,
        )
        for mark in "|;,"
    },
    "probabilities": Case(
        "csv",
        {"hateful": PAIR},
        {"y_prob": [round(one / 5, 3) for one in NUMBERS]},
        "binary",
        "roc_auc",
        "roc_auc, log_loss",
    ),
    "probabilities of labels": Case("csv", {"emotion": LABELS}, {"prob_joy": cycle(0.5, 0.2),
        "prob_fear": cycle(0.25, 0.7), "prob_anger": cycle(0.25, 0.1)}, "multiclass", "log_loss",
        "log_loss, macro_f1"),
    "lines of texts": Case("txt", "\n".join(TEXTS), "\n".join(TEXTS[::-1]), *TEXTUAL),
    "texts": Case("csv", {"summary": TEXTS}, {"summary": TEXTS[::-1]}, *TEXTUAL),
    "references": Case(
        "jsonl",
        {"references": [[one, text(3)] for one in TEXTS]},
        {"output": TEXTS[::-1]},
        *TEXTUAL,
    ),
    "references of another name": Case(
        "jsonl",
        {"source": TEXTS, "humans": [[one, text(8)] for one in TEXTS]},
        {"y_pred": TEXTS[::-1]},
        *TEXTUAL,
    ),
    "numbers": Case("csv", {"strength": NUMBERS}, {"strength": NUMBERS[::-1]}, *NUMERIC),
    "typed numbers": Case("jsonl", {"score": NUMBERS}, {"y_pred": NUMBERS[::-1]}, *NUMERIC),
    "soft labels": Case("jsonl", {"soft_label": SHARES}, {"y_pred": SHARES[::-1]}, *SOFT),
    "soft labels of another name": Case("csv", {"opinions": spell(SHARES)},
        {"opinions": spell(SHARES[::-1])}, *SOFT),
    "lists of shares": Case(
        "jsonl",
        {"shares": [list(one.values()) for one in SHARES]},
        {"shares": [list(one.values()) for one in SHARES[::-1]]},
        *SOFT,
    ),
    "columns of shares": Case(
        "csv",
        {"gold_no": [one["no"] for one in SHARES], "gold_yes": [one["yes"] for one in SHARES]},
        {"prob_no": cycle(0.5), "prob_yes": cycle(0.5)},
        *SOFT,
    ),
    "votes": Case("jsonl", {"annotations": VOTES}, {"y_pred": SHARES}, *SOFT),
    "votes of another name": Case("jsonl", {"raters": VOTES}, {"raters": SHARES}, *SOFT),
    "CoNLL": Case("conll", conll(TAGS), conll(OTHER_TAGS), *SPANNED),
    "CoNLL called a text": Case("txt", conll(TAGS), conll(OTHER_TAGS), *SPANNED),
    "tags": Case("jsonl", {"ner": TAGS}, {"ner": OTHER_TAGS}, *SPANNED),
    "spans": Case("jsonl", {"text": TEXTS, "spans": SPANS}, {"predicted_spans": OTHER_SPANS},
        *SPANNED),
    "spans of another name": Case("jsonl", {"mentions": SPANS}, {"mentions": OTHER_SPANS},
        *SPANNED),
    "spans in text": Case("csv", {"spans": spell(SPANS), "text": TEXTS},
        {"spans": spell(OTHER_SPANS)}, *SPANNED),
    "characters": Case("csv", {"spans": spell(CHARACTERS), "text": TEXTS},
        {"spans": spell(CHARACTERS[::-1])}, "spans", "character_span_f1"),
    "characters of another name": Case("jsonl", {"toxic_at": CHARACTERS},
        {"toxic_at": CHARACTERS[::-1]}, "spans", "character_span_f1"),
    "qrels": Case("qrels", "\n".join(f"x{row} 0 d{row % 5} {row % 2}\nx{row} 0 e 1"
        for row in range(ROWS)), "\n".join(f"x{row} Q0 d{at} {at} {-at} r" for row in range(ROWS)
        for at in range(4)), None, "map"),
    "trees": Case("conllu", parse(cycle("nsubj", "obj")), parse(cycle("nsubj")), None, "LAS"),
    "Kaldi": Case("txt", "\n".join(f"s1-x{row} {one}" for row, one in enumerate(TEXTS)),
        "\n".join(f"s1-x{row} the {one}" for row, one in enumerate(TEXTS)), None, "wer"),
    "STM": Case("stm", "\n".join(f"talk 1 Ann {row} {row + 1} {one}"
        for row, one in enumerate(TEXTS)), "\n".join(f"talk 1 Ann {row} {row + 1} so {one}"
        for row, one in enumerate(TEXTS)), None, "wer"),
    "tries": Case("csv", {"answer": LABELS}, {"output": OTHERS}, "multiclass", "pass@1",
        "pass@1, pass@2"),
}  # fmt: skip


def write_table(path, columns):
    names, rows = list(columns), list(zip(*columns.values(), strict=True))
    if path.suffix == ".jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        lines = [mark.join(quote(cell, mark) for cell in row) for row in [names, *rows]]
    path.write_text("\n".join(lines) + "\n")


def quote(cell, mark):
    spelled = str(cell)
    return '"' + spelled.replace('"', '""') + '"' if mark in spelled or '"' in spelled else spelled


def write_side(path, held, id, tries=1):
    if isinstance(held, str):
        path.write_text(held + "\n")
        return
    columns = {id: [f"x{row}" for row in range(ROWS)], **held}
    write_table(path, {name: [*values] * tries for name, values in columns.items()})


@pytest.fixture(params=CASES)
def started(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case, id = CASES[request.param], ("id", "post_id")[[*CASES].index(request.param) % 2]
    write_side(Path(f"gold.{case.ending}"), case.gold, id)
    assert main(["task", "init", f"t=gold.{case.ending}"]) == 0
    if case.metrics:
        lines = Path("task.yaml").read_text().splitlines()
        kept = [f"    metrics: [{case.metrics}]" if "    metrics:" in one else one for one in lines]
        Path("task.yaml").write_text("\n".join(kept))
    Path("own").mkdir()
    own = Path(f"own/t.{case.ending}")
    write_side(own, case.own, id, tries=2 if request.param == "tries" else 1)
    return Started(case, read_task("task.yaml"), str(own))


def list_faults(checked):
    return [str(one) for one in checked.findings]


@pytest.mark.deep
def test_the_file_of_every_kind_of_gold_passes(started):
    (track,) = started.task.tracks.values()
    assert (started.case.task, started.case.metric) == (track.task, track.metrics[0])
    tested = run_selftest(started.task)
    assert [] == [one for one in tested.checks if one.outcome == "failed"]
    assert "passed" in {one.outcome for one in tested.checks}
    checked = check_submission(started.task, started.own)
    assert [] == list_faults(checked)
    found = score_submission(started.task, checked, intervals=False)
    assert all(score.value == score.value for score in found.tracks["t"].scores)


def test_every_kind_is_judged_with_the_starting_kit(started):
    ((phase, own),) = list_phases(started.task)
    write_files("server", make_reference(started.task, phase, own))
    write_files("kit", make_kit(own))
    (track,) = started.task.tracks.values()
    names = [one.name for one in Path("kit").rglob("*") if one.is_file()]
    assert Path(str(track.gold)).name not in names
    kit = read_task("kit/task.yaml")
    server = read_task("server/task.yaml")
    for path in (started.own, "kit/example"):
        assert [] == list_faults(check_submission(kit, path))
        assert ["t"] == [*judge(server, path).tracks]


def write_track(gold, *keys):
    Path("gold.csv").write_text(gold)
    lines = "".join(f"    {key}\n" for key in ("gold: gold.csv", *keys))
    Path("task.yaml").write_text(f"title: T\ntracks:\n  t:\n{lines}")
    return read_task("task.yaml")


@pytest.mark.parametrize("labels", ["[0, 1]", "['0', '1']"])
@pytest.mark.parametrize("more", ["", "positive: 1"])
def test_labels_may_be_numbers_beside_a_table_of_text(tmp_path, monkeypatch, labels, more):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{row},{row % 2}\n" for row in range(ROWS))
    keys = [f"labels: {labels}", "metrics: [roc_auc, f1]", *filter(None, [more])]
    task = write_track(f"id,label\n{rows}", *keys)
    assert [b"id,y_pred,y_prob", b"0,0,0.5"] == make_kit(task)["example/t.csv"].splitlines()[:2]
    assert "failed" not in {one.outcome for one in run_selftest(task).checks}


def test_a_track_without_a_metric_of_one_value_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{row},{'abc'[row % 3]}\n" for row in range(ROWS))
    task = write_track(f"id,label\n{rows}", "metrics: ['F1(average=None)']")
    message = "tracks.t.metrics: F1(average=None) has a value for each label"

    with pytest.raises(InputError, match=re.escape(message)):
        run_selftest(task)
    for platform in ("codabench", "codalab", "evalai", "tira", "kaggle", "hf"):
        assert 4 == main(["task", "bundle", platform, "--task", "task.yaml", "-o", "bundle.zip"])
        assert message in capsys.readouterr().err


def write_files(folder, files):
    for name, content in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


HARD = ("CoNLL", "spans", "soft labels", "votes", "references", "tries", "qrels", "trees", "STM")
"""The kinds that bundles are made of here."""


@pytest.mark.parametrize("started", HARD, indirect=True)
def test_every_platform_has_a_bundle(started):
    assert started.task.tracks
    for platform in ("codabench", "codalab", "evalai", "tira", "kaggle", "hf"):
        code = main(["task", "bundle", platform, "--task", "task.yaml", "-o", f"{platform}.zip"])
        rejected = {"jsonl": 0, "conll": 4}.get(started.case.ending, 2)
        assert (rejected if platform in ("kaggle", "hf") else 0) == code


@pytest.mark.parametrize("started", ["qrels", "trees", "Kaldi"], indirect=True)
def test_a_file_with_half_of_the_examples_is_rejected_alike_with_and_without_gold(started):
    lines = Path(started.own).read_text().splitlines(keepends=True)
    Path("half").write_text("".join(lines[: len(lines) // 2]))
    write_files("kit", make_kit(started.task))
    checked = check_submission(started.task, "half")
    assert not checked.files
    assert list_faults(checked) == list_faults(check_submission(read_task("kit/task.yaml"), "half"))


@pytest.mark.parametrize("started", ["qrels", "trees", "Kaldi", "STM"], indirect=True)
def test_damaged_files_are_rejected_for_a_reason(started):
    source, marks = random.Random(7), '\t\n NaN 1e400 -1 \0 { [ " # ( ) 9999999999 2-1 ;;'
    content = Path(started.own).read_text()
    for _ in range(60):
        text = content
        for _ in range(source.choice((1, 4))):
            at = source.randrange(len(text))
            text = text[:at] + source.choice(marks.split(" ")) + text[at + source.randrange(60) :]
        Path("damaged").write_text(text, encoding="utf-8")
        checked = examine_submission(started.task, "damaged")
        assert not [one for one in list_faults(checked) if "be read or counted (" in one]


@pytest.mark.parametrize("started", ["spans of another name", "lists of shares"], indirect=True)
def test_tables_of_a_platform_hold_lists(started):
    solution = make_solution(started.task, "split", "public", "private")
    Path("solution.csv").write_bytes(solution.table)
    Path("sample.csv").write_bytes(solution.sample)
    files = ("solution.csv", "sample.csv")
    sides = judge_sides(solution.task, *files, ("split", "public", "private"))
    assert [["t"], ["t"]] == [[*side.tracks] for side in sides]


@pytest.mark.parametrize("started", ["spans", "tries", "qrels", "trees", "Kaldi"], indirect=True)
def test_the_site_of_a_task_ranks_every_kind(started, capsys):
    assert main(["task", "board", "own", "-o", "site"]) == 0
    assert (
        "1 newly checked, 0 rejected in part or in whole. 1 of 1 rankings updated."
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(("columns", "comment"), [
    ({"id": ["1", "2"], "valence": [0.5, 1.5], "arousal": [2.5, 0.1]}, "gold is valence"),
    ({"id": ["1", "2"], "note": ["a", "b"], "side": ["x", "y"]}, "gold is note"),
])  # fmt: skip
def test_other_columns_that_may_be_gold_are_named(tmp_path, columns, comment):
    write_table(tmp_path / "gold.csv", columns)
    written = write_start({"t": str(tmp_path / "gold.csv")}, str(tmp_path))
    assert f"# {comment} if not this\n" in written


def test_tries_are_no_gold(tmp_path):
    rows = {"task_id": ["1", "1", "2", "2"], "correct": [1, 0, 1, 1]}
    write_table(tmp_path / "gold.csv", {"id": rows["task_id"], **rows})
    with pytest.raises(InputError, match="a row for each id, and metrics such as pass@1"):
        write_start({"t": str(tmp_path / "gold.csv")}, str(tmp_path))

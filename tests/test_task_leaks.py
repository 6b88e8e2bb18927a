"""Nothing that a participant can see of a submission tells anything of the gold."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.errors import UsageError
from tallystick.tasks.bundles.reference import make_example, make_kit, make_reference
from tallystick.tasks.masked_gold import count_track
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import read_task

IDS = [f"e{number:02}" for number in range(12)]
LABELS = ["calm", "angry", "glad"]
TASKS = {
    "multiclass": "{metrics: [macro_f1], task: multiclass",
    "guessed": "{metrics: [accuracy]",
    "wrong": "{metrics: [macro_f1], task: multiclass, invalid: wrong, missing_outputs: wrong",
    "multilabel": "{metrics: [macro_f1], task: multilabel",
    "text": "{metrics: [chrf], task: text",
    "numbers": "{metrics: [pearson]",
}
Edit = Callable[[bytes], bytes]


def _write_rows(kind, turn):
    if kind == "multilabel":
        rows = [",".join(str(int((at + turn + own) % 3 == 0)) for own in range(3)) for at in IDS_AT]
        head = ",".join(LABELS)
    else:
        texts = kind == "text"
        dealt = [LABELS[(at + turn) % 3] + (f" words {(at + turn) % 12}" * texts) for at in IDS_AT]
        rows = [f"{(at + turn) % 12}.5" for at in IDS_AT] if kind == "numbers" else dealt
        head = "reference" if texts else "score" if kind == "numbers" else "label"
    return "\n".join([f"id,{head}", *map(",".join, zip(IDS, rows, strict=True))]) + "\n"


IDS_AT = range(len(IDS))
WORDS = b"calm Calm furious e03 E03 3 0.5 nan -1 id label y_prob prediction <b> =1+1 [ {}".split()
MARKS = [b"", b'"', b"\0", b",", b";", b"\t", b"\n", b"\r\n", b"\xff", b"\xef\xbb\xbf", b"\x1b[1m"]
PIECES = st.sampled_from([*WORDS, *MARKS])


@st.composite
def _corrupt_rows(draw):
    what = draw(st.sampled_from(["drop", "repeat", "swap", "header", "reverse", "column"]))
    at = draw(st.integers(0, len(IDS)))

    def edit(content):
        rows = content.split(b"\n")
        place = at % len(rows)
        changes = {
            "drop": lambda: rows[:place] + rows[place + 1 :],
            "repeat": lambda: rows[:place] + rows[place : place + 1] * 2 + rows[place + 1 :],
            "swap": lambda: [b",".join(row.split(b",")[::-1]) for row in rows],
            "header": lambda: rows[1:],
            "reverse": lambda: [rows[0], *rows[:0:-1]],
            "column": lambda: [b"%d,%b" % (number, row) for number, row in enumerate(rows)],
        }
        return b"\n".join(changes[what]())

    return edit


@st.composite
def _corrupt_bytes(draw):
    start, length, piece = draw(st.integers(0, 200)), draw(st.integers(0, 9)), draw(PIECES)

    def edit(content):
        place = start % (len(content) + 1)
        return content[:place] + piece + content[place + length :]

    return edit


@st.composite
def _corrupt_words(draw):
    old, new = draw(PIECES.filter(bool)), draw(PIECES)
    return lambda content: content.replace(old, new)


EDITS = st.lists(st.one_of(_corrupt_rows(), _corrupt_bytes(), _corrupt_words()), max_size=4)


@pytest.mark.deep
@pytest.mark.parametrize("kind", TASKS)
@given(edits=EDITS, turn=st.integers(0, 2), copied=st.booleans())
@settings(max_examples=30)
def test_what_is_said_does_not_depend_on_the_gold(kind, edits, turn, copied):
    with tempfile.TemporaryDirectory() as folder:
        golds = [_write_rows(kind, own) for own in (0, 1, 2)]
        content = (golds[0] if copied else _write_rows(kind, turn)).encode()
        for edit in edits:
            content = edit(content)
        path = Path(folder, "t.csv")
        path.write_bytes(content)
        Path(folder, "task.yaml").write_text(f"tracks: {{t: {TASKS[kind]}, gold: gold.csv}}}}")
        task = read_task(str(Path(folder, "task.yaml")))
        checked = []
        for gold in golds:
            Path(folder, "gold.csv").write_text(gold)
            checked.append(check_submission(task, str(path)))

        assert checked[0] == checked[1] == checked[2]


@pytest.mark.deep
@pytest.mark.parametrize("kind", TASKS)
@given(edits=EDITS, turn=st.integers(0, 2))
@settings(max_examples=30)
def test_what_is_accepted_is_scored(kind, edits, turn):
    with tempfile.TemporaryDirectory() as folder:
        content = _write_rows(kind, turn).encode()
        for edit in edits:
            content = edit(content)
        path = Path(folder, "t.csv")
        path.write_bytes(content)
        Path(folder, "gold.csv").write_text(_write_rows(kind, 0))
        Path(folder, "task.yaml").write_text(f"tracks: {{t: {TASKS[kind]}, gold: gold.csv}}}}")
        task = read_task(str(Path(folder, "task.yaml")))
        checked = check_submission(task, str(path))
        counted = [
            count_track(task.tracks[name], {"own": file}) for name, file in checked.files.items()
        ]

        assert [()] * len(checked.files) == [one.facts.rejected for one in counted]
        assert [*checked.files] == [*score_submission(task, checked, intervals=False).tracks]


@pytest.mark.parametrize(
    "said",
    ["id,label\n1,a\n2,q\n3,a\n", "id,prob_a,prob_b,prob_q\n1,.5,.5,0\n2,.5,.5,0\n3,.5,.5,0\n"],
)
def test_labels_that_the_task_does_not_name_are_not_told(tmp_path, said):
    (tmp_path / "task.yaml").write_text(
        "tracks: {t: {metrics: [f1], gold: gold.csv, task: binary, positive: a}}"
    )
    (tmp_path / "t.csv").write_text(said)
    task, found = read_task(str(tmp_path / "task.yaml")), []
    for gold in ("aba", "aca", "abc"):
        rows = "".join(f"{at},{label}\n" for at, label in enumerate(gold, 1))
        (tmp_path / "gold.csv").write_text(f"id,label\n{rows}")
        found.append(check_submission(task, str(tmp_path / "t.csv")).findings)

    assert found[0] == found[1] == found[2]
    assert [(True, False)] == [(one.fatal, "'b'" in one.message) for one in found[0]]


@pytest.mark.parametrize(("keys", "golds", "expected"), [
    ("labels: [a, b]", ("a", "b"), "a"),
    ("labels: [a, b], task: multilabel, columns: {delimiter: '|'}", ("b", "a|b"), "a"),
])  # fmt: skip
def test_example_of_the_kit_is_the_same_for_every_gold(tmp_path, keys, golds, expected):
    examples = []
    for gold in golds:
        (tmp_path / "gold.csv").write_text(f"id,label\n1,{gold}\n2,{gold}\n")
        (tmp_path / "task.yaml").write_text(
            f"tracks: {{t: {{metrics: [macro_f1], gold: gold.csv, {keys}}}}}"
        )
        examples.append(make_example(read_task(str(tmp_path / "task.yaml"))))

    assert examples[0] == examples[1]
    assert f"id,y_pred\n1,{expected}\n2,{expected}\n".encode() == examples[0]["t.csv"]


@pytest.mark.parametrize(
    ("keys", "expected"), [("", "your output"), ("task: binary, positive: b,", "b")]
)
def test_a_kit_tells_no_labels_of_the_gold(tmp_path, keys, expected):
    found = []
    for gold in ("bcc", "bdd", "xbx"):
        rows = "".join(f"{at},{label}\n" for at, label in enumerate(gold))
        (tmp_path / "gold.csv").write_text(f"id,label\n{rows}")
        (tmp_path / "task.yaml").write_text(
            f"tracks: {{t: {{metrics: [accuracy], {keys} gold: gold.csv}}}}"
        )
        task = read_task(str(tmp_path / "task.yaml"))
        found.append((make_kit(task), make_reference(task, "Final", task)["task.yaml"]))

    assert found[0] == found[1] == found[2]
    assert f"id,y_pred\n0,{expected}\n1,{expected}\n2,{expected}\n" == (
        found[0][0]["example/t.csv"].decode()
    )


def test_a_kit_with_a_column_for_each_label_needs_their_names(tmp_path):
    (tmp_path / "gold.csv").write_text("id,label\n1,a\n2,b\n3,c\n")
    kit = "tracks: {t: {metrics: [log_loss], gold: gold.csv%s}}"
    (tmp_path / "named.yaml").write_text(kit % ", labels: [a, b, c]")
    (tmp_path / "task.yaml").write_text(kit % "")
    assert b"prob_c" in make_kit(read_task(str(tmp_path / "named.yaml")))["example/t.csv"]
    with pytest.raises(UsageError, match="name the labels that participants may see"):
        make_kit(read_task(str(tmp_path / "task.yaml")))

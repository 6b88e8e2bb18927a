"""What is said of a submission before it is scored: each common mistake with its cure."""

import io
import json
import zipfile

import pytest

from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.tasks.opening import Remark
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import read_task

IDS = [f"{number:03}" for number in range(1, 9)]
GOLD = ["NR", "NP", "NR", "P", "NP", "NR", "P", "NP"]
TASK = """\
tracks:
  stance:
    gold: gold.csv
    ids: ids.csv
    metrics: [macro_f1]
    task: multiclass
    labels: [P, NP, NR]
    columns: {id: sub_id}
"""


def _write_table(rows, header="sub_id,label", mark=","):
    return "\n".join([header, *(mark.join(row) for row in rows)]) + "\n"


ROWS = [*zip(IDS, GOLD, strict=True)]
RIGHT = _write_table(ROWS)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "task.yaml").write_text(TASK)
    (tmp_path / "gold.csv").write_text(RIGHT)
    (tmp_path / "ids.csv").write_text("sub_id\n" + "\n".join(IDS) + "\n")
    return tmp_path


def _check(folder, content, name="stance.csv"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    task = read_task(str(folder / "task.yaml"))
    served = check_submission(task, str(path))
    (folder / "gold.csv").rename(folder / "hidden")
    local = check_submission(task, str(path))
    (folder / "hidden").rename(folder / "gold.csv")
    assert (served.findings, [*served.files]) == (local.findings, [*local.files])
    return [(finding.message, finding.fatal) for finding in served.findings]


def test_a_right_file_is_accepted(folder):
    assert [] == _check(folder, RIGHT)
    assert [] == _check(folder, _write_table(ROWS[::-1]))


@pytest.mark.parametrize(("name", "content"), [
    ("stance.tsv", RIGHT.replace(",", "\t")),
    ("stance.csv", RIGHT.replace(",", ";")),
    ("stance.csv", b"\xef\xbb\xbf" + RIGHT.encode()),
    ("stance.csv", RIGHT.replace("\n", "\r\n")),
    ("predictions.csv", RIGHT),
    (
        "stance.jsonl",
        "".join(json.dumps({"sub_id": one, "label": label}) + "\n" for one, label in ROWS),
    ),
])  # fmt: skip
def test_usual_forms_are_accepted(folder, name, content):
    assert [] == _check(folder, content, name)


ZEROS_LOST = (
    "the ids have been read as numbers and lost their zeros; read and write them as text, in "
    "pandas with dtype=str"
)
NO_HEADER = (
    "its first line '{}' is read as a header, but looks like the lines below it; add a header such "
    "as 'id,label'"
)
MISTAKES = {
    "twice": (RIGHT + "001,P\n", "contains the id 001 more than once; keep one row for each"),
    "missing": (_write_table(ROWS[1:]),
        "has no prediction for the id 001; every example needs one"),
    "several missing": (_write_table(ROWS[6:]),
        "has no prediction for 6 ids (001, 002, 003, 004, 005, ...); every example needs one"),
    "unknown": (RIGHT + "x,P\ny,NP\n", "contains 2 ids (x, y) that the test data does not have"),
    "zeros lost": (RIGHT.replace("\n00", "\n"), ZEROS_LOST),
    "ids as fractions": (RIGHT.replace("\n00", "\n").replace(",", ".0,").replace("sub_id.0",
        "sub_id"), ZEROS_LOST),
    "spaces": (RIGHT.replace("\n0", "\n 0"),
        "the ids differ from those of the test data in spaces or in upper and lower case"),
    "swapped columns": (_write_table(zip(GOLD, IDS, strict=True)),
        "the columns 'sub_id' and 'label' are swapped: the ids stand in 'label'"),
    "no header": (RIGHT.partition("\n")[2], NO_HEADER.format("001,NR")),
    "no header, and labels alike": ("NP,NP\n" * 8, NO_HEADER.format("NP,NP")),
    "another name of ids": (RIGHT.replace("sub_id", "number"),
        "has no column 'sub_id' of ids; rename 'number'"),
    "no ids": (
        _write_table([(label, "0.5") for label in GOLD], "label,confidence"),
        "has no column 'sub_id' of ids; it has 'label', 'confidence'",
    ),
    "separator": (RIGHT.replace(",", ":"),
        "its columns are separated by colons; separate them by commas"),
    "case": (RIGHT.replace("NP", "np"),
        "column 'label' contains 'np' in place of 'NP'; the labels are P, NP, NR"),
    "label of another task": (RIGHT.replace("003,NR", "003,Q"),
        "column 'label' contains 'Q'; the labels are P, NP, NR"),
    "numbers in place of labels": (RIGHT.replace("NP", "1").replace("NR", "2").replace("P", "0"),
        "row 5, column 'label': label '0' is not one of 'P', 'NP', 'NR'"),
    "Latin-1": ((RIGHT + "é,P\n").encode("latin-1"),
        "row 10, column 'sub_id': 0xe9 is not UTF-8; save it as UTF-8, for example with iconv -f "
        "LATIN1 -t UTF-8"),
    "UTF-32": (RIGHT.encode("utf-32"),
        "is UTF-32; save it as UTF-8, for example with iconv -f UTF-32 -t UTF-8"),
    "empty": ("", "is empty (0 bytes); check that the program that writes it has finished"),
    "header alone": ("sub_id,label\n", "has columns but no rows of data"),
    "empty label": (RIGHT.replace("003,NR", "003,"), "row 4, column 'label': the value is empty"),
    "web page": ("<!doctype html><html></html>", "is a web page; download the file itself"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_cure(folder, mistake):
    content, message = MISTAKES[mistake]
    assert [(message, True)] == _check(folder, content)


def test_row_numbers_of_a_frame_are_told(folder):
    rows = [(str(at), *row) for at, row in enumerate(ROWS)]
    shown = "has the column '' of row numbers, as pandas writes it; leave it out with index=False"
    assert [(shown, False)] == _check(folder, _write_table(rows, ",sub_id,label"))


def test_all_that_is_wrong_is_told_at_once(folder):
    assert [
        ("has no prediction for the id 004; every example needs one", True),
        ("contains the id 009 that the test data does not have", True),
        ("column 'label' contains 'p' in place of 'P'; the labels are P, NP, NR", True),
    ] == _check(folder, RIGHT.replace("004,P", "009,p"))


def test_missing_outputs_may_count_as_wrong(folder):
    (folder / "task.yaml").write_text(TASK + "    missing_outputs: wrong\n")
    found = _check(folder, _write_table(ROWS[1:]))
    assert [("has no prediction for the id 001, which counts as wrong", False)] == found


def _zip(names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_what_systems_put_into_archives_is_ignored(folder):
    deep = {"__MACOSX/._stance.csv": "x", ".DS_Store": "x", "team/run/stance.csv": RIGHT}
    shown = "its files lie one folder too deep, which is mended; zip the files, not the folder"
    assert [(shown, False)] == _check(folder, _zip(deep), "team.zip")
    flat = {".DS_Store": "x", "stance.csv": RIGHT}
    shown = "is no part of a submission, and is ignored"
    assert [(shown, False)] == _check(folder, _zip(flat), "team.zip")


TRACKS = """\
tracks:
  one: {gold: gold.csv, metrics: [f1], task: binary, labels: [N, P], positive: P, file: first.csv}
  two: {gold: gold.csv, metrics: [accuracy], task: multiclass, labels: [N, P]}
"""
SHORT = "id,label\n1,P\n2,N\n"
OF_NO_TRACK = "is the file of no track; the files are called first.csv, two.csv"


@pytest.fixture
def tracks(tmp_path):
    (tmp_path / "gold.csv").write_text(SHORT)
    (tmp_path / "task.yaml").write_text(TRACKS)
    return read_task(str(tmp_path / "task.yaml"))


def _submit(tmp_path, tracks, files):
    path = tmp_path / "team.zip"
    path.write_bytes(_zip(files))
    return check_submission(tracks, str(path))


@pytest.mark.parametrize(
    ("files", "accepted", "shown"),
    [
        (["First.csv", "two.csv"], ["one", "two"], []),
        (["two.csv"], ["two"],
         [("one: has no file first.csv; the submission takes no part in it", False)]),
        (["frist.csv", "two.csv"], ["two"],
         [("one: has no file first.csv; rename frist.csv if that is it", True),
          (f"frist.csv: {OF_NO_TRACK}", False)]),
        (["first.xlsx", "two.csv"], ["two"],
         [("one: has no file first.csv; if first.xlsx is it, save it in the format of first.csv",
           True),
          (f"first.xlsx: {OF_NO_TRACK}", False)]),
        (["one/first.csv", "two.csv"], ["two"],
         [("one: its file lies in a folder, as one/first.csv; put it beside the others", True),
          (f"one/first.csv: {OF_NO_TRACK}", False)]),
        (["two.csv", "two.tsv"], [],
         [("two: has two files, two.csv and two.tsv; keep one", True),
          ("one: has no file first.csv; rename two.csv if that is it", True)]),
    ],
)  # fmt: skip
def test_each_track_has_its_file(tmp_path, tracks, files, accepted, shown):
    checked = _submit(tmp_path, tracks, dict.fromkeys(files, SHORT))
    assert shown == [(str(one), one.fatal) for one in checked.findings]
    assert (accepted, not accepted) == ([*checked.files], checked.rejected)


def test_a_metric_that_is_not_there_is_an_error(tmp_path, tracks):
    text = (tmp_path / "task.yaml").read_text().replace("[f1]", "[f11]")
    (tmp_path / "task.yaml").write_text(text)
    with pytest.raises(InputError, match=r"tracks\.one\.metrics\[0\]: .*f11"):
        _submit(tmp_path, read_task(str(tmp_path / "task.yaml")), {"two.csv": SHORT})


def test_a_wrong_file_stops_its_own_track_alone(tmp_path, tracks):
    checked = _submit(tmp_path, tracks, {"first.csv": "id,label\n1,P\n", "two.csv": SHORT})
    assert (["two"], True, False) == ([*checked.files], checked.failed, checked.rejected)


def test_a_submission_that_is_not_there_is_an_error(tmp_path, tracks):
    with pytest.raises(InputError, match="there is no such submission"):
        check_submission(tracks, str(tmp_path / "nothing.zip"))


def test_an_archive_that_is_none_is_told(tmp_path, tracks):
    path = tmp_path / "team.zip"
    path.write_bytes(b"PK\5\6" + b"\0" * 18)
    (found,) = check_submission(tracks, str(path)).findings
    shown = "is not a zip archive with files in it; zip them again"
    assert Remark(None, "team.zip", shown, fatal=True) == found


def test_without_gold_and_ids_files_are_not_read(tmp_path, tracks):
    (tmp_path / "gold.csv").unlink()
    checked = _submit(tmp_path, tracks, {"first.csv": "nonsense", "two.csv": SHORT})
    assert ["was not read: there is neither gold nor a file of ids to check it by"] * 2 == [
        one.message for one in checked.findings
    ]


def test_without_gold_and_ids_nothing_is_concluded(folder, capsys):
    (folder / "stance.csv").write_text("nonsense")
    for name in ("gold.csv", "ids.csv"):
        (folder / name).unlink()

    code = main(["task", "check", str(folder / "stance.csv"), "--task", str(folder / "task.yaml")])

    captured = capsys.readouterr()
    assert (4, "") == (code, captured.out)
    assert "line 3: tracks.stance.gold: there is no file" in captured.err


@pytest.mark.parametrize(
    ("keys", "gold", "right", "wrong", "message"),
    [
        ("metrics: [macro_f1], task: multilabel, labels: [A]", "gold.csv:id,A\n1,0\n2,1\n",
         "t.csv:id,A\n1,1\n2,0\n", "t.csv:id,A\n1,1\n2,3\n",
         "row 3, column 'A': expected 0 or 1, found 3"),
        ("metrics: [macro_f1], task: multilabel, labels: [A, B]",
         "gold.csv:id,A,B\n1,0,1\n2,1,0\n",
         "t.csv:id,A,B\n2,0,0\n1,1,1\n",
         "t.csv:id,A,B\n2,0,3\n1,1,1\n",
         "row 2, column 'B': expected 0 or 1, found 3"),
        ("metrics: [macro_f1], task: multilabel, labels: [A, B]",
         "gold.csv:id,labels\n1,A|B\n2,\n",
         "t.csv:id,labels\n1,\n2,B|A\n",
         "t.csv:id,labels\n1,C\n2,B|A\n",
         "row 2, column 'labels': label 'C' is not one of 'A', 'B'"),
        ("metrics: [bleu]",
         "gold.txt:a b\nc d\n",
         "t.txt:x\ny\n",
         "t.txt:x\n",
         "the test data has 2 lines but t.txt has 1"),
        ("metrics: [chrf]",
         "gold.csv:id,reference\n1,a b\n2,c\n",
         "t.csv:id,hypothesis\n1,a\n2,b\n",
         "t.csv:id,hypothesis\n1,a\n",
         "has no prediction for the id 2; every example needs one"),
        ("metrics: [pearson]",
         "gold.csv:id,score\n1,0.5\n2,1.5\n",
         "t.csv:id,score\n1,3\n2,4\n",
         "t.csv:id,score\n1,3\n2,x\n",
         "row 3, column 'score': 'x' is not a number"),
        ("metrics: [brier_score]",
         "gold.csv:id,label\n1,0\n2,1\n",
         "t.csv:id,y_prob\n1,0.5\n2,0.6\n",
         "t.csv:id,y_prob\n1,50\n2,60\n",
         "row 2, column 'y_prob': 50.0 is not a probability between 0 and 1; percentages are "
         "divided by 100, and logits go through a sigmoid"),
        ("metrics: [roc_auc]",
         "gold.csv:id,label\n1,0\n2,1\n",
         "t.csv:id,y_prob\n1,0.5\n2,0.6\n",
         "t.csv:id,label\n1,0\n2,1\n",
         "roc_auc needs probabilities, and t.csv has none for every example; 0 and 1 are taken "
         "for probabilities where their column has a name such as y_prob"),
        ("metrics: [span_f1]",
         'gold.jsonl:{"id": 1, "spans": [[0, 3, "A"]]}\n{"id": 2, "spans": []}',
         't.jsonl:{"id": 1, "spans": []}\n{"id": 2, "spans": [[0, 3, "A"]]}',
         't.jsonl:{"id": 1, "spans": []}\n{"id": 2, "spans": [[3, 0, "A"]]}',
         "line 2, column 'spans': the span [3, 0, 'A'] ends where it begins or before; it goes "
         "from start, counted from 0, up to but not including end"),
        ("metrics: [span_f1]",
         'gold.jsonl:{"id": 1, "tags": ["B-A", "O"]}\n{"id": 2, "tags": ["O"]}',
         't.jsonl:{"id": 1, "tags": ["O", "O"]}\n{"id": 2, "tags": ["O"]}',
         't.jsonl:{"id": 1, "tags": ["", "O"]}\n{"id": 2, "tags": ["O"]}',
         "line 1, tag 1: the tag is missing"),
        ("metrics: [span_f1]",
         'gold.jsonl:{"id": 1, "tokens": ["a", "b"], "tags": ["B-A", "O"]}',
         't.jsonl:{"id": 1, "tags": ["O", "O"]}',
         't.jsonl:{"id": 1, "tags": ["O"]}',
         "line 1 has 1 tags, but the test data, line 1 has 2; both sides must have a tag for "
         "each token"),
        ("metrics: [manhattan]",
         'gold.jsonl:{"id": 1, "soft_label": {"a": 0.5, "b": 0.5}}',
         't.jsonl:{"id": 1, "soft_label": {"a": 0, "b": 1}}',
         't.jsonl:{"id": 1, "soft_label": {"a": 0, "b": 0.5}}',
         "line 1, column 'soft_label': the probabilities of an example sum to 1, but here to 0.5"),
    ],
)  # fmt: skip
def test_every_kind_of_output_is_checked(tmp_path, keys, gold, right, wrong, message):
    name, _, content = gold.partition(":")
    (tmp_path / name).write_text(content)
    (tmp_path / "task.yaml").write_text(f"tracks: {{t: {{gold: {name}, {keys}}}}}")
    task = read_task(str(tmp_path / "task.yaml"))

    found = []
    for file in (right, wrong):
        name, _, content = file.partition(":")
        (tmp_path / name).write_text(content)
        checked = check_submission(task, str(tmp_path / name))
        found.append(([one.message for one in checked.findings], [*checked.files]))

    assert [([], ["t"]), ([message], [])] == found


def test_a_fault_of_the_gold_is_told_to_nobody(tmp_path, tracks):
    (tmp_path / "gold.csv").write_text("id,label\n1,secret\n1,secret\n2,\n")
    with pytest.raises(InputError, match="the track one cannot be checked: the task's own") as it:
        _submit(tmp_path, tracks, {"first.csv": SHORT})
    assert "secret" not in str(it.value)


@pytest.mark.parametrize(("own", "message"), [
    ("Ann B-PER\nran O\n\nBo O\n", None),
    ("Ann B-PER\nran O\n\nBob O\n", "line 4 has 'Bob' where the test data, line 4 has 'Bo'"),
    ("Ann B-PER\nran O\n", "t.conll has 1; blank lines separate them"),
])  # fmt: skip
def test_sentences_in_columns_are_checked(tmp_path, own, message):
    (tmp_path / "gold.conll").write_text("Ann B-PER\nran O\n\nBo B-SECRET\n")
    (tmp_path / "t.conll").write_text(own)
    (tmp_path / "task.yaml").write_text(
        "tracks: {t: {gold: gold.conll, file: t.conll, metrics: [span_f1]}}"
    )

    checked = check_submission(read_task(str(tmp_path / "task.yaml")), str(tmp_path / "t.conll"))

    shown = [one.message for one in checked.findings]
    assert (message is None) == (shown == [])
    assert all(str(message) in one and "SECRET" not in one for one in shown)


def test_gold_in_several_files_is_checked_as_one(tmp_path):
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold/a.csv").write_text("id,label\n1,x\n")
    (tmp_path / "gold/b.csv").write_text("id,label\n2,y\n")
    (tmp_path / "t.csv").write_text("id,label\n1,x\n")

    found = []
    for gold in ("gold", "gold/*.csv"):
        (tmp_path / "task.yaml").write_text(f"tracks: {{t: {{gold: {gold}, metrics: [macro_f1]}}}}")
        checked = check_submission(read_task(str(tmp_path / "task.yaml")), str(tmp_path / "t.csv"))
        found.append([one.message for one in checked.findings])

    assert [["has no prediction for the id 2; every example needs one"]] * 2 == found


@pytest.mark.parametrize(("own", "message", "values"), [
    ("id,output\n1,a\n1,b\n2,b\n2,b\n", "", [0.75, 1]),
    ("id,output\n1,a\n1,b\n2,b\n", "2 has 1 try, and k = 2 needs 2", None),
    ("id,output\n1,a\n1,b\n", "has no prediction for the id 2", None),
    ("id,output,correct\n1,b,1\n1,b,1\n2,a,1\n2,a,1\n", "", [0, 0]),
])  # fmt: skip
def test_tries_are_checked_and_scored_by_their_answers(tmp_path, own, message, values):
    (tmp_path / "gold.csv").write_text("id,answer\n1,a\n2,b\n")
    (tmp_path / "task.yaml").write_text("tracks: {t: {gold: gold.csv, metrics: [pass@1, pass@2]}}")
    (tmp_path / "t.csv").write_text(own)
    task = read_task(str(tmp_path / "task.yaml"))

    checked = check_submission(task, str(tmp_path / "t.csv"))

    if values is None:
        (found,) = checked.findings
        assert message in found.message
    else:
        assert () == checked.findings
        scores = score_submission(task, checked, intervals=False).tracks["t"].scores
        assert values == [one.value for one in scores]

"""Logs of evaluation tools are tables with plain columns, and what is in them is in reach."""

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import InputError
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.formats import guess_kind
from tallystick.io.tables.table import Table, read_table

Row = dict[str, Any]


def read_lines(folder: Path, kind: str, rows: Sequence[object]) -> Table:
    """Write JSON Lines as Python's own writer does, NaN included, and read them as a log."""
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_table(str(path), kind=kind)


def pack(folder: Path, members: Mapping[str, object]) -> str:
    """Pack JSON files into a log of Inspect."""
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, json.dumps(content))
    return str(path)


def show(table: Table, *names: str) -> list[list[object]]:
    """Return the values of columns."""
    return [table.column(name).to_pylist() for name in names]


def make_harness(number: int, answer: object, score: object, **more: object) -> Row:
    """Return a sample as lm-evaluation-harness writes it."""
    return {
        "doc_id": number,
        "doc": {"question": "?", "level": {"name": "hard"}},
        "target": "yes",
        "arguments": [["?", {"until": ["\n"]}]],
        "resps": [[answer]],
        "filtered_resps": [answer],
        "doc_hash": f"hash{number}",
        "exact_match": score,
        **more,
    }


def test_samples_of_the_harness_are_a_table(tmp_path):
    """The first answer that is left after filtering is the prediction."""
    rows = [make_harness(0, "yes", 1.0), make_harness(1, "no", float("nan"))]
    table = read_lines(tmp_path, "lm-eval", rows)

    assert [
        ["hash0", "hash1"],
        ["yes", "yes"],
        ["yes", "no"],
        [1.0, None],
        ["hard", "hard"],
    ] == show(table, "id", "gold", "prediction", "exact_match", "doc.level.name")
    assert table.locate(1) == "line 2"


def test_several_filters_are_part_of_the_id(tmp_path):
    """Each document comes once for each of them."""
    rows = [make_harness(n, "yes", n, filter=name) for name in ("strict", "loose") for n in (0, 1)]
    table = read_lines(tmp_path, "lm-eval", rows)

    assert ["hash0/strict", "hash1/strict", "hash0/loose", "hash1/loose"] == show(table, "id")[0]


@pytest.mark.parametrize(
    ("rows", "ids"),
    [
        ([{"doc_hash": "a", "doc_id": 0}, {"doc_hash": "a", "doc_id": 1}], ["0", "1"]),
        ([{"doc_id": 4}, {"doc_id": 5}], ["4", "5"]),
        ([{"doc_hash": "a", "doc_id": 0}, {"doc_hash": "b", "doc_id": 0}], ["a", "b"]),
        ([{}, {}], ["0", "1"]),
    ],
)
def test_what_tells_documents_apart_is_their_id(tmp_path, rows, ids):
    """A hash that two documents share does not."""
    full = [{"target": 0, "filtered_resps": [[-1.5, False], [-2.5, True]], **row} for row in rows]

    assert ids == show(read_lines(tmp_path, "lm-eval", full), "id")[0]


def test_listed_metrics_are_the_scores(tmp_path):
    """True and false count as 1 and 0, and a missing score is null."""
    rows = [
        make_harness(0, "yes", 1, metrics=["acc", "exact_match"], acc=True),
        make_harness(1, "no", 0, metrics=["acc", "exact_match"]),
    ]

    assert [[1, None], [1, 0]] == show(read_lines(tmp_path, "lm-eval", rows), "acc", "exact_match")


@pytest.mark.parametrize(
    ("kind", "rows", "message"),
    [
        ("lm-eval", [{"target": 1}], "line 1 has no 'filtered_resps', as such logs have"),
        ("lm-eval", [[1]], "line 1 has no 'filtered_resps'"),
        ("eee", [{"sample_id": "x"}], "line 1 has no 'evaluation', as such logs have"),
        ("eee", [], "is empty (0 bytes)"),
    ],
)
def test_lines_that_are_no_log_are_refused(tmp_path, kind, rows, message):
    """By what they lack."""
    with pytest.raises(InputError, match=re.escape(f"log.jsonl: {message}")):
        read_lines(tmp_path, kind, rows)


def test_a_line_that_is_no_json_is_located(tmp_path):
    """But for NaN, nothing is let pass."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"target": NaN, "filtered_resps": []}\n{"target": nan}\n')

    with pytest.raises(InputError, match=r"log\.jsonl: line 2 is not JSON: "):
        read_table(str(path), kind="lm-eval")


def make_sample(name: object, value: object, *, epoch: int = 1, answer: str | None = "B") -> Row:
    """Return a sample as Inspect writes it."""
    return {
        "id": name,
        "epoch": epoch,
        "input": "?",
        "target": ["A"],
        "metadata": {"lang": "de"},
        "scores": {"match": {"value": value, "answer": answer}},
    }


def test_summaries_of_inspect_are_a_table(tmp_path):
    """Letters become numbers; a sample without a score has none."""
    values = ["C", "I", "P", "N", float("nan"), 0.25, True]
    samples = [make_sample(number, value) for number, value in enumerate(values)]
    samples.append(make_sample("x", "C") | {"scores": None})
    path = pack(tmp_path, {"header.json": {}, "summaries.json": samples})
    table = read_table(path)

    assert "inspect" == guess_kind(path)
    assert [
        [*map(str, range(7)), "x"],
        ["A"] * 8,
        ["B"] * 7 + [None],
        [1, 0, 0.5, 0, None, 0.25, 1, None],
        ["de"] * 8,
    ] == show(table, "id", "gold", "prediction", "match", "metadata.lang")
    assert table.locate(0) == "sample 1"


def test_epochs_are_part_of_the_id(tmp_path):
    """Where there is more than one."""
    samples = [make_sample("q", "C", epoch=epoch) for epoch in (1, 2)]

    assert [["q/1", "q/2"], [1, 2]] == show(
        read_table(pack(tmp_path, {"summaries.json": samples})), "id", "epoch"
    )


@pytest.mark.parametrize("summaries", [None, [make_sample(7, "I", answer=None)]])
def test_samples_serve_where_summaries_hold_no_answers(tmp_path, summaries):
    """Older logs have no summaries, or only the values of the scores in them."""
    members: dict[str, object] = {"samples/7_epoch_1.json": make_sample(7, "I", answer="B")}
    if summaries:
        members["summaries.json"] = summaries
    table = read_table(pack(tmp_path, members))

    assert [["7"], ["B"], [0]] == show(table, "id", "prediction", "match")


def test_a_score_of_several_values_is_several_columns(tmp_path):
    """Each is called by the scorer and its key."""
    samples = [make_sample(0, {"a": 0.5, "b": "C"}), make_sample(1, {"a": 1})]
    table = read_table(pack(tmp_path, {"summaries.json": samples}))

    assert [[0.5, 1], [1, None]] == show(table, "match.a", "match.b")


def test_several_targets_are_lists(tmp_path):
    """In all rows alike."""
    samples = [make_sample(0, "C") | {"target": target} for target in ("A", ["B", "C"])]

    assert [[["A"], ["B", "C"]]] == show(
        read_table(pack(tmp_path, {"summaries.json": samples})), "gold"
    )


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"header.json": {}}, "log.eval: holds neither summaries.json nor samples"),
        ({"summaries.json": []}, "log.eval: holds neither summaries.json nor samples"),
        ({"summaries.json": [{"id": 1}]}, "log.eval: sample 1 has no id or no target"),
        ({"summaries.json": [3]}, "log.eval: sample 1 has no id or no target"),
        ({"samples/x.json": [3]}, "log.eval: sample 1 has no id or no target"),
    ],
)
def test_an_archive_that_is_no_log_is_refused(tmp_path, members, message):
    """By what it lacks."""
    with pytest.raises(InputError, match=re.escape(message)):
        read_table(pack(tmp_path, members))


def test_a_file_that_is_no_archive_is_no_log_of_inspect(tmp_path):
    """Whatever its ending says."""
    path = tmp_path / "log.eval"
    path.write_text("{}")

    with pytest.raises(InputError, match=r"log\.eval: is not a valid zip archive: "):
        read_table(str(path))


def test_members_packed_with_zstd_are_told(tmp_path):
    """Newer logs are packed so, which needs a newer Python."""
    path = Path(pack(tmp_path, {"summaries.json": [make_sample(0, "C")]}))
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(mark) + offset] = 93
    path.write_bytes(content)

    with pytest.raises(InputError, match=r"json (is compressed with zstd|cannot be unpacked)"):
        read_table(str(path))


def make_instance(name: str, *, correct: bool, **more: object) -> Row:
    """Return an instance as Every Eval Ever writes it."""
    return {
        "schema_version": "instance_level_eval_0.2.1",
        "evaluation_name": "gsm8k",
        "sample_id": name,
        "input": {"raw": "?", "reference": ["4"]},
        "output": {"raw": ["the answer is 4"]},
        "answer_attribution": [
            {"extracted_value": "3", "is_terminal": False},
            {"extracted_value": "4", "is_terminal": True},
        ],
        "evaluation": {"score": 0.75, "is_correct": correct},
        "metadata": {"subject": "algebra"},
        **more,
    }


def test_instances_of_every_eval_ever_are_a_table(tmp_path):
    """The final answer that was taken from the output is the prediction, else the output."""
    rows = [
        make_instance("a", correct=True),
        make_instance("b", correct=False, answer_attribution=[]),
        make_instance("c", correct=False, answer_attribution=None, output=None),
    ]
    names = ("id", "gold", "prediction", "score", "is_correct", "metadata.subject")

    assert [
        ["a", "b", "c"],
        ["4", "4", "4"],
        ["4", "the answer is 4", None],
        [0.75] * 3,
        [1, 0, 0],
        ["algebra"] * 3,
    ] == show(read_lines(tmp_path, "eee", rows), *names)


def test_several_evaluations_are_part_of_the_id(tmp_path):
    """Samples of two tasks may be called the same."""
    rows = [make_instance("a", correct=True, evaluation_name=name) for name in ("x", "y")]

    assert [["x/a", "y/a"]] == show(read_lines(tmp_path, "eee", rows), "id")


def test_a_log_is_cut_into_blocks(tmp_path):
    """Only the wanted columns of it are kept."""
    samples = [make_sample(number, "C") for number in range(5)]
    path = pack(tmp_path, {"summaries.json": samples})
    blocks = list(iterate_tables(path, only={"id", "metadata.lang"}, rows=2))

    assert [2, 2, 1] == [len(block) for block in blocks]
    assert ("id", "metadata") == blocks[2].names()
    assert "sample 5" == blocks[2].locate(0)


WHOLE = ["id", "target", "scores", "match", "value", "answer", "epoch", "sample_id", "evaluation"]
PARTS = ["score", "input", "reference", "filtered_resps", "metrics", "acc", "doc_hash", "filter"]
KEYS = st.sampled_from([*WHOLE, *PARTS])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["C", "\ud800"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=6,
)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        ("lm-eval", ["target", "filtered_resps"]),
        ("eee", ["sample_id", "evaluation"]),
        ("inspect", ["id", "target"]),
    ],
)
@given(data=st.data())
def test_any_log_is_read_or_refused(tmp_path_factory, kind, needed, data):
    """Whatever stands where an answer or a score is expected."""
    keyed = st.fixed_dictionaries(dict.fromkeys(needed, VALUES))
    row = st.builds(dict.__or__, st.dictionaries(KEYS, VALUES), keyed)
    rows = data.draw(st.lists(row, max_size=3))
    folder = tmp_path_factory.getbasetemp()
    try:
        if kind == "inspect":
            table = read_table(pack(folder, {"summaries.json": rows}))
        else:
            table = read_lines(folder, kind, rows)
        found = len(table)
    except InputError as error:
        found = len(rows) if str(error).splitlines() == [str(error)] else -1

    assert len(rows) == found

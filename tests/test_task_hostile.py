"""Submissions that were made to do harm are rejected, with a reason, before they are read."""

import gzip
import io
import json
import os
import pickle
import random
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallystick.cli import main
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import read_task

GOLD = "id,label\n" + "".join(f"{number},{'AB'[number % 2]}\n" for number in range(100))
TASK = """\
tracks: {t: {gold: gold.csv, metrics: [macro_f1], task: multiclass, labels: [A, B]}}
limits: {megabytes: 1}
"""
MEGABYTE = 1_000_000


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "inside").mkdir()
    for name, content in (("gold.csv", GOLD), ("task.yaml", TASK)):
        (tmp_path / "inside" / name).write_text(content)
    return tmp_path / "inside"


def _check(folder, name, content=None):
    if content is not None:
        (folder / name).write_bytes(content)
    checked = check_submission(read_task(str(folder / "task.yaml")), str(folder / name))
    assert checked.rejected
    return [str(finding) for finding in checked.findings]


def _zip(*members, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()


def _special(name, mode):
    member = zipfile.ZipInfo(name)
    member.external_attr = (mode | 0o777) << 16
    return member


def _write_parquet(options=None, /, **columns):
    packed = io.BytesIO()
    pq.write_table(pa.table(columns), packed, compression="zstd", **(options or {}))
    return packed.getvalue()


def _repeat(value, rows, length=-1):
    kind = pa.binary(length) if isinstance(value, bytes) else pa.string()
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([value], kind))


TOO_LARGE = "unpacks to more than 1 MB, the most for a submission"
HARM = {
    "zip bomb": ("t.zip", lambda: _zip(("t.csv", b"\0" * 20 * MEGABYTE)),
        ["t.zip: unpacks to more than 1 MB, which is too much"]),
    "gzip bomb": ("t.csv.gz", lambda: gzip.compress(b"1,A\n" * 5 * MEGABYTE),
        [f"t: t.csv.gz: {TOO_LARGE}"]),
    "large file": ("t.csv", lambda: b"1,A\n" * MEGABYTE,
        ["t.csv: has 4.0 MB, and a submission may have at most 1 MB"]),
    "many files": ("t.zip", lambda: _zip(*((f"{number}.csv", b"") for number in range(1001))),
        ["contains more than 1,000 files; send those of the tracks alone"]),
    "deep folders": ("t.zip", lambda: _zip(("a/" * 1500 + "t.csv", GOLD.encode())),
        [f"{'a/' * 50}...: cannot be unpacked: maximum recursion depth exceeded"]),
    "way out": ("t.zip",
        lambda: _zip(("../evil.csv", b"x"), ("/evil.csv", b"x"), ("t.csv", GOLD.encode())),
        ["../evil.csv: has a name that leads out of its folder",
         "/evil.csv: has an absolute name"]),
    "link to the gold": ("t.zip", lambda: _zip((_special("t.csv", stat.S_IFLNK), b"../gold.csv")),
        ["t.csv: is a symbolic link"]),
    "device": ("t.zip", lambda: _zip((_special("t.csv", stat.S_IFCHR), b"")),
        ["t.csv: is not a plain file"]),
    "colours in a name": ("t.zip", lambda: _zip(("\x1b[31mt.csv", b"")),
        [r"\x1b[31mt.csv: has a name that cannot be printed"]),
    "many columns": ("t.csv",
        lambda: b",".join(b"%d" % number for number in range(150_000)) + b"\n",
        ["t: t.csv: has 150,000 columns, which is too many"]),
    "many rows": ("t.csv", lambda: b"id,label\n" + b"1,A\n" * 30_000,
        ["t: t.csv: has 30,001 lines, and the test data 100 examples"]),
    "many rows of Parquet": ("t.parquet", lambda: _write_parquet(id=_repeat("1", 10 * MEGABYTE)),
        [f"t: t.parquet: {TOO_LARGE}"]),
    "long texts of Parquet": ("t.parquet",
        lambda: _write_parquet(id=pa.array(range(100)), label=_repeat("A" * 500_000, 100)), None),
    "many equal bytes of one length": ("t.parquet",
        lambda: _write_parquet(label=_repeat(b"A" * 500_000, 100, 500_000)),
        [f"t: t.parquet: {TOO_LARGE}"]),
    "texts that repeat the one before": ("t.parquet",
        lambda: _write_parquet(
            {"use_dictionary": False, "column_encoding": {"label": "DELTA_BYTE_ARRAY"}},
            id=pa.array(range(100)), label=pa.array(["A" * 500_000] * 100)), None),
    "nested nulls": ("t.parquet",
        lambda: _write_parquet(id=pa.array(range(100)), label=pa.array([[None] * 10_000] * 100)),
        None),
    "many columns of Parquet": ("t.parquet",
        lambda: _write_parquet(**{f"c{at}": pa.array([1] * 1000) for at in range(300)}),
        [f"t: t.parquet: {TOO_LARGE}"]),
    "a large footer": ("t.parquet", lambda: _write_parquet(**{"x" * 200_000: pa.array([1])}), None),
    "a footer that promises a larger one": ("t.parquet",
        lambda: b"PAR1" + b"\0" * 16 + b"\xff\xff\xff\x7fPAR1", None),
    "a log of an evaluation": ("t.eval", lambda: _zip(("header.json", b"{}")),
        ["t: header.json: has no columns, only nothing"]),
    "bzip2 in an archive": ("t.zip",
        lambda: _zip(("t.csv", b"\0" * 20 * MEGABYTE), method=zipfile.ZIP_BZIP2),
        ["t.zip: unpacks to more than 1 MB, which is too much"]),
    "LZMA in an archive": ("t.zip",
        lambda: _zip(("t.csv", b"\0" * 20 * MEGABYTE), method=zipfile.ZIP_LZMA),
        ["t.zip: unpacks to more than 1 MB, which is too much"]),
    "very many files": ("t.zip", lambda: _zip(*((f"{number}.csv", b"") for number in range(3000))),
        ["t.zip: contains more than 2,000 files, which is too many"]),
    "deep JSON": ("t.jsonl", lambda: b'{"id":1,"label":' + b"[" * 99_999 + b"]" * 99_999 + b"}\n",
        ["t: t.jsonl: line 1 is not JSON: it is nested too deeply"]),
    "long number": ("t.jsonl", lambda: b'{"id":1,"label":' + b"9" * 99_999 + b"}\n",
        ["t: t.jsonl: line 1, column 'label' contains a number that is too large; quote it as a "
         "string"]),
    "pickle": ("t.pkl", lambda: pickle.dumps({"id": [1], "label": ["A"]}), None),
    "NUL bytes": ("t.csv", lambda: b"\0" * 1000,
        ["t: t.csv: row 1, column 1 contains a NUL byte, so it is not text"]),
    "page with a script": ("t.csv", lambda: b"<!doctype html><script>alert(1)</script>",
        ["t: t.csv: is a web page; download the file itself"]),
}  # fmt: skip


@pytest.mark.parametrize("harm", HARM)
def test_harm_is_rejected_and_named(folder, harm):
    name, make, shown = HARM[harm]
    (folder / name).write_bytes(make())
    before = sorted(folder.parent.rglob("*"))

    found = _check(folder, name)

    assert before == sorted(folder.parent.rglob("*"))
    assert found == (found if shown is None else shown)
    assert all("\x1b" not in message and "\0" not in message for message in found)


def test_a_file_of_ten_gigabytes_is_not_read(folder):
    with open(folder / "t.csv", "wb") as file:
        file.truncate(10_000 * MEGABYTE)
    shown = "t.csv: has 10,000.0 MB, and a submission may have at most 1 MB"
    assert [shown] == _check(folder, "t.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_pipes_links_and_folders_of_links_are_rejected(folder):
    os.mkfifo(folder / "t.csv")
    (folder / "team").mkdir()
    (folder / "team" / "t.csv").symlink_to("../gold.csv")
    assert ["t.csv: is a pipe and not a plain file"] == _check(folder, "t.csv")
    assert ["t.csv: is a symbolic link; replace it with the file itself"] == _check(folder, "team")


def test_names_are_shown_without_control_characters(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    Path("x.zip").write_bytes(_zip(("<script>alert(1)</script>.csv", GOLD.encode())))
    Path("team").mkdir()
    Path("team/t.csv").write_text(GOLD.replace("\n3,B", "\n3,\x1b[31mB\u202e"))

    assert (0, 4) == (main(["task", "check", "x.zip"]), main(["task", "check", "team"]))

    out = capsys.readouterr().out
    assert (False, False) == ("\x1b" in out, "\u202e" in out)


def test_messages_quote_no_more_than_a_sentence(folder):
    (message,) = _check(folder, "t.csv", GOLD.replace("\n3,B", "\n3,\x1b[31m" + "B" * 900).encode())
    assert message.startswith("t: t.csv: column 'label' contains '\\x1b[31mBBB")
    assert (513, "BBB...") == (len(message), message[-6:])


LIMITED = r"""\
import re, resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
from tallystick.cli import main
from tallystick.errors import InputError
task, command, path = sys.argv[1:]
print(main(["task", command, path, "--task", task]))
print(int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1]) >> 10)
"""


def _run_limited(*words):
    call = [sys.executable, "-c", LIMITED, *map(str, words)]
    found = subprocess.run(call, capture_output=True, text=True, check=False)
    *_, code, peak = found.stdout.strip().split("\n")
    return code, int(peak), found.stderr


IDS = pa.array(range(7_000))
WORST = {
    "rows.csv": lambda: b"id,label\n" + b"1,A\n" * 3 * MEGABYTE,
    "commas.csv": lambda: b"id,label\n" + b"," * 49 * MEGABYTE,
    "columns.csv": lambda: b",".join(b"%d" % number for number in range(MEGABYTE)) + b"\n",
    "cells.csv": lambda: b",".join(b"%d" % at for at in range(4_000)) + b"\n1" * 2 * MEGABYTE,
    "bomb.csv.gz": lambda: gzip.compress(b"1,A\n" * 20 * MEGABYTE),
    "bomb.zip": lambda: _zip(("t.csv", b"\0" * 60 * MEGABYTE)),
    "bzip2.zip": lambda: _zip(("t.csv", b"\0" * 90 * MEGABYTE), method=zipfile.ZIP_BZIP2),
    "list.zip": lambda: _zip(*((str(number), b"") for number in range(30_000))),
    "deep.jsonl": lambda: b'{"id":1,"label":' + b"[" * MEGABYTE + b"]" * MEGABYTE + b"}\n",
    "lists.jsonl": lambda: (b'{"id":1,"label":[' + b",".join([b"[]"] * MEGABYTE) + b"]}\n") * 2,
    "objects.json": lambda: b"[" + b",".join([b"{}"] * 2 * MEGABYTE) + b"]",
    "keys.jsonl": lambda: b"".join(b'{"id":%d,"k%d":1}\n' % (at, at) for at in range(9_000)),
    "line.csv": lambda: b"id,label\n1," + b"A" * 49 * MEGABYTE,
    "texts.parquet": lambda: _write_parquet(id=IDS, label=_repeat("A" * 5 * MEGABYTE, 7_000)),
    "bytes.parquet": lambda: _write_parquet(
        id=IDS[:70], label=_repeat(b"A" * 900_000, 70, 900_000)
    ),
    "columns.parquet": lambda: _write_parquet(**{f"c{n}": pa.array([1]) for n in range(10_001)}),
    "rows.parquet": lambda: _write_parquet(id=_repeat("1", 20 * MEGABYTE)),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", WORST)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit what is allocated")
def test_harm_takes_no_more_than_300_megabytes(folder, name):
    (folder / "task.yaml").write_text(TASK.replace("megabytes: 1", "megabytes: 50"))
    (folder / name).write_bytes(WORST[name]())
    code, peak, errors = _run_limited(folder / "task.yaml", "check", folder / name)
    assert ("4", "") == (code, errors)
    assert peak <= 300


def test_damaged_parquet_is_rejected_and_ends_no_process(folder):
    lists = pa.array([["x"]] * 50)
    content = _write_parquet(id=pa.array(range(50)), label=pa.array(["A", "B"] * 25), l=lists)
    chance = random.Random(3)
    for _ in range(100):
        damaged = bytearray(content)
        for _ in range(chance.choice((1, 1, 2, 5))):
            damaged[chance.randrange(4, len(content) - 8)] = chance.choice((0, 127, 128, 255))
        assert _check(folder, "t.parquet", bytes(damaged))


LONG = "the cat sat on a mat and saw a dog " * 138
"""Ten thousand of these are just below the limit."""


def write_objects(between):
    return between.join(f'{{"id": {at}, "hypothesis": "{LONG}"}}' for at in range(10_000))


LARGE = {
    "t.csv": lambda: "id,hypothesis\n" + "".join(f"{at},{LONG}\n" for at in range(10_000)),
    "t.jsonl": lambda: write_objects("\n"),
    "t.json": lambda: f"[{write_objects(',')}]",
}


@pytest.mark.deep
@pytest.mark.parametrize("command", ["check", "score"])
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not measure so")
def test_files_below_the_limit_take_no_more_than_300_megabytes(tmp_path, name, command):
    rows = range(10_000)
    (tmp_path / "gold.csv").write_text("id,text\n" + "".join(f"{at},the dog\n" for at in rows))
    keys = "{gold: gold.csv, metrics: [exact_match], task: text}"
    (tmp_path / "task.yaml").write_text(f"tracks: {{t: {keys}}}\nlimits: {{megabytes: 50}}\n")
    (tmp_path / name).write_text(LARGE[name]())

    code, peak, _ = _run_limited(tmp_path / "task.yaml", command, tmp_path / name)

    assert ("0", True) == (code, peak <= 300)


@pytest.mark.parametrize(
    ("keys", "head", "cell", "shown"),
    [
        ("metrics: [span_f1]", "spans", "[]" * 70_000, "is not a JSON list of spans"),
        ("metrics: [macro_f1], task: multilabel, labels: [a, b], columns: {delimiter: '|'}",
         "label", "a|" * 500_000, "label 'a' occurs twice in one example"),
        ("metrics: [accuracy], labels: [a, b]", "label", "a" * 1_500_000, "look like texts"),
    ],
)  # fmt: skip
def test_cells_of_many_values_are_rejected(tmp_path, keys, head, cell, shown):
    gold = {"spans": '"[[0, 1, ""X""]]"'}.get(head, "a")
    (tmp_path / "gold.csv").write_text(f"id,{head}\n1,{gold}\n2,{gold}\n")
    (tmp_path / "task.yaml").write_text(f"tracks: {{t: {{gold: gold.csv, {keys}}}}}")
    rows = "".join(f"{at},{cell * (6 if head == 'spans' else 1)}\n" for at in (1, 2))
    (tmp_path / "t.csv").write_text(f"id,{head}\n{rows}")

    checked = check_submission(read_task(str(tmp_path / "task.yaml")), str(tmp_path / "t.csv"))

    assert checked.rejected
    assert any(shown in one.message for one in checked.findings)


def test_long_texts_are_no_ids(folder):
    rows = "".join(f"{at}{'x' * 20_000},A\n" for at in range(60))
    shown = "t: t.csv: column 'id' contains texts, where ids were expected"
    (folder / "task.yaml").write_text(TASK.replace("megabytes: 1", "megabytes: 5"))
    assert [shown] == _check(folder, "t.csv", f"id,label\n{rows}".encode())


SNIPPETS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b'"', b"\r", b"\n\n"),
    *(b"[" * 3000, b'{"a":' * 2000, b"9" * 400, b"1e999", b"NaN", b"null", b"{}"),
)


def _damage(chance, content):
    at, snippet = chance.randrange(len(content)), chance.choice(SNIPPETS)
    return chance.choice(
        (
            content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :],
            content[:at],
            content[:at] + snippet + content[at:],
            content[:at] + snippet + content[at + 9 :],
            content.replace(chance.choice((b"A", b"1", b"id", b",")), snippet),
            content.decode("latin-1").encode(chance.choice(("utf-16", "utf-32", "utf-16-le"))),
            content * 3,
            b",".join([b"c"] * 100_000) + b"\n" + b"," * 100_000,
        )
    )


def _write_forms():
    rows = [{"id": str(at), "label": "AB"[at % 2]} for at in range(100)]
    columns = {name: pa.array([row[name] for row in rows]) for name in ("id", "label")}
    return {
        "csv": GOLD.encode(),
        "tsv": GOLD.replace(",", "\t").encode(),
        "jsonl": "\n".join(map(json.dumps, rows)).encode(),
        "json": json.dumps(rows).encode(),
        "txt": "".join(f"{row['label']}\n" for row in rows).encode(),
        "parquet": _write_parquet(**columns),
        "csv.gz": gzip.compress(GOLD.encode()),
        "zip": _zip(("t.csv", GOLD.encode())),
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_damaged_submissions_stop_no_other(folder, capsys, seed):
    chance, entries = random.Random(seed), folder / "entries"
    for at, (form, content) in enumerate(_write_forms().items()):
        team = entries / f"team{at}" / f"t.{form}" if form != "zip" else entries / "team.zip"
        team.parent.mkdir(parents=True, exist_ok=True)
        team.write_bytes(_damage(chance, content))
    (entries / "good.csv").write_text(GOLD)
    task = ("--task", str(folder / "task.yaml"))

    codes = [main(["task", "check", str(one), *task]) for one in sorted(entries.iterdir())]
    codes += [main(["task", "score", str(entries), *task])]
    codes += [main(["task", "board", str(entries), *task, "-o", str(folder / "site")])]

    assert {*codes} <= {0, 4}
    assert codes[-2:] == [0, 0]
    assert "Traceback" not in capsys.readouterr().err
    ranked = json.loads((folder / "site/board.json").read_text())["rankings"][0]["places"]
    assert "good" in {one["system"] for one in ranked}

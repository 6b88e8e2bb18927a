"""Files are opened once to find out what they are, and line ends of all kinds are read."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults import call, write
from tallystick.io.files.opening import sniff

COUNT = """
import collections, json, os, sys
opens = collections.Counter()
def note(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opens[os.path.basename(arguments[0])] += 1
sys.addaudithook(note)
from tallystick.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, opens[os.environ["GOLD"]], opens[os.environ["SYSTEM"]]]), file=sys.stderr)
"""
ROWS = [(f"q{row}", "ab"[row % 2], "abb"[row % 3]) for row in range(60)]
FILES = {
    "gold.txt": "".join(f"{gold}\n" for _, gold, _ in ROWS),
    "system.txt": "".join(f"{own}\n" for *_, own in ROWS),
    "g.qrels": "".join(f"{name} 0 d{row} {row % 2}\n" for row, (name, *_) in enumerate(ROWS)),
    "s.run": "".join(f"{name} Q0 d{row} 1 {row / 9} t\n" for row, (name, *_) in enumerate(ROWS)),
    "g.csv": "id,label\n" + "".join(f"{name},{gold}\n" for name, gold, _ in ROWS),
    "s.csv": "id,y_pred\n" + "".join(f"{name},{own}\n" for name, _, own in ROWS),
    "g.tsv": "id\tlabel\n" + "".join(f"{name}\t{gold}\n" for name, gold, _ in ROWS),
    "s.tsv": "id\ty_pred\n" + "".join(f"{name}\t{own}\n" for name, _, own in ROWS),
    "g.jsonl": "".join(json.dumps({"id": n, "label": gold}) + "\n" for n, gold, _ in ROWS),
    "s.jsonl": "".join(json.dumps({"id": n, "y_pred": own}) + "\n" for n, _, own in ROWS),
}
PAIRS = [
    ("gold.txt", "system.txt", "f1"),
    ("g.qrels", "s.run", "nDCG@10"),
    ("g.csv", "s.csv", "f1"),
    ("g.tsv", "s.tsv", "f1"),
    ("g.jsonl", "s.jsonl", "f1"),
]


pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(("command", "packed"), [("score", False), ("compare", True)])
@pytest.mark.parametrize(("gold", "system", "metric"), PAIRS)
def test_a_file_is_opened_at_most_three_times(gold, system, metric, packed, command):
    names = []
    for name in (gold, system):
        names.append(f"{name}.gz" if packed else name)
        content = FILES[name].encode()
        Path(names[-1]).write_bytes(gzip.compress(content) if packed else content)
    both = [*names, f"other={names[1]}"] if command != "score" else names
    process = subprocess.run(
        [sys.executable, "-c", COUNT, command, *both, "-m", metric],
        env={**os.environ, "GOLD": names[0], "SYSTEM": names[1]},
        capture_output=True,
        text=True,
        check=True,
    )
    code, golds, systems = json.loads(process.stderr.splitlines()[-1])
    assert (0, True, True) == (code, 0 < golds <= 3, 0 < systems <= 3)


WHOLE = {
    "g.json": json.dumps([{"id": n, "label": gold} for n, gold, _ in ROWS], indent=1),
    "s.json": json.dumps([{"id": n, "y_pred": own} for n, _, own in ROWS]),
    "g.conll": "".join(f"w {gold}\n\n" for gold in ["B-ä", "I-ä", "O"] * 20),
    "s.conll": "".join(f"w {own}\n\n" for own in ["B-ä", "O"] * 30),
}
LIKE = [*PAIRS, ("g.json", "s.json", "f1"), ("g.conll", "s.conll", "span_f1")]
MARK = "\ufeff"


@pytest.mark.parametrize(("end", "encoding", "mark"), [
    ("\r", "utf-8", ""), ("\r\n", "utf-8", ""), ("\r\n", "utf-16-le", MARK),
    ("\n", "utf-16-be", MARK), ("\r", "utf-16-be", MARK), ("\r\n", "utf-16-le", ""),
    ("\n", "utf-16-be", ""),
])  # fmt: skip
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("files", LIKE)
def test_lines_of_every_encoding_end_alike(files, end, encoding, mark, last):
    found, (gold, system, metric) = [], files
    for ending, codec, start in (("\n", "utf-8", ""), (end, encoding, mark)):
        for name in (gold, system):
            text = {**FILES, **WHOLE}[name].replace("b\n", "ē\n")
            text = start + (text if last else text.removesuffix("\n")).replace("\n", ending)
            content = text.encode(codec)
            Path(name).write_bytes(content if last else gzip.compress(content))
        found.append(call("score", gold, system, "-m", metric, "--format", "json").out)
    assert found[0] == found[1] != ""


@pytest.mark.parametrize("rows", [1, 50_000])
@pytest.mark.parametrize("name", ["gold.txt", "gold.csv", "gold.jsonl", "gold.conll", "gold.qrels"])
@pytest.mark.parametrize(
    ("end", "message"), [(b"x", "truncated data"), (b"\0\xd8a\0", "illegal UTF-16 surrogate")]
)
def test_broken_utf16_names_its_line(name, rows, end, message):
    line = {
        "gold.txt": "a\n",
        "gold.csv": "label,y_pred\n",
        "gold.jsonl": '{"label": "a", "y_pred": "b"}\n',
        "gold.conll": "a B-x\n",
        "gold.qrels": "q 0 d 1\n",
    }[name]
    write({name: (line * rows).encode("utf-16") + end})
    outcome = call("score", name, name)
    assert (4, "") == (outcome.code, outcome.out)
    assert f"{name}: line {rows + 1} is not UTF-16: {message}; save" in outcome.error, outcome.err


def test_a_task_reads_gold_ids_and_submissions_in_utf16():
    write(
        {name: "id,label\n1,ä\n2,b\n".encode("utf-16") for name in ("gold.csv", "ids.csv", "t.csv")}
    )
    keys = "{gold: gold.csv, metrics: [accuracy], ids: ids.csv}"
    write({"task.yaml": f"tracks:\n  t: {keys}\n".encode("utf-16-le")})
    for command in ("check", "score"):
        assert 0 == call("task", command, "t.csv").code


def test_a_file_that_changes_is_read_again():
    for label in "ab":
        write({"gold.txt": "a\nb\n", "system.txt": f"{label}\nb\n"})
        os.utime("system.txt", (1, 1))
        assert label == sniff("system.txt").decode()[0]
        outcome = call("score", "gold.txt", "system.txt", "-m", "accuracy", "--format", "json")
        assert 1 - "ab".index(label) / 2 == json.loads(outcome.out)["scores"][0]["value"]


@pytest.mark.parametrize(("files", "error"), [
    (("q1 0 d1 1\n", "q1 Q0 d1 1 high t\n"), "s.run, line 1: the score is 'high', not a num"),
    (("q1 0 d1 1\n", "q1 Q0 d1 1 .5 t\nq2 Q0 d1 1 x t\n"), "s.run, line 2: the score is 'x'"),
])  # fmt: skip
def test_a_short_run_with_a_bad_score_names_its_line(files, error):
    write(dict(zip(("g.qrels", "s.run"), files, strict=True)))
    outcome = call("score", "g.qrels", "s.run", "-m", "RR")
    assert (4, True) == (outcome.code, error in outcome.err), outcome.err

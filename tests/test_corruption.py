"""Two hundred corrupted files: each ends in a correct result or in one error, never a traceback.

Every corruption is drawn from a seed of its own, so a failure can be seen again by its number. What
is still readable is read by the plainest means of Python and scored by scikit-learn.
"""

import csv
import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from sklearn import metrics as sk

from tallystick.cli import main

SEEDS = range(200)
LABELS = ["anger", "joy", "sadness", "şaşkınlık"]
CELLS = [
    *("", " ", "nan", "NULL", "inf", "-1", "1.5", "1e999", "0x1", "1_0", "true", "猫", "\x00"),
    *('"', '""', '"a', "a\nb", "a\rb", "'", ",", "\t", "\\", "{", "[]", "null", "\u2028", "=1+1"),
]
LABEL_METRICS = ["--task", "multiclass", "-m", "accuracy", "macro_f1", "--format", "json"]
CURVE_METRICS = ["--task", "binary", "-m", "accuracy", "roc_auc", "--format", "json"]

Row = dict[str, Any]
Expected = dict[str, float | None]


def draw_rows() -> list[Row]:
    """Returns the rows that all valid files hold."""
    draw = random.Random(0)
    return [
        {
            "id": f"e{number}",
            "y_true": draw.choice(LABELS),
            "y_pred": draw.choice(LABELS),
            "text": draw.choice(["plain", "with, comma", 'with "quotes"', "two\nlines", "ölçü"]),
        }
        for number in range(24)
    ]


def draw_probabilities() -> list[Row]:
    """Returns rows of a binary task with probabilities."""
    draw = random.Random(1)
    return [
        {"id": number, "y_true": draw.choice([0, 1]), "y_prob": round(draw.random(), 3)}
        for number in range(24)
    ]


def write_csv(rows: list[Row], *names: str, delimiter: str = ",") -> bytes:
    """Returns some columns of the rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(
        text, names, extrasaction="ignore", delimiter=delimiter, lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def read_csv(content: bytes, delimiter: str = ",") -> list[Row]:
    """Reads CSV as Python does, without blank rows."""
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    header, *rows = [row for row in csv.reader(text, delimiter=delimiter) if row]
    return [dict(zip(header, row, strict=True)) for row in rows]


def read_lines(content: bytes) -> list[str]:
    """Reads a label a line, without blank lines at the end."""
    lines = content.decode("utf-8-sig").split("\n")
    labels = [line.removesuffix("\r") for line in lines]
    while labels and not labels[-1]:
        labels.pop()
    return labels


def read_objects(content: bytes) -> list[Row]:
    """Reads an object a line."""
    return [json.loads(line) for line in content.decode("utf-8-sig").split("\n") if line.strip()]


def write_parquet(rows: list[Row]) -> bytes:
    """Returns the rows as Parquet."""
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def score_labels(gold: list[str], predicted: list[str]) -> Expected:
    """Returns what scikit-learn makes of the labels."""
    return {
        "accuracy": sk.accuracy_score(gold, predicted),
        "macro_f1": sk.f1_score(gold, predicted, average="macro", zero_division=0),
    }


def score_rows(rows: list[Row]) -> Expected:
    """Returns what scikit-learn makes of gold and predicted labels."""
    return score_labels([row["y_true"] for row in rows], [row["y_pred"] for row in rows])


def score_probabilities(rows: list[Row]) -> Expected:
    """Returns what scikit-learn makes of probabilities."""
    gold = [int(float(row["y_true"])) for row in rows]
    probabilities = [float(row["y_prob"]) for row in rows]
    predicted = [int(probability >= 0.5) for probability in probabilities]
    both = len(set(gold)) == 2
    return {
        "accuracy": sk.accuracy_score(gold, predicted),
        "roc_auc": sk.roc_auc_score(gold, probabilities) if both else None,
    }


def join_rows(predictions: list[Row]) -> Expected:
    """Returns what scikit-learn makes of predictions joined by id with the valid gold."""
    predicted = {row["id"]: row["y_pred"] for row in predictions}
    gold = {row["id"]: row["y_true"] for row in ROWS}
    return score_labels(list(gold.values()), [predicted[one] for one in gold])


def list_languages(content: bytes) -> Expected:
    """Returns the accuracy of the languages that a configuration names, or of all."""
    data = (yaml.safe_load(content) or {}).get("data") or {}
    languages = data.get("languages", ["en", "es"])
    return dict.fromkeys([*languages, "macro", "micro"], 1.0)


ROWS = draw_rows()
GOLD = "".join(f"{row['y_true']}\n" for row in ROWS).encode()
RUN_FILE = b"y_true,y_pred\n1,1\n0,0\n"
CONFIG = b"data:\n  processed_dir: data\n  languages:\n    - en\n    - es\ntraining: {seed: 42}\n"
COLUMNS = ("id", "y_true", "y_pred", "text")

Kind = tuple[str, bytes, list[str], Callable[[bytes], Expected]]

# What is corrupted, what it holds, the command, and what scikit-learn makes of what is left.
KINDS: list[Kind] = [
    (
        "t.csv",
        write_csv(ROWS, *COLUMNS),
        ["t.csv", *LABEL_METRICS],
        lambda c: score_rows(read_csv(c)),
    ),
    (
        "t.tsv",
        write_csv(ROWS, *COLUMNS, delimiter="\t"),
        ["t.tsv", *LABEL_METRICS],
        lambda c: score_rows(read_csv(c, "\t")),
    ),
    (
        "p.csv",
        write_csv(ROWS[::-1], "id", "y_pred"),
        ["gold.csv", "p.csv", *LABEL_METRICS],
        lambda c: join_rows(read_csv(c)),
    ),
    (
        "b.csv",
        write_csv(draw_probabilities(), "id", "y_true", "y_prob"),
        ["b.csv", *CURVE_METRICS],
        lambda c: score_probabilities(read_csv(c)),
    ),
    (
        "g.txt",
        GOLD,
        ["g.txt", "gold.txt", *LABEL_METRICS],
        lambda c: score_labels(read_lines(c), read_lines(GOLD)),
    ),
    (
        "t.jsonl",
        "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
        ["t.jsonl", *LABEL_METRICS],
        lambda c: score_rows(read_objects(c)),
    ),
    (
        "t.parquet",
        write_parquet(ROWS),
        ["t.parquet", *LABEL_METRICS],
        lambda c: score_rows(pq.read_table(io.BytesIO(c)).to_pylist()),
    ),
    (
        "t.csv.gz",
        gzip.compress(write_csv(ROWS, *COLUMNS), mtime=0),
        ["t.csv.gz", *LABEL_METRICS],
        lambda c: score_rows(read_csv(c)),
    ),
    (
        "c.yaml",
        CONFIG,
        [
            *("--pred-dir", ".", "--run-tag", "tag", "--config", "c.yaml"),
            *("-m", "accuracy", "--format", "json"),
        ],
        list_languages,
    ),
]


def delete_bytes(content: bytes, draw: random.Random) -> bytes:
    """Takes out a few bytes."""
    start = draw.randrange(len(content))
    return content[:start] + content[start + draw.randint(1, 8) :]


def insert_bytes(content: bytes, draw: random.Random) -> bytes:
    """Puts in a few bytes."""
    start = draw.randrange(len(content) + 1)
    return content[:start] + draw.randbytes(draw.randint(1, 4)) + content[start:]


def flip_bits(content: bytes, draw: random.Random) -> bytes:
    """Turns over a few bits."""
    changed = bytearray(content)
    for _ in range(draw.randint(1, 3)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def cut_end(content: bytes, draw: random.Random) -> bytes:
    """Takes off the end."""
    return content[: draw.randrange(len(content))]


def swap_lines(content: bytes, draw: random.Random) -> bytes:
    """Lets two lines change places."""
    lines = content.split(b"\n")
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def repeat_line(content: bytes, draw: random.Random) -> bytes:
    """Writes a line twice."""
    lines = content.split(b"\n")
    lines.insert(draw.randrange(len(lines)), draw.choice(lines))
    return b"\n".join(lines)


def change_cell(content: bytes, draw: random.Random) -> bytes:
    """Puts something odd in the place of a cell."""
    lines = content.split(b"\n")
    number = draw.randrange(len(lines))
    mark = b"\t" if b"\t" in content else b","
    cells = lines[number].split(mark)
    cells[draw.randrange(len(cells))] = draw.choice(CELLS).encode()
    lines[number] = mark.join(cells)
    return b"\n".join(lines)


def mangle_gzip(content: bytes, draw: random.Random) -> bytes:
    """Packs the file and then damages it."""
    damage = draw.choice([delete_bytes, insert_bytes, flip_bits, cut_end])
    return damage(gzip.compress(content, mtime=0), draw)


CORRUPTIONS = [
    delete_bytes,
    insert_bytes,
    flip_bits,
    cut_end,
    swap_lines,
    repeat_line,
    change_cell,
    mangle_gzip,
]


def unpack(content: bytes) -> bytes:
    """Returns what a file holds, gzipped or not."""
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test runs in a folder of its own that has the valid files."""
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_bytes(write_csv(ROWS, "id", "y_true"))
    Path("gold.txt").write_bytes(GOLD)
    Path("tag_en.csv").write_bytes(RUN_FILE)
    Path("tag_es.csv").write_bytes(RUN_FILE)


def read_values(out: str) -> Expected:
    """Returns the values of a result by metric, or those of a run by group."""
    records = json.loads(out)["scores"]
    return {record["group"] or record["name"]: record["value"] for record in records}


@pytest.mark.parametrize("kind", KINDS, ids=[kind[0] for kind in KINDS])
def test_a_valid_file_agrees_with_scikit_learn(capsys, kind):
    """Before it is corrupted, every file is scored as scikit-learn scores it."""
    name, content, arguments, expect = kind
    Path(name).write_bytes(content)

    code = main(["score", *arguments])

    actual = read_values(capsys.readouterr().out)

    assert code == 0
    assert expect(unpack(content)) == pytest.approx(actual, abs=1e-12)


@pytest.mark.deep
@pytest.mark.parametrize("seed", SEEDS)
def test_a_corrupted_file_is_scored_rightly_or_refused(capsys, seed):
    """The result is scikit-learn's on what can be read, or there is one error and no result."""
    draw = random.Random(seed)
    name, content, arguments, expect = KINDS[seed % len(KINDS)]
    corrupted = draw.choice(CORRUPTIONS)(content, draw)
    Path(name).write_bytes(corrupted)

    code = main(["score", *arguments])
    captured = capsys.readouterr()

    if code == 0:
        assert expect(unpack(corrupted)) == pytest.approx(read_values(captured.out), abs=1e-12)
    else:
        assert (4, "", 1) == (code, captured.out, captured.err.count("tallystick: error: "))

"""Corrupted calls and files end in results or in one sentence."""

import csv
import gzip
import io
import json
import random
import unicodedata
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from faults import call, write
from tallystick.errors import InputError
from tallystick.io.config import read_languages
from tallystick.io.files.lines import read_lines
from tallystick.io.tables.table import read_table

BATCH = 25
FORMATS = ("table", "json", "csv", "markdown", "html", "latex")
LABELS = ("anger", "joy", "şaşkınlık")
MARKS = (
    *(b"\x00", b"\x1b[2J", b"\xff", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\r", b"\n", b'"', b","),
    *(b";", b"\t", b"=1+1", b"nan", b"-1", b"1e999", b"[", b"{", b"\\u0000"),
)
CELLS = ("", " ", "nan", "inf", "-1", "2", "1e999", "joy ", "JOY", "é", '"', "=1", "\x1b[31m", "猫")


def write_table(rows, mark=","):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=mark, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write_objects(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write_parquet(rows):
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def draw_files():
    draw = random.Random(0)
    rows = range(16)
    gold = [
        {"id": f"e{row}", "y_true": draw.choice(LABELS), "g": draw.choice("ab")} for row in rows
    ]
    guess = [{"id": f"e{row}", "y_pred": draw.choice(LABELS)} for row in rows]
    binary = [{"id": row, "y_true": row % 2, "y_prob": round(draw.random(), 2)} for row in rows]
    bits = [{"id": row, "sport": row % 2, "food": row % 3 % 2} for row in rows]
    lines = [" ".join(draw.choices(["the", "cat", "sat", "on", "mat"], k=6)) for _ in rows]
    return {
        "g.csv": write_table(gold),
        "p.csv": write_table(guess),
        "p.jsonl": write_objects(guess),
        "p.tsv": write_table(guess, "\t"),
        "p.parquet": write_parquet(guess),
        "o.csv": write_table(binary),
        "r/t_de.csv": write_table(binary),
        "bits.csv": write_table(bits),
        "ref.txt": "".join(f"{line}\n" for line in lines).encode(),
        "hyp.txt": "".join(f"{line[:-2]}\n" for line in lines).encode(),
        "s/a.csv": write_table(guess),
        "s/b.jsonl": write_objects(guess),
        "c.yaml": b"tracks:\n  t:\n    gold: g.csv\n    metrics: [accuracy]\n",
        "d.yaml": b"data:\n  languages:\n    - de\ntraining: {seed: 42}\n",
    }


COMMANDS = (
    ("score g.csv p.csv -m accuracy --format {}", ("g.csv", "p.csv")),
    ("score g.csv p.csv --by g --format {}", ("g.csv", "p.csv")),
    ("score g.csv p.jsonl -m accuracy --format {}", ("p.jsonl",)),
    ("score g.csv p.tsv -m accuracy --format {}", ("p.tsv",)),
    ("score g.csv p.parquet -m accuracy --format {}", ("p.parquet",)),
    ("score --pred-dir r --run-tag t --config d.yaml -m f1 --format {}", ("d.yaml",)),
    ("score g.csv p.csv -m accuracy -o new.out --confusion c.csv --format {}", ("g.csv", "p.csv")),
    ("score g.csv p.csv --invalid wrong --missing wrong -m macro_f1 --format {}", ("p.csv",)),
    ("score o.csv --format {}", ("o.csv",)),
    ("score --pred-dir r --run-tag t -m f1 roc_auc --format {}", ("r/t_de.csv",)),
    ("score bits.csv x=bits.csv -m macro_f1 --format {}", ("bits.csv",)),
    ("score ref.txt hyp.txt -m bleu chrf --resamples 100 --format {}", ("ref.txt", "hyp.txt")),
    ("compare g.csv p.csv x=p.jsonl -m accuracy --resamples 100 --format {}", ("p.csv", "p.jsonl")),
    ("compare g.csv p.csv x=p.csv -m accuracy --resamples 100 --flips f.csv", ("p.csv", "g.csv")),
    (
        "rank g.csv --submissions s -m accuracy --resamples 100 --format {}",
        ("s/a.csv", "s/b.jsonl"),
    ),
    ("task rank s --task c.yaml --resamples 100 --format {}", ("c.yaml", "s/a.csv", "g.csv")),
    ("gate g.csv p.csv --against x=p.jsonl -m accuracy --floor 0 --resamples 100", ("p.jsonl",)),
    ("tune o.csv --cross-fit 2 -o new.csv", ("o.csv",)),
    ("tune o.csv --by y_true", ("o.csv",)),
)
"""Commands, and which of their files may be corrupted."""


def _insert(draw, content):
    place = draw.randrange(len(content) + 1)
    return content[:place] + draw.choice(MARKS) + content[place:]


def _cut(draw, content):
    start = draw.randrange(len(content))
    return content[:start] + content[start + draw.randint(1, 40) :]


def _truncate(draw, content):
    return content[: draw.randrange(len(content))]


def _flip(draw, content):
    changed = bytearray(content)
    changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _lose_line(draw, content):
    lines = content.splitlines(keepends=True)
    del lines[draw.randrange(len(lines))]
    return b"".join(lines)


def _repeat_line(draw, content):
    lines = content.splitlines(keepends=True)
    lines.insert(draw.randrange(len(lines)), draw.choice(lines))
    return b"".join(lines)


def _change_cell(draw, content):
    lines = content.split(b"\n")
    row = draw.randrange(len(lines))
    cells = lines[row].split(b",")
    cells[draw.randrange(len(cells))] = draw.choice(CELLS).encode()
    lines[row] = b",".join(cells)
    return b"\n".join(lines)


def _shuffle(draw, content):
    head, *lines = content.splitlines(keepends=True)
    draw.shuffle(lines)
    return head + b"".join(lines)


def _rename(draw, content):
    names = [b"y_true", b"y_pred", b"y_prob", b"id", b"g", b"sport"]
    return content.replace(draw.choice(names), draw.choice([*names, b"other", b""]))


def _separate(draw, content):
    return content.replace(b",", draw.choice([b";", b"\t", b", ", b",,"]))


def _encode(draw, content):
    codec = draw.choice(["utf-16", "utf-16-le", "utf-32", "cp1254", "utf-8-sig"])
    return content.decode("utf-8", "replace").encode(codec, "replace")


def _pack(draw, content):
    packed = gzip.compress(content)
    return packed if draw.random() < 0.5 else _truncate(draw, packed)


def _empty(draw, _):
    return draw.choice([b"", b"\n", b"\xef\xbb\xbf", b"id\n", b"{}", b"[]", b"null\n", b"," * 50])


CORRUPTIONS = (
    _insert,
    _cut,
    _truncate,
    _flip,
    _lose_line,
    _repeat_line,
    _change_cell,
    _shuffle,
    _rename,
    _separate,
    _encode,
    _pack,
    _empty,
)
ORIGINAL = draw_files()


def read_labels(content, name, column):
    content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    if name.endswith(".parquet"):
        rows = pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()
    elif name.endswith(".jsonl"):
        lines = content.decode("utf-8-sig").split("\n")
        rows = [json.loads(line) for line in lines if line.strip()]
    else:
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        mark = "\t" if name.endswith(".tsv") else ","
        rows = list(csv.DictReader(text, delimiter=mark, strict=True))
    labels = {row["id"]: row[column] for row in rows}
    whole = all(isinstance(one, str) and one for pair in labels.items() for one in pair)
    return labels if len(labels) == len(rows) and whole else None


def expect_accuracy(files, system):
    try:
        gold = read_labels(files["g.csv"], "g.csv", "y_true")
        guess = read_labels(files[system], system, "y_pred")
    except (ValueError, KeyError, TypeError, OSError, EOFError, csv.Error):
        return None
    if gold is None or guess is None or set(gold) != set(guess):
        return None
    return sum(gold[one] == guess[one] for one in gold) / len(gold)


def list_files():
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def check(line, files, outcome):
    both = outcome.out + outcome.err
    assert outcome.code in (0, 1, 2, 3, 4)
    assert "Traceback" not in both
    # The scripts of a page hold tabs, and are for no terminal.
    still = "\n\t" if outcome.out.startswith("<!DOCTYPE html>") else "\n"
    moving = [one for one in {*both} - {*still} if unicodedata.category(one) in ("Cc", "Cs")]
    # CSV is for programs, and names groups as their files do.
    assert [] == moving or line.endswith("--format csv")
    left = list_files()
    assert files == {name: content for name, content in left.items() if name in files}
    if outcome.code in (2, 4):
        assert 1 == outcome.err.count("tallystick: error: ")
        assert "\n" not in outcome.error
        assert outcome.error
        assert files.keys() == left.keys()
    if outcome.code == 0 and line.startswith("score g.csv p") and " -m accuracy " in line:
        shown = Path("new.out").read_text("utf-8") if "new.out" in line else outcome.out
        expected = expect_accuracy(files, line.split()[2])
        assert expected is None or show(expected, line) in shown


def show(accuracy, line):
    format = line.rsplit(maxsplit=1)[-1]
    exact = {"json": f'"value": {accuracy!r},', "csv": f",{accuracy!r}"}
    return exact.get(format, f"{accuracy:.3f}")


@pytest.mark.deep
@cases("batch", *range(1000 // BATCH))
def test_a_corrupted_call_ends_well(batch, tmp_path, monkeypatch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        draw = random.Random(seed)
        template, corruptible = COMMANDS[seed % len(COMMANDS)]
        line = template.format(draw.choice(FORMATS))
        name = draw.choice(corruptible)
        content = ORIGINAL[name]
        for corrupt in draw.choices(CORRUPTIONS, k=draw.choice([1, 1, 2])):
            content = corrupt(draw, content) if content else content
        files = {**ORIGINAL, name: content}
        folder = tmp_path / str(seed)
        folder.mkdir()
        monkeypatch.chdir(folder)
        write(files)
        outcome = call(*line.split())
        try:
            check(line, files, outcome)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {line}\n{name}: {content!r}\n{outcome}") from error


def pack_parquet():
    sink = io.BytesIO()
    columns = {"a": ["x", "é", None], "b": [1, 2, 3], "c": [["p"], [], ["q", "r"]]}
    pyarrow.parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


SOUND = {
    "csv": 'a,b,c\n1,"x ""q""\n y",z\r\n2,é,"w"\n\n3,,"last"\n'.encode(),
    "column": b'a\n"x"\n\ny\n',
    "tsv": 'a\tb\n1\t"x\ty"\n2\t中\n'.encode(),
    "jsonl": '{"a": "x", "b": 1, "c": ["p"]}\n{"a": "é", "b": 2.5, "d": true}\n'.encode(),
    "parquet": pack_parquet(),
    "lines": "a\n\né\n".encode(),
    "yaml": b"data:\n  languages: [en, &a es]\nmodel: {d: 2001-01-01, n: 0x1f, x: *a}\n",
}
READERS = {
    "csv": partial(read_table, format="csv"),
    "column": partial(read_table, format="csv"),
    "tsv": partial(read_table, format="tsv"),
    "jsonl": partial(read_table, format="jsonl"),
    "parquet": partial(read_table, format="parquet"),
    "lines": read_lines,
    "yaml": read_languages,
}


def truncate(place, content):
    return content[: int(place * len(content))]


def flip(place, bit, content):
    at = int(place * len(content))
    return (
        content[:at] + bytes(byte ^ (1 << bit) for byte in content[at : at + 1]) + content[at + 1 :]
    )


def insert(place, extra, content):
    at = int(place * len(content))
    return content[:at] + extra + content[at:]


def drop_line(place, content):
    lines = content.splitlines(keepends=True)
    at = int(place * len(lines))
    return b"".join(lines[:at] + lines[at + 1 :])


PLACES = st.floats(0, 1, exclude_max=True)
EXTRAS = st.sampled_from(b'" "" , \t \n \r \0 \xff \xef\xbb\xbf { [ }'.split(b" ")) | st.binary(
    min_size=1, max_size=3
)
EDITS = st.one_of(
    PLACES.map(lambda place: partial(truncate, place)),
    st.builds(lambda place, bit: partial(flip, place, bit), PLACES, st.integers(0, 7)),
    st.builds(lambda place, extra: partial(insert, place, extra), PLACES, EXTRAS),
    PLACES.map(lambda place: partial(drop_line, place)),
    st.just(gzip.compress),
)


@cases("kind", *SOUND)
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
def test_a_corrupted_file_is_read_or_rejected(tmp_path_factory, kind, edits):
    path = tmp_path_factory.getbasetemp() / "corrupted"
    content = SOUND[kind]
    for edit in edits:
        content = edit(content)
    path.write_bytes(content)
    try:
        READERS[kind](str(path))
        message = "read"
    except InputError as error:
        message = str(error)
    assert [message] == message.splitlines()


FIELDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=5)


@given(
    rows=st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(
                FIELDS | st.sampled_from(["\n", '"', ",", "\r\n", "NA"]),
                min_size=width,
                max_size=width,
            ),
            min_size=1,
            max_size=5,
        )
    ),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_was_written_as_csv_is_read_back(tmp_path_factory, rows, end):
    path = tmp_path_factory.getbasetemp() / "written.csv"
    header = [f"column {index}" for index in range(len(rows[0]))]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator=end).writerows([header, *rows])
    assert rows == [list(row.values()) for row in read_table(str(path)).columns.to_pylist()]

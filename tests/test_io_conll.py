"""Files of the form of CoNLL are read as their lines are split."""

import random

import pyarrow as pa
import pytest

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked
from tallystick.io.tables import conll
from tallystick.io.tables.conll import iterate_conll
from tallystick.io.tables.formats import FORMATS

WORDS = ["w", "é", "#", "x" * 9, "don't", '"', "\x0b", "a\u00a0b"]


def write(seed: int) -> bytes:
    drawn = random.Random(seed)
    width, mark = drawn.choice([2, 3]), drawn.choice([" ", "  ", "\t"])
    text = drawn.choice(["", "\ufeff"])
    odd = drawn.random() < 0.5
    for _ in range(drawn.randrange(1, 30)):
        if odd and drawn.random() < 0.1:
            text += drawn.choice(["# id = 7\n", "-DOCSTART- -X- O\n\n"])
        for _ in range(drawn.randrange(1, 6)):
            word = drawn.choice([*WORDS, "a b"] if mark == "\t" else WORDS)
            tags = [drawn.choice(["O", "B-PER", f"B-{drawn.randrange(40)}"]) for _ in range(2)]
            cells = [word, *tags][: width - (odd and drawn.random() < 0.01)]
            text += mark.join(cells) + drawn.choice(["\n", "\n", "\r\n"])
        text += drawn.choice(["\n", "\n\n", " \n"])
    written = text.encode()
    if odd and drawn.random() < 0.1:
        written = written[:20] + b"\xff" + written[20:]
    return written.rstrip() if drawn.random() < 0.3 else written


(FORMAT,) = (one for one in FORMATS if one.name == "conll")


def read(path: str) -> list[object]:
    try:
        _, whole = FORMAT.read(Asked(path, "conll"))
        pieces = pa.concat_tables(table for _, table in iterate_conll(Asked(path, "conll"), 0))
    except InputError as error:
        return [str(error)]
    return [whole.to_pydict(), pieces.combine_chunks().to_pydict(), whole.schema, pieces.schema]


@pytest.mark.parametrize("seed", range(150))
def test_sentences_are_the_same_wherever_pieces_end(tmp_path, monkeypatch, seed):
    path = tmp_path / "gold.conll"
    path.write_bytes(write(seed))
    found = read(str(path))
    monkeypatch.setattr(conll, "_CHUNK", 50)
    assert found == read(str(path))


@pytest.mark.parametrize("seed", range(150))
def test_tokens_and_tags_are_the_fields_of_lines(tmp_path, seed):
    content = write(seed)
    path = tmp_path / "gold.conll"
    path.write_bytes(content)
    try:
        text = content.decode("utf-8-sig")
        _, whole = FORMAT.read(Asked(str(path), "conll"))
    except (InputError, UnicodeDecodeError):
        return
    part = (lambda line: line.split("\t")) if "\t" in text else lambda line: line.split(" ")
    lines = [list(filter(None, part(line.rstrip("\r")))) for line in text.split("\n")]
    rows = [line for line in lines if line and line[0] != "-DOCSTART-"]
    rows = [line for line in rows if line[:3] != ["#", "id", "="]]
    for place in range(len(rows[0])):
        found = [one for own in whole[str(place + 1)].to_pylist() for one in own]
        assert found == [line[place] for line in rows]

"""Files of the form of CoNLL whose lines are alike are read by the kernel, and as others are."""

import random
from types import SimpleNamespace

import pyarrow as pa
import pytest

from tallystick.errors import InputError
from tallystick.io.files.pieces import Asked
from tallystick.io.tables import conll
from tallystick.io.tables.conll import iterate_conll, read_conll

WORDS = ["w", "é", "#", "x" * 9, "don't", '"', "\x0b", "a\u00a0b"]


def write(seed: int) -> bytes:
    """Sentences of two or three columns, now and then with a comment, a document or a fault."""
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


def read(path: str) -> list[object]:
    """All that is read of a file, whole and in pieces, or what is wrong with it."""
    try:
        _, whole = read_conll(Asked(path, "conll"))
        pieces = pa.concat_tables(table for _, table in iterate_conll(Asked(path, "conll")))
    except InputError as error:
        return [str(error)]
    return [whole.to_pydict(), pieces.combine_chunks().to_pydict(), whole.schema, pieces.schema]


@pytest.mark.parametrize(("chunk", "most"), [(1 << 22, 1 << 14), (50, 1 << 14), (50, 3)])
def test_lines_that_are_alike_are_read_as_others_are(tmp_path, monkeypatch, chunk, most):
    """Sentences, tags, numbers of lines, documents and messages, wherever pieces end."""
    monkeypatch.setattr(conll, "_CHUNK", chunk)
    monkeypatch.setattr(conll, "MOST_CODED", most)
    kernel, taken = conll._ext.code_fields, [0, 0]

    def count(*options):
        found = kernel(*options)
        taken[found is not None] += 1
        return found

    path = tmp_path / "gold.conll"
    for seed in range(150):
        path.write_bytes(write(seed))
        monkeypatch.setattr(conll, "_ext", SimpleNamespace(code_fields=count))
        found = read(str(path))
        monkeypatch.setattr(conll, "_ext", SimpleNamespace(code_fields=lambda *_: None))
        assert found == read(str(path))
    assert min(taken) > 10

"""Facts about `tallystick score` on texts: files of lines, tables, options, and bad input."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tallystick.cli import main
from tallystick.metrics import BLEU, WER
from tallystick.tokens import tokenizers

HYPOTHESES = ["the cat sat on", "a dog", ""]
REFERENCES = ["the cat sat", "a dog barked", "x"]
SECOND = ["a cat sat on", "", "y"]
ROWS: list[dict[str, Any]] = [
    {"hypothesis": "a b", "reference": ["a b", "b c"], "domain": "x", "lang": "en"},
    {"hypothesis": "a c", "reference": [None, "a b"], "domain": "y", "lang": "en"},
]

Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _work_there(folder):
    write_lines("hyp.txt", HYPOTHESES)
    write_lines("ref.txt", REFERENCES)
    write_lines("second.txt", SECOND)
    write_lines("short.txt", ["a"])


@pytest.fixture
def score(capsys):
    def run(*arguments):
        code = main(["score", *arguments, "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        records: list[dict[str, Any]] = json.loads(captured.out)["scores"]
        return records

    return run


@pytest.fixture
def complain(capsys):
    def run(*arguments, expected=2):
        code = main(["score", *arguments])
        captured = capsys.readouterr()
        assert (expected, "") == (code, captured.out)
        return captured.err.removeprefix("tallystick: error: ").rstrip("\n")

    return run


def write_lines(name, lines):
    Path(name).write_bytes("".join(f"{line}\n" for line in lines).encode())


def values(records):
    return {record["group"]: record["value"] for record in records}


PLAIN = "".join(f"{line}\n" for line in HYPOTHESES).encode()


@pytest.mark.parametrize("content", [
    PLAIN,
    gzip.compress(PLAIN),
    PLAIN.replace(b"\n", b"\r\n"),
    PLAIN.replace(b"a dog\n\n", b"a dog\n\r\n"),
], ids=["plain", "gzip", "crlf", "mixed"])  # fmt: skip
def test_files_of_lines_are_read_however_they_are_written(score, content):
    Path("other.txt").write_bytes(content)
    assert WER()(HYPOTHESES, REFERENCES) == score("ref.txt", "other.txt", "-m", "wer")[0]["value"]


def test_the_last_line_may_lack_its_end(score):
    Path("open.txt").write_bytes(b"the cat\na dog")
    write_lines("closed.txt", ["the cat", "a dog"])
    records = score("open.txt", "closed.txt", "-m", "wer")
    assert [(0, 2)] == [(record["value"], record["n"]) for record in records]


@pytest.mark.parametrize("mark", ["\r", "\u2028", "\x85", "\x0b", "\x1e"])
def test_only_a_newline_ends_a_line(score, mark):
    write_lines("odd.txt", [f"a{mark}b", "c"])
    assert 2 == score("odd.txt", "odd.txt", "-m", "wer")[0]["n"]


def test_standard_input_may_be_one_of_the_files(score, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN)))
    assert WER()(HYPOTHESES, REFERENCES) == score("ref.txt", "-", "-m", "wer")[0]["value"]


@pytest.mark.parametrize(("options", "missing"), [([], ""), (["--blank-is-missing"], None)])
def test_further_reference_files_are_named(score, options, missing):
    several = [[first, second or missing] for first, second in zip(REFERENCES, SECOND, strict=True)]
    expected = BLEU(order=1)(HYPOTHESES, several)
    records = score("ref.txt", "hyp.txt", "--ref", "second.txt", *options, "-m", "BLEU(order=1)")
    number = "2" if missing == "" else "var"
    assert expected == records[0]["value"]
    assert records[0]["peer_signature"].startswith(f"nrefs:{number}|")


@pytest.mark.parametrize("blank", ["", " ", "  ", "\t", "\u00a0", "\r"])
def test_a_line_of_spaces_is_blank(score, blank):
    write_lines("spaced.txt", [line or blank for line in SECOND])
    files = ("ref.txt", "hyp.txt", "--blank-is-missing", "-m", "bleu", "--ref")
    assert score(*files, "second.txt") == score(*files, "spaced.txt")


def test_an_example_without_a_reference_is_an_error(capsys):
    write_lines("spaced.txt", ["the cat", " ", "a dog"])
    assert 4 == main(["score", "spaced.txt", "hyp.txt", "--blank-is-missing", "-m", "bleu"])
    assert "spaced.txt, line 2: there is no reference" in capsys.readouterr().err


def test_groups_stand_in_a_file_of_their_own(score):
    Path("by.txt").write_bytes("\ufeffnews\nweb\nnews\n".encode())
    expected = {
        "news": WER()([HYPOTHESES[0], HYPOTHESES[2]], [REFERENCES[0], REFERENCES[2]]),
        "web": WER()([HYPOTHESES[1]], [REFERENCES[1]]),
        "micro": WER()(HYPOTHESES, REFERENCES),
    }
    expected["macro"] = (expected["news"] + expected["web"]) / 2

    assert pytest.approx(expected) == values(
        score("ref.txt", "hyp.txt", "--by", "by.txt", "-m", "wer")
    )


def test_segments_are_scored_one_by_one(score):
    assert {
        str(place + 1): WER()([HYPOTHESES[place]], [REFERENCES[place]]) for place in range(3)
    } == values(score("ref.txt", "hyp.txt", "--segments", "-m", "wer"))


@pytest.mark.deep
def test_many_lines_are_scored_as_few(score):
    n = 6000
    write_lines("many.txt", HYPOTHESES * n)
    write_lines("gold.txt", REFERENCES * n)
    records = score("gold.txt", "many.txt", "-m", "wer")
    segments = score("gold.txt", "many.txt", "-m", "wer", "--segments")
    assert (WER()(HYPOTHESES, REFERENCES), 3 * n) == (records[0]["value"], records[0]["n"])
    assert [str(place + 1) for place in range(3 * n)] == [record["group"] for record in segments]


def test_a_line_of_megabytes_is_scored(score):
    write_lines("long.txt", [" ".join(f"w{place % 5_000}" for place in range(1_500_000))])
    assert 1 == score("long.txt", "long.txt", "-m", "NgramPrecision(n=2)")[0]["value"]


def write_table(name):
    if name.endswith(".jsonl"):
        write_lines(name, [json.dumps(row) for row in ROWS])
    else:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), name)


@pytest.mark.parametrize("name", ["table.jsonl", "table.parquet"])
def test_a_table_may_hold_both_sides(score, name):
    write_table(name)
    expected = {"x/en": 1.0, "y/en": 0.5, "macro": 0.75, "micro": 0.75}
    assert expected == values(score(name, "-m", "NgramPrecision()", "--by", "domain", "lang"))


def test_columns_of_a_table_are_named(score):
    Path("table.csv").write_text("left,right\na b,a b\n,c\n")
    columns = ["--hypothesis-column", "left", "--reference-column", "right"]
    assert 1 / 3 == score("table.csv", "-m", "wer", *columns)[0]["value"]


@pytest.mark.parametrize("options", [[], ["--id-column", "key"]])
def test_tables_are_joined_by_id(score, options):
    key = options[1] if options else "id"
    Path("gold.csv").write_text(f"{key},reference\n1,a b\n2,c d\n")
    Path("system.csv").write_text(f"hypothesis,{key}\nc d,2\na b,1\n")
    records = score("gold.csv", "system.csv", "-m", "wer", *options)
    assert [("system", 0)] == [(record["system"], record["value"]) for record in records]


BAD_DATA = [
    (["ref.txt", "short.txt"], "short.txt has 1 line but ref.txt has 3"),
    (["ref.txt", "hyp.txt", "--ref", "short.txt"], "hyp.txt has 3 lines but short.txt has 1"),
    (["ref.txt", "hyp.txt", "--by", "short.txt"], "hyp.txt has 3 lines but short.txt has 1"),
    (["ref.txt", "hyp.txt", "short.txt"], "hyp.txt has 3 lines but short.txt has 1"),
    (["second.txt", "hyp.txt", "--blank-is-missing"], "second.txt, line 2: there is no reference"),
    (["empty.txt", "empty.txt"],
     "empty.txt: is empty (0 bytes); check that the program that writes it has finished"),
    (["ref.txt", "bad.txt"], "bad.txt: line 2 is not UTF-8 at its byte 5 (0xff)"),
    (["bad.txt", "hyp.txt"], "bad.txt: line 2 is not UTF-8 at its byte 5 (0xff)"),
    (["ref.txt", "none.txt"], "none.txt: cannot be read: No such file or directory"),
    (["table.csv"],
     "table.csv: has no gold column: none is called reference, references, ref, gold or "
     "target; the columns are hypothesis, right; name yours with --gold-column"),
    (["table.csv", "two.csv", "--reference-column", "right"],
     "table.csv has 1 examples but two.csv has 2, and there are no ids in both to join them by"),
]  # fmt: skip
CALLED_WRONGLY = [
    (["ref.txt"], "name a reference file, then one file per system"),
    (["hyp.txt", "--ref", "ref.txt"], "name a reference file, then one file per system"),
    (["ref.txt", "hyp.txt", "--by", "ref.txt", "--segments"],
     "segments are not grouped: leave out by or segments"),
    (["ref.txt", "hyp.txt", "--by", "ref.txt", "second.txt"],
     "--by takes one file with the group of each line"),
    (["ref.txt", "hyp.txt", "--labels", "a"],
     "--labels can only be used with labels, not with texts"),
    (["ref.txt", "hyp.txt", "--hypothesis-column", "a"],
     "--predicted-column can only be used with tables of outputs, not with lines of text"),
    (["ref.txt", "hyp.txt", "--id-column", "a"],
     "--id-column can only be used with tables, not with lines of text"),
    (["ref.txt", "table.csv"],
     "table.csv is a table, but the references ref.txt are lines of text"),
    (["table.csv", "--ref", "ref.txt"],
     "--ref can only be used with text files, not with tables; "
     "--gold-column names their columns of references"),
    (["table.csv", "--blank-is-missing"],
     "--blank-is-missing can only be used with text files, not with tables"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "arguments", "message"),
    [(4, *case) for case in BAD_DATA] + [(2, *case) for case in CALLED_WRONGLY],
)
def test_bad_files_are_rejected(complain, expected, arguments, message):
    Path("empty.txt").write_bytes(b"")
    Path("bad.txt").write_bytes(b"ok\nbad \xff x\nok\n")
    Path("table.csv").write_text("hypothesis,right\na,b\n")
    Path("two.csv").write_text("hypothesis\na\nb\n")
    assert message == complain(*arguments, "-m", "bleu", expected=expected)


@pytest.mark.parametrize(("metrics", "message"), [
    (["BLEU(tokeniser='zh')"],
     "BLEU has no option 'tokeniser' here; it has tokenizer, smoothing, smooth_value, "
     "effective_order, lowercase, order, weights"),
    (["BLEU(order=2.5)"], "order must be a whole number from 1 to 16, not 2.5"),
    (["blue"], "unknown metric 'blue'; did you mean bleu?"),
])  # fmt: skip
def test_bad_metrics_are_rejected(complain, metrics, message):
    assert message == complain("ref.txt", "none.txt", "-m", *metrics)


def test_a_metric_of_labels_does_not_fit_texts(complain):
    arguments = ("ref.txt", "hyp.txt", "--task", "text", "-m", "f1")
    assert "f1 is a metric of labels, not of texts" == complain(*arguments)


@pytest.mark.parametrize(("tokenizer", "package", "extra"), [
    ("ja-mecab", "MeCab", "ja"),
    ("ko-mecab", "mecab_ko", "ko"),
    ("spm:a.model", "sentencepiece", "spm"),
])  # fmt: skip
def test_a_tokenizer_without_its_package_names_the_extra(
    complain, monkeypatch, tokenizer, package, extra
):
    monkeypatch.setitem(sys.modules, package, None)
    tokenizers._load.cache_clear()
    name = tokenizer.partition(":")[0]
    expected = f"tokenizer {name} needs the extra: pip install 'tallystick[{extra}]'"
    assert expected == complain("ref.txt", "hyp.txt", "-m", f"BLEU(tokenizer='{tokenizer}')")


def test_a_missing_model_is_named(complain, monkeypatch):
    def fail(model_file):
        raise OSError(f"Not found: {model_file}")

    monkeypatch.setitem(sys.modules, "sentencepiece", SimpleNamespace(SentencePieceProcessor=fail))
    expected = "none.model: cannot be read as a SentencePiece model: Not found: none.model"

    assert expected == complain("ref.txt", "hyp.txt", "-m", "BLEU(tokenizer='spm:none.model')")


@pytest.mark.parametrize(("format", "expected"), [
    ("table", "n    wer\n--------\n3  0.429\n"),
    ("csv", "system,n,wer\nhyp,3,0.42857142857142855\n"),
    ("markdown", "|   n |   WER |\n| --: | ----: |\n|   3 | 0.429 |\n"),
    ("latex", "\\begin{tabular}"),
    ("lines", "WER: 0.4286\n"),
])  # fmt: skip
def test_scores_have_all_formats(capsys, format, expected):
    main(["score", "ref.txt", "hyp.txt", "-m", "wer", "--format", format, "--no-intervals"])
    assert expected in capsys.readouterr().out

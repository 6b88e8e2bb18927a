"""Facts about `tallystick sacrebleu`: it prints what sacreBLEU's own command prints."""

import gzip
import io
import json
import random
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sacrebleu

from peer_commands import run_sacrebleu as theirs
from tallystick.cli import main

Run = Callable[..., str]

WORDS = ["the", "The", "cat", "sat", "on", "a", "mat,", "(which)", "café.", "3,5", "中文字", "ß"]
N = 40
HEAD, MANY = 4, 60
"""Few enough segments for sacreBLEU's slow search for shifts, and for all else."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Made-up references and systems, with all the white space that files have, as the folder."""
    draw = random.Random(1)
    one = [" ".join(draw.choices(WORDS, k=draw.randint(3, 14))) for _ in range(N)]
    two = [garble(draw, line, 0.2) for line in one]
    files = {
        "ref1": one,
        "ref2": two,
        "refs.tsv": [f"{a}\t{b}" for a, b in zip(one, two, strict=True)],
    }
    for name, share in (("a", 0.3), ("b", 0.35), ("c", 0.8), ("baseline_system.txt", 0.3)):
        files[name] = [garble(draw, line, share) for line in one]
    files["a"][3:6] = ["", files["a"][4] + " \t\u3000", files["a"][5].replace(" ", " \r", 1) + "\r"]
    files["all.tsv"] = ["\t".join(row) for row in zip(files["b"], files["c"], one, strict=True)]
    for name, lines in files.items():
        (tmp_path / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
    (tmp_path / "a.gz").write_bytes(gzip.compress((tmp_path / "a").read_bytes()))
    for name in ("ref", "sys"):
        (tmp_path / f"{name}.latin").write_bytes("Café straße\nß b\n".encode("latin-1"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def garble(draw: random.Random, line: str, share: float) -> str:
    """The line with so many of its words replaced."""
    return " ".join(draw.choice(WORDS) if draw.random() < share else word for word in line.split())


@pytest.fixture
def ours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `tallystick sacrebleu`, which must succeed, and returns what it prints."""

    def run(command: str, stdin: str | None = None) -> str:
        if stdin is not None:
            give(Path(stdin).read_bytes(), monkeypatch)
        code = main(["sacrebleu", *shlex.split(command)])
        captured = capsys.readouterr()
        assert 0 == code, captured.err
        return captured.out

    return run


def give(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts something on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def shorten(text: str) -> str:
    """The text with long numbers of four decimals, as far as single precision carries."""
    return re.sub(r"\d+\.\d{6,}", lambda number: f"{float(number[0]):.4f}", text)


@pytest.mark.deep
@pytest.mark.parametrize(
    "command",
    [
        "ref1 -i a",
        "ref1 -i a -m ter chrf bleu",
        "ref1 ref2 -i a -m bleu chrf ter -f text",
        "ref1 ref2 --input a --metrics bleu chrf --format text --short",
        "ref1 -i a -f latex -w 3",
        "ref1 -i a -b -w 4",
        "ref1 -i a -m bleu chrf --score-only",
        "ref1 -i a -m bleu chrf -b -f text",
        "refs.tsv --num-refs 2 -i a -m bleu chrf ter",
        "ref1 -i a -lc -tok char -s floor -sv 0.3",
        "ref1 -i a --tok intl -s add-k",
        "ref1 -i a --tokenize none --smooth-method none --force -w 7",
        "ref1 -i a -l en-zh",
        "ref1 -i a -l ja-en",
        "ref1 -i a -m chrf -cw 2 -cc 4 --chrf-beta 3 --chrf-whitespace --chrf-lowercase",
        "ref1 -i a -m chrf --chrf-eps-smoothing",
        "ref1 -i a -m ter --ter-case-sensitive --ter-asian-support --ter-no-punct --ter-normalized",
        "ref1 -i a -m bleu chrf ter --confidence --confidence-n 60 -w 3",
        "ref1 -i a -m bleu chrf -ci -cin 60 -f text -sh",
        "ref1 -i a -ci -cin 60 -b",
        "ref1 -i a -sl",
        "ref1 ref2 -i a -sl -m chrf -b -w 3",
        "ref1 -i a --sentence-level -m ter -sh",
        "ref1 -i a.gz",
        "ref.latin -i sys.latin -e latin-1 -tok none -m chrf",
        "ref1 -i a b c -m chrf ter bleu",
        "ref1 -i a b baseline_system.txt -m bleu chrf ter -f text",
        "ref1 -i a b baseline_system.txt -m bleu chrf -f latex -w 3 -sh",
        "ref1 -i a b c --paired-bs --paired-bs-n 50",
        "ref1 ref2 -i a b c -m ter bleu chrf --paired-ar --paired-ar-n 50",
        "ref1 -i a b a -pbs -pbsn 30 -j 1 -q -nc",
    ],
)
def test_a_command_prints_the_same(command, folder, ours):
    """Byte for byte; long numbers of resamples to the digits of single precision."""
    assert shorten(theirs(command)) == shorten(ours(command))


@pytest.mark.parametrize(
    ("command", "stdin"),
    [
        ("ref1", "b"),
        ("ref1 -m bleu -b -w 4", "b"),
        ("ref1 -m bleu chrf", "all.tsv"),
        ("ref1 -f text", "all.tsv"),
        ("ref1 --paired-bs --paired-bs-n 50", "all.tsv"),
    ],
)
def test_systems_come_from_standard_input(command, stdin, folder, ours):
    """One, or several that tabs part."""
    assert shorten(theirs(command, stdin)) == shorten(ours(command, stdin))


@pytest.mark.parametrize(
    "command",
    [
        "ref1 -i a b c -m bleu chrf ter --paired-bs --paired-bs-n 60 -f text",
        "ref1 -i a b c -m chrf ter --paired-bs --paired-bs-n 60 -f latex -w 2",
        "ref1 -i a b c -m bleu ter --paired-ar --paired-ar-n 60 -f text -sh",
        "ref1 -i a b c -m bleu ter --paired-ar --paired-ar-n 60 -f latex",
    ],
)
def test_tables_of_paired_tests_are_the_same(command, folder, ours):
    """And so are the headline and the signatures; what the test means is told in other words."""
    expected, actual = theirs(command), ours(command)
    parts = [re.split(r"\n\n(?=-+\n)", text) for text in (expected, actual)]
    cut = [[*map(str.strip, (one[0], one[1].split("\n - ")[0], one[2]))] for one in parts]

    assert cut[0] == cut[1]


def test_json_of_a_bootstrap_has_every_metric(folder, ours):
    """Where sacreBLEU's own command ends in a traceback with NumPy 2."""
    records = json.loads(ours("ref1 -i a b -m chrf ter --paired-bs --paired-bs-n 50"))

    assert ["Baseline: a", "b"] == [record["system"] for record in records]
    assert (
        ["score", "p_value", "mean", "ci"] == list(records[1]["chrF2"]) == list(records[1]["TER"])
    )
    assert [None, None] == [records[0][name]["p_value"] for name in ("chrF2", "TER")]


def test_variables_are_those_of_sacrebleu(folder, ours, monkeypatch):
    """The format, and the seed."""
    monkeypatch.setenv("SACREBLEU_FORMAT", "Text")
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    command = "ref1 -i a -ci -cin 50 -w 3 -f json"
    expected = theirs(command)

    assert "|seed:7|" in expected
    assert expected == ours(command)


@pytest.mark.parametrize(
    "command",
    [
        "sacrebleu ref1 -i a -m bleu -b -w 4",
        "sacrebleu ref1 ref2 -i a -m bleu chrf ter",
        "sacrebleu refs.tsv --num-refs 2 -i a -m bleu",
        "sacrebleu ref1 -i a --tokenize ja-mecab -b",
        "sacrebleu ref1 -i a -l en-ja -b",
    ],
)
def test_examples_of_the_readme_work_with_a_word_in_front(command, folder, ours):
    """Those of sacreBLEU's README that need no download."""
    pasted = command.removeprefix("sacrebleu ")

    assert theirs(pasted) == ours(pasted)


def test_the_version_is_that_of_the_numbers(ours):
    """That of sacreBLEU."""
    assert sacrebleu.__version__ == ours("-V").split()[-1]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        *(
            (
                command,
                f"{option} needs sacreBLEU's test sets, which are downloads, and nothing is "
                "downloaded here; give references as files: tallystick sacrebleu REF -i SYSTEM",
            )
            for command, option in [
                ("-t wmt17 -l en-de -i a", "--test-set"),
                ("--list", "--list"),
                ("--list -t wmt17", "--test-set"),
                ("-l en-de --echo src", "--echo"),
                ("--download wmt17", "--download"),
                ("ref1 -i a --origlang de", "--origlang"),
                ("ref1 -i a --subset sports", "--subset"),
                ("ref1 -i a -d", "--detail"),
                ("--cite", "--citation"),
            ]
        ),
        (
            "ref1 -i a -tok flores200",
            "--tokenize flores200 needs a model that sacreBLEU downloads, and nothing is "
            "downloaded here; with a model file of your own, `tallystick score` takes -m "
            "\"BLEU(tokenizer='spm:FILE')\"",
        ),
        ("-i a ref1", "name the files of references, before -i"),
        ("ref1 -i", "-i names no file; without -i the system is read from standard input"),
        ("ref1 -i a a", "-i names a twice"),
        ("ref1 -i a b a b --paired-ar", "-i names b twice"),
        ("ref1 -i a --paired-bs", "paired tests need two systems or more: -i BASELINE SYSTEM ..."),
        (
            "ref1 -i a b -ci",
            "--confidence is of one system; --paired-bs and --paired-ar of several",
        ),
        ("ref1 -i a b -sl", "--sentence-level takes one system"),
        ("ref1 -i a -sl -m bleu chrf", "--sentence-level takes one metric"),
        (
            "ref1 -i a -sl -ci",
            "--sentence-level goes with neither --confidence nor paired tests",
        ),
        (
            "ref1 ref2 -nr 2 -i a",
            "--num-refs goes with one file of references, whose lines are separated by tabs",
        ),
        ("ref1 -nr 0 -i a", "--num-refs is 1 or more, and --width 0 or more"),
        ("ref1 -i a -l de", "--language-pair is such as en-de, not 'de'"),
        ("ref1 -i a -e klingon", "unknown text encoding 'klingon'"),
    ],
)
def test_a_wrong_call_is_told_in_one_sentence(command, message, folder, capsys):
    """With exit code 2; what needs a download is one."""
    assert 2 == main(["sacrebleu", *shlex.split(command)])
    assert ("", f"tallystick: error: {message}\n") == capsys.readouterr()


@pytest.mark.parametrize(
    ("command", "stdin", "message"),
    [
        ("short -i a", b"", "short has 2 lines but a has 40"),
        ("ref1 -i a short -m chrf", b"", "ref1 has 40 lines but short has 2"),
        ("ref1", b"x\ny\n", "ref1 has 40 lines but System 1 has 2"),
        (
            "refs.tsv -nr 3 -i a",
            b"",
            "refs.tsv: line 1 has 2 references separated by tabs, and --num-refs says 3",
        ),
        (
            "short",
            b"x\ty\nz\n",
            "standard input: line 2 has 1 systems separated by tabs, and the first line 2",
        ),
        ("empty -i a", b"", "empty: is empty, so there is nothing to score"),
        ("ref1", b"", "standard input: is empty, so there is nothing to score"),
        ("none -i a", b"", "none: cannot be read: No such file or directory"),
        (
            "ref.latin -i a",
            b"",
            "ref.latin: is not utf-8: 'utf-8' codec can't decode byte 0xe9 in position 3: "
            "invalid continuation byte",
        ),
    ],
)
def test_bad_data_are_told_in_one_sentence(command, stdin, message, folder, capsys, monkeypatch):
    """With exit code 4, and no traceback."""
    (folder / "short").write_text("x\ny\n")
    (folder / "empty").write_text("")
    give(stdin, monkeypatch)

    assert 4 == main(["sacrebleu", *shlex.split(command)])
    assert ("", f"tallystick: error: {message}\n") == capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (
            "",
            "note: 120 lines of tokenised end in a period that stands alone, so the text looks "
            "tokenised, which may lower its score; --force leaves out this note\n",
        ),
        ("-l en-zh -tok 13a --force", "note: the usual tokenizer for en-zh is zh\n"),
        ("--force", ""),
        ("-l en-zh --force", ""),
        ("-l en-zh -tok 13a -q", ""),
        ("-m chrf", ""),
    ],
)
def test_notes_stand_on_standard_error(options, note, folder, capsys):
    """Those that sacreBLEU warns of, unless told not to."""
    (folder / "tokenised").write_text("a b c .\n" * 120)

    assert 0 == main(["sacrebleu", "tokenised", "-i", "tokenised", *shlex.split(options)])
    assert note == capsys.readouterr().err


def cut(source: Path, target: str, lines: int) -> str:
    """The first lines of a file, in the current folder."""
    content = source.read_bytes().split(b"\n")
    Path(target).write_bytes(b"\n".join(content[:lines]) + b"\n")
    return target


@pytest.mark.deep
@pytest.mark.parametrize("pair", ["en-de", "he-en", "en-zh"])
@pytest.mark.parametrize(
    "case",
    [
        ("ref -i one", MANY, "-m bleu chrf -w 4"),
        ("ref -i one", HEAD, "-m bleu chrf ter"),
        ("ref -i one two three", MANY, "-m bleu chrf -w 2"),
        ("ref -i one two three", MANY, "--paired-bs --paired-bs-n 30"),
        ("ref -i one two three", MANY, "-m bleu chrf --paired-ar --paired-ar-n 30"),
        ("ref -i one two", HEAD, "-m ter --paired-ar --paired-ar-n 30"),
        ("ref -i one", MANY, "-sl"),
        ("ref -i two", MANY, "-sl -m chrf -cw 2 -sh"),
    ],
)
def test_systems_of_wmt23_come_out_the_same(pair, case, shared, ours, folder):
    """In three pairs of languages."""
    files, lines, options = case
    data = shared / "data" / "wmt23"
    systems = sorted((data / "systems").glob(f"generaltest2023.{pair}.hyp.*"))
    reference = data / "references" / f"generaltest2023.{pair}.ref.refA.{pair[3:]}"
    for name, path in zip(("ref", "one", "two", "three"), [reference, *systems], strict=False):
        cut(path, name, lines)
    command = f"{files} -l {pair} {options}"

    assert shorten(theirs(command)) == shorten(ours(command))


@pytest.mark.deep
@pytest.mark.parametrize("files", ["refA refB", "both --num-refs 2"])
def test_two_references_of_wmt23_come_out_the_same(files, shared, ours, folder):
    """As two files, and as two columns of one."""
    data = shared / "data" / "wmt23"
    system = sorted((data / "systems").glob("generaltest2023.he-en.hyp.*"))[0]
    streams = []
    for which in "AB":
        cut(data / "references" / f"generaltest2023.he-en.ref.ref{which}.en", f"ref{which}", MANY)
        streams.append(Path(f"ref{which}").read_text(encoding="utf-8").split("\n")[:-1])
    both = "".join(f"{one}\t{other}\n" for one, other in zip(*streams, strict=True))
    Path("both").write_text(both, encoding="utf-8")
    command = f"{files} -i {cut(system, 'one', MANY)} -m bleu chrf -cw 2"

    assert theirs(command) == ours(command)

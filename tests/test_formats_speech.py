"""Transcripts in Kaldi's text, trn, STM, CTM, SegLST, SRT and WebVTT."""

import gzip
import json
from pathlib import Path

import pytest

import tallystick
from faults import call
from oracle import near

pytestmark = pytest.mark.usefixtures("folder")


def segments(*rows):
    names = ("session_id", "speaker", "start_time", "end_time", "words")
    return json.dumps([dict(zip(names, row, strict=True)) for row in rows])


KALDI = "u1 the cat sat on the mat\nu2 hello world\n"
SPOKEN = "u2\thello   word\nu1 the cat sat on mat\n"
STM = ";; by hand\nrecA 1 Ann 0 1 <o,f0> the cat sat on the mat\nrecA 1 Bob 1 2 hello world\n"
HEARD = "recA 1 Bob 1.6 2 hello word\nrecA 1 Ann 0 1.5 the cat sat on mat\n"
SRT = "1\n00:00:00,000 --> 00:00:02,000\nthe cat sat\non the mat\n\n2\n"
SRT += "00:00:02,500 --> 00:00:04,000\n<i>hello</i> {\\an8}world\n"
VTT = "\ufeffWEBVTT - x\r\n\r\nSTYLE\r\n::cue {}\r\n\r\nNOTE a\r\nb\r\n\r\n"
VTT += "00:00.100 --> 00:01.900 align:left\r\n"
VTT += "<v.loud Ann>the cat sat on mat</v>\r\n\r\n"
VTT += "id 2\r\n00:00:02.600 --> 00:00:04.100\r\nhello word\r\n"
CTM = (
    ";; x\nrecA 1 0.0 0.2 the 0.9\nrecA 1 0.2 0.2 cat\nrecA 1 0.4 0.2 sat NA\nrecA 1 0.6 0.1 on 1\n"
)
CTM += "recA 1 0.7 0.5 mat 0.8\nrecA 1 1.1 0.2 hello 0.5\nrecA 1 2.5 0.1 word 0.5\n"
SEGLST = segments(
    ("recA", "Ann", 0, 1, "the cat sat on the mat"), ("recA", "Bob", "1.0", "2.0", "hello world")
)
SAID = segments(
    ("recA", "Ann", 0, 1.5, "the cat sat on mat"), ("recA", "Bob", 1.6, 2, "hello word")
)


@pytest.mark.parametrize(
    ("gold", "text", "output", "heard"),
    [
        ("text", KALDI, "hyp", SPOKEN),
        ("text.txt", KALDI, "hyp.txt", SPOKEN),
        ("text", KALDI, "hyp.csv", "id,hypothesis\nu2,hello word\nu1,the cat sat on mat\n"),
        ("r.trn", "the cat sat on the mat (s-1)\nhello world (s-2)\n", "h.trn",
         ";; x\nhello word (s-2)\nthe cat sat on @ mat (s-1)\n"),
        ("r.stm", STM, "h.stm", HEARD),
        ("r.stm", STM, "h.ctm", CTM),
        ("r.txt", STM, "h.txt", CTM),
        ("r.stm", STM, "h.json", SAID),
        ("r.json", SEGLST, "h.json", SAID),
        ("r.jsonl", "\n".join(map(json.dumps, json.loads(SEGLST))), "h.stm", HEARD),
        ("r.srt", SRT, "h.vtt", VTT),
        ("r.stm", STM, "h.srt", "1\n00:00:00,0 --> 00:00:01,5\nthe cat sat on mat\n\n2\n"
         "00:00:01,6 --> 00:00:02,0\nhello word\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("options", [[], ["--workers", 2]])
@pytest.mark.usefixtures("shared_workers")
def test_transcripts_are_joined_by_id_or_time(gold, text, output, heard, options):
    Path(gold).write_bytes(text.encode())
    Path(output).write_bytes(heard.encode())
    ended = call("score", gold, output, "--no-intervals", "--format", "csv", *options)
    assert ended.code == 0, ended.error
    assert "wer" in ended.out.lower()
    assert "0.25" in ended.out


@pytest.mark.parametrize("metric", ["wer", "cer", "chrf"])
def test_compressed_files_and_all_commands_read_transcripts(metric):
    Path("ref.stm.gz").write_bytes(gzip.compress(STM.encode()))
    Path("a.stm").write_text(HEARD)
    Path("b.ctm").write_text(CTM.replace("word", "world"))
    for command in ("compare", "rank"):
        assert call(command, "ref.stm.gz", "a.stm", "b.ctm", "-m", metric).code == 0
    words = (
        "gate",
        "ref.stm.gz",
        "a.stm",
        "--against",
        "old=b.ctm",
        "-m",
        metric,
        "--max-drop",
        99,
    )
    assert call(*words).code in (0, 3)


NETWORK = """\
;; LABEL "O" "Overall" "Overall"
rec1 A ann 0.0 2.0 <o,f0,male> the { cat / dog / @ } sat
rec1 A ann 2.5 4.0 <o,f0,male> on a mat
rec1 A bob 4.0 6.0 ignore_time_segment_in_scoring
rec1 A bob 6.5 8.0 <o,f1,female> hello {big old / @} world
rec1 B cat 0.0 3.0 nobody said
rec2 A dan 0.0 1.0
"""
WORDS = """\
rec1 A 0.1 0.3 the 0.9
rec1 A 0.6 0.3 sat 0.9
rec1 A 2.1 0.2 uh 0.3
rec1 A 2.6 0.2 on
rec1 A 2.9 0.2 mat
rec1 A 4.2 0.5 noise
rec1 A 5.0 0.5 noise
rec1 A 6.2 0.2 well
rec1 A 6.6 0.4 hello
rec1 A 7.1 0.4 world
rec1 A 8.3 0.4 now
rec1 B 0.1 0.4 nobody
rec2 A 0.1 0.4 hm
"""


def test_words_between_and_within_segments_count_as_in_sclite():
    Path("ref.stm").write_text(NETWORK)
    Path("hyp.ctm").write_text(WORDS)
    found = tallystick.score("ref.stm", "hyp.ctm", ["wer"], by="speaker")
    values = {one.group: one.value for one in found.scores}
    # sclite 2.4.12 of SCTK, -s: errors and words of each speaker, 6 of 9 in all
    expected = {"ann": 2 / 5, "bob": 2 / 2, "cat": 1 / 2, "dan": 1, "micro": 6 / 9}
    assert expected == {name: near(values[name]) for name in expected}
    files = {
        one.group: one.value
        for one in tallystick.score("ref.stm", "hyp.ctm", ["wer"], by="file").scores
    }
    assert files["rec1"] == near(5 / 9)


@pytest.mark.parametrize(
    ("reference", "output", "errors", "words"),
    [
        ("the { cat / dog / @ } sat (%hesitation) down", "the sat down", 1, 4),
        ("hello { a b / c } world", "hello c world uh", 1, 3),
        ("a { b / { c d / @ } } e", "a c d e", 0, 4),
        ("a { um / @ } b", "a x b", 1, 2),
        ("a {laugh} b", "a b", 1, 3),
        ("@", "", 0, 0),
    ],
)
def test_alternatives_of_trn_count_as_in_sclite(reference, output, errors, words):
    Path("r.trn").write_text(f"{reference} (s-1)\nx (s-2)\n")
    Path("h.trn").write_text(f"{output} (s-1)\nx (s-2)\n")
    found = tallystick.score("r.trn", "h.trn", ["wer"])
    assert found.scores[0].value == near(errors / (words + 1))


def test_further_references_of_utterances_are_joined_by_id():
    Path("text").write_text(KALDI)
    Path("more").write_text("u2 hello word\nu1 x\n")
    Path("hyp").write_text(SPOKEN)
    found = tallystick.score("text", "hyp", ["wer"], references=["more"])
    assert found.scores[0].value == near(1 / 8)


def test_sessions_of_speakers_without_names_have_the_score_of_meeteval():
    Path("ref.stm").write_text(STM)
    Path("hyp.stm").write_text(HEARD.replace("Ann", "s1").replace("Bob", "s2"))
    assert tallystick.score("ref.stm", "hyp.stm", ["cpwer"]).scores[0].value == near(2 / 8)


def test_segments_cut_otherwise_are_joined_where_they_overlap():
    Path("r.stm").write_text("f 1 A 0 2 a b\nf 1 A 2 4 c d\nf 1 A 4 6 e f\n")
    Path("h.stm").write_text("f 1 x 0 4.1 a b c\nf 1 x 4.1 6 e f\n")
    found = tallystick.score("r.stm", "h.stm", ["wer"])
    assert (found.scores[0].n, found.scores[0].value) == (2, near(1 / 6))


@pytest.mark.parametrize(
    ("gold", "output", "options", "code", "message"),
    [
        (KALDI, "u1 a\n", [], 4, "hyp has no prediction for the id u2"),
        (KALDI, SPOKEN + "u3 a\n", [], 4, "u3"),
        (KALDI, SPOKEN + "u1 a\n", [], 4, "more than once"),
        (KALDI + "u1 a\n", SPOKEN, ["--input-format", "kaldi"], 4, "more than once"),
        (KALDI, SPOKEN, ["-m", "cpwer"], 2, "sessions of several speakers"),
        (STM, HEARD.replace("Ann", "s1").replace("Bob", "s2"), [], 4, "other names than in gold"),
        (STM, HEARD.replace("Ann", "s1"), ["-m", "wer", "cpwer"], 2, "has other speakers"),
        (STM, CTM.replace("recA 1", "recA B"), [], 4, "spell them alike"),
        (STM, KALDI, [], 4, "cannot be joined"),
        (STM, HEARD.replace("word", "{ a / b }"), [], 4, "choose one of them"),
        (STM, HEARD, ["-m", "accuracy"], 4, "is STM"),
        (STM.replace("1 2 h", "x 2 h"), HEARD, ["--input-format", "stm"], 4, "no time in seconds"),
        (STM.replace("world", "{ a"), HEARD, [], 4, "a brace is not closed"),
        (STM.replace("world", "{ a / b } " * 13), HEARD, [], 4, "more than 4,096 readings"),
    ],
)
def test_transcripts_that_do_not_belong_together_are_rejected(gold, output, options, code, message):
    Path("gold").write_text(gold)
    Path("hyp").write_text(output)
    ended = call("score", "gold", "hyp", *options)
    assert ended.code == code, ended.out
    assert message in ended.error


def test_missing_utterances_may_count_as_wrong():
    Path("gold").write_text(KALDI)
    Path("hyp").write_text("u1 the cat sat on the mat\n")
    found = tallystick.score("gold", "hyp", ["wer"], missing="wrong", input_format="kaldi")
    assert found.scores[0].value == near(2 / 8)

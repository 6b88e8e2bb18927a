"""Files in a format of their own are named, and never scored as lines, labels or rows."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

import tallystick
from faults import call
from tallystick.errors import UsageError
from tallystick.io.tables.formats import check_start
from tallystick.io.tables.json_cells import read_literal


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _write(**files: str) -> list[str]:
    for name, content in files.items():
        Path(name).write_text(content)
    return list(files)


_FORMATS = {
    "STM": ";; by hand\nrecA 1 Ann 0.0 1.5 <o,f0> the cat\nrecA A Bob 1.5 2 hi\n",
    "CTM": "recA 1 0.0 0.3 the\nrecA 1 0.3 0.5 cat 0.99\n",
    "RTTM": "SPEAKER f 1 0.0 1.0 <NA> <NA> s1 <NA> <NA>\n",
    "subtitles": "\ufeff1\r\n00:00:00,000 --> 00:00:02,000\r\nthe cat\r\n",
    "subtitles.": "0:00:01.000,0:00:02.000\nhi\n",
    "subtitles, ": "[Script Info]\nTitle: x\n",
    "WebVTT": "WEBVTT\n\n00:00.000 --> 00:02.000\nhi\n",
    "TextGrid": 'File type = "ooTextFile"\nObject class = "TextGrid"\n',
    "TextGrid of": '"Praat chronological TextGrid text file"\n0 1\n',
    "NIST trn": "the cat (spk1-utt1)\na dog (spk1-utt2)\n(spk2-utt1)\n",
    "NIST trn:": "the cat (u1)\na dog (u2)\n",
    "CoNLL-2012": "#begin document (d1); part 000\nd1 0 0 Anna (0)\n\n#end document\n",
    "brat": "T1\tPER 0 4\tAnna\nT2\tLOC 12 16;20 24\tRome Lazi\nR1\tx Arg1:T1 Arg2:T2\n",
    "begin with an id": "anna_001 the cat\nbob_002 hello\n",
    "begin with an id,": "2830-3980-0001 the cat\n2830-3980-0002 a dog\n",
    "begin with an id, such": "a/b.wav the cat\na/c.wav a dog\n",
    "begin with an id, such as": "3 a dog\n1 the cat\n2 a cow\n4 a pig\n",
    "begin with an id, ": "u1 the cat\nu2\nu3 a dog\n",
    " begin with an id": "BAC009S0764W0121 甚至 出现\nBAC009S0764W0122 一 二\n",
    " begin with an id,": "u1\tthe cat\nu2\ta dog\n",
    "an id and a value": "d1\tPOS\r\nd2\tNEG\r\n",
    "an id and a value ": "1\tPOS\n2\tNEG\n3\tPOS\n",
    "an id and a value without": "d1 0.9\nd2 0.1\n",
    "an id and a value without a": "d1,POS\nd2,NEG\n",
    "an id and a value without a ": "1,0.9\n2,0.1\n3,0.5\n4,0.2\n",
    " an id and a value": "d1:::POS\nd2:::NEG\n",
    " an id and a value ": "doca ::: POS\ndocb ::: NEG\ndocc ::: POS\n",
    " an id and a value without": "264183816548130816 positive\n263405084770172928 negative\n",
    "with the columns id,": "id,label\nd1,POS\nd2,NEG\n",
    "3 fields separated by tabs": "d1\t0\tPOS\nd2\t12\tNEG\n",
    "3 fields separated by '|||'": "0 ||| the cat ||| 0.3\n0 ||| a cat ||| 0.2\n",
    "2 fields separated by tabs": "the cat\ta cat\nthe dog\ta dog\n",
    "lines contain tabs": "the cat\ta cat\tone cat\nthe dog\ta dog\na pig\n",
    "is JSON": '{"id": 1, "text": "x"}\n{"id": 2, "text": "y"}\n',
}
"""The contents of a text file, by what the error calls it; marks at the ends keep keys apart."""


@pytest.mark.parametrize("said", _FORMATS)
@pytest.mark.parametrize("metrics", [(), ("-m", "accuracy"), ("-m", "wer")])
def test_a_text_in_a_format_of_its_own_is_named_whatever_is_asked(said, metrics):
    _write(**{"gold.txt": _FORMATS[said], "out.txt": _FORMATS[said]})
    ended = call("score", "gold.txt", "out.txt", *metrics)
    assert ended.code == 4
    assert said.strip(" ,.:") in ended.error
    assert ended.error.startswith(("gold.txt: ", "out.txt: "))


@pytest.mark.parametrize("said", ["STM", "begin with an id", "an id and a value"])
@pytest.mark.parametrize(
    ("command", "files"),
    [
        (("rank", "gold.txt", "--submissions", "entries"), ("gold.txt", "entries/a.txt")),
        (("compare", "ok.txt", "fine=ok.txt", "wrong.txt"), ("wrong.txt",)),
        (("gate", "ok.txt", "wrong.txt", "--against", "old=ok.txt", "--max-drop", 0.1), ()),
        (("score", "gold.txt.gz", "ok.txt"), ()),
        (("count", "ok.txt", "wrong.txt", "-o", "x.tally"), ()),
        (("score", "ok.txt", "wrong.txt", "--workers", 2), ()),
        (("score", "ok.txt", "ok.txt", "--by", "wrong.txt"), ()),
    ],
    ids=lambda own: own[0] if own else "",
)
@pytest.mark.parametrize("metric", ["accuracy", "wer"])
@pytest.mark.usefixtures("shared_workers")
def test_every_entrance_of_texts_and_labels_names_formats(said, command, files, metric):
    if "--by" in command and metric == "accuracy":
        pytest.skip("labels are grouped by a column")
    Path("entries").mkdir()
    Path("gold.txt.gz").write_bytes(gzip.compress(_FORMATS[said].encode()))
    lines = len([one for one in _FORMATS[said].splitlines() if one.strip()])
    _write(**{"ok.txt": "yes\n" * (lines - 1) + "no\n"})
    _write(**dict.fromkeys(("gold.txt", "wrong.txt", "entries/a.txt"), _FORMATS[said]))

    ended = call(*command, "-m", metric)
    assert ended.code == 4
    assert said in ended.error


@pytest.mark.parametrize(
    "text",
    [
        "The 3 cats ate 5 fish.\nIn 2019 it rained.\n2 dogs ran.\n",
        '"Hi," he said.\n"Bye," she said.\nWell.\n',
        "very good\nvery bad\nnot good\nvery good\n",
        "0.5\n1.5\n2\n",
        "a\tb c\nfoo bar\nbaz qux\n",
        "a sentence with\ta tab\n",
        "the cat\na dog\n",
        "1st prize\n2nd prize\n3rd prize\n",
        "3D models are nice\n5G networks are fast\n",
        "2019 was good\n2020 was bad\n2021 was ok\n2022 was fine\n",
        "5 stars\n1 star\n5 stars\n3 stars\n",
        "He laughed (loudly)\nShe cried (softly)\n",
        "Matrix (1999)\nAlien (1979)\n",
        "Well, no\nYes, I do\nToo bad, really\n",
        "toxic,insult\ntoxic,obscene\nnone,none\n",
        "0,5\n1,3\n2,7\n3,1\n",
        "12:30 we met\n13:45 we left\n",
        "2020-01-31 we met\n2020-02-01 we left\n",
        "1. First\n2. Second\n3. Third\n4. Fourth\n",
        "A1 beginner\nB2 upper\nA1 beginner\nC1 advanced\n",
        "12 17 99\n4 8 15\n16 23 42\n",
        "10-15 people came\n5-6 left\n",
        "你好 世界\n再见 朋友\n",
        '{"a": [1]}\n{"a": [2]}\n',
    ],
)
def test_ordinary_texts_and_labels_are_lines(text):
    _write(**{"t.txt": text})
    check_start("t.txt", format="lines")


def test_lines_that_begin_with_ids_are_texts_where_the_format_is_given():
    _write(**{"r.txt": "u1 the cat\nu2 a dog\n", "h.txt": "u1 the cat\nu2 a cow\n"})
    ended = call("score", "r.txt", "h.txt", "-m", "wer", "--input-format", "lines", "--format=csv")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "h,2,0.16666666666666666")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.csv", "d1,POS\nd2,NEG\nd3,POS\n"),
        ("g.tsv", "d1\tPOS\nd2\tNEG\n"),
        ("g.tsv", "yes\t1\nno\t0\nyes\t1\n"),
        ("g.labels", "111\t0\t5\n111\t10\t20\n"),
        ("g.csv", "1,0.9\n0,0.2\n"),
        ("g.tsv", "The cat sat on the mat.\nA dog ran over the hill.\nIt was a fine day.\n"),
    ],
)
def test_a_first_row_of_values_is_no_header(name, content):
    _write(**{name: content})
    ended = call("score", name, name, "-m", "bleu")
    assert ended.code == 4
    assert "its first line" in ended.error or "3 fields separated by tabs" in ended.error
    assert "header" in ended.error


@pytest.mark.parametrize(
    "content",
    [
        *("x,y\n1,2\n", "0,1,2\n1,0,1\n", "1,2,3\n4,3,3\n", '"id","label"\n"d1","x"\n'),
        *("rater1,rater2\n3,4\n", "q1,q2,q3\n1,0,1\n"),
        "human reference text\nthe cat sat on the mat\na dog ran\n",
    ],
)
def test_names_of_columns_are_a_header(content):
    _write(**{"t.csv": content})
    check_start("t.csv", format="csv")


@pytest.mark.parametrize(
    ("name", "content", "cure"),
    [
        ("g.json", {"q1": "YES", "q2": "NO", "q3": "YES"}, "one a line"),
        ("g.json", {"doc_a": "YES", "doc_b": "NO"}, "one a line"),
        ("g.jsonl", {"q1": 0.7}, "one a line"),
        ("g.json", {"q1": ["A", "B"], "q2": ["B"]}, "one a line"),
        ("g.json", {"q1": {"label": "a"}, "q2": {"label": "b"}}, "one a line"),
        ("g.json", {"0": {"id": 1, "gold": "a"}, "1": {"id": 2, "gold": "b"}}, "one a line"),
        ("g.json", {"id": {"0": 1, "1": 2}, "gold": {"0": "a", "1": "b"}}, "one a line"),
        ("g.json", {"columns": ["id"], "index": [0], "data": [[1]]}, "one a line"),
        ("g.json", {"resolved": 2, "resolved_ids": ["a"]}, "one a line"),
        ("g.json", {"run": {"rows": [{"gold": "a"}]}}, "pass --rows run.rows"),
        ("g.json", {f"q{i}": "YES" for i in range(9_000)}, "one a line"),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_for_all_examples_is_no_row(name, content, cure, indent):
    _write(**{name: json.dumps(content, indent=indent)})
    for metric in ("accuracy", "mae", "bleu"):
        ended = call("score", name, name, "-m", metric)
        assert ended.code == 4
        assert "is one JSON object with the keys" in ended.error
        assert ended.error.endswith(cure)


@pytest.mark.parametrize("name", ["g.json", "g.jsonl"])
def test_a_single_row_of_json_is_read(name):
    _write(**{name: '{"id": 1, "gold": "a", "pred": "a"}'})
    assert call("score", name, "-m", "accuracy").code == 0


def test_rows_are_found_under_a_key_with_dots():
    _write(**{"c.json": '{"a.txt": [{"s": 0.8}, {"s": 0.7}], "b.txt": [{"s": 1}, {"s": 1}]}'})
    ended = call("score", "c.json", "--rows", "a.txt", "-m", "mean(s)", "--format=csv")
    assert (ended.code, ended.out.splitlines()[-1].split(",")[2]) == (0, "0.75")


_SCORES = {
    "s1.csv": "id,score\n1,0.5\n2,0.7\n3,0.1\n4,0.9\n",
    "s2.csv": "id,score\n2,0.9\n1,0.6\n3,0.3\n4,0.95\n",
    "s3.csv": "id,score\n3,0.9\n4,0.95\n1,0.8\n2,0.9\n",
    "gold.csv": "id,label,lang\n1,a,x\n2,a,x\n3,b,y\n4,b,y\n",
    "a.txt": "0.5\n1.5\n",
    "b.txt": "1\n2\n",
}
_M = ("-m", "mean(score)")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("score", "s1.csv", "s2.csv", "s3.csv", *_M), {"s1": 0.55, "s2": 0.6875, "s3": 0.8875}),
        (("score", "s1.csv", "s2.csv", "-m", "score"), {"s1": 0.55, "s2": 0.6875}),
        (("score", "s1.csv", "s2.csv", *_M, "--workers", 2), {"s1": 0.55, "s2": 0.6875}),
        (("score", "x=s1.csv", "s2.csv", "-m", "median(score)"), {"x": 0.6, "s2": 0.75}),
        (("score", "a.txt", "b.txt", "-m", "mean"), {"a": 1, "b": 1.5}),
        (("score", "s1.csv", "s2.csv", "--gold", "gold.csv", *_M), {"s1": 0.55, "s2": 0.6875}),
        (("score", "--gold", "s1.csv", "s2.csv", *_M), {"s2": 0.6875}),
        (("score", "s1.csv", *_M), {"s1": 0.55}),
    ],
)
@pytest.mark.usefixtures("shared_workers")
def test_every_file_is_a_system_where_no_metric_needs_gold(command, shown):
    _write(**_SCORES)
    ended = call(*command, "--format", "json")
    assert ended.code == 0, ended.err
    scores = [own for own in json.loads(ended.out)["scores"] if own["group"] is None]
    assert [(own["system"], round(own["value"], 9)) for own in scores] == [*shown.items()]


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (("gate", "s2.csv", "--against", "s1.csv", *_M, "--max-drop", 0.1), 0, "+0.1375"),
        (("gate", "s2.csv", "--against", "s1.csv", "--max-drop", "mean(score)=0.1"), 0, "+0.1375"),
        (("plan", "s1.csv", "s2.csv", *_M, "--sizes", 9), 0, "between s1 and s2"),
        (("compare", "s1.csv", "s2.csv", *_M), 0, "s1 (baseline)"),
        (("rank", "s1.csv", "s2.csv", *_M), 0, "   2  s1"),
        (("rank", "--submissions", "all", *_M), 0, "   2  s1"),
        (("compare", "s1.csv", "s2.csv", "--baseline", "s1", *_M), 0, "+0.1375"),
        (("score", "gold.csv", "s1.csv", *_M), 4, "pass --gold gold.csv"),
        (("rank", "gold.csv", "s1.csv", "s2.csv", *_M), 4, "pass --gold gold.csv"),
        (
            ("score", "s1.csv", "--gold", "gold.csv", "-m", "pass@1"),
            2,
            "--gold can only be used with files",
        ),
        (("score", "s1.csv", "s2.csv", "--gold", "s1.csv", "-m", "mae"), 0, "s2"),
    ],
)
def test_the_first_file_is_gold_only_where_it_is_needed_or_named(command, code, said):
    _write(**_SCORES)
    Path("all").mkdir()
    _write(**{f"all/{name}": _SCORES[name] for name in ("s1.csv", "s2.csv")})
    ended = call(*command)
    assert (ended.code, said in ended.out + ended.err) == (code, True), ended.err


def test_every_table_in_memory_is_a_system_where_no_metric_needs_gold():
    _write(**_SCORES)
    tables = {name: pd.read_csv(f"{name}.csv") for name in ("s1", "s2", "gold")}
    gold = tables.pop("gold")
    for given, options in (((tables,), {}), ((None, tables), {}), ((None, tables), {"gold": gold})):
        scored = tallystick.score(*given, metrics="mean(score)", **options)
        assert [round(one.value, 9) for one in scored.scores] == [0.55, 0.6875]
    with pytest.raises(UsageError, match=r"pass all systems as outputs=\{"):
        tallystick.score(tables["s1"], {"s2": tables["s2"]}, metrics="mean(score)")


_QUOTED = {
    "sw.tsv": 'id\tref\thyp\n1\tx y\t"x y\n2\tc d\tc d\n3\te f\te f\n4\tg h\tg h"\n5\ti j\tzz zz\n',
    "inner.tsv": 'id\tref\thyp\n1\tHello\t"Hi" he said\n2\tBye\tBye\n',
    "pandas.tsv": 'id\tref\thyp\n1\tsay ""\t"say """""\n2\t"a\tb"\t"a\tb"\n',
    "lines.tsv": 'id\tref\thyp\n1\t"a\nb"\t"a\nc"\n2\tb\tb\n',
    "lines.csv": "ref,hyp\n" + '"' + "a\n" * 21 + '",b\nc,c\n',
    "few.csv": "ref,hyp\n" + '"' + "a\n" * 19 + '",b\nc,c\n',
}


@pytest.mark.parametrize(
    ("name", "option", "rows", "said"),
    [
        ("sw.tsv", (), 5, "sw.tsv: quotes are part of the fields"),
        ("sw.tsv", ("--quote", "double"), 2, ""),
        ("sw.tsv", ("--quote", "none"), 5, ""),
        ("inner.tsv", (), 2, "inner.tsv: quotes are part of the fields"),
        ("pandas.tsv", (), 2, ""),
        ("lines.tsv", (), 2, "lines.tsv: a quoted field has 2 lines"),
        ("lines.tsv", ("--quote", "double"), 2, ""),
        ("lines.csv", (), 2, "lines.csv: a quoted field has 22 lines"),
        ("lines.csv", ("--quote", "double"), 2, ""),
        ("few.csv", (), 2, ""),
    ],
)
def test_quotes_enclose_fields_of_tsv_only_where_all_are_closed(name, option, rows, said):
    _write(**{name: _QUOTED[name]})
    ended = call("score", name, "-m", "wer", "--no-intervals", "--format", "csv", *option)
    assert (ended.code, ended.out.splitlines()[-1].split(",")[1]) == (0, str(rows))
    assert said in ended.err
    assert ("quote" in ended.err) == bool(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("t.txt", "t.txt", "--quote", "none"), "--quote can only be used with CSV and TSV files"),
        (
            ("t.txt", "t.txt", "--quote", "none", "--rows", "x"),
            "--quote can only be used with CSV and TSV",
        ),
    ],
)
def test_quotes_are_an_option_of_tables(options, said):
    _write(**{"t.txt": "yes\nno\n"})
    ended = call("score", *options, "-m", "accuracy")
    assert (ended.code, ended.error.startswith(said)) == (2, True)


def test_a_tsv_file_of_single_fields_keeps_a_quote():
    _write(**{"g.tsv": 'ref\n"x y\nc d\ne f"\ng h\n', "s.tsv": 'hyp\n"x y\nc d\ne f"\nz z\n'})
    ended = call("score", "g.tsv", "s.tsv", "-m", "wer", "--format", "csv", "--no-intervals")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "s,4,0.25")


@pytest.mark.parametrize(
    ("gold", "code", "said"),
    [
        ({"a.txt": "x\n", "b.txt": "y\n"}, 4, "g/a.txt and o/c.txt"),
        ({"b.txt": "x\n", "c.txt": "y\ny\n"}, 4, "g/c.txt has 2 lines but o/c.txt has 1"),
        ({"b.txt": "x\n", "c.txt": ""}, 4, "g/c.txt has 0 lines but o/c.txt has 1"),
        ({"b.txt": "x\n\n", "c.txt": "y\n"}, 0, ""),
        ({"b.txt": "x\n"}, 4, "o/c.txt"),
    ],
)
@pytest.mark.parametrize("options", [("-m", "wer"), ("-m", "accuracy"), ("-m", "cer")])
def test_files_of_two_folders_of_texts_are_paired_by_name(gold, code, said, options):
    for folder in ("g", "o"):
        Path(folder).mkdir()
    _write(**{f"g/{name}": content for name, content in gold.items()})
    _write(**{"o/b.txt": "x", "o/c.txt": "y\n"})

    for places in (("g", "o"), ("g/*.txt", "o/*.txt")):
        ended = call("score", *places, *options, "--format", "csv", "--no-intervals")
        assert ended.code == code, ended.err
        assert said in ended.error


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("['a', 'b']", ["a", "b"]),
        ("['a' 'b']", ["a", "b"]),
        ("['a',\n 'b']", ["a", "b"]),
        ("[0.1 0.9]", [0.1, 0.9]),
        ("[[1. 2.]\n [3. 4.]]", [[1, 2], [3, 4]]),
        ("array(['a', 'b'], dtype=object)", ["a", "b"]),
        ("[np.str_('a'), np.float64(0.5)]", ["a", 0.5]),
        ("{'d1': 1, 2: 0.5}", {"d1": 1, "2": 0.5}),
        ("{'b', 'a'}", ["a", "b"]),
        ("[(0, 5, 'PER')]", [[0, 5, "PER"]]),
        ("[None, True]", [None, True]),
        ("['it\\'s', \"a'b\"]", ["it's", "a'b"]),
        ('["a", "b"]', ["a", "b"]),
        ("[Music] plays", None),
        ("['a' ... 'b']", None),
        ("['a'", None),
        ("__import__('os')", None),
        ("[]" * 99_999, None),
        ("['a'], ['b']", None),
    ],
)
def test_lists_of_python_and_numpy_are_read_from_cells(text, value):
    if value is None:
        wrong = "part of a literal|never closed|Expecting|Extra data"
        with pytest.raises(ValueError, match=wrong):
            read_literal(text)
    else:
        assert read_literal(text) == value


@pytest.mark.parametrize(
    ("rows", "metric", "value"),
    [
        (("\"['a b c d', 'x']\",a b c d", "\"['e f g h']\",e f g h"), "bleu", 100),
        (("\"['a', 'b']\",\"['b', 'a']\"", "['b'],['c']"), "macro_f1", 5 / 9),
        (("['a' 'b'],['b' 'a']", "['b'],['c']"), "macro_f1", 5 / 9),
        (("\"[(0, 5, 'PER')]\",\"[(0, 5, 'PER')]\"", '"[]","[]"'), "span_f1", 1),
        (("\"['d1', 'd2']\",\"['d3', 'd1']\"", "\"['d9']\",\"['d9', 'd1']\""), "RR", 0.75),
        (("a b,['a b']", "c,['c']"), "bleu", "is a list, where one text was expected"),
        (("['a b'],['a b']", "['c'],['c']"), "exact_match", "is a list, where one text"),
    ],
)
def test_lists_of_python_in_tables_are_lists(rows, metric, value):
    _write(**{"t.csv": "\n".join(("gold,prediction", *rows))})
    ended = call("score", "t.csv", "-m", metric, "--format", "csv", "--no-intervals")
    if isinstance(value, str):
        assert (ended.code, value in ended.error) == (4, True)
    else:
        assert ended.code == 0, ended.err
        assert float(ended.out.splitlines()[-1].split(",")[2]) == pytest.approx(value)


@pytest.mark.parametrize("spelled", ["TRUE FALSE", "True False", "true false", "1 0"])
@pytest.mark.parametrize("gold", ["TRUE FALSE", "True False", "true false"])
def test_truth_is_the_same_label_in_any_case(gold, spelled):
    for name, words in (("g.csv", gold.split()), ("p.csv", spelled.split())):
        _write(**{name: "id,label\n" + "".join(f"{i},{words[i % 2]}\n" for i in range(5))})
    ended = call("score", "g.csv", "p.csv", "-m", "accuracy", "--format", "csv", "--no-intervals")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "p,5,1.0")


def test_spellings_of_truth_in_one_column_of_gold_are_labels():
    _write(**{"g.csv": "id,label\n1,True\n2,TRUE\n", "p.csv": "id,label\n1,true\n2,TRUE\n"})
    ended = call("score", "g.csv", "p.csv", "-m", "accuracy", "--format", "csv", "--no-intervals")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "p,2,0.5")


def test_documents_with_the_id_of_their_query_are_noted():
    _write(**{"q.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n"})
    _write(**{"r.json": '{"q1": {"q1": 1.0, "d1": 0.9}, "q2": {"q2": 1.0, "d2": 0.8}}'})
    ended = call("score", "q.tsv", "r.json", "-m", "RR@10", "--format", "csv")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "r,2,0.5")
    assert "a document with the id of its query 2 times" in ended.err


@pytest.mark.parametrize("option", ["text", "predicted"])
def test_an_option_of_one_column_takes_no_list(option):
    frame = pd.DataFrame({"doc": ["a"], "seg": [1], "ref": ["x y"], "hyp": ["x y"]})
    with pytest.raises(UsageError, match=f"^{option} is the name of one column; join the values"):
        tallystick.score(frame, metrics="wer", **{option: ["doc", "seg"]})


@pytest.mark.parametrize("name", ["g.json", "g.jsonl"])
def test_json_that_is_not_utf_8_is_an_error(name):
    Path(name).write_bytes(b'{"id": "1", "y_true": "\xfe", "y_pred": "a"}\n')
    ended = call("score", name)
    assert ended.code == 4
    assert "is not UTF-8" in ended.error

"""Spans and slots in files, frames and lists: how they are read, scored and kept."""

import json
import random
from collections import Counter
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas
import pyarrow.parquet
import pytest

import tallystick
from oracle import near
from tallystick import InputError, UsageError
from tallystick.cli import main
from tallystick.io.tables.table import read_table
from tallystick.kinds.spans.spans import Rules, read_spans
from tallystick.limits import LIMITS
from tallystick.metrics import SpanF1, SpanPrecision, SpanRecall
from tallystick.model.columns import Columns
from tallystick.scoring.saved import load

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "O"], ["B-ORG", "O", "B-PER"]]
GOOD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC"], ["B-ORG", "O", "O"]]
POOR = [["B-PER", "O", "O", "I-LOC"], ["O", "O"], ["B-PER", "O", "I-PER"]]


def write(path, sentences, *, mark=" ", end="\n"):
    words = [[f"w{row}{place}" for place in range(len(tags))] for row, tags in enumerate(sentences)]
    blocks = [
        "".join(f"{word}{mark}{tag}{end}" for word, tag in zip(own, tags, strict=True))
        for own, tags in zip(words, sentences, strict=True)
    ]
    path.write_text(end.join(blocks), encoding="utf-8", newline="")
    return str(path)


def score(capsys, *arguments):
    assert main(["score", *arguments, "--format", "json", "--no-intervals"]) == 0
    found = json.loads(capsys.readouterr().out)
    return {(one["metric"], one["label"]): one["value"] for one in found["scores"]}


def test_the_command_says_that_tags_are_spans(tmp_path, capsys):
    gold, own = write(tmp_path / "g.conll", GOLD), write(tmp_path / "poor.conll", POOR)
    assert main(["score", gold, own, "--no-intervals"]) == 0
    captured = capsys.readouterr()
    assert "micro_span_f1" in captured.out
    assert "Per class" in captured.out
    assert "these look like spans" in captured.err
    assert "the gold tags look like IOB2, and are read by conlleval's rules." in captured.err
    assert (
        "I- and E- tags of poor without a span of their type before them begin a new span, as "
        "conlleval counts, and --scheme iob2 leaves them out; such tags: 2."
    ) in captured.err


@pytest.mark.parametrize("mark", [" ", "\t", "  "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_files_are_read_however_their_lines_are_written(tmp_path, capsys, mark, end):
    gold, own = (
        write(tmp_path / f"{n}.conll", rows, mark=mark, end=end)
        for n, rows in (("g", GOLD), ("a", GOOD))
    )
    assert near(0.75) == score(capsys, gold, own, "-m", "span_f1")["SpanF1()", None]


def test_rows_have_the_tags_that_they_hold_and_no_others():
    tags = pyarrow.array(["O", "B-PER", "S-LOC", "O", "I-PER"]).dictionary_encode()
    rows = pyarrow.ListArray.from_arrays(pyarrow.array([0, 2, 3, 5], pyarrow.int32()), tags)
    found = read_spans(rows[2:], str, lambda *_: "", Rules())
    assert found.tags is not None
    assert found.tags.names == ("O", "I-PER")
    assert (
        found.scheme == read_spans([["O", "I-PER"]], str, lambda *_: "", Rules()).scheme == "iob1"
    )


def test_the_kind_of_a_file_shows_in_its_lines(tmp_path, capsys):
    for ending in ("data", "txt"):
        gold, own = (
            write(tmp_path / f"{name}.{ending}", tags)
            for name, tags in (("gold", GOLD), ("own", GOOD))
        )
        assert near(0.75) == score(capsys, gold, own)["SpanF1()", None]


def test_one_file_holds_gold_and_output(tmp_path, capsys):
    path = tmp_path / "both.conll"
    path.write_text("Anna NNP B-PER B-PER\nsang VBD O O\n\nRome NNP B-LOC O\n", encoding="utf-8")
    found = score(capsys, str(path))
    assert [1, 0.5] == [found["SpanPrecision()", None], found["SpanRecall()", None]]
    swapped = score(capsys, str(path), "--gold-column", "4", "--predicted-column", "3")
    assert [0.5, 1] == [swapped["SpanPrecision()", None], swapped["SpanRecall()", None]]


def test_lines_of_documents_and_comments_are_no_tokens(tmp_path):
    path = tmp_path / "docs.conll"
    path.write_text(
        "-DOCSTART- -X- O\n\n# id 7 domain=en\nAnna NNP B-PER\n# SYM O\n\n"
        "-DOCSTART- -X- O\n\nRome NNP B-LOC\n",
        encoding="utf-8",
    )
    table = read_table(str(path))
    assert [["Anna", "#"], ["Rome"]] == table.column("1").to_pylist()
    assert ["1", "2"] == table.column("document").to_pylist()
    assert [4, 9] == table.column("line").to_pylist()


def test_documents_are_clusters(tmp_path, capsys):
    text = "-DOCSTART- O\n\nAnna B-PER\n\nin O\n\n-DOCSTART- O\n\nRome B-LOC\n"
    for name in ("g", "a"):
        (tmp_path / f"{name}.conll").write_text(text, encoding="utf-8")
    files = [str(tmp_path / "g.conll"), str(tmp_path / "a.conll")]
    assert main(["score", *files, "--clusters", "document", "-m", "span_f1"]) == 0
    assert "1.000 [.342, 1.000]" in capsys.readouterr().out


def test_large_files_are_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "large_input", 0)
    monkeypatch.setattr(LIMITS, "block_rows", 7)
    monkeypatch.setattr(LIMITS, "text_piece", 100)
    gold, own = write(tmp_path / "g.conll", GOLD * 20), write(tmp_path / "a.conll", GOOD * 20)
    metrics, tally = ["span_f1", "macro_span_f1"], str(tmp_path / "t.tally")
    whole = tallystick.score(GOLD * 20, GOOD * 20, metrics)
    assert main(["count", gold, own, "-o", tally, "-m", *metrics]) == 0
    kept = tallystick.score(load(tally))
    assert [one.value for one in whole.scores] == near([one.value for one in kept.scores])


SPANS = [[[0, 4, "PER"], [9, 12, "PER"]], [], [{"start": 4, "end": 8, "label": "ORG"}]]
OWN = [[[0, 4, "PER"], [8, 12, "PER"]], [[0, 3, "LOC"]], [[4, 8, "ORG"]]]


def write_json(path, name, rows, **more):
    lines = [
        {"id": f"e{row}", name: value, **{key: values[row] for key, values in more.items()}}
        for row, value in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return str(path)


def test_lists_of_spans_are_joined_by_id(tmp_path, capsys):
    gold = write_json(tmp_path / "g.jsonl", "spans", SPANS)
    own = Path(write_json(tmp_path / "o.jsonl", "spans", OWN))
    own.write_text("\n".join(own.read_text("utf-8").splitlines()[::-1]), encoding="utf-8")
    found = score(capsys, gold, str(own))
    assert [2 / 4, 2 / 3] == near([found["SpanPrecision()", None], found["SpanRecall()", None]])


def test_lists_of_tags_come_in_json_and_parquet(tmp_path, capsys):
    gold = write_json(tmp_path / "g.jsonl", "tags", GOLD)
    frame = pandas.DataFrame({"id": [f"e{row}" for row in range(3)], "tags": GOOD})
    pyarrow.parquet.write_table(pyarrow.Table.from_pandas(frame), tmp_path / "o.parquet")
    assert near(0.75) == score(capsys, gold, str(tmp_path / "o.parquet"))["SpanF1()", None]


def test_missing_outputs_count_as_no_spans(tmp_path, capsys):
    gold = write_json(tmp_path / "g.jsonl", "spans", SPANS)
    own = write_json(tmp_path / "o.jsonl", "spans", OWN[:1])
    assert main(["score", gold, own]) == 4
    assert "has no prediction for 2 ids" in capsys.readouterr().err
    found = score(capsys, gold, own, "--missing", "wrong", "-m", "span_recall")
    assert near(1 / 3) == found["SpanRecall()", None]


def test_python_takes_lists_and_frames():
    systems = {"good": GOOD, "poor": POOR}
    found = tallystick.score(GOLD, systems, "span_f1", by=["a", "b", "a"], intervals=False)
    values = {(one.system, one.group): one.value for one in found.scores}
    assert near(6 / 7) == values["good", "a"]
    assert near(0.75) == values["good", "micro"]
    frame = pandas.DataFrame({"id": [0, 1, 2], "tags": GOLD, "predicted_tags": GOOD})
    assert near(0.75) == tallystick.score(frame, metrics="span_f1", intervals=False).scores[0].value


def test_a_scheme_reads_tags_strictly_and_is_in_the_signature():
    lenient = tallystick.score(GOLD, POOR, "span_f1", intervals=False)
    columns = Columns(scheme="iob2")
    strict = tallystick.score(GOLD, POOR, "span_f1", columns=columns, intervals=False)
    assert near([2 * 2 / 8, 0]) == [lenient.scores[0].value, strict.scores[0].value]
    assert "|tags:seqeval|" in lenient.scores[0].signature
    assert "|tags:iob2|" in strict.scores[0].signature
    assert any("belong to none; such tags: 2." in note for note in strict.notes)


def test_types_that_only_one_part_has_add_up(tmp_path):
    metrics = ["span_f1", "SpanF1(None)", "macro_partial_span_f1"]
    parts = [
        tallystick.count(GOLD[at : at + 1], {"a": GOOD[at : at + 1]}, metrics) for at in range(3)
    ]
    total = parts[0] + parts[1] + parts[2]
    total.save(tmp_path / "t.tally")
    whole = tallystick.score(GOLD, {"a": GOOD}, metrics, intervals=False)
    for counted in (total, load(tmp_path / "t.tally")):
        found = tallystick.score(counted, intervals=False)
        assert [(one.label, one.value) for one in whole.scores] == [
            (one.label, near(one.value)) for one in found.scores
        ]


@pytest.mark.parametrize("size", [200, 9_000])
def test_systems_are_compared_and_ranked(size):
    source = random.Random(1)
    gold = [
        [
            tag
            for _ in range(source.randint(1, 5))
            for tag in source.choice((["O"], ["O"], ["B-A", "I-A"], ["B-B"]))
        ]
        for _ in range(size)
    ]
    better = [[tag if source.random() > 0.05 else "O" for tag in row] for row in gold]
    worse = [
        [tag if random.Random(row).random() > 0.4 else "O" for tag in tags]
        for row, tags in enumerate(better)
    ]
    result = tallystick.compare(
        gold, {"worse": worse, "better": better}, ["span_f1", "macro_span_f1"]
    )
    assert all(one.p_holm < 0.01 and one.difference > 0 for one in result.differences)
    assert all(one.low < one.difference < one.high for one in result.differences)


def test_sides_without_spans_are_undefined_with_a_reason():
    empty = [["O", "O"]]
    result = tallystick.score(
        empty, empty, ["span_precision", "span_recall", "span_f1", "macro_span_f1"]
    )
    assert np.isnan([one.value for one in result.scores]).all()
    assert any("micro_span_f1" in note for note in result.notes)
    shown = tallystick.score(empty, empty, SpanF1(zero_division=0), intervals=False)
    assert (0, True) == (shown.scores[0].value, shown.scores[0].undefined)


def test_severities_weigh_types():
    gold = [[[0, 2, "minor"], [4, 6, "major"], [8, 9, "major"]]]
    own = [[[0, 2, "minor"], [4, 6, "major"]]]
    weights = (("minor", 1), ("major", 5))
    metrics = [SpanRecall(severities=weights), SpanPrecision(severities=weights)]
    result = tallystick.score(gold, own, metrics, intervals=False)
    assert near([6 / 11, 1]) == [one.value for one in result.scores]
    with pytest.raises(UsageError, match="severities has no weight for 'critical'"):
        tallystick.score([[[0, 1, "critical"]]], own, SpanF1(severities=weights))


def test_other_types_are_worth_a_part_of_characters():
    gold, own = [[[0, 4, "minor"]]], [[[2, 6, "major"]]]
    half = SpanF1(match="character", other_type=0.5)
    assert near(0.25) == tallystick.score(gold, own, half, intervals=False).scores[0].value
    with pytest.raises(UsageError, match="it can only be used with match='character'"):
        SpanF1(other_type=0.5)


@pytest.mark.parametrize(("own", "message"), [
    ([[[5, 5, "A"]]], r"out, row 1: the span \[5, 5, 'A'\] ends where it begins or before"),
    ([[[5, 2, "A"]]], "ends where it begins or before"),
    ([[[-1, 2, "A"]]], r"the span \[-1, 2, 'A'\]"),
    ([[[0, 2, "A"], [0, 2, "A"]]], r"the span \[0, 2, 'A'\] occurs twice"),
    ([[[0, 2]]], r"\[0, 2\] is not a span; a span is such as \[0, 5, 'PER'\]"),
    ([[[0, 2.5, "A"]]], "start and end are whole numbers"),
    ([[{"start": 0, "end": 2}]], "start and end are whole numbers, and the label is text"),
    ([None], r"the spans are missing; write \[\] where there are none"),
    ([[], []], "out has 2 values for 1 examples"),
])  # fmt: skip
def test_spans_that_are_not_sound_are_rejected(own, message):
    with pytest.raises(InputError, match=message):
        tallystick.score([[[0, 2, "A"]]], {"out": own}, "span_f1")


def test_tags_that_are_not_sound_are_rejected():
    with pytest.raises(InputError, match="out, row 1 has 1 tags, but gold has 2"):
        tallystick.score([["O", "B-A"]], {"out": [["O"]]}, "span_f1")
    with pytest.raises(InputError, match="tag 1: S-A is not a tag of IOB2; name another `scheme=`"):
        tallystick.score([["S-A"]], {"out": [["O"]]}, "span_f1", columns=Columns(scheme="iob2"))
    with pytest.raises(UsageError, match="scheme must be one of iob1, iob2"):
        Columns(scheme="bio")  # type: ignore[arg-type]


def refuse(capsys, *arguments):
    assert main(["score", *arguments]) == 4
    return capsys.readouterr().err


def test_a_token_that_one_side_lacks_is_named(tmp_path, capsys):
    paths = [tmp_path / "g.jsonl", tmp_path / "o.jsonl"]
    for path, tokens in zip(paths, (["a", "b"], ["a"]), strict=True):
        path.write_text(json.dumps({"tokens": tokens, "ner": ["O", "B-X"]}))
    gold, own = map(str, paths)
    assert f"{own}, line 1, tag 2 has no token where {gold}, line 1, tag 2 has 'b'" in refuse(
        capsys, gold, own
    )


@pytest.mark.parametrize(("old", "new", "shown"), [
    ("w21", "other", "{own}, line 10 has 'other' where {gold}, line 10 has 'w21'"),
    ("\n\n", "\n", "{gold} has 3 sentences but {own} has 1"),
    ("w00 B-PER", "w00", "line 1 has one column, but a token and its tag"),
    ("w01 I-PER", "w01", "line 2 has 1 columns separated by spaces, but the lines above have 2"),
])  # fmt: skip
def test_files_that_differ_are_rejected_by_line(tmp_path, capsys, old, new, shown):
    gold, own = write(tmp_path / "g.conll", GOLD), write(tmp_path / "o.conll", GOOD)
    Path(own).write_text(Path(own).read_text("utf-8").replace(old, new), encoding="utf-8")
    assert shown.format(gold=gold, own=own) in refuse(capsys, gold, own)


def test_a_file_of_other_bytes_or_of_one_column_of_tags_is_rejected(tmp_path, capsys):
    gold = write(tmp_path / "g.conll", GOLD)
    own = tmp_path / "o.conll"
    own.write_bytes(b"a B-PER\n\xff O\n")
    assert "line 2 is not UTF-8" in refuse(capsys, gold, str(own))
    assert "has one column of tags" in refuse(capsys, gold)


def test_spans_beyond_their_text_are_rejected(tmp_path, capsys):
    gold = write_json(tmp_path / "g.jsonl", "spans", [[[0, 4, "PER"]]], text=["Ärne"])
    assert "line 1, column 'spans': a span ends at 5, but the text has 4 characters" in refuse(
        capsys, gold, write_json(tmp_path / "o.jsonl", "spans", [[[0, 5, "PER"]]])
    )


def test_examples_show_their_spans(tmp_path, capsys):
    gold = write_json(tmp_path / "g.jsonl", "spans", SPANS)
    own, same = (
        write_json(tmp_path / f"{n}.jsonl", "spans", rows) for n, rows in (("o", OWN), ("s", SPANS))
    )
    flips = tmp_path / "flips.csv"
    assert main(["compare", gold, own, same, "-m", "span_f1", "--flips", str(flips)]) == 0
    assert "0-4 PER, 9-12 PER" in flips.read_text(encoding="utf-8")


def test_each_type_has_an_interval_beside_groups():
    found = tallystick.score(GOLD, GOOD, "SpanF1(None)", by=["a", "b", "a"]).scores
    assert ["LOC", "ORG", "PER"] == [one.label for one in found]
    assert all(one.low <= one.value <= one.high for one in found)


@pytest.mark.parametrize("by", [None, ["a"] * 40])
def test_a_type_is_as_uncertain_as_its_own_spans_are_few(by):
    gold = [["B-PER", "O"]] * 38 + [["B-RARE", "O"], ["B-MISS", "O"]]
    own = [["B-PER", "O"]] * 38 + [["B-RARE", "O"], ["O", "O"]]
    found = tallystick.score(gold, own, SpanRecall(average=None), by=by).scores
    ends = {one.label: (one.low, one.high) for one in found if one.group in (None, "micro")}

    z = NormalDist().inv_cdf(0.975) ** 2

    assert {
        "MISS": near((0, z / (1 + z))),
        "PER": near((38 / (38 + z), 1)),
        "RARE": near((1 / (1 + z), 1)),
    } == ends


SLOTS = [
    {"city": "Paris", "date": {"year": 2024}},
    {"city": "Rome", "items": ["a", "b", "b"], "none": None},
    {},
]
OUTPUT = [
    {"city": "Paris", "date": {"year": 2024.0}},
    {"city": "Rom", "items": ["b", "b", "c"]},
    {"extra": "x"},
]


def count(gold, output):
    return (Counter(gold) & Counter(output)).total(), len(output), len(gold)


def list_triples(rng, examples):
    return [
        [[f"h{rng.integers(3)}", f"r{rng.integers(2)}", f"t{rng.integers(3)}"] for _ in range(n)]
        for n in rng.integers(0, 5, examples)
    ]


def test_slots_are_found_by_key_and_value():
    result = tallystick.score(SLOTS, OUTPUT, ["span_precision", "span_recall"])
    assert pytest.approx([4 / 7, 4 / 6]) == [one.value for one in result.scores[:2]]


def test_each_key_has_its_own_score():
    result = tallystick.score(SLOTS, OUTPUT, "SpanF1(average=None)")
    assert {"city": 0.5, "date.year": 1.0, "items": pytest.approx(2 / 3), "extra": 0.0} == {
        one.label: one.value for one in result.scores
    }


@pytest.mark.parametrize("seed", range(10))
def test_tuples_match_as_multisets(seed):
    rng = np.random.default_rng(seed)
    gold, output = list_triples(rng, 40), list_triples(rng, 40)
    found = [
        count([tuple(one) for one in golden], [tuple(one) for one in own])
        for golden, own in zip(gold, output, strict=True)
    ]
    hits, given, there = np.sum(found, 0)

    assert pytest.approx(2 * hits / (given + there)) == (
        tallystick.score(gold, output, "span_f1").scores[0].value
    )


@pytest.mark.parametrize(
    ("head", "value"),
    [([0, 5, "PER"], 1.0), ([0, 5, "ORG"], 0.0), ([0, 4, "PER"], 0.0), ({"text": "Bob"}, 0.0)],
)
def test_relations_have_the_same_head_tail_and_type(head, value):
    gold = [[{"head": [0, 5, "PER"], "tail": [9, 12, "ORG"], "type": "works_at"}]]
    output = [[{"tail": [9, 12, "ORG"], "relation": "works_at", "head": head}]]
    assert value == tallystick.score(gold, output, "span_f1").scores[0].value


def test_a_table_of_objects_is_read_without_options(tmp_path, capsys):
    rows = [
        {"id": n, "gold": g, "pred": o} for n, (g, o) in enumerate(zip(SLOTS, OUTPUT, strict=True))
    ]
    lines, table = tmp_path / "all.jsonl", tmp_path / "all.csv"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cells = [
        [json.dumps(row[name]).replace('"', '""') for name in ("gold", "pred")] for row in rows
    ]
    table.write_text("gold,pred\n" + "".join(f'"{one}","{other}"\n' for one, other in cells))
    found = []
    for path in (lines, table):
        assert 0 == main(["score", str(path), "--format", "json"])
        scores = json.loads(capsys.readouterr().out)["scores"]
        found.append([(one["name"], one["label"], one["value"]) for one in scores])

    assert found[0] == found[1]
    assert ("micro_span_recall", None, pytest.approx(4 / 6)) in found[0]


def test_differences_show_what_facts_say(tmp_path, capsys):
    path, out = tmp_path / "all.jsonl", tmp_path / "flips.csv"
    rows = [{"gold": [["a", "r", "b"]], "x": [["a", "r", "b"]], "y": [["a", "r", "c"]]}] * 3
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    main(["compare", str(path), "--systems", "x", "y", "-m", "span_f1", "--flips", str(out)])
    capsys.readouterr()
    assert 'r [""a"", ""c""]' in out.read_text()


def test_facts_have_no_place():
    with pytest.raises(UsageError, match="match strictly or exactly, not partial"):
        tallystick.score(SLOTS, OUTPUT, "partial_span_f1")


@pytest.mark.parametrize("output", [[[[0, 5, "PER"]]] * 3, [[[0, 5, "PER"]], {"a": "b"}, {}]])
def test_facts_and_spans_do_not_mix(output):
    with pytest.raises(InputError, match="facts, which have no position"):
        tallystick.score(SLOTS, output, "span_f1")

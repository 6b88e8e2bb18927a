"""Pages and summaries: a file for each example, normal forms, marks of sentences, similarity."""

import json
import random
from pathlib import Path

import jiwer
import pytest
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer

import tallystick
from tallystick import metrics
from tallystick.errors import InputError, UsageError
from texts import draw_corpus

PAGES = {"1": "Erste Zeile\nzweite Zeile", "2": "Seite zwei", "3": ""}
READ = {"1": "Erste Zeile zweite Zeile", "2": "Seite zwei\nx", "3": "noise"}
PICTURES: dict[str, dict[str, str | bytes]] = {".txt": {"1.png": b"\x89PNG"}}


def write(folder: Path, files: dict[str, str | bytes]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder)


def name(pattern: str, texts: dict[str, str], end: str = "\n") -> dict[str, str]:
    return {pattern.format(key): text + (text and end) for key, text in texts.items()}


@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        ("{}.txt", "{}.txt", {"per_file": True}),
        ("{}.gt.txt", "{}.txt", {"per_file": True}),
        ("{}_reference.txt", "{}_decoded.txt", {"per_file": True}),
        ("de/{}.txt", "de/{}.txt", {"per_file": True}),
        ("{}.ref", "{}.dec", {"per_file": True}),
        ("model.A.{}.txt", "system.{}.txt", {"per_file": True}),
        ("m.A.{}.txt", "s.{}.txt", {"gold_files": "m.*.{id}.txt", "system_files": "s.#ID#.txt"}),
        ("{}.gt.txt", "{}.ocr.txt", {"gold_files": "{id}.gt.txt", "system_files": "{id}.ocr.txt"}),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_files_are_paired_by_their_names(ours, theirs, options, end, tmp_path):
    gold = write(tmp_path / "gold", name(ours, PAGES, end) | PICTURES.get(ours[-4:], {}))
    read = write(tmp_path / "read", name(theirs, READ, end) | {".hidden.txt": "x"})
    references, hypotheses = list(PAGES.values()), [READ[key] for key in PAGES]
    result = tallystick.score(gold, read, ["cer", "macro_cer"], **options)
    each = [jiwer.cer(*pair) for pair in zip(references, hypotheses, strict=True)]
    expected = [jiwer.cer(references, hypotheses), sum(each) / 3]
    assert [result["cer"], result["macro_cer"]] == pytest.approx(expected, abs=1e-12)


def test_files_of_gold_and_output_may_be_in_one_folder(tmp_path):
    both = write(tmp_path / "both", name("{}.gt.txt", PAGES) | name("{}.txt", READ))
    patterns = {"gold_files": "{id}.gt.txt", "system_files": "{id}.txt"}
    assert tallystick.score(both, both, ["exact_match"], **patterns)["exact_match"] == 0


def test_files_of_one_id_are_several_references(tmp_path):
    gold = {"model.A.1.txt": "the cat", "model.B.1.txt": "a dog sat", "model.A.2.txt": "b"}
    files = write(tmp_path / "models", gold)
    outputs = write(tmp_path / "systems", {"s.1.txt": "a dog", "s.2.txt": "b"})
    best = RougeScorer(["rouge1"]).score_multi(["the cat", "a dog sat"], "a dog")["rouge1"]
    result = tallystick.score(files, outputs, ["rouge1"], per_file=True)
    assert result["rouge1"] == pytest.approx((best.fmeasure + 1) / 2, abs=1e-12)


def test_further_folders_are_further_references(tmp_path):
    sides = [write(tmp_path / key, {"1.txt": key}) for key in ("a", "b", "c")]
    call = {"per_file": True, "references": [sides[1]]}
    copy = write(tmp_path / "d", {"1.txt": "b"})
    assert tallystick.score(sides[0], copy, ["exact_match"], **call)["exact_match"] == 1


def test_folders_within_folders_are_groups(tmp_path):
    pages = {"de/1.txt": "ab", "en/1.txt": "cd"}
    gold = write(tmp_path / "gold", pages)
    own = write(tmp_path / "own", pages | {"en/1.txt": "cx"})
    result = tallystick.score(gold, own, ["cer"], per_file=True, by="folder")
    found = {row["group"]: row["value"] for row in result.to_records()}
    assert (found["de"], found["en"]) == (0, 0.5)


@pytest.mark.parametrize(
    ("gold", "own", "options", "message"),
    [
        ({"a.txt": "x", "b.txt": "x"}, {"b.txt": "x", "c.txt": "x"}, {}, "no file for a; .* for c"),
        ({"a.txt": "x", "b.txt": "x"}, {"b.txt": "x"}, {}, "own has no file for a; .*missing="),
        ({"a.txt": "x", "a.gt.txt": "x"}, {"a.txt": "x"}, {}, "same name; .*gold_files="),
        ({"a.txt": "x"}, {"a.txt": b"a\xff"}, {}, "a.txt: is not UTF-8 at byte offset 1"),
        ({"a.txt": "x"}, {"a.txt": b"a\0b"}, {}, "a.txt: is not a text"),
        ({"a.txt": "x"}, {"a.txt": b"%PDF-1.4"}, {}, "is a PDF file; write its plain text"),
        ({"a.xml": "<?xml version='1.0'?>"}, {"a.txt": "x"}, {}, "a.xml: is XML; write its plain"),
        ({"a.html": "<html>"}, {"a.txt": "x"}, {}, "a.html: is a web page"),
        ({"a.txt": "x"}, {}, {}, "own: contains no files"),
        ({"a.txt": "x"}, {"a.txt": "x"}, {"gold_files": "{id}.ref"}, "no file matches '{id}.ref'"),
        ({"a.txt": "x"}, {"a.txt": "x"}, {"gold_files": "*.txt"}, r"has \{id\} once"),
        ({"a.txt": "x"}, {"a.txt": "x"}, {"input_format": "csv"}, "takes folders of text files"),
    ],
)
def test_folders_that_cannot_be_paired_are_rejected(gold, own, options, message, tmp_path):
    sides = [write(tmp_path / "gold", gold), write(tmp_path / "own", own)]
    (tmp_path / "own").mkdir(exist_ok=True)
    with pytest.raises((InputError, UsageError), match=message):
        tallystick.score(sides[0], sides[1], ["cer"], per_file=True, **options)


def test_a_missing_page_may_count_as_empty(tmp_path):
    gold = write(tmp_path / "gold", {"a.txt": "xy", "b.txt": "zw"})
    own = write(tmp_path / "own", {"a.txt": "xy"})
    call = {"per_file": True, "missing": "wrong"}
    assert tallystick.score(gold, own, ["cer"], **call)["cer"] == 0.5


@pytest.mark.parametrize(
    ("command", "exits"), [("score", 0), ("compare", 0), ("rank", 0), ("gate", 3)]
)
def test_every_command_reads_folders(command, exits, tmp_path, run):
    gold = write(tmp_path / "gt", name("{}.gt.txt", PAGES))
    one, two = (write(tmp_path / key, name("{}.txt", PAGES)) for key in ("one", "two"))
    against = ["--against", two, "--max-drop", "0.1"] if command == "gate" else [two]
    shown = run(command, gold, one, *against, "-m", "cer", "--per-file", code=exits)
    assert "one" in shown.out


MARKED = [("the cat sat<q>it was warm", "it was warm<q>the cat sat"), ("a<q>b c", "b<q>a c")]


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_marks_separate_sentences(kind):
    gold, outputs = map(list, zip(*MARKED, strict=True))
    lines = [[text.replace("<q>", "\n") for text in pair] for pair in MARKED]
    scorer = RougeScorer([kind])
    expected = sum(scorer.score(*pair)[kind].fmeasure for pair in lines) / len(lines)
    metric = metrics.ROUGE(kind.removeprefix("rouge"), sentences="<q>")
    result = tallystick.score(gold, outputs, [metric])
    assert result.scores[0].value == pytest.approx(expected, abs=1e-12)
    assert metric(outputs, gold) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", ["rouge1", "rougeLsum", "ROUGE('Lsum', measure='recall')"])
def test_a_mark_between_sentences_is_an_option(metric, tmp_path, run):
    for place, text in enumerate(zip(*MARKED, strict=True)):
        (tmp_path / f"{place}.txt").write_text("\n".join(text), "utf-8")
    paths = [str(tmp_path / "0.txt"), str(tmp_path / "1.txt")]
    options = ["--sentence-separator", "<q>", "--no-intervals", "--format", "json"]
    shown = json.loads(run("score", *paths, "-m", metric, *options).out)
    assert shown["scores"][0]["value"] == pytest.approx(1, abs=1e-12)
    wrong = run("score", *paths, "-m", "cer", *options, code=2).err
    assert "--sentence-separator can only be used with ROUGE" in wrong


@pytest.mark.parametrize("form", ["NFC", "nfd", "NFKC", "NFKD"])
def test_texts_are_compared_in_a_normal_form(form, tmp_path, run):
    gold, own = ["für café", "x"], ["fu\u0308r cafe\u0301", "x"]
    assert tallystick.score(gold, own, ["cer"])["cer"] > 0
    assert tallystick.score(gold, own, ["cer", "wer"], unicode=form)["cer"] == 0
    for place, texts in (("a.txt", gold), ("b.txt", own)):
        (tmp_path / place).write_text("\n".join(texts), "utf-8")
    paths = [str(tmp_path / place) for place in ("a.txt", "b.txt")]
    shown = run("score", *paths, "-m", "cer", "--unicode", form.upper(), "--no-intervals")
    assert "0.000" in shown.out


def test_normal_forms_are_for_texts():
    with pytest.raises(UsageError, match="`unicode=` can only be used with metrics of texts"):
        tallystick.score(["a", "b"], ["a", "b"], ["accuracy"], unicode="NFC")
    with pytest.raises(UsageError, match="unicode must be one of NFC, NFD, NFKC, NFKD"):
        tallystick.score(["a", "b"], ["a", "b"], ["cer"], unicode="utf-8")


def similarity(output: str, answers: list[str], threshold: float) -> float:
    fold = [" ".join(text.lower().split()) for text in (output, *answers)]
    lengths = [max(len(output.upper()), len(text.upper())) or 1 for text in answers]
    edits = [Levenshtein.distance(fold[0], text) for text in fold[1:]]
    best = 1 - min(edit / length for edit, length in zip(edits, lengths, strict=True))
    return best if best >= threshold else 0


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("threshold", [0.5, 0, 0.8])
def test_similarity_is_that_of_rapidfuzz_above_the_threshold(seed, threshold):
    outputs, answers = draw_corpus(random.Random(seed))
    each = [similarity(*pair, threshold) for pair in zip(outputs, answers, strict=True)]
    found = metrics.ANLS(threshold)(outputs, answers)
    assert found == pytest.approx(sum(each) / len(each), abs=1e-12)


@pytest.mark.parametrize(
    ("output", "answers", "expected"),
    [
        ("Hello Wrld", ["hello  world"], 1 - 1 / 12),
        ("ab", ["ax"], 0.5),
        ("abc", ["axy"], 0),
        ("", [""], 1),
        ("", ["a"], 0),
        ("b", ["a", "B"], 1),
    ],
)
def test_similarity_by_its_definition(output, answers, expected):
    assert metrics.ANLS()([output], [answers]) == pytest.approx(expected, abs=1e-15)
    assert tallystick.score([answers], [output], ["anls"])["anls"] == pytest.approx(expected)


def test_macro_rates_are_means_of_those_of_examples():
    outputs, answers = draw_corpus(random.Random(5))
    gold = [own[0] for own in answers]
    for metric, rate in (
        (metrics.CER(macro=True), jiwer.cer),
        (metrics.WER(macro=True), jiwer.wer),
    ):
        each = [rate(*pair) for pair in zip(gold, outputs, strict=True)]
        assert metric(outputs, gold) == pytest.approx(sum(each) / len(each), abs=1e-12)


@pytest.mark.parametrize("mark", ["{id}", "#ID#"])
def test_patterns_take_the_place_of_folders(mark, tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        for path in (f"gt/p.{name}.gt.txt", f"old/{name}.x.txt", f"new/{name}.x.txt"):
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text("word", "utf-8")
    systems = [f"old/{mark}.x.txt", f"best=new/{mark}.x.txt"]
    shown = run("score", f"gt/p.{mark}.gt.txt", *systems, "-m", "cer", "--format", "csv")
    assert ["old,2,0.0", "best,2,0.0"] == shown.out.splitlines()[1:]
    gated = ["gate", "--gold", f"gt/p.{mark}.gt.txt", systems[1], "--against", systems[0]]
    assert "best" in run(*gated, "-m", "cer", "--max-drop", "0.1", code=3).out
    mixed = [f"gt/p.{mark}.gt.txt", *systems[:1], "new/{id}.txt"]
    assert "name the files of all systems alike" in run("score", *mixed, code=2).err

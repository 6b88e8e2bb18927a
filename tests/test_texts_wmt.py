"""Published texts: WMT23, WebNLG, and the BLEU values of a notebook."""

import csv
import json
import shutil
from collections.abc import Callable
from typing import Any

import jiwer
import pytest
from rapidfuzz.distance import Levenshtein as Rapidfuzz
from sacrebleu import metrics as peer

from tallystick import metrics as m
from tallystick.cli import main
from texts import stream

Records = list[dict[str, Any]]
Run = Callable[..., Records]

SOME = slice(0, 30)
"""Few enough segments for sacreBLEU's slow search for shifts."""


@pytest.fixture
def score(capsys):
    def run(*arguments):
        code = main(["score", *map(str, arguments), "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        records: Records = json.loads(captured.out)["scores"]
        return records

    return run


def near(value):
    return pytest.approx(value, abs=1e-9, rel=0)


def find_reference(shared, pair, which="A"):
    name = f"generaltest2023.{pair}.ref.ref{which}.{pair[3:]}"
    return shared / "data" / "wmt23" / "references" / name


def list_systems(shared, pair):
    return sorted((shared / "data" / "wmt23" / "systems").glob(f"generaltest2023.{pair}.hyp.*"))


def read_lines(path):
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("pair", "bleu", "n_scores"),
    [("en-de", "bleu", 24), ("he-en", "bleu", 24), ("en-zh", "BLEU(tokenizer='zh')", 30)],
)
def test_the_official_scores_of_wmt23_come_out(shared, score, pair, bleu, n_scores):
    with (shared / "data" / "wmt23" / "official-scores.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["pair"] == pair]
    official = {
        (row["system"], row["metric"].removesuffix("-refA")): float(row["score"])
        for row in rows
        if row["metric"].endswith("-refA")
    }
    records = score(find_reference(shared, pair), *list_systems(shared, pair), "-m", bleu, "chrf")
    scored = {(record["system"], record["name"]): record["value"] for record in records}

    assert n_scores == len(official)
    assert near(official) == {key: scored[key] for key in official}


@pytest.mark.deep
def test_one_table_of_all_pairs_gives_the_official_bleu_of_each(shared, tmp_path, score):
    table, official = tmp_path / "wmt23.jsonl", {}
    with (shared / "data" / "wmt23" / "official-scores.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["metric"] == "bleu-refA":
                official[row["system"], row["pair"]] = float(row["score"])
    with table.open("w", encoding="utf-8") as file:
        for pair in ("en-de", "en-zh", "he-en"):
            references = read_lines(find_reference(shared, pair))
            for path in list_systems(shared, pair):
                name = path.name.split(".hyp.")[1].rsplit(".", 1)[0]
                for place, (own, gold) in enumerate(zip(read_lines(path), references, strict=True)):
                    row = {"lp": pair, "id": f"{pair}-{place}", "system": name}
                    file.write(json.dumps({**row, "hypothesis": own, "reference": gold}) + "\n")
    how = ("--system-column", "system", "--by", "lp", "--missing", "exclude", "--no-intervals")
    records = score(table, "-m", "bleu", *how)
    found = {(one["system"], one["group"]): one["value"] for one in records}

    assert len(official) > 30
    assert near(official) == {key: found[key] for key in official}


@pytest.mark.deep
@pytest.mark.parametrize("system", [0, 1])
def test_two_references_score_as_in_sacrebleu(shared, score, system):
    references = [find_reference(shared, "he-en", which) for which in "AB"]
    path = list_systems(shared, "he-en")[system]
    streams = [read_lines(path) for path in references]
    expected = []
    for metric in (peer.BLEU(), peer.CHRF(word_order=2)):
        value = metric.corpus_score(read_lines(path), streams).score
        expected.append((near(value), metric.get_signature().format()))
    records = score(references[0], path, "--ref", references[1], "-m", "bleu", "ChrF(word_order=2)")

    assert expected == [(record["value"], record["peer_signature"]) for record in records]


@pytest.mark.deep
@pytest.mark.parametrize("start", [0, 10, 20])
@pytest.mark.parametrize("pair", ["en-de", "he-en", "en-zh"])
def test_translation_edit_rates_equal_sacrebleu(shared, pair, start):
    hypotheses = read_lines(list_systems(shared, pair)[-1])[start : start + 10]
    references = read_lines(find_reference(shared, pair))[start : start + 10]
    options = (True, False, True) if pair == "en-zh" else ()
    expected = peer.TER(*options).corpus_score(hypotheses, [references])
    assert near(expected.score) == m.TER(*options)(hypotheses, references)


@pytest.mark.deep
@pytest.mark.parametrize("pair", ["en-de", "he-en", "en-zh"])
@pytest.mark.parametrize(
    ("metric", "rate"),
    [(m.WER(), jiwer.wer), (m.CER(), jiwer.cer), (m.MER(), jiwer.mer), (m.WIL(), jiwer.wil)],
    ids=["wer", "cer", "mer", "wil"],
)
def test_error_rates_equal_jiwer(shared, pair, metric, rate):
    hypotheses = read_lines(list_systems(shared, pair)[0])
    references = read_lines(find_reference(shared, pair))
    assert near(rate(references, hypotheses)) == metric(hypotheses, references)


@pytest.mark.parametrize("pair", ["en-de", "he-en", "en-zh"])
def test_distances_equal_rapidfuzz(shared, pair):
    hypotheses = read_lines(list_systems(shared, pair)[0])
    references = read_lines(find_reference(shared, pair))
    expected = sum(map(Rapidfuzz.distance, hypotheses, references))
    assert expected == m.Levenshtein()(hypotheses, references)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("options", "missing"), [(["--blank-is-missing"], True), ([], False)], ids=["missing", "empty"]
)
def test_blank_lines_of_webnlg_are_missing_or_empty(shared, tmp_path, score, options, missing):
    paths = [tmp_path / f"reference{place}.txt" for place in range(4)]
    for path in (*paths, tmp_path / "hypothesis.txt"):
        lines = read_lines(shared / "data" / "webnlg" / path.name)[:300]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    hypotheses = read_lines(tmp_path / "hypothesis.txt")
    streams = [
        [None if missing and not line.strip() else line for line in read_lines(path)]
        for path in paths
    ]
    metrics = [peer.BLEU(), peer.CHRF()]
    expected = []
    for metric in metrics:
        value = metric.corpus_score(hypotheses, streams).score
        expected.append((near(value), metric.get_signature().format()))
    further = [argument for path in paths[1:] for argument in ("--ref", path)]
    records = score(paths[0], tmp_path / "hypothesis.txt", *further, *options, "-m", "bleu", "chrf")

    assert expected == [(record["value"], record["peer_signature"]) for record in records]


def test_ter_of_uneven_references_equals_sacrebleu(shared):
    folder = shared / "data" / "webnlg"
    hypotheses = read_lines(folder / "hypothesis.txt")[SOME]
    columns = [read_lines(folder / f"reference{place}.txt")[SOME] for place in range(4)]
    references = [[line for line in own if line] for own in zip(*columns, strict=True)]
    expected = peer.TER().corpus_score(hypotheses, stream(references)).score
    assert near(expected) == m.TER()(hypotheses, references)


Row = dict[str, Any]


@pytest.fixture
def rows(shared):
    path = shared / "acceptance" / "seed_notebook_values.json"
    return {row["id"]: row for row in json.loads(path.read_text(encoding="utf-8"))["values"]}


def near_published(value):
    return pytest.approx(value, abs=1e-12, rel=0)


@pytest.mark.parametrize(("name", "n"), [
    ("modified_precision_1_latex_as_executed", 1),
    ("modified_precision_1_latex_raw_string_variant", 1),
    ("modified_precision_2", 2),
    ("modified_precision_1", 1),
    ("modified_precision_of_the_1", 1),
    ("modified_precision_of_the_2", 2),
])  # fmt: skip
def test_modified_precisions_come_out(rows, name, n):
    row = rows[name]
    metric = m.NgramPrecision(n, tokenizer=str.split)
    assert n == row["n"]
    assert near_published(row["got"]) == metric([row["candidate"]], [row["references"]])


def test_the_brevity_penalty_and_its_reference_length_come_out(rows):
    row = rows["brevity_penalty_of_the"]
    texts = [row["candidate"]], [row["references"]]
    assert row["closest_ref_length"] == m.ReferenceLength("none")(*texts)
    assert near_published(row["notebook"]) == m.BrevityPenalty("none")(*texts)


@pytest.mark.parametrize(
    "name", ["corpus_bleu_chars_as_executed", "corpus_bleu_chars_raw_string_variant"]
)
def test_bleu_of_characters_comes_out(rows, name):
    row = rows[name]
    metric = m.BLEU(tokenizer=list, smoothing="none")
    assert near_published(100 * row["got"]) == metric(row["hypotheses"], row["references"])


@pytest.fixture
def task(shared, tmp_path):
    data = shared / "data" / "wmt23"
    lines = ["tracks:"]
    for track, bleu in {"en-de": "bleu", "en-zh": "BLEU(tokenizer='zh')", "he-en": "bleu"}.items():
        gold = data / "references" / f"generaltest2023.{track}.ref.refA.{track[3:]}"
        lines.append(f'  {track}: {{gold: "{gold}", task: text, metrics: [chrf, "{bleu}"]}}')
    (tmp_path / "task.yaml").write_text("\n".join(lines) + "\n")
    for path in (data / "systems").iterdir():
        _, track, _, team, _ = path.name.split(".")
        (tmp_path / "entries" / team).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "entries" / team / f"{track}.txt")
    return tmp_path


@pytest.mark.deep
def test_all_teams_have_their_official_scores(shared, task, capsys):
    code = main(["task", "score", f"{task}/entries", f"--task={task}/task.yaml", "--format=json"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    found = {(one["track"], one["system"], one["name"]): one["value"] for one in scores}

    with open(shared / "data" / "wmt23" / "official-scores.tsv", newline="") as file:
        official = {
            (row["pair"], row["system"], row["metric"].removesuffix("-refA")): float(row["score"])
            for row in csv.DictReader(file, delimiter="\t")
            if row["metric"] in ("bleu-refA", "chrf-refA")
        }
    expected = {key: official[key] for key in found}
    assert (0, 2 * len([*(task / "entries").rglob("*.txt")])) == (code, len(found))
    assert expected == pytest.approx(found, abs=1e-9)

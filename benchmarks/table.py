"""One table of works beside peers: whole processes, which take turns, in processor seconds.

    python benchmarks/table.py [WORDS ...]

With words only the works whose names hold one of them. Files are made anew with a fixed seed, of a
million labels or as many as the environment says in ROWS; both sides must print the same scores to
nine digits. pyarrow is the least that reads the labels of Parquet with Tallystick's checks.
sacreBLEU and Tallystick give intervals by 1,000 resamples where the name says so; else neither
does, but for labels, whose intervals are formulas.
"""

import csv
import os
import random
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from math import isclose
from pathlib import Path

from stopwatch import find_medians, format_table, take_turns

ROUNDS = 5
ROWS = int(os.environ.get("ROWS", "1000000"))
PAIRS = 20_000
COMMAND = str(Path(sys.executable).with_name("tallystick"))


@dataclass(frozen=True)
class Work:
    """Something that both sides do with the files of a folder.

    Attributes:
        name: What it is.
        words: What `tallystick score` is told, before -m.
        metrics: What is computed; the peer prints the same numbers in the same order.
        peer: What is compared with.
        code: The peer's Python.
        bound: What takes most of Tallystick's time.
    """

    name: str
    words: str
    metrics: tuple[str, ...]
    peer: str
    code: str
    bound: str


_DUCKDB = """
import duckdb
duckdb.execute("set enable_progress_bar = false")
rows = duckdb.execute("select g, p, count(*) from ({}) group by 1, 2").fetchall()
labels = sorted({{one for row in rows for one in row[:2]}})
counts = {{(g, p): n for g, p, n in rows}}
print(sum(counts.get((one, one), 0) for one in labels) / sum(counts.values()))
print(sum(2 * counts.get((one, one), 0) / sum(n * ((g == one) + (p == one))
    for (g, p), n in counts.items()) for one in labels) / len(labels))
"""
_POLARS = """
import polars as pl
rows = pl.scan_csv('labels.csv').group_by('gold', 'y_pred').len().collect().rows()
counts = {(g, p): n for g, p, n in rows}
labels = sorted({one for pair in counts for one in pair})
print(sum(counts.get((one, one), 0) for one in labels) / sum(counts.values()))
print(sum(2 * counts.get((one, one), 0) / sum(n * ((g == one) + (p == one))
    for (g, p), n in counts.items()) for one in labels) / len(labels))
"""
_PYARROW = """
import numpy as np
import pyarrow.parquet
names, counts = {}, np.zeros((256, 256), np.int64)
file = pyarrow.parquet.ParquetFile('labels.parquet', read_dictionary=['gold', 'y_pred'])
for batch in file.iter_batches(1 << 17):
    batch.validate(full=True)
    columns = []
    for column in batch.columns:
        known = column.dictionary.to_pylist()
        if column.null_count or None in known or '' in known:
            raise ValueError('a label is missing')
        codes = np.array([names.setdefault(name, len(names)) for name in known], np.uint8)
        columns.append(codes[np.asarray(column.indices)].astype(np.int64))
    counts += np.bincount(columns[0] * 256 + columns[1], minlength=1 << 16).reshape(256, 256)
used = counts[:len(names), :len(names)]
print(np.trace(used) / used.sum())
print(np.mean(2 * np.diag(used) / (used.sum(0) + used.sum(1))))
"""
_SKLEARN = """
import pandas
from sklearn.metrics import accuracy_score, f1_score
table = pandas.read_csv('labels.csv')
print(accuracy_score(table.gold, table.y_pred))
print(f1_score(table.gold, table.y_pred, average='macro'))
"""
_TEXTS = """
from sacrebleu import BLEU, CHRF
hyp, ref = (open(name).read().splitlines() for name in ('hyp.txt', 'ref.txt'))
for metric in (BLEU(), CHRF()):
    print(metric.corpus_score(hyp, [ref]{}).score)
"""
_ROUGE = """
from rouge_score.rouge_scorer import RougeScorer
hyp, ref = (open(name).read().splitlines() for name in ('hyp.txt', 'ref.txt'))
scorer = RougeScorer(['rouge1', 'rougeL'])
found = [scorer.score(*pair) for pair in zip(ref, hyp)]
for name in ('rouge1', 'rougeL'):
    print(sum(one[name].fmeasure for one in found) / len(found))
"""
_JIWER = """
import jiwer
hyp, ref = (open(name).read().splitlines() for name in ('hyp.txt', 'ref.txt'))
print(jiwer.wer(ref, hyp))
"""
_SEQEVAL = """
from seqeval.metrics import f1_score
def read(name):
    blocks = open(name).read().strip().split('\\n\\n')
    return [[line.split()[-1] for line in block.split('\\n')] for block in blocks]
print(f1_score(read('g.conll'), read('p.conll')))
"""
_TREC = """
import pytrec_eval
def read(name, place, kind):
    found = {}
    for line in open(name):
        parts = line.split()
        found.setdefault(parts[0], {})[parts[2]] = kind(parts[place])
    return found
judge = pytrec_eval.RelevanceEvaluator(read('qrels.txt', 3, int), {'ndcg_cut.10', 'map'})
found = judge.evaluate(read('run.txt', 4, float))
for name in ('ndcg_cut_10', 'map'):
    print(sum(one[name] for one in found.values()) / len(found))
"""
_LINE = "read_csv('{}', header=false, columns={{'{}': 'varchar'}})"
_PARTED = f"{_LINE.format('g.txt', 'g')} positional join {_LINE.format('p.txt', 'p')}"
_JOINED = "'gold.csv' join 'pred.csv' using (id)"
_LABELS = ("accuracy", "macro_f1")
_TABLE = "select gold g, y_pred p from {}"
_MT = ("bleu", "chrf")
WORKS = (
    *(
        Work(f"{ROWS:,} labels, {name}", f"labels.{ending}", _LABELS, peer, code, bound)
        for name, ending, peer, code, bound in (
            (
                *("CSV", "csv", "DuckDB"),
                *(_DUCKDB.format(_TABLE.format("'labels.csv'")), "starting Python"),
            ),
            ("CSV", "csv", "Polars", _POLARS, "starting Python"),
            ("CSV", "csv", "pandas and scikit-learn", _SKLEARN, "starting Python"),
            (
                *("JSON Lines", "jsonl", "DuckDB"),
                *(_DUCKDB.format(_TABLE.format("'labels.jsonl'")), "decoding rows"),
            ),
            (
                *("Parquet", "parquet", "DuckDB"),
                *(_DUCKDB.format(_TABLE.format("'labels.parquet'")), "starting Python"),
            ),
            ("Parquet", "parquet", "pyarrow", _PYARROW, "starting Python"),
        )
    ),
    Work(
        *(f"{ROWS:,} labels, two files of lines", "g.txt p.txt", _LABELS, "DuckDB"),
        *(_DUCKDB.format(f"select g, p from {_PARTED}"), "encoding lines"),
    ),
    Work(
        *(f"{ROWS:,} ids of two CSV files", "gold.csv pred.csv", _LABELS, "DuckDB"),
        *(_DUCKDB.format(_TABLE.format(_JOINED)), "matching ids"),
    ),
    Work(
        *("BLEU, chrF, 20,000 pairs", "ref.txt hyp.txt --no-intervals", _MT, "sacreBLEU"),
        *(_TEXTS.format(""), "starting Python"),
    ),
    Work(
        *("BLEU, chrF with intervals, 20,000 pairs", "ref.txt hyp.txt", _MT, "sacreBLEU"),
        *(_TEXTS.format(", n_bootstrap=1000"), "starting Python"),
    ),
    Work(
        *("ROUGE-1, ROUGE-L, 20,000 pairs", "ref.txt hyp.txt --no-intervals", ("rouge1", "rougeL")),
        *("rouge_score", _ROUGE, "starting Python"),
    ),
    Work(
        "WER, 20,000 pairs",
        "ref.txt hyp.txt --no-intervals",
        ("wer",),
        "jiwer",
        _JIWER,
        "starting Python",
    ),
    Work(
        *(
            "F1 of spans, 20,000 sentences, CoNLL",
            "g.conll p.conll --no-intervals",
            ("micro_span_f1",),
            "seqeval",
        ),
        *(_SEQEVAL, "reading lines"),
    ),
    Work(
        *(
            "nDCG@10, AP, 1,000 queries",
            "qrels.txt run.txt --no-intervals",
            ("nDCG@10", "AP"),
            "pytrec_eval",
        ),
        *(_TREC, "reading and sorting"),
    ),
)


def main(words: list[str]) -> None:
    """Makes the files, checks the scores, and prints the table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        take_turns({"make": [sys.executable, __file__, "--make", folder]}, 1)
        for work in WORKS:
            known = find_spec(work.peer.lower()) or " " in work.peer
            if known and (not words or any(word in work.name for word in words)):
                rows.append(_measure(work, folder))
    headings = ("work", "peer", "seconds", "peer's", "ratio", "MB", "peer's", "bound")
    print(format_table(headings, rows))


def _measure(work: Work, folder: str) -> list[str]:
    names = [word if "." not in word else f"{folder}/{word}" for word in work.words.split()]
    command = [COMMAND, "score", *names, "-m", *work.metrics, "--format", "csv"]
    code = f"import os\nos.chdir({folder!r})\n{work.code}"
    runs = take_turns({"ours": command, "peer": [sys.executable, "-c", code]}, ROUNDS)
    (row, *_) = csv.DictReader(runs["ours"][0].output.splitlines())
    theirs = map(float, runs["peer"][0].output.split())
    for metric, value in zip(work.metrics, theirs, strict=True):
        if not isclose(float(row[metric]), value, rel_tol=1e-9):
            raise SystemExit(f"{work.name}: {metric} {row[metric]}, but {work.peer} has {value}")
    seconds, peaks = (
        find_medians(runs, get) for get in (lambda one: one.work, lambda one: one.peak)
    )
    times = [f"{seconds[side]:.2f}" for side in ("ours", "peer")]
    ratio = f"{seconds['peer'] / seconds['ours']:.1f}"
    return [
        work.name,
        work.peer,
        *times,
        ratio,
        *(f"{one / 1e6:.0f}" for one in peaks.values()),
        work.bound,
    ]


def make(folder: str) -> None:
    """Writes all files; in a process of its own, whose memory counts into no peak."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    seeded, place = random.Random(1), Path(folder)
    gold = seeded.choices(["pos", "neg", "neutral", "mixed"], k=ROWS)
    own = [seeded.choice(gold) if seeded.random() < 0.3 else label for label in gold]
    ids = [f"id-{number:07d}" for number in range(ROWS)]
    table = pa.table({"gold": gold, "y_pred": own})
    pa.csv.write_csv(table, place / "labels.csv")
    pa.parquet.write_table(table, place / "labels.parquet")
    lines = (f'{{"gold": "{g}", "y_pred": "{p}"}}\n' for g, p in zip(gold, own, strict=True))
    (place / "labels.jsonl").write_text("".join(lines))
    pa.csv.write_csv(pa.table({"id": ids, "gold": gold}), place / "gold.csv")
    order = seeded.sample(range(ROWS), ROWS)
    shuffled = pa.table({"id": ids, "y_pred": own}).take(pa.array(order))
    pa.csv.write_csv(shuffled, place / "pred.csv")
    _write_lines(place / "g.txt", gold)
    _write_lines(place / "p.txt", own)
    words = [f"w{number}" for number in range(2_000)]
    references = [seeded.choices(words, k=seeded.randint(8, 40)) for _ in range(PAIRS)]
    noisy = [[w if seeded.random() < 0.7 else seeded.choice(words) for w in r] for r in references]
    _write_lines(place / "ref.txt", map(" ".join, references))
    _write_lines(place / "hyp.txt", map(" ".join, noisy))
    tags = [[_tag(seeded) for _ in range(8)] for _ in range(20_000)]
    others = [[own if seeded.random() < 0.8 else _tag(seeded) for own in row] for row in tags]
    for name, rows in (("g.conll", tags), ("p.conll", others)):
        blocks = ("\n".join(f"t {tag}" for piece in row for tag in piece) for row in rows)
        (place / name).write_text("\n\n".join(blocks) + "\n")
    with (place / "qrels.txt").open("w") as qrels, (place / "run.txt").open("w") as ranked:
        for query in range(1_000):
            for document in range(1_000):
                print(query, "Q0", f"d{document}", document, seeded.random(), "x", file=ranked)
                if document % 50 == 0:
                    print(query, 0, f"d{document}", seeded.randint(0, 3), file=qrels)


def _tag(seeded: random.Random) -> tuple[str, ...]:
    """The tags of a few tokens: a span, or none."""
    kind = seeded.choice(["PER", "ORG", "LOC", ""])
    return (f"B-{kind}", f"I-{kind}", "O") if kind else ("O", "O", "O")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(sys.argv[2])
    else:
        main(sys.argv[1:])

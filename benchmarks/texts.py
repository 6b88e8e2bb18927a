"""Text metrics on translations: strings in, score out, beside sacreBLEU, jiwer and rapidfuzz.

Needs a shared task's texts, `data/wmt23/` with `systems/` and `references/`, in the folder that
TALLYSTICK_SHARED names, or in `shared` beside the checkout.
"""

import os
import random
import sys
from collections.abc import Callable
from math import isclose
from pathlib import Path
from statistics import median
from time import perf_counter

import jiwer
import sacrebleu
from rapidfuzz.distance import Levenshtein as Distance
from rapidfuzz.process import cpdist
from stopwatch import format_table

from tallystick import score
from tallystick.compat.sacrebleu import sentence_bleu
from tallystick.metrics import BLEU, CER, TER, WER, ChrF, Levenshtein

ROUNDS = 5
SHARED = Path(os.environ.get("TALLYSTICK_SHARED", Path(__file__).parents[1].parent / "shared"))
PAIRS = {"en-de": "ONLINE-B", "he-en": "ONLINE-B", "en-zh": "ONLINE-B"}
TER_SYSTEMS = ("GPT4-5shot", "ONLINE-A", "ONLINE-B")
"""Of he-en: with en-de, whose segments are paragraphs, sacreBLEU takes a minute a round."""

Texts = list[str]
Corpus = tuple[Texts, Texts, str]


def main() -> None:
    """Measures every metric with one thread, and then with all that there are."""
    processors = sorted(os.sched_getaffinity(0))
    texts = [_read(pair, system) for pair, system in PAIRS.items()]
    sentences = [_read("he-en", system) for system in TER_SYSTEMS]
    rows = []
    for metric, (ours, theirs) in METRICS.items():
        corpus = sentences if metric == "TER, sacreBLEU" else texts
        os.sched_setaffinity(0, processors[:1])
        one = _compare(ours, theirs, corpus)
        os.sched_setaffinity(0, processors)
        many = _compare(ours, theirs, corpus)
        rows.append([metric, f"{1000 * one[0]:.1f}", f"{one[1]:.1f}", f"{many[1]:.1f}"])
    headings = ("metric, peer", "ms, one thread", "times faster", f"{len(processors)} threads")
    print(format_table(headings, rows))
    print(format_table(("one pair at a time", "µs", "times faster"), _loop(texts[1])))
    print(format_table(("one pair of 250,000 characters", "ms"), _edit(texts[0])))


def _read(pair: str, system: str) -> Corpus:
    target = pair.split("-")[1]
    folder = SHARED / "data" / "wmt23"
    start = f"generaltest2023.{pair}"
    hypotheses = folder / "systems" / f"{start}.hyp.{system}.{target}"
    references = folder / "references" / f"{start}.ref.refA.{target}"
    lines = [path.read_text(encoding="utf-8").split("\n")[:-1] for path in (hypotheses, references)]
    return lines[0], lines[1], "zh" if target == "zh" else "13a"


def _bleu(hypotheses: Texts, references: Texts, tokenizer: str) -> float:
    return BLEU(tokenizer=tokenizer)(hypotheses, references)


def _peer_bleu(hypotheses: Texts, references: Texts, tokenizer: str) -> float:
    metric = sacrebleu.BLEU(tokenize=tokenizer)
    type(metric.tokenizer).__call__.cache_clear()  # else only the first round tokenises
    return float(metric.corpus_score(hypotheses, [references]).score)


METRICS: dict[str, tuple[Callable[..., float], Callable[..., float]]] = {
    "BLEU, sacreBLEU": (_bleu, _peer_bleu),
    "chrF, sacreBLEU": (
        lambda hyp, ref, _: ChrF()(hyp, ref),
        lambda hyp, ref, _: sacrebleu.CHRF().corpus_score(hyp, [ref]).score,
    ),
    "TER, sacreBLEU": (
        lambda hyp, ref, _: TER()(hyp, ref),
        lambda hyp, ref, _: sacrebleu.TER().corpus_score(hyp, [ref]).score,
    ),
    "WER, jiwer": (lambda hyp, ref, _: WER()(hyp, ref), lambda hyp, ref, _: jiwer.wer(ref, hyp)),
    "Levenshtein, rapidfuzz cpdist": (
        lambda hyp, ref, _: Levenshtein()(hyp, ref),
        lambda hyp, ref, _: cpdist(hyp, ref, scorer=Distance.distance).sum(),
    ),
}


def _compare(
    ours: Callable[..., float], theirs: Callable[..., float], corpus: list[Corpus]
) -> tuple[float, float]:
    """Our seconds, and how many times as many the peer takes; medians of rounds by turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        values = []
        for side, function in zip(times, (ours, theirs), strict=True):
            fresh = [(_copy(hyp), _copy(ref), tokenizer) for hyp, ref, tokenizer in corpus]
            start = perf_counter()
            values.append([function(*texts) for texts in fresh])
            side.append(perf_counter() - start)
        for value, other in zip(*values, strict=True):
            if not isclose(value, other, abs_tol=1e-9):
                raise SystemExit(f"{value} is not {other}")
    return median(times[0]), median(times[1]) / median(times[0])


def _copy(texts: Texts) -> Texts:
    """The same texts as new strings: Python's keep their UTF-8 once it has been asked for."""
    return [text.encode().decode() for text in texts]


def _loop(texts: Corpus) -> list[list[str]]:
    """Sentence BLEU of pairs one by one, and all at once."""
    hypotheses, references, _ = texts
    hypotheses, references = hypotheses[:500], references[:500]
    metric = BLEU(effective_order=True)

    def measure(function: Callable[[], object]) -> float:
        times = []
        for _ in range(ROUNDS):
            sacrebleu.metrics.bleu._get_tokenizer("13a").__call__.cache_clear()
            start = perf_counter()
            function()
            times.append(perf_counter() - start)
        return median(times) / len(hypotheses)

    pairs = list(zip(hypotheses, references, strict=True))
    peer = measure(lambda: [sacrebleu.sentence_bleu(hyp, [ref]) for hyp, ref in pairs])
    alone = measure(lambda: [metric([hyp], [ref]) for hyp, ref in pairs])
    compatible = measure(lambda: [sentence_bleu(hyp, [ref]) for hyp, ref in pairs])
    together = measure(lambda: score(references, hypotheses, metric, segments=True))
    return [
        ["sacrebleu.sentence_bleu", f"{1e6 * peer:.1f}", "1.0"],
        ["BLEU(effective_order=True)", f"{1e6 * alone:.1f}", f"{peer / alone:.1f}"],
        ["compat.sacrebleu.sentence_bleu", f"{1e6 * compatible:.1f}", f"{peer / compatible:.1f}"],
        ["score(segments=True)", f"{1e6 * together:.1f}", f"{peer / together:.1f}"],
    ]


def _edit(texts: Corpus) -> list[list[str]]:
    """Levenshtein's distance of a long text and a copy of which 2% are edited."""
    draw = random.Random(1)
    whole = "\n".join(texts[1])[:250_000]
    edited = "".join(
        draw.choice(("", "#", piece + "#")) if draw.random() < 0.02 else piece for piece in whole
    )
    distance = Distance.distance(whole, edited)
    measure = Levenshtein()
    if measure([edited], [whole]) != distance:
        raise SystemExit("the distances differ")
    functions = {
        "Levenshtein": lambda: measure([edited], [whole]),
        "rapidfuzz": lambda: Distance.distance(whole, edited),
        "rapidfuzz, told the distance": lambda: Distance.distance(
            whole, edited, score_hint=distance
        ),
        "CER": lambda: CER()([edited], [whole]),
        "rapidfuzz, edits": lambda: Distance.editops(whole, edited),
    }
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(ROUNDS):
        for name, function in functions.items():
            start = perf_counter()
            function()
            times[name].append(perf_counter() - start)
    return [[name, f"{1000 * median(own):.1f}"] for name, own in times.items()]


if __name__ == "__main__":
    sys.exit(main())

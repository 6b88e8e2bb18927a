"""ROUGE of summaries: strings in, mean scores out, beside rouge_score and rouge-score-rs.

Needs `data/cnndm/`, 2,000 summaries of news with a reference each, in the folder that
TALLYSTICK_SHARED names, or in `shared` beside the checkout. Each number of threads has a process
of its own, because a pool of threads keeps the size it had at its first use.
"""

import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from math import isclose
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from stopwatch import Run, format_table, run

ROUNDS = 5
TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
LENGTHS = (500, 1_000, 3_000, 10_000)
SENTENCE = 25
N_ALIKE = 20
N_STREAMED = 2_000_000
SHARED = Path(os.environ.get("TALLYSTICK_SHARED", Path(__file__).parents[1].parent / "shared"))

Sides = Mapping[str, Callable[[], list[float]]]


def main() -> None:
    """Prints a table of each comparison, and at last of streamed files."""
    if len(sys.argv) > 1:
        print(json.dumps(_PARTS[sys.argv[1]]()))
        return
    processors = sorted(os.sched_getaffinity(0))
    for part, n_threads, headings in _TABLES:
        os.sched_setaffinity(0, processors[:n_threads])
        rows = json.loads(run([sys.executable, __file__, part]).output)
        print(f"\n{part}, {n_threads} threads\n\n{format_table(headings, rows)}")
    os.sched_setaffinity(0, processors)
    print(f"\nstreamed\n\n{format_table(('2 million pairs', 'seconds', 'peak MB'), [_stream()])}")


def _compare() -> list[list[str]]:
    """All pairs at once, stemmed or not."""
    return [row for stem in (False, True) for row in _time(f"{stem=}", _list_sides(stem))]


def _list_sides(stem: bool) -> Sides:
    from rouge_score import rouge_scorer
    from rouge_score_rs import RougeScorer

    from tallystick import score
    from tallystick.metrics import ROUGE

    hypotheses, references = _read()
    kinds = [kind.removeprefix("rouge") for kind in TYPES]
    metrics = [ROUGE(kind, stemmer="porter" if stem else None) for kind in kinds]
    peer, rust = rouge_scorer.RougeScorer(TYPES, stem), RougeScorer(TYPES, stem)
    return {
        # The peers give no intervals.
        "Tallystick": lambda: _pick(score(references, hypotheses, metrics, intervals=False)),
        "rouge_score": lambda: _average(list(map(peer.score, references, hypotheses))),
        "rouge-score-rs": lambda: _average(rust.score_batch(references, hypotheses)),
    }


def _call() -> list[list[str]]:
    """Pairs one by one, as a script has it that changes one import."""
    from rouge_score import rouge_scorer
    from rouge_score_rs import RougeScorer

    from tallystick.compat import rouge_score

    hypotheses, references = (texts[:300] for texts in _read())
    makers = {
        "tallystick.compat": rouge_score.RougeScorer,
        "rouge_score": rouge_scorer.RougeScorer,
        "rouge-score-rs": RougeScorer,
    }

    def loop(scorer: Any) -> Callable[[], list[float]]:
        return lambda: _average(list(map(scorer.score, references, hypotheses)))

    return [
        row
        for stem in (False, True)
        for row in _time(
            f"{stem=}", {name: loop(make(TYPES, stem)) for name, make in makers.items()}, 300
        )
    ]


def _pick(evaluation: Any) -> list[float]:
    """The means of F, without those of precision and recall that stand beside them."""
    return [score.value for score in evaluation.scores if score.name in TYPES]


def _average(scores: list[Any]) -> list[float]:
    return [sum(score[name].fmeasure for score in scores) / len(scores) for name in TYPES]


def _time(case: str, sides: Sides, n: int = 1) -> list[list[str]]:
    """Milliseconds of each side by turns, after a first turn in which values must be the same."""
    expected = sides["rouge_score"]()
    for name, side in sides.items():
        if not all(map(lambda one, other: isclose(one, other, abs_tol=1e-12), expected, side())):
            raise SystemExit(f"{name}: {side()} is not {expected}")
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, side in sides.items():
            times[name].append(_clock(side) / n)
    ours, *_ = medians = {name: median(own) for name, own in times.items()}
    return [
        [f"{name}, {case}", f"{1e3 * seconds:.3f}", f"{seconds / medians[ours]:.1f}"]
        for name, seconds in medians.items()
    ]


def _grow() -> list[list[str]]:
    """L and Lsum of ever longer texts; a word of a table is 64 of its cells."""
    from tallystick.metrics import ROUGE

    draw = random.Random(1)
    vocabulary = " ".join(_read()[1]).split()
    rows = []
    for length in LENGTHS:
        texts = [[_write(draw, vocabulary, length)] * N_ALIKE for _ in range(2)]
        seconds = [_find_median(partial(ROUGE(kind), *texts)) / N_ALIKE for kind in ("L", "Lsum")]
        per_word = [f"{1e9 * one / (length**2 / 64):.2f}" for one in seconds]
        rows.append([f"{length:,}", *(f"{1e6 * one:.0f}" for one in seconds), *per_word])
    return rows


def _write(draw: random.Random, vocabulary: list[str], length: int) -> str:
    words = draw.choices(vocabulary, k=length)
    return "\n".join(" ".join(words[at : at + SENTENCE]) for at in range(0, length, SENTENCE))


def _find_median(call: Callable[[], object]) -> float:
    return median(_clock(call) for _ in range(ROUNDS))


def _clock(call: Callable[[], object]) -> float:
    """Seconds: of one thread those it worked, which no other process on the machine lengthens."""
    now = process_time if len(os.sched_getaffinity(0)) == 1 else perf_counter
    start = now()
    call()
    return now() - start


def _stream() -> list[str]:
    """Two files of lines through the command."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.txt" for name in ("reference", "hypothesis")]
        run([sys.executable, __file__, "write", *map(str, paths)])
        command = [sys.executable, "-m", "tallystick", "score", *map(str, paths), "-m", *TYPES]
        done: Run = run(command)
    return [", ".join(TYPES), f"{done.seconds:.1f}", f"{done.peak / 1e6:.0f}"]


def _fill() -> None:
    """Writes sentences of ten to forty words into both files."""
    draw = random.Random(2)
    vocabulary = " ".join(_read()[1]).split()
    lines = [" ".join(draw.choices(vocabulary, k=draw.randint(10, 40))) for _ in range(20_011)]
    for at, path in enumerate(sys.argv[2:]):
        with Path(path).open("w", encoding="utf-8") as file:
            file.writelines(f"{lines[(at + 7 * row) % 20_011]}\n" for row in range(N_STREAMED))


def _read() -> tuple[list[str], list[str]]:
    """Summaries and references, one sentence a line."""
    texts = []
    for name in ("system", "reference"):
        path = SHARED / "data" / "cnndm" / f"{name}.txt"
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        texts.append([line.replace(" . ", " .\n") for line in lines])
    return texts[0], texts[1]


_AT_ONCE = ("2,000 pairs, four types", "ms", "times Tallystick's")
_TABLES = (
    ("all at once", 1, _AT_ONCE),
    ("all at once", 2, _AT_ONCE),
    ("one by one", 1, ("a pair, four types", "ms", "times Tallystick's")),
    ("by length", 1, ("tokens", "L, µs", "Lsum, µs", "L, ns a word", "Lsum, ns a word")),
)
_PARTS = {"all at once": _compare, "one by one": _call, "by length": _grow, "write": _fill}

if __name__ == "__main__":
    sys.exit(main())

"""What a command takes follows the size of its files, whatever valid content they have."""

import json
import os
import resource
import subprocess
import sys

import pytest

_LIMIT = 4 << 30
_SECONDS = 120
_MORE = 250 << 10
"""At most so many kilobytes more than ordinary content takes."""


def _run(folder, call):
    with open(folder / "out", "w+") as out, open(folder / "err", "w+") as err:
        words = [sys.executable, __file__, *call.split()]
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read(), usage.ru_maxrss


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ordinary")
    for name in "gold.csv", "own.csv":
        rows = [f"{row},{'ab'[row % 2]}" for row in range(50000)]
        (folder / name).write_text("\n".join(["id,label", *rows]))
    code, _, _, peak = _run(folder, "score gold.csv own.csv")
    assert code == 0
    return peak


def _spans(*sides):
    names = ("gold.jsonl", "own.jsonl")
    return {
        name: "\n".join(json.dumps({"id": row, "spans": own}) for row, own in enumerate(side))
        for name, side in zip(names, sides, strict=True)
    }


def _far_spans():
    return _spans([[[0, 2, "A"], [3, 6, "B"]]], [[[0, 4 * 10**14, "A"]]])


def _chained_spans(count=10000):
    gold, own = ([[at, at + count + off, "A"] for at in range(count)] for off in (0, 1))
    return _spans([gold], [own])


def _many_types(count=20000):
    plain = [[[0, 2, "A"]] for _ in range(40)]
    return _spans(plain, [*plain[1:], [[at, at + 1, f"T{at}"] for at in range(count)]])


def _chained_tokens(count=6000):
    # Tokens of two words each, which begin one word later on the side of the system.
    sides = []
    for first in (1, 0):
        rows = []
        for word in range(1, count + 1):
            if word % 2 == first and word < count:
                rows.append([f"{word}-{word + 1}", "aa", *"________"])
            rows.append([word, "a", "a", "X", "_", "_", word - 1, "dep", "_", "_"])
        rows[0 if first == 0 else 1][7] = "root"
        sides.append("\n".join("\t".join(map(str, row)) for row in rows) + "\n\n")
    return dict(zip(("gold.conllu", "own.conllu"), sides, strict=True))


def _table(columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join(",".join(map(str, row)) for row in (columns, *rows))


def _many_labels(count=8000):
    rows = range(count)
    gold = [f"a|g{row}" if row % 2 else "b" for row in rows]
    own = [f"a|x{row}" if row % 2 else "b" for row in rows]
    return {
        "gold.csv": _table({"id": rows, "gold": gold}),
        "own.csv": _table({"id": rows, "pred": own}),
    }


def _ring_of_battles(count=800):
    sides = ([f"m{(at + off) % count}" for at in range(count)] for off in (0, 1))
    columns = dict(zip(("model_a", "model_b"), sides, strict=True))
    return {"battles.csv": _table({**columns, "winner": ["model_a"] * count})}


def _many_battles():
    return _ring_of_battles(2001)


def _many_systems(count=1001):
    columns = {f"s{at}": "ab" if at % 2 else "aa" for at in range(count)}
    return {"all.csv": _table({"id": "12", "gold": "ab", **columns})}


_ALL = " ".join(f"s{at}" for at in range(1001))

_CASES = [
    (_far_spans, "score gold.jsonl own.jsonl -m overlap_span_recall", "0.5000"),
    (_far_spans, "score gold.jsonl own.jsonl -m character_span_recall", "0.4000"),
    (_far_spans, "score gold.jsonl own.jsonl -m partial_span_recall", "0.2500"),
    (_chained_spans, "score gold.jsonl own.jsonl -m overlap_span_f1", "1.0000"),
    (_chained_spans, "score gold.jsonl own.jsonl -m character_span_f1", "1.0000"),
    (_chained_spans, "score gold.jsonl own.jsonl -m partial_span_f1", "0.5000"),
    (_many_types, "score gold.jsonl own.jsonl -m span_recall macro_span_recall", "0.9750"),
    (_many_types, "score gold.jsonl own.jsonl -m span_f1(average=None)", "0.9873"),
    (_chained_tokens, "score gold.conllu own.conllu -m LAS --no-intervals", "1.0000"),
    (_many_labels, "score gold.csv own.csv --task multilabel -m macro_f1 micro_f1", "0.0002"),
    (
        _many_labels,
        "compare gold.csv own.csv other=own.csv --task multilabel -m samples_f1",
        "0.7500",
    ),
    (_ring_of_battles, "score battles.csv -m bradley_terry --no-intervals", "1000.0"),
]


_REFUSED = [
    (_many_labels, "score gold.csv own.csv --workers 100000000000", "at most 1,000 workers"),
    (_many_battles, "score battles.csv -m bradley_terry", "at most 2,000 systems"),
    pytest.param(
        _many_systems,
        f"rank all.csv -m accuracy --systems {_ALL}",
        "takes at most 1,000",
        marks=pytest.mark.deep,
        id="systems",
    ),
]


@pytest.mark.parametrize(("make", "call", "expected"), _REFUSED)
def test_limits_are_told_before_work_starts(make, call, expected, tmp_path):
    for name, text in make().items():
        (tmp_path / name).write_text(text)
    code, _, err, _ = _run(tmp_path, call)
    assert code == 2
    assert expected in err


@pytest.mark.parametrize(("make", "call", "expected"), _CASES)
def test_memory_follows_the_size_of_files(make, call, expected, ordinary, tmp_path):
    for name, text in make().items():
        (tmp_path / name).write_text(text)
        assert len(text) < 10_000_000
    code, out, err, peak = _run(tmp_path, call)
    assert code == 0, err
    assert expected in out
    assert peak - ordinary < _MORE


if __name__ == "__main__":  # the command, which a runaway ends and not the machine
    from tallystick.cli import main

    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT, _LIMIT))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    sys.exit(main(sys.argv[1:]))

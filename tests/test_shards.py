"""The same bytes of output, whatever the parts, their order and how they are added."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

from systems import Near
from tallystick.cli import main
from tallystick.io.arrays import unpack_arrays
from tallystick.scoring.counted import add_counted
from tallystick.scoring.saved import load_counted
from tallystick.scoring.tally_file import pack_counted

Row = dict[str, Any]
Random = np.random.Generator

SYSTEMS = ("b", "a")
WORDS = ("the", "a", "dog", "cat", "runs", "sleeps", "fast", "here", "and", "not.")


def spread(random):
    parts = random.random(3).round(1) + 0.1
    return {
        f"prob_{label}": float(own) for label, own in zip("xyz", parts / parts.sum(), strict=True)
    }


def invent_labels(random, labels):
    gold = labels[int(random.integers(len(labels)))]
    guesses = {name: labels[int(random.integers(len(labels)))] for name in SYSTEMS}
    return {"gold": {"y_true": gold}} | {name: {"y_pred": own} for name, own in guesses.items()}


def invent_binary(random):
    return invent_labels(random, (0, 1))


def invent_classes(random):
    return invent_labels(random, ("10", "9", "ä", "z"))


def invent_holes(random):
    row = invent_classes(random)
    row["a"]["y_pred"] = row["a"]["y_pred"] if random.random() < 0.7 else "maybe"
    return row


def invent_sets(random):
    draw = [[name for name in "abc" if random.random() < 0.4] for _ in range(3)]
    return {"gold": {"y_true": draw[0]}, "a": {"y_pred": draw[1]}, "b": {"y_pred": draw[2]}}


def invent_scores(random):
    scores = {name: {"y_prob": float(random.random().__round__(1))} for name in SYSTEMS}
    return {"gold": {"y_true": int(random.integers(2))}} | scores


def invent_fine_scores(random):
    scores = {name: {"y_prob": float(random.random())} for name in SYSTEMS}
    return {"gold": {"y_true": int(random.integers(2))}} | scores


def invent_distributions(random):
    scores = {name: spread(random) for name in SYSTEMS}
    return {"gold": {"y_true": "xyz"[int(random.integers(3))]}} | scores


def invent_numbers(random):
    gold = float(random.random())
    guesses = {name: {"y_pred": gold + float(random.random()) / 3} for name in SYSTEMS}
    return {"gold": {"y_true": gold}} | guesses


def invent_texts(random):
    text = list(random.choice(WORDS, 6)) if random.random() < 0.8 else ["the", "dog"]
    short, other = text[: int(random.integers(1, 7))], list(random.permutation(text))
    outputs = {"a": {"hypothesis": " ".join(short)}, "b": {"hypothesis": " ".join(other)}}
    return {"gold": {"reference": " ".join(text)}} | outputs


ROUGE = "rouge1 rouge2 rougeL rougeLsum rougeW rougeS4 rougeSU4"
CASES: dict[str, tuple[Callable[[Random], dict[str, Row]], str]] = {
    "binary": (invent_binary, "-m accuracy f1 mcc"),
    "binary in groups": (invent_binary, "-m f1 cohen_kappa --by lang"),
    "classes": (invent_classes, "-m accuracy macro_f1 mcc --by lang"),
    "weights": (invent_classes, "-m accuracy macro_f1 --by lang --weight-column w"),
    "counts": (invent_binary, "-m accuracy f1 --by lang --count-column n"),
    "counts with weights": (invent_binary, "-m accuracy f1 --count-column n --weight-column w"),
    "clusters": (invent_classes, "-m macro_f1 --by lang --clusters doc"),
    "weighted clusters": (invent_classes,
        "-m accuracy --clusters doc --weight-column w --task multiclass"),
    "invalid outputs": (invent_holes,
        "-m accuracy macro_f1 --by lang --invalid wrong --labels 10 9 ä z"),
    "sets": (invent_sets, "-m macro_f1 micro_f1 hamming_loss --task multilabel --by lang"),
    "weighted sets": (invent_sets, "-m macro_f1 --task multilabel --weight-column w"),
    "clustered sets": (invent_sets, "-m micro_f1 --task multilabel --clusters doc"),
    "tied scores": (invent_scores, "-m roc_auc brier_score ece --by lang"),
    "scores": (invent_fine_scores, "-m roc_auc average_precision brier_score"),
    "weighted scores": (invent_fine_scores, "-m roc_auc brier_score --weight-column w --by lang"),
    "clustered scores": (invent_fine_scores, "-m roc_auc brier_score --clusters doc --by lang"),
    "rounded scores": (invent_fine_scores, "-m roc_auc brier_score --round-scores 1 --by lang"),
    "numbers": (invent_numbers, "-m pearson spearman kendall_tau_c mae rmse --by lang"),
    "clustered numbers": (invent_numbers, "-m pearson spearman kendall_tau_b mae --clusters doc"),
    "distributions": (invent_distributions, "-m roc_auc log_loss brier_score --task multiclass"),
    "texts": (invent_texts, "-m bleu chrf ter wer cer exact_match --by lang"),
    "clustered texts": (invent_texts, "-m bleu ter rougeL rougeW --by lang --clusters doc"),
    "rouge": (invent_texts, f"-m {ROUGE}"),
    "rouge by lang": (invent_texts, "-m rouge1 rougeL --by lang"),
}  # fmt: skip


def invent(random, make, size):
    rows = []
    for number in range(size):
        row = make(random)
        row["gold"] |= {
            "lang": str(random.choice(["en", "de", "tr"])),
            "doc": f"d{int(random.integers(size // 4))}",
            "w": float(random.random() * 3),
            "n": int(random.integers(1, 5)),
        }
        rows.append({side: {"id": f"x{number}"} | own for side, own in row.items()})
    return rows


def write(folder, rows):
    folder.mkdir()
    for side in ("gold", *SYSTEMS):
        lines = [json.dumps(row[side]) + "\n" for row in rows]
        (folder / f"{side}.jsonl").write_text("".join(lines), encoding="utf-8")
    return [str(folder / "gold.jsonl"), *(f"{name}={folder / name}.jsonl" for name in SYSTEMS)]


def deal(random, rows, parts):
    order = random.permutation(len(rows))
    cuts = np.sort(random.choice(np.arange(1, len(rows)), parts - 1, replace=False))
    return [[rows[at] for at in part] for part in np.split(order, cuts)]


def count(target, files, options):
    path = str(target.with_suffix(".tally"))
    assert main(["count", *files, *options, "-o", path]) == 0
    return path


def list_contents(counted):
    content, arrays = unpack_arrays(pack_counted(counted), "counts")
    header = msgspec.msgpack.decode(content)
    del header["parts"]
    kinds = {
        name: Near(own) if own.dtype == np.float64 else (own.dtype, own.shape, own.tobytes())
        for name, own in arrays.items()
    }
    return header, list(kinds.items())


@pytest.mark.deep
@pytest.mark.parametrize("case", CASES)
def test_sums_of_parts_are_those_of_the_whole(tmp_path, case):
    make, options = CASES[case]
    random = np.random.default_rng(len(case))
    rows = invent(random, make, 80)
    saved = count(tmp_path / "whole", write(tmp_path / "all", rows), options.split())
    whole = list_contents(load_counted([saved]))
    for parts in (1, 3, 7):
        counted = []
        for number, part in enumerate(deal(random, rows, parts)):
            files = write(tmp_path / f"{parts}-{number}", part)
            saved = count(tmp_path / f"{parts}-{number}", files, options.split())
            counted.append(load_counted([saved]))
        left = [counted[at] for at in random.permutation(len(counted))]
        while len(left) > 1:
            at, size = int(random.integers(len(left) - 1)), int(random.integers(2, 4))
            left[at : at + size] = [add_counted([("part", own) for own in left[at : at + size]])]
        assert whole == list_contents(left[0])


@pytest.mark.deep
def test_more_files_than_are_added_at_once_score_as_the_whole(tmp_path):
    random = np.random.default_rng(1)
    make, asked = CASES["weighted clusters"]
    rows, options = invent(random, make, 140), asked.split()
    files = write(tmp_path / "all", rows)
    saved = [
        count(tmp_path / str(at), write(tmp_path / str(at), part), options)
        for at, part in enumerate(deal(random, rows, 130))
    ]

    expected = list_contents(load_counted([count(tmp_path / "whole", files, options)]))
    assert expected == list_contents(load_counted(saved))

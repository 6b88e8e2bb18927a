"""Golds under which a submission has equal scores, intervals and n look the same to its team."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pytest

import seen

pytestmark = pytest.mark.usefixtures("sketched")
ROWS = 30
WORDS = ("the cat sat", "the dog sat", "a mat", "one two three four five")


@dataclass(frozen=True)
class Kind:
    """A kind of track.

    Attributes:
        keys: The keys of the track.
        gold: The column of the gold; where there is none, a line is an example.
        own: The column of a submission.
        golds: What the gold of an example may be.
        outputs: What an output may be.
        ending: The ending of files.
        tries: How many outputs each example has.
    """

    keys: str
    gold: str
    own: str
    golds: Sequence[str]
    outputs: Sequence[str]
    ending: str = "csv"
    tries: int = 1


def spans(*found: tuple[int, int, str]) -> str:
    return json.dumps([dict(zip(("start", "end", "label"), one, strict=True)) for one in found])


NAMED = "labels: [a, b, c]"
SPANS = (spans(), spans((0, 3, "PER")), spans((0, 3, "LOC")), spans((0, 3, "PER"), (5, 9, "LOC")))
SHARES = tuple(json.dumps({"a": one, "b": 1 - one}) for one in (0.0, 0.25, 0.5, 1.0))
TAGS = tuple(json.dumps(one) for one in (["B-X", "O", "O"], ["O", "B-Y", "I-Y"], ["O", "O", "O"]))
VOTES = tuple(json.dumps(one) for one in (["a", "a", "b"], ["b", "b", "b"], ["a", "b", "b"]))
SETS = ("a", "b", "a|b", "a|c", "c")
BITS = ("0,1,0", "1,1,0", "0,0,1")
PROBABILITIES = (".5,.25,.25", ".1,.8,.1", ".2,.2,.6")
KINDS: Mapping[str, Kind] = {
    "labels": Kind(f"metrics: [macro_f1, accuracy, mcc], {NAMED}", "label", "label", "abc", "abc"),
    "labels of the gold": Kind("metrics: [accuracy]", "label", "label", "abc", "abcd"),
    "invalid labels": Kind(
        f"metrics: [macro_f1], {NAMED}, invalid: class, missing_outputs: wrong",
        "label",
        "label",
        "abc",
        ("a", "b", "x", "y", ""),
    ),
    "probabilities": Kind(
        "metrics: [roc_auc, f1, log_loss], task: binary, labels: [a, b], positive: b",
        "label",
        "y_prob",
        "ab",
        (".1", ".4", ".9"),
    ),
    "probabilities of labels": Kind(
        f"metrics: [log_loss, macro_f1], {NAMED}",
        "label",
        "prob_a,prob_b,prob_c",
        "abc",
        PROBABILITIES,
    ),
    "sets": Kind(
        f"metrics: [macro_f1, exact_match_ratio], task: multilabel, {NAMED}, "
        "columns: {delimiter: '|'}",
        "label",
        "label",
        SETS,
        SETS,
    ),
    "sets in columns": Kind("metrics: [micro_f1], task: multilabel", "a,b,c", "a,b,c", BITS, BITS),
    "texts": Kind("metrics: [chrf, bleu], task: text", "reference", "hypothesis", WORDS, WORDS),
    "lines of texts": Kind("metrics: [chrf], task: text", "", "", WORDS, WORDS, "txt"),
    "lines of labels": Kind(f"metrics: [macro_f1], {NAMED}", "", "", "abc", "abc", "txt"),
    "numbers": Kind("metrics: [pearson, mae]", "score", "score", "1235", "1246"),
    "soft labels": Kind(
        "metrics: [manhattan], labels: [a, b]", "soft_label", "y_pred", SHARES, SHARES, "jsonl"
    ),
    "votes": Kind(
        "metrics: [manhattan], labels: [a, b]", "annotations", "y_pred", VOTES, SHARES, "jsonl"
    ),
    "spans": Kind("metrics: [span_f1]", "spans", "spans", SPANS, SPANS, "jsonl"),
    "tags": Kind("metrics: [span_f1]", "ner", "ner", TAGS, TAGS, "jsonl"),
    "tries": Kind("metrics: ['pass@1', 'pass@2']", "answer", "output", "abc", "abc", tries=2),
}
GROUPED = {
    f"{name} in groups": name for name in ("labels", "probabilities", "texts", "numbers", "spans")
}


@dataclass(frozen=True)
class Drawn:
    """A task that was drawn.

    Attributes:
        keys: The keys of the track.
        ending: The ending of files.
        golds: Two golds, of which the second deals the answers anew to examples whose outputs and
            groups are equal.
        said: The submission of each team.
    """

    keys: str
    ending: str
    golds: tuple[str, str]
    said: Mapping[str, str]


def draw(name: str, seed: int, teams: int = 1, *, sided: bool = False) -> Drawn:
    kind, chance = KINDS[GROUPED.get(name, name)], random.Random(f"{name} {seed}")
    grouped = name in GROUPED
    keys = f"{kind.keys}, by: [lang]" if grouped else kind.keys
    groups = [chance.choice(("de", "en")) if grouped else "" for _ in range(ROWS)]
    gold = [chance.choice(kind.golds) for _ in range(ROWS)]
    size = 5 if teams > 1 else 1  # the outputs of several teams are equal on some examples
    said = {
        f"team{at}": [
            output
            for _ in range(ROWS // size)
            for output in [tuple(chance.choice(kind.outputs) for _ in range(kind.tries))] * size
        ]
        for at in range(teams)
    }
    sides = [sided and crc32(b"e%02d" % at) / 2**32 < 0.3 for at in range(ROWS)]
    classes: dict[object, list[int]] = {}
    for at, one in enumerate(zip(groups, sides, *said.values(), strict=True)):
        classes.setdefault(one, []).append(at)
    dealt = [*gold]
    for own in classes.values():
        for old, new in zip(own, chance.sample(own, len(own)), strict=True):
            dealt[new] = gold[old]
    more = {"lang": groups} if grouped else {}
    golds = [write(kind, kind.gold, [(one,) for one in own], more) for own in (gold, dealt)]
    sent = {team: write(kind, kind.own, own, {}) for team, own in said.items()}
    return Drawn(keys, kind.ending, (golds[0], golds[1]), sent)


def write(
    kind: Kind, head: str, rows: Sequence[Sequence[str]], more: Mapping[str, Sequence[str]]
) -> str:
    cells = [(f"e{at:02}", one, at) for at, own in enumerate(rows) for one in own]
    if not head:
        return "".join(f"{one}\n" for _, one, _ in cells)
    if kind.ending == "jsonl":
        beside = "".join(f', "{name}": "{{{name}}}"' for name in more)
        spelled = (
            (id, one, beside.format(**{name: own[at] for name, own in more.items()}))
            for id, one, at in cells
        )
        return "".join(f'{{"id": "{id}", "{head}": {one}{rest}}}\n' for id, one, rest in spelled)
    lines = [",".join(("id", head, *more))]
    lines += [",".join((id, one, *(own[at] for own in more.values()))) for id, one, at in cells]
    return "\n".join(lines) + "\n"


SEVERAL = ("labels", "labels in groups", "sets", "texts", "numbers", "spans")
CASES = [(name, 1) for name in (*KINDS, *GROUPED)] + [(name, 3) for name in SEVERAL]


def look(folder: Path, paths: Sequence[Path]) -> dict[str, str]:
    found = seen.list_public(folder, tables=False) | seen.open_board(folder)
    for path in paths:
        own = seen.run(folder, path) | seen.check(folder, path)
        found |= {f"{path.stem} {name}": one for name, one in own.items()}
    return found


@pytest.mark.deep
@pytest.mark.parametrize(("name", "teams"), CASES)
def test_golds_of_equal_scores_look_the_same(tmp_path, name, teams):
    drawn, found = draw(name, 1, teams), []
    for gold in drawn.golds:
        paths = seen.lay_out(tmp_path / "t", drawn.keys, drawn.said, gold, drawn.ending)
        found.append(look(tmp_path / "t", paths))
    assert {f"team{at} codabench/scores.json" for at in range(teams)} <= {*found[0]}
    assert drawn.golds[0] != drawn.golds[1]
    assert found[0] == found[1]


TABLES = ("labels", "probabilities", "sets", "texts", "numbers")


@pytest.mark.parametrize("name", TABLES)
def test_platforms_of_tables_tell_no_more_than_scores(tmp_path, name):
    drawn, found = draw(name, 1, sided=True), []
    for gold in drawn.golds:
        (path,) = seen.lay_out(tmp_path / "t", drawn.keys, drawn.said, gold, drawn.ending)
        found.append(seen.run_tables(tmp_path / "t", path))
    assert drawn.golds[0] != drawn.golds[1]
    assert found[0] == found[1]

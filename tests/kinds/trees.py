"""Dependency trees of twelve sentences in CoNLL-U, of which some are cut into other words."""

from kinds import Kind


def _write(*words: str) -> str:
    rows, number = list[str](), 0
    for word in words:
        form, *rest = word.split("/")
        if len(rest) == 1:
            rows.append("\t".join([form, rest[0], *"________"]))
            continue
        number += 1
        lemma, tag, head, relation = rest
        rows.append("\t".join([str(number), form, lemma, tag, "_", "_", head, relation, "_", "_"]))
    return "\n".join(rows) + "\n"


_PLAIN = _write("the/the/DET/2/det", "cat/cat/NOUN/3/nsubj", "slept/sleep/VERB/0/root")
_LEMMA = _write("the/the/DET/2/det", "cat/cat/NOUN/3/nsubj", "slept/slept/VERB/0/root")
_HEADS = _write("the/the/DET/3/det", "cat/cat/NOUN/3/nsubj", "slept/sleep/VERB/0/root")
_NAMED = _write("the/the/DET/2/case", "cat/cat/NOUN/3/obj", "slept/sleep/NOUN/0/root")
_JOINED = _write("thecat/thecat/NOUN/2/nsubj", "slept/sleep/VERB/0/root")
_PARTS = _write("1-2/cannot", "can/can/AUX/3/aux", "not/not/PART/3/advmod", "go/go/VERB/0/root")
_WHOLE = _write("cannot/cannot/AUX/2/aux", "go/go/VERB/0/root")
_LONG = _write("1-2/cannot", "can/can/AUX/0/root", "not/not/PART/1/advmod", "go/go/VERB/1/xcomp")

KIND = Kind(
    columns={
        "gold": [_PLAIN, _PLAIN, _PARTS, _PLAIN, _PARTS, _PLAIN] * 2,
        "a": [
            *(_PLAIN, _LEMMA, _PARTS, _HEADS, _WHOLE, _PLAIN),
            *(_PLAIN, _NAMED, _LONG, _LEMMA, _PARTS, _PLAIN),
        ],
        "b": [
            *(_NAMED, _JOINED, _WHOLE, _HEADS, _LONG, _PLAIN),
            *(_HEADS, _PLAIN, _LONG, _JOINED, _WHOLE, _NAMED),
        ],
    },
    metrics=("LAS", "UAS_precision", "MLAS", "Lemmas_aligned_accuracy", "Words"),
    called=("dependency trees", "las", "uas", "parse_score"),
    refuses=frozenset({"weight", "times", "prevalence", "rounding", "missing"}),
    track=None,
)

"""Reads treebanks, aligns their words, and counts what systems got right."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.tables.table import Table
from tallystick.kinds.trees.conllu import Treebank, Word, read_conllu
from tallystick.model.codes import Labels, as_text, encode
from tallystick.model.facts import Facts
from tallystick.model.number_values import Cells
from tallystick.model.reading import Drafted, MadeUp, Reading, Sample
from tallystick.model.sides import Side, read_groups
from tallystick.model.systems import Column, Systems

Words = Sequence[Word]
Pair = tuple[int, int]


def align_words(gold: Words, system: Words) -> list[Pair]:
    """The places of words that are aligned, in order.

    A word that is a token is aligned with one of the same span. Where a token of several words
    is on either side, words are aligned by their forms within the shortest stretch of text
    that contains all such tokens whole.
    """
    pairs, at, own = list[Pair](), 0, 0
    while at < len(gold) and own < len(system):
        one, other = gold[at], system[own]
        if one.shared or other.shared:
            ends = _find_stretch(gold, system, at, own)
            (at, own), (last, own_last) = ends
            pairs += _align_forms(gold[at:last], system[own:own_last], at, own)
            at, own = last, own_last
        elif one.span == other.span:
            pairs.append((at, own))
            at, own = at + 1, own + 1
        elif one.span[0] <= other.span[0]:
            at += 1
        else:
            own += 1
    return pairs


def _find_stretch(gold: Words, system: Words, at: int, own: int) -> tuple[Pair, Pair]:
    """Where a stretch with tokens of several words begins and ends on both sides.

    A word before the token that opens it is passed by.
    """
    one, other = gold[at], system[own]
    end = one.span[1] if one.shared else other.span[1]
    if one.shared != other.shared:
        own += one.shared and other.span[0] < one.span[0]
        at += other.shared and one.span[0] < other.span[0]
    begin = at, own
    while _goes_on(gold, at, end) or _goes_on(system, own, end):
        ahead = own >= len(system) or (at < len(gold) and gold[at].span[0] <= system[own].span[0])
        word = gold[at] if ahead else system[own]
        end = max(end, word.span[1]) if word.shared else end
        at, own = at + ahead, own + (not ahead)
    return begin, (at, own)


def _goes_on(words: Words, at: int, end: int) -> bool:
    """Whether the next word lies before an end, whole or with the token that it shares."""
    if at >= len(words):
        return False
    word = words[at]
    return word.span[0] < end if word.shared else word.span[1] <= end


def _align_forms(gold: Words, system: Words, at: int, own: int) -> Iterator[Pair]:
    """A longest common subsequence of forms in lower case."""
    names = {word.form.lower(): place for place, word in enumerate((*gold, *system))}
    forms, others = (
        np.array([names[word.form.lower()] for word in words]) for words in (gold, system)
    )
    # Some rows of the table are kept, and those between them are found again: n ** 1.5 numbers.
    step = max(math.isqrt(len(forms)), _FEWEST_ROWS)
    starts = range(0, len(forms), step)
    kept, row = list[NDArray[np.int32]](), np.zeros(len(others) + 1, np.int32)
    for start in reversed(starts):
        kept.append(row)
        for one in reversed(range(start, start + step if start else 0)):
            row = _measure(row, others == forms[one]) if one < len(forms) else row
    other = 0
    for start in starts:
        rows = [kept.pop()]
        for form in forms[start : start + step][::-1]:
            rows.append(_measure(rows[-1], others == form))
        one = start
        while len(rows) > 1 and other < len(others):
            if forms[one] == others[other]:
                yield at + one, own + other
                other += 1
            elif rows[-1][other] != rows[-2][other]:
                other += 1
                continue
            one += 1
            rows.pop()


def _measure(below: NDArray[np.int32], same: NDArray[np.bool_]) -> NDArray[np.int32]:
    """How many forms can be aligned of those from a form on, and from each place on among others.

    `below` is the same of the forms from the next one on; `same` are the places of the form.
    """
    found = np.maximum(below[:-1], np.where(same, below[1:] + 1, 0))
    return np.append(np.maximum.accumulate(found[::-1])[::-1], below[-1:])


Counts = NDArray[np.int64]
Places = NDArray[np.intp]
_OF_CONTENT = (
    "acl advcl advmod amod appos ccomp compound conj csubj dep discourse dislocated expl fixed "
    "flat goeswith iobj list nmod nsubj nummod obj obl orphan parataxis reparandum root vocative "
    "xcomp"
)
_CONTENT = frozenset(_OF_CONTENT.split())
"""The relations of content words, which CLAS, MLAS and BLEX are about."""
_FUNCTIONS = frozenset(("aux", "case", "cc", "clf", "cop", "det", "mark"))
"""The relations of function words, which MLAS asks for next to the content word they belong to."""
_UNALIGNED = -2
_FEWEST_ROWS = 64
"""So many rows of a table of alignments are kept at least."""
UNITS = ("words", "content", "tokens", "sentences")
"""What is counted of gold, of a system, and of what both have."""
COLUMNS = (
    *(f"{side}_{unit}" for unit in UNITS for side in ("gold", "system", "aligned")),
    *("upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las", "clas", "mlas", "blex"),
)


def place_spans(bank: Treebank, spans: Sequence[tuple[int, int]]) -> Places:
    """The sentence in which each span begins."""
    begins = [begin for begin, _ in bank.sentences]
    return np.searchsorted(begins, [begin for begin, _ in spans], side="right") - 1


def count_sentences(gold: Treebank, system: Treebank) -> Counts:
    """The columns of each sentence of the gold, of shape (sentences, columns).

    What a system has belongs to the sentence of the gold in which it begins; a word to that of the
    word with which it is aligned, where there is one.
    """
    found = dict[str, Places]()
    for unit in ("tokens", "sentences"):
        ours, theirs = getattr(gold, unit), getattr(system, unit)
        known = set(ours)
        found[f"gold_{unit}"] = place_spans(gold, ours)
        found[f"system_{unit}"] = place_spans(gold, theirs)
        found[f"aligned_{unit}"] = place_spans(gold, [span for span in theirs if span in known])
    found |= _place_words(gold, system)
    size = len(gold.sentences)
    return np.stack([np.bincount(found[name], minlength=size) for name in COLUMNS], axis=1)


def _place_words(gold: Treebank, system: Treebank) -> dict[str, Places]:
    pairs = align_words(gold.words, system.words)
    one, other = np.array(pairs, np.intp).reshape(-1, 2).T
    homes = place_spans(gold, [word.span for word in gold.words])
    guests = place_spans(gold, [word.span for word in system.words])
    guests[other] = homes[one]
    content = _find_content(gold.words)
    right = _compare(gold.words, system.words, pairs)
    return {
        "gold_words": homes,
        "system_words": guests,
        "aligned_words": homes[one],
        "gold_content": homes[content],
        "system_content": guests[_find_content(system.words)],
        "aligned_content": homes[one][content[one]],
        **{name: homes[one][own] for name, own in right.items()},
    }


def _find_content(words: Words) -> NDArray[np.bool_]:
    return np.array([word.relation in _CONTENT for word in words], np.bool_)


def _compare(gold: Words, system: Words, pairs: Sequence[Pair]) -> dict[str, NDArray[np.bool_]]:
    both = [(gold[at], system[own]) for at, own in pairs]
    partners = {-1: -1, **{own: at for at, own in pairs}}  # of roots, no word is the head

    def agree(name: str) -> NDArray[np.bool_]:
        return np.array([getattr(a, name) == getattr(b, name) for a, b in both], np.bool_)

    upos, xpos, feats = map(agree, ("upos", "xpos", "feats"))
    lemmas = np.array([a.lemma in ("_", b.lemma) for a, b in both], np.bool_)
    heads = np.array([a.head == partners.get(b.head, _UNALIGNED) for a, b in both], np.bool_)
    labeled = heads & agree("relation")
    clas = labeled & _find_content([a for a, _ in both])
    mlas = clas & upos & feats
    functions = _list_functions(gold, {at: at for at in range(len(gold))})
    found = _list_functions(system, partners)
    mlas &= np.array([functions.get(at) == found.get(own) for at, own in pairs], np.bool_)
    return {
        "upos": upos,
        "xpos": xpos,
        "ufeats": feats,
        "alltags": upos & xpos & feats,
        "lemmas": lemmas,
        "uas": heads,
        "las": labeled,
        "clas": clas,
        "mlas": mlas,
        "blex": clas & lemmas,
    }


def _list_functions(
    words: Words, partners: Mapping[int, int]
) -> dict[int, list[tuple[int, str, str, str]]]:
    found = dict[int, list[tuple[int, str, str, str]]]()
    for place, word in enumerate(words):
        if word.relation in _FUNCTIONS:
            own = partners.get(place, _UNALIGNED), word.relation, word.upos, word.feats
            found.setdefault(word.head, []).append(own)
    return found


Told = tuple[str, ...]


class Trees(Column, frozen=True, eq=False):
    """What systems got right in each example, and their words in words.

    Attributes:
        counts: The columns of each example, of shape (examples, systems, columns).
        gold: The words of each example, with relations and heads.
        outputs: The same of each system.
    """

    counts: NDArray[np.int64]
    gold: Told
    outputs: tuple[Told, ...]

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, places: Sequence[int]) -> "Trees":
        outputs = tuple(self.outputs[place] for place in places)
        return replace(self, counts=self.counts[:, list(places)], outputs=outputs)

    def take(self, rows: slice) -> "Trees":
        outputs = tuple(own[rows] for own in self.outputs)
        return Trees(self.counts[rows], self.gold[rows], outputs)

    def tell_gold(self, row: int) -> str:
        """The words of an example, such as `She/nsubj/sleeps sleeps/root`."""
        return self.gold[row]

    def tell_output(self, place: int, row: int) -> str:
        """The words that a system has in place of those of an example."""
        return self.outputs[place][row]


_TOKENS, _ANALYSES = "tokens", "analyses"
_SHOWN = 20
"""So many characters are shown from where texts differ."""


def read_treebanks(gold: object, outputs: Mapping[str, object], reading: Reading) -> Systems:
    """Reads a file of gold and one of each system; sentences are named by their `sent_id`."""
    if reading.columns.missing != "error":
        raise UsageError("`missing=` cannot be used with CoNLL-U: systems parse all of the text")
    bank = _read_file(gold, reading)

    def read(name: str) -> tuple[Counts, Told]:
        return _join(bank, _read_file(outputs[name], reading), hidden=reading.hidden)

    collected = reading.collect(outputs, read)
    read_of = collected.accepted.values()
    counts = np.stack([own for own, _ in read_of], axis=1)
    trees = Trees(counts, _tell(bank, bank), tuple(message for _, message in read_of))
    groups, clusters = (None, None) if reading.beside else _read_comments(bank, reading)
    return Systems(
        tuple(collected.accepted),
        {"trees": trees},
        groups=groups,
        clusters=clusters,
        ids=_read_ids(bank, reading.beside),
        facts=Facts(rejected=collected.rejected),
        tolerant=reading.tolerant,
    )


def _read_file(path: object, reading: Reading) -> Treebank:
    if not isinstance(path, str):
        raise UsageError("list the systems' files after the gold: gold.conllu system.conllu")
    with open_binary(path, watch=reading.watch) as file:
        return read_conllu(file.read(), name_source(path))


def _read_ids(gold: Treebank, beside: str | None) -> list[str] | None:
    """The `sent_id` of each sentence; None where some have none, or the same one."""
    names = [one.get("sent_id", "") for one in gold.comments]
    if all(names) and len({*names}) == len(names):
        return names
    if beside is not None:
        raise InputError(
            f"{gold.source}: some sentences have no sent_id, or the same one, by which they could "
            f"be joined with {beside}"
        )
    return None


def _read_comments(gold: Treebank, reading: Reading) -> tuple[Labels | None, Labels | None]:
    """The group and the cluster of each sentence, by what its comments say."""
    columns = reading.columns
    if not (columns.by or columns.clusters):
        return None, None
    names = dict.fromkeys(name for one in gold.comments for name in one)
    values = {name: [one.get(name) for one in gold.comments] for name in names}
    side = Side(Table(gold.source, pa.table(values), "sentence", 1))
    if columns.clusters is None:
        return read_groups([side], columns.by), None
    clusters = encode(side.values(columns.clusters), side.locate(columns.clusters))
    return read_groups([side], columns.by), as_text(clusters)


def tabulate_trees(path: str, reading: Reading) -> Table:
    """Returns the lines of each sentence, and what is said of them behind ID and FORM."""
    with open_binary(path) as file:
        content = file.read()
    read_conllu(content, name_source(path))  # which tells what is wrong
    tokens, analyses = list[list[str]](), list[list[str]]()
    for block in re.split(r"\n[ \t\r]*\n", content.decode("utf-8-sig").strip()):
        rows = [line.rstrip("\r").split("\t") for line in block.splitlines() if line[:1] != "#"]
        rows = [row for row in rows if "." not in row[0]]
        tokens.append(["\t".join(row[:2]) for row in rows])
        analyses.append(["\t".join(row[2:]) for row in rows if "-" not in row[0]])
    return Table(name_source(path), pa.table({_TOKENS: tokens, _ANALYSES: analyses}), "sentence", 1)


def draft_trees(sample: Sample, name: str) -> Drafted:
    """Answers with the trees of the gold."""
    tokens, analyses = (sample.table.column(one).to_pylist() for one in (_TOKENS, _ANALYSES))
    return Drafted({name: analyses}, tokens, ending="conllu", spell=_spell_tree)


def make_trees(sample: Sample, name: str) -> MadeUp:
    """Makes up a tree of the words of each sentence."""
    sentences = (_spell_tree(own, ["_"]) for own in sample.table.column(_TOKENS).to_pylist())
    return MadeUp(None, file=("conllu", "".join(sentences)))


def _spell_tree(tokens: Sequence[str], analyses: Sequence[str]) -> str:
    """A sentence; an analysis of other words gets a head before each word."""
    words, lines = 0, list[str]()
    size = sum("-" not in token.partition("\t")[0] for token in tokens)
    for token in tokens:
        if "-" in token.partition("\t")[0]:
            lines.append(f"{token}\t_\t_\t_\t_\t_\t_\t_\t_")
            continue
        own = analyses[words % len(analyses)]
        if len(analyses) != size or own == "_":
            fields = own.split("\t") if own != "_" else ["_"] * 8
            relation = fields[5].replace("root", "dep") if words else "root"
            own = "\t".join([*fields[:4], str(words), relation, *fields[6:]])
        lines.append(f"{token}\t{own}")
        words += 1
    return "\n".join([*lines, "", ""])


def read_tree_rows(gold: Cells, outputs: Sequence[Cells]) -> Trees:
    """Reads rows with the CoNLL-U of a text each."""
    banks = _read_rows(gold)
    found = [
        [_join(one, own, hidden=True) for one, own in zip(banks, _read_rows(items), strict=True)]
        for items in outputs
    ]
    counts = np.array([[rows.sum(0) for rows, _ in own] for own in found]).swapaxes(0, 1)
    message = (tuple(" ".join(words) for _, words in own) for own in found)
    return Trees(counts, tuple(" ".join(_tell(one, one)) for one in banks), tuple(message))


def _read_rows(items: Cells) -> list[Treebank]:
    found = []
    for row, cell in enumerate(items.values):
        if not isinstance(cell, str):
            raise InputError(f"{items.locate(row)}: expected CoNLL-U, found {cell!r}")
        found.append(read_conllu(cell, items.locate(row)))
    return found


def _join(gold: Treebank, system: Treebank, *, hidden: bool) -> tuple[Counts, Told]:
    _check_text(gold, system, hidden=hidden)
    return count_sentences(gold, system), _tell(gold, system)


def _check_text(gold: Treebank, system: Treebank, *, hidden: bool) -> None:
    """Raises an InputError unless both have the same text, whatever its spaces."""
    one, other = "".join(gold.forms), "".join(system.forms)
    if one == other:
        return
    pairs = zip(one, other, strict=False)
    place = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))

    def show(bank: Treebank, text: str) -> str:
        rows = (row for row, (_, end) in zip(bank.lines, bank.tokens, strict=True) if place < end)
        shown = text[place : place + _SHOWN]
        return f"{shown!r} on line {next(rows)}" if shown else "its end"

    message = "" if hidden else f" has {show(gold, one)}, and it"
    raise InputError(
        f"{system.source}: is not of the same text as {'the gold' if hidden else gold.source}, "
        f"spaces aside: where they part{' it' if hidden else ' the gold'}{message} has "
        f"{show(system, other)}"
    )


def _tell(gold: Treebank, bank: Treebank) -> Told:
    """The words that begin in each sentence of the gold, with relations and the forms of heads."""
    message: list[list[str]] = [[] for _ in gold.sentences]
    words = bank.words
    for word, place in zip(words, place_spans(gold, [one.span for one in words]), strict=True):
        head = f"/{words[word.head].form}" if word.head >= 0 else ""
        message[place].append(f"{word.form}/{word.relation}{head}")
    return tuple(" ".join(own) for own in message)

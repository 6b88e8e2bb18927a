"""Reads treebanks in CoNLL-U, and tells by line what is no tree."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, NoReturn

from msgspec import Struct, field

from tallystick.errors import InputError

_FIELDS = 10
_MOST = 100
"""The most words of a token, since aligning them takes time by their square."""
_TOKEN = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")
_HEAD = re.compile(r"[0-9]{1,9}")
_SPACES = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""The characters of Unicode's category Zs, which are no part of the text that is aligned."""
_UNIVERSAL = (
    "Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood NumType Number Person "
    "Polarity Polite Poss PronType Reflex Tense VerbForm Voice"
)
_FEATURES = frozenset(_UNIVERSAL.split())
"""The universal features of the shared task; others are left out."""
_NEW = "newdoc"


class Word(NamedTuple):
    """A syntactic word.

    Attributes:
        span: Where its token begins and ends in the text without spaces.
        shared: Whether its token is one of several words.
        feats: Its universal features, sorted.
        head: The place of its head among all words; -1 for a root.
    """

    span: tuple[int, int]
    shared: bool
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    relation: str
    head: int


class Treebank(Struct, frozen=True, eq=False):
    """The sentences of a file.

    Attributes:
        forms: The form of each token, without spaces.
        tokens: Where each token begins and ends in the text, which is all forms together.
        lines: The line of each token.
        words: The words.
        sentences: Where each sentence begins and ends in the text.
        comments: What is said of each sentence, such as its `sent_id`, and its `document`.
    """

    source: str
    forms: list[str] = field(default_factory=list)
    tokens: list[tuple[int, int]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    sentences: list[tuple[int, int]] = field(default_factory=list)
    comments: list[dict[str, str]] = field(default_factory=list)


class _Sentence:
    """Reads the lines of a sentence into a treebank."""

    def __init__(self, bank: Treebank) -> None:
        """Begins behind the sentences that have been read."""
        self.bank, self.before = bank, len(bank.words)
        self.end = self.begin = bank.tokens[-1][1] if bank.tokens else 0
        self.rows: list[int] = []  # the line of each word
        self.last = 0  # the last word of the token that is read

    def add(self, line: str, row: int) -> None:
        """Reads a line: a word, a token of several words, or an empty node, which is left out."""
        fields = line.split("\t")
        if len(fields) != _FIELDS:
            columns = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
            self._fail(row, f"{_show(line)} has {columns} between tabs, not {_FIELDS}")
        number, due = fields[0], len(self.rows) + 1
        if number == str(due):
            _, form, lemma, upos, xpos, feats, head, relation, _, _ = fields
            shared = len(self.rows) < self.last
            if not shared:
                self._add_token(form, row)
                form = self.bank.forms[-1]
            if not _HEAD.fullmatch(head):
                self._fail(row, f"the HEAD is {_show(head)}, not 0 or the number of a word")
            parent = int(head)
            place = self.before + parent - 1 if parent else -1
            universal, plain = _choose_features(feats), relation.partition(":")[0]
            own = (self.bank.tokens[-1], shared, form, lemma, upos, xpos, universal, plain, place)
            self.bank.words.append(Word(*own))
            self.rows.append(row)
        elif token := _TOKEN.fullmatch(number):
            first, last = int(token[1]), int(token[2])
            if first != due or last < first or due <= self.last:
                self._fail(row, f"the token {number} stands where word {due} was expected")
            if last - first >= _MOST:
                self._fail(row, f"the token {number} has more than {_MOST} words")
            self._add_token(fields[1], row)
            self.last = last
        elif not _EMPTY.fullmatch(number):
            self._fail(row, f"the ID is {_show(number)}, where word {due} was expected")

    def _add_token(self, form: str, row: int) -> None:
        text = _SPACES.sub("", form)
        if not text:
            self._fail(row, "the FORM is empty")
        begin, self.end = self.end, self.end + len(text)
        self.bank.forms.append(text)
        self.bank.tokens.append((begin, self.end))
        self.bank.lines.append(row)

    def close(self, row: int) -> None:
        """Raises an InputError unless what was read up to a line is a tree with one root."""
        size = len(self.rows)
        if size < max(self.last, 1):
            self._fail(row, f"the sentence ends before its word {size + 1}")
        heads = [word.head for word in self.bank.words[self.before :]]
        for place, head in enumerate(heads):
            if head >= self.before + size:
                what = f"the HEAD is {head - self.before + 1}, and the sentence has {size} words"
                self._fail(self.rows[place], what)
        roots = [place for place, head in enumerate(heads) if head < 0]
        if len(roots) > 1:
            what = f"the words {roots[0] + 1} and {roots[1] + 1} have the HEAD 0; only one may"
            self._fail(self.rows[roots[1]], what)
        self._check_cycles([head - self.before for head in heads], roots)
        self.bank.sentences.append((self.begin, self.end))

    def _check_cycles(self, heads: list[int], roots: list[int]) -> None:
        """Raises an InputError where heads lead back to where they come from."""
        reaching = set(roots)
        for start in range(len(heads)):
            path, place = dict[int, None](), start
            while place not in reaching:
                if place in path:
                    words = " ".join(str(one + 1) for one in [*path][[*path].index(place) :])
                    self._fail(self.rows[place], f"the HEADs lead in a cycle: words {words}")
                path[place] = None
                place = heads[place]
            reaching.update(path)

    def _fail(self, row: int, what: str) -> NoReturn:
        raise InputError(f"{self.bank.source}, line {row}: {what}")


@cache
def _choose_features(feats: str) -> str:
    return "|".join(sorted(one for one in feats.split("|") if one.partition("=")[0] in _FEATURES))


def _show(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}...")


def read_conllu(data: bytes | str, source: str) -> Treebank:
    """The treebank that is written so."""
    bank, document = Treebank(source), dict[str, str]()
    for first, lines in _part(_decode(data, source)):
        comments = list[str]()
        sentence = _Sentence(bank)
        for row, line in enumerate(lines, first):
            if line.startswith("#") and not sentence.rows:
                comments.append(line)
            else:
                sentence.add(line, row)
        sentence.close(first + len(lines) - 1)
        found = _read_comments(comments)
        if _NEW in found:
            document = {"document": found.pop(_NEW) or f"line {first}"}
        bank.comments.append({**found, **document})
    if not bank.words:
        raise InputError(f"{source}: contains no sentences in CoNLL-U")
    return bank


def _decode(data: bytes | str, source: str) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}, line {row}: is not UTF-8") from error


def _part(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of each sentence, with the number of the first."""
    own = list[str]()
    row = 0
    for row, line in enumerate(text.split("\n"), 1):
        if line := line.rstrip("\r"):
            own.append(line)
        elif own:
            yield row - len(own), own
            own = []
    if own:
        yield row + 1 - len(own), own


def _read_comments(lines: list[str]) -> dict[str, str]:
    """What comments such as `# sent_id = 7` say; `newdoc` has the id of the document it begins."""
    parts = (line[1:].partition("=") for line in lines)
    found = {name.strip(): value.strip() for name, equals, value in parts if equals}
    if any(line[1:].split()[:1] == [_NEW] for line in lines):
        found[_NEW] = found.pop(f"{_NEW} id", "")
    return found

"""Spans of all systems: where each begins and ends in its example, and of which type it is."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, count, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, MissingValueError
from tallystick.io.tables.formats import SCHEMES, TAG, Scheme
from tallystick.io.tables.values import as_list
from tallystick.kinds.spans.facts import are_slots, is_tuple, list_facts, number_facts
from tallystick.kinds.spans.tags import (
    UNTYPED,
    Tags,
    find_foreign,
    find_strays,
    find_unknown,
    guess_scheme,
    read_tags,
)
from tallystick.model.codes import Labels, Locate, find_texts, place_names, unify
from tallystick.model.facts import count_strays, count_unknown
from tallystick.model.systems import Column

Places = NDArray[np.int64]
Pieces = tuple[tuple[int, int], ...]
"""Where each piece of a discontinuous span starts and ends; nothing of other spans."""
Span = tuple[int, int, str, Pieces]
"""Where a span starts and ends, its type, and its pieces."""

Tell = Callable[[int, int], str]
"""Tells where a token of an example stands."""

_LOOKED_AT = 100
FARTHEST = 10**15
_TAGGED = re.compile(r"O|[BIELMSUW]-.+")
_SUFFIXED = re.compile(r"[^-\n]{2,}-[BIELSU](\n[^-\n]{2,}-[BIELSU])*")
_STARTS = ("start", "begin", "start_offset", "start_char", "startOffset")
_ENDS = ("end", "stop", "end_offset", "end_char", "endOffset")
_TYPES = ("label", "type", "severity", "entity_group", "entity_type", "entity", "labels")
_PIECES = ("fragments", "offsets")
_WHOLE = re.compile(r"\d+(\.0*)?")


class Spans(Struct, frozen=True, eq=False):
    """Spans of one side, those of an example in their order: by start, end and type.

    Attributes:
        offsets: The spans of example i are those from offsets[i] up to offsets[i + 1].
        starts: Where each begins, in tokens or characters from 0.
        ends: Where each ends: the place after its last token or character.
        words: What facts say, by where they begin, which is a number of their own; None of spans.
        shapes: The pieces of each span, such as `0-4,9-12`, and nothing if it is whole; None if
            all spans are.
    """

    offsets: Places
    starts: Places
    ends: Places
    labels: Labels
    words: Mapping[int, str] | None = None
    shapes: Labels | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def owners(self) -> Places:
        """The example of each span."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def take(self, rows: slice) -> "Spans":
        offsets = self.offsets[rows.start : rows.stop + 1]
        held = slice(int(offsets[0]), int(offsets[-1]))
        return replace(
            self,
            offsets=offsets - offsets[0],
            starts=self.starts[held],
            ends=self.ends[held],
            labels=self.labels.take(held),
            shapes=None if self.shapes is None else self.shapes.take(held),
        )

    def spread(self) -> "Spans":
        """The spans with each piece of those in several as a span of its own."""
        if self.shapes is None:
            return self
        pieces = [
            [(*map(int, piece.split("-")),) for piece in str(shape).split(",") if piece]
            for shape in self.shapes.names
        ]
        wholes = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        codes = zip(self.owners.tolist(), self.labels.codes, self.shapes.codes, strict=True)
        rows = sorted(
            (owner, *piece, label)
            for (owner, label, shape), whole in zip(codes, wholes, strict=True)
            for piece in pieces[shape] or [whole]
        )
        owners, starts, ends, labels = np.array(rows, np.int64).reshape(-1, 4).T
        offsets = np.searchsorted(owners, np.arange(len(self) + 1))
        return Spans(offsets, starts, ends, replace(self.labels, codes=labels.astype(np.uint32)))

    def tell(self, row: int) -> str:
        """The spans of an example in words: `0-5 PER`."""
        own = slice(*self.offsets[row : row + 2].tolist())
        if self.words is not None:
            message = zip(self.labels.codes[own], self.starts[own].tolist(), strict=True)
            return ", ".join(f"{self.labels.names[code]} {self.words[at]}" for code, at in message)
        parts = zip(self.starts[own], self.ends[own], self.labels.codes[own], strict=True)
        whole = [(f"{start}-{end}", self.labels.names[code]) for start, end, code in parts]
        shapes = self.shapes
        pieces = (
            [""] * len(whole) if shapes is None else [shapes.names[at] for at in shapes.codes[own]]
        )
        return ", ".join(
            f"{own or at} {name}" for own, (at, name) in zip(pieces, whole, strict=True)
        )


class SpanPairs(Column, frozen=True, eq=False):
    """Gold spans, and every system's next to them, of types that share their names.

    Attributes:
        scheme: How tags were read: a scheme, `seqeval` for its default mode, None where none were.
    """

    gold: Spans
    outputs: tuple[Spans, ...]
    scheme: str | None = None

    @classmethod
    def pair(cls, gold: Spans, outputs: Sequence[Spans], scheme: str | None) -> "SpanPairs":
        """The spans of both sides with shared names of types."""
        sides = (gold, *outputs)
        if any(own.shapes is not None for own in sides):
            known = (
                own.shapes or Labels(np.zeros(len(own.starts), np.uint8), ("",)) for own in sides
            )
            shapes = unify(*known)
            pairs = zip(sides, shapes, strict=True)
            gold, *outputs = (replace(own, shapes=shape) for own, shape in pairs)
        labels = unify(gold.labels, *(own.labels for own in outputs))
        for own in outputs:
            if len(gold.starts) and len(own.starts) and (gold.words is None) != (own.words is None):
                raise InputError("one side has spans and the other facts, which have no position")
        named = zip((gold, *outputs), labels, strict=True)
        gold, *outputs = (replace(own, labels=new) for own, new in named)
        return cls(gold, tuple(outputs), scheme)

    def __len__(self) -> int:
        return len(self.gold)

    def of(self, places: Sequence[int]) -> "SpanPairs":
        return replace(self, outputs=tuple(self.outputs[place] for place in places))

    def take(self, rows: slice) -> "SpanPairs":
        outputs = tuple(own.take(rows) for own in self.outputs)
        return replace(self, gold=self.gold.take(rows), outputs=outputs)

    def tell_gold(self, row: int) -> str:
        return self.gold.tell(row)

    def tell_output(self, place: int, row: int) -> str:
        return self.outputs[place].tell(row)


class Rules(Struct, frozen=True):
    """How tags are read: strictly in a scheme, or without one as seqeval's default mode does.

    `names` are the tags that whole numbers represent, which can be no characters if `tagged`; if
    `bare`, tags are types without a prefix, and None finds out.
    """

    scheme: Scheme | None = None
    names: tuple[str, ...] = ()
    tagged: bool = False
    bare: bool | None = None


class Found(Struct, frozen=True, eq=False):
    """The spans of one side, and the tags that represented them, if any.

    `strays` are tokens whose tags break the scheme that these look like. `bare` is None where tags
    have hyphens, or are O.
    """

    spans: Spans
    tags: Tags | None = None
    scheme: Scheme | None = None
    strays: Places | None = None
    bare: bool | None = None


def look_like_spans(values: Iterable[Any]) -> bool:
    """Whether values are lists of tags, some of them outside, of spans or characters, or facts."""
    rows = [row for row, _ in zip(values, range(_LOOKED_AT), strict=False) if row is not None]
    if any(map(are_slots, rows)):
        return all(isinstance(row, dict) for row in rows)
    if not all(isinstance(row, list | tuple) for row in rows):
        return False
    items = [item for row in rows for item in row]
    if items and all(isinstance(item, str) for item in items):
        return all(map(_TAGGED.fullmatch, items)) and len(set(items) - {"O"}) < len(set(items))
    known = all(map(_is_span, items)) or all(map(is_tuple, items)) or _are_characters(rows)
    return bool(items) and known


def _are_characters(rows: Sequence[Any]) -> bool:
    """Whether lists of whole numbers are the characters of spans: runs of three on average."""
    items = [item for row in rows for item in row or ()]
    if not all(map(_is_character, items)):
        return False
    return 3 * sum(len(_join_characters(row)) for row in rows if row) <= len(items)


def _join_characters(row: Sequence[int]) -> list[Span]:
    """The runs of characters that follow each other, as spans without a type."""
    held = {*row}
    starts = sorted(at for at in held if at - 1 not in held)
    ends = sorted(at + 1 for at in held if at + 1 not in held)
    return [(start, end, UNTYPED, ()) for start, end in zip(starts, ends, strict=True)]


def _is_span(item: object) -> bool:
    if isinstance(item, dict):
        pieces = _pick(item, _PIECES) is not None
        typed = _pick(item, _TYPES) is not None
        return typed and (pieces or None not in (_pick(item, _STARTS), _pick(item, _ENDS)))
    if not isinstance(item, list | tuple) or len(item) != 3:
        return False
    return None not in map(_read_place, item[:2]) and isinstance(item[2], str)


def _pick(item: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _read_place(value: object) -> int | None:
    """The place that a whole number is, in whatever way it is written; None of anything else."""
    if isinstance(value, str):
        return int(value.partition(".")[0]) if _WHOLE.fullmatch(value) else None
    if isinstance(value, float | np.floating):
        return int(value) if value.is_integer() else None
    return int(value) if isinstance(value, int | np.integer) and _is_place(value) else None


def keep_within(cell: object, size: int) -> Any:
    """Returns a cell without the spans, or their characters, that end behind a text of a size."""
    return [item for item in cell if _find_end(item) <= size] if isinstance(cell, list) else cell


def _find_end(item: Any) -> int:
    if isinstance(item, int):
        return item + 1
    if not _is_span(item):
        return 0
    return max(end for span in _read_span(item, 0, str) for end in span[1:2])


def read_spans(values: Any, locate: Locate, tell: Tell, rules: Rules) -> Found:
    """Reads a column of lists of tags, of lists of spans, or of lists of their characters.

    The values are an Arrow array of lists of text, or lists.
    """
    if not isinstance(values, list | tuple) and "list" not in str(values.type):
        values = as_list(values, locate(0))
    if isinstance(values, list | tuple):
        lists = (row for row in values if isinstance(row, list | tuple))
        if not any(isinstance(item, str) for row in lists for item in row[:1]):
            if not rules.names:
                _check_characters(values, locate, tagged=rules.tagged)
                return Found(_read_lists(values, locate))
            values = [_name_tags(row, rules.names, locate(at)) for at, row in enumerate(values)]
        return _read_tags(*_encode_lists(values, locate), tell, rules)
    return _read_tags(*_encode_column(values, locate), tell, rules)


def _name_tags(row: Any, names: Sequence[str], where: str) -> Any:
    for item in row or ():
        if not (_is_place(item) and 0 <= item < len(names)):
            raise InputError(
                f"{where}: {item!r} is not one of the {len(names)} tags that are named, which are "
                "numbered from 0; leave out tokens without a tag"
            )
    return row and [names[item] for item in row]


def _check_characters(rows: Sequence[object], locate: Locate, *, tagged: bool) -> None:
    """Raises an InputError where whole numbers look like tags, and not like characters."""
    whole = [
        row if isinstance(row, list | tuple) and all(map(_is_character, row)) else ()
        for row in rows
    ]
    mixed = any(list(row) != sorted(row) for row in whole) and not _are_characters(whole)
    for index, row in enumerate(whole):
        if row and (tagged or mixed or len({*row}) < len(row)):
            raise InputError(
                f"{locate(index)}: {list(row[:5])} look like the numbers of tags, not like the "
                "characters of spans; name the tags in the order of their numbers: "
                "`tag_names=['O', 'B-PER', 'I-PER']`"
            )


def _encode_lists(rows: Sequence[Sequence[str | None]], locate: Locate) -> tuple[Labels, Places]:
    """The tag of each token of lists, and how many tokens each has; a missing tag is empty."""
    for index, row in enumerate(rows):
        if row is None:
            raise InputError(f"{locate(index)}: the tags are missing")
        if isinstance(row, str | bytes | dict):
            raise InputError(f"{locate(index)}: {row!r} is not a list of tags")
    places: defaultdict[str | None, int] = defaultdict(count().__next__)
    try:
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        codes = np.fromiter(map(places.__getitem__, chain.from_iterable(rows)), np.uint32)
        names = tuple("" if tag is None else tag for tag in places)
        "".join(names).encode()
    except (TypeError, UnicodeError) as error:
        raise InputError(f"{locate(0)}: tags are text throughout: {error}") from None
    return Labels(codes, names), lengths


def _encode_column(values: Any, locate: Locate) -> tuple[Labels, Places]:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if values.null_count:
        row = int(np.flatnonzero(np.asarray(values.is_null()))[0])
        raise InputError(f"{locate(row)}: the tags are missing")
    tags = values.flatten()
    names, codes = find_texts(tags.fill_null("") if tags.null_count else tags)
    lengths = np.asarray(values.value_lengths()).astype(np.int64)
    return Labels(codes.astype(np.uint32, copy=False), tuple(names)), lengths


def _are_bare(names: Sequence[str]) -> bool | None:
    """Whether tags are types without a prefix, as PER and ORG; None where nothing shows it.

    Tags such as BPER and IPER have one.
    """
    own = [name for name in names if name != "O"]
    if not own or any("-" in name for name in own):
        return None
    if any(name in "BIELSU." for name in own):
        return False
    prefixed = all(name[0] in "BIELSU" for name in own)
    return not (prefixed and len({name[1:] for name in own}) < len(own))


def _read_tags(given: Labels, lengths: Places, tell: Tell, rules: Rules) -> Found:
    """The spans of the tags of all tokens, of which each example has this many."""
    scheme = rules.scheme
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    codes, names = given.codes, list(map(str, given.names))
    if _SUFFIXED.fullmatch("\n".join(name for name in names if name != "O")):  # such as PER-B
        names = [name if name == "O" else f"{name[-1]}-{name[:-2]}" for name in names]

    def tell_token(token: int) -> str:
        row = int(np.searchsorted(offsets, token, "right")) - 1
        return tell(row, token - int(offsets[row]))

    if "" in names:
        missing = int(np.argmax(codes == names.index("")))
        raise MissingValueError(f"{tell_token(missing)}: the tag is missing")
    bare = _are_bare(names)
    bare = bare if bare is None or rules.bare is None else rules.bare
    if bare and scheme is None:  # runs of one type are spans, as those of I- tags are
        names = [name if name == "O" else f"I-{name}" for name in names]
    tags, parts = read_tags(names, codes, offsets, scheme)
    foreign = None if scheme is None else 0 if bare else find_foreign(tags, scheme)
    if scheme is not None and foreign is not None:
        raise InputError(
            f"{tell_token(foreign)}: {names[codes[foreign]]} is not a tag of "
            f"{scheme.upper()}; name "
            f"another `scheme=` ({', '.join(SCHEMES)}), or leave it out"
        )
    like = scheme or guess_scheme(tags)
    strays = None if like is None else find_strays(tags, like)
    return Found(Spans(*parts), tags, like, strays, bare)


def _read_lists(rows: Sequence[object], locate: Locate) -> Spans:
    """Reads lists of spans or facts, and puts those of each example in order."""
    found: list[Span] = []
    words: dict[int, str] | None = None
    offsets = np.zeros(len(rows) + 1, np.int64)
    for index, row in enumerate(rows):
        facts = list_facts(row)
        if facts is None:
            own = _read_row(row, index, locate)
        else:
            numbered = number_facts(facts)
            words = {} if words is None else words
            words.update((start, message) for (start, _, _), message in numbered.items())
            own = [(*fact, ()) for fact in sorted(numbered)]
        if words is not None and any(one[0] not in words for one in (*found[:1], *own)):
            raise InputError(
                f"{locate(index)}: facts, which have no position, are mixed with spans"
            )
        found += own
        offsets[index + 1] = len(found)
    bounds = np.array([span[:2] for span in found], np.int64).reshape(-1, 2)
    labels = _number([span[2] for span in found])
    pieces = [",".join(f"{start}-{end}" for start, end in span[3]) for span in found]
    shapes = _number(pieces) if any(pieces) else None
    return Spans(offsets, bounds[:, 0], bounds[:, 1], labels, words, shapes)


def _number(values: Sequence[str]) -> Labels:
    names = sorted({*values})
    return Labels(np.array(place_names(values, names), np.uint32), tuple(names))


def _read_row(row: object, index: int, locate: Locate) -> list[Span]:
    if not isinstance(row, list | tuple):
        what = "the spans are missing" if row is None else f"{row!r} is no list of spans"
        raise InputError(f"{locate(index)}: {what}; write [] where there are none")
    if row and all(map(_is_character, row)):
        return _join_characters(row)
    own = sorted(span for item in row for span in _read_span(item, index, locate))
    for one, other in pairwise(own):
        if one == other:
            raise InputError(f"{locate(index)}: the span {list(one[:3])} occurs twice")
    return own


def _read_span(item: object, index: int, locate: Locate) -> list[Span]:
    """The span of an item, once for each of its types."""
    start = end = label = pieces = None
    if isinstance(item, dict):
        start, end, label, pieces = (
            _pick(item, names) for names in (_STARTS, _ENDS, _TYPES, _PIECES)
        )
        if isinstance(item.get("entity"), str) and _TAGGED.fullmatch(item["entity"]):
            raise InputError(
                f"{locate(index)}: {item['entity']} is the tag of a piece of a word, as "
                "pipelines of Hugging Face return them; pass them aggregation_strategy='simple'"
            )
    elif isinstance(item, list | tuple) and len(item) == 3:
        start, end, label = item
    else:
        raise InputError(
            f"{locate(index)}: {item!r} is not a span; a span is such as [0, 5, 'PER'], or an "
            "object with start, end and label; a list of whole numbers is that of the spans' "
            "characters"
        )
    bounds = [(start, end)] if pieces is None else pieces
    places = [(_read_place(one[0]), _read_place(one[-1])) for one in bounds if len(one) == 2]
    labels = label if isinstance(label, list) else [label]
    whole = places and len(places) == len(bounds) and None not in chain.from_iterable(places)
    if not (whole and labels and all(isinstance(one, str) and one for one in labels)):
        raise InputError(
            f"{locate(index)}: {item!r} is not a span; start and end are whole numbers, and the "
            "label is text"
        )
    joined = _join_pieces(places, label, locate(index))
    shape = () if len(joined) == 1 else tuple(joined)
    return [(joined[0][0], joined[-1][1], one, shape) for one in labels]


def _join_pieces(places: list[tuple[Any, Any]], label: object, where: str) -> list[tuple[int, int]]:
    """Puts the pieces of a span in order, and joins those that touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if end > FARTHEST:
            raise InputError(f"{where}: a span ends beyond {FARTHEST:,}, which no text reaches")
        if not 0 <= start < end:
            raise InputError(
                f"{where}: the span {[start, end, label]} ends where it begins or before; it "
                "goes from start, counted from 0, up to but not including end"
            )
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _is_place(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_character(value: Any) -> bool:
    return _is_place(value) and 0 <= value < FARTHEST


def check_ends(spans: Spans, sizes: Places, locate: Locate) -> None:
    """Checks that spans lie within their texts."""
    beyond = np.flatnonzero(spans.ends > sizes[spans.owners])
    if len(beyond):
        row, end = int(spans.owners[beyond[0]]), int(spans.ends[beyond[0]])
        raise InputError(
            f"{locate(row)}: a span ends at {end}, but the text has {sizes[row]} characters"
        )


def check_forms(name: str, golden: Found, found: Found) -> None:
    """Checks that neither side has tags where the other has characters."""
    sides = {"gold": golden, name: found}
    tagged = [side for side, own in sides.items() if own.tags is not None and len(own.spans.starts)]
    whole = [
        side
        for side, own in sides.items()
        if own.tags is None and own.spans.labels.names == (UNTYPED,)
    ]
    if tagged and whole:
        raise InputError(
            f"{tagged[0]} has tags and {whole[0]} has whole numbers; if these are tags, name them: "
            "`tag_names=['O', 'B-PER', 'I-PER']`"
        )


def check_tags(found: Found, locate: Locate) -> None:
    """Checks that some tag of the gold is of a scheme, so that no other column is read as tags."""
    names = () if found.tags is None else found.tags.names
    known = (names if found.bare is None else ("O",) * ("O" in names)) if names else ("O",)
    if found.tags is not None and not any(map(TAG.fullmatch, known)):
        row = int(np.searchsorted(found.tags.offsets, 0, "right")) - 1
        raise InputError(
            f"{locate(row)}: {names[0].removeprefix('I-')!r} is not a tag, nor is any other value; "
            "tags are O, or B-, I-, E-, S-, L- or U- and a type"
        )


def note_tags(system: str, found: Found, *, strict: bool) -> tuple[str, ...]:
    """Returns notes on how many tags break their scheme or are of none, and how they count."""
    notes: tuple[str, ...] = ()
    if found.bare:
        notes = (
            f"tags of {system} have no prefix and are read as IO: tokens with the same tag that "
            "follow each other are one span.",
        )
    if found.tags is not None and found.strays is not None and len(found.strays):
        lenient = (
            f"begin a new span, as {_name_rules(found.tags)} counts, and `scheme={found.scheme!r}` "
            "leaves them out"
        )
        notes = (count_strays(system, "belong to none" if strict else lenient, len(found.strays)),)
    unknown = 0 if found.tags is None else len(find_unknown(found.tags))
    return (*notes, count_unknown(system, unknown)) if unknown else notes


def _name_rules(tags: Tags) -> str:
    """Names the tool by whose rules tags are read without a scheme; conlleval knows no S."""
    alike = any(tags.letters <= set(letters) for letters in ("BI", "IE"))
    return "conlleval" if alike else "seqeval"


def note_scheme(found: Found, *, strict: bool) -> tuple[str, ...]:
    """Returns a note on the scheme that the tags of the gold look like, and how they are read."""
    if found.tags is None or strict or found.bare or not found.tags.letters:
        return ()
    looks = "no scheme" if found.scheme is None else found.scheme.upper()
    letters = ", with L as E and U as S" if found.tags.letters & set("LU") else ""
    rules = f"{_name_rules(found.tags)}'s rules{letters}"
    return (f"the gold tags look like {looks}, and are read by {rules}.",)

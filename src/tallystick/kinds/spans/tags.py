"""Tags of tokens, such as B-PER and O, read as the spans that they represent."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick import _native
from tallystick.io.tables.formats import SCHEMES, TAG, Scheme
from tallystick.model.codes import Labels

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]

_O, _B, _I, _E, _S, _OTHER = range(6)
_PREFIXES = {"O": _O, ".": _O, "B": _B, "I": _I, "E": _E, "L": _E, "S": _S, "U": _S}
UNTYPED = "_"
"""The type of tags without one, O among them, as in seqeval."""
_LETTERS = {"iob1": "BI", "iob2": "BI", "ioe2": "IE", "bioes": "BIES", "bilou": "BILU"}

# A transition is the prefix of a tag, that of the tag before it, and whether their types agree.
_TAG, _BEFORE, _SAME = (own.ravel() for own in np.indices((6, 6, 2)))
_ALIKE = _SAME == 1


class Tags(Struct, frozen=True, eq=False):
    """The tags of the tokens of some examples.

    Attributes:
        names: The distinct tags, all of which occur.
        codes: The tag of each token, an index into `names`.
        offsets: The tokens of example i are those from offsets[i] up to offsets[i + 1].
        steps: The transition to each token; before the first one of an example is an O.
        seen: Which transitions to a token there are.
    """

    names: tuple[str, ...]
    codes: NDArray[np.uint32]
    offsets: Places
    steps: NDArray[np.uint8]
    seen: Mask

    @property
    def letters(self) -> set[str]:
        """The first letters of all tags but O."""
        return {name[0] for name in self.names} - {"O"}


SpanParts = tuple[Places, Places, Places, Labels]
"""Offsets of the spans of each example, the first token of each in it, the one after its last, and
its type."""


def read_tags(
    names: Sequence[str], codes: NDArray[np.uint32], offsets: Places, scheme: Scheme | None
) -> tuple[Tags, SpanParts]:
    """Reads the tags of tokens; the distinct `names` all occur.

    Without a scheme tags are read as in seqeval's default mode. Of tags with B, I and O, and of
    those with I, E and O, it finds what conlleval finds. In a scheme tags that break it belong to
    no span, as in seqeval's strict mode.
    """
    parted = [_split(name) for name in (*names, "O")]
    types = sorted({kind for _, kind in parted})
    found, starts, ends, kinds, steps, seen = _native.find_spans(
        codes,
        offsets,
        np.array([prefix for prefix, _ in parted], np.uint8),
        np.array([types.index(kind) for _, kind in parted], np.int32),
        _LENIENT if scheme is None else _STRICT[scheme],
        scheme is not None,
    )
    held = np.bincount(kinds, minlength=len(types)) > 0
    labels = Labels(
        (np.cumsum(held) - 1).astype(np.uint32)[kinds],
        tuple(kind for kind, used in zip(types, held, strict=True) if used),
    )
    tags = Tags(tuple(names), codes, offsets, steps, seen.astype(bool))
    return tags, (found, starts, ends, labels)


def _split(name: str) -> tuple[int, str]:
    """The letter of a tag, and its type: what follows the first hyphen behind the letter."""
    return _PREFIXES.get(name[:1], _OTHER), name[1:].split("-", 1)[-1] or UNTYPED


def _make_rules(
    begins: Mask, ends: Mask, sound: Mask | None = None, broken: Mask | None = None
) -> NDArray[np.uint8]:
    """What each transition means, as the kernel has it; without `sound` spans end with any tag."""
    sound = _TAG >= 0 if sound is None else sound
    broken = _TAG < 0 if broken is None else broken
    packed: NDArray[np.uint8] = np.packbits(
        [begins, ends, sound, broken], axis=0, bitorder="little"
    )[0]
    return packed


def _list_lenient_rules() -> NDArray[np.uint8]:
    """The rules of seqeval's default mode."""
    changed = ~_ALIKE
    begins = np.isin(_TAG, (_B, _S)) | (np.isin(_TAG, (_I, _E)) & np.isin(_BEFORE, (_O, _E, _S)))
    cut = np.isin(_BEFORE, (_B, _I)) & np.isin(_TAG, (_O, _B, _S))
    ends = np.isin(_BEFORE, (_E, _S)) | cut | ((_BEFORE != _O) & changed)
    return _make_rules(begins | ((_TAG != _O) & changed), ends)


_BEGUN = np.isin(_BEFORE, (_B, _I)) & _ALIKE
_HELD, _ENDED = np.isin(_TAG, (_I, _E)), np.isin(_TAG, (_E, _S))
_INNER, _LAST, _GOING = (_TAG == _I) & _BEGUN, _HELD & (_BEFORE == _I) & _ALIKE, _HELD & _BEGUN
"""Which transitions go on with a span: with B and I, with I and E, and with all of them."""


def _list_strict_rules() -> dict[Scheme, NDArray[np.uint8]]:
    bare = (_TAG == _I) & ((_BEFORE != _I) | ~_ALIKE)
    # IOB1 has no B of another type behind a B.
    parted = (_TAG == _B) & (_BEFORE == _B) & ~_ALIKE
    whole = _make_rules(np.isin(_TAG, (_B, _S)), ~_GOING, _ENDED)
    return {
        "iob1": _make_rules(bare | ((_TAG == _B) & _BEGUN), ~_INNER, broken=parted),
        "iob2": _make_rules(_TAG == _B, ~_INNER),
        "ioe2": _make_rules(_HELD & ~_LAST, ~_LAST, _ENDED),
        "bioes": whole,
        "bilou": whole,
    }


_LENIENT, _STRICT = _list_lenient_rules(), _list_strict_rules()


def find_strays(tags: Tags, scheme: Scheme) -> Places:
    """Returns the tokens that go on with no span, in a scheme in which B or S begins each."""
    strays = _HELD & ~(_INNER if scheme == "iob2" else _GOING)
    if scheme not in ("iob2", "bioes", "bilou") or not tags.seen[strays].any():
        return np.zeros(0, np.int64)
    return np.flatnonzero(strays[tags.steps])


def find_foreign(tags: Tags, scheme: Scheme) -> int | None:
    """Returns the first token whose tag a scheme does not have; None where it has all."""
    wrong = _find_tokens(tags, [name[0] not in ("O", *_LETTERS[scheme]) for name in tags.names])
    return int(wrong[0]) if len(wrong) else None


def find_unknown(tags: Tags) -> Places:
    """Returns the tokens whose tags are of no scheme."""
    return _find_tokens(tags, [TAG.fullmatch(name) is None for name in tags.names])


def _find_tokens(tags: Tags, wrong: Sequence[bool]) -> Places:
    return np.flatnonzero(np.array(wrong)[tags.codes] if any(wrong) else ())


def guess_scheme(tags: Tags) -> Scheme | None:
    """Returns the scheme that tags look like; None where they look like none."""
    if not tags.letters:
        return None
    if tags.letters <= set("BI") and _look_like_iob1(tags):
        return "iob1"
    fitting = (name for name in SCHEMES[1:] if tags.letters <= set(_LETTERS[name]))
    return next(fitting, None)


def _look_like_iob1(tags: Tags) -> bool:
    """Whether B only stands between spans of one type, and spans begin without it."""
    bare, needless = (_TAG == _I) & ~_BEGUN, (_TAG == _B) & ~_BEGUN
    return bool(tags.seen[bare].any() and not tags.seen[needless].any())

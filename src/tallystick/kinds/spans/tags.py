"""Tags of tokens, such as B-PER and O, read as the spans that they stand for."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.io.schemes import SCHEMES, TAG, Scheme

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


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """The tags of the tokens of some examples.

    Attributes:
        names: The distinct tags, all of which occur.
        codes: The tag of each token, an index into `names`.
        offsets: The tokens of example i are those from offsets[i] up to offsets[i + 1].
        types: The types that the tags have, sorted; `_` is that of tags without one.
        kinds: The type of each token's tag, an index into `types`.
        owners: The example of each token.
        steps: The transition to each token; before the first one of an example is an O.
        after: The transition from each token; after the last one of an example is an O.
        seen: Which transitions to a token there are.
    """

    names: tuple[str, ...]
    codes: NDArray[np.integer[Any]]
    offsets: Places
    types: tuple[str, ...]
    kinds: NDArray[np.int32]
    owners: Places
    steps: NDArray[np.uint8]
    after: NDArray[np.uint8]
    seen: Mask

    @property
    def letters(self) -> set[str]:
        """The first letters of all tags but O."""
        return {name[0] for name in self.names} - {"O"}


def encode_tags(names: Sequence[str], codes: NDArray[np.integer[Any]], offsets: Places) -> Tags:
    """Takes tags apart into prefixes and types; the distinct `names` all occur."""
    parted = [_split(name) for name in names]
    types = tuple(sorted({UNTYPED, *(kind for _, kind in parted)}))
    prefixes = np.array([prefix for prefix, _ in parted], np.uint8)[codes]
    kinds = np.array([types.index(kind) for _, kind in parted], np.int32)[codes]
    untyped = kinds == types.index(UNTYPED)
    joined = 2 * prefixes[:-1] + (kinds[1:] == kinds[:-1])
    sizes = np.diff(offsets)
    full = sizes > 0
    heads, tails = offsets[:-1][full], offsets[1:][full] - 1
    steps, after = 12 * prefixes, 2 * prefixes + untyped
    steps[1:] += joined
    steps[heads] = 12 * prefixes[heads] + untyped[heads]
    after[:-1] = steps[1:]
    after[tails] = 2 * prefixes[tails] + untyped[tails]
    owners = np.repeat(np.arange(len(sizes)), sizes)
    seen = np.zeros(len(_TAG), bool)
    seen[steps] = True
    return Tags(tuple(names), codes, offsets, types, kinds, owners, steps, after, seen)


def _split(name: str) -> tuple[int, str]:
    """The letter of a tag, and its type: what follows the first hyphen behind the letter."""
    return _PREFIXES.get(name[:1], _OTHER), name[1:].split("-", 1)[-1] or UNTYPED


def find_spans(tags: Tags, scheme: Scheme | None) -> tuple[Places, Places]:
    """Returns the first token of each span, and the token after its last one.

    Without a scheme tags are read as in seqeval's default mode. Of tags with B, I and O, and of
    those with I, E and O, it finds what conlleval finds. In a scheme tags that break it belong to
    no span, as in seqeval's strict mode.
    """
    if scheme is None:
        return _find_leniently(tags)
    start, going, close = _RULES[scheme]
    goes_on = going[tags.steps]
    goes_on_after = np.append(goes_on[1:], False)
    lasts = np.flatnonzero(goes_on & ~goes_on_after)
    starts = np.flatnonzero(start[tags.steps])
    ends = starts + 1
    longer = goes_on_after[starts]
    ends[longer] = lasts[np.searchsorted(lasts, starts[longer], side="right")] + 1
    # A tag may both go on with a span and begin one: of starts with one end the first counts.
    first = np.diff(ends, prepend=-1) > 0
    starts, ends = starts[first], ends[first]
    kept = close(tags, ends)
    return starts[kept], ends[kept]


def _find_leniently(tags: Tags) -> tuple[Places, Places]:
    """The spans from the last token that begins one up to each token that ends one."""
    lasts = np.flatnonzero(_ENDS[tags.after])
    starts = np.concatenate([[0], np.flatnonzero(_STARTS[tags.steps])])
    begins = starts[np.searchsorted(starts, lasts, side="right") - 1]
    heads = tags.offsets[tags.owners[lasts]]
    return np.maximum(begins, heads), lasts + 1


def _list_lenient_rules() -> tuple[Mask, Mask]:
    """Which transitions begin a span, and which end the one before, in seqeval's default mode."""
    changed = ~_ALIKE
    starts = np.isin(_TAG, (_B, _S)) | (np.isin(_TAG, (_I, _E)) & np.isin(_BEFORE, (_O, _E, _S)))
    cut = np.isin(_BEFORE, (_B, _I)) & np.isin(_TAG, (_O, _B, _S))
    ends = np.isin(_BEFORE, (_E, _S)) | cut | ((_BEFORE != _O) & changed)
    return starts | ((_TAG != _O) & changed), ends


_STARTS, _ENDS = _list_lenient_rules()

Close = Callable[[Tags, Places], Mask]
Rule = tuple[Mask, Mask, Close]
"""Which transitions begin a span, which go on with one, and what ends soundly."""


def _is_ended(tags: Tags, ends: Places) -> Mask:
    """Whether the last tag of a span is E or S."""
    return np.isin(_TAG, (_E, _S))[tags.steps[ends - 1]]


def _is_parted(tags: Tags, ends: Places) -> Mask:
    """Whether no B of another type follows a B, which IOB1 does not have."""
    broken = (_TAG == _B) & (_BEFORE == _B) & ~_ALIKE
    parted: Mask = ~broken[np.append(tags.steps, 0)[ends]]
    return parted


def _list_rules() -> dict[Scheme, Rule]:
    begun = np.isin(_BEFORE, (_B, _I)) & _ALIKE
    inner, held = (_TAG == _I) & begun, np.isin(_TAG, (_I, _E))
    bare = (_TAG == _I) & ((_BEFORE != _I) | ~_ALIKE)
    ending = held & (_BEFORE == _I) & _ALIKE
    whole: Rule = (np.isin(_TAG, (_B, _S)), held & begun, _is_ended)
    return {
        "iob1": (bare | ((_TAG == _B) & begun), inner, _is_parted),
        "iob2": (_TAG == _B, inner, lambda _, ends: np.ones(len(ends), bool)),
        "ioe2": (held & ~ending, ending, _is_ended),
        "bioes": whole,
        "bilou": whole,
    }


_RULES = _list_rules()


def find_strays(tags: Tags, scheme: Scheme) -> Places:
    """Returns the tokens that go on with no span, in a scheme in which B or S begins each."""
    if scheme not in ("iob2", "bioes", "bilou"):
        return np.zeros(0, np.int64)
    _, going, _ = _RULES[scheme]
    strays = np.isin(_TAG, (_I, _E)) & ~going
    return np.flatnonzero(strays[tags.steps] if tags.seen[strays].any() else ())


def find_foreign(tags: Tags, scheme: Scheme) -> int | None:
    """Returns the first token whose tag a scheme does not have; None where it has all."""
    foreign = [name[0] not in ("O", *_LETTERS[scheme]) for name in tags.names]
    wrong = np.flatnonzero(np.isin(tags.codes, np.flatnonzero(foreign)))
    return int(wrong[0]) if len(wrong) else None


def find_unknown(tags: Tags) -> Places:
    """Returns the tokens whose tags are of no scheme."""
    unknown = [place for place, name in enumerate(tags.names) if TAG.fullmatch(name) is None]
    return np.flatnonzero(np.isin(tags.codes, unknown))


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
    begun = np.isin(_BEFORE, (_B, _I)) & _ALIKE
    bare, needless = (_TAG == _I) & ~begun, (_TAG == _B) & ~begun
    return bool(tags.seen[bare].any() and not tags.seen[needless].any())
